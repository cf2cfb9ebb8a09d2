"""The chat that a compacted chat was made of, with what came after: so that nothing erodes (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Text
from compact_chat.disk.archive_record import Marks
from compact_chat.errors import CompactChatError
from compact_chat.marks import SUMMARY_START, line_feeds
from compact_chat.operations.desk import Desk
from compact_chat.operations.marking import prefix_marks, result_mark, summaries_in, without_ours
from compact_chat.operations.past import Trace, original_chat, traces
from compact_chat.read.own_ids import with_own_ids
from compact_chat.resume.continuation import _HEADING as HEADING
from compact_chat.resume.foreign import acceptable
from compact_chat.resume.valid import valid

MOST_STEPS = 32  # from one compaction to the one before it
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed
_SAME_SHAPE = frozenset({"anthropic", "claude-code"})


def original_of(chat: Chat, desk: Desk, steps: int = MOST_STEPS) -> Chat:
    """Give the chat with the messages that our summary in it replaced; itself where there is none that is kept.

    Whoever writes a text that looks like a summary gets nothing for it: the whole of what the compaction
    made has to be there, and the chat may not tell of another workspace.
    """
    known = _known(chat, desk) if steps and _may_be_compacted(chat) else None
    if known is None:
        return chat
    trace, newer = known
    try:
        before = original_of(original_chat(trace, desk), desk, steps - 1)
    except CompactChatError:
        return chat
    later = [replace(message, usage=None) for message in without_ours(newer)]
    messages = with_own_ids((*_in_shape_of(chat, before), *later))
    return replace(chat, messages=messages, opening=before.opening, host_meter=None)


def _may_be_compacted(chat: Chat) -> bool:
    return any(
        text.lstrip().startswith(SUMMARY_START) or HEADING in text
        for message in chat.messages
        if message.role == "user"
        for text in _texts(message)
    )


def _known(chat: Chat, desk: Desk) -> tuple[Trace, Sequence[Message]] | None:
    """The compaction that the chat begins with, and the messages that came after it."""
    turns = valid(chat.messages)
    found = [trace for trace in traces(desk) if trace.head.marks and _is_of_same_place(trace, chat)]
    return _by_result(turns, found) or _by_opening(turns, found)


def _is_of_same_place(trace: Trace, chat: Chat) -> bool:
    return None in (trace.head.workspace, chat.workspace) or trace.head.workspace == chat.workspace


def _by_result(turns: Sequence[Message], found: Iterable[Trace]) -> tuple[Trace, Sequence[Message]] | None:
    """Look for the messages that a compaction gave, at the beginning."""
    summaries = summaries_in(turns)
    fitting = [
        (trace, trace.head.marks)
        for trace in found
        if trace.head.marks and trace.head.marks.summary in summaries and _begins_with(turns, trace.head.marks)
    ]
    if not fitting:
        return None
    trace, marks = max(fitting, key=lambda one: one[1].result_length)  # one summary may have had several tails
    return trace, _behind(turns, marks)


def _begins_with(turns: Sequence[Message], marks: Marks) -> bool:
    length = marks.result_length
    return len(turns) >= length and result_mark(turns, length, marks.last_parts) in marks.results


def _behind(turns: Sequence[Message], marks: Marks) -> Sequence[Message]:
    """What came after; the user may have gone on in the last message that was there."""
    last = turns[marks.result_length - 1]
    more = last.parts[marks.last_parts :]
    rest = turns[marks.result_length :]
    return (replace(last, parts=more, raw=None, is_summary=False), *rest) if more else rest


def _by_opening(turns: Sequence[Message], found: Sequence[Trace]) -> tuple[Trace, Sequence[Message]] | None:
    """Look for a continuation in what the user said first."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None:
        return None
    for place, text in enumerate(_texts(turns[first])):
        start = text.find(HEADING)
        words = line_feeds(text[start:]) if start >= 0 else ""
        marks = prefix_marks(words, [trace.head.marks.opening_length for trace in found if trace.head.marks])
        for trace in found:
            own = trace.head.marks
            if own and words and marks.get(own.opening_length) == own.opening:
                return trace, _behind_opening(turns, first, place, words[own.opening_length :])
    return None


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


def _in_shape_of(chat: Chat, before: Chat) -> Sequence[Message]:
    """The older messages as the newer ones are written: raw ones of another API would be sent to this one."""
    if before.format == chat.format or {before.format, chat.format} <= _SAME_SHAPE:
        return before.messages
    return [replace(message, raw=None) for message in acceptable(before.messages)]
