"""The nine sections that the detailed prompt asks for, and the skeleton that shows them."""

from __future__ import annotations

import re

import pytest

from compact_chat.plan import Direction
from compact_chat.text import TAGS, find_tags
from tests.samples.prompts import detailed_prompt, each_direction, section, skeleton, titles


@each_direction
def test_exactly_nine_sections(direction: Direction) -> None:
    """P6: the sections are numbered, titled and ordered as fixed, in the list and in the skeleton."""
    prompt = detailed_prompt(direction)
    numbered = list(enumerate(titles(direction), 1))
    assert re.findall(r"^(\d+)\. ([^:\n]+):", prompt, re.MULTILINE) == [(str(n), title) for n, title in numbered]
    assert re.findall(r"^## (\d+)\. (.+)$", skeleton(prompt), re.MULTILINE) == [
        (str(n), title) for n, title in numbered
    ]


@pytest.mark.parametrize(
    ("number", "phrases"),
    [
        (1, ["explicitly asked for", "purpose", "in detail"]),
        (2, ["concepts, technologies and frameworks"]),
        (3, ["looked at, changed or made", "path"]),
        (4, ["error", "repaired", "what the user said about it, above all corrections"]),
        (5, ["solved", "tracked down"]),
        (6, ["every message of the user", "not a tool result", "feedback and shifts of intent"]),
        (7, ["open work that the user explicitly asked for"]),
        (8, ["exactly what was going on", "file names and snippets"]),
    ],
)
@each_direction
def test_what_each_section_asks_for(direction: Direction, number: int, phrases: list[str]) -> None:
    """P6: every section says what belongs into it, in all directions."""
    for phrase in phrases:
        assert phrase in section(direction, number)


def test_the_sections_of_the_newer_part() -> None:
    """P6: `from` asks for the newer messages where the table says so."""
    for number in (1, 6, 7):
        assert "newer" in section("from", number)
        assert "newer" not in section("all", number)
    assert "recently" in section("from", 2)


def test_the_sections_of_the_older_part() -> None:
    """P6: `upTo` asks for the older messages, for a mere list of files, and for the end of the part."""
    for number in (1, 6):
        assert "older" in section("upTo", number)
    assert "a list of" in section("upTo", 3)
    assert "snippet" not in section("upTo", 3)
    assert "at the end of this part" in section("upTo", 8)
    for phrase in ("context, decisions and state", "later messages rely on"):
        assert phrase in section("upTo", 9)


@pytest.mark.parametrize("direction", ["all", "from"])
def test_the_newest_work_has_weight(direction: Direction) -> None:
    """P6: files with snippets and reasons, the present work, and a next step that is proved by quotes."""
    for phrase in ("complete snippets", "why each read or edit matters", "newest messages"):
        assert phrase in section(direction, 3)
    assert "right before this request" in section(direction, 8)
    step = section(direction, 9)
    for phrase in (
        "only if it follows straight from",
        "finished task gets none",
        "side topics",
        "finished long ago",
        "verbatim quotes",
    ):
        assert phrase in step


@each_direction
def test_the_skeleton(direction: Direction) -> None:
    """P7: one example shows both blocks in order, with bracketed fillers under each title."""
    prompt = detailed_prompt(direction)
    tags = [("/" * tag.closing) + tag.name for tag in find_tags(skeleton(prompt), TAGS)]
    assert tags == ["analysis", "/analysis", "summary", "/summary"]
    assert prompt.count("<example>") == prompt.count("</example>") == 1
    for body in re.split(r"^## .+\n", skeleton(prompt), flags=re.MULTILINE)[1:]:
        assert re.match(r"(?:- )?\[[A-Z][^\]\n]+\]", body)


def test_the_older_part_has_no_next_step() -> None:
    """P7: with `upTo`, title 9 is the context, and the next step is nowhere."""
    prompt = detailed_prompt("upTo")
    assert prompt.count("9. Context for Continuing Work") == 2
    assert "Optional Next Step" not in prompt
