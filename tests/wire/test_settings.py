"""Settings reach the operations: asked for, or sent by the client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.servers.processes import within
from tests.servers.wire_client import WireClient

Start = Callable[[], WireClient]
CHANGED, PULL, REGISTER = "workspace/didChangeConfiguration", "workspace/configuration", "client/registerCapability"
PULLS = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}


def section(client: WireClient) -> Any:
    """The settings as an operation finds them."""
    return client.call("compactChat/state")["section"]


def test_settings_are_asked_for(start: Start) -> None:
    """Once it is initialized, before the first operation, and again after a change; news of changes are wanted."""
    client = start()
    client.replies[PULL] = [{"minKeep": 2}]
    client.initialize(capabilities=PULLS)
    assert section(client) == {"minKeep": 2}
    assert [one["params"] for one in client.asked(PULL)] == [{"items": [{"section": "compactChat"}]}]
    [registration] = client.until(lambda one: one.get("method") == REGISTER)["params"]["registrations"]
    assert (registration["method"], registration["registerOptions"]) == (CHANGED, {"section": "compactChat"})
    client.replies[PULL] = [{"minKeep": 3}]
    client.notify(CHANGED, {"settings": None})
    assert section(client) == {"minKeep": 3}


def test_a_failure_with_settings_stays_quiet(start: Start) -> None:
    """Where taking the settings fails, the log names the place alone, and the client is served."""
    client = start()
    client.replies[PULL] = ["fail"]
    client.initialize(capabilities=PULLS)
    assert section(client) is None
    client.notify(CHANGED, {"settings": {"compactChat": "fail"}})
    assert section(client) is None
    within(60, lambda: len(client.log) == 2)
    client.notify("exit", None)
    client.end()
    assert [line.partition(" at __main__:")[0] for line in client.log] == [
        "workspace/configuration failed: ValueError",
        "workspace/didChangeConfiguration failed: ValueError",
    ]
