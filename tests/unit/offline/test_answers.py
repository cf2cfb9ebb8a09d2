"""Answers of the assistant, abridged to a length."""

from __future__ import annotations

import pytest

from compact_chat.offline.answers import abridged, abridged_lines, announced, outline

POINTS = "\n".join(f"{n}. **Tray {n}** holds rye. {'It is as brown as the others are. ' * 6}" for n in range(1, 5))
ANSWER = f"## Findings\n\nThe oven is too hot because its door leaks.\n\n{POINTS}\n\nShall I mend the door?"


def test_a_short_answer_is_left_as_it_is() -> None:
    """H20: but for marks of headings, and links at its end."""
    assert (
        abridged("## Done\nThe tray is out.\n\nSources:\n- [a](https://a.example/x)", 500) == "Done:\nThe tray is out."
    )


def test_lines_are_shortened_to_whole_sentences_first() -> None:
    """H20: a numbered list stays whole, below its heading."""
    lines = abridged(ANSWER, 600).split("\n")

    assert lines[:2] == ["Findings:", "The oven is too hot because its door leaks."]
    assert [line[:13] for line in lines[2:6]] == [f"{n}. **Tray {n}**" for n in range(1, 5)]
    assert all(line.endswith(".") for line in lines[2:6])
    assert lines[6] == "Shall I mend the door?"


def test_what_does_not_fit_is_left_out_from_the_middle() -> None:
    """H20: the first sentence and the end stay, in their order."""
    text = abridged(ANSWER, 120)

    assert "The oven is too hot because its door leaks." in text.split("\n")[:2]
    assert "Shall I mend the door?" in text
    assert text.endswith(" […]")
    assert len(text) < 220


def test_code_goes_before_words() -> None:
    """H20: code is left out where lines have to be shortened."""
    words = "\n".join(f"- The tray {n} is flat, and that is what matters here most." for n in range(9))

    assert "flour" not in abridged(f"{words}\n```\n{'flour = 1; ' * 40}\n```", 700)


def test_the_points_that_the_user_chose_stay() -> None:
    """H20: with the title of their option, and of the others only the titles."""
    options = "\n".join(
        f"### Option {n}: tray {n}\n- It holds rye {n}, and some {n}00 buns.\n- It is flat." for n in range(1, 5)
    )
    text = abridged_lines(outline(f"All trays are hot.\n{options}"), 160, wanted={"3"})

    assert "Option 3: tray 3:\n- It holds rye 3, and some 300 buns.\n- It is flat." in text
    assert "rye 2" not in text


def test_no_point_stands_below_a_title_that_is_not_its_own() -> None:
    """H20: the title of a point is kept with it, or the point goes."""
    baked, left = ("\n".join(f"- Tray {n} holds {n}00 buns of rye `a{n}`." for n in range(k, k + 4)) for k in (1, 5))
    lines = abridged(f"## Baked\n{baked}\n## Not baked\n{left}", 170).split("\n")

    head = ""
    for line in lines:
        head = line if line.endswith(":") else head
        if line.startswith("- Tray"):
            assert head == ("Baked:" if int(line[7]) < 5 else "Not baked:")


def test_a_title_that_says_something_stays() -> None:
    """H20: where it is the beginning of the answer."""
    text = abridged(f"## Yes, `oven.ini` works now\nThere are two ways:\n{POINTS}", 150)

    assert text.startswith("Yes, `oven.ini` works now")


def test_nothing_is_left_of_code_alone() -> None:
    """H20: where it does not fit."""
    assert abridged(f"```\n{'flour = 1; ' * 40}\n```", 70) == ""


def test_bold_words_are_not_torn() -> None:
    """A title that only led to code becomes a sentence without marks."""
    code = "shut()\n" * 60
    text = f"**The oven** is hot.\n\n**The fix** adds a door to every oven:\n```\n{code}```\nIt is shut."

    assert "The fix adds a door to every oven." in abridged(text, 80)


def test_praise_goes_first() -> None:
    """H20: a section that says how good the result is tells nothing of it."""
    text = f"The door is shut.\n## Benefits\n{'- It is warm, simple and clean.' * 9}\n## Open\n- The hinge is old."

    assert abridged(text, 80) == "The door is shut.\nOpen:\n- The hinge is old. […]"


def test_what_stands_behind_praise_stays() -> None:
    """H20: sentences behind its list, and sections that sum the answer up; code at the end takes no mark."""
    usage = "\n".join(f"- run `make rye-{n}` to bake one tray of rye by hand" for n in range(5))
    behind = abridged(f"The door is shut.\nUsage:\n{usage}\nDo not open tray 7.", 120)
    summed = abridged(f"I baked.\n{'The bread is as brown as it was. ' * 9}\n## TL;DR\nSell `rye` first.", 120)
    code = abridged(f"The door is shut.\n## Usage\n{usage}\n{usage}\n## Open\n```\nbake()\n```", 480)

    assert behind == "The door is shut.\nDo not open tray 7. […]"
    assert "Sell `rye` first." in summed
    assert code.endswith("\n```\n[…]")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("The oven is hot. Let me open the door.", "Let me open the door."),
        ("I'll bake first. Then it is done. Bye.", ""),
        ("It is done.", ""),
    ],
)
def test_the_step_that_was_announced(text: str, step: str) -> None:
    """H8: the last words say what comes next, or nothing does."""
    assert announced(text) == step


def test_a_table_says_which_part_of_it_is_there() -> None:
    """H20: no table reads as complete that is not; the row below its head stays, else it would be no table."""
    rows = "\n".join(
        f"| tray {n} | `bun-{n}` and as many of the brown ones as there is room for |" for n in range(1, 7)
    )
    text = abridged(f"The trays are full.\n| tray | bun |\n|---|---|\n{rows}\nAll are hot.", 240)

    kept = [line for line in text.split("\n") if line.startswith("| tray ") and "bun-" in line]
    assert 0 < len(kept) < 6
    assert kept[-1].endswith(f"| [{len(kept)} of 6 rows]")
    assert "| tray | bun |\n|---|---|\n| tray 1 |" in text


def test_a_numbered_list_says_which_part_of_it_is_there() -> None:
    """H20: with its numbers, a list of which points are missing would be read as all there is."""
    text = abridged(f"The oven is hot.\n{POINTS}\nBye now, all of you.", 200)

    kept = [line for line in text.split("\n") if "Tray" in line]
    assert 0 < len(kept) < 4
    assert kept[-1].endswith(f"[{len(kept)} of 4 points]")
