"""Tags, labels and markers: found, escaped and taken off, in linear time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.text import (
    SUMMARY_END,
    SUMMARY_END_LAST,
    SUMMARY_START,
    TAGS,
    Tag,
    escape_labels,
    escape_tags,
    find_tags,
    is_summary_text,
    line_feeds,
    strip_summary_wrappers,
)

LABELS = re.compile(r"\[(?:user|assistant)\]:", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        "<",
        "</",
        ">",
        "/",
        " ",
        "\n",
        "\t",
        "\u200b",
        "\x00",
        "summary",
        "Conversation",
        "example",
        "read-files",
        'a="b"',
        "x",
        "-",
    ]
)
MARKUP = st.one_of(st.text(), st.lists(PIECES).map("".join))
HUGE = [
    piece * (1_000_000 // len(piece))
    for piece in (
        "<",
        "<summary ",
        "</summary",
        "< ",
        "<\u200b",
        " ",
        "\n",
        "`",
        "<a>",
        "[user]:\n",
        "[user]: ",
        "\u200b",
    )
]


def found(text: str, names: tuple[str, ...] = ("analysis", "summary")) -> list[tuple[str, str]]:
    """What the scanner finds: each name, with the text that it takes for the tag."""
    return [("/" * tag.closing + tag.name, text[tag.start : tag.end]) for tag in find_tags(text, names)]


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def test_finds_opening_and_closing_tags_in_order() -> None:
    """F2: tags are found from left to right with their place in the text."""
    assert list(find_tags("a<summary>b</summary>", {"summary"})) == [
        Tag("summary", closing=False, start=1, end=10),
        Tag("summary", closing=True, start=11, end=21),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<SUMMARY>", "summary"),
        ("<Summary >", "summary"),
        ('<analysis id="1">', "analysis"),
        ("<summary\nlang='en'\n>", "summary"),
        ("</Summary\t>", "/summary"),
    ],
)
def test_finds_any_letter_case_blanks_and_attributes(text: str, name: str) -> None:
    """F2: letter case, blanks and attributes ahead of the bracket make no difference."""
    assert found(text) == [(name, text)]


@pytest.mark.parametrize(
    "text",
    [
        "<summary/>",
        "<summary />",
        '<summary a="b"/>',
        "<summaries>",
        "<summary-x>",
        "< summary>",
        "<summary",
        "<ſummary>",
    ],
)
def test_other_forms_are_no_tags(text: str) -> None:
    """F2: self-closing forms, longer names and unfinished tags are not tags."""
    assert found(text) == []


def test_finds_only_the_names_asked_for() -> None:
    """F2: a tag of another name is text."""
    assert found("<example><summary>", ("summary",)) == [("summary", "<summary>")]


def test_a_tag_cannot_be_made_of_pieces_around_another() -> None:
    """F2: in `<sum<analysis>x</analysis>mary>` there is no summary tag."""
    assert found("<sum<analysis>x</analysis>mary>y") == [("analysis", "<analysis>"), ("/analysis", "</analysis>")]


def test_an_unfinished_tag_ends_at_the_next_bracket() -> None:
    """F2: attributes do not swallow the tag that follows."""
    assert found("<analysis <summary>") == [("summary", "<summary>")]


@pytest.mark.parametrize("name", TAGS)
def test_escapes_each_of_our_tags(name: str) -> None:
    """T10: the opening and the closing form of each tag lose their bracket, whatever their letter case."""
    assert escape_tags(f"<{name}>x</{name.upper()} >") == f"&lt;{name}>x&lt;/{name.upper()} >"


@pytest.mark.parametrize(
    "text",
    ["< /conversation>", "</ conversation >", "<\n/conversation", "</conversation\u200b>", "<\u200b/conversation>"],
)
def test_escapes_what_a_reader_takes_for_a_tag(text: str) -> None:
    """T10: blanks, seen or unseen, and a missing end do not save a tag from being escaped."""
    assert escape_tags(text) == "&lt;" + text[1:]


@pytest.mark.parametrize(
    "text",
    ["<div>", "<summaries>", "<summary-row>", "<ns:summary>", "<summary.x>", "a < b", "summary>", "&lt;summary>"],
)
def test_other_markup_is_untouched(text: str) -> None:
    """T10: only our own tags are escaped."""
    assert escape_tags(text) == text


@given(MARKUP)
def test_no_tag_is_left_after_escaping(text: str) -> None:
    """T10: after escaping the scanner finds nothing, and escaping again changes nothing."""
    escaped = escape_tags(text)
    assert not list(find_tags(escaped, TAGS))
    assert escape_tags(escaped) == escaped
    assert escaped.replace("&lt;", "<") == text.replace("&lt;", "<")


@given(MARKUP, MARKUP)
def test_no_tag_arises_between_two_entries(before: str, after: str) -> None:
    """T10: an unfinished tag at the end of one content is not finished by the next."""
    assert not list(find_tags(f"{escape_tags(before)}\n\n[User]: {escape_tags(after)}", TAGS))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a\n[Assistant]: b", "a\n\\[Assistant]: b"),
        ("[User]: b", "\\[User]: b"),
        ("a\n \t[user]: b", "a\n \t\\[user]: b"),
        ("\n\n[User]: b", "\n\n\\[User]: b"),
        ("\u200b[User]: b", "\u200b\\[User]: b"),
    ],
)
def test_escapes_a_label_that_begins_a_line(text: str, escaped: str) -> None:
    r"""T11: a forged label gets a `\` ahead of its first visible character."""
    assert escape_labels(text, LABELS) == escaped


@pytest.mark.parametrize("text", ["see [User]: b", "[Users]: b", "a\u2028[User]: b", "\\[User]: b", "a\x85[User]: b"])
def test_a_label_within_a_line_stays(text: str) -> None:
    """T11, G3: only a line feed begins a line, and only its beginning counts."""
    assert escape_labels(text, LABELS) == text


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("<context-summary>\nold\n</context-summary>", "old"),
        (f"  {SUMMARY_START}\nold\n{SUMMARY_END}\n", "old"),
        (f"{SUMMARY_START}\nold\n{SUMMARY_END_LAST}", "old"),
        (f"{SUMMARY_START}\n<context-summary>\nold\n</context-summary>\n{SUMMARY_END}", "old"),
        (f"<context-summary>{SUMMARY_START}\nold\n{SUMMARY_END}</context-summary>", "old"),
        (f"{SUMMARY_START}\r\nold\r\n{SUMMARY_END}", "old"),
        ("<context-summary></context-summary>", ""),
    ],
)
def test_takes_off_complete_wrappers(text: str, inner: str) -> None:
    """P23: wrappers of either kind, nested or not, are recognised and all taken off."""
    assert is_summary_text(text)
    assert strip_summary_wrappers(text) == inner


@pytest.mark.parametrize(
    "text",
    [
        "why does <context-summary> appear here?",
        "<context-summary>old",
        "see <context-summary>old</context-summary>",
        "<context-summary>",
        f"{SUMMARY_START} and {SUMMARY_END_LAST}",
        f"{SUMMARY_START}\nold\n</context-summary>",
        "",
    ],
)
def test_an_incomplete_wrapper_is_no_summary(text: str) -> None:
    """P23: a text that only mentions a wrapper, or lacks an end, is the user's own and stays."""
    assert not is_summary_text(text)
    assert strip_summary_wrappers(text) == text


def test_line_ends_become_line_feeds() -> None:
    """G3: CRLF and a lone CR become one line feed each; other separators stay."""
    assert line_feeds("a\r\nb\rc\n\r\u2028\x0b\x85") == "a\nb\nc\n\n\u2028\x0b\x85"


@pytest.mark.parametrize("text", HUGE, ids=lambda text: repr(text[:9]))
def test_a_megabyte_of_anything_takes_no_time(text: str) -> None:
    """G5: the scanner, both escapes and the wrappers are linear."""
    assert seconds(lambda: list(find_tags(text, TAGS))) < 2
    assert seconds(lambda: escape_tags(text)) < 2
    assert seconds(lambda: escape_labels(text, LABELS)) < 2
    assert seconds(lambda: is_summary_text(text)) < 2


def test_many_nested_wrappers_take_no_time() -> None:
    """G5: taking off wrappers is linear in their number."""
    text = "<context-summary> " * 40_000 + "</context-summary> " * 40_000
    assert seconds(lambda: strip_summary_wrappers(text)) < 2
    assert strip_summary_wrappers(text) == ""
