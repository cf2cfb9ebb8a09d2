"""What each API requires of a chat that is sent to it (rules V), checked on its JSON alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

Item = dict[str, Any]
THINKING = ("thinking", "redacted_thinking", "reasoning")


def anthropic_faults(messages: Sequence[Item]) -> list[str]:
    """Return what the Anthropic API would refuse."""
    return [
        *_json_faults(messages),
        *(fault for message in messages for fault in _anthropic_message(message)),
        *_roles(messages),
        *_anthropic_pairs(messages),
        *_ending(messages, bool(messages) and bool(_of_type(messages[-1], "tool_use"))),
    ]


def openai_chat_faults(messages: Sequence[Item]) -> list[str]:
    """Return what the OpenAI chat API would refuse."""
    spoken = [message for message in messages if message.get("role") != "tool"]
    waiting = bool(spoken) and bool(spoken[-1].get("tool_calls"))
    return [
        *_json_faults(messages),
        *(fault for message in messages for fault in _chat_message(message)),
        *_roles(messages),
        *_chat_pairs(messages),
        *_ending(messages, waiting),
    ]


def openai_responses_faults(items: Sequence[Item]) -> list[str]:
    """Return what the OpenAI Responses API would refuse."""
    first = [item["role"] for item in items if item.get("role") not in (None, "system", "developer")][:1]
    return [
        *_json_faults(items),
        *(fault for item in items for fault in _responses_item(item)),
        *(["V4 the assistant begins"] if first == ["assistant"] else []),
        *_responses_pairs(items),
        *_responses_ending(items),
    ]


def _json_faults(items: Sequence[Item]) -> Iterator[str]:
    try:
        json.dumps(items, allow_nan=False)
    except ValueError:
        yield "not JSON"


def _blocks(content: Any) -> list[Item]:
    """Return content as blocks; a string is one text."""
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _of_type(message: Item, kind: str) -> list[Item]:
    return [block for block in _blocks(message["content"]) if block.get("type") == kind]


def _is_blank(block: Item) -> bool:
    return "text" in str(block.get("type")) and not str(block.get("text", "")).strip()


def _anthropic_message(message: Item) -> Iterator[str]:
    if set(message) != {"role", "content"} or message["role"] not in ("user", "assistant", "system"):
        yield "unknown fields or role"
    blocks = _blocks(message.get("content"))
    kinds = [block.get("type") for block in blocks]
    yield from _words(blocks)
    results = [kind == "tool_result" for kind in kinds]
    if results != sorted(results, reverse=True):
        yield "V5 results behind other blocks"
    yield from _places(message, kinds)
    for block in _of_type(message, "tool_result"):
        if not isinstance(block["content"], str) and any(map(_is_blank, block["content"])):
            yield "V3 blank text in a result"
    if any(not isinstance(call["input"], dict) for call in _of_type(message, "tool_use")):
        yield "malformed call"


def _words(blocks: Sequence[Item]) -> Iterator[str]:
    """Yield texts that no API accepts in a message's content."""
    if not blocks:
        yield "V3 empty message"
    if any(map(_is_blank, blocks)):
        yield "V3 blank text"
    if any(block.get("type") in THINKING for block in blocks):
        yield "V1 thinking"


def _places(message: Item, kinds: Sequence[object]) -> Iterator[str]:
    """Yield blocks that only the other role may send."""
    if "tool_use" in kinds and message["role"] != "assistant":
        yield "V2 a call of the user"
    if {"tool_result", "image", "document"} & set(kinds) and message["role"] != "user":
        yield "a result, picture or document that is not the user's"


def _roles(messages: Sequence[Item]) -> Iterator[str]:
    """Check that the user is first and that roles alternate; tool messages count as the user's."""
    spoken = [message["role"] for message in messages if message["role"] != "system"]
    if spoken[:1] == ["assistant"] or spoken[:1] == ["tool"]:
        yield "V4 the user does not begin"
    for one, two in pairwise(messages):
        if one["role"] == two["role"] and one["role"] not in ("system", "tool"):
            yield "V5 neighbours of one role"


def _anthropic_pairs(messages: Sequence[Item]) -> Iterator[str]:
    ids = [block["id"] for message in messages for block in _of_type(message, "tool_use")]
    if len(ids) != len(set(ids)) or not all(ids):
        yield "V2 ids not unique"
    asked: set[str] = set()
    for place, message in enumerate(messages):
        answers = [block["tool_use_id"] for block in _of_type(message, "tool_result")]
        only_answers = len(answers) == len(_blocks(message["content"]))
        if len(answers) != len(set(answers)) or not asked.issuperset(answers):
            yield "V2 a result without a call before it"
        if asked.difference(answers) and not (place == len(messages) - 1 and only_answers):
            yield "V2 a call without a result behind it"
        asked = {block["id"] for block in _of_type(message, "tool_use")}


def _ending(messages: Sequence[Item], waiting: bool) -> Iterator[str]:
    if messages and messages[-1]["role"] not in ("user", "tool") and not waiting:
        yield "V8 the user does not end"


def _chat_message(message: Item) -> Iterator[str]:
    blocks, calls = _blocks(message.get("content")), message.get("tool_calls")
    if message.get("role") not in ("user", "assistant", "system", "tool", "developer"):
        yield "unknown role"
    if calls is not None and (not calls or message["role"] != "assistant"):
        yield "V2 misplaced calls"
    if not (calls and not blocks) and not isinstance(message.get("content"), str):
        yield from _words(blocks)
    elif message["role"] != "tool" and any(map(_is_blank, blocks)):
        yield "V3 blank text"
    if message["role"] != "user" and any(block.get("type") in ("image_url", "file") for block in blocks):
        yield "a picture or file that is not the user's"
    for call in calls or ():
        if not isinstance(json.loads(call["function"]["arguments"]), dict) or call["type"] != "function":
            yield "malformed call"


def _chat_pairs(messages: Sequence[Item]) -> Iterator[str]:
    """Check that tool messages directly follow the message with their calls, all of them."""
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    if len(ids) != len(set(ids)) or not all(ids):
        yield "V2 ids not unique"
    asked: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in asked:
                yield "V2 a result without a call before it"
            asked.discard(message["tool_call_id"])
        else:
            if asked:
                yield "V2 a call without a result behind it"
            asked = {call["id"] for call in message.get("tool_calls") or ()}


def _responses_item(item: Item) -> Iterator[str]:
    if "role" in item:
        yield from _responses_message(item, _blocks(item["content"]))
    elif item.get("type") in THINKING:
        yield "V1 thinking"
    elif item.get("type") == "function_call" and not isinstance(json.loads(item["arguments"]), dict):
        yield "malformed call"
    elif isinstance(item.get("output"), list) and any(map(_is_blank, item["output"])):
        yield "V3 blank text in a result"


def _responses_message(item: Item, blocks: Sequence[Item]) -> Iterator[str]:
    yield from _words(blocks)
    kinds = {block.get("type") for block in blocks}
    wrong = "input_text" if item["role"] == "assistant" else "output_text"
    if wrong in kinds or (item["role"] != "user" and kinds & {"input_image", "input_file"}):
        yield "content that is not this role's"


def _responses_ending(items: Sequence[Item]) -> Iterator[str]:
    called = {item["call_id"] for item in items if _kind(item) == "call"}
    open_calls = called.difference(item["call_id"] for item in items if _kind(item) == "output")
    if items and not open_calls and _kind(items[-1]) != "output" and items[-1].get("role") != "user":
        yield "V8 the user does not end"


def _responses_pairs(items: Sequence[Item]) -> Iterator[str]:
    """Check that outputs follow their calls, before anyone else's turn."""
    ids = [item["call_id"] for item in items if str(item.get("type")).endswith("_call") and "call_id" in item]
    if len(ids) != len(set(ids)) or not all(ids):
        yield "V2 ids not unique"
    asked: dict[str, str] = {}
    for kind, run in groupby(items, key=_kind):
        for item in run:
            if kind == "call":
                asked[item["call_id"]] = item["type"]
            elif kind == "output" and asked.pop(item["call_id"], "") + "_output" != item["type"]:
                yield "V2 an output without its kind of call before it"
        if kind == "spoken" and asked:
            yield "V2 a call without an output behind it"


def _kind(item: Item) -> str:
    kind = str(item.get("type"))
    if "call_id" in item:
        return "output" if kind.endswith("_output") else "call"
    return "spoken" if item.get("role") in ("user", "system", "developer") else "said"
