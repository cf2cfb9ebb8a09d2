"""What must be known of the lines of a Claude Code session to find the live ones, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from compact_chat.chat import JsonObject, Text
from compact_chat.read.blocks import parts_of
from compact_chat.read.claude_clearing import saved_tokens
from compact_chat.read.claude_host import typed_text
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.scanning import Spot, record_of
from compact_chat.read.source import Source

_TITLES = ("custom-title", "ai-title")  # the better one first
SYNTHETIC = "<synthetic>"  # the model that Claude Code names where it speaks itself
_SPEAKERS = ("user", "assistant")
_NO_TIES: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
_CLEARING = ("compactedToolIds", "clearedAttachmentUUIDs")


class Line(Struct, frozen=True, gc=False):
    """Where a record stands in the tree, and what holds it together with others."""

    uuid: str
    parent: str | None
    speaks: bool  # is a line of the conversation, and not one of the tool's own
    is_side: bool
    reply: str  # the id that all lines of one reply share
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    boundary: JsonObject | None  # what a compaction tells of itself


_NOTHING = Line("", None, False, False, "", (), (), None)


class Session(Struct, frozen=True):
    """The lines of a session, each with its spot in the file, and what is said of the whole."""

    lines: list[tuple[Spot, Line]]
    cleared: set[str]  # tool results and attachments that a microcompaction took out of the prompt
    saved: Mapping[str, int]  # the tokens that it saved, by the reply before it
    title: str  # as it was given
    typed: str  # the first line that a person typed
    workspace: str
    model: str  # of the newest reply, live or not


def session_of(source: Source, seen: Seen | None = None) -> Session:
    """Go through the records of a session once; who wants to go on behind them keeps what was `seen`."""
    seen = seen or Seen()
    lines = source.scan(seen.light, seen.slow)
    return Session(lines, seen.cleared, seen.saved, seen.title, seen.typed, seen.workspace, seen.model)


class _Block(Struct, gc=False):
    type: Any = None
    id: Any = None
    tool_use_id: Any = None


class _Said(Struct, gc=False):
    id: Any = None
    model: Any = None
    content: list[_Block] | str | None = None


class _Shape(Struct, rename="camel", gc=False):
    type: Any = None
    uuid: Any = None
    parent_uuid: Any = None
    is_sidechain: Any = None
    is_meta: Any = None
    is_compact_summary: Any = None
    subtype: Any = None
    compact_metadata: Any = None
    microcompact_metadata: Any = None
    cwd: Any = None
    custom_title: Any = None
    ai_title: Any = None
    message: _Said | None = None


_DECODER = msgspec.json.Decoder(_Shape)
_NAMES = tuple(zip(_Shape.__struct_fields__, _Shape.__struct_encode_fields__, strict=True))


class Seen:
    """What the lines so far have told."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}
        self.cleared: set[str] = set()
        self.saved: dict[str, int] = {}
        self.clearings = 0
        self._reply = ""  # the newest
        self.typed = self.workspace = self.model = ""
        self._before = _NOTHING

    @property
    def title(self) -> str:
        """The title as it was given last."""
        return next(filter(None, map(self.titles.get, _TITLES)), "")

    def light(self, line: bytes) -> Line | None:
        """Look at a line; of most of it no values are made."""
        shape = _DECODER.decode(line)
        if shape.type == "user" and not self.typed and not _is_by_host(shape):
            self.typed = _typed_line(record_of(line))
        return self._noted(shape)

    def slow(self, record: JsonObject) -> Line | None:
        """Look at a record whose members may be of any type."""
        shape = _shape_of(record)
        if shape.type == "user" and not self.typed and not _is_by_host(shape):
            self.typed = _typed_line(record)
        return self._noted(shape)

    def _noted(self, shape: _Shape) -> Line | None:
        if shape.type in _TITLES:
            self.titles[shape.type] = word(shape.custom_title if shape.type == _TITLES[0] else shape.ai_title).strip()
        if not self.workspace:
            self.workspace = word(shape.cwd)
        if shape.microcompact_metadata is not None:
            self._clear(shape.microcompact_metadata)
        if not (isinstance(shape.uuid, str) and shape.uuid):
            return None
        self._before = _line(shape, self._before)
        if self._before.reply and not self._before.is_side:
            self._reply = self._before.reply
            self.model = _model(shape) or self.model
        return self._before

    def _clear(self, note: object) -> None:
        self.clearings += 1
        self.cleared.update(_cleared(note))
        self.saved[self._reply] = self.saved.get(self._reply, 0) + saved_tokens(note)


def _model(shape: _Shape) -> str:
    model = word(shape.message.model) if shape.message else ""
    return "" if model == SYNTHETIC else model


def _is_by_host(shape: _Shape) -> bool:
    return shape.is_meta is True or shape.is_compact_summary is True


def _line(shape: _Shape, before: Line) -> Line:
    """What must be known of a record; names that the record before it has too are held once."""
    said = shape.message
    reply = word(said.id) if said and shape.type == "assistant" else ""
    parent = shape.parent_uuid if isinstance(shape.parent_uuid, str) else None
    calls, answers = _ties(said.content) if said else _NO_TIES
    return Line(
        shape.uuid,
        before.uuid if parent == before.uuid else parent,
        shape.type in _SPEAKERS,
        shape.is_sidechain is True,
        before.reply if reply == before.reply else reply,
        calls,
        answers,
        fields(shape.compact_metadata) if shape.subtype == "compact_boundary" else None,
    )


def _ties(content: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the calls that blocks make, and of those that they answer."""
    if not isinstance(content, list):
        return _NO_TIES
    calls = [word(block.id) for block in content if block.type == "tool_use"]
    answers = [word(block.tool_use_id) for block in content if block.type == "tool_result"]
    return tuple(calls), tuple(answers)


def _shape_of(record: JsonObject) -> _Shape:
    known = {name: record.get(key) for name, key in _NAMES}
    message = fields(known.pop("message"))
    blocks = [_Block(one.get("type"), one.get("id"), one.get("tool_use_id")) for one in objects(message.get("content"))]
    return _Shape(**known, message=_Said(message.get("id"), message.get("model"), blocks))


def _cleared(note: object) -> Iterator[str]:
    lists = (fields(note).get(key) for key in _CLEARING)
    return (one for ids in lists if isinstance(ids, list) for one in ids if isinstance(one, str))


def _typed_line(record: JsonObject) -> str:
    texts = (part.text for part in parts_of(fields(record.get("message")).get("content")) if isinstance(part, Text))
    return next(filter(None, map(typed_text, texts)), "").partition("\n")[0].strip()
