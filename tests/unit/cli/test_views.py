"""What a person reads: complete results, fitted to the terminal, and a status line for running commands."""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Warning
from compact_chat.cli.terminal import Terminal, columns, one_line, pad, path_line, status, terminal_of, wrapped
from compact_chat.cli.views import VIEWS, shortest, show_all, show_compaction, show_report
from compact_chat.operations import ClientState, Compacted, Job, compact_chat, run_alone
from compact_chat.wire import (
    Attempt,
    Compaction,
    Continuation,
    Formatted,
    HostRing,
    Instructions,
    Lost,
    MessageTokens,
    ModelRequest,
    OwnCompactions,
    Redactions,
    Survival,
    SurvivalClass,
    Thing,
    TokensSpent,
    TurnsLeft,
)

LONG_LINE = "one long line " * 30
SCREENS = Path(__file__).parent / "screens"
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


def test_the_page_of_the_example(found: Compacted, compaction: Compaction) -> None:
    """The full `compact` page of the example chat, at eighty columns."""
    text = page(show_all(found, PLAIN)).replace(compaction.compaction_id, "ID")

    assert text + "\n" == (SCREENS / "compact.txt").read_text("utf-8")


def test_a_page_of_what_is_rare(found: Compacted, compaction: Compaction) -> None:
    """Message sizes, a model to be called, failed attempts, secrets, project instructions, and a warning."""
    notes = (Warning("odd", "This is odd.", 7),)
    sizes = (MessageTokens("m0", 0, "user", "text", 12_345),)
    report = replace(found.report, tool="unknown", messages=sizes, warnings=notes, used=0, percent=0.0, limit=None)
    assert found.preview.next_chat
    assert found.preview.next_chat.continuation
    opened = replace(found.preview.next_chat.continuation, tokens=1_000, fixed=300)
    sizes_after = replace(found.preview.next_chat, continuation=opened, messages=replace(opened, tokens=1_200))
    preview = replace(
        found.preview,
        messages=found.preview.messages[:3],
        before=1_000,
        after=1_000,
        after_low=900,
        after_high=1_100,
        next_chat=sizes_after,
        request=ModelRequest("editor", None, 2, 12_345, 500),
        redactions=Redactions(3, {"github-token": 2, "password": 1}),
        instructions=(Instructions("file:///shop/CLAUDE.md", "Keep\n the tests."),),
    )
    done = replace(
        compaction,
        before=1_000,
        after=1_000,
        next_chat=sizes_after,
        provider="anthropic",
        model="claude-haiku-5-5",
        summary="Summary:\nNine shelves.",
        continuation="",
        survival=Survival(0.5, tuple(SurvivalClass("todos", 4, kept, 0, ()) for kept in (4, 2, 1))),
        attempts=(Attempt("anthropic", "a", "failed", "It broke.", 1.0), Attempt("editor", None, "skipped", None, 0.0)),
        usage=TokensSpent(1_200, 34),
        archive=None,
        warnings=notes,
    )
    text = page(show_all(Compacted(report, preview, done), Terminal(width=80, interactive=True, color=True)))

    assert text + "\n" == (SCREENS / "rare.txt").read_text("utf-8")


RING = HostRing(used=61_000, reserved=15_000, total=144_000, percent=52.8, used_percent=42.4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "31.2% 48,390 of 155,000 tokens"),  # the limit's share
        ({"limit": None, "percent_of_limit": None}, "24.2% 48,390 of 200,000 tokens"),
        ({"host_meter": RING}, "42.4% 61,000 of 144,000 tokens"),
        ({}, "window of 200,000 or 1,000,000"),
        ({"windows_possible": ()}, "window of 200,000: that of the model"),
        ({"windows_possible": (), "window_basis": "setting"}, ": as it was set"),
        ({"compactions": OwnCompactions(1, 0, None, None)}, "has compacted this chat once"),
        (
            {"compactions": OwnCompactions(2, 1, 157_925, 53_595)},
            "2 times, 1 of them automatically; the last time from 157,925 to 53,595 tokens",
        ),
    ],
)
def test_what_the_meter_says(found: Compacted, changes: dict[str, Any], words: str) -> None:
    """The share that counts, whose window it is, and the tool's own compactions."""
    assert words in " ".join(page(show_report(replace(found.report, **changes), PLAIN)).split())


@pytest.mark.parametrize(
    ("changes", "color"),
    [
        ({}, "32"),
        ({"windows_possible": (200_000, 1_000_000)}, "36"),
        ({"turns_left": TurnsLeft(1, 9)}, "33"),
        ({"percent_of_limit": 75.0}, "33"),
        ({"advice": "prune"}, "33"),
        ({"percent_of_limit": 90.0}, "31"),
        ({"advice": "compact"}, "31"),
        ({"limit": None, "percent_of_limit": None, "percent": 91.0}, "31"),
    ],
)
def test_the_color_of_the_meter(found: Compacted, changes: dict[str, Any], color: str) -> None:
    """Green is only what is known to last for more than a turn."""
    calm = replace(found.report, windows_possible=(), turns_left=TurnsLeft(2, 9), advice="none")
    bar = list(show_report(replace(calm, **changes), Terminal(width=80, interactive=True, color=True)))[2]

    assert bar.startswith(f"\x1b[{color}m")


@pytest.mark.parametrize("width", [40, 80])
def test_the_biggest_things_have_rows(found: Compacted, width: int, bakery: Path) -> None:
    """On request, each list has its rows, in lines that fit; an empty list is omitted."""
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


def test_what_is_lost_is_named(compaction: Compaction) -> None:
    """Each class of facts has a row, and each missing fact its text, id and price; the headline counts all facts."""
    lost = tuple(Lost(f"todos:{n}abcdef", "Very good plan", "m", 12) for n in range(5))
    classes = tuple(SurvivalClass(name, 9, 4, 0, lost) for name in ("userMessages", "todos", "omissions"))

    text = page(show_compaction(replace(compaction, survival=Survival(0.5, classes)), PLAIN))
    whole = page(show_compaction(replace(compaction, survival=Survival(0.5, classes)), PLAIN, most=None))

    assert "What survives: 8 of 18 items" in text
    for survived in classes:
        assert f"{survived.kept} of {survived.total}" in " ".join(text.split())
    assert (text.count("not whole: Very good plan"), text.count("missing: Very good plan")) == (8, 4)
    assert text.count("… and 1 more") == 3
    assert (whole.count(" +12 tokens"), whole.count("4abc +12 tokens")) == (15, 2)


@pytest.mark.parametrize(
    ("command", "result"), [("format", Formatted(LONG_LINE, None, ())), ("continuation", Continuation(LONG_LINE))]
)
def test_texts_are_piped_as_they_are(command: str, result: object) -> None:
    """A program reading the output gets the text itself, however long its lines are."""
    assert list(VIEWS[command](result, Terminal(width=80, interactive=False, color=False))) == [LONG_LINE]


def test_a_person_reads_the_summary_once(compaction: Compaction) -> None:
    """In a terminal the continuation has a placeholder for the summary; a pipe gets everything."""
    piped = Terminal(width=80, interactive=False, color=False)

    assert page(show_compaction(compaction, PLAIN)).count("1. Primary Request") == 1
    assert page(show_compaction(compaction, piped)).count("1. Primary Request") == 2


def test_ids_that_begin_alike_are_shown_longer() -> None:
    """Eight characters suffice for most ids; those that share them get as many as needed."""
    assert shortest(["a1b2c3d4e5", "request_10", "request_11", "m0"]) == ["a1b2c3d4", "request_10", "request_11", "m0"]


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=14), unique=True))
def test_each_names_one_message(ids: list[str]) -> None:
    """A shortened id is a prefix of its own id, and of another only if it is complete."""
    for id, short in zip(ids, shortest(ids), strict=True):
        assert id.startswith(short)
        assert short == id or [one for one in ids if one.startswith(short)] == [id]


def test_the_state_is_one_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each status replaces the previous one, streamed text is counted, and the last one is cleared, come what may."""
    seen = Screen()
    monkeypatch.setattr("sys.stderr", seen)

    with suppress(ValueError), status(ClientState()) as job:
        job.step("Reading the chat")
        job.step("Asking claude-haiku-5-5", 40)
        job.stream("a" * 1200)
        raise ValueError

    asking = "Asking claude-haiku-5-5 40% …"
    assert seen.getvalue().split("\r\x1b[K") == ["", "Reading the chat …", asking, f"{asking} 1,200 characters", ""]


def test_a_log_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal on standard error, no status is shown."""
    monkeypatch.setattr("sys.stderr", seen := io.StringIO())
    with status(ClientState()) as job:
        job.step("Planning")
        job.stream("text")
    assert seen.getvalue() == ""


class Screen(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@given(st.text(), st.integers(20, 120))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    """No line is wider than the terminal, whatever the text."""
    assert all(columns(line) <= width for line in wrapped(text, width))


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"], exclude_characters=" "), min_size=1),
    st.integers(20, 60),
)
def test_wrapping_loses_no_character(text: str, width: int) -> None:
    """What is wrapped is the text, broken at blanks."""
    words = text.split()

    assert "".join(wrapped(" ".join(words), width)).replace(" ", "") == "".join(words)


def test_words_are_not_broken_where_a_blank_is_near() -> None:
    """Lines break at blanks and keep their indent."""
    assert list(wrapped("  one two three", 9)) == ["  one two", "  three"]


@given(st.text(), st.integers(8, 80))
def test_one_line_is_one_line(text: str, width: int) -> None:
    """A folded text has no line feed and fits its width."""
    line = one_line(text, width)

    assert "\n" not in line
    assert columns(line) <= width


def test_wide_characters_take_two_columns() -> None:
    """Han and emoji count twice, combining marks not at all."""
    assert [columns(text) for text in ("abc", "漢字", "🙂", "é")] == [3, 4, 2, 1]
    assert pad("漢", 4) == "漢  "


@pytest.mark.parametrize(
    ("stream", "variables", "color"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
    ids=["terminal", "no-color", "dumb", "pipe"],
)
def test_color_only_on_a_terminal(
    stream: io.StringIO, variables: dict[str, str], color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colors show on a terminal that wants them, and nowhere else; the page is as wide as it says."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    monkeypatch.setenv("COLUMNS", "72")
    assert (terminal_of(stream).color, terminal_of(stream).width) == (color, 72)


def test_paint_leaves_plain_text_plain() -> None:
    """Without colours a painted text is the text."""
    assert Terminal(width=80, interactive=False, color=False).paint("x", "red") == "x"
    assert Terminal(width=80, interactive=True, color=True).paint("x", "bold", "red") == "\033[1;31mx\033[0m"


@given(st.text(max_size=60), st.integers(2, 40))
def test_a_path_keeps_its_end(path: str, width: int) -> None:
    """A path that does not fit loses its beginning, and never takes more columns than there are."""
    line = path_line(path, width)
    assert columns(line) <= width
    if line.startswith("…") and not path.startswith("…"):
        assert path.replace("\n", " ").endswith(line[1:])
    else:
        assert line == path.replace("\n", " ")
