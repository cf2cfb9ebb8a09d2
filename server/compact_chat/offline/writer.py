"""The offline writer: a summary in any style, extracted from the structure of the chat, without a model.

Facts become lines, the lines that fit are chosen, and each style says in which of its sections a line goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from compact_chat.facts import shortened, without_bullet
from compact_chat.offline.gather import Material, Telling, gather, left_out, quote_lines
from compact_chat.offline.lines import LOOKS, NOTICE, Group, Line, safe
from compact_chat.plan import Direction
from compact_chat.styles import STYLES, Slot, Summary, SummaryStyle
from compact_chat.wire import Style

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

QUOTES_SHARE = 0.5  # of the room, kept back for the person's own words
LINES_SHARE = 0.12  # and for telling lines
MORE_FOR_QUOTES = 0.6  # of what the facts leave
LEFT_OUT_TOKENS = 20  # for the line that counts the messages without room
SAID_FIRST = 0.6  # of what is left then, for telling lines before the facts that were over their share
LEAST_FOR_ALL_TITLES = 1000  # tokens; below that, blank sections are left out and requests are told once
LEAST_LINE = 3  # tokens of the shortest line; with less room nothing is counted any more
_FRAME = (Line(NOTICE, "…", 0),)  # the least that a summary can hold
_ENTRY_FRAME = "### Error: \n- **Location**: \n- **Solution**: \n- **Prevention**:\n\n"  # about what surrounds an entry
_HEADING = re.compile(r"^([ \t]*+)(?=#{1,6}(?:[ \t]|$))", re.MULTILINE)


class OfflineRequest(Struct, frozen=True):
    """Messages, and what their summary may cost in tokens."""

    messages: tuple[MaskedMessage, ...]
    style: Style
    direction: Direction
    budget: int
    count: Callable[[str], int]
    immediate_task: bool = False


def write_summary(request: OfflineRequest) -> Summary | None:
    """Write a summary within the budget, counted as a reply; None where nothing of the chat is in it (rule F10)."""
    style, count, task = STYLES[request.style], request.count, request.immediate_task
    budget = min(request.budget, style.most_tokens or request.budget)
    is_wide = budget >= LEAST_FOR_ALL_TITLES
    slots = style.slots_for(request.direction, task)
    room = budget - count(_paged(_FRAME, style, slots, is_wide).reply)
    sparing = not (style.repeats_requests and is_wide)
    material = gather(request.messages, request.direction, room, task, sparing=sparing)
    lines = _chosen(material, Pack(room, count, style), style, count)
    while not all(line.filler for line in lines):
        summary = _paged(lines, style, slots, is_wide)
        if count(summary.reply) <= budget:
            return summary
        lines = lines[: -1 - len(lines) // 50]
    return _least(material, style, request)


class Pack:
    """Lines that fit into a room of tokens, counted as what they become in a style."""

    def __init__(self, room: int, count: Callable[[str], int], style: SummaryStyle) -> None:
        self.lines: list[Line] = []
        self.left = room
        self._room, self._count = room, count
        self._entries = {topic for slot in style.slots if slot.members for topic in slot.topics}
        self._spent: dict[Group, int] = {}
        self._heads: set[tuple[Group, str]] = set()

    def take(self, lines: Iterable[Line], capped: bool = True, keep_back: int = 0) -> list[Line]:
        """Take the lines in their turn, each group up to its share of the room; return those that were refused."""
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
        """Count a line with its line feed, and with its heading where it is the first below it."""
        is_entry = line.entry and line.group.topic in self._entries
        cost = self._count("".join((_ENTRY_FRAME, *line.entry)) if is_entry else line.text) + 1
        if line.head and (line.group, line.head) not in self._heads:
            cost += self._count(line.head) + 1
        return cost


def _chosen(material: Material, pack: Pack, style: SummaryStyle, count: Callable[[str], int]) -> list[Line]:
    """Choose the lines that fit, in the order in which they would be given up last: facts, quotes, telling lines."""
    room, topics = pack.left, {topic for slot in style.slots for topic in slot.topics}
    needed = sum(count(said.text) + 4 for said in material.said)
    kept_back = min(needed, round(QUOTES_SHARE * room))
    facts = [line for line in material.facts if line.group.topic in topics]
    looks = [line for line in facts if line.group == LOOKS]
    for_lines = round(LINES_SHARE * room)
    refused = pack.take((line for line in facts if line.group != LOOKS), keep_back=kept_back + for_lines)
    for_quotes = min(needed, kept_back + round(MORE_FOR_QUOTES * max(0, pack.left - kept_back - for_lines)))
    missing = pack.take(quote_lines(material.said, for_quotes, count), keep_back=LEFT_OUT_TOKENS)
    pack.take(left_out(len(missing)))
    telling = Telling(material.messages, material.said)
    for share, lines in ((SAID_FIRST, [*refused, *looks]), (1.0, [])):
        known = "\n".join(line.text for line in pack.lines)
        pack.take(telling.lines(known, round(share * pack.left), count))
        pack.take(lines, capped=False)
    return pack.lines


def _least(material: Material, style: SummaryStyle, request: OfflineRequest) -> Summary | None:
    """Write as much of the newest request, or of the assistant's last words, as fits a budget that holds no more."""
    label, words = "Newest request", material.said[-1].text if material.said else ""
    if not words:
        spoken = (m.text for m in reversed(material.messages) if m.role == "assistant" and m.text.strip())
        label, words = "The assistant's last words", next(spoken, "")
    pieces = (safe(f"{label}: {shortened(words, limit)}") for limit in (320, 160, 80, 40, 20) if words)
    summaries = (style.least(piece) for piece in pieces)
    return next((summary for summary in summaries if request.count(summary.reply) <= request.budget), None)


# The sections of a summary: nothing of the chat can pass for a tag, a title or a label in them.


def _paged(lines: Sequence[Line], style: SummaryStyle, slots: Sequence[Slot], blank_sections: bool) -> Summary:
    """Sort the lines into the sections of their style, and have it write them."""
    if style.escapes_headings:
        lines = [structs.replace(line, text=_HEADING.sub(r"\1\\", line.text)) for line in lines]
    sections: dict[str, object] = {}
    for slot in slots:
        own = sorted((line for line in lines if line.group.topic in slot.topics), key=lambda line: line.order)
        if slot.members:
            values = ([*map(safe, line.entry), *("" for _ in slot.members)] for line in own)
            sections[slot.key] = [dict(zip(slot.members, entry, strict=False)) for entry in values]
        else:
            sections[slot.key] = list(_items(own, style)) if slot.items else _text(own, slot, style)
    return style.compose(sections, blank_sections=blank_sections)


def _text(lines: Sequence[Line], slot: Slot, style: SummaryStyle) -> str:
    """Write the lines below their headings, with the bullets of their section."""
    pieces: list[str] = []
    before = ""
    for line in lines:
        head = "" if line.group.topic == style.unheaded else line.head
        if head != before:
            pieces += [""] * bool(pieces) + [head] * bool(head)
        before = head
        pieces.append(slot.bullet + line.text[2:] if line.text.startswith("- ") else line.text)
    return safe("\n".join(pieces))


def _items(lines: Sequence[Line], style: SummaryStyle) -> Iterator[str]:
    """Yield lines without a heading as items; those below one are an item together, since items have no headings."""
    item: list[str] = []
    for line in lines:
        head = "" if line.group.topic == style.unheaded else line.head
        if item and head != item[0]:
            yield safe("\n".join(item))
            item = []
        if head:
            item = [*(item or [head]), line.text]
        else:
            yield safe(without_bullet(line.text).replace("\n  ", "\n"))
    if item:
        yield safe("\n".join(item))
