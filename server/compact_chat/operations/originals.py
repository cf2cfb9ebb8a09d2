"""The chat that a compacted chat was made of, with what came after: so that nothing erodes (contract, section 4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text
from compact_chat.disk import (
    Beginning,
    Head,
    Kept,
    Marks,
    Record,
    SourceKind,
    archive,
    known_folders,
    open_file,
    read_beside,
)
from compact_chat.errors import ChatUnreadable, CompactChatError, CompactionNotFound, InvalidParams, TooLarge
from compact_chat.measure import json_text
from compact_chat.operations.desk import Desk
from compact_chat.operations.params import ChatRef
from compact_chat.operations.runner import json_text as json_text_json_text
from compact_chat.read import (
    Held,
    InMemory,
    Source,
    check_length,
    objects,
    parse,
    read_chat,
    resolved,
    with_own_ids,
)
from compact_chat.redact import Redactor, masked_message, masked_values
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
from compact_chat.wire import Compaction

# By what a compacted chat is known again, whatever shape it comes back in.


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


def marks_of(summary: str, continuation: str, messages: Sequence[Message], clean: Redactor) -> Marks | None:
    """Note the hashes of a compaction; an export of it has its messages without secrets.

    There are none where nothing in its messages shows that they are a compacted chat.
    """
    turns = make_valid(without_closing(messages))
    if not (summary or shows_cuts(turns)):
        return None
    opening = line_feeds(continuation).strip()
    masked = make_valid([masked_message(message, clean) for message in turns])
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
    return _hash(json.dumps([message.role, [_content(part) for part in message.sent]]))


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


# What a chat was read from: enough of it to keep its bytes as they were read.


class Origin(Struct, frozen=True):
    """A file, a text or messages; of a large file the hash and the size, since it is not held.

    Messages that are nested too deeply to be written have no hash.
    """

    ref: ChatRef
    data: bytes | None = None
    size: int = 0
    sha256: str = ""
    beside: Mapping[str, bytes] = {}

    @property
    def kind(self) -> SourceKind:
        """What it is."""
        if self.ref.uri is not None:
            return "file"
        return "text" if self.ref.text is not None else "messages"


def origin_of_file(ref: ChatRef, held: Held, beside: Mapping[str, bytes]) -> Origin:
    """Tell of a file what it takes to find the same bytes in it again, also where it has grown since."""
    if isinstance(held, InMemory):
        return _of_bytes(ref, held.whole(), beside)
    found, size = hashlib.sha256(), 0
    for block in held.blocks():
        found.update(block)
        size += len(block)
    return Origin(ref, None, size, found.hexdigest(), beside)


def origin_of_request(ref: ChatRef) -> Origin:
    """Tell the bytes of a chat that came in a request; halves of surrogate pairs stay what they are."""
    try:
        text = json_text_json_text(ref.messages) if ref.text is None else ref.text
    except RecursionError:
        return Origin(ref)
    return _of_bytes(ref, text.encode(errors="surrogatepass"), {})


def bytes_of(origin: Origin) -> Iterator[bytes]:
    """Give the bytes; of a file that has grown no more than there were when it was read."""
    if origin.data is not None:
        yield origin.data
        return
    with open_file(origin.ref.uri or "") as held:
        yield from _first(held.blocks(), origin.size)


def kept_origin(origin: Origin) -> Kept:
    """Note how to read it again."""
    beside = {name: hashlib.sha256(data).hexdigest() for name, data in origin.beside.items()}
    return Kept(origin.kind, origin.sha256, origin.size, origin.ref.format, origin.ref.tool, beside)


def read_again(kept: Kept, uri: str | None, data: bytes, beside: Mapping[str, bytes]) -> Chat:
    """Read a chat from what was kept of it, as it was read before."""
    return read_chat(_source(kept, uri, data, beside), kept.format, kept.tool)


def messages_in(data: bytes) -> list[dict[str, object]]:
    """Give the messages that a request brought."""
    value = parse(data)
    if not isinstance(value, list):
        raise ChatUnreadable("The archive does not hold what it should.", uri=None, format=None, line=None)
    return value


def _source(kept: Kept, uri: str | None, data: bytes, beside: Mapping[str, bytes]) -> Source:
    if kept.kind == "messages":
        return Source.of_document({"messages": messages_in(data)})
    if kept.kind == "text":
        return Source.of_text(data.decode(errors="surrogatepass"))
    return Source.of_bytes(data, uri or "", beside)


def _of_bytes(ref: ChatRef, data: bytes, beside: Mapping[str, bytes]) -> Origin:
    return Origin(ref, data, len(data), hashlib.sha256(data).hexdigest(), beside)


def _first(blocks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for block in blocks:
        yield block[:size]
        size -= len(block)
        if size <= 0:
            return


# Read the chat that a request names, wherever it is.


def chat_of(ref: ChatRef, at: str = "$.chat") -> Chat:
    """Read the chat; what is wrong with it is told with its path in the request, where the chat stands `at`."""
    if sum(given is not None for given in (ref.uri, ref.text, ref.messages)) != 1:
        raise InvalidParams.at(at, "expected exactly one of uri, text and messages")
    with _told(ref, at):
        check_length(len(ref.messages or ()))
        with opened(ref) as source:
            return read_chat(source, ref.format, ref.tool)


def chat_and_origin(ref: ChatRef) -> tuple[Chat, Origin]:
    """Read the chat, and note the bytes that it was read from."""
    if ref.uri is None:
        return chat_of(ref), origin_of_request(ref)
    with _told(ref, "$.chat"), open_file(ref.uri) as held:
        beside = read_beside(ref.uri)
        chat = read_chat(Source.of_held(held, ref.uri, beside), ref.format, ref.tool)
        return chat, origin_of_file(ref, held, beside)


@contextmanager
def opened(ref: ChatRef) -> Iterator[Source]:
    """Open what a chat is read from."""
    if ref.uri is not None:
        with open_file(ref.uri) as held:
            yield Source.of_held(held, ref.uri, read_beside(ref.uri))
    elif ref.text is not None:
        yield Source.of_text(ref.text)
    else:
        yield Source.of_document({"messages": ref.messages, "system": ref.system, "tools": ref.tools})


@contextmanager
def _told(ref: ChatRef, at: str) -> Iterator[None]:
    """Tell with a problem where the chat is."""
    try:
        yield
    except InvalidParams as problem:
        raise problem.moved(at) from None
    except (ChatUnreadable, TooLarge) as problem:
        problem.data = {"uri": ref.uri, **problem.data}
        raise


# Find the compactions that were made: in archives, and in what this server remembers.


_SINCE = {"fixed": 0}  # counts that compactions were made without at first
SHORTEST_ID, LONGEST_ID = 6, 32  # hexadecimal digits


class Trace(Struct, frozen=True):
    """What tells a compaction, and where it is kept; in no folder where this server alone remembers it."""

    head: Head
    folder: Path | None


def traces(desk: Desk) -> Iterator[Trace]:
    """Give all that is known, each once; those of one archive newest first."""
    seen: set[str] = set()
    for trace in _all(desk):
        if trace.head.id not in seen:
            seen.add(trace.head.id)
            yield trace


def find(compaction_id: str, desk: Desk) -> tuple[Record, Trace]:
    """Give a compaction by its id, or by a beginning that no other has; raises CompactionNotFound without one."""
    compaction_id = _whole_id(compaction_id, desk)
    if remembered := desk.undo.find(compaction_id):
        return remembered.record, Trace(remembered.record.head, None)
    for folder in known_folders(desk.settings.archive):
        if record := archive.find(folder, compaction_id):
            return record, Trace(record.head, folder)
    raise CompactionNotFound(
        "No such compaction is known: its id is wrong, it had to make room for newer ones, or it was not archived."
    )


def _whole_id(beginning: str, desk: Desk) -> str:
    if len(beginning) < SHORTEST_ID or len(beginning) >= LONGEST_ID:
        return beginning
    found = [trace.head.id for trace in traces(desk) if trace.head.id.startswith(beginning)]
    return found[0] if len(found) == 1 else beginning


def compaction_of(record: Record, clean: Callable[[str], str]) -> Compaction:
    """Give a compaction as it was given when it was made, with what `clean` leaves of its texts."""
    kept = record.body.compaction
    counts = kept.get("counts")
    if isinstance(counts, dict):
        kept = {**kept, "counts": {**_SINCE, **counts}}
    try:
        return msgspec.convert(masked_values(kept, clean), Compaction)
    except msgspec.ValidationError:
        raise ChatUnreadable(
            "What the archive holds of this compaction is damaged, or of another version; summarise the chat again.",
            uri=record.head.uri,
            format=None,
            line=None,
        ) from None


def original_bytes(trace: Trace, sha256: str, desk: Desk) -> bytes:
    """Give bytes that were kept; raises where they are gone or damaged."""
    data = _bytes(trace, sha256, desk)
    if data is None:
        raise original_gone(archive.original_path(trace.folder, sha256).as_uri() if trace.folder else None)
    return data


def original_gone(place: str | None) -> ChatUnreadable:
    """Say that what a compaction was made of is not there any more."""
    return ChatUnreadable("The original is gone from the archive, or damaged there.", uri=place, format=None, line=None)


def original_chat(trace: Trace, desk: Desk) -> Chat:
    """Read the chat that was compacted, as it was."""
    kept = trace.head.original
    beside = {name: original_bytes(trace, sha256, desk) for name, sha256 in kept.beside.items()}
    return read_again(kept, trace.head.uri, original_bytes(trace, kept.sha256, desk), beside)


def _all(desk: Desk) -> Iterator[Trace]:
    yield from (Trace(one.record.head, None) for one in reversed(desk.undo.all()))
    for folder in known_folders(desk.settings.archive):
        yield from (Trace(head, folder) for head in archive.heads(folder))


def _bytes(trace: Trace, sha256: str, desk: Desk) -> bytes | None:
    if trace.folder is not None:
        return archive.original(trace.folder, sha256)
    remembered = desk.undo.find(trace.head.id)
    return remembered.originals.get(sha256) if remembered else None


# A chat that is named by its archived original: read as it was then, and known by where it came from.


def archived_as(ref: ChatRef, desk: Desk) -> Trace | None:
    """Find the newest compaction of the original that is named; None where the address is another file's."""
    uri = ref.uri or ""
    if PurePosixPath(uri).parent.name != archive.ORIGINALS:
        return None
    return next((trace for trace in traces(desk) if _place(trace) == uri), None)


def chat_of_original(trace: Trace, desk: Desk) -> tuple[Chat, Origin]:
    """Read it by the name and with the files that the chat had, and give its bytes as those of that chat."""
    chat, kept = original_chat(trace, desk), trace.head.original
    data = original_bytes(trace, kept.sha256, desk)
    beside = {name: original_bytes(trace, sha256, desk) for name, sha256 in kept.beside.items()}
    return chat, Origin(_ref(trace), data, len(data), kept.sha256, beside)


def _place(trace: Trace) -> str | None:
    return archive.original_path(trace.folder, trace.head.original.sha256).as_uri() if trace.folder else None


def _ref(trace: Trace) -> ChatRef:
    """What tells where the chat came from, and how it was read; not its text once more."""
    kept = trace.head.original
    hint = kept.format  # of another version it may be one that is not known here
    match kept.kind:
        case "file":
            return ChatRef(uri=trace.head.uri, format=hint, tool=kept.tool)
        case "text":
            return ChatRef(text="", format=hint, tool=kept.tool)
        case "messages":
            return ChatRef(messages=[], format=hint, tool=kept.tool)


# The chat that a compacted chat was made of, with what came after: so that nothing erodes (contract, section 4).


FROM_ORIGINAL = "fromOriginal"  # the code of the warning that a plan is that of the original
MOST_STEPS = 32  # from one compaction to the one before it
_JOINER = "\u2060"  # takes no room; our editor's client keeps the panel with it from taking `#name` for a reference
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed


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
    later = resolved((replace(message, usage=None) for message in without_ours(newer)), chat.format)
    messages = with_own_ids((*_in_shape_of(chat, before.format, stay), *later))
    return replace(chat, messages=messages, opening=before.opening, host_meter=None)


def compacted_chat(compaction_id: str, desk: Desk) -> Chat:
    """Give the messages that a compaction was about: where it says so, those that stood behind an earlier summary."""
    record, trace = find(compaction_id, desk)
    chat = original_chat(trace, desk)
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
    turns = make_valid(chat.messages)
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
    if written == chat.format or api_of(written) == api_of(chat.format) != "":
        return messages
    return [replace(message, raw=None) for message in acceptable(messages)]
