"""What edits changed: which lines stand against each other, and where long ones are cut."""

from __future__ import annotations

import pytest

from compact_chat.facts import changes
from compact_chat.facts.steps import find_steps
from tests.samples.tools import used


def changed(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Tell one edit: old lines, new lines, and whether they are a pair."""
    (one,) = changes(find_steps(used("Edit", "done", path="src/a.tsx", old_string=old, new_string=new)))
    return one.old, one.new, one.is_pair


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("heat = 200", "limit_of_trays = 5", True),  # one line for one
        ("const isOpen = key === row.key;\nx.y(1);", 'name={"row"};\ncall={() => go(row)};', False),
        ("const oven = find(row, key);\nx.y(1);", "const oven = find(row);\nconst tray = 2;", True),
    ],
)
def test_lines_are_a_pair_if_they_share_their_words(old: str, new: str, told: bool) -> None:
    """H19."""
    assert changed(old, new)[2] is told


def test_the_old_line_is_the_one_that_became_the_new_one() -> None:
    """H19: not the one that tells most."""
    old, _, is_pair = changed('if (door === "closed") {\nheat(oven, tray, 200);', "heat(oven, tray, 230);\nx(1);")

    assert (old, is_pair) == (("heat(oven, tray, 200)",), True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("row={`tray ${", "row={`tray…"),
        ("while (door.open()) {", "while (door.open())"),
        (
            f"const trays = {'a + ' * 25}count({', '.join(f'rye{n}' for n in range(30))});",
            f"const trays = {'a + ' * 25}count…",
        ),
        (f"count({', '.join(f'rye{n}' for n in range(30))});", f"count({', '.join(f'rye{n}' for n in range(22))},…"),
    ],
)
def test_a_line_is_not_cut_in_a_bracket_that_it_opens(line: str, told: str) -> None:
    """H19: but where little stands before that."""
    assert changed("x.y(1);\n", f"{line}\nx.y(1);\n")[1] == (told,)
