"""Where a summary says what to go on with, and whether to go on at all (rule C16)."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.plan.outcome import Direction
from compact_chat.reply.checkpoint import parse_checkpoint
from compact_chat.reply.records import without_records
from compact_chat.reply.sections import immediate_task, parse_sections
from compact_chat.reply.structured import parse_structured

Verb = Literal["continue", "waiting", "none"]

_SECTIONS = {
    "checkpoint": "the sections `In Progress` and `Next Steps`",
    "structured": "the sections `Current State` and `Next Steps`",
    "brief": "the summary",
}
_WAITING = re.compile(r"[\W_]*+(?:WAITING\b|(?i:waiting)[^\w\n]*?(?::|$))", re.MULTILINE)
_NONE = re.compile(r"[\W_]*+(?:NONE\b|(?i:none|n/a)[\W_]*+$)")


class Task(Struct, frozen=True):
    """The place in the context that tells the task at hand, and what it says to do."""

    place: str
    verb: Verb = "continue"


def task_of(summary: str, style: str | None, direction: Direction, kept: bool) -> Task:
    """The task section that a summary of this style really has."""
    style = (style or "").strip() or "detailed"
    if style not in ("detailed", *_SECTIONS):
        raise InvalidParams.at("$.style", f"expected one of {', '.join(('detailed', *_SECTIONS))}")
    if not summary.strip():
        return Task("the newest of the kept messages")
    if said := _said(summary, style):
        return Task("the section `IMMEDIATE TASK`", _verb(said))
    return Task(_SECTIONS.get(style) or _detailed(summary, direction, kept))


def _said(summary: str, style: str) -> str:
    """What the task section says; in the styles with headings of their own, a mere mention is none."""
    if style == "structured" and any((sections := parse_structured(summary)).values()):
        return sections["immediateTask"] or ""
    if style == "checkpoint":
        return parse_checkpoint(summary)["immediateTask"] or immediate_task(without_records(summary))
    return immediate_task(summary)


def _verb(said: str) -> Verb:
    if _WAITING.match(said):
        return "waiting"
    return "none" if _NONE.match(said.partition("\n")[0]) else "continue"


def _detailed(summary: str, direction: Direction, kept: bool) -> str:
    """The summary's own title of section 9 decides; the direction where it has neither or both."""
    titles = parse_sections(summary).keys() & {"optionalNextStep", "contextForContinuingWork"}
    if titles == {"optionalNextStep"} or (len(titles) != 1 and direction != "upTo"):
        return "the sections `Current Work` and `Optional Next Step`"
    recent = "the kept messages and the section" if kept else "the sections `Current Work` and"
    return f"{recent} `Context for Continuing Work`"
