"""Anthropic's SDK: loaded in a thread at its first need, since that takes a second, and one client for each call."""

from __future__ import annotations

import asyncio
import functools
import gc
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from compact_chat.providers.anthropic_keys import Credential
from compact_chat.providers.provider import Failure

if TYPE_CHECKING:
    import ssl

    import httpx2
    from anthropic import AsyncAnthropic

UNUSABLE = "The address, proxy or headers that the environment sets for Anthropic cannot be used: check ANTHROPIC_*."
UNREADABLE = "Anthropic's SDK, or a file of certificates, cannot be loaded: check SSL_CERT_FILE and SSL_CERT_DIR."
TALKATIVE = ("anthropic", "httpx2", "httpcore2")  # loggers that would write requests, and so the chat
_LOADING = threading.Lock()


@asynccontextmanager
async def opened(credential: Credential) -> AsyncIterator[AsyncAnthropic]:
    """Give a client for one call, which knows the key no longer than that."""
    try:
        certificates, links = await asyncio.to_thread(_load), _Links()
    except (OSError, ImportError):  # the former for files that SSL_CERT_FILE or SSLKEYLOGFILE names
        raise Failure("badRequest", UNREADABLE) from None
    try:
        client = _client(credential, certificates, links)
    except Exception:  # noqa: BLE001 -- whatever the SDK says of the environment, the user has to change that
        raise Failure("badRequest", UNUSABLE) from None
    try:
        async with client:
            yield client
    finally:
        await links.close()


class _Links:
    """The connections of a client: one that is cancelled while it shakes hands would be left open by httpx."""

    def __init__(self) -> None:
        self._links: list[Any] = []

    async def watch(self, request: httpx2.Request) -> None:
        """Have httpx tell what it does for a request."""
        request.extensions["trace"] = self._note

    async def _note(self, event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            self._links.append(info["return_value"])

    async def close(self) -> None:
        """Close what is still open."""
        for link in self._links:
            with suppress(Exception):
                await link.aclose()


def _client(credential: Credential, certificates: ssl.SSLContext, links: _Links) -> AsyncAnthropic:
    """Make a client without waits, tries and traces of its own; it sends a chat nowhere else if it is told to."""
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Omit

    http = DefaultAsyncHttpxClient(
        verify=certificates, timeout=None, follow_redirects=False, event_hooks={"request": [links.watch]}
    )
    return AsyncAnthropic(
        api_key=credential.key,
        auth_token=credential.token,
        default_headers={"Authorization": Omit()} if credential.key == "" else None,  # type: ignore[dict-item]  # the SDK takes its Omit here, and does not say so
        max_retries=0,
        timeout=None,
        open_telemetry=False,
        http_client=http,
    )


def _load() -> ssl.SSLContext:
    with _LOADING:
        return _loaded()


@functools.cache
def _loaded() -> ssl.SSLContext:
    """Import the SDK, keep it from writing chats to the log, and read the certificates, which is slow too."""
    import httpx2

    _import_for_good("anthropic")
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    return httpx2.create_ssl_context()


def _import_for_good(name: str) -> None:
    """Import what is large, and stays: the collector would go through it again and again, while all else waits."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        import_module(name)
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
