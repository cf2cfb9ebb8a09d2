"""One compaction, from its plan to the resulting chat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct, structs

from compact_chat import offline, resume
from compact_chat.chat import Chat, Message, Text, Warning, texts
from compact_chat.disk import find_instructions, path_of
from compact_chat.errors import InvalidParams, PlanOutdated, TooLarge
from compact_chat.facts import Fact, file_records, record_blocks
from compact_chat.measure import family_of, window_of
from compact_chat.models import Choice
from compact_chat.operations.archives import FROM_ORIGINAL, ArchiveEntry, Original, entry_named, original_of
from compact_chat.operations.chats import ChatBytes, shown_title, whole_chat
from compact_chat.operations.count import Begun, Measured, measure_chat
from compact_chat.operations.job import ClientState, Job, PlanRequest
from compact_chat.operations.record import Record, learn, record_of
from compact_chat.operations.table import ChatRef
from compact_chat.plan import Plan, digest, make_plan, plan_id
from compact_chat.prompt import Portion, compose_request, cut_portions
from compact_chat.read import earlier
from compact_chat.redact import MaskedMessage, MaskedText, Redactor
from compact_chat.styles import STYLES, MaskedRequest, MaskedSummary, Summary, SummaryStyle, Task
from compact_chat.text import counted, without_codes
from compact_chat.wire import ContinuationOptions, Files, Instructions, NextSize, NextSizes, Options, Scope

if TYPE_CHECKING:
    from compact_chat.read import Segment

T = TypeVar("T")

MOST_SUMMARY_TOKENS = 8000  # of a summary without a budget of its own
MOST_OF_LIMIT = 0.04  # for a hand-over
FAIR_SHARES = ((1 / 3, 2000), (1 / 6, 5000))  # of what a hand-over replaces, and up to how many tokens: at least that
MOST_WRITTEN = 32  # texts of one plan that are kept for the next change
STOPS = 4  # of a slider that are shorter than the usual length, and that are longer
BRIEF, FULL, LEAST_LONGER = 1 / 3, 3, 1.5  # of the usual length
LEAST_USUAL, LEAST_BRIEF, LEAST_FULL = 50, 600, 10_000  # tokens
SMALL = 500  # tokens of a chat that no summary makes shorter
ENOUGH_FOR_RULES = 1000  # tokens; a tenth of a short chat has no room for its rules
FIRST_PART = 0.9  # of the room, for pieces of a hand-over before single facts
PROMPT_TOKENS = 3000  # more than any prompt adds around the transcript
LEAST_CHARACTERS_PER_TOKEN = 2  # of logs and JSON; prose has more, so this errs on the safe side
FEWEST, MOST = 0.5, 4.0  # plausible bounds of a chat's characters per token
MARGIN = 0.8  # of the measured ratio, since the part that is sent may differ from the whole


class NextChat(Struct, frozen=True):
    """The resulting chat in each way to go on: as messages and, if there is a summary, in a new chat that it opens.

    `to_send` ends with a user message (rule V8); `opening` has the continuation, and what the host keeps by itself.
    """

    messages: tuple[Message, ...]
    to_send: tuple[Message, ...]
    spliced: Begun
    continuation: MaskedText
    opening: tuple[Message, ...] = ()
    opened: Begun | None = None

    def begun(self, *, spliced: bool) -> Begun:
        """Return the size of the next request: of the messages where the host splices them, else of the new chat."""
        return self.spliced if spliced or self.opened is None else self.opened

    @property
    def sizes(self) -> NextSizes:
        """The sizes, as on the wire."""
        opened, spliced = self.opened, self.spliced
        return NextSizes(
            None if opened is None else NextSize(opened.tokens, opened.fixed, len(self.opening), opened.parts),
            NextSize(spliced.tokens, spliced.fixed, len(self.to_send), spliced.parts),
        )


class LoadedChat:
    """A chat in memory, with what its plans have in common: a second plan of it counts, masks and finds nothing again.

    `segments` are what its tool's compactions replaced. `entry` is the compaction whose archived original the chat is;
    the segments of an original are read on demand.
    """

    def __init__(
        self,
        ref: ChatRef,
        chat: Chat,
        segments: tuple[Segment, ...] = (),
        chat_bytes: ChatBytes | None = None,
        entry: ArchiveEntry | None = None,
    ) -> None:
        self.ref, self.chat, self.segments, self.entry = ref, chat, segments, entry
        self.chat_bytes = chat_bytes  # if it is to be archived
        self._made: dict[str, tuple[Any, Any]] = {}

    def once(self, name: str, given: object, make: Callable[[], T]) -> T:
        """Return what was made under this name of the same options before, else make it; only the newest is kept."""
        before = self._made.get(name)
        if before is None or before[0] != given:
            before = self._made[name] = given, make()
        made: T = before[1]
        return made


class Planned:
    """One compaction: its plan is made at once, everything else once, on first use."""

    def __init__(self, loaded: LoadedChat, options: Options, job: Job, *, spliced: bool = False) -> None:
        self.loaded, self.options = loaded, options
        self.request = PlanRequest(loaded.ref, options)
        self.spliced = spliced  # the host takes the messages; else the one that opens a new chat is what is sent
        self.job, self.client = job, job.client
        self.style: SummaryStyle = STYLES[options.style]
        opening = self.client.with_host(options.continuation)
        self.opening: ContinuationOptions = structs.replace(opening, style=options.style)  # of the next chat
        if self.style.by_turn:
            self.opening = handed_over(self.opening, loaded.chat, loaded.ref, self.client)
        known = (options.model, options.window, options.budget)
        self.counted_by = (*known, options.prune_at, options.compact_at, options.prune)
        self.as_given = self._measured("given", loaded.chat)
        self.measured = self.as_given  # of the planned chat: the one given, or its original
        self._original = Original(loaded.chat)  # of the planned chat
        self.must_be_below = self.as_given.meter.used  # tokens; a larger result gains nothing
        self.plan = self._plan_for(loaded.chat)
        found = find_instructions(self.chat.workspace)
        rules = [rule.text for rule in found]
        is_original = self._original.first is not None
        self.segments = loaded.once("segments", is_original, self._earlier)
        self._masked_by = (is_original, options.redact, self.client.settings.redact_emails, rules, options.instructions)
        self.clean, self.masked, self.instructions, self.repeats = loaded.once(
            "masked", self._masked_by, lambda: self._without_secrets(found)
        )
        model = loaded.chat.model
        chat = loaded.once("digest", is_original, lambda: digest(structs.replace(self.chat, model=model)))
        self.id = plan_id(chat, options, rules)
        self._next_chats: dict[str, NextChat] = {}
        # What facts added back do not change: texts by their budgets, and what each lacks.
        others = structs.replace(options, add_back=())
        self._written = loaded.once("written", (others, self._masked_by), dict[int, Summary | None])
        self._lacking = loaded.once("lacking", (others, self._masked_by), dict[str, list[Fact]])

    def _measured(self, name: str, chat: Chat) -> Measured:
        return self.loaded.once(
            name, self.counted_by, lambda: measure_chat(chat, self.options, self.job, self.loaded.ref.uri)
        )

    def _earlier(self) -> tuple[Segment, ...]:
        if self._original.first is not None:
            return self._original.earlier(None)
        if self.loaded.entry:  # the file may have grown since, or be gone
            return earlier(self.loaded.entry.original_source(), self.loaded.chat)
        return self.loaded.segments

    def _without_secrets(
        self, found: Sequence[Instructions]
    ) -> tuple[Redactor, tuple[MaskedMessage, ...], tuple[Instructions, ...], int]:
        """Mask the chat and its project's instructions, and count the repeats in these.

        The only place where that is done: everything written, sent or stored derives from this.
        """
        clean = self.client.redactor(self.options.redact)
        rules = [rule.text for rule in found]
        learn(clean, self.chat, self.segments, self.job, *rules, self.options.instructions)
        messages = clean.messages(self.job.each(self.chat.messages, "Masking secrets"))
        instructions = tuple(structs.replace(one, text=clean(one.text)) for one in found)
        return clean, messages, instructions, clean.repeats

    @property
    def chat(self) -> Chat:
        """The planned chat."""
        return self.measured.chat

    @cached_property
    def summarized(self) -> tuple[MaskedMessage, ...]:
        """The messages that the summary replaces, masked."""
        return tuple(self.masked[fate.index] for fate in self.plan.fates if fate.fate == "summarize")

    @cached_property
    def record(self) -> Record:
        """The chat, with what its tool's own compactions replaced before; of one compacted by us, before that."""
        segments = self.segments if self.options.record == "whole" else ()
        return self.loaded.once(
            "record",
            (self._masked_by, self.options.record),
            lambda: record_of(self.masked, segments, self.clean, self.job),
        )

    @cached_property
    def add_back(self) -> tuple[str, ...]:
        """The facts that have to be there, by id: those named now, else those of the compaction before.

        As much of an id as no other has is enough, with its kind or without; what names none stays as it is.
        """
        named, before = self.options.add_back, self._original.added_back
        if not (named or before):
            return ()
        known = [fact.id for fact in self.record.in_force]
        if not named:
            return tuple(one for one in before if one in known)
        begun = ((name, [one for one in known if f":{name}" in f":{one}"]) for name in named)
        return tuple(ids[0] if len(ids) == 1 else name for name, ids in begun)

    @property
    def covered(self) -> tuple[MaskedMessage, ...]:
        """The messages that the summary may speak of: those that it replaces, and those of the record before."""
        return (*self.record.messages[: self.record.earlier], *self.summarized)

    @cached_property
    def files(self) -> Files:
        """The files of the whole chat."""
        return file_records(self.masked)

    @cached_property
    def summarized_files(self) -> Files:
        """The files of the messages that the summary replaces."""
        return file_records(self.summarized)

    @property
    def has_task_section(self) -> bool:
        """Whether the summary gets a section on the current task (rule P10)."""
        if self.plan.direction == "upTo" or self.style.by_turn:
            return False
        wanted = self.options.immediate_task
        return self.options.continuation.kind is not None if wanted is None else wanted

    @property
    def summary_budget(self) -> int:
        """The token budget of the finished summary."""
        if (wanted := self.options.summary_budget) is not None:
            return wanted
        match self.options.length:
            case "full":
                return self.longest_budget
            case "standard":
                return self.usual_budget
        return self.shortest_budget

    @cached_property
    def replaced(self) -> int:
        """The tokens that the summary replaces."""
        return sum(self.measured.meter.tokens[fate.index] for fate in self.plan.fates if fate.fate == "summarize")

    @property
    def said(self) -> int:
        """The tokens of all messages."""
        return sum(self.measured.meter.tokens)

    @property
    def is_small(self) -> bool:
        """Whether the chat is hardly longer than the headings of a summary."""
        return self.said < SMALL

    @cached_property
    def usual_budget(self) -> int:
        """The token budget of a summary without a budget of its own."""
        replaced = self.replaced
        floor = min(ENOUGH_FOR_RULES, replaced // 2)
        if not self.style.by_turn:
            return min(MOST_SUMMARY_TOKENS, max(floor, self.measured.meter.used // 10))
        most = min(MOST_SUMMARY_TOKENS, round(MOST_OF_LIMIT * self.measured.budget) or MOST_SUMMARY_TOKENS)
        fair = max(min(tokens, round(share * replaced)) for share, tokens in FAIR_SHARES)
        needed = offline.material_of(self._offline_request(most)).needed()
        return max(floor, min(most, replaced // 2, max(fair, needed)))

    @property
    def shortest_budget(self) -> int:
        """The token budget of the shortest summary that is useful."""
        usual = self.usual_budget
        return usual if usual < LEAST_USUAL else max(round(BRIEF * usual), min(LEAST_BRIEF, usual // 2))

    @cached_property
    def longest_budget(self) -> int:
        """The token budget of a summary of all there is, up to half of what it replaces."""
        usual = self.usual_budget
        if usual < LEAST_USUAL:
            return usual
        longest = self.written_offline(min(self.replaced // 2, max(LEAST_FULL, round(FULL * usual))))
        return max(round(LEAST_LONGER * usual), self.tokens_of(longest.text) if longest else 0)

    @property
    def stops(self) -> tuple[int, ...]:
        """Budgets from the shortest useful length to all there is, with the usual one in the middle (rule H18)."""
        brief, usual, full = self.shortest_budget, self.usual_budget, self.longest_budget
        if usual < LEAST_USUAL:
            return (usual,)
        shorter = (round(brief * (usual / brief) ** (n / STOPS)) for n in range(STOPS))
        longer = (round(usual * (full / usual) ** (n / STOPS)) for n in range(STOPS + 1))
        return (*shorter, *longer)

    @cached_property
    def offline_summary(self) -> Summary | None:
        """A summary that needs no model; None if it does not fit the budget."""
        return self.written_offline(self.summary_budget)

    @cached_property
    def _request(self) -> offline.OfflineRequest:
        made = offline.OfflineRequest(
            messages=self.covered,
            facts=self.record.facts,
            direction=self.plan.direction,
            style=self.options.style,
            budget=0,
            count=self.measured.counting.count,
            immediate_task=self.has_task_section,
        )
        return structs.replace(made, material=offline.material_of(made)) if self.style.by_turn else made

    def _offline_request(self, budget: int) -> offline.OfflineRequest:
        return structs.replace(self._request, budget=budget)

    def tokens_of(self, text: str) -> int:
        """Count a text that we wrote; what the chat's own calls show of its messages does not apply to it."""
        return self.measured.counting.count(text)

    def written_offline(self, budget: int) -> Summary | None:
        """Write a summary of some length without a model."""
        if budget not in self._written:
            if len(self._written) == MOST_WRITTEN:
                self._written.clear()
            self._written[budget] = self._write_offline(self._offline_request(budget))
        return self._written[budget]

    def _write_offline(self, request: offline.OfflineRequest) -> Summary | None:
        budget = request.budget
        if self.style.most_records:
            # File records are never truncated, but may take only half of the budget.
            left = max(budget // 2, budget - request.count(record_blocks(self.summarized_files)) - 2)
            request = structs.replace(request, budget=left)
        return offline.write_summary(request)

    def presentable(self, summary: Summary) -> MaskedSummary:
        """Add file records if the style keeps them, and mask secrets."""
        whole = summary.with_records(self.summarized_files) if self.style.most_records else summary
        return whole.masked(self.clean)

    def completed(self, summary: MaskedSummary, *, by_model: bool, reply: str = "") -> MaskedSummary:
        """Add the facts that have to be there, and what a model's hand-over lacks, as far as there is room (H17).

        What was left out of the reply it is from makes room.
        """
        if not (self.add_back or (by_model and self.style.by_turn)):
            return summary
        count, missing = self.measured.counting.count, self._missing_in

        def added(summary: Summary, facts: Sequence[Fact]) -> Summary:
            past = self._request.material.past_errors if self._request.material else ()
            turns = offline.turns_of(self.record.facts)
            return offline.with_facts(summary, facts, turns, whole=self.add_back, past=past)

        lacking = missing(summary.text) if by_model else self._lacking_in(summary.text)
        given = added(summary, [fact for fact in lacking if fact.id in self.add_back])
        if not (by_model and self.style.by_turn):
            return self.presentable(given)
        size, request = max(count(given.text), count(reply)), self._offline_request(self.summary_budget)
        totals = Counter(fact.kind for fact in self.record.in_force)
        done = offline.with_record(given, request, size, FIRST_PART)
        room = max(self.summary_budget, round(offline.MORE * size)) - count(done.text)
        done = added(done, offline.most_valuable(missing(done.text), totals, room, count))
        return self.presentable(offline.with_record(done, request, size))

    def with_added(self, text: str, added: Collection[str], removed: Collection[str]) -> str:
        """Add facts that a person's text lacks, and remove others; the rest of it stays to the letter."""
        past = self._request.material.past_errors if self._request.material else ()

        def written(facts: Sequence[Fact]) -> list[offline.Piece]:
            return offline.pieces_of(self.style, facts, offline.turns_of(self.record.facts), past)

        gone = [piece for fact in self.record.in_force if fact.id in removed for piece in written([fact])]
        text = offline.without_pieces(text, gone)
        lacking = [fact for fact in self._missing_in(text) if fact.id in added] if added else []
        return offline.with_pieces(
            text, written(lacking), self.clean(resume.transcript_note(self.opening.transcript_path))
        )

    def _lacking_in(self, text: str) -> list[Fact]:
        """List what a text that we wrote lacks: in a draft, a tick asks it again of the same texts."""
        if text not in self._lacking:
            if len(self._lacking) == MOST_WRITTEN:
                self._lacking.clear()
            self._lacking[text] = self._missing_in(text)
        return self._lacking[text]

    def _missing_in(self, text: str) -> list[Fact]:
        """List the facts that the next chat lacks with this text."""
        return self.record.missing_in(f"{text}\n\n{self._kept_text}", self.clean)

    @cached_property
    def _kept_text(self) -> str:
        """What stays word for word."""
        stay = self.clean.messages((*self.plan.head, *self.plan.tail))
        return without_codes("\n".join(text for message in stay for text in texts(message)))

    def next_chat(self, summary: MaskedSummary | None, opening_text: MaskedText | None = None) -> NextChat:
        """Put the summary in place of what it replaces, or take the messages that the plan's rules keep.

        With an `opening_text`, that message opens the next chat from now on wherever this summary is used.
        """
        text = summary.text if summary else ""
        if text not in self._next_chats or opening_text is not None:
            plan, measured = self.plan, self.measured
            if summary:
                messages = resume.splice_summary((*plan.front, *plan.head), summary, plan.tail, plan.direction)
            else:
                messages = resume.make_valid(plan.messages)
            opening = self.opening if self.opening.kind else structs.replace(self.opening, kind="manual")
            closing = resume.kind_text(opening, summary, direction=plan.direction, kept=len(messages) > 1)
            to_send = resume.sendable(messages, closing)
            if summary:
                continuation = self._continuation(summary) if opening_text is None else opening_text
                kept = (*plan.head, *plan.tail) if self.opening.recent_preserved else ()
                new = (Message("opening", "user", (Text(continuation),), is_summary=True), *kept)
                spliced, opened = measured.begun_with(to_send), measured.begun_with(new)
                found = NextChat(messages, to_send, spliced, continuation, new, opened)
            else:  # rules: the same chat goes on, and the kind text is all there is to say
                said = sum(map(measured.size, to_send))
                continuation = self.clean(resume.kind_text(self.opening, kept=True) if self.opening.kind else "")
                system = [one for one in plan.messages if measured.is_system(one)]
                others = [one for one in plan.messages if not measured.is_system(one)]
                begun = measured.goes_on_with(system, resume.make_valid(others), said)
                found = NextChat(messages, to_send, begun, continuation)
            self._next_chats[text] = found
        return self._next_chats[text]

    def tokens_after(self, summary: MaskedSummary | None) -> int:
        """Return the size of the next request with this summary."""
        return self.next_chat(summary).begun(spliced=self.spliced).tokens

    def _continuation(self, summary: MaskedSummary) -> MaskedText:
        """Write the message that opens a new chat, within the room that the next chat has for kept messages (C8)."""
        plan, window = self.plan, self.measured.window.input
        tokens = window - self.measured.meter.fixed - min(PROMPT_TOKENS, window // 4)
        characters = round(tokens * LEAST_CHARACTERS_PER_TOKEN / self.measured.counting.family.ratio)
        room, kept = max(0, characters - len(summary.text)), self.clean.messages((*plan.head, *plan.tail))
        turns = offline.turns_of(self.record.facts) if self.style.by_turn else None
        message = resume.write_continuation(
            summary, kept, self.opening, direction=plan.direction, room=room, turns=turns
        )
        return self.clean(resume.closed(message, self.opening))

    def masked_chat(self, summary: MaskedSummary | None) -> tuple[MaskedMessage, ...]:
        """Return the next chat without secrets: rules shorten the masked chat, since a cut would leave half of one."""
        messages = self.next_chat(summary).messages
        if summary is None:
            masked = structs.replace(self.measured, chat=structs.replace(self.chat, messages=self.masked))
            messages = resume.make_valid(
                _plan_of(masked, structs.replace(self.options, strategy=self.plan.action)).messages
            )
        return self.clean.messages(messages)

    def task(self, *, end_tag: bool = False) -> Task:
        """Describe what a model is to summarize, and how."""
        room = min(self.summary_budget, self.options.max_output_tokens * 3 // 4)  # an analysis and tags come on top
        return Task(
            messages=self.summarized,
            style=self.options.style,
            direction=self.plan.direction,
            focus=self.clean(self.options.instructions),
            rules=tuple(self.clean(found.text) for found in self.instructions),
            immediate_task=self.has_task_section,
            length=min(room, self.style.most_tokens or room),
            end_tag=end_tag,
        )

    def request_for(self, task: Task, part: Portion, previous: MaskedSummary | None) -> MaskedRequest:
        """Write one request."""
        return compose_request(task, part, previous).masked(self.clean)

    def one_request(self) -> MaskedRequest:
        """Write the request for the summary's model, if a single one is enough."""
        task = self.task()
        parts = cut_portions(task, self.characters_for(Choice(self.options.summary_model)))
        if len(parts) > 1:
            raise TooLarge(
                "What is to be summarized does not fit into one request to the summary's model;"
                " narrow the scope, or let `summarize` ask a provider, which sends it in parts."
            )
        return self.request_for(task, parts[0], None)

    def reply_tokens(self, choice: Choice) -> int:
        """Return the maximum reply length; at most a quarter of a small window."""
        return min(self.options.max_output_tokens, self._window(choice) // 4)

    def input_room(self, choice: Choice) -> int:
        """Return how many transcript tokens fit a model's window next to the prompt and the reply."""
        window = self._window(choice)
        return max(0, window - self.reply_tokens(choice) - min(PROMPT_TOKENS, window // 4))

    def characters_for(self, choice: Choice) -> int:
        """Return how many characters of the chat fit a model's window, by the chat's characters per token."""
        tokens = sum(weight.words for weight in self.measured.weights) / self.measured.counting.family.ratio
        characters = sum(len(text) for message in self.chat.messages for text in texts(message))
        measured = characters / tokens if tokens else LEAST_CHARACTERS_PER_TOKEN
        each = max(FEWEST, min(MOST, MARGIN * measured))
        return round(self.input_room(choice) * each / family_of(choice.model).ratio)

    def _window(self, choice: Choice) -> int:
        return choice.window or window_of(choice.model, self.client.settings.windows).input

    def _plan_for(self, given: Chat) -> Plan:
        """Plan the chat or, if a summary will be written, the original of a previously compacted chat.

        Rules work on the chat as it came: they would only make the original smaller than it was.
        """
        options = self.options
        original = self._original
        if options.strategy not in ("keep", "prune"):
            original = self.loaded.once("original", None, lambda: original_of(given, self.client))
        self.job.step("Planning")
        if original.first is None:
            return _plan_of(self.measured, options)
        if options.strategy == "auto":
            # Ids in the options may be those of the original.
            unnamed = structs.replace(options, scope=Scope(), pin=(), drop=())
            if _plan_of(self.measured, unnamed).action == "prune":
                return _plan_of(self.measured, options)
        self._original, whole = original, original.chat
        found = self._measured("original measured", whole)
        self.must_be_below = found.begun_with(given.messages).tokens
        plan = _plan_of(found, structs.replace(options, strategy="summary"))
        sentence = (
            f"The chat was compacted before and has {self.must_be_below:,} tokens as it came; so that nothing erodes,"
            f" this works from its {counted(len(whole.messages), 'message')} as they were before that, which the"
            " archive has kept."
        )
        chat = structs.replace(found.chat, warnings=(*found.chat.warnings, Warning(FROM_ORIGINAL, sentence)))
        self.measured = structs.replace(found, chat=chat, advice=self.as_given.advice)
        return plan


def handed_over(opening: ContinuationOptions, chat: Chat, ref: ChatRef, client: ClientState) -> ContinuationOptions:
    """Name the chat and its file in the message that opens the next one, unless the host does (rule H13)."""
    title = "".join(filter(str.isprintable, shown_title(chat.title, client.redactor()) or ""))
    path = path_of(ref.uri) if ref.uri else ""
    return structs.replace(
        opening,
        title=opening.title or title,
        transcript_path=opening.transcript_path or (path if path.isprintable() else None),
    )


def load(ref: ChatRef, job: Job, *, keep: bool = False) -> LoadedChat:
    """Read a chat; `keep` notes its bytes, so that a plan of it can be carried out and archived."""
    job.step("Reading the chat")
    if entry := entry_named(ref, job.client):
        return LoadedChat(ref, entry.original_chat(), (), entry.original_bytes() if keep else None, entry)
    return LoadedChat(ref, *whole_chat(ref, keep=keep))


def check_options(options: Options, job: Job) -> None:
    """Raise what opening the next chat would raise for these options, before any work."""
    with InvalidParams.below("$.options.continuation"):
        resume.check_opening(job.client.with_host(options.continuation))


def planned(ref: ChatRef, options: Options, job: Job, *, keep: bool = False, spliced: bool = False) -> Planned:
    """Plan a compaction."""
    check_options(options, job)
    return Planned(load(ref, job, keep=keep), options, job, spliced=spliced)


def planned_again(plan: str, ref: ChatRef | None, options: Options, job: Job, *, spliced: bool) -> Planned:
    """Plan the chat again by a plan's id; raise PlanOutdated if the plan differs from the one shown."""
    known = job.client.plans.recall(plan)
    if known and options not in (known.options, job.client.default_options()):
        raise InvalidParams.at("$.options", "a plan has options of its own; preview the chat again to change them")
    source = known.ref if known and ref is None else ref
    if source is None:
        raise outdated("forgotten")
    made = planned(source, known.options if known else options, job, keep=True, spliced=spliced)
    if made.id != plan:
        raise outdated("chatChanged" if known else "forgotten")
    return made


def _plan_of(found: Measured, options: Options) -> Plan:
    return make_plan(found.chat, options, found.meter.tokens, found.budget, found.meter.used, found.size)


def outdated(reason: Literal["chatChanged", "forgotten"]) -> PlanOutdated:
    """Make the error for a plan id that cannot be carried out."""
    sentences = {
        "chatChanged": "The chat, or its project's instructions, changed since this plan was made; preview it again.",
        "forgotten": "This plan is not known here; preview the chat again, or repeat the options it was made with.",
    }
    return PlanOutdated(sentences[reason], reason=reason)
