"""What a person reads: everything of a result, fitted to the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import VIEWS, show_all, show_compaction, show_preview, show_report
from compact_chat.operations import ClientState, Compacted, Job, compact_chat, run_alone
from compact_chat.wire import (
    Compaction,
    Continuation,
    Formatted,
    HostRing,
    Lost,
    Prompt,
    Survival,
    SurvivalClass,
    Thing,
)

LONG_LINE = "one long line " * 30
PLAIN = Terminal(width=80, interactive=True, color=False)


@pytest.fixture(scope="module")
def found(bakery: Path) -> Compacted:
    """All results for the example chat."""
    return compact_chat({"chat": {"uri": bakery.as_uri()}}, Job(ClientState()))[0]


@pytest.fixture(scope="module")
def compaction(found: Compacted) -> Compaction:
    """The compaction of the example chat."""
    assert found.compaction
    return found.compaction


def page(lines: Iterable[str]) -> str:
    """Join the lines of a view."""
    return "\n".join(lines)


@pytest.mark.parametrize("width", [40, 72, 160])
def test_no_line_is_wider_than_the_terminal(found: Compacted, width: int) -> None:
    """Whatever the width, lines fit; forty columns are the least."""
    lines = list(show_all(found, Terminal(width=width, interactive=True, color=False)))

    assert [line for line in lines if columns(line) > width] == []


def test_the_meter_shows_its_parts(found: Compacted) -> None:
    """Share, size, basis, bounds and each part stand there."""
    report = found.report
    text = page(show_report(report, PLAIN))

    for number in (report.used, report.window, report.low, report.high, report.parts.tool_results):
        assert f"{number:,}" in text
    assert f"{report.percent:g}%" in text
    assert "anchored" in text


def test_the_meter_says_whose_window_it_is(found: Compacted) -> None:
    """The window stands there with who says so, and the tool's own meter beside ours where there is one."""
    ring = HostRing(used=61_000, reserved=15_000, total=144_000, percent=52.8, used_percent=42.4)

    assert "window of 200,000: that of the model" in page(show_report(found.report, PLAIN))
    assumed = replace(found.report, window_basis="default", host_meter=ring)
    text = " ".join(page(show_report(assumed, PLAIN)).split())
    assert "window of 200,000: assumed, since the model is not known" in text
    assert "the tool's own meter: 52.8% with the 15,000 tokens that are kept free for a reply, or 42.4% without" in text


@pytest.mark.parametrize("width", [40, 80])
def test_the_biggest_things_have_rows(found: Compacted, width: int, bakery: Path) -> None:
    """Asked for, each list has its rows, in lines that fit; a list that tells of nothing is left out."""
    params = {"chat": {"uri": bakery.as_uri()}, "biggest": 3}
    breakdown = run_alone("countTokens", params, Job(ClientState())).breakdown
    only_rest = (Thing("rest", "all else", 1, 100.0, ()),)
    terminal = Terminal(width=width, interactive=True, color=False)

    lines = list(show_report(replace(found.report, breakdown=replace(breakdown, tools=only_rest)), terminal))

    assert [line for line in lines if columns(line) > width] == []
    assert "By message" in lines
    assert "By tool" not in lines
    rows = [line.split()[:2] for line in lines]
    assert [[f"{thing.tokens:,}", f"{thing.percent:.1f}%"] in rows for thing in breakdown.biggest] == [True] * 4


def test_the_plan_has_a_row_for_each_message(found: Compacted) -> None:
    """Each message stands there with its fate, and the plan with its id."""
    preview = found.preview
    lines = list(show_preview(preview, PLAIN))

    rows = [line.split()[:2] for line in lines]
    for message in preview.messages:
        assert [message.id[:8], message.fate] in rows
    assert preview.plan_id in page(lines)


def test_what_is_lost_is_named(compaction: Compaction) -> None:
    """Each class of facts has a row, and what is lost its text; long messages are only cut."""
    lost = Lost("m", "Very good plan", "m")
    classes = tuple(SurvivalClass(name, 9, 4, 0, (lost,) * 5) for name in ("userMessages", "todos"))

    text = page(show_compaction(replace(compaction, survival=Survival(0.5, classes)), PLAIN))

    for survived in classes:
        assert f"{survived.kept} of {survived.total}" in " ".join(text.split())
    assert text.count("not whole: Very good plan") == text.count(" lost: Very good plan") == 4
    assert text.count("… and 1 more") == 2


def test_colours_only_where_they_show(found: Compacted) -> None:
    """With colours the same page has escape sequences, without none."""
    assert "\033[" in page(show_all(found, Terminal(width=80, interactive=True, color=True)))
    assert "\033[" not in page(show_all(found, PLAIN))


def test_a_chat_cannot_steer_the_terminal(found: Compacted) -> None:
    """An escape sequence in a title or an excerpt is shown and not obeyed."""
    evil = "\033[2J\a\r\n"
    report = replace(found.report, title=evil)
    preview = replace(found.preview, messages=(replace(found.preview.messages[0], excerpt=evil),))

    text = page([*show_report(report, PLAIN), *show_preview(preview, PLAIN)])

    assert not set("\033\a\r") & set(text)


@pytest.mark.parametrize(
    ("command", "result"), [("format", Formatted(LONG_LINE, None, ())), ("continuation", Continuation(LONG_LINE))]
)
def test_texts_are_piped_as_they_are(command: str, result: object) -> None:
    """A program that reads the output gets the text itself, however long its lines are."""
    assert list(VIEWS[command](result, Terminal(width=80, interactive=False, color=False))) == [LONG_LINE]


def test_a_prompt_is_piped_as_it_is() -> None:
    """The request for a model reaches a pipe unchanged."""
    prompt = Prompt(None, [{"role": "user", "content": "x " * 300}], "plan", 300)

    assert list(VIEWS["prompt"](prompt, Terminal(width=80, interactive=False, color=False))) == ["x " * 300]


def test_a_person_reads_the_summary_once(compaction: Compaction) -> None:
    """In a terminal the continuation has a mark where the summary stands; a pipe gets all of it."""
    piped = Terminal(width=80, interactive=False, color=False)

    assert page(show_compaction(compaction, PLAIN)).count("1. Primary Request") == 1
    assert page(show_compaction(compaction, piped)).count("1. Primary Request") == 2
