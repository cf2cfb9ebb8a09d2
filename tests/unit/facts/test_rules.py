"""Which sentences of the person set a lasting rule."""

from __future__ import annotations

import time

import pytest

from compact_chat.facts import Request, rules
from compact_chat.facts.user import is_rule

RULES = [
    "Never push to main.",
    "Always run the linter before a commit",
    "please don't touch the migrations",
    "Do not add new dependencies",
    "and don’t rename the public functions",
    "All public functions must have docstrings",
    "The API must not change",
    "Only edit files under src/",
    "only the `--local-dev` flag should install the wrapper",
    "Keep each commit with working code please",
    "Avoid global state",
    "prefer composition over inheritance",
    "I'd prefer tabs",
    "We don't want a new table for this",
    "go with port 5433",
    "Make sure the tests stay green",
    "let's not leave all the tests to the very end...",
    "From now on answer in French",
    "This should not be changed",
    "Generated files are off-limits",
    "Fix the bug, but never change the schema",
    "use tabs instead of spaces",
    "Bitte keine neuen Abhängigkeiten",
    "不要修改数据库",
    "必ずテストを書く",
    "Никогда не пушь в main",
    "Nunca toques el esquema",
    "Il ne faut pas changer l'API",
]
NO_RULES = [
    "There is no error",
    "fix the prefix of the notebook",
    "it never worked on my machine",
    "this always fails",
    "I don't know why",
    "don't worry about it",
    "must have been the cache",
    "keep going",
    "can we always use tabs?",
    "Should we avoid globals?",
    "why must it be so slow?",
    "the test only fails on Windows",
    "I can't see any usage of that",
    "add a test for the parser",
    "yes",
]


@pytest.mark.parametrize("sentence", RULES)
def test_a_rule_is_known_by_its_words(sentence: str) -> None:
    """Rules are orders and bans that hold on: never, always, must, only, keep, avoid, prefer."""
    assert is_rule(sentence)


@pytest.mark.parametrize("sentence", NO_RULES)
def test_stories_questions_and_single_wishes_are_no_rules(sentence: str) -> None:
    """Field: words like fix, note or error make no rule; neither do questions or what somebody observed."""
    assert not is_rule(sentence)


def test_the_sentence_is_taken_whole() -> None:
    """A rule is told in the person's own words, without the bullet before it."""
    text = "Add a button. Never change the theme, it is the client's! Thanks"

    assert [rule.text for rule in rules([Request(text, "m1")])] == ["Never change the theme, it is the client's!"]
    assert [rule.text for rule in rules([Request("- Keep it small\n- Add a page", "m1")])] == ["Keep it small"]


@pytest.mark.parametrize(
    "text", ["```\nnever do this in code\n```", "> always quoted by somebody", "    never indented code here"]
)
def test_code_and_quotes_set_no_rules(text: str) -> None:
    """What the person only shows is not what the person asks for."""
    assert rules([Request(text, "m1")]) == ()


def test_a_rule_said_twice_is_one() -> None:
    """It counts from the last time that it was said."""
    found = rules([Request("Never push to main", "m1"), Request("never push to main", "m3")])

    assert [(rule.text, rule.message) for rule in found] == [("never push to main", "m3")]


def test_a_changed_value_supersedes_the_rule_before() -> None:
    """Field: a value that was corrected later is marked and does not stand as current."""
    found = rules(
        [Request("Always use port 5433 for the database", "m1"), Request("Always use port 5434 for the database", "m5")]
    )

    assert [(rule.message, rule.superseded) for rule in found] == [("m1", True), ("m5", False)]


@pytest.mark.parametrize("unit", [" ", "never ", "must ", "only the ", "use x ", ", ", "a. ", "\n"])
def test_a_megabyte_takes_no_time(unit: str) -> None:
    """G5: linear, whatever the message repeats."""
    begin = time.process_time()
    rules([Request(unit * (1_000_000 // len(unit)), "m")])

    assert time.process_time() - begin < 15


def test_items_under_an_announcement_are_rules() -> None:
    """A list that is announced as rules sets them, whatever their words; what follows the list does not."""
    list_of_rules = "Two rules for this work:\n- Answer in British spelling.\n\n- Prices are in cents.\n"
    text = f"Please add codes. {list_of_rules}A code has 8 letters.\n- one\n"

    assert [rule.text for rule in rules([Request(text, "m0")])] == [
        "Answer in British spelling.",
        "Prices are in cents.",
    ]
