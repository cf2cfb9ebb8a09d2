"""One running operation, its client with what it watches, and how it is run: checked, off the event loop."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import cache, cached_property, partial
from inspect import iscoroutinefunction
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.convert import convert
from compact_chat.errors import Cancelled, InvalidParams, TooLarge, checkpoints
from compact_chat.operations.table import LOADED, ON_DISK, ChatRef, is_small, operation, typed, without_nulls
from compact_chat.wire import ContinuationOptions, HostCapabilities, Options, Settings

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from compact_chat.disk import Heads
    from compact_chat.measure import Counter, Learned
    from compact_chat.models import Host
    from compact_chat.operations.archives import MemoryArchive
    from compact_chat.operations.draft import Drafts
    from compact_chat.redact import Redactor, SpanCache
    from compact_chat.styles import Request

HEAVY = 2  # concurrent big operations per client, and in total: more would starve the small ones
MOST_WATCHES = 64
MOST_SENT = 100  # remembered model requests, to recognize a repeated beginning
MOST_PLANS = 100
ROOM_PLANS = 64 * 2**20  # bytes of requests: half a dozen chats that fill a context of a million tokens

T = TypeVar("T")
Opening = TypeVar("Opening", bound=ContinuationOptions)
Report = Callable[[str, int | None], None]


class PlanRequest(Struct, frozen=True):
    """A plan's chat, which is read again since it may have changed, and its options."""

    ref: ChatRef
    options: Options


class Newest(Generic[T]):
    """Things by name, the last kept as the newest; the oldest go beyond a number and a size, never the newest."""

    def __init__(self, most: int, room: int) -> None:
        self.room, self.size = room, 0  # of all things together
        self._most = most
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self.lock = RLock()  # many threads use them

    def keep(self, name: str, thing: T, size: int) -> None:
        """Add or replace a thing as the newest, and evict the oldest beyond the limits."""
        with self.lock:
            self.drop(name)
            self._kept[name] = thing, size
            self.size += size
            while len(self._kept) > self._most or (self.size > self.room and len(self._kept) > 1):
                self.drop(next(iter(self._kept)))

    def drop(self, name: str) -> None:
        """Remove a thing, if it is still here."""
        with self.lock:
            self.size -= self._kept.pop(name, (None, 0))[1]

    def named(self, name: str) -> T | None:
        """Return a thing, unless it was evicted."""
        found = self._kept.get(name)
        return found[0] if found else None

    def all(self) -> list[T]:
        """Return all things, the newest first."""
        with self.lock:
            return [thing for thing, _ in reversed(self._kept.values())]


class Plans(Newest[bytes]):
    """The requests of the last plans shown to a client, as JSON, in bounded memory."""

    def __init__(self, room: int = ROOM_PLANS) -> None:
        super().__init__(MOST_PLANS, room)

    def remember(self, plan_id: str, request: PlanRequest) -> None:
        """Store a plan's request."""
        values = {"ref": structs.asdict(request.ref), "options": msgspec.to_builtins(request.options)}
        # The json module, since it accepts any number, and halves of surrogate pairs.
        data = json.dumps(values, ensure_ascii=False).encode(errors="surrogatepass")
        self.keep(plan_id, data, len(data))

    def recall(self, plan_id: str) -> PlanRequest | None:
        """Return a plan's request, unless it was evicted."""
        if (data := self.named(plan_id)) is None:
            return None
        values = json.loads(data.decode(errors="surrogatepass"))
        return PlanRequest(ChatRef(**values["ref"]), convert(values["options"], Options))


class ClientState:
    """What the server keeps per client: settings, host capabilities, plans, watches and caches."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.chosen: JsonObject = {}  # the settings that the user changed, by wire name
        self.capabilities: HostCapabilities | None = None
        self.host: Host | None = None  # the client, if it answers requests; a shell has none
        self.room: asyncio.Event | None = None  # set while the client reads its answers
        self.warm: set[str] = set()  # operations that ran before, so their modules are loaded
        self.plans, self.watches = Plans(), Watches()
        self.keyless = False  # whether the client was asked for an API key and had none
        self.priors: dict[str, Learned | None] = {}  # what earlier chats taught, by family, as first read
        self._sent: deque[int] = deque(maxlen=MOST_SENT)
        self._counters: dict[str, Counter] = {}
        self._known_secrets: SpanCache | None = None

    def configure(self, section: object) -> None:
        """Apply the client's settings; invalid values are ignored."""
        values, chosen = without_nulls(section), {}
        for name, value in values.items() if isinstance(values, dict) else ():
            if name == "archive" and isinstance(value, bool):  # settings files write switches so
                value = "on" if value else "off"
            with suppress(msgspec.ValidationError, UnicodeEncodeError):
                convert({name: value}, Settings)
                chosen[name] = value
        self.chosen, self.settings = chosen, convert(chosen, Settings)

    def greet(self, options: object) -> None:
        """Apply what the client says of its host when it connects."""
        given = without_nulls(options)
        self.capabilities = None
        with suppress(msgspec.ValidationError, UnicodeEncodeError):
            capabilities = given.get("capabilities") if isinstance(given, dict) else None
            self.capabilities = None if capabilities is None else convert(capabilities, HostCapabilities)

    def default_options(self) -> Options:
        """Return the options of the user's settings, for requests without options."""
        return convert(self.chosen, Options)

    def with_host(self, options: Opening) -> Opening:
        """Fill in the host's capabilities unless the options have their own (rule C14)."""
        return options if options.capabilities else structs.replace(options, capabilities=self.capabilities)

    def sends(self, model: str | None, request: Request) -> bool:
        """Record that a request is sent; return whether its first part was sent before, so that caching it pays."""
        known = hash((model, request.system, request.material))
        before = known in self._sent
        self._sent.append(known)
        return before and bool(request.material)

    def redactor(self, enabled: bool | None = None) -> Redactor:
        """Make a redactor by the user's settings, unless a request's options enable or disable it.

        For a chat, let it learn the chat first.
        """
        from compact_chat.redact import Redactor, SpanCache

        if self._known_secrets is None:
            self._known_secrets = SpanCache()
        masks = self.settings.redact if enabled is None else enabled
        return Redactor(self.settings.redact_emails, masks, self._known_secrets)

    def counter(self, encoding: str) -> Counter:
        """Return an encoding's counter, which caches counts."""
        if encoding not in self._counters:
            from compact_chat.measure import Counter

            self._counters.setdefault(encoding, Counter(encoding))
        return self._counters[encoding]

    @cached_property
    def heavy(self) -> asyncio.Semaphore:
        """The client's share of the heavy threads; created on first use, since a shell has no event loop."""
        import asyncio

        return asyncio.Semaphore(HEAVY)

    @cached_property
    def drafts(self) -> Drafts:
        """The drafts that the client used last."""
        from compact_chat.operations.draft import Drafts

        return Drafts()

    @cached_property
    def heads(self) -> Heads:
        """The cache of chat headings."""
        from compact_chat.disk import Heads

        return Heads()

    @property
    def memory(self) -> MemoryArchive:
        """The archive of a client without archives on disk: it can undo while the server lives."""
        from compact_chat.operations.archives import MemoryArchive

        # Atomic: another one, made by a second thread, would lose a compaction.
        made: MemoryArchive = self.__dict__.setdefault("_memory", MemoryArchive())
        return made


class Job:
    """One operation of a client: it reports progress, streams text, and can be cancelled from any thread."""

    def __init__(
        self, client: ClientState, report: Report | None = None, stream: Callable[[str], None] | None = None
    ) -> None:
        self.client = client
        self.is_cancelled = False
        self.at_once = False  # whether a slow read raises TakesLong instead
        self.stream = stream or (lambda _: None)  # sends a piece of the result's text ahead of the result
        self.in_thread: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
        self._report = report
        self._done = 0.0  # the completed share; each phase takes half of the rest

    def cancel(self) -> None:
        """Stop the operation at its next check."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise `Cancelled` if the operation was cancelled; `checkpoint()` calls this."""
        if self.is_cancelled:
            raise Cancelled

    def step(self, message: str, percentage: int | None = None) -> None:
        """Report the next step, unless the operation was cancelled."""
        self.check()
        if self._report is not None:
            self._report(message, percentage)

    def each(self, items: Sequence[T], message: str) -> Iterator[T]:
        """Iterate with a step before each item; the percentage never falls, whatever the number of phases."""
        start, reach = self._done, (1 - self._done) / 2
        for number, item in enumerate(items):
            self._done = start + reach * number / len(items)
            self.step(message, int(100 * self._done))
            yield item
        self._done = start + reach

    async def off_loop(self, call: Callable[[], T]) -> T:
        """Run a step in a thread if the event loop serves other requests."""
        if self.in_thread is None:
            return call()
        result: T = await self.in_thread(call)
        return result


# The chats that a client watches.


class TakesLong(Exception):
    """Raised instead of a slow read that would delay other chats."""


class Watch(Protocol):
    """A polled chat."""

    def look(self, job: Job) -> JsonObject | None:
        """Return what is new, if anything."""


class Watches:
    """Watches by id; each begins once the client has its id, so one whose request failed never begins.

    Any thread may add and remove; one thread polls.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[str, tuple[Watch, Job]] = {}  # with the job that cancels it
        self._begun: dict[str, tuple[Watch, Job]] = {}

    def add(self, watch: Watch, job: Job) -> str:
        """Add a watch for a request, and return its id."""
        self.check_room()
        name = f"watch-{next(self._numbers)}"
        self._asked[name] = watch, job
        return name

    def check_room(self) -> None:
        """Refuse more watches than a client may have."""
        self._asked = {name: one for name, one in self._asked.items() if not one[1].is_cancelled}
        if len(self._asked) + len(self._begun) >= MOST_WATCHES:
            raise TooLarge(
                f"There are {MOST_WATCHES} watches, which is all a client may have; end one with `unwatch` first."
            )

    def begin(self, name: str) -> bool:
        """Begin to poll a watch, now that the client knows its id; return whether it exists."""
        if entry := self._asked.pop(name, None):
            watch, job = entry
            self._begun[name] = watch, type(job)(job.client)  # reports no progress
        return entry is not None

    def remove(self, name: str) -> None:
        """Remove a watch, and cancel its work."""
        entry = self._begun.pop(name, None) or self._asked.pop(name, None)
        if entry is None:
            raise InvalidParams.at("$.watchId", "there is no such watch")
        entry[1].cancel()

    def clear(self) -> None:
        """Remove all watches."""
        for name in list(self._begun):
            self.remove(name)
        self._asked.clear()

    def begun(self) -> dict[str, Callable[..., JsonObject | None]]:
        """Return the polls of all watches that have begun and not ended, by id; they take `at_once`."""
        return {name: partial(_poll, *entry) for name, entry in self._begun.copy().items()}


def _poll(watch: Watch, job: Job, at_once: bool = False) -> JsonObject | None:
    job.at_once = at_once
    with checkpoints(job.check):
        return watch.look(job)


# How an operation is run.


async def perform(name: str, params: object, job: Job) -> JsonObject:
    """Run an operation without blocking the event loop; a small one runs on the loop, faster than a thread would."""
    import asyncio

    story = LOADED[name] if name in LOADED else await asyncio.to_thread(operation, name)
    asked = decoded(story.params, params, job.client)
    if not is_small(params):
        job.in_thread = partial(_in_turn, job.client)
    elif name not in job.client.warm or name in ON_DISK:
        job.in_thread = asyncio.to_thread
    with checkpoints(job.check):
        if iscoroutinefunction(story.run):
            # On the loop: a cancellation during a last step in a thread would come too late for the operation.
            result: JsonObject = msgspec.to_builtins(await story.run(asked, job))
        else:
            result = await job.off_loop(lambda: msgspec.to_builtins(story.run(asked, job)))
    job.client.warm.add(name)
    return result


async def _in_turn(client: ClientState, call: Callable[[], T]) -> T:
    """Run a big step in one of the heavy threads when it is the client's turn.

    A step that is cancelled before its turn is dropped with all that it holds; one that runs keeps its thread until
    it has ended, though its result is not waited for any more.
    """
    import asyncio

    async with client.heavy:
        if client.room is not None:
            await client.room.wait()
        context, waiting = copy_context(), [call]

        def run() -> T:
            return context.run(waiting.pop())

        try:
            return await asyncio.get_running_loop().run_in_executor(_heavy_threads(), run)
        finally:
            waiting.clear()


@cache
def _heavy_threads() -> ThreadPoolExecutor:
    """Create the threads for all clients' big operations; small ones use asyncio's, and never wait behind these."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(HEAVY, "heavy")


def run_alone(name: str, params: object, job: Job) -> Any:
    """Run an operation without an event loop of others, as in a shell; return its typed result."""
    story = operation(name)
    asked = decoded(story.params, params, job.client)
    with checkpoints(job.check):
        if not iscoroutinefunction(story.run):
            return story.run(asked, job)
        import asyncio

        return asyncio.run(story.run(asked, job))


def decoded(kind: type[Struct], params: object, client: ClientState) -> Any:
    """Check and type the params; missing options come from the user's settings."""
    given = without_nulls({} if params is None else params)
    if isinstance(given, dict) and "changes" in kind.__struct_fields__ and "draftId" in given:
        options = params.get("options") if isinstance(params, dict) else None
        if isinstance(options, dict):  # null resets one, to the user's setting if there is one
            reset = [name for name, value in options.items() if value is None and name.isascii()]
            given = {**given, "options": {**given["options"], **{name: client.chosen.get(name) for name in reset}}}
    if isinstance(given, dict) and "options" in kind.__struct_fields__ and isinstance(given.get("options", {}), dict):
        given = {**given, "options": {**client.chosen, **given.get("options", {})}}
    if isinstance(given, dict) and issubclass(kind, ContinuationOptions):
        given = {**client.chosen.get("continuation", {}), **given}
    return typed(kind, given)
