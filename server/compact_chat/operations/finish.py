"""Carry a plan out: splice the summary in, check that something is won, tell what survived and how to go on."""

from __future__ import annotations

import secrets as randomness
from typing import Literal

from msgspec import UNSET, Struct

from compact_chat.chat import JsonObject, texts
from compact_chat.errors import NoGain
from compact_chat.facts.ledger import collect
from compact_chat.facts.survival import survival
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.outcome import Outcome, opening_of, outcome
from compact_chat.operations.remarks import is_over_budget, remarks
from compact_chat.operations.requests import one_request, room_for_kept
from compact_chat.operations.writing import Written
from compact_chat.options import ContinuationOptions
from compact_chat.prompt.compose import skipped
from compact_chat.reply.styles import parse_sections
from compact_chat.results import Compaction, Counts, Survival
from compact_chat.resume.continuation import continuation
from compact_chat.resume.kinds import kind_text
from compact_chat.resume.shapes import as_anthropic, as_openai_chat, as_openai_responses

_ANTHROPIC = ("anthropic", "claude-code")  # formats whose messages are those of that API


class Wanted(Struct, frozen=True):
    """What the caller wants beside the compaction."""

    include: frozenset[str]
    messages_as: Literal["anthropic", "openai-chat"] | None


def finish(made: Draft, written: Written, wanted: Wanted, desk: Desk) -> Compaction:
    """Give the finished compaction, unless nothing would be won."""
    made.work.step("Putting the summary in place")
    result = outcome(made, written.summary, desk)
    if result.tokens >= made.most:
        raise NoGain("The result would not be smaller than the chat; nothing was changed.")
    survived = _survival(made, written, result)
    return Compaction(
        compaction_id=randomness.token_hex(16),
        plan_id=made.id,
        provider=written.provider,
        model=written.model,
        style=made.options.style,
        summary=written.summary,
        sections=parse_sections(written.summary, made.options.style) if written.summary else None,
        continuation=made.clean(_continuation(made, written, opening_of(made, desk))),
        before=made.measured.meter.used,
        after=result.tokens,
        counts=_counts(made, result),
        survival=survived,
        warnings=(*made.chat.warnings, *written.warnings, *remarks(made, written, result, survived)),
        attempts=written.attempts,
        usage=written.usage,
        archive=None,
        messages=_messages(made, result, wanted) if "messages" in wanted.include else UNSET,
        prompt=_prompt(made, desk) if "prompt" in wanted.include else UNSET,
        raw=made.clean(written.raw) if "raw" in wanted.include else UNSET,
    )


def next_chat(made: Draft, written: Written, desk: Desk) -> list[JsonObject]:
    """Give the resulting chat in one shape for all, to be kept beside the original."""
    return as_anthropic(outcome(made, written.summary, desk).messages, use_raw=False, foreign=True)


def _continuation(made: Draft, written: Written, opening: ContinuationOptions) -> str:
    """Write the message of the next chat; where rules cut the chat, there is no more to say than the kind's text."""
    plan = made.plan
    if plan.action != "compact":
        return kind_text(opening, kept=True) if opening.kind else ""
    kept = made.without_secrets((*plan.head, *plan.tail))
    room = room_for_kept(made, written.summary)
    return continuation(written.summary, kept, opening, direction=plan.direction, room=room)


def _counts(made: Draft, result: Outcome) -> Counts:
    plan, used = made.plan, made.measured.meter.used
    return Counts(
        before=len(plan.fates),
        after=len(result.messages) if plan.action == "compact" else len(plan.fates) - plan.dropped,
        summarized=len(plan.summarized),
        pruned=plan.pruned,
        dropped=plan.dropped,
        chars_pruned=plan.chars_removed,
        tokens_saved=used - result.tokens,
        skipped=skipped(plan.summarized),
        fixed=made.measured.meter.fixed,
        over_budget=is_over_budget(made, result),
    )


def _survival(made: Draft, written: Written, result: Outcome) -> Survival:
    """Look for what the chat holds in the summary and in the messages that stay."""
    stay = "\n".join(text for message in result.messages for text in texts(message))
    facts = collect(made.masked, made.work.check)
    return survival(facts, f"{written.summary}\n{made.clean(stay)}", made.clean)


def _messages(made: Draft, result: Outcome, wanted: Wanted) -> list[JsonObject]:
    """Give the resulting chat in the caller's own shape, or the one asked for."""
    messages, own = result.to_send, made.chat.format
    shape = wanted.messages_as or own
    if shape == "openai-responses":
        return as_openai_responses(messages, use_raw=True)
    if shape == "openai-chat":
        return as_openai_chat(messages, use_raw=own == shape, foreign=own != shape)
    return as_anthropic(messages, use_raw=own in _ANTHROPIC, foreign=own not in _ANTHROPIC)


def _prompt(made: Draft, desk: Desk) -> JsonObject:
    """Give what a model would have been sent; rules alone need none."""
    if made.plan.action != "compact":
        return {"system": None, "messages": []}
    request = one_request(made, desk)
    return {"system": request.system or None, "messages": [{"role": "user", "content": request.message}]}
