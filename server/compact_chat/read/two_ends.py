"""A chat's file of which only the beginning and the end are there, made into one that readers take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from compact_chat.read.cut_json import before_the_break
from compact_chat.read.json_text import parse_line
from compact_chat.read.lenient import fields

_LISTS = frozenset({"conversations", "history", "messages", "requests", "trajectory"})
# A line that gives a chat its name may come at any time, and tools repeat it so that it stands near the end.
_NAMING = {
    "claude-code": (b'"custom-title"', b'"ai-title"'),
    "cline": (),
    "codex": (b'"thread_name"',),
    "continue": (),
    "copilot-cli": (b"session.title_changed",),
    "gemini": (b'{"$set":',),
    "roo": (),
    "vscode-log": (b'"customTitle"',),
}
_NAMING_OF_ANY = tuple(chain.from_iterable(_NAMING.values()))
_VALUE = rb'(?:"[^"\\]*+(?>\\.[^"\\]*+)*+"|[\w.+-]++)'
# What a document tells of itself behind its messages; names that messages have too only at its very end.
_AT_THE_END = re.compile(
    rb'"(customTitle|computedTitle|creationDate|responderUsername)"\s*:\s*(%b)' % _VALUE,
)
_REST = rb'\s*:\s*(%b)(?>\s*,\s*"\w+"\s*:\s*%b)*+\s*\}\s*$' % (_VALUE, _VALUE)
_AT_THE_VERY_END = {name: re.compile(rb'"%s"' % name.encode() + _REST) for name in ("summary", "kind")}
_HALF_AN_ESCAPE, _LONGEST_HALF = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z"), 5


def joined(head: bytes, tail: bytes, expected: str | None, guess: bool) -> bytes:
    """Give a whole file, or one of the beginning, the lines of the end that name the chat, and what was cut in two.

    What breaks off is taken only where a `guess` will do, or where there is nothing else.
    """
    if not tail:
        return head
    start, _, cut = head.rpartition(b"\n")
    if not _is_line(start.partition(b"\n")[0]):
        start, cut = b"", head
    naming = _NAMING.get(expected or "", _NAMING_OF_ANY)
    broken = _mended(cut, tail, guess) if guess or not start else b""
    return b"\n".join([start, *_naming_lines(tail, naming), broken]).strip(b"\n")


def value_of(text: bytes) -> object:
    """Decode a value; None where it is none."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return None
    return value


def _is_line(line: bytes) -> bool:
    """Whether the first line is a record, so that the file is one of lines."""
    return bool(parse_line(line.decode(errors="replace").removeprefix("\ufeff"))[0])


def _naming_lines(tail: bytes, naming: Sequence[bytes]) -> Iterator[bytes]:
    whole = tail.split(b"\n")[1:] if any(name in tail for name in naming) else []
    return (line for line in whole if line.startswith(b"{") and any(name in line for name in naming))


def _mended(cut: bytes, tail: bytes, guess: bool) -> bytes:
    """What is left of a record or a document that breaks off; a document keeps what it tells at its end."""
    text = cut.decode(errors="replace").removeprefix("\ufeff")
    value = before_the_break(_without_half(text) + '",') if guess else None
    value = value or before_the_break(text)
    if isinstance(value, dict):
        state = fields(value.get("v")) or value
        if not _LISTS.isdisjoint(state):
            state.update({**_told_at_the_end(tail), **state})
    return json.dumps(value).encode() if value else b""


def _told_at_the_end(tail: bytes) -> dict[str, object]:
    told = {name.decode(): value_of(value) for name, value in _AT_THE_END.findall(tail)}
    for name, pattern in _AT_THE_VERY_END.items():
        if last := pattern.match(tail, max(tail.rfind(b'"%s"' % name.encode()), 0)):
            told[name] = value_of(last[1])
    return told


def _without_half(text: str) -> str:
    """Take half an escape from the end."""
    half = _HALF_AN_ESCAPE.search(text, max(0, len(text) - _LONGEST_HALF))
    before = text[: half.start()] if half else text
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return text if is_escaped else before
