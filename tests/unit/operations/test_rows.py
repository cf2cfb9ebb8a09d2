"""The lines by which a preview lets a person know a message again."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.operations.preview import EXCERPT, excerpt
from compact_chat.read import resolved
from tests.samples.chats import a, call, res, u


def test_an_excerpt_is_what_was_typed() -> None:
    """What a tool wrote around the words is no part of it; what holds nothing else is shown as it is."""
    wrapped = {
        "<current_datetime>now</current_datetime>\n\nfix it": "fix it",
        "<context>\nNov 18\n</context>\n<userRequest>\nfix it\n</userRequest>\n": "fix it",
        "<task>\nfix it\n</task>": "fix it",
        "<system-reminder>mind</system-reminder>\nfix  it": "fix it",
        "<system-reminder>mind</system-reminder>": "<system-reminder>mind</system-reminder>",
    }
    read = resolved(map(u, wrapped), "anthropic")
    assert dict(zip(wrapped, map(excerpt, read), strict=True)) == wrapped


def test_what_the_host_wrote_is_shown_as_it_is() -> None:
    """Nobody typed it, so nothing is looked for in it; neither in a summary nor in what the assistant says."""
    text = "<task>\nfix it\n</task>"
    for message in (replace(u(text), by_host=True), replace(u(text), is_summary=True), a(text)):
        assert excerpt(message) == "<task> fix it </task>"


def test_a_message_without_words_is_known_by_its_calls_and_results() -> None:
    """The first of either; and the excerpt is short."""
    assert excerpt(a(call("1", path="a.py"), call("2"))) == "look a.py"
    assert excerpt(u(res("1", "found\nit"))) == "found it"
    assert excerpt(Message("m", "user", ())) == ""
    assert len(excerpt(u("long " * 1000))) == EXCERPT
