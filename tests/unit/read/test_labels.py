"""Turns under names, as an editor copies them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import Source, read_chat
from compact_chat.read.pasted import labelled

COPY = "mara: Please add a shelf.\n\nGitHub Copilot: Done.\n\nmara: And jam?\n\nGitHub Copilot: There is jam."
SAID = [("user", "Please add a shelf."), ("assistant", "Done."), ("user", "And jam?"), ("assistant", "There is jam.")]


def turns(text: str) -> list[tuple[str, str]]:
    """Who says what; plain text is one turn of the user."""
    return [(message.role, message.text) for message in read_chat(Source.of_text(text)).messages]


@pytest.mark.parametrize("name", ["mara", "Mara Lind", "mara-l", "mara_99", "3mara", "Mára O'Neil", "mara@bakery.se"])
@pytest.mark.parametrize("assistant", ["GitHub Copilot", "Claude", "ChatGPT"])
def test_the_users_label_may_be_any_name(name: str, assistant: str) -> None:
    """A name that begins the text and comes again behind an answer is the user's."""
    assert turns(COPY.replace("mara", name).replace("GitHub Copilot", assistant)) == SAID


@pytest.mark.parametrize(
    "text",
    [
        "Note: jam is sweet.\n\nGitHub Copilot: an assistant\n\nVim: an editor",
        "# Tools\n\nmara: likes Vim\n\nGitHub Copilot: an assistant\n\nmara: likes jam",
        "mara: a\n\nmara: b",
        "mara: a\n\nmara: b\n\nGitHub Copilot: c",
        "mara: a\n\nolga: b\n\nmara: c",
        "mara: a\nGitHub Copilot: b\nmara: c",
        "GitHub Copilot: a\n\nmara: b\n\nGitHub Copilot: c",
        "https://bakery.se\n\nGitHub Copilot: b\n\nhttps://bakery.se",
        "```\nmara: a\n```\n\nmara: b\n\nGitHub Copilot: c\n\nmara: d",
    ],
)
def test_what_is_no_copy_of_an_editor(text: str) -> None:
    """A name must begin the text, and come again behind an assistant's answer."""
    assert turns(text) == [("user", text)]


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_words_may_be_said(asked: str, answered: str) -> None:
    """The first turn is the user's, whatever both sides say."""
    marks = labelled(f"mara: {asked}\n\nGitHub Copilot: {answered}\n\nmara: x\n\nGitHub Copilot: y".split("\n"))
    assert [(mark.line, mark.role) for mark in marks[:1]] == [(0, "user")]
