"""Prompts that Copilot Chat exported for a replay: what each request sent, word for word, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from compact_chat.chat import Chat, Image, JsonObject, Message, Part, Role, Text, ToolCall, ToolResult, Usage
from compact_chat.read.blocks import arguments_of
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import title_of, whole_number
from compact_chat.read.source import Source
from compact_chat.read.vscode_rounds import shown_id
from compact_chat.read.vscode_user import rendered_parts

_NAME = "chatreplay"
_TOOL = 3
_ROLES: dict[int | None, Role] = {0: "system", 1: "user", 2: "assistant", _TOOL: "user"}
_OWN = "panel/"  # begins the names of a chat's own requests; others ask for titles, summaries and the like


def sniff(source: Source) -> bool:
    """Whether the source is a list of prompts with their logs."""
    prompts = objects(fields(None if source.strict else source.document).get("prompts"))
    return any(isinstance(prompt.get("logs"), list) for prompt in prompts)


def read(source: Source) -> Chat:
    """Read the chat's newest request, in which all that was said before stands, and its answer."""
    prompts = objects(fields(source.document).get("prompts"))
    logs = list(chain.from_iterable(objects(prompt.get("logs")) for prompt in prompts))
    places = _requests(logs)
    last = logs[places[-1]] if places else {}
    about = fields(last.get("metadata"))
    sent = _with_usage([_message(one) for one in _sent(last)], [logs[place] for place in places[:-1]])
    messages = [*sent, *_answer(last, logs[places[-1] + 1 :] if places else [])]
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=tuple(replace(message, id=f"m{place}") for place, message in enumerate(messages)),
        tools=tuple(objects(about.get("tools"))),
        model=word(about.get("model")) or None,
        title=next(filter(None, (title_of(word(prompt.get("prompt"))) for prompt in prompts)), None),
        window=tokens(about.get("maxPromptTokens")) or None,
    )


def _requests(logs: Sequence[JsonObject]) -> list[int]:
    """The places of the chat's own requests, or where none is known for one, of all."""
    found = [place for place, log in enumerate(logs) if log.get("kind") == "request" and _sent(log)]
    return [place for place in found if word(logs[place].get("name")).startswith(_OWN)] or found


def _sent(request: JsonObject) -> list[JsonObject]:
    return objects(fields(request.get("requestMessages")).get("messages"))


def _message(stored: JsonObject) -> Message:
    role = whole_number(stored.get("role"))
    parts = rendered_parts(stored.get("content"))
    if role == _TOOL:
        content = tuple(part for part in parts if isinstance(part, Text | Image))
        parts = (ToolResult(shown_id(stored.get("toolCallId")), content),)
    calls = (_call(call.get("id"), fields(call.get("function"))) for call in objects(stored.get("toolCalls")))
    return Message("", _ROLES.get(role, "user"), (*parts, *calls))


def _call(call_id: object, function: JsonObject) -> ToolCall:
    return ToolCall(shown_id(call_id), word(function.get("name")), arguments_of(word(function.get("arguments"))))


def _with_usage(sent: Sequence[Message], earlier: Sequence[JsonObject]) -> Iterator[Message]:
    """Put what earlier requests took on the messages that answered them, as far as those are still sent."""
    usages = {len(_sent(request)): (_answered(request), _usage(request)) for request in earlier}
    for place, message in enumerate(sent):
        answered, usage = usages.get(place, ("", None))
        is_it = message.role == "assistant" and message.text.strip() == answered.strip()
        yield replace(message, usage=usage) if is_it else message


def _answer(request: JsonObject, behind: Sequence[JsonObject]) -> Iterator[Message]:
    """What the request got, and the calls that were made after it."""
    said = _answered(request)
    made = [log for log in behind if log.get("kind") == "toolCall"]
    parts: tuple[Part, ...] = (Text(said),) if said.strip() else ()
    parts += tuple(_call(log.get("id"), {"name": log.get("tool"), "arguments": log.get("args")}) for log in made)
    if parts:
        yield Message("", "assistant", parts, usage=_usage(request))
    for log in made:
        content = _strings(log.get("response"))
        yield Message("", "user", (ToolResult(shown_id(log.get("id")), tuple(map(Text, content))),))


def _answered(request: JsonObject) -> str:
    return "".join(_strings(fields(request.get("response")).get("message")))


def _strings(value: object) -> list[str]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def _usage(request: JsonObject) -> Usage | None:
    about = fields(request.get("metadata"))
    usage = fields(about.get("usage"))
    prompt = tokens(usage.get("prompt_tokens"))
    return Usage(prompt, tokens(usage.get("completion_tokens")), word(about.get("model"))) if prompt else None
