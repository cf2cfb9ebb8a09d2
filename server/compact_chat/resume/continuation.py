"""Write the message that opens the next chat: summary, kept messages, notes, and the kind text (rules C1 to C19)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Literal, get_args

from msgspec.structs import replace

from compact_chat.chat import Text, result_text
from compact_chat.errors import InvalidParams
from compact_chat.plan import Direction, find_exchanges
from compact_chat.prompt import fit, fit_turns, write_transcript
from compact_chat.styles import MaskedSummary, RecordedTurns, Summary, style_named, without_tags
from compact_chat.text import CAUSES, CLOSING, KEPT_HEADINGS, KIND_LABEL, counted
from compact_chat.wire import ContinuationKind, ContinuationOptions, HostCapabilities, PlanTool, SearchOlder

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

_RECENT_PRESERVED = "Recent messages are preserved verbatim; they need no new summary."


def write_continuation(
    summary: MaskedSummary,
    kept: Sequence[MaskedMessage],
    options: ContinuationOptions,
    *,
    direction: Direction = "upTo",
    room: int | None = None,
    turns: Mapping[str, int] | None = None,
) -> str:
    """Write the parts in order, separated by blank lines; `room` is for the characters of the kept messages.

    `turns` are the turns of the kept messages in a hand-over; without them they are those that follow its own.
    """
    opened = without_tags(summary)
    text, shown = opened.text, ""
    if opened.style.by_turn and not options.recent_preserved:
        text = _with_turns(text, kept, turns, direction, room)
    elif not options.recent_preserved:
        shown = _below_heading(list(map(_without_host_text, kept)), direction, room)
    is_shown = bool(shown) or text != opened.text
    scene = Scene(options, opened, direction, is_shown)
    questions = ""
    if options.suppress_questions:  # in step with approval, waiting, and the kind text (rules C4 and C17)
        work = "Work" if scene.approval else "Go on with the work"
        if not scene.going_on:
            come = "answered" if scene.verb == "waiting" else "said what comes next"
            work = f"Once the user has {come}, work"
        step = f"act directly: {APPROVED_STEP}" if scene.approval else "act directly"
        exception = " The one exception is named below." if scene.kind and scene.may_ask else ""
        questions = f"{work} without asking follow-up questions, and {step}.{exception}"
    parts = (
        *opened.style.opening(_within_line(options.title, "$.title")),
        text,
        shown,
        _RECENT_PRESERVED if options.recent_preserved else "",
        transcript_note(options.transcript_path),
        questions,
        kind_text(options, opened, direction=direction, kept=is_shown) if options.kind else "",
    )
    return "\n\n".join(filter(None, parts))


def _with_turns(
    text: str, kept: Sequence[MaskedMessage], turns: Mapping[str, int] | None, direction: Direction, room: int | None
) -> str:
    """Put the kept messages into the record of a hand-over (rule H14)."""
    record = RecordedTurns(text)
    if turns is None:
        numbers = accumulate((bool(message.typed_text) for message in kept), initial=record.last)
        turns = dict(zip((message.id for message in kept), islice(numbers, 1, None), strict=True))
    about = turns, record.quoted, record.folder, room
    newest = cache(lambda index: fit_turns(kept[index:], *about))
    omitted = _omitted(kept, lambda index: newest(index)[1])
    written, _ = newest(omitted)
    if omitted:
        note = f"[{counted(omitted, 'message')} omitted]"
        first, body = written[0] if written else (turns.get(kept[-1].id, 0), "")
        written[:1] = [(first, f"{note}\n{body}".strip())]
    return record.with_kept(written, first=direction == "from")


def _below_heading(kept: Sequence[MaskedMessage], direction: Direction, room: int | None) -> str:
    """Write the kept messages as a transcript (rule C8)."""

    @cache
    def newest(omitted: int) -> tuple[str, bool]:
        note = f"[{counted(omitted, 'message')} omitted]\n\n" if omitted else ""
        text, fits = (write_transcript(kept), True) if room is None else fit(kept[omitted:], room - len(note))
        return f"{note}{text}".strip(), fits

    text = newest(_omitted(kept, lambda index: newest(index)[1]))[0]
    return f"{KEPT_HEADINGS[direction == 'from']}\n\n{text}" if text else ""


def _omitted(kept: Sequence[MaskedMessage], fits: Callable[[int], bool]) -> int:
    """Return how many of the oldest messages to omit, as whole exchanges, so that the rest fits (rule T8)."""
    if fits(0):
        return 0
    cuts = [index for index, clean in enumerate(find_exchanges(kept).clean) if clean]
    return cuts[bisect_left(cuts, True, hi=len(cuts) - 1, key=fits)]


def closed(message: str, options: ContinuationOptions) -> str:
    """Mark the end of an opening message, so that words typed after it can be recognized later."""
    return message if options.kind else f"{message}\n\n{CLOSING}"


def check_opening(options: ContinuationOptions) -> None:
    """Raise what `write_continuation` would raise for these options, before doing any work."""
    transcript_note(options.transcript_path)
    Scene(options, None, "all", kept=False)


def _without_host_text(message: MaskedMessage) -> MaskedMessage:
    """Keep only what a person typed, where the host wrote around it."""
    answers = "\n".join(map(result_text, message.results))  # may hold some of these words, and stay as they are
    typed = [] if message.is_summary else [words for words in message.typed or () if words not in answers]
    if not typed:
        return message
    others = (part for part in message.parts if not isinstance(part, Text))
    return replace(message, parts=(*map(Text, typed), *others))


def transcript_note(path: str | None) -> str:
    """Return the words that say where the whole chat is."""
    words = _within_line(path, "$.transcriptPath")
    return f"For details that are missing here, the complete conversation transcript is at {words}" if words else ""


# What the kind text depends on: the current task, the host, the options.

Verb = Literal["continue", "waiting", "none"]

_WAITING = re.compile(r"[\W_]*+(?:WAITING\b|(?i:waiting)[^\w\n]*?(?::|$))", re.MULTILINE)
_NONE = re.compile(r"[\W_]*+(?:NONE\b|(?i:none|n/a)[\W_]*+$)")


def task_of(summary: Summary | None, direction: Direction, *, kept: bool) -> tuple[str, Verb]:
    """Return the place in the context that holds the current task, and what it says to do (rule C16)."""
    if summary is None:
        return "the newest of the kept messages", "continue"
    if not summary.task:
        return summary.style.next_step_of(summary, direction, kept=kept), "continue"
    is_none = _NONE.match(summary.task.partition("\n")[0])
    verb: Verb = "waiting" if _WAITING.match(summary.task) else "none" if is_none else "continue"
    return summary.style.task_place, verb


class Scene:
    """What the sentences of the kind text depend on; names are in backticks, and blank if the host has none."""

    def __init__(self, options: ContinuationOptions, summary: Summary | None, direction: Direction, kept: bool) -> None:
        style_named(options.style)
        self.kind, self.silent, self.approval = options.kind, options.silent, not options.auto_approve
        self.has_summary = summary is not None
        self.kept = kept or options.recent_preserved
        self.recent = self.kept and direction != "from"  # what is kept is newer than the summary
        self.place, self.verb = task_of(summary, direction, kept=self.kept)
        self.going_on = self.verb == "continue"
        self.may_ask = options.kind not in ("midLoop", "postTool")  # one short question, but not in a loop
        given = options.capabilities or HostCapabilities()
        search, plan = given.search_older or SearchOlder(""), given.plan or PlanTool("")
        self.search, self.hint = _quoted(search.name, "searchOlder.name"), " ".join((search.hint or "").split())
        self.plan, self.plan_start = _quoted(plan.name, "plan.name"), _quoted(plan.start, "plan.start")
        self.has_plan = bool(self.plan) and options.active_plan
        self.standards = _quoted(given.standards.file, "standards.file") if given.standards else ""
        notes = (_quoted(note.file, f"notes[{index}].file") for index, note in enumerate(given.notes))
        self.notes = ", ".join(filter(None, notes))

    @property
    def memory(self) -> str:
        """What to read first."""
        if not self.has_summary:
            return "the kept messages"
        return "the summary and the kept messages" if self.kept else "the summary"

    def call(self, tool: str) -> str:
        """Write the instruction to call a tool; it needs approval like any next step (rule C17)."""
        if not self.approval:
            return f"call {tool}"
        return f"{APPROVED_STEP}: a call of {tool}" if self.going_on else f"ask for approval of a call of {tool}"


def _quoted(name: str | None, path: str) -> str:
    """Return a name in backticks (rule C14)."""
    words = _within_line(name, f"$.capabilities.{path}")
    if "`" in words:
        raise InvalidParams.at(f"$.capabilities.{path}", "expected no backticks")
    return f"`{words}`" if words else ""


def _within_line(text: str | None, path: str) -> str:
    """Return the text, trimmed; refuse control characters, with which it would leave its line."""
    words = (text or "").strip()
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in words):
        raise InvalidParams.at(path, "expected no control characters")
    return words


# The kind text: why the chat was compacted and how the next model goes on (rules C10 to C19).

APPROVED_STEP = "prepare the next step and ask for approval"

# What the cause of a compaction makes of its summary (rule C11).
_OUTCOMES = {
    "emergency": "The summary holds the recovered state.",
    "postTool": "Everything done so far is covered by {memory}.",
    "manual": "The summary is the memory of all that came before it.",
}


def kind_text(
    options: ContinuationOptions, summary: Summary | None = None, *, direction: Direction = "upTo", kept: bool = False
) -> str:
    """Write one block on the reason, approval, the next step, and recovery, for a chat of this summary."""
    scene = Scene(options, summary, direction, kept)
    if scene.kind not in CAUSES:
        raise InvalidParams.at("$.kind", f"expected one of {', '.join(get_args(ContinuationKind))}")
    cause, outcome = CAUSES[scene.kind], _OUTCOMES.get(scene.kind, "")
    if scene.kind in ("regular", "midLoop") and scene.recent:
        outcome = "The most recent messages were kept word for word."
    elif not scene.has_summary:
        outcome = ""
    approval = ""
    if scene.approval:
        approval = (
            "Tool approval is REQUIRED: every tool run waits for its own approval, and none are batched."
            f" Reading {scene.memory} and planning without tools may start at once."
        )
    # Numbered steps; a paragraph if the text is to be short, and for a manual compaction.
    sentences = list(_sentences(scene))
    course = " ".join(sentences)
    if not scene.silent and scene.kind != "manual":
        steps = (f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
        course = "\n".join(("POST-COMPACTION PROTOCOL", *steps))
    paragraphs = (f"{cause} {outcome.format(memory=scene.memory)}".strip(), approval, course, _recovery(scene))
    return KIND_LABEL + "\n\n".join(filter(None, paragraphs)) + "]"


def _sentences(scene: Scene) -> Iterator[str]:
    """Yield what the model must and must not do, in order (rule C12)."""
    silent, manual = scene.silent, scene.kind == "manual"
    if silent:
        yield (
            "Do not bring the compaction up, narrate it or apologise for it."
            " If the user asks about it, or if information is missing, answer truthfully."
        )
    yield f"Read {scene.memory} before anything else."
    if scene.search:
        when = "If something is lacking" if manual else "For older context"
        source = "the summary" if scene.has_summary else "the kept messages"
        hint = f" Hint: {scene.hint.rstrip('.')}." if scene.hint else ""
        yield (
            f"{when}, {scene.call(scene.search)} with specific words from {source},"
            f" such as the name of a function that stands there.{hint}"
        )
    if scene.notes and scene.kind == "regular":
        yield f"Note files: {scene.notes}. Load only those that are needed, never all at once."
    if not silent and scene.kind in ("emergency", "postTool"):
        yield "Acknowledge the compaction to the user in one short line."
    if not silent and manual:
        yield "The compaction is already confirmed to the user and needs no further word."
    if silent and not manual:
        how = "each with its own approval and without other comment" if scene.approval else ""
        yield f"Files in hand may be read again, {how}." if how else "Files in hand may be read again without comment."
    yield "Start no new topic, make no detour, and do not repeat finished work."
    if not scene.may_ask:
        yield "Do not ask what to do next."
    else:
        answer = "the user's answer" if scene.verb == "waiting" else "the user's next message"
        unclear = "the next step is truly unclear" if scene.going_on else f"{answer} leaves it truly unclear"
        yield f"Do not ask what to do next, unless {unclear}: then ask one short question."
    # Continue with the task section, or wait if it says so (rule C16).
    place, wait = scene.place, "wait for the user, and start no work before the"
    match scene.verb:
        case "waiting":
            yield f"According to {place}, it is the user's turn: {wait} answer."
        case "none":
            yield f"According to {place}, nothing is open: {wait} next message."
        case "continue" if scene.approval:
            yield f"Take up the task in {place} exactly where it stopped: {APPROVED_STEP}."
        case "continue":
            yield f"Take up the task in {place} and go on exactly where it stopped."


def _recovery(scene: Scene) -> str:
    """Name the host's plan, if one is active, and its standards (rule C15)."""
    sentences = []
    if scene.has_plan:
        quietly = ""
        if scene.silent:
            quietly = "without visible output but the request, " if scene.approval else "without visible output, "
        then = ", and go on from there" if scene.going_on and not scene.approval else ""
        order = f"{quietly}{scene.call(scene.plan)} to see the open task and its progress{then}"
        start = f" A task of the plan is started with {scene.plan_start}." if scene.plan_start else ""
        sentences.append(f"SESSION RECOVERY: {order}.{start}")
    if scene.standards:
        sentences.append(f"Before editing code, read {scene.standards}.")
    return " ".join(sentences)
