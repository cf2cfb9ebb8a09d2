"""The hand-over without a model: a brief, what holds, and a record turn by turn (rules H1 to H15)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import groupby, pairwise, takewhile

from msgspec.structs import replace

from compact_chat.facts import (
    QUOTED_ABOVE,
    Error,
    Facts,
    LookUp,
    Note,
    Request,
    Step,
    Todo,
    counted,
    file_kind,
    fold,
    named_checks,
    plain_command,
    project_rules,
    sentences,
    shortened,
    shortened_command,
    shown_path,
    target,
    task_of,
    unkept,
    work_of,
)
from compact_chat.offline.answers import abridged, announced, both_ends
from compact_chat.offline.items import Candidate, Heads, Item, best, choose, lengthened
from compact_chat.offline.lines import block_borders, common_limit, cut, safe, with_short_code, without_headings
from compact_chat.offline.record import (
    EDITED,
    LOOKED_UP,
    MOST_PLAN,
    RECENT_COMMITS,
    SPOKEN,
    Record,
    commit_parts,
    failure,
    is_commit,
    looked_text,
)
from compact_chat.offline.statements import MOST_STATEMENTS, THOUGHT_WORTH, Statement, clause, names_in, telling
from compact_chat.styles import STYLES, Summary
from compact_chat.text import RELATIVE_TO, code, indented, quote, turn_heading
from compact_chat.wire import Style

MOST_QUOTES = 0.45  # of the room, for the user's words
LEAST_OF_ONE, ROOM_FOR_ONE = 0.75, 3000  # characters of one message by token of the room; it grows with the room
LEAST_ENDINGS = 0.2  # of the room, for how the turns ended
MOST_OF_REST = 0.7  # of what the other pieces leave, for how the turns ended
LAST_WORDS, CHARACTERS_PER_TOKEN, LONGEST_LAST = 0.15, 3, 3000  # of the room, for the last answer; in characters
STAYS_ANYWAY, ANSWER_STAYS = 400, 600  # characters of a request and of the last answer where all of it follows
MOST_REQUEST, LEAST_REQUEST = 0.25, 0.1  # of the room, for the request under way beside what matters
LEAST_COMMAND, MOST_COMMAND = 400, 2000  # characters of what a command stands for
LEAST_WORDS = 20  # characters of it
SHORT_PARTS = 1  # the last rank of what has room before it: rules, preferences, tasks, the next step
BEFORE_ENDINGS = 4  # the last rank that comes before the ends of turns
MATTERS = 6  # the last rank that the usual length has room for
FOR_MORE, MOST_MORE = 0.25, 1.0  # of that, beside a long request; and at most for candidates
ENOUGH_MORE = 1000  # tokens for them, in any case
WITHOUT_MORE, FOR_CANDIDATES = 1200, 0.35  # tokens; and of the room above that, which nothing else may take
CANDIDATES_FIRST = 0.75  # of the rest, for what competes
SMALL = 400  # tokens; a shorter text tells sentences and not turns
FIRST_OF_SMALL, HEADING_TOKENS = 0.6, 4  # of its room, for the request, the rules and the next step
LEAST_FOR_SECTIONS = 150  # tokens
FIRST_RECORDED = 4  # the first rank that is not needed to start
FILLER = 99  # the rank of what says nothing of the chat
STEPS = 20  # the place of the last steps in the brief, which a model tells itself
FIRST = -1_000_000  # the place of the user's words in a turn
SHORT = 40  # characters; a shorter request says little without the one before it
MOST_STEPS, LONGEST_STEP, LONGEST_COMMAND = 3, 110, 190  # of what comes next, and of what was done last; characters
MOST_READ, LONGEST_DETAILS = 30, 200  # files in a line; characters of a task's description
MOST_OF_A_FOLDER = 0.5  # of the paths, to make it the common one
WORDS_WORTH, MOST_TOLD = 3.0, 300  # of the user's sentences; and statements of the assistant, in a short text
MARGIN = 20  # tokens of headings
KEPT_FREE, LEAST_FOR_LOOKS = 2, 40  # of 32 parts, what look-ups leave free; tokens that they need
FOR_LONGER = 0.5  # of the room that is left, for more of what calls returned
FOR_LOOK = 0.4  # of what is left then, for one look-up with what stands around its lines
PLANNED = "Its plan, from its thoughts (not done unless the record says so): "
SAME_WORDS, MOST_ALIKE = 0.7, 12  # of a decision, in another one; and how many others are compared
THOUGHT = "It thought before (unverified): "
THOUGHTS, MOST_THOUGHT = 0.2, 400  # of the room, for both; characters of an older one
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "outcome unknown"}
_BEFORE_EDIT, ON_BRANCH, RUNNING, ISSUE = " (before the last edit)", "On branch ", "Still running: ", "State of "
_GLUED = re.compile(  # where a sentence or a number of a list follows without a blank, as in thoughts put together
    r"(?<=[a-z)`][.:!?])(?=(?:Let(?: me|['’]s)|I(?:['’]ll|['’]m|['’]ve)?|Actually|Also|But|First|However|Next|Now|So"
    r"|Then|The|This|Wait)[ ,:]|\d{1,2}[.)] )"
)
_IS_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:/").match
FEWEST_PATHS = 4  # that Git lists, to shorten them
NOT_COMMITTED, MOST_UNSEEN, MOST_OF_LIST = ("Uncommitted", "Staged, not committed"), 5, 10_000
_LISTS_PATHS = re.compile(r"(?:Uncommitted|Staged, not committed)(?: in |$)")
_RUNNER = r"(?:mise|make|just|task|npm|pnpm|yarn|bun|rake|invoke|composer)(?: run)?"  # of a project's scripts
_RUNNER_ALONE, _WHOLE_SUITE = re.compile(rf"{_RUNNER}$"), re.compile(rf"{_RUNNER} [\w:-]+$")
_NARROWS = re.compile(r"-|.*[./\\]")  # a flag or a path


def write_handover(material: Material, style: Style, budget: int, count: Callable[[str], int]) -> Summary | None:
    """Write what fits, the most valuable first; None if even the first piece does not fit."""
    return fitting(material, style, budget, count)[1]


def fitting(
    material: Material, style: Style, budget: int, count: Callable[[str], int]
) -> tuple[list[Item], Summary | None]:
    """Choose what fits, and write it.

    Pieces cost less together than one by one, so a little more is tried first.
    """
    chosen: list[Item] = []
    for room in (budget * 33 // 32, budget):
        if budget < SMALL:
            chosen = led_on(_small(material, sorted(material.items(), key=priority), budget, count))
            break
        chosen = offered(material.within(room), room, count)
        if any(item.rank < FILLER for item in chosen):
            summary = STYLES[style].write(sections_of(chosen))
            if count(summary.reply) <= budget:
                return chosen, summary
    while any(item.rank < FILLER for item in chosen):
        summary = STYLES[style].write(sections_of(chosen))
        if count(summary.reply) <= budget:
            return chosen, summary
        chosen = chosen[: -1 - len(chosen) // 50]
    return [], None


def offered(material: Material, budget: int, count: Callable[[str], int]) -> list[Item]:
    """Choose what comes first, then edits and findings, the ends of turns, what is left of both, and the rest."""
    items, heads = sorted(material.others, key=priority), Heads(count)
    reserved = material.reserved
    room = budget - MARGIN - reserved
    first = [item for item in items if item.rank <= BEFORE_ENDINGS]
    chosen, left = choose(material.with_requests(first, room), room, heads, firm=BEFORE_ENDINGS)
    named = names_in("\n".join(item.text for item in chosen))
    told, spent = best(material.candidates, named, reserved, heads)
    chosen += told
    left += reserved - spent
    written = "\n".join(item.text for item in chosen)
    between = [item for item in items if BEFORE_ENDINGS < item.rank <= MATTERS]
    needed = sum(heads.cost(item) for item in between) + material.candidate_cost - spent
    ends = [*material.ended(max(MOST_OF_REST * left, left - needed), written)]
    more, left = choose(sorted([*between, *ends], key=priority), left, heads, budget)
    got_in = {id(item) for item in more}
    shorter = material.shorter([item for item in ends if id(item) not in got_in], left, written, heads)
    for item in shorter:
        more.append(item)
        left -= heads.cost(item)
        heads.take(item)
    named |= names_in("\n".join(item.text for item in more))
    taken = {id(item) for item in (*chosen, *more)}
    again = [one for one in material.candidates if id(one.item) not in taken]
    also, spent = best(again, named, round(CANDIDATES_FIRST * left), heads, budget)
    rest = [item for item in items if id(item) not in taken and item.rank not in range(BEFORE_ENDINGS + 1, MATTERS + 1)]
    others, left = choose(list(_new(rest, [*chosen, *more, *also])), left - spent, heads)
    spare = left - KEPT_FREE * budget // 32
    chosen, room = lengthened([*chosen, *more, *also, *others], round(FOR_LONGER * spare), count)
    room += spare - round(FOR_LONGER * spare)
    if room < LEAST_FOR_LOOKS:
        return led_on(chosen)
    looked = list(material.looked("\n".join(item.text for item in chosen), room))
    return led_on([*chosen, *choose(looked, room, heads)[0]])


def _new(items: Iterable[Item], chosen: Sequence[Item]) -> Iterator[Item]:
    """Yield the items, without edited files and look-ups that other items of their turn tell."""
    told = defaultdict[int, str](str)
    for one in chosen:
        told[one.turn] += f"\n{one.inline} {one.text.partition(chr(10))[0]}" if one.section == "record" else ""
    for item in items:
        if item.text.startswith(EDITED):
            names = [
                name for name in item.text.removeprefix(EDITED).split(", ") if f"Edited {name}:" not in told[item.turn]
            ]
            item = replace(item, text=EDITED + ", ".join(names)) if names else replace(item, text=EDITED)
        elif item.inline == LOOKED_UP and f"Called {item.text}" in told[item.turn]:
            continue
        if item.text != EDITED:
            yield item


def led_on(chosen: Sequence[Item]) -> list[Item]:
    """Return the items without those that lead to none of the others, and remarks that others repeat."""
    whole = "\n".join(item.text for item in chosen)
    return [
        item
        for item in chosen
        if (not item.leads or any(_follows(other, item) for other in chosen))
        and not (item.rank == SPOKEN and whole.count(item.text.removeprefix("- ")) > 1)
    ]


def _small(material: Material, items: Sequence[Item], budget: int, count: Callable[[str], int]) -> list[Item]:
    """Choose for a short text: what comes first, then the sentences that tell the most for their length."""
    first = [item for item in items if item.rank < FIRST_RECORDED and item.section != "record" and not item.long]
    room = round(budget * FIRST_OF_SMALL)
    first = [] if budget < LEAST_FOR_SECTIONS else material.with_requests(first, room)  # a heading costs too much
    heads = Heads(count)
    chosen, _ = choose(first, room, heads)
    left = budget - HEADING_TOKENS * len({"whereWeAre", *(item.section for item in chosen)})
    left -= sum(count(item.text) + 1 for item in chosen)
    written = "\n".join(item.text for item in chosen)
    told = [material.sentence(one) for one in telling(material.sentences, written, left, count)]
    left -= sum(count(item.text) + 1 for item in told)
    return (
        chosen
        + told
        + choose([item for item in items if item not in chosen and item.section != "record"], left, heads)[0]
    )


def priority(item: Item) -> tuple[int, int, int]:
    """Return by what items get in: their rank, the newest turn first, and in it the newest of what was done."""
    is_work = item.section == "decisions" or (item.section == "record" and item.rank > BEFORE_ENDINGS)
    return item.rank, -item.turn, -item.place if is_work else item.place


def _cost(item: Item, count: Callable[[str], int]) -> int:
    return count(item.text) + 1


def _follows(item: Item, lead: Item) -> bool:
    """Whether an item stands below another one that leads."""
    same = item.section == lead.section and (item.section != "record" or item.turn == lead.turn)
    return same and item.place > lead.place


def sections_of(items: Sequence[Item]) -> dict[str, object]:
    """Put the items into their sections and turns, so that nothing in them can pass for a tag or a label."""
    texts, turns = defaultdict[str, list[str]](list), defaultdict[int, list[str]](list)
    in_order = sorted(items, key=lambda item: (item.section, item.section == "record" and item.turn, item.place))
    for (section, turn, inline, _), group in groupby(in_order, _line):
        text = "; ".join(item.text for item in group)
        text = shown(f"- {inline} {text}" if inline else text)
        (turns[turn] if section == "record" else texts[section]).append(text)
    record = [f"{turn_heading(turn)}\n{_joined(turns[turn])}" for turn in sorted(turns)]
    return {key: _joined(lines) for key, lines in texts.items()} | {"record": record}


def _line(item: Item) -> tuple[str, int, str, int]:
    """Return what items share that are in one line: those that are inline, in a row."""
    return item.section, item.turn * (item.section == "record"), item.inline, 0 if item.inline else id(item)


def shown(text: str) -> str:
    """Escape what could pass for a heading, a tag or a label."""
    return safe(without_headings(text))


def _joined(texts: Sequence[str]) -> str:
    """Put pieces below each other, quotes apart: each is a message of its own."""
    return "\n".join(
        f"\n{text}" if text.startswith(">") and before.startswith(">") else text
        for before, text in pairwise(("", *texts))
    )


def turns_of(facts: Facts) -> dict[str, int]:
    """Map each message to its turn: how many messages of the user there were by then.

    Where a tool's compaction moved the user's words behind the work for them, each answer without calls ends a turn, if
    there are as many of these as there are requests in a row; else what follows the last answer is of the last turn.
    """
    typed, turn, turns = {request.message for request in facts.requests}, 0, dict[str, int]()
    spoken = [one for one in facts.messages if one.id in typed or (one.role == "assistant" and not one.is_summary)]
    before = list(takewhile(lambda one: one.id not in typed, spoken))
    asked = sum(1 for _ in takewhile(lambda one: one.id in typed, spoken[len(before) :]))
    ends = [one.id for one in before if not one.calls and one.text.strip()]
    is_moved = asked > 1 and len(ends) > 0
    agree = is_moved and len(ends) - (before[-1].id in ends) in (asked - 1, asked)
    number = 1 if agree else 0
    for message in facts.messages:
        if message.id in typed:
            number = 0
            turn += 1
        turns[message.id] = min(number, asked) or turn
        if is_moved and message.id in ends:
            number = number + 1 if agree else asked * (message.id == ends[-1])
    return turns


class Material:
    """All that a hand-over may say of what a chat holds.

    The facts are those of the whole record; of messages that are not `replaced`, by id, the words stay anyway.
    """

    def __init__(self, facts: Facts, replaced: Container[str], room: int, count: Callable[[str], int]) -> None:
        self.facts, self._replaced, self._room, self._count = facts, replaced, room, count
        self._work = work_of(facts)
        self._turns = turns_of(facts)
        self._last = max(self._turns.values(), default=0)
        self._record = Record(facts, replaced, self._turns)

    def within(self, room: int) -> Material:
        """Return the same for another room, sharing what does not depend on it."""
        other = copy(self)
        for name in ("others", "_last_words", "_shortened"):
            other.__dict__.pop(name, None)
        other.__dict__.update(_room=room, _lasting=self._lasting, candidate_cost=self.candidate_cost)
        return other

    @property
    def candidates(self) -> list[Candidate]:
        """What competes for the room that is left."""
        return self._record.candidates

    @cached_property
    def spoken(self) -> list[Candidate]:
        """What the assistant said, line by line, also in its answers."""
        said = (one for one in self._record.statements if one.worth != THOUGHT_WORTH)
        return [Candidate(replace(self._record.statement(one), share=1.0), one.names) for one in said]

    @cached_property
    def candidate_cost(self) -> int:
        """The tokens of all that competes."""
        return sum(_cost(one.item, self._count) for one in self.candidates)

    @property
    def reserved(self) -> int:
        """The tokens that only edits, findings and texts of calls may take; the shortest texts have none."""
        return min(round(FOR_CANDIDATES * max(0, self._room - WITHOUT_MORE)), self.candidate_cost)

    @cached_property
    def sentences(self) -> list[Statement]:
        """What the user said, sentence by sentence, and what the assistant said, each worth less."""
        own = [one for one in self.facts.said if one.message in self._replaced]
        pieces = [(one, sentence) for one in own for sentence in sentences(one.text)][-MOST_STATEMENTS:]
        rules, old = {rule.text for rule in self.facts.rules}, self.facts.corrections.old
        said = []
        for place, (one, text) in enumerate(pieces, -len(pieces)):
            worth = WORDS_WORTH * (1 + (text in rules) / 2 + (one in self.under_way) / 2)
            said.append(Statement(clause(text, old), names_in(text), place, one, worth))
        spoken = (one for one in self._record.statements[-MOST_TOLD:] if one.worth != THOUGHT_WORTH)
        return [*said, *(replace(one, request=None) for one in spoken)]

    def sentence(self, one: Statement) -> Item:
        """Tell a sentence in a short text: the user's quoted, in order, before the assistant's."""
        if one.request:
            return Item("whereWeAre", quote(one.text), 3, one.place)
        return Item("whereWeAre", f"- {one.text}", 3, MOST_STATEMENTS + one.place + 10)

    def items(self) -> Iterator[Item]:
        """Yield every piece; the answers have what room the others leave, but at least their share."""
        left = self._room - self.reserved
        left -= sum(_cost(item, self._count) for item in self.others if item.rank <= MATTERS)
        more = self.candidate_cost - self.reserved
        yield from self.others
        yield from self.ended(max(LEAST_ENDINGS * self._room, left - min(left * (1 - MOST_OF_REST), more)))

    def ended(self, room: float, written: str = "") -> Iterator[Item]:
        """Tell how the turns ended, without what is written already."""
        return self._record.ended(room, self._count, written)

    def shorter(self, ends: Sequence[Item], room: int, written: str, heads: Heads) -> list[Item]:
        """Tell how turns ended whose answers had no room as they were: shorter, else only with a mark."""
        return [*self._record.shorter(ends, room, written, heads)]

    @cached_property
    def others(self) -> list[Item]:
        """Every piece but the ends of turns."""
        return [*self._where_we_are(), *self._quotes(), *self._decisions(), *self._lasting]

    @cached_property
    def _lasting(self) -> list[Item]:
        """The pieces that are the same for all lengths."""
        return [
            *self._thoughts(),
            *self._next(),
            *self._rules(),
            *self._watch_out(),
            *self._open(),
            *self._files(),
            *self._record.before(),
            *self._record.pictures(),
            *self._record.doings(),
            *self._record.replied(),
            *self._record.findings(self._is_open),
            *self._record.claims(),
        ]

    def _turn(self, message: str) -> int:
        return self._turns.get(message, 0)

    def needed(self) -> int:
        """Return the tokens of all that matters, without look-ups, with room for what the assistant found out."""
        items = [item for item in self.items() if item.rank <= MATTERS]
        items += self._requests(round(MOST_REQUEST * self._room))
        needed, heads = MARGIN, Heads(self._count)
        for item in items:
            needed += heads.cost(item)
            heads.take(item)
        more = round(min(self.candidate_cost, max(ENOUGH_MORE, MOST_MORE * needed)))
        return needed + (more if more >= ENOUGH_MORE else min(more + self._looked_cost, ENOUGH_MORE))

    # What was only looked at, where room is left.

    def looked(self, written: str, room: int = 0) -> Iterator[Item]:
        """Tell what look-ups returned, without what is `written`."""
        for item, one in sorted(self._record.looked, key=lambda pair: (pair[0].rank, -pair[0].turn, -pair[0].place)):
            if not one.lines or any(line not in written for line in one.lines):
                told = self._longer(item, one, round(room * FOR_LOOK))
                if one.lines or not one.blocks or told is not item:  # else only other look-ups tell its lines
                    room -= _cost(told, self._count)
                    yield told

    def _longer(self, item: Item, one: LookUp, room: int) -> Item:
        """Tell more of what a look-up returned, as far as there is room."""
        left, blocks = room - _cost(item, self._count) // 2, list[tuple[int, str]]()
        for place, text in one.blocks:
            if (cost := self._count(text) + 1) > left:
                break
            left -= cost
            blocks.append((place, text))
        longer = "\n".join((one.text.partition("\n")[0], *(text for _, text in sorted(blocks))))
        return replace(item, text=looked_text(longer)) if len(longer) > len(one.text) else item

    def _thoughts(self) -> Iterator[Item]:
        """Tell the plan of a turn that is not finished, and what was thought since its last words."""
        said = self._last_words
        lines = [line for line in self._record.plan.split("\n") if any(one not in said for one in sentences(line))]
        if plan := " ".join(_GLUED.sub(" ", " ".join(lines)).split()):
            yield Item(
                "whereWeAre", f"- {PLANNED}{both_ends(plan, MOST_PLAN)}", 4, STEPS - 1, len(self._turns), share=THOUGHTS
            )
        for number, (place, text) in enumerate(self._record.thoughts, 1):
            short = abridged("\n".join(sentences(text)), MOST_THOUGHT)
            thought = f"- {THOUGHT}{' '.join(short.split())}"
            yield Item("whereWeAre", thought, 4, STEPS - 1 - number, place - 4 * len(self._turns), share=THOUGHTS)

    @property
    def _looked_cost(self) -> int:
        """The tokens that a turn that is not finished needs for its plan and what it looked at."""
        if self.facts.answered:
            return 0
        return sum(_cost(one, self._count) for one in self.looked("") if one.turn in (0, self._last))

    # The brief.

    @cached_property
    def under_way(self) -> tuple[Request, ...]:
        """The newest request, and the one before it if it says little by itself."""
        said = self.facts.said
        return said[-2:] if said and len(said[-1].text) < SHORT else said[-1:]

    @cached_property
    def _command(self) -> str:
        """What a command of the tool asks for, where no person typed anything: the text that it stands for."""
        given = []
        for message in self.facts.messages if not self.facts.said else ():
            if message.role != "user":
                break
            given += [message.sent_text] if message.by_host else []
        return given[-1].strip() if given else ""

    @cached_property
    def _question(self) -> str:
        """What the assistant asked at the end of its turn."""
        if not (self.facts.answered and self._work.said):
            return ""
        ending = sentences(self._work.said.text[-2000:])[-3:]
        return " ".join(one for one in ending if one.rstrip("*_ )").endswith(("?", "？")))

    def with_requests(self, items: Sequence[Item], room: int) -> list[Item]:
        """Put the request under way before what matters, in the room that is left: the short parts go first (H10)."""
        costs = [self._count(item.text) + 1 for item in items]
        short = sum(cost for item, cost in zip(items, costs, strict=True) if item.rank <= SHORT_PARTS)
        beside = round((room - sum(costs)) / (1 + FOR_MORE))
        usual = min(room - short, round(MOST_REQUEST * room))
        return [*self._requests(max(beside, usual, round(LEAST_REQUEST * room))), *items]

    def _requests(self, room: int) -> list[Item]:
        """Quote the request under way within a room, the newest words first; what stays anyway is only begun."""
        items = list[Item]()
        for place, request in reversed(list(enumerate(self.under_way))):
            limit = common_limit([request.text], [1], room, self._count)
            limit = limit if request.message in self._replaced else min(limit, STAYS_ANYWAY)
            borders = block_borders(request.text)
            text = quote(cut(request.text, limit, borders))
            while (cost := self._count(shown(text)) + 1) > room and limit > LEAST_WORDS:
                limit = limit * 9 // 10
                text = quote(cut(request.text, limit, borders))
            if cost <= room:
                room -= cost
                items.append(Item("whereWeAre", text, 0, place, self._turn(request.message)))
        return items

    def _where_we_are(self) -> Iterator[Item]:
        if self._command:
            head, borders = "- A command of the tool gave the task, in its own words:", block_borders(self._command)
            least, most = (
                f"{head}\n{indented(cut(self._command, limit, borders))}" for limit in (LEAST_COMMAND, MOST_COMMAND)
            )
            yield Item("whereWeAre", least, 1, long=True, longer=(most,))
        if said := self._work.said:
            head = "The assistant answered:"
            if not self.facts.answered:
                is_begun = self._turn(said.message) == self._last
                head = f"The assistant {'is working on it. Its last message:' if is_begun else 'had said before that:'}"
            yield Item("whereWeAre", f"- {head}\n{indented(self._last_words)}", 2, 10, long=True)
        if self._work.steps and not self.facts.answered:
            steps = [
                f"{step.call.name} {code(_about(step))} → {self._ended_with(step)}"
                for step in self._work.steps
                if self._is_news(step)
            ]
            if steps:
                yield Item("whereWeAre", f"- Last steps: {'; '.join(steps)}", 2, STEPS)
        if folder := self._record.folder:
            yield Item("whereWeAre", f"- Commands ran in {code(shown_path(folder))}", 4, STEPS + 1)
        yield from self._state()

    def _state(self) -> Iterator[Item]:
        """Tell what notes of the state hold: branches, issues, commits, checks, what still runs."""
        recent = [note.key for note in self.facts.notes if is_commit(note)][-RECENT_COMMITS:]
        told = [note.text for note in self.facts.notes if note.key in recent and note.text.endswith(" (pushed)")]
        pushed = {f"Pushed {text.removesuffix(' (pushed)').rpartition(' on ')[2]}" for text in told}
        pushed |= {"Pushed commits"} if told else set()
        branches = [note.text.split(" in ", 1) for note in self.facts.notes if note.text.startswith(ON_BRANCH)]
        folder = common_folder([f"{one[1]}/" for one in branches if len(one) > 1])
        changed = [use for use in self.facts.uses if use.kind != "read"]
        for place, note in enumerate(self.facts.notes):
            if note.text.partition(" in ")[0] in pushed or self._is_named(note):
                continue
            if note.ok and not note.text.endswith(_BEFORE_EDIT) and (note.key in recent or not is_commit(note)):
                turn, rank, at = self._turn(note.message), 3, 30 + place
                text, head = f"- {note.text}", ""
                if is_commit(note):
                    text, head = commit_parts(note)
                elif note.key.startswith("check "):
                    text, head = note.text, "Checked since the last edit:" if self._edited else "Checked:"
                elif note.text.startswith(ISSUE):
                    text, head, at = note.text.removeprefix(ISSUE), "Issues and requests:", 29
                elif note.text.startswith(RUNNING):
                    rank = 2
                elif folder and note.text.startswith(ON_BRANCH):
                    name, _, where = note.text.removeprefix(ON_BRANCH).partition(" in ")
                    text, head, at = f"{name} in {within(where, folder)}", f"On branches, below {code(folder)}:", 28
                    rank = 3 if any(use.path.startswith(f"{where}/") for use in changed) else 8
                yield Item("whereWeAre", text, rank, at, turn, share=0.15, inline=head)

    def _is_news(self, step: Step) -> bool:
        """Whether a step is the last one, or did more than to look at something; what still runs is told anyway."""
        if any(note.first == step.message and note.text.startswith(RUNNING) for note in self.facts.notes):
            return False
        changes = file_kind(step) in ("write", "edit") or (step.command and not task_of(step).only_reads)
        return bool(changes) or step.outcome != "ok" or step is self._work.steps[-1]

    def _ended_with(self, step: Step) -> str:
        """Return what a step said last, or its outcome."""
        said = self._record.outcomes.get(id(step), "") if step.outcome == "ok" else ""
        return code(shortened(said, LONGEST_STEP)) if said and said != "ok" else _OUTCOMES[step.outcome]

    @cached_property
    def _last_words(self) -> str:
        """The assistant's last words, abridged."""
        said = self._work.said
        if not said:
            return ""
        most = LONGEST_LAST if said.message in self._replaced else ANSWER_STAYS
        limit = min(most, max(200, round(self._room * LAST_WORDS * CHARACTERS_PER_TOKEN)))
        words = self.facts.current(said.text, said.message)
        return abridged(words, limit) or shortened(words, limit)

    def _is_named(self, note: Note) -> bool:
        """Whether a note of a commit or a push names the branch that a note tells of."""
        branch = note.text.removeprefix(ON_BRANCH).partition(" in ")[0]
        texts = (one.text.partition(" (")[0] for one in self.facts.notes)
        return branch != note.text and any(
            text.endswith(f" on {branch}") or text.partition(" in ")[0] == f"Pushed {branch}" for text in texts
        )

    @cached_property
    def _edited(self) -> str:
        """Where the last edit was: the file, and the turn."""
        use = next((use for use in reversed(self.facts.uses) if use.kind != "read"), None)
        name = shown_path(use.path.replace("\\", "/").rpartition("/")[2]) if use else ""
        turn = self._turn(use.message) if use else 0
        return (code(name) + (f", {self._record.when(turn)}" if turn else "")) if use else ""

    @cached_property
    def _todo(self) -> list[Todo]:
        """The tasks that are not done, the one in progress first."""
        return sorted((one for one in self.facts.todos if one.status != "done"), key=lambda one: one.status != "doing")

    @cached_property
    def _left_open(self) -> list[str]:
        """What the last answer leaves open, where its turn has no tasks of its own: its sentences, else its points."""
        if (
            self._question
            or not self.facts.answered
            or any(self._turn(one.message) == self._last for one in self._todo)
        ):
            return []
        told = [end for end in self.facts.open_ends if not end.listed]
        return [end.text for end in (told or self.facts.open_ends)[-MOST_STEPS:]]

    def _next(self) -> Iterator[Item]:
        steps, said = [shortened(one.text, 200) for one in self._todo[:MOST_STEPS]], self._work.said
        if self._question:
            steps.insert(0, f"Waiting for the user: {self._question}")
        elif not self.facts.answered and (self.under_way or self._command):
            about = announced(said.text) if said and self._turn(said.message) == self._last else ""
            since = sum(
                1 for step in self.facts.steps if said and not self._record.is_before(step.message, said.message)
            )
            about += f" ({counted(since, 'call')} since then, see Last steps and the record)" if about and since else ""
            steps.insert(0, f"Continue with the request quoted above{f': {about}' if about else '.'}")
        elif said and self.facts.answered and (about := announced(said.text)):
            steps.insert(0, f"The assistant announced: {about}")
        elif self._left_open:
            steps = [f"Left open: {shortened(end, 300)}" for end in self._left_open]
        elif not steps and self.facts.answered:
            yield Item("next", "The assistant answered, and no task is open: wait for the user.", FILLER)
        for place, step in enumerate(steps, 1):
            yield Item("next", f"{place}. {step}", 1, place)

    # What holds, and what is open.

    def _rules(self) -> Iterator[Item]:
        for place, rule in enumerate(self.facts.rules):
            if not rule.superseded:
                rank = int(rule.kind != "constraints")
                yield Item("rules", f'- "{rule.text}"', rank, place + rank * len(self.facts.rules), share=0.6)
        host = [(message.id, message.sent_text) for message in self.facts.messages if message.by_host]
        for path, rules in project_rules(self.facts.steps, host).items():
            name = path.replace("\\", "/").rpartition("/")[2]
            head = f"{code(shown_path(name))} of the project says:"
            for place, text in enumerate(rules):
                yield Item("rules", text, 5, 10_000 + place, share=0.12, inline=head)

    def _decisions(self) -> Iterator[Item]:
        typed = {request.message: request.text for request in self.facts.said if request.message in self._replaced}
        newest = {request.message for request in self.under_way}  # which stand above
        seen: list[set[str]] = []
        for place, one in reversed(list(enumerate(self.facts.decisions))):
            is_users = one.message in typed and not one.mark
            if one.text in self._last_words or (is_users and one.message in newest):
                continue
            if is_users and len(typed[one.message]) <= self._shortened[1]:  # it is quoted whole
                continue
            words = set(fold(one.text).lower().split())
            if any(len(words & other) > SAME_WORDS * min(len(words), len(other)) for other in seen[-MOST_ALIKE:]):
                continue
            seen.append(words)
            turn = self._turn(one.message)
            told = f'The user: "{one.text}"' if is_users else " ".join(filter(None, (one.text, one.why)))
            if is_users or one.is_reasoned:
                text = f"- {told}" + (f" ({self._record.when(turn)})" if turn else "")
                yield Item("decisions", text, 5 if is_users else 4, place, turn, share=0.16)

    def _watch_out(self) -> Iterator[Item]:
        if unseen := list(self._unseen()):
            yield Item(
                "watchOut", f"- Not seen in this chat: {', '.join(unseen[:MOST_UNSEEN])}", 2, -MOST_OF_LIST, share=0.1
            )
        own = [message for message in self.facts.messages if message.id in self._replaced]
        for place, one in enumerate(list(unkept(own, self.facts.uses))[-MOST_STEPS:], 1):
            text = f'- Announced, but no edit followed: "{one.text}"'
            yield Item("watchOut", text, 2, MOST_OF_LIST + place, self._turn(one.message), share=0.1)
        for place, note in enumerate(self.facts.notes):
            if note.text.endswith(_BEFORE_EDIT):
                if any(includes(other, note) for other in self.facts.notes):
                    continue
                head, text = (
                    f"Not run again since the last edit ({self._edited}):",
                    note.text.removesuffix(_BEFORE_EDIT),
                )
                yield Item("watchOut", text, 2, place, share=0.1, inline=head)
            elif not note.ok:
                text = self._within_files(note.text)
                yield Item("watchOut", f"- {text}", 2, place - len(self.facts.notes), share=0.1)

    def _unseen(self) -> Iterator[str]:
        """Yield what files that were changed wait for: a commit, a test, a check that the user or a task names."""
        edits = [use.message for use in self.facts.uses if use.kind != "read" and use.path not in self.facts.removed]
        if not edits:
            return
        commits = [note.message for note in self.facts.notes if is_commit(note)]
        if not any(note.text.startswith(NOT_COMMITTED) for note in self.facts.notes):
            if not commits:
                yield "a commit"
            elif self._record.is_before(commits[-1], edits[-1]):
                yield "a commit of the last edits"
        ran = [note.text.partition(" → ")[0] for note in self.facts.notes if note.key.startswith("check ")]
        if not any("test" in name for name in ran):
            yield "a test run"
        texts = [*(one.text for one in self.facts.said), *(f"```\n{one.details}\n```" for one in self._todo)]
        yield from (
            code(name) for name in named_checks(texts) if not any(f"{one} ".startswith(f"{name} ") for one in ran)
        )

    def _within_files(self, text: str) -> str:
        """Shorten a list of paths that Git names, where they are the changed files or share a folder."""
        head, _, listed = text.partition(": ")
        paths = listed.split(", ")
        known = {use.path.replace("\\", "/") for use in self.facts.uses if use.kind != "read"} - self.facts.removed
        own = {path: [one for one in known if one.endswith(f"/{path}")] for path in paths}
        if len(paths) < FEWEST_PATHS or not _LISTS_PATHS.match(head):
            return text
        folder = common_folder(paths)
        if all(own.values()):
            missing = sorted(known - {one for found in own.values() for one in found})
            if not missing:
                return f"{head}: all changed files ({len(paths)})"
        if folder and sum(path.startswith(f"{folder}/") for path in paths) > 1:
            return f"{head}, in {code(folder)}: {', '.join(within(path, folder) for path in paths)}"
        return text

    def _open(self) -> Iterator[Item]:
        for place, todo in enumerate(one for one in self.facts.todos if one.status != "done"):
            mark = "(in progress) " if todo.status == "doing" else ""
            text = f"- [ ] {mark}{' '.join(todo.text.split())}"
            text += f": {shortened(todo.details, LONGEST_DETAILS)}" if todo.details else ""
            yield Item("open", text, 1, place, turn=bool(mark), share=0.15)
        first = len(self.facts.todos)
        for place, end in enumerate(self.facts.open_ends, first):
            if end.text in self._left_open:
                continue
            if end.text not in self._question and not (self._question and self._work.said and end.listed):
                yield Item("open", f"- {end.text}", 2, place, self._turn(end.message), share=0.1)
        first += len(self.facts.open_ends)
        left = filter(self._is_open, self.facts.errors)
        for place, (_, same) in enumerate(groupby(left, key=lambda one: (one.message, one.where)), first):
            error, *more = same
            turn = self._turn(error.message)
            text = f"- Last failed{f' in {self._record.when(turn)}' if turn else ''}: {failure(error, more)}"
            yield Item("open", text, 2, place, turn, share=0.2)

    @property
    def past_errors(self) -> frozenset[str]:
        """Errors that nothing overcame and that are no work to do, by their texts."""
        return frozenset(error.text for error in self.facts.errors if not self._is_open(error))

    def _is_open(self, error: Error) -> bool:
        """Whether an error is work to do: one of a program that builds, tests or publishes, or one of the last turn."""
        here = self._turn(error.message) == self._last
        return not error.fixed and (error.sort == "run" or (here and error.sort == "call"))

    def _files(self) -> Iterator[Item]:
        added = {new.path: new.names for new in self.facts.new_names}
        changes, read, turns = defaultdict[str, Counter[str]](Counter), dict[str, None](), dict[str, int]()
        for use in self.facts.uses:
            turns[use.path] = self._turn(use.message)
            if use.kind == "read":
                read[use.path] = None
            else:
                changes[use.path][{"write": "written", "edit": "edited"}[use.kind]] += 1
        folder = common_folder((*changes, *read))
        if folder:
            yield Item("files", f"{RELATIVE_TO}{code(shown_path(folder))}:", 4, turn=self._last, leads=True)
        gone = list[str]()
        for place, path in enumerate(sorted(changes, key=turns.__getitem__), 1):
            if path in self.facts.removed:
                gone.append(_shown(path, folder))
                continue
            what = ["written"] if "written" in changes[path] else []
            if names := added.get(path):
                what.append(f"new: {', '.join(names)}")
            text = _shown(path, folder) + (f" ({'; '.join(what)})" if what else "")
            yield Item("files", text, 4, place, turns[path], share=0.25, inline="Changed, the last one last:")
        if gone:
            yield Item(
                "files", f"- Removed: {', '.join(gone[:MOST_READ])}", 4, 1 + len(changes), self._last, share=0.25
            )
        for place, new in enumerate(self.facts.new_names, 3 + len(changes)):
            if new.tests and new.path not in self.facts.removed:
                text = f"- New tests in {_shown(new.path, folder)}: {', '.join(new.tests)}"
                yield Item("files", text, 4, place, turns.get(new.path, 0), share=0.25)
        only = sorted((path for path in read if path not in changes), key=lambda path: -turns[path])
        if only:
            listed = ", ".join(_shown(path, folder) for path in only[:MOST_READ])
            yield Item("files", f"- Only read: {listed}", 8, 2 + len(changes), share=0.1)

    @property
    def _quoted(self) -> list[Request]:
        """The user's words but for those that stand above."""
        above = {id(request) for request in self.under_way}
        return [one for one in self.facts.said if id(one) not in above and one.message in self._replaced]

    @cached_property
    def _shortened(self) -> tuple[list[str], int]:
        """The user's words, without long code if not all fits, and the characters that each message has."""
        texts = [request.text for request in self._quoted]
        room = MOST_QUOTES * self._room
        if sum(self._count(text) + 2 for text in texts) > room:
            texts = [with_short_code(text) for text in texts]
        most = round(self._room * max(LEAST_OF_ONE, self._room / ROOM_FOR_ONE))
        return texts, min(most, common_limit(texts, [1] * len(texts), room, self._count))

    def _quotes(self) -> Iterator[Item]:
        """Quote the user; long messages are shortened so that all fit."""
        texts, limit = self._shortened
        for place, (request, text) in enumerate(zip(self._quoted, texts, strict=True)):
            words = quote(cut(text, limit, block_borders(text)))
            yield Item("record", words, 3, FIRST + place - len(texts), self._turn(request.message))
        for request in self.under_way:
            if request.message in self._replaced:
                yield Item("record", f"> {QUOTED_ABOVE}", 4, FIRST, self._turn(request.message), leads=True)


def includes(check: Note, stale: Note) -> bool:
    """Whether a check that passed since the last edit says what one before would: with less left out, or all."""
    if not check.ok or not check.key.startswith("check ") or check.text.endswith(_BEFORE_EDIT):
        return False
    name, narrower = (one.text.partition(" → ")[0] for one in (check, stale))
    words, of_narrower = set(name.split()), set(narrower.split())
    if words < of_narrower and all(map(_NARROWS.match, of_narrower - words)) and not _RUNNER_ALONE.match(name):
        return True
    if not _WHOLE_SUITE.match(name) or _WHOLE_SUITE.match(narrower):  # another script of the project
        return False
    sort, own = (next((one for one in ("test", "lint", "build") if one in text), "") for text in (name, narrower))
    return sort != "" and (own == sort or (own, sort) == ("build", "test"))


def warned(check: str) -> str:
    """Say of a check that passed before the last edit that it may fail now."""
    text = check.removesuffix(_BEFORE_EDIT)
    return check if text == check else f"Not run again since the last edit: {text}"


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder whose name says most of the paths shorter: one that at least half of them are in.

    Of relative paths all have to be in it, else the others would seem to be.
    """
    folders = [path.replace("\\", "/").split("/")[:-1] for path in paths]
    within = Counter("/".join(names[:depth]) for names in folders for depth in range(2, len(names) + 1))
    most = (
        folder
        for folder, number in within.items()
        if number > 1 and number >= (MOST_OF_A_FOLDER if _IS_ABSOLUTE(folder) else 1) * len(folders)
    )
    return max(most, key=lambda folder: (within[folder] * len(folder), -len(folder)), default="")


def within(path: str, folder: str) -> str:
    """Return a path as seen from a folder, if it is in it."""
    return path.replace("\\", "/").removeprefix(f"{folder}/") if folder else path


def _shown(path: str, folder: str) -> str:
    return code(shown_path(within(path, folder)))


def _about(step: Step) -> str:
    if not step.command:
        return shortened(target(step), LONGEST_STEP)
    return shortened_command(plain_command(step.command), LONGEST_COMMAND)
