"""What a person reads: everything of a result, fitted to the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import VIEWS, show_all, show_compaction, show_preview, show_report
from compact_chat.operations import ClientState, Job, perform_alone

PLAIN = Terminal(width=80, shown=True, colour=False)


@pytest.fixture(scope="module")
def found(bakery: Path) -> JsonObject:
    """All results for the example chat."""
    client, params = ClientState(), {"chat": {"uri": bakery.as_uri()}}
    names = {"report": "countTokens", "preview": "preview", "compaction": "summarize"}
    return {key: perform_alone(name, params, Job(client)) for key, name in names.items()}


def page(lines: Iterable[str]) -> str:
    """Join the lines of a view."""
    return "\n".join(lines)


@pytest.mark.parametrize("width", [40, 72, 160])
def test_no_line_is_wider_than_the_terminal(found: JsonObject, width: int) -> None:
    """Whatever the width, lines fit; forty columns are the least."""
    lines = list(show_all(found, Terminal(width=width, shown=True, colour=False)))

    assert [line for line in lines if columns(line) > width] == []


def test_the_meter_shows_its_parts(found: JsonObject) -> None:
    """Share, size, basis, bounds and each part stand there."""
    report = found["report"]
    text = page(show_report(report, PLAIN))

    for number in (report["used"], report["window"], report["low"], report["high"], report["parts"]["toolResults"]):
        assert f"{number:,}" in text
    assert f"{report['percent']:g}%" in text
    assert "anchored" in text


def test_the_meter_says_whose_window_it_is(found: JsonObject) -> None:
    """The window stands there with who says so, and the tool's own meter beside ours where there is one."""
    ring = {"used": 61_000, "reserved": 15_000, "total": 144_000, "percent": 52.8, "usedPercent": 42.4}

    assert "window of 200,000: that of the model" in page(show_report(found["report"], PLAIN))
    text = " ".join(page(show_report(found["report"] | {"windowBasis": "default", "hostMeter": ring}, PLAIN)).split())
    assert "window of 200,000: assumed, since the model is not known" in text
    assert "the tool's own meter: 52.8% with the 15,000 tokens that are kept free for a reply, or 42.4% without" in text


@pytest.mark.parametrize("width", [40, 80])
def test_the_biggest_things_have_rows(found: JsonObject, width: int, bakery: Path) -> None:
    """Asked for, each list has its rows, in lines that fit; a list that tells of nothing is left out."""
    params = {"chat": {"uri": bakery.as_uri()}, "biggest": 3}
    breakdown = perform_alone("countTokens", params, Job(ClientState()))["breakdown"]
    only_rest = [{"kind": "rest", "name": "all else", "tokens": 1, "percent": 100.0, "messages": []}]
    terminal = Terminal(width=width, shown=True, colour=False)

    lines = list(show_report(found["report"] | {"breakdown": breakdown | {"tools": only_rest}}, terminal))

    assert [line for line in lines if columns(line) > width] == []
    assert "By message" in lines
    assert "By tool" not in lines
    rows = [line.split()[:2] for line in lines]
    assert [[f"{thing['tokens']:,}", f"{thing['percent']:.1f}%"] in rows for thing in breakdown["biggest"]] == [
        True
    ] * 4


def test_the_plan_has_a_row_for_each_message(found: JsonObject) -> None:
    """Each message stands there with its fate, and the plan with its id."""
    preview = found["preview"]
    lines = list(show_preview(preview, PLAIN))

    rows = [line.split()[:2] for line in lines]
    for message in preview["messages"]:
        assert [message["id"][:8], message["fate"]] in rows
    assert preview["planId"] in page(lines)


def test_what_is_lost_is_named(found: JsonObject) -> None:
    """Each class of facts has a row, and what is lost its text; long messages are only cut."""
    lost = {"id": "m", "text": "Very good plan", "message": "m"}
    classes = [
        {"name": name, "total": 9, "kept": 4, "restored": 0, "lost": [lost] * 5} for name in ("userMessages", "todos")
    ]

    text = page(show_compaction(found["compaction"] | {"survival": {"kept": 0.5, "classes": classes}}, PLAIN))

    for survived in classes:
        assert f"{survived['kept']} of {survived['total']}" in " ".join(text.split())
    assert text.count("not whole: Very good plan") == text.count(" lost: Very good plan") == 4
    assert text.count("… and 1 more") == 2


def test_colours_only_where_they_show(found: JsonObject) -> None:
    """With colours the same page has escape sequences, without none."""
    assert "\033[" in page(show_all(found, Terminal(width=80, shown=True, colour=True)))
    assert "\033[" not in page(show_all(found, PLAIN))


def test_a_chat_cannot_steer_the_terminal(found: JsonObject) -> None:
    """An escape sequence in a title or an excerpt is shown and not obeyed."""
    evil = "\033[2J\a\r\n"
    report = found["report"] | {"title": evil}
    preview = found["preview"] | {"messages": [found["preview"]["messages"][0] | {"excerpt": evil}]}

    text = page([*show_report(report, PLAIN), *show_preview(preview, PLAIN)])

    assert not set("\033\a\r") & set(text)


@pytest.mark.parametrize(("command", "result"), [("format", "summary"), ("continuation", "message")])
def test_texts_are_piped_as_they_are(command: str, result: str) -> None:
    """A program that reads the output gets the text itself, however long its lines are."""
    text = "one long line " * 30

    assert list(VIEWS[command]({result: text}, Terminal(width=80, shown=False, colour=False))) == [text]


def test_a_prompt_is_piped_as_it_is() -> None:
    """The request for a model reaches a pipe unchanged."""
    prompt = {"system": None, "messages": [{"role": "user", "content": "x " * 300}]}

    assert list(VIEWS["prompt"](prompt, Terminal(width=80, shown=False, colour=False))) == ["x " * 300]


def test_a_person_reads_the_summary_once(found: JsonObject) -> None:
    """In a terminal the continuation has a mark where the summary stands; a pipe gets all of it."""
    piped = Terminal(width=80, shown=False, colour=False)

    assert page(show_compaction(found["compaction"], PLAIN)).count("1. Primary Request") == 1
    assert page(show_compaction(found["compaction"], piped)).count("1. Primary Request") == 2
