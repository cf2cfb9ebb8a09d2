"""What all styles have in common: their table, blank replies, the end of a reply, the way of sections."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

import compact_chat
from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.plan import Direction
from compact_chat.styles import STYLES, Heritage, Topic, style_named
from compact_chat.styles.detailed import TITLES, without_tags
from compact_chat.wire import DEFAULT_STYLE, Style
from tests.samples.styles import as_summary, parse, refused_as, write

SERVER = Path(compact_chat.__file__).parent


def test_the_table_has_the_styles_of_the_wire() -> None:
    """The contract names each style, and each has its row."""
    assert tuple(STYLES) == get_args(Style)
    assert style_named(None).name == style_named(" ").name == DEFAULT_STYLE
    with pytest.raises(InvalidParams, match="one of detailed, checkpoint, "):
        style_named("haiku")


def test_nothing_else_names_a_style() -> None:
    """A new style is a module and a row: no other module of the server has its name as a literal."""
    modules = [path for path in SERVER.rglob("*.py") if path.parent.name != "styles" and path.name != "wire.py"]
    named = [
        f"{path.relative_to(SERVER)}:{node.lineno}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in STYLES
    ]

    assert named == []


@pytest.mark.parametrize("style", STYLES)
def test_each_topic_has_one_section_at_most(style: Style) -> None:
    """The offline writer finds one section for each topic, and for what an earlier summary hands on."""
    slots = STYLES[style].slots
    topics = [topic for slot in slots for topic in slot.topics]

    assert len(topics) == len(set(topics))
    assert set(topics) <= set(get_args(Topic))
    assert {slot.heritage for slot in slots} - {None} <= set(get_args(Heritage))


@pytest.mark.parametrize("style", STYLES)
def test_a_blank_reply_is_no_summary(style: Style) -> None:
    """F10: a blank reply is an error in every style."""
    assert refused_as("\ufeff \n", style) == "emptySummary"


def test_a_brief_summary_has_no_sections() -> None:
    """G4: it cannot be made of any."""
    with pytest.raises(InvalidParams) as refusal:
        write({"goal": "buns"}, "brief")
    assert refusal.value.data["problems"][0]["path"] == "$.style"


@pytest.mark.parametrize(
    ("style", "key"), [("detailed", "currentWork"), ("checkpoint", "goal"), ("structured", "userIntent")]
)
def test_sections_go_there_and_back(style: Style, key: str) -> None:
    """R13 and F10: what is rendered in a style is parsed in it, and nothing is not rendered."""
    assert parse(write({key: "buns"}, style), style)[key] == "buns"
    for nothing in ({}, {key: " \n"}):
        with pytest.raises(NoSummary) as refusal:
            write(nothing, style)
        assert refusal.value.kind == "emptySummary"


LOOSE = "The oven is repaired, and the buns of the second tray still have to be baked. " * 4


@pytest.mark.parametrize("style", ["detailed", "checkpoint", "structured"])
def test_only_text_is_mended(style: Style) -> None:
    """F10: a reply with its form stays as it is; a short one without is no summary, nor an open scratchpad."""
    good = STYLES[style].write(
        {STYLES[style].catch_all: "baked", **({"goal": "buns"} if style == "checkpoint" else {})}
    )
    assert STYLES[style].mend(good.reply) == STYLES[style].read(good.reply)
    for reply in ("", "Sorry, no.", f"<analysis>{LOOSE}", "<summary> </summary>"):
        with pytest.raises(NoSummary):
            STYLES[style].mend(reply)


@pytest.mark.parametrize(
    ("titles", "direction", "kept", "named"),
    [
        ([8], "upTo", True, "`Optional Next Step`"),
        ([8], "all", False, "`Optional Next Step`"),
        ([9], "all", False, "`Current Work` and `Context for Continuing Work`"),
        ([9], "upTo", True, "the kept messages and the section `Context for Continuing Work`"),
        ([8, 9], "upTo", False, "`Current Work` and `Context for Continuing Work`"),
        ([8, 9], "from", False, "`Optional Next Step`"),
        ([], "upTo", True, "the kept messages and the section `Context for Continuing Work`"),
        ([], "all", True, "`Optional Next Step`"),
    ],
)
def test_the_sections_that_say_how_to_go_on(titles: list[int], direction: Direction, kept: bool, named: str) -> None:
    """C16: those that the summary has, else those that its direction asks for."""
    summary = as_summary("Summary:\n" + "\n".join(f"{TITLES[title]}:\nx" for title in titles))

    assert summary.style.next_step_of(summary, direction, kept=kept).endswith(named)


def test_tags_around_a_summary() -> None:
    """P26 and C6: a checkpoint has its own within a chat; those of a raw reply go."""
    assert STYLES["checkpoint"].wrapped("<context-summary>\nx\n</context-summary>") == (
        "<context-summary>\nx\n</context-summary>"
    )
    assert STYLES["brief"].wrapped("x") == "x"
    raw = "\n<analysis>a</analysis><summary>b</summary>\n"
    assert without_tags(as_summary(raw, "brief")).text == "Summary:\nb"
    for text in ("b <summary>c</summary>", "</summary>b", "<other>b</other>"):
        assert without_tags(as_summary(f" {text} ", "brief")).text == text
