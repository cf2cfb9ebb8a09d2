"""What one client's server remembers: settings, the host's abilities, counters and the last plans."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import structs

from compact_chat.chat import JsonObject
from compact_chat.operations.params import without_nulls
from compact_chat.operations.plans import Plans
from compact_chat.operations.undo import Undo
from compact_chat.operations.watches import Watches
from compact_chat.options import ContinuationOptions, HostCapabilities, Options, Settings

if TYPE_CHECKING:
    import asyncio

    from compact_chat.disk.heads import Heads
    from compact_chat.measure.calibration import Learned
    from compact_chat.measure.counter import Counter
    from compact_chat.prompt.request import Request
    from compact_chat.providers.host import Host
    from compact_chat.redact.known import Known

MOST_SENT = 100  # requests of which we know whether they are sent again
HEAVY = 2  # big operations at once: more would take the interpreter from the small ones

T = TypeVar("T", bound=ContinuationOptions)


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
        self._secrets: Known | None = None

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
            from compact_chat.measure.counter import Counter

            self._counters.setdefault(encoding, Counter(encoding))
        return self._counters[encoding]

    @property
    def heads(self) -> Heads:
        """Give what the files of chats told of them so far."""
        if self._heads is None:
            from compact_chat.disk.heads import Heads

            self._heads = Heads()
        return self._heads

    @property
    def secrets(self) -> Known:
        """Give what remembers where the secrets of a text stand."""
        if self._secrets is None:
            from compact_chat.redact.known import Known

            self._secrets = Known()
        return self._secrets

    def with_host(self, options: T) -> T:
        """Fill in what the client told of its host's abilities when it connected (rule C14)."""
        return options if options.capabilities else structs.replace(options, capabilities=self.capabilities)


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True
