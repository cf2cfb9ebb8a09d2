"""What the beginning and the end of a chat's file tell of it, without what lies between."""

from __future__ import annotations

import json
import ntpath
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.errors import CompactChatError
from compact_chat.read.document import before_the_break, parse_line
from compact_chat.read.formats import function, read_chat
from compact_chat.read.loose import fields, word
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS, TEXTS, tool_named, tool_of

# A chat's file of which only the beginning and the end are there, made into one that readers take.


_LISTS = frozenset({"conversations", "history", "messages", "requests", "trajectory"})
# A line that gives a chat its name may come at any time, and tools repeat it so that it stands near the end.
_TITLE_MARKS = tuple(chain.from_iterable(one.title_marks or () for one in FORMATS.values()))
_VALUE = rb'(?:"[^"\\]*+(?>\\.[^"\\]*+)*+"|[\w.+-]++)'
# What a document tells of itself behind its messages; names that messages have too only at its very end.
_AT_THE_END = re.compile(
    rb'"(customTitle|computedTitle|creationDate|responderUsername)"\s*:\s*(%b)' % _VALUE,
)
_REST = rb'\s*:\s*(%b)(?>\s*,\s*"\w+"\s*:\s*%b)*+\s*\}\s*$' % (_VALUE, _VALUE)
_AT_THE_VERY_END = {name: re.compile(rb'"%s"' % name.encode() + _REST) for name in ("summary", "kind", "system_prompt")}
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
    marks = FORMATS[expected].title_marks if expected in FORMATS else None
    naming = _TITLE_MARKS if marks is None else marks
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


# What the beginning and the end of a chat's file tell of it, without what lies between.


_PLAIN = tuple(one.name for one in TEXTS)
_AGENT = "subagent"
# A member that a chat of any tool has in the first thousands of bytes, and few other files have.
_SIGN = re.compile(
    rb'"(?:conversations|history|messages|model|payload|projectHash|prompts|requests|role|sessionId|system|tools|trajectory)"'
)
_FOLDER = re.compile(rb'"cwd"\s*:\s*("[^"\\]*+(?>\\.[^"\\]*+)*+")')


class Told(Struct, frozen=True):
    """What a chat tells of itself."""

    format: str
    tool: str
    title: str | None
    workspace: str | None


def tell(head: bytes, tail: bytes, expected: str | None, *, guess: bool = True) -> Told | None:
    """Read a chat of which only the beginning and the end are there; None where it is none, or no person's.

    A text that breaks off may be taken for the words of a person though its end would tell better: this is a guess.
    """
    source = Source.of_bytes(joined(head, tail, expected, guess))
    try:
        chat = _read(source, expected)
        if chat.tool == "unknown" and expected and tool_named(tool_of(expected)).fixed_place:
            chat = function(FORMATS[expected], "read")(source)
    except CompactChatError:
        return None
    tool = tool_named(chat.tool)
    is_unused = tool.writes_empty and not chat.messages and not tail
    if chat.format in _PLAIN or is_unused or (tool.marks_agents and _is_an_agents(source)):
        return None
    return Told(chat.format, chat.tool, chat.title, chat.workspace)


def may_be_chat(head: bytes) -> bool:
    """Whether more of a file may show that it is a chat, where its beginning alone does not."""
    return _SIGN.search(head) is not None


def folder_named(head: bytes) -> str | None:
    """The folder that a chat names first; only for tools that write it before anybody's words."""
    found = _FOLDER.search(head)
    folder = word(value_of(found[1])) if found else ""
    return folder if folder.startswith("/") or ntpath.isabs(folder) else None


def _read(source: Source, expected: str | None) -> Chat:
    """Read a chat; where it is what was expected, and titles are told without its messages, these are left alone."""
    own = FORMATS.get(expected or "")
    if own and "heading" in own.optional and function(own, "sniff")(source):
        chat: Chat = function(own, "heading")(source)
        return chat
    return read_chat(source, expected)


def _is_an_agents(source: Source) -> bool:
    """Whether a model holds the chat for another one."""
    first = next(iter(source.records), {})
    is_named = first.get("kind") == _AGENT or first.get("agent") in (_AGENT, "teammate")
    return is_named or _AGENT in fields(fields(first.get("payload")).get("source"))
