"""The Anthropic provider: Claude writes the summary, over the Messages API."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import json
import logging
import math
import os
import re
import ssl
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.errors import HostRefused
from compact_chat.measure import window_of
from compact_chat.models.ladder import (
    OF_EDITOR,
    Access,
    Answer,
    Assignment,
    Choice,
    Failure,
    FailureKind,
    Tell,
    positive,
)
from compact_chat.wire import TokensSpent

if TYPE_CHECKING:
    import httpx2
    from anthropic import APIStatusError, AsyncAnthropic

NO_MODEL = "None of the chosen models is one of Anthropic's: set summaryModel or fallbackModels."


async def choices(requested: Sequence[str], access: Access) -> tuple[Choice, ...]:
    """Return the requested models that are not the editor's, each with its window if Anthropic reports it."""
    models = [model for model in requested if model.strip() and not model.startswith(OF_EDITOR)]
    if not models:
        raise Failure("noModel", NO_MODEL)
    async with opened(await credential_for(access)) as client:
        await asyncio.gather(*(_learn(client, model) for model in set(models)))
        return tuple(Choice(model, _limits(client, model).input) for model in models)


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Have one model answer one request, within the deadlines."""
    credential = await credential_for(access)
    try:
        async with asyncio.timeout(access.total_timeout) as deadline, opened(credential) as client:
            limits = _limits(client, assignment.model)
            message = message_of(assignment, limits)
            is_near = await is_near_limit(client, message, limits)
            return await stream(client, message, access.idle_timeout, tell, is_near)
    except TimeoutError:
        if not deadline.expired():
            raise
        raise Failure("timeout", f"Claude was not done after {access.total_timeout:g} seconds.") from None


def message_of(assignment: Assignment, limits: Limits) -> dict[str, Any]:
    """Build the body: one user message, the style's own system text, nothing else (rule L2).

    If the first part of the message is sent again, it is a block of its own, which the API may cache. The length of the
    reply is clipped to what the model gives, as the API or our table knows it.
    """
    request = assignment.request
    table = window_of(assignment.model, {})
    output = limits.output or (table.output if table.basis == "table" else None)
    max_tokens = max(1, min(assignment.max_output_tokens, output or assignment.max_output_tokens))
    material, text = _sendable(request.material), _sendable(request.text)
    content: str | list[dict[str, Any]] = _sendable(request.message)
    if assignment.cache and material.strip() and text.strip():
        content = [
            {"type": "text", "text": material, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": f"\n\n{text}"},
        ]
    body = {"model": assignment.model, "max_tokens": max_tokens, "messages": [{"role": "user", "content": content}]}
    return body | ({"system": _sendable(request.system)} if request.system.strip() else {})


def _sendable(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON in UTF-8 cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# The Anthropic API key: from the environment or from the client; never written anywhere.


NO_KEY = "There is no key for Anthropic: set ANTHROPIC_API_KEY, or store a key in your editor."
BAD_KEY = "The key for Anthropic holds characters that no key has: copy it again."
SECRET: tuple[str, JsonObject] = ("compactChat/secret", {"name": "anthropicApiKey"})
OVERRIDDEN = "none"  # a token that the Authorization header of ANTHROPIC_CUSTOM_HEADERS replaces


class Credential(Struct, frozen=True):
    """What authenticates a call; an empty key if ANTHROPIC_CUSTOM_HEADERS does."""

    key: str | None = None
    token: str | None = None

    def __repr__(self) -> str:
        return "Credential(...)"


# The client's key for the summary that this task writes: requested once for all its calls, and again for the next.
_given: ContextVar[tuple[Access, Credential] | None] = ContextVar("_given", default=None)


def has_credential() -> bool:
    """Return whether the environment holds a credential."""
    return _of_environment() is not None


async def credential_for(access: Access) -> Credential:
    """Find a key for a call, or raise with how to provide one; the client may have to prompt its user."""
    found, given, host = _of_environment(), _given.get(), access.host
    if found is None and given is not None and given[0] is access:
        found = given[1]
    if found is None and host is not None and host.secrets:
        answer: Any = None
        with suppress(HostRefused, TimeoutError):
            async with asyncio.timeout(access.total_timeout):
                answer = await host.ask(*SECRET)
        value = answer.get("value") if isinstance(answer, dict) else None
        if isinstance(value, str) and value.strip():
            found = Credential(key=value.strip())
        _given.set((access, found) if found else None)
    if found is None:
        raise Failure("auth", NO_KEY)
    text = found.key or found.token or ""
    if not (text.isascii() and text.isprintable()):
        raise Failure("auth", BAD_KEY)
    return found


def _of_environment() -> Credential | None:
    if key := os.environ.get("ANTHROPIC_API_KEY", "").strip():
        return Credential(key=key)
    if token := os.environ.get("ANTHROPIC_AUTH_TOKEN", "").strip():
        return Credential(token=token)
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
    names = {line.partition(":")[0].strip().lower() for line in lines}
    if "authorization" in names:
        return Credential(token=OVERRIDDEN)
    return Credential(key="") if "x-api-key" in names else None


# Anthropic's SDK: loaded in a thread on first use, since that takes a second; one client per call.


UNUSABLE = "The address, proxy or headers that the environment sets for Anthropic cannot be used: check ANTHROPIC_*."
UNREADABLE = "Anthropic's SDK, or a file of certificates, cannot be loaded: check SSL_CERT_FILE and SSL_CERT_DIR."
TALKATIVE = ("anthropic", "httpx2", "httpcore2")  # loggers that would write requests, and so the chat


@asynccontextmanager
async def opened(credential: Credential) -> AsyncIterator[AsyncAnthropic]:
    """Open a client for one call, with timeouts, retries and telemetry off, and redirects refused."""
    try:
        certificates = await asyncio.to_thread(load)
    except (OSError, ImportError):  # OSError for files that SSL_CERT_FILE or SSLKEYLOGFILE names
        raise Failure("badRequest", UNREADABLE) from None
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Omit

    links: list[Any] = []  # httpx would leave a connection open that is cancelled during its handshake

    async def note(event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            links.append(info["return_value"])

    async def trace(request: httpx2.Request) -> None:
        request.extensions["trace"] = note

    try:
        client = AsyncAnthropic(
            api_key=credential.key,
            auth_token=credential.token,
            default_headers={"Authorization": Omit()} if credential.key == "" else None,  # type: ignore[dict-item]  # the SDK accepts Omit, contrary to its types
            max_retries=0,
            timeout=None,
            open_telemetry=False,
            http_client=DefaultAsyncHttpxClient(
                verify=certificates, timeout=None, follow_redirects=False, event_hooks={"request": [trace]}
            ),
        )
    except Exception:  # noqa: BLE001 -- any error here is one of the user's environment
        raise Failure("badRequest", UNUSABLE) from None
    try:
        async with client:
            yield client
    finally:
        for link in links:
            with suppress(Exception):
                await link.aclose()


_LOADING = threading.Lock()  # the first calls of several clients may run at once


@functools.cache
def load() -> ssl.SSLContext:
    """Import the SDK, keep it from logging chats, and read the certificates, which is slow too."""
    with _LOADING:
        importlib.import_module("anthropic")
        import httpx2

        gc.freeze()  # it is large and stays: a collection of all would hold up the server for a tenth of a second
        for name in TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        return httpx2.create_ssl_context()


# The real limits of an Anthropic model, and whether a request fits.


TOO_LONG = "The request is longer than the model takes."
LOOK_SECONDS, COUNT_SECONDS = 3.0, 10.0
MOST_BYTES = 32_000_000  # of a request
LEAST_BYTES = 2  # of a token in realistic text
NEAR = 0.95  # of the window: above this share the remaining error of a count matters


class Limits(Struct, frozen=True):
    """Token limits on the prompt and the reply; None if unknown."""

    input: int | None = None
    output: int | None = None


# What the API reported, by its address and the model, for the life of the process; failed lookups are retried.
_LEARNED: dict[tuple[str, str | None], Limits] = {}


def _limits(client: AsyncAnthropic, model: str | None) -> Limits:
    return _LEARNED.get((str(client.base_url), model), Limits())


async def _learn(client: AsyncAnthropic, model: str) -> None:
    """Look up a model's limits if unknown; give up after a short timeout."""
    if (place := (str(client.base_url), model)) in _LEARNED:
        return
    with suppress(Exception):  # gateways answer anything here, and no summary fails for that
        async with asyncio.timeout(LOOK_SECONDS):
            answer: Any = await client.models.retrieve(model)
            _LEARNED[place] = Limits(positive(answer.max_input_tokens), positive(answer.max_tokens))


async def is_near_limit(client: AsyncAnthropic, message: dict[str, Any], limits: Limits) -> bool:
    """Return whether a request nearly fills the context window, as counted by the API, free of charge.

    One that is too long fails here, without being sent.
    """
    size = len(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise Failure("tooLong", TOO_LONG)
    room = None if limits.input is None else limits.input - message["max_tokens"]
    if room is None or size / LEAST_BYTES <= room:
        return False
    tokens = None
    with suppress(Exception):  # the request itself will report the problem
        async with asyncio.timeout(COUNT_SECONDS):
            content = {name: value for name, value in message.items() if name != "max_tokens"}
            tokens = positive((await client.messages.count_tokens(**content)).input_tokens)
    if tokens is not None and tokens > room:
        raise Failure("tooLong", TOO_LONG)
    return tokens is None or tokens > NEAR * room


# The reply as a stream of events.


ACCEPTED = ("end_turn", "stop_sequence")
_CUT: tuple[FailureKind, str] = ("truncated", "The reply broke off before its end.")
STOPS: dict[str, tuple[FailureKind, str]] = {
    "max_tokens": ("truncated", "The reply was cut off at its greatest length: allow more with maxOutputTokens."),
    "model_context_window_exceeded": ("truncated", "The reply was cut off, since the model's window was full."),
    "refusal": ("refusal", "Claude declined to summarize this chat."),
    "tool_use": ("empty", "Claude asked for a tool instead of writing a summary."),
}


async def stream(client: AsyncAnthropic, message: dict[str, Any], idle: float, tell: Tell, is_near: bool) -> Answer:
    """Send a request and collect its reply; only events with content reset the watchdog, pings do not."""
    reply, now = Reply(message["model"]), asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(idle) as watchdog, aclosing(reply.pieces(client, message, is_near)) as pieces:
            async for text in pieces:
                watchdog.reschedule(now() + idle)
                tell(text)
    except TimeoutError:
        if not watchdog.expired():
            raise
        raise Failure("timeout", f"Claude was silent for {idle:g} seconds.") from None
    return reply.answer()


class Reply:
    """A reply as its events arrive: the text blocks so far, and why it ended."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self._begun = self._over = False
        self._stop: str | None = None
        self._spent = TokensSpent(0, 0)
        self._texts: dict[int, list[str]] = {}
        self._others: set[int] = set()  # indexes of blocks other than text

    async def pieces(self, client: AsyncAnthropic, message: dict[str, Any], is_near: bool) -> AsyncGenerator[str, None]:
        """Send a request and yield the text of each event, blank or not."""
        events: Any = None
        try:
            events = await client.messages.create(stream=True, **message)
            async for event in events:
                if (text := self._take(event)) is not None:
                    yield text
                if self._over:
                    break
        except Exception as fault:  # noqa: BLE001 -- `failure_of` classifies every one
            raise failure_of(fault, is_near and events is None) from None

    def answer(self) -> Answer:
        """Return the whole reply, or raise the reason why there is none; a truncated one is never used (rule L10)."""
        if not self._begun:
            raise Failure("protocol", "What answered is not Anthropic's Messages API: check ANTHROPIC_BASE_URL.")
        if self._stop not in ACCEPTED:
            raise Failure(*STOPS.get(self._stop or "", _CUT))
        text = "\n".join("".join(pieces) for pieces in self._texts.values())
        if not text.strip():
            raise Failure("empty", "Claude replied without a text.")
        return Answer(text, self._model, self._stop, self._spent)

    def _take(self, event: Any) -> str | None:
        """Apply an event and return the text that it adds; None for other kinds, raise if malformed."""
        match event.type:
            case "message_start":
                self._begun = True
                message, usage = event.message, event.message.usage
                self._model = message.model if isinstance(message.model, str) else self._model
                parts = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
                self._spent = TokensSpent(sum(part for part in parts if type(part) is int), 0)
            case "content_block_start" if event.content_block.type != "text":
                self._others.add(event.index)
            case "content_block_start":
                if event.index in self._texts:
                    raise ValueError("two blocks in one place")
                gap, text = "\n" if self._texts else "", _string(event.content_block.text)
                self._texts[event.index] = [text]
                return gap + text
            case "content_block_delta" if event.index not in self._others and event.delta.type == "text_delta":
                text = _string(event.delta.text)
                self._texts[event.index].append(text)
                return text
            case "message_delta":
                self._stop = _string(event.delta.stop_reason or "") or self._stop
                output = getattr(event.usage, "output_tokens", None)
                self._spent = TokensSpent(self._spent.input_tokens, output if type(output) is int else 0)
            case "message_stop":
                self._over = True
            case "content_block_delta" | "content_block_stop":
                pass
            case _:
                return None
        return ""


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("expected a string")
    return text


# Faults: what the SDK, the network and a proxy can do, as failures that the ladder knows.


class Refusal(NamedTuple):
    """A kind of refusal: by status, by the API's error type, or by its code."""

    kind: FailureKind
    sentence: str
    statuses: range | tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()


SPENT = (
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
    "linked_organization_spend_limit_reached",
    "linked_organization_billing_unavailable",
    "user_profile_not_billable",
)
NO_MONEY = "The account at Anthropic has no credit left, or has reached its spend limit."
SERVER_FAULT = "Anthropic's servers had a fault."
# The first match counts, by code, type or status: an error within a stream has the status 200.
REFUSALS = (
    Refusal("quota", NO_MONEY, (402,), ("billing_error",), SPENT),
    Refusal("overloaded", "Anthropic is overloaded.", (529,), ("overloaded_error",)),
    Refusal("rateLimit", "Anthropic's rate limit for this key is reached.", (429,), ("rate_limit_error",)),
    Refusal("auth", "Anthropic did not accept the key: check it.", (401,), ("authentication_error",)),
    Refusal("auth", "The key for Anthropic has no permission for this.", (403,), ("permission_error",)),
    Refusal("proxy", "The proxy wants a name and a password: check HTTPS_PROXY.", (407,)),
    Refusal("modelNotFound", "There is no such model, or not for this key.", (404,), ("not_found_error",)),
    Refusal("tooLong", TOO_LONG, (413,), ("request_too_large",)),
    Refusal("timeout", "Anthropic waited too long for the request.", (408,)),
    Refusal("server", SERVER_FAULT, (409, 499, *range(500, 600)), ("api_error", "timeout_error")),
    Refusal("badRequest", "Anthropic refused the request as malformed.", range(400, 500), ("invalid_request_error",)),
    Refusal("protocol", "What answered sent us elsewhere: check ANTHROPIC_BASE_URL.", range(300, 400)),
    Refusal("server", SERVER_FAULT, (200,)),
)
# A request that is invalid for its length has no code of its own, and gateways word it differently.
TOO_LONG_WORDS = (
    "prompt is too long",
    "exceed context limit",
    "context_length_exceeded",
    "maximum context length",
    "input is too long",
    "too many tokens",
)
# The API names the member that it does not take, as in `messages.1: ...`.
MALFORMED = re.compile(r"""message['"]: ['"](?:model|messages|system|max_tokens|stream)\b[\w.]*: """)
NO_CREDIT = "credit balance is too low"


def failure_of(fault: Exception, is_near_limit: bool = False) -> Failure:
    """Classify a fault by its causes.

    An invalid request that nearly fills the context window counts as too long, unless the error names what is wrong.
    """
    import anthropic
    import httpx2

    if isinstance(fault, anthropic.APIStatusError):
        return _refused(fault, is_near_limit)
    causes: list[BaseException] = [fault]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)

    def caused_by(*kinds: type[BaseException]) -> bool:
        return any(isinstance(cause, kinds) for cause in causes)

    if caused_by(anthropic.APITimeoutError, httpx2.TimeoutException):
        return Failure("timeout", "The connection to Anthropic timed out.")
    if caused_by(ssl.SSLCertVerificationError):
        return Failure("network", "The certificate of Anthropic's address is not trusted here.")
    if caused_by(httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL, UnicodeEncodeError):
        return Failure("badRequest", "The address or headers for Anthropic cannot be used: check ANTHROPIC_*.")
    if caused_by(httpx2.ProxyError):
        return Failure("network", "The proxy did not connect to Anthropic: check HTTPS_PROXY.")
    if caused_by(anthropic.APIConnectionError, httpx2.TransportError, OSError):
        return Failure("network", "The connection to Anthropic failed or broke off.")
    return Failure("protocol", "What answered does not keep to Anthropic's Messages API.")


def _refused(fault: APIStatusError, is_near_limit: bool) -> Failure:
    """Classify a refusal by the first row that matches by code, type or status."""
    code, kind, status = fault.error_code, fault.type, fault.status_code
    fitting = (row for row in REFUSALS if code in row.codes or kind in row.types or status in row.statuses)
    refusal = next(fitting, REFUSALS[-1])
    if refusal.kind == "badRequest":
        words = str(fault).lower()
        if NO_CREDIT in words:
            return Failure("quota", NO_MONEY)
        is_length = is_near_limit and not MALFORMED.search(words)
        if is_length or any(phrase in words for phrase in TOO_LONG_WORDS):
            return Failure("tooLong", TOO_LONG)
    # HTTP allows seconds or a date.
    header, retry_after = fault.response.headers.get("retry-after", ""), math.inf
    with suppress(ValueError, OverflowError):
        if header.strip()[:1].isdigit():
            retry_after = float(header)
        else:
            left = parsedate_to_datetime(header).astimezone(UTC) - datetime.now(UTC)
            retry_after = max(0.0, left.total_seconds())
    return Failure(refusal.kind, refusal.sentence, retry_after if math.isfinite(retry_after) else None)
