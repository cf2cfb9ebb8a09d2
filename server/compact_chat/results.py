"""What the operations give back: one shape per result of the contract."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from compact_chat.chat import JsonObject, Warning

Advice = Literal["none", "prune", "compact"]
Action = Literal["none", "prune", "keep", "compact"]
Basis = Literal["measured", "anchored", "estimated"]
WindowBasis = Literal["setting", "chat", "table", "default"]
Kind = Literal["text", "toolCall", "toolResult", "summary", "mixed", "empty"]
ThingKind = Literal["message", "tool", "file", "fixed", "summary", "rest"]
FateName = Literal["keep", "pin", "prune", "summarize", "drop"]


class Result(Struct, frozen=True, rename="camel"):
    """A shape of the wire: camelCase names, null written, never left out."""


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


class MessageFate(Result, frozen=True):
    """What would become of one message."""

    id: str
    index: int
    role: str
    fate: FateName
    reason: str
    tokens: int
    tokens_after: int
    excerpt: str


class ModelRequest(Result, frozen=True):
    """The request that a model would get."""

    provider: str
    model: str | None
    calls: int
    input_tokens: int
    max_output_tokens: int


class Instructions(Result, frozen=True):
    """Summary instructions found in a file of the project."""

    uri: str
    text: str


class Files(Result, frozen=True):
    """The files that the chat read and modified."""

    read: tuple[str, ...]
    modified: tuple[str, ...]


class Redactions(Result, frozen=True):
    """How many secrets would be masked, by kind."""

    total: int
    kinds: dict[str, int]


class Preview(Result, frozen=True):
    """What `summarize` would do, before anything happens."""

    plan_id: str
    action: Action
    advice: Advice
    reason: str
    split: int
    messages: tuple[MessageFate, ...]
    before: int
    after: int
    after_low: int
    after_high: int
    request: ModelRequest | None
    instructions: tuple[Instructions, ...]
    files: Files
    redactions: Redactions
    warnings: tuple[Warning, ...]


class Lost(Result, frozen=True):
    """A fact of the chat that the summary does not hold."""

    id: str
    text: str
    message: str | None


class SurvivalClass(Result, frozen=True):
    """One class of facts: how many there are, how many survive, which are lost."""

    name: str
    total: int
    kept: int
    restored: int
    lost: tuple[Lost, ...]


class Survival(Result, frozen=True):
    """What of the chat the summary still holds; a class that is not computed is absent."""

    kept: float
    classes: tuple[SurvivalClass, ...]


class Counts(Result, frozen=True):
    """The compaction in numbers: messages, but where named otherwise."""

    before: int
    after: int
    summarized: int
    pruned: int
    dropped: int
    chars_pruned: int
    tokens_saved: int
    over_budget: bool


class Attempt(Result, frozen=True):
    """One step of the climb from provider to provider."""

    provider: str
    model: str | None
    outcome: Literal["ok", "failed", "skipped", "rejected"]
    detail: str | None
    seconds: float


class TokensSpent(Result, frozen=True):
    """What a model's call cost."""

    input_tokens: int
    output_tokens: int


class Compaction(Result, frozen=True):
    """A finished compaction."""

    compaction_id: str
    plan_id: str
    provider: str
    model: str | None
    style: str
    summary: str
    sections: dict[str, Any] | None
    continuation: str
    before: int
    after: int
    counts: Counts
    survival: Survival
    warnings: tuple[Warning, ...]
    attempts: tuple[Attempt, ...]
    usage: TokensSpent | None
    archive: str | None
    messages: list[JsonObject] | UnsetType = UNSET
    prompt: JsonObject | UnsetType = UNSET
    raw: str | UnsetType = UNSET


class Prompt(Result, frozen=True):
    """What would be sent to a model, for a host that calls its own."""

    system: str | None
    messages: list[JsonObject]
    plan_id: str
    tokens: int


class Formatted(Result, frozen=True):
    """A reply made presentable."""

    summary: str
    sections: dict[str, Any] | None
    warnings: tuple[Warning, ...]


class Continuation(Result, frozen=True):
    """The message that opens the next chat."""

    message: str
