"""The state of the work, read from commands and their output."""

from __future__ import annotations

import pytest

from compact_chat.facts import find_errors, find_steps, state_of, survival
from tests.samples.facts import collect
from tests.samples.tools import ran, used

COMMITTED = "[main a1b2c3d] Add a flag\n 1 file changed, 2 insertions(+)"
PUSHED = "To github.com:me/it.git\n   0123456..a1b2c3d  main -> main"
COMMIT = 'git add -A && git commit -m "Add a flag"'


def state(*commands: tuple[str, str], told: tuple[str, ...] = ()) -> list[str]:
    """What is known after some commands with their output."""
    steps = find_steps([message for command, output in commands for message in ran(command, output)])
    return [note.text for note in state_of(steps, told)]


@pytest.mark.parametrize(
    ("commands", "notes"),
    [
        (
            [(COMMIT, COMMITTED)],
            ["Committed a1b2c3d Add a flag on main (not seen to be pushed)", "On branch main"],
        ),
        (
            [(COMMIT, COMMITTED), ("git push", PUSHED)],
            ["Committed a1b2c3d Add a flag on main (pushed)", "Pushed main", "On branch main"],
        ),
        (
            [(COMMIT, COMMITTED), ("git push", "! [rejected] main -> main\nerror: failed to push some refs")],
            [
                "Committed a1b2c3d Add a flag on main (not seen to be pushed)",
                "Push of main was refused",
                "On branch main",
            ],
        ),
        (
            [(COMMIT, COMMITTED), ("git status -sb", "## main...origin/main\n M a.py\n?? b/")],
            ["Committed a1b2c3d Add a flag on main (pushed)", "On branch main", "Uncommitted: a.py, b/"],
        ),
        (
            [(COMMIT, COMMITTED), ("git status -sb", "## main...origin/main [ahead 1]")],
            ["Committed a1b2c3d Add a flag on main (not seen to be pushed)", "On branch main"],
        ),
        ([("git commit --dry-run -m x", "On branch fix/a\n")], ["On branch fix/a"]),
        ([("git status --short", "A  a.py\nM  b.py")], ["Staged, not committed: a.py, b.py"]),
        ([("git status", "On branch x\nnothing to commit, working tree clean")], ["On branch x"]),
        ([("git stash push -m x", "Saved")], []),
        ([("cd /w/a && git status -sb", "## main")], ["On branch main"]),
        ([("git status --short", " M a.py"), ("git checkout -- .", "")], []),
        ([("git merge feat/a", "CONFLICT (content): Merge conflict in a.py")], []),
        (
            [
                (COMMIT, COMMITTED),
                ("git status -sb", "## main"),
                ("git push origin dev", PUSHED.replace("main", "dev")),
            ],
            ["Committed a1b2c3d Add a flag on main (not seen to be pushed)", "Pushed dev", "On branch main"],
        ),
        (
            [(COMMIT, COMMITTED), ("git status", "On branch main\nYour branch is up to date with 'origin/main'.")],
            ["Committed a1b2c3d Add a flag on main (pushed)", "On branch main"],
        ),
        (
            [(COMMIT, COMMITTED), ("git push", "Command running in background with ID: b9")],
            [
                "Committed a1b2c3d Add a flag on main (not seen to be pushed)",
                "On branch main",
                "Still running: git push (id b9)",
            ],
        ),
        (
            [("git status --short", " M a.py"), ("git status | head -1", "On branch x")],
            ["On branch x", "Uncommitted: a.py"],
        ),
        ([("git switch -c fix", "Switched to a new branch 'fix'")], ["On branch fix"]),
        ([("cd /tmp/t && git init && git commit -m x", "[master (root-commit) 83cc426] x")], []),
        ([(COMMIT, "[Old tool result content cleared]")], ["Committed Add a flag (not seen to be pushed)"]),
        (
            [(COMMIT, "[Old tool result content cleared]"), ("git push", "[Old tool result content cleared]")],
            ["Committed Add a flag (pushed)", "Pushed commits"],
        ),
        (
            [
                (COMMIT, COMMITTED),
                ("git push", PUSHED),
                ("git commit --amend", COMMITTED.replace("a1b2c3d", "e4f5a6b")),
            ],
            ["Committed e4f5a6b Add a flag on main (not seen to be pushed)", "Pushed main", "On branch main"],
        ),
        (
            [("gh pr create --fill", "https://github.com/me/it/pull/7")],
            ["Opened pr https://github.com/me/it/pull/7"],
        ),
        (
            [("glab mr create --fill", "https://gitlab.com/me/it/-/merge_requests/7")],
            ["Opened mr https://gitlab.com/me/it/-/merge_requests/7"],
        ),
        ([("git merge --no-ff feat/a", "Merge made")], ["Merged feat/a"]),
        ([("gh pr merge 12 --squash", "")], ["Merged pull request #12"]),
        (
            [
                ("cd /w/a && git status -sb", "## main\n M a.py"),
                ("cd /w/b && git status -sb", "## dev\n M a.py\n M b.py"),
            ],
            ["On branch main in /w/a", "On branch dev in /w/b", "Uncommitted in /w/b: a.py, b.py"],
        ),
    ],
)
def test_version_control_is_told_by_what_git_printed(commands: list[tuple[str, str]], notes: list[str]) -> None:
    """H4: commits with hash and subject, whether they were pushed, the branch, and what is uncommitted."""
    assert state(*commands) == notes


@pytest.mark.parametrize(
    ("command", "output", "note"),
    [
        ("pytest -q", "31 passed in 2.01s", "pytest -q → passed: 31 passed in 2.01s"),
        ("pytest -q | tail -3", "2 failed, 31 passed in 2.01s", "pytest -q → failed: 2 failed, 31 passed in 2.01s"),
        ("npm test || true", "Tests:       1 failed, 4 passed, 5 total", None),
        ("npx tsc --noEmit | head", "a.ts(3,1): error TS2322: no", "npx tsc --noEmit → failed: error TS2322: no"),
        ("npm run build 2>&1 | tail", "npm ERR! code 1", "npm run build → failed: npm ERR! code 1"),
        (
            "cargo test",
            "test result: ok. 5 passed; 0 failed",
            "cargo test → passed: test result: ok. 5 passed; 0 failed",
        ),
        ("cargo test; true", "panic: it broke\n", "cargo test → failed: panic: it broke"),
        ("go test ./...", "ok  \ta/b\t0.4s\nok  \ta/c\t(cached)", "go test ./... → passed: 2 packages ok"),
        ("make lint", "0 issues.", "make lint → passed: 0 issues."),
        ("ruff check .", "Found 3 errors.", "ruff check . → failed: Found 3 errors."),
        ("make check", "✓ handles 2 errors\nall fine", "make check → passed"),
        ('go test -run "A|B" ./...', "ok  \ta/b\t0.4s", 'go test -run "…" ./... → passed: 1 package ok'),
        ("pytest -q", "[Old tool result content cleared]", ""),
        ("ls tests", "test_a.py", ""),
    ],
)
def test_a_check_is_told_by_its_output(command: str, output: str, note: str | None) -> None:
    """H4: an exit code of 0 above a failure in the output is a failure."""
    found = state((command, output))

    if note is None:
        assert "failed" in found[0]
    else:
        assert found == [note] * bool(note)


def test_the_last_result_of_a_check_counts() -> None:
    """A check that passed later has passed; one that was narrowed is another one."""
    found = state(
        ("pytest", "1 failed, 2 passed"),
        ("pytest -k one", "1 passed"),
        ("pytest 2>&1", "3 passed"),
    )

    assert found == ["pytest -k one → passed: 1 passed", "pytest → passed: 3 passed"]


def test_what_passed_before_the_last_edit_is_told_so() -> None:
    """H4: done only with a result; an edit makes an earlier one doubtful."""
    edit = used("Edit", "ok", path="a.py", old_string="a", new_string="b")
    passed = ran("pytest", "3 passed")

    write = used("Write", "ok", path="a.py", content="b")

    for changed in (edit, write):
        assert [note.text for note in state_of(find_steps([*passed, *changed]))] == [
            "pytest → passed: 3 passed (before the last edit)"
        ]
    assert [note.text for note in state_of(find_steps([*edit, *passed]))] == ["pytest → passed: 3 passed"]


def test_a_process_runs_until_it_is_seen_to_end() -> None:
    """Background processes are told until their output, a call or the host says that they ended."""
    started = ("npm run dev", "Command running in background with ID: b12")
    ended = used("KillShell", "Successfully killed", shell_id="b12")

    polled = used("write_stdin", "still building", session_id="b12")

    assert state(started) == ["Still running: npm run dev (id b12)"]
    assert [one.text for one in state_of(find_steps([*ran(*started), *polled]))] == state(started)
    assert state(started, told=("<task-id>b12</task-id><status>completed</status>",)) == []
    assert state_of(find_steps([*ran(*started), *ended])) == ()


@pytest.mark.parametrize(
    ("commands", "text", "kept"),
    [
        ([(COMMIT, COMMITTED)], "committed as `a1b2c3d`", 1),
        ([(COMMIT, COMMITTED)], "a commit that adds the flag", 0),
        ([("git push", "! [rejected] main -> main")], "GitHub rejected the push to main", 1),
        ([("git push", "! [rejected] main -> main")], "the push failed", 1),
        ([("git push", "! [rejected] main -> main")], "pushed main", 0),
        ([("git merge feat/a", "done")], "merged `a` into main", 1),
        ([("git status --short", " M a.py")], "There are uncommitted changes.", 1),
        ([("npm run build", "ok")], "It compiles and the build passes.", 1),
        ([("npm run build", "npm ERR! code 1")], "the build is broken", 1),
        ([("npm run build", "npm ERR! code 1")], "the build passes", 0),
    ],
)
def test_a_text_may_tell_the_state_in_its_own_words(commands: list[tuple[str, str]], text: str, kept: float) -> None:
    """Hashes, subjects and outcomes show it, not the sentence that we would write."""
    steps = [
        message
        for command, output in [("git switch main", "On branch main"), *commands]
        for message in ran(command, output)
    ]
    facts = [fact for fact in collect(steps) if fact.kind == "state" and not fact.text.startswith("On branch")]

    assert survival(facts, text, str).kept == kept


def test_output_that_is_fetched_later_belongs_to_its_command() -> None:
    """A commit in the background is told with what was read of it later."""
    chat = [
        *ran(COMMIT, "Process running with session ID 42"),
        *used("write_stdin", f"{COMMITTED}\nProcess exited with code 0", session_id=42),
    ]

    assert next(note.text for note in state_of(find_steps(chat))).startswith("Committed a1b2c3d Add a flag")


def test_what_failed_in_the_background_is_an_error_of_its_command() -> None:
    """H3: the exit code of a command that went on is in the output that is fetched last."""
    chat = [
        *ran("bun run evals", "Process running with session ID 42"),
        *used("write_stdin", "Chunk ID: 7\nProcess exited with code 2\n2/2 done | ERROR: 401 expired", session_id=42),
    ]
    (error,) = find_errors(find_steps(chat))

    assert (error.text, error.where, error.fixed) == ("2/2 done | ERROR: 401 expired", "bun run evals", False)


def test_a_tool_may_name_the_folder_of_a_command() -> None:
    """Where several working copies are known, each is told with its folder."""
    chat = [
        *used("exec_command", "## main\n M a.py", cmd="git status -sb", workdir="/w/a"),
        *used("exec_command", "## dev", cmd="git status -sb", workdir="/w/b"),
    ]

    assert [one.text for one in state_of(find_steps(chat))] == [
        "On branch main in /w/a",
        "Uncommitted in /w/a: a.py",
        "On branch dev in /w/b",
    ]
