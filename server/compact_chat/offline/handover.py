"""The hand-over without a model: a brief, what holds, and a record turn by turn (rules H1 to H15)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.facts import (
    QUOTED_ABOVE,
    Command,
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
    sentences,
    shortened,
    shown_path,
    target,
    task_of,
    work_of,
)
from compact_chat.offline.lines import HEADING, block, bullet, code, common_limit, cut, earlier_lines, safe
from compact_chat.offline.statements import MOST_STATEMENTS, Statement, best_statements, statements_in
from compact_chat.styles import STYLES, Summary
from compact_chat.text import marked_lines
from compact_chat.wire import Style

MOST_QUOTES, MOST_ENDINGS = 0.45, 0.3  # of the room, for the user's words and for how the turns ended
LAST_WORDS, CHARACTERS_PER_TOKEN, LONGEST_LAST = 0.15, 3, 3000  # of the room, for the last answer; in characters
STAYS_ANYWAY = 400  # characters of the last answer where all of it follows
MATTERS = 6  # the last rank that the usual length has room for
FOR_MORE, STATEMENTS_FIRST = 0.5, 0.6  # of that, beside it; and of this for what the assistant found out
FILLER = 99  # the rank of what says nothing of the chat
MOST_CODE = 10  # lines of a fence in the end of a turn
LAST = 100_000  # the place of how a turn ended; statements come before it, in their order
SHORT = 40  # characters; a shorter request says little without the one before it
RECENT_COMMITS = 3  # in the brief
MOST_NAMES, MOST_READ = 12, 30  # of files in a line
MOST_OF_A_FOLDER = 0.8  # of the paths, to make it the common one
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


def write_handover(material: Material, style: Style, budget: int, count: Callable[[str], int]) -> Summary | None:
    """Write what fits, the most valuable first; None if even the first piece does not fit."""
    items = sorted(material.items(), key=_priority)
    chosen, left = choose([item for item in items if item.rank <= MATTERS], budget - MARGIN, count)
    written = "\n".join(item.text.replace("- Ended: ", "- ") for item in chosen)
    best = best_statements(material.statements, written, round(STATEMENTS_FIRST * left), count)
    told = [material.statement(one) for one in best]
    rest = [*told, *(item for item in items if item.rank > MATTERS)]
    chosen += choose(rest, left, count, {item.turn for item in chosen if item.section == "record"})[0]
    chosen = [item for item in chosen if not item.leads or any(_follows(other, item) for other in chosen)]
    while chosen[:1] == items[:1] and any(item.rank < FILLER for item in chosen):
        summary = STYLES[style].write(_sections(chosen))
        if count(summary.reply) <= budget:
            return summary
        chosen = chosen[: -1 - len(chosen) // 50]
    return None


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
    for item in sorted(items, key=lambda item: item.place):
        text = safe(HEADING.sub(r"\1\\", item.text))
        (turns[item.turn] if item.section == "record" else texts[item.section]).append(text)
    record = [f"{turn_heading(turn)}\n{_joined(turns[turn])}" for turn in sorted(turns)]
    return {key: _joined(lines) for key, lines in texts.items()} | {"record": record}


def turn_heading(turn: int) -> str:
    """Return the heading of a turn in the record."""
    return f"Turn {turn}" if turn else "Before turn 1"


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

    @cached_property
    def statements(self) -> list[Statement]:
        """What the assistant said, line by line."""
        messages = [message for message in self.facts.messages if message.id in self._replaced]
        return statements_in(messages, self.facts.requests)

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

    def _turn(self, message: str) -> int:
        return self._turns.get(message, 0)

    def needed(self) -> int:
        """Return the tokens of all that matters, without look-ups, with room for what the assistant found out."""
        items = [item for item in self.items() if item.rank <= MATTERS]
        turns = {item.turn for item in items if item.section == "record"}
        needed = MARGIN + sum(self._count(item.text) + 1 for item in items) + TURN_TOKENS * len(turns)
        return round(needed * (1 + FOR_MORE))

    # The brief.

    @cached_property
    def _answered(self) -> bool:
        """Whether the assistant has ended its turn."""
        last = next((message for message in reversed(self.facts.messages) if not message.by_host), None)
        return last is not None and last.role == "assistant" and not last.calls

    @cached_property
    def _under_way(self) -> tuple[Request, ...]:
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

    def _where_we_are(self) -> Iterator[Item]:
        for place, request in enumerate(self._under_way):
            yield Item("whereWeAre", quote(cut(request.text, self._room)), 0, place, self._turn(request.message))
        if said := self._work.said:
            most = LONGEST_LAST if said.message in self._replaced else STAYS_ANYWAY
            limit = min(most, max(200, round(self._room * LAST_WORDS * CHARACTERS_PER_TOKEN)))
            head = "The assistant answered:" if self._answered else "The assistant is working on it. Its last message:"
            yield Item("whereWeAre", f"- {head}\n{_below(block(cut(said.text, limit)))}", 2, 10)
        if self._work.steps and not self._answered:
            steps = (f"{step.call.name} {code(_about(step))} → {_OUTCOMES[step.outcome]}" for step in self._work.steps)
            yield Item("whereWeAre", f"- Last steps: {'; '.join(steps)}", 2, 20)
        recent = [note.key for note in self.facts.notes if _is_commit(note)][-RECENT_COMMITS:]
        for place, note in enumerate(self.facts.notes):
            if note.ok and not note.text.endswith(_BEFORE_EDIT) and (note.key in recent or not _is_commit(note)):
                yield Item("whereWeAre", f"- {note.text}", 3, 30 + place, self._turn(note.message), share=0.15)

    def _next(self) -> Iterator[Item]:
        todo = [one for one in self.facts.todos if one.status != "done"]
        todo.sort(key=lambda one: one.status != "doing")
        steps = [shortened(one.text, 200) for one in todo[:3]]
        if self._question:
            steps.insert(0, f"Waiting for the user: {self._question}")
        elif not self._answered and self._under_way:
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
            if not error.fixed:
                turn, where = self._turn(error.message), code(error.where)
                where += f" (exit code {error.code})" if error.code else ""
                text = f"- Last failed in {turn_heading(turn).lower()}: {code(error_head(error.text))} in {where}"
                yield Item("open", text, 2, place, turn, share=0.2)

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
            yield Item("files", f"Paths are relative to {code(shown_path(folder))}:", 4, turn=self._last, leads=True)
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
        above = {id(request) for request in self._under_way}
        said = [one for one in self.facts.said if id(one) not in above and one.message in self._replaced]
        weights = [1 if place else 3 for place in range(len(said))]
        limit = common_limit([request.text for request in said], weights, MOST_QUOTES * self._room, self._count)
        for place, (request, weight) in enumerate(zip(said, weights, strict=True), -len(said)):
            text = quote(cut(request.text, limit * weight))
            yield Item("record", text, 3, place, self._turn(request.message))
        for request in self._under_way:
            if request.message in self._replaced:
                yield Item("record", f"> {QUOTED_ABOVE}", 4, -1, self._turn(request.message))

    def _endings(self) -> Iterator[Item]:
        """Tell how each turn ended, in the assistant's words; how the last one did stands above."""
        last: dict[int, str] = {}
        for message in self.facts.messages:
            if message.role == "assistant" and message.text.strip() and message.id in self._replaced:
                last[self._turn(message.id)] = message.text
        if self._work.said and self._work.said.message in self._replaced:
            last.pop(self._last, None)
        texts = [without_code(text) for text in last.values()]
        limit = common_limit(texts, [1] * len(texts), MOST_ENDINGS * self._room, self._count)
        for turn, text in zip(last, texts, strict=True):
            if text:
                text = _below(cut(text, limit)).lstrip()
                yield Item("record", f"- Ended: {text}", 5, LAST, turn)

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
        for place, command in enumerate(commands(taken), 1):
            rank = 10 if task_of(command.step).only_reads else 7
            text, turn = f"- {_run(command)}", self._turn(command.step.message)
            yield Item("record", text, rank, place, turn, share=0.15)

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
            if error.fixed and error.message in self._replaced:
                text = f"- Fixed: {code(error_head(error.text))} in {code(error.where)}"
                yield Item("record", text, 8, 700, self._turn(error.message), share=0.08)

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


def quote(text: str) -> str:
    """Quote the user's words."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def without_code(text: str) -> str:
    """Return a text with short code only; a note tells how much longer code is."""
    pieces = []
    for fenced, group in groupby(marked_lines(text), key=itemgetter(1)):
        lines = [line.rstrip() for line, _ in group if line.strip()]
        pieces += [f"[{len(lines) - 2} lines of code]"] if fenced and len(lines) > MOST_CODE else lines
    return "\n".join(pieces)


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


def _below(text: str) -> str:
    """Indent a text, as below a bullet."""
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))


def _is_commit(note: Note) -> bool:
    return note.key.startswith("commit ")


def _only_looks(step: Step) -> bool:
    return task_of(step).only_reads if step.command else file_kind(step) == "read"


def _about(step: Step) -> str:
    return shortened(command_head(target(step)) if step.command else target(step), 120)


def _run(command: Command) -> str:
    """Show a command with its outcome."""
    head, step = command_head(command.text), command.step
    text = code(head if head == fold(command.text) else f"{head}…") + f" → {_OUTCOMES[step.outcome]}"
    text += f" (exit code {step.code})" if step.code else ""
    return text + (f", {command.runs} runs" if command.runs > 1 else "")
