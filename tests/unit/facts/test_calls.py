"""Texts that calls were given and returned, where scenes cannot hold them."""

from __future__ import annotations

import pytest

from compact_chat.chat import ToolCall
from compact_chat.facts import Step, exchanges, outcomes, task_of


def test_calls_of_one_message_need_no_ids() -> None:
    """H5: each of two workers has its own prompt."""
    prompts = [f"Bake tray {n}, and say how brown it is. {'It must not burn. ' * 9}".strip() for n in (1, 2)]
    steps = [Step("m", ToolCall("", "Task", {"prompt": one}), "Baked.", "ok", None, True) for one in prompts]

    assert [one.given for one in exchanges(steps)] == prompts


def test_an_answer_that_is_nested_deeply_is_no_text() -> None:
    """H5: the given text is shown without it."""
    prompt = "Bake a tray, and say how brown it is. " * 9
    step = Step("m", ToolCall("", "Task", {"prompt": prompt}), '{"a":' * 100_000, "ok", None, True)

    assert [(one.given, one.returned) for one in exchanges([step])] == [(prompt, "")]


CHANGES = """\
find . -name '*.db' -delete
find . -exec rm {} \\;
find . -type f -execdir mv {} x \\;
find . -ok rm {} \\;
find . -fprint out.txt
fd -e py -x rm
fd old --exec-batch rm
env X=1 rm -rf cache
env -u X rm cache
git branch -D feature/y
git branch -rd origin/y
git branch new
git branch --delete y
git -C /w/a branch new main
git remote set-url origin x
git remote add up x
git remote -v update
git config user.name ann
git config --global user.name "Ann Lee"
git config --unset user.name
git config set user.name ann
git reflog expire --all
git diff --output=x.patch
sort -o a.txt a.txt
sort -uo a.txt a.txt
awk '{print > "f"}' a.txt
awk '{ printf "%s", $1 >> "f" }' a.txt"""
LOOK_UPS = """\
find . -name '*.py' -not -path './x/*'
find . -exec grep -l oven {} +
find . -exec sed -n 1,5p {} \\; | head
fd -e py -x wc -l
fd -X cat
env
env | grep PATH | sort
env 2>/dev/null
git branch
git branch -avv --sort=-committerdate
git branch --contains 1a2b3c4 | cat
git branch --show-current 2>/dev/null
git branch 2>/dev/null
git branch | grep x || git branch -r
git remote
git remote -v && git remote show origin
git config user.name
git config --get user.name
git config --global --list
git config user.name 2>/dev/null
git config --get-regexp alias
git reflog -5
git diff --output-indicator-new=x HEAD
sort -k2 a.txt | uniq -c
awk '$1 > 5 {print $2}' a.txt
awk '{print $1}' a.txt | sort -rn"""


def ran(command: str) -> Step:
    """A command that succeeded and said nothing."""
    return Step("m", ToolCall("", "Bash", {"command": command}), "", "ok", None, True)


@pytest.mark.parametrize(
    "command",
    CHANGES.splitlines(),
)
def test_a_look_up_that_changes_something_is_none(command: str) -> None:
    """H11: an option or an argument makes the difference."""
    assert not task_of(ran(command)).only_reads


@pytest.mark.parametrize(
    "command",
    LOOK_UPS.splitlines(),
)
def test_a_look_up_reads_only(command: str) -> None:
    """H11: also if it runs another one."""
    assert task_of(ran(command)).only_reads


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("grep -rn oven src", "no output"),
        ("grep -rn oven src 2>&1", "no output"),
        ("ls /w/gone 2>/dev/null", ""),
        ("ls /w/gone 2> /dev/null | head", ""),
        ("ls /w/gone &>/dev/null", ""),
        ("ls /w/gone 2>&-", ""),
    ],
)
def test_no_output_says_nothing_where_errors_were_hidden(command: str, said: str) -> None:
    """H11: there may have been nothing to look at."""
    assert list(outcomes([ran(command)]).values()) == [said] * bool(said)
