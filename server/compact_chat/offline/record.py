"""The record of a hand-over, turn by turn: what was done, what came out, and what the assistant said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property
from itertools import groupby, islice, takewhile

from msgspec.structs import replace

from compact_chat.chat import Image, Thinking
from compact_chat.errors import checkpoint
from compact_chat.facts import (
    COMMIT,
    CONCLUDES,
    PROSE,
    Change,
    Command,
    Error,
    Exchange,
    Facts,
    LookUp,
    Reply,
    Result,
    Step,
    attachments,
    changes,
    commands,
    documents,
    edited_paths,
    exchanges,
    file_name,
    is_check,
    look_ups,
    outcomes,
    plain_command,
    refusals,
    replies,
    same_command,
    sentences,
    shortened,
    shortened_command,
    shown_path,
    task_of,
    telling_lines,
    updates,
    work_of,
    working_folder,
)
from compact_chat.offline.answers import (
    Line,
    Statement,
    abridged,
    abridged_lines,
    announced,
    lists_in,
    names_in,
    outline,
    plain_words,
    statements_in,
)
from compact_chat.offline.lines import Candidate, Heads, Item, bullet, common_limit, earlier_lines, without_headings
from compact_chat.text import FENCE, code, counted, fenced, indented, turn_heading

LAST = 10_000_000  # the place of how a turn ended; all else is in the order of the chat
SHORT_REPLY = 40  # characters; a shorter reply of the user needs the question that it answers
MOST_VALUE, LONGEST_ERROR = 300, 260  # characters of the lines that a call returned, and of an error
MOST_NAMES, MOST_LISTED = 12, 20  # of files in a line, and of issues or replies
MOST_GIVEN, MOST_RETURNED, MOST_REPORTED = 900, 500, 900  # characters of what a call was given, and returned
MOST_LENGTHENED, LONGER = 6, (5, 3, 2)  # of the newest of these, multiples to show if room is left
MOST_ALIKE, MOST_OF_REPLY = 40, 70  # characters of how replies begin, and of what else they say
LOOK_AHEAD, MOST_SAID = 4, 240  # messages behind a failure; characters of what is said of it
LEAST_SPOKEN = 36  # characters of what was said between
MOST_ASKED = 1  # turns without an answer
RECENT_COMMITS = 3  # in the brief
RECENT_STEPS, LONGEST_WHOLE, LONGEST_RUN = 15, 400, 160  # the newest steps, and how much of commands is shown
LONGEST_CHECK = 100  # characters
RECENT_RUNS = 40  # of those of the last turn, what was done matters
MORE_RECENT = 3
EARLY_TEXT, EARLY = 0.4, 0.15  # weights at the beginning: most questions are answered in the last third
LOOKED_UP, RAN = "Looked up", "Ran"  # before commands of a turn, on one line
LONGEST_IDLE = 160  # characters of an end that says nothing to go on with
ENDED, LEFT_OUT = "- Ended:", "[…]"  # before how a turn ended; where there is no room for it
MARK_TOKENS, OF_ROOM, LEAST_ENDING = 8, (0.95, 0.8, 0.6), 60  # of such a mark; parts of the room; characters
EDITS, SPOKEN, CALLS = 12, 11, 13  # ranks of candidates
LOOKS, FAR, OTHER = 14, 15, 16  # ranks of results of look-ups: those of the open work, those near it, and others
SHORT_PLAN, LAST_THOUGHTS = 120, 8  # characters of a short thought; messages
LONGEST_WORDS = 3000  # characters of the last words that name what is open
LESS_WORTH = 0.35  # of tests and documents
OF_LINE = (0.5, 0.7, 0.9, 1.1, 1.5, 1.6)  # what an edit is worth by its most telling line
OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "outcome unknown"}
_WORD, _OWN = re.compile(r"\w{4,}"), re.compile(r"[a-z][A-Z]|_|^[A-Z]")  # and one that is more than a usual word
_REFERS = re.compile(
    r"^\W{0,3}(?:[1-9][.)]?|[A-E]\))(?=\W|$)|\b(?:option|number|point|item|step|approach|#)\s?[1-9A-E]\b"
    r"|\b(?:first|second|third|fourth|last|latter|former) (?:one|option|point|approach)\b|\b[1-9](?:,| and| &) ?[1-9]\b"
    r"|\bdo [1-9]\b|\ball (?:of )?(?:them|these|those)\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\b(?:\d{1,2}|[A-E])\b")
_MARKS = "•|+-*0123456789.) "  # of a list, before its words


class Record:
    """What the record may say of the messages that are `replaced`, by id; the same for all lengths."""

    def __init__(self, facts: Facts, replaced: Container[str], count: Callable[[str], int]) -> None:
        self.facts, self.replaced, self._count = facts, replaced, count
        self._turns = turns_of(facts)
        self.last = max(self._turns.values(), default=0)
        self._places = {message.id: 4 * place for place, message in enumerate(facts.messages)}
        self._end = max(1, 4 * len(facts.messages))
        self._taken = [step for step in facts.steps if step.message in replaced]

    def turn_of(self, message: str) -> int:
        """Return the turn of a message; 0 is before the first."""
        return self._turns.get(message, 0)

    def _at(self, message: str, behind: int = 0) -> int:
        """Return the place of a message in the order of the chat."""
        return self._places.get(message, -1) + behind

    def _item(
        self, message: str, text: str, rank: int, behind: int = 1, *, share: float = 1.0, inline: str = ""
    ) -> Item:
        """Return a piece of the turn of a message, right behind what was said in it."""
        return Item("record", text, rank, self._at(message, behind), self.turn_of(message), share, inline=inline)

    def is_before(self, message: str, other: str) -> bool:
        """Whether one message stands before another."""
        return self._at(message) < self._at(other)

    @cached_property
    def lasting(self) -> list[Item]:
        """The pieces that are the same for all lengths."""
        done = *self._before(), *self._pictures(), *self._doings(), *self._replied()
        return [*done, *self._findings(), *self._claims()]

    def is_open(self, error: Error) -> bool:
        """Whether an error is work to do: one of a program that builds, tests or publishes, or one of the last turn."""
        here = self.turn_of(error.message) == self.last
        return not error.fixed and (error.sort == "run" or (here and error.sort == "call"))

    @cached_property
    def recent_commits(self) -> list[str]:
        """The keys of the newest commits, which stand in the brief."""
        return [note.key for note in self.facts.notes if note.kind == "commit"][-RECENT_COMMITS:]

    # What the assistant said.

    @cached_property
    def statements(self) -> list[Statement]:
        """What the assistant said, line by line."""
        messages = [message for message in self.facts.messages if message.id in self.replaced]
        return statements_in(messages, self.facts.requests, self.facts.current, thoughts=True)

    @cached_property
    def answers(self) -> dict[str, str]:
        """The answers and the last words of each turn, by message, but for the newest, which stands above."""
        spoken = [m for m in self.facts.messages if m.role != "assistant" or m.text.strip() or m.calls]
        found: dict[str, str] = {}
        last: dict[int, str] = {}
        for place, message in enumerate(spoken):
            if message.role != "assistant" or not message.text.strip():
                continue
            last[self.turn_of(message.id)] = message.id
            after = spoken[place + 1] if place + 1 < len(spoken) else None
            waits = after is None or (after.role == "user" and not after.sends_results)
            if message.id in self.replaced and not message.calls and waits:
                found[message.id] = ""
        found |= dict.fromkeys((one for one in last.values() if one in self.replaced), "")
        texts = {m.id: self.facts.current(m.text, m.id) for m in spoken if m.id in found}
        newest = next((m.id for m in reversed(spoken) if m.role == "assistant" and m.text.strip()), "")
        return {one: text for one, text in texts.items() if one != newest and plain_words(text)}

    def ended(self, room: float, written: str = "") -> Iterator[Item]:
        """Tell how each turn ended, in the assistant's words, abridged so that all of them fit the room.

        Lines that are `written` already are left out.
        """
        outlined = {message: _unwritten(lines, written) for message, lines in self._outlined.items()}
        texts = ["\n".join(line.text for line in lines) for lines in outlined.values()]
        # The newest have four times the room of the oldest.
        recent = (1 + round(MORE_RECENT * (self._at(message) / self._end) ** 2) for message in self.answers)
        weights = [(1 + 2 * (one in self._referred)) * by for one, by in zip(self.answers, recent, strict=True)]
        limit = common_limit(texts, weights, room, self._count)
        for (message, lines), weight in zip(outlined.items(), weights, strict=True):
            if lines and _says_something(end := self._end_of(message, lines, limit * weight)):
                yield end

    def _end_of(self, message: str, lines: Sequence[Line], limit: int) -> Item:
        """Tell how a turn ended, in lines of an answer within about `limit` characters; a mark says if none fits."""
        replied = len(self._next_words.get(self.turn_of(message) + 1, "")) < SHORT_REPLY
        wanted = self._referred.get(message, frozenset())
        short = (limit > 0 and abridged_lines(lines, limit, keep_end=replied, wanted=wanted)) or LEFT_OUT
        below = "\n  " if FENCE.match(short) or short.startswith("|") else " "  # fences and tables begin their lines
        text, rank = f"{ENDED}{below}{indented(short).lstrip()}", 4 if wanted else 5
        return Item("record", text, rank, LAST + self._at(message), self.turn_of(message))

    def shorter(self, ends: Sequence[Item], room: int, written: str, heads: Heads) -> Iterator[Item]:
        """Tell ends of turns, the newest first, within a room in tokens, each shorter; a mark says if nothing fits."""
        messages = {LAST + self._at(message): message for message in self.answers}
        own = sorted(ends, key=lambda item: -item.place)
        for place, item in enumerate(own, 1):
            checkpoint()
            message = messages[item.place]
            lines = _unwritten(self._outlined[message], written)
            free = room - MARK_TOKENS * (len(own) - place)
            characters = len(item.text) * min(1, free / max(1, heads.cost(item)))
            for limit in (*(size for share in OF_ROOM if (size := round(share * characters)) >= LEAST_ENDING), 0):
                one = self._end_of(message, lines, limit)
                cost = heads.cost(one)
                if cost <= free if limit else cost <= room and heads.has_turn(item.turn):
                    room -= cost
                    yield one
                    break

    @cached_property
    def _outlined(self) -> dict[str, list[Line]]:
        return {message: outline(text) for message, text in self.answers.items()}

    @cached_property
    def _next_words(self) -> dict[int, str]:
        """The user's words, by turn."""
        return {self.turn_of(request.message): request.text for request in reversed(self.facts.requests)}

    @cached_property
    def _referred(self) -> dict[str, frozenset[str]]:
        """The answers with a numbered list that the user's next words refer to, with the numbers."""
        found: dict[str, frozenset[str]] = {}
        for message, lines in self._outlined.items():
            words = self._next_words.get(self.turn_of(message) + 1, "")[:400]
            if _REFERS.search(words) and any(line.number for line in lines):
                found[message] = frozenset(_NUMBERS.findall(words))
        return found

    @cached_property
    def candidates(self) -> list[Candidate]:
        """What to add if there is room: findings, edits, and calls with what they returned.

        The newest count most.
        """
        new = (one for one in self.statements if one.message not in self.answers and len(one.text) >= LEAST_SPOKEN)
        found = [(self.statement(one), one.names) for one in new]
        found += ((item, names_in(item.text) | set(lines)) for item, lines in self._edits())
        found += ((item, names_in(item.text)) for item in self._calls())
        late = (
            (EARLY if i.rank == SPOKEN else EARLY_TEXT) + (min(i.place, self._end) / self._end) ** 3 for i, _ in found
        )
        return [Candidate(replace(i, worth=i.worth * by), names) for (i, names), by in zip(found, late, strict=True)]

    @cached_property
    def spoken(self) -> list[Candidate]:
        """What the assistant said, line by line, also in its answers."""
        said = (one for one in self.statements if not one.is_thought)
        return [Candidate(replace(self.statement(one), share=1.0), one.names) for one in said]

    @cached_property
    def candidate_cost(self) -> int:
        """The tokens of all candidates."""
        return sum(self._count(one.item.text) + 1 for one in self.candidates)

    def statement(self, one: Statement) -> Item:
        """Tell what the assistant said, in its turn."""
        place = self._at(one.message) if one.message not in self.answers else LAST + self._at(one.message, -1)
        return Item("record", f"- {one.text}", SPOKEN, place, self.turn_of(one.message), share=0.4, worth=one.worth)

    @cached_property
    def _attached(self) -> list[tuple[str, str, str]]:
        return [*attachments([one for one in self.facts.messages if one.id in self.replaced])]

    def _edits(self) -> Iterator[tuple[Item, Sequence[str]]]:
        """Yield what edits left in the code, with the lines."""
        edits = ((one, "Edited") for one in changes(self._taken))
        for one, verb in (*edits, *((one, "The user's change to") for one in updates(self._attached))):
            name = file_name(one.path)
            if one.path in self.facts.removed:
                continue
            weight = LESS_WORTH if "test" in name.lower() or name.endswith(PROSE) else 1.0
            file, place, turn = code(shown_path(name)), self._at(one.message, 1), self.turn_of(one.message)
            item = Item("record", _edited(one, one.new), EDITS, place, turn, share=0.5, inline=f"{verb} {file}:")
            worth, longer = weight * OF_LINE[one.weight], (_edited(one, one.more),) * bool(one.more)
            yield replace(item, worth=worth, longer=longer, edited=(file,)), one.new or one.old

    def _calls(self) -> Iterator[Item]:
        host = [(m.id, m.sent_text) for m in self.facts.messages if m.by_host and m.id in self.replaced]
        told = (*exchanges(self._taken), *documents(self._taken, host, self._attached))
        found = [one for one in told if one.given or one.returned]
        for place, one in enumerate(found, 1):
            longer = len(one.returned) > MOST_RETURNED and place > len(found) - MOST_LENGTHENED
            worth = 2.2 if one.given else 1.8 if one.binds else 1.0
            at, turn = self._at(one.message, 1), self.turn_of(one.message)
            sizes = LONGER[-1:] if one.is_guide else LONGER
            more = tuple(_told(one, times) for times in sizes * longer)
            yield Item("record", _told(one), CALLS, at, turn, share=0.35, worth=worth, longer=more)

    # What was only looked at, and thought of.

    @cached_property
    def looked(self) -> list[tuple[Item, LookUp]]:
        """What the newest look-ups returned: first those of an open turn that share names with the last words."""
        texts = [one.text for one in self.facts.todos if one.status != "done"]
        texts += [one.text for one in self.facts.open_ends]
        if said := work_of(self.facts).said:
            texts += [self.plan, said.text[-LONGEST_WORDS:]]
        names = {name for text in texts for name in names_in(text)}
        wanted = {one for name in names for one in _WORD.findall(name) if one == name.strip("()") or _OWN.search(one)}
        found = []
        for one in look_ups(self._taken, wanted, self.outcomes):
            is_open = one.message in self._unfinished
            rank = LOOKS if one.shared and is_open else FAR if one.shared or is_open else OTHER
            found.append((self._item(one.message, looked_text(one.text), rank), one))
        return found

    @cached_property
    def _unfinished(self) -> dict[str, tuple[str, ...]]:
        """The messages of a last turn without an answer that are replaced, the last first, with their thoughts."""
        worked = (one for one in reversed(self.facts.messages) if one.role == "assistant")
        own = takewhile(lambda one: self.turn_of(one.id) == self.last, worked)
        return {
            one.id: tuple(part.text for part in one.parts if isinstance(part, Thinking))
            for one in own
            if one.id in self.replaced and not self.facts.answered
        }

    @cached_property
    def plan(self) -> str:
        """The last thoughts of a turn that is not finished, the newest last: back to one that is not short.

        Where newer messages stay, they say it themselves.
        """
        found: list[str] = []
        if not self.facts.messages or self.facts.messages[-1].id not in self.replaced:
            return ""
        for texts in islice((one for one in self._unfinished.values() if any(map(str.strip, one))), LAST_THOUGHTS):
            found[:0] = [text.strip() for text in texts if text.strip()]
            if len(found[0]) > SHORT_PLAN:
                return "\n".join((found[0], *found[-1:][: len(found) - 1]))
        return "\n".join(found[-1:])

    @property
    def newest_thought(self) -> str:
        """The message with the last thought of a turn that is not finished."""
        return next((message for message, texts in self._unfinished.items() if any(map(str.strip, texts))), "")

    @cached_property
    def thoughts(self) -> list[tuple[int, str]]:
        """The longer thoughts before the plan, back to the last words, the newest first, with their places."""
        found = list[tuple[int, str]]()
        for message, texts in self._unfinished.items():
            if len(text := "\n".join(texts).strip()) > SHORT_PLAN:
                found.append((self._at(message), text))
            if self.facts.messages[self._places[message] // 4].text.strip() or len(found) == LAST_THOUGHTS:
                break
        return found[1:] if self.plan else found

    # What was done, and what came out.

    @cached_property
    def _moved(self) -> str:
        """The turns that the work before turn 1 belongs to, where a tool kept the user's words and dropped the rest.

        These turns follow with no answer and no call.
        """
        worked = {self.turn_of(one.id) for one in self.facts.messages if one.role == "assistant"}
        first = min(worked - {0}, default=0)
        return f"turns 1 to {first}" if 0 in worked and first > MOST_ASKED and not self.facts.summaries else ""

    def when(self, turn: int) -> str:
        """Name a turn within a sentence."""
        return self._moved if self._moved and not turn else turn_heading(turn).lower()

    def _before(self) -> Iterator[Item]:
        """Tell to which turns the work before turn 1 belongs."""
        if self._moved:
            yield Item("record", f"- This was done for {self._moved}; their requests follow below.", 3, -4000)

    def _pictures(self) -> Iterator[Item]:
        """Tell where the user sent only pictures."""
        for one in self.facts.messages:
            is_typed = one.role == "user" and not one.by_host and one.id in self.replaced
            if is_typed and not one.texts and any(isinstance(part, Image) for part in one.parts):
                yield Item("record", "> [image]", 3, self._at(one.id), self.turn_of(one.id), share=0.1)

    def _doings(self) -> Iterator[Item]:
        """Tell what was edited in each turn, what was looked up and run, and what the user refused."""
        edited = defaultdict[int, dict[str, None]](dict)
        for step in self._taken:
            checkpoint()
            for path in edited_paths(step):
                edited[self.turn_of(step.message)][code(shown_path(file_name(path)))] = None
        for turn, names in edited.items():
            yield Item("record", edited_text([*names]), 7, -1, turn, share=0.1, edited=(*names,))
        refused = list(refusals(self._taken))
        for message, text in refused:
            yield self._item(message, f"- The user refused the call {code(text)}", 4)
        yield from self._commands({message for message, _ in refused})

    def _commands(self, never_ran: Container[str]) -> Iterator[Item]:
        """Tell which commands were run and looked something up, the variants of one by the last."""
        told = {note.message for note in self.facts.notes if note.kind == "commit"}
        replied = {one.message for one in self._replies}
        same: dict[str, Command] = {}
        # Of a turn that goes on, the last ones stand in the brief.
        latest = () if self.facts.answered else work_of(self.facts).steps
        above = [id(step) for step in latest if step is latest[-1] or not task_of(step).only_reads]
        for command in commands(self._taken):
            if id(command.step) in above or (command.step.message in never_ran and command.step.outcome != "ok"):
                continue
            is_told = command.step.message in told and "commit" in command.text  # the commit has a line of its own
            if not is_told and command.step.message not in replied:
                same[same_command(command.text)] = command
        recent, newer = ({id(step) for step in self._taken[-number:]} for number in (RECENT_STEPS, RECENT_RUNS))
        for command in same.values():
            step, checks = command.step, is_check(command.text)
            looks, turn, is_recent = task_of(step).only_reads, self.turn_of(step.message), id(step) in recent
            printed = "" if checks else self.outcomes.get(id(step), "")
            if looks:
                rank = 10 if not printed or turn < self.last - 1 else 6 if is_recent and turn == self.last else 8
            elif turn < self.last or id(step) not in newer:
                rank = 7
            else:  # the result of a check is in the brief
                rank = 6 if not is_recent or (checks and len(command.text) <= LONGEST_CHECK) else 4
            text, head = self._run(command, printed, whole=not looks and is_recent), LOOKED_UP if looks else RAN
            yield self._item(step.message, text, rank, share=0.06 if rank == 4 else 0.25, inline=head)

    @cached_property
    def _replies(self) -> list[Reply]:
        return replies(self._taken)

    def _replied(self) -> Iterator[Item]:
        """Tell which comments were replied to: those whose replies begin alike on one line."""
        forms = dict[tuple[int, str], str]()
        alike = defaultdict[tuple[int, str], list[tuple[str, str]]](list)
        for one in self._replies:
            begin, dash, rest = one.text.partition(" - ")
            turn, begin = self.turn_of(one.message), begin if dash and len(begin) <= MOST_ALIKE else ""
            form = forms.setdefault((turn, begin), one.form)
            by = f" as {code(one.account)}" if one.account else ""
            head = f"Replied{by} with {code(f'{form}…')}" + (f', each with "{begin}":' if begin else ":")
            text = f'{one.comment} "{shortened(rest if begin else one.text, MOST_OF_REPLY)}"'
            alike[turn, head].append((one.message, text))
        for (turn, head), told in alike.items():
            more = len(told) - MOST_LISTED
            for message, text in (*told[-MOST_LISTED:], *([(told[-1][0], f"and {more} earlier")] * (more > 0))):
                yield self._item(message, text, 6 if turn == self.last else 7, share=0.25, inline=head)

    @cached_property
    def folder(self) -> str:
        """The folder that most commands name as the one they run in, if several do."""
        folders = Counter(working_folder(step) for step in self._taken if step.command)
        most, number = next(iter(folders.most_common(1)), ("", 0))
        return most if number > 1 and 2 * number > folders.total() else ""

    def command_of(self, step: Step) -> str:
        """Return a command without the folder that most commands run in."""
        return plain_command(step.command, self.folder)

    def _run(self, command: Command, said: str, *, whole: bool) -> str:
        """Show a command, with its folder if that is another one, and what it said last, or that it failed."""
        step = command.step
        shown = code(shortened_command(self.command_of(step), LONGEST_WHOLE if whole else LONGEST_RUN))
        if step.outcome == "ok":
            return shown + (f" → {code(said)}" if said else "")
        return f"{shown} → {OUTCOMES[step.outcome]}" + (f" (exit code {step.code})" if step.code else "")

    @cached_property
    def outcomes(self) -> dict[int, str]:
        """What commands that did something said last, by the identity of the step."""
        return outcomes(self._taken)

    def _findings(self) -> Iterator[Item]:
        """Tell what came out: commits, values that later turns used, errors that were fixed, and how."""
        ended = {self.turn_of(one.id): one.text for one in self.facts.messages if one.role == "assistant" and one.text}
        for note in self.facts.notes:
            if note.kind == "commit" and note.key not in self.recent_commits and note.message in self.replaced:
                yield self._item(note.message, note.short, 4, 2, share=0.15, inline=f"{note.heading}:")
        results = (result for result in self.facts.results if result.message in self.replaced)
        for (message, source), group in groupby(results, key=lambda one: (one.message, one.source)):
            lines = list(group)
            quoted = tuple(dict.fromkeys(_around(one, MOST_VALUE // len(lines)) for one in lines))
            values = "; ".join(map(code, quoted))
            text = f"- {code(shortened_command(source, 80))} returned {values}" if source else f"- Returned: {values}"
            said = ended.get(self.turn_of(message), "")
            is_said = all(value in said for one in lines for value in one.values)
            yield replace(self._item(message, text, 8 if is_said else 5, 2, share=0.2), returned=quoted)
        told = (one for one in self.facts.errors if one.message in self.replaced and (one.cure or not one.fixed))
        closed = (one for one in told if not self.is_open(one))
        for (message, _), same in groupby(closed, key=lambda one: (one.message, one.fixed)):
            first, *more = same
            head = "Fixed" if first.fixed else "Failed"
            rank = 8 if first.sort == "look" else 6 if first.fixed else 4
            after = self.said_after(message) if first.sort != "look" else ""
            text = f"- {head}: {failure(first, more)}{after and f'. {after}'}"
            yield self._item(message, text, rank, 2, share=0.12)

    def said_after(self, message: str) -> str:
        """Return what the assistant found out when it had seen the result of a message's call."""
        place = self._places[message] // 4
        behind = self.facts.messages[place + 1 : place + 1 + LOOK_AHEAD]
        for one in behind:
            if one.typed_text:
                break
            if one.role == "assistant":
                told = (line for line in outline(one.text) if line.kind in ("prose", "head"))
                said = [piece for line in told for piece in sentences(line.text) if not announced(piece)]
                return shortened(" ".join(said[:2]), MOST_SAID) if said else ""
        return ""

    def _claims(self) -> Iterator[Item]:
        """Tell what earlier summaries say, where what they replaced is not known (rule H7)."""
        lines = [*earlier_lines(self.facts.summaries, self.facts.inherited)]
        if lines:
            yield Item("record", "From an earlier summary:", 9, -3000, leads=True)
        for place, line in enumerate(lines, -2999):
            yield Item("record", bullet(line.text.removeprefix("- ")), 9, place, share=0.15)


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


def _edited(one: Change, new: Sequence[str]) -> str:
    """Tell what an edit changed, with these new lines."""
    where = f"in {code(one.where)} " if one.where else ""
    if one.is_pair:
        return where + " → ".join(code("; ".join(lines)) for lines in (one.old, new))
    verbs = (("removed", one.old), ("added", new))
    return where + ", ".join(f"{verb} {code('; '.join(lines))}" for verb, lines in verbs if lines)


def _told(one: Exchange, times: int = 1) -> str:
    """Tell what a call was given and returned."""
    parts = ["- Commit message" if one.head == COMMIT else f"- {one.verb} {code(one.head)}"]
    if one.given:
        parts.append(indented(abridged(one.given, MOST_GIVEN)))
    if one.returned:
        room = times * (MOST_REPORTED if one.given else MOST_RETURNED)
        if one.is_code:  # to the letter, in a fence if it has lines that only a fence protects
            is_safe = without_headings(one.returned) == one.returned and not FENCE.search(one.returned)
            told = one.returned if is_safe else fenced(one.returned)
        elif one.verb == "Read" and not (one.is_guide or one.head.endswith(PROSE)):
            told = telling_lines(one.returned, room)
        else:
            told = abridged(one.returned, room)
        told = indented(told)
        parts.append(f"  It returned:\n{told}" if one.given else told)
    return ":\n".join((parts[0], "\n".join(parts[1:])))


def _says_something(end: Item) -> bool:
    """Whether the end of a turn is whole, names something, gives a reason, or is long; a mark alone says so too."""
    text = end.text.removeprefix(ENDED).strip()
    is_cut = text.endswith(LEFT_OUT) and text != LEFT_OUT and len(text) <= LONGEST_IDLE
    return not is_cut or bool(names_in(text) or CONCLUDES.search(text))


def _unwritten(lines: Sequence[Line], written: str) -> list[Line]:
    """Return the lines of an answer that are not written elsewhere; a list or a table goes as a whole."""
    new = {line.place for line in lines if line.kind in ("head", "code") or line.text.lstrip(_MARKS) not in written}
    for listed in lists_in(lines):
        if any(line.place in new for line in listed):
            new.update(line.place for line in listed)
    found = [line for line in lines if line.place in new]
    return found if any(line.kind != "head" for line in found) else []


def edited_text(names: Sequence[str]) -> str:
    """Format names of edited files, as a point."""
    more = f" and {counted(len(names) - MOST_NAMES, 'more file')}" if len(names) > MOST_NAMES else ""
    return f"- Edited {', '.join(names[:MOST_NAMES])}{more}"


def looked_text(text: str) -> str:
    """Format what a look-up returned, as a point."""
    return f"- {indented(text).strip()}"


def failure(error: Error, more: Sequence[Error] = ()) -> str:
    """Tell what failed where, and what made it work."""
    lines = "; ".join(code(shortened(one.text, LONGEST_ERROR)) for one in (error, *(more[:1] if error.fixed else more)))
    where = code(shortened_command(error.where, LONGEST_RUN) if error.fixed else error.where)
    where += f" (exit code {error.code})" if error.code and not error.fixed else ""
    return f"{lines} in {where}" + (f"; {error.cure}" if error.cure else "")


def _around(result: Result, limit: int) -> str:
    """Return the part of a line with its first value."""
    start = result.text.find(result.values[0]) if len(result.text) > limit else 0
    return shortened(result.text[start - limit // 3 if start > limit // 2 else 0 :], limit)
