"""What one client's server remembers: settings, the host's abilities, counters and the last plans."""

from __future__ import annotations

import gc
import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import count
from sys import getsizeof
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, structs

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams, TooLarge
from compact_chat.operations.params import ChatRef, without_nulls
from compact_chat.operations.work import Work
from compact_chat.wire import ContinuationOptions, HostCapabilities, Options, Settings

if TYPE_CHECKING:
    import asyncio

    from compact_chat.disk import Heads, Record
    from compact_chat.measure import Counter, Learned
    from compact_chat.models import Host
    from compact_chat.redact import SpanCache
    from compact_chat.styles import Request

# The last compactions of a server whose archives are off: as long as it lives, they can still be undone.


MOST_UNDO = 16
ROOM_UNDO = 64 * 2**20  # bytes of originals; one that is larger is remembered all the same, but alone


class RememberedUndo(Struct, frozen=True):
    """A compaction, and the bytes of its originals by their hashes."""

    record: Record
    originals: Mapping[str, bytes]

    @property
    def size(self) -> int:
        """How many bytes the originals are."""
        return sum(map(len, self.originals.values()))


class Undo:
    """What one client's server remembers, newest last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, RememberedUndo] = OrderedDict()
        self._lock = Lock()

    def keep(self, one: RememberedUndo) -> None:
        """Remember a compaction, and let the oldest go."""
        with self._lock:
            self._kept[one.record.head.id] = one
            while len(self._kept) > MOST_UNDO or (len(self._kept) > 1 and self._size() > ROOM_UNDO):
                self._kept.popitem(last=False)

    def find(self, compaction_id: str) -> RememberedUndo | None:
        """Give a compaction, if it is not forgotten."""
        return self._kept.get(compaction_id)

    def forget(self, compaction_id: str) -> None:
        """Take a compaction back."""
        with self._lock:
            self._kept.pop(compaction_id, None)

    def all(self) -> list[RememberedUndo]:
        """Give all that is remembered."""
        with self._lock:
            return list(self._kept.values())

    def _size(self) -> int:
        return sum(one.size for one in self._kept.values())


# The plans that a client was shown, with what they were made of, in bounded room.


MOST_PLANS = 100
# Bytes of chats that came in requests: half a dozen that fill a context of a million tokens, each once for all of its
# versions. One that is larger is remembered all the same, but alone.
ROOM_PLANS = 64 * 2**20
OF_A_PIECE = 300  # bytes that it takes to know a piece again

Key = bytes | int
_encoder = msgspec.json.Encoder()


class RememberedPlans(Struct, frozen=True):
    """What a plan was made of: where its chat is, which is read again since it may have changed, and its options."""

    ref: ChatRef
    options: Options


class Piece(Struct):
    """A part of a plan, kept once for all plans that hold the same, and its size in bytes."""

    key: Key
    thing: Any
    size: int
    uses: int = 0


class Plans:
    """The last plans of one client; those of a chat that grows share the messages that they have in common."""

    def __init__(self, room: int = ROOM_PLANS) -> None:
        self.size = 0  # bytes of all that is remembered
        self._room = room
        self._plans: OrderedDict[str, tuple[Piece, ...]] = OrderedDict()
        self._pieces: dict[Key, Piece] = {}
        self._lock = Lock()  # plans are made in many threads; what takes long is done outside it

    def remember(self, plan_id: str, plan: RememberedPlans) -> None:
        """Keep a plan, all of it or nothing, and let the oldest go."""
        pieces = tuple(map(self._piece, _things(plan)))
        with self._lock:
            self._forget(plan_id)
            self._plans[plan_id] = tuple(map(self._held, pieces))
            self.size += getsizeof(pieces)
            while len(self._plans) > MOST_PLANS or (self.size > self._room and len(self._plans) > 1):
                self._forget(next(iter(self._plans)))

    def recall(self, plan_id: str) -> RememberedPlans | None:
        """Give a plan that was shown here, if it is not forgotten."""
        if (known := self._plans.get(plan_id)) is None:
            return None
        options, bare, *messages = (piece.thing for piece in known)
        return RememberedPlans(bare if bare.messages is None else structs.replace(bare, messages=messages), options)

    def _piece(self, thing: Any) -> Piece:
        key = _key(thing)
        return self._pieces.get(key) or Piece(key, thing, OF_A_PIECE + _size(thing))

    def _held(self, piece: Piece) -> Piece:
        piece = self._pieces.setdefault(piece.key, piece)
        self.size += 0 if piece.uses else piece.size
        piece.uses += 1
        return piece

    def _forget(self, plan_id: str) -> None:
        pieces = self._plans.pop(plan_id, ())
        self.size -= getsizeof(pieces) if pieces else 0
        for piece in pieces:
            piece.uses -= 1
            if not piece.uses:
                del self._pieces[piece.key]
                self.size -= piece.size


def _things(plan: RememberedPlans) -> Iterator[Any]:
    """Take a plan apart: its options, its chat but for the messages, and each message."""
    yield plan.options
    yield plan.ref if plan.ref.messages is None else structs.replace(plan.ref, messages=[])
    yield from plan.ref.messages or ()


def _key(thing: Any) -> Key:
    """Give what only things of the same content share."""
    try:
        return hashlib.blake2b(_encoder.encode([type(thing).__name__, thing]), digest_size=16).digest()
    except (UnicodeEncodeError, RecursionError):  # lone surrogates, or nested too deeply: not worth sharing
        return id(thing)


def _size(thing: Any) -> int:
    """Give the bytes of memory that a thing and all that it holds take."""
    seen: dict[int, object] = {}
    layer: list[object] = [thing]
    while layer:
        fresh = {id(one): one for one in layer if id(one) not in seen}
        seen |= fresh
        layer = [one for one in gc.get_referents(*fresh.values()) if not isinstance(one, type)]
    return sum(getsizeof(one) for one in seen.values())


# What takes long is done aside, so that one large chat does not hold up the looks at the others.


T_ASIDE = TypeVar("T_ASIDE")


class TakesLong(Exception):
    """What was to be done at once takes long."""


class Aside:
    """Does one thing at a time, on a thread that is there only meanwhile."""

    def __init__(self) -> None:
        self.ended: Callable[[], None] | None = None  # called behind each job, on the thread that did it
        self._thread: Thread | None = None

    def begin(self, story: Callable[[], T_ASIDE]) -> Future[T_ASIDE] | None:
        """Begin with something; None while something else is under way."""
        if self._thread is not None and self._thread.is_alive():
            return None
        job: Future[T_ASIDE] = Future()
        self._thread = Thread(target=self._do, args=(story, job), name="watch-aside", daemon=True)
        self._thread.start()
        return job

    def _do(self, story: Callable[[], T_ASIDE], job: Future[T_ASIDE]) -> None:
        try:
            job.set_result(story())
        except BaseException as problem:  # noqa: BLE001 -- whoever asks for the result gets it
            job.set_exception(problem)
        if self.ended:
            self.ended()


class Turns(Generic[T_ASIDE]):
    """What is done again and again: at once while that is quick, else aside; who waited longest is next."""

    def __init__(self, story: Callable[[bool], T_ASIDE | None], aside: Aside) -> None:
        self._story, self._aside = story, aside
        self._job: Future[T_ASIDE | None] | None = None
        self.had = 0  # the number of the last turn that was taken aside

    def take(self, number: int) -> T_ASIDE | None:
        """Give what came of it, now or since the turn before."""
        if self._job is None:
            return self._at_once(number)
        if not self._job.done():
            return None
        job, self._job = self._job, None
        return job.result()

    def _at_once(self, number: int) -> T_ASIDE | None:
        try:
            return self._story(True)
        except TakesLong:
            self._job = self._aside.begin(lambda: self._story(False))
            self.had = number if self._job else self.had
            return None


# The chats that one client watches.


MOST_WATCHES = 64

Look: TypeAlias = Callable[[], JsonObject | None]


class Watch(Protocol):
    """A chat that is looked at now and then."""

    def look(self, work: Work, at_once: bool = False) -> JsonObject | None:
        """Give what there is to tell, where there is something; `at_once` raises TakesLong where that takes long."""


class _Entry(NamedTuple):
    watch: Watch
    work: Work
    turns: Turns[JsonObject]


class Watches:
    """Watches by their ids; each begins once the client has been told of it, and one whose request failed never does.

    What is asked for is added and removed by any thread; one thread looks.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[str, _Entry] = {}
        self._begun: dict[str, _Entry] = {}
        self._aside = Aside()
        self._looks = count(1)

    def add(self, watch: Watch, work: Work) -> str:
        """Keep a watch that a request asks for, and give its id."""
        self.check_room()
        name = f"watch-{next(self._numbers)}"
        self._asked[name] = self._entry(watch, work)
        return name

    def check_room(self) -> None:
        """Refuse one more than a client may have."""
        self._asked = {name: one for name, one in self._asked.items() if not one.work.is_cancelled}
        if len(self._asked) + len(self._begun) >= MOST_WATCHES:
            raise TooLarge(
                f"There are {MOST_WATCHES} watches, which is all a client may have; end one with `unwatch` first."
            )

    def begin(self, name: str) -> bool:
        """Begin with a watch, since the client knows its id; say whether there is one."""
        if entry := self._asked.pop(name, None):
            self._begun[name] = self._entry(entry.watch, Work())
        return entry is not None

    def remove(self, name: str) -> None:
        """End a watch, and what is done for it."""
        entry = self._begun.pop(name, None) or self._asked.pop(name, None)
        if entry is None:
            raise InvalidParams.at("$.watchId", "there is no such watch")
        entry.work.cancel()

    def clear(self) -> None:
        """End all."""
        for name in list(self._begun):
            self.remove(name)
        self._asked.clear()

    def has(self, name: str) -> bool:
        """Say whether a watch has begun and not ended."""
        return name in self._begun

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look at."""
        return not self._begun

    def when_ready(self, call: Callable[[], None]) -> None:
        """Have something called, from any thread, whenever the next look has something to tell already."""
        self._aside.ended = call

    def begun(self) -> list[tuple[str, Look]]:
        """Give each watch with what looks at its chat; first those that had no turn aside for the longest time."""
        entries = sorted(self._begun.copy().items(), key=lambda one: one[1].turns.had)
        number = next(self._looks)
        return [(name, partial(entry.turns.take, number)) for name, entry in entries]

    def _entry(self, watch: Watch, work: Work) -> _Entry:
        def look(at_once: bool) -> JsonObject | None:
            with checkpoints(work.check):
                return watch.look(work, at_once)

        return _Entry(watch, work, Turns(look, self._aside))


# What one client's server remembers: settings, the host's abilities, counters and the last plans.


MOST_SENT = 100  # requests of which we know whether they are sent again
HEAVY = 2  # big operations at once: more would take the interpreter from the small ones

T_DESK = TypeVar("T_DESK", bound=ContinuationOptions)


class Desk:
    """The state of one client."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.chosen: JsonObject = {}  # the settings that the user made, by their names on the wire
        self.capabilities: HostCapabilities | None = None
        self.host: Host | None = None  # the client, where it answers questions; a shell has none
        self._heavy: asyncio.Semaphore | None = None
        self.room: asyncio.Event | None = None  # set while the client takes its answers
        self.warm: set[str] = set()  # operations that ran once, with all that they load: small ones are small now
        self.plans = Plans()
        self.undo = Undo()
        self.watches = Watches()
        self.keyless = False  # whether the client was asked for a key and had none
        self._sent: deque[int] = deque(maxlen=MOST_SENT)
        self.priors: dict[str, Learned | None] = {}  # what earlier chats taught, by families, as it was first asked for
        self._counters: dict[str, Counter] = {}
        self._heads: Heads | None = None
        self._secrets: SpanCache | None = None

    @property
    def heavy(self) -> asyncio.Semaphore:
        """Give the client's places among the big operations; a shell, which has no event loop, never asks."""
        if self._heavy is None:
            import asyncio

            self._heavy = asyncio.Semaphore(HEAVY)
        return self._heavy

    def configure(self, section: object) -> None:
        """Take over the client's settings; a value that does not fit is left out."""
        values = without_nulls(section)
        if isinstance(values, dict) and isinstance(values.get("archive"), bool):  # as switches in settings are written
            values = {**values, "archive": "on" if values["archive"] else "off"}
        self.chosen = {k: v for k, v in values.items() if _fits(k, v)} if isinstance(values, dict) else {}
        self.settings = msgspec.convert(self.chosen, Settings)

    def usual(self) -> Options:
        """Give the options as the user's settings have them, where a request tells none."""
        return msgspec.convert(self.chosen, Options)

    def greet(self, options: object) -> None:
        """Take over what the client told of itself when it connected."""
        given = without_nulls(options)
        capabilities = given.get("capabilities") if isinstance(given, dict) else None
        try:
            self.capabilities = msgspec.convert(capabilities, HostCapabilities | None)
        except (msgspec.ValidationError, UnicodeEncodeError):
            self.capabilities = None

    def sends(self, model: str | None, request: Request) -> bool:
        """Remember that a request is sent; say whether the model got its first part before, and may have kept it."""
        known = hash((model, request.system, request.material))
        before = known in self._sent
        self._sent.append(known)
        return before and bool(request.material)

    def counter(self, encoding: str) -> Counter:
        """Give the counter of an encoding; it keeps what it counted."""
        if encoding not in self._counters:
            from compact_chat.measure import Counter

            self._counters.setdefault(encoding, Counter(encoding))
        return self._counters[encoding]

    @property
    def heads(self) -> Heads:
        """Give what the files of chats told of them so far."""
        if self._heads is None:
            from compact_chat.disk import Heads

            self._heads = Heads()
        return self._heads

    @property
    def secrets(self) -> SpanCache:
        """Give what remembers where the secrets of a text stand."""
        if self._secrets is None:
            from compact_chat.redact import SpanCache

            self._secrets = SpanCache()
        return self._secrets

    def with_host(self, options: T_DESK) -> T_DESK:
        """Fill in what the client told of its host's abilities when it connected (rule C14)."""
        return options if options.capabilities else structs.replace(options, capabilities=self.capabilities)


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True
