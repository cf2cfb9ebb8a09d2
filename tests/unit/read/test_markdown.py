"""Markdown of a copied chat."""

from __future__ import annotations

import pytest

from compact_chat.read import Source, read_chat
from compact_chat.read import pasted as markdown

COPIES = {
    "headings": "## User\nfix it\n\n## Assistant\ndone",
    "deep headings": "#### user\nfix it\n#### assistant\ndone",
    "decorated headings": "### 🧑 **User:**\nfix it\n### 🤖 Claude\ndone",
    "said": "##### You said:\nfix it\n##### ChatGPT said:\ndone",
    "bold": "**User:**\nfix it\n\n**Assistant:**\n\ndone",
    "bold, colon outside": "**User**: fix it\n**Assistant**: done",
    "bold, no colon": "**Human**\nfix it\n**Assistant**\ndone",
    "editor": "**You:** fix it\n\n**GitHub Copilot:** done",
    "labels": "User: fix it\nAssistant: done",
    "name": "Human: fix it\n\nGitHub Copilot: done",
    "brackets": "[User]: fix it\n\n[Assistant]: done",
    "bare brackets": "[user]\nfix it\n\n[assistant]\ndone",
    "crlf": "## User\r\nfix it\r\n\r\n## Assistant\r\ndone\r\n",
}


def turns(text: str) -> list[tuple[str, str]]:
    """Who says what in a text that must be recognised as a copied chat."""
    chat = read_chat(Source.of_text(text))
    assert chat.format == "markdown"
    return [(message.role, message.text) for message in chat.messages]


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_every_usual_mark_is_known(text: str) -> None:
    """Headings, bold labels, plain labels and brackets name who speaks."""
    assert turns(text) == [("user", "fix it"), ("assistant", "done")]


@pytest.mark.parametrize(
    "text",
    [
        "## User\nonly one turn",
        "User: a\nUser: b",
        "**User** should press the button.\n**Assistant** roles are vacant.",
        "## Users\nx\n## Assistants\ny",
        "see ## User\nsee ## Assistant",
        "```\n## User\na\n## Assistant\nb\n```",
        "    ## User\n    ## Assistant",
        "- User: a\n- Assistant: b",
        "> User: a\n> Assistant: b",
    ],
)
def test_what_is_no_copied_chat(text: str) -> None:
    """Both sides must speak in one style, outside fences."""
    assert read_chat(Source.of_text(text)).format == "text"


def test_bytes_of_any_name_may_be_a_copied_chat() -> None:
    """The marks are evidence enough, if the bytes are clean text."""
    data = COPIES["headings"].encode()
    assert markdown.sniff(Source.of_bytes(data, "export.log"))
    assert not markdown.sniff(Source.of_bytes(data + b"\0"))
    assert not markdown.sniff(Source.of_bytes(data + b"\xff"))
