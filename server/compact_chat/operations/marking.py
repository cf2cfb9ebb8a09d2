"""By what a compacted chat is known again, whatever shape it comes back in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from compact_chat.chat import JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text
from compact_chat.disk.archive_record import Beginning, Marks
from compact_chat.marks import SUMMARY_START, is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.measure.json_text import json_text
from compact_chat.read.formats import read_chat
from compact_chat.read.source import Source, Watch
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message
from compact_chat.resume.attachments import with_words_for_attachments
from compact_chat.resume.export import UNANSWERED, is_closing, without_closing
from compact_chat.resume.foreign import acceptable
from compact_chat.resume.pairs import INTERRUPTED
from compact_chat.resume.splice import summary_message
from compact_chat.resume.valid import valid

_TEXT = "text"
_OMITTED, _PRUNED = " messages omitted]", " chars pruned...]"
_NOTHING = frozenset({"", "(empty)", "(no output)"})  # what stands for the result of a call that gave none


class Row(Struct, frozen=True):
    """A part of a chat as each of its shapes has it, and where it stands."""

    turn: int
    part: int
    role: str
    content: list[str]

    @property
    def text(self) -> str:
        """What is said in it, if it is nothing but words."""
        return self.content[1] if self.content[0] == _TEXT else ""


def marks_of(
    summary: str, continuation: str, messages: Sequence[Message], clean: Redactor, watch: Watch = tuple
) -> Marks | None:
    """Note the hashes of a compaction; an export of it has its messages without secrets.

    There are none where nothing in its messages shows that they are a compacted chat.
    """
    turns = watch(valid(watch(without_closing(messages))))
    if not (summary or shows_cuts(turns)):
        return None
    opening = line_feeds(continuation).strip()
    masked = watch(valid(watch(masked_message(message, clean) for message in turns)))
    return Marks(
        summary=summary_mark(summary_message(summary).text) if summary else None,
        opening=Beginning(_hash(opening), len(opening)) if summary else None,
        results=tuple(dict.fromkeys(map(_result, (turns, masked)))),
    )


def shows_cuts(messages: Iterable[Message]) -> bool:
    """Whether a text of ours in these messages stands for something that was cut out (rules K10 and X5)."""
    return any(
        (isinstance(part, Text) and _OMITTED in part.text)
        or (isinstance(part, ToolResult) and _PRUNED in result_text(part))
        for message in messages
        if message.role == "user"
        for part in message.parts
    )


def summary_mark(text: str) -> str:
    """The hash of a summary in its wrappers."""
    return _hash(strip_summary_wrappers(text))


def summaries_in(messages: Iterable[Message]) -> list[str]:
    """The hashes of the texts of the user's that are summaries in their wrappers."""
    texts = (part for message in messages if message.role == "user" for part in message.parts if isinstance(part, Text))
    return [summary_mark(part.text) for part in texts if _is_summary(part.text)]


def rows_of(turns: Sequence[Message]) -> list[Row]:
    """The parts of a valid chat in their order, in the words that all shapes have for them; ids do not matter.

    Other tools know no system messages, ask for a summary before all else that opens a chat, and hold results in the
    order of their calls.
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


def result_marks(rows: Sequence[Row], lengths: Iterable[int]) -> dict[int, str]:
    """The hashes of the first rows, of each of the lengths that there are; all in one go through them."""
    found, marks, done = hashlib.sha256(), {}, 0
    for length in sorted(set(lengths)):
        if length > len(rows):
            break
        for row in rows[done:length]:
            found.update(json.dumps([row.role, row.content]).encode())
        done, marks[length] = length, found.copy().hexdigest()
    return marks


def message_mark(message: Message) -> str:
    """The hash of one message."""
    return _hash(json.dumps([message.role, [_content(part) for part in message.parts]]))


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
    while own < len(newer) and _is_ours(newer[own]):
        own += 1
    return list(newer[own:])


def read_messages(messages: list[JsonObject]) -> tuple[Message, ...]:
    """Read messages that we wrote."""
    return read_chat(Source.of_document({"messages": messages}), "anthropic").messages


def _is_ours(message: Message) -> bool:
    """Whether this only makes the chat before it whole, for an API or for a tool."""
    if message.results:
        return {result_text(result) for result in message.results} == {INTERRUPTED} and not message.text
    return is_closing(message) or message.text == UNANSWERED


def _is_summary(text: str) -> bool:
    return text.lstrip().startswith(SUMMARY_START) and is_summary_text(text)


def _result(turns: Sequence[Message]) -> Beginning:
    rows = rows_of(turns)
    return Beginning(result_marks(rows, [len(rows)])[len(rows)], len(rows))


def _order(part: Part, calls: Mapping[str, int]) -> int:
    """The place of a result among those of its turn; all else stays behind them as it is."""
    return calls.get(part.call_id, 0) if isinstance(part, ToolResult) else len(calls)


def _content(part: Part) -> list[str]:
    match part:
        case Text(text):
            return [_TEXT, line_feeds(text)]
        case ToolCall(name=name, input=given):
            return ["call", name, json_text(given)]
        case ToolResult():
            return ["result", "" if (text := line_feeds(result_text(part))).strip() in _NOTHING else text]
    return [type(part).__name__]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
