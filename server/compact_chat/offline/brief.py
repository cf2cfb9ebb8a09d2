"""The brief of a hand-over, above its record: where the work is, what comes next, what holds, and what is open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, takewhile

from compact_chat.facts import (
    QUOTED_ABOVE,
    Note,
    Request,
    Step,
    asks,
    edited_paths,
    file_name,
    fold,
    is_agents_own,
    is_refused,
    is_test,
    named_checks,
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
from compact_chat.offline.lines import Item, block_borders, common_limit, cut, guarded, with_short_code
from compact_chat.offline.record import MOST_LISTED, OUTCOMES, Record, failure
from compact_chat.text import RELATIVE_TO, code, counted, indented, quote

MOST_QUOTES = 0.45  # of the room, for the user's words
LEAST_OF_ONE, ROOM_FOR_ONE = 0.75, 3000  # characters of one message by token of the room; it grows with the room
LAST_WORDS, CHARACTERS_PER_TOKEN, LONGEST_LAST = 0.15, 3, 3000  # of the room, for the last answer; in characters
STAYS_ANYWAY, ANSWER_STAYS = 400, 600  # characters of a request and of the last answer where all of it follows
LEAST_COMMAND, MOST_COMMAND = 400, 2000  # characters of what a command stands for
LEAST_WORDS = 20  # characters of a request
SHORT = 40  # characters; a shorter request says little without the one before it
FILLER = 99  # the rank of what says nothing of the chat
STEPS = 20  # the place of the last steps in the brief, which a model tells itself
FIRST = -1_000_000  # the place of the user's words in a turn
MOST_STEPS, LONGEST_STEP, LONGEST_COMMAND = 3, 110, 190  # of what comes next, and of what was done last; characters
MOST_READ, LONGEST_DETAILS = 30, 200  # files in a line; characters of a task's description
MOST_OF_A_FOLDER = 0.5  # of the paths, to make it the common one
MOST_PLAN, MOST_THOUGHT, THOUGHTS = 300, 400, 0.2  # characters of an end of the plan, of an older thought; of the room
LONGER_PLANS, LONGER_THOUGHT = (1500, 700), 800  # the same where room is left
PLANNED = "Its plan, from its thoughts (not done unless the record says so): "
THOUGHT = "It thought before (unverified): "
SAME_WORDS, MOST_ALIKE = 0.7, 12  # of a decision, in another one; and how many others are compared
CONTINUE, QUOTED = "Continue with the request", " quoted above"
UNDER_WAY = "The request under way, quoted in its turn below: "
MOST_ABOVE, ROOM_FOR_BOTH = 250, 1200  # tokens of a request that stands above, and of a text
BEGUN, TOKENS_BEGUN = 400, 120  # characters and tokens of its beginning, where it stands below
ISSUES = "Issues and requests:"
_GLUED = re.compile(  # where a sentence or a number of a list follows without a blank, as in thoughts put together
    r"(?<=[a-z)`][.:!?])(?=(?:Let(?: me|['’]s)|I(?:['’]ll|['’]m|['’]ve)?|Actually|Also|But|First|However|Next|Now|So"
    r"|Then|The|This|Wait)[ ,:]|\d{1,2}[.)] )"
)
_IS_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:/").match
FEWEST_PATHS = 4  # that Git lists, to shorten them
MOST_UNSEEN, MOST_OF_LIST = 5, 10_000
_RUNNER = r"(?:mise|make|just|task|npm|pnpm|yarn|bun|rake|invoke|composer)(?: run)?"  # of a project's scripts
_RUNNER_ALONE, _WHOLE_SUITE = re.compile(rf"{_RUNNER}$"), re.compile(rf"{_RUNNER} [\w:-]+$")
_NARROWS = re.compile(r"-|.*[./\\]")  # a flag or a path


class Brief:
    """What stands above the record, and the user's words in it; only these and the last answer differ by the room."""

    def __init__(self, record: Record, count: Callable[[str], int]) -> None:
        self.facts, self._record, self._count = record.facts, record, count
        self._turn, self._work = record.turn_of, work_of(record.facts)

    @cached_property
    def lasting(self) -> list[Item]:
        """The pieces that are the same for all lengths."""
        return [*self._next(), *self._rules(), *self._watch_out(), *self._open(), *self._files()]

    def within(self, room: int) -> Iterator[Item]:
        """Yield the pieces that differ by the room."""
        last_words, (texts, limit) = self._last_words(room), self._shortened(room)
        yield from self._where_we_are(last_words)
        yield from self._state()
        yield from self._quotes(texts, limit, room)
        yield from self._decisions(last_words, limit)
        yield from self._thoughts(last_words)

    # The user's words.

    @cached_property
    def under_way(self) -> tuple[Request, ...]:
        """The newest request, and the one before it if it says little by itself."""
        said = self.facts.said
        return said[-2:] if said and len(said[-1].text) < SHORT else said[-1:]

    @cached_property
    def _command(self) -> str:
        """What a command of the tool asks for, where no person typed anything: the text that it stands for."""
        begun = takewhile(lambda one: one.role == "user", self.facts.messages if not self.facts.said else ())
        given = [message.sent_text.strip() for message in begun if message.by_host]
        return given[-1] if given else ""

    def _is_below(self, request: Request, whole: int) -> bool:
        """Whether a request under way stands in its turn of a text of `whole` tokens: above, it would hide the rest."""
        is_long = whole >= ROOM_FOR_BOTH and self._count(request.text) > MOST_ABOVE
        return is_long and request.message in self._record.replaced

    def requests(self, room: int, whole: int = 0) -> list[Item]:
        """Quote the request under way within a room, the newest words first; what stays anyway is only begun."""
        items = list[Item]()
        for place, request in reversed(list(enumerate(self.under_way))):
            turn, begun = self._turn(request.message), ""
            if self._is_below(request, whole):
                characters = min(BEGUN, common_limit([request.text], [1], TOKENS_BEGUN, self._count))
                begun = f"- {UNDER_WAY}{shortened(request.text, characters)}"
                room -= self._count(begun) + 1
                items.append(Item("whereWeAre", begun, 0, place, turn))
            limit = common_limit([request.text], [1], room, self._count)
            limit = limit if request.message in self._record.replaced else min(limit, STAYS_ANYWAY)
            borders = block_borders(request.text)
            text = quote(cut(request.text, limit, borders))
            while (cost := self._count(guarded(text)) + 1) > room and limit > LEAST_WORDS:
                limit = limit * 9 // 10
                text = quote(cut(request.text, limit, borders))
            if cost <= room:
                room -= cost
                items.append(Item("record" if begun else "whereWeAre", text, 0, FIRST if begun else place, turn))
        return items

    @cached_property
    def _quoted(self) -> list[Request]:
        """The user's words but for those that stand above."""
        above = {id(request) for request in self.under_way}
        return [one for one in self.facts.said if id(one) not in above and one.message in self._record.replaced]

    def _shortened(self, room: int) -> tuple[list[str], int]:
        """Return the user's words, without long code if not all fits, and the characters that each message has."""
        texts = [request.text for request in self._quoted]
        if sum(self._count(text) + 2 for text in texts) > MOST_QUOTES * room:
            texts = [with_short_code(text) for text in texts]
        most = round(room * max(LEAST_OF_ONE, room / ROOM_FOR_ONE))
        return texts, min(most, common_limit(texts, [1] * len(texts), MOST_QUOTES * room, self._count))

    def _quotes(self, texts: Sequence[str], limit: int, room: int) -> Iterator[Item]:
        for place, (request, text) in enumerate(zip(self._quoted, texts, strict=True), -len(texts)):
            words = quote(cut(text, limit, block_borders(text)))
            yield Item("record", words, 3, FIRST + place, self._turn(request.message))
        for request in self.under_way:
            if request.message in self._record.replaced and not self._is_below(request, room):
                yield Item("record", f"> {QUOTED_ABOVE}", 4, FIRST, self._turn(request.message), leads=True)

    # Where we are.

    def _last_words(self, room: int) -> str:
        """Return the assistant's last words, abridged."""
        if not (said := self._work.said):
            return ""
        most = LONGEST_LAST if said.message in self._record.replaced else ANSWER_STAYS
        limit = min(most, max(200, round(room * LAST_WORDS * CHARACTERS_PER_TOKEN)))
        words = self.facts.current(said.text, said.message)
        return abridged(words, limit) or shortened(words, limit)

    def _where_we_are(self, last_words: str) -> Iterator[Item]:
        said, answered = self._work.said, self.facts.answered
        if self._command:
            borders = block_borders(self._command)
            least, most = (indented(cut(self._command, limit, borders)) for limit in (LEAST_COMMAND, MOST_COMMAND))
            head = "- A command of the tool gave the task, in its own words:\n"
            yield Item("whereWeAre", head + least, 1, long=True, longer=(head + most,))
        if said:
            is_begun = self._turn(said.message) == self._record.last
            going = "is working on it. Its last message:" if is_begun else "had said before that:"
            head = f"The assistant {'answered:' if answered else going}"
            yield Item("whereWeAre", f"- {head}\n{indented(last_words)}", 2, 10, long=True)
        news = [] if answered else filter(self._is_news, self._work.steps)
        steps = (f"{self._about(step)} → {self._ended_with(step)}" for step in news)
        if told := "; ".join(steps):
            yield Item("whereWeAre", f"- Last steps: {told}", 2, STEPS)
        if folder := self._record.folder:
            yield Item("whereWeAre", f"- Most commands ran in {code(shown_path(folder))}", 4, STEPS + 1)

    def _is_news(self, step: Step) -> bool:
        """Whether a step is the last one or did more than look; processes that still run have lines of their own."""
        if any(note.kind == "running" and note.first == step.message for note in self.facts.notes):
            return False
        changes = edited_paths(step) or (step.command and not task_of(step).only_reads)
        return bool(changes) or step.outcome != "ok" or step is self._work.steps[-1]

    def _about(self, step: Step) -> str:
        if not step.command:
            return f"{shortened(step.call.name, LONGEST_STEP)} {code(shortened(target(step), LONGEST_STEP))}"
        return code(shortened_command(self._record.command_of(step), LONGEST_COMMAND))

    def _ended_with(self, step: Step) -> str:
        """Return what a step said last, or its outcome."""
        if is_refused(step):
            return "refused by the user"
        said = self._record.outcomes.get(id(step), "") if step.outcome == "ok" else ""
        return code(shortened(said, LONGEST_STEP)) if said and said != "ok" else OUTCOMES[step.outcome]

    def _state(self) -> Iterator[Item]:
        """Tell what notes of the state hold: branches, issues, commits, checks, what still runs."""
        recent, notes = self._record.recent_commits, self.facts.notes
        pushed = {note.branch for note in notes if note.pushed and note.key in recent}
        pushed |= {""} if pushed else set()
        named = {note.branch for note in notes if note.kind == "commit" or (note.kind == "push" and note.ok)}
        folder = common_folder([f"{note.folder}/" for note in notes if note.kind == "branch" and note.folder])
        issues = [note for note in notes if note.kind == "issue"]
        earlier = {note.key for note in issues[:-MOST_LISTED]}
        for place, note in enumerate(notes, 30):
            is_told = (note.kind == "push" and note.branch in pushed) or (
                note.kind == "branch" and note.branch in named
            )
            is_earlier = note.key in earlier or (note.kind == "commit" and note.key not in recent)
            if is_told or is_earlier or note.stale or not note.ok:
                continue
            rank, at, text, head = 3, place, f"- {note.text}", ""
            if note.kind == "commit":
                text, head = note.short, f"{note.heading}:"
            elif note.kind == "check":
                where = f" below {code(shown_path(note.folder))}" if note.folder else ""
                text, head = note.short, f"Checked since the last edit{where}:" if self.facts.edits else "Checked:"
            elif note.kind == "issue":
                text, head, at = note.short, ISSUES, 29
            elif note.kind == "running":
                rank = 2
            elif note.kind == "branch" and folder and note.folder:
                text, head, at = (
                    f"{note.branch} in {within(note.folder, folder)}",
                    f"On branches, below {code(folder)}:",
                    28,
                )
                rank = 3 if any(use.path.startswith(f"{note.folder}/") for use in self.facts.edits) else 8
            yield Item("whereWeAre", text, rank, at, self._turn(note.message), share=0.15, inline=head)

        if earlier:
            turn = self._turn(issues[-1].message)
            yield Item("whereWeAre", f"and {len(earlier)} earlier", 3, 29, turn, share=0.15, inline=ISSUES)

    def _thoughts(self, last_words: str) -> Iterator[Item]:
        """Tell the plan of a turn that is not finished, and what was thought since its last words."""
        lines = (
            line for line in self._record.plan.split("\n") if any(one not in last_words for one in sentences(line))
        )
        number = len(self.facts.messages)
        if plan := " ".join(_GLUED.sub(" ", " ".join(lines)).split()):
            ends = (both_ends(plan, limit) for limit in (MOST_PLAN, *LONGER_PLANS))
            short, *longer = (f"- {PLANNED}{one}{self._since_plan}" for one in ends)
            more = tuple(longer) if len(plan) > 2 * MOST_PLAN else ()
            yield Item("whereWeAre", short, 4, STEPS - 1, number, share=THOUGHTS, longer=more)
        for place, (at, text) in enumerate(self._record.thoughts, 2):
            limits = (MOST_THOUGHT, LONGER_THOUGHT) if len(text) > MOST_THOUGHT else (MOST_THOUGHT,)
            apart = "\n".join(sentences(text))
            short, *longer = (f"- {THOUGHT}{' '.join(abridged(apart, limit).split())}" for limit in limits)
            turn = at - 4 * number  # behind the plan
            yield Item("whereWeAre", short, 4, STEPS - place, turn, share=THOUGHTS, longer=tuple(longer))

    @property
    def _since_plan(self) -> str:
        """Tell what was done after the last thought: its plan may be done by that."""
        newest = self._record.newest_thought
        since = [step for step in self.facts.steps if step.done and not self._record.is_before(step.message, newest)]
        names = dict.fromkeys(code(shown_path(file_name(path))) for step in since for path in edited_paths(step))
        if names:
            return f" (since then it edited {', '.join([*names][:MOST_STEPS])})"
        return f" ({counted(len(since), 'call')} since then)" if since else ""

    # What comes next.

    @cached_property
    def _question(self) -> str:
        """What the assistant asked at the end of its turn."""
        if not (self.facts.answered and self._work.said):
            return ""
        return " ".join(filter(asks, sentences(self._work.said.text[-2000:])[-3:]))

    @cached_property
    def _left_open(self) -> list[str]:
        """What the last answer leaves open, where its turn has no tasks of its own: its sentences, else its points."""
        has_tasks = any(self._turn(one.message) == self._record.last for one in self.facts.waiting)
        if self._question or not self.facts.answered or has_tasks:
            return []
        told = [end for end in self.facts.open_ends if not end.listed]
        return [end.text for end in (told or self.facts.open_ends)[-MOST_STEPS:]]

    @property
    def _is_stopped(self) -> bool:
        """Whether the user refused the last calls, and neither side said anything since."""
        last = self.facts.steps[-1] if self.facts.steps else None
        newest = next((one for one in reversed(self.facts.messages) if one.typed_text or one.role == "assistant"), None)
        return last is not None and newest is not None and newest.id == last.message and is_refused(last)

    def _next(self) -> Iterator[Item]:
        steps, said = [shortened(one.text, 200) for one in self.facts.waiting[:MOST_STEPS]], self._work.said
        about = announced(said.text) if said else ""
        if self._question:
            steps.insert(0, f"Waiting for the user: {self._question}")
        elif self._is_stopped:
            steps.insert(0, "Waiting for the user, who refused the last calls and stopped the work.")
        elif not self.facts.answered and (self.under_way or self._command):
            is_begun = said and about and self._turn(said.message) == self._record.last
            before = [step for step in self.facts.steps if said and self._record.is_before(step.message, said.message)]
            if since := len(self.facts.steps) - len(before):
                about += f" ({counted(since, 'call')} since then, see Last steps and the record)"
            steps.insert(
                0, f"{CONTINUE}{QUOTED if self.under_way else ''}{f'; last announced: {about}' if is_begun else '.'}"
            )
        elif about and self.facts.answered:
            steps.insert(0, f"The assistant announced: {about}")
        elif self._left_open:
            steps = [f"Left open: {shortened(end, 300)}" for end in self._left_open]
        elif not steps and self.facts.answered:
            yield Item("next", "The assistant answered, and no task is open: wait for the user.", FILLER)
        for place, step in enumerate(steps, 1):
            yield Item("next", f"{place}. {step}", 1, place)

    # What holds.

    def _rules(self) -> Iterator[Item]:
        for place, rule in enumerate(self.facts.rules):
            if not rule.superseded:
                rank = int(rule.kind != "constraints")
                yield Item("rules", f'- "{rule.text}"', rank, place + rank * len(self.facts.rules), share=0.6)
        host = [(message.id, message.sent_text) for message in self.facts.messages if message.by_host]
        for path, rules in project_rules(self.facts.steps, host).items():
            head = f"{code(shown_path(file_name(path)))} of the project says:"
            for place, text in enumerate(rules, 10_000):
                yield Item("rules", text, 5, place, share=0.12, inline=head)

    def _decisions(self, last_words: str, quoted: int) -> Iterator[Item]:
        """Tell what was decided, but for what stands in the last words and in messages short enough to be quoted."""
        typed = {one.message: one.text for one in self.facts.said if one.message in self._record.replaced}
        newest = {request.message for request in self.under_way}  # which stand above
        seen: list[set[str]] = []
        for place, one in reversed(list(enumerate(self.facts.decisions))):
            is_users = one.message in typed and not one.mark
            is_quoted = is_users and (one.message in newest or len(typed[one.message]) <= quoted)
            if one.text in last_words or is_quoted:
                continue
            words = set(fold(one.text).lower().split())
            if any(len(words & other) > SAME_WORDS * min(len(words), len(other)) for other in seen[-MOST_ALIKE:]):
                continue
            seen.append(words)
            if is_users or one.is_reasoned:
                turn = self._turn(one.message)
                told = f'The user: "{one.text}"' if is_users else " ".join(filter(None, (one.text, one.why)))
                text = f"- {told}" + (f" ({self._record.when(turn)})" if turn else "")
                yield Item("decisions", text, 5 if is_users else 4, place, turn, share=0.16)

    # What is open.

    def _watch_out(self) -> Iterator[Item]:
        if unseen := list(self._unseen()):
            text = f"- Not seen in this chat: {', '.join(unseen[:MOST_UNSEEN])}"
            yield Item("watchOut", text, 2, -MOST_OF_LIST, share=0.1)
        own = [message for message in self.facts.messages if message.id in self._record.replaced]
        for place, one in enumerate(list(unkept(own, self.facts.uses, self.facts.steps))[-MOST_STEPS:], 1):
            text = f'- Announced, but no edit followed: "{one.text}"'
            yield Item("watchOut", text, 2, MOST_OF_LIST + place, self._turn(one.message), share=0.1)
        for place, note in enumerate(self.facts.notes):
            if not note.ok:
                text = self._changed(note) if note.kind == "changes" else note.text
                yield Item("watchOut", f"- {text}", 2, place - len(self.facts.notes), share=0.1)
            elif note.stale and not any(includes(other, note) for other in self.facts.notes):
                head = f"Not run again since the last edit ({self._edited}):"
                yield Item("watchOut", note.short, 2, place, share=0.1, inline=head)

    @cached_property
    def _edited(self) -> str:
        """Where the last edit was: the file, and the turn."""
        last = next((use for use in reversed(self.facts.edits) if not is_agents_own(use.path)), None)
        if last is None:
            return ""
        turn = self._turn(last.message)
        name = code(shown_path(file_name(last.path)))
        return f"{name}, {self._record.when(turn)}" if turn else name

    def _unseen(self) -> Iterator[str]:
        """Yield what files that were changed wait for: a commit, a test, a check that the user or a task names."""
        kept = (use for use in self.facts.edits if use.path not in self.facts.removed)
        edits = [use.message for use in kept if not is_agents_own(use.path)]
        if not edits:
            return
        commits = [note.message for note in self.facts.notes if note.kind == "commit"]
        if not any(note.kind == "changes" for note in self.facts.notes):
            if not commits:
                yield "a commit"
            elif self._record.is_before(commits[-1], edits[-1]):
                yield "a commit of the last edits"
        checked = [note for note in self.facts.notes if note.kind == "check"]
        if not any(map(is_test, checked)):
            yield "a test run"
        texts = [*(one.text for one in self.facts.said), *(f"```\n{one.details}\n```" for one in self.facts.waiting)]
        for name in named_checks(texts):
            if not any(f"{one.name} ".startswith(f"{name} ") for one in checked):
                yield code(name)

    def _changed(self, note: Note) -> str:
        """Tell what is not committed; the list of paths is shortened if they are the edited files or share a folder."""
        head, paths = note.heading, note.paths
        if len(paths) < FEWEST_PATHS:
            return note.text
        known = {use.path.replace("\\", "/") for use in self.facts.edits} - self.facts.removed
        listed = known | self.facts.removed  # under `Files`
        own = {path: [one for one in listed if one.endswith(f"/{path}")] for path in paths}
        if any(own.values()) and not known - {one for found in own.values() for one in found}:
            others = [path for path in paths if not own[path]]
            more = f", and: {', '.join(others)}" if others else ""
            return f"{head}: all changed files ({len(paths) - len(others)}){more}"
        folder = common_folder(paths)
        if folder and sum(path.startswith(f"{folder}/") for path in paths) > 1:
            return f"{head}, in {code(folder)}: {', '.join(within(path, folder) for path in paths)}"
        return note.text

    def _open(self) -> Iterator[Item]:
        todos = [todo for todo in self.facts.todos if todo.status != "done"]
        for place, todo in enumerate(todos):
            mark = "(in progress) " if todo.status == "doing" else ""
            text = f"- [ ] {mark}{' '.join(todo.text.split())}"
            text += f": {shortened(todo.details, LONGEST_DETAILS)}" if todo.details else ""
            yield Item("open", text, 1, place, turn=bool(mark), share=0.15)
        first = len(self.facts.todos)
        for place, end in enumerate(self.facts.open_ends, first):
            is_answer = end.text in self._question or (self._question and self._work.said and end.listed)
            if not is_answer and end.text not in self._left_open:
                yield Item("open", f"- {end.text}", 2, place, self._turn(end.message), share=0.1)
        first += len(self.facts.open_ends)
        left = filter(self._record.is_open, self.facts.errors)
        for place, (_, same) in enumerate(groupby(left, key=lambda one: (one.message, one.where)), first):
            error, *more = same
            turn = self._turn(error.message)
            text = f"- Last failed{f' in {self._record.when(turn)}' if turn else ''}: {failure(error, more)}"
            after = self._record.said_after(error.message) if error.message in self._record.replaced else ""
            if after and not (self._work.said and fold(after).removesuffix("…") in fold(self._work.said.text)):
                text += f"\n  {after}"
            yield Item("open", text, 2, place, turn, share=0.2)

    def _files(self) -> Iterator[Item]:
        added = {new.path: new.names for new in self.facts.new_names}
        turns = {use.path: self._turn(use.message) for use in self.facts.uses}
        written = {use.path for use in self.facts.uses if use.kind == "write"}
        changed = dict.fromkeys(use.path for use in self.facts.edits)
        read = dict.fromkeys(use.path for use in self.facts.uses if use.kind == "read")
        folder = common_folder((*changed, *read))
        if folder:
            head = f"{RELATIVE_TO}{code(shown_path(folder))}:"
            yield Item("files", head, 4, turn=self._record.last, leads=True)

        def shown(path: str) -> str:
            return code(shown_path(within(path, folder)))

        for place, path in enumerate(sorted(changed, key=turns.__getitem__), 1):
            if path not in self.facts.removed:
                what = ["written"] * (path in written) + [f"new: {', '.join(added.get(path, ()))}"] * (path in added)
                text = shown(path) + (f" ({'; '.join(what)})" if what else "")
                yield Item("files", text, 4, place, turns[path], share=0.25, inline="Changed, the last one last:")
        behind = 1 + len(changed)
        if gone := [path for path in sorted(changed, key=turns.__getitem__) if path in self.facts.removed][:MOST_READ]:
            text = f"- Removed: {', '.join(map(shown, gone))}"
            yield Item("files", text, 4, behind, self._record.last, share=0.25)
        for place, new in enumerate(self.facts.new_names, behind + 2):
            if new.tests and new.path not in self.facts.removed:
                text = f"- New tests in {shown(new.path)}: {', '.join(new.tests)}"
                yield Item("files", text, 4, place, turns.get(new.path, 0), share=0.25)
        if only := sorted((path for path in read if path not in changed), key=lambda path: -turns[path])[:MOST_READ]:
            yield Item("files", f"- Only read: {', '.join(map(shown, only))}", 8, behind + 1, share=0.1)


def includes(check: Note, stale: Note) -> bool:
    """Whether a check that passed since the last edit says what one before would: with less left out, or all."""
    if check.kind != "check" or not check.ok or check.stale or check.folder:  # it knows only the edits of its folder
        return False
    name, narrower = check.name, stale.name
    words, of_narrower = set(name.split()), set(narrower.split())
    if words < of_narrower and all(map(_NARROWS.match, of_narrower - words)) and not _RUNNER_ALONE.match(name):
        return True
    if not _WHOLE_SUITE.match(name) or _WHOLE_SUITE.match(narrower):  # another script of the project
        return False
    sort, own = (next((one for one in ("test", "lint", "build") if one in text), "") for text in (name, narrower))
    return sort != "" and (own == sort or (own, sort) == ("build", "test"))


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
