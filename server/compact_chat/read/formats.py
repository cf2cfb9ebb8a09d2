"""Detect a source's format, and ask its reader: for the chat, as it grows, what compactions replaced, its heading."""

from __future__ import annotations

import json
import ntpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import SEALED, Chat, JsonObject, Message, OwnCompaction, Role, texts
from compact_chat.errors import ChatUnreadable, CompactChatError, NothingToCompact, checkpoint
from compact_chat.read.apis import parts_of
from compact_chat.read.loose import (
    before_the_break,
    broken_line,
    check_length,
    fields,
    parse_line,
    parsed,
    with_own_ids,
    word,
)
from compact_chat.read.resolve import function, resolved, with_summary_marked
from compact_chat.read.source import Source, grown_records
from compact_chat.tools import FORMATS, OF_NO_TOOL, TEXTS, tool_named, tool_of

_NO_JSON = (None, *(one.name for one in TEXTS))
# How many bytes of a file are searched for a line that reveals its format, before all of it is decoded.
_EARLY = (2**16, 2**18)


def read_chat(source: Source, hint: str | None = None, tool: str | None = None) -> Chat:
    """Read a chat of any known format; `hint` decides only if the source itself is ambiguous."""
    name = format_of(source, hint)
    if name in _NO_JSON and (mended := source.mended()) and (cut := format_of(mended, hint)) not in _NO_JSON:
        source, name = mended, cut
    if name is not None:
        return finished(function(FORMATS[name], "read")(source), source, tool)
    sentence, known = "This is not a chat in a known format.", {"formats": list(FORMATS)}
    if not source.text.strip():
        sentence, known = "There is nothing in this chat: it is empty or blank.", {}
    line = None
    if source.is_json:
        line = next(iter(source.damaged_lines), None)
    elif source.text.lstrip()[:1] in ("{", "["):
        line = broken_line(source.text)
    raise ChatUnreadable(sentence, format=hint, line=line, **known)


def read_own(messages: list[JsonObject]) -> tuple[Message, ...]:
    """Read messages that we wrote for Anthropic's API, without separating out what a person typed."""
    written = (
        Message(f"m{place}", cast("Role", item["role"]), parts_of(item["content"]), raw=item)
        for place, item in enumerate(messages)
    )
    return with_summary_marked(tuple(resolved(written, None)))


def format_of(source: Source, hint: str | None = None) -> str | None:
    """Return the format of a complete source; None if unknown."""
    if source.strict:  # messages in a request belong to an API: the tools' readers are not even loaded
        apis = sorted((one for one in OF_NO_TOOL if one.api), key=lambda one: one.name != hint)
        return next((one.name for one in apis if function(one, "sniff")(source)), None)
    by_line = sorted((one for one in FORMATS.values() if one.by_line), key=lambda one: (one.name != hint, one.by_line))
    for size in _EARLY:
        if head := source.head(size):
            for one in by_line:
                if function(one, "sniff")(head):
                    return one.name
    plain = TEXTS[-1]
    for one in sorted(FORMATS.values(), key=lambda one: (one in OF_NO_TOOL, one == plain, one.name != hint)):
        if function(one, "sniff")(source):
            return one.name
    wanted_as_text = hint == plain.name and source.clean and source.text.strip()
    return plain.name if wanted_as_text else None


def finished(chat: Chat, source: Source, tool: str | None = None) -> Chat:
    """Take the last step of every reader: resolve the messages, and add the metadata from source and caller."""
    check_length(len(chat.messages))
    named = tool if tool and chat.tool == "unknown" else chat.tool
    messages = with_summary_marked(tuple(resolved(chat.messages, chat.format)))
    return replace(chat, tool=named, messages=messages, warnings=source.warnings + chat.warnings)


# Read on as a chat grows.


class Growth(Struct, frozen=True):
    """A chat's growth: messages that are settled now, and later ones that may still change."""

    settled: Sequence[Message]
    open: Sequence[Message]
    model: str | None
    title: str | None
    window: int | None = None
    compactions: tuple[OwnCompaction, ...] = ()  # of the whole chat
    version: str = ""


def follow_chat(source: Source, hint: str | None = None, tool: str | None = None) -> tuple[Chat, Tail | None]:
    """Read a chat like `read_chat`; with a tail if its format can be read on from there."""
    found = FORMATS.get(format_of(source, hint) or "")
    follow = function(found, "follow") if found and source.document is None else None
    if follow is None:
        return read_chat(source, hint, tool), None
    chat, tail = follow(source)
    newest = tuple(tail.open()) if tail else ()
    is_sound = 0 < len(newest) < len(chat.messages) and chat.messages[-len(newest) :] == newest
    read_on = Tail(tail, chat.format) if is_sound and not source.has_changed else None
    return finished(chat, source, tool), read_on


class Tail:
    """The end of a chat as its reader follows it; unused if it has no messages, or others than the chat's last."""

    def __init__(self, tail: Any, format_name: str) -> None:
        self._tail, self._format = tail, format_name

    def open(self) -> Sequence[Message]:
        """Return the chat's last messages, those that may still change."""
        return tuple(resolved(self._tail.open(), self._format))

    def grow(self, lines: bytes) -> Growth | None:
        """Add whole lines appended to the file; None if they change settled messages, so that everything is reread."""
        records = grown_records(lines)
        growth: Growth | None = None if records is None else self._tail.grow(records)
        if growth is None:
            return None
        settled, still_open = (tuple(resolved(messages, self._format)) for messages in (growth.settled, growth.open))
        return replace(growth, settled=settled, open=still_open)


# What compactions by a chat's own tool replaced, as far as the chat's source still holds it.

Replacement = tuple[Sequence[Message], Sequence[Message]]  # what went to the model before a compaction and right after
Finder = Callable[[Source, str], Iterator[Replacement]]  # a reader's `earlier`: the newest compaction comes first


class Segment(Struct, frozen=True):
    """The messages that a compaction replaced, and those that went to the model in their place.

    A message that the compaction kept, under any id, is not among those that it replaced. The summary that another
    compaction wrote before is: filter by `is_summary`.
    """

    messages: tuple[Message, ...]
    after: tuple[Message, ...]
    turns: tuple[int, ...] = ()  # of each message: how often the user had spoken, also in messages that were kept
    spoken: int = 0  # and how often at the end

    @property
    def summary(self) -> str:
        """The text that the tool wrote in place of the messages; empty where it only dropped them."""
        return next((message.text.strip() for message in self.after if message.is_summary), "")


def earlier(source: Source, chat: Chat) -> tuple[Segment, ...]:
    """Give what each compaction of a chat replaced, the oldest first.

    With the messages of the chat these are the whole record: each message once, in order, under an id of its own.
    """
    found = [one for one in reversed(list(_segments(source, chat))) if one.messages or one.summary]
    replaced = (message for one in found for message in one.messages)
    named = islice(with_own_ids((*chat.messages, *replaced)), len(chat.messages), None)
    return tuple(replace(one, messages=tuple(islice(named, len(one.messages)))) for one in found)


def newest_replaced(source: Source, chat: Chat) -> Segment:
    """Find what the newest compaction replaced; raises NothingToCompact if the chat's source does not hold it."""
    found = next(_segments(source, chat), None)
    if found is not None and found.summary and len(found.messages) + len(found.after) > 1:
        return found
    if any(warning.code == SEALED for warning in chat.warnings):
        reason = "The summary of this chat is encrypted, so it cannot be checked; give a summary of your own."
    elif any(message.is_summary for message in chat.messages):
        reason = "What the summary of this chat replaced is not in it; give a summary and the chat that it was made of."
    elif found is not None:
        reason = "The newest compaction of this chat left no summary that can be read; give a summary of your own."
    else:
        reason = "No compaction is recorded in this chat; give `summary` to check that against the chat."
    raise NothingToCompact(reason, recorded=found is not None)


def _segments(source: Source, chat: Chat) -> Iterator[Segment]:
    find: Finder | None = function(FORMATS[chat.format], "earlier")
    for replacement in find(source, chat.format) if find else ():
        before, after = (with_summary_marked(tuple(resolved(messages, chat.format))) for messages in replacement)
        kept = Counter(map(_content, after))  # also as words in a summary
        kept.update(("user", words) for message in after if message.is_summary for words in message.typed or ())
        turns = tuple(accumulate(bool(message.typed_text) for message in before))
        replaced = []
        for message, turn in zip(reversed(before), reversed(turns), strict=True):  # of equal ones, the newest are kept
            checkpoint()
            content = _content(message)
            if kept[content]:
                kept[content] -= 1
            else:
                replaced.append((message, turn))
        messages, places = zip(*reversed(replaced), strict=True) if replaced else ((), ())
        yield Segment(messages, after, places, turns[-1] if turns else 0)


def _content(message: Message) -> tuple[str, ...]:
    """By what a message is recognized that a compaction kept as a copy under another id."""
    words = "" if message.is_summary or message.results else message.typed_text
    return (message.role, words) if words else (message.role, *texts(message))


# A chat's heading, from the beginning and the end of its file; what lies between is not read.

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
        chat = read_chat(source, expected)
        if chat.tool == "unknown" and own and tool_named(tool_of(own.name)).fixed_place:
            chat = function(own, "read")(source)
    except CompactChatError:
        return None
    tool = tool_named(chat.tool)
    is_unused = tool.writes_empty and not chat.messages and not tail
    if chat.format in _NO_JSON or is_unused or (tool.marks_agents and chat.is_sub_agent):
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
