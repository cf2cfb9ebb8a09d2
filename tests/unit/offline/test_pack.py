"""Which lines get into a summary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.offline.lines import COMMANDS, EARLIER, MODIFIED, QUOTES, READ, TODOS, Line
from compact_chat.offline.writer import Pack
from compact_chat.styles import STYLES

DETAILED = STYLES["detailed"]

LINES = st.builds(
    Line,
    st.sampled_from([COMMANDS, QUOTES, READ, TODOS, *EARLIER.values()]),
    st.text("ab ", min_size=1, max_size=40),
    st.integers(0, 9),
    st.integers(0, 9),
)


def test_the_more_telling_group_goes_first() -> None:
    """Open items get room before files that were only read, whatever the order in which they come."""
    pack = Pack(30, len, DETAILED)
    read, todo = Line(READ, "r" * 10, 0), Line(TODOS, "t" * 10, 0)

    assert pack.take([read, todo], capped=False) == [read]
    assert pack.lines == [todo]


def test_a_group_takes_its_share_at_most() -> None:
    """No class of facts eats the room of the others, until they had their turn."""
    pack = Pack(1000, len, DETAILED)
    commands = [Line(COMMANDS, "c" * 49, place) for place in range(20)]
    refused = pack.take(commands)

    assert sum(len(line.text) + 1 for line in pack.lines) <= COMMANDS.share * 1000
    assert pack.take(refused, capped=False) != refused


def test_a_line_costs_what_it_becomes_on_the_page() -> None:
    """R11: an entry takes more room than the line it is made of."""
    line = Line(MODIFIED, "- a.py (edited)", 0, entry=("a.py", "edited"))

    assert Pack(100, len, STYLES["structured"]).cost(line) > 2 * Pack(100, len, DETAILED).cost(line)


@given(st.lists(LINES, max_size=20), st.integers(0, 300))
def test_the_lines_fit(lines: list[Line], room: int) -> None:
    """What was taken costs at most the room, headings included, and nothing is taken twice."""
    pack = Pack(room, len, DETAILED)
    refused = pack.take(lines)
    heads = {(line.group, line.head) for line in pack.lines if line.head}

    assert (
        sum(len(line.text) + 1 for line in pack.lines) + sum(len(head) + 1 for _, head in heads)
        == room - pack.left
        <= room
    )
    assert sorted(map(id, [*pack.lines, *refused])) == sorted(map(id, lines))
