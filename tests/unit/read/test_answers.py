"""What a person says in the results of tools, within the frames that each tool writes around it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.chat import ToolCall
from compact_chat.facts import requests
from compact_chat.read import resolved
from tests.samples.chats import a, res, talk, u

REFUSED = "The user doesn't want to proceed with this tool use. (…) To tell you how to proceed, the user said:\n"
REMINDER = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention — …"
ANSWERED = "User has answered your questions: "
SENT = "\n<system-reminder>\nThe user sent a new message while you were working:\n"
GO_ON = ". You can now continue with the user's answers in mind."
TWO: dict[str, Any] = {"questions": [{"question": 'Which "one"?', "header": "One"}, {"question": "Why?"}]}
SUMMARIZED = {"1": {"answers": ["SQLite", "user_note: keep it small"]}, "2": {"answers": []}}
SELECTED = {
    "Base": {"selected": ["Postgres"], "freeText": None, "skipped": False},
    "Name": {"selected": [], "freeText": "shop", "skipped": False},
    "Away": {"selected": [], "freeText": "The user is not available to respond", "skipped": False},
}


@pytest.mark.parametrize(
    ("tool", "given", "result", "said"),
    [
        ("Bash", {}, f"{REFUSED}use tabs{REMINDER}", ["use tabs"]),
        ("Bash", {}, "The user doesn't want to proceed with this tool use. STOP what you are doing.", []),
        (
            "AskUserQuestion",
            {},
            f'{REFUSED}The user wants to clarify these questions.\n    This means …\n- "A?"\n  Answer: AP only\n- "B?"',
            ["AP only"],
        ),
        ("bash", {}, "The user rejected this tool call. User feedback: I will test", ["I will test"]),
        (
            "exit_plan_mode",
            {},
            "Plan rejected. User feedback: shorter\n\nThe plan is stored at: /p.md\nRevise",
            ["shorter"],
        ),
        ("exit_plan_mode", {}, "Plan rejected. No feedback provided.\n\nThe plan is stored at: /p.md", []),
        ("write_to_file", {}, '{"status":"denied","feedback":"not \\"here\\""}', ['not "here"']),
        ("write_to_file", {}, '{"status":"denied","message":"The user denied this operation."}', []),
        (
            "write_to_file",
            {},
            "The user approved this operation and provided the following context:\n<feedback>\nfine\n</feedback>\nok",
            ["fine"],
        ),
        (
            "AskUserQuestion",
            {},
            f'{ANSWERED}"Base?"="Postgres", "Name?"="shop, maybe"{GO_ON}',
            ["Postgres", "shop, maybe"],
        ),
        (
            "AskUserQuestion",
            TWO,
            f'{ANSWERED}"Which "one"?"="the "first", and", "Why?"="so" selected preview:\nx notes: because{GO_ON}',
            ['the "first", and', "so", "because"],
        ),
        ("AskUserQuestion", TWO, f'{ANSWERED}"Why?"=(no option selected) notes: none fits{GO_ON}', ["none fits"]),
        ("AskUserQuestion", {}, "Which? = the second", ["Which? = the second"]),
        ("ask_question", {}, "the second", ["the second"]),
        ("mcp__wiki__ask_question", {}, "The wiki says so.", []),
        ("ask_user", {}, "User selected: Yes, do it", ["Yes, do it"]),
        ("ask_user", {}, '{"answers":{"0":"red","1":"blue"}}', ["red", "blue"]),
        ("ask_user", {}, "User dismissed ask_user dialog without answering.", []),
        (
            "request_user_input",
            {},
            json.dumps({"answers": SUMMARIZED}, separators=(",", ":")),
            ["SQLite", "keep it small"],
        ),
        ("vscode_askQuestions", {}, json.dumps({"answers": SELECTED}, separators=(",", ":")), ["Postgres", "shop"]),
        (
            "ask_user_question",
            {},
            "User has provided the following answers:\n\n**Base**: red\n**Name**: b\nc",
            ["red", "b\nc"],
        ),
        ("ask_user_question", {}, "User declined to answer the questions.", []),
        ("ask_followup_question", {}, "<answer>\nBlue.\n</answer>", ["Blue."]),
        ("attempt_completion", {}, "<user_message>\nNot yet.\n</user_message>", ["Not yet."]),
        ("attempt_completion", {}, "Done.", []),
        (
            "Bash",
            {},
            f"ok{SENT}use tabs\n\nThis is how …</system-reminder>",
            ["use tabs"],
        ),
        ("Bash", {}, "ok\n<system-reminder>\nThe file changed.\n</system-reminder>", []),
        ("AskUserQuestion", TWO, f'{ANSWERED}"Why?"="as it is" user notes: as it is{GO_ON}', ["as it is"]),
        ("Read", {}, "<answer>\nno\n</answer>", []),
    ],
)
def test_only_the_words_within_the_frame_count(tool: str, given: dict[str, Any], result: str, said: list[str]) -> None:
    """G8: answers and notes are the person's, the host's frame and the model's questions are not."""
    is_error = result.startswith((REFUSED, "The user rejected"))
    chat = talk(a(ToolCall("1", tool, given)), u(res("1", result, is_error=is_error)))
    assert [request.text for request in requests(list(resolved(chat, "unknown")))] == ["\n".join(said)] * bool(said)


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


def test_answers_come_before_what_was_typed_and_failures_have_none() -> None:
    """A message may hold results of several calls, and words of its own."""
    asking = ToolCall("1", "AskUserQuestion", {})
    failed = res("2", "timeout", is_error=True)
    chat = talk(a(asking, ToolCall("2", "ask_user", {})), u(res("1", "red"), failed, "go on"))
    assert [request.text for request in requests(list(resolved(chat, "unknown")))] == ["red\ngo on"]
