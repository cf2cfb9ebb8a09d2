"""A chat's heading, from the beginning and the end of its file; what lies between is not read."""

from __future__ import annotations

import json
import ntpath
import re
from itertools import chain

from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.errors import Cancelled, CompactChatError
from compact_chat.read.document import before_the_break, parse_line, parsed
from compact_chat.read.formats import function, read_chat
from compact_chat.read.loose import fields, word
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS, TEXTS, tool_named, tool_of

_TEXT_FORMATS = tuple(one.name for one in TEXTS)
_LISTS = frozenset({"conversations", "history", "messages", "requests", "trajectory"})
# A line that names the chat may occur anywhere; tools repeat it, so one is near the end.
_TITLE_MARKS = tuple(chain.from_iterable(one.title_marks or () for one in FORMATS.values()))
_VALUE = rb'(?:"[^"\\]*+(?>\\.[^"\\]*+)*+"|[\w.+-]++)'
# Members after a document's messages; those that messages have too count only at its very end.
_AT_THE_END = re.compile(
    rb'"(customTitle|computedTitle|creationDate|responderUsername)"\s*:\s*(%b)' % _VALUE,
)
_REST = rb'\s*:\s*(%b)(?>\s*,\s*"\w+"\s*:\s*%b)*+\s*\}\s*$' % (_VALUE, _VALUE)
_AT_THE_VERY_END = {name: re.compile(rb'"%s"' % name.encode() + _REST) for name in ("summary", "kind", "system_prompt")}
_HALF_AN_ESCAPE, _LONGEST_HALF = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z"), 5
# A member within the first thousands of bytes of any tool's chats, but of few other files.
_SIGN = re.compile(
    rb'"(?:conversations|history|messages|model|payload|projectHash|prompts|requests|role|sessionId|system|tools|trajectory)"'
)
_FOLDER = re.compile(rb'"cwd"\s*:\s*("[^"\\]*+(?>\\.[^"\\]*+)*+")')


class Heading(Struct, frozen=True):
    """What a chat says about itself."""

    format: str
    tool: str
    title: str | None
    workspace: str | None


def heading_of(head: bytes, tail: bytes, expected: str | None, *, guess: bool = True) -> Heading | None:
    """Read a chat's heading from its beginning and end; None if it is no chat, or no person's.

    A guess takes the words of a text that breaks off for a person's, though its end may show otherwise.
    """
    source = Source.of_bytes(_joined(head, tail, expected, guess))
    own = FORMATS.get(expected or "")
    try:
        if own and "heading" in own.optional and function(own, "sniff")(source):
            chat: Chat = function(own, "heading")(source)
        else:
            chat = read_chat(source, expected)
        if chat.tool == "unknown" and own and tool_named(tool_of(own.name)).fixed_place:
            chat = function(own, "read")(source)
    except Cancelled:
        raise
    except CompactChatError:
        return None
    tool = tool_named(chat.tool)
    is_unused = tool.writes_empty and not chat.messages and not tail
    if chat.format in _TEXT_FORMATS or is_unused or (tool.marks_agents and chat.is_sub_agent):
        return None
    return Heading(chat.format, chat.tool, chat.title, chat.workspace)


def may_be_chat(head: bytes) -> bool:
    """Return whether more of a file may show that it is a chat, if its beginning does not."""
    return _SIGN.search(head) is not None


def folder_named(head: bytes) -> str | None:
    """Return the folder that a chat names first; only for tools that write it before the first message."""
    found = _FOLDER.search(head)
    folder = word(parsed(found[1])) if found else ""
    return folder if folder.startswith("/") or ntpath.isabs(folder) else None


def _joined(head: bytes, tail: bytes, expected: str | None, guess: bool) -> bytes:
    """Join both ends into a complete file: from the end, only lines that name the chat; truncated values are closed.

    What breaks off is taken only for a guess, or if there is nothing else.
    """
    if not tail:
        return head
    start, _, cut = head.rpartition(b"\n")
    first = start.partition(b"\n")[0].decode(errors="replace").removeprefix("\ufeff")
    if not parse_line(first)[0]:
        start, cut = b"", head
    own = FORMATS[expected].title_marks if expected in FORMATS else None
    marks = _TITLE_MARKS if own is None else own
    named = (line for line in tail.split(b"\n")[1:] if line.startswith(b"{") and any(mark in line for mark in marks))
    broken = _closed(cut, tail, guess) if guess or not start else b""
    return b"\n".join([start, *named, broken]).strip(b"\n")


def _closed(cut: bytes, tail: bytes, guess: bool) -> bytes:
    """Close a truncated record or document; a document keeps the members at its end."""
    text = cut.decode(errors="replace").removeprefix("\ufeff")
    value = None
    if guess:
        half = _HALF_AN_ESCAPE.search(text, max(0, len(text) - _LONGEST_HALF))
        before = text[: half.start()] if half else text
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
        value = before_the_break((text if is_escaped else before) + '",')
    value = value or before_the_break(text)
    if isinstance(value, dict):
        state = fields(value.get("v")) or value
        if not _LISTS.isdisjoint(state):
            end = {name.decode(): parsed(one) for name, one in _AT_THE_END.findall(tail)}
            for name, pattern in _AT_THE_VERY_END.items():
                if last := pattern.match(tail, max(tail.rfind(b'"%s"' % name.encode()), 0)):
                    end[name] = parsed(last[1])
            state.update({**end, **state})
    return json.dumps(value).encode() if value else b""
