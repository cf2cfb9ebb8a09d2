"""Find the original of a chat that was compacted before, with what came after, so that nothing erodes.

A compaction is found by one hash of the message that it wrote: the summary in its chat, or the message that opened the
next chat. The chat then has to begin with all that the compaction left, whatever tool or API it has been through since.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import dropwhile
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from compact_chat import resume
from compact_chat.chat import Chat, JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text, strings
from compact_chat.disk import Beginning, Body, Head, Marks
from compact_chat.errors import CompactChatError
from compact_chat.measure import json_text
from compact_chat.operations.archives import ArchiveEntry, entries, find, original_gone
from compact_chat.operations.chats import earlier_in
from compact_chat.operations.table import ChatRef
from compact_chat.read import Segment, earlier, objects, read_own, resolved, with_own_ids
from compact_chat.redact import MaskedMessage, Redactor
from compact_chat.text import (
    SUMMARY_START,
    UNPRINTED,
    is_summary_text,
    line_feeds,
    opening_start,
    strip_summary_wrappers,
)
from compact_chat.tools import api_of
from compact_chat.wire import Compaction

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState

FROM_ORIGINAL = "fromOriginal"  # code of the warning that the plan is that of the original
MOST_STEPS = 32  # from one compaction to the previous one
# What a terminal, a pipe, a text file or an editor may drop of an opening or replace.
_PASSED_OVER = re.compile(f"[{UNPRINTED}\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef\ufffd]+")
_JOINER = "\u2060"  # zero width; our VS Code client writes it into `#name`, which the panel would take for a reference
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed
_OMITTED, _PRUNED = " messages omitted]", " chars pruned...]"  # what rules leave in place of what they cut (K10, X5)
_NO_RESULT = frozenset({"", "(empty)", "(no output)"})  # how tools write the result of a call without one

Found = tuple[ArchiveEntry, Sequence[Message]]  # a compaction that a chat begins with, and what followed it
Candidates = Sequence[tuple[ArchiveEntry, Marks]]


class Row(NamedTuple):
    """A part of a chat normalized across all shapes, and its position."""

    turn: int
    part: int
    role: str
    content: tuple[str, ...]


T = TypeVar("T", str, list[Row])


class Original(NamedTuple):
    """A chat with our summaries replaced by the messages before them, and the first of our compactions, if any."""

    chat: Chat
    first: ArchiveEntry | None = None
    format: str = ""  # of the chat that the first one was made of
    added_back: tuple[str, ...] = ()  # to the newest one, by ids of facts

    def earlier(self, ref: ChatRef | None) -> tuple[Segment, ...]:
        """Find what each compaction by the chat's own tool replaced before the first of ours, or ever without one."""
        if self.first is None:
            return earlier_in(self.chat, ref) if ref else ()
        return earlier(self.first.original_source(), replace(self.chat, format=self.format))


def original_of(chat: Chat, client: ClientState, passed: frozenset[str] = frozenset()) -> Original:
    """Return the chat with our summary replaced by its original messages, or the chat itself without a stored original.

    A text that is merely written like a summary finds nothing: all that the compaction left has to be there, and the
    chat may not come from another workspace. A compaction of its own result equals the one before; each of those
    `passed` on the way back counts once.
    """
    found = _compaction_of(chat, client, passed)
    if found is None:
        return Original(chat)
    entry, newer = found
    try:
        before, first, at_first, _ = original_of(entry.original_chat(), client, passed | {entry.head.id})
    except CompactChatError:
        return Original(chat)
    dropped = entry.head.dropped  # the user dropped these messages, and no other option brings them back (rule Z3)
    stay = [one for one in before.messages if one.id not in dropped or message_mark(one) != dropped[one.id]]
    if chat.format != before.format and not api_of(before.format) == api_of(chat.format) != "":
        stay = [replace(message, raw=None) for message in resume.acceptable(stay)]  # raw is another API's
    own_words = (replace(message, usage=None, typed=None) for message in dropwhile(_is_ours, newer))
    messages = with_own_ids((*stay, *resolved(own_words, chat.format)))
    whole = replace(chat, messages=messages, opening=before.opening, host_meter=None)
    return Original(whole, first or entry, at_first or before.format, entry.head.added_back)


def compaction_behind(chat: Chat, client: ClientState) -> Head | None:
    """Return the head of the compaction of ours that a chat goes on from with the same tool."""
    found = _compaction_of(chat, client, frozenset())
    return found[0].head if found and found[0].head.tool == chat.tool else None


def _compaction_of(chat: Chat, client: ClientState, passed: frozenset[str]) -> Found | None:
    """Find the compaction that a chat begins with, and what came after it."""
    if len(passed) >= MOST_STEPS or not shows_compaction(chat):
        return None
    heads = ((entry, entry.head) for entry in entries(client))
    likely = [
        (entry, head.marks)
        for entry, head in heads
        if head.marks
        and head.id not in passed
        and (None in (head.workspace, chat.workspace) or head.workspace == chat.workspace)
    ]
    turns = resume.make_valid(chat.messages)
    return _by_summary(turns, likely) or _by_opening(turns, likely)


def compacted_chat(compaction_id: str, client: ClientState) -> Original:
    """Return the chat that a compaction covered; of a compacted chat its original."""
    entry, body = find(compaction_id, client)
    chat = entry.original_chat()
    if not any(warning.get("code") == FROM_ORIGINAL for warning in objects(body.compaction.get("warnings"))):
        return Original(chat, entry, chat.format)
    original = original_of(chat, client, frozenset({entry.head.id}))
    if original.first is None:  # its ids would name other messages
        raise original_gone(None)
    return original


def masked_result(body: Body, clean: Redactor) -> tuple[MaskedMessage, ...]:
    """Return the messages that an archive holds, as an export has them."""
    messages, said = read_own(body.messages), body.compaction
    clean.learn(messages, strings([said.get("summary"), said.get("continuation")]))
    return clean.messages(messages)


def marks_of(done: Compaction, messages: list[JsonObject], body: Body, clean: Redactor) -> Marks | None:
    """Make the hashes that identify a compaction; None if nothing in its messages shows that it was one.

    An export of it has its messages without secrets, so that both results are marked.
    """
    summary, continuation = done.summary, done.continuation
    turns = resume.make_valid(resume.without_closing(read_own(messages)))
    if not (summary or _shows_cuts(turns)):
        return None
    masked = resume.make_valid(resume.without_closing(masked_result(body, clean)))
    results = dict.fromkeys(
        Beginning(hashlib.sha256(_encoded(rows)).hexdigest(), len(rows)) for rows in map(_rows_of, (turns, masked))
    )
    if not summary:
        return Marks(None, None, tuple(results))
    opening = _PASSED_OVER.sub("", line_feeds(continuation)).strip()
    mark = _hash(strip_summary_wrappers(resume.summary_message(summary).text))
    return Marks(mark, Beginning(_hash(opening), len(opening)), tuple(results))


def message_mark(message: Message) -> str:
    """Return the hash of one message."""
    return _hash(json.dumps([message.role, [_content(part) for part in message.sent]]))


def _by_summary(turns: Sequence[Message], likely: Candidates) -> Found | None:
    """Find the compaction whose messages the chat begins with; the longest, if one summary had several tails."""
    texts = (text for turn in turns if turn.role == "user" for text in turn.texts)
    summaries = {None, *(_hash(strip_summary_wrappers(text)) for text in texts if _is_summary(text))}
    # The plan says what was kept, so of compactions with one plan and one summary the newest is enough.
    candidates: dict[tuple[str, str | None], tuple[ArchiveEntry, tuple[Beginning, ...]]] = {}
    for entry, marks in likely:
        if marks.summary in summaries:
            candidates.setdefault((entry.head.plan_id, marks.summary), (entry, marks.results))
    if not candidates:
        return None
    rows = _rows_of(turns)
    hashes = _prefix_hashes(rows, {mark.length for _, results in candidates.values() for mark in results}, _encoded)
    hits = [
        (mark.length, entry)
        for entry, results in candidates.values()
        for mark in results
        if mark.length and hashes.get(mark.length) == mark.mark
    ]
    if not hits:
        return None
    length, entry = max(hits, key=lambda hit: hit[0])
    places: dict[int, set[int]] = {}
    for row in rows[length:]:
        places.setdefault(row.turn, set()).add(row.part)
    newer = []
    for turn, own in sorted(places.items()):
        message = turns[turn]
        parts = tuple(part for place, part in enumerate(message.parts) if place in own)
        if len(parts) < len(message.parts):  # the user continued the last message
            message = replace(message, parts=parts, raw=None, is_summary=False)
        newer.append(message)
    return entry, newer


def _by_opening(turns: Sequence[Message], likely: Candidates) -> Found | None:
    """Find the compaction whose message opens the chat, the longest that does, and what the user wrote behind it."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None:
        return None
    opened = [(entry, one) for entry, marks in likely for one in (marks.opening, *entry.head.openings) if one]
    for place, part in enumerate(turns[first].parts):
        start = opening_start(part.text) if isinstance(part, Text) else -1
        if start < 0 or not isinstance(part, Text):
            continue
        words = line_feeds(part.text[start:])
        text = _PASSED_OVER.sub("", words)
        hashes = _prefix_hashes(text, {opening.length for _, opening in opened}, _bytes)
        hits = [(opening.length, entry) for entry, opening in opened if hashes.get(opening.length) == opening.mark]
        if hits:
            length, entry = max(hits, key=lambda hit: hit[0])
            behind = words[_end_of(words, length) :].replace(_JOINER, "")
            said = behind.strip().removesuffix(_FRAME_END).strip()
            own = (*((Text(said),) if said else ()), *turns[first].parts[place + 1 :])
            rest = [replace(turns[first], parts=own, raw=None, is_summary=False)] if own else []
            return entry, [*rest, *turns[first + 1 :]]
    return None


def _end_of(words: str, length: int) -> int:
    """Return where a stretch ends that has so many characters without those that are passed over."""
    for found in _PASSED_OVER.finditer(words):
        if found.start() >= length:
            break
        length += found.end() - found.start()
    return length


def _prefix_hashes(whole: T, lengths: Collection[int], encode: Callable[[T], bytes]) -> dict[int, str]:
    """Hash the prefixes of all these lengths in one pass."""
    digest, hashes, done = hashlib.sha256(), {}, 0
    for length in sorted(length for length in lengths if length <= len(whole)):
        digest.update(encode(whole[done:length]))
        done, hashes[length] = length, digest.copy().hexdigest()
    return hashes


def _rows_of(turns: Sequence[Message]) -> list[Row]:
    """Return the parts of a valid chat, normalized across all shapes and in one order; ids are ignored.

    Other tools know no system messages, want a summary before all else that opens a chat, and hold results in the order
    of their calls.
    """
    shaped = resume.acceptable(map(resume.with_words_for_attachments, turns))
    calls = {call.id: place for place, call in enumerate(call for message in shaped for call in message.calls)}

    def order(numbered: tuple[int, Part]) -> int:
        part = numbered[1]  # results precede the other parts of their turn, which keep their order
        return calls.get(part.call_id, 0) if isinstance(part, ToolResult) else len(calls)

    rows = [
        Row(turn, place, "user" if message.role == "system" else message.role, _content(part))
        for turn, message in enumerate(shaped)
        for place, part in sorted(enumerate(message.parts), key=order)
    ]
    answer = next((place for place, row in enumerate(rows) if row.role == "assistant"), len(rows))
    head = sorted(rows[:answer], key=lambda row: row.content[0] != "text" or not _is_summary(row.content[1]))
    return head + rows[answer:]


def _encoded(rows: list[Row]) -> bytes:
    return "".join(json.dumps([row.role, row.content]) for row in rows).encode()


def _content(part: Part) -> tuple[str, ...]:
    match part:
        case Text(text):
            return "text", line_feeds(text)
        case ToolCall(name=name, input=given):
            return "call", name, json_text(given)
        case ToolResult():
            return "result", "" if (text := line_feeds(result_text(part))).strip() in _NO_RESULT else text
    return (type(part).__name__,)


def shows_compaction(chat: Chat) -> bool:
    """Whether anything in a chat may be the work of a compaction of ours."""
    texts = (text for message in chat.messages if message.role == "user" for text in message.texts)
    is_opened = any(text.lstrip().startswith(SUMMARY_START) or opening_start(text) >= 0 for text in texts)
    return is_opened or _shows_cuts(chat.messages)


def _shows_cuts(messages: Iterable[Message]) -> bool:
    """Whether a text in these messages is the note that rules leave in place of what they cut."""
    return any(
        (isinstance(part, Text) and _OMITTED in part.text)
        or (isinstance(part, ToolResult) and _PRUNED in result_text(part))
        for message in messages
        if message.role == "user"
        for part in message.parts
    )


def _is_ours(message: Message) -> bool:
    """Whether we wrote a message behind a compaction to make the chat valid for an API."""
    if message.results:
        return {result_text(result) for result in message.results} == {resume.INTERRUPTED} and not message.text
    return resume.is_closing(message) or message.text == resume.UNANSWERED


def _is_summary(text: str) -> bool:
    return text.lstrip().startswith(SUMMARY_START) and is_summary_text(text)


def _hash(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
