"""What the last step of every reader makes of messages."""

from __future__ import annotations

import pytest
from hypothesis import given

from compact_chat.chat import Image, Message, Part, Role, Text, ToolCall, ToolResult, WordedResult
from compact_chat.facts import file_records, find_steps, requests
from compact_chat.plan.prune import prune
from compact_chat.prompt import write_transcript
from compact_chat.read import resolved
from compact_chat.read.resolve import with_summary_marked
from compact_chat.resume import make_valid
from compact_chat.wire import Files, PruneOptions
from tests.samples.chats import NO_MASKS, a, anything, res, u

SUMMARY = Text("<context-summary>old</context-summary>")
OLDER = Text("[Previous conversation summary]\nold\n[End of summary — conversation continues below]")
DETAILS = "<environment_details>\n# Current Time\n</environment_details>"


def marks(*messages: tuple[Role, tuple[Part, ...]]) -> list[bool]:
    """Which of these messages are marked."""
    marked = with_summary_marked(tuple(Message(f"m{n}", role, parts) for n, (role, parts) in enumerate(messages)))
    return [message.is_summary for message in marked]


def test_a_first_summary_is_marked_behind_system_messages() -> None:
    """P23: the first message that is not the system's is judged."""
    assert marks(("system", (Text("s"),)), ("user", (SUMMARY,)), ("user", (SUMMARY,))) == [False, True, False]
    assert marks() == []


def test_only_the_first_text_of_a_user_counts() -> None:
    """P23, J2: the first block of a user's message; an assistant's or a later block is none."""
    assert marks(("user", (OLDER, Text("go on")))) == [True]
    assert marks(("user", (Image(), OLDER))) == [False]
    assert marks(("assistant", (OLDER,))) == [False]
    assert marks(("user", ())) == [False]


def test_a_system_message_is_never_a_summary() -> None:
    """P23: a system message is not judged, whatever it says."""
    assert marks(("system", (SUMMARY,))) == [False]


def test_a_later_summary_is_no_earlier_one() -> None:
    """P23: only the first message counts, and an assistant may be first."""
    assert marks(("assistant", (Text("hi"),)), ("user", (SUMMARY,))) == [False, False]


def typed(*texts: str, format_name: str = "anthropic") -> str:
    """What a person typed of a message with these texts."""
    (message,) = resolved([u(*texts)], format_name)
    return message.typed_text


def test_the_wrappers_of_all_tools_are_stripped() -> None:
    """Wrappers of each tool go where the tool is not known; plain words stay."""
    texts = ["<system-reminder>x</system-reminder>", "<task>\nMend it.\n</task>", "<session_context>x", "and more"]
    assert typed(*texts, "--- Content from referenced files ---", "code") == "Mend it.\nand more"


def test_a_known_tool_strips_its_own_wrappers() -> None:
    """What another tool would have written is the person's."""
    assert typed("<system-reminder>x</system-reminder>Mend it.", format_name="claude-code") == "Mend it."
    assert typed("<system-reminder>x</system-reminder>Mend it.", format_name="codex").startswith("<system-reminder>")


def test_plain_words_need_no_copy() -> None:
    """Only where a person did not type all of the texts it is noted what was typed."""
    assert [message.typed for message in resolved([u(" Mend it. ", "now"), u(DETAILS)], "cline")] == [None, ()]


def test_a_summary_is_not_typed() -> None:
    """P23: neither a marked one nor one in its wrapper; the words beside it are."""
    marked, wrapped = (Message("m0", "user", (text, Text("go on"))) for text in (Text("old"), OLDER))
    marked = Message("m0", "user", marked.parts, is_summary=True)
    assert [message.typed_text for message in resolved([marked, wrapped], "unknown")] == ["go on", "go on"]


def test_words_behind_a_command_are_typed() -> None:
    """A command that the tool wrote out holds what the person typed behind it."""
    command = Message("m0", "user", (Text("<command-name>/x</command-name><command-args>fix</command-args>"),))
    command = Message("m0", "user", command.parts, by_host=True)
    assert [message.typed for message in resolved([command], "claude-code")] == [("fix",)]


def test_requests_are_the_words_of_a_person() -> None:
    """A task of Cline's is a request without its environment, and an answer in a worded result is one too."""
    answer = "[ask_followup_question for 'a'] Result:\n<answer>\nBlue.\n</answer>"
    chat = [u("<task>\nMend it.\n</task>", DETAILS), asked("ask_followup_question"), u(answer)]
    assert [request.text for request in requests(list(resolved(chat, "cline")))] == ["Mend it.", "Blue."]


def asked(*tools: str) -> Message:
    """Calls of tools, each with its own name as its id."""
    return a(*(ToolCall(f"id-{tool}", tool, {"path": f"{tool}.py"}) for tool in tools))


def read(*messages: Message) -> list[Message]:
    """The messages as a reader gives them."""
    return list(resolved(messages, "cline"))


def test_a_text_that_tells_a_result_is_one() -> None:
    """T21: it answers the call of the tool that its head names; other texts stay texts."""
    told = u("[read_file for 'a.py'] Result:\nx = 1", DETAILS, "[write_to_file] Result:", "saved")
    _, changed = read(asked("write_to_file", "read_file"), told)
    assert list(changed.parts) == [
        WordedResult("id-read_file", (Text("[read_file for 'a.py'] Result:\nx = 1"),), as_text=True),
        Text(DETAILS),
        WordedResult("id-write_to_file", (Text("[write_to_file] Result:"), Text("saved")), as_text=True),
    ]
    assert changed.sent == told.parts
    assert not changed.sends_results


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
    assert [message.parts for message in read(*messages)] == [message.parts for message in messages]


def test_files_and_failures_are_known_from_words() -> None:
    """T21: what the words say was done is recorded, and what they say has failed is not."""
    done = [asked("write_to_file"), u("[write_to_file for 'a'] Result:\nThe content was saved.")]
    failed = [asked("replace_in_file"), u("[replace_in_file for 'b'] Result:\nThe tool execution failed with …")]
    chat = read(*done, *failed)
    assert file_records(chat) == Files(read=(), modified=("write_to_file.py",))
    assert [step.outcome for step in find_steps(chat)] == ["ok", "failed"]


def test_a_call_with_a_worded_result_was_not_interrupted() -> None:
    """V2: in the resulting chat the words are the call's result."""
    chat = make_valid(read(u("go"), asked("read_file"), u("[read_file for 'a'] Result:\nx", "more"), a("done")))
    assert chat[2].parts == (
        ToolResult("id-read_file", (Text("[read_file for 'a'] Result:\nx"),), as_text=True),
        Text("more"),
    )


def test_a_transcript_labels_the_words_as_a_result() -> None:
    """T1, T8: they are the tool's and not the person's, and are clipped as such."""
    chat = read(asked("read_file"), u(f"[read_file for 'a'] Result:\n{'x' * 9000}", "thanks"))
    text = write_transcript(NO_MASKS.messages(chat))
    assert "[Tool result #id-read_file]: [read_file for 'a'] Result:" in text
    assert "[User]: thanks" in text
    assert len(text) < 3000


def test_a_long_worded_result_is_pruned() -> None:
    """X4: it is cut like any other result; what is not cut stays as it was."""
    long = u(f"[read_file for 'a'] Result:\n{'x' * 9000}")
    chat = read(asked("read_file"), long, asked("ls"), u("[ls] Result:\na.py"))
    pruned = prune(chat, PruneOptions(preserve_tail=0))
    assert pruned.changed == {1}
    assert pruned.messages[1].sends_results
    assert pruned.messages[3] is chat[3]


@given(anything())
def test_chats_without_such_words_stay(messages: tuple[Message, ...]) -> None:
    """T21: nothing else is changed."""
    assert tuple(resolved(messages, "cline")) == messages


def test_many_results_are_matched_in_one_pass() -> None:
    """G5: thousands of calls of one message, and a megabyte that looks like a head."""
    names = [f"tool_{'abcdefghij'[n % 10]}" for n in range(20_000)]
    told = [f"[{name} for 'x'] Result:\ny" for name in names]
    odd = (" " * 10**6, "[" * 10**6, "[read_file for '" * 10**5)
    assert len(read(asked(*names), u(*told), asked("x"), u(*odd))) == 4
