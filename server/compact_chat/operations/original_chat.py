"""Find the original of a chat that was compacted before, with what came after, so that nothing erodes.

A compaction is found by one hash of the message that it wrote: the summary in its chat, or the message that opened the
next chat. The chat then has to begin with all that the compaction left, whatever tool or API it has been through since.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text
from compact_chat.disk import Beginning, Marks
from compact_chat.errors import Cancelled, CompactChatError
from compact_chat.measure import json_text
from compact_chat.operations.kept import ArchiveEntry, entries, find, original_gone
from compact_chat.read import Source, objects, read_chat, resolved, with_own_ids
from compact_chat.redact import Redactor
from compact_chat.resume import (
    INTERRUPTED,
    UNANSWERED,
    acceptable,
    is_closing,
    make_valid,
    summary_message,
    with_words_for_attachments,
    without_closing,
)
from compact_chat.text import CONTINUED, SUMMARY_START, is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.tools import api_of

if TYPE_CHECKING:
    from compact_chat.operations.client_state import ClientState

FROM_ORIGINAL = "fromOriginal"  # the code of the warning that a plan is that of the original
MOST_STEPS = 32  # from one compaction to the one before it
_JOINER = "\u2060"  # has no width; our editor client writes it into `#name`, which the panel would take for a reference
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed
_OMITTED, _PRUNED = " messages omitted]", " chars pruned...]"  # what rules leave in place of what they cut (K10, X5)
_NO_RESULT = frozenset({"", "(empty)", "(no output)"})  # how tools write the result of a call that gave none


class Row(Struct, frozen=True):
    """A part of a chat in the words that all shapes have for it, and its place."""

    turn: int
    part: int
    role: str
    content: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words of a text, empty for other parts."""
        return self.content[1] if self.content[0] == "text" else ""


Rows = list[tuple[str, tuple[str, ...]]]  # of a chat that is compared, without the places


def original_of(chat: Chat, client: ClientState, passed: frozenset[str] = frozenset()) -> Chat:
    """Return the chat with the messages that our summary in it replaced, or the chat itself without a kept original.

    A text that merely looks like a summary finds nothing: all that the compaction left has to be there, and the chat
    may not come from another workspace. A compaction of its own result looks like the one before; each of those
    `passed` on the way back counts once.
    """
    found = _compaction_of(chat, client, passed) if len(passed) < MOST_STEPS and _looks_compacted(chat) else None
    if found is None:
        return chat
    entry, newer = found
    try:
        before = original_of(entry.original_chat(), client, passed | {entry.head.id})
    except Cancelled:
        raise
    except CompactChatError:
        return chat
    dropped = entry.head.dropped  # the user took out these very messages, and no other wish brings them back (rule Z3)
    stay = [one for one in before.messages if one.id not in dropped or message_mark(one) != dropped[one.id]]
    if chat.format != before.format and not api_of(before.format) == api_of(chat.format) != "":
        stay = [replace(message, raw=None) for message in acceptable(stay)]  # raw is of an API that is not asked here
    later = resolved((replace(message, usage=None, typed=None) for message in _without_ours(newer)), chat.format)
    messages = with_own_ids((*stay, *later))
    return replace(chat, messages=messages, opening=before.opening, host_meter=None)


def compacted_chat(compaction_id: str, client: ClientState) -> Chat:
    """Return the messages that a compaction was about: of a compacted chat, those of its original."""
    entry, body = find(compaction_id, client)
    chat = entry.original_chat()
    if not any(warning.get("code") == FROM_ORIGINAL for warning in objects(body.compaction.get("warnings"))):
        return chat
    original = original_of(chat, client, frozenset({entry.head.id}))
    if original is chat:  # its ids would name other messages
        raise original_gone(None)
    return original


def marks_of(summary: str, continuation: str, messages: list[JsonObject], clean: Redactor) -> Marks | None:
    """Make the hashes by which a compaction is found; None where nothing in its messages shows that it was one.

    An export of it has its messages without secrets, so that both results are marked.
    """
    turns = make_valid(without_closing(read_messages(messages)))
    if not (summary or _shows_cuts(turns)):
        return None
    masked = make_valid(clean.messages(turns))
    both = map(_rows_of, (turns, masked))
    results = tuple(dict.fromkeys(Beginning(_rows_marks(rows, {len(rows)})[len(rows)], len(rows)) for rows in both))
    if not summary:
        return Marks(None, None, results)
    opening = line_feeds(continuation).strip()
    mark = _hash(strip_summary_wrappers(summary_message(summary).text))
    return Marks(mark, Beginning(_hash(opening), len(opening)), results)


def message_mark(message: Message) -> str:
    """Return the hash of one message."""
    return _hash(json.dumps([message.role, [_content(part) for part in message.sent]]))


def read_messages(messages: list[JsonObject]) -> tuple[Message, ...]:
    """Read messages that we wrote."""
    return read_chat(Source.of_document({"messages": messages}), "anthropic").messages


def _looks_compacted(chat: Chat) -> bool:
    texts = (text for message in chat.messages if message.role == "user" for text in _texts(message))
    return any(text.lstrip().startswith(SUMMARY_START) or CONTINUED in text for text in texts) or _shows_cuts(
        chat.messages
    )


def _shows_cuts(messages: Iterable[Message]) -> bool:
    """Whether a text of ours in these messages stands for something that rules cut out."""
    return any(
        (isinstance(part, Text) and _OMITTED in part.text)
        or (isinstance(part, ToolResult) and _PRUNED in result_text(part))
        for message in messages
        if message.role == "user"
        for part in message.parts
    )


def _compaction_of(
    chat: Chat, client: ClientState, passed: Collection[str]
) -> tuple[ArchiveEntry, Sequence[Message]] | None:
    """Find the compaction that the chat begins with, and the messages that came after it."""
    likely = [
        entry
        for entry in entries(client)
        if entry.head.marks
        and entry.head.id not in passed
        and (None in (entry.head.workspace, chat.workspace) or entry.head.workspace == chat.workspace)
    ]
    turns = make_valid(chat.messages)
    return _by_summary(turns, likely) or _by_opening(turns, likely)


def _by_summary(
    turns: Sequence[Message], likely: Iterable[ArchiveEntry]
) -> tuple[ArchiveEntry, Sequence[Message]] | None:
    """Find the compaction whose messages the chat begins with; the longest, if one summary had several tails."""
    texts = (text for turn in turns if turn.role == "user" for text in _texts(turn))
    summaries = {None, *(_hash(strip_summary_wrappers(text)) for text in texts if _is_summary(text))}
    # The plan says what was kept, so that of compactions with one plan and one summary the newest is enough.
    candidates: dict[tuple[str, str | None], ArchiveEntry] = {}
    for entry in likely:
        if entry.head.marks and entry.head.marks.summary in summaries:
            candidates.setdefault((entry.head.plan_id, entry.head.marks.summary), entry)
    rows = _rows_of(turns) if candidates else []
    lengths = {mark.length for entry in candidates.values() if entry.head.marks for mark in entry.head.marks.results}
    marks = _rows_marks(rows, lengths)
    found: tuple[ArchiveEntry, int] | None = None
    for entry in candidates.values():
        for mark in entry.head.marks.results if entry.head.marks else ():
            if mark.length > (found[1] if found else 0) and marks.get(mark.length) == mark.mark:
                found = entry, mark.length
    return found and (found[0], _behind(turns, rows[found[1] :]))


def _rows_marks(rows: Sequence[Row], lengths: Collection[int]) -> dict[int, str]:
    """Hash the first rows, of each of the lengths that there are, in one go through them."""
    digest, marks, done = hashlib.sha256(), {}, 0
    for length in sorted(lengths):
        if length > len(rows):
            break
        for row in rows[done:length]:
            digest.update(json.dumps([row.role, row.content]).encode())
        done, marks[length] = length, digest.copy().hexdigest()
    return marks


def _rows_of(turns: Sequence[Message]) -> list[Row]:
    """Return the parts of a valid chat in one order, in the words that all shapes have for them; ids do not matter.

    Other tools know no system messages, want a summary before all else that opens a chat, and hold results in the order
    of their calls.
    """
    shaped = acceptable(map(with_words_for_attachments, turns))
    calls = {call.id: place for place, call in enumerate(call for message in shaped for call in message.calls)}
    rows = [
        Row(turn, part, "user" if message.role == "system" else message.role, _content(one))
        for turn, message in enumerate(shaped)
        for part, one in sorted(enumerate(message.parts), key=lambda found: _order(found[1], calls))
    ]
    answer = next((place for place, row in enumerate(rows) if row.role == "assistant"), len(rows))
    return sorted(rows[:answer], key=lambda row: not _is_summary(row.text)) + rows[answer:]


def _order(part: Part, calls: Mapping[str, int]) -> int:
    """Return the place of a result among those of its turn; other parts stay behind them as they are."""
    return calls.get(part.call_id, 0) if isinstance(part, ToolResult) else len(calls)


def _content(part: Part) -> tuple[str, ...]:
    match part:
        case Text(text):
            return "text", line_feeds(text)
        case ToolCall(name=name, input=given):
            return "call", name, json_text(given)
        case ToolResult():
            return "result", "" if (text := line_feeds(result_text(part))).strip() in _NO_RESULT else text
    return (type(part).__name__,)


def _behind(turns: Sequence[Message], rows: Iterable[Row]) -> list[Message]:
    """Return the messages of these rows; the user may have gone on in the last message that was there."""
    places: dict[int, set[int]] = {}
    for row in rows:
        places.setdefault(row.turn, set()).add(row.part)
    found = []
    for turn, own in sorted(places.items()):
        message = turns[turn]
        parts = tuple(part for place, part in enumerate(message.parts) if place in own)
        whole = len(parts) == len(message.parts)
        found.append(message if whole else replace(message, parts=parts, raw=None, is_summary=False))
    return found


def _by_opening(
    turns: Sequence[Message], likely: Iterable[ArchiveEntry]
) -> tuple[ArchiveEntry, Sequence[Message]] | None:
    """Find the compaction whose message opens the chat, and what the user said behind it."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None:
        return None
    opened = [(entry, marks.opening) for entry in likely if (marks := entry.head.marks) and marks.opening]
    for place, part in enumerate(turns[first].parts):
        start = part.text.find(CONTINUED) if isinstance(part, Text) else -1
        if start < 0 or not isinstance(part, Text):
            continue
        words = line_feeds(part.text[start:])
        for text in dict.fromkeys((words, words.replace(_JOINER, ""))):
            hashes = _prefix_hashes(text, {opening.length for _, opening in opened})
            for entry, opening in opened:
                if hashes.get(opening.length) == opening.mark:
                    said = text[opening.length :].strip().removesuffix(_FRAME_END).strip()
                    own = (*((Text(said),) if said else ()), *turns[first].parts[place + 1 :])
                    rest = [replace(turns[first], parts=own, raw=None, is_summary=False)] if own else []
                    return entry, [*rest, *turns[first + 1 :]]
    return None


def _prefix_hashes(text: str, lengths: Collection[int]) -> dict[int, str]:
    """Hash the prefixes of a text of all these lengths in one pass."""
    found, marks, done = hashlib.sha256(), {}, 0
    for length in sorted(length for length in lengths if length <= len(text)):
        found.update(text[done:length].encode(errors="surrogatepass"))
        done, marks[length] = length, found.copy().hexdigest()
    return marks


def _without_ours(newer: Sequence[Message]) -> Sequence[Message]:
    """Return what came after a compaction, without what we wrote behind it to make the chat whole for an API."""
    own = 0
    while own < len(newer) and _is_ours(newer[own]):
        own += 1
    return newer[own:]


def _is_ours(message: Message) -> bool:
    if message.results:
        return {result_text(result) for result in message.results} == {INTERRUPTED} and not message.text
    return is_closing(message) or message.text == UNANSWERED


def _is_summary(text: str) -> bool:
    return text.lstrip().startswith(SUMMARY_START) and is_summary_text(text)


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
