"""The hand-over without a model: a brief, what holds, and a record turn by turn (rules H1 to H15)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.facts import (
    QUOTED_ABOVE,
    Command,
    Error,
    Facts,
    Note,
    Request,
    Step,
    command_head,
    commands,
    counted,
    error_head,
    file_kind,
    fold,
    paths_of_step,
    same_command,
    sentences,
    shortened,
    shown_path,
    target,
    task_of,
    without_limits,
    work_of,
)
from compact_chat.offline.lines import (
    HEADING,
    block,
    block_borders,
    bullet,
    common_limit,
    cut,
    earlier_lines,
    safe,
)
from compact_chat.offline.statements import (
    MOST_STATEMENTS,
    Statement,
    best_statements,
    clause,
    names_in,
    statements_in,
    telling,
)
from compact_chat.styles import STYLES, Summary
from compact_chat.text import RELATIVE_TO, code, indented, marked_lines, quote, turn_heading
from compact_chat.wire import Style

MOST_QUOTES, MOST_ENDINGS = 0.45, 0.22  # of the room, for the user's words and for how the turns ended
LAST_WORDS, CHARACTERS_PER_TOKEN, LONGEST_LAST = 0.15, 3, 3000  # of the room, for the last answer; in characters
STAYS_ANYWAY = 400  # characters of the last answer where all of it follows
MOST_REQUEST, LEAST_REQUEST = 0.25, 0.1  # of the room, for the request under way beside what matters
LEAST_WORDS = 20  # characters of it
SHORT_PARTS = 1  # the last rank of what has room before it: rules, preferences, tasks, the next step
MATTERS = 6  # the last rank that the usual length has room for
FOR_MORE, MOST_OF_ENDS = 0.25, 0.5  # of that, beside it; and of how the turns ended
STATEMENTS_FIRST = 0.6  # of the rest, for what the assistant found out
SMALL = 400  # tokens; a shorter text tells sentences and not turns
FIRST_OF_SMALL, HEADING_TOKENS = 0.6, 4  # of its room, for the request, the rules and the next step
LEAST_FOR_SECTIONS = 150  # tokens
FIRST_RECORDED = 4  # the first rank that is not needed to start
FILLER = 99  # the rank of what says nothing of the chat
LEAST_ENDING = 160  # characters of a turn's end
MOST_CODE = 10  # lines of a fence in the end of a turn
LAST = 100_000  # the place of how a turn ended; statements come before it, in their order
SHORT = 40  # characters; a shorter request says little without the one before it
RECENT_COMMITS = 3  # in the brief
MOST_NAMES, MOST_READ = 12, 30  # of files in a line
MOST_OF_A_FOLDER = 0.8  # of the paths, to make it the common one
WORDS_WORTH, MOST_TOLD = 3.0, 300  # of the user's sentences; and statements of the assistant, in a short text
MARGIN, TURN_TOKENS, LEAST_ITEM = 20, 7, 4  # tokens of headings, of that of a turn, and of the shortest item
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "outcome unknown"}
_BEFORE_EDIT = " (before the last edit)"


class Item(Struct, frozen=True):
    """A piece of the text: where it stands, and when it gets in."""

    section: str
    text: str
    rank: int  # the lower, the sooner; then the newest turn first
    place: int = 0  # in its section, or in its turn of the record
    turn: int = 0
    share: float = 1.0  # of the room, for all items of this section and rank
    leads: bool = False  # it only introduces what follows
    long: bool = False  # it may take all of a short text
    inline: str = ""  # with others of its turn in one line, which begins so


def write_handover(material: Material, style: Style, budget: int, count: Callable[[str], int]) -> Summary | None:
    """Write what fits, the most valuable first; None if even the first piece does not fit."""
    items = sorted(material.items(), key=_priority)
    if budget < SMALL:
        chosen = _small(material, items, budget, count)
    else:
        matters = [item for item in items if item.rank <= MATTERS]
        chosen, left = choose(material.with_requests(matters, budget - MARGIN), budget - MARGIN, count)
        written = "\n".join(item.text.replace("- Ended: ", "- ") for item in chosen)
        best = best_statements(material.statements, written, round(STATEMENTS_FIRST * left), count)
        told = [material.statement(one) for one in best]
        rest = [*told, *(item for item in items if item.rank > MATTERS)]
        chosen += choose(rest, left, count, {item.turn for item in chosen if item.section == "record"})[0]
    chosen = [item for item in chosen if not item.leads or any(_follows(other, item) for other in chosen)]
    while any(item.rank < FILLER for item in chosen):
        summary = STYLES[style].write(_sections(chosen))
        if count(summary.reply) <= budget:
            return summary
        chosen = chosen[: -1 - len(chosen) // 50]
    return None


def _small(material: Material, items: Sequence[Item], budget: int, count: Callable[[str], int]) -> list[Item]:
    """Choose for a short text: what comes first, then the sentences that tell the most for their length."""
    first = [item for item in items if item.rank < FIRST_RECORDED and item.section != "record" and not item.long]
    room = round(budget * FIRST_OF_SMALL)
    first = [] if budget < LEAST_FOR_SECTIONS else material.with_requests(first, room)  # a heading costs too much
    chosen, _ = choose(first, room, count)
    left = budget - HEADING_TOKENS * len({"whereWeAre", *(item.section for item in chosen)})
    left -= sum(count(item.text) + 1 for item in chosen)
    written = "\n".join(item.text for item in chosen)
    told = [material.sentence(one) for one in telling(material.sentences, written, left, count)]
    left -= sum(count(item.text) + 1 for item in told)
    return (
        chosen
        + told
        + choose([item for item in items if item not in chosen and item.section != "record"], left, count)[0]
    )


def _priority(item: Item) -> tuple[int, int, int]:
    return item.rank, -item.turn, item.place


def _follows(item: Item, lead: Item) -> bool:
    return item.section == lead.section and item.place > lead.place


def choose(
    items: Sequence[Item], room: int, count: Callable[[str], int], turns: set[int] | None = None
) -> tuple[list[Item], int]:
    """Choose the items that fit, each kind up to its share first; return them, and the tokens that are left."""
    chosen, refused, left = list[Item](), list[Item](), room
    spent: Counter[tuple[str, int]] = Counter()
    headed = set(turns or ())
    for wave, capped in ((items, True), (refused, False)):
        for item in wave:
            if left < LEAST_ITEM:
                return chosen, left
            checkpoint()
            cost = count(item.text) + 1
            if item.section == "record" and item.turn not in headed:
                cost += TURN_TOKENS
            if cost > left or (capped and spent[item.section, item.rank] + cost > item.share * room):
                if capped:
                    refused.append(item)
                continue
            chosen.append(item)
            left -= cost
            spent[item.section, item.rank] += cost
            if item.section == "record":
                headed.add(item.turn)
    return chosen, left


def _sections(items: Sequence[Item]) -> dict[str, object]:
    """Put the items into their sections and turns, so that nothing in them can pass for a tag or a label."""
    texts, turns = defaultdict[str, list[str]](list), defaultdict[int, list[str]](list)
    in_order = sorted(items, key=lambda item: item.place)
    lines: dict[tuple[int, str], list[str]] = {}
    for item in in_order:
        if item.inline:
            lines.setdefault((item.turn, item.inline), []).append(item.text)
    for item in in_order:
        text = "; ".join(lines.pop((item.turn, item.inline), ())) if item.inline else item.text
        text = shown(f"- {item.inline} {text}" if item.inline and text else text)
        if text:
            (turns[item.turn] if item.section == "record" else texts[item.section]).append(text)
    record = [f"{turn_heading(turn)}\n{_joined(turns[turn])}" for turn in sorted(turns)]
    return {key: _joined(lines) for key, lines in texts.items()} | {"record": record}


def shown(text: str) -> str:
    """Escape what could pass for a heading, a tag or a label."""
    return safe(HEADING.sub(r"\1\\", text))


def _joined(texts: Sequence[str]) -> str:
    """Put pieces below each other, quotes apart: each is a message of its own."""
    return "\n".join(
        f"\n{text}" if text.startswith(">") and before.startswith(">") else text
        for before, text in pairwise(("", *texts))
    )


def turns_of(facts: Facts) -> dict[str, int]:
    """Map each message to its turn: how many messages of the user there were by then."""
    typed, turn, turns = {request.message for request in facts.requests}, 0, dict[str, int]()
    for message in facts.messages:
        turn += message.id in typed
        turns[message.id] = turn
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

    def within(self, room: int) -> Material:
        """Return the same for another room, sharing what does not depend on it."""
        other = copy(self)
        other.__dict__.update(statements=self.statements, _ended=self._ended, _room=room)
        return other

    @cached_property
    def statements(self) -> list[Statement]:
        """What the assistant said, line by line."""
        messages = [message for message in self.facts.messages if message.id in self._replaced]
        return statements_in(messages, self.facts.requests, self.facts.current)

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
        return [*said, *(replace(one, place=one.place, request=None) for one in self.statements[-MOST_TOLD:])]

    def sentence(self, one: Statement) -> Item:
        """Tell a sentence in a short text: the user's quoted, in order, before the assistant's."""
        if one.request:
            return Item("whereWeAre", quote(one.text), 3, one.place)
        return Item("whereWeAre", f"- {one.text}", 3, MOST_STATEMENTS + one.place + 10)

    def items(self) -> Iterator[Item]:
        """Yield every piece."""
        yield from self._where_we_are()
        yield from self._next()
        yield from self._rules()
        yield from self._decisions()
        yield from self._watch_out()
        yield from self._open()
        yield from self._files()
        yield from self._quotes()
        yield from self._endings()
        yield from self._doings()
        yield from self._findings()
        yield from self._claims()

    def more(self, written: str, room: int) -> list[Item]:
        """Choose what a finished text lacks of the record: values, then commands and what the assistant found out."""
        named, there = names_in(written), fold(written)
        state = (item for item in (*self._where_we_are(), *self._watch_out()) if item.text.count("\n") == 0)
        fresh = (item for item in (*state, *self._findings()) if item.rank and not names_in(item.text) <= named)
        chosen, left = choose(sorted(fresh, key=_priority), room, self._count)
        written += "".join(f"\n{item.text}" for item in chosen)
        best = best_statements(self.statements, written, round(STATEMENTS_FIRST * left), self._count)
        told = [self.statement(one) for one in best]
        ran = [
            item
            for item in self._doings()
            if item.inline and item.rank <= MATTERS + 1 and item.text.strip("`") not in there
        ]
        return chosen + choose([*told, *sorted(ran, key=_priority)], left, self._count)[0]

    def _turn(self, message: str) -> int:
        return self._turns.get(message, 0)

    def needed(self) -> int:
        """Return the tokens of all that matters, without look-ups, with room for what the assistant found out."""
        items = [item for item in self.items() if item.rank <= MATTERS]
        items += self._requests(round(MOST_REQUEST * self._room))
        turns = {item.turn for item in items if item.section == "record"}
        needed = MARGIN + sum(self._count(item.text) + 1 for item in items) + TURN_TOKENS * len(turns)
        told = {item.text for item in items}
        ends = (self._count(text) for text in self._ended.values() if f"- Ended: {indented(text).lstrip()}" not in told)
        return round(needed * (1 + FOR_MORE) + sum(ends) * MOST_OF_ENDS)

    # The brief.

    @cached_property
    def _answered(self) -> bool:
        """Whether the assistant has ended its turn."""
        last = next((message for message in reversed(self.facts.messages) if not message.by_host), None)
        return last is not None and last.role == "assistant" and not last.calls

    @cached_property
    def under_way(self) -> tuple[Request, ...]:
        """The newest request, and the one before it if it says little by itself."""
        said = self.facts.said
        return said[-2:] if said and len(said[-1].text) < SHORT else said[-1:]

    @cached_property
    def _question(self) -> str:
        """What the assistant asked at the end of its turn."""
        if not (self._answered and self._work.said):
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
        if said := self._work.said:
            most = LONGEST_LAST if said.message in self._replaced else STAYS_ANYWAY
            limit = min(most, max(200, round(self._room * LAST_WORDS * CHARACTERS_PER_TOKEN)))
            head = "The assistant answered:" if self._answered else "The assistant is working on it. Its last message:"
            text = plain_words(self.facts.current(said.text, said.message))
            yield Item("whereWeAre", f"- {head}\n{indented(block(cut(text, limit)))}", 2, 10, long=True)
        if self._work.steps and not self._answered:
            steps = (f"{step.call.name} {code(_about(step))} → {_OUTCOMES[step.outcome]}" for step in self._work.steps)
            yield Item("whereWeAre", f"- Last steps: {'; '.join(steps)}", 2, 20)
        recent = [note.key for note in self.facts.notes if _is_commit(note)][-RECENT_COMMITS:]
        texts = {note.text for note in self.facts.notes}
        for place, note in enumerate(self.facts.notes):
            if note.text.replace("On branch ", "Pushed ", 1) in texts - {note.text}:  # which tells the branch too
                continue
            if note.ok and not note.text.endswith(_BEFORE_EDIT) and (note.key in recent or not _is_commit(note)):
                yield Item("whereWeAre", f"- {note.text}", 3, 30 + place, self._turn(note.message), share=0.15)

    def _next(self) -> Iterator[Item]:
        todo = [one for one in self.facts.todos if one.status != "done"]
        todo.sort(key=lambda one: one.status != "doing")
        steps = [shortened(one.text, 200) for one in todo[:3]]
        if self._question:
            steps.insert(0, f"Waiting for the user: {self._question}")
        elif not self._answered and self.under_way:
            steps.insert(0, "Continue with the request quoted above.")
        elif not steps:
            yield Item("next", "The assistant answered, and no task is open: wait for the user.", FILLER)
        for place, step in enumerate(steps, 1):
            yield Item("next", f"{place}. {step}", 1, place)

    # What holds, and what is open.

    def _rules(self) -> Iterator[Item]:
        for place, rule in enumerate(self.facts.rules):
            if not rule.superseded:
                rank = int(rule.kind != "constraints")
                yield Item("rules", f'- "{rule.text}"', rank, place + rank * len(self.facts.rules), share=0.6)

    def _decisions(self) -> Iterator[Item]:
        typed = {request.message for request in self.facts.said}  # what the user decided is in the record
        for place, one in enumerate(self.facts.decisions):
            if one.mark or one.message not in typed:
                turn = self._turn(one.message)
                yield Item("decisions", f"- {one.text} ({turn_heading(turn).lower()})", 4, place, turn, share=0.3)

    def _watch_out(self) -> Iterator[Item]:
        for place, note in enumerate(self.facts.notes):
            if note.text.endswith(_BEFORE_EDIT):
                text = f"Not run again since the last edit: {note.text.removesuffix(_BEFORE_EDIT)}"
                yield Item("watchOut", f"- {text}", 2, place, share=0.1)
            elif not note.ok:
                yield Item("watchOut", f"- {note.text}", 2, place, share=0.1)

    def _open(self) -> Iterator[Item]:
        for place, todo in enumerate(one for one in self.facts.todos if one.status != "done"):
            mark = "(in progress) " if todo.status == "doing" else ""
            text = f"- [ ] {mark}{' '.join(todo.text.split())}"
            yield Item("open", text, 1, place, turn=bool(mark), share=0.15)
        first = len(self.facts.todos)
        for place, end in enumerate(self.facts.open_ends, first):
            if end.text not in self._question:
                yield Item("open", f"- {end.text}", 2, place, self._turn(end.message), share=0.1)
        first += len(self.facts.open_ends)
        for place, error in enumerate(self.facts.errors, first):
            if self._is_open(error):
                turn = self._turn(error.message)
                text = f"- Last failed {f'in turn {turn}' if turn else 'before turn 1'}: {_failure(error)}"
                yield Item("open", text, 2, place, turn, share=0.2)

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
        for place, path in enumerate(sorted(changes, key=turns.__getitem__), 1):
            what = [f"{use} {number}×" if number > 1 else use for use, number in changes[path].items()]
            if path in self.facts.removed:
                what.append("then removed")
            elif names := added.get(path):
                what.append(f"new: {', '.join(names)}")
            text = f"- {_shown(path, folder)}: {', '.join(what)}"
            yield Item("files", text, 4, place, turns[path], share=0.25)
        only = sorted((path for path in read if path not in changes), key=lambda path: -turns[path])
        if only:
            listed = ", ".join(_shown(path, folder) for path in only[:MOST_READ])
            yield Item("files", f"- Only read: {listed}", 8, 1 + len(changes), share=0.1)

    # The record.

    def _quotes(self) -> Iterator[Item]:
        """Quote the user; long messages are shortened so that all fit, the first one least."""
        above = {id(request) for request in self.under_way}
        said = [one for one in self.facts.said if id(one) not in above and one.message in self._replaced]
        weights = [1 if place else 3 for place in range(len(said))]
        limit = common_limit([request.text for request in said], weights, MOST_QUOTES * self._room, self._count)
        for place, (request, weight) in enumerate(zip(said, weights, strict=True), -len(said)):
            text = quote(cut(request.text, limit * weight, block_borders(request.text)))
            yield Item("record", text, 3, place, self._turn(request.message))
        for request in self.under_way:
            if request.message in self._replaced:
                yield Item("record", f"> {QUOTED_ABOVE}", 4, -1, self._turn(request.message))

    @cached_property
    def _ended(self) -> dict[int, str]:
        """The assistant's last words in each turn, but for those of the last turn, which stand above."""
        last: dict[int, str] = {}
        for message in self.facts.messages:
            if message.role == "assistant" and message.text.strip() and message.id in self._replaced:
                last[self._turn(message.id)] = self.facts.current(message.text, message.id)
        if self._work.said and self._work.said.message in self._replaced:
            last.pop(self._last, None)
        return {turn: plain for turn, text in last.items() if (plain := plain_words(text))}

    def _endings(self) -> Iterator[Item]:
        """Tell how each turn ended, in the assistant's words: all of them, or their first telling line."""
        texts = list(self._ended.values())
        limit = common_limit(texts, [1] * len(texts), MOST_ENDINGS * self._room, self._count)
        for turn, text in self._ended.items():
            short = text if len(text) <= limit else first_line(text, max(limit, LEAST_ENDING))
            yield Item("record", f"- Ended: {indented(short).lstrip()}", 5, LAST, turn)

    def _doings(self) -> Iterator[Item]:
        """Tell what was edited and looked up in each turn, and what was run."""
        taken = [step for step in self.facts.steps if step.message in self._replaced]
        turns = defaultdict[int, list[Step]](list)
        for step in taken:
            checkpoint()
            turns[self._turn(step.message)].append(step)
        for turn, steps in turns.items():
            edits = (step for step in steps if step.done and file_kind(step) in ("write", "edit"))
            names = list(dict.fromkeys(_name(path) for step in edits for path in paths_of_step(step)))
            if names:
                more = f" and {counted(len(names) - MOST_NAMES, 'more file')}" if len(names) > MOST_NAMES else ""
                yield Item("record", f"- Edited {', '.join(names[:MOST_NAMES])}{more}", 6, 0, turn, share=0.1)
            if looked := sum(map(_only_looks, steps)):
                yield Item("record", f"- {counted(looked, 'look-up')}", 9, LAST - 1, turn, share=0.05)
        told = {note.message for note in self.facts.notes if _is_commit(note)}
        same: dict[str, tuple[int, Command]] = {}
        for place, command in enumerate(commands(taken), 1):
            if not (command.step.message in told and "commit" in command.text):  # the commit itself is told
                same[same_command(command.text)] = place, command
        for place, command in same.values():
            looks = task_of(command.step).only_reads
            turn, rank, head = self._turn(command.step.message), 10 if looks else 7, "Looked up" if looks else "Ran"
            yield Item("record", _run(command), rank, place, turn, share=0.2, inline=head)

    def _findings(self) -> Iterator[Item]:
        """Tell what came out: commits, values that later turns used, errors that were fixed."""
        recent = [note.key for note in self.facts.notes if _is_commit(note)][-RECENT_COMMITS:]
        for note in self.facts.notes:
            if _is_commit(note) and note.key not in recent and note.message in self._replaced:
                yield Item("record", f"- {note.text}", 4, 600, self._turn(note.message), share=0.15)
        for result in self.facts.results:
            if result.message in self._replaced:
                text, turn = f"- Returned: {code(result.text)}", self._turn(result.message)
                yield Item("record", text, 5, 500, turn, share=0.3)
        for error in self.facts.errors:
            if not self._is_open(error) and error.message in self._replaced:
                head, rank = ("Fixed", 8) if error.fixed else ("Failed", 8 if error.sort == "look" else 4)
                yield Item("record", f"- {head}: {_failure(error)}", rank, 700, self._turn(error.message), share=0.08)

    def _claims(self) -> Iterator[Item]:
        """Tell what earlier summaries say, where what they replaced is not known (rule H7)."""
        lines = [*earlier_lines(self.facts.summaries, self.facts.inherited)]
        if lines:
            yield Item("record", "From an earlier summary:", 9, 1000, leads=True)
        for place, line in enumerate(lines, 1001):
            yield Item("record", bullet(line.text.removeprefix("- ")), 9, place, share=0.15)

    def statement(self, one: Statement) -> Item:
        """Tell what the assistant said, in its turn."""
        turn = self._turn(one.request.message) if one.request else 0
        return Item("record", f"- {one.text}", 11, LAST - MOST_STATEMENTS + one.place, turn)


_OPENS = re.compile(
    r"^(?:(?:perfect|great|excellent|done|awesome|good (?:news|question|point)|got it|sure|understood|yes|okay|ok"
    r"|alright|wonderful|fantastic|nice|uh oh|you['’]re (?:absolutely )?right)\b[^.!:\n]{0,30}[.!:]+\s*)+",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"^(?:let me|i['’]ll now|now let me|here(?:['’]s| is| are) (?:the|a|my|what)|summary\b|would you like|let me know)",
    re.IGNORECASE,
)
_SIGNS = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f] ?")
_TITLE = re.compile(r"^\s*#{1,6}\s+")


def plain_words(text: str) -> str:
    """Return a text with short code only, and without headings' marks, opening phrases and pictures."""
    pieces = []
    for fenced, group in groupby(marked_lines(text), key=itemgetter(1)):
        lines = [line.rstrip() for line, _ in group if line.strip()]
        if fenced:
            pieces += [f"[{len(lines) - 2} lines of code]"] if len(lines) > MOST_CODE else lines
            continue
        for line in lines:
            bare = _SIGNS.sub("", line)
            bare = _OPENS.sub("", _TITLE.sub("", bare)).rstrip()
            if bare and not _SAYS_NOTHING.match(bare.strip("*_ ")):
                pieces.append(bare)
    return "\n".join(pieces)


def first_line(text: str, limit: int) -> str:
    """Return the first line that is prose, with what it announces; else the first."""
    lines = text.split("\n")
    at = next((place for place, line in enumerate(lines) if len(line) >= SHORT and not line.endswith(":")), 0)
    return shortened(lines[at].strip(), limit)


def common_folder(paths: Sequence[str]) -> str:
    """Return the deepest folder that most of the paths are in."""
    folders = [path.replace("\\", "/").split("/")[:-1] for path in paths]
    within = Counter("/".join(names[:depth]) for names in folders for depth in range(2, len(names) + 1))
    most = (folder for folder, number in within.items() if number > 1 and number >= MOST_OF_A_FOLDER * len(folders))
    return max(most, key=len, default="")


def _shown(path: str, folder: str) -> str:
    plain = path.replace("\\", "/")
    return code(shown_path(plain.removeprefix(f"{folder}/") if folder else path))


def _name(path: str) -> str:
    return code(shown_path(path.replace("\\", "/").rpartition("/")[2]))


def _is_commit(note: Note) -> bool:
    return note.key.startswith("commit ")


def _only_looks(step: Step) -> bool:
    return task_of(step).only_reads if step.command else file_kind(step) == "read"


def _about(step: Step) -> str:
    return shortened(command_head(target(step)) if step.command else target(step), 120)


def _failure(error: Error) -> str:
    where = code(error.where) + (f" (exit code {error.code})" if error.code and not error.fixed else "")
    return f"{code(error_head(error.text))} in {where}"


def _run(command: Command) -> str:
    """Show a command, with its outcome if it failed."""
    text, step = without_limits(command.text), command.step
    head = command_head(text)
    shown = code(head if head == fold(text) else f"{head}…")
    shown += "" if step.outcome == "ok" else f" → {_OUTCOMES[step.outcome]}"
    return shown + (f" (exit code {step.code})" if step.code else "")
