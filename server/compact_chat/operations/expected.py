"""The request that a model would get, foretold without rendering it and without asking anybody."""

from __future__ import annotations

import math

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult, result_text
from compact_chat.measure.families import family_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.requests import MARGIN, PROMPT_TOKENS, input_room, reply_tokens
from compact_chat.options import Provider
from compact_chat.prompt.limits import DEFAULT_LIMITS
from compact_chat.providers.anthropic_keys import has_credential
from compact_chat.providers.provider import Choice
from compact_chat.results import ModelRequest


def expected_request(made: Draft, wished: Provider, desk: Desk) -> ModelRequest | None:
    """Tell whom `summarize` would ask first, how often and with how much; None where no model is asked."""
    provider = _provider(made, wished, desk)
    if made.plan.action != "compact" or provider == "offline":
        return None
    model = _model(provider, made)
    choice = Choice(model)
    tokens, room = _transcript_tokens(made), max(1.0, MARGIN * input_room(choice, made, desk))
    calls = max(1, math.ceil(tokens * family_of(model).ratio / made.measured.family.ratio / room))
    output = reply_tokens(choice, made, desk)
    return ModelRequest(provider, model, calls, tokens + calls * PROMPT_TOKENS, output)


def _provider(made: Draft, wished: Provider, desk: Desk) -> Provider:
    """Tell who would be asked first (rule L9)."""
    if wished != "auto":
        return wished
    host = desk.host
    if _model("anthropic", made) and ((host and host.secrets and not desk.keyless) or has_credential()):
        return "anthropic"
    return "editor" if host and host.language_models else "offline"


def _model(provider: Provider, made: Draft) -> str | None:
    """Tell the model, where it is named: of the editor's none is known before it is asked."""
    wished = (made.options.summary_model, *made.options.fallback_models)
    own = (name.removeprefix("editor:") for name in wished if name.startswith("editor:"))
    if provider == "editor":
        return next(own, None)
    return next((name for name in wished if not name.startswith("editor:")), None)


def _transcript_tokens(made: Draft) -> int:
    """Estimate the transcript from the messages' counts, and what the limits of its entries leave of them."""
    sizes = dict(zip(map(id, made.chat.messages), made.measured.meter.tokens, strict=True))
    return math.ceil(sum(sizes[id(message)] * _share(message) for message in made.plan.summarized))


def _share(message: Message) -> float:
    whole = [_length(part) for part in message.parts]
    shown = [min(length, _limit(part)) for part, length in zip(message.parts, whole, strict=True)]
    return sum(shown) / sum(whole) if any(whole) else 1.0


def _length(part: Part) -> int:
    match part:
        case Text(text) | Thinking(text):
            return len(text)
        case ToolResult():
            return len(result_text(part))
        case ToolCall(input=given):
            return sum(len(value) for value in given.values() if isinstance(value, str))
        case _:
            return 0


def _limit(part: Part) -> int:
    match part:
        case ToolResult():
            return DEFAULT_LIMITS.tool_result
        case ToolCall():
            return DEFAULT_LIMITS.arguments
        case Thinking():
            return DEFAULT_LIMITS.thinking
        case _:
            return 2**53
