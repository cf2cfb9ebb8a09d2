"""The nouns: a chat, its messages, their parts, and what a provider reported of their size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

JsonObject = dict[str, Any]
Role = Literal["user", "assistant", "system"]


class Warning(Struct, frozen=True, rename="camel"):
    """Something a reader or a check wants a person to know, in one sentence."""

    code: str
    message: str
    line: int | UnsetType = UNSET


class Text(Struct, frozen=True):
    """Words."""

    text: str


class Thinking(Struct, frozen=True):
    """What a model thought before it spoke; `text` is empty where it came encrypted."""

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
    """A block of a type that we do not know; `raw` is the block as it came."""

    type: str
    raw: JsonObject


class ToolCall(Struct, frozen=True):
    """A call of a tool; an absent id or name is empty."""

    id: str
    name: str
    input: JsonObject


ResultPart = Text | Image | Document | Unknown


class ToolResult(Struct, frozen=True):
    """What a tool answered; `as_text` tells that the content came as one string."""

    call_id: str
    content: tuple[ResultPart, ...]
    is_error: bool = False
    as_text: bool = False


Part = Text | Thinking | Image | Document | Unknown | ToolCall | ToolResult


class Usage(Struct, frozen=True):
    """The size of one model call as the provider reported it."""

    prompt_tokens: int
    output_tokens: int
    model: str
    whole: bool = False  # the tool's own count of all that it would send, this message with it
    reasoning_tokens: int = 0  # of the output: hidden thoughts, which some APIs forget once the user speaks again


class HostMeter(Struct, frozen=True):
    """What the tool's own meter shows: the tokens used, those kept free for a reply, and the whole of both windows."""

    used: int
    reserved: int
    total: int


class Opening(Struct, frozen=True):
    """How a session began: the prompt of its first call, and the characters said before it."""

    prompt_tokens: int
    characters: int


class Message(Struct, frozen=True):
    """One turn; `raw` is the caller's object, or his several, so that an untouched message goes back as it came."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    raw: JsonObject | tuple[JsonObject, ...] | None = None
    usage: Usage | None = None
    is_summary: bool = False  # of an earlier compaction, by any tool
    by_host: bool = False  # sent as the user's, but written by the tool and not by a person

    @property
    def text(self) -> str:
        """The texts of this message itself, a line each; not those of tool results."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of this message."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results in this message."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


class Chat(Struct, frozen=True):
    """The live conversation: what goes to the model with the next request, as far as it is known."""

    format: str
    tool: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    model: str | None = None
    title: str | None = None
    workspace: str | None = None  # the folder that the chat was held in
    window: int | None = None  # tokens of input that fit, as the host recorded
    window_model: str | None = None  # whose window that is, where it is another model's than the one used last
    host_meter: HostMeter | None = None
    opening: Opening | None = None
    is_sub_agent: bool = False  # another chat's helper, which knows fewer tools
    warnings: tuple[Warning, ...] = ()


def raws(message: Message) -> tuple[JsonObject, ...]:
    """The caller's objects that make a message; none where it is not as it came."""
    if isinstance(message.raw, tuple):
        return message.raw
    return () if message.raw is None else (message.raw,)


def result_text(result: ToolResult) -> str:
    """The texts of a result joined by line feeds, with `[image]` in place of pictures (rule T3)."""
    return "\n".join(words(part) for part in result.content)


def texts(message: Message) -> Iterator[str]:
    """Give every text of a message: what is said and thought, the strings in calls, and what tools answered."""
    for part in message.parts:
        match part:
            case Text(text) | Thinking(text):
                yield text
            case ToolCall():
                yield from _strings(part.input)
            case ToolResult():
                yield result_text(part)


def _strings(value: object) -> Iterator[str]:
    """Walk through JSON of any depth, in its order and without recursion."""
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
    """What stands for a part of a result where only words can stand (rules T1, T3 and T7)."""
    match part:
        case Text(text):
            return text
        case Image():
            return "[image]"
        case Document(title):
            return f"[document: {title}]" if title.strip() else "[document]"
        case Unknown(kind):
            return f"[Unknown {kind}]"
