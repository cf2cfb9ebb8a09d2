"""The wording of the prompts is complete, plain and free of slots."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from compact_chat.styles.prompts import wording

OWN = ("detailed-all", "detailed-from", "detailed-up-to")
TEXTS = tuple(sorted(path.name.removesuffix(".md") for path in (files("compact_chat.styles") / "texts").iterdir()))


@pytest.mark.parametrize("name", OWN)
def test_each_direction_has_the_same_parts(name: str) -> None:
    """P1: no direction lacks a part that another has."""
    assert tuple(wording(name)) == ("Task", "Analysis", "Sections", "Example")


@pytest.mark.parametrize("name", TEXTS)
def test_each_part_says_something_and_is_trimmed(name: str) -> None:
    """P1: parts hold text, no blank lines in a row, no blanks at line ends, no tabs."""
    for text in wording(name).values():
        assert text == text.strip() != ""
        assert not re.search(r"\n\n\n|[ \t]+\n|\t|\r", text)


@pytest.mark.parametrize("name", OWN)
def test_the_example_shows_the_titles_of_the_sections(name: str) -> None:
    """P7: the skeleton shows the titles that the sections ask for, in the same order."""
    asked = re.findall(r"^(\d\. [^:]+):", wording(name)["Sections"], re.MULTILINE)
    shown = re.findall(r"^## (\d\. .+)$", wording(name)["Example"], re.MULTILINE)
    assert asked == shown
    assert len(asked) == 9


def test_what_stands_ahead_of_the_parts_is_not_sent() -> None:
    """P1: a file's introduction is for its readers."""
    assert not any("a model gets what stands below" in text for name in TEXTS for text in wording(name).values())


def test_a_heading_in_an_example_begins_no_part() -> None:
    """P30: the skeleton shows a heading of level one, which belongs to its part."""
    assert "\n# Conversation Summary\n" in wording("structured")["Form"]


def test_create_and_update_have_the_same_parts() -> None:
    """P21, P22: either prompt is whole."""
    assert tuple(wording("checkpoint-create")) == tuple(wording("checkpoint-update")) == ("Task", "What to do")


def test_the_wording_cannot_be_changed() -> None:
    """G5: what is read once stays as it was read."""
    with pytest.raises(TypeError):
        wording("detailed")["Reminder"] = ""  # type: ignore[index]  # that is the point
