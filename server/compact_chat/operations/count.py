"""Count a chat, compare it with its context window, and report what fills it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from compact_chat import measure
from compact_chat.chat import Chat, Message, ToolResult
from compact_chat.disk import read_tool_settings
from compact_chat.errors import CompactChatError
from compact_chat.operations.chats import chat_of, earlier_in, masked_title
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.plan import can_prune, front_length
from compact_chat.text import opening_start
from compact_chat.tools import Hidden
from compact_chat.wire import Advice, Breakdown, Count, Limit, Options, Parts, TokenReport

if TYPE_CHECKING:
    from compact_chat.disk import Found, Head
    from compact_chat.operations.job import ClientState

LONGEST_NAME = 1_000  # characters
MOST_BEFORE = 10  # messages among which a summary of ours opens a chat, behind what its tool says


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and what is known of its model."""

    chat: ChatRef
    options: Options = Options()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None
    per_message: Annotated[bool, Meta(description="Also return the size of each message.")] = False
    biggest: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Also list this many of the biggest messages, tools and files."),
    ] = None


def count_tokens(asked: Params, job: Job) -> TokenReport:
    """Report how full the context is, of what, and with what certainty."""
    job.step("Reading the chat")
    options = asked.options
    known = Options(
        model=asked.model or options.model,
        window=options.window if asked.window is None else asked.window,
        budget=options.budget,
        prune_at=options.prune_at,
        compact_at=options.compact_at,
    )
    chat = chat_of(asked.chat)
    found = measure_chat(
        structs.replace(chat, title=masked_title(chat, asked.chat, job.client.redactor())), known, job, asked.chat.uri
    )
    breakdown = UNSET if asked.biggest is None else _biggest_things(found, asked, job)
    return found.report(per_message=asked.per_message, breakdown=breakdown)


class Begun(Struct, frozen=True):
    """The size of a chat that has just begun.

    The tool adds its `own`, with the system prompt, and of its `context` what the messages do not hold: `fixed` in all.
    """

    fixed: int
    tokens: int
    parts: Parts  # of the tokens
    rate: float = 1.0  # tokens for one that is counted
    own: int = 0
    context: int = 0


class Measured(Struct, frozen=True, dict=True):
    """A chat with its size, its window and its budget."""

    chat: Chat
    counting: Counting
    window: measure.Window
    limit: Limit | None
    budget: int
    weights: tuple[measure.Weight, ...]
    meter: measure.Meter
    advice: Advice
    reason: str
    beginning: measure.Beginning  # of this chat and the next

    @cached_property
    def scale(self) -> float:
        """The chat's model tokens per counted token."""
        counted = sum(weight.total for weight in self.weights)
        return sum(self.meter.tokens) / counted if counted else 1.0

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The tokens of each message, by the message's identity."""
        return {id(one): tokens for one, tokens in zip(self.chat.messages, self.meter.tokens, strict=True)}

    @cached_property
    def _first(self) -> frozenset[str]:
        return frozenset(one.id for one in self.chat.messages[: self.beginning.first])

    @cached_property
    def _weights(self) -> dict[int, measure.Weight]:
        return {id(one): weight for one, weight in zip(self.chat.messages, self.weights, strict=True)}

    def _weigh(self, message: Message) -> measure.Weight:
        """Return a message's weight: as measured if it belongs to the chat."""
        return self._weights.get(id(message)) or self.counting.weigh(message)

    def size(self, message: Message) -> int:
        """Return a message's tokens: as measured if it belongs to the chat, else counted at the same ratio."""
        known = self.sizes.get(id(message))
        return round(self.counting.weigh(message).total * self.scale) if known is None else known

    def begun_with(self, messages: Sequence[Message]) -> Begun:
        """Return the size of a new chat with the same tool that begins with these messages (rule X14).

        What the tool had added to this chat since it began is not in it.
        """
        own, context = self.beginning.own, self.beginning.context
        fixed = own + max(0, context - measure.context_in(messages, lambda message: self._weigh(message).total))
        said = sum(self._weigh(message).total for message in messages)
        tokens = round(said * self.meter.rate)
        return Begun(fixed, fixed + tokens, self.parts_of(messages, fixed, tokens), self.meter.rate, own, context)

    def is_system(self, message: Message) -> bool:
        """Tell whether a message belongs to the fixed part of this chat."""
        return measure.is_system(message, is_first=message.id in self._first)

    def goes_on_with(self, system: Iterable[Message], others: Sequence[Message], tokens: int) -> Begun:
        """Return the size of this chat with fewer messages, of so many tokens: what the tool added to it stays."""
        meter = self.meter
        attached, said = min(meter.parts.attached, meter.fixed), min(tokens, sum(map(self.size, system)))
        parts = self.parts_of(others, meter.fixed - attached + said, tokens - said)
        return Begun(parts.fixed, meter.fixed + tokens, structs.replace(parts, attached=attached))

    def parts_of(self, messages: Sequence[Message], fixed: int, tokens: int) -> Parts:
        """Divide the tokens of the messages of a new chat among its parts."""
        found = dict.fromkeys(Parts.__struct_fields__, 0.0)
        for message in messages:
            weight = self._weigh(message)
            if message.is_summary or message.role == "system":
                found["summary" if message.is_summary else "fixed"] += weight.total
                continue
            found[message.role] += weight.text
            for part in ("tool_calls", "tool_results", "thinking", "images"):
                found[part] += getattr(weight, part)
        parts = dict(zip(found, measure.shares(tokens, list(found.values())), strict=True))
        if not any(parts.values()):
            parts["user"] = tokens
        return Parts(**(parts | {"fixed": parts["fixed"] + fixed}))

    def report(self, *, per_message: bool = False, breakdown: Breakdown | UnsetType = UNSET) -> TokenReport:
        """Make the report of `countTokens`."""
        return measure.make_report(
            self.chat,
            self.meter,
            self.window,
            self.limit,
            self.advice,
            self.reason,
            per_message=per_message,
            breakdown=breakdown,
        )


class Counting:
    """How a client's chat is counted, and the limits it is compared with."""

    def __init__(self, chat: Chat, options: Options, client: ClientState, uri: str | None) -> None:
        self.options, self.client = options, client
        self._begun_by: Head | None = None  # our compaction that the chat goes on from, before its first call
        if measure.is_unknown(chat) and any(
            one.is_summary or opening_start(one.text) >= 0 for one in chat.messages[:MOST_BEFORE]
        ):
            from compact_chat.operations.archives import compaction_behind

            self._begun_by = compaction_behind(chat, client)
        self.family: measure.Family = self.family_for(chat)
        self.count = client.counter(self.family.encoding).count
        self._place = chat.tool, chat.workspace, uri

    def family_for(self, chat: Chat) -> measure.Family:
        """Return the family of the chat's model; until it names one, of the model that it went on from."""
        model = chat.model or (self._begun_by.chat_model if self._begun_by else None)
        return measure.family_of(self.options.model or model, chat.tool)

    def weigh(self, message: Message) -> measure.Weight:
        """Estimate a message's tokens."""
        return measure.weigh(message, self.count, self.family)

    def fixed(self, chat: Chat) -> int:
        """Count the system prompt and the tools that came with the chat."""
        return self.count(chat.system) + self.count(measure.json_text(chat.tools) if chat.tools else "")

    def hidden(self, chat: Chat) -> Hidden:
        """Return what the chat's tool adds; only if no call of the chat shows it, other chats are asked."""
        if not measure.is_unknown(chat):
            return measure.hidden_by(chat)
        if (head := self._begun_by) and head.own:  # as it was predicted then, without what came with this chat
            own = max(0, head.own - self.system(chat)) + max(0, head.context - self.context(chat.messages))
            return Hidden(own, round(own * (1 - measure.CLOSE)), round(own * (1 + measure.CLOSE)), share=head.rate - 1)
        return measure.hidden_by(chat, self.shown_in(chat), self.others)

    def context(self, messages: Iterable[Message]) -> int:
        """Count what the tool says by itself in messages."""
        return measure.context_in(messages, lambda message: self.weigh(message).total)

    def system(self, chat: Chat) -> int:
        """Return the model's tokens of the system prompt and the tools that came with the chat."""
        return round(self.fixed(chat) * self.family.ratio)

    def shown_in(self, chat: Chat) -> measure.Shown:
        """Return what the chat's calls show of its tool."""
        return measure.shown_by(chat, lambda message: self.weigh(message).total, self.system(chat), self.family)

    @cached_property
    def others(self) -> Sequence[measure.Shown]:
        """What other chats with the same tool showed when this one was first judged."""
        from compact_chat.disk import Place, shown_by_neighbors

        return shown_by_neighbors(Place(*self._place), self.client.heads, partial(_shown_in_file, client=self.client))

    def beginning(self, chat: Chat, meter: measure.Meter) -> measure.Beginning:
        """Return what the tool adds to a session's first call: unseen, and in messages of its own."""
        shown = self.shown_in(chat)
        if shown.own:
            first = measure.before_call(chat)
            said = tuple(
                (one, self.weigh(one)) for one in first if one.by_host and one.role != "system" and not one.is_summary
            )
            return measure.Beginning(self.system(chat) + shown.own, context=shown.context, first=len(first), said=said)
        front = chat.messages[: front_length(chat.messages)]
        own = meter.fixed
        if not meter.is_anchored:
            new = structs.replace(chat, messages=front, opening=None)
            own = self.system(new) + measure.hidden_by(new, others=self.others).tokens
        return measure.Beginning(own, meter.is_anchored, self.context(front))

    def prior(self) -> measure.Learned | None:
        """Return what earlier chats taught about the family's tokens, if the user allows remembering it.

        Read once for each client, so that one chat always gives the same numbers.
        """
        client, name = self.client, self.family.name
        if not client.settings.remember_ratio:
            return None
        if name not in client.priors:
            from compact_chat.disk import read_ratios

            sums = read_ratios().get(name)
            client.priors.setdefault(name, measure.Learned(*sums) if sums else None)
        return client.priors[name]

    def remember(self, learned: measure.Learned) -> None:
        """Store what a chat taught, if anything and if the user allows it."""
        if self.client.settings.remember_ratio and learned != measure.Learned():
            from compact_chat.disk import write_ratio

            write_ratio(self.family.name, (learned.expected, learned.grown))

    def judged(
        self,
        chat: Chat,
        weights: tuple[measure.Weight, ...],
        meter: measure.Meter,
        beginning: measure.Beginning,
        can_cut: Callable[[], bool] | None = None,
    ) -> Measured:
        """Compare a measured size with the window and the budget."""
        options = self.options
        window = window_for(chat, options, self.client)
        chat = structs.replace(chat, model=options.model or chat.model)
        settings = read_tool_settings(chat.tool, chat.workspace)
        limit = measure.limit_of(chat, window, settings, lambda: self.others, passed=meter.passed)
        budget = measure.default_budget(window, limit) if options.budget is None else options.budget
        can_cut = can_cut or (lambda: can_prune(chat.messages, options.prune))
        thresholds, has_results = (options.prune_at, options.compact_at), meter.parts.tool_results > 0
        advice, reason = measure.advise(meter.used, budget, *thresholds, can_cut, has_results=has_results)
        left = measure.turns_left(meter.used, budget, meter.growth)
        if advice == "none" and left and left.low <= 1:
            reason += " One more turn as long as the longest of the latest may fill it."
            if options.budget is None:  # a budget of the user's own is a threshold like any other (rule X1)
                advice = "compact"
        return Measured(chat, self, window, limit, budget, weights, meter, advice, reason, beginning)


def measure_chat(chat: Chat, options: Options, job: Job, uri: str | None) -> Measured:
    """Count each message, and compare the sum with the window and the budget; `uri` is the chat's own file."""
    counting = Counting(chat, options, job.client, uri)
    weights = tuple(counting.weigh(message) for message in job.each(chat.messages, "Counting tokens"))
    meter = measure.read_meter(
        chat, weights, counting.family, counting.fixed(chat), counting.hidden(chat), prior=counting.prior()
    )
    counting.remember(meter.learned)
    beginning = counting.beginning(chat, meter)
    return counting.judged(chat, weights, measure.fitted(meter, beginning, counting.family, chat.messages), beginning)


def _shown_in_file(one: Found, client: ClientState) -> measure.Shown:
    """Return what the chat in a file shows of its tool; of a large one, its beginning."""
    from compact_chat.disk import BEGINNING, WHOLE, ends_of
    from compact_chat.read import Source, read_chat

    try:
        if one.bytes <= WHOLE:
            chat = chat_of(ChatRef(uri=Path(one.path).absolute().as_uri(), format=one.expected))
        else:
            chat = read_chat(Source.of_bytes(ends_of(one.path, BEGINNING, 0)[0]), one.expected)
        return Counting(chat, Options(), client, None).shown_in(chat)
    except (CompactChatError, OSError, ValueError):  # ValueError: half a surrogate pair in the name
        return measure.NOTHING


def window_for(chat: Chat, options: Options, client: ClientState) -> measure.Window:
    """Return the window of a chat."""
    return measure.window_of_chat(chat, options.model or chat.model, client.settings.windows, options.window)


def _biggest_things(found: Measured, asked: Params, job: Job) -> Breakdown:
    """List up to so many of the chat's biggest messages, tools and files, masked."""
    from compact_chat.facts import find_pieces, shown_path
    from compact_chat.operations.preview import excerpt
    from compact_chat.operations.record import learn

    clean, chat = job.client.redactor(), found.chat
    by_id = {message.id: message for message in chat.messages}
    learn(clean, chat, earlier_in(chat, asked.chat), job)

    def label(name: measure.Name) -> str:
        if name.kind in ("message", "summary"):
            message = clean.message(by_id[name.name])
            tools_speak = message.sends_results and not message.text and not message.is_summary
            return f"{'results' if tools_speak else message.role}: {excerpt(message)}"
        path, half = clean(shown_path(name.name)), LONGEST_NAME // 2
        return path if len(path) <= LONGEST_NAME else f"{path[:half]}…{path[-half:]}"

    def divide() -> Iterator[measure.Piece]:
        """Divide each message's tokens among its pieces, by what each would weigh alone."""
        pieces = list(find_pieces(chat.messages, chat.workspace or ""))
        for index in job.each(range(len(chat.messages)), "Looking for the biggest"):
            sizes = []
            for piece in pieces[index]:
                weight = found.counting.weigh(structs.replace(chat.messages[index], parts=(piece.part,)))
                # A message's overhead counts once, not once per piece.
                around = 0 if isinstance(piece.part, ToolResult) else found.counting.family.per_message
                sizes.append(max(0, weight.total - around))
            owners = [(one.tool, one.files) for one in pieces[index]]
            yield from measure.divided(index, found.meter.tokens[index], sizes, owners)

    return measure.break_down(chat.messages, found.meter, tuple(divide()), asked.biggest or 0, label)
