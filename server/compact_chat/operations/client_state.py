"""What the server remembers for one client: settings, abilities of its host, plans, watches and caches."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.operations.job import HEAVY
from compact_chat.operations.params import ChatRef, without_nulls
from compact_chat.operations.watches import Watches
from compact_chat.wire import ContinuationOptions, HostCapabilities, Options, Settings

if TYPE_CHECKING:
    import asyncio

    from compact_chat.disk import Heads
    from compact_chat.measure import Counter, Learned
    from compact_chat.models import Host
    from compact_chat.operations.kept import MemoryArchive
    from compact_chat.redact import Redactor, SpanCache
    from compact_chat.styles import Request

MOST_SENT = 100  # requests to models that are recognized when they are sent again
MOST_PLANS = 100
ROOM_PLANS = 64 * 2**20  # bytes of requests; half a dozen chats that fill a context of a million tokens

T = TypeVar("T", bound=ContinuationOptions)


class PlanRequest(Struct, frozen=True):
    """What a plan is made of: where its chat is, which is read again since it may have changed, and its options."""

    ref: ChatRef
    options: Options


class Plans:
    """The requests of the last plans that a client was shown, as JSON in bounded room."""

    def __init__(self, room: int = ROOM_PLANS) -> None:
        self.size = 0  # bytes of all requests
        self._room = room
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()  # plans are made in many threads

    def remember(self, plan_id: str, request: PlanRequest) -> None:
        """Keep the request of a plan, and forget the oldest beyond the bounds, but never the newest."""
        values = {"ref": structs.asdict(request.ref), "options": msgspec.to_builtins(request.options)}
        try:
            # The json module, since it keeps any number, and halves of surrogate pairs.
            data = json.dumps(values, ensure_ascii=False).encode(errors="surrogatepass")
        except RecursionError:  # nested too deeply to be carried out later without the chat
            return
        with self._lock:
            self.size += len(data) - len(self._kept.pop(plan_id, b""))
            self._kept[plan_id] = data
            while len(self._kept) > MOST_PLANS or (self.size > self._room and len(self._kept) > 1):
                self.size -= len(self._kept.popitem(last=False)[1])

    def recall(self, plan_id: str) -> PlanRequest | None:
        """Return the request of a plan, unless it was forgotten."""
        if (data := self._kept.get(plan_id)) is None:
            return None
        values = json.loads(data.decode(errors="surrogatepass"))
        return PlanRequest(ChatRef(**values["ref"]), msgspec.convert(values["options"], Options))


class ClientState:
    """The state of one client."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.chosen: JsonObject = {}  # the settings that the user made, by their names on the wire
        self.capabilities: HostCapabilities | None = None
        self.host: Host | None = None  # the client, where it answers questions; a shell has none
        self.room: asyncio.Event | None = None  # set while the client reads its answers
        self.warm: set[str] = set()  # operations that ran before, so that all they load is loaded
        self.plans = Plans()
        self.watches = Watches()
        self.keyless = False  # whether the client was asked for an API key and had none
        self.priors: dict[str, Learned | None] = {}  # what earlier chats taught, by family, as it was first asked for
        self._heavy: asyncio.Semaphore | None = None
        self._sent: deque[int] = deque(maxlen=MOST_SENT)
        self._counters: dict[str, Counter] = {}
        self._heads: Heads | None = None
        self._memory: MemoryArchive | None = None
        self._making = Lock()  # of the above
        self._secrets: SpanCache | None = None

    def configure(self, section: object) -> None:
        """Take over the client's settings; a value that does not fit is ignored."""
        values = without_nulls(section)
        if isinstance(values, dict) and isinstance(values.get("archive"), bool):  # as switches in settings are written
            values = {**values, "archive": "on" if values["archive"] else "off"}
        self.chosen = {k: v for k, v in values.items() if _fits(k, v)} if isinstance(values, dict) else {}
        self.settings = msgspec.convert(self.chosen, Settings)

    def greet(self, options: object) -> None:
        """Take over what the client says of its host when it connects."""
        given = without_nulls(options)
        capabilities = given.get("capabilities") if isinstance(given, dict) else None
        try:
            self.capabilities = msgspec.convert(capabilities, HostCapabilities | None)
        except (msgspec.ValidationError, UnicodeEncodeError):
            self.capabilities = None

    def default_options(self) -> Options:
        """Return the options that the user's settings make, for requests without options."""
        return msgspec.convert(self.chosen, Options)

    def with_host(self, options: T) -> T:
        """Fill in the host's abilities unless the options have their own (rule C14)."""
        return options if options.capabilities else structs.replace(options, capabilities=self.capabilities)

    def sends(self, model: str | None, request: Request) -> bool:
        """Note that a request is sent; return whether its first part was sent before, and may be cached."""
        known = hash((model, request.system, request.material))
        before = known in self._sent
        self._sent.append(known)
        return before and bool(request.material)

    def redactor(self, enabled: bool | None = None) -> Redactor:
        """Make a redactor by the user's settings, unless options of a request enable or disable it."""
        from compact_chat.redact import Redactor

        masks = self.settings.redact if enabled is None else enabled
        return Redactor(self.settings.redact_emails, masks, self._known_secrets)

    def counter(self, encoding: str) -> Counter:
        """Return the counter of an encoding; it caches counts."""
        if encoding not in self._counters:
            from compact_chat.measure import Counter

            self._counters.setdefault(encoding, Counter(encoding))
        return self._counters[encoding]

    @property
    def heavy(self) -> asyncio.Semaphore:
        """The client's share of the heavy threads; made on first use, since a shell has no event loop."""
        if self._heavy is None:
            import asyncio

            self._heavy = asyncio.Semaphore(HEAVY)
        return self._heavy

    @property
    def heads(self) -> Heads:
        """The cache of what the beginnings and ends of chat files say."""
        if self._heads is None:
            from compact_chat.disk import Heads

            self._heads = Heads()
        return self._heads

    @property
    def memory(self) -> MemoryArchive:
        """The archive of a client without archives on disk: as long as the server lives, it can still undo."""
        with self._making:  # two heavy threads may be here at once, and a second archive would lose a compaction
            if self._memory is None:
                from compact_chat.operations.kept import MemoryArchive

                self._memory = MemoryArchive()
        return self._memory

    @property
    def _known_secrets(self) -> SpanCache:
        if self._secrets is None:
            from compact_chat.redact import SpanCache

            self._secrets = SpanCache()
        return self._secrets


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True
