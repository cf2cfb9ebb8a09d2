"""What the kind texts say and must not say, over all their flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import cast

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.resume import kind_text, write_continuation
from compact_chat.wire import ContinuationKind, ContinuationOptions, FileName, HostCapabilities, PlanTool, SearchOlder
from tests.samples.styles import as_summary

KINDS: tuple[ContinuationKind, ...] = ("regular", "midLoop", "emergency", "postTool", "manual")
SECTIONS = "Summary:\n8. Current Work:\noven\n\n9. Optional Next Step:\nice"
SUMMARIES = {
    "": SECTIONS,
    "continue": f"{SECTIONS}\n\nIMMEDIATE TASK:\nCONTINUE: ice the buns in bun.py",
    "waiting": f"{SECTIONS}\n\nIMMEDIATE TASK:\nWAITING: which icing?",
    "none": f"{SECTIONS}\n\nIMMEDIATE TASK:\nNONE",
}
APPROVED = "prepare the next step and ask for approval"

# One stable phrase for each point of rule C12.
MARKERS = {
    "protocol": "POST-COMPACTION PROTOCOL\n1. ",
    "read first": "before anything else",
    "search": "with specific words from the summary",
    "notes": "never all at once",
    "no new topic": "Start no new topic, make no detour",
    "no asking": "Do not ask what to do next",
    "not again": "do not repeat finished work",
    "acknowledge": "Acknowledge the compaction to the user in one short line",
    "files": "Files in hand may be read again",
    "one question": "truly unclear: then ask one short question",
}

ALL: set[str] = set(KINDS)

# Rule C12: for each point the kinds that say it when not silent, and those that say it when silent.
TABLE: dict[str, tuple[set[str], set[str]]] = {
    "protocol": (ALL - {"manual"}, set()),
    "read first": (ALL, ALL),
    "search": (ALL, ALL),
    "notes": ({"regular"}, {"regular"}),
    "no new topic": (ALL, ALL),
    "no asking": (ALL, ALL),
    "not again": (ALL, ALL),
    "acknowledge": ({"emergency", "postTool"}, set()),
    "files": (set(), ALL - {"manual"}),
    "one question": ({"regular", "emergency", "manual"}, {"regular", "emergency", "manual"}),
}


def hosts() -> Iterator[HostCapabilities]:
    """Make up every set of capabilities."""
    for search, plan, standards, notes in product((False, True), repeat=4):
        yield HostCapabilities(
            search_older=SearchOlder("findPast") if search else None,
            plan=PlanTool("showPlan") if plan else None,
            standards=FileName("STYLE.md") if standards else None,
            notes=(FileName("oven.md"), FileName("ice.md")) if notes else (),
        )


HOSTS = list(hosts())
EVERYTHING = HOSTS[-1]


def variants(kind: ContinuationKind, silent: bool) -> Iterator[tuple[str, ContinuationOptions]]:
    """Make up every combination of the other flags, with what the task section says."""
    flags = (False, True)
    for task, approve, quiet, plan, host in product(SUMMARIES, flags, flags, flags, HOSTS):
        yield (
            task,
            ContinuationOptions(
                kind=kind,
                silent=silent,
                auto_approve=approve,
                suppress_questions=quiet,
                active_plan=plan,
                capabilities=host,
            ),
        )


def says(point: str, options: ContinuationOptions) -> bool:
    """Look the point up in the table; a capability that the host lacks is never mentioned."""
    host = options.capabilities or HostCapabilities()
    if (point == "search" and not host.search_older) or (point == "notes" and not host.notes):
        return False
    return options.kind in TABLE[point][options.silent]


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_point_is_said_as_the_table_has_it(kind: ContinuationKind, silent: bool) -> None:
    """C12: each point is there or absent by kind and silence, whatever the other flags and the task section."""
    for task, options in variants(kind, silent):
        text = kind_text(options, as_summary(SUMMARIES[task]))
        found = {point: marker in text for point, marker in MARKERS.items()}

        assert found == {point: says(point, options) for point in TABLE}, (task, options)


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_going_on_approval_and_waiting_never_meet(kind: ContinuationKind, silent: bool) -> None:
    """C12, C16 and C17: a text says to go on, to ask for approval or to wait, and the notes before it agree."""
    for task, options in variants(kind, silent):
        message = write_continuation(as_summary(SUMMARIES[task]), (), options)
        said = message.replace(SUMMARIES[task], "").lower()
        goes_on = task in {"", "continue"}

        assert ("wait for the user" in said) is not goes_on, (task, options)
        assert ("exactly where it stopped" in said) is goes_on, (task, options)
        assert ("go on" in said) is (goes_on and options.auto_approve), (task, options)
        assert ("approv" in said) is not options.auto_approve, (task, options)
        assert "immediately" not in said
        assert ("without asking follow-up questions" in said) is options.suppress_questions
        assert ("exception is named below" in said) is (options.suppress_questions and "one short question" in said), (
            options
        )


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_text_is_one_block(kind: ContinuationKind, silent: bool) -> None:
    """C10 and C12: everything stands inside one pair of brackets, and steps are numbered without a gap."""
    for task, options in variants(kind, silent):
        text = kind_text(options, as_summary(SUMMARIES[task]))
        steps = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]

        assert text.startswith("[SYSTEM: The ")
        assert text.endswith(".]")
        assert text.count("[") == text.count("]") == 1
        assert steps == list(range(1, len(steps) + 1))
        assert not re.search(r" \n|\n{3}|  |\{|\}|None", text)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("regular", "compacted automatically. The most recent messages were kept"),
        ("midLoop", "compacted automatically in the middle of a work loop. The most recent messages were kept"),
        ("emergency", "refused the last request as too large, so the context of this chat was compacted. The summary"),
        ("postTool", "right after a tool step, inside the work loop. Everything done so far is covered by the summary"),
        ("manual", "The user asked for this compaction. The summary is the memory of all"),
    ],
)
def test_cause_is_named(kind: ContinuationKind, words: str) -> None:
    """C11: each kind names its cause, and what the summary is."""
    for silent in (False, True):
        options = ContinuationOptions(kind=kind, silent=silent)
        assert words in kind_text(options, as_summary(SECTIONS), kept=True)


@pytest.mark.parametrize("kind", ["regular", "midLoop"])
def test_kept_messages_are_named_only_if_there_are_any(kind: ContinuationKind) -> None:
    """C11: kept recent messages are named where there are some, here or with the host."""
    named = "The most recent messages were kept word for word."
    options = ContinuationOptions(kind=kind)

    assert named not in kind_text(options, as_summary(SECTIONS))
    assert "kept" not in kind_text(options, as_summary(SECTIONS))
    assert named in kind_text(options, as_summary(SECTIONS), kept=True)
    assert named in kind_text(ContinuationOptions(kind=kind, recent_preserved=True), as_summary(SECTIONS))
    assert named not in kind_text(options, as_summary(SECTIONS), kept=True, direction="from")


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_summary_none_is_mentioned(kind: ContinuationKind) -> None:
    """C11: where rules cut the chat there is no summary, and the text speaks of the kept messages alone."""
    for silent, approve in product((False, True), repeat=2):
        options = ContinuationOptions(kind=kind, silent=silent, auto_approve=approve, capabilities=EVERYTHING)
        text = kind_text(options)

        assert "summary" not in text.lower()
        assert "Read the kept messages before anything else." in text
        assert "the newest of the kept messages" in text


@pytest.mark.parametrize("kind", KINDS)
def test_silence_is_no_concealment(kind: ContinuationKind) -> None:
    """C13: a silent text asks for brevity and for truth when asked, and claims nothing of what the user knows."""
    for task, options in variants(kind, silent=True):
        text = kind_text(options, as_summary(SUMMARIES[task]))

        assert "Do not bring the compaction up, narrate it or apologise for it." in text
        assert "If the user asks about it, or if information is missing, answer truthfully." in text
        assert not re.search(r"unaware|pretend|secret|hid(?:e|den)|know|nothing happened|notice|never mention", text)


@pytest.mark.parametrize("kind", KINDS)
def test_approval_comes_before_every_order(kind: ContinuationKind) -> None:
    """C17: right behind the cause stands that every tool run waits for its own approval."""
    for silent in (False, True):
        options = ContinuationOptions(
            kind=kind, silent=silent, auto_approve=False, active_plan=True, capabilities=EVERYTHING
        )
        _, rule, *orders = kind_text(options, as_summary(SECTIONS)).split("\n\n")

        assert rule.startswith("Tool approval is REQUIRED: every tool run waits for its own approval, and none are")
        assert "planning without tools may start at once" in rule
        assert "\n\n".join(orders).count(APPROVED) == 3  # for the search, the task and the plan


def test_approval_is_not_mentioned_where_it_is_given() -> None:
    """C17: with autoApprove, also when it is left out, there is no word on approval."""
    options = ContinuationOptions(kind="manual", active_plan=True, capabilities=EVERYTHING)
    text = kind_text(options, as_summary(SECTIONS))

    assert "approv" not in text.lower()


@pytest.mark.parametrize("kind", KINDS)
def test_tone_is_neutral(kind: ContinuationKind) -> None:
    """C18: no shouting beyond the fixed markers, and no exclamation."""
    fixed = {"SYSTEM", "POST", "COMPACTION", "PROTOCOL", "REQUIRED", "SESSION", "RECOVERY", "IMMEDIATE", "TASK"}
    for silent in (False, True):
        for task, options in variants(kind, silent):
            text = kind_text(options, as_summary(SUMMARIES[task])).replace("STYLE.md", "")

            assert set(re.findall(r"\b[A-Z]{2,}\b", text)) <= fixed
            assert "!" not in text


def test_wrong_kind_is_refused() -> None:
    """C19: an unknown kind is an error at its path."""
    for kind in ("weekly", None):
        with pytest.raises(InvalidParams) as refusal:
            kind_text(ContinuationOptions(kind=cast("ContinuationKind", kind)), as_summary(SECTIONS))

        assert refusal.value.data["problems"][0]["path"] == "$.kind"
