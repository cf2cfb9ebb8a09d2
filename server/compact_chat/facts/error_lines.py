"""The lines of a tool's output that name an error, known by how compilers, tests and shells begin them."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 300
MOST = 6
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}m")

# A line is only looked at where it holds one of these.
_HINT = re.compile(r"rror|ERR|FAIL|fatal|panic|xception|not found|No such|denied|\*\*\*|curl:")
_STRONG = re.compile(
    r"(?:\w[\w.]{0,80}(?:Error|Exception)(?:: .|$)"  # Python, JavaScript, Java
    r"|E\s{2,8}\w[\w.]{0,80}(?:Error|Exception|assert)\b|(?:FAILED|ERROR) \S+::|ERROR: "  # pytest
    r"|\s{0,8}--- FAIL: \S|FAIL[\s:]{1,4}\S"  # go, jest
    r"|(?:fatal )?[Ee]rror(?:\[\w{1,20}\])?: .|fatal: .|panic: ."  # rustc, git, go
    r"|[^\s:(][^:(\n]{0,200}(?::\d{1,6}(?::\d{1,6})?|\(\d{1,6},\d{1,6}\)):? (?:- )?(?:fatal )?error\b"  # gcc, tsc
    r"|npm (?:ERR!|error) |make(?:\[\d\])?: \*\*\* |curl: \(\d|\w{1,20}: [^\n]{1,200} \(HTTP [45]\d\d\))"
)
_WEAK = re.compile(
    r"[\w./ ():-]{1,200}: (?:[^\n]{1,200}: )?(?:command not found|No such file or directory|Permission denied)"
    r"|[^\s:]{1,200}\.\w{1,5}:\d{1,6}:\d{1,6}: ."  # a place in a file, as linters write it
)
_LETTER = re.compile(r"[^\W\d_]")
_EXIT = re.compile(r"(?:Process |Command )?(?:exited with (?:exit )?code|exit code)\b", re.IGNORECASE)
_DURATION = re.compile(r"\s*(?:\(\d[\d.]{0,9}m?s\)|\t\d[\d.]{0,9}m?s)\Z")
_TAG = re.compile(r"</?[a-z_]{1,40}>")


def error_lines(output: str, failed: bool) -> list[str]:
    """The lines that name an error, of many the first and last ones; of a failure also those of weaker forms."""
    lines = dict.fromkeys(_bare(line) for line in output.split("\n") if _HINT.search(line))
    found = [line for line in lines if _STRONG.match(line)]
    if not found and failed:
        found = [line for line in lines if _WEAK.match(line)]
    return found if len(found) <= MOST else [*found[: MOST // 2], *found[-MOST // 2 :]]


def last_line(output: str) -> str:
    """The last line with words: where nothing names the error, logs end with it."""
    return _with_words(output[-4000:].split("\n")[::-1])


def first_line(output: str) -> str:
    """The first line with words, without tags: how tools that are no shells tell of a failure."""
    return _with_words(_TAG.sub("", output[:4000]).split("\n"))


def _with_words(lines: Sequence[str]) -> str:
    return next((line for line in map(_bare, lines) if _LETTER.search(line) and not _EXIT.match(line)), "")


def _bare(line: str) -> str:
    """A line without colours and durations, which differ from run to run."""
    return _DURATION.sub("", _ANSI.sub("", line[: 2 * LONGEST]).rstrip())[:LONGEST]
