"""The styles of a summary in one table: how each is read from a reply, parted and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from compact_chat.reply import detailed
from compact_chat.reply import detailed as sections
from compact_chat.reply.checkpoint import format_checkpoint, parse_checkpoint, render_checkpoint
from compact_chat.reply.detailed import format_brief, parse_brief, render_brief
from compact_chat.reply.markdown import Reply
from compact_chat.reply.structured import format_structured, parse_structured, render_structured
from compact_chat.wire import Style


class _Manner(Struct, frozen=True):
    format: Callable[[str], Reply]
    parse: Callable[[str], Mapping[str, Any] | None]
    render: Callable[[Mapping[str, object]], str]


_MANNERS: Mapping[Style, _Manner] = {
    "detailed": _Manner(detailed.format_detailed, sections.parse_detailed, sections.render_detailed),
    "checkpoint": _Manner(format_checkpoint, parse_checkpoint, render_checkpoint),
    "structured": _Manner(format_structured, parse_structured, render_structured),
    "brief": _Manner(format_brief, parse_brief, render_brief),
}


def format_reply(text: str, style: Style) -> Reply:
    """The summary that a model's reply holds, or the error that there is none."""
    return _MANNERS[style].format(text)


def parse_sections(summary: str, style: Style) -> dict[str, Any] | None:
    """The sections of a summary, as the contract names them; a brief one has none."""
    found = _MANNERS[style].parse(summary)
    return None if found is None else dict(found)


def render_sections(sections: Mapping[str, object], style: Style) -> str:
    """The summary of typed sections."""
    return _MANNERS[style].render(sections)
