"""Where closed code is."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.styles.markdown import closed_code, cut_at
from compact_chat.text import closed_fences, marked_lines


@pytest.mark.parametrize(
    ("text", "fenced"),
    [
        ("```\na\n```\nb", "```\na\n```"),
        ("a\n  ~~~ py\nb\n ~~~~ \nc", "  ~~~ py\nb\n ~~~~ "),
        ("````\n```\na\n````", "````\n```\na\n````"),
        ("```\n~~~\n```", "```\n~~~\n```"),
        ("```a`b\nc\n```", ""),
        ("```\na", ""),
        ("````\na\n```", ""),
        ("```\na\n```py", ""),
        ("a ```\nb\n```", ""),
    ],
)
def test_fence_counts_only_if_closed(text: str, fenced: str) -> None:
    """R5: a fence reaches from its line to one of the same mark, as wide or wider, with nothing behind it."""
    assert [piece for piece, inside in cut_at(text, closed_fences(text)) if inside] == ([fenced] if fenced else [])


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c `d`", ["`b`", "`d`"]),
        ("``a ` b``", ["``a ` b``"]),
        ("`a ``b`", ["`a ``b`"]),
        ("`a\nb`", []),
        ("`a", []),
        ("x `\n`y`", ["`y`"]),
    ],
)
def test_span_stays_on_its_line(text: str, spans: list[str]) -> None:
    """F5: inline code reaches to the next run of backticks of the same width on its line."""
    assert [piece for piece, inside in cut_at(text, closed_code(text)) if inside] == spans


LINES = st.sampled_from(
    ["```", "````", "`````py", "``````", "~~~", "~~~~~", "  ```", "```py", "~~~ `x`", "``` `", "text", "", "    "]
)


@given(st.lists(LINES, min_size=1, max_size=18))
def test_fences_are_those_of_a_plain_search(lines: list[str]) -> None:
    """R5: the one-pass search marks the same lines as looking ahead from each opening line."""
    assert list(marked_lines("\n".join(lines))) == list(zip(lines, _searched(lines), strict=True))


def _searched(lines: list[str]) -> list[bool]:
    fenced: list[bool] = []
    while len(fenced) < len(lines):
        rest = lines[len(fenced) :]
        end = next((number for number in range(1, len(rest)) if _closes(rest[0], rest[number])), None)
        fenced += [True] * (end + 1) if end else [False]
    return fenced


def _closes(opening: str, line: str) -> bool:
    first = re.fullmatch(r"\s*(`{3,}|~{3,})(.*)", opening)
    last = re.fullmatch(r"\s*(`{3,}|~{3,})\s*", line)
    if not first or not last or ("`" in first[1] and "`" in first[2]):
        return False
    return first[1][0] == last[1][0] and len(first[1]) <= len(last[1])


def test_many_fences_take_little_memory() -> None:
    """Two places are kept of each, and not what a pattern tells of it."""
    closed_fences("```\na\n```")
    tracemalloc.start()
    found = closed_fences("```\n" * 50_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(found) == 25_000
    assert peak < 200 * len(found)
