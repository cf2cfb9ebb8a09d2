"""What VS Code wrote down of tokens: what the last call took, what fits, and what its ring of the context shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from compact_chat.chat import HostMeter, JsonObject, Message, Usage
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, word
from compact_chat.read.vscode_turns import Turn, model_of


def input_window(state: JsonObject) -> int | None:
    """The tokens of input that the chosen model takes; a person may have set it to less than the model can."""
    chosen = _chosen_model(state)
    metadata = fields(chosen.get("metadata"))
    sizes = fields(fields(metadata.get("configurationSchema")).get("properties")).get("contextSize")
    tiers = (fields(chosen.get("modelConfiguration")).get("contextSize"), fields(sizes).get("default"))
    return next(filter(None, map(tokens, (*tiers, metadata.get("maxInputTokens")))), None)


def other_model(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    """The model that is chosen for the next request, where the last one went to another."""
    chosen = word(_chosen_model(state).get("identifier"))
    used = next((asked for turn in reversed(turns) if (asked := word(turn.request.get("modelId")))), "")
    is_same = used.rpartition("/")[2] in ("", chosen.rpartition("/")[2])
    return None if is_same or not chosen else chosen


def host_meter(state: JsonObject, turns: Sequence[Turn]) -> HostMeter | None:
    """What the ring shows: the newest request that reported its size, within both windows of the chosen model.

    A model that reports nothing leaves zeros behind, and empties the ring.
    """
    window = input_window(state)
    last = next((turn.request for turn in reversed(turns) if _is_told(turn.request.get("promptTokens"))), None)
    if window is None or last is None:
        return None
    reserve = tokens(fields(_chosen_model(state).get("metadata")).get("maxOutputTokens"))
    completion = tokens(last.get("completionTokens"))
    used = tokens(last.get("promptTokens")) + completion
    return HostMeter(used, reserved=max(0, reserve - completion), total=window + reserve)


def with_usage(turn: Turn, messages: Iterable[Message]) -> Iterator[Message]:
    """Put what the last call of a turn took on the message that it gave, if that is still sent."""
    usage = _usage(turn)
    given = next(iter(turn.rounds[-1].messages), None) if turn.rounds else None
    for message in messages:
        yield replace(message, usage=usage) if message is given and message.role == "assistant" else message


def _is_told(size: object) -> bool:
    return tokens(size) > 0 or (size == 0 and not isinstance(size, bool))


def _chosen_model(state: JsonObject) -> JsonObject:
    return fields(fields(state.get("inputState")).get("selectedModel"))


def _usage(turn: Turn) -> Usage | None:
    """The last call of a turn; zeros stand for models that report nothing."""
    prompt = tokens(turn.request.get("promptTokens")) or tokens(turn.metadata.get("promptTokens"))
    if not prompt:
        return None
    # `completionTokens` adds up all calls of a turn; without the last one's own, zero has the meter count it.
    total = tokens(turn.request.get("completionTokens")) if len(turn.rounds) == 1 else 0
    return Usage(prompt, tokens(turn.metadata.get("outputTokens")) or total, model_of(turn))
