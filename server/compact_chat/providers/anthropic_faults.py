"""The taxonomy of faults: what the SDK, the network and a proxy can do, as failures that the ladder knows."""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from compact_chat.providers.anthropic_limits import TOO_LONG
from compact_chat.providers.provider import Failure, FailureKind

if TYPE_CHECKING:
    from anthropic import APIStatusError


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
    causes = tuple(_causes(fault))
    if _is_any(causes, (anthropic.APITimeoutError, httpx2.TimeoutException)):
        return Failure("timeout", "The connection to Anthropic timed out.")
    if _is_any(causes, ssl.SSLCertVerificationError):
        return Failure("network", "The certificate of Anthropic's address is not trusted here.")
    if _is_any(causes, (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL, UnicodeEncodeError)):
        return Failure("badRequest", "The address or headers for Anthropic cannot be used: check ANTHROPIC_*.")
    if _is_any(causes, httpx2.ProxyError):
        return Failure("network", "The proxy did not connect to Anthropic: check HTTPS_PROXY.")
    if _is_any(causes, (anthropic.APIConnectionError, httpx2.TransportError, OSError)):
        return Failure("network", "The connection to Anthropic failed or broke off.")
    return Failure("protocol", "What answered does not keep to Anthropic's Messages API.")


def _is_any(causes: tuple[BaseException, ...], kinds: type | tuple[type, ...]) -> bool:
    return any(isinstance(cause, kinds) for cause in causes)


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__


def _of_status(fault: APIStatusError, is_near_limit: bool) -> Failure:
    refusal = next((one for one in REFUSALS if _fits(one, fault)), REFUSALS[-1])
    if refusal.kind == "badRequest":
        words = str(fault).lower()
        if NO_CREDIT in words:
            return Failure("quota", NO_MONEY)
        if is_near_limit or any(phrase in words for phrase in TOO_LONG_WORDS):
            return Failure("tooLong", TOO_LONG)
    return Failure(refusal.kind, refusal.sentence, _retry_after(fault.response.headers.get("retry-after", "")))


def _fits(refusal: Refusal, fault: APIStatusError) -> bool:
    if fault.error_code in refusal.codes or fault.type in refusal.types:
        return True
    return fault.status_code in refusal.statuses


def _retry_after(told: str) -> float | None:
    """Read seconds, or a date, as HTTP allows both."""
    try:
        seconds = float(told) if told.strip()[:1].isdigit() else _seconds_until(parsedate_to_datetime(told))
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) else None


def _seconds_until(moment: datetime) -> float:
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())
