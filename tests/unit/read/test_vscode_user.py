"""The user's side of a VS Code request."""

from __future__ import annotations

import pytest

from compact_chat.read import unframed


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
