"""What a person typed, whichever tool wrote around it."""

from __future__ import annotations

from compact_chat.chat import Message, Text
from compact_chat.facts import requests
from compact_chat.read import typed_texts


def test_the_words_of_all_tools_are_stripped() -> None:
    """Wrappers of each tool go, plain words stay."""
    texts = ["<system-reminder>x</system-reminder>", "<task>\nMend it.\n</task>", "<session_context>x", "and more"]
    assert typed_texts([*texts, "--- Content from referenced files ---", "code"]) == ["Mend it.", "and more"]


def test_requests_are_the_words_of_a_person() -> None:
    """A task of Cline's is a request without its environment."""
    details = "<environment_details>\n# Current Time\n</environment_details>"
    message = Message("m0", "user", (Text("<task>\nMend it.\n</task>"), Text(details)))
    assert [request.text for request in requests([message])] == ["Mend it."]
