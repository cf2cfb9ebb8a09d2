"""The ladder: what providers have to offer, which is called, what follows a failure, what is reported (L4 to L10)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol, cast

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Warning
from compact_chat.errors import NoGain, ProviderFailed
from compact_chat.styles import MaskedRequest, MaskedSummary
from compact_chat.wire import Attempt, Provider, TokensSpent

# In the order in which `auto` tries them; each but the offline writer has a module with `choices` and `write`.
PROVIDERS = ("anthropic", "editor", "offline")

MOST_TRIES = 2  # models of one provider that are called (rule L6)
OF_EDITOR = "editor:"  # begins the name of a requested model that is the editor's
MOST_WAITED = 20.0  # seconds that a provider may have us wait before the next step
# Another model of the same provider would fail too (rule L4).
_ENDS_PROVIDER: frozenset[FailureKind] = frozenset(
    {"auth", "proxy", "quota", "badRequest", "noModel", "noConsent", "blocked"}
)


# The interface of every provider: an assignment in, an answer or a failure of a known kind out.


class Host(Protocol):
    """What a client declared when it connected, and how to send it a request."""

    language_models: bool
    secrets: bool

    async def ask(self, method: str, params: JsonObject, tell: Callable[[str], None] | None = None) -> Any:
        """Return the client's result; partial text goes to `tell`. A cancellation reaches the client."""


FailureKind = Literal[
    "auth",
    "proxy",
    "quota",
    "rateLimit",
    "overloaded",
    "server",
    "network",
    "timeout",
    "protocol",
    "tooLong",
    "badRequest",
    "modelNotFound",
    "truncated",
    "refusal",
    "empty",
    "noModel",
    "noConsent",
    "blocked",
]
Tell = Callable[[str], None]


class Failure(Exception):
    """Why there is no answer, in a sentence without a key or a word of the chat."""

    def __init__(self, kind: FailureKind, sentence: str, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.kind, self.sentence, self.retry_after = kind, sentence, retry_after


class Access(Struct, frozen=True):
    """What a provider may use: the client, if there is one, and the timeouts."""

    host: Host | None
    idle_timeout: float
    total_timeout: float
    user_initiated: bool


class Choice(Struct, frozen=True):
    """A model that can be called; `window` is its input limit, if its provider reports it."""

    model: str | None
    window: int | None = None


OFFLINE = (Choice(None),)  # the writer that needs no model, and so no module here


def positive(value: Any) -> int | None:
    """Return a number of tokens that a provider reported; None if it is none."""
    return value if type(value) is int and value > 0 else None


class Assignment(Struct, frozen=True):
    """One request to one model."""

    model: str | None
    max_output_tokens: int
    request: MaskedRequest
    cache: bool = False  # whether the first part of the request is likely to be sent again


class Answer(Struct, frozen=True):
    """The text of a reply as it came, and why it ended; None if unknown."""

    text: str
    model: str | None
    stop_reason: str | None = None
    usage: TokensSpent | None = None


# The climb: one provider after the other, until one returns a usable summary.


class Candidate(Struct, frozen=True):
    """A usable summary; one with faults is used only if nothing better comes."""

    summary: MaskedSummary
    raw: str
    model: str | None
    usage: TokensSpent | None = None
    faults: tuple[Warning, ...] = ()


class Rejected(Exception):
    """A reply that is no usable summary, and why; `no_gain` if it is only too long, its text if it only lacks form."""

    def __init__(self, sentence: str, *, no_gain: bool = False, text: str = "") -> None:
        super().__init__(sentence)
        self.sentence, self.no_gain, self.text = sentence, no_gain, text
        self.mended: Candidate | None = None  # for a caller who gets nothing else


class Climbed(Struct, frozen=True):
    """The summary, the provider that wrote it, and each attempt in order."""

    candidate: Candidate
    provider: str
    attempts: tuple[Attempt, ...]


Ask = Callable[[str, Choice], Awaitable[Candidate]]  # one request to one model, its chunks included


class ProviderModule(Protocol):
    """The interface of a provider's module."""

    async def choices(self, requested: Sequence[str], access: Access) -> tuple[Choice, ...]:
        """Return the models to call, in order; raise Failure if none is available."""

    async def write(self, assignment: Assignment, access: Access, tell: Tell) -> Answer:
        """Have one request answered; raise Failure."""


class _Tried(Struct, frozen=True):
    """One try: the model called, if any, and its outcome."""

    choice: Choice | None
    seconds: float
    candidate: Candidate | None = None
    problem: Failure | Rejected | None = None


async def climb(wanted: Provider, requested: Sequence[str], access: Access, ask: Ask, say: Tell) -> Climbed:
    """Try one provider after the other, or only the chosen one, until one returns a summary."""
    attempts: list[Attempt] = []
    mended: list[tuple[Candidate, str, int]] = []  # with its provider and attempt
    problem: Failure | Rejected | None = None
    for name in PROVIDERS if wanted == "auto" else (wanted,):
        tries = await _tries(name, requested, access, ask, say)
        # The one with the fewest faults, the first of equals.
        candidates = [tried.candidate for tried in tries if tried.candidate is not None]
        best = min(candidates, key=lambda candidate: len(candidate.faults), default=None)
        for tried in tries:
            if isinstance(tried.problem, Rejected) and tried.problem.mended:
                mended.append((tried.problem.mended, name, len(attempts)))
            attempts.append(_attempt(name, tried, best))
        if best is not None:
            return Climbed(best, name, tuple(attempts))
        choice, problem = tries[-1].choice, tries[-1].problem
        if len(tries) < MOST_TRIES and choice and choice.model and not _ends_provider(problem):  # rule L6
            again = "There is no other model of this provider to ask."
            attempts.append(Attempt(name, choice.model, "skipped", again, 0.0, "noModel"))
    if mended:
        candidate, name, place = min(mended, key=lambda one: len(one[0].faults))
        attempts[place] = replace(attempts[place], outcome="ok", kind=None)
        return Climbed(candidate, name, tuple(attempts))
    if isinstance(problem, Rejected) and problem.no_gain:
        raise NoGain(f"{problem.sentence} Nothing was changed.")
    # The causes in order (rule L7).
    causes = [one.detail for one in attempts if one.detail and one.outcome != "skipped"]
    sentence = " ".join(dict.fromkeys(causes or [one.detail or "" for one in attempts]))
    raise ProviderFailed(f"{sentence} The chat is unchanged.", attempts=[to_builtins(one) for one in attempts])


def module_of(name: str) -> ProviderModule:
    """Return a provider's module, imported on first use."""
    module: Any = import_module(f"compact_chat.models.{name}")
    return cast("ProviderModule", module)


async def _tries(name: str, requested: Sequence[str], access: Access, ask: Ask, say: Tell) -> list[_Tried]:
    """Try up to two of a provider's models."""
    began = time.perf_counter()
    try:
        choices = OFFLINE if name == "offline" else await module_of(name).choices(requested, access)
    except Failure as failure:
        return [_Tried(None, time.perf_counter() - began, problem=failure)]
    tries: list[_Tried] = []
    choice: Choice | None = choices[0]
    while choice is not None:
        say(f"Asking {choice.model or 'the offline writer'}")
        began, candidate, problem = time.perf_counter(), None, None
        try:
            candidate = await ask(name, choice)
        except (Failure, Rejected) as failed:
            problem = failed
        tries.append(_Tried(choice, time.perf_counter() - began, candidate, problem))
        choice = await _following(tries[0], choices, say) if len(tries) < MOST_TRIES else None
    return tries


async def _following(tried: _Tried, choices: Sequence[Choice], say: Tell) -> Choice | None:
    """Return the model to try next, if any, after the delay that the provider asked for (rule L10)."""
    if (tried.candidate is not None and not tried.candidate.faults) or _ends_provider(tried.problem):
        return None
    other = next((choice for choice in choices if tried.choice and choice.model != tried.choice.model), None)
    wait = tried.problem.retry_after if isinstance(tried.problem, Failure) else None
    if wait is None or wait > MOST_WAITED:
        return other
    say(f"The provider asks to wait {wait:.0f} s")
    import asyncio  # here, since the shell needs it only with a model

    await asyncio.sleep(wait)
    return other or tried.choice


def _ends_provider(problem: Failure | Rejected | None) -> bool:
    return isinstance(problem, Failure) and problem.kind in _ENDS_PROVIDER


def _attempt(name: str, tried: _Tried, best: Candidate | None) -> Attempt:
    outcome: Literal["ok", "failed", "skipped", "rejected"] = "rejected"
    kind: str | None = "rejected"
    match tried.problem:
        case Failure() as failure:
            outcome, kind, detail = "failed" if tried.choice else "skipped", failure.kind, failure.sentence
        case Rejected() as rejected:
            kind, detail = "noGain" if rejected.no_gain else kind, rejected.sentence
        case None:
            outcome, kind = ("ok", None) if tried.candidate is best else (outcome, kind)
            detail = " ".join(fault.message for fault in tried.candidate.faults) if tried.candidate else ""
    model = tried.choice.model if tried.choice else None
    return Attempt(name, model, outcome, detail or None, round(tried.seconds, 3), kind)
