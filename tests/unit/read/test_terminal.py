"""Turns copied from a terminal."""

from __future__ import annotations

import pytest

from compact_chat.read import Source, read_chat

COPY = """\
> add a shelf
  for the jam

⏺ I will look first.

  The list:

  - bread

⏺ Bash(git status)
  ⎿  On branch main
     nothing to commit

⏺ Update(src/shelf.py)
  ⎿  Added 1 line
       3 +  jam = Shelf()

⏺ The shelf is there.

> thanks

⏺ Gladly.
"""
ANSWER = """\
I will look first.

The list:

- bread

⏺ Bash(git status)
⎿  On branch main
   nothing to commit

⏺ Update(src/shelf.py)
⎿  Added 1 line
     3 +  jam = Shelf()

The shelf is there."""
SAID = [("user", "add a shelf\nfor the jam"), ("assistant", ANSWER), ("user", "thanks"), ("assistant", "Gladly.")]


def turns(text: str) -> list[tuple[str, str]]:
    """Who says what in a text that must be recognised as a copied chat."""
    chat = read_chat(Source.of_text(text))
    assert chat.format == "markdown"
    return [(message.role, message.text) for message in chat.messages]


def test_a_terminal_is_read() -> None:
    """An answer is one message with its calls and results; margins and bullets are the terminal's, not the words'."""
    assert turns(COPY) == SAID


@pytest.mark.parametrize(("old", "new"), [("> ", "❯ "), ("> ", ">\xa0"), ("\n", "\r\n")])
def test_prompts_and_line_ends_may_differ(old: str, new: str) -> None:
    """G3: newer prompts and CRLF read the same."""
    assert turns(COPY.replace(old, new)) == SAID


def test_round_bullets_are_known_by_the_results() -> None:
    """Where the bullets are round ones, the results below the calls tell that it is a terminal."""
    assert turns(COPY.replace("⏺", "●")) == [(role, words.replace("⏺", "●")) for role, words in SAID]


def test_thinking_is_the_assistants() -> None:
    """What the model thinks before its first words is not the user's."""
    text = "> hi\n\n✻ Thinking…\n\n  A greeting.\n\n⏺ Hello!\n"
    assert turns(text) == [("user", "hi"), ("assistant", "✻ Thinking…\n\nA greeting.\n\nHello!")]


def test_a_banner_is_left_out_and_told() -> None:
    """What the terminal shows above the first prompt is no turn."""
    chat = read_chat(Source.of_text("╭────╮\n│ ✻ Welcome │\n╰────╯\n\n" + COPY))
    assert [(message.role, message.text) for message in chat.messages] == SAID
    assert [warning.code for warning in chat.warnings] == ["textBeforeFirstTurn"]


def test_an_empty_prompt_is_no_turn() -> None:
    """The prompt that waits at the end of the screen says nothing."""
    assert [role for role, _ in turns(COPY + "\n> \n")] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("quote", ["  > quoted", "> quoted\n> more", "why\n> quoted", "  ```\n> quoted\n  ```"])
def test_quotes_in_an_answer_are_words(quote: str) -> None:
    """A quote is indented, of several lines, within a paragraph or in a fence; a prompt stands alone."""
    assert [role for role, _ in turns(COPY.replace("- bread", f"- bread\n\n{quote}"))] == [role for role, _ in SAID]
    assert "> quoted" in turns(COPY.replace("- bread", f"- bread\n\n{quote}"))[1][1]


@pytest.mark.parametrize(
    "text",
    [
        "# Bread\n\n> Bread is old.\n\nSo it is.\n\n> Jam is older.\n\nMaybe.",
        "> A quote.\n\n● one\n● two\n",
        "> A quote.\n\n- one\n- two\n",
        "> only what was typed\n\n> and again",
        "⏺ Only an answer.\n\n⏺ Bash(ls)\n  ⎿  a.py",
        "> A quote\n> of two lines.\n\n⏺ is a round button.",
        "```\n> hi\n\n⏺ Hello!\n```",
    ],
)
def test_what_is_no_terminal(text: str) -> None:
    """Quotes and bullets alone are Markdown, and so is a terminal that is only shown."""
    assert read_chat(Source.of_text(text)).format == "text"


def test_labels_go_before_prompts() -> None:
    """A terminal that somebody pasted into a copied chat is words of a turn."""
    assert turns(f"## User\n{COPY}\n## Assistant\nI see.") == [("user", COPY.strip()), ("assistant", "I see.")]
