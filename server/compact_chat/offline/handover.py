"""The hand-over without a model: a brief, what holds, and a record turn by turn (rules H1 to H15)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import groupby, pairwise

from msgspec.structs import replace

from compact_chat.facts import (
    QUOTED_ABOVE,
    Error,
    Facts,
    Note,
    Request,
    Step,
    Todo,
    command_head,
    fold,
    project_rules,
    sentences,
    shortened,
    shown_path,
    target,
    work_of,
)
from compact_chat.offline.answers import abridged, announced
from compact_chat.offline.items import TURN_TOKENS, Candidate, Heads, Item, best, choose
from compact_chat.offline.lines import HEADING, block_borders, common_limit, cut, safe
from compact_chat.offline.record import RECENT_COMMITS, Record, failure, is_commit
from compact_chat.offline.statements import MOST_STATEMENTS, THOUGHT_WORTH, Statement, clause, names_in, telling
from compact_chat.styles import STYLES, Summary
from compact_chat.text import RELATIVE_TO, code, indented, quote, turn_heading
from compact_chat.wire import Style

MOST_QUOTES, MOST_ENDINGS = 0.45, 0.33  # of the room, for the user's words and for how the turns ended
MOST_OF_REST = 0.6  # of what the other pieces leave, for how the turns ended
LAST_WORDS, CHARACTERS_PER_TOKEN, LONGEST_LAST = 0.15, 3, 3000  # of the room, for the last answer; in characters
STAYS_ANYWAY, ANSWER_STAYS = 400, 600  # characters of a request and of the last answer where all of it follows
MOST_REQUEST, LEAST_REQUEST = 0.25, 0.1  # of the room, for the request under way beside what matters
LEAST_WORDS = 20  # characters of it
SHORT_PARTS = 1  # the last rank of what has room before it: rules, preferences, tasks, the next step
MATTERS = 6  # the last rank that the usual length has room for
FOR_MORE, MOST_MORE = 0.25, 0.7  # of that, beside a long request; and at most for candidates
ENOUGH_MORE = 1000  # tokens for them, in any case
CANDIDATES_FIRST = 0.75  # of the rest, for what competes
SPOKEN_FIRST = 0.4  # of what completes a reply, for single lines before commands and the ends of turns
SMALL = 400  # tokens; a shorter text tells sentences and not turns
FIRST_OF_SMALL, HEADING_TOKENS = 0.6, 4  # of its room, for the request, the rules and the next step
LEAST_FOR_SECTIONS = 150  # tokens
FIRST_RECORDED = 4  # the first rank that is not needed to start
FILLER = 99  # the rank of what says nothing of the chat
STEPS = 20  # the place of the last steps in the brief, which a model tells itself
FIRST = -1_000_000  # the place of the user's words in a turn
SHORT = 40  # characters; a shorter request says little without the one before it
MOST_STEPS = 3  # of what comes next
MOST_READ = 30  # files in a line
MOST_OF_A_FOLDER = 0.8  # of the paths, to make it the common one
WORDS_WORTH, MOST_TOLD = 3.0, 300  # of the user's sentences; and statements of the assistant, in a short text
MARGIN = 20  # tokens of headings
SAME_WORDS, MOST_ALIKE = 0.7, 12  # of a decision, in another one; and how many others are compared
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "outcome unknown"}
_BEFORE_EDIT = " (before the last edit)"


def write_handover(material: Material, style: Style, budget: int, count: Callable[[str], int]) -> Summary | None:
    """Write what fits, the most valuable first; None if even the first piece does not fit."""
    items = sorted(material.items(), key=_priority)
    if budget < SMALL:
        chosen = _small(material, items, budget, count)
    else:
        matters = [item for item in items if item.rank <= MATTERS]
        heads = Heads(count)
        chosen, left = choose(material.with_requests(matters, budget - MARGIN), budget - MARGIN, heads)
        written = "\n".join(item.text for item in chosen)
        told, spent = best(material.candidates, written, round(CANDIDATES_FIRST * left), heads)
        rest = [item for item in items if item.rank > MATTERS]
        chosen += told + choose(rest, left - spent, heads)[0]
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


def _priority(item: Item) -> tuple[int, int, int]:
    return item.rank, -item.turn, item.place


def _cost(item: Item, count: Callable[[str], int]) -> int:
    return count(item.text) + 1


def _follows(item: Item, lead: Item) -> bool:
    """Whether an item says more than how much was looked up, where another one leads."""
    same = item.section == lead.section and (item.section != "record" or item.turn == lead.turn)
    return same and item.place > lead.place and item.text[-8:] != "look-ups"


def _sections(items: Sequence[Item]) -> dict[str, object]:
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
        self._record = Record(facts, replaced, self._turns)

    def within(self, room: int) -> Material:
        """Return the same for another room, sharing what does not depend on it."""
        other = copy(self)
        other.__dict__.update(_room=room, _lasting=self._lasting)
        return other

    @property
    def candidates(self) -> list[Candidate]:
        """What competes for the room that is left."""
        return self._record.candidates

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
        others = list(self._others())
        left = self._room - sum(_cost(item, self._count) for item in others if item.rank <= MATTERS)
        beside = min(left * (1 - MOST_OF_REST), sum(_cost(one.item, self._count) for one in self.candidates))
        yield from others
        yield from self._record.ended(max(MOST_ENDINGS * self._room, left - beside), self._count)

    def _others(self) -> Iterator[Item]:
        yield from self._where_we_are()
        yield from self._quotes()
        yield from self._lasting

    @cached_property
    def _lasting(self) -> list[Item]:
        """The pieces that are the same for all lengths."""
        return [
            *self._next(),
            *self._rules(),
            *self._decisions(),
            *self._watch_out(),
            *self._open(),
            *self._files(),
            *self._record.before(),
            *self._record.pictures(),
            *self._record.doings(),
            *self._record.findings(self._is_open),
            *self._record.claims(),
        ]

    def more(self, written: str, room: int) -> list[Item]:
        """Choose what a finished text lacks of the record: values, what the assistant said, commands, ends of turns."""
        named, there = names_in(written), fold(written)
        brief = (*self._where_we_are(), *self._watch_out())
        state = (item for item in brief if item.text.count("\n") == 0 and item.place != STEPS)
        found = self._record.findings(self._is_open, written)
        fresh = (item for item in (*state, *found) if item.rank < MATTERS and not names_in(item.text) <= named)
        heads = Heads(self._count)
        chosen, left = choose(sorted(fresh, key=_priority), room, heads)
        written += "".join(f"\n{item.text}" for item in chosen)
        said = (one for one in self._record.statements if one.worth != THOUGHT_WORTH)
        spoken = [Candidate(replace(self._record.statement(one), share=1.0), one.names) for one in said]
        told, spent = best(spoken, written, round(SPOKEN_FIRST * left), heads)
        ran = [
            item
            for item in self._lasting
            if item.section == "record"
            and item.inline
            and item.rank <= MATTERS + 1
            and item.text.strip("`") not in there
        ]
        more, left = choose(sorted(ran, key=_priority), left - spent, heads)
        chosen += told + more
        known = names_in("\n".join((written, *(item.text for item in chosen))))
        ends = (item for item in self._record.ended(left, self._count) if not names_in(item.text) <= known)
        return chosen + choose(sorted(ends, key=_priority), left, heads)[0]

    def _turn(self, message: str) -> int:
        return self._turns.get(message, 0)

    def needed(self) -> int:
        """Return the tokens of all that matters, without look-ups, with room for what the assistant found out."""
        items = [item for item in self.items() if item.rank <= MATTERS]
        items += self._requests(round(MOST_REQUEST * self._room))
        turns = {item.turn for item in items if item.section == "record"}
        needed = MARGIN + sum(_cost(item, self._count) for item in items) + TURN_TOKENS * len(turns)
        more = sum(_cost(one.item, self._count) for one in self.candidates)
        return needed + round(min(more, max(ENOUGH_MORE, MOST_MORE * needed)))

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
            most = LONGEST_LAST if said.message in self._replaced else ANSWER_STAYS
            limit = min(most, max(200, round(self._room * LAST_WORDS * CHARACTERS_PER_TOKEN)))
            head = "The assistant answered:"
            if not self._answered:
                is_begun = self._turn(said.message) == self._last
                head = f"The assistant {'is working on it. Its last message:' if is_begun else 'had said before that:'}"
            words = self.facts.current(said.text, said.message)
            text = abridged(words, limit) or shortened(words, limit)
            yield Item("whereWeAre", f"- {head}\n{indented(text)}", 2, 10, long=True)
        if self._work.steps and not self._answered:
            steps = (f"{step.call.name} {code(_about(step))} → {_OUTCOMES[step.outcome]}" for step in self._work.steps)
            yield Item("whereWeAre", f"- Last steps: {'; '.join(steps)}", 2, STEPS)
        recent = [note.key for note in self.facts.notes if is_commit(note)][-RECENT_COMMITS:]
        told = [note.text for note in self.facts.notes if note.key in recent and note.text.endswith(" (pushed)")]
        pushed = {f"Pushed {text.removesuffix(' (pushed)').rpartition(' on ')[2]}" for text in told}
        for place, note in enumerate(self.facts.notes):
            if note.text.partition(" in ")[0] in pushed or self._is_named(note):
                continue
            if note.ok and not note.text.endswith(_BEFORE_EDIT) and (note.key in recent or not is_commit(note)):
                turn, check = self._turn(note.message), note.key.startswith("check ")
                head = ("Checked:" if not self._edited else "Checked since the last edit:") if check else ""
                text = note.text if check else f"- {note.text}"
                yield Item("whereWeAre", text, 3, 30 + place, turn, share=0.15, inline=head)

    def _is_named(self, note: Note) -> bool:
        """Whether a note of a commit or a push names the branch that a note tells of."""
        branch = note.text.removeprefix("On branch ").partition(" in ")[0]
        texts = (one.text.partition(" (")[0] for one in self.facts.notes)
        return branch != note.text and any(
            text.endswith(f" on {branch}") or text.partition(" in ")[0] == f"Pushed {branch}" for text in texts
        )

    @cached_property
    def _edited(self) -> str:
        """Where the last edit was: the file, and the turn."""
        use = next((use for use in reversed(self.facts.uses) if use.kind != "read"), None)
        name = shown_path(use.path.replace("\\", "/").rpartition("/")[2]) if use else ""
        return f"{code(name)}, {turn_heading(self._turn(use.message)).lower()}" if use else ""

    @cached_property
    def _todo(self) -> list[Todo]:
        """The tasks that are not done, the one in progress first."""
        return sorted((one for one in self.facts.todos if one.status != "done"), key=lambda one: one.status != "doing")

    @cached_property
    def _left_open(self) -> list[str]:
        """What the last answer leaves open, where its turn has no tasks of its own: its sentences, else its points."""
        if self._question or not self._answered or any(self._turn(one.message) == self._last for one in self._todo):
            return []
        told = [end for end in self.facts.open_ends if not end.listed]
        return [end.text for end in (told or self.facts.open_ends)[-MOST_STEPS:]]

    def _next(self) -> Iterator[Item]:
        steps = [shortened(one.text, 200) for one in self._todo[:MOST_STEPS]]
        if self._question:
            steps.insert(0, f"Waiting for the user: {self._question}")
        elif not self._answered and self.under_way:
            said = self._work.said
            about = announced(said.text) if said and self._turn(said.message) == self._last else ""
            steps.insert(0, f"Continue with the request quoted above{f': {about}' if about else '.'}")
        elif self._left_open:
            steps = [f"Left open: {shortened(end, 300)}" for end in self._left_open]
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
        host = [(message.id, message.sent_text) for message in self.facts.messages if message.by_host]
        for path, (text, _) in project_rules(self.facts.steps, host).items():
            name = shown_path(path.replace("\\", "/").rpartition("/")[2])
            yield Item("rules", f"- {code(name)} of the project says: {text}", 5, 10_000, share=0.1)

    def _decisions(self) -> Iterator[Item]:
        typed = {request.message for request in self.facts.said}
        newest = {request.message for request in self.under_way}  # which stand above
        seen: list[set[str]] = []
        for place, one in reversed(list(enumerate(self.facts.decisions))):
            is_users = one.message in typed and not one.mark
            if is_users and one.message in newest:
                continue
            words = set(fold(one.text).lower().split())
            if any(len(words & other) > SAME_WORDS * min(len(words), len(other)) for other in seen[-MOST_ALIKE:]):
                continue
            seen.append(words)
            turn = self._turn(one.message)
            told = f'The user: "{one.text}"' if is_users else " ".join(filter(None, (one.text, one.why)))
            if is_users or one.is_reasoned:
                text = f"- {told} ({turn_heading(turn).lower()})"
                yield Item("decisions", text, 5 if is_users else 4, place, turn, share=0.18)

    def _watch_out(self) -> Iterator[Item]:
        for place, note in enumerate(self.facts.notes):
            if note.text.endswith(_BEFORE_EDIT):
                head, text = (
                    f"Not run again since the last edit ({self._edited}):",
                    note.text.removesuffix(_BEFORE_EDIT),
                )
                yield Item("watchOut", text, 2, place, share=0.1, inline=head)
            elif not note.ok:
                yield Item("watchOut", f"- {note.text}", 2, place - len(self.facts.notes), share=0.1)

    def _open(self) -> Iterator[Item]:
        for place, todo in enumerate(one for one in self.facts.todos if one.status != "done"):
            mark = "(in progress) " if todo.status == "doing" else ""
            text = f"- [ ] {mark}{' '.join(todo.text.split())}"
            yield Item("open", text, 1, place, turn=bool(mark), share=0.15)
        first = len(self.facts.todos)
        for place, end in enumerate(self.facts.open_ends, first):
            if end.text in self._left_open:
                continue
            if end.text not in self._question and not (self._question and self._work.said and end.listed):
                yield Item("open", f"- {end.text}", 2, place, self._turn(end.message), share=0.1)
        first += len(self.facts.open_ends)
        for place, error in enumerate(self.facts.errors, first):
            if self._is_open(error):
                turn = self._turn(error.message)
                text = f"- Last failed {f'in turn {turn}' if turn else 'before turn 1'}: {failure(error)}"
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
            what = [f"{use} {number}×" if number > 1 else use for use, number in changes[path].items()]
            if path in self.facts.removed:
                gone.append(_shown(path, folder))
                continue
            if names := added.get(path):
                what.append(f"new: {', '.join(names)}")
            text = f"- {_shown(path, folder)}: {', '.join(what)}"
            yield Item("files", text, 4, place, turns[path], share=0.25)
        if gone:
            yield Item(
                "files", f"- Removed: {', '.join(gone[:MOST_READ])}", 4, 1 + len(changes), self._last, share=0.25
            )
        only = sorted((path for path in read if path not in changes), key=lambda path: -turns[path])
        if only:
            listed = ", ".join(_shown(path, folder) for path in only[:MOST_READ])
            yield Item("files", f"- Only read: {listed}", 8, 2 + len(changes), share=0.1)

    def _quotes(self) -> Iterator[Item]:
        """Quote the user; long messages are shortened so that all fit, the first one least."""
        above = {id(request) for request in self.under_way}
        said = [one for one in self.facts.said if id(one) not in above and one.message in self._replaced]
        weights = [1 if place else 3 for place in range(len(said))]
        limit = common_limit([request.text for request in said], weights, MOST_QUOTES * self._room, self._count)
        for place, (request, weight) in enumerate(zip(said, weights, strict=True), -len(said)):
            text = quote(cut(request.text, limit * weight, block_borders(request.text)))
            yield Item("record", text, 3, FIRST + place, self._turn(request.message))
        for request in self.under_way:
            if request.message in self._replaced:
                yield Item("record", f"> {QUOTED_ABOVE}", 4, FIRST, self._turn(request.message), leads=True)


def warned(check: str) -> str:
    """Say of a check that passed before the last edit that it may fail now."""
    text = check.removesuffix(_BEFORE_EDIT)
    return check if text == check else f"Not run again since the last edit: {text}"


def common_folder(paths: Sequence[str]) -> str:
    """Return the deepest folder that most of the paths are in."""
    folders = [path.replace("\\", "/").split("/")[:-1] for path in paths]
    within = Counter("/".join(names[:depth]) for names in folders for depth in range(2, len(names) + 1))
    most = (folder for folder, number in within.items() if number > 1 and number >= MOST_OF_A_FOLDER * len(folders))
    return max(most, key=len, default="")


def within(path: str, folder: str) -> str:
    """Return a path as seen from a folder, if it is in it."""
    return path.replace("\\", "/").removeprefix(f"{folder}/") if folder else path


def _shown(path: str, folder: str) -> str:
    return code(shown_path(within(path, folder)))


def _about(step: Step) -> str:
    return shortened(command_head(target(step)) if step.command else target(step), 120)
