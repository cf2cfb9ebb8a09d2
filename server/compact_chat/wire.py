"""Every shape on the wire: options, settings and results, each with the sentence that documents it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from compact_chat.chat import JsonObject, Warning
from compact_chat.tools import FORMATS

# Options: each defined once with its name, type, limits, default and description.


Style = Literal["detailed", "checkpoint", "structured", "brief", "handoff"]  # the names in styles/table.py
DEFAULT_STYLE: Style = "detailed"
FEATURES = ("whole", "facts", "limit", "handoff", "lengths", "draft", "turns", "strip")  # added in version 1.1
SHELL_STYLE: Style = "handoff"  # where the flag is not given
Length = Literal["brief", "standard", "full"]
Provider = Literal["auto", "anthropic", "editor", "offline"]
Strategy = Literal["summary", "auto", "keep", "prune"]
ContinuationKind = Literal["regular", "midLoop", "emergency", "postTool", "manual"]
if TYPE_CHECKING:  # a type checker cannot make literals from a table
    FormatHint = str
    ExportForm = str
else:
    FormatHint = Literal[tuple(FORMATS)]
    ExportForm = Literal[("markdown", "json", *(one.name for one in FORMATS.values() if one.export))]
KEYWORDS = ("error", "fix", "bug", "issue", "problem", "solution", "important", "note", "warning")

SCOPE = 'What is summarized: {"kind": "from", "message": ID}, {"kind": "upTo", "message": ID} or {"kind": "all"}.'
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # the largest integer that every JSON parser represents
Keyword = Annotated[str, Meta(max_length=100)]
Fraction = Annotated[float, Meta(ge=0, le=1)]


class Scope(Struct, frozen=True, rename="camel"):
    """What is summarized: all before the kept tail, from a message on, or up to one."""

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
    title: Annotated[str | None, Meta(description="The chat's title, above a hand-over.")] = None
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
    style: Annotated[Style, Meta(description="The form of the summary.")] = DEFAULT_STYLE
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
    length: Annotated[
        Length, Meta(description="The length of the summary without a summaryBudget: brief, standard or full.")
    ] = "standard"
    add_back: Annotated[
        tuple[str, ...], Meta(description="Ids of facts that the message must hold, whoever writes it.")
    ] = ()
    record: Annotated[
        Literal["whole", "live"],
        Meta(description="whole: also what the tool's own compactions replaced, where the file still holds it."),
    ] = "whole"
    redact: Annotated[bool, Meta(description="Mask secrets in all that is written or sent.")] = True
    continuation: Annotated[ContinuationOptions, Meta(description="How the next chat is opened.")] = (
        ContinuationOptions()
    )


class Settings(Options, frozen=True, rename="camel"):
    """The user's settings under `compactChat`: every option, and those of the program."""

    provider: Annotated[Provider, Meta(description="Who writes summaries.")] = "auto"
    archive: Annotated[
        str, Meta(description="Where originals are kept for undo: on (the user's state folder), off, or a folder.")
    ] = "on"
    archive_limit: Annotated[Count, Meta(description="Bytes that the archive may take.")] = 2**30
    idle_timeout: Annotated[float, Meta(gt=0, le=3600, description="Seconds that a model may be silent.")] = 30.0
    total_timeout: Annotated[float, Meta(gt=0, le=86400, description="Seconds that a model's call may take.")] = 300.0
    redact_emails: Annotated[bool, Meta(description="Mask e-mail addresses too.")] = False
    remember_ratio: Annotated[
        bool, Meta(description="Start with the token ratio learned from earlier chats with the same model.")
    ] = False
    windows: Annotated[
        dict[str, Annotated[int, Meta(gt=0, le=2**53 - 1)]], Meta(description="Context windows by model.")
    ] = {}


# Results of plans and compactions.


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
    """How many secrets would be masked, by kind; and how often one occurs again where only its value shows it."""

    total: int
    kinds: dict[str, int]
    repeats: int = 0


class Parts(Result, frozen=True):
    """What the context is full of; the parts sum to `used`. The next chat has the same `fixed`."""

    fixed: int
    summary: int
    user: int
    assistant: int
    tool_calls: int
    tool_results: int
    thinking: int
    images: int
    attached: int = 0  # what the tool added since the chat began, such as files; earlier versions archived none


class NextSize(Result, frozen=True):
    """A chat that has just begun: its tokens, those of them that its tool adds, and the messages given to it."""

    tokens: int
    fixed: int
    messages: int
    parts: Parts | None = None  # null in what earlier versions archived


class NextSizes(Result, frozen=True):
    """The next chat in each way: opened by the message `continuation`, and with its messages spliced or exported."""

    continuation: NextSize | None
    messages: NextSize


class LengthShown(Result, frozen=True):
    """What a summary of some length would keep, made offline."""

    budget: int
    tokens: int
    kept: int  # of the facts
    total: int
    missing: tuple[str, ...]  # ids of facts
    name: Length | None = None
    message: int = 0  # tokens of the message that it makes, counted as those of a draft's version


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
    next_chat: NextSizes | None
    request: ModelRequest | None
    instructions: tuple[Instructions, ...]
    files: Files
    redactions: Redactions
    lengths: tuple[LengthShown, ...] | None
    warnings: tuple[Warning, ...]


class Lost(Result, frozen=True):
    """A fact of the chat that the summary does not hold."""

    id: str
    text: str
    message: str | None
    cost: int = 0  # tokens to add it back


OMISSIONS = "omissions"  # the class of the messages that stay, of which some may be shortened
CLASS_NAMES = {  # for people, one and several; what is missing is listed in this order
    "constraints": ("rule", "rules"),
    "userMessages": ("message by you", "messages by you"),
    "todos": ("open task", "open tasks"),
    "decisions": ("decision", "decisions"),
    "preferences": ("preference", "preferences"),
    "state": ("state", "states"),
    "currentWork": ("step in progress", "steps in progress"),
    "modifiedFiles": ("changed file", "changed files"),
    "values": ("value", "values"),
    "results": ("result", "results"),
    "errors": ("error", "errors"),
    "commands": ("command", "commands"),
    "readFiles": ("read file", "read files"),
    "attachedFiles": ("attached file", "attached files"),
    OMISSIONS: ("kept message whole", "kept messages whole"),
}


def class_name(name: str, count: int) -> str:
    """Name so many facts of a class for people; an unknown class keeps its name."""
    return CLASS_NAMES.get(name, (name, name))[count != 1]


class SurvivalClass(Result, frozen=True):
    """One class of facts: how many there are, how many survive, which are lost."""

    name: str
    total: int
    kept: int
    restored: int
    lost: tuple[Lost, ...]


class FactShown(Result, frozen=True, rename={"kind": "class"}):
    """A fact of the chat, and where the text that was checked holds it, in UTF-16 code units."""

    id: str
    kind: str
    text: str
    message: str | None
    at: tuple[int, int] | None


class Looked(Result, frozen=True):
    """What was looked at for a survival: messages, those with the user's words, those that are only in the record."""

    messages: int = 0
    user_messages: int = 0
    before_last_compaction: int = 0


class Survival(Result, frozen=True):
    """What of the chat the next request still holds; a class that is not computed is absent."""

    kept: float
    classes: tuple[SurvivalClass, ...]
    of: Literal["continuation", "messages"] = "continuation"
    scope: Looked = Looked()
    facts: tuple[FactShown, ...] | UnsetType = UNSET

    @property
    def items(self) -> tuple[int, int]:
        """How many facts are kept, and how many there are; messages that stay but were shortened are no facts."""
        classes = [one for one in self.classes if one.name != OMISSIONS]
        return sum(one.kept for one in classes), sum(one.total for one in classes)


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
    fixed: int  # tokens that the tool adds to the next chat: its own prompt and tools
    over_budget: bool


class Attempt(Result, frozen=True):
    """One step of the climb from provider to provider."""

    provider: str
    model: str | None
    outcome: Literal["ok", "failed", "skipped", "rejected"]
    detail: str | None
    seconds: float
    kind: str | None = None  # of a failure: auth, quota, rateLimit, timeout …; rejected or noGain for a reply


class TokensSpent(Result, frozen=True):
    """What a model's call cost."""

    input_tokens: int
    output_tokens: int


class Compaction(Result, frozen=True):
    """A finished compaction."""

    compaction_id: str
    plan_id: str
    tool: str
    title: str | None
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
    healed: int  # facts in the message that none of the tool's own summaries still had
    warnings: tuple[Warning, ...]
    attempts: tuple[Attempt, ...]
    usage: TokensSpent | None
    archive: str | None
    next_chat: NextSizes | None = None  # null in what earlier versions archived
    healed_at_most: int = 0  # `healed`, or where a summary is encrypted, the facts that it may not have had
    messages: list[JsonObject] | UnsetType = UNSET
    prompt: JsonObject | UnsetType = UNSET
    raw: str | UnsetType = UNSET


class DraftVersion(Result, frozen=True):
    """One version of a draft: who wrote its message, and how many of the facts it keeps."""

    version: int
    at: str
    by: Literal["offline", "model", "edit"]
    model: str | None
    tokens: int
    kept: int
    total: int


class Conflict(Result, frozen=True):
    """What a person wrote, where it could not be merged into the message."""

    text: str


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


class Resume(Result, frozen=True):
    """How the tool of a session opens it: by its id, or by a command in a folder."""

    tool: str
    id: str
    folder: str | None
    command: tuple[str, ...] | None
    found: bool = False  # whether its program is on the PATH, in a folder that is named as a whole


class Exported(Result, frozen=True):
    """A new file with a compacted chat, and what `countTokens` says of it; null in a form that no tool continues."""

    uri: str
    bytes: int
    tokens: int | None
    messages: int | None
    resume: Resume | UnsetType = UNSET  # with `place`


class Restored(Result, frozen=True):
    """The chat as it was: its messages, where it came from, and a copy that equals it byte for byte."""

    messages: list[JsonObject]
    uri: str | None
    archive: str | None  # None if no copy was stored: the compaction is requested too, or there is no room
    sha256: str
    compaction: Compaction | UnsetType = UNSET
    resume: Resume | UnsetType | None = UNSET  # with `place`; None if the tool cannot open it here


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
    items_kept: int | None = None  # of so many facts; null if it was archived by an earlier version
    items: int | None = None
    message: int | None = None  # tokens of the message for the next chat; null without one, or by an earlier version


class History(Result, frozen=True):
    """The compactions that were made, newest first."""

    compactions: tuple[Past, ...]


# Results about a chat as it is: which chats there are, how full one is, and of what.


Basis = Literal["measured", "anchored", "estimated"]
WindowBasis = Literal["setting", "chat", "table", "default"]
ThingKind = Literal["message", "tool", "file", "fixed", "attached", "summary", "rest"]


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
    complete: bool  # False if there were too many files to search, so that chats may be missing


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
    """Something that takes tokens: its share of `used`, and the ids of the messages that hold it."""

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


class Limit(Result, frozen=True):
    """The tokens at which the tool auto-compacts, and who says so: its own setting, its rule, or its compactions."""

    tokens: int
    basis: Literal["setting", "rule", "recorded"]


class TurnsLeft(Result, frozen=True):
    """How many more turns fit before the limit, if they are as long as the longest of the latest, and as their mean."""

    low: int
    high: int


class OwnCompactions(Result, frozen=True):
    """The compactions by the chat's own tool: how many, how many of them automatic, and the sizes of the last."""

    total: int
    automatic: int
    last_before: int | None
    last_after: int | None


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
    limit: Limit | None
    percent_of_limit: float | None
    turns_left: TurnsLeft | None
    windows_possible: tuple[int, ...]
    compactions: OwnCompactions
    messages: tuple[MessageTokens, ...] | UnsetType = UNSET
    breakdown: Breakdown | UnsetType = UNSET


class TurnShown(Result, frozen=True):
    """A turn of the chat as it is now: a message of the user, and all that follows it up to the next."""

    number: int  # as in the message, where turns that the tool replaced count too; 0 is before the user's first
    continued: bool  # whether what it begins with was replaced by the tool, or there is no such message
    messages: tuple[str, ...]
    tokens: int
    excerpt: str | None  # of its first message with anything in it; null for a summary by the tool
    shortened: bool  # whether the message has not all of what stays: a read file is a line there, a result is cut
    rules: int
    errors: int


class ChangedDraft(Result, frozen=True):
    """A draft that was changed: its id, its newest version, and when it was begun."""

    draft_id: str
    version: int
    at: str


class Draft(Result, frozen=True):
    """A compaction in the making, and all that a screen shows of it; its compaction has the draft's id."""

    draft_id: str
    version: int
    versions: tuple[DraftVersion, ...]
    undo: int | None  # the version before the last change that still holds, for `version`; null where there is none
    uri: str | None
    options: Options
    add_back: tuple[str, ...]
    report: TokenReport
    preview: Preview
    compaction: Compaction
    edited: bool
    conflict: Conflict | None
    turns: dict[str, int]  # by message id, also of those that the tool replaced; 0 is before the user's first
    strip: tuple[TurnShown, ...]
    changed: ChangedDraft | None = None  # where `chat` began this one: the draft of the same chat that was changed last


class Watched(Result, frozen=True):
    """A chat that is watched, and how full its context is now."""

    watch_id: str
    uri: str
    report: TokenReport


class Unwatched(Result, frozen=True):
    """Nothing: the watch has ended."""
