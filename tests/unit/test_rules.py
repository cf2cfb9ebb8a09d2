"""Every rule that code, tests and documents cite is defined in docs/behaviour.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "behaviour.md"
DOCUMENTS = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
SOURCES = (*(ROOT / "server").rglob("*.py"), *(ROOT / "server").rglob("*.md"), *(ROOT / "tests").rglob("*.py"))

DEFINITION = re.compile(r"^- \*\*([A-Z]\d+)\*\* ", re.MULTILINE)
RULE = re.compile(r"\b[A-Z]\d{1,2}\b")
# A letter alone is a whole section.
LIST = r"[A-Z]\d{0,2}(?:(?:, and | and | or | to |, |–|-| (?=[A-Z]\d))[A-Z]\d{0,2})*\b"
# "rule T23", "Rules T21 to T23", "rules C" and "rules K8, S3 and V2", also across the end of a line
AFTER_WORD = re.compile(rf"\b[Rr]ules?\s+(?:#\s+)?({LIST})(?!['\w])")
# What opens a string or a parenthesis: "T21, T22: a call", (G3, F10 and F11), "K5 whole words", id="S1", ("F2", "x")
OPENING = re.compile(
    rf"(?:(?<=[\"(])|(?<=; ))({LIST})(?=:|\)| [a-z])|(?<=id=\")({LIST})(?=\")|(?<=\(\")({LIST})(?=\", )"
)
CODE_SPAN = re.compile(r"(`+).+?\1")


def cited(text: str, letters: str) -> Iterator[str]:
    """Find the rules, and the letters of whole sections, that a text cites; a range cites both of its ends."""
    for match in AFTER_WORD.finditer(text):
        yield from re.findall(r"[A-Z]\d*", match[1])
    for match in OPENING.finditer(text):
        names: list[str] = re.findall(r"[A-Z]\d*", next(filter(None, match.groups())))
        if any(map(RULE.fullmatch, names)) and all(name[0] in letters for name in names):
            yield from names


def defined() -> list[str]:
    """List the rules that the document defines, in its order."""
    return DEFINITION.findall(PAGE.read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param('"""What a tool read (rules T21 to T23)."""', ["T21", "T23"], id="range"),
        pytest.param(
            "# rule\n    # K8 and rules S and Z1, V2 say so", ["K8", "S", "Z1", "V2"], id="list over two lines"
        ),
        pytest.param('"""Q7, T10: as in GPT-4, C3PO and (G3, F10)."""', ["G3", "F10"], id="a letter without a section"),
        pytest.param(
            '"""T22, T10: paths."""; id="K5 V2 words"; ("F2", "x")', ["T22", "T10", "K5", "V2", "F2"], id="strings"
        ),
        pytest.param("a rule. A person wrote X1; so did <A36> and press('F1')", [], id="no citation"),
    ],
)
def test_citations_are_found(text: str, names: list[str]) -> None:
    """Each way in which code and tests cite a rule is found, and words that only look like one are not."""
    assert sorted(cited(text, "CFGKSTVXZ")) == sorted(names)


def test_each_cited_rule_is_defined_once() -> None:
    """No citation points nowhere; the document's own references are citations too."""
    rules = defined()
    letters = "".join(sorted({rule[0] for rule in rules}))
    known = {*rules, *letters}

    own = RULE.findall(CODE_SPAN.sub("", PAGE.read_text("utf-8")))
    citations = {(PAGE.name, name) for name in own if name[0] in letters}
    for path in {*SOURCES, *DOCUMENTS} - {PAGE, Path(__file__)}:
        citations |= {(str(path.relative_to(ROOT)), name) for name in cited(path.read_text("utf-8"), letters)}

    assert len(rules) == len(set(rules))
    assert sorted(citation for citation in citations if citation[1] not in known) == []
