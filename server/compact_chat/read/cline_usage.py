"""The size of each call of a task, from the answers themselves or from what the screen shows of the calls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from compact_chat.chat import JsonObject, Usage
from compact_chat.read.cline_task import inner, said
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import whole_number

STARTED = "api_req_started"  # a call of the model, as the screen shows it


def usage_of_calls(items: Mapping[int, JsonObject], ui: Sequence[JsonObject], since: int = -1) -> dict[int, Usage]:
    """The usage of each answer, by its place; calls that were shown before the time `since` count no more."""
    answers = [place for place, item in items.items() if item.get("role") == "assistant"]
    stored = ((place, _stored(items[place])) for place in answers)
    return dict(_shown(items, answers, ui, since)) | {place: usage for place, usage in stored if usage is not None}


def shown_usage(message: JsonObject) -> Usage | None:
    """What the screen tells of one call; None before its answer is complete."""
    told = inner(message) if said(message) == STARTED else {}
    model = fields(message.get("modelInfo"))
    cached = tokens(told.get("cacheWrites")) + tokens(told.get("cacheReads"))
    is_whole = told.get("apiProtocol") == "openai" or _counts_all(model)
    prompt = _prompt(tokens(told.get("tokensIn")), cached, is_whole)
    return Usage(prompt, tokens(told.get("tokensOut")), word(model.get("modelId"))) if prompt else None


def _stored(item: JsonObject) -> Usage | None:
    told, model = fields(fields(item.get("metrics")).get("tokens")), fields(item.get("modelInfo"))
    prompt = _prompt(tokens(told.get("prompt")), tokens(told.get("cached")), _counts_all(model))
    return Usage(prompt, tokens(told.get("completion")), word(model.get("modelId"))) if prompt else None


def _counts_all(model: JsonObject) -> bool:
    return word(model.get("providerId")).startswith("openai")


def _prompt(counted: int, cached: int, is_whole: bool) -> int:
    """Anthropic counts cached tokens apart, OpenAI within the rest: but a part is never larger than the whole."""
    return counted if is_whole and cached <= counted else counted + cached


def _shown(
    items: Mapping[int, JsonObject], answers: Sequence[int], ui: Sequence[JsonObject], since: int
) -> Iterator[tuple[int, Usage]]:
    times = _times(items, answers)
    for message in ui:
        time = whole_number(message.get("ts"))
        usage = shown_usage(message) if time is None or time > since else None
        place = _answer(message, time, answers, times) if usage else None
        if usage and place is not None:
            yield place, usage


def _times(items: Mapping[int, JsonObject], answers: Sequence[int]) -> list[int]:
    """When the answers were stored, never earlier than the one before; empty where the file does not tell."""
    times: list[int] = []
    for place in answers:
        time = whole_number(items[place].get("ts"))
        if time is None:
            return []
        times.append(max(time, times[-1] if times else time))
    return times


def _answer(message: JsonObject, time: int | None, answers: Sequence[int], times: Sequence[int]) -> int | None:
    """The first answer behind the call; where nothing tells, the newest, so that the last call wins."""
    index = whole_number(message.get("conversationHistoryIndex"))
    if index is not None:
        found = bisect_left(answers, index + 1)
    elif times and time is not None:
        found = bisect_left(times, time)
    else:
        found = len(answers) - 1
    return answers[found] if 0 <= found < len(answers) else None
