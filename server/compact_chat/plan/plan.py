"""Make the plan of a compaction from a chat and its options.

Before that, what an API sees of a message (rules V1 to V3), and long tool results truncated in the middle (X4 to X9).
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    Links,
    Message,
    Part,
    ResultPart,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    find_links,
    with_plain_results,
)
from compact_chat.errors import InvalidParams, MessageNotFound, checkpoint
from compact_chat.facts import summary_parts
from compact_chat.text import counted
from compact_chat.wire import Action, FateName, Options, PruneOptions


def visible(message: Message) -> Message:
    """Drop thinking, blank texts and calls outside the assistant's messages; the message itself if unchanged.

    A result loses the blank texts in its list, and says so if it had nothing else.
    """
    checkpoint()
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolResult) and not part.as_text and not all(_is_seen(one, "user") for one in part.content):
            content = tuple(one for one in part.content if _is_seen(one, "user"))
            parts.append(replace(part, content=content or (Text("(no output)"),)))
        elif _is_seen(part, message.role):
            parts.append(part)
    return with_parts(message, tuple(parts))


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """Return the message with these parts; itself if unchanged, so that `raw` survives."""
    return message if parts == message.parts else replace(message, parts=parts, raw=None)


def _is_seen(part: Part, role: Role) -> bool:
    match part:
        case Thinking():
            return False
        case Text(text):
            return bool(text) and not text.isspace()
        case ToolCall():
            return role == "assistant"
        case _:
            return True


_MARKER = re.compile(r"\n\n\[\.\.\.[0-9]{1,18} chars pruned\.\.\.\]\n\n")
# Texts that stand for pictures and documents, exempt from later cuts.
_NAME = re.compile(r"\[image\]|\[document: [^\n]*\]")


class Pruned(Struct, frozen=True):
    """A chat with its long results truncated, and what that removed."""

    messages: tuple[Message, ...]
    changed: frozenset[int]
    chars_removed: int
    blocks: int


def prune(messages: Sequence[Message], options: PruneOptions, spare: Collection[int] = ()) -> Pruned:
    """Truncate the results before the newest messages; the messages to spare stay as they are."""
    pruned = list(messages)
    removed: list[int] = []  # by each result that changed
    changed: set[int] = set()
    for index, message in enumerate(_old(messages, options)):
        if index in spare or not (cuts := _cuts(message, options)):
            continue
        parts = tuple(cuts[number][0] if number in cuts else part for number, part in enumerate(message.parts))
        pruned[index] = with_plain_results(replace(message, parts=parts, raw=None))
        removed += (characters for _, characters in cuts.values())
        changed.add(index)
    return Pruned(tuple(pruned), frozenset(changed), chars_removed=sum(removed), blocks=len(removed))


def can_prune(messages: Sequence[Message], options: PruneOptions) -> bool:
    """Return whether there is anything to truncate."""
    return any(_cuts(message, options) for message in _old(messages, options))


def _old(messages: Sequence[Message], options: PruneOptions) -> Sequence[Message]:
    return messages[: max(0, len(messages) - options.preserve_tail)]


def _cuts(message: Message, options: PruneOptions) -> dict[int, tuple[ToolResult, int]]:
    """Truncate a message's results: the changed ones and the characters each loses, by part index.

    The texts of a result are cut as one. Its pictures and documents become lines of text (rule X7).
    """
    cuts = {}
    for number, result in enumerate(message.parts):
        if not isinstance(result, ToolResult):
            continue
        parts = tuple(map(_named, result.content))
        is_own = [isinstance(one, Text) and (result.as_text or not _NAME.fullmatch(one.text)) for one in parts]
        joined = "\n".join(one.text for one, own in zip(parts, is_own, strict=True) if own and isinstance(one, Text))
        shorter = shorten(joined, options)
        if shorter != joined:
            parts = (Text(shorter), *(one for one, own in zip(parts, is_own, strict=True) if not own))
        if parts != result.content:
            cuts[number] = replace(result, content=parts), len(joined) - len(shorter)
    return cuts


def _named(part: ResultPart) -> ResultPart:
    match part:
        case Image():
            return Text("[image]")
        case Document(title):
            return Text(f"[document: {' '.join(title.split())}]")
        case _:
            return part


def shorten(text: str, options: PruneOptions) -> str:
    """Replace the middle of a text by a marker, unless it is short, already truncated (rule X8) or would not shrink."""
    left_out = len(text) - options.head - options.tail
    if len(text) <= options.max_chars or left_out <= 0:
        return text
    marker = _MARKER.match(text, options.head)
    if marker is not None and len(text) - marker.end() == options.tail:
        return text
    shorter = f"{text[: options.head]}\n\n[...{left_out} chars pruned...]\n\n{text[len(text) - options.tail :]}"
    return shorter if len(shorter) < len(text) else text


Direction = Literal["all", "from", "upTo"]
_encoder = msgspec.json.Encoder(order="deterministic")


# Tool exchanges: which messages belong together, and where a chat can be cut between them (rules K8, S1 to S9).


class Exchanges(Struct, frozen=True):
    """The exchanges of a chat, by message index."""

    links: Links
    group: tuple[int, ...]  # of each message: the first message of its exchange
    clean: tuple[bool, ...]  # of each possible cut, the one behind the last message included (rule S3)
    waiting: int  # the first message with a call that may still get its result, else the length (rule S6)

    def whole(self, indexes: Collection[int]) -> frozenset[int]:
        """Add every message that shares an exchange with one of these."""
        groups = {self.group[index] for index in indexes}
        return frozenset(index for index, group in enumerate(self.group) if group in groups)

    def clean_before(self, cut: int) -> int:
        """Return the last clean cut at or before this one."""
        return next(place for place in range(cut, -1, -1) if self.clean[place])


def find_exchanges(messages: Sequence[Message], links: Links | None = None) -> Exchanges:
    """Find the exchanges of a chat in one pass; `links` are those of its messages, if known."""
    links = links or find_links(messages)
    parent = list(range(len(messages)))  # a union-find forest: linked messages end up under the first of them
    parted = [0] * (len(messages) + 1)  # by position: the change in how many pairs a cut there would separate

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for result, call in (links.answers | links.repeats).items():
        first, second = sorted((root(call[0]), root(result[0])))
        parent[second] = first
        parted[call[0] + 1] += 1
        parted[result[0] + 1] -= 1
    turn = last_turn(messages)
    return Exchanges(
        links=links,
        group=tuple(map(root, range(len(messages)))),
        clean=tuple(pairs == 0 for pairs in accumulate(parted)),
        waiting=min((index for index, _ in links.unanswered if index >= turn), default=len(messages)),
    )


def last_turn(messages: Sequence[Message]) -> int:
    """Return where the last run of assistant messages begins, else the length."""
    begin = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            begin = index
        elif begin < len(messages):
            break
    return begin


def open_end(messages: Sequence[Message]) -> int:
    """Return where the last run of assistant messages begins if only results follow, else the length (rules K8, V7)."""
    begin = last_turn(messages)
    for message in messages[begin:]:
        only_results = message.role == "user" and all(isinstance(part, ToolResult) for part in message.parts)
        if message.role != "assistant" and not only_results:
            return len(messages)
    return begin


def front_length(messages: Sequence[Message]) -> int:
    """Count the system messages that open the chat; they are not part of the conversation (rule S8)."""
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))


# The plan: what becomes of each message.


class Fate(Struct, frozen=True):
    """A message's fate, and the reason; `becomes` is what an API sees of it in the new chat, if it stays."""

    index: int
    fate: FateName
    reason: str
    becomes: Message | None = None


class Plan(Struct, frozen=True):
    """What a compaction would do."""

    action: Action
    reason: str
    fates: tuple[Fate, ...]
    split: int = 0  # boundary between summarized and verbatim messages, an index into all of them (rules S8, Z1)
    direction: Direction = "all"  # of the prompt (rule Z2)
    front: tuple[Message, ...] = ()  # system messages that open the chat
    head: tuple[Message, ...] = ()  # stays verbatim before the summary
    summarized: tuple[Message, ...] = ()  # what the summary replaces
    tail: tuple[Message, ...] = ()  # stays verbatim behind the summary, the pinned messages first
    messages: tuple[Message, ...] = ()  # the new chat if no summary is needed, not yet made valid
    drops: frozenset[int] = frozenset()  # what the user dropped, as whole exchanges
    fewer: bool = False  # messages stay than wanted, since those alone are over the budget (rule S9)
    blocks: int = 0  # truncated tool results
    chars_removed: int = 0

    @property
    def dropped(self) -> int:
        """How many messages are dropped."""
        return sum(fate.fate == "drop" for fate in self.fates)

    @property
    def pruned(self) -> int:
        """How many messages lose part of their tool results."""
        return sum(fate.fate == "prune" for fate in self.fates)


def make_plan(
    chat: Chat, options: Options, tokens: Sequence[int], budget: int, used: int, size: Callable[[Message], int]
) -> Plan:
    """Plan a compaction; used and size decide only between the two tiers of strategy `auto` (rule Z5)."""
    match options.strategy:
        case "keep":
            return plan_keep(chat, options)
        case "prune":
            return plan_prune(chat, options)
        case "summary":
            return plan_summary(chat, options, tokens, budget)
    cut = plan_prune(chat, options)
    saving = sum(tokens) - sum(size(fate.becomes) for fate in cut.fates if fate.becomes is not None)
    if cut.blocks and used - saving < Fraction(str(options.prune_at)) * budget:
        return cut
    summary = plan_summary(chat, options, tokens, budget)
    return cut if summary.action == "none" and cut.blocks else summary


def _plan_nothing(messages: Sequence[Message], reason: str) -> Plan:
    fates = tuple(Fate(index, "keep", reason, message) for index, message in enumerate(messages))
    return Plan(action="none", reason=reason, fates=fates, messages=tuple(messages))


# What the user names: pins, drops, and the ends of a scope.


class MessageIndex:
    """Find messages by id or unique prefix."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._indexes = {message.id: index for index, message in enumerate(messages)}

    def of(self, wanted: str, path: str) -> int:
        """Return a message's index; `path` is the id's path in the params."""
        if wanted in self._indexes:
            return self._indexes[wanted]
        first = bisect_left(self._sorted, wanted)
        found = [name for name in self._sorted[first : first + 2] if wanted and name.startswith(wanted)]
        if len(found) != 1:
            several, none = (
                "begins several ids; give more of it.",
                "is not the id of a message; `preview` lists the ids.",
            )
            raise MessageNotFound(f"{path} {several if found else none}", path=path)
        return self._indexes[found[0]]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._indexes)


class Marks(Struct, frozen=True):
    """The pinned and the dropped messages, each with its whole exchange, and those named by the user."""

    pins: frozenset[int]
    drops: frozenset[int]
    named: frozenset[int]


def _find_marks(messages: Sequence[Message], options: Options, exchanges: Exchanges) -> Marks:
    """Resolve pins and drops; raise if one is not in the chat or is both."""
    places = MessageIndex(messages)
    pinned = [places.of(wanted, f"$.options.pin[{number}]") for number, wanted in enumerate(options.pin)]
    dropped = [places.of(wanted, f"$.options.drop[{number}]") for number, wanted in enumerate(options.drop)]
    pins = exchanges.whole(pinned)
    for number, index in enumerate(dropped):
        if index in pins:
            raise InvalidParams.at(f"$.options.drop[{number}]", "This message, or one of its exchange, is pinned.")
    return Marks(pins, exchanges.whole(dropped), frozenset(pinned + dropped))


def _marked_fate(message: Message, index: int, marks: Marks) -> Fate | None:
    whose = "this message" if index in marks.named else "a message of the same tool exchange"
    if index in marks.drops:
        return Fate(index, "drop", f"You dropped {whose}.")
    return Fate(index, "pin", f"You pinned {whose}.", visible(message)) if index in marks.pins else None


# Strategies that need no model: prune, and keep (rules K1 to K10).

_TOO_NEW = "It is one of the newest messages, which are not cut."


def plan_prune(chat: Chat, options: Options) -> Plan:
    """Keep all messages that are not dropped, with old results truncated."""
    marks = _find_marks(chat.messages, options, find_exchanges(chat.messages, chat.links))
    indexes = [index for index in range(len(chat.messages)) if index not in marks.drops]
    spare = [number for number, index in enumerate(indexes) if index in marks.pins]
    cut = prune([chat.messages[index] for index in indexes], options.prune, spare)
    if not cut.blocks and not marks.drops:
        return _plan_nothing(chat.messages, "No tool result before the newest messages can be cut.")
    newest = indexes[max(0, len(indexes) - options.prune.preserve_tail) :]
    too_new = {index: _TOO_NEW for index in newest if chat.messages[index].results}
    done = [f"Cut from {counted(cut.blocks, 'tool result')}: {counted(cut.chars_removed, 'character')}."]
    drops = [f"Dropped: {counted(len(marks.drops), 'message')}."]
    reason = " ".join((done if cut.blocks else []) + (drops if marks.drops else []))
    return _cut_plan("prune", reason, chat.messages, indexes, cut, marks, too_new)


def plan_keep(chat: Chat, options: Options) -> Plan:
    """Keep the messages that a rule or a pin names, without loose ends, and with old results truncated."""
    messages = tuple(map(with_plain_results, chat.messages))
    exchanges = find_exchanges(messages, chat.links)
    marks = _find_marks(messages, options, exchanges)
    # Loose ends: results without a call, and calls without a result before the end of the chat.
    end = open_end(messages)
    loose = exchanges.links.orphans.union(place for place in exchanges.links.unanswered if place[0] < end)
    tight = [
        tuple(part for number, part in enumerate(message.parts) if (index, number) not in loose)
        for index, message in enumerate(messages)
    ]
    lone = [index for index, message in enumerate(messages) if message.parts and not tight[index]]
    reasons = _keep_reasons(messages, options, exchanges)
    for index in lone:
        reasons.pop(index, None)
    indexes = sorted((reasons.keys() | marks.pins) - marks.drops)
    recent = sum(index >= len(messages) - options.keep_recent for index in indexes)
    cut = prune(
        [with_parts(messages[index], tight[index]) for index in indexes],
        replace(options.prune, preserve_tail=recent),
        spare=[number for number, index in enumerate(indexes) if index in marks.pins],
    )
    if len(indexes) == len(messages) and not cut.blocks:
        return _plan_nothing(chat.messages, "Every message is kept by a rule or a pin.")
    systems = [] if options.keep_system else [n for n, message in enumerate(messages) if message.role == "system"]
    apart = dict.fromkeys(lone, "It holds only calls without results, or results without calls.")
    apart |= dict.fromkeys(systems, "System messages are left out.")
    reason = f"Kept by rule or pin: {len(indexes)} of {counted(len(messages), 'message')}."
    plan = _cut_plan("keep", reason, messages, indexes, cut, marks, apart | reasons)
    return replace(plan, messages=_with_notice(cut.messages, indexes, len(messages)))


def _keep_reasons(messages: Sequence[Message], options: Options, exchanges: Exchanges) -> dict[int, str]:
    """Return why each message stays that a rule keeps, by index."""
    reasons = _with_keyword(messages, options.keep_keywords)
    if options.keep_tool_results:
        reasons |= {place[0]: "It holds a tool result." for place in exchanges.links.answers}
    if options.keep_first_user:  # the first that a person wrote, else the first user message with text (rule K7)
        written = [index for index, message in enumerate(messages) if message.role == "user" and message.text.strip()]
        first = next((index for index in written if not messages[index].by_host), written[0] if written else None)
        reasons |= {} if first is None else {first: "It is the first message of the user."}
    recent = range(max(0, len(messages) - options.keep_recent), len(messages))
    reasons |= dict.fromkeys(recent, "It is one of the newest messages.")
    systems = [index for index, message in enumerate(messages) if message.role == "system"]
    if options.keep_system:
        reasons |= dict.fromkeys(systems, "It is a system message.")
    else:
        reasons = {index: why for index, why in reasons.items() if messages[index].role != "system"}
    for index in exchanges.whole(reasons):
        reasons.setdefault(index, "It belongs to a tool exchange that stays.")
    return reasons


def _with_keyword(messages: Sequence[Message], keywords: Sequence[str]) -> dict[int, str]:
    """Find the messages with a keyword as a whole word in their own texts (rule K5)."""
    forms = [r"\s++".join(map(re.escape, words)) for keyword in keywords if (words := keyword.split())]
    if not forms:
        return {}
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)", re.IGNORECASE)
    found = ((index, pattern.search(message.text)) for index, message in enumerate(messages))
    return {index: f"It holds the keyword “{' '.join(match[0].split())}”." for index, match in found if match}


def _with_notice(kept: Sequence[Message], indexes: Sequence[int], length: int) -> tuple[Message, ...]:
    """Add a line at the first gap in the kept messages that counts the omitted ones."""
    if len(indexes) == length:
        return tuple(kept)
    notice = Text(f"[{counted(length - len(indexes), 'message')} omitted]")
    gap = next((number for number, index in enumerate(indexes) if number != index), len(indexes))
    host = next((number for number in range(gap, len(kept)) if kept[number].role == "user"), None)
    if host is None:
        return (*kept[:gap], Message("omitted", "user", (notice,), by_host=True), *kept[gap:])
    parts = kept[host].parts
    behind = max((number for number, part in enumerate(parts, start=1) if isinstance(part, ToolResult)), default=0)
    marked = replace(kept[host], parts=(*parts[:behind], notice, *parts[behind:]), raw=None)
    return (*kept[:host], marked, *kept[host + 1 :])


def _cut_plan(
    action: Action,
    reason: str,
    messages: Sequence[Message],
    indexes: Sequence[int],
    cut: Pruned,
    marks: Marks,
    reasons: Mapping[int, str],
) -> Plan:
    """Make a plan from the messages that stay, their truncations, and individual fates."""
    stay = {index: (cut.messages[number], number in cut.changed) for number, index in enumerate(indexes)}
    fates = []
    for index, message in enumerate(messages):
        becomes, is_cut = stay.get(index, (None, False))
        if marked := _marked_fate(message, index, marks):
            fates.append(marked)
        elif becomes is None:
            fates.append(Fate(index, "drop", reasons.get(index, "No rule keeps it.")))
        elif is_cut:
            fates.append(Fate(index, "prune", "Its old tool results are cut.", visible(becomes)))
        else:
            fates.append(Fate(index, "keep", reasons.get(index, "There is nothing to cut in it."), visible(becomes)))
    return Plan(
        action,
        reason,
        tuple(fates),
        messages=cut.messages,
        drops=marks.drops,
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


# The strategy `summary`: what a summary replaces (rules S1 to S9, Z1 to Z3).

Reason = Literal["wanted", "kept_fewer", "over_budget", "too_short", "no_boundary", "front", "waiting"]
_NOTHING = {
    "too_short": "The chat is too short: there is nothing to summarize before the newest messages.",
    "no_boundary": "The chat can be cut nowhere without parting a tool call from its result.",
    "front": "The scope holds nothing but the system messages that open the chat, and they stay.",
    "waiting": "What the scope holds stays, because a tool call in it still waits for its result.",
}
_ALL_DROPPED = "Every message that could be summarized is dropped."
_NO_NEWS = "The part to summarize holds nothing to read, or nothing but an earlier summary."
_JOINED = " An earlier summary among them becomes a part of the new one."
_FEWER = {
    "kept_fewer": " Fewer messages than wanted stay, so that no tool exchange is parted.",
    "over_budget": " Fewer messages than wanted stay, since those alone have more tokens than the budget.",
}


class Stretch(Struct, frozen=True):
    """The messages to be summarized, from `start` to before `end`; empty if they are equal."""

    start: int
    end: int
    reason: Reason = "wanted"


def plan_summary(chat: Chat, options: Options, tokens: Sequence[int], budget: int) -> Plan:
    """Plan what a summary would replace, or say why there is nothing to replace."""
    messages = chat.messages
    exchanges = find_exchanges(messages, chat.links)
    marks = _find_marks(messages, options, exchanges)
    stretch = find_stretch(messages, options, tokens, budget, exchanges, marks)
    fates = tuple(_fate(message, index, stretch, marks) for index, message in enumerate(messages))
    summarized = tuple(messages[fate.index] for fate in fates if fate.fate == "summarize")
    if not holds_news(summarized):
        part = range(stretch.start, stretch.end) or range(front_length(messages), len(messages))
        if part and marks.drops.issuperset(part):
            return _plan_nothing(messages, _ALL_DROPPED)
        return _plan_nothing(messages, _NOTHING.get(stretch.reason, _NO_NEWS))
    kept = [fate.becomes for fate in fates if fate.becomes is not None]
    stay = "stays as it is" if len(kept) == 1 else "stay as they are"
    dropped = len(fates) - len(summarized) - len(kept)
    also = f", {dropped} dropped" if dropped else ""
    start = f"A summary replaces {len(summarized)} of {counted(len(fates), 'message')}"
    joined = _JOINED if any(map(summary_parts, kept)) else ""
    fewer = _FEWER.get(stretch.reason, "")

    def staying(begin: int, end: int) -> tuple[Message, ...]:
        return tuple(messages[fate.index] for fate in fates[begin:end] if fate.becomes is not None)

    front = front_length(messages)
    head, tail = staying(front, stretch.start), staying(stretch.end, len(fates))
    scoped = options.scope.kind == "from"
    return Plan(
        action="compact",
        reason=f"{start}; {len(kept)} {stay}{also}.{joined}{fewer}",
        fates=fates,
        split=stretch.start if scoped else stretch.end,
        direction="from" if head and scoped else "upTo" if tail else "all",  # pinned messages do not count (rule Z2)
        front=staying(0, front),
        head=head,
        summarized=summarized,
        tail=(*staying(stretch.start, stretch.end), *tail),
        drops=marks.drops,
        fewer=stretch.reason == "over_budget",
    )


def _fate(message: Message, index: int, stretch: Stretch, marks: Marks) -> Fate:
    if marked := _marked_fate(message, index, marks):
        return marked
    if stretch.start <= index < stretch.end:
        return Fate(index, "summarize", "It is in the part that the summary replaces.")
    if summary_parts(message):
        return Fate(
            index, "keep", "It holds an earlier summary, which becomes a part of the new one as it is.", message
        )
    if index >= stretch.end:
        return Fate(index, "keep", "It comes after the part that the summary replaces.", visible(message))
    reason = "It is a system message" if message.role == "system" else "It comes"
    return Fate(index, "keep", f"{reason} before the part that the summary replaces.", visible(message))


def find_stretch(
    messages: Sequence[Message],
    options: Options,
    tokens: Sequence[int],
    budget: int,
    exchanges: Exchanges,
    marks: Marks,
) -> Stretch:
    """Find the part that a summary replaces, its ends moved outwards so that no exchange is split."""
    front, scope = front_length(messages), options.scope
    if scope.kind == "all":  # everything before the kept tail, which dropped messages do not count for
        left = [index for index in range(len(messages)) if index not in marks.drops]
        sizes = [tokens[index] for index in left]
        able = [messages[index] for index in left]
        cut, reason = split_point(able, options.min_keep, options.keep_recent_tokens, sizes)
        if later := _cut_within(able, cut, sizes, budget):
            cut, reason = later, "over_budget"
        return Stretch(front, [*left, len(messages)][cut] if cut else front, reason)
    path = "$.options.scope.message"
    if scope.message is None:
        raise InvalidParams.at(path, "This scope needs the id of a message.")
    place = MessageIndex(messages).of(scope.message, path)
    before_waiting = exchanges.clean_before(exchanges.waiting)  # calls that still wait for a result stay (rule S6)
    if scope.kind == "from":
        start = max(front, exchanges.clean_before(place))
        return Stretch(start, before_waiting) if start < before_waiting else Stretch(start, start, "waiting")
    widened = next(cut for cut in range(place + 1, len(messages) + 1) if exchanges.clean[cut])
    end = widened if widened <= exchanges.waiting else before_waiting
    return Stretch(front, end) if front < end else Stretch(front, front, "front" if place < front else "waiting")


def split_point(
    messages: Sequence[Message], min_keep: int, keep_recent_tokens: int, tokens: Sequence[int]
) -> tuple[int, Reason]:
    """Decide where to cut, so that at least the newest messages stay and no tool exchange is split.

    The cut is the number of messages before the kept tail, the system messages at the front counted; 0 for none.
    """
    front = front_length(messages)
    fitting = sum(size <= keep_recent_tokens for size in accumulate(reversed(tokens))) if keep_recent_tokens else 0
    wanted = len(messages) - max(min_keep, fitting)
    if wanted <= front:
        return 0, "too_short"
    exchanges = find_exchanges(messages)
    allowed = [clean and cut <= exchanges.waiting for cut, clean in enumerate(exchanges.clean)]
    back = next((cut for cut in range(wanted, front, -1) if allowed[cut]), front)
    if back > front:
        return back, "wanted"
    later = next((cut for cut in range(wanted + 1, len(allowed) - 1) if allowed[cut]), front)  # keeps a message
    return (0, "no_boundary") if later == front else (later, "kept_fewer")


def _cut_within(messages: Sequence[Message], cut: int, tokens: Sequence[int], budget: int) -> int:
    """Return where to cut instead, if what stays alone is over the budget: at the user's last message at the latest.

    0 if what stays fits, or if there is no such place (rule S9).
    """
    begin = max(cut, front_length(messages))
    left = sum(tokens[begin:])
    if not 0 < budget < left:
        return 0
    exchanges, found = find_exchanges(messages), 0
    for place, message in enumerate(messages[begin:], begin):
        is_clean = begin < place <= exchanges.waiting and exchanges.clean[place]
        if is_clean and message.role == "user" and message.text.strip() and not message.results:
            found = place
            if left <= budget:
                break
        left -= tokens[place]
    return found


def holds_news(messages: Sequence[Message]) -> bool:
    """Return whether anything here is readable and not an earlier summary (rule S7)."""
    for message in messages:
        summaries = summary_parts(message)
        for part in message.parts:
            is_blank = isinstance(part, Text | Thinking) and not part.text.strip()
            if not is_blank and not (isinstance(part, Text) and part in summaries):
                return True
    return False


def digest(chat: Chat) -> str:
    """Hash what a model would see of a chat; type names distinguish parts with equal fields."""
    messages = [
        [message.id, message.role, [[type(part).__name__, part] for part in message.sent]] for message in chat.messages
    ]
    return _hash([messages, chat.system, chat.tools, chat.model])


def plan_id(chat_digest: str, options: Options, rules: Sequence[str] = ()) -> str:
    """Hash the chat's digest, the options and the project's instructions; return the first 32 hexadecimal digits."""
    return _hash([chat_digest, msgspec.to_builtins(options), *([rules] if rules else [])])[:32]


def _hash(facts: list[Any]) -> str:
    """Hash JSON text."""
    try:
        text = _encoder.encode(facts)
    except UnicodeEncodeError:  # half a surrogate pair, which JSON text can only escape
        text = json.dumps(msgspec.to_builtins(facts), sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()
