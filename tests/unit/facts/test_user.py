"""What the person typed: requests, rules, todos, instructions for summaries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.facts import Request, earlier_summaries, instruction_sections, requests, rules
from compact_chat.facts.user import LONGEST_SECTION
from compact_chat.read import resolved
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST
from tests.samples.chats import a, res, s, talk, u
from tests.samples.scenes import parts

SUMMARY = "[Previous conversation summary]\nold facts\n[End of summary — conversation continues below]"
REFUSED = (
    "The user doesn't want to proceed with this tool use. (…) To tell you how to proceed, the user said:\nuse tabs"
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (u("fix it"), ["fix it"]),
        (u("a\r\nb"), ["a\nb"]),
        (u(res("1", "output")), []),
        (a("hello"), []),
        (s("rules"), []),
        (replace(u("Caveat: generated"), by_host=True), []),
        (replace(u("all of it is a summary"), is_summary=True), []),
        (u(SUMMARY), []),
        (u("now the tests", SUMMARY.replace(SUMMARY_END, SUMMARY_END_LAST)), ["now the tests"]),
        (u("<system-reminder>\nx\n</system-reminder>", "go on"), ["go on"]),
        (replace(u(SUMMARY, "now the tests"), is_summary=True), ["now the tests"]),
        (u(res("1", REFUSED, is_error=True)), ["use tabs"]),
        (
            replace(u("<command-name>/x</command-name><command-args>keep it small</command-args>"), by_host=True),
            ["keep it small"],
        ),
    ],
)
def test_only_the_persons_own_words_count(message: Message, said: list[str]) -> None:
    """P6: no results, no host text, no earlier summary; but words in a refusal and after a command count."""
    assert [request.text for request in requests(list(resolved([message], "unknown")))] == said


def test_an_earlier_summary_is_an_item_of_its_own() -> None:
    """Its text is returned unwrapped, whether or not it shares its message with the user's words."""
    joined = replace(u(SUMMARY, "now the tests"), is_summary=True)
    alone = replace(u("This session is continued. Summary:\n1. x", "typed behind it"), is_summary=True)

    assert [summary.text for summary in earlier_summaries([joined, alone])] == [
        "old facts",
        "This session is continued. Summary:\n1. x",
    ]


def test_a_complete_summary_is_known_without_a_mark() -> None:
    """P23, Z4: our own summary within a chat is an earlier summary, but not one that a tool or model quotes."""
    chat = [u("q"), a(SUMMARY), u(res("1", SUMMARY)), u(SUMMARY)]

    assert [(one.text, one.message) for one in earlier_summaries(talk(*chat))] == [("old facts", "m3")]


HERE = Path(__file__).parent
SENTENCES = {name: lines for name, *lines in parts((HERE / "sentences.txt").read_text("utf-8"))}


def found(*texts: str) -> list[str]:
    """The rules in some messages."""
    return [rule.text for rule in rules([Request(text, f"m{n}") for n, text in enumerate(texts)])]


@pytest.mark.parametrize("kind", ["constraints", "preferences", "no rules"])
def test_a_rule_is_known_by_its_words(kind: str) -> None:
    """Contract, 5: standing orders and bans are rules, what the user likes is told apart; stories, questions are none.

    Words like fix, note or error make no rule either.
    """
    known = {
        sentence: [(rule.text, rule.kind) for rule in rules([Request(sentence, "m")])] for sentence in SENTENCES[kind]
    }

    assert known == {sentence: [(sentence, kind)] * (kind != "no rules") for sentence in SENTENCES[kind]}


def test_a_plan_tells_what_to_build_and_not_how_to_work() -> None:
    """H9: of a pasted plan, only strict norms and lists of rules are rules of the user."""
    plan = f"## Goal\n{'The oven is old. ' * 99}\n## Code\n- Use trays of tin.\n## Rules\n- Never bake twice.\n"

    assert [rule.text for rule in rules((Request(plan, "u1"),))] == ["Never bake twice."]
    assert [rule.text for rule in rules((Request("Use trays of tin.", "u1"),))] == ["Use trays of tin."]


def test_comments_in_code_make_no_plan_of_a_message() -> None:
    """H9: headings count outside fences."""
    script = "\n".join(f"# Step {n}\nbake --tray {n} --heat 230 --loaves 12 --rye" for n in range(50))

    assert found(f"Use trays of tin.\n```sh\n{script}\n```") == ["Use trays of tin."]


def test_items_below_a_heading_of_rules_are_rules() -> None:
    """H9: without a colon too, but not what only says that there are none."""
    plan = f"## Goal\n{'The oven is old. ' * 99}\n## House rules\n- Warm hands.\n\n- None\n## Code\n- Trays of tin.\n"

    assert found(plan) == ["Warm hands."]
    assert found("# Conventions\n- Warm hands.") == ["Warm hands."]


def test_a_rule_said_twice_is_one() -> None:
    """It counts at its last occurrence."""
    set_rules = rules([Request("Never push to main", "m1"), Request("never push to main", "m3")])

    assert [(rule.text, rule.message) for rule in set_rules] == [("never push to main", "m3")]


@pytest.mark.parametrize("way", ["superseded by", "in force beside"])
def test_a_rule_is_superseded_only_by_one_on_the_same_matter(way: str) -> None:
    """A later value of the same matter takes its place, and so does a permission, which is no rule itself."""
    for line in SENTENCES[way]:
        before, after = line.split(" / ")
        first, *others = rules([Request(before, "m1"), Request(after, "m2")])

        assert first.superseded is (way == "superseded by"), line
        assert [rule.text for rule in others] == [after] * (not after.startswith("you may")), line


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("Now forget what I said about short answers.", ["Always write docstrings in German."]),
        ("Please ignore my rule about docstrings!", ["I prefer short answers."]),
        ("Forget what I said about that.", ["I prefer short answers.", "Always write docstrings in German."]),
        ("Forget it.", ["I prefer short answers.", "Always write docstrings in German."]),
    ],
)
def test_what_was_said_about_a_matter_is_taken_back(words: str, held: list[str]) -> None:
    """H6: not where nothing names the matter."""
    said = [Request("I prefer short answers. Always write docstrings in German.", "m1"), Request(words, "m2")]

    assert [rule.text for rule in rules(said) if not rule.superseded] == held


def test_rules_of_one_message_stand_beside_each_other() -> None:
    """H6: as in a specification whose items differ in a number; a later message replaces all of them."""
    listed = [Request("\n".join(f"- Item {n} must have {n * 10} points." for n in range(1, 4)), "m1")]

    assert [rule.superseded for rule in rules(listed)] == [False] * 3


def test_a_section_is_bounded() -> None:
    """P8: a section that is too long ends with a whole line, or is truncated if it has only one."""
    (lines,) = instruction_sections("# Compact Instructions\n" + "keep this\n" * 10_000)
    (line,) = instruction_sections("# Compact Instructions\n" + "x" * 100_000)

    assert LONGEST_SECTION - 20 < len(lines) <= LONGEST_SECTION
    assert lines.endswith("\nkeep this")
    assert line == "x" * LONGEST_SECTION


@given(st.text(st.sampled_from("#`~ \nCompact Instructions:*\r"), max_size=200))
def test_any_text_can_be_looked_through(text: str) -> None:
    """G5: sections are trimmed pieces of the text, and none is blank."""
    for section in instruction_sections(text):
        assert section
        assert section == section.strip()
        assert section in text.replace("\r\n", "\n").replace("\r", "\n")
