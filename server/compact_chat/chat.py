"""Core data types: a chat, its messages, their parts, and the sizes that providers reported."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from compact_chat.errors import checkpoint
from compact_chat.text import line_feeds

JsonObject = dict[str, Any]
Role = Literal["user", "assistant", "system"]


SEALED = "encryptedSummary"  # code of the warning that the tool's own summary cannot be read


class Warning(Struct, frozen=True, rename="camel"):
    """Something a person should know about a chat, in one sentence."""

    code: str
    message: str
    line: int | UnsetType = UNSET


class Text(Struct, frozen=True):
    """Plain text."""

    text: str


class Thinking(Struct, frozen=True):
    """A model's reasoning; `text` is empty if it came encrypted."""

    text: str


class Image(Struct, frozen=True):
    """A picture: base64 `data`, or a `url`."""

    media_type: str = ""
    data: str = ""
    url: str = ""


class Document(Struct, frozen=True):
    """An attached document; `raw` is the block as it came."""

    title: str
    raw: JsonObject


class Unknown(Struct, frozen=True):
    """A block of an unknown type; `raw` is the block as it came."""

    type: str
    raw: JsonObject


class ToolCall(Struct, frozen=True):
    """A call of a tool; an absent id or name is empty."""

    id: str
    name: str
    input: JsonObject


ResultPart = Text | Image | Document | Unknown


class ToolResult(Struct, frozen=True):
    """A tool's answer; `as_text` says that the content came as one string."""

    call_id: str
    content: tuple[ResultPart, ...]
    is_error: bool = False
    as_text: bool = False


class WordedResult(ToolResult, frozen=True):
    """A tool result that its tool sends as text in a user message; `content` holds those texts."""


Part = Text | Thinking | Image | Document | Unknown | ToolCall | ToolResult


class Usage(Struct, frozen=True):
    """The size of one model call as the provider reported it."""

    prompt_tokens: int
    output_tokens: int
    model: str
    whole: bool = False  # the tool's own count of the whole prompt, including this message
    reasoning_tokens: int = 0  # of the output: hidden reasoning, which some APIs drop at the next user message


class HostMeter(Struct, frozen=True):
    """What the tool's own meter shows: tokens used, tokens reserved for a reply, and the total of both."""

    used: int
    reserved: int
    total: int


class OwnCompaction(Struct, frozen=True):
    """A compaction by the chat's own tool: its tokens before and after as the tool reckoned them, 0 if not recorded."""

    automatic: bool
    before: int = 0
    after: int = 0
    call: int = 0  # prompt and reply of the newest call before it, as the provider reported them
    model: str = ""  # of that call
    version: str = ""  # of the tool
    passed: int = 0  # the largest call that another one followed: not enough for a compaction

    @property
    def is_reported(self) -> bool:
        """Whether it was automatic, and the tool reported its tokens; else they were more than in the last call."""
        return self.automatic and self.before not in (0, self.call)

    @property
    def proof(self) -> int:
        """Tokens that its model's window had room for; what the tool reckoned may be too much."""
        return self.call or self.before * 5 // 6


class Message(Struct, frozen=True):
    """One turn; `raw` is the caller's object, or several, so that an untouched message goes back as it came."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    raw: JsonObject | tuple[JsonObject, ...] | None = None
    usage: Usage | None = None
    is_summary: bool = False  # of an earlier compaction, by any tool
    by_host: bool = False  # sent as the user's, but written by the tool
    typed: tuple[str, ...] | None = None  # what a person typed in a user message, unless that is all its texts

    @property
    def typed_text(self) -> str:
        """What a person typed, one line per text."""
        return "\n".join(self.typed_words)

    @property
    def typed_words(self) -> tuple[str, ...]:
        """What a person typed, text by text."""
        if self.typed is not None:
            return self.typed
        is_typed = self.role == "user" and not self.by_host and not self.is_summary
        return tuple(words for text in self.texts if (words := line_feeds(text).strip())) if is_typed else ()

    @property
    def attached(self) -> list[str]:
        """What went along with what a person typed, text by text."""
        return [text for text in self.texts if text.strip() not in self.typed] if self.typed else []

    @property
    def sent(self) -> tuple[Part, ...]:
        """The parts as they went to the model: worded results as texts."""
        if not any(isinstance(part, WordedResult) for part in self.parts):
            return self.parts
        expanded = (part.content if isinstance(part, WordedResult) else (part,) for part in self.parts)
        return tuple(part for parts in expanded for part in parts)

    @property
    def sends_results(self) -> bool:
        """Whether it carried tool results to the model, other than worded ones."""
        return any(isinstance(part, ToolResult) for part in self.sent)

    @property
    def texts(self) -> list[str]:
        """The message's own texts, without those of tool results."""
        return [part.text for part in self.parts if isinstance(part, Text)]

    @property
    def text(self) -> str:
        """The message's own texts, one line each."""
        return "\n".join(self.texts)

    @property
    def sent_text(self) -> str:
        """The texts as they went to the model, one line each, worded results included."""
        return "\n".join(part.text for part in self.sent if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of this message."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results in this message."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


class Opening(Struct, frozen=True):
    """How a session began: the messages before its first recorded call, and the size of that."""

    messages: tuple[Message, ...]
    usage: Usage


PartPlace = tuple[int, int]  # the indexes of a message and of a part in it


class Links(Struct, frozen=True):
    """Links between calls and results; a result answers the newest earlier message with a call of its id."""

    answers: dict[PartPlace, PartPlace]  # result -> call
    repeats: dict[PartPlace, PartPlace]  # result -> call, for calls that already have their answer
    orphans: frozenset[PartPlace]
    unanswered: tuple[PartPlace, ...]


class Chat(Struct, frozen=True, dict=True):
    """The live conversation: what the next request sends to the model, as far as it is known."""

    format: str
    tool: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    model: str | None = None
    title: str | None = None
    workspace: str | None = None  # the folder that the chat was held in
    window: int | None = None  # tokens of input that fit, as the host recorded
    window_model: str | None = None  # whose window that is, if not that of the model used last
    host_meter: HostMeter | None = None
    version: str = ""  # of the tool that wrote the newest record
    opening: Opening | None = None  # if a compaction has replaced it
    compactions: tuple[OwnCompaction, ...] = ()  # by the chat's own tool, in order
    is_sub_agent: bool = False  # a sub-agent's chat, which has fewer tools
    warnings: tuple[Warning, ...] = ()

    @cached_property
    def links(self) -> Links:
        """Which tool result answers which call."""
        return find_links(self.messages)


def find_links(messages: Sequence[Message]) -> Links:
    """Match calls and results by id; calls in one message that share an id are matched in order."""
    unmet: dict[str, deque[PartPlace]] = {}
    newest: dict[str, PartPlace] = {}
    answers: dict[PartPlace, PartPlace] = {}
    repeats: dict[PartPlace, PartPlace] = {}
    orphans: set[PartPlace] = set()
    parts = tool_parts(messages)
    for place, part in parts:
        checkpoint()
        if isinstance(part, ToolCall):
            if newest.get(part.id, (-1, 0))[0] != place[0]:
                unmet[part.id] = deque()
            unmet[part.id].append(place)
            newest[part.id] = place
        elif part.call_id not in newest:
            orphans.add(place)
        elif unmet[part.call_id]:
            answers[place] = unmet[part.call_id].popleft()
        else:
            repeats[place] = newest[part.call_id]
    met = set(answers.values())
    calls = (place for place, part in parts if isinstance(part, ToolCall))
    return Links(answers, repeats, frozenset(orphans), tuple(place for place in calls if place not in met))


def tool_parts(messages: Sequence[Message]) -> list[tuple[PartPlace, ToolCall | ToolResult]]:
    """Return the calls and results of a chat with their positions, in order."""
    return [
        ((index, number), part)
        for index, message in enumerate(messages)
        for number, part in enumerate(message.parts)
        if isinstance(part, (ToolCall, ToolResult))
    ]


def raws(message: Message) -> tuple[JsonObject, ...]:
    """The caller's objects behind a message; empty if it was changed."""
    if isinstance(message.raw, tuple):
        return message.raw
    return () if message.raw is None else (message.raw,)


def with_plain_results(message: Message) -> Message:
    """Turn worded results into ordinary ones, as APIs expect; returns the message itself if it has none."""
    if message.sent is message.parts:
        return message
    return replace(message, parts=tuple(map(_plain, message.parts)), raw=None)


def _plain(part: Part) -> Part:
    if not isinstance(part, WordedResult):
        return part
    return ToolResult(part.call_id, (Text(result_text(part)),), part.is_error, as_text=True)


def result_text(result: ToolResult) -> str:
    """Join a result's texts with line feeds, with `[image]` for pictures (rule T3)."""
    return "\n".join(words(part) for part in result.content)


def texts(message: Message) -> Iterator[str]:
    """Yield every text of a message: words, thinking, strings in calls, and tool output."""
    for part in message.parts:
        match part:
            case Text(text) | Thinking(text):
                yield text
            case ToolCall():
                yield from strings(part.input)
            case ToolResult():
                yield result_text(part)


def strings(value: object) -> Iterator[str]:
    """Yield the strings of JSON of any depth, in order and without recursion."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case dict(members):
                waiting.extend(reversed(members.values()))
            case list(items):
                waiting.extend(reversed(items))


def words(part: ResultPart) -> str:
    """Return the text that stands for a part of a result where only text is allowed (rules T1, T3 and T7)."""
    match part:
        case Text(text):
            return text
        case Image():
            return "[image]"
        case Document(title):
            return f"[document: {title}]" if title.strip() else "[document]"
        case Unknown(kind):
            return f"[Unknown {kind}]"
