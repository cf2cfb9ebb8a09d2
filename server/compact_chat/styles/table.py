"""The table of styles: a new one is a module with one class, and a row here."""

from __future__ import annotations

from collections.abc import Mapping

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles.brief import Brief
from compact_chat.styles.checkpoint import Checkpoint
from compact_chat.styles.detailed import Detailed
from compact_chat.styles.handoff import Handoff
from compact_chat.styles.structured import Structured
from compact_chat.styles.style import HEADER, Summary, SummaryStyle
from compact_chat.wire import Style

_DEFAULT, _FREE_TEXT = Detailed(), Brief()
_ALL: tuple[SummaryStyle, ...] = (_DEFAULT, Checkpoint(), Structured(), _FREE_TEXT, Handoff())
STYLES: Mapping[Style, SummaryStyle] = {style.name: style for style in _ALL}


def style_named(name: str | None) -> SummaryStyle:
    """Return the style by the name that a host gives; the default one without a name."""
    wanted = (name or "").strip()
    found = next((style for style in _ALL if style.name == wanted), None) if wanted else _DEFAULT
    if found is None:
        raise InvalidParams.at("$.style", f"expected one of {', '.join(STYLES)}")
    return found


def handed_in(text: str, style: str | None) -> Summary:
    """Return a host's summary, of the style that it names; raise NoSummary if blank."""
    if not text.strip().removeprefix(HEADER).strip():
        raise NoSummary("The summary is blank.", "emptySummary")
    return Summary(style_named(style), text)


def summary_of_unknown_style(text: str) -> Summary:
    """Return a summary from elsewhere: one with our header is parsed by its sections, others are free text."""
    return Summary(_DEFAULT if text.startswith(HEADER) else _FREE_TEXT, text)
