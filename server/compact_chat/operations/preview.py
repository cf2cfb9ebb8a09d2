"""What `summarize` would do: the fate of each message, tokens before and after, secrets, files, the model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, get_args

from msgspec import Meta, Struct, structs

from compact_chat import wire
from compact_chat.chat import (
    Document,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Warning,
    result_text,
    words,
)
from compact_chat.measure import family_of, kind_of
from compact_chat.models import Choice
from compact_chat.operations.compaction import MARGIN, PROMPT_TOKENS, Planned, planned
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.prompt import PROMPT_LIMITS, Limits, changes_files
from compact_chat.redact import MaskedMessage
from compact_chat.styles import Summary

EXCERPT, LOOKED_AT = 160, 1000  # characters of an excerpt, and of the text that it is made from
# How Claude Code writes a command that a person ran (docs/formats.md#claude-code-text-in-the-users-name).
_COMMAND = re.compile(
    r"\s*(?:<command-message>[^<]{0,500}</command-message>\s*)?<command-name>/?([^<]{1,200})</command-name>"
)


class Params(Struct, frozen=True, rename="camel"):
    """A chat, how to compact it, and which provider writes."""

    chat: ChatRef
    options: wire.Options = wire.Options()
    provider: Annotated[wire.Provider | None, Meta(description="The provider whose request is estimated.")] = None
    lengths: (
        Annotated[
            tuple[wire.Count, ...],
            Meta(max_length=12, description="Budgets in tokens, to show what summaries of them keep; none: the named."),
        ]
        | None
    ) = None


def preview(asked: Params, job: Job) -> wire.Preview:
    """Show what would happen, without a model and without the network."""
    made = planned(asked.chat, asked.options, job)
    lengths: Iterable[wire.LengthShown] = ()
    if asked.lengths is not None and made.plan.action == "compact":  # without numbers those of the stops of a slider
        lengths = (length_shown(made, budget) for budget in asked.lengths) if asked.lengths else stops_shown(made)
    return shown(made, asked.provider, tuple(lengths))


def shown(made: Planned, provider: wire.Provider | None, lengths: tuple[wire.LengthShown, ...] = ()) -> wire.Preview:
    """Show a plan, and store it."""
    preview = preview_of(made, provider, lengths)
    made.client.plans.remember(made.id, made.request)
    return preview


def preview_of(
    made: Planned, provider: wire.Provider | None, lengths: tuple[wire.LengthShown, ...] = ()
) -> wire.Preview:
    """Describe a plan."""
    after, low, high, sizes, warnings = _forecast(made)
    tally = made.clean.tally
    return wire.Preview(
        plan_id=made.id,
        action=made.plan.action,
        advice=made.measured.advice,
        reason=made.plan.reason,
        split=made.plan.split,
        messages=tuple(
            wire.MessageFate(
                id=message.id,
                index=fate.index,
                role=message.role,
                kind=kind_of(message),
                fate=fate.fate,
                reason=fate.reason,
                tokens=tokens,
                tokens_after=0 if fate.becomes is None else made.measured.size(fate.becomes),
                excerpt=excerpt(message),
            )
            for fate, message, tokens in zip(made.plan.fates, made.masked, made.measured.meter.tokens, strict=True)
        ),
        before=made.measured.meter.used,
        after=after,
        after_low=low,
        after_high=high,
        next_chat=sizes,
        request=expected_request(made, provider or made.client.settings.provider),
        instructions=made.instructions,
        files=made.files,
        redactions=wire.Redactions(sum(tally.values()), dict(sorted(tally.items())), made.repeats),
        lengths=lengths if made.plan.action == "compact" else None,
        warnings=(*made.chat.warnings, *warnings),
    )


def stops_shown(made: Planned) -> Iterator[wire.LengthShown]:
    """Show what the stops of a slider keep, the named lengths with their names."""
    brief, usual, full = get_args(wire.Length)
    names = {made.shortest_budget: brief, made.longest_budget: full} | {made.usual_budget: usual}
    yield from (structs.replace(length_shown(made, budget), name=names.get(budget)) for budget in made.stops)


def length_shown(made: Planned, budget: int) -> wire.LengthShown:
    """Show what an offline summary of some length keeps."""
    made.job.check()
    found, facts = made.written_offline(budget), made.record.in_force
    if found is None:
        return wire.LengthShown(budget, 0, 0, len(facts), tuple(fact.id for fact in facts))
    summary = made.completed(made.presentable(found), by_model=False)
    chat = made.next_chat(summary)
    missing = made.record.missing_in(chat.continuation, made.clean)
    return wire.LengthShown(
        budget,
        made.tokens_of(summary.text),
        len(facts) - len(missing),
        len(facts),
        tuple(fact.id for fact in missing),
        message=chat.opened.tokens - chat.opened.fixed if chat.opened else 0,
    )


def _forecast(made: Planned) -> tuple[int, int, int, wire.NextSizes | None, tuple[Warning, ...]]:
    """Estimate the resulting chat's size, with bounds: exact if rules decide, else a range."""
    used, sizes = made.measured.meter.used, None
    if made.plan.action == "none":
        return used, used, used, None, ()
    if made.plan.action == "compact":
        made.job.step("Forecasting the summary")
        after, least = used, made.tokens_after(Summary(made.style, "Summary:").masked(made.clean))
        if found := made.offline_summary:
            summary = made.presentable(found)
            after, sizes = made.tokens_after(summary), made.next_chat(summary).sizes
        low, high = min(after, least), max(after, least + made.summary_budget)
        sentence = "A summary without a model would save nothing: there is too little to replace."
    else:
        low = high = after = made.tokens_after(None)
        sizes, sentence = made.next_chat(None).sizes, "These rules would save nothing: there is too little to cut."
    return after, low, high, sizes, () if after < made.must_be_below else (Warning("noGain", sentence),)


def expected_request(made: Planned, wanted: wire.Provider) -> wire.ModelRequest | None:
    """Estimate the model request without building it; None if no model would be called (rule L9)."""
    if made.plan.action != "compact":
        return None
    named = (made.options.summary_model, *made.options.fallback_models)
    # The first model that the options name, by provider; the editor's own choice is not known yet.
    models = {
        "anthropic": next((name for name in named if not name.startswith("editor:")), None),
        "editor": next((name.removeprefix("editor:") for name in named if name.startswith("editor:")), None),
    }
    provider = wanted
    if wanted == "auto":
        from compact_chat.models import has_credential

        host, client = made.client.host, made.client
        if models["anthropic"] and ((host and host.secrets and not client.keyless) or has_credential()):
            provider = "anthropic"
        else:
            provider = "editor" if host and host.language_models else "offline"
    if provider == "offline":
        return None
    model = models[provider]
    choice, sizes = Choice(model), made.measured.sizes
    tokens = math.ceil(sum(sizes[id(message)] * share_shown(message) for message in made.plan.summarized))
    room = max(1.0, MARGIN * made.input_room(choice))
    calls = max(1, math.ceil(tokens * family_of(model).ratio / made.measured.counting.family.ratio / room))
    return wire.ModelRequest(provider, model, calls, tokens + calls * PROMPT_TOKENS, made.reply_tokens(choice))


def share_shown(message: Message, limits: Limits = PROMPT_LIMITS) -> float:
    """Return the share of a message that a transcript shows, by the limits on its entries."""
    whole = shown = 0
    for part in message.sent:
        length, limit = 0, 2**53
        match part:
            case Text(text):
                length, limit = len(text), limits.tool_result if message.by_host else limit
            case Thinking(text):
                length, limit = len(text), limits.thinking
            case ToolResult():
                length, limit = len(result_text(part)), limits.tool_result
            case ToolCall(input=given):
                length = sum(len(value) for value in given.values() if isinstance(value, str))
                limit = limits.arguments + (limits.edits if changes_files(part) else 0)
        whole, shown = whole + length, shown + min(length, limit)
    return shown / whole if whole else 1.0


def excerpt(message: MaskedMessage) -> str:
    """Fold the beginning of a message's text, calls or results into one line; of a user message, what was typed."""
    said = ("" if message.by_host or message.is_summary else message.typed_text) or message.sent_text
    if message.by_host and (command := _COMMAND.match(said)):
        said = f"/{command[1]} {message.typed_text}"
    if not said and message.calls:
        call = message.calls[0]
        said = f"{call.name} {next((value for value in call.input.values() if isinstance(value, str)), '')}"
    said = said or next(map(result_text, message.results), "")
    said = said or " ".join(words(part) for part in message.parts if isinstance(part, Image | Document | Unknown))
    return " ".join(said[:LOOKED_AT].split(None, EXCERPT // 2))[:EXCERPT]  # each word takes at least two characters
