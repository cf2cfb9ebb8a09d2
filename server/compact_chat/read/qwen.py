"""Sessions of Qwen Code: append-only lines with Claude Code's envelope around contents of the Gemini API.

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

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Chat, Message, OwnCompaction, Part, Role, Text, Thinking, ToolResult, Usage, Warning
from compact_chat.read import gemini
from compact_chat.read.formats import Replacement
from compact_chat.read.gemini import FAILED, Content, api_parts
from compact_chat.read.loose import is_by_host, loose, title_of, tokens, typed_title, with_own_ids
from compact_chat.read.source import Source
from compact_chat.text import outside


class _Sizes(Struct, rename="camel", frozen=True):
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
    usage_metadata: _Sizes | None = None
    message: Content | None = None
    system_payload: _Payload | None = None
    status: str = field(default="", name="toolCallResult.status")  # of a copy for the screen


_TYPES = frozenset({"user", "assistant", "tool_result", "system"})
_NOT_IN_CHAIN = ("session_artifact_", "session_sources_snapshot", "managed_session_")
_NOT_SENT = frozenset({"realtime_message", "code_mode_tool_result"})
_TYPED_LATER = "mid_turn_user_message"  # typed while the model was working


def sniff(source: Source) -> bool:
    """Return whether a record has both the envelope and contents, or a payload, that Claude Code does not write."""
    records = (loose(_Record, record) for record in source.records)
    return any(
        record.uuid
        and record.session_id
        and record.type in _TYPES
        and ((record.message and record.message.parts is not None) or record.system_payload)
        for record in records
    )


def read(source: Source) -> Chat:
    """Read the live branch, and warn if part of it is missing."""
    records, gaps = _live_branch(_records(source))
    asked = _messages([record for record in records if record.type == "user"])  # also before the compaction
    titles = (record.system_payload.custom_title for record in reversed(records) if record.system_payload)
    models = (record.model for record in reversed(records) if record.type == "assistant")
    windows = (tokens(record.context_window_size) for record in reversed(records))
    sentence = "A part of this chat is missing from its file; what came before that part is read too."
    return Chat(
        format="qwen-code",
        tool="qwen-code",
        messages=with_own_ids(_messages(records)),
        model=next(filter(None, models), None),
        title=next(filter(None, map(title_of, titles)), None) or typed_title(asked, typed_texts),
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
            call = tokens((record.usage_metadata or _Sizes()).total_token_count) or call


def earlier(source: Source, _: str) -> Iterator[Replacement]:
    """Give the messages that each compaction replaced, and the history that it brought."""
    records, _gaps = _live_branch(_records(source))
    places = [place for place, record in enumerate(records) if record.subtype == "chat_compression"]
    for before, place in reversed([*pairwise([0, *places])]):
        yield with_own_ids(_messages(records[before:place])), with_own_ids(_messages([records[place]]))


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


def _messages(records: Sequence[_Record]) -> Iterator[Message]:
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
        is_summary = turn.role == "user" and any(map(_is_summary, texts[:1]))
        by_host = turn.role == "user" and (turn.by_host or is_summary or is_by_host(turn.parts, typed_texts))
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
        sizes = record.usage_metadata or _Sizes()
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

_WRAPPER = re.compile(r"<(qwen:user-prompt-submit-context|task-notification|system-reminder)>")
_HOOKED = re.compile(r"\s*<qwen:user-prompt-submit-context>\n")
_RESTORED = re.compile(
    r"\s*(?:Recently accessed file \(full|The following files were recently accessed before context"
    r"|Recent visual snapshots preserved from before|<task-notification>)"
)
_RESUME = "Resume the prior task using the summary above."  # ends a summary


def typed_texts(texts: Sequence[str]) -> list[str]:
    """Return a person's words from the texts of one message."""
    around = (piece for text in texts for piece in ([text] if _RESUME in text else outside(text, _WRAPPER)))
    own = [text for text in around if not _HOOKED.match(text) and not _RESTORED.match(text) and _RESUME not in text]
    return gemini.typed_texts(own)


def _is_summary(text: str) -> bool:
    return gemini.is_summary(text) or _RESUME in text
