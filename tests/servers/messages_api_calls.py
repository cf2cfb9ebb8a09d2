"""Calls of the Anthropic provider against the fake Messages API, for tests and benchmarks alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from compact_chat.models import Access, Answer, Assignment, anthropic
from compact_chat.styles import MaskedRequest
from tests.servers.messages_api import Api

if TYPE_CHECKING:
    import pytest

KEY, MODEL = "sk-ant-test-0123456789", "claude-haiku-5-5"
PATIENCE = 20.0  # seconds for what should come at once, on a shared machine
REQUEST = MaskedRequest(material="<conversation>\nHow many loaves?\n</conversation>", text="Summarise it.")
OURS = ("ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")  # prefixes of behaviors that change a call
# The phases in which a call can be cancelled, and how the fake holds it there; only TLS waits while connecting.
PHASES = {
    "connect": "ok",
    "headers": "hang",
    "half of the headers": "half_headers",
    "before the first event": "stall_at_headers",
    "mid-stream": "endless",
    "stalled": "stall",
    "pings": "pings",
}


def environment(patch: pytest.MonkeyPatch, api: Api | None = None, key: str | None = KEY) -> None:
    """Set the environment to the fake and a key, and nothing else."""
    for name in [one for one in os.environ if one.upper().startswith(OURS)]:
        patch.delenv(name)
    if api is not None:
        patch.setenv("ANTHROPIC_BASE_URL", api.url)
    if key is not None:
        patch.setenv("ANTHROPIC_API_KEY", key)


def access(host: Any = None, idle: float = PATIENCE, total: float = PATIENCE) -> Access:
    """Return access with these timeouts."""
    return Access(host, idle, total, user_initiated=True)


async def writing(given: Access | None = None, tell: Callable[[str], None] = lambda _: None, **wishes: Any) -> Answer:
    """Have the default request answered."""
    assignment = Assignment(**{"model": MODEL, "max_output_tokens": 500, "request": REQUEST, **wishes})
    return await anthropic.write(assignment, given or access(), tell)
