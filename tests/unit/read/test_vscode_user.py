"""The user's side of a VS Code request."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import Image, Message, Text
from compact_chat.read import unframed
from tests.fakes.vscode_sessions import session_chat

COPILOT = {"id": "github.copilot.editsAgent"}


def asked(request: dict[str, Any], **metadata: Any) -> Message | None:
    """The message that a request sends."""
    stored = {"requestId": "r", **request, "result": {"metadata": metadata}}
    return next(iter(session_chat({"requests": [stored]}).messages), None)


def part(kind: str, end: int) -> dict[str, Any]:
    """A part of what was typed, up to a place."""
    return {"kind": kind, "range": {"start": 0, "endExclusive": end}}


def test_the_rendered_message_is_what_was_sent() -> None:
    """Texts and pictures are kept, marks for the cache are not; what was typed does not count then."""
    rendered = [{"type": 1, "text": "<context/>"}, {"type": 3, "cacheType": "ephemeral"}, {"type": 1, "text": " "}]
    picture = {"type": 0, "imageUrl": {"url": "data:image/png;base64,QUJD"}}
    message = asked({"message": "typed"}, renderedUserMessage=[*rendered, picture])
    assert message == Message("r", "user", (Text("<context/>"), Image("image/png", data="QUJD")))
    assert asked({}, renderedUserMessage="old form") == Message("r", "user", (Text("old form"),))
    assert asked({}, renderedUserMessage=[None, 7, {"type": 1}, {"text": 3}]) is None


@pytest.mark.parametrize(
    ("agent", "words"), [(COPILOT, "<userRequest>\nhi\n</userRequest>\n"), ({"id": "me"}, "hi"), (None, "hi")]
)
def test_without_it_what_was_typed_stands_for_it(agent: object, words: str) -> None:
    """Copilot Chat frames what it sends; another participant gets it plain."""
    message = asked({"message": {"text": "hi"}, "agent": agent})
    assert message
    assert message.text == words


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("old form", "old form"),
        ({"text": "hi"}, "hi"),
        ({"text": "/compact keep names", "parts": [part("subcommand", 8), part("text", 19)]}, "keep names"),
        ({"text": "@me /do it", "parts": [part("agent", 3), part("subcommand", 7)]}, "it"),
        ({"text": "#file:a see", "parts": [part("dynamic", 7)]}, "#file:a see"),
        ({"text": 5, "parts": [{"kind": "agent", "range": {"endExclusive": "x"}}, 3]}, ""),
        ({"text": "hi", "parts": [part("agent", -1)]}, "hi"),
        (None, ""),
    ],
)
def test_addresses_are_not_sent(message: object, words: str) -> None:
    """Who is asked, and for which command, is not part of the prompt."""
    sent = asked({"message": message})
    assert (sent.text if sent else "") == words


def test_a_repeated_try_sends_nothing_new() -> None:
    """A request that confirms goes on with the answer before it."""
    again = {"message": {"text": "@agent Try Again"}, "confirmation": "Try Again", "agent": COPILOT}
    assert asked(again) is None
    assert asked(again, renderedUserMessage=[{"type": 1, "text": "anew"}])
    assert asked({"message": ""}) is None


def test_what_the_host_asks_by_itself_is_its_own() -> None:
    """A request that no person made is told from others."""
    message = asked({"message": "done", "isSystemInitiated": True})
    assert message
    assert message.by_host


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<context>\nmonday\n</context>\n<userRequest>\nfix it\n\nnow\n</userRequest>\n", "fix it\n\nnow"),
        ("<attachments>x</attachments>\n<user_query>\nfix it\n</user_query>\n", "fix it"),
        ("<userRequest>\nfix it\n</userRequest>", "fix it"),
        ("what does <userRequest> mean?", "what does <userRequest> mean?"),
        ("stray\n</userRequest>", "stray\n</userRequest>"),
        ("", ""),
    ],
)
def test_what_was_typed_is_found_in_its_frame(text: str, typed: str) -> None:
    """Copilot Chat's notes before the frame are not the person's words; a text without a frame is."""
    assert unframed(text) == typed
