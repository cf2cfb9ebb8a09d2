"""A fake Messages API for each test, named by the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from compact_chat.models import anthropic
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_calls import environment


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """Serve the fake; what it holds against a request fails the test."""
    monkeypatch.setattr(anthropic, "_LEARNED", {})  # another fake may have had the same address
    with serving() as served:
        environment(monkeypatch, served)
        yield served
        assert served.problems == []
