"""Which lines stand inside code fences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.text import fenced_lines


def inside(text: str) -> str:
    """One sign per line: x inside a fence, . outside."""
    return "".join("x" if fenced else "." for fenced in fenced_lines(text.split("\n")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```py\nb\n```\nc", ".xxx."),
        ("```\na", ".."),
        ("~~~\n```\n~~~\n```\nb", "xxx.."),
        ("````\n```\nb\n````\nc", "xxxx."),
        ("```a`b\nc\n```", "..."),
        ("   ```\na\n  ```  ", "xxx"),
        ("    ```\na\n```", "..."),
        ("```\na\n``` not the end\nb\n```", "xxxxx"),
        ("```\n~~~\na\n~~~", ".xxx"),
        ("a ``` b\n```", ".."),
        ("```\n````", "xx"),
    ],
)
def test_only_closed_fences_count(text: str, expected: str) -> None:
    """R5: a fence line without its end further down is plain text."""
    assert inside(text) == expected


@given(st.lists(st.sampled_from(["```", "~~~", "````", "```py", "a", "``` x", ""]), max_size=20))
def test_a_fence_begins_and_ends_with_its_sign(lines: list[str]) -> None:
    """R5: any stretch of fenced lines begins and ends with a fence line."""
    marks = [False, *fenced_lines(lines), False]
    for place, line in enumerate(lines):
        if marks[place + 1] and not (marks[place] and marks[place + 2]):
            assert line.startswith(("```", "~~~"))
