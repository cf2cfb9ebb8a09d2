"""The lines of an offline summary: how they quote the chat, and which of them get in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.facts import requests
from compact_chat.offline.answers import best_statements, statements_in
from compact_chat.offline.lines import (
    COMMANDS,
    EARLIER,
    MODIFIED,
    QUOTES,
    READ,
    TODOS,
    Line,
    block,
    block_borders,
    bullet,
    common_limit,
    cut,
    excerpt,
)
from compact_chat.offline.writer import Pack
from compact_chat.styles import STYLES
from compact_chat.text import code
from tests.samples.chats import a, talk, u

DETAILED = STYLES["detailed"]


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a `b`", "`` a `b` ``"), ("use ``x`` now", "```use ``x`` now```"), ("`", "`` ` ``")],
)
def test_a_code_span_may_hold_backticks(text: str, span: str) -> None:
    """The span is fenced by more backticks than it holds."""
    assert code(text) == span


def test_texts_are_quoted_as_items_excerpts_and_blocks() -> None:
    """An item has no blank lines and indents its further ones, an excerpt is one line, a block keeps paragraphs."""
    assert bullet("a\n\n  b\r\n") == "- a\n    b"
    assert excerpt("one\ntwo three", 8) == '"one two…"'
    assert block("\n\na\n \n\nb\n") == "a\n\nb"


def test_a_quote_is_cut_between_words() -> None:
    """Half a word tells nothing, and to leave out a few characters is not worth a note."""
    text = " ".join(f"shelf{number}" for number in range(100))

    shown = cut(text, 200)
    head, note, tail = shown.split("\n")

    assert text.startswith(f"{head} ")
    assert text.endswith(f" {tail}")
    assert len(text) == len(head) + len(tail) + int(note.split()[1]) + 2  # and a blank on both sides
    assert cut(text, len(text) - 80) == text


FENCE = "```\nopen shop\n\n- count\nclose shop\n```"


@pytest.mark.parametrize(
    "block", ["- Count the trays of the shelf,\n  and write it down", f"Do:\n\n{FENCE}", "## A\n\nb c d"]
)
def test_a_quote_of_blocks_is_cut_between_them(block: str) -> None:
    """H3: items, paragraphs and fences stay whole, where their borders are near."""
    text = "\n".join([block] * 200)

    head, note, tail = re.split(r"\n(\[.* omitted \.\.\.\]\n)", cut(text, 900, block_borders(text)))

    assert text.startswith(f"{head}\n")
    assert text.endswith(f"\n{tail}")
    omitted = text[len(head) : len(text) - len(tail)]
    assert {len(head) + len(omitted) - len(omitted.lstrip()), len(text) - len(tail)} <= {*block_borders(text)}
    assert len(omitted.lstrip()) == int(note.split()[1])
    assert 600 < len(head) + len(tail) <= 900


@pytest.mark.parametrize(
    ("lengths", "weights", "room", "limit"),
    [
        ([200], [1], 1000, 200),  # all of it
        ([], [], 10, 120),
        ([400, 400], [1, 1], 402, 200),
        ([400, 400], [3, 1], 640, 236),
        ([400], [1], 10, 120),
    ],
)
def test_texts_share_a_room(lengths: list[int], weights: list[int], room: int, limit: int) -> None:
    """The same for each weight, never less than the beginning of each, never more than the longest needs."""
    assert common_limit(["x" * length for length in lengths], weights, room, len) == limit


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


CHAT = talk(
    u("why is it slow?"),
    a("Let me look at the code of the server first:\n\nNow let me read `src/db.py` and `src/api.py` of it."),
    a("I hope that this helps you, have a nice day."),
    a("The cause is `load_all` in `src/db.py`: it runs 1,204 queries.\n\n| a | b |\n|---|--------------------|"),
    u("and now?"),
    a(
        "It takes 38 ms with `load_some`, down from 2,100 ms.\nThe bakery can open again today.\n"
        "Shall I remove `load_all` then, all of it?"
    ),
    u("show it"),
    a('The limit in `limits.json` is 40 now.\n```json\n"editor.autoSaveDelay_ms": 3000,\n'),
)
CAUSE, TAKES, LIMIT, OPEN = (
    "- The cause is `load_all` in `src/db.py`: it runs 1,204 queries.",
    "- It takes 38 ms with `load_some`, down from 2,100 ms.",
    "- The limit in `limits.json` is 40 now.",
    "- The bakery can open again today.",
)


@pytest.mark.parametrize(
    ("written", "room", "texts"),
    [("", 1000, [TAKES, CAUSE, LIMIT, OPEN]), ("", 130, [TAKES, CAUSE]), (CAUSE, 1000, [TAKES, LIMIT, OPEN])],
)
def test_statements_with_names_and_numbers_come_first(written: str, room: int, texts: list[str]) -> None:
    """Questions, rulers of tables, plans, what is written already and code behind an open fence add nothing."""
    chosen = [*best_statements(statements_in(CHAT, requests(CHAT), lambda text, _: text), written, room, len)]

    assert [f"- {line.text}" for line in chosen] == texts
    answered = {CAUSE: "why is it slow?", TAKES: "and now?", OPEN: "and now?", LIMIT: "show it"}
    assert [line.request and line.request.text for line in chosen] == [answered[text] for text in texts]
