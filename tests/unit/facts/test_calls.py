"""What calls were given and returned, what commands ended with, refusals, and rules of the project."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import Message
from compact_chat.facts import documents, exchanges, find_steps, outcomes, project_rules, refusals
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


def test_what_a_refused_edit_would_have_changed() -> None:
    """H5: the lines that it would have taken, and those that it would have left."""
    no = "The user doesn't want to proceed with this tool use."
    steps = find_steps(used("Edit", no, is_error=True, path="a.py", old_string="x = 1", new_string="x = 2"))

    assert [one.text for one in refusals(steps)] == ["Edit a.py: x = 1; →; x = 2"]


def test_documents_and_small_files_that_were_read() -> None:
    """H5: each by its newest text, and guides that the host has shown; long code can be read again."""
    calls = (
        *used("Read", "1\u2192old", path="plan.md"),
        *used("Read", f"1\u2192# Plan\n2\u2192{BRIEF}{BRIEF}{BRIEF}", path="plan.md"),
        *ran("cat oven.toml", "heat = 230\n"),
        *used("Read", "x = 1\n" * 200, path="long.py"),
        *used("Read", "Never push.", path="CLAUDE.md"),
    )
    found = documents(find_steps(calls), [("m1", "Base directory for this skill: /s/bake\n\nBake slowly.")])

    assert [(one.head, one.returned) for one in found] == [
        ("/s/bake", "Bake slowly."),
        ("plan.md", f"# Plan\n{BRIEF}{BRIEF}{BRIEF}".strip()),
        ("oven.toml", "heat = 230"),
    ]


def test_a_diff_is_told_by_its_hunks() -> None:
    """H5: how many there are of each file, with their lines and functions."""
    diff = (
        "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n"
        "@@ -3,2 +3,2 @@ def price():\n-x\n+y\n@@ -9 +9 @@\n-x\n+y\n"
        "diff --git a/b.py b/b.py\n@@ -1 +1 @@\n-x\n+y\n"
    )

    assert ended(*ran("printf 'y\\nn\\n' | git add -p", diff)) == [
        "a.py: 2 hunks (3 def price():, 9); b.py: 1 hunk (1)"
    ]


def test_hunks_behind_questions_count_and_a_cut_diff_says_so() -> None:
    """H5: where hunks are asked about one by one, and where an output ends inside a hunk."""
    asked = (
        "diff --git a/a.py b/a.py\n@@ -3,2 +3,2 @@\n-x\n+y\n z\n"
        "(1/2) Stage this hunk [y,n,q,a,d,?]? @@ -9 +9 @@\n-x\n+y\n(2/2) Stage this hunk [y,n,q,a,d,?]? "
    )
    cut = "diff --git a/a.py b/a.py\n@@ -3,2 +3,2 @@\n-x\n+y\n z\n@@ -9,30 +9,31 @@\n a\n-b\n"

    assert ended(*ran("printf 'y\ny\n' | git add -p", asked)) == ["a.py: 2 hunks (3, 9)"]
    assert ended(*ran("git diff | head -8", cut)) == ["a.py: 2 hunks (3, 9) and perhaps more: the output was cut"]


def test_rules_of_the_project() -> None:
    """H9: commands and rules in instruction files that were read, or that the host has shown."""
    page = "# Trays\nTrays are flat.\n- Never push to main.\n- Test with `make test`.\n```sh\nnpm run lint\n```\n"
    steps = find_steps((*used("Read", page, path="/x/CLAUDE.md"), *used("Read", page, path="/x/notes.md")))
    host = [("m1", f"Contents of /y/AGENTS.md (project instructions):\n\n{page}")]

    rules = ["Never push to main.", "Test with `make test`.", "npm run lint"]
    assert project_rules(steps, host) == {"/x/CLAUDE.md": rules, "/y/AGENTS.md": rules}
