"""Prompts that Copilot Chat exported for a replay: what each request sent, word for word, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Image,
    JsonObject,
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
)
from compact_chat.read.blocks import arguments_of, parts_of, result_of
from compact_chat.read.document import parse
from compact_chat.read.loose import fields, left_out, objects, title_of, tokens, whole_number, with_own_ids, word
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked
from compact_chat.read.vscode import rendered_parts, shown_id

# Conversations in the form of ShareGPT, in which data sets keep them: who speaks, and what.


_NAME_SHAREGPT = "sharegpt"
_ROLES_SHAREGPT: dict[str, Role] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bing", "bard", "function_call"), "assistant"),
    "system": "system",
}
_TOOLS = frozenset({"tool", "function", "observation", "function_response"})  # they name no call that they answer


def sniff_sharegpt(source: Source) -> bool:
    """Whether the source holds a conversation, or a list of them, of entries with `from` and `value`."""
    return not source.strict and next(_conversations(source), None) is not None


def read_sharegpt(source: Source) -> Chat:
    """Read the first conversation, and say how many others there are."""
    found = list(_conversations(source))
    entries = found[0]["conversations"]
    messages = [_message_sharegpt(entry, place) for place, entry in enumerate(entries) if _is_entry_sharegpt(entry)]
    faults = [
        f"$.conversations[{place}] is no entry" for place, entry in enumerate(entries) if not _is_entry_sharegpt(entry)
    ]
    typed = (message.text for message in messages if message.role == "user" and not message.by_host)
    return Chat(
        format=_NAME_SHAREGPT,
        tool=_NAME_SHAREGPT,
        messages=with_summary_marked(messages),
        system=word(found[0].get("system")),
        title=title_of(word(found[0].get("title"))) or next(map(title_of, typed), None),
        warnings=(*source.damage, *left_out(faults), *_others(len(found) - 1)),
    )


def _conversations(source: Source) -> Iterator[JsonObject]:
    held = source.document
    records = objects(held) if isinstance(held, list) else source.records
    return (record for record in records if any(map(_is_entry_sharegpt, objects(record.get("conversations")))))


def _is_entry_sharegpt(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("from"), str) and isinstance(entry.get("value"), str)


def _message_sharegpt(entry: JsonObject, place: int) -> Message:
    speaker, name = entry["from"], f"m{place}"
    if speaker in _TOOLS:
        return Message(name, "user", (Text(entry["value"]),), by_host=True)
    role = _ROLES_SHAREGPT.get(speaker)
    return Message(name, role, (Text(entry["value"]),)) if role else Message(name, "user", (Unknown(speaker, entry),))


def _others(more: int) -> tuple[Warning, ...]:
    told = f"The file holds {more:,} more conversations; only its first is read."
    return (Warning("moreChats", told),) if more else ()


# Trajectories of SWE-agent: the history of a run, and what of it was sent with the last call.


_NAME_SWE_AGENT = "swe-agent"
_ROLES_SWE_AGENT: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}
_KEYS = frozenset({"agent", "message_type"})


def sniff_swe_agent(source: Source) -> bool:
    """Whether the source is one object with the history of an agent."""
    document = {} if source.strict else fields(source.document)
    entries = [entry for entry in objects(document.get("history")) if word(entry.get("role")) in _ROLES_SWE_AGENT]
    is_run = isinstance(document.get("trajectory"), list) and isinstance(document.get("info"), dict)
    return bool(entries) and (is_run or not all(map(_KEYS.isdisjoint, entries)))


def read_swe_agent(source: Source) -> Chat:
    """Read what the next call would be sent."""
    document = fields(source.document)
    history = document.get("history")
    entries = history if isinstance(history, list) else []
    faults = [
        f"$.history[{place}] is no message" for place, entry in enumerate(entries) if not _is_entry_swe_agent(entry)
    ]
    setup = _setup(document)
    task = fields(setup.get("problem_statement"))
    return Chat(
        format=_NAME_SWE_AGENT,
        tool=_NAME_SWE_AGENT,
        messages=with_summary_marked(with_own_ids(_with_origins(_messages(_live(document, entries))))),
        model=word(fields(fields(setup.get("agent")).get("model")).get("name")) or None,
        title=title_of(word(task.get("id"))),
        warnings=left_out(faults),
    )


def _is_entry_swe_agent(entry: object) -> bool:
    return word(fields(entry).get("role")) in _ROLES_SWE_AGENT


def _setup(document: JsonObject) -> JsonObject:
    """The settings of the run, which newer versions write as a string."""
    stored = document.get("replay_config")
    try:
        return fields(parse(stored) if isinstance(stored, str) else stored)
    except (ValueError, RecursionError):
        return {}


def _live(document: JsonObject, entries: Sequence[object]) -> list[tuple[int, JsonObject]]:
    """The entries that are sent, with their places: those of the main agent, older ones as the last call had them."""
    main = next((fields(entry).get("agent") for entry in entries if _is_entry_swe_agent(entry)), None)
    own = [
        (place, fields(entry))
        for place, entry in enumerate(entries)
        if _is_entry_swe_agent(entry) and fields(entry).get("agent", main) == main
    ]
    last = next((number for number in reversed(range(len(own))) if own[number][1]["role"] == "assistant"), 0)
    sent = list(filter(_is_entry_swe_agent, _last_query(document)))
    return [*_as_sent(own[:last], sent), *own[last:]] if sent and last else own


def _last_query(document: JsonObject) -> list[JsonObject]:
    steps = objects(document.get("trajectory"))
    newest = steps[-1] if steps else {}
    return objects(newest.get("query")) or objects(newest.get("messages"))


def _as_sent(before: Sequence[tuple[int, JsonObject]], sent: Sequence[JsonObject]) -> list[tuple[int, JsonObject]]:
    """What was sent is what was there, unless entries were left out: then it stands for itself."""
    if len(sent) == len(before):
        return [(place, {**entry, **query}) for (place, entry), query in zip(before, sent, strict=True)]
    return list(enumerate(sent))


def _messages(live: Sequence[tuple[int, JsonObject]]) -> Iterator[Message]:
    for place, entry in live:
        yield Message(
            f"m{place}", _ROLES_SWE_AGENT[entry["role"]], tuple(_parts(entry)), by_host=entry.get("is_demo") is True
        )


def _parts(entry: JsonObject) -> Iterator[Part]:
    if entry["role"] == "tool":
        ids = entry.get("tool_call_ids")
        named = ids[0] if isinstance(ids, list) and ids else None
        yield result_of(entry.get("tool_call_id") or named, entry.get("content"))
        return
    for block in objects(entry.get("thinking_blocks")):
        yield Thinking(word(block.get("thinking")))
    yield from parts_of(entry.get("content"))
    for call in objects(entry.get("tool_calls")):
        function = fields(call.get("function"))
        yield ToolCall(word(call.get("id")), word(function.get("name")), arguments_of(function.get("arguments")))


def _with_origins(messages: Iterator[Message]) -> Iterator[Message]:
    """What the user says behind the first answer is what the environment showed."""
    answered = False
    for message in messages:
        answered = answered or message.role == "assistant"
        shown = answered and message.role == "user" and any(isinstance(part, Text) for part in message.parts)
        yield replace(message, by_host=message.by_host or shown)


# Prompts that Copilot Chat exported for a replay: what each request sent, word for word, and what came back.


_NAME_CHATREPLAY = "chatreplay"
_TOOL = 3
_ROLES_CHATREPLAY: dict[int | None, Role] = {0: "system", 1: "user", 2: "assistant", _TOOL: "user"}
_OWN = "panel/"  # begins the names of a chat's own requests; others ask for titles, summaries and the like


def sniff_chatreplay(source: Source) -> bool:
    """Whether the source is a list of prompts with their logs."""
    prompts = objects(fields(None if source.strict else source.document).get("prompts"))
    return any(isinstance(prompt.get("logs"), list) for prompt in prompts)


def read_chatreplay(source: Source) -> Chat:
    """Read the chat's newest request, in which all that was said before stands, and its answer."""
    prompts = objects(fields(source.document).get("prompts"))
    logs = list(chain.from_iterable(objects(prompt.get("logs")) for prompt in prompts))
    places = _requests(logs)
    last = logs[places[-1]] if places else {}
    about = fields(last.get("metadata"))
    sent = _with_usage([_message_chatreplay(one) for one in _sent(last)], [logs[place] for place in places[:-1]])
    messages = [*sent, *_answer(last, logs[places[-1] + 1 :] if places else [])]
    return Chat(
        format=_NAME_CHATREPLAY,
        tool=_NAME_CHATREPLAY,
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


def _message_chatreplay(stored: JsonObject) -> Message:
    role = whole_number(stored.get("role"))
    parts = rendered_parts(stored.get("content"))
    if role == _TOOL:
        content = tuple(part for part in parts if isinstance(part, Text | Image))
        parts = (ToolResult(shown_id(stored.get("toolCallId")), content),)
    calls = (_call(call.get("id"), fields(call.get("function"))) for call in objects(stored.get("toolCalls")))
    return Message("", _ROLES_CHATREPLAY.get(role, "user"), (*parts, *calls))


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
