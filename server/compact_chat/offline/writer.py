"""The offline writer: a summary in any style, extracted from the structure of the chat, without a model.

A hand-over is a brief, what holds, and a record turn by turn (rules H1 to H15); other styles have the lines that fit in
their sections.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.facts import Facts, LookUp, Request, find_facts, sentences, shortened, without_bullet
from compact_chat.offline.answers import (
    MOST_STATEMENTS,
    Statement,
    best_statements,
    clause,
    names_in,
    statements_in,
    telling,
)
from compact_chat.offline.brief import CONTINUE, FILLER, QUOTED, Brief
from compact_chat.offline.lines import (
    FIRST,
    LOOKUPS,
    NOTICE,
    QUOTES,
    REPORTED,
    Group,
    Heads,
    Item,
    Line,
    best,
    bullet,
    choose,
    common_limit,
    cut,
    excerpt,
    gather,
    guarded,
    lengthened,
    safe,
    without_headings,
)
from compact_chat.offline.record import LOOKED_UP, RAN, SPOKEN, Record, edited_text, looked_text
from compact_chat.plan import Direction
from compact_chat.styles import STYLES, Slot, Summary, SummaryStyle
from compact_chat.text import counted, marked_lines, quote, turn_heading
from compact_chat.wire import Style

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

LEAST_ENDINGS = 0.2  # of the room, for how the turns ended
MOST_OF_REST = 0.7  # of what the other pieces leave, for how the turns ended
MOST_REQUEST, LEAST_REQUEST = 0.25, 0.1  # of the room, for the request under way beside what matters
SHORT_PARTS = 1  # the last rank of what has room before it: rules, preferences, tasks, the next step
BEFORE_ENDINGS = 4  # the last rank that comes before the ends of turns
MATTERS = 6  # the last rank that the usual length has room for
FOR_MORE, MOST_MORE = 0.25, 1.0  # of that, beside a long request; and at most for candidates
ENOUGH_MORE = 1000  # tokens for them, in any case
WITHOUT_MORE, FOR_CANDIDATES = 1200, 0.35  # tokens; above these, a part of the room is reserved
CANDIDATES_FIRST = 0.75  # of the rest, for what competes
SMALL = 400  # tokens; a shorter text tells sentences and not turns
REQUEST_OF_SMALL = 0.3  # of its room, for the request alone
FIRST_OF_SMALL, HEADING_TOKENS = 0.6, 4  # of its room, for the request, the rules and the next step
LEAST_FOR_SECTIONS = 150  # tokens
FIRST_RECORDED = 4  # the first rank that is not needed to start
WORDS_WORTH, MOST_TOLD = 3.0, 300  # of the user's sentences; and statements of the assistant, in a short text
MARGIN = 20  # tokens of headings
KEPT_FREE, LEAST_FOR_LOOKS = 2, 40  # of 32 parts, what look-ups leave free; tokens that they need
FOR_LONGER = 0.5  # of the room that is left, for more of what calls returned
FOR_LOOK = 0.4  # of what is left then, for one look-up with what stands around its lines
IN_WORDS = 0.5  # of the words of a sentence; those of code and logs have signs in them
_SIGNS = ".,;:!?\"'()`*…-"

_LASTS = re.compile(  # what holds beyond one request
    r"\b(?:always|never|every|each|whenever|any ?time|anymore|any ?more|from now|in future|going forward|by default"
    r"|(?:answers?|repl(?:y|ies)|commits?|messages)\b)",
    re.IGNORECASE,
)


def fitting(
    material: Material, style: Style, budget: int, count: Callable[[str], int]
) -> tuple[list[Item], Summary | None]:
    """Choose what fits, and write it.

    Pieces cost less together than one by one, so a little more is tried first.
    """
    if budget >= SMALL:
        chosen = offered(material.within(budget * 33 // 32), budget * 33 // 32, count)
        if (summary := _written(chosen, style, budget, count)) is None:
            chosen = offered(material.within(budget), budget, count)
    else:
        chosen, summary = led_on(_small(material, budget, count)), None
    while summary is None and any(item.rank < FILLER for item in chosen):
        if (summary := _written(chosen, style, budget, count)) is None:
            chosen = chosen[: -1 - len(chosen) // 50]
    return (chosen, summary) if summary else ([], None)


def _written(chosen: Sequence[Item], style: Style, budget: int, count: Callable[[str], int]) -> Summary | None:
    """Write the items; None if they say nothing of the chat, or do not fit."""
    if all(item.rank == FILLER for item in chosen):
        return None
    summary = STYLES[style].write(sections_of(_pointing(chosen)))
    return summary if count(summary.reply) <= budget else None


def offered(material: Material, budget: int, count: Callable[[str], int]) -> list[Item]:
    """Choose what comes first, then edits and findings, the ends of turns, what is left of both, and the rest."""
    record, reserved, heads = material.record, material.reserved, Heads(count)
    items = sorted(material.others, key=priority)
    first = [item for item in items if item.rank <= BEFORE_ENDINGS or item.section == "next"]
    between = [item for item in items if BEFORE_ENDINGS < item.rank <= MATTERS]
    rest = [item for item in items if item.rank > MATTERS and item.section != "next"]
    room = budget - MARGIN - reserved
    chosen, left = choose(material.with_requests(first, room), room, heads, firm=BEFORE_ENDINGS)
    named = names_in(_text(chosen))
    told, spent = best(record.candidates, named, reserved, heads)
    chosen += told
    left += reserved - spent
    written = _text(chosen)
    needed = sum(heads.cost(item) for item in between) + record.candidate_cost - spent
    ends = [*record.ended(max(MOST_OF_REST * left, left - needed), written)]
    more, left = choose(sorted([*between, *ends], key=priority), left, heads, budget)
    got_in = {id(item) for item in (*chosen, *more)}
    for item in record.shorter([item for item in ends if id(item) not in got_in], left, written, heads):
        more.append(item)
        left -= heads.cost(item)
        heads.take(item)
    named |= names_in(_text(more))
    again = [one for one in record.candidates if id(one.item) not in got_in]
    also, spent = best(again, named, round(CANDIDATES_FIRST * left), heads, budget)
    rest = [item for item in (*first, *rest) if id(item) not in got_in]
    others, left = choose(list(_new(rest, [*chosen, *more, *also])), left - spent, heads)
    spare = left - KEPT_FREE * budget // 32
    chosen, room = lengthened([*chosen, *more, *also, *others], round(FOR_LONGER * spare), count)
    room += spare - round(FOR_LONGER * spare)
    if room >= LEAST_FOR_LOOKS:
        chosen += choose([*material.looked(_text(chosen), room)], room, heads)[0]
    return led_on(chosen)


def _text(items: Iterable[Item]) -> str:
    return "\n".join(item.text for item in items)


def _new(items: Iterable[Item], chosen: Sequence[Item]) -> Iterator[Item]:
    """Yield the items, without edited files and look-ups that other items of their turn tell."""
    told, edited = defaultdict[int, str](str), defaultdict[int, set[str]](set)
    for one in chosen:
        told[one.turn] += f"\n{one.inline} {one.text.partition(chr(10))[0]}" if one.section == "record" else ""
        edited[one.turn].update(one.edited)
    for item in items:
        if item.edited:
            if names := [name for name in item.edited if name not in edited[item.turn]]:
                yield replace(item, text=edited_text(names))
        elif item.inline != LOOKED_UP or f"Called {item.text}" not in told[item.turn]:
            yield item


def led_on(chosen: Sequence[Item]) -> list[Item]:
    """Return the items without those that lead to none of the others, and what others of their turn repeat."""
    whole, last, printed = _text(chosen), dict[tuple[str, int], int](), defaultdict[int, str](str)
    for item in chosen:
        last[_group(item)] = max(item.place, last.get(_group(item), item.place))
        if item.inline in (RAN, LOOKED_UP):
            printed[item.turn] += item.text.partition(" → ")[2] + "\n"
    return [
        item
        for item in chosen
        if not (item.leads and last[_group(item)] == item.place)
        and not (item.rank == SPOKEN and whole.count(item.text.removeprefix("- ")) > 1)
        and not (item.returned and all(value in printed[item.turn] for value in item.returned))
    ]


def _pointing(chosen: Sequence[Item]) -> Sequence[Item]:
    """Return the items, the next step without a hint at a quote that is not there."""
    if any(item.section == "whereWeAre" and item.text.startswith("> ") for item in chosen):
        return chosen
    return [
        replace(item, text=item.text.replace(f"{CONTINUE}{QUOTED}", CONTINUE, 1)) if item.section == "next" else item
        for item in chosen
    ]


def _group(item: Item) -> tuple[str, int]:
    """Return what an item is written in: its section, or its turn of the record."""
    return item.section, item.turn * (item.section == "record")


def _small(material: Material, budget: int, count: Callable[[str], int]) -> list[Item]:
    """Choose for a short text: what comes first, then the sentences that tell the most for their length."""
    items, heads = sorted(material.others, key=priority), Heads(count)
    items = [item for item in items if item.section != "record"]
    first = [item for item in items if item.rank < FIRST_RECORDED and not item.long]
    room = round(budget * FIRST_OF_SMALL)
    first = [] if budget < LEAST_FOR_SECTIONS else material.with_requests(first, room)  # a heading costs too much
    if not any(item.text.startswith("> ") for item in first):
        first = [*material.brief.requests(round(budget * REQUEST_OF_SMALL)), *first]
    chosen, _ = choose(first, room, heads)
    left = budget - HEADING_TOKENS * len({"whereWeAre", *(item.section for item in chosen)})
    left -= sum(count(item.text) + 1 for item in chosen)
    told = [material.sentence(one) for one in telling(material.sentences, _text(chosen), left, count)]
    left -= sum(count(item.text) + 1 for item in told)
    return [*chosen, *told, *choose([item for item in items if item not in chosen], left, heads)[0]]


def _said_in(text: str) -> Iterator[str]:
    """Yield the sentences of a message that are in words: not its code, tables and logs."""
    for line, fenced in marked_lines(text):
        for one in () if fenced else sentences(line):
            words = one.split()
            in_words = sum(word.strip(_SIGNS).replace("'", "").isalpha() for word in words)
            if in_words >= IN_WORDS * len(words) and not one.endswith((";", "{", "}")):
                yield one


def priority(item: Item) -> tuple[int, int, int]:
    """Return by what items get in: their rank, the newest turn first, and in it the newest of what was done."""
    is_work = item.section == "decisions" or (item.section == "record" and item.rank > BEFORE_ENDINGS)
    return item.rank, -item.turn, -item.place if is_work else item.place


def sections_of(items: Sequence[Item]) -> dict[str, object]:
    """Put the items into their sections and turns, so that nothing in them can pass for a tag or a label."""
    texts, turns = defaultdict[str, list[str]](list), defaultdict[int, list[str]](list)
    in_order = sorted(items, key=lambda item: (*_group(item), item.place))
    for (section, turn, inline, _), group in groupby(in_order, _line):
        text = "; ".join(item.text for item in group)
        text = guarded(f"- {inline} {text}" if inline else text)
        (turns[turn] if section == "record" else texts[section]).append(text)
    record = [f"{turn_heading(turn)}\n{_joined(turns[turn])}" for turn in sorted(turns)]
    return {key: _joined(lines) for key, lines in texts.items()} | {"record": record}


def _line(item: Item) -> tuple[str, int, str, int]:
    """Return what items share that are in one line: those that are inline, in a row."""
    return *_group(item), item.inline, 0 if item.inline else id(item)


def _joined(texts: Sequence[str]) -> str:
    """Put pieces below each other, quotes apart: each is a message of its own."""
    return "\n".join(
        f"\n{text}" if text.startswith(">") and before.startswith(">") else text
        for before, text in pairwise(("", *texts))
    )


class Material:
    """All that a hand-over may say of what a chat holds, for one length.

    The facts are those of the whole record; of messages that are not `replaced`, by id, the words stay anyway.
    """

    def __init__(self, facts: Facts, replaced: Container[str], room: int, count: Callable[[str], int]) -> None:
        self.facts, self._replaced, self.room, self._count = facts, replaced, room, count
        self.record = Record(facts, replaced, count)
        self.brief = Brief(self.record, count)

    def within(self, room: int) -> Material:
        """Return the same for another room, sharing what does not depend on it."""
        other = copy(self)
        other.__dict__.pop("others", None)
        other.room = room
        return other

    @property
    def past_errors(self) -> frozenset[str]:
        """Errors that nothing overcame and that are no work to do, by their texts."""
        return frozenset(error.text for error in self.facts.errors if not self.record.is_open(error))

    @property
    def reserved(self) -> int:
        """The tokens that only edits, findings and texts of calls may take; the shortest texts have none."""
        return min(round(FOR_CANDIDATES * max(0, self.room - WITHOUT_MORE)), self.record.candidate_cost)

    @cached_property
    def others(self) -> list[Item]:
        """Every piece but the ends of turns."""
        return [*self.brief.within(self.room), *self.brief.lasting, *self.record.lasting]

    def with_requests(self, items: Sequence[Item], room: int) -> list[Item]:
        """Put the request under way before what matters, in the room that is left: the short parts go first (H10)."""
        costs = [self._count(item.text) + 1 for item in items]
        short = sum(cost for item, cost in zip(items, costs, strict=True) if item.rank <= SHORT_PARTS)
        beside = round((room - sum(costs)) / (1 + FOR_MORE))
        usual = min(room - short, round(MOST_REQUEST * room))
        requests = self.brief.requests(max(beside, usual, round(LEAST_REQUEST * room)), self.room)
        quoted = {f'- "{one.text.removeprefix("> ")}"' for one in requests}  # a rule that is all of a request
        return [*requests, *(one for one in items if one.text not in quoted or _LASTS.search(one.text))]

    def needed(self) -> int:
        """Return the tokens of all that matters, without look-ups, with room for what the assistant found out."""
        items = [item for item in self.others if item.rank <= MATTERS]
        left = self.room - self.reserved - sum(self._count(item.text) + 1 for item in items)
        more = self.record.candidate_cost - self.reserved
        ends = self.record.ended(max(LEAST_ENDINGS * self.room, left - min(left * (1 - MOST_OF_REST), more)))
        requests = self.brief.requests(round(MOST_REQUEST * self.room), self.room)
        needed, heads = MARGIN, Heads(self._count)
        for item in (*items, *ends, *requests):
            needed += heads.cost(item)
            heads.take(item)
        more = round(min(self.record.candidate_cost, max(ENOUGH_MORE, MOST_MORE * needed)))
        if more >= ENOUGH_MORE or self.facts.answered:
            return needed + more
        looked = (one for one in self.looked("") if one.turn in (0, self.record.last))  # of a turn that is not finished
        return needed + min(more + sum(self._count(one.text) + 1 for one in looked), ENOUGH_MORE)

    # What was only looked at, where room is left.

    def looked(self, written: str, room: int = 0) -> Iterator[Item]:
        """Tell what look-ups returned, without what is `written`."""
        for item, one in sorted(self.record.looked, key=lambda pair: (pair[0].rank, -pair[0].turn, -pair[0].place)):
            if not one.lines or any(line not in written for line in one.lines):
                told = self._longer(item, one, round(room * FOR_LOOK))
                if one.lines or not one.blocks or told is not item:  # else only other look-ups tell its lines
                    room -= self._count(told.text) + 1
                    yield told

    def _longer(self, item: Item, one: LookUp, room: int) -> Item:
        """Tell more of what a look-up returned, as far as there is room."""
        left, blocks = room - (self._count(item.text) + 1) // 2, list[tuple[int, str]]()
        for place, text in one.blocks:
            if (cost := self._count(text) + 1) > left:
                break
            left -= cost
            blocks.append((place, text))
        longer = "\n".join((one.text.partition("\n")[0], *(text for _, text in sorted(blocks))))
        return replace(item, text=looked_text(longer)) if len(longer) > len(one.text) else item

    # What a short text tells, sentence by sentence.

    @cached_property
    def sentences(self) -> list[Statement]:
        """What the user said, sentence by sentence, and what the assistant said, each worth less."""
        own = [one for one in self.facts.said if one.message in self._replaced]
        pieces = [(one, sentence) for one in own for sentence in _said_in(one.text)][-MOST_STATEMENTS:]
        rules, old = {rule.text for rule in self.facts.rules}, self.facts.corrections.old
        said = []
        for place, (one, text) in enumerate(pieces, -len(pieces)):
            worth = WORDS_WORTH * (1 + (text in rules) / 2 + (one in self.brief.under_way) / 2)
            said.append(Statement(clause(text, old), names_in(text), place, one, worth))
        spoken = (one for one in self.record.statements[-MOST_TOLD:] if not one.is_thought)
        return [*said, *(replace(one, request=None) for one in spoken)]

    def sentence(self, one: Statement) -> Item:
        """Tell a sentence in a short text: the user's quoted, in order, before the assistant's."""
        if one.request:
            return Item("whereWeAre", quote(one.text), 3, one.place)
        turn = self.record.turn_of(one.message)
        when = f" ({self.record.when(turn)})" if turn < self.record.last else ""
        return Item("whereWeAre", f"- {one.text}{when}", 3, MOST_STATEMENTS + one.place + 10)


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
        written = fitting(material_of(request), request.style, budget, count)[1]
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
        sections[slot.key] = list(_items(groups)) if slot.items else _text_of(groups, slot.bullet)
    return style.compose(sections, blank_sections=blank_sections)


def _text_of(groups: Iterable[tuple[str, list[str]]], bullet: str) -> str:
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
