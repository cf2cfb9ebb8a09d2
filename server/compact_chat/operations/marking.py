"""By what a compacted chat is known again, whatever shape it comes back in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from compact_chat.chat import JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text
from compact_chat.disk.archive_record import Marks
from compact_chat.marks import SUMMARY_START, is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.measure.json_text import json_text
from compact_chat.read.formats import read_chat
from compact_chat.read.source import Source
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message
from compact_chat.resume.export import UNANSWERED, is_closing, without_closing
from compact_chat.resume.splice import summary_message
from compact_chat.resume.valid import valid


def marks_of(summary: str, continuation: str, messages: Sequence[Message], clean: Redactor) -> Marks:
    """Note the hashes of a compaction; an export of it has its messages without secrets."""
    opening = line_feeds(continuation).strip()
    turns = valid(without_closing(messages))
    masked = valid([masked_message(message, clean) for message in turns])
    parts = len(turns[-1].parts) if turns else 0
    return Marks(
        summary=summary_mark(summary_message(summary).text),
        opening=_hash(opening),
        opening_length=len(opening),
        results=tuple(dict.fromkeys(result_mark(one, len(one), parts) for one in (turns, masked))),
        result_length=len(turns),
        last_parts=parts,
    )


def summary_mark(text: str) -> str:
    """The hash of a summary in its wrappers."""
    return _hash(strip_summary_wrappers(text))


def summaries_in(messages: Iterable[Message]) -> list[str]:
    """The hashes of the texts of the user's that are summaries in their wrappers."""
    texts = (part for message in messages if message.role == "user" for part in message.parts if isinstance(part, Text))
    return [summary_mark(part.text) for part in texts if _is_summary(part.text)]


def result_mark(turns: Sequence[Message], length: int, last_parts: int) -> str:
    """The hash of the first messages of a valid chat, of the last one only the first parts; ids do not matter."""
    rows = [(turn.role, [_content(part) for part in turn.parts]) for turn in turns[:length]]
    if rows:
        role, parts = rows[-1]
        rows[-1] = role, parts[:last_parts]
    return _hash(json.dumps(rows))


def prefix_marks(text: str, lengths: Iterable[int]) -> dict[int, str]:
    """The hashes of the beginnings of a text, of each of the lengths that it has; all in one go through it."""
    found, marks, done = hashlib.sha256(), {}, 0
    for length in sorted(set(lengths)):
        if length > len(text):
            break
        found.update(text[done:length].encode(errors="surrogatepass"))
        done, marks[length] = length, found.copy().hexdigest()
    return marks


def without_ours(newer: Sequence[Message]) -> list[Message]:
    """What came after a compaction, without what we wrote ourselves behind the chat that it made."""
    own = 0
    while own < len(newer) and (is_closing(newer[own]) or newer[own].text == UNANSWERED):
        own += 1
    return list(newer[own:])


def read_messages(messages: list[JsonObject]) -> tuple[Message, ...]:
    """Read messages that we wrote."""
    return read_chat(Source.of_document({"messages": messages}), "anthropic").messages


def _is_summary(text: str) -> bool:
    return text.lstrip().startswith(SUMMARY_START) and is_summary_text(text)


def _content(part: Part) -> list[str]:
    match part:
        case Text(text):
            return ["text", line_feeds(text)]
        case ToolCall(name=name, input=given):
            return ["call", name, json_text(given)]
        case ToolResult():
            return ["result", line_feeds(result_text(part))]
    return [type(part).__name__]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
