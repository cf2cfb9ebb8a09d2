"""The facts of the messages to be summarised, as lines for its sections."""

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
    Rule,
    Step,
    Todo,
    Work,
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

# What was done and met: sections 2 to 4, and the commands of section 5.


MOST_PROGRAMS, MOST_TERMS = 8, 12
_SPAN = re.compile(r"`(?<!``)([^`\n]{2,60})`(?!`)")  # a pattern that begins with its sign is searched faster
_NAME_EVIDENCE = re.compile(r"[\w@][\w.:()@<>\[\]-]*")
_DEEDS = {"read": "read", "write": "written", "edit": "edited"}


def file_lines(uses: Sequence[FileUse], removed: Container[str] = ()) -> Iterator[Line]:
    """The files with what was done to each, in the order of their last use; one that is there no more says so."""
    deeds: dict[str, Counter[str]] = {}
    for use in uses:
        done = deeds.pop(use.path, Counter())
        done[_DEEDS[use.kind]] += 1
        deeds[use.path] = done
    for place, (path, done) in enumerate(deeds.items()):
        modified = done.keys() != {"read"}
        told = ", ".join(f"{deed} {number}×" if number > 1 else deed for deed, number in done.items() if deed != "read")
        told += ", then removed" if path in removed else ""
        if modified:
            entry = (shown_path(path), told)
            yield Line(MODIFIED, f"- {shown_path(path)} ({told})", place, turn=-place, entry=entry)
        else:
            yield Line(READ, f"- {shown_path(path)}", place, turn=-place)


def error_lines(errors: Sequence[Error]) -> Iterator[Line]:
    """The errors with what met them; the newest ones get in first."""
    for place, error in enumerate(errors):
        exit_code = f" (exit code {error.code})" if error.code else ""
        group, head, where = FIXED_ERRORS if error.fixed else OPEN_ERRORS, error_head(error.text), code(error.where)
        entry = (f'"{head}"', f"{where}{exit_code}", group.heading.removesuffix(":"))
        yield Line(group, f"- {code(head)} in {where}{exit_code}", place, turn=-place, entry=entry)


def command_lines(commands: Sequence[Command]) -> Iterator[Line]:
    """The commands in the order of their last runs, those of one beginning once; the newest get in first."""
    heads: dict[str, Command] = {}
    for command in commands:
        head = command_head(command.text)
        heads.pop(head, None)
        heads[head] = command
    for place, (head, command) in enumerate(heads.items()):
        group = LOOKS if errand_of(command.step).only_looks else COMMANDS
        cut = "" if head == fold(command.text) else "…"
        yield Line(group, f"- {code(head + cut)}{_ending(command)}", place, turn=-place)


def term_lines(commands: Sequence[Command], texts: Iterable[str]) -> Iterator[Line]:
    """The programs and names that came up most."""
    programs = Counter(program(command.text) for command in commands)
    names = Counter(name for text in texts for name in set(_SPAN.findall(text)) if _NAME_EVIDENCE.fullmatch(name))
    often = Counter({name: number for name, number in names.items() if number > 1})
    rows = (("Programs run", programs, MOST_PROGRAMS), ("Names that came up most", often, MOST_TERMS))
    for place, (label, found, most) in enumerate(rows):
        if listed := ", ".join(code(name) for name in _most(found, most)):
            yield Line(TERMS, f"- {label}: {listed}", place, turn=place)


def _most(found: Counter[str], most: int) -> list[str]:
    ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [name for name, _ in ranked if name][:most]


def _ending(command: Command) -> str:
    ended = {"ok": " → ok", "failed": " → failed", "unknown": " → outcome not told"}[command.step.outcome]
    if command.step.code:
        ended += f" (exit code {command.step.code})"
    return f"{ended}, {command.runs} runs" if command.runs > 1 else ended


# What the summaries of earlier compactions hand on, so that it is not lost with them.


LONGEST_PIECE, MOST_PIECES = 1200, 400  # characters, and of one section
LEAST_SECTIONS = 3  # with which a text is taken for a summary of a style
_OURS = ("(Extracted from", "From the summary of", "State at an earlier", "Open at an earlier", "(none)")


def earlier_lines(summaries: Sequence[Request]) -> Iterator[Line]:
    """The pieces of each earlier summary under its own sections, or as a whole where it has none; the newest first."""
    for number, summary in enumerate(summaries):
        sections = _heritage(summary.text)
        before, behind = number * MOST_PIECES, (len(summaries) - 1 - number) * MOST_PIECES
        for name, group in EARLIER.items():
            for place, piece in enumerate(islice(_pieces(sections.get(name, "")), MOST_PIECES)):
                yield Line(group, clip(piece, LONGEST_PIECE), before + place, turn=behind + place)


def _heritage(summary: str) -> Mapping[Heritage, str]:
    """Sort the sections of a summary of any style by what they hand on; without sections all of it is the intent."""
    for style in STYLES.values():
        found = {key: value for key, value in (style.parse(summary) or {}).items() if value}
        if len(found) >= LEAST_SECTIONS:
            handed_on: dict[Heritage, list[str]] = {}
            for key, heritage in ((slot.key, slot.heritage) for slot in style.slots):
                if heritage and key in found:
                    handed_on.setdefault(heritage, []).append(_text(found[key]))
            return {heritage: "\n\n".join(texts) for heritage, texts in handed_on.items()}
    return {"intent": summary}


def _text(value: str | Sequence[str | Mapping[str, str]]) -> str:
    """A section as text: items as a list, an entry as one of them."""
    if isinstance(value, str):
        return value
    items = (item if isinstance(item, str) else "; ".join(filter(None, item.values())) for item in value)
    return "\n".join(map(bullet, items))


def _pieces(text: str) -> Iterator[str]:
    """The items of a section without headings of ours; each begins with a line neither indented nor in a fence."""
    piece: list[str] = []
    for line, fenced in marked_lines(block(text)):
        if piece and not fenced and line[:1].strip():
            yield "\n".join(piece)
            piece = []
        if line.strip() and not line.startswith(_OURS):
            piece.append(line)
    if piece:
        yield "\n".join(piece)


# Where the work stands and how to go on: sections 8 and 9, and the task at hand.


LONGEST_QUOTE, LONGEST_TASK = 240, 200
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "no result"}


class End(Struct, frozen=True):
    """The end of the chat, or of the part of it that is summarised."""

    work: Work
    todos: tuple[Todo, ...]
    answered: bool  # the last words are the assistant's, and no call waits


def ends_answered(messages: Sequence[Message]) -> bool:
    """Whether the last turn is the assistant's own and asks for no tool."""
    last = next((message for message in reversed(messages) if not message.by_host), None)
    return last is not None and last.role == "assistant" and not last.calls


def state_lines(end: End, characters: int, *, with_wish: bool) -> Iterator[Line]:
    """The newest request where it is wanted here too, the last words of the assistant and the last steps."""
    work = end.work
    if work.wish and with_wish:
        wish = excerpt(work.wish.text, LONGEST_QUOTE)
        yield Line(STATE, f"- Newest of the requests summarised here: {wish}", 0, turn=0)
    for place, step in enumerate(work.steps):
        yield Line(STATE, f"- Step: {_step(step)}", 1 + place, turn=10 - place)
    if work.said:
        said = block(clip(work.said.text, characters))
        yield Line(STATE, f"The assistant's last words:\n{said}", 10, turn=1)


def next_lines(end: End, direction: Direction) -> Iterator[Line]:
    """One next step, or for an older part the state that the newer messages build on."""
    if direction == "upTo":
        yield from (Line(CONTEXT, text, place) for place, text in enumerate(_context(end)))
        yield Line(CONTEXT, "- The newer messages stand behind this summary; where they differ, they hold.", 9, 9, True)
    elif question := _question(end):
        yield Line(NEXT, f"- Wait for the user: the assistant asked {excerpt(question)}", 0)
    elif task := _task(end):
        yield Line(NEXT, f"- Go on with the {task[0]} {excerpt(task[1])}", 0)
    else:
        step = "- None that is certain: the assistant had ended its turn, and no item is open."
        yield Line(NEXT, step, 0, filler=True)


def task_line(end: End) -> Line:
    """The task at hand in one line (rule P10)."""
    if question := _question(end):
        return Line(TASK, f"WAITING: the assistant asked {excerpt(question, LONGEST_TASK)}", 0)
    if task := _task(end):
        at_hand = f" ({_step(end.work.steps[-1])})" if end.work.steps else ""
        return Line(TASK, f"CONTINUE: {shortened(task[1], LONGEST_TASK)}{at_hand}", 0)
    return Line(TASK, "NONE", 0, filler=True)


def _context(end: End) -> Iterator[str]:
    """What holds at the end of an older part; the newer messages may have moved on since."""
    if end.work.wish:
        state = "the assistant had replied to" if end.answered else "was under way"
        yield f"- This part ends with the request {excerpt(end.work.wish.text)}, which {state}."
    if question := _question(end):
        yield f"- The assistant had asked {excerpt(question)}"
    if todo := _open_todo(end):
        yield f"- Open item: {excerpt(todo)}"


def _task(end: End) -> tuple[str, str] | None:
    """What to go on with, and its words: an open item, else a request that has no reply."""
    if todo := _open_todo(end):
        return "open item", todo
    return ("newest request", end.work.wish.text) if end.work.wish and not end.answered else None


def _open_todo(end: End) -> str:
    """The item in progress, else the first that is open."""
    waiting = sorted((todo for todo in end.todos if todo.status != "done"), key=lambda todo: todo.status != "doing")
    return waiting[0].text if waiting else ""


def _question(end: End) -> str:
    """The question with which the assistant ended its turn."""
    if not end.answered or not end.work.said:
        return ""
    last = sentences(end.work.said.text[-2000:])[-1:]
    return last[0] if last and last[0].rstrip("*_ )").endswith(("?", "？")) else ""


def _step(step: Step) -> str:
    about = command_head(target(step)) if command_text(step) else shortened(target(step), LONGEST_TASK)
    return f"{step.call.name} {code(about)} → {_OUTCOMES[step.outcome]}"


# Telling lines out of what the assistant said: those that name the most that the summary does not hold yet.


LEAST, LONGEST = 25, 320  # characters of a line
MOST_CANDIDATES = 3000
# What can be looked up: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME_TELLING = re.compile(
    r"`[^`\n]{1,80}`|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40}"
)
_ANNOUNCES = re.compile(
    r"(?:(?:now|next|first|then|ok|okay|good|great)[,.!:]? )?let(?:[’']s|s| me| us)\b", re.IGNORECASE
)
_FINAL_WORTH = 2.0


class _Candidate(Struct, frozen=True):
    text: str
    names: frozenset[str]
    place: int
    heading: str
    worth: float


class Telling:
    """What the assistant said in lines, each worth what it names beside what the summary holds already."""

    def __init__(self, messages: Sequence[Message], said: Sequence[Request]) -> None:
        self._lines = _candidates(messages, said)

    def lines(self, known: str, room: int, count: Callable[[str], int]) -> list[Line]:
        """The lines to fill the room with, the most telling first; each is worth what it adds to those before it."""
        there = set(map(_bare, known.split("\n")))
        found = [line for line in self._lines if line.text not in there]
        held = _names(known)
        chosen: list[Line] = []
        for line in sorted(found, key=lambda one: (-_score(one, held), -one.place)):
            new = line.names - held
            cost = count(line.text) + 2
            if cost > room or (not new and line.worth < _FINAL_WORTH):
                continue
            room -= cost
            held |= new
            chosen.append(Line(REPORTED, f"- {line.text}", line.place, turn=len(chosen), heading=line.heading))
        return chosen


def _score(line: _Candidate, held: set[str]) -> float:
    return line.worth * (1 + len(line.names - held)) / math.sqrt(20 + len(line.text))


def _candidates(messages: Sequence[Message], said: Sequence[Request]) -> list[_Candidate]:
    """The lines that the assistant said, under the request that they were said to; the newest where there are many."""
    wishes = {request.message: request.text for request in said}
    spoken: list[tuple[str, str]] = []
    heading = "Before the first request:"
    for message in messages:
        if message.id in wishes:
            heading = f"On {excerpt(wishes[message.id], 100)}:"
        elif message.role == "assistant" and message.text.strip():
            spoken.append((heading, message.text))
    found: list[_Candidate] = []
    for (heading, text), (behind, _) in pairwise([*spoken, ("", "")]):
        worth = _FINAL_WORTH if heading != behind else 1.0  # what ends a turn tells most
        for line in _prose(text):
            checkpoint()
            found.append(_Candidate(line, _names_in(line), len(found), heading, worth))
    return found[-MOST_CANDIDATES:]


def _prose(text: str) -> Iterator[str]:
    """The lines outside fences and tables that neither ask nor announce, each whole or cut at a word.

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
    """The names of a line, remembered, since a chat is looked at again and again."""
    return frozenset(_names(line))


def _names(text: str) -> set[str]:
    return {name.strip("`") for name in _NAME_TELLING.findall(text)}


# What the person wants: sections 1, 6 and 7.


_EXTRACTED = (
    "(Extracted from the chat by rules, without a model. Quotes are verbatim; later messages override earlier ones.)"
)
LONGEST_WISH = 240
LEAST_QUOTE, MORE_ROOM = 120, 3  # characters; the newest message and the first one get three times the room


def notice() -> Line:
    """Say who wrote this."""
    return Line(NOTICE, _EXTRACTED, 0, filler=True)


def wish_lines(said: Sequence[Request]) -> Iterator[Line]:
    """The first and the newest request; all of them stand in section 6."""
    if said:
        yield Line(WISHES, f"- First request: {excerpt(said[0].text, LONGEST_WISH)}", 0, turn=1)
    if len(said) > 1:
        yield Line(WISHES, f"- Newest of the requests summarised here: {excerpt(said[-1].text, LONGEST_WISH)}", 1)


def rule_lines(rules: Sequence[Rule]) -> Iterator[Line]:
    """The rules; one that a later rule changed says so."""
    for place, rule in enumerate(rules):
        mark = " (superseded by a later rule)" if rule.superseded else ""
        yield Line(RULES, f'- "{rule.text}"{mark}', place, turn=rule.superseded)


def todo_lines(todos: Sequence[Todo]) -> Iterator[Line]:
    """The open items, and how many are done."""
    marks = {"open": "- [ ] ", "doing": "- [ ] (in progress) "}
    for place, todo in enumerate(todo for todo in todos if todo.status != "done"):
        yield Line(TODOS, marks[todo.status] + " ".join(todo.text.split()), place, turn=todo.status != "doing")
    if done := sum(todo.status == "done" for todo in todos):
        yield Line(TODOS, f"- Done: {done} of {counted(len(todos), 'item')}.", len(todos), turn=2)


def quote_lines(said: Sequence[Request], room: int, count: Callable[[str], int]) -> list[Line]:
    """All messages of the person, long ones cut in their middle so that they fit together."""
    limit = _limit(said, room, count)
    return [
        Line(QUOTES, bullet(cut(request.text, limit * _weight(place, said))), place, turn=_turn(place, said))
        for place, request in enumerate(said)
    ]


def left_out(number: int) -> list[Line]:
    """Say how many messages there was no room for."""
    text = f"- [... {counted(number, 'more message')} left out ...]"
    return [Line(QUOTES, text, 0, turn=10_000, filler=True)] if number else []


def _limit(said: Sequence[Request], room: int, count: Callable[[str], int]) -> int:
    """How many characters of a message can be shown: the most with which all fit."""
    tokens = [count(request.text) + 2 for request in said]
    lengths = [max(1, len(request.text)) for request in said]
    low, high = LEAST_QUOTE, max(lengths, default=LEAST_QUOTE)
    while low < high:
        limit = (low + high + 1) // 2
        limits = (limit * _weight(place, said) for place in range(len(said)))
        needed = sum(t * min(1.0, most / n) for t, n, most in zip(tokens, lengths, limits, strict=True))
        low, high = (limit, high) if needed <= room else (low, limit - 1)
    return low


def _weight(place: int, said: Sequence[Request]) -> int:
    return MORE_ROOM if place in (0, len(said) - 1) else 1


def _turn(place: int, said: Sequence[Request]) -> int:
    """The newest message goes in first, then the first one, then the others from the newest back."""
    newest = len(said) - 1
    return {newest: 0, 0: 1}.get(place, 1 + newest - place)


# The facts of the messages to be summarised, as lines for its sections.


LAST_WORDS_SHARE, SPARING_SHARE, CHARACTERS_PER_TOKEN = 0.15, 0.2, 3


class Material(Struct, frozen=True):
    """What a summary is made of: the messages, the person's words among them, and a line for each fact."""

    messages: Sequence[Message]
    said: tuple[Request, ...]
    facts: tuple[Line, ...]


def gather(
    messages: Sequence[Message],
    direction: Direction,
    room: int,
    task: bool,
    *,
    sparing: bool = False,
) -> Material:
    """Find the facts and write a line for each; `room` tells how much of the last words can be quoted.

    A sparing page tells the requests once, as quotes.
    """
    said, taken = requests(messages), find_steps(messages)
    end = End(work_of(messages, said, taken), todos(taken), ends_answered(messages))
    share = SPARING_SHARE if sparing else LAST_WORDS_SHARE
    characters = max(200, round(room * share * CHARACTERS_PER_TOKEN))
    facts = (
        notice(),
        *(() if sparing else wish_lines(said)),
        *rule_lines(rules(said, checkpoint)),
        *earlier_lines(earlier_summaries(messages)),
        *_evidence(messages, taken),
        *todo_lines(end.todos),
        *state_lines(end, characters, with_wish=not sparing),
        *next_lines(end, direction),
        *([task_line(end)] if task and direction != "upTo" else []),
    )
    return Material(messages, said, facts)


def _evidence(messages: Sequence[Message], taken: Sequence[Step]) -> Iterator[Line]:
    uses, run = file_uses(taken), commands(taken)
    yield from file_lines(uses, removed_files(taken))
    yield from error_lines(find_errors(taken))
    yield from command_lines(run)
    yield from term_lines(run, (message.sent_text for message in messages if message.sent_text))
