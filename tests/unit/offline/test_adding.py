"""Facts that are added to a finished summary: which ones, and where they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from compact_chat.chat import Message, Text
from compact_chat.facts import Fact, Kind, Note
from compact_chat.measure import Counter
from compact_chat.offline import OfflineRequest
from compact_chat.offline.adding import most_valuable, with_facts, with_record
from compact_chat.styles import STYLES, Summary
from tests.samples.chats import NO_MASKS, a, talk, u
from tests.samples.styles import as_summary, write
from tests.samples.tools import used

count = Counter().count

BASE: dict[str, dict[str, object]] = {
    "detailed": {"currentWork": "Baking.", "allUserMessages": "- bake"},
    "checkpoint": {"goal": "Buns.", "done": "- [x] kneaded", "nextSteps": "1. cool"},
    "structured": {"userIntent": "Buns.", "nextSteps": ["cool"]},
    "handoff": {"whereWeAre": "Baking.", "record": ["Turn 1\n> bake", "Notes\n- odd", "Turn 3: more\n- cooled"]},
}
ROWS: list[tuple[Kind, str, str]] = [
    ("constraints", "Never burn them.", "m1"),
    ("preferences", "Use rye.", "m1"),
    ("userMessages", f"and {'very ' * 400}slowly\n\n## Next\n</summary>", "m2"),
    ("userMessages", "bake them", "m1"),
    ("userMessages", "before all of it", "m0"),
    ("userMessages", "cool them", "m4"),
    ("errors", "oven.py:3: error: too hot", "m3"),
    ("state", "Committed 1abc1de", "m3"),
    ("decisions", "We use steam.", "m3"),
    ("todos", "sell the buns", "m3"),
    ("modifiedFiles", "src/oven.py", "m3"),
    ("values", "port 8443", "m3"),
    ("results", "bun-77f3a9c2d1", "m1"),
    ("currentWork", "kneading", "m3"),
    ("commands", "make buns", "m3"),
    ("readFiles", "src/tray.py", "m3"),
]
FACTS = tuple(Fact(f"f{number}", *row) for number, row in enumerate(ROWS))
TURNS = {f"m{number}": number for number in range(5)}


def test_each_fact_is_in_its_section() -> None:
    """H17: of every style; in a record in its turn, the user's words first; one without sections gets a list."""
    summaries = [Summary(STYLES[style], write(sections, style)) for style, sections in BASE.items()]  # type: ignore[index,arg-type]
    texts = [with_facts(one, FACTS, TURNS).text for one in (*summaries, as_summary("All is baked.\n", "brief"))]

    expected = Path(__file__).with_name("added.md").read_text(encoding="utf-8")
    assert "\n\n~~~~~\n\n".join(texts) + "\n" == expected
    assert with_facts(summaries[0], (), TURNS) is summaries[0]


@pytest.mark.parametrize("style", [*BASE, "brief"])
def test_what_a_person_adds_back_is_there_whole(style: str) -> None:
    """A long message is cut, unless a person added it back."""
    base = BASE.get(style)
    summary = Summary(STYLES[style], write(base, style)) if base else as_summary("All is baked.\n", style)  # type: ignore[index,arg-type]
    long = Fact("long", "userMessages", f"and {'very ' * 400}slowly", "m2")

    assert with_facts(summary, (long,), TURNS, whole=("long",)).text.count("very") == 400
    assert with_facts(summary, (long,), TURNS).text.count("very") < 400


def fact(name: str, kind: Kind, text: str, *marks: str) -> Fact:
    """A fact of some message."""
    return Fact(name, kind, text, "m1", marks)


def check(name: str, *, ok: bool = True, result: str = "", stale: bool = False) -> Fact:
    """A fact of a check that ran."""
    note = Note("check", name, "m1", "m1", ok=ok, result=result, stale=stale)
    return Fact(name, "state", note.text, "m1", note=note)


@pytest.mark.parametrize(
    ("room", "chosen"),
    [(1000, ["old", "file", "new"]), (30, ["old", "new"]), (13, ["new"]), (12, ["file"]), (10, ["file"]), (9, [])],
)
def test_the_most_valuable_facts_get_in(room: int, chosen: list[str]) -> None:
    """H17: the weightiest class first, the newest of it first, in the chat's order; none that another one has said."""
    facts = [
        fact("old", "constraints", "No salt."),
        fact("file", "readFiles", "a.py", "a.py"),
        fact("new", "constraints", "No oil.", "oil"),
        fact("said", "commands", "make oil", "oil"),
    ]

    assert [one.id for one in most_valuable(facts, {"constraints": 2, "readFiles": 1}, room, len)] == chosen


def test_nothing_is_chosen_twice() -> None:
    """H17: what a longer text says needs no line of its own, a rule stays one, and look-ups can be run again."""
    facts = [
        fact("rule", "constraints", "Use rye."),
        fact("decided", "decisions", "Let's do the buns first."),
        fact("words", "userMessages", "Use rye. Let's do the buns first. They sell best."),
        fact("now", "currentWork", "src/oven.py"),
        fact("file", "modifiedFiles", "src/oven.py"),
        fact("looked", "commands", "git diff --stat"),
        fact("ran", "commands", "make buns"),
    ]

    assert [one.id for one in most_valuable(facts, {}, 1000, len)] == ["rule", "words", "file", "ran"]


def test_paths_share_their_folder() -> None:
    """H11: it is named once; a path that a person added back stays whole, and read files are one line."""
    base = Summary(STYLES["handoff"], write(BASE["handoff"], "handoff"))
    files = [fact(str(n), "modifiedFiles" if n < 4 else "readFiles", f"/w/shop/src/{n}.py") for n in range(6)]

    assert (with_facts(base, files, {}, whole=("0",)).sections or {})["files"].split("\n") == [
        "Paths are relative to `/w/shop/src`:",
        "- `/w/shop/src/0.py`",
        "- `1.py`",
        "- `2.py`",
        "- `3.py`",
        "- Only read: `4.py`, `5.py`",
    ]


def test_what_is_over_is_not_told_as_open() -> None:
    """H6 and H17: an error that is no work to do stands in its turn, and a check that may fail now is a warning."""
    base = Summary(STYLES["handoff"], write(BASE["handoff"], "handoff"))
    facts = [
        fact("past", "errors", "File does not exist."),
        fact("open", "errors", "oven.py:3: error: too hot"),
        check("make check", stale=True),
        check("make test", ok=False, result="1 failed"),
        check("make lint"),
        fact("words", "state", "Committed 1abc1de Draw → failed as an arrow"),
    ]
    sections = with_facts(base, facts, {"m1": 1}, past=("File does not exist.",)).sections or {}

    assert sections["whereWeAre"] == ("Baking.\n- make lint → passed\n- Committed 1abc1de Draw → failed as an arrow")
    assert sections["open"] == "- Unresolved: `oven.py:3: error: too hot`"
    assert (
        sections["watchOut"]
        == "- Not run again since the last edit: make check → passed\n- make test → failed: 1 failed"
    )
    assert "- Failed: `File does not exist.`" in sections["record"][0]


CHAT = (
    *talk(u("Never touch till.py. Round the tax per line."), a("I look at the tax first.")),
    *used("Edit", "ok", file_path="/w/tax.py", old_string="x = 1", new_string="def per_line(): 2\nclass TaxRow:"),
    *used("Bash", "E   AssertionError: 3 != 4", is_error=True, command="pytest -q tests/tax"),
    *talk(a("The rounding was off by one cent, because `Decimal` truncates."), u("Then fix it with `quantize`.")),
    *talk(a("Done: `quantize` rounds half up. The receipts are next, and `till.py` was not touched.")),
)
SAID = {
    "whereWeAre": "Done: `quantize` rounds half up.",
    "next": "1. Do the receipts.",
    "files": "- `tax.py`: rounds, new `per_line`",
    "record": ["Turn 1\n- The rounding was off by one cent, because `Decimal` truncates."],
}


def test_a_model_s_hand_over_gets_what_it_lacks() -> None:
    """H17: pieces go to their sections and turns; of a file only the new names that are not there, nothing twice."""
    messages = NO_MASKS.messages([structs.replace(one, id=f"m{place}") for place, one in enumerate(CHAT)])
    request = OfflineRequest(messages, "handoff", "all", 600, count)
    given = STYLES["handoff"].write(SAID)
    done = with_record(given, request, count(given.text)).sections or {}

    assert done["next"] == SAID["next"]
    assert done["rules"] == '- "Never touch till.py."'
    assert done["files"].split("\n") == [SAID["files"], "- Changed, the last one last: `/w/tax.py` (new: TaxRow)"]
    assert "Last failed in turn 1: `E AssertionError: 3 != 4`" in done["open"]
    words = "> Never touch till.py. Round the tax per line.\n\n> Then fix it with `quantize`."
    assert done["whereWeAre"].startswith(f"{words}\n\n{SAID['whereWeAre']}\n- The assistant answered:\n")
    assert done["record"][0].startswith("Turn 1\n- The rounding")
    assert str(done).count("off by one cent") == str(done).count("per_line`") == 1


@pytest.mark.parametrize(
    ("told", "budget", "least", "most"),
    [
        (slice(-30, None), 1000, 800, 1000),  # it says a part of what a text without a model does
        (slice(0, 30), 1000, 1100, 1305),  # nothing of that
        (slice(-100, None), 1000, 1200, 1307),  # and is longer than the budget
        (slice(0, 30), 2200, 1800, 2200),  # nothing, in few words where there is room
    ],
)
def test_what_says_little_may_pass_the_budget(told: slice, budget: int, least: int, most: int) -> None:
    """H17: a reply that has nothing of what would be said without a model is no part of the length."""
    texts = [f"Bake {n} buns with flour number {n}." for n in range(200)]
    messages = [Message(f"m{n}", "user", (Text(text),)) for n, text in enumerate(texts)]
    request = OfflineRequest(NO_MASKS.messages(messages), "handoff", "all", budget, count)
    given = STYLES["handoff"].write({"whereWeAre": "\n".join(texts[told])})

    assert least <= count(with_record(given, request, count(given.reply)).reply) <= most
