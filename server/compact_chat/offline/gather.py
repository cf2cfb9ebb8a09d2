"""What a summary is made of: a line for each fact of the chat, the user's words, and telling lines of the assistant."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message
from compact_chat.facts import (
    Command,
    Error,
    FileUse,
    Request,
    Step,
    Todo,
    command_head,
    command_text,
    commands,
    counted,
    earlier_summaries,
    errand_of,
    error_head,
    file_uses,
    find_errors,
    find_steps,
    fold,
    program,
    removed_files,
    requests,
    rules,
    sentences,
    shortened,
    shown_path,
    target,
    todos,
    without_bullet,
    work_of,
)
from compact_chat.offline.lines import (
    COMMANDS,
    CONTEXT,
    EARLIER,
    FIXED_ERRORS,
    LOOKS,
    MODIFIED,
    NEXT,
    NOTICE,
    OPEN_ERRORS,
    QUOTES,
    READ,
    REPORTED,
    RULES,
    STATE,
    TASK,
    TERMS,
    TODOS,
    WISHES,
    Line,
    block,
    bullet,
    code,
    cut,
    excerpt,
)
from compact_chat.plan import Direction
from compact_chat.prompt import clip
from compact_chat.styles import FENCE, STYLES, Heritage, marked_lines

LAST_WORDS_SHARE, SPARING_SHARE, CHARACTERS_PER_TOKEN = 0.15, 0.2, 3
LONGEST_WISH, LONGEST_TASK = 240, 200  # characters
_EXTRACTED = (
    "(Extracted from the chat by rules, without a model. Quotes are verbatim; later messages override earlier ones.)"
)


class Material(Struct, frozen=True):
    """The messages to be summarized, the user's words among them, and a line for each fact."""

    messages: Sequence[Message]
    said: tuple[Request, ...]
    facts: tuple[Line, ...]


def gather(messages: Sequence[Message], direction: Direction, room: int, task: bool, *, sparing: bool) -> Material:
    """Find the facts and write a line for each; a sparing summary tells the requests once, as quotes."""
    said, steps = requests(messages), find_steps(messages)
    run, items = commands(steps), todos(steps)
    share = SPARING_SHARE if sparing else LAST_WORDS_SHARE
    end = _End(messages, said, steps, items)
    facts: list[Line] = [Line(NOTICE, _EXTRACTED, 0, filler=True)]
    if said and not sparing:
        facts.append(Line(WISHES, f"- First request: {excerpt(said[0].text, LONGEST_WISH)}", 0, turn=1))
    if len(said) > 1 and not sparing:
        newest = excerpt(said[-1].text, LONGEST_WISH)
        facts.append(Line(WISHES, f"- Newest of the requests summarised here: {newest}", 1))
    for place, rule in enumerate(rules(said)):
        mark = " (superseded by a later rule)" if rule.superseded else ""
        facts.append(Line(RULES, f'- "{rule.text}"{mark}', place, turn=rule.superseded))
    facts += earlier_lines(earlier_summaries(messages))
    facts += file_lines(file_uses(steps), removed_files(steps))
    facts += error_lines(find_errors(steps))
    facts += command_lines(run)
    facts += term_lines(run, (message.sent_text for message in messages if message.sent_text))
    facts += todo_lines(items)
    facts += end.state(max(200, round(room * share * CHARACTERS_PER_TOKEN)), with_wish=not sparing)
    facts += end.next_step(direction)
    if task and direction != "upTo":
        facts.append(end.task())
    return Material(messages, said, tuple(facts))


# What was done and met; the newest gets in first.


MOST_PROGRAMS, MOST_TERMS = 8, 12
_SPAN = re.compile(r"`(?<!``)([^`\n]{2,60})`(?!`)")  # a pattern that begins with its sign is searched faster
_TERM = re.compile(r"[\w@][\w.:()@<>\[\]-]*")
_USES = {"read": "read", "write": "written", "edit": "edited"}


def file_lines(uses: Sequence[FileUse], removed: Container[str] = ()) -> Iterator[Line]:
    """Yield the files in the order of their last use, those that were modified with what was done to each."""
    files: dict[str, Counter[str]] = {}
    for use in uses:
        done = files.pop(use.path, Counter())
        done[_USES[use.kind]] += 1
        files[use.path] = done
    for place, (path, done) in enumerate(files.items()):
        changes = [f"{use} {number}×" if number > 1 else use for use, number in done.items() if use != "read"]
        if changes:
            what = ", ".join(changes) + (", then removed" if path in removed else "")
            entry = (shown_path(path), what)
            yield Line(MODIFIED, f"- {shown_path(path)} ({what})", place, turn=-place, entry=entry)
        else:
            yield Line(READ, f"- {shown_path(path)}", place, turn=-place)


def error_lines(errors: Sequence[Error]) -> Iterator[Line]:
    """Yield the errors with the commands or files that met them."""
    for place, error in enumerate(errors):
        group, head = FIXED_ERRORS if error.fixed else OPEN_ERRORS, error_head(error.text)
        where = code(error.where) + (f" (exit code {error.code})" if error.code else "")
        entry = (f'"{head}"', where, group.heading.removesuffix(":"))
        yield Line(group, f"- {code(head)} in {where}", place, turn=-place, entry=entry)


def command_lines(commands: Sequence[Command]) -> Iterator[Line]:
    """Yield the commands in the order of their last runs, those with the same beginning once."""
    heads: dict[str, Command] = {}
    for command in commands:
        head = command_head(command.text)
        heads.pop(head, None)
        heads[head] = command
    endings = {"ok": " → ok", "failed": " → failed", "unknown": " → outcome not told"}
    for place, (head, command) in enumerate(heads.items()):
        group = LOOKS if errand_of(command.step).only_looks else COMMANDS
        text = code(head if head == fold(command.text) else f"{head}…") + endings[command.step.outcome]
        text += f" (exit code {command.step.code})" if command.step.code else ""
        text += f", {command.runs} runs" if command.runs > 1 else ""
        yield Line(group, f"- {text}", place, turn=-place)


def term_lines(commands: Sequence[Command], texts: Iterable[str]) -> Iterator[Line]:
    """Yield the programs and the names in code that came up most."""
    programs = Counter(program(command.text) for command in commands)
    names = Counter(name for text in texts for name in set(_SPAN.findall(text)) if _TERM.fullmatch(name))
    often = Counter({name: number for name, number in names.items() if number > 1})
    rows = (("Programs run", programs, MOST_PROGRAMS), ("Names that came up most", often, MOST_TERMS))
    for place, (label, found, most) in enumerate(rows):
        ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        if listed := ", ".join([code(name) for name, _ in ranked if name][:most]):
            yield Line(TERMS, f"- {label}: {listed}", place, turn=place)


def todo_lines(todos: Sequence[Todo]) -> Iterator[Line]:
    """Yield the open items, and how many are done."""
    marks = {"open": "- [ ] ", "doing": "- [ ] (in progress) "}
    waiting = [todo for todo in todos if todo.status != "done"]
    for place, todo in enumerate(waiting):
        yield Line(TODOS, marks[todo.status] + " ".join(todo.text.split()), place, turn=todo.status != "doing")
    if done := len(todos) - len(waiting):
        yield Line(TODOS, f"- Done: {done} of {counted(len(todos), 'item')}.", len(todos), turn=2)


# What the summaries of earlier compactions hand on, so that it is not lost with them.


LONGEST_PIECE, MOST_PIECES = 1200, 400  # characters, and of one section
LEAST_SECTIONS = 3  # with which a text is taken for a summary of a style
_OURS = ("(Extracted from", "From the summary of", "State at an earlier", "Open at an earlier", "(none)")


def earlier_lines(summaries: Sequence[Request]) -> Iterator[Line]:
    """Yield the pieces of each earlier summary by what they hand on; the newest summary gets in first."""
    for number, summary in enumerate(summaries):
        handed_on = _handed_on(summary.text)
        before, behind = number * MOST_PIECES, (len(summaries) - 1 - number) * MOST_PIECES
        for heritage, group in EARLIER.items():
            for place, piece in enumerate(islice(_pieces(handed_on.get(heritage, "")), MOST_PIECES)):
                yield Line(group, clip(piece, LONGEST_PIECE), before + place, turn=behind + place)


def _handed_on(summary: str) -> Mapping[Heritage, str]:
    """Sort the sections of a summary of any style by what they hand on; without sections all of it is the intent."""
    for style in STYLES.values():
        found = {key: value for key, value in (style.parse(summary) or {}).items() if value}
        if len(found) >= LEAST_SECTIONS:
            texts: dict[Heritage, list[str]] = {}
            for slot in style.slots:
                if slot.heritage and (value := found.get(slot.key)):
                    items = [value] if isinstance(value, str) else [bullet(_item(item)) for item in value]
                    texts.setdefault(slot.heritage, []).append("\n".join(items))
            return {heritage: "\n\n".join(found) for heritage, found in texts.items()}
    return {"intent": summary}


def _item(item: str | Mapping[str, str]) -> str:
    return item if isinstance(item, str) else "; ".join(filter(None, item.values()))


def _pieces(text: str) -> Iterator[str]:
    """Yield the items of a section without our own headings; each begins with a line neither indented nor fenced."""
    piece: list[str] = []
    for line, fenced in marked_lines(block(text)):
        if piece and not fenced and line[:1].strip():
            yield "\n".join(piece)
            piece = []
        if line.strip() and not line.startswith(_OURS):
            piece.append(line)
    if piece:
        yield "\n".join(piece)


# Where the work stands and how to go on.


class _End:
    """The end of the chat, or of the part of it that is summarized."""

    def __init__(
        self, messages: Sequence[Message], said: Sequence[Request], steps: Sequence[Step], todos: Sequence[Todo]
    ) -> None:
        self._work = work_of(messages, said, steps)
        last = next((message for message in reversed(messages) if not message.by_host), None)
        self._answered = last is not None and last.role == "assistant" and not last.calls
        waiting = sorted((todo for todo in todos if todo.status != "done"), key=lambda todo: todo.status != "doing")
        self._todo = waiting[0].text if waiting else ""  # the item in progress, else the first that is open
        self._question = ""  # with which the assistant ended its turn
        if self._answered and self._work.said:
            ending = sentences(self._work.said.text[-2000:])[-1:]
            self._question = ending[0] if ending and ending[0].rstrip("*_ )").endswith(("?", "？")) else ""
        # What to go on with, and its words: an open item, else a request that has no reply.
        self._task = ("open item", self._todo) if self._todo else None
        if self._work.wish and not self._todo and not self._answered:
            self._task = "newest request", self._work.wish.text

    def state(self, characters: int, *, with_wish: bool) -> Iterator[Line]:
        """Yield the newest request where it is wanted here too, the last steps, and the assistant's last words."""
        work = self._work
        if work.wish and with_wish:
            wish = excerpt(work.wish.text, LONGEST_WISH)
            yield Line(STATE, f"- Newest of the requests summarised here: {wish}", 0, turn=0)
        for place, step in enumerate(work.steps):
            yield Line(STATE, f"- Step: {_shown_step(step)}", 1 + place, turn=10 - place)
        if work.said:
            yield Line(STATE, f"The assistant's last words:\n{block(clip(work.said.text, characters))}", 10, turn=1)

    def next_step(self, direction: Direction) -> Iterator[Line]:
        """Yield one next step, or for an older part the state that the newer messages build on."""
        if direction == "upTo":
            yield from (Line(CONTEXT, text, place) for place, text in enumerate(self._context()))
            newer = "- The newer messages stand behind this summary; where they differ, they hold."
            yield Line(CONTEXT, newer, 9, 9, filler=True)
        elif self._question:
            yield Line(NEXT, f"- Wait for the user: the assistant asked {excerpt(self._question)}", 0)
        elif self._task:
            yield Line(NEXT, f"- Go on with the {self._task[0]} {excerpt(self._task[1])}", 0)
        else:
            step = "- None that is certain: the assistant had ended its turn, and no item is open."
            yield Line(NEXT, step, 0, filler=True)

    def _context(self) -> Iterator[str]:
        if self._work.wish:
            state = "the assistant had replied to" if self._answered else "was under way"
            yield f"- This part ends with the request {excerpt(self._work.wish.text)}, which {state}."
        if self._question:
            yield f"- The assistant had asked {excerpt(self._question)}"
        if self._todo:
            yield f"- Open item: {excerpt(self._todo)}"

    def task(self) -> Line:
        """Return the task at hand in one line (rule P10)."""
        if self._question:
            return Line(TASK, f"WAITING: the assistant asked {excerpt(self._question, LONGEST_TASK)}", 0)
        if self._task:
            at_hand = f" ({_shown_step(self._work.steps[-1])})" if self._work.steps else ""
            return Line(TASK, f"CONTINUE: {shortened(self._task[1], LONGEST_TASK)}{at_hand}", 0)
        return Line(TASK, "NONE", 0, filler=True)


def _shown_step(step: Step) -> str:
    about = command_head(target(step)) if command_text(step) else shortened(target(step), LONGEST_TASK)
    outcome = "no result" if step.outcome == "unknown" else step.outcome
    return f"{step.call.name} {code(about)} → {outcome}"


# The user's words: all messages, long ones cut in their middle so that they fit together.


LEAST_QUOTE, MORE_ROOM = 120, 3  # characters; the newest message and the first one get three times the room


def quote_lines(said: Sequence[Request], room: int, count: Callable[[str], int]) -> list[Line]:
    """Quote all messages of the user; the newest gets in first, then the first one, then the others going back."""
    newest = len(said) - 1
    weights = [MORE_ROOM if place in (0, newest) else 1 for place in range(len(said))]
    tokens = [count(request.text) + 2 for request in said]
    lengths = [max(1, len(request.text)) for request in said]
    low, high = LEAST_QUOTE, max(lengths, default=LEAST_QUOTE)
    while low < high:  # the most characters with which all fit
        limit = (low + high + 1) // 2
        shares = (min(1.0, limit * weight / length) for weight, length in zip(weights, lengths, strict=True))
        needed = sum(number * share for number, share in zip(tokens, shares, strict=True))
        low, high = (limit, high) if needed <= room else (low, limit - 1)
    turns = {newest: 0, 0: 1}
    return [
        Line(QUOTES, bullet(cut(request.text, low * weight)), place, turn=turns.get(place, 1 + newest - place))
        for place, (request, weight) in enumerate(zip(said, weights, strict=True))
    ]


def left_out(number: int) -> list[Line]:
    """Count the messages that there was no room for."""
    text = f"- [... {counted(number, 'more message')} left out ...]"
    return [Line(QUOTES, text, 0, turn=10_000, filler=True)] if number else []


# Telling lines of the assistant: those that name the most that the summary does not hold yet.


LEAST, LONGEST = 25, 320  # characters of a line
MOST_CANDIDATES = 3000
FINAL_WORTH = 2.0  # of what ends a turn, which tells most
# What can be looked up: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME = re.compile(
    r"`[^`\n]{1,80}`|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40}"
)
_ANNOUNCES = re.compile(
    r"(?:(?:now|next|first|then|ok|okay|good|great)[,.!:]? )?let(?:[’']s|s| me| us)\b", re.IGNORECASE
)


class _Candidate(Struct, frozen=True):
    text: str
    names: frozenset[str]
    place: int
    heading: str
    worth: float


class Telling:
    """What the assistant said in lines, each worth what it names that the summary does not hold already."""

    def __init__(self, messages: Sequence[Message], said: Sequence[Request]) -> None:
        wishes = {request.message: request.text for request in said}
        spoken: list[tuple[str, str]] = []
        heading = "Before the first request:"
        for message in messages:
            if message.id in wishes:
                heading = f"On {excerpt(wishes[message.id], 100)}:"
            elif message.role == "assistant" and message.text.strip():
                spoken.append((heading, message.text))
        found: list[_Candidate] = []
        for (heading, text), (following, _) in pairwise([*spoken, ("", "")]):
            worth = FINAL_WORTH if heading != following else 1.0
            for line in _prose(text):
                checkpoint()
                found.append(_Candidate(line, _names_in(line), len(found), heading, worth))
        self._lines = found[-MOST_CANDIDATES:]

    def lines(self, known: str, room: int, count: Callable[[str], int]) -> list[Line]:
        """Fill the room with lines, the most telling first; each is worth what it adds to those before it."""
        there, held = set(map(_bare, known.split("\n"))), _names(known)
        scores = {
            line: line.worth * (1 + len(line.names - held)) / math.sqrt(20 + len(line.text))
            for line in self._lines
            if line.text not in there
        }
        chosen: list[Line] = []
        for line in sorted(scores, key=lambda line: (-scores[line], -line.place)):
            new = line.names - held
            cost = count(line.text) + 2
            if cost > room or (not new and line.worth < FINAL_WORTH):
                continue
            room -= cost
            held |= new
            chosen.append(Line(REPORTED, f"- {line.text}", line.place, turn=len(chosen), heading=line.heading))
        return chosen


def _prose(text: str) -> Iterator[str]:
    """Yield the lines outside fences and tables that neither ask nor announce, each whole or cut at a word.

    A fence that is never closed is code up to the end: the reply was cut off in it.
    """
    for line, fenced in marked_lines(text):
        if not fenced and FENCE.match(line):
            return
        bare = _bare(line)
        tells = not bare.startswith("|") and not bare.endswith(("?", "？", ":")) and not _ANNOUNCES.match(bare)
        if not fenced and len(bare) >= LEAST and tells:
            yield shortened(bare, LONGEST)


def _bare(line: str) -> str:
    return without_bullet(line.strip().lstrip("#")).strip()


@lru_cache(MOST_CANDIDATES)
def _names_in(line: str) -> frozenset[str]:
    """Find the names of a line; cached, since a chat is looked at again and again."""
    return frozenset(_names(line))


def _names(text: str) -> set[str]:
    return {name.strip("`") for name in _NAME.findall(text)}
