"""What one client's server remembers."""

from __future__ import annotations

import pytest

from compact_chat.operations import ClientState


def test_settings_that_fit_are_taken_over() -> None:
    """A value of a wrong type is left out, the others count."""
    client = ClientState()

    client.configure({"keepRecent": 3, "minKeep": -1, "redactEmails": True, "windows": {"m": 5}, "style": None})

    assert client.chosen == {"keepRecent": 3, "redactEmails": True, "windows": {"m": 5}}
    assert client.settings.redact_emails


@pytest.mark.parametrize("section", [None, [], "settings", 3])
def test_settings_of_no_shape_are_no_settings(section: object) -> None:
    """Whatever a client calls its settings, the defaults stand."""
    client = ClientState()

    client.configure(section)

    assert client.chosen == {}


def test_the_client_tells_its_abilities() -> None:
    """Abilities of `initialize` are kept; those of no shape are none."""
    client = ClientState()

    client.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert client.capabilities
    assert client.capabilities.search_older

    client.greet({"capabilities": {"searchOlder": 5}})
    assert client.capabilities is None
