"""The file that a command in a shell shows, where one is plainly named: `cat a.py`, `sed -n 1,9p a.py | head`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from compact_chat.facts.commands import command_text
from compact_chat.facts.paths import joined
from compact_chat.facts.steps import Step

LONGEST = 1_000  # characters of a command that names a file plainly
_FOLDERS = ("workdir", "cwd", "working_directory")
_READS = re.compile(r"(?:cd\s[^|&;\n]{1,500}(?:&&|;)\s*)?(?:bat|cat|head|less|more|nl|sed|tail)\s")
_SILENT = re.compile(r"\s2>(?:&1|\s?/dev/null)(?=\s|$)")
_OPERATORS = frozenset("();<>|&")
_BARE = frozenset({"echo", "true", ":"})  # they add nothing that is of a file
_FILTERS = frozenset(
    {"cat", "cut", "grep", "head", "jq", "less", "more", "nl", "rg", "sed", "sort", "tail", "tr", "wc"}
)
_NO_FILE = re.compile(r"[*?\[\]{}$`<>]|^-")
# The options of each reader that have a value of their own behind them.
_VALUED = {"head": ("-n", "-c"), "tail": ("-n", "-c"), "nl": ("-b", "-s", "-w", "-v", "-n")}


def file_shown(step: Step) -> str:
    """The path of the file that a step shows, from where the command was run; empty where it shows none, or several."""
    command = command_text(step)
    if len(command) > LONGEST or "\n" in command or not _READS.match(command):
        return ""
    parts = list(_parts(_SILENT.sub("", command)))
    folder = next((word for key in _FOLDERS if isinstance(word := step.call.input.get(key), str)), "")
    if len(parts) > 1 and parts[0][:1] == ["cd"] and parts[1][0] in ("&&", ";"):
        folder = joined(folder, "".join(parts[0][1:2]))
        parts = [parts[1][1:], *parts[2:]]
    return joined(folder, path) if (path := _file_of(parts)) else ""


def _parts(command: str) -> Iterator[list[str]]:
    """The words of each command of a line; of all but the first, the operator in front of it comes first."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word and _OPERATORS.issuperset(word):
                yield words
                words = []
            words.append(word)
    except ValueError:  # a quote without an end
        words = [">"]
    yield words


def _file_of(parts: Sequence[Sequence[str]]) -> str:
    """The one file of the first command, if those behind it only cut from what it shows, or say something."""
    if not parts or not all(_is_harmless(*part[:2]) for part in parts[1:]):
        return ""
    files = _files(list(parts[0]))
    return files[0] if len(files) == 1 and not _NO_FILE.search(files[0]) else ""


def _is_harmless(operator: str = "", program: str = "", *_: str) -> bool:
    if operator == "|":
        return program in _FILTERS
    return operator in ("&&", "||", ";") and program in _BARE


def _files(words: Sequence[str]) -> list[str]:
    """The arguments of a reader that are no options, nor values of any, nor the script of `sed`."""
    program, given = words[0] if words else "", list(words[1:])
    valued = _VALUED.get(program, ())
    plain = [
        word for before, word in zip(["", *given], given, strict=False) if before not in valued and word[:1] != "-"
    ]
    if program != "sed":
        return plain
    return plain[1:] if "-n" in given and not any(word.startswith(("-i", "--in-place")) for word in given) else []
