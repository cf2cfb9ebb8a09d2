"""The message that opens the next chat: summary, kept messages, notes, and the kind text (rules C1 to C8)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from compact_chat.chat import Message
from compact_chat.errors import NoSummary
from compact_chat.marks import CONTINUED, find_tags
from compact_chat.options import ContinuationOptions
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.fit import fit
from compact_chat.prompt.transcript import transcript
from compact_chat.reply.detailed import HEADER, format_reply
from compact_chat.resume.kinds import APPROVED_STEP, text_of
from compact_chat.resume.scene import Scene, scene_of, within_line

_OPENING = "This chat carries on from an earlier session, of which a summary follows."
_RECENT_PRESERVED = "Recent messages are preserved verbatim; they need no new summary."


def continuation(
    summary: str,
    kept: Sequence[Message],
    options: ContinuationOptions,
    *,
    direction: Direction = "upTo",
    room: int | None = None,
) -> str:
    """The parts in their order, a blank line between them; `room` is for the characters of the kept messages."""
    summary = _presentable(summary)
    shown = "" if options.recent_preserved else _kept(kept, direction, room)
    scene = scene_of(options, summary, direction, bool(shown))
    parts = (
        CONTINUED,
        _OPENING,
        summary,
        shown,
        _RECENT_PRESERVED if options.recent_preserved else "",
        _transcript_note(options.transcript_path),
        _questions_note(scene) if options.suppress_questions else "",
        text_of(scene) if options.kind else "",
    )
    return "\n\n".join(filter(None, parts))


def check_opening(options: ContinuationOptions) -> None:
    """Raise what `continuation` would of its options, so that it is known before any work is done."""
    _transcript_note(options.transcript_path)
    scene_of(options, "", "all", kept=False)


def _presentable(summary: str) -> str:
    """The summary, trimmed, without the tags of a raw reply around it (rule C6)."""
    text = summary.strip()
    if not text.removeprefix(HEADER).strip():
        raise NoSummary("The summary is blank.", "emptySummary")
    first = next(find_tags(text, ("analysis", "summary")), None)
    return format_reply(text).summary if first and not first.closing and first.start == 0 else text


def _kept(kept: Sequence[Message], direction: Direction, room: int | None) -> str:
    """The kept messages under their heading; those that a summary of newer messages leaves out are earlier ones."""
    text = transcript(kept) if room is None else _within(kept, room)
    heading = "## Earlier messages" if direction == "from" else "## Recent messages"
    return f"{heading}\n\n{text}" if text else ""


def _within(kept: Sequence[Message], room: int) -> str:
    """The fullest transcript that fits, without the oldest exchanges if need be (rule T8)."""
    cuts = [index for index, clean in enumerate(find_exchanges(kept).clean) if clean]
    first = bisect_left(cuts, True, hi=len(cuts) - 1, key=lambda cut: _newest(kept, cut, room)[1])
    return _newest(kept, cuts[first], room)[0]


def _newest(kept: Sequence[Message], omitted: int, room: int) -> tuple[str, bool]:
    """The transcript without the oldest messages, and whether it fits the room."""
    note = f"[{omitted} messages omitted]\n\n" if omitted else ""
    fitted = fit(kept[omitted:], room - len(note))
    return f"{note}{fitted.text}".strip(), fitted.fits


def _transcript_note(path: str | None) -> str:
    words = within_line(path, "$.transcriptPath")
    return f"For details that are missing here, the complete conversation transcript is at {words}" if words else ""


def _questions_note(scene: Scene) -> str:
    """No questions; at variance neither with approval, nor with waiting, nor with the kind text (rules C4 and C17)."""
    if scene.going_on:
        work = "Work" if scene.approval else "Go on with the work"
    else:
        work = f"Once the user has {'answered' if scene.task.verb == 'waiting' else 'said what comes next'}, work"
    step = f"act directly: {APPROVED_STEP}" if scene.approval else "act directly"
    exception = " The one exception is named below." if scene.kind and scene.may_ask else ""
    return f"{work} without asking follow-up questions, and {step}.{exception}"
