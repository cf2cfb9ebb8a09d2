"""Sessions of Gemini CLI: one JSON object, or lines that add, replace and take back messages; and saved checkpoints.

    {"sessionId":"g1","projectHash":"ab12"}
    {"id":"m1","type":"user","content":[{"text":"Fix the tax rounding"}]}
    {"id":"m2","type":"gemini","content":"Let me look.","model":"gemini-3-pro","tokens":{"input":9000,"output":20},
     "toolCalls":[{"id":"c1","name":"ls","args":{},"result":[{"functionResponse":{"id":"c1","response":{}}}]}]}
    {"$set":{"summary":"Tax rounding"}}

A checkpoint is an array of the API's contents, or an object with such a `history`. See docs/formats.md#gemini-cli and
https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts.

Sessions of Qwen Code: append-only lines with Claude Code's envelope around contents of the Gemini API.

    {"uuid":"q1","parentUuid":null,"sessionId":"s1","type":"user","cwd":"/home/ada/shop",
     "message":{"role":"user","parts":[{"text":"Fix the tax rounding"}]}}
    {"uuid":"q2","parentUuid":"q1","sessionId":"s1","type":"assistant","model":"qwen3-coder","contextWindowSize":262144,
     "usageMetadata":{"promptTokenCount":9000,"totalTokenCount":9050},
     "message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ls","args":{}}}]}}
    {"uuid":"q3","parentUuid":"q2","sessionId":"s1","type":"system","subtype":"chat_compression",
     "systemPayload":{"info":{"newTokenCount":900},"compressedHistory":[{"role":"user","parts":[...]}]}}

The records form a tree, whose live branch ends with the last of them; a compaction brings the whole new history. See
docs/formats.md#qwen-code and
https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/services/session-api-history.ts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    OwnCompaction,
    Part,
    ResultPart,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
)
from compact_chat.errors import checkpoint
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import (
    fields,
    is_by_host,
    left_out,
    loose,
    objects,
    own_name,
    title_of,
    tokens,
    typed_title,
    with_own_ids,
)
from compact_chat.read.source import Source
from compact_chat.text import outside

# The parts of a content, which Qwen Code stores too (https://ai.google.dev/api/caching#Part).


class _Call(Struct):
    id: str = ""
    name: str = ""
    args: JsonObject = {}
    status: str = ""  # with the result, in the `toolCalls` of a record only
    result: Any = None


class _FunctionResponse(Struct):
    id: str = ""
    name: str = ""
    response: Any = None
    parts: list[JsonObject] = []


class _Data(Struct, rename="camel"):
    mime_type: str = ""
    data: str = ""
    file_uri: str = ""
    display_name: str = ""


class ApiPart(Struct, rename="camel"):
    """A part of a content of the Gemini API; the first field present determines its kind."""

    thought: bool = False
    text: str | None = None
    function_call: _Call | None = None
    function_response: _FunctionResponse | None = None
    inline_data: _Data | None = None
    file_data: _Data | None = None
    raw: JsonObject = {}

    def decoded(self) -> Part:
        """Decode the part; anything but text, call, result or file stays as it came."""
        if self.text is not None:
            return Text(self.text)
        if call := self.function_call:
            return ToolCall(call.id, call.name, call.args)
        if answer := self.function_response:
            response = fields(answer.response)
            value = response.get("output", response.get("error", answer.response))
            if not isinstance(value, str):
                value = "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            _, shown = _results_and_others(answer.parts)
            failed = "error" in response and "output" not in response
            return ToolResult(answer.id, (Text(value), *shown), failed, as_text=not shown)
        if file := self.inline_data or self.file_data:
            is_image = file.mime_type.startswith("image/")
            title = file.display_name or file.file_uri
            return Image(file.mime_type, file.data, file.file_uri) if is_image else Document(title, self.raw)
        return Unknown(next(iter(self.raw), "part"), self.raw)


class Content(Struct, frozen=True):
    """A content of the Gemini API."""

    role: str = ""
    parts: list[Any] | None = None


def api_parts(content: object) -> list[ApiPart]:
    """Return the API parts of a content: a string, one part, a list of both, or nothing; empty texts are skipped."""
    items = content if isinstance(content, list) else [content]
    raws = ({"text": item} if isinstance(item, str) else item for item in items)
    return [replace(loose(ApiPart, raw), raw=raw) for raw in raws if isinstance(raw, dict) and raw.get("text") != ""]


def _results_and_others(content: object) -> tuple[list[ToolResult], tuple[ResultPart, ...]]:
    parts = [part.decoded() for part in api_parts(content) if not part.thought]
    results = [part for part in parts if isinstance(part, ToolResult)]
    return results, tuple(part for part in parts if isinstance(part, Text | Image | Document | Unknown))


# What Gemini CLI writes into user messages: its environment, summaries, and the files that a message refers to.

_SUMMARY = re.compile(r"\s*+(?:<scratchpad>.*?</scratchpad>\s*+)?<state_snapshot>", re.DOTALL)
_WRAPPER = re.compile(r"<(session_context|hook_context)>")
_CONTEXT = re.compile(r"\s*+(?:<session_context>|This is the Gemini CLI\. We are setting up the context)")
_NOTE = re.compile(
    r"\s*+(?:<hook_context>|System: (?:Please continue\.|Potential loop detected)"
    r"|Here is (?:the user's editor context as a JSON object|a summary of changes in the user's editor context))"
)
_STEERING = re.compile(r"\s*+User steering update:\s*<user_input>(.*?)</user_input>", re.DOTALL)
_FILES = "--- Content from referenced files ---"
_FOLDERS = (
    re.compile(r"- \*\*Workspace Directories:\*\*\n\s{0,8}- ([^\n]{1,4096})"),
    re.compile(r"I'm currently working in the directory: ([^\n]{1,4096})"),
)


def is_summary(text: str) -> bool:
    """Return whether a text is the summary of a compaction."""
    return bool(_SUMMARY.match(text))


def typed_texts(texts: Sequence[str]) -> list[str]:
    """Return what a person typed from the texts of one message; the files that it refers to come last."""
    end = next((place for place, text in enumerate(texts) if text.strip() == _FILES), len(texts))
    around = (piece for text in texts[:end] if not is_summary(text) for piece in outside(text, _WRAPPER))
    own = (text for text in around if not any((_CONTEXT.match(text), _NOTE.match(text))))
    return [steered[1].strip() if (steered := _STEERING.match(text)) else text for text in own]


# The records of a session, and what is left once they are applied in order.


class _Sizes(Struct):
    input: int = 0
    output: int = 0
    thoughts: int = 0


class _Stored(Struct, rename="camel"):
    """A message: `user` and `gemini` are sent, `info`, `error` and `warning` are for the screen."""

    id: str | None = None
    type: str = ""
    content: Any = None
    display_content: Any = None  # what the person typed, where more was sent
    model: str = ""
    tokens: _Sizes | None = None
    tool_calls: list[_Call] = []


class _Line(_Stored):
    """A message, session metadata, or a change to earlier lines."""

    summary: str | None = None  # the title
    kind: str = ""  # of the session, which may be a sub-agent's
    messages: list[_Stored] | None = None
    project_hash: str | None = None
    rewind_to: str | None = field(default=None, name="$rewindTo")
    changes: _Line | None = field(default=None, name="$set")


_TYPES_OF_ROLES = {"user": "user", "model": "gemini"}
_SENT = frozenset({"user", "gemini"})
_SHOWN = frozenset({"info", "error", "warning"})


def sniff(source: Source) -> bool:
    """Return whether a record is Gemini CLI's, or the whole is a checkpoint; the first line may be missing."""
    for line in (loose(_Line, record) for record in source.records):
        is_reply = line.type == "gemini" and line.id is not None
        replaces = line.changes is not None and line.changes.messages is not None
        if is_reply or replaces or line.project_hash is not None or line.rewind_to is not None:
            return True
    return bool(_checkpoint(source.document))


def read(source: Source) -> Chat:
    """Replay the records, and read what is left."""
    lines = _checkpoint(source.document) or [loose(_Line, record) for record in source.records]
    title, stored, compactions = _replayed(lines)
    messages = with_own_ids(_messages([one for one in stored if one.type in _SENT]))
    notes = [message.text for message in messages if message.by_host and _CONTEXT.match(message.text)]
    folders = (folder.search(note) for note in notes for folder in _FOLDERS)
    others = (place for place, one in enumerate(stored, 1) if one.type not in _SENT | _SHOWN)
    return Chat(
        format="gemini",
        tool="gemini",
        messages=messages,
        model=next((one.model for one in reversed(stored) if one.model), None),
        title=title_of(title) or typed_title(messages, typed_texts),
        workspace=next((folder[1].strip() for folder in folders if folder), None),
        compactions=tuple(_compaction(before) for before, _ in compactions),
        is_sub_agent=bool(lines) and lines[0].kind == "subagent",
        warnings=(*source.damage, *left_out([f"message {place} is of an unknown kind" for place in others])),
    )


def _checkpoint(document: object) -> list[_Line]:
    """Read the turns of a saved checkpoint as records; empty if the document is not one."""
    given = document.get("history") if isinstance(document, dict) else document
    turns = [loose(Content, turn) for turn in objects(given)]
    if not all(turn.role in _TYPES_OF_ROLES and turn.parts is not None for turn in turns):
        return []
    return [_Line(f"m{place}", _TYPES_OF_ROLES[turn.role], content=turn.parts) for place, turn in enumerate(turns)]


def earlier(source: Source, _: str) -> Iterator[Replacement]:
    """Replay the records up to each compaction, and through it."""
    compactions = _replayed([loose(_Line, record) for record in source.records])[2]
    for replacement in reversed(compactions):
        before, after = (
            with_own_ids(_messages([one for one in stored if one.type in _SENT])) for stored in replacement
        )
        yield before, after


def _replayed(lines: Sequence[_Line]) -> tuple[str, list[_Stored], list[tuple[list[_Stored], list[_Stored]]]]:
    """Apply the records in order; return the title, the remaining messages, and those around each compaction."""
    title = ""
    kept: dict[str, _Stored] = {}
    compactions: list[tuple[list[_Stored], list[_Stored]]] = []
    for line in lines:
        if line.rewind_to is not None:
            while kept and kept.popitem()[0] != line.rewind_to:
                pass  # a message that is not there takes all with it, like in Gemini CLI
        elif line.id is not None and line.messages is None:
            kept[line.id] = line
        else:
            change = line.changes or line
            title = title if change.summary is None else change.summary
            if change.messages is not None:
                before, (kept, is_compaction) = kept, _replaced(kept, change.messages)
                if is_compaction:
                    compactions.append((list(before.values()), list(kept.values())))
    return title, list(kept.values()), compactions


def _compaction(stored: Sequence[_Stored]) -> OwnCompaction:
    """Size the compaction of these by their newest call; the user may have asked for it with a command."""
    sizes = (one.tokens for one in reversed(stored) if one.tokens)
    call = next((tokens(size.input) + tokens(size.output) + tokens(size.thoughts) for size in sizes), 0)
    asked = next((one.content for one in reversed(stored) if one.type == "user"), None)
    is_asked = any(_COMMAND.match(part.text or "") for part in api_parts(asked))
    model = next((one.model for one in reversed(stored) if one.model), "")
    return OwnCompaction(not is_asked, call, 0, call, model)


def _replaced(before: dict[str, _Stored], messages: Sequence[_Stored]) -> tuple[dict[str, _Stored], bool]:
    """Replace all messages; after a compaction, which is told too, none of the sizes applies to the current prompt."""
    after: dict[str, _Stored] = {}
    for place, message in enumerate(messages):
        after[message.id if message.id and message.id not in after else f"#{place}"] = message
    new = (message.content for name, message in after.items() if name not in before and message.type == "user")
    openings = (content[:1] if isinstance(content, list) else content for content in new)
    if before and any(is_summary(part.text or "") for opening in openings for part in api_parts(opening)):
        return {name: replace(message, tokens=None) for name, message in after.items()}, True
    return after, False


# The records become messages: a reply holds its calls, and often their results too.

_COMMAND = re.compile(r"\s*+/(?![/*])")  # begins input for Gemini CLI itself, which is never sent
FAILED = frozenset({"error", "cancelled"})  # call states
_Ids = defaultdict[str, deque[str]]  # of calls, by tool name, oldest first


def _messages(records: Sequence[_Stored]) -> Iterator[Message]:
    """Decode the messages that are sent, each reply followed by the results of its calls."""
    answered = {
        part.function_response.id
        for record in records
        if record.type == "user"
        for part in api_parts(record.content)
        if part.function_response
    }
    waiting: _Ids = defaultdict(deque)  # ids that we gave to calls without one
    names: dict[str, int] = {}
    for place, record in enumerate(records):
        name = own_name(record.id or f"m{place}", names)  # also in the ids that we give to calls
        if record.type == "user":
            turn = [_asked(record, name, waiting)]
        else:
            turn = [_reply(record, name, waiting), _answers(record, name, answered)]
        yield from (message for message in turn if message.parts)


def _asked(record: _Stored, name: str, waiting: _Ids) -> Message:
    """Read a user message; a result without an id answers the oldest call of its tool."""
    parts: list[Part] = []
    for stored in api_parts(record.content):
        if not stored.thought:
            part = stored.decoded()
            if isinstance(part, ToolResult) and stored.function_response and not part.call_id:
                ids = waiting[stored.function_response.name]
                part = replace(part, call_id=ids.popleft() if ids else "")
            parts.append(part)
    if parts and isinstance(parts[0], Text) and _COMMAND.match(parts[0].text):
        parts = []
    texts = [part.text for part in parts if isinstance(part, Text)]
    by_host = is_by_host(parts, typed_texts)
    shown = [words for part in api_parts(record.display_content) if (words := (part.text or "").strip())]
    typed = tuple(shown) if shown and texts and not by_host else None
    is_first = bool(texts) and is_summary(texts[0])
    return Message(name, "user", tuple(parts), is_summary=is_first, by_host=by_host, typed=typed)


def _reply(record: _Stored, name: str, waiting: _Ids) -> Message:
    """Read the text and calls of a reply; newer versions write a call twice, in `content` and in `toolCalls`."""
    parts = [part.decoded() for part in api_parts(record.content) if not part.thought]
    named = {part.id for part in parts if isinstance(part, ToolCall)}
    unnamed: _Ids = defaultdict(deque)
    for call in record.tool_calls:
        if call.id not in named:
            unnamed[call.name].append(call.id)
    for place, part in enumerate(parts):
        if isinstance(part, ToolCall) and not part.id:
            ids = unnamed[part.name]
            if not ids:
                ids.append(f"{name}.{place}")
                waiting[part.name].append(ids[0])
            parts[place] = replace(part, id=ids.popleft())
    named = {part.id for part in parts if isinstance(part, ToolCall)}
    parts += (ToolCall(call.id, call.name, call.args) for call in record.tool_calls if call.id not in named)
    sizes = record.tokens or _Sizes()
    prompt, thoughts = tokens(sizes.input), tokens(sizes.thoughts)
    output = tokens(sizes.output) + thoughts
    usage = Usage(prompt, output, record.model, reasoning_tokens=thoughts) if prompt else None
    return Message(name, "assistant", tuple(parts), usage=usage)


def _answers(record: _Stored, name: str, answered: Collection[str]) -> Message:
    """Read results that only the calls contain; parallel calls may each contain all results."""
    results: dict[str, ToolResult] = {}
    others: list[Part] = []
    last: object = None
    for call in record.tool_calls:
        if call.result is None or call.result == last:
            continue
        last, failed = call.result, call.status in FAILED
        found, more = _results_and_others(call.result)
        if not found:
            found, more = [ToolResult(call.id, more, failed, as_text=isinstance(call.result, str))], ()
        others += more
        for result in found:
            own = result.call_id or call.id
            is_error = result.is_error or (failed and own == call.id)
            results.setdefault(own, replace(result, call_id=own, is_error=is_error))
    given = [result for call_id, result in results.items() if call_id not in answered]
    return Message(f"{name}.results", "user", (*given, *others) if given else ())


# The records of Qwen Code.


class _QwenSizes(Struct, rename="camel", frozen=True):
    prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0
    total_token_count: int = 0


class _OutputItem(Struct, frozen=True):
    type: str = ""


class _Payload(Struct, rename="camel", frozen=True):
    """A record's members besides its message; those of most subtypes are for the screen."""

    display_text: str | None = None  # of a user record: what was typed, if a hook added to it
    hook_context: str | None = None
    custom_title: str = ""
    phase: str = ""  # of a slash command, like the next three
    raw_command: str = ""
    sent_to_model: bool = False
    output_history_items: list[_OutputItem] = []
    before: int = field(default=0, name="info.originalTokenCount")  # of a compaction: Qwen Code's own estimates
    after: int = field(default=0, name="info.newTokenCount")
    compressed_history: list[Content] | None = None


class _Record(Struct, rename="camel", frozen=True):
    """A line; several may be fragments of one record, with the same id."""

    uuid: str = ""
    parent_uuid: str | None = None
    session_id: str = ""
    type: str = ""
    subtype: str = ""
    cwd: str = ""
    version: str = ""
    is_sidechain: bool = False  # a sub-agent's
    model: str = ""
    context_window_size: int = 0
    usage_metadata: _QwenSizes | None = None
    message: Content | None = None
    system_payload: _Payload | None = None
    status: str = field(default="", name="toolCallResult.status")  # of a copy for the screen


_TYPES = frozenset({"user", "assistant", "tool_result", "system"})
_NOT_IN_CHAIN = ("session_artifact_", "session_sources_snapshot", "managed_session_")
_NOT_SENT = frozenset({"realtime_message", "code_mode_tool_result"})
_TYPED_LATER = "mid_turn_user_message"  # typed while the model was working


def sniff_qwen(source: Source) -> bool:
    """Return whether a record has both the envelope and contents, or a payload, that Claude Code does not write."""
    records = (loose(_Record, record) for record in source.records)
    return any(
        record.uuid
        and record.session_id
        and record.type in _TYPES
        and ((record.message and record.message.parts is not None) or record.system_payload)
        for record in records
    )


def read_qwen(source: Source) -> Chat:
    """Read the live branch, and warn if part of it is missing."""
    records, gaps = _live_branch(_records(source))
    asked = _qwen_messages([record for record in records if record.type == "user"])  # also before the compaction
    titles = (record.system_payload.custom_title for record in reversed(records) if record.system_payload)
    models = (record.model for record in reversed(records) if record.type == "assistant")
    windows = (tokens(record.context_window_size) for record in reversed(records))
    sentence = "A part of this chat is missing from its file; what came before that part is read too."
    return Chat(
        format="qwen-code",
        tool="qwen-code",
        messages=with_own_ids(_qwen_messages(records)),
        model=next(filter(None, models), None),
        title=next(filter(None, map(title_of, titles)), None) or typed_title(asked, typed_texts_qwen),
        workspace=next((record.cwd for record in records if record.cwd), None),
        window=next(filter(None, windows), None),
        compactions=tuple(_compactions(records)),
        version=next((record.version for record in reversed(records) if record.version), ""),
        is_sub_agent=bool(records) and records[-1].is_sidechain,
        warnings=(*source.damage, *([Warning("missingHistory", sentence)] if gaps else ())),
    )


def _compactions(records: Sequence[_Record]) -> Iterator[OwnCompaction]:
    """Find the compactions; one that the user asked for follows the record of the command."""
    model = command = ""
    call = 0
    for record in records:
        payload = record.system_payload or _Payload()
        if record.subtype == "chat_compression":
            before, after = tokens(payload.before), tokens(payload.after)
            is_asked = command.lstrip("/").startswith(("compress", "summarize"))
            yield OwnCompaction(not is_asked, before or call, after, call, model, record.version)
            call = 0
        command = payload.raw_command
        if record.type == "assistant":
            model = record.model or model
            call = tokens((record.usage_metadata or _QwenSizes()).total_token_count) or call


def earlier_qwen(source: Source, _: str) -> Iterator[Replacement]:
    """Give the messages that each compaction replaced, and the history that it brought."""
    records, _gaps = _live_branch(_records(source))
    places = [place for place, record in enumerate(records) if record.subtype == "chat_compression"]
    for before, place in reversed([*pairwise([0, *places])]):
        yield with_own_ids(_qwen_messages(records[before:place])), with_own_ids(_qwen_messages([records[place]]))


# The live branch of the tree.


def _records(source: Source) -> list[_Record]:
    """Decode the records of the conversation, in file order; fragments of one record are merged."""
    stored = [loose(_Record, record) for record in source.records]
    fragments: dict[str, list[_Record]] = {}
    for record in stored:
        if record.uuid and not (record.type == "system" and record.subtype.startswith(_NOT_IN_CHAIN)):
            fragments.setdefault(record.uuid, []).append(record)
    # A record takes the position of its last fragment, since a branch ends with what was written last.
    latest = {record.uuid: place for place, record in enumerate(stored)}
    records: list[_Record] = []
    for name in sorted(fragments, key=latest.__getitem__):
        first, *others = fragments[name]
        if others:  # the parts of all fragments, the first model and the last size
            contents = [one.message for one in (first, *others) if one.message]
            parts = [part for content in contents for part in content.parts or ()]
            first = replace(
                first,
                message=Content(contents[0].role, parts) if contents else None,
                model=next((one.model for one in (first, *others) if one.model), ""),
                usage_metadata=next((one.usage_metadata for one in (*others[::-1], first) if one.usage_metadata), None),
            )
        records.append(first)
    return records


def _live_branch(records: Sequence[_Record]) -> tuple[list[_Record], int]:
    """Follow the parents from the last record; count the gaps.

    If a parent is missing, Qwen Code continues with the newest earlier record that is not connected with the walked
    ones. A rewind whose parent is missing ends the branch: what it took back would come in again.
    """
    places = {record.uuid: place for place, record in enumerate(records)}
    trees: dict[str, str] = {}  # each record's root
    for record in records:
        trees[record.uuid] = trees.get(record.parent_uuid or "", record.uuid)
    branch: list[_Record] = []
    walked: set[str] = set()  # trees, and the records of the branch
    gaps, before = 0, len(records)  # the candidates for another tree only shrink
    place: int | None = len(records) - 1 if records else None
    while place is not None and records[place].uuid not in walked:
        record = records[place]
        branch.append(record)
        walked.add(record.uuid)
        place = places.get(record.parent_uuid or "")
        if record.parent_uuid and place is None and record.subtype != "rewind":
            gaps += 1
            before = min(before, places[record.uuid])
            others = (
                other
                for other in range(before - 1, -1, -1)
                if trees[records[other].uuid] not in walked and records[other].is_sidechain == branch[0].is_sidechain
            )
            place = next(others, None)
            before = before if place is None else place
    return branch[::-1], gaps


# The records of the branch become messages.


class _Turn(Struct):
    """What goes to the model as one content."""

    id: str
    role: Role
    parts: list[Part]
    usage: Usage | None = None
    by_host: bool = False
    typed: tuple[str, ...] | None = None


_ROLES: dict[str, Role] = {"model": "assistant", "system": "system"}


def _qwen_messages(records: Sequence[_Record]) -> Iterator[Message]:
    turns: list[_Turn] = []
    previous: _Record | None = None  # the record of the last turn
    for record in records:
        checkpoint()
        payload = record.system_payload or _Payload()
        if record.subtype == "chat_compression" and payload.compressed_history is not None:
            turns = [_turn(content, f"{record.uuid}:{n}") for n, content in enumerate(payload.compressed_history)]
            if turns and (count := tokens(payload.after)):
                turns[-1].usage = Usage(count, 0, "", whole=True)
            previous = None
        elif record.subtype == "slash_command":
            if previous and _takes_back(payload, previous):
                turns.pop()
            previous = None if previous and previous.type == "user" else previous
        elif record.type != "system" and record.message and record.subtype not in _NOT_SENT:
            turn = _turn(record.message, record.uuid)
            if record.subtype == _TYPED_LATER and turns and turns[-1].role == "user":
                turns[-1].parts += turn.parts
            else:
                _add_record(turn, record, payload)
                turns.append(turn)
            previous = record
    for turn in turns:
        texts = [part.text for part in turn.parts if isinstance(part, Text)]
        is_summary = turn.role == "user" and any(map(_is_qwen_summary, texts[:1]))
        by_host = turn.role == "user" and (turn.by_host or is_summary or is_by_host(turn.parts, typed_texts_qwen))
        typed = None if by_host else turn.typed
        if turn.parts:
            parts = tuple(turn.parts)
            yield Message(
                turn.id, turn.role, parts, usage=turn.usage, is_summary=is_summary, by_host=by_host, typed=typed
            )


def _turn(content: Content, name: str) -> _Turn:
    """Decode a content; thinking is sent again, since some models expect it."""
    parts = [Thinking(part.text or "") if part.thought else part.decoded() for part in api_parts(content.parts)]
    return _Turn(name, _ROLES.get(content.role, "user"), parts)


def _add_record(turn: _Turn, record: _Record, payload: _Payload) -> None:
    """Add the record's own fields to its content."""
    if record.status in FAILED:
        turn.parts = [replace(part, is_error=True) if isinstance(part, ToolResult) else part for part in turn.parts]
    if record.type == "user":
        texts = [part.text for part in turn.parts if isinstance(part, Text)]
        turn.by_host = record.subtype not in ("", _TYPED_LATER)
        is_hooked = payload.hook_context is not None or (len(texts) > 1 and _HOOKED.match(texts[-1]))
        if is_hooked and payload.display_text is not None:
            turn.typed = tuple(filter(None, [payload.display_text.strip()]))
    elif record.type == "assistant":
        sizes = record.usage_metadata or _QwenSizes()
        prompt, total = tokens(sizes.prompt_token_count), tokens(sizes.total_token_count)
        output = tokens(sizes.candidates_token_count) + tokens(sizes.thoughts_token_count)
        if prompt:
            turn.usage = Usage(prompt, total - prompt if total > prompt else output, record.model)
        elif total:
            turn.usage = Usage(total, 0, record.model)


def _takes_back(command: _Payload, asked: _Record) -> bool:
    """Return whether a command and its output were only for the screen, and so was the record that triggered it."""
    items = command.output_history_items
    is_shown = command.phase == "result" and not command.sent_to_model and bool(items)
    text = asked.message.parts if asked.message and asked.type == "user" and not asked.subtype else None
    return is_shown and all(item.type == "assistant" for item in items) and text == [{"text": command.raw_command}]


# What Qwen Code writes into user messages, besides what Gemini CLI does.

_QWEN_WRAPPER = re.compile(r"<(qwen:user-prompt-submit-context|task-notification|system-reminder)>")
_HOOKED = re.compile(r"\s*<qwen:user-prompt-submit-context>\n")
_RESTORED = re.compile(
    r"\s*(?:Recently accessed file \(full|The following files were recently accessed before context"
    r"|Recent visual snapshots preserved from before|<task-notification>)"
)
_RESUME = "Resume the prior task using the summary above."  # ends a summary


def typed_texts_qwen(texts: Sequence[str]) -> list[str]:
    """Return a person's words from the texts of one message."""
    around = (piece for text in texts for piece in ([text] if _RESUME in text else outside(text, _QWEN_WRAPPER)))
    own = [text for text in around if not _HOOKED.match(text) and not _RESTORED.match(text) and _RESUME not in text]
    return typed_texts(own)


def _is_qwen_summary(text: str) -> bool:
    return is_summary(text) or _RESUME in text
