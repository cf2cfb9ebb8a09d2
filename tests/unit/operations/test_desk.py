"""What one client's server remembers."""

from __future__ import annotations

import pytest

from compact_chat.operations import Desk


def test_settings_that_fit_are_taken_over() -> None:
    """A value of a wrong type is left out, the others count."""
    desk = Desk()

    desk.configure({"keepRecent": 3, "minKeep": -1, "redactEmails": True, "windows": {"m": 5}, "style": None})

    assert desk.chosen == {"keepRecent": 3, "redactEmails": True, "windows": {"m": 5}}
    assert desk.settings.redact_emails


@pytest.mark.parametrize("section", [None, [], "settings", 3])
def test_settings_of_no_shape_are_no_settings(section: object) -> None:
    """Whatever a client calls its settings, the defaults stand."""
    desk = Desk()

    desk.configure(section)

    assert desk.chosen == {}


def test_the_client_tells_its_abilities() -> None:
    """Abilities of `initialize` are kept; those of no shape are none."""
    desk = Desk()

    desk.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert desk.capabilities
    assert desk.capabilities.search_older

    desk.greet({"capabilities": {"searchOlder": 5}})
    assert desk.capabilities is None
