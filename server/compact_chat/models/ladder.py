"""The ladder: which model is asked, what follows when it fails, and what is told of the climb (rules L4 to L10)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol, cast

from msgspec import Struct, to_builtins

from compact_chat.chat import Warning
from compact_chat.errors import NoGain, ProviderFailed
from compact_chat.models.provider import Access, Answer, Assignment, Choice, Failure, FailureKind, Tell
from compact_chat.styles import MaskedSummary
from compact_chat.wire import Attempt, Provider, TokensSpent

# Adding a provider: a module with `choices` and `write`, and a line here.
PROVIDERS = {
    "anthropic": "compact_chat.models.anthropic",
    "editor": "compact_chat.models.editor",
    "offline": "compact_chat.models.offline",
}


MOST_WAITED = 20.0  # seconds that a provider may ask us to wait before the next step
# Another model of the same provider would fail alike (rule L4).
_ENDS_PROVIDER: frozenset[FailureKind] = frozenset({"auth", "quota", "badRequest", "noModel", "noConsent", "blocked"})


class Candidate(Struct, frozen=True):
    """A summary that can be used; one with faults is used only where nothing better comes."""

    summary: MaskedSummary
    raw: str
    model: str | None
    usage: TokensSpent | None = None
    faults: tuple[Warning, ...] = ()


class Rejected(Exception):
    """A reply that is no usable summary, and why; `no_gain` where it is only too long."""

    def __init__(self, sentence: str, *, no_gain: bool = False) -> None:
        super().__init__(sentence)
        self.sentence, self.no_gain = sentence, no_gain


class Climbed(Struct, frozen=True):
    """What the climb brought, from whom, and each attempt in its order."""

    candidate: Candidate
    provider: str
    attempts: tuple[Attempt, ...]


Ask = Callable[[str, Choice], Awaitable[Candidate]]  # one request to one model, its chunks included
Say = Callable[[str], None]


class ProviderModule(Protocol):
    """What a module of the table has."""

    async def choices(self, wished: Sequence[str], access: Access) -> tuple[Choice, ...]:
        """Give the models to ask, in their order; raises Failure where none can be asked."""

    async def write(self, assignment: Assignment, access: Access, tell: Tell) -> Answer:
        """Have one request answered; raises Failure."""


class _Tried(Struct, frozen=True):
    """One try: whom it asked, if anybody could be asked, and what came of it."""

    choice: Choice | None
    seconds: float
    candidate: Candidate | None = None
    problem: Failure | Rejected | None = None


async def climb(wanted: Provider, wished: Sequence[str], access: Access, ask: Ask, say: Say) -> Climbed:
    """Ask provider after provider, or the chosen one alone, until one gives a summary."""
    attempts: list[Attempt] = []
    problem: Failure | Rejected | None = None
    for name in PROVIDERS if wanted == "auto" else (wanted,):
        tries, problem = await _tries(name, wished, access, ask, say)
        best = _best(tries)
        attempts += [_told(name, tried, best) for tried in tries]
        if best is not None and best.candidate is not None:
            return Climbed(best.candidate, name, tuple(attempts))
        attempts += _left(name, tries, problem)
    if isinstance(problem, Rejected) and problem.no_gain:
        raise NoGain(f"{problem.sentence} Nothing was changed.")
    raise ProviderFailed(
        f"{_sentence(attempts)} The chat is unchanged.", attempts=[to_builtins(one) for one in attempts]
    )


def module_of(name: str) -> ProviderModule:
    """Give a provider's module, imported when it is first asked."""
    module: Any = import_module(PROVIDERS[name])
    return cast("ProviderModule", module)


async def _tries(
    name: str, wished: Sequence[str], access: Access, ask: Ask, say: Say
) -> tuple[list[_Tried], Failure | Rejected | None]:
    """Ask a provider's models, two at most; the problem is the one that ended the tries."""
    began = time.perf_counter()
    try:
        choices = list(await module_of(name).choices(wished, access))
    except Failure as failure:
        return [_Tried(None, time.perf_counter() - began, problem=failure)], failure
    tries = [await _try(name, choices[0], ask, say)]
    if following := await _following(tries[0], choices, say):
        tries.append(await _try(name, following, ask, say))
    return tries, tries[-1].problem


async def _try(name: str, choice: Choice, ask: Ask, say: Say) -> _Tried:
    say(f"Asking {choice.model or 'the offline writer'}")
    began = time.perf_counter()
    try:
        candidate = await ask(name, choice)
    except (Failure, Rejected) as problem:
        return _Tried(choice, time.perf_counter() - began, problem=problem)
    return _Tried(choice, time.perf_counter() - began, candidate=candidate)


async def _following(tried: _Tried, choices: Sequence[Choice], say: Say) -> Choice | None:
    """Tell which model is asked next, if one is, once the provider had the time that it asked for (rule L10)."""
    if tried.candidate is not None and not tried.candidate.faults:
        return None
    if isinstance(tried.problem, Failure) and tried.problem.kind in _ENDS_PROVIDER:
        return None
    other = next((choice for choice in choices if tried.choice and choice.model != tried.choice.model), None)
    wait = tried.problem.retry_after if isinstance(tried.problem, Failure) else None
    if wait is None or wait > MOST_WAITED:
        return other
    say(f"The provider asks to wait {wait:.0f} s")
    import asyncio  # here, since a shell without a model needs none of it

    await asyncio.sleep(wait)
    return other or tried.choice


def _best(tries: Sequence[_Tried]) -> _Tried | None:
    """Give the try with the fewest faults, the first of equals."""
    usable = [tried for tried in tries if tried.candidate is not None]
    return min(usable, key=lambda tried: len(tried.candidate.faults) if tried.candidate else 0, default=None)


def _told(name: str, tried: _Tried, best: _Tried | None) -> Attempt:
    outcome: Literal["ok", "failed", "skipped", "rejected"]
    if isinstance(tried.problem, Failure):
        outcome, detail = "failed" if tried.choice else "skipped", tried.problem.sentence
    elif tried.problem is not None:
        outcome, detail = "rejected", tried.problem.sentence
    else:
        faults = " ".join(fault.message for fault in tried.candidate.faults) if tried.candidate else ""
        outcome, detail = "ok" if tried is best else "rejected", faults
    model = tried.choice.model if tried.choice else None
    return Attempt(name, model, outcome, detail or None, round(tried.seconds, 3))


def _left(name: str, tries: Sequence[_Tried], problem: Failure | Rejected | None) -> list[Attempt]:
    """Report a second try that was not made, since it would have asked the same model again (rule L6)."""
    only = tries[0].choice
    if len(tries) > 1 or not (only and only.model) or (isinstance(problem, Failure) and problem.kind in _ENDS_PROVIDER):
        return []
    return [Attempt(name, only.model, "skipped", "There is no other model of this provider to ask.", 0.0)]


def _sentence(attempts: Sequence[Attempt]) -> str:
    """Tell the causes in their order (rule L7)."""
    causes = [attempt.detail for attempt in attempts if attempt.detail and attempt.outcome != "skipped"]
    return " ".join(dict.fromkeys(causes or [attempt.detail or "" for attempt in attempts]))
