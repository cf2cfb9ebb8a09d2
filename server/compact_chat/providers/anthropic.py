"""The Anthropic provider: Claude writes the summary, over the Messages API."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from compact_chat.prompt.request import Request
from compact_chat.providers.anthropic_client import opened
from compact_chat.providers.anthropic_keys import credential_for
from compact_chat.providers.anthropic_limits import is_near_limit, known, learn, longest_reply
from compact_chat.providers.anthropic_stream import stream
from compact_chat.providers.provider import Access, Answer, Assignment, Choice, Failure, Tell

EDITORS = "editor:"  # how the names of the editor's models begin
NO_MODEL = "None of the chosen models is one of Anthropic's: set summaryModel or fallbackModels."


async def choices(wished: Sequence[str], access: Access) -> tuple[Choice, ...]:
    """Give the wished models that are not the editor's, each with its window where Anthropic tells it."""
    models = [model for model in wished if model.strip() and not model.startswith(EDITORS)]
    if not models:
        raise Failure("noModel", NO_MODEL)
    async with opened(await credential_for(access)) as client:
        await learn(client, models)
        return tuple(Choice(model, known(client, model).input) for model in models)


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Have one request answered by one model, within the deadlines."""
    credential = await credential_for(access)
    try:
        async with asyncio.timeout(access.total_timeout) as deadline, opened(credential) as client:
            limits = known(client, assignment.model or "")
            message = message_of(assignment, longest_reply(assignment, limits))
            is_near = await is_near_limit(client, message, limits)
            return await stream(client, message, access.idle_timeout, tell, is_near)
    except TimeoutError:
        if not deadline.expired():
            raise
        raise Failure("timeout", f"Claude was not done after {access.total_timeout:g} seconds.") from None


def message_of(assignment: Assignment, max_tokens: int) -> dict[str, Any]:
    """Put together the body: one user message, the style's own system text, nothing else (rule L2)."""
    request = assignment.request
    assert request is not None, "a model needs a request"
    body = {
        "model": assignment.model,
        "max_tokens": max_tokens,
        "messages": [{"role": "user", "content": _content(request, assignment.cache)}],
    }
    return body | ({"system": _sendable(request.system)} if request.system.strip() else {})


def _content(request: Request, cache: bool) -> str | list[dict[str, Any]]:
    """Give the message; where its first part is sent again, that is a block of its own, which the API may keep."""
    material, text = _sendable(request.material), _sendable(request.text)
    if not cache or not material.strip() or not text.strip():
        return _sendable(request.message)
    return [
        {"type": "text", "text": material, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": f"\n\n{text}"},
    ]


def _sendable(text: str) -> str:
    """Replace halves of surrogate pairs, which no JSON in UTF-8 can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
