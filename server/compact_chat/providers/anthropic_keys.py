"""The key for Anthropic: from the environment, or asked of the client; never written anywhere."""

from __future__ import annotations

import asyncio
import os
from contextvars import ContextVar
from typing import Any

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.providers.host import Host, HostRefused
from compact_chat.providers.provider import Access, Failure

NO_KEY = "There is no key for Anthropic: set ANTHROPIC_API_KEY, or store a key in your editor."
BAD_KEY = "The key for Anthropic holds characters that no key has: copy it again."
SECRET: tuple[str, JsonObject] = ("compactChat/secret", {"name": "anthropicApiKey"})


class Credential(Struct, frozen=True):
    """What proves who asks; an empty key where the headers of ANTHROPIC_CUSTOM_HEADERS do."""

    key: str | None = None
    token: str | None = None

    def __repr__(self) -> str:
        return "Credential(...)"


# What the client gave for the summary that this task writes: asked once for all its requests, and anew for the next.
_given: ContextVar[tuple[Access, Credential] | None] = ContextVar("_given", default=None)


def has_credential() -> bool:
    """Whether the environment holds what proves who asks."""
    return _of_environment() is not None


async def credential_for(access: Access) -> Credential:
    """Find a key for a call, or say how there can be one."""
    found = _of_environment()
    if found is None and (given := _given.get()) is not None and given[0] is access:
        found = given[1]
    if found is None and access.host is not None and access.host.secrets:
        found = await _of_host(access.host, access.total_timeout)
        _given.set((access, found) if found else None)
    if found is None:
        raise Failure("auth", NO_KEY)
    return _checked(found)


def _of_environment() -> Credential | None:
    if key := os.environ.get("ANTHROPIC_API_KEY", "").strip():
        return Credential(key=key)
    if token := os.environ.get("ANTHROPIC_AUTH_TOKEN", "").strip():
        return Credential(token=token)
    names = {
        line.partition(":")[0].strip().lower() for line in os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
    }
    if "authorization" in names:
        return Credential(token="none")  # noqa: S106 -- no secret: the header of the user's takes its place
    return Credential(key="") if "x-api-key" in names else None


async def _of_host(host: Host, patience: float) -> Credential | None:
    """Ask the client, whose user may have to type the key."""
    try:
        async with asyncio.timeout(patience):
            answer: Any = await host.ask(*SECRET)
    except (HostRefused, TimeoutError):
        return None
    value = answer.get("value") if isinstance(answer, dict) else None
    return Credential(key=value.strip()) if isinstance(value, str) and value.strip() else None


def _checked(found: Credential) -> Credential:
    text = found.key or found.token or ""
    if not (text.isascii() and text.isprintable()):
        raise Failure("auth", BAD_KEY)
    return found
