"""Get the summary of a plan written: by a provider, or from the reply of a host's own model or a person."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from compact_chat.chat import Warning
from compact_chat.operations.asking import ask_model
from compact_chat.operations.checking import checked, from_offline, from_outside
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.offline import offline_request
from compact_chat.options import Provider
from compact_chat.providers.ladder import Candidate, climb, module_of
from compact_chat.providers.provider import Access, Assignment, Choice
from compact_chat.results import Attempt, TokensSpent


class Written(Struct, frozen=True):
    """A summary, and who wrote it."""

    summary: str
    raw: str
    provider: str
    model: str | None = None
    usage: TokensSpent | None = None
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[Warning, ...] = ()


def nothing_written() -> Written:
    """Give what strategies without a summary write."""
    return Written("", "", "none")


def from_reply(text: str, made: Draft) -> Written:
    """Take the text of a host's own model, or of a person, through the same checks; faults are told."""
    found = from_outside(text, made)
    return Written(found.reply.summary, text, "host", warnings=(*found.reply.warnings, *found.faults))


async def write(made: Draft, provider: Provider, user_initiated: bool, desk: Desk) -> Written:
    """Have the summary written by the chosen provider, or by the first that can."""
    work, settings = made.work, desk.settings
    access = Access(desk.host, settings.idle_timeout, settings.total_timeout, user_initiated, work.off)
    wished = (made.options.summary_model, *made.options.fallback_models)
    climbed = await climb(provider, wished, access, partial(_candidate, made, access, desk), work.step)
    desk.keyless = any(one.provider == "anthropic" and one.outcome == "skipped" for one in climbed.attempts)
    found = climbed.candidate
    warnings = (*found.reply.warnings, *found.faults)
    return Written(
        found.reply.summary, found.raw, climbed.provider, found.model, found.usage, climbed.attempts, warnings
    )


async def _candidate(made: Draft, access: Access, desk: Desk, provider: str, choice: Choice) -> Candidate:
    """Ask one model, and look at what it says."""
    if provider == "offline":
        given = await made.work.off(partial(offline_request, made, desk))
        answer = await module_of(provider).write(Assignment(None, 0, offline=given), access, made.work.tell)
        return await made.work.off(partial(from_offline, answer, made, desk))
    answer = await ask_model(made, access, desk, provider, choice)
    return await made.work.off(partial(checked, answer, made, desk))
