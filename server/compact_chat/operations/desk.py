"""What one client's server remembers: settings, the host's abilities, counters and the last plans."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
from msgspec import Struct, structs

from compact_chat.chat import Chat, JsonObject
from compact_chat.errors import PlanOutdated
from compact_chat.operations.params import ChatRef, without_nulls
from compact_chat.options import ContinuationOptions, HostCapabilities, Options, Settings

if TYPE_CHECKING:
    import asyncio

    from compact_chat.measure.counter import Counter

REMEMBERED_PLANS = 100
HEAVY = 2  # big operations at once: more would take the interpreter from the small ones

T = TypeVar("T", bound=ContinuationOptions)


class Remembered(Struct, frozen=True):
    """What a plan was made of: the file, which is read again since it may have changed, or the chat; its digest."""

    file: ChatRef | None
    chat: Chat | None
    digest: str
    options: Options


class Desk:
    """The state of one client."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.chosen: JsonObject = {}  # the settings that the user made, by their names on the wire
        self.capabilities: HostCapabilities | None = None
        self._heavy: asyncio.Semaphore | None = None
        self.warm = False  # modules and vocabulary are loaded: from now on a small request is small
        self._counters: dict[str, Counter] = {}
        self._plans: OrderedDict[str, Remembered] = OrderedDict()
        self._lock = threading.Lock()  # plans are made in worker threads

    @property
    def heavy(self) -> asyncio.Semaphore:
        """Give what big operations wait for; a shell, which has no event loop, never asks."""
        if self._heavy is None:
            import asyncio

            self._heavy = asyncio.Semaphore(HEAVY)
        return self._heavy

    def configure(self, section: object) -> None:
        """Take over the client's settings; a value that does not fit is left out."""
        values = without_nulls(section)
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
        except msgspec.ValidationError:
            self.capabilities = None

    def counter(self, encoding: str) -> Counter:
        """Give the counter of an encoding; it keeps what it counted."""
        if encoding not in self._counters:
            from compact_chat.measure.counter import Counter

            self._counters.setdefault(encoding, Counter(encoding))
        return self._counters[encoding]

    def remember(self, plan_id: str, plan: Remembered) -> None:
        """Keep a plan, and let the oldest go; plans of one chat share it."""
        with self._lock:
            same = (known.chat for known in self._plans.values() if known.digest == plan.digest and known.chat)
            self._plans[plan_id] = plan if plan.chat is None else structs.replace(plan, chat=next(same, plan.chat))
            self._plans.move_to_end(plan_id)
            while len(self._plans) > REMEMBERED_PLANS:
                self._plans.popitem(last=False)

    def recall(self, plan_id: str) -> Remembered:
        """Give a plan that was previewed here."""
        known = self._plans.get(plan_id)
        if known is None:
            raise outdated("forgotten")
        return known

    def knows(self, plan_id: str) -> bool:
        """Say whether a plan is remembered."""
        return plan_id in self._plans

    def with_host(self, options: T) -> T:
        """Fill in what the client told of its host's abilities when it connected (rule C14)."""
        return options if options.capabilities else structs.replace(options, capabilities=self.capabilities)


def outdated(reason: Literal["chatChanged", "forgotten"]) -> PlanOutdated:
    """Say why a plan cannot be carried out."""
    sentences = {
        "chatChanged": "The chat has changed since this plan was made; preview it again.",
        "forgotten": "This plan is not known here; preview the chat again, or repeat the options it was made with.",
    }
    return PlanOutdated(sentences[reason], reason=reason)


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except msgspec.ValidationError:
        return False
    return True
