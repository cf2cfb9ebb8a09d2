"""Every option once: its name, type, limits, default and the sentence that explains it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from compact_chat.chat import JsonObject

Style = Literal["detailed", "checkpoint", "structured", "brief"]
Provider = Literal["auto", "anthropic", "editor", "offline"]
Strategy = Literal["summary", "auto", "keep", "prune"]
ContinuationKind = Literal["regular", "midLoop", "emergency", "postTool", "manual"]
KEYWORDS = ("error", "fix", "bug", "issue", "problem", "solution", "important", "note", "warning")

SCOPE = 'What is summarised: {"kind": "from", "message": ID}, {"kind": "upTo", "message": ID} or {"kind": "all"}.'
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # the largest that every JSON reader takes
Keyword = Annotated[str, Meta(max_length=100)]
Fraction = Annotated[float, Meta(ge=0, le=1)]


class Scope(Struct, frozen=True, rename="camel"):
    """What is summarised: all before the kept tail, from a message on, or up to one."""

    kind: Literal["all", "from", "upTo"] = "all"
    message: str | None = None


class PruneOptions(Struct, frozen=True, rename="camel"):
    """How long tool results are cut (rules X)."""

    max_chars: Annotated[Count, Meta(description="A tool result longer than this is cut.")] = 2000
    head: Annotated[Count, Meta(description="Characters kept of its beginning.")] = 500
    tail: Annotated[Count, Meta(description="Characters kept of its end.")] = 200
    preserve_tail: Annotated[Count, Meta(description="The newest messages that are never cut.")] = 4


class SearchOlder(Struct, frozen=True):
    """A way to look into older messages that the host offers."""

    name: str
    hint: str | None = None


class PlanTool(Struct, frozen=True):
    """The host's plan tool."""

    name: str
    start: str | None = None


class FileName(Struct, frozen=True):
    """A file that the host knows."""

    file: str


class HostCapabilities(Struct, frozen=True, rename="camel"):
    """What the host of the next chat can do (rule C14)."""

    search_older: SearchOlder | None = None
    plan: PlanTool | None = None
    standards: FileName | None = None
    notes: tuple[FileName, ...] = ()


class ContinuationOptions(Struct, frozen=True, rename="camel"):
    """How the next chat is opened (rules C)."""

    kind: Annotated[ContinuationKind | None, Meta(description="Why the chat was compacted.")] = None
    style: Annotated[str | None, Meta(description="The style the summary was written in.")] = None
    silent: Annotated[bool, Meta(description="Go on without a word about the compaction.")] = False
    auto_approve: Annotated[bool, Meta(description="Tools may run without asking first.")] = True
    suppress_questions: Annotated[bool, Meta(description="Go on without follow-up questions.")] = False
    transcript_path: Annotated[str | None, Meta(description="Where the whole chat lies.")] = None
    recent_preserved: Annotated[bool, Meta(description="The host keeps the recent messages itself.")] = False
    active_plan: Annotated[bool, Meta(description="A plan of the host's is under way.")] = False
    capabilities: Annotated[HostCapabilities | None, Meta(description="What the host can do.")] = None


class Options(Struct, frozen=True, rename="camel"):
    """The options of a compaction; a param beats a setting, a setting a default."""

    strategy: Annotated[
        Strategy, Meta(description="summary, keep (rules, no model), prune (cut tool results) or auto.")
    ] = "summary"
    scope: Annotated[Scope, Meta(description=SCOPE)] = Scope()
    style: Annotated[Style, Meta(description="The form of the summary.")] = "detailed"
    immediate_task: Annotated[bool | None, Meta(description="Ask for a closing section on the task at hand.")] = None
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None
    budget: Annotated[Count | None, Meta(description="Tokens at which the context counts as full.")] = None
    prune_at: Annotated[
        Fraction, Meta(description="Fraction of the budget at which cutting tool results is advised.")
    ] = 0.7
    compact_at: Annotated[Fraction, Meta(description="Fraction of the budget at which a summary is advised.")] = 1.0
    min_keep: Annotated[Count, Meta(description="The newest messages that stay verbatim.")] = 4
    keep_recent_tokens: Annotated[Count, Meta(description="Tokens of the newest messages that stay verbatim.")] = 0
    keep_recent: Annotated[Count, Meta(description="Strategy keep: the newest messages that stay.")] = 10
    keep_keywords: Annotated[
        tuple[Keyword, ...], Meta(description="Strategy keep: words that make a message stay.", max_length=1000)
    ] = KEYWORDS
    keep_tool_results: Annotated[bool, Meta(description="Strategy keep: tool results stay.")] = True
    keep_system: Annotated[bool, Meta(description="Strategy keep: system messages stay.")] = True
    keep_first_user: Annotated[bool, Meta(description="Strategy keep: the first user message stays.")] = True
    pin: Annotated[tuple[str, ...], Meta(description="Id of a message that stays verbatim.")] = ()
    drop: Annotated[tuple[str, ...], Meta(description="Id of a message that is left out.")] = ()
    prune: Annotated[PruneOptions, Meta(description="How tool results are cut.")] = PruneOptions()
    instructions: Annotated[str, Meta(description="What this compaction should look at.")] = ""
    summary_model: Annotated[
        str, Meta(description="The model that writes the summary; `editor:ID` names one of the editor's.")
    ] = "claude-haiku-5-5"
    fallback_models: Annotated[tuple[str, ...], Meta(description="The models asked where that one fails.")] = (
        "claude-sonnet-5-5",
    )
    max_output_tokens: Annotated[Count, Meta(description="The longest reply of a model.")] = 8192
    summary_budget: Annotated[Count | None, Meta(description="Tokens that the finished summary may have.")] = None
    redact: Annotated[bool, Meta(description="Mask secrets in all that is written or sent.")] = True
    continuation: Annotated[ContinuationOptions, Meta(description="How the next chat is opened.")] = (
        ContinuationOptions()
    )


class Settings(Options, frozen=True, rename="camel"):
    """What a user sets once under `compactChat`: every option, and what concerns the program."""

    provider: Annotated[Provider, Meta(description="Who writes summaries.")] = "auto"
    archive: Annotated[
        str, Meta(description="Where originals are kept for undo: on (the user's state folder), off, or a folder.")
    ] = "on"
    archive_limit: Annotated[Count, Meta(description="Bytes that the archive may take.")] = 2**30
    idle_timeout: Annotated[float, Meta(gt=0, le=3600, description="Seconds that a model may be silent.")] = 30.0
    total_timeout: Annotated[float, Meta(gt=0, le=86400, description="Seconds that a model's call may take.")] = 300.0
    redact_emails: Annotated[bool, Meta(description="Mask e-mail addresses too.")] = False
    remember_ratio: Annotated[
        bool, Meta(description="Begin a chat with what earlier ones taught of its model's tokens.")
    ] = False
    windows: Annotated[
        dict[str, Annotated[int, Meta(gt=0, le=2**53 - 1)]], Meta(description="Context windows by model.")
    ] = {}


def canonical(options: Options) -> JsonObject:
    """The options as plain JSON values, for hashing."""
    import msgspec

    plain: JsonObject = msgspec.to_builtins(options)
    return plain
