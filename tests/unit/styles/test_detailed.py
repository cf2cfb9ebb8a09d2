"""How a reply in the detailed style becomes a summary."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import NoSummary
from compact_chat.styles.detailed import TITLES
from tests.samples.styles import read

FENCE = "```"
THREE = (
    "1. Primary Request and Intent:\nbuns\n\n2. Key Technical Concepts:\nyeast\n\n3. Files and Code Sections:\nbun.py"
)

FORMATTED = [
    ("F1", "Of course:<summary>ok</summary>Bye", "ok"),
    ("F1", "Hi\n\n<analysis>x</analysis>\nNow:\n<summary>\nok\n</summary>\nBye", "ok"),
    ("F2", '<SUMMARY lang="en">ok</Summary >', "ok"),
    ("F2", '<analysis id="1">x</ANALYSIS\n><Summary >ok</summary>', "ok"),
    ("F2", "<summary/><summary>ok</summary>", "ok"),
    ("F2", "<summaryx>no</summaryx><summary>ok</summary>", "ok"),
    ("F3", "<analysis>p<analysis>q</analysis>r</analysis><summary>k</summary>", "k"),
    ("F3", "<analysis>draft <summary>no</summary></analysis><summary>yes</summary>", "yes"),
    ("F3", "</analysis></summary><summary>k</summary></analysis>", "k"),
    ("F4", "<analysis>private\n<summary>open</summary>", "open"),
    ("F4", "<analysis>then the <summary> tag\n  <summary>open</summary>", "open"),
    ("F4", "<analysis>private <summary>open</summary>", "open"),
    ("F4", "<analysis>a <analysis> b</analysis>\n<summary>open</summary>", "open"),
    ("F4", "<summary>P</summary><analysis>private\n<summary>Q</summary>", "P\n\nQ"),
    ("F4", "<summary>P</summary><analysis>private", "P"),
    ("F5", "<summary>the `</summary>` tag</summary>", "the `</summary>` tag"),
    ("F5", "<summary>the ``a ` </summary>`` tag</summary>", "the ``a ` </summary>`` tag"),
    ("F5", f"<summary>\n{FENCE}xml\n</summary>\n{FENCE}\nend</summary>", f"{FENCE}xml\n</summary>\n{FENCE}\nend"),
    ("F5", f"<summary>a\n{FENCE}\n<summary>\n{FENCE}\n</summary>Bye", f"a\n{FENCE}\n<summary>\n{FENCE}"),
    ("F5", f"<summary>a\n{FENCE}py\nopen</summary>", f"a\n{FENCE}py\nopen"),
    ("F5", "<summary>a ` b</summary>Bye", "a ` b"),
    ("F5", "<summary>out <summary>in</summary> out</summary>Bye", "out <summary>in</summary> out"),
    ("F5", "<summary>a</summary> b</summary>Bye", "a</summary> b"),
    ("F5", "<summary>a</summary>It ends with `</summary>`.", "a"),
    ("F5", "<summary>a</summary> and <analysis> are tags</summary>", "a</summary> and <analysis> are tags"),
    ("F5", "<summary>P</summary><analysis>no </summary></analysis><summary>Q</summary>", "P\n\nQ"),
    ("F5", "<summary>the <summary> tag</summary>Bye", "the <summary> tag"),
    ("F6", "<summary>from <analysis> to </analysis> is cut</summary>", "from <analysis> to </analysis> is cut"),
    ("F6", "<summary><analysis>hm</analysis>fact</summary>", "fact"),
    ("F6", "<summary>\n<analysis>a<analysis>b</analysis></analysis>\n<analysis>c</analysis>\nfact</summary>", "fact"),
    ("F6", "<summary><analysis>the `</analysis>` tag</analysis>fact</summary>", "fact"),
    ("F6", "<summary><analysis> opens</summary>", "<analysis> opens"),
    ("F6", "<summary><analysis> opens</summary></analysis>", "<analysis> opens"),
    ("F8", "<summary>P</summary><summary>Q</summary>", "P\n\nQ"),
    ("F8", "<summary>P</summary>and<summary> P\n</summary><summary> </summary>", "P"),
    ("F8", "<summary>Summary:\nP</summary><summary>Summary:\nQ</summary>", "P\n\nQ"),
    ("F11", "<summary>a\n \n\t\nb</summary>", "a\n\nb"),
    ("F11", "<summary>\nTest Summary:\n\ngreen</summary>", "Test Summary:\n\ngreen"),
    ("F11", "<summary>\n Summary: \n\na</summary>", "a"),
    ("F11", "<summary>Summary:\nSummary:\na</summary>", "Summary:\na"),
    ("F11", "\ufeff<summary>a</summary>", "a"),
    ("F11", "<summary>a\u2028b\x0bc\x85d  \ne</summary>", "a\u2028b\x0bc\x85d  \ne"),
    ("F11", f"<summary>a\n\n\n{FENCE}\nb\n\n\nc\n{FENCE}\n\n\nd</summary>", f"a\n\n{FENCE}\nb\n\n\nc\n{FENCE}\n\nd"),
    ("F11", f"<summary>{FENCE}\na\n\n\nb</summary>", f"{FENCE}\na\n\nb"),
    ("G3", "<summary>one\r\n\r\n\r\n\r\ntwo\rthree</summary>", "one\n\ntwo\nthree"),
    ("G2", "<summary>\ud800 \U0001f950</summary>", "\ud800 \U0001f950"),
]

REFUSED = [
    ("F2", "<sum<analysis>x</analysis>mary>y", "noSummary"),
    ("F2", "<summary/>", "noSummary"),
    ("F3", "<analysis><summary>no</summary></analysis>", "noSummary"),
    ("F4", "<analysis>private", "noSummary"),
    ("F4", f"{THREE}\n<analysis>private", "noSummary"),
    ("F9", "Sorry, no.", "noSummary"),
    ("F9", THREE.replace("Files and Code Sections", "Files"), "noSummary"),
    ("F9", THREE.replace("Files and Code Sections", "Key Technical Concepts"), "noSummary"),
    ("F9", THREE.replace("Files and Code Sections", "IMMEDIATE TASK"), "noSummary"),
    ("F9", f"<analysis>\n{THREE}\n</analysis>", "noSummary"),
    ("F9", f"{FENCE}\n{THREE}\n{FENCE}", "noSummary"),
    ("F10", "", "emptySummary"),
    ("F10", "\ufeff \n\t", "emptySummary"),
    ("F10", "<summary> \n </summary>", "emptySummary"),
    ("F10", "<summary></summary><summary>\u2003</summary>", "emptySummary"),
    ("F10", "<summary>", "emptySummary"),
    ("F10", "<summary>Summary:\n</summary>", "emptySummary"),
    ("F10", "<summary><analysis>only this</analysis></summary>", "emptySummary"),
]


@pytest.mark.parametrize(("rule", "text", "body"), FORMATTED)
def test_reply_becomes_its_summary(rule: str, text: str, body: str) -> None:
    """F1 to F11, G2, G3: what comes out is the header and the body that the rule names, without a warning."""
    reply = read(text)

    assert reply.text == f"Summary:\n{body}", rule
    assert reply.warnings == ()


@pytest.mark.parametrize(("rule", "text", "kind"), REFUSED)
def test_reply_without_summary_is_refused(rule: str, text: str, kind: str) -> None:
    """F2, F4, F9 and F10: a reply that holds no summary, or a blank one, is an error that says which."""
    with pytest.raises(NoSummary) as refusal:
        read(text)

    assert refusal.value.kind == kind, rule
    assert refusal.value.code == -32045


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("<summary>half", "half"),
        ("<summary>the `</summary>` tag", "the `</summary>` tag"),
        ("<summary>P</summary><summary>half", "P\n\nhalf"),
        ("<summary>P <summary> Q</summary><summary>half", "P <summary> Q\n\nhalf"),
    ],
)
def test_unclosed_summary_runs_to_the_end(text: str, body: str) -> None:
    """F7: a summary without a closing tag reaches to the end, with a warning."""
    reply = read(text)

    assert reply.text == f"Summary:\n{body}"
    assert [warning.code for warning in reply.warnings] == ["unclosedSummary"]


@pytest.mark.parametrize(
    "text",
    [
        THREE,
        f"<analysis>no</analysis>\n{THREE}\n</summary>",
        f"</analysis>\n\n{THREE}",
        f"Summary:\n{THREE}",
    ],
)
def test_titles_stand_in_for_tags(text: str) -> None:
    """F9: without tags the text outside analysis is the body if it has three of the titles, with a warning."""
    reply = read(text)

    assert reply.text == f"Summary:\n{THREE}"
    assert [warning.code for warning in reply.warnings] == ["missingTags"]


def test_quoted_tags_stay_in_a_reply_without_tags() -> None:
    """F6 and F9: a closing tag that is only quoted in code is text."""
    assert read(f"{THREE}\nthe `</summary>` tag</summary>").text.endswith("\nthe `</summary>` tag")


def test_a_refusal_says_what_a_summary_looks_like() -> None:
    """F9: who sent the reply learns what would have been taken."""
    with pytest.raises(NoSummary, match=r"<summary> block, or at least three of the section titles"):
        read("Sorry, no.")


def test_both_titles_of_section_nine_count() -> None:
    """F9: Context for Continuing Work counts like Optional Next Step."""
    text = "\n\n".join(f"## {title}\nx" for title in TITLES[7:10])

    assert read(text).text == f"Summary:\n{text}"


PIECES = [
    "<analysis>",
    "</analysis>",
    "<summary>",
    "</summary>",
    "<Summary a='b'>",
    "</ANALYSIS >",
    "<sum",
    "mary>",
    "Summary:",
    "\n",
    "\n\n\n",
    " \t",
    "`",
    "``",
    "\n```\n",
    "\n```py\n",
    "\n~~~\n",
    "\ufeff",
    "\r\n",
    "\u2028",
    "\ud800",
    "word",
    "\n1. Current Work:\n",
    "\n## Pending Tasks\n",
    "\nProblem Solving: x\n",
]
REPLIES = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def formatted(text: str) -> str | None:
    """Give the summary of a reply, or nothing where it is refused."""
    try:
        return read(text).text
    except NoSummary:
        return None


@given(REPLIES)
def test_result_is_never_blank(text: str) -> None:
    """F1 and F10: whatever comes in, a result has its header and a body that begins and ends with something."""
    summary = formatted(text)
    if summary is None:
        return

    body = summary.removeprefix("Summary:\n")
    assert body != summary
    assert body
    assert body == body.strip()
    assert "\r" not in body


@given(REPLIES)
def test_formatting_twice_changes_nothing(text: str) -> None:
    """F1 to F11: a result that is wrapped again comes out as it was, unless it reads like two blocks itself."""
    summary = formatted(text)
    if summary is None or re.search("</summary.*<summary", summary, re.IGNORECASE | re.DOTALL):
        return

    assert read(f"<summary>\n{summary}\n</summary>").text == summary


WORDS = st.text("abc \n</>é", max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["chatter", "analysis", "summary"]), WORDS), min_size=1, max_size=8))
def test_chatter_and_analysis_never_come_through(parts: list[tuple[str, str]]) -> None:
    """F1, F3 and F8: of blocks and the text between them only the summaries come out, each of them, in order."""
    text, facts = "", []
    for number, (kind, words) in enumerate(parts):
        marked = f"{kind.upper()}{number} {words}"
        text += marked if kind == "chatter" else f"<{kind}>{marked}</{kind}>"
        facts += [f"SUMMARY{number}"] if kind == "summary" else []
    if not facts:
        return

    summary = read(text).text

    assert "CHATTER" not in summary
    assert "ANALYSIS" not in summary
    assert [word for word in summary.split() if word.startswith("SUMMARY")] == facts


UNITS = [
    " ",
    "\n",
    " \n",
    "<",
    "`",
    "` ",
    "<analysis>",
    "<summary>",
    "</summary>",
    "<summary>a</summary>",
    "`<summary>a</summary>`\n",
    "`<summary>a</summary>`<analysis>\n",
    "<analysis>\n<summary>a</summary>\n",
    "x<analysis>x<summary>a</summary>",
    "<summary><analysis></analysis>",
    "<analysis></analysis>",
    "```\n",
    "```x\n",
    "~~~\n```\n",
    "<summary>\n```\n</summary>",
    "1. Current Work:\n",
]
