"""Titles are masked before they are cut, and hold nothing that a strict reader refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.chats import LONGEST_TITLE, shown_title
from compact_chat.operations.watch import LiveChat, Params
from tests.samples.session_files import WRITERS

Ask = Callable[..., Any]
KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
SECRETS = [
    KEY,
    "sk-proj-" + "aB3dE6gH9jK2mN5p" * 4,
    "postgres://admin:hunter2pass@db.example.com/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c",
]


def as_it_is(text: str) -> str:
    """Mask nothing."""
    return text


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("é" * 80, "é" * 80),
        ("é" * 81, "é" * 79 + "…"),
        ("word " * 20, "word " * 15 + "word…"),
        ("x" * 70 + " " + "y" * 30, "x" * 70 + "…"),
        ("x" * 79 + " yes", "x" * 79 + "…"),
        ("a " + "x" * 100, "a " + "x" * 77 + "…"),
        ("x" * 70 + "     " + "y" * 30, "x" * 70 + "…"),
        ("\n first \nsecond", "first"),
        ("", None),
        (" \n", None),
        (None, None),
    ],
)
def test_a_title_is_a_short_line(title: str | None, shown: str | None) -> None:
    """G2: eighty characters at most, an ellipsis where it is cut, and at the end of a word if one is near."""
    assert shown_title(title, as_it_is) == shown
    assert len(shown or "") <= LONGEST_TITLE


@pytest.mark.parametrize("secret", SECRETS, ids=lambda one: one[:4])
@pytest.mark.parametrize("before", range(0, 80, 5))
def test_no_part_of_a_secret_is_shown(secret: str, before: int) -> None:
    """Wherever in the first line a secret stands, it is masked before the line is cut."""
    shown = shown_title(("please use " + "word " * 20)[:before] + " " + secret, ClientState().redactor())

    assert shown is not None
    assert not any(part in shown for part in ("ghp_", "sk-proj", "hunter", "eyJ"))


@pytest.mark.parametrize("tool", WRITERS)
def test_counting_listing_and_watching_show_the_same(ask: Ask, tmp_path: Path, tool: str) -> None:
    """A key in the middle of a long first line is masked everywhere, for the chats of every tool."""
    said = "w" * 44 + " " + KEY + " and count the trays of every single shelf, one after the other, " * 3
    uri = WRITERS[tool](tmp_path, 1, said, "/demo/shop").as_uri()
    (listed,) = ask("sessions", roots=[tmp_path.as_uri()])["sessions"]
    counted = ask("countTokens", chat={"uri": uri})["title"]
    watched = LiveChat(ChatRef(uri=uri), Params(), ClientState()).report(Job(ClientState())).title

    assert listed["title"] == counted == watched
    assert "ghp_" not in counted
    assert len(counted) <= LONGEST_TITLE


def test_halves_of_surrogate_pairs_are_replaced(ask: Ask, tmp_path: Path) -> None:
    """A strict client may refuse an answer that holds one; whole pairs stay characters."""
    WRITERS["claude-code"](tmp_path, 1, "Count \ud83d trays \U0001f600", "/demo")
    (listed,) = ask("sessions", roots=[tmp_path.as_uri()])["sessions"]

    assert listed["title"] == "Count \ufffd trays \U0001f600"
    assert "\\ud83d\\ude00" in json.dumps(listed["title"])
    assert shown_title("\ud83d\ude00", as_it_is) == "\U0001f600"


def test_a_title_out_of_a_message_has_no_mark_of_a_heading() -> None:
    """A continued chat begins with one; what only looks like a heading stays."""
    assert shown_title("## Session Continued\n\nmore", as_it_is) == "Session Continued"
    assert shown_title("#12 and # too", as_it_is) == "#12 and # too"
