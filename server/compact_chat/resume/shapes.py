"""The messages of a chat in the shapes of the three APIs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compact_chat.chat import JsonObject, Message
from compact_chat.resume.anthropic_shape import write_message
from compact_chat.resume.foreign import acceptable
from compact_chat.resume.openai_shape import chat_messages, response_items


def as_anthropic(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the Anthropic API; with `use_raw` those that came in this shape go back as they came.

    Of `foreign` messages, which were never meant for this API, what it would refuse becomes words.
    """
    return _written(acceptable(messages) if foreign else messages, lambda message: [write_message(message)], use_raw)


def as_openai_chat(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the OpenAI chat API, in the same way."""
    return _written(acceptable(messages) if foreign else messages, chat_messages, use_raw)


def as_openai_responses(messages: Sequence[Message]) -> list[JsonObject]:
    """The items for the OpenAI Responses API."""
    return _written(messages, response_items, use_raw=False)


def _written(
    messages: Sequence[Message], write: Callable[[Message], list[JsonObject]], use_raw: bool
) -> list[JsonObject]:
    raws = ([message.raw] if use_raw and message.raw is not None else write(message) for message in messages)
    return [item for items in raws for item in items]
