"""The offline writer: a summary in any style, extracted from the structure of the chat, without a model.

Facts become lines, the lines that fit are chosen, and each style says in which of its sections a line goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from compact_chat.chat import Message
from compact_chat.facts import Facts, Request, counted, find_facts, shortened, without_bullet
from compact_chat.offline.answers import Statement, best_statements, statements_in
from compact_chat.offline.handover import Material, write_handover
from compact_chat.offline.lines import (
    FIRST,
    LOOKUPS,
    NOTICE,
    QUOTES,
    REPORTED,
    Group,
    Line,
    bullet,
    common_limit,
    cut,
    excerpt,
    gather,
    safe,
    without_headings,
)
from compact_chat.plan import Direction
from compact_chat.styles import STYLES, Slot, Summary, SummaryStyle
from compact_chat.wire import Style

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

QUOTES_SHARE = 0.5  # of the room, reserved for the user's own words
LINES_SHARE = 0.12  # and for statements of the assistant
MORE_FOR_QUOTES = 0.6  # of what the facts leave
LEFT_OUT_TOKENS = 20  # for the line that counts the messages without room
STATEMENTS_FIRST = 0.6  # of what is left then, for statements before facts beyond their share
LEAST_FOR_ALL_TITLES = 1000  # tokens; below that, blank sections are left out and requests are written once
LEAST_FOR_RULES = 250  # tokens; with less room the newest request goes before them
MORE_ROOM = 3  # times that of the others, for the newest message of the user and the first one
LEAST_LINE = 3  # tokens of the shortest line; with less room nothing is counted any more
_FRAME = (Line(NOTICE, "…", 0),)  # the least that a summary can hold
_ENTRY_FRAME = "### Error: \n- **Location**: \n- **Solution**: \n- **Prevention**:\n\n"  # an entry's overhead, roughly


class OfflineRequest(Struct, frozen=True):
    """The messages, and the token budget of their summary."""

    messages: tuple[MaskedMessage, ...]
    style: Style
    direction: Direction
    budget: int
    count: Callable[[str], int]
    immediate_task: bool = False
    facts: Facts | None = None  # of the whole record that the messages are from
    material: Material | None = None  # of the same messages, made for another length


def write_summary(request: OfflineRequest) -> Summary | None:
    """Write a summary within the budget, counted as a reply; None if it would hold nothing of the chat (rule F10)."""
    style, count, task = STYLES[request.style], request.count, request.immediate_task
    budget = min(request.budget, style.most_tokens or request.budget)
    if style.by_turn:
        written = write_handover(material_of(request), request.style, budget, count)
        return written or _least(request, _facts(request).said)
    is_wide = budget >= LEAST_FOR_ALL_TITLES
    slots = style.slots_for(request.direction, task)
    room = budget - count(_paged(_FRAME, style, slots, is_wide).reply)
    facts = request.facts.stated_in(request.messages) if request.facts else find_facts(request.messages)
    sparing = not (style.repeats_requests and is_wide)
    topics = {topic for slot in style.slots for topic in slot.topics}
    found = gather(facts, request.direction, room, task, sparing)
    pack = Pack(room, count, style)
    pack.fill([line for line in found if line.group.topic in topics], facts, request.messages)
    lines = pack.lines
    while not all(line.filler for line in lines):
        summary = _paged(lines, style, slots, is_wide)
        if count(summary.reply) <= budget:
            return summary
        lines = lines[: -1 - len(lines) // 50]
    return _least(request, facts.said)


def needed_length(request: OfflineRequest) -> int:
    """Return the tokens of a hand-over that leaves out nothing that matters."""
    return material_of(request).needed()


def _facts(request: OfflineRequest) -> Facts:
    return request.facts or find_facts(request.messages)


def material_of(request: OfflineRequest) -> Material:
    """Collect what a hand-over may say."""
    if request.material:
        return request.material.within(request.budget)
    return Material(_facts(request), {one.id for one in request.messages}, request.budget, request.count)


class Pack:
    """Lines that fit a token budget, counted as formatted in a style."""

    def __init__(self, room: int, count: Callable[[str], int], style: SummaryStyle) -> None:
        self.lines: list[Line] = []
        self.left = room
        self._room, self._count = room, count
        self._entries = {topic for slot in style.slots if slot.members for topic in slot.topics}
        self._spent: dict[Group, int] = {}
        self._heads: set[tuple[Group, str]] = set()

    def take(self, lines: Iterable[Line], capped: bool = True, keep_back: int = 0) -> list[Line]:
        """Add lines by priority, each group up to its share of the room; return those that did not fit."""
        refused = []
        for line in sorted(lines, key=lambda line: (line.group.rank, line.turn)):
            cost = self.cost(line) if self.left >= LEAST_LINE else LEAST_LINE
            spent = self._spent.get(line.group, 0) + cost
            if cost > self.left - keep_back or (capped and spent > line.group.share * self._room):
                refused.append(line)
                continue
            self.lines.append(line)
            self.left -= cost
            self._spent[line.group] = spent
            self._heads.add((line.group, line.head))
        return refused

    def cost(self, line: Line) -> int:
        """Count a line with its line feed, and with its heading if it is the first below it."""
        is_entry = line.entry and line.group.topic in self._entries
        cost = self._count("".join((_ENTRY_FRAME, *line.entry)) if is_entry else line.text) + 1
        if line.head and (line.group, line.head) not in self._heads:
            cost += self._count(line.head) + 1
        return cost

    def fill(self, facts: Sequence[Line], held: Facts, messages: Sequence[Message]) -> None:
        """Choose lines, the most valuable first: facts, quotes, telling lines."""
        if self.left >= LEAST_FOR_RULES:
            self.take(line for line in facts if line.group in FIRST)
            facts = [line for line in facts if line.group not in FIRST]
        room, count, said = self.left, self._count, held.said
        needed = count(QUOTES.heading) + sum(count(request.text) + 4 for request in said)
        kept_back = min(needed, round(QUOTES_SHARE * room))
        for_lines = round(LINES_SHARE * room)
        refused = self.take((line for line in facts if line.group != LOOKUPS), keep_back=kept_back + for_lines)
        for_quotes = min(needed, kept_back + round(MORE_FOR_QUOTES * max(0, self.left - kept_back - for_lines)))
        missing = self.take(quote_lines(said, for_quotes, count), keep_back=min(LEFT_OUT_TOKENS, self.left // 4))
        if missing:
            note = f"- [... {counted(len(missing), 'more message')} left out ...]"
            self.take([Line(QUOTES, note, 0, turn=10_000, filler=True)])
        statements = statements_in(messages, said, held.current)
        lookups = [line for line in facts if line.group == LOOKUPS]
        for share, lines in ((STATEMENTS_FIRST, [*refused, *lookups]), (1.0, [])):
            written = "\n".join(line.text for line in self.lines)
            best = best_statements(statements, written, round(share * self.left), count)
            self.take(_told(one, place) for place, one in enumerate(best))
            self.take(lines, capped=False)


def _least(request: OfflineRequest, said: Sequence[Request]) -> Summary | None:
    """Write as much of the newest request, or of the assistant's last words, as fits the smallest budgets."""
    label, words = "Newest request", said[-1].text if said else ""
    if not words:
        spoken = (m.text for m in reversed(request.messages) if m.role == "assistant" and m.text.strip())
        label, words = "The assistant's last words", next(spoken, "")
    pieces = (safe(f"{label}: {shortened(words, limit)}") for limit in (320, 160, 80, 40, 20) if words)
    summaries = map(STYLES[request.style].least, pieces)
    return next((summary for summary in summaries if request.count(summary.reply) <= request.budget), None)


def quote_lines(said: Sequence[Request], room: int, count: Callable[[str], int]) -> list[Line]:
    """Quote all user messages; the newest gets in first, then the first one, then the others going back."""
    newest = len(said) - 1
    weights = [MORE_ROOM if place in (0, newest) else 1 for place in range(len(said))]
    limit = common_limit([request.text for request in said], weights, room, count)
    turns = {newest: 0, 0: 1}
    return [
        Line(QUOTES, bullet(cut(request.text, limit * weight)), place, turn=turns.get(place, 1 + newest - place))
        for place, (request, weight) in enumerate(zip(said, weights, strict=True))
    ]


def _told(one: Statement, turn: int) -> Line:
    heading = f"On {excerpt(one.request.text, 100)}:" if one.request else "Before the first request:"
    return Line(REPORTED, f"- {one.text}", one.place, turn=turn, heading=heading)


# The sections of a summary, in which nothing of the chat can pass for a tag, a title or a label.


def _paged(lines: Sequence[Line], style: SummaryStyle, slots: Sequence[Slot], blank_sections: bool) -> Summary:
    """Sort the lines into the sections of their style, and format them."""
    if style.escapes_headings:
        lines = [structs.replace(line, text=without_headings(line.text)) for line in lines]

    def head(line: Line) -> str:
        return "" if line.group.topic == style.unheaded else line.head

    sections: dict[str, object] = {}
    for slot in slots:
        own = sorted((line for line in lines if line.group.topic in slot.topics), key=lambda line: line.order)
        if slot.members:
            values = ([*map(safe, line.entry), *("" for _ in slot.members)] for line in own)
            sections[slot.key] = [dict(zip(slot.members, entry, strict=False)) for entry in values]
            continue
        groups = [(title, [line.text for line in group]) for title, group in groupby(own, head)]
        sections[slot.key] = list(_items(groups)) if slot.items else _text(groups, slot.bullet)
    return style.compose(sections, blank_sections=blank_sections)


def _text(groups: Iterable[tuple[str, list[str]]], bullet: str) -> str:
    """Format groups of lines below their headings, with the bullets of their section."""
    paragraphs: list[str] = []
    for title, group in groups:
        texts = (bullet + text[2:] if text.startswith("- ") else text for text in group)
        paragraphs.append("\n".join([title, *texts] if title else texts))
    return safe("\n\n".join(paragraphs))


def _items(groups: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """Yield each line without a heading as an item, and those below one heading as one item."""
    for title, group in groups:
        if title:
            yield safe("\n".join((title, *group)))
        else:
            yield from (safe(without_bullet(text).replace("\n  ", "\n")) for text in group)
