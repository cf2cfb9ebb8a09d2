"""Claude Code sessions: append-only JSON Lines, of which a part is live (docs/formats.md#claude-code).

    {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","cwd":"/home/ada/shop",
     "message":{"role":"user","content":"Fix the tax rounding"}}
    {"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1",
     "message":{"id":"msg_1","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_1","name":"Read",...}],
                "usage":{"input_tokens":4,"cache_read_input_tokens":31000,"output_tokens":57}}}
    {"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s1",
     "message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"def tax(x): ..."}]}}

The tool is closed source and its format undocumented; its folder is described at
https://code.claude.com/docs/en/claude-directory. Everything here was measured on real files.

One pass decodes an outline of each record and keeps its place in the tree (`Line`). `live_lines` walks that tree, which
has dead branches and loose ends, and only the live records are decoded whole: the file is never in memory. That the
first pass skips the inputs and results of tools saves 1.2 of 8 ms for a session of 4 MB.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    JsonObject,
    Message,
    Opening,
    OwnCompaction,
    Part,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from compact_chat.read.apis import parts_of
from compact_chat.read.formats import Growth, Replacement
from compact_chat.read.loose import check_length, fields, is_by_host, loose, title_of, tokens, word
from compact_chat.read.resolve import mid_turn
from compact_chat.read.source import Source, Spot
from compact_chat.text import parted

_NAME = "claude-code"
_CONVERSATION = ("user", "assistant")
_OF_NO_PERSON = frozenset(  # origins of what is sent in the user's name
    {"auto-continuation", "channel", "coordinator", "peer", "plugin", "scheduled", "system", "task-notification"}
)
_SYNTHETIC = "<synthetic>"  # the model of replies that Claude Code wrote itself
Content = TypeVar("Content")


class TokenUsage(Struct):
    """The size of a call; every record of a reply repeats it, and only the last one has the real output."""

    input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 0

    @property
    def prompt(self) -> int:
        """The tokens of the prompt, cached or not."""
        cached = tokens(self.cache_creation_input_tokens) + tokens(self.cache_read_input_tokens)
        return tokens(self.input_tokens) + cached


class Block(Struct, gc=False):
    """A content block, reduced to what the first pass needs."""

    type: str = ""
    text: str = ""
    id: str = ""
    tool_use_id: str = ""


class ApiMessage(Struct, Generic[Content]):
    """An API message; each block of a reply is a record of its own, with the reply's `id`."""

    id: str = ""
    model: str = ""
    content: Content | None = None
    usage: TokenUsage | None = None


class Preserved(Struct, rename="camel"):
    """Older records that a compaction kept, as a list or the chain from `tail` up to `head`; they follow the anchor."""

    anchor_uuid: str = ""
    uuids: list[str] = []
    all_uuids: list[str] = []
    head_uuid: str = ""
    tail_uuid: str = ""


class Boundary(Struct, rename="camel"):
    """What a compaction records about itself; the next record is the summary."""

    trigger: str = ""
    pre_tokens: int = 0  # as Claude Code reckons them: the newest call, and an estimate of what came since
    post_tokens: int = 0  # of the messages alone
    preserved_messages: Preserved | None = None
    preserved_segment: Preserved | None = None


class Clearing(Struct, rename="camel"):
    """A microcompaction: results and attachments that are no longer sent, and the tokens saved."""

    tokens_saved: int = 0
    compacted_tool_ids: list[str] = []
    cleared_attachments: list[str] = field(default_factory=list, name="clearedAttachmentUUIDs")


class Origin(Struct):
    """Who speaks in the user's name; older versions do not say."""

    kind: str = ""


class Record(Struct, Generic[Content], rename="camel"):
    """A line of the file, of any type: an `Outline` in the first pass, and `Whole` if it is live."""

    type: str = ""
    subtype: str = ""
    uuid: str = ""
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None  # of a boundary: the leaf that it was written behind
    is_sidechain: bool = False  # a sub-agent's
    is_meta: bool = False  # hidden from the user, but sent
    is_compact_summary: bool = False
    is_api_error_message: bool = False
    origin: Origin | None = None
    prompt_source: str = ""
    operation: str = ""  # of a queue-operation, as are the next two
    reason: str = ""
    content: Any = None
    cwd: str = ""
    version: str = ""  # of Claude Code
    custom_title: str = ""
    ai_title: str = ""
    message: ApiMessage[Content] | None = None
    attachment: JsonObject = {}
    compact_metadata: Boundary | None = None
    microcompact_metadata: Clearing | None = None

    @property
    def reply(self) -> str:
        """The id that all records of a reply share; empty for any other record."""
        return self.message.id if self.message and self.type == "assistant" else ""

    @property
    def model(self) -> str:
        """The model that wrote a reply; empty for other records, and for replies that the tool wrote itself."""
        return self.message.model if self.message and self.type == "assistant" and not self.is_synthetic else ""

    @property
    def usage(self) -> TokenUsage | None:
        """The size of a reply; none of any other record."""
        return self.message.usage if self.model and self.message else None

    @property
    def by_person(self) -> bool:
        """Whether a person may have typed the text of a user record."""
        kinds = (self.origin.kind if self.origin else "", self.prompt_source)
        return not self.is_meta and not self.is_compact_summary and not any(map(_OF_NO_PERSON.__contains__, kinds))

    @property
    def is_synthetic(self) -> bool:
        """Whether Claude Code wrote it in the model's name."""
        return self.message is not None and self.message.model == _SYNTHETIC


Outline = Record[list[Block] | str]
Whole = Record[Any]


class Line(Struct, frozen=True, gc=False):
    """A record's place in the tree and its links to others; kept for every record of a session."""

    uuid: str
    parent: str | None
    speaks: bool  # part of the conversation, not one of the tool's own records
    is_side: bool
    reply: str
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    boundary: Boundary | None
    is_queued: bool = False  # stands for words that are in no record of the conversation

    @property
    def names(self) -> set[str | None]:
        """All names that tie the line to others: uuids, and ids of replies and calls."""
        names = {self.uuid, self.parent, self.reply, *self.calls, *self.answers}
        for kept in (self.boundary.preserved_messages, self.boundary.preserved_segment) if self.boundary else ():
            if kept:
                names |= {kept.anchor_uuid, kept.head_uuid, kept.tail_uuid, *kept.uuids, *kept.all_uuids}
        return names - {None, ""}


def sniff(source: Source) -> bool:
    """Return whether the source is a session; Qwen Code writes the same envelope around other contents."""
    is_ours = False
    for record in source.records:
        message = fields(record.get("message"))
        if "systemPayload" in record or ("parts" in message and "content" not in message):
            return False
        if "parentUuid" in record or record.get("type") in (*_CONVERSATION, "attachment", "system", "progress"):
            is_ours |= isinstance(record.get("sessionId"), str)
    return is_ours


def read(source: Source) -> Chat:
    """Read the live conversation, and warn of damaged lines."""
    return _chat(source, session_of(source))


def _chat(source: Source, session: Session) -> Chat:
    live = live_lines([line for _, line in session.lines])
    lines = (session.lines[place][1] for place, _ in live)
    check_length(len({line.reply or line.uuid for line in lines if line.speaks and not line.answers}))
    records = _records(source, session, live)
    messages = tuple(messages_of(records, session.cleared, session.saved))
    opening = None
    if any(line.boundary for _, line in session.lines):  # which may have put the first call out of sight
        first = messages_of([record for record in _records_at(source, session, session.first_lines) if record])
        if first and (usage := first[-1].usage):
            opening = Opening(tuple(first[:-1]), usage)
    sides = [line.is_side for _, line in session.lines if line.speaks]
    is_agents = all(sides)  # its own file: its parent's contains other conversations too
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages,
        model=session.model(is_agents),
        title=session.title,
        workspace=session.workspace or None,
        version=session.version,
        opening=opening,
        is_sub_agent=is_agents and bool(sides),
        compactions=tuple(session.compactions(is_agents)),
        warnings=source.damage,
    )


def _records(source: Source, session: Session, live: _Live) -> list[Whole]:
    """Decode the records of live lines, as far as they are still where they were.

    The size of a call made before the compaction says nothing of the prompt after it.
    """
    wanted = sorted(place for place, _ in live)
    found = dict(zip(wanted, _records_at(source, session, [session.lines[place] for place in wanted]), strict=True))
    records = [
        replace(record, message=replace(record.message, usage=None)) if is_old and record.message else record
        for place, is_old in live
        if (record := found[place])
    ]
    source.has_changed |= len(records) < len(live)
    return records


def _records_at(source: Source, session: Session, lines: Sequence[tuple[Spot, Line]]) -> Iterator[Whole | None]:
    """Decode the records of lines whole; None for one that has moved."""
    for (_, line), value in zip(lines, source.values_at(spot for spot, _ in lines), strict=True):
        record = session.queue.delivered[line.uuid] if line.is_queued else value and loose(Whole, value)
        yield record if record and record.uuid == line.uuid else None


# The first pass: the session's metadata, and each record's place in the tree.


# Tokens of the model for one that Claude Code says it saved: it counts four characters as one. Fitted to the prompts
# before and after the microcompactions of 544 sessions.
_REAL = 1.27
_OPENING_LINES = 200  # a session that has no reply within them says nothing of its beginning


class Session:
    """The session so far; `lines` are the records with a uuid, each with its position in the file."""

    def __init__(self) -> None:
        self.lines: list[tuple[Spot, Line]] = []
        self.cleared: set[str] = set()  # results and attachments that microcompactions took out of the prompt
        self.saved: dict[str, int] = {}  # the tokens that these saved, by the reply before them
        self.workspace = ""
        self.version = ""
        self._models = {False: "", True: ""}  # of the newest reply, live or not; True: of sub-agents
        self._compactions: dict[bool, dict[str, OwnCompaction]] = {False: {}, True: {}}
        self._calls: dict[bool, OwnCompaction] = {}  # since a compaction, as far as the next one will tell of them
        self._titles = {"custom-title": "", "ai-title": ""}  # the better one first
        self._typed = ""  # the first line that a person typed
        self._reply = self._call = ""  # the newest, and the newest whose size is known
        self._clearings = 0
        self._before = Line("", None, False, False, "", (), (), None)
        self._spoken = ""  # the newest line of the conversation
        self.queue = Queue()

    @property
    def title(self) -> str | None:
        """The last title, else the first line that a person typed."""
        return next(filter(None, map(title_of, (*self._titles.values(), self._typed))), None)

    @property
    def changes(self) -> int:
        """How often a record changed what was before it."""
        return self._clearings + self.queue.withdrawn

    @property
    def first_lines(self) -> list[tuple[Spot, Line]]:
        """The lines up to the first of a reply, with the attachments among them."""
        first = list(islice(self.lines, _OPENING_LINES))
        end = next((place for place, (_, line) in enumerate(first, 1) if line.reply), len(first))
        return first[:end]

    def model(self, of_agents: bool) -> str | None:
        """Return the model of the conversation, or of the sub-agents in it; the other's if its replies name none."""
        return self._models[of_agents] or self._models[not of_agents] or None

    def compactions(self, of_agents: bool) -> list[OwnCompaction]:
        """List the compactions of the conversation, or of the sub-agents in it."""
        return list(self._compactions[of_agents].values())

    def note(self, record: Outline) -> Line | None:
        """Add the next record."""
        self.version = record.version or self.version
        if (usage := record.usage) and (prompt := usage.prompt):
            self._note_call(record, prompt, tokens(usage.output_tokens))
        if record.subtype == "compact_boundary":
            self._note_compaction(record)
        if record.type in self._titles:
            title = record.custom_title if record.type == "custom-title" else record.ai_title
            self._titles[record.type] = title.strip()
        self.workspace = self.workspace or record.cwd
        if clearing := record.microcompact_metadata:
            self._clearings += 1
            self.cleared.update(clearing.compacted_tool_ids, clearing.cleared_attachments)
            self.saved[self._reply] = self.saved.get(self._reply, 0) + round(_REAL * tokens(clearing.tokens_saved))
        content = record.message.content if record.message else None
        blocks = content if isinstance(content, list) else []
        if name := self.queue.note(record):
            return Line(name, self._spoken, False, False, "", (), (), None, is_queued=True) if self._spoken else None
        if record.type == "user" and not self._typed and record.by_person:
            words = [content] if isinstance(content, str) else [one.text for one in blocks if one.type == "text"]
            self._typed = next(iter(typed_texts(words)), "").partition("\n")[0].strip()
        if not record.uuid:
            return None
        before, parent = self._before, record.parent_uuid or record.logical_parent_uuid
        line = self._before = Line(
            record.uuid,
            before.uuid if parent == before.uuid else parent,  # share the string: thousands of lines are kept
            record.type in _CONVERSATION,
            record.is_sidechain,
            before.reply if record.reply == before.reply else record.reply,
            tuple(block.id for block in blocks if block.type == "tool_use"),
            tuple(block.tool_use_id for block in blocks if block.type == "tool_result"),
            (record.compact_metadata or Boundary()) if record.subtype == "compact_boundary" else None,
        )
        self._models[line.is_side] = record.model or self._models[line.is_side]
        if line.reply and not line.is_side:
            self._reply = line.reply
        if line.speaks and not line.is_side:
            self._spoken = line.uuid
        return line

    def _note_call(self, record: Outline, prompt: int, output: int) -> None:
        """Note a call; the first one behind a compaction shows what this left, of which it had told the messages."""
        found = self._compactions[record.is_sidechain]
        if found and record.is_sidechain not in self._calls:
            uuid, newest = next(reversed(found.items()))
            found[uuid] = replace(newest, after=prompt)
        before = self._calls.get(record.is_sidechain, OwnCompaction(automatic=False))
        is_same = record.reply == self._call  # each block of a reply is a record
        passed = before.passed if is_same else max(before.passed, before.call)
        self._calls[record.is_sidechain] = replace(before, call=prompt + output, model=record.model, passed=passed)
        self._call = record.reply

    def _note_compaction(self, boundary: Outline) -> None:
        noted = boundary.compact_metadata or Boundary()
        calls = self._calls.pop(boundary.is_sidechain, OwnCompaction(automatic=False, model=self._models[False]))
        found = replace(
            calls,
            automatic=noted.trigger == "auto",
            before=tokens(noted.pre_tokens) or calls.call,
            after=tokens(noted.post_tokens),
            version=self.version,
        )
        self._compactions[boundary.is_sidechain].setdefault(boundary.uuid, found)


class Queue:
    """Words that a person typed while the model worked (docs/formats.md#claude-code-queued-words).

    `delivered` holds those that no record of the conversation has, as the attachments that newer versions write, by the
    names of their lines.
    """

    def __init__(self) -> None:
        self.delivered: dict[str, Whole] = {}
        self.withdrawn = 0  # that turned out to be in a record
        self._waiting: list[str] = []
        self._attached: Counter[str] = Counter()  # in attachments whose removal is still to come
        self._latest: list[tuple[str, str]] = []  # removals since the newest message of a person, with their names
        self._count = 0
        self._tells_reasons = False

    def note(self, record: Outline) -> str:
        """Add the next record; return the name of the line that it delivers words in."""
        if record.type == "queue-operation":
            return self._operate(record.operation, word(record.content), record.reason)
        if record.attachment and word(record.attachment.get("type")) == "queued_command":
            parts = parts_of(record.attachment.get("prompt"))  # it may have pictures
            words = "\n".join(part.text for part in parts if isinstance(part, Text))
            if not self._withdraw(words):
                self._attached[words] += 1
        elif self._latest and record.type == "user" and record.message:
            blocks = record.message.content
            if not (isinstance(blocks, list) and any(block.tool_use_id for block in blocks)):
                self._withdraw(blocks if isinstance(blocks, str) else "\n".join(block.text for block in blocks or ()))
                self._latest = []
        return ""

    def _operate(self, operation: str, words: str, reason: str) -> str:
        if operation == "enqueue":
            self._waiting = [*self._waiting[-_MOST_WAITING:], words]
        elif operation == "popAll":
            self._waiting = []
        elif operation in ("dequeue", "remove"):
            place = self._waiting.index(words) if words in self._waiting else 0
            words = self._waiting.pop(place) if self._waiting else words
            self._tells_reasons |= bool(reason)
            if operation == "remove" and reason == (_DELIVERED if self._tells_reasons else ""):
                return self._deliver(words)
        return ""

    def _deliver(self, words: str) -> str:
        if words.startswith("{") or _LOCAL_COMMAND.match(words) or not typed_texts([words]):
            return ""
        if self._attached[words]:
            self._attached[words] -= 1
            return ""
        self._count += 1
        name = f"{_QUEUED}{self._count}"
        prompt = {"type": "queued_command", "prompt": words, "commandMode": "prompt"}
        self.delivered[name] = Whole(type="attachment", uuid=name, attachment=prompt)
        self._latest = [*self._latest[-_MOST_WAITING:], (words, name)]
        return name

    def _withdraw(self, words: str) -> bool:
        for place, (latest, name) in enumerate(self._latest):
            if latest.strip() == words.strip():
                del self.delivered[name], self._latest[place]
                self.withdrawn += 1
                return True
        return False


def session_of(source: Source) -> Session:
    """Read the records of a session in one pass."""
    session = Session()
    lines = source.scan(Outline, session.note)
    session.lines = [pair for pair in lines if not pair[1].is_queued or pair[1].uuid in session.queue.delivered]
    return session


# Which lines are live. Each record names its parent, and the newest line of the conversation is the leaf
# (docs/formats.md#claude-code-live-conversation). A climb from the leaf to the root, or to the last compaction, misses
# two things: parallel calls, since each call of a reply is a line of its own with its result hanging off it, and older
# lines that a compaction kept.


_Live = list[tuple[int, bool]]  # lines in the order they are sent in, each with whether it is older than the summary


def live_lines(lines: Sequence[Line]) -> _Live:
    """Find the live lines."""
    tree = _Tree(lines)
    return tree.branch(tree.leaf)[0]


class _Tree:
    """The lines of a session, one per uuid, as a tree; positions are indexes of `lines`."""

    def __init__(self, lines: Sequence[Line]) -> None:
        by_uuid = {line.uuid: line for line in lines}
        self.lines = list(by_uuid.values())
        self._places = {uuid: place for place, uuid in enumerate(by_uuid)}
        self._last = {line.uuid: number for number, line in enumerate(lines)}  # of a record that was written twice
        main = [line for line in lines if not line.is_side]
        if not any(line.speaks for line in main):  # a sub-agent's own file consists of side chain records
            main = list(lines)
        self._trunk = sorted({self._places[line.uuid] for line in main})
        self._queued = [place for place in self._trunk if self.lines[place].is_queued]
        self.boundaries = [place for place in self._trunk if self.lines[place].boundary is not None]
        self.leaf = next((self._places[line.uuid] for line in reversed(main) if line.speaks), None)

    def branch(self, leaf: int | None, end: int | None = None) -> tuple[_Live, int | None]:
        """Find the lines that are sent while a leaf is the newest, as `live_lines` does, and the boundary before them.

        What comes at `end` or behind it is not there yet.
        """
        if leaf is None:
            return [], None
        chain, boundary = self._conversation(leaf)
        live = self._with_siblings(chain, end)
        kept, anchor = self._preserved(boundary)
        at = live.index(anchor) + 1 if anchor in live else 0
        order = [(place, False) for place in live[:at]]
        order += [(place, True) for place in sorted(set(kept).difference(live))]
        order += [(place, False) for place in live[at:]]
        return [(self._last[self.lines[place].uuid], is_old) for place, is_old in order], boundary

    def speaking(self, boundary: int) -> tuple[int | None, int | None]:
        """Find the lines of the conversation next to a boundary: the leaf before it, and the summary behind it."""
        leaf = self._places.get(self.lines[boundary].parent or "", boundary)
        here = bisect_left(self._trunk, boundary)
        sides = (range(here - 1, -1, -1), range(here, len(self._trunk)))
        before, behind = ((self._trunk[number] for number in side) for side in sides)
        last = leaf if leaf < boundary else next(filter(self._speaks, before), None)
        return last, next(filter(self._speaks, behind), None)

    def _speaks(self, place: int) -> bool:
        return self.lines[place].speaks

    def _conversation(self, leaf: int) -> tuple[list[int], int | None]:
        """Climb from the leaf to the last compaction; what follows may hang on the last of the lines that it kept."""
        chain, boundary = self._climb(leaf)
        newest = self._boundary_before(leaf)
        if newest in (None, boundary):
            return chain, boundary
        behind = list(takewhile(lambda place: place > newest, chain))
        kept, anchor = self._preserved(newest)
        if anchor is None or not set(chain[len(behind) : len(behind) + 1]).intersection(kept):
            return chain, boundary
        return behind + self._climb(anchor)[0], newest

    def _boundary_before(self, place: int) -> int | None:
        number = bisect_left(self.boundaries, place)
        return self.boundaries[number - 1] if number else None

    def _with_siblings(self, chain: Sequence[int], end: int | None) -> list[int]:
        """Add what a chain misses of parallel calls: each call is a line of its own, with its result hanging off it."""
        start = self._boundary_before(min(chain)) if chain else None
        bounds = (0 if start is None else start, len(self.lines) if end is None else end)
        trunk = self._trunk[slice(*(bisect_left(self._trunk, bound) for bound in bounds))]
        replies = {self.lines[place].reply for place in chain} - {""}
        places = {place for place in trunk if self.lines[place].reply in replies}.union(chain)
        calls = {call for place in places for call in self.lines[place].calls}
        missing = calls.difference(*(self.lines[place].answers for place in places), [""])
        for place in trunk if missing else ():
            if answers := missing.intersection(self.lines[place].answers):
                missing -= answers
                places.add(place)
        parents = {self.lines[place].uuid for place in places} if self._queued else ()
        queued = self._queued[slice(*(bisect_left(self._queued, bound) for bound in bounds))]
        return sorted(places.union(place for place in queued if self.lines[place].parent in parents))

    def _preserved(self, boundary: int | None) -> tuple[list[int], int | None]:
        """Find the older lines that a compaction kept, and the line that they follow."""
        about = None if boundary is None else self.lines[boundary].boundary
        if about and (listed := about.preserved_messages):
            uuids = listed.all_uuids or listed.uuids
            return [self._places[uuid] for uuid in uuids if uuid in self._places], self._places.get(listed.anchor_uuid)
        segment = about.preserved_segment if about else None
        if segment is None:
            return [], None
        head, tail = self._places.get(segment.head_uuid), self._places.get(segment.tail_uuid)
        chain = [] if head is None or tail is None else self._climb(tail, head)[0]
        kept = self._with_siblings(chain, boundary) if head in chain else []
        return kept, self._places.get(segment.anchor_uuid)

    def _climb(self, start: int, stop: int | None = None) -> tuple[list[int], int | None]:
        """Follow the parents to the root, to `stop`, or to a boundary, which is given too."""
        chain: dict[int, None] = {}
        place: int | None = start
        while place is not None and place not in chain:
            if self.lines[place].boundary is not None:
                return list(chain), place
            chain[place] = None
            parent = self.lines[place].parent
            if place == stop or parent is None:
                break
            if parent in self._places:
                place = self._places[parent]
            else:  # missing from the file: go on with the record before
                before = bisect_left(self._trunk, place)
                place = self._trunk[before - 1] if before else None
        return list(chain), None


# The second pass: live records become messages.


_CLEARED = "[Old tool result content cleared]"  # as Claude Code sends it


def messages_of(
    live: Sequence[Whole], cleared: Collection[str] = (), saved: Mapping[str, int] = MappingProxyType({})
) -> list[Message]:
    """Merge the records of each reply, and the results that answer it; `cleared` names results no longer sent."""
    groups: dict[object, list[tuple[Whole, tuple[Part, ...]]]] = {}
    queued: dict[object, list[tuple[Whole, tuple[Part, ...]]]] = {}  # sent with the results of the reply under way
    callers: dict[str, object] = {}  # the group of the reply that made a call
    for place, record in enumerate(live):
        if record.type == "attachment":
            is_sent = record.uuid not in cleared
        else:
            is_sent = record.type in _CONVERSATION and not record.is_api_error_message and not record.is_synthetic
        if not is_sent:
            continue
        if record.uuid.startswith(_QUEUED):
            queued[place] = [(record, ())]
            continue
        parts = parts_of(record.message.content) if record.message else ()
        answered = (callers.get(part.call_id) for part in parts if isinstance(part, ToolResult))
        caller = next(filter(None, answered), None)
        key: object = ("reply", record.reply) if record.reply else ("results", caller) if caller else place
        if key not in groups and not caller:
            groups |= queued
            queued = {}
        callers.update((part.id, key) for part in parts if isinstance(part, ToolCall))
        groups.setdefault(key, []).append((record, parts))
    groups |= queued
    messages = (
        _attachment(group[0][0]) if group[0][0].type == "attachment" else _message(group, cleared, saved)
        for group in groups.values()
    )
    return [message for message in messages if message is not None]


def _message(
    group: Sequence[tuple[Whole, tuple[Part, ...]]], cleared: Collection[str], saved: Mapping[str, int]
) -> Message | None:
    """Make one message from the records of a reply, of results, or of what a user said."""
    first = group[0][0]
    written = [record.message for record, _ in group if record.message]
    parts = tuple(part for _, parts in group for part in parts)
    if not parts:
        return None
    sent = tuple(
        replace(part, content=(Text(_CLEARED),), as_text=True)
        if isinstance(part, ToolResult) and part.call_id in cleared
        else part
        for part in parts
    )
    as_it_came = {"role": first.type, "content": written[0].content} if len(written) == 1 and sent == parts else None
    if first.type == "assistant":
        usage = None
        for message in written:
            if (counted := message.usage) and (prompt := counted.prompt):
                usage = Usage(prompt, tokens(counted.output_tokens), message.model)
        if usage and (less := saved.get(first.reply)):  # the call without cleared results, so not the provider's figure
            left = max(1, usage.prompt_tokens + usage.output_tokens - less)
            usage = Usage(left, 0, usage.model, whole=True)
        return Message(first.uuid, "assistant", sent, raw=as_it_came, usage=usage)
    by_host = not first.by_person or is_by_host(sent, typed_texts)
    return Message(first.uuid, "user", sent, raw=as_it_came, is_summary=first.is_compact_summary, by_host=by_host)


# Text in user messages: wrappers, notes and attachments (docs/formats.md#claude-code-text-in-the-users-name).


_WRAPPER = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|command-contents|local-command-[a-z]+"
    r"|bash-stdout|bash-stderr|task-notification|ide_[a-z_]+|[a-z]+(?:-[a-z]+){1,3}-hook|new-diagnostics"
    r"|channel(?=\s)|(?:cross-session|peer|teammate)-message)(?:\s[^>]{0,500})?>"
)
_UNCLOSED = re.compile(rf"\s*{_WRAPPER.pattern}")
_NOTE = re.compile(
    r"\s*(?:Caveat: The messages below were generated|\[Request interrupted by user|\[SYSTEM NOTIFICATION"
    r"|Operation stopped by hook: |UserPromptSubmit operation blocked by hook|[A-Z][A-Za-z]{2,30} hook feedback:\n"
    r"|This session is being continued from a previous conversation that ran out of context)"
)
_INPUT = re.compile(r"\s*<bash-input>(.*)</bash-input>\s*\Z", re.DOTALL)  # a command that the person ran
_QUEUED = "queued-"  # in the names of lines that have no record
_DELIVERED = "absorbed_mid_turn"
_MOST_WAITING = 50
_LOCAL_COMMAND = re.compile(r"/[a-z][a-z:-]*(?:\s|\Z)")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Return what a person typed: the texts without the wrappers that the tool put before, between and behind it."""
    typed: list[str] = []
    for text in texts:
        for words, inside in parted(text, _WRAPPER):
            if _NOTE.match(words) or _UNCLOSED.match(words):
                break
            ran = _INPUT.match(words)
            typed += filter(None, (ran[1].strip() if ran else words.strip(), mid_turn(inside)))
    return typed


# The attachments that go to the model, and the fields that hold their words (docs/formats.md#claude-code-attachments);
# all others stay on the screen.
_SENT: dict[str, tuple[str, ...]] = {
    "agent_listing_delta": ("addedLines",),
    "batching_reminder_sent": ("text",),
    "compact_file_reference": ("filename",),
    "critical_system_reminder": ("content",),
    "date_change": ("newDate",),
    "deferred_tools_delta": ("addedLines",),
    "directory": ("path", "content"),
    "edited_text_file": ("filename", "snippet"),
    "file": ("filename", "content"),
    "hook_additional_context": ("content",),
    "hook_blocking_error": ("blockingError",),
    "invoked_skills": ("skills",),
    "mcp_instructions_delta": ("addedBlocks",),
    "nested_memory": ("path", "content"),
    "opened_file_in_ide": ("filename",),
    "plan_file_reference": ("planFilePath", "planContent"),
    "plan_mode": ("planFilePath",),
    "plan_mode_exit": ("planFilePath",),
    "read_truncation_notice": ("banner",),
    "selected_lines_in_ide": ("filename", "content"),
    "silent_turn_reminder": ("text",),
    "skill_listing": ("content",),
    "task_reminder": ("content",),
    "task_status": ("description", "status", "deltaSummary"),
    "todo_reminder": ("content",),
    "total_tokens_reminder": ("text",),
}


def _attachment(record: Whole) -> Message | None:
    """Make the message that an attachment is sent as; None if it stays on the screen."""
    kind = word(record.attachment.get("type"))
    if kind == "queued_command":  # typed while the model was working
        origin = word(fields(record.attachment.get("origin")).get("kind"))
        parts = parts_of(record.attachment.get("prompt"))
        is_prompt = record.attachment.get("commandMode") == "prompt" and origin not in _OF_NO_PERSON
        by_host = not is_prompt or is_by_host(parts, typed_texts)
    else:
        sent = _words([record.attachment.get(key) for key in _SENT.get(kind, ())])
        parts, by_host = (Text(f"<system-reminder>\n{sent}\n</system-reminder>"),) if sent else (), True
    return Message(record.uuid, "user", parts, by_host=by_host) if parts else None


def _words(value: object) -> str:
    if isinstance(value, dict):
        keys = ("content", "file", "text", "subject", "blockingError")
        return next(filter(None, (_words(value.get(key)) for key in keys)), "")
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value)))
    return word(value)


# What compactions replaced.


def earlier(source: Source, _format: str) -> Iterator[Replacement]:
    """Read the session as it was when each boundary was written, and with the summary that follows it."""
    session = session_of(source)
    tree = _Tree([line for _, line in session.lines])
    boundary, end = tree.branch(tree.leaf)[1], len(tree.lines)
    if tree.leaf is not None and tree.boundaries[-1:] > [tree.leaf]:  # a boundary without a summary yet
        yield (), ()
    while boundary is not None and boundary < end:  # the parents of a damaged file may lead anywhere
        end = boundary
        leaf, summary = tree.speaking(end)
        before, boundary = tree.branch(leaf, end)
        after, _ = tree.branch(summary, end if summary is None else summary + 1)
        old, new = (messages_of(_records(source, session, live), session.cleared) for live in (before, after))
        yield old, new


# A session that grows: only the newest reply and what answers it are read again. Reading a session of 10,000 messages
# anew takes 140 ms for each that comes; `bench_watch` promises 2.


def follow(source: Source) -> tuple[Chat, _ClaudeTail | None]:
    """Read a session, and find the line from which it can be reread on its own."""
    session = session_of(source)
    chat = _chat(source, session)
    first = session.first_lines
    has_begun = len(first) == _OPENING_LINES or any(line.reply for _, line in first)
    return chat, _ClaudeTail(source, session) if has_begun else None


class _ClaudeTail:
    """The newest lines with their records, and the metadata of the whole session.

    These lines share one name alone with all lines before them: that of the line they hang on, the base. So they can be
    read by themselves, and nothing that is said in them changes what was said before.
    """

    def __init__(self, source: Source, session: Session) -> None:
        self._session = session
        pairs, session.lines = session.lines, []
        lines = [line for _, line in pairs]
        self._is_agents = not any(line.speaks and not line.is_side for line in lines)  # a sub-agent's own file
        self._lines = [line for line in lines if self._is_agents or not line.is_side]
        self._base: str | None = None
        self._past: set[str | None] = set()  # names before these lines
        self._uuids: set[str | None] = set()
        uuids = {line.uuid for line in self._lines} if self._begin_anew() else set()
        records = _records_at(source, session, [pair for pair in pairs if pair[1].uuid in uuids])
        self._records = {record.uuid: record for record in records if record}
        if not uuids or uuids != self._records.keys():
            self._lines = []

    def open(self) -> Sequence[Message]:
        """Return the messages of the newest lines."""
        rooted = [replace(line, parent=None) if line.parent == self._base else line for line in self._lines]
        live = [self._records[rooted[place].uuid] for place, _ in live_lines(rooted)]
        return messages_of(live, self._session.cleared, self._session.saved)

    def grow(self, records: Sequence[JsonObject]) -> Growth | None:
        """Add records appended to the file."""
        changes = self._session.changes
        for record in records:
            line = self._session.note(loose(Outline, record))
            if self._session.changes > changes or (line and not self._add(line)):
                return None
            if line:
                queued = self._session.queue.delivered.get(line.uuid)
                self._records[line.uuid] = queued or loose(Whole, record)
        messages = self.open()
        settled: Sequence[Message] = ()
        if self._begin_anew():
            newest = self.open()
            settled, messages = messages[: len(messages) - len(newest)], newest
            self._records = {line.uuid: self._records[line.uuid] for line in self._lines}
        session = self._session
        model, compactions = session.model(self._is_agents), tuple(session.compactions(self._is_agents))
        return Growth(settled, messages, model, session.title, None, compactions, session.version)

    def _begin_anew(self) -> bool:
        """Restart at the newest suitable line of the conversation, if there is one behind the newest compaction."""
        before = Counter(name for line in self._lines for name in line.names)
        shared: set[str | None] = set()
        for place in range(len(self._lines) - 1, 0, -1):
            line = self._lines[place]
            if line.boundary is not None:
                break
            before.subtract(line.names)
            shared = {name for name in shared | line.names if before[name]}
            if line.speaks and shared == {line.parent}:
                self._past.update(name for line in self._lines[:place] for name in line.names)
                rest, self._lines = self._lines[place:], []
                self._base, self._uuids = line.parent, {line.parent}
                return all(map(self._add, rest))
        return False

    def _add(self, line: Line) -> bool:
        """Add the next line of the session; False if it shares more with the lines before these."""
        is_old = line.uuid in self._past or line.uuid in self._uuids
        if is_old or (self._is_agents and line.speaks and not line.is_side):
            return False
        if line.is_side and not self._is_agents:
            return True
        is_rooted = line.parent in self._uuids and line.boundary is None
        if not is_rooted or not self._past.isdisjoint(line.names - {self._base}):
            return False
        self._lines.append(line)
        self._uuids.add(line.uuid)
        return True
