"""What calls were given and returned, what commands ended with, refusals, and rules of the project."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import Message
from compact_chat.facts import exchanges, find_steps, outcomes, project_rules, refusals
from tests.samples.tools import ran, used

BRIEF = "Bake 12 trays of rye bread, and write what each of them weighs to `trays.md`. Do not touch the till. " * 2


def given(*calls: Message) -> list[tuple[str, str, str]]:
    """The texts of calls."""
    return [(one.head, one.given, one.returned) for one in exchanges(find_steps(calls))]


def ended(*calls: Message) -> list[str]:
    """What commands ended with."""
    return list(outcomes(find_steps(calls)).values())


def test_prompts_of_workers_and_their_reports() -> None:
    """H5: both texts, below the name of the tool and its short arguments."""
    call = used("Task", "All 12 weigh 800 g.", prompt=BRIEF, description="bake rye")

    assert given(*call) == [("Task bake rye", BRIEF, "All 12 weigh 800 g.")]


def test_bodies_that_commands_post() -> None:
    """H5: a commit message without trailers, and the text of an option."""
    commit = "git commit -m \"$(cat <<'EOF'\nWeigh trays\n\nScales drift when warm.\n\nSigned-off-by: me\nEOF\n)\""
    note = f'gh issue comment 7 --body "{BRIEF.replace("`", "")}"'

    assert [text for _, text, _ in given(*ran(commit, "[main 1a2b3c4] Weigh trays"))] == [
        "Weigh trays\n\nScales drift when warm.\n"
    ]
    assert [text for _, text, _ in given(*ran(note, "ok"))] == [BRIEF.replace("`", "")]
    assert given(*ran(note, "no such issue", is_error=True)) == []


def test_issues_are_read_by_their_fields() -> None:
    """H5: title, state and body of an answer in JSON; of a call that was given the text, what is new."""
    issue = json.dumps({"title": "Scales drift", "state": "OPEN", "body": "By 3 g.", "id": 7})
    made = used("create_issue", issue, title="Scales drift", description=BRIEF)

    assert given(*ran("gh issue view 7 --json title,body,state", issue)) == [
        ("gh issue view 7 --json title,body,state", "", "Scales drift\nOPEN\nBy 3 g.")
    ]
    assert given(*made) == [("create_issue Scales drift", BRIEF, "Scales drift\nOPEN")]


def test_files_searches_lists_and_questions_are_none() -> None:
    """H5: they are told elsewhere, or can be looked up again."""
    calls = (
        used("Read", BRIEF, path="a.md"),
        used("Grep", BRIEF, pattern="x"),
        used("TodoWrite", "ok", todos=[]),
        used("AskUserQuestion", BRIEF, questions=[]),
        ran("ls", BRIEF),
    )

    assert [one for call in calls for one in given(*call)] == []


@pytest.mark.parametrize(
    ("command", "output", "line"),
    [
        ("bake", "a\nb\n3 trays failed\nbye", "3 trays failed"),
        ("bake", "a\nb\nc", "c"),
        ("bake", "one\ntwo", "one; two"),
        ("bake", "Exit code: 0\nWall time: 1 s\nOutput:\nready", "ready"),
        ("cat a b c", "1\n2\n3", None),
        ("hostname", "oven-7", "oven-7"),
        ("bake", "", None),
    ],
)
def test_what_a_command_ended_with(command: str, output: str, line: str | None) -> None:
    """H5: the line that says how it ended, else the last; of what only looks, an answer of two lines at most."""
    assert ended(*ran(command, output)) == ([line] if line else [])


def test_calls_that_the_user_refused() -> None:
    """H5: what was refused; a call that failed is none."""
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    steps = find_steps((*used("Edit", no, is_error=True, path="a.py"), *ran("make", "no", is_error=True)))

    assert [one.text for one in refusals(steps)] == ["Edit a.py"]


def test_rules_of_the_project() -> None:
    """H9: commands and rules in instruction files that were read, or that the host has shown."""
    page = "# Trays\nTrays are flat.\n- Never push to main.\n- Test with `make test`.\n```sh\nnpm run lint\n```\n"
    steps = find_steps((*used("Read", page, path="/x/CLAUDE.md"), *used("Read", page, path="/x/notes.md")))
    host = [("m1", f"Contents of /y/AGENTS.md (project instructions):\n\n{page}")]

    rules = "Never push to main.; Test with `make test`.; npm run lint"
    found = project_rules(steps, host)
    assert {path: text for path, (text, _) in found.items()} == {"/x/CLAUDE.md": rules, "/y/AGENTS.md": rules}
