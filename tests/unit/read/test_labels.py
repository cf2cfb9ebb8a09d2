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


@pytest.mark.parametrize("head", ["\n\n", "\ufeff", " \n"])
def test_blank_lines_above_are_nothing(head: str) -> None:
    """Nothing but blanks may stand above the name."""
    chat = read_chat(Source.of_text(head + COPY))
    assert (len(chat.messages), chat.warnings) == (4, ())


def test_line_ends_are_read_as_line_feeds() -> None:
    """G3: a copy with CRLF reads the same."""
    assert turns(COPY.replace("\n", "\r\n")) == SAID


def test_words_may_begin_on_the_next_line() -> None:
    """A label with nothing behind it is a label."""
    assert turns(COPY.replace(": ", ":\n---\n"))[0] == ("user", "---\nPlease add a shelf.")


@pytest.mark.parametrize(
    "line",
    [
        "Note: jam is sweet.",
        "TODO: more jam",
        "User: is a label of a form",
        "Assistant: is another",
        "Claude: is a name",
        "mara:80 is no host",
        "see mara: it is hers",
        "> mara: quoted",
        "- mara: a point",
    ],
)
def test_prose_with_a_colon_is_no_turn(line: str) -> None:
    """Only the label that begins the text, and the assistant's, begin a turn."""
    assert turns(COPY.replace("Done.", f"Done.\n\n{line}\n\nSo much.")) == [
        SAID[0],
        ("assistant", f"Done.\n\n{line}\n\nSo much."),
        *SAID[2:],
    ]


def test_a_label_within_a_paragraph_is_words() -> None:
    """An editor parts turns by blank lines."""
    assert turns(COPY.replace("Done.", "I read:\nmara: jam"))[1] == ("assistant", "I read:\nmara: jam")


def test_labels_in_fences_are_words() -> None:
    """R5: what a closed fence shows begins no turn."""
    shown = "```\n\nmara: jam\n\n```"
    assert turns(COPY.replace("Done.", f"So:\n\n{shown}"))[1] == ("assistant", f"So:\n\n{shown}")


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
