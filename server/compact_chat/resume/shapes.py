"""The messages of a chat in the shapes of the three APIs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compact_chat.chat import JsonObject, Message
from compact_chat.resume import anthropic_shape, openai_chat_shape, openai_responses_shape


def as_anthropic(messages: Sequence[Message], use_raw: bool = False) -> list[JsonObject]:
    """The messages for the Anthropic API; with `use_raw` those that came in this shape go back as they came."""
    return _written(messages, anthropic_shape.write_message, use_raw)


def as_openai_chat(messages: Sequence[Message], use_raw: bool = False) -> list[JsonObject]:
    """The messages for the OpenAI chat API; with `use_raw` those that came in this shape go back as they came."""
    return _written(messages, openai_chat_shape.write_message, use_raw)


def as_openai_responses(messages: Sequence[Message]) -> list[JsonObject]:
    """The items for the OpenAI Responses API."""
    return _written(messages, openai_responses_shape.write_message, use_raw=False)


def _written(
    messages: Sequence[Message], write: Callable[[Message], list[JsonObject]], use_raw: bool
) -> list[JsonObject]:
    return [
        item
        for message in messages
        for item in ([message.raw] if use_raw and message.raw is not None else write(message))
    ]
