"""Copied chats and plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

COPIES = {
    "headings": "## User\nfix it\n\n## Assistant\ndone",
    "deep headings": "#### user\nfix it\n#### assistant\ndone",
    "decorated headings": "### 🧑 **User:**\nfix it\n### 🤖 Claude\ndone",
    "said": "##### You said:\nfix it\n##### ChatGPT said:\ndone",
    "bold": "**User:**\nfix it\n\n**Assistant:**\n\ndone",
    "bold, colon outside": "**User**: fix it\n**Assistant**: done",
    "bold, no colon": "**Human**\nfix it\n**Assistant**\ndone",
    "labels": "User: fix it\nAssistant: done",
    "brackets": "[User]: fix it\n\n[Assistant]: done",
    "bare brackets": "[user]\nfix it\n\n[assistant]\ndone",
    "crlf": "## User\r\nfix it\r\n\r\n## Assistant\r\ndone\r\n",
}
# An editor's copy: a name begins the text, and returns behind an answer of the assistant's.
NAMED = "mara: fix it\n\nGitHub Copilot: done\n\nmara: and jam?\n\nGitHub Copilot: jam"


def turns(text: str) -> list[tuple[str, str]]:
    """Who says what."""
    return [(message.role, message.text) for message in read_chat(Source.of_text(text)).messages]


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_every_usual_mark_is_known(text: str) -> None:
    """Headings, bold labels, plain labels and brackets name who speaks."""
    assert turns(text) == [("user", "fix it"), ("assistant", "done")]


@pytest.mark.parametrize("name", ["mara", "Mara Lind", "mara_99", "3mara", "Mára O'Neil", "mara@bakery.se"])
def test_the_users_label_may_be_any_name(name: str) -> None:
    """It is not looked for in a list."""
    said = [("user", "fix it"), ("assistant", "done"), ("user", "and jam?"), ("assistant", "jam")]
    assert turns(NAMED.replace("mara", name)) == said


NO_CHATS = Path(__file__).with_name("no-chats.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", NO_CHATS)
def test_what_is_no_copied_chat_is_text(line: str) -> None:
    """Both sides must speak in one style outside fences; quotes, bullets, scalars and broken JSON are words."""
    assert read_chat(Source.of_text(line.replace("↵", "\n"))).format == "text"


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_words_may_be_said(asked: str, answered: str) -> None:
    """The first turn is the user's, whatever both sides say."""
    text = f"mara: x{asked}\n\nGitHub Copilot: {answered}\n\nmara: x\n\nGitHub Copilot: y"
    assert turns(text)[0][0] == "user"


@pytest.mark.parametrize(
    ("data", "name", "hint", "format_name"),
    [
        (b"hi", "a.md", None, "text"),
        (b"hi", "", "text", "text"),
        (b"hi", "", None, None),
        (b'{"a":1}', "a.md", None, None),
        (b'{"a":1}', "", "text", "text"),
        (b'{"kind":0}\n{"kind":1}\n{"cu', "a.md", None, None),
        (b"h\0i", "a.txt", "text", None),
        (b"h\xffi", "a.txt", "text", None),
        (b" \n\t", "a.txt", "text", None),
        (COPIES["headings"].encode(), "export.log", None, "markdown"),
        (COPIES["headings"].encode() + b"\0", "a.md", None, None),
        (COPIES["headings"].encode() + b"\xff", "a.md", None, None),
    ],
)
def test_what_bytes_are(data: bytes, name: str, hint: str | None, format_name: str | None) -> None:
    """Clean bytes are text under the name of one or by a hint, and a copied chat under any name."""
    try:
        found: str | None = read_chat(Source.of_bytes(data, name), hint).format
    except ChatUnreadable:
        found = None
    assert found == format_name
