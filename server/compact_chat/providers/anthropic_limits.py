"""How much a model of Anthropic's really takes and gives, and whether a request fits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from compact_chat.measure.windows import window_of
from compact_chat.providers.provider import Assignment, Failure

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

TOO_LONG = "The request is longer than the model takes."
LOOK_SECONDS, COUNT_SECONDS = 3.0, 10.0
MOST_BYTES = 32_000_000  # of a request
LEAST_BYTES = 2  # of a token in any text that is not made up
NEAR = 0.95  # of what fits: from there on a count may be wrong by what is missing


class Limits(Struct, frozen=True):
    """Tokens of a prompt and of a reply, where the API told them."""

    input: int | None = None
    output: int | None = None


# What the API told, by its address and the model, for the life of the process; a failure to learn it is tried again.
_KNOWN: dict[tuple[str, str], Limits] = {}


async def learn(client: AsyncAnthropic, models: Sequence[str]) -> None:
    """Ask for the limits of models that are not known yet; what cannot be learnt soon stays unknown."""
    unknown = {model for model in models if (str(client.base_url), model) not in _KNOWN}
    await asyncio.gather(*(_learn(client, model) for model in unknown))


def known(client: AsyncAnthropic, model: str) -> Limits:
    """Give the limits as far as they were learnt."""
    return _KNOWN.get((str(client.base_url), model), Limits())


async def _learn(client: AsyncAnthropic, model: str) -> None:
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            told: Any = await client.models.retrieve(model)
            limits = Limits(_count(told.max_input_tokens), _count(told.max_tokens))
    except Exception:  # noqa: BLE001 -- gateways answer anything here, and no summary fails for that
        return
    _KNOWN[str(client.base_url), model] = limits


def _count(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


def longest_reply(assignment: Assignment, limits: Limits) -> int:
    """Clip the wished length of a reply to what the model gives, as the API or our table knows it."""
    table = window_of(assignment.model, {})
    output = limits.output or (table.output if table.basis == "table" else None)
    return max(1, min(assignment.max_output_tokens, output or assignment.max_output_tokens))


async def is_near_limit(client: AsyncAnthropic, message: dict[str, Any], limits: Limits) -> bool:
    """Whether a request nearly fills the model's window; one that is too long fails here, without being sent."""
    size = len(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise Failure("tooLong", TOO_LONG)
    room = None if limits.input is None else limits.input - message["max_tokens"]
    if room is None or size / LEAST_BYTES <= room:
        return False
    tokens = await _tokens(client, message)
    if tokens is not None and tokens > room:
        raise Failure("tooLong", TOO_LONG)
    return tokens is None or tokens > NEAR * room


async def _tokens(client: AsyncAnthropic, message: dict[str, Any]) -> int | None:
    """Have the API count a request, which costs nothing; None where it does not."""
    counted = {name: value for name, value in message.items() if name != "max_tokens"}
    try:
        async with asyncio.timeout(COUNT_SECONDS):
            return _count((await client.messages.count_tokens(**counted)).input_tokens)
    except Exception:  # noqa: BLE001 -- the request itself will tell what is wrong
        return None
