"""Results that Cline tells in words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from compact_chat.chat import Message, Text, ToolCall, ToolResult
from compact_chat.facts import file_records, find_steps, with_told_results
from compact_chat.plan.prune import prune
from compact_chat.prompt import write_transcript
from compact_chat.resume import make_valid
from compact_chat.wire import Files, PruneOptions
from tests.fakes.chats import a, anything, res, u


def asked(*tools: str) -> Message:
    """Calls of tools, each with its own name as its id."""
    return a(*(ToolCall(f"id-{tool}", tool, {"path": f"{tool}.py"}) for tool in tools))


def test_a_text_that_tells_a_result_is_one() -> None:
    """T21: it answers the call of the tool that its head names; other texts stay texts."""
    told = u("[read_file for 'a.py'] Result:\nx = 1", "<environment_details>", "[write_to_file] Result:", "saved")
    _, changed = with_told_results([asked("write_to_file", "read_file"), told])
    assert list(changed.parts) == [
        ToolResult("id-read_file", (Text("[read_file for 'a.py'] Result:\nx = 1"),), as_text=True),
        Text("<environment_details>"),
        ToolResult("id-write_to_file", (Text("[write_to_file] Result:\nsaved"),), as_text=True),
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [u("[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u("look"), u("[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u(res("id-read_file", "x"), "[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u("[write_to_file for 'a'] Result:\nx", "[read_file] is what I want")],
        [asked("read_file"), a("[read_file for 'a'] Result:\nx")],
    ],
    ids=["no call", "later", "answered", "other tool", "assistant"],
)
def test_other_texts_are_no_results(messages: list[Message]) -> None:
    """T21: only a text right behind an open call of the same tool is its result."""
    assert list(with_told_results(messages)) == messages


def test_files_and_failures_are_known_from_words() -> None:
    """T21: what the words say was done is recorded, and what they say has failed is not."""
    done = [asked("write_to_file"), u("[write_to_file for 'a'] Result:\nThe content was saved.")]
    failed = [asked("replace_in_file"), u("[replace_in_file for 'b'] Result:\nThe tool execution failed with …")]
    assert file_records([*done, *failed]) == Files(read=(), modified=("write_to_file.py",))
    assert [step.outcome for step in find_steps([*done, *failed])] == ["ok", "failed"]


def test_a_call_with_told_results_was_not_interrupted() -> None:
    """V2: in the resulting chat the words are the call's result."""
    chat = make_valid([u("go"), asked("read_file"), u("[read_file for 'a'] Result:\nx", "more"), a("done")])
    assert chat[2].parts == (
        ToolResult("id-read_file", (Text("[read_file for 'a'] Result:\nx"),), as_text=True),
        Text("more"),
    )


def test_a_transcript_labels_the_words_as_a_result() -> None:
    """T1, T8: they are the tool's and not the person's, and are clipped as such."""
    text = write_transcript([asked("read_file"), u(f"[read_file for 'a'] Result:\n{'x' * 9000}", "thanks")])
    assert "[Tool result #id-read_file]: [read_file for 'a'] Result:" in text
    assert "[User]: thanks" in text
    assert len(text) < 3000


def test_a_long_told_result_is_pruned() -> None:
    """X4: it is cut like any other result; what is not cut stays as it was."""
    chat = [asked("read_file"), u(f"[read_file for 'a'] Result:\n{'x' * 9000}"), asked("ls"), u("[ls] Result:\na.py")]
    pruned = prune(chat, PruneOptions(preserve_tail=0))
    assert pruned.changed == {1}
    assert len(pruned.messages[1].results[0].content) == 1
    assert pruned.messages[3] is chat[3]


@given(anything())
def test_chats_without_such_words_stay(messages: tuple[Message, ...]) -> None:
    """T21: nothing else is changed."""
    assert tuple(with_told_results(messages)) == messages


def test_many_results_take_time_in_proportion() -> None:
    """G5: thousands of calls of one message, and a megabyte that looks like a head."""
    names = [f"tool_{'abcdefghij'[n % 10]}" for n in range(20_000)]
    told = [f"[{name} for 'x'] Result:\ny" for name in names]
    began = time.thread_time()
    odd = (" " * 10**6, "[" * 10**6, "[read_file for '" * 10**5)
    assert len(list(with_told_results([asked(*names), u(*told), asked("x"), u(*odd)]))) == 4
    assert time.thread_time() - began < 1
