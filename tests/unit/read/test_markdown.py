"""Markdown of a copied chat."""

from __future__ import annotations

import pytest

from compact_chat.read import Source, read_chat
from compact_chat.read import pasted as markdown
from compact_chat.text import CONTINUED

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


def test_headings_in_fences_are_words() -> None:
    """R5: a heading inside a closed fence marks no turn; behind an unclosed one it does."""
    assert turns("## User\n```\n## Assistant\nno\n```\n## Assistant\nyes")[1] == ("assistant", "yes")
    assert len(turns("## User\n```\n## Assistant\nyes")) == 2


def test_one_style_marks_the_turns() -> None:
    """Marks of another style inside a turn are words of that turn."""
    text = "## User\nwhy\nAssistant: x\nUser: y\n## Assistant\nbecause\n## User\nah"
    assert turns(text) == [("user", "why\nAssistant: x\nUser: y"), ("assistant", "because"), ("user", "ah")]


def test_only_line_feeds_part_lines() -> None:
    """G3: U+2028 is an ordinary character."""
    assert turns("## User\na\u2028## Assistant\n## Assistant\nb")[0] == ("user", "a\u2028## Assistant")


def test_blank_turns_are_left_out() -> None:
    """A mark with nothing behind it is no message."""
    chat = read_chat(Source.of_text("## System\nrules\n## User\nhi\n## Assistant\n"))
    assert [(message.id, message.role) for message in chat.messages] == [("m0", "system"), ("m1", "user")]


def test_text_before_the_first_turn_is_told() -> None:
    """What stands above the first mark is left out with a warning."""
    chat = read_chat(Source.of_text("# My chat\n\n## User\nhi\n## Assistant\nyes"))
    assert len(chat.messages) == 2
    assert [warning.code for warning in chat.warnings] == ["textBeforeFirstTurn"]


def test_bytes_of_any_name_may_be_a_copied_chat() -> None:
    """The marks are evidence enough, if the bytes are clean text."""
    data = COPIES["headings"].encode()
    assert markdown.sniff(Source.of_bytes(data, "export.log"))
    assert not markdown.sniff(Source.of_bytes(data + b"\0"))
    assert not markdown.sniff(Source.of_bytes(data + b"\xff"))


def test_a_copied_summary_is_marked() -> None:
    """P23 holds for every format."""
    text = "## User\n<context-summary>\nold\n</context-summary>\n## Assistant\nok"
    assert read_chat(Source.of_text(text)).messages[0].is_summary


def test_a_continuation_of_ours_is_one_message() -> None:
    """C8: the labels of the messages it quotes begin no turns; the summary before them is not left out."""
    text = f"{CONTINUED}\n\nSummary:\nThe trays.\n\n## Recent messages\n\n[User]: go on\n\n[Assistant]: yes"

    chat = read_chat(Source.of_text(text))

    assert [message.text for message in chat.messages] == [text]
    assert chat.warnings == ()
