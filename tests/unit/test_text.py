"""Tags, labels, markers and code fences: found, escaped and taken off."""

from __future__ import annotations

import re
import sys

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
    fenced_lines,
    find_tags,
    is_summary_text,
    line_feeds,
    strip_summary_wrappers,
    without_codes,
)

LABELS = re.compile(r"\[(?:user|assistant)\]:", re.IGNORECASE)
PIECES = ("<", "</", ">", "/", " ", "\n", "\u200b", "\x00", "summary", "Conversation", "read-files", 'a="b"', "x", "-")
MARKUP = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


def test_finds_opening_and_closing_tags_in_order() -> None:
    """F2: tags are found from left to right with their place in the text."""
    assert list(find_tags("a<summary>b</summary>", {"summary"})) == [
        Tag("summary", closing=False, start=1, end=10),
        Tag("summary", closing=True, start=11, end=21),
    ]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("<Summary >", [("summary", "<Summary >")]),
        ('<analysis id="1">', [("analysis", '<analysis id="1">')]),
        ("<summary\nlang='en'\n>", [("summary", "<summary\nlang='en'\n>")]),
        ("</Summary\t>", [("/summary", "</Summary\t>")]),
        *((text, []) for text in ("<summary />", '<summary a="b"/>', "<summaries>", "<summary-x>", "< summary>")),
        *((text, []) for text in ("<summary", "<ſummary>", "<example>")),
        ("<sum<analysis>x</analysis>mary>y", [("analysis", "<analysis>"), ("/analysis", "</analysis>")]),
        ("<analysis <summary>", [("summary", "<summary>")]),
    ],
)
def test_what_is_a_tag(text: str, tags: list[tuple[str, str]]) -> None:
    """F2: letter case, blanks and attributes do not matter; other names and unfinished or self-closing forms do."""
    found = find_tags(text, ("analysis", "summary"))

    assert [("/" * tag.closing + tag.name, text[tag.start : tag.end]) for tag in found] == tags


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


def test_long_white_space_is_stripped_in_pieces() -> None:
    """P23: around a summary and inside its wrapper, blanks cost no step each."""
    blanks, calls = " \n\u3000" * 50_000, 0

    def note(frame: object, event: str, called: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    sys.setprofile(note)
    found = strip_summary_wrappers(f"{blanks}<context-summary>{blanks}old{blanks}</context-summary>{blanks}")
    sys.setprofile(None)

    assert found == "old"
    assert calls < 5_000


def test_line_ends_become_line_feeds() -> None:
    """G3: CRLF and a lone CR become one line feed each; other separators stay."""
    assert line_feeds("a\r\nb\rc\n\r\u2028\x0b\x85") == "a\nb\nc\n\n\u2028\x0b\x85"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```py\nb\n```\nc", ".xxx."),
        ("```\na", ".."),
        ("~~~\n```\n~~~\n```\nb", "xxx.."),
        ("````\n```\nb\n````\nc", "xxxx."),
        ("```a`b\nc\n```", "..."),
        ("   ```\na\n  ```  ", "xxx"),
        ("    ```\na\n```", "xxx"),
        ("```\na\n``` not the end\nb\n```", "xxxxx"),
        ("```\n~~~\na\n~~~", ".xxx"),
        ("a ``` b\n```", ".."),
        ("```\n````", "xx"),
    ],
)
def test_only_closed_fences_count(text: str, expected: str) -> None:
    """R5: a fence line without its end further down is plain text."""
    assert "".join("x" if fenced else "." for fenced in fenced_lines(text.split("\n"))) == expected


@given(st.lists(st.sampled_from(["```", "~~~", "````", "```py", "a", "``` x", ""]), max_size=20))
def test_a_fence_begins_and_ends_with_its_sign(lines: list[str]) -> None:
    """R5: any stretch of fenced lines begins and ends with a fence line."""
    marks = [False, *fenced_lines(lines), False]
    for place, line in enumerate(lines):
        if marks[place + 1] and not (marks[place] and marks[place + 2]):
            assert line.startswith(("```", "~~~"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[2K\x1b[1;32mok\x1b[0m\x1b[K built", "ok built"),
        ("\x1b]0;title\x07one\x1b]8;;x\x1b\\two\x1b(B three\x1b7\x1b[?25h", "onetwo three"),
        ("cut off \x1b[3", "cut off "),
        ("\x1b]never ended\n[K] \x1b", "]never ended\n[K] "),
        ("list[K] and \\x1b[K", "list[K] and \\x1b[K"),
    ],
)
def test_escape_sequences_go_whole(text: str, plain: str) -> None:
    """What a terminal does not show is left out, and nothing of it stays."""
    assert without_codes(text) == plain
