"""The messages of the next chat: valid for model APIs (V1 to V8), with the summary in its place (J1 to J6, Z4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import (
    Message,
    Part,
    PartPlace,
    Text,
    ToolCall,
    ToolResult,
    find_links,
    raws,
    tool_parts,
    with_plain_results,
)
from compact_chat.errors import NoSummary
from compact_chat.facts import joined_records, record_blocks, recorded, summary_parts, without_records
from compact_chat.plan import Direction, front_length, open_end, visible, with_parts
from compact_chat.styles import Summary
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START, line_feeds, strip_summary_wrappers

INTERRUPTED = "[Tool call interrupted]"


def paired(messages: Sequence[Message]) -> list[Message]:
    """Drop results that answer no call or an answered one, and give every call a unique id (rules V2 and V7)."""
    taken: Counter[str] = Counter()
    ids: dict[PartPlace, str] = {}  # each call's own id, numbered if it is taken
    for place, part in tool_parts(messages):
        if isinstance(part, ToolCall):
            wanted = name = part.id or "call"
            while taken[name]:
                taken[wanted] += 1
                name = f"{wanted}-{taken[wanted]}"
            taken[name] += 1
            ids[place] = name
    ids |= {result: ids[call] for result, call in find_links(messages).answers.items()}
    turns = []
    for index, message in enumerate(messages):
        parts: list[Part] = []
        for number, given in enumerate(message.parts):
            own = ids.get((index, number))
            match given:
                case ToolCall(id=old) if own and own != old:
                    parts.append(replace(given, id=own))
                case ToolResult(call_id=old) if own != old:
                    parts += [replace(given, call_id=own)] if own else []
                case _:
                    parts.append(given)
        turns.append(with_parts(message, tuple(parts)))
    return [turn for turn in turns if turn.parts]


def answered(messages: Sequence[Message], open_from: int) -> list[Message]:
    """Move all results of a turn right behind it; calls without one get one, except from `open_from` on."""
    given = {result.call_id: result for message in messages for result in message.results}
    order = {call_id: number for number, call_id in enumerate(given)}
    turns: list[Message] = []
    due: list[ToolResult] = []

    def reply() -> Message:
        return Message("results", "user", tuple(due), by_host=True)

    for index, message in enumerate(messages):
        checkpoint()
        parts: tuple[Part, ...] = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if message.role == "system":
            turns.append(reply())
            due = []
        elif message.role == "user":
            parts, due = (*due, *parts), []
        turns.append(with_parts(message, parts))
        found = sorted((call.id for call in message.calls if call.id in order), key=order.__getitem__)
        due += [given[call_id] for call_id in found]
        lost = (call for call in message.calls if call.id not in order and index < open_from)
        due += [ToolResult(call.id, (Text(INTERRUPTED),), is_error=True, as_text=True) for call in lost]
    return [turn for turn in (*turns, reply()) if turn.parts]


def merged(messages: Iterable[Message]) -> list[Message]:
    """Merge each run of one role, with results first; system messages, which need not alternate, stay apart (V5)."""
    turns: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        checkpoint()
        run = list(group)
        if role == "system":
            turns += run
            continue
        said = tuple(part for message in run for part in message.parts)
        parts = tuple(sorted(said, key=lambda part: not isinstance(part, ToolResult)))
        if len(run) == 1:
            turns.append(with_parts(run[0], parts))
            continue
        typed = tuple(words for message in run for words in message.typed_words)
        as_it_came = parts == said and all(map(raws, run))
        turn = Message(
            id=run[0].id,
            role=role,
            parts=parts,
            raw=tuple(item for message in run for item in raws(message)) if as_it_came else None,
            is_summary=any(message.is_summary for message in run),
            by_host=all(message.by_host for message in run),
        )
        turns.append(turn if turn.typed_words == typed else replace(turn, typed=typed))
    return turns


_OMITTED = Message("omitted", "user", (Text("[Earlier messages omitted]"),), by_host=True)


def make_valid(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Make the chat acceptable to APIs, except for calls that the host has yet to answer; idempotent."""
    shown = [message for message in map(visible, messages) if message.parts]
    turns = merged(paired(list(map(with_plain_results, shown))))
    turns = merged(answered(turns, open_from=open_end(turns)))
    front = front_length(turns)
    if turns[front : front + 1] and turns[front].role == "assistant":  # a user line comes first (rule V4)
        turns.insert(front, _OMITTED)
    return tuple(turns)


def sendable(messages: Sequence[Message], closing: str) -> tuple[Message, ...]:
    """Return the valid chat ending with a user message: `closing`, unless a call is still pending (rule V8)."""
    turns = make_valid(messages)
    if turns and (turns[-1].role == "user" or turns[-1].calls):
        return turns
    return (*turns, Message("closing", "user", (Text(closing),), by_host=True))


# A summary in place of the messages that it replaces.

_MARKERS = (SUMMARY_START, SUMMARY_END, SUMMARY_END_LAST)


def splice_summary(
    head: Sequence[Message],
    summary: Summary,
    tail: Sequence[Message],
    direction: Direction = "upTo",
) -> tuple[Message, ...]:
    """Build the new chat: the head, including system messages at the front, then the summary, then the tail.

    Earlier summaries among the messages that stay become a part of the new one, so that there is never a second.
    """
    text = _not_blank(summary.text)
    before, own_head = _parted(head)
    behind, own_tail = _parted(tail)
    if before or behind:  # merge several summaries, with the records of all their files at the end (rule T23)
        texts = (*before, strip_summary_wrappers(text), *behind)
        records = record_blocks(joined_records(*map(recorded, texts)))
        text = "\n\n".join(filter(None, (*map(without_records, texts), records)))
    return make_valid((*own_head, summary_message(summary.style.wrapped(text), direction), *own_tail))


def summary_message(text: str, direction: Direction = "upTo") -> Message:
    """Make the message that holds a summary, in its style's wrapper if it has one, between its markers (J2, P26)."""
    text = _not_blank(text)
    end = SUMMARY_END_LAST if direction == "from" else SUMMARY_END
    # Escape a line that is a marker, with or without blanks around it.
    lines = (f"\\{line}" if line.strip() in _MARKERS else line for line in text.split("\n"))
    framed = "\n".join((SUMMARY_START, *lines, end))
    return Message("summary", "user", (Text(framed),), is_summary=True, by_host=True)


def _not_blank(summary: str) -> str:
    text = line_feeds(summary).strip()
    if not text:
        raise NoSummary("The summary is empty, so the chat stays as it is.", kind="emptySummary")
    return text


def _parted(messages: Iterable[Message]) -> tuple[list[str], list[Message]]:
    """Separate the earlier summaries, unwrapped, from the other messages."""
    summaries: list[str] = []
    others: list[Message] = []
    for message in messages:
        checkpoint()
        found = summary_parts(message)
        texts = [part for part in message.parts if isinstance(part, Text)]
        summaries += (strip_summary_wrappers(part.text) for part in texts if part in found)
        own = tuple(part for part in message.parts if not isinstance(part, Text) or part not in found)
        others.append(replace(message, parts=own, raw=None, is_summary=False) if found else message)
    return [text for text in summaries if text], others
