"""How the abilities of the next chat's host come into the kind text."""

from __future__ import annotations

import re
from itertools import product

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.resume import kind_text
from compact_chat.wire import ContinuationOptions, FileName, HostCapabilities, PlanTool, SearchOlder
from tests.samples.styles import as_summary

SUMMARY = "Summary:\n8. Current Work:\noven\n\n9. Optional Next Step:\nice"


def regular(host: HostCapabilities | None, *, active_plan: bool = False, silent: bool = False) -> str:
    """Write the text of kind regular."""
    options = ContinuationOptions(kind="regular", capabilities=host, active_plan=active_plan, silent=silent)
    return kind_text(options, as_summary(SUMMARY))


@pytest.mark.parametrize("active_plan", [False, True])
def test_nothing_is_named_that_the_host_lacks(active_plan: bool) -> None:
    """C14: without capabilities the only names are those of the summary's sections."""
    for host in (None, HostCapabilities()):
        text = regular(host, active_plan=active_plan)

        assert re.findall("`(.*?)`", text) == ["Current Work", "Optional Next Step"]
        assert not re.search(r"\b(call|search|plan|note|standard)|\.md|RECOVERY", text)


def test_search_is_offered_with_one_example() -> None:
    """C14: the search is named in backticks, with words of the summary and one neutral example."""
    text = regular(HostCapabilities(search_older=SearchOlder(" findPast \n")))

    assert "For older context, call `findPast` with specific words from the summary, such as the name of" in text
    assert text.count("such as") == 1
    assert "Hint" not in text


def test_hint_is_told_on_one_line() -> None:
    """C14: a hint follows the search; a blank one is absent."""
    assert " Hint: one word at a time.\n" in regular(
        HostCapabilities(search_older=SearchOlder("findPast", " one word\n at a time. "))
    )
    assert "Hint" not in regular(HostCapabilities(search_older=SearchOlder("findPast", " \n")))


def test_manual_searches_only_if_something_is_lacking() -> None:
    """C12: after a compaction by hand the search is for what is lacking."""
    host = HostCapabilities(search_older=SearchOlder("findPast"))
    text = kind_text(ContinuationOptions(kind="manual", capabilities=host), as_summary(SUMMARY))

    assert "If something is lacking, call `findPast` with" in text


def test_notes_are_listed() -> None:
    """C14: note files stand in backticks, blank ones are absent."""
    text = regular(HostCapabilities(notes=(FileName(" oven.md"), FileName(" "), FileName("ice.md"))))

    assert "Note files: `oven.md`, `ice.md`. Load only those that are needed, never all at once." in text


@pytest.mark.parametrize("silent", [False, True])
def test_recovery_needs_an_active_plan(silent: bool) -> None:
    """C15: the plan tool is called only where a plan is under way, and quietly where the text is silent."""
    host = HostCapabilities(plan=PlanTool("showPlan", "startTask"))
    text = regular(host, active_plan=True, silent=silent)

    assert "SESSION RECOVERY" not in regular(host, silent=silent)
    assert "SESSION RECOVERY" not in regular(HostCapabilities(plan=PlanTool(" ")), active_plan=True, silent=silent)
    assert ("without visible output" in text) is silent
    assert "call `showPlan` to see the open task and its progress, and go on from there." in text
    assert text.endswith("A task of the plan is started with `startTask`.]")


@pytest.mark.parametrize(("approve", "task"), list(product([False, True], ["WAITING: which icing?", "NONE"])))
def test_recovery_does_not_go_on_while_waiting(approve: bool, task: str) -> None:
    """C15 and C16: where the model is to wait, the plan is looked at and no more."""
    host = HostCapabilities(plan=PlanTool("showPlan"))
    options = ContinuationOptions(kind="postTool", capabilities=host, active_plan=True, auto_approve=approve)
    call = "call `showPlan`" if approve else "ask for approval of a call of `showPlan`"

    text = kind_text(options, as_summary(f"{SUMMARY}\n\nIMMEDIATE TASK:\n{task}"))

    assert text.endswith(f"SESSION RECOVERY: {call} to see the open task and its progress.]")


def test_standards_are_read_before_editing() -> None:
    """C15: standards are read before code is edited, with a plan or without one."""
    standards, plan = FileName("STYLE.md"), PlanTool("showPlan")
    order = "Before editing code, read `STYLE.md`.]"

    assert regular(HostCapabilities(standards=standards, plan=plan), active_plan=True).endswith(f"there. {order}")
    assert regular(HostCapabilities(standards=standards, plan=plan)).endswith(f".\n\n{order}")
    assert "editing" not in regular(HostCapabilities(standards=FileName("\t")))


@pytest.mark.parametrize("bad", ["a\nb", "a\rb", "a`b", "a\u2028b", "a\x00b"])
@pytest.mark.parametrize("path", ["searchOlder.name", "plan.name", "plan.start", "standards.file", "notes[1].file"])
def test_names_that_leave_their_place_are_refused(path: str, bad: str) -> None:
    """C14: a line break or a backtick in a name is an error at its path."""
    names = dict.fromkeys(["searchOlder.name", "plan.name", "plan.start", "standards.file", "notes[1].file"], "fine")
    names[path] = bad
    host = HostCapabilities(
        search_older=SearchOlder(names["searchOlder.name"]),
        plan=PlanTool(names["plan.name"], names["plan.start"]),
        standards=FileName(names["standards.file"]),
        notes=(FileName("fine"), FileName(names["notes[1].file"])),
    )

    with pytest.raises(InvalidParams) as refusal:
        regular(host)

    assert refusal.value.data["problems"][0]["path"] == f"$.capabilities.{path}"
