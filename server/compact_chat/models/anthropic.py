"""The Anthropic provider: Claude writes the summary, over the Messages API."""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import logging
import math
import os
import ssl
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.errors import HostRefused
from compact_chat.measure import window_of
from compact_chat.models.provider import (
    Access,
    Answer,
    Assignment,
    Choice,
    Failure,
    FailureKind,
    Host,
    Tell,
)
from compact_chat.wire import TokensSpent

if TYPE_CHECKING:
    import httpx2
    from anthropic import APIStatusError, AsyncAnthropic

# The key for Anthropic: from the environment, or asked of the client; never written anywhere.


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
    text = found.key or found.token or ""
    if not (text.isascii() and text.isprintable()):
        raise Failure("auth", BAD_KEY)
    return found


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


# Anthropic's SDK: loaded in a thread at its first need, since that takes a second, and one client for each call.


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
    """Build a client with timeouts, retries and telemetry off, and redirects refused."""
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


# How much a model of Anthropic's really takes and gives, and whether a request fits.


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


# The taxonomy of faults: what the SDK, the network and a proxy can do, as failures that the ladder knows.


class Refusal(NamedTuple):
    """A way to be refused: by status, by the API's type of error, or by its code."""

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
# The first that fits counts, by code, type or status: an error within a stream has the status 200.
REFUSALS = (
    Refusal("quota", NO_MONEY, (402,), ("billing_error",), SPENT),
    Refusal("overloaded", "Anthropic is overloaded.", (529,), ("overloaded_error",)),
    Refusal("rateLimit", "Anthropic's rate limit for this key is reached.", (429,), ("rate_limit_error",)),
    Refusal("auth", "Anthropic did not accept the key: check it.", (401,), ("authentication_error",)),
    Refusal("auth", "The key for Anthropic has no permission for this.", (403,), ("permission_error",)),
    Refusal("auth", "The proxy wants a name and a password: check HTTPS_PROXY.", (407,)),
    Refusal("modelNotFound", "There is no such model, or not for this key.", (404,), ("not_found_error",)),
    Refusal("tooLong", TOO_LONG, (413,), ("request_too_large",)),
    Refusal("timeout", "Anthropic waited too long for the request.", (408,)),
    Refusal("server", SERVER_FAULT, (409, 499, *range(500, 600)), ("api_error", "timeout_error")),
    Refusal("badRequest", "Anthropic refused the request as malformed.", range(400, 500), ("invalid_request_error",)),
    Refusal("protocol", "What answered sent us elsewhere: check ANTHROPIC_BASE_URL.", range(300, 400)),
    Refusal("server", SERVER_FAULT, (200,)),
)
# A request that is malformed for its length has no code of its own, and gateways have other words for it.
TOO_LONG_WORDS = (
    "prompt is too long",
    "exceed context limit",
    "context_length_exceeded",
    "maximum context length",
    "input is too long",
    "too many tokens",
)
NO_CREDIT = "credit balance is too low"


def failure_of(fault: Exception, is_near_limit: bool = False) -> Failure:
    """Classify a fault; a malformed request that nearly fills the window is taken for too long."""
    import anthropic
    import httpx2

    if isinstance(fault, anthropic.APIStatusError):
        return _of_status(fault, is_near_limit)
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


def _of_status(fault: APIStatusError, is_near_limit: bool) -> Failure:
    """Classify a refusal by the first row that fits, by code, type or status."""
    refusal = REFUSALS[-1]
    for one in REFUSALS:
        if fault.error_code in one.codes or fault.type in one.types or fault.status_code in one.statuses:
            refusal = one
            break
    if refusal.kind == "badRequest":
        words = str(fault).lower()
        if NO_CREDIT in words:
            return Failure("quota", NO_MONEY)
        if is_near_limit or any(phrase in words for phrase in TOO_LONG_WORDS):
            return Failure("tooLong", TOO_LONG)
    return Failure(refusal.kind, refusal.sentence, _retry_after(fault.response.headers.get("retry-after", "")))


def _retry_after(header: str) -> float | None:
    """Read seconds, or a date, as HTTP allows both."""
    try:
        if header.strip()[:1].isdigit():
            seconds = float(header)
        else:
            left = parsedate_to_datetime(header).astimezone(UTC) - datetime.now(UTC)
            seconds = max(0.0, left.total_seconds())
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) else None


# A reply as its events bring it, and whether it may be taken for whole.


EVENTS = {
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
}
ACCEPTED = ("end_turn", "stop_sequence")
_CUT: tuple[FailureKind, str] = ("truncated", "The reply broke off before its end.")
STOPS: dict[str, tuple[FailureKind, str]] = {
    "max_tokens": ("truncated", "The reply was cut off at its greatest length: allow more with maxOutputTokens."),
    "model_context_window_exceeded": ("truncated", "The reply was cut off, since the model's window was full."),
    "refusal": ("refusal", "Claude declined to summarise this chat."),
    "tool_use": ("empty", "Claude asked for a tool instead of writing a summary."),
}


class Reply:
    """The blocks of text so far, and what was told about their end."""

    def __init__(self, model: str | None) -> None:
        self.is_over = False
        self._has_begun = False
        self._model = model
        self._stop: str | None = None
        self._spent = TokensSpent(0, 0)
        self._texts: dict[int, list[str]] = {}
        self._others: set[int] = set()

    def knows(self, event: Any) -> bool:
        """Whether an event is of a kind that replies are made of."""
        return event.type in EVENTS

    def take(self, event: Any) -> str:
        """Take an event, and return the text that it adds; whatever is of another shape raises."""
        match event.type:
            case "message_start":
                self._begin(event.message)
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
                self.is_over = True
        return ""

    def answer(self) -> Answer:
        """Give the whole reply, or say why it is none; nothing cut off is ever taken for one (rule L10)."""
        if not self._has_begun:
            raise Failure("protocol", "What answered is not Anthropic's Messages API: check ANTHROPIC_BASE_URL.")
        if self._stop not in ACCEPTED:
            raise Failure(*STOPS.get(self._stop or "", _CUT))
        text = "\n".join("".join(pieces) for pieces in self._texts.values())
        if not text.strip():
            raise Failure("empty", "Claude replied without a text.")
        return Answer(text, self._model, self._stop, self._spent)

    def _begin(self, message: Any) -> None:
        if self._has_begun:
            raise ValueError("a second reply in the first")
        self._has_begun = True
        self._model = message.model if isinstance(message.model, str) else self._model
        usage = message.usage
        parts = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
        self._spent = TokensSpent(sum(part for part in parts if type(part) is int), 0)


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("expected a string")
    return text


async def stream(client: AsyncAnthropic, message: dict[str, Any], idle: float, tell: Tell, is_near: bool) -> Answer:
    """Send a request and take its reply; only events that carry it on keep the watchdog quiet, which pings do not."""
    reply, now = Reply(message["model"]), asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(idle) as watchdog, _sent(client, message, is_near) as events:
            while (text := await _next(events, reply)) is not None:
                watchdog.reschedule(now() + idle)
                if text:
                    tell(text)
    except TimeoutError:
        if not watchdog.expired():
            raise
        raise Failure("timeout", f"Claude was silent for {idle:g} seconds.") from None
    return reply.answer()


@asynccontextmanager
async def _sent(client: AsyncAnthropic, message: dict[str, Any], is_near: bool) -> AsyncIterator[AsyncIterator[Any]]:
    """Send the request, and hang up in the end; what goes wrong then no longer matters."""
    try:
        events = await client.messages.create(stream=True, **message)
    except Exception as fault:  # noqa: BLE001 -- the taxonomy has a place for each
        raise failure_of(fault, is_near) from None
    try:
        yield aiter(events)
    finally:
        with suppress(Exception):
            await events.close()


async def _next(events: AsyncIterator[Any], reply: Reply) -> str | None:
    """Take the next event that carries the reply on, and give its text; None after the last."""
    try:
        while not reply.is_over:
            if reply.knows(event := await anext(events)):
                return reply.take(event)
    except StopAsyncIteration:
        return None
    except Exception as fault:  # noqa: BLE001 -- the taxonomy has a place for each
        raise failure_of(fault) from None
    return None


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
    """Put together the body: one user message, the style's own system text, nothing else (rule L2).

    Where the first part of the message is sent again, that is a block of its own, which the API may cache.
    """
    request = assignment.request
    assert request is not None, "a model needs a request"
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
    """Replace halves of surrogate pairs, which no JSON in UTF-8 can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
