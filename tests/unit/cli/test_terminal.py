"""What is written fits the terminal's columns, and cannot steer it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.cli.terminal import Terminal, columns, one_line, pad, path_line, terminal_of, visible, wrapped


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

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


@given(st.text())
def test_control_characters_show_and_do_nothing(text: str) -> None:
    """No escape sequence of a chat reaches the terminal, and what is shown can be encoded."""
    shown = visible(text.replace("\n", ""))

    assert all(character >= " " and character != "\x7f" for character in shown)
    shown.encode()


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
    """Colors show on a terminal that wants them, and nowhere else."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert terminal_of(stream).color is color


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is as wide as the terminal says."""
    monkeypatch.setenv("COLUMNS", "72")

    assert terminal_of(Screen()).width == 72


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
        assert visible(path.replace("\n", " ")).endswith(line[1:])
    else:
        assert line == visible(path.replace("\n", " "))
