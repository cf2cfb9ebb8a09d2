"""Tasks of Roo Code and Kilo Code: what summaries and cuts have replaced."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Image, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Item = dict[str, Any]


def item(role: str, content: object, ts: int, **more: Any) -> Item:
    """A stored message."""
    return {"role": role, "content": content, "ts": ts, **more}


def read(history: object, ui: object = None) -> Chat:
    """Read a history, with the screen's file beside it."""
    beside = {} if ui is None else {"ui_messages.json": json.dumps(ui).encode()}
    return read_chat(Source.of_bytes(json.dumps(history).encode(), "api_conversation_history.json", beside))


def call(ts: int, **told: Any) -> Item:
    """A call of the model, as the screen shows it."""
    return {"ts": ts, "type": "say", "say": "api_req_started", "text": json.dumps(told)}


def words(chat: Chat) -> list[str]:
    """The texts of the messages."""
    return [message.text for message in chat.messages]


SUMMARY = item("user", "## Conversation Summary\nshort", 5, isSummary=True, condenseId="c1")


def test_the_live_part_begins_at_the_last_summary() -> None:
    """A summary by the user replaces all before it, older summaries too."""
    older = item("user", "older", 2, isSummary=True, condenseId="c0", condenseParent="c1")
    chat = read([item("user", "task", 1, condenseParent="c0"), older, SUMMARY, item("assistant", "on", 6)])
    assert (chat.format, chat.tool) == ("roo", "roo")
    assert words(chat) == ["## Conversation Summary\nshort", "on"]
    assert [(message.is_summary, message.by_host) for message in chat.messages] == [(True, True), (False, False)]


def test_an_older_summary_by_the_assistant_keeps_the_task_in_front() -> None:
    """Older versions wrote the summary as the assistant's, so that the first message stays."""
    history = [item("user", "task", 1), item("assistant", "gone", 2), item("user", "gone", 3)]
    history += [item("assistant", "short", 4, isSummary=True), item("user", "kept", 5)]
    assert words(read(history)) == ["task", "short", "kept"]


def test_results_of_replaced_calls_go() -> None:
    """An orphaned result is not sent, and neither is a message of nothing else."""
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "x"}
    history = [SUMMARY, item("user", [orphan], 6), item("user", [orphan, {"type": "text", "text": "hi"}], 7)]
    chat = read([item("user", "task", 1, condenseParent="c1"), *history])
    assert words(chat) == ["## Conversation Summary\nshort", "hi"]
    assert not any(message.results for message in chat.messages)


def test_what_a_marker_hides_is_left_out() -> None:
    """A cut hides the messages that name its marker; where the marker is gone they are live again."""
    marker = item("user", "[Sliding window truncation]", 4, isTruncationMarker=True, truncationId="t1")
    hidden = item("assistant", "hidden", 2, truncationParent="t1")
    assert words(read([item("user", "task", 1), hidden, marker, item("user", "on", 5)]))[1:] == [
        "[Sliding window truncation]",
        "on",
    ]
    assert words(read([item("user", "task", 1), hidden, item("user", "on", 5)])) == ["task", "hidden", "on"]


def test_a_marker_without_an_id_hides_nothing() -> None:
    """A marker that names nothing is not taken for that of messages that name none."""
    marker = item("user", "[cut]", 4, isTruncationMarker=True)
    assert words(read([item("user", "task", 1), item("assistant", "a", 2), marker])) == ["task", "a", "[cut]"]


def test_a_parent_without_its_summary_hides_nothing() -> None:
    """After a rewind over the summary, what it had replaced is live again."""
    chat = read([item("user", "task", 1, condenseParent="c1"), item("assistant", "a", 2, condenseParent="c1")])
    assert words(chat) == ["task", "a"]


def test_usage_finds_its_answer_by_time() -> None:
    """A call belongs to the first answer stored behind it; the OpenAI way counts the cache within the input."""
    history = [item("user", "task", 1, condenseParent="gone"), item("assistant", "a", 20), item("user", "u", 25)]
    ui = [
        call(10, tokensIn=5, tokensOut=2, cacheWrites=90, cacheReads=5, apiProtocol="anthropic"),
        call(30, tokensIn=500, tokensOut=3, cacheReads=400, apiProtocol="openai"),
    ]
    chat = read([*history, item("assistant", "b", 40)], ui)
    assert [message.usage for message in chat.messages] == [None, Usage(100, 2, ""), None, Usage(500, 3, "")]


def test_a_call_without_an_answer_measures_nothing() -> None:
    """A call behind the last answer has none."""
    chat = read([item("user", "task", 1, condenseParent="x"), item("assistant", "a", 20)], [call(30, tokensIn=5)])
    assert [message.usage for message in chat.messages] == [None, None]


@pytest.mark.parametrize("event", ["condense_context", "sliding_window_truncation"])
def test_calls_before_the_task_was_shortened_count_no_more(event: str) -> None:
    """What was measured before a summary or a cut is not the size of what is live."""
    kept = [SUMMARY, item("assistant", "a", 20), item("assistant", "b", 40)]
    ui = [call(10, tokensIn=150_000), {"ts": 25, "type": "say", "say": event}, call(30, tokensIn=4_000)]
    assert [message.usage and message.usage.prompt_tokens for message in read(kept, ui).messages] == [None, None, 4_000]


def test_the_second_envelope() -> None:
    """Version 2 wraps the messages, and writes them as the AI SDK does."""
    image = {"type": "image", "image": "data:image/png;base64,aGk=", "mediaType": "image/png"}
    json_output = {"type": "error-json", "value": {"no": 1}}
    history = [
        item("user", [{"type": "text", "text": "look"}, image], 1),
        {"type": "reasoning", "encrypted_content": "xx", "summary": [{"type": "summary_text", "text": "hm"}], "ts": 2},
        item("assistant", [{"type": "tool-call", "toolCallId": "c", "toolName": "read", "input": {"path": "a"}}], 3),
        item("tool", [{"type": "tool-result", "toolCallId": "c", "toolName": "read", "output": json_output}], 4),
        item(
            "tool", [{"type": "tool-result", "toolCallId": "c", "output": {"type": "text", "value": "[ERROR] no"}}], 5
        ),
        item("assistant", [{"type": "reasoning", "text": "so"}, {"type": "text", "text": "done"}], 6),
    ]
    chat = read({"version": 2, "messages": history})
    assert chat.format == "roo"
    assert [message.role for message in chat.messages] == [
        "user",
        "assistant",
        "assistant",
        "user",
        "user",
        "assistant",
    ]
    assert [message.parts for message in chat.messages] == [
        (Text("look"), Image("image/png", "aGk=")),
        (Thinking("hm"),),
        (ToolCall("c", "read", {"path": "a"}),),
        (ToolResult("c", (Text('{"no": 1}'),), is_error=True, as_text=True),),
        (ToolResult("c", (Text("[ERROR] no"),), is_error=True, as_text=True),),
        (Thinking("so"), Text("done")),
    ]


def test_reasoning_beside_the_content() -> None:
    """What some models want back beside the content is a thought, unless the content holds one."""
    more = {"reasoning_content": "why", "condenseParent": "x"}
    chat = read([item("assistant", "a", 1, **more), item("assistant", [{"type": "reasoning", "text": "b"}], 2, **more)])
    assert [message.parts for message in chat.messages] == [(Thinking("why"), Text("a")), (Thinking("b"),)]


@pytest.mark.parametrize(
    ("details", "tool"),
    [
        ("# VSCode Visible Files\na\n\n# Current Mode\n<slug>code</slug>\n<model>glm-4</model>", "roo"),
        ("# Visual Studio Code Visible Files\na", "cline"),
        ("# VSCode Visible Files\na", "cline"),
    ],
)
def test_what_the_environment_gives_away(details: str, tool: str) -> None:
    """Both write their notes; what is in them tells them apart."""
    text = f"<environment_details>\n{details}\n</environment_details>"
    chat = read(
        [{"role": "user", "content": [{"type": "text", "text": "<task>go</task>"}, {"type": "text", "text": text}]}]
    )
    assert chat.tool == tool
    assert chat.model == ("glm-4" if tool == "roo" else None)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    *("role", "content", "ts", "isSummary", "condenseId", "truncationId", "truncationParent"),
                    *("isTruncationMarker", "type", "reasoning_content", "summary"),
                ]
            ),
            st.sampled_from(["user", "assistant", "reasoning", True, None, 3, [], {}, [{"type": "tool-result"}], "x"])
            | st.just([{"type": "tool-result", "output": {"value": None}}, {"type": "image", "image": 3}]),
        ),
        max_size=8,
    )
)
def test_any_records_are_read_or_refused(history: list[Item]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for document in (history, {"version": 2, "messages": history}):
        try:
            read(document, [{"ts": [], "type": "say", "say": "condense_context"}, call(1, tokensIn=[])])
        except ChatUnreadable:
            continue
