"""Summaries of every style, through the door of their room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from compact_chat.errors import NoSummary
from compact_chat.offline import OfflineRequest, write_summary
from compact_chat.styles import STYLES, MaskedSummary, Summary, style_named
from compact_chat.wire import DEFAULT_STYLE, Style
from tests.samples.chats import NO_MASKS

# The titles of a detailed summary (rule P6).
TITLES = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
)
EARLIER_TITLES = (*TITLES[:-1], "Context for Continuing Work")  # if newer messages stay


def read(reply: str, style: Style = DEFAULT_STYLE) -> Summary:
    """Take the summary out of a model's reply."""
    return STYLES[style].read(reply)


def refused_as(reply: str, style: Style = DEFAULT_STYLE) -> str:
    """Return the kind of the error with which a style refuses a reply."""
    with pytest.raises(NoSummary) as refusal:
        read(reply, style)
    return refusal.value.kind


def parse(text: str, style: Style = DEFAULT_STYLE) -> dict[str, Any]:
    """Parse the sections of a summary, in a style that has sections."""
    sections = STYLES[style].parse(text)
    assert sections is not None
    return sections


def write(sections: Mapping[str, object], style: Style = DEFAULT_STYLE) -> str:
    """Write a summary's text from its sections."""
    return STYLES[style].write(sections).text


def as_summary(text: str, style: str | None = None) -> MaskedSummary:
    """Use a text as a summary, unchanged."""
    return Summary(style_named(style), text).masked(NO_MASKS)


def offline(request: OfflineRequest) -> str:
    """Write a summary offline, as a reply; blank if nothing fits."""
    found = write_summary(request)
    return found.reply if found else ""
