"""What offline summaries are made of: a line for each fact, and pieces of a hand-over with what each is worth."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.errors import checkpoint
from compact_chat.facts import (
    EXTRACTED,
    PREFERENCES_HEADING,
    RULES_HEADING,
    SUPERSEDED,
    WORDS_HEADING,
    Command,
    Error,
    Facts,
    Inherited,
    Request,
    Step,
    Todo,
    Work,
    asks,
    command_head,
    commands,
    error_head,
    fold,
    program,
    sentences,
    shortened,
    shown_path,
    summary_and_kept,
    target,
    task_of,
    without_bullet,
    work_of,
)
from compact_chat.plan import Direction
from compact_chat.prompt import LABELS_TRANSCRIPT, clip
from compact_chat.styles import STYLES, Heritage, Topic
from compact_chat.text import (
    CONTINUED,
    HANDED_OVER,
    HANDOVER,
    KEPT_HEADINGS,
    closed_fences,
    code,
    counted,
    escape_labels,
    escape_tags,
    marked_lines,
)

LAST_WORDS_SHARE, SPARING_SHARE, CHARACTERS_PER_TOKEN = 0.15, 0.2, 3
LONGEST_WISH, LONGEST_TASK = 240, 200  # characters
LEAST_QUOTE = 120  # characters of a message that is shortened
LEAST_CUT = 80  # characters; leaving out fewer is not worth the note
LONGEST_WORD = 30
LONGEST_CODE = 200  # characters of a block in a message that is shortened
_HEADING = re.compile(r"^([ \t]*+)(?=#{1,6}(?:[ \t]|$))")
# What readers look for without regard to fences: our own titles.
_TITLES = "|".join(map(re.escape, (CONTINUED, *KEPT_HEADINGS, *(f"## {title}" for title in HANDOVER))))
_OWN_TITLE = re.compile(
    rf"^([ \t]*+)(?=(?:{_TITLES})[ \t]*$|### (?:Turn \d|Before turn 1)|#[ \t].*{re.escape(HANDED_OVER)}[ \t]*$)"
)
_ITEM = re.compile(r"[ \t]*+(?:(?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]|\|)")
_BLANKS = re.compile(r"\n\s*\n")
_EXTRACTED = f"{EXTRACTED} Quotes are verbatim; later messages override earlier ones.)"


class Group(Struct, frozen=True):
    """Lines of one kind: their topic, their heading, their share of the room, and their rank."""

    topic: Topic
    heading: str
    share: float
    rank: int
    earlier: bool = False  # from the summary of an earlier compaction


NOTICE = Group("intent", "", 1.0, 0)
WISHES = Group("intent", "", 0.15, 2)
RULES = Group("rules", RULES_HEADING, 0.6, 1)
PREFERENCES = Group("rules", PREFERENCES_HEADING, 0.3, 2)
TERMS = Group("terms", "", 0.05, 8)
MODIFIED = Group("modified", "Modified, the newest last:", 0.25, 4)
READ = Group("read", "Only read:", 0.15, 9)
OPEN_ERRORS = Group("openErrors", "Unresolved:", 0.15, 3)
FIXED_ERRORS = Group("fixedErrors", "Fixed: the same call succeeded later:", 0.08, 10)
COMMANDS = Group("commands", "Commands, and how each last ended:", 0.2, 8)
LOOKUPS = Group("lookups", "Commands that only looked something up:", 0.3, 12)
REPORTED = Group("reported", "", 1.0, 13)
QUOTES = Group("quotes", WORDS_HEADING, 1.0, 5)
TODOS = Group("todos", "", 0.15, 1)
OPEN_HEADING, SEEN_HEADING = "Left open in the last answers:", "Seen in the output of commands:"
RESULTS_HEADING = "Values that calls returned and later turns used:"
OPEN_ENDS = Group("todos", OPEN_HEADING, 0.1, 2)
STATE = Group("state", "", 0.3, 6)
SEEN = Group("state", SEEN_HEADING, 0.12, 3)
DECISIONS = Group("decisions", "", 0.1, 4)
RESULTS = Group("results", RESULTS_HEADING, 0.1, 7)
NEXT = Group("next", "", 0.15, 2)
CONTEXT = Group("context", "", 0.15, 2)
TASK = Group("task", "", 0.1, 0)
FIRST = (NOTICE, RULES)  # whatever else there is

# What an earlier summary passes on, by topic; its own next step is outdated.
_FROM = "From the summary of an earlier compaction:"
_OLD_STATE = "State at an earlier compaction, superseded by what followed:"
EARLIER: Mapping[Heritage, Group] = {
    "intent": Group("intent", _FROM, 0.08, 7, earlier=True),
    "terms": Group("terms", _FROM, 0.03, 7, earlier=True),
    "files": Group("oldFiles", _FROM, 0.06, 7, earlier=True),
    "errors": Group("oldErrors", _FROM, 0.04, 7, earlier=True),
    "outcomes": Group("reported", _FROM, 0.04, 7, earlier=True),
    "state": Group("reported", _OLD_STATE, 0.04, 7, earlier=True),
    "context": Group("reported", _OLD_STATE, 0.04, 7, earlier=True),
    "todos": Group("oldTodos", "Open at an earlier compaction, perhaps done since:", 0.04, 7, earlier=True),
}


class Line(Struct, frozen=True):
    """A piece of the summary: its place in its group, its priority, and a heading of its own.

    `entry` is the same piece for styles that have entries: its name, and what the first fields behind it say.
    """

    group: Group
    text: str
    place: int
    turn: int = 0
    filler: bool = False  # it says nothing of the chat itself
    heading: str = ""
    entry: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[bool, bool, int, str, int]:
        """Its position in its section: notice, earlier summaries, lines without a heading, and the rest by rank."""
        group = self.group
        return group.rank > 0 and not group.earlier, bool(group.heading), group.rank, group.heading, self.place

    @property
    def head(self) -> str:
        """The heading that it goes below."""
        return self.heading or self.group.heading


def safe(text: str) -> str:
    """Escape everything that reads like a tag or a label (rules T10 and T11)."""
    return escape_labels(escape_tags(text), LABELS_TRANSCRIPT)


def without_headings(text: str) -> str:
    r"""Put a `\` before each heading; in closed fences only before our own titles (rule H15)."""
    return "\n".join((_OWN_TITLE if fenced else _HEADING).sub(r"\1\\", line, 1) for line, fenced in marked_lines(text))


def guarded(text: str) -> str:
    """Escape what could pass for a heading, a tag or a label."""
    return safe(without_headings(text))


def bullet(text: str) -> str:
    """Format a list item, further lines indented below it, without blank lines."""
    lines = [line.rstrip() for line in text.strip().split("\n") if line.strip()]
    return "- " + "\n  ".join(lines)


def cut(text: str, limit: int, borders: Sequence[int] = ()) -> str:
    """Truncate a text clearly longer than `limit` to its first three quarters and its end.

    It is cut at borders of its blocks, if some are near, else between words.
    """
    if len(text) <= limit + LEAST_CUT:
        return text
    first = limit * 3 // 4
    last = len(text) - limit + first
    head, tail = text[:first], text[last:]
    before = bisect_right(borders, first) - 1
    after = bisect_left(borders, last)
    if before >= 0 and 4 * borders[before] > 3 * first:
        head = text[: borders[before]]
    else:  # Drop a partial word, unless it is long.
        end = head.rfind(" ") + 1
        head = head[:end] or head if len(head) - end <= LONGEST_WORD else head
    if after < len(borders) and 4 * (len(text) - borders[after]) > 3 * len(tail):
        tail = text[borders[after] :]
    else:
        start = tail.find(" ")
        tail = tail[start:] if 0 <= start <= LONGEST_WORD else tail
    return f"{head.rstrip()}\n[... {len(text) - len(head) - len(tail)} characters omitted ...]\n{tail.lstrip()}"


def with_short_code(text: str) -> str:
    """Cut the fenced blocks of a text: of a long message, what is said around its code says more."""
    parts, at = list[str](), 0
    for start, end in sorted(closed_fences(text).items()):
        if start >= at:
            parts += text[at:start], cut(text[start:end], LONGEST_CODE)
            at = end
    return "".join((*parts, text[at:]))


def block_borders(text: str) -> list[int]:
    """Return where paragraphs, items, headings, rows and fences begin."""
    borders, at, apart, was_fenced = list[int](), 0, True, False
    for line, fenced in marked_lines(text):
        begins = fenced != was_fenced or (not fenced and (apart or _ITEM.match(line)))
        if begins and line.strip():
            borders.append(at)
        at, apart, was_fenced = at + len(line) + 1, not line.strip(), fenced
    return borders


def common_limit(texts: Sequence[str], weights: Sequence[int], room: float, count: Callable[[str], int]) -> int:
    """Return the most characters per weight with which all texts fit a room in tokens, at least LEAST_QUOTE."""
    tokens = [count(text) + 2 for text in texts]
    lengths = [max(1, len(text)) for text in texts]

    def needed(limit: int) -> float:
        sizes = zip(tokens, weights, lengths, strict=True)
        return sum(number * min(1.0, limit * weight / length) for number, weight, length in sizes)

    return LEAST_QUOTE + bisect_right(range(LEAST_QUOTE + 1, max(lengths, default=0) + 1), room, key=needed)


def excerpt(text: str, limit: int = 160) -> str:
    """Quote the beginning of a text."""
    return f'"{shortened(text, limit)}"'


def block(text: str) -> str:
    """Remove blank lines at both ends of a text, and all but one between its paragraphs."""
    return _BLANKS.sub("\n\n", text.strip())


def gather(facts: Facts, direction: Direction, room: int, task: bool, sparing: bool) -> list[Line]:
    """Write a line for each fact; a short summary has the requests once, as quotes."""
    messages, said, run = facts.messages, facts.said, commands(facts.steps)
    lines = [Line(NOTICE, _EXTRACTED, 0, filler=True)]
    if said and not sparing:
        lines.append(Line(WISHES, f"- First request: {excerpt(said[0].text, LONGEST_WISH)}", 0, turn=1))
    if len(said) > 1 and not sparing:
        newest = excerpt(said[-1].text, LONGEST_WISH)
        lines.append(Line(WISHES, f"- Newest of the requests summarized here: {newest}", 1))
    for place, rule in enumerate(facts.rules):
        mark = SUPERSEDED if rule.superseded else ""
        group = RULES if rule.kind == "constraints" else PREFERENCES
        lines.append(Line(group, f'- "{rule.text}"{mark}', place, turn=rule.superseded))
    lines += earlier_lines(facts.summaries, facts.inherited)
    lines += file_lines(facts)
    lines += error_lines(facts.errors)
    lines += command_lines(run)
    lines += term_lines(run, (message.sent_text for message in messages if message.sent_text))
    lines += todo_lines(facts.todos)
    for place, note in enumerate(facts.notes):  # failures and what is not committed get in first
        lines.append(Line(SEEN, f"- {note.text}", place, turn=note.ok * len(facts.notes) - place))
    typed = {request.message for request in said}  # what the user decided is among the user's words
    decided = (one for one in facts.decisions if one.mark or one.message not in typed)
    lines += newest_first(DECISIONS, (f"Decided: {one.text}" for one in decided))
    lines += newest_first(OPEN_ENDS, (one.text for one in facts.open_ends))
    lines += newest_first(RESULTS, (code(result.text) for result in facts.results))
    work, share = work_of(facts), SPARING_SHARE if sparing else LAST_WORDS_SHARE
    if work.wish and not sparing:
        wish = excerpt(work.wish.text, LONGEST_WISH)
        lines.append(Line(STATE, f"- Newest of the requests summarized here: {wish}", 0))
    for place, step in enumerate(work.steps):
        lines.append(Line(STATE, f"- Step: {_shown_step(step)}", 1 + place, turn=10 - place))
    if work.said:
        words = clip(work.said.text, max(200, round(room * share * CHARACTERS_PER_TOKEN)))
        lines.append(Line(STATE, f"The assistant's last words:\n{block(words)}", 10, turn=1))
    lines += next_lines(facts, work, direction, task)
    return lines


# What was done and what failed; the newest gets in first.


MOST_PROGRAMS, MOST_TERMS = 8, 12
_SPAN = re.compile(r"`(?<!``)([^`\n]{2,60})`(?!`)")  # a pattern with a literal prefix is searched faster
_TERM = re.compile(r"[\w@][\w.:()@<>\[\]-]*")
_USES = {"read": "read", "write": "written", "edit": "edited"}


def file_lines(facts: Facts) -> Iterator[Line]:
    """Yield the files, ordered by last use, and what was done to each modified one."""
    added = {new.path: new.names for new in facts.new_names}
    files: dict[str, Counter[str]] = {}
    for use in facts.uses:
        done = files.pop(use.path, Counter())
        done[_USES[use.kind]] += 1
        files[use.path] = done
    for place, (path, done) in enumerate(files.items()):
        changes = [f"{use} {number}×" if number > 1 else use for use, number in done.items() if use != "read"]
        if changes:
            what = ", ".join(changes) + (", then removed" if path in facts.removed else "")
            if (names := added.get(path)) and path not in facts.removed:
                what += f"; new: {', '.join(names)}"
            entry = (shown_path(path), what)
            yield Line(MODIFIED, f"- {shown_path(path)} ({what})", place, turn=-place, entry=entry)
        else:
            yield Line(READ, f"- {shown_path(path)}", place, turn=-place)


def error_lines(errors: Sequence[Error]) -> Iterator[Line]:
    """Yield the errors with the commands or files that caused them."""
    for place, error in enumerate(one for one in errors if one.cure or not one.fixed):  # not what was given up
        group, head = FIXED_ERRORS if error.fixed else OPEN_ERRORS, error_head(error.text)
        where = code(error.where) + (f" (exit code {error.code})" if error.code else "")
        entry = (f'"{head}"', where, group.heading.removesuffix(":"))
        yield Line(group, f"- {code(head)} in {where}", place, turn=-place, entry=entry)


def command_lines(commands: Sequence[Command]) -> Iterator[Line]:
    """Yield the commands, ordered by their last runs, those with the same beginning once."""
    heads: dict[str, Command] = {}
    for command in commands:
        head = command_head(command.text)
        heads.pop(head, None)
        heads[head] = command
    endings = {"ok": " → ok", "failed": " → failed", "unknown": " → outcome unknown"}
    for place, (head, command) in enumerate(heads.items()):
        group = LOOKUPS if task_of(command.step).only_reads else COMMANDS
        text = code(head if head == fold(command.text) else f"{head}…") + endings[command.step.outcome]
        text += f" (exit code {command.step.code})" if command.step.code else ""
        text += f", {command.runs} runs" if command.runs > 1 else ""
        yield Line(group, f"- {text}", place, turn=-place)


def newest_first(group: Group, texts: Iterable[str]) -> Iterator[Line]:
    """Yield items, of which the newest get in first."""
    for place, text in enumerate(texts):
        yield Line(group, f"- {text}", place, turn=-place)


def term_lines(commands: Sequence[Command], texts: Iterable[str]) -> Iterator[Line]:
    """Yield the programs and the names in code that occur most."""
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


# What the summaries of earlier compactions pass on, so that it is not lost with them.


LONGEST_PIECE, MOST_PIECES = 1200, 400  # characters of a piece, and pieces per section
LEAST_SECTIONS = 3  # by which a text is recognized as a summary of a style
# Our own headings, and lines that told of a state that is past.
_OURS = (
    EXTRACTED,
    "From the summary of",
    "State at an earlier",
    "Open at an earlier",
    RULES_HEADING,
    PREFERENCES_HEADING,
    WORDS_HEADING,
    OPEN_HEADING,
    SEEN_HEADING,
    RESULTS_HEADING,
    "(none)",
    "- First request: ",
    "- Newest of the requests ",
    "- Step: ",
    "- This part ends with the request",
    "- The newer messages ",
    "- Wait for the user:",
    "- Go on with the ",
    "- Left open: ",
    "- None that is certain:",
    "- [... ",
)


def earlier_lines(summaries: Sequence[Request], before: Inherited) -> Iterator[Line]:
    """Yield the pieces of each earlier summary by topic, without the user's words; the newest summary gets in first."""
    counted_again = {fold(one.text) for one in (*before.words, *before.rules)}
    for number, one in enumerate(summaries):
        summary, kept = summary_and_kept(one.text)
        found = {heritage: list(_pieces(text)) for heritage, text in _handed_on(summary).items()}
        found.setdefault("outcomes", []).extend(text for speaker, text in kept if speaker == "Assistant")
        first, behind = number * MOST_PIECES, (len(summaries) - 1 - number) * MOST_PIECES
        for heritage, group in EARLIER.items():
            pieces = (piece for piece in found.get(heritage, ()) if _bare(piece) not in counted_again)
            for place, piece in enumerate(islice(pieces, MOST_PIECES)):
                yield Line(group, clip(piece, LONGEST_PIECE), first + place, turn=behind + place)


def _bare(piece: str) -> str:
    words = fold(without_bullet(piece))
    return words[1:-1] if words[:1] == words[-1:] == '"' else words


def _handed_on(summary: str) -> Mapping[Heritage, str]:
    """Sort the sections of a summary in any style by topic; one without sections is all intent."""
    for style in STYLES.values():
        if len(style.titles.keys_in(style.bare(summary))) >= LEAST_SECTIONS:
            found = {key: value for key, value in (style.parse(summary) or {}).items() if value}
            texts: dict[Heritage, list[str]] = {}
            for slot in style.slots:
                if slot.heritage and (value := found.get(slot.key)):
                    if slot.members:
                        value = ["; ".join(filter(None, entry.values())) for entry in value]
                    text = value if isinstance(value, str) else "\n".join(map(bullet, value))
                    texts.setdefault(slot.heritage, []).append(text)
            return {heritage: "\n\n".join(found) for heritage, found in texts.items()}
    return {"intent": summary}


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


# Where the work stopped, and how to go on.


def next_lines(facts: Facts, work: Work, direction: Direction, task: bool) -> Iterator[Line]:
    """Yield how to go on, or for an older part the state that the newer messages build on."""
    answered = facts.answered
    todo = facts.waiting[0].text if facts.waiting else ""  # the item in progress, else the first open one
    question = ""  # with which the assistant ended its turn
    if answered and work.said:
        ending = sentences(work.said.text[-2000:])[-1:]
        question = next(filter(asks, ending), "")
    if direction == "upTo":
        yield from _context_lines(work, answered, question, todo)
        return
    if question:
        step = f"- Wait for the user: the assistant asked {excerpt(question)}"
        at_hand = f"WAITING: the assistant asked {excerpt(question, LONGEST_TASK)}"
    elif goal := todo or (work.wish.text if work.wish and not answered else ""):
        step = f"- Go on with the {'open item' if todo else 'newest request'} {excerpt(goal)}"
        at_hand = f"CONTINUE: {shortened(goal, LONGEST_TASK)}"
        at_hand += f" ({_shown_step(work.steps[-1])})" if work.steps else ""
    elif facts.open_ends:
        left = facts.open_ends[-1].text
        step, at_hand = f"- Left open: {excerpt(left)}", f"WAITING: left open was {excerpt(left, LONGEST_TASK)}"
    else:
        step, at_hand = "- None that is certain: the assistant had ended its turn, and no item is open.", "NONE"
    yield Line(NEXT, step, 0, filler=at_hand == "NONE")
    if task:  # in one line (rule P10)
        yield Line(TASK, at_hand, 0, filler=at_hand == "NONE")


def _context_lines(work: Work, answered: bool, question: str, todo: str) -> Iterator[Line]:
    """Yield the state of an older part that the newer messages build on."""
    if work.wish:
        state = "the assistant had replied to" if answered else "was under way"
        yield Line(CONTEXT, f"- This part ends with the request {excerpt(work.wish.text)}, which {state}.", 0)
    if question:
        yield Line(CONTEXT, f"- The assistant had asked {excerpt(question)}", 1)
    if todo:
        yield Line(CONTEXT, f"- Open item: {excerpt(todo)}", 2)
    newer = "- The newer messages stand behind this summary; where they differ, they hold."
    yield Line(CONTEXT, newer, 9, 9, filler=True)


def _shown_step(step: Step) -> str:
    about = command_head(target(step)) if step.command else shortened(target(step), LONGEST_TASK)
    outcome = "no result" if step.outcome == "unknown" else step.outcome
    return f"{shortened(step.call.name, LONGEST_TASK)} {code(about)} → {outcome}"


TURN_TOKENS, LEAST_ITEM = 7, 4  # tokens of the heading of a turn, and of the shortest item


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
    worth: float = 0.0  # of a candidate: it competes with others by what it names
    edited: tuple[str, ...] = ()  # names of files that it says were edited
    returned: tuple[str, ...] = ()  # lines of a call's result that it quotes
    longer: tuple[str, ...] = ()  # alternatives if room is left, the longest first


class Heads:
    """What items that were chosen have above them: the headings of their turns, and how their lines begin."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count, self._there = count, set[tuple[int, str]]()

    def cost(self, item: Item) -> int:
        """Count an item with what it has above it, unless that is there."""
        cost = self._count(item.text) + 1
        if item.section == "record" and (item.turn, "") not in self._there:
            cost += TURN_TOKENS
        if item.inline and (item.turn, item.inline) not in self._there:
            cost += self._count(item.inline) + 1
        return cost

    def has_turn(self, turn: int) -> bool:
        """Whether the heading of a turn is there."""
        return (turn, "") in self._there

    def take(self, item: Item) -> None:
        """Note what is above an item."""
        if item.section == "record":
            self._there.add((item.turn, ""))
        if item.inline:
            self._there.add((item.turn, item.inline))


def choose(items: Sequence[Item], room: int, heads: Heads, whole: int = 0, firm: int = -1) -> tuple[list[Item], int]:
    """Choose the items that fit, each kind up to its share first; return them, and the tokens that are left.

    Shares are of the `whole` room, of which `room` is left; by default of the room. What is beyond its share
    comes last, but not at all if its rank is `firm`.
    """
    chosen, refused, left = list[Item](), list[Item](), room
    spent: Counter[tuple[str, int]] = Counter()
    for wave, capped in ((items, True), (refused, False)):
        for item in wave:
            if left < LEAST_ITEM:
                return chosen, left
            checkpoint()
            cost = heads.cost(item)
            if cost > left or (capped and spent[item.section, item.rank] + cost > item.share * (whole or room)):
                if capped and item.rank != firm:
                    refused.append(item)
                continue
            chosen.append(item)
            left -= cost
            spent[item.section, item.rank] += cost
            heads.take(item)
    return chosen, left


def lengthened(items: Sequence[Item], room: int, count: Callable[[str], int]) -> tuple[list[Item], int]:
    """Tell more of the items, the newest first, as far as it fits; return them, and the tokens that are left."""
    found, left = list(items), room
    for at in sorted(range(len(found)), key=lambda at: (-found[at].turn, -found[at].place)):
        for text in found[at].longer:
            more = count(text) - count(found[at].text)
            if more <= left:
                found[at], left = replace(found[at], text=text), left - more
                break
    return found, left


class Candidate(Struct, frozen=True):
    """An item that competes with others for the room that is left, with the specific terms in it."""

    item: Item
    names: set[str]


def best(
    candidates: Sequence[Candidate], named: set[str], room: int, heads: Heads, whole: int = 0
) -> tuple[list[Item], int]:
    """Choose the candidates that name the most that is new for their length; return them, and what they cost.

    Their names are added to those that are `named` already.
    """
    left = room
    spent: Counter[int] = Counter()

    def value(one: Candidate) -> tuple[float, int, int]:
        gain = one.item.worth * (1 + len(one.names - named)) / math.sqrt(20 + len(one.item.text))
        return gain, one.item.turn, one.item.place

    chosen: list[Item] = []
    for one in sorted(candidates, key=value, reverse=True):
        checkpoint()
        item, cost = one.item, heads.cost(one.item) + 1
        if cost > left or spent[item.rank] + cost > item.share * (whole or room) or one.names <= named:
            continue
        chosen.append(item)
        left -= cost
        spent[item.rank] += cost
        named |= one.names
        heads.take(item)
    return chosen, room - left
