"""What the kind texts say and must not say: by kind and flags, of the task at hand, and of the next chat's host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle, product
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from compact_chat.errors import InvalidParams
from compact_chat.resume import kind_text, write_continuation
from compact_chat.resume.continuation import task_of
from compact_chat.wire import (
    ContinuationKind,
    ContinuationOptions,
    FileName,
    Files,
    HostCapabilities,
    PlanTool,
    SearchOlder,
)
from tests.oracles.snapshots import check_functions, check_snapshot
from tests.samples.chats import talk, u
from tests.samples.styles import as_summary, read

KINDS: tuple[ContinuationKind, ...] = ("regular", "midLoop", "emergency", "postTool", "manual")
SECTIONS = "Summary:\n8. Current Work:\noven\n\n9. Optional Next Step:\nice"
TASKS = {"": "", "continue": "CONTINUE: ice the buns in bun.py", "waiting": "WAITING: which icing?", "none": "NONE"}
SUMMARIES = {name: f"{SECTIONS}\n\nIMMEDIATE TASK:\n{task}" if task else SECTIONS for name, task in TASKS.items()}
SUMMARY = as_summary(SECTIONS)
HOSTS = [
    HostCapabilities(
        search_older=SearchOlder("findPast") if search else None,
        plan=PlanTool("showPlan") if plan else None,
        standards=FileName("STYLE.md") if standards else None,
        notes=(FileName("oven.md"), FileName("ice.md")) if notes else (),
    )
    for search, plan, standards, notes in product((False, True), repeat=4)
]
EVERYTHING = HOSTS[-1]
ALL: set[str] = set(KINDS)
# Rule C12: a stable phrase for each point, the kinds that say it when not silent, and those that do when silent.
TABLE: dict[str, tuple[set[str], set[str]]] = {
    "POST-COMPACTION PROTOCOL\n1. ": (ALL - {"manual"}, set()),
    "before anything else": (ALL, ALL),
    "with specific words from the summary": (ALL, ALL),
    "never all at once": ({"regular"}, {"regular"}),
    "Start no new topic, make no detour": (ALL, ALL),
    "Do not ask what to do next": (ALL, ALL),
    "Do not ask what to do next, unless ": ({"regular", "emergency", "manual"},) * 2,
    "do not repeat finished work": (ALL, ALL),
    "Acknowledge the compaction to the user in one short line": ({"emergency", "postTool"}, set()),
    "Files in hand may be read again": (set(), ALL - {"manual"}),
    "truly unclear: then ask one short question": ({"regular", "emergency", "manual"},) * 2,
}
FIXED = {"SYSTEM", "POST", "COMPACTION", "PROTOCOL", "REQUIRED", "SESSION", "RECOVERY", "IMMEDIATE", "TASK"}

each_kind = pytest.mark.parametrize("kind", KINDS)


def variants(kind: ContinuationKind, silent: bool) -> Iterator[tuple[str, ContinuationOptions]]:
    """Make up every combination of the other flags, with what the task section says."""
    flags = (False, True)
    for task, approve, quiet, plan, host in product(SUMMARIES, flags, flags, flags, HOSTS):
        options = ContinuationOptions(kind=kind, silent=silent, auto_approve=approve, suppress_questions=quiet)
        yield task, replace(options, active_plan=plan, capabilities=host)


def text_of(kind: ContinuationKind = "regular", summary: str = SECTIONS, **options: Any) -> str:
    """Write the kind text alone."""
    return kind_text(ContinuationOptions(kind=kind, **options), as_summary(summary, options.get("style")))


@pytest.mark.parametrize("silent", [False, True])
@each_kind
def test_every_combination_of_flags(kind: ContinuationKind, silent: bool) -> None:
    """C10 to C13, C16 to C18: points by the table, one block, one course, neutral, and silence is no concealment."""
    for task, options in variants(kind, silent):
        text = kind_text(options, as_summary(SUMMARIES[task]))
        host = options.capabilities or HostCapabilities()
        said = {phrase for phrase in TABLE if phrase in text}
        wanted = {phrase for phrase, kinds in TABLE.items() if kind in kinds[silent]}
        wanted -= {"with specific words from the summary"} if not host.search_older else set()
        wanted -= {"never all at once"} if not host.notes else set()
        assert said == wanted, (task, options)

        steps = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
        assert text.startswith("[SYSTEM: The ")
        assert text.endswith(".]")
        assert text.count("[") == text.count("]") == 1
        assert steps == list(range(1, len(steps) + 1))
        assert not re.search(r" \n|\n{3}|  | \.|\{|\}|None|!", text)
        assert set(re.findall(r"\b[A-Z]{2,}\b", text.replace("STYLE.md", ""))) <= FIXED
        if silent:
            assert "Do not bring the compaction up" in text
            assert "If the user asks about it, or if information is missing, answer truthfully." in text
            assert not re.search(
                r"unaware|pretend|secret|hid(?:e|den)|know|nothing happened|notice|never mention", text
            )

        message = write_continuation(as_summary(SUMMARIES[task]), (), options).replace(SUMMARIES[task], "").lower()
        goes_on = task in {"", "continue"}
        assert ("wait for the user" in message) is not goes_on, (task, options)
        assert ("exactly where it stopped" in message) is goes_on, (task, options)
        assert ("go on" in message) is (goes_on and options.auto_approve), (task, options)
        assert ("approv" in message) is not options.auto_approve, (task, options)
        assert ("without asking follow-up questions" in message) is options.suppress_questions
        may_ask = "one short question" in message
        assert ("the next step is truly unclear" in message) is (goes_on and may_ask)
        assert ("exception is named below" in message) is (options.suppress_questions and may_ask), options


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("regular", "compacted automatically. The most recent messages were kept word for word."),
        ("midLoop", "compacted automatically in the middle of a work loop. The most recent messages were kept"),
        ("emergency", "refused the last request as too large, so the context of this chat was compacted. The summary"),
        ("postTool", "right after a tool step, inside the work loop. Everything done so far is covered by the summary"),
        ("manual", "The user asked for this compaction. The summary is the memory of all"),
    ],
)
def test_the_cause_is_named(kind: ContinuationKind, words: str) -> None:
    """C11: each kind names its cause, what the summary is, and the kept messages only where there are some."""
    options = ContinuationOptions(kind=kind)
    recent = "most recent messages were kept" in words
    assert words in kind_text(options, SUMMARY, kept=True)
    assert words in kind_text(ContinuationOptions(kind=kind, recent_preserved=True, silent=True), SUMMARY)
    assert (words in kind_text(options, SUMMARY)) is not recent
    assert (words in kind_text(options, SUMMARY, kept=True, direction="from")) is not recent


@each_kind
@pytest.mark.parametrize("silent", [False, True])
def test_without_a_summary_none_is_mentioned(kind: ContinuationKind, silent: bool) -> None:
    """C11: where rules cut the chat, the text speaks of the kept messages alone."""
    for approve in (False, True):
        options = ContinuationOptions(kind=kind, silent=silent, auto_approve=approve, capabilities=EVERYTHING)
        text = kind_text(options)
        assert "summary" not in text.lower()
        assert "Read the kept messages before anything else." in text
        assert "the newest of the kept messages" in text


def test_whole_texts_are_what_the_snapshot_says(accept: bool) -> None:
    """C10 to C17: each kind, silent or not, with approval or without; the rest of the scene takes turns."""
    host = replace(
        EVERYTHING, plan=PlanTool("showPlan", "startTask"), search_older=SearchOlder("findPast", "one word.")
    )
    others = product(TASKS, (False, True), (host, HostCapabilities(standards=host.standards), None))
    scenes = product(KINDS, (False, True), (False, True))
    texts = []
    for (kind, silent, approve), (task, kept, given) in zip(scenes, cycle(others), strict=False):
        options = ContinuationOptions(kind=kind, silent=silent, auto_approve=approve, active_plan=True)
        named = replace(options, capabilities=given, suppress_questions=kept)
        texts.append(write_continuation(as_summary(SUMMARIES[task]), talk(u("go")) if kept else (), named))
    check_snapshot("\n\n---\n\n".join(texts) + "\n", Path(__file__).with_name("continuations.md"), accept=accept)


@pytest.mark.parametrize("kind", ["weekly", None])
def test_a_wrong_kind_is_refused(kind: str | None) -> None:
    """C19: an unknown kind is an error at its path."""
    with pytest.raises(InvalidParams) as refusal:
        text_of(cast("ContinuationKind", kind))
    assert refusal.value.data["problems"][0]["path"] == "$.kind"


FILES = Files(read=("menu.md",), modified=("bun.py",))


FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "reply": lambda given: task_of(read(given[1], given[0]).with_records(FILES), "all", kept=False),
    "summary": lambda given: task_of(as_summary(given[1], given[0]), "all", kept=False),
}


def test_where_the_task_is_and_what_it_says(accept: bool) -> None:
    """C16, P10, R12: of each style's replies, and of summaries."""
    check_functions(Path(__file__).with_name("tasks.txt"), FUNCTIONS, accept=accept)


def test_a_wrong_style_is_refused() -> None:
    """G4: an unknown style is an error at its path; a blank one is the usual."""
    with pytest.raises(InvalidParams) as refusal:
        kind_text(ContinuationOptions(kind="manual", style="haiku"), SUMMARY)
    assert refusal.value.data["problems"][0]["path"] == "$.style"
    assert "the sections `Current Work` and `Optional Next Step`" in kind_text(
        ContinuationOptions(kind="manual", style=" "), SUMMARY
    )


BLANK = HostCapabilities(plan=PlanTool(" "), standards=FileName("\t"))


@pytest.mark.parametrize("host", [None, HostCapabilities(), BLANK], ids=["none", "nothing", "blank"])
def test_nothing_is_named_that_the_host_lacks(host: HostCapabilities | None) -> None:
    """C14: without capabilities the only names are those of the summary's sections."""
    text = text_of(capabilities=host, active_plan=True)
    assert re.findall("`(.*?)`", text) == ["Current Work", "Optional Next Step"]
    assert not re.search(r"\b(call|search|plan|note|standard|editing)|\.md|RECOVERY", text)


@pytest.mark.parametrize("bad", ["a\nb", "a`b", "a\u2028b", "a\x00b"])
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
        text_of(capabilities=host)
    assert refusal.value.data["problems"][0]["path"] == f"$.capabilities.{path}"
