"""The wording of the prompts is complete, plain and free of slots."""

from __future__ import annotations

import re

import pytest

from compact_chat.prompt.wording import wording

OWN = ("detailed-all", "detailed-from", "detailed-up-to")


@pytest.mark.parametrize("name", OWN)
def test_each_direction_has_the_same_parts(name: str) -> None:
    """P1: no direction lacks a part that another has."""
    assert tuple(wording(name)) == ("Task", "Analysis", "Sections", "Example")


@pytest.mark.parametrize("name", ["detailed", *OWN])
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
    assert not any(
        "a model gets what stands below" in text for name in ("detailed", *OWN) for text in wording(name).values()
    )


def test_the_wording_cannot_be_changed() -> None:
    """G5: what is read once stays as it was read."""
    with pytest.raises(TypeError):
        wording("detailed")["Reminder"] = ""  # type: ignore[index]  # that is the point
