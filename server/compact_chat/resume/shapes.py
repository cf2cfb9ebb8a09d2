"""The messages of a chat in the shapes of the three APIs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from compact_chat.chat import JsonObject, Message, raws
from compact_chat.resume.anthropic_shape import is_sound, write_message
from compact_chat.resume.attachments import with_words_for_attachments, with_words_in_results
from compact_chat.resume.foreign import acceptable
from compact_chat.resume.openai_shape import chat_messages, response_items

Items = tuple[JsonObject, ...]


def as_anthropic(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the Anthropic API; with `use_raw` those that came in this shape go back as they came.

    Of `foreign` messages, which were never meant for this API, what it would refuse becomes words.
    """
    turns = _prepared(messages, foreign)
    return _written(turns, lambda turn: [write_message(turn)], [_anthropic(turn) if use_raw else () for turn in turns])


def as_openai_chat(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the OpenAI chat API, in the same way."""
    turns = _without_late_attachments(_prepared(messages, foreign))
    came = [_chat(turn) if use_raw else () for turn in turns]
    return _written(turns, chat_messages, _whole_exchanges(turns, came))


def as_openai_responses(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The items for the OpenAI Responses API, in the same way."""
    turns = _prepared(messages, foreign)
    came = [raws(turn) if use_raw else () for turn in turns]
    return _written(turns, response_items, _whole_exchanges(turns, came))


def _prepared(messages: Sequence[Message], foreign: bool) -> list[Message]:
    return list(map(with_words_for_attachments, acceptable(messages) if foreign else messages))


def _without_late_attachments(turns: Sequence[Message]) -> list[Message]:
    """The turns with words for what is attached to results while calls beside them wait.

    In this shape it would follow as a message of the user's, and the results that the host has yet to add with it.
    """
    asked = {call.id for turn in turns[-2:-1] for call in turn.calls}
    if not asked or asked <= {result.call_id for result in turns[-1].results}:
        return list(turns)
    return [*turns[:-1], with_words_in_results(turns[-1])]


def _written(
    turns: Sequence[Message], write: Callable[[Message], list[JsonObject]], came: Sequence[Items]
) -> list[JsonObject]:
    pieces = (items or write(turn) for turn, items in zip(turns, came, strict=True))
    return [item for piece in pieces for item in piece]


def _anthropic(turn: Message) -> Items:
    """What came for a turn, if it is one message that the API takes."""
    items = raws(turn)
    sound = len(items) == 1 and items[0].get("role") == turn.role and is_sound(items[0].get("content"))
    return items if sound else ()


def _chat(turn: Message) -> Items:
    """What came for a turn, if it is one message behind any number of results."""
    items = raws(turn)
    return items if all(item.get("role") == "tool" for item in items[:-1]) else ()


def _whole_exchanges(turns: Sequence[Message], came: Sequence[Items]) -> list[Items]:
    """What came, unless only the calls or only their results did: each kind of call has a result of its own kind."""
    whole = list(came)
    for place, (asked, answer) in enumerate(pairwise(turns)):
        if asked.calls and answer.results and not (whole[place] and whole[place + 1]):
            whole[place] = whole[place + 1] = ()
    return whole
