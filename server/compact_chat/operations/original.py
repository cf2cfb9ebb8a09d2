"""The chat that a compacted chat was made of, with what came after: so that nothing erodes (contract, section 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Text
from compact_chat.errors import CompactChatError
from compact_chat.marks import CONTINUED, SUMMARY_START, line_feeds
from compact_chat.operations.desk import Desk
from compact_chat.operations.marking import (
    Row,
    message_mark,
    prefix_marks,
    result_marks,
    rows_of,
    shows_cuts,
    summaries_in,
    without_ours,
)
from compact_chat.operations.past import Trace, find, original_chat, original_gone, traces
from compact_chat.read.lenient import objects
from compact_chat.read.own_ids import with_own_ids
from compact_chat.read.source import Watch
from compact_chat.resume.foreign import acceptable
from compact_chat.resume.valid import valid

FROM_ORIGINAL = "fromOriginal"  # the code of the warning that a plan is that of the original
MOST_STEPS = 32  # from one compaction to the one before it
_JOINER = "\u2060"  # takes no room; our editor's client keeps the panel with it from taking `#name` for a reference
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed
_SAME_SHAPE = frozenset({"anthropic", "claude-code"})


def original_of(chat: Chat, desk: Desk, passed: frozenset[str] = frozenset()) -> Chat:
    """Give the chat with the messages that our summary in it replaced; itself where there is none that is kept.

    Whoever writes a text that looks like a summary gets nothing for it: the whole of what the compaction
    made has to be there, and the chat may not tell of another workspace. A compaction of what it had made itself looks
    like the one before; each of those that were `passed` on the way back counts once.
    """
    known = _known(chat, desk, passed) if len(passed) < MOST_STEPS and _may_be_compacted(chat) else None
    if known is None:
        return chat
    trace, newer = known
    try:
        before = original_of(original_chat(trace, desk), desk, passed | {trace.head.id})
    except CompactChatError:
        return chat
    stay = [message for message in before.messages if not _is_dropped(message, trace.head.dropped)]
    later = [replace(message, usage=None) for message in without_ours(newer)]
    messages = with_own_ids((*_in_shape_of(chat, before.format, stay), *later))
    return replace(chat, messages=messages, opening=before.opening, host_meter=None)


def compacted_chat(compaction_id: str, desk: Desk, watch: Watch = tuple) -> Chat:
    """Give the messages that a compaction was about: where it says so, those that stood behind an earlier summary."""
    record, trace = find(compaction_id, desk)
    chat = original_chat(trace, desk, watch)
    told = objects(record.body.compaction.get("warnings"))
    if not any(warning.get("code") == FROM_ORIGINAL for warning in told):
        return chat
    original = original_of(chat, desk, frozenset({trace.head.id}))
    if original is chat:  # its ids would name other messages
        raise original_gone(None)
    return original


def _may_be_compacted(chat: Chat) -> bool:
    said = (text for message in chat.messages if message.role == "user" for text in _texts(message))
    return any(text.lstrip().startswith(SUMMARY_START) or CONTINUED in text for text in said) or shows_cuts(
        chat.messages
    )


def _is_dropped(message: Message, dropped: Mapping[str, str]) -> bool:
    """Whether the user has dropped this very message: nobody else's wish brings it back (rule Z3)."""
    return message.id in dropped and message_mark(message) == dropped[message.id]


def _known(chat: Chat, desk: Desk, passed: Collection[str]) -> tuple[Trace, Sequence[Message]] | None:
    """The compaction that the chat begins with, and the messages that came after it."""
    turns = valid(chat.messages)
    new = (trace for trace in traces(desk) if trace.head.marks and trace.head.id not in passed)
    found = [trace for trace in new if _is_of_same_place(trace, chat)]
    return _by_result(turns, found) or _by_opening(turns, found)


def _is_of_same_place(trace: Trace, chat: Chat) -> bool:
    return None in (trace.head.workspace, chat.workspace) or trace.head.workspace == chat.workspace


def _by_result(turns: Sequence[Message], found: Iterable[Trace]) -> tuple[Trace, Sequence[Message]] | None:
    """Look for the messages that a compaction gave, at the beginning."""
    summaries = (None, *summaries_in(turns))
    likely = [(trace, own) for trace in found if (own := trace.head.marks) and own.summary in summaries]
    rows = rows_of(turns) if likely else []
    given = [(trace, result) for trace, own in likely for result in own.results]
    marks = result_marks(rows, [result.length for _, result in given])
    fitting = [(trace, result) for trace, result in given if marks.get(result.length) == result.mark]
    if not fitting:
        return None
    trace, result = max(fitting, key=lambda one: one[1].length)  # one summary may have had several tails
    return trace, _behind(turns, rows[result.length :])


def _behind(turns: Sequence[Message], rows: Sequence[Row]) -> list[Message]:
    """What came after; the user may have gone on in the last message that was there."""
    places: dict[int, set[int]] = {}
    for row in rows:
        places.setdefault(row.turn, set()).add(row.part)
    return [_only(turns[turn], parts) for turn, parts in sorted(places.items())]


def _only(turn: Message, places: Collection[int]) -> Message:
    """The message with these of its parts."""
    if len(places) == len(turn.parts):
        return turn
    parts = tuple(part for place, part in enumerate(turn.parts) if place in places)
    return replace(turn, parts=parts, raw=None, is_summary=False)


def _by_opening(turns: Sequence[Message], found: Sequence[Trace]) -> tuple[Trace, Sequence[Message]] | None:
    """Look for a continuation in what the user said first."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None:
        return None
    opened = [(trace, own.opening) for trace in found if (own := trace.head.marks) and own.opening]
    for place, text in enumerate(_texts(turns[first])):
        for words in _openings(text):
            marks = prefix_marks(words, [opening.length for _, opening in opened])
            for trace, opening in opened:
                if marks.get(opening.length) == opening.mark:
                    return trace, _behind_opening(turns, first, place, words[opening.length :])
    return None


def _openings(text: str) -> Iterable[str]:
    """Give a continuation as it stands in a text, and without what an editor put between its letters."""
    start = text.find(CONTINUED)
    words = line_feeds(text[start:]) if start >= 0 else ""
    return dict.fromkeys(filter(None, (words, words.replace(_JOINER, ""))))


def _behind_opening(turns: Sequence[Message], first: int, place: int, rest: str) -> Sequence[Message]:
    """What the user said behind the continuation, in its text and in those after it, and all that followed."""
    said = rest.strip().removesuffix(_FRAME_END).strip()
    texts = [part for part in turns[first].parts if isinstance(part, Text)]
    behind = turns[first].parts[turns[first].parts.index(texts[place]) + 1 :]
    parts = (*((Text(said),) if said else ()), *behind)
    later = turns[first + 1 :]
    return (replace(turns[first], parts=parts, raw=None, is_summary=False), *later) if parts else later


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


def _in_shape_of(chat: Chat, written: str, messages: Sequence[Message]) -> Sequence[Message]:
    """The older messages as the newer ones are written: raw ones of another API would be sent to this one."""
    if written == chat.format or {written, chat.format} <= _SAME_SHAPE:
        return messages
    return [replace(message, raw=None) for message in acceptable(messages)]
