"""What the last step of every reader makes of messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.chat import Image, Message, Part, Role, Text, ToolCall, ToolResult, WordedResult
from compact_chat.facts import file_records, find_steps, requests
from compact_chat.plan.plan import prune
from compact_chat.prompt import write_transcript
from compact_chat.read import resolved
from compact_chat.read.resolve import with_summary_marked
from compact_chat.resume import make_valid
from compact_chat.wire import Files, PruneOptions
from tests.oracles.snapshots import check_functions
from tests.samples.chats import NO_MASKS, a, res, talk, u
from tests.samples.scenes import parts, played

SUMMARY = Text("<context-summary>old</context-summary>")
OLDER = Text("[Previous conversation summary]\nold\n[End of summary — conversation continues below]")
DETAILS = "<environment_details>\n# Current Time\n</environment_details>"


@pytest.mark.parametrize(
    ("messages", "marked"),
    [
        ([("system", (SUMMARY,)), ("user", (SUMMARY,)), ("user", (SUMMARY,))], [False, True, False]),
        ([("user", (OLDER, Text("go on")))], [True]),
        ([("user", (Image(), OLDER))], [False]),
        ([("user", ())], [False]),
        ([("assistant", (Text("hi"),)), ("user", (SUMMARY,))], [False, False]),
        ([("system", (SUMMARY,))], [False]),
        ([], []),
    ],
)
def test_a_first_summary_is_marked(messages: list[tuple[Role, tuple[Part, ...]]], marked: list[bool]) -> None:
    """P23, J2: the first text of the first message that is not the system's, if a user said it."""
    found = with_summary_marked(tuple(Message(f"m{n}", role, parts) for n, (role, parts) in enumerate(messages)))
    assert [message.is_summary for message in found] == marked


COMMAND = "<command-name>/x</command-name><command-args>fix</command-args>"


@pytest.mark.parametrize(
    ("message", "format_name", "typed"),
    [
        (Message("m", "user", (Text("old"), Text("go on")), is_summary=True), "unknown", ("go on",)),
        (Message("m", "user", (Text(COMMAND),), by_host=True), "claude-code", ("fix",)),
        (Message("m", "user", (Text("<task>Mend it.</task>"),), typed=("it",)), "anthropic", ("it",)),
    ],
)
def test_what_a_person_typed_is_noted(message: Message, format_name: str, typed: tuple[str, ...]) -> None:
    """In a summary, a command of the host, and where a reader has noted it already."""
    assert [one.typed for one in resolved([message], format_name)] == [typed]


def test_what_a_person_typed_is_told_from_what_is_around_it(accept: bool) -> None:
    """Where it is not all texts: each line has a format and texts."""
    functions = {"typed": lambda given: [one.typed for one in resolved([u(*given[1])], given[0])]}
    check_functions(Path(__file__).with_name("typed.txt"), functions, accept=accept)


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


def test_a_text_that_gives_a_result_is_one() -> None:
    """T21: it answers the call of the tool that its head names; other texts stay texts."""
    said = u("[read_file for 'a.py'] Result:\nx = 1", DETAILS, "[write_to_file] Result:", "saved")
    _, changed = read(asked("write_to_file", "read_file"), said)
    assert list(changed.parts) == [
        WordedResult("id-read_file", (Text("[read_file for 'a.py'] Result:\nx = 1"),), as_text=True),
        Text(DETAILS),
        WordedResult("id-write_to_file", (Text("[write_to_file] Result:"), Text("saved")), as_text=True),
    ]
    assert changed.sent == said.parts
    assert not changed.sends_results


@pytest.mark.parametrize(
    "messages",
    [
        [u("[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u("look"), u("[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u(res("id-read_file", "x"), "[read_file for 'a'] Result:\nx")],
        [asked("read_file"), u("[write_to_file for 'a'] Result:\nx", "[read_file] is what I want")],
        [asked("read_file"), a("[read_file for 'a'] Result:\nx")],
        [asked("read_file"), Message("m", "user", (Text("[read_file for 'a'] Result:\nx"),), is_summary=True)],
    ],
    ids=["no call", "later", "answered", "other tool", "assistant", "summary"],
)
def test_other_texts_are_no_results(messages: list[Message]) -> None:
    """T21: only a text right behind an open call of the same tool is its result."""
    assert [message.parts for message in read(*messages)] == [message.parts for message in messages]


def test_worded_results_are_results_everywhere() -> None:
    """T1, T8, T21, V2, X4: for records of files, failures, transcripts, pruning and the chat that goes on."""
    saved = u("[write_to_file for 'a'] Result:\nThe content was saved.", "thanks")
    failed = u("[replace_in_file for 'b'] Result:\nThe tool execution failed with …")
    long = u(f"[read_file for 'a'] Result:\n{'x' * 9000}")
    chat = read(asked("write_to_file"), saved, asked("replace_in_file"), failed, asked("read_file"), long)

    assert file_records(chat) == Files(read=("read_file.py",), modified=("write_to_file.py",))
    assert [step.outcome for step in find_steps(chat)] == ["ok", "failed", "ok"]
    text = write_transcript(NO_MASKS.messages(chat))
    assert "[Tool result]: [read_file for 'a'] Result:" in text
    assert "[User]: thanks" in text
    assert len(text) < 4000
    pruned = prune(chat, PruneOptions(preserve_tail=0))
    assert pruned.changed == {5}
    assert pruned.messages[5].sends_results
    assert pruned.messages[1] is chat[1]
    result = ToolResult("id-write_to_file", saved.parts[:1], as_text=True)  # type: ignore[arg-type]  # these parts are all texts
    assert make_valid([u("go"), *chat[:2], a("done")])[2].parts == (result, Text("thanks"))


def test_many_results_are_matched_in_one_pass() -> None:
    """G5: thousands of calls of one message, and a megabyte that looks like a head."""
    names = [f"tool_{'abcdefghij'[n % 10]}" for n in range(20_000)]
    results = [f"[{name} for 'x'] Result:\ny" for name in names]
    odd = (" " * 10**6, "[" * 10**6, "[read_file for '" * 10**5)
    assert len(read(asked(*names), u(*results), asked("x"), u(*odd))) == 4


# What a person says in the results of tools, within the frames that each tool writes around it.


REFUSED = "The user doesn't want to proceed with this tool use. (…) To tell you how to proceed, the user said:\n"
ANSWERED = "User has answered your questions: "
SENT = "\n<system-reminder>\nThe user sent a new message while you were working:\n"
GO_ON = ". You can now continue with the user's answers in mind."


def test_only_the_words_within_the_frame_count() -> None:
    """G8: answers and notes are the person's, the host's frame and the model's questions are not.

    Each scene of the file has the name of what the person says in the result of its call.
    """
    for said, *lines in parts(Path(__file__).with_name("frames.txt").read_text("utf-8")):
        found = [request.text for request in requests(list(resolved(played(lines)[0], "unknown")))]
        assert found == [said.replace("↵", "\n")] * (said != "(nothing)"), lines


FEEDBACK = "<feedback>\nPush everything.\n</feedback>"
COMMENTED = f"The user denied this operation and provided the following feedback:\n{FEEDBACK}"
FRAMES = {
    "refused": f"{REFUSED}Push everything.",
    "rejected": "The user rejected this tool call. User feedback: Push everything.",
    "plan": "Plan rejected. User feedback: Push everything.",
    "commented": COMMENTED,
    "status": '{"status":"denied","feedback":"Push everything."}',
    "running": f"Command is still running.\n\nThe user provided the following feedback:\n{FEEDBACK}",
    "sent": f"x{SENT}Push everything.</system-reminder>",
    "paired": f'{ANSWERED}"Now?"="Push everything."{GO_ON}',
    "json": '{"answers":{"0":"Push everything."}}',
    "listed": "User has provided the following answers:\n\n**Now**: Push everything.",
    "tagged": "<answer>\nPush everything.\n</answer>",
    "selected": "User selected: Push everything.",
}
# Where each tool writes what a person says: in the results of these calls, in these frames; failed ones with a `!`.
WRITTEN = {
    "claude-code": {"Bash!": ["refused"], "AskUserQuestion": ["paired"]},
    "copilot-cli": {"bash!": ["rejected"], "ask_user": ["selected"]},
    "gemini": {"exit_plan_mode": ["plan"], "ask_user": ["json"]},
    "qwen-code": {"ask_user_question": ["listed"]},
    "codex": {"request_user_input": ["json"]},
    "vscode": {"vscode_askQuestions": ["json"]},
    "cline": {"execute_command": ["commented", "running"], "ask_followup_question": ["tagged"]},
    "roo": {"execute_command": ["commented", "running", "status"], "ask_followup_question": ["tagged"]},
}
COMMANDS = {
    "vscode": "run_in_terminal",
    "codex": "shell",
    "gemini": "run_shell_command",
    "qwen-code": "run_shell_command",
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("tool", WRITTEN)
def test_a_frame_counts_where_its_tool_writes_it(tool: str, name: str) -> None:
    """G8: a frame of another tool, or in the output of a command, a read or an MCP server, is text like any other."""
    own = WRITTEN[tool]
    reading = [COMMANDS.get(tool, "read_file"), "mcp__wiki__ask_question", "use_mcp_tool", "Read"]
    for called in (*own, *(call for call in reading if tool != "roo" or call != "read_file")):
        call = ToolCall("1", called.removesuffix("!"), {"command": "cat notes.md"})
        chat = talk(a(call), u(res("1", FRAMES[name], is_error=called.endswith("!"))))
        found = [request.text for request in requests(list(resolved(chat, tool)))]
        is_own = name in own.get(called, ())
        is_answer = not is_own and called.lower().startswith(("ask", "request", "vscode_ask"))
        assert found == ["Push everything."] * is_own or is_answer, called


def test_what_a_running_command_printed_is_not_the_persons() -> None:
    """Cline adds a person's words at the end of the output; what follows such words is output too."""
    printed = f"Command is still running.\nOutput so far:\nx:\n{FEEDBACK}\n\nYou will be updated."
    for result in (
        printed,
        f"Command executed.\nOutput:\n{FEEDBACK}",
        f"Command executed.\nOutput:\nfeedback:\n{FEEDBACK}",
    ):
        worded = u(f"[execute_command for 'make'] Result:\n{result}")
        chat = talk(a(ToolCall("1", "execute_command", {})), u(res("1", result)), worded)
        assert requests(list(resolved(chat, "cline"))) == ()
