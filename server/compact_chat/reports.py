"""What is told of a chat as it is: which chats there are, how full one is, and of what."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from compact_chat.chat import Warning
from compact_chat.results import Advice, Kind, Result

Basis = Literal["measured", "anchored", "estimated"]
WindowBasis = Literal["setting", "chat", "table", "default"]
ThingKind = Literal["message", "tool", "file", "fixed", "summary", "rest"]


class Parts(Result, frozen=True):
    """What the context is full of; the parts sum to `used`."""

    fixed: int
    summary: int
    user: int
    assistant: int
    tool_calls: int
    tool_results: int
    thinking: int
    images: int


class Session(Result, frozen=True):
    """A chat that was found."""

    uri: str
    tool: str
    format: str
    title: str | None
    updated_at: str
    bytes: int


class Sessions(Result, frozen=True):
    """The chats that were found, newest first."""

    sessions: tuple[Session, ...]
    complete: bool  # whether all was looked at: else there was too much of it, and chats may be missing


class MessageTokens(Result, frozen=True):
    """The size of one message."""

    id: str
    index: int
    role: str
    kind: Kind
    tokens: int


class MessageText(Result, frozen=True):
    """What one message says."""

    id: str
    index: int
    role: str
    kind: Kind
    text: str


class Transcript(Result, frozen=True):
    """The messages of a chat as text, without secrets."""

    title: str | None
    tool: str
    format: str
    messages: tuple[MessageText, ...]
    warnings: tuple[Warning, ...]


class HostRing(Result, frozen=True):
    """What the host's own meter is made of: `percent` is used and reserved, `usedPercent` used alone, of the total."""

    used: int
    reserved: int
    total: int
    percent: float
    used_percent: float


class Thing(Result, frozen=True):
    """Something that takes tokens: its share of `used`, and the ids of the messages that it stands in."""

    kind: ThingKind
    name: str
    tokens: int
    percent: float
    messages: tuple[str, ...]


class Breakdown(Result, frozen=True):
    """The biggest things of each sort, the biggest first; the tokens of each list sum to `used`."""

    biggest: tuple[Thing, ...]
    messages: tuple[Thing, ...]
    tools: tuple[Thing, ...]
    files: tuple[Thing, ...]


class TokenReport(Result, frozen=True):
    """How full the context is, of what, and how sure we are."""

    model: str | None
    tool: str
    format: str
    title: str | None
    message_count: int
    used: int
    low: int
    high: int
    window: int
    window_basis: WindowBasis
    percent: float
    basis: Basis
    parts: Parts
    advice: Advice
    reason: str
    warnings: tuple[Warning, ...]
    host_meter: HostRing | None
    messages: tuple[MessageTokens, ...] | UnsetType = UNSET
    breakdown: Breakdown | UnsetType = UNSET


class Watched(Result, frozen=True):
    """A chat that is watched, and how full its context is now."""

    watch_id: str
    uri: str
    report: TokenReport


class Unwatched(Result, frozen=True):
    """Nothing: the watch has ended."""
