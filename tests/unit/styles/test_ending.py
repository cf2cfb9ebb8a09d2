"""The line that ends a reply without a stop reason (rule L10)."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.styles import STYLES
from compact_chat.wire import Style
from tests.samples.styles import read

OTHERS: Any = ("checkpoint", "structured", "brief")
EVERY: Any = ("detailed", *OTHERS)


@pytest.mark.parametrize("style", OTHERS)
@pytest.mark.parametrize(
    "end", ["</summary>", "</summary>\n\n", "  </Summary >\t\n", "</summary>\r\n\r\n", "\n</summary>"]
)
def test_the_line_is_removed(style: Style, end: str) -> None:
    """L10: in every style but the detailed one the line goes, whatever blanks stand around it."""
    reply = STYLES[style].whole_reply(f"## Goal\nShip it.\r\n{end}")
    assert reply is not None
    assert reply.rstrip() == "## Goal\nShip it."


@pytest.mark.parametrize("style", EVERY)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "## Goal\nShip",
        "## Goal\nShip it.\n</summary",
        "## Goal\n</summary>\nThat was all.",
        "## Goal\nIt ends with `</summary>`",
        "## Goal\n</summary-x>",
        "## Goal\n<summary>",
        "<analysis>\nnotes",
    ],
)
def test_without_the_line_a_reply_is_cut_off(style: Style, text: str) -> None:
    """L10: a reply that does not end with the line is cut off, however whole it looks."""
    assert STYLES[style].whole_reply(text) is None


@pytest.mark.parametrize("style", OTHERS)
def test_the_tag_behind_words_is_no_line(style: Style) -> None:
    """L10: beside a summary the tag is a line of its own."""
    assert STYLES[style].whole_reply("## Goal\nShip it.</summary>") is None


@pytest.mark.parametrize("style", EVERY)
@pytest.mark.parametrize("fence", ["```", "```markdown", "~~~~"])
def test_a_fence_around_it_all_hides_no_end(style: Style, fence: str) -> None:
    """L10, R2: a model that puts its whole reply into a fence has ended it where the line stands in there."""
    close = fence.removesuffix("markdown")
    reply = STYLES[style].whole_reply(f"{fence}\n<summary>\n## Goal\nShip it.\n</summary>\n{close}\n")
    assert reply is not None
    assert "Ship it." in reply
    assert "`" not in reply
    assert STYLES[style].whole_reply(f"{fence}\n<summary>\n## Goal\n```\nx\n{close}") is None


@pytest.mark.parametrize("style", OTHERS)
def test_the_line_that_opens_goes_too(style: Style) -> None:
    """L10: a model that was told to close a tag may open it; what is left is the summary alone."""
    assert STYLES[style].whole_reply("\n<summary>\n## Goal\n<summary>\n</summary>") == "## Goal\n<summary>\n"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<analysis>x</analysis>\n<summary>\nok\n</summary>\n", "ok"),
        ("<summary>ok</summary>", "ok"),
        ("<summary>\nok\n</summary>\n</summary>", "ok"),
        ("<summary>\nok\n</summary>\n\nThat was all.\n</summary>", "ok"),
        ("<summary>\na <summary> b\n</summary>", "a <summary> b"),
        ("<analysis>never closed\n<summary>\nok\n</summary>", "ok"),
        ("<summary>one</summary>\n<summary>\ntwo\n</summary>", "one\n\ntwo"),
    ],
)
def test_a_detailed_reply_keeps_the_end_of_its_block(text: str, summary: str) -> None:
    """L10, F7: the line that ends the block stays, so that nothing seems cut off; one too many goes (rule F5)."""
    reply = STYLES["detailed"].whole_reply(text)
    assert reply is not None
    made = read(reply)
    assert (made.text, made.warnings) == (f"Summary:\n{summary}", ())


def test_a_detailed_reply_without_tags_loses_the_line() -> None:
    """L10, F9: a reply of headings alone is taken without the line that proved its end."""
    titles = "1. Primary Request and Intent:\na\n2. Key Technical Concepts:\nb\n3. Files and Code Sections:\nc\n"
    assert STYLES["detailed"].whole_reply(f"{titles}</summary>") == titles
