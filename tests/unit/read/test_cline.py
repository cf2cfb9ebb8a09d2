"""Tasks of Cline: the history, and what the files beside it tell of it."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import Usage
from compact_chat.read import Source, read_chat
from tests.fakes.cline_tasks import DETAILS, HISTORY, TASK, answered, asked, call, read, said, source, used, words


def test_a_history_alone_is_read_whole() -> None:
    """Without files beside it nothing is hidden, and the environment tells title, folder and window."""
    chat = read(HISTORY)
    assert (chat.format, chat.tool, len(chat.messages)) == ("cline", "cline", 10)
    assert (chat.title, chat.workspace, chat.window) == ("Mend the shop.", "/home/me/shop", 128_000)
    assert chat.warnings == ()


def test_the_hidden_range_is_left_out() -> None:
    """The first two messages stay, and what stands behind the newest range."""
    old, new = ([2, 3], [2, 7])
    ui = [call(3, 5, conversationHistoryDeletedRange=old), call(7, 5, conversationHistoryDeletedRange=new), call(8, 5)]
    assert words(read(HISTORY, ui)) == ["<task>", "a1", "u8", "a9"]


@pytest.mark.parametrize("bounds", [[2, "x"], [2], "x", None, [2, True], 5, [2, -4]])
def test_a_range_of_wrong_type_hides_nothing(bounds: object) -> None:
    """What cannot be a range is none."""
    assert len(read(HISTORY, [call(7, 5, conversationHistoryDeletedRange=bounds)]).messages) == 10


def test_a_range_beyond_the_end_keeps_the_first_pair() -> None:
    """A range over all that is stored leaves the task and the first answer."""
    assert words(read(HISTORY, [call(9, 5, conversationHistoryDeletedRange=[2, 99])])) == ["<task>", "a1"]


def test_the_newest_edit_of_a_block_is_its_text() -> None:
    """The edits name places of the whole history; only the last of a block counts."""
    updates = [[1, "text", ["older"], []], [2, "text", ["[NOTE] removed"], []]]
    edits = [[1, [0, [[0, updates]]]], [8, [0, [[0, [[3, "text", ["short"], []]]], [7, updates]]]]]
    ui = [call(7, 5, conversationHistoryDeletedRange=[2, 7])]
    assert words(read(HISTORY, ui, edits)) == ["<task>", "[NOTE] removed", "short", "a9"]


@pytest.mark.parametrize(
    "edits",
    [
        {},
        [1],
        [[1]],
        [[1, 2]],
        [[1, [0, 3]]],
        [[1, [0, [[0, []]]]]],
        [[1, [0, [[0, [[1, "image", ["x"]]]]]]]],
        [["1", [0, [[0, [[1, "text", ["x"]]]]]]]],
        [[1, [0, [[0, [[1, "text", [4]]]]]]]],
        [[1, [0, [[0, [[1, "text"]]]]]]],
    ],
)
def test_edits_of_wrong_types_change_nothing(edits: object) -> None:
    """What is no edit of a text is skipped."""
    assert words(read(HISTORY, None, edits)) == words(read(HISTORY))


def test_an_edit_leaves_the_stored_message_alone() -> None:
    """G5: the decoded file is not changed by reading it."""
    given = source(HISTORY, None, [[1, [0, [[0, [[1, "text", ["new"], []]]]]]]])
    before = json.dumps(given.document)
    read_chat(given)
    assert json.dumps(given.document) == before


def test_results_whose_call_is_hidden_go() -> None:
    """A result behind the cut that answers a hidden call is not sent; one whose call is live stays."""
    history = [TASK, said("a1"), asked("u2"), said("a3", used("c1")), {"role": "user", "content": [answered("c1")]}]
    history += [said("a5", used("c2")), {"role": "user", "content": [answered("c2")]}]
    chat = read(history, [call(3, 5, conversationHistoryDeletedRange=[2, 3])])
    assert [result.call_id for message in chat.messages for result in message.results] == ["c2"]
    assert words(chat) == ["<task>", "a1", "a5", ""]


def test_the_usage_stands_on_its_answer() -> None:
    """Input, cache reads and writes make the prompt; the answer is the first behind the newest stored message."""
    info = {"modelId": "claude-x", "providerId": "anthropic"}
    chat = read(HISTORY, [call(0, 5, modelInfo=info), call(1, 6), call(8, 900, modelInfo=info)])
    assert [message.usage for message in chat.messages if message.usage] == [
        Usage(115, 7, "claude-x"),
        Usage(116, 7, ""),
        Usage(1010, 7, "claude-x"),
    ]
    assert [place for place, message in enumerate(chat.messages) if message.usage] == [1, 3, 9]
    assert chat.model == "claude-x"


def test_calls_before_the_cut_tell_nothing_of_the_prompt_now() -> None:
    """Only answers that were given to the live messages keep their usage."""
    cut = {"conversationHistoryDeletedRange": [2, 5]}
    chat = read(HISTORY, [call(0, 90_000), call(6, 40_000, **cut), call(8, 900, **cut)])
    assert [message.usage.prompt_tokens for message in chat.messages if message.usage] == [40_110, 1010]


@pytest.mark.parametrize(
    "text", ["{}", '{"request":"x"}', '{"tokensIn":0,"tokensOut":0}', "nope", '{"tokensIn":"5"}', ""]
)
def test_a_call_under_way_has_no_usage(text: str) -> None:
    """Placeholders, zeros and broken texts are no usage."""
    chat = read(HISTORY, [call(0, 5, text=text)])
    assert all(message.usage is None for message in chat.messages)


def test_usage_on_the_answers_themselves() -> None:
    """Newer versions note it there: what was cached comes to it, but for providers that count it in."""
    metrics = {"tokens": {"prompt": 12, "completion": 3, "cached": 500}}
    mine = {"modelInfo": {"modelId": "claude-x", "providerId": "anthropic"}, "metrics": metrics}
    theirs = {
        "modelInfo": {"modelId": "gpt-x", "providerId": "openai"},
        "metrics": {"tokens": {"prompt": 600, "cached": 500}},
    }
    chat = read([TASK, said("a1", **mine), asked("u2"), said("a3", **theirs)])
    assert [message.usage for message in chat.messages if message.usage] == [
        Usage(512, 3, "claude-x"),
        Usage(600, 0, "gpt-x"),
    ]
    assert chat.model == "gpt-x"


def test_an_old_screen_names_no_places() -> None:
    """Where neither place nor time is told, the newest call is the newest answer's."""
    ui = [{key: value for key, value in call(0, n).items() if key != "conversationHistoryIndex"} for n in (5, 900)]
    chat = read(HISTORY, ui)
    assert [message.usage and message.usage.prompt_tokens for message in chat.messages] == [None] * 9 + [1010]


def test_the_model_is_looked_for_beside() -> None:
    """Where no message names the model, the task's metadata do."""
    metadata = {"model_usage": [{"model_id": "old"}, {"model_id": "claude-y"}]}
    assert read(HISTORY, metadata=metadata).model == "claude-y"
    assert read(HISTORY).model is None


def test_ids_are_the_tools_own_times() -> None:
    """Ids stay while the file grows: times where they are there and unique, else places in the whole history."""
    stamped = [{**item, "ts": 1000 + place // 2} for place, item in enumerate(HISTORY)]
    assert [message.id for message in read(stamped).messages][:4] == ["1000", "m1", "1001", "m3"]
    cut = read(HISTORY, [call(7, 5, conversationHistoryDeletedRange=[2, 7])])
    assert [message.id for message in cut.messages] == ["m0", "m1", "m8", "m9"]


def test_who_wrote_a_message_of_the_users() -> None:
    """Results and notes are the host's; a message with words of a person in it is a person's."""
    history = [
        TASK,
        said("a1"),
        asked("[read_file for 'a.py'] Result:\ncode", DETAILS),
        said("a3"),
        asked(
            "[execute_command for 'ls'] Result:\nThe user provided feedback:\n<feedback>\nuse yarn\n</feedback>",
            DETAILS,
        ),
        said("a5"),
        asked("[ERROR] You did not use a tool", DETAILS),
    ]
    assert [message.by_host for message in read(history).messages if message.role == "user"] == [
        False,
        True,
        False,
        True,
    ]


def test_a_summary_of_clines_own_is_marked() -> None:
    """The message that goes on behind a summary is one; so is the call that wrote it, where the cut left it."""
    carried = "[summarize_task] Result:\n\nThis session is being continued from a previous conversation that ran out"
    chat = read([TASK, said("a1"), asked(carried), said("a3")])
    assert [(message.is_summary, message.by_host) for message in chat.messages][2] == (True, True)
    condensed = said("a3", {"type": "tool_use", "id": "c", "name": "condense", "input": {"context": "short"}})
    history = [
        TASK,
        said("a1"),
        asked("u2"),
        condensed,
        asked("u4"),
        {**condensed, "content": condensed["content"][1:]},
    ]
    cut = read(history, [call(4, 5, conversationHistoryDeletedRange=[2, 2])])
    assert [message.is_summary for message in cut.messages] == [False, False, True, False, False]


def test_a_history_that_is_broken_itself_is_told() -> None:
    """What the screen shows stands in for it, and the chat says so."""
    ui = json.dumps([{"ts": 1, "type": "say", "say": "text", "text": "hi", "conversationHistoryIndex": -1}]).encode()
    chat = read_chat(Source.of_bytes(b'[{"role": "user", "content": [{"t', siblings={"ui_messages.json": ui}))
    assert [message.text for message in chat.messages] == ["hi"]
    assert "brokenFile" in [warning.code for warning in chat.warnings]
