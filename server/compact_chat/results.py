"""What the operations give back of plans and compactions: one shape per result of the contract."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from compact_chat.chat import JsonObject, Warning

Advice = Literal["none", "prune", "compact"]
Action = Literal["none", "prune", "keep", "compact"]
FateName = Literal["keep", "pin", "prune", "summarize", "drop"]


class Result(Struct, frozen=True, rename="camel"):
    """A shape of the wire: camelCase names, null written, never left out."""


Kind = Literal["text", "toolCall", "toolResult", "summary", "mixed", "empty"]


class MessageFate(Result, frozen=True):
    """What would become of one message."""

    id: str
    index: int
    role: str
    kind: Kind
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
    skipped: int  # parts of unknown kinds, of which a summary has only the name
    fixed: int  # tokens of the tool's own prompt and tools, which no compaction changes
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


class Checked(Result, frozen=True):
    """What a compaction kept of a chat, and the message that would open the next one."""

    survival: Survival
    warnings: tuple[Warning, ...]
    continuation: str


class Exported(Result, frozen=True):
    """A new file with a compacted chat."""

    uri: str
    bytes: int


class Restored(Result, frozen=True):
    """The chat as it was: its messages, where it came from, and a copy that equals it byte for byte."""

    messages: list[JsonObject]
    uri: str | None
    archive: str | None  # None only where the compaction is wanted too, and no copy was kept
    sha256: str
    compaction: Compaction | UnsetType = UNSET


class Past(Result, frozen=True):
    """A compaction that was made."""

    compaction_id: str
    uri: str | None
    title: str | None
    at: str
    provider: str
    model: str | None
    before: int
    after: int
    kept: float


class History(Result, frozen=True):
    """The compactions that were made, newest first."""

    compactions: tuple[Past, ...]
