"""The detailed style: a reply becomes a summary, a summary its sections, and sections a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.plan import Direction
from compact_chat.styles import STYLES
from compact_chat.styles.detailed import TITLES
from tests.samples.prompts import asked
from tests.samples.styles import as_summary, parse, read, refused_as, write

FENCE = "```"
THREE = (
    "1. Primary Request and Intent:\nbuns\n\n2. Key Technical Concepts:\nyeast\n\n3. Files and Code Sections:\nbun.py"
)
KEYS = (
    *("primaryRequestAndIntent", "keyTechnicalConcepts", "filesAndCodeSections", "errorsAndFixes", "problemSolving"),
    *("allUserMessages", "pendingTasks", "currentWork", "optionalNextStep", "contextForContinuingWork"),
    "immediateTask",
)

FORMATTED = [
    ("F1", "Hi\n\n<analysis>x</analysis>\nNow:\n<summary>\nok\n</summary>\nBye", "ok"),
    ("F2", '<SUMMARY lang="en">ok</Summary >', "ok"),
    ("F2", '<analysis id="1">x</ANALYSIS\n><Summary >ok</summary>', "ok"),
    ("F2", "<summary/><summary>ok</summary>", "ok"),
    ("F3", "<analysis>p<analysis>q</analysis>r</analysis><summary>k</summary>", "k"),
    ("F3", "<analysis>draft <summary>no</summary></analysis><summary>yes</summary>", "yes"),
    ("F3", "</analysis></summary><summary>k</summary></analysis>", "k"),
    ("F4", "<analysis>private\n<summary>open</summary>", "open"),
    ("F4", "<analysis>then the <summary> tag\n  <summary>open</summary>", "open"),
    ("F4", "<analysis>private <summary>open</summary>", "open"),
    ("F4", "<summary>P</summary><analysis>private\n<summary>Q</summary>", "P\n\nQ"),
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
    ("F9", THREE.replace("Files and Code Sections", "Files"), "noSummary"),
    ("F9", THREE.replace("Files and Code Sections", "Key Technical Concepts"), "noSummary"),
    ("F9", THREE.replace("Files and Code Sections", "IMMEDIATE TASK"), "noSummary"),
    ("F9", f"<analysis>\n{THREE}\n</analysis>", "noSummary"),
    ("F9", f"{FENCE}\n{THREE}\n{FENCE}", "noSummary"),
    ("F10", "\ufeff \n\t", "emptySummary"),
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
    assert refused_as(text) == kind, rule


@pytest.mark.parametrize(
    ("text", "body", "code"),
    [
        ("<summary>half", "half", "unclosedSummary"),
        ("<summary>the `</summary>` tag", "the `</summary>` tag", "unclosedSummary"),
        ("<summary>P</summary><summary>half", "P\n\nhalf", "unclosedSummary"),
        ("<summary>P <summary> Q</summary><summary>half", "P <summary> Q\n\nhalf", "unclosedSummary"),
        (f"<analysis>no</analysis>\n{THREE}\n</summary>", THREE, "missingTags"),
        (f"</analysis>\n\n{THREE}", THREE, "missingTags"),
        (f"Summary:\n{THREE}", THREE, "missingTags"),
        (f"{THREE}\nthe `</summary>` tag</summary>", f"{THREE}\nthe `</summary>` tag", "missingTags"),
        ("\n".join(TITLES[7:10]), "\n".join(TITLES[7:10]), "missingTags"),
    ],
)
def test_reply_without_its_tags_is_taken_with_a_warning(text: str, body: str, code: str) -> None:
    """F7 and F9: an open block reaches to the end, and three of the titles stand in for tags."""
    reply = read(text)

    assert (reply.text, [warning.code for warning in reply.warnings]) == (f"Summary:\n{body}", [code])


PIECES = (
    *("<analysis>", "</analysis>", "<summary>", "</summary>", "<Summary a='b'>", "</ANALYSIS >", "<sum", "mary>"),
    *("Summary:", "\n", "\n\n\n", " \t", "`", "``", "\n```\n", "\n```py\n", "\n~~~\n", "\ufeff", "\r\n", "\u2028"),
    *("\ud800", "word", "\n1. Current Work:\n", "\n## Pending Tasks\n", "\nProblem Solving: x\n"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_a_summary_is_never_blank_and_stays_what_it_is(text: str) -> None:
    """F1 to F11: a summary has a body, and wrapped again comes out as it was, unless it reads like two blocks."""
    try:
        summary = read(text).text
    except NoSummary:
        return

    body = summary.removeprefix("Summary:\n")
    assert body != summary
    assert body == body.strip() != ""
    assert "\r" not in body
    if not re.search("</summary.*<summary", summary, re.IGNORECASE | re.DOTALL):
        assert read(f"<summary>\n{summary}\n</summary>").text == summary


WORDS = st.text("abc \n</>é", max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["chatter", "analysis", "summary"]), WORDS), min_size=1, max_size=8))
def test_chatter_and_analysis_never_come_through(parts: list[tuple[str, str]]) -> None:
    """F1, F3 and F8: of blocks and the text between them only the summaries come out, each of them, in order."""
    marked = [(kind, f"{kind.upper()}{number} {words}") for number, (kind, words) in enumerate(parts)]
    text = "".join(words if kind == "chatter" else f"<{kind}>{words}</{kind}>" for kind, words in marked)
    facts = [words.split()[0] for kind, words in marked if kind == "summary"]
    if not facts:
        return

    summary = read(text).text

    assert "CHATTER" not in summary
    assert "ANALYSIS" not in summary
    assert [word for word in summary.split() if word.startswith("SUMMARY")] == facts


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("8. Current Work:", ""),
        ("8) Current Work", ""),
        ("Current Work", ""),
        ("  ## 8. Current Work", ""),
        ("###### CURRENT   work ##", ""),
        ("**8. Current Work:**", ""),
        ("8. **Current Work**:", ""),
        ("**8.** _Current Work_ :", ""),
        ("__Current Work:__", ""),
        ("### *Current Work*:", ""),
        ("8. Current Work: the oven", "the oven"),
        ("**Current Work:** the *oven*", "the *oven*"),
        ("**Current Work**: **the oven**", "**the oven**"),
        ("**Current Work: the oven**", "the oven"),
        ("Current Work: **the oven**", "**the oven**"),
        ("Current Work: 12:30", "12:30"),
        ("Current Work*** : x", "x"),
        ("**Current Work**: x****", "x****"),
    ],
)
def test_title_is_recognized_in_any_dress(line: str, rest: str) -> None:
    """R3: signs, a number, marks, a colon, case and blanks do not matter; text behind the colon is the section's."""
    assert parse(line) == {"currentWork": rest}


@pytest.mark.parametrize(
    "line",
    [
        *("", "Current Working", "My Current Work", "- Current Work", "* Current Work", "Current Work is done"),
        *("Current\u2028", "\\Current Work", "> Current Work"),
    ],
)
def test_other_lines_are_no_headings(line: str) -> None:
    """R3 and R4: a line that holds more than the title, or a list item, is content."""
    assert parse(line) == {}


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("## 7. Pending Tasks\n   - a\n", "- a"),
        ("7. Pending Tasks: icing\n   and\n   soon", "icing\nand\nsoon"),
        ("Pending Tasks\n\t - a\n\n\t   b\n \n\t - c", "- a\n\n  b\n\n- c"),
        ("Pending Tasks\n## Notes\nfine", "## Notes\nfine"),
        (f"Pending Tasks\n{FENCE}\nCurrent Work\n{FENCE}", f"{FENCE}\nCurrent Work\n{FENCE}"),
        (f"Pending Tasks\n{FENCE}\nopen", f"{FENCE}\nopen"),
        ("Pending Tasks\na\nCurrent Work\nPending Tasks\nb", "a\n\nb"),
        ("Pending Tasks:\r\na\rb\u2028c", "a\nb\u2028c"),
    ],
)
def test_sections_are_read_by_their_titles(text: str, tasks: str) -> None:
    """R3 to R6, G3: titles open sections, closed fences hide them, shared indentation goes, a second part goes on."""
    assert parse(f"Summary:\nHere.\nCurrent Work\n  Bake.\n\n{text}") == {"currentWork": "Bake.", "pendingTasks": tasks}


@pytest.mark.parametrize("title", ["3. Files & Code Sections", "Files&Code Sections:"])
def test_ampersand_is_and(title: str) -> None:
    """R3: `&` equals `and`."""
    assert parse(title) == {"filesAndCodeSections": ""}


@pytest.mark.parametrize(("direction", "last"), [("all", 8), ("from", 8), ("upTo", 9)])
def test_titles_are_those_that_the_prompt_asks_for(direction: Direction, last: int) -> None:
    """P6 and P7: the prompt shows each title as a heading that is read back."""
    assert parse(asked("detailed", direction=direction).text).keys() == {*KEYS[:8], KEYS[last]}


def test_rendering_follows_the_prompt() -> None:
    """P6 and P10: titles come in their order and numbered, the immediate task last and without a number."""
    sections = {
        "immediateTask": "NONE",
        "contextForContinuingWork": "c",
        "optionalNextStep": "",
        "errorsAndFixes": " b\r\n",
        "primaryRequestAndIntent": "a",
    }

    assert write(sections) == (
        "Summary:\n1. Primary Request and Intent:\na\n\n4. Errors and fixes:\nb\n\n9. Optional Next Step:\n\n"
        "9. Context for Continuing Work:\nc\n\nIMMEDIATE TASK:\nNONE"
    )


@pytest.mark.parametrize(
    ("sections", "paths"),
    [
        ({"mood": "good"}, ["$.sections"]),
        ({"currentWork": ["a"], "Current Work": "a"}, ["$.sections.currentWork", "$.sections"]),
        ({"currentWork": None}, ["$.sections.currentWork"]),
    ],
)
def test_wrong_sections_are_named(sections: Mapping[str, object], paths: list[str]) -> None:
    """G4: an unknown section is an error that tells its place, and a value that is no text one with its path."""
    with pytest.raises(InvalidParams) as refusal:
        write(sections)

    assert [problem["path"] for problem in refusal.value.data["problems"]] == paths


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\n7. Pending Tasks:\nb", "a\n\\7. Pending Tasks:\nb"),
        ("\\Pending Tasks", "\\\\Pending Tasks"),
        (f"{FENCE}\nopen", f"\\{FENCE}\nopen"),
        (f"{FENCE}\nPending Tasks\n{FENCE}", f"{FENCE}\nPending Tasks\n{FENCE}"),
        ("\\n and \\Pending", "\\n and \\Pending"),
    ],
)
def test_content_never_becomes_structure(text: str, written: str) -> None:
    r"""R12: a line that would be read as a heading, or as an open fence, gets one `\`, and no other line does."""
    rendered = write({"currentWork": text, "immediateTask": FENCE})

    assert rendered == f"Summary:\n8. Current Work:\n{written}\n\nIMMEDIATE TASK:\n\\{FENCE}"
    assert parse(rendered) == {"currentWork": text, "immediateTask": FENCE}


LINES = (
    *("", "word", "  indented", "\ttab", "Current Work", "## 3. Files & Code Sections:", "**Pending Tasks:** more"),
    *("IMMEDIATE TASK: NONE", "\\Current Work: x", "  \\\\Current Work", "\x0bProblem Solving", "* Current Work"),
    *("```", "```py", "````", "~~~", "\\```", "```a`b", "Summary:", "</summary>", "`", "\u2028\ud800"),
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@given(st.dictionaries(st.sampled_from(KEYS), TEXTS.map(str.strip)).filter(lambda sections: any(sections.values())))
def test_sections_survive_the_round_trip(sections: dict[str, str]) -> None:
    """R13: sections that are rendered and parsed again are the same."""
    assert parse(write(sections)) == sections


@given(TEXTS)
def test_rendering_is_a_fixed_point(text: str) -> None:
    """R13 and F11: what was parsed and rendered once stays; as a reply it loses blank lines at most."""
    try:
        once = write(parse(f"Current Work\n{text}"))
    except NoSummary:
        return

    assert write(parse(once)) == once
    again = read(f"<summary>\n{once}\n</summary>").text
    assert [line for line in again.split("\n") if line.strip()] == [line for line in once.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("summary", "task"),
    [
        ("## Next Steps\n1. ice\n\n## IMMEDIATE TASK\nCONTINUE: ice\nin bun.py", "CONTINUE: ice\nin bun.py"),
        ("IMMEDIATE TASK\nold\n\n## IMMEDIATE TASK\nnew", "new"),
        (f"{FENCE}\nIMMEDIATE TASK\nquoted\n{FENCE}", ""),
        ("the IMMEDIATE TASK is baking", ""),
    ],
)
def test_immediate_task_is_found_in_any_style(summary: str, task: str) -> None:
    """P10: the last section of that title tells the task at hand, whatever the style of the summary."""
    assert as_summary(summary).task == as_summary(summary, "brief").task == task


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<analysis>x</analysis>\n<summary>\nok\n</summary>\n", "ok"),
        ("<summary>ok</summary>", "ok"),
        ("<summary>\nok\n</summary>\n\nThat was all.\n</summary>", "ok"),
        ("<summary>\na <summary> b\n</summary>", "a <summary> b"),
        ("<analysis>never closed\n<summary>\nok\n</summary>", "ok"),
        ("<summary>one</summary>\n<summary>\ntwo\n</summary>", "one\n\ntwo"),
    ],
)
def test_a_reply_keeps_the_end_of_its_block(text: str, summary: str) -> None:
    """L10, F7: the line that ends the block stays, so that nothing seems cut off; one too many goes (rule F5)."""
    reply = STYLES["detailed"].whole_reply(text)
    assert reply is not None
    made = read(reply)
    assert (made.text, made.warnings) == (f"Summary:\n{summary}", ())


def test_a_reply_without_tags_loses_the_line() -> None:
    """L10, F9: a reply of headings alone is taken without the line that proved its end."""
    assert STYLES["detailed"].whole_reply(f"{THREE}\n</summary>") == f"{THREE}\n"
