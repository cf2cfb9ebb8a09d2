"""Chats as clients send them: strategies for every shape of a readable `ChatRef`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from compact_chat.chat import JsonObject, Message
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses
from tests.samples.chats import anything, conversations, words
from tests.servers.wire_kept import CHAT

CANARY = "quince-4711-marmalade"  # occurs in chats, and must never occur in an error or a log
PLAIN = {"role": "user", "content": f"Keep {CANARY} on the upper shelf, and count the trays."}

bare_texts = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(["\ud83d", "jsonrpc"])
leaves: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), bare_texts
)
anything_in_json: st.SearchStrategy[Any] = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(bare_texts, inner, max_size=3), max_leaves=6
)
# A chat about this very protocol; a careless reader takes its content for messages.
impostors: st.SearchStrategy[JsonObject] = st.sampled_from(
    [
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}},
    ]
)
_SHAPES: list[Callable[[Sequence[Message]], list[JsonObject]]] = [as_anthropic, as_openai_chat, as_openai_responses]


@st.composite
def message_lists(draw: st.DrawFn, plain: bool = False) -> list[JsonObject]:
    """Messages of one of the three APIs; `plain` ones each have a role."""
    items = draw(st.sampled_from(_SHAPES[:2] if plain else _SHAPES))(draw(anything() | conversations()))
    silent = {"assistant", None}  # other empty messages are a caller's mistake
    items = [i if i.get("content", "") is not None or i.get("role") in silent else {**i, "content": ""} for i in items]
    items.insert(0, PLAIN)
    for place in draw(st.lists(st.integers(0, len(items) - 1), max_size=2)):
        items[place] = {**items[place], draw(st.sampled_from(["metadata", "jsonrpc", "x"])): draw(impostors | leaves)}
    return items


@st.composite
def refs_of_messages(draw: st.DrawFn, plain: bool = False) -> JsonObject:
    """A chat as its messages, sometimes with a system prompt and tools."""
    blocks = st.lists(words.map(lambda text: {"type": "text", "text": text}), max_size=2)
    tools = st.tuples(bare_texts, impostors).map(lambda pair: {"name": pair[0], "input_schema": pair[1]})
    siblings = {
        "system": bare_texts | blocks,
        "tools": st.lists(tools, max_size=2),
        "tool": st.sampled_from(["claude-code", "vscode", "", "unheard-of"]),
    }
    return {"messages": draw(message_lists(plain)), **draw(st.fixed_dictionaries({}, optional=siblings))}


@st.composite
def refs_of_text(draw: st.DrawFn) -> JsonObject:
    """A chat as text: a document, lines, Markdown, prose, and none of these."""
    items = draw(message_lists())
    said = (f"## {item.get('role', 'user').title()}\n\n{item.get('content', '')}" for item in items)
    texts = (json.dumps({"messages": items}, indent=1), "\n".join(map(json.dumps, items)), "\n\n".join(said))
    text = draw(st.sampled_from(texts) | words)
    place = draw(st.integers(0, len(text)))
    return {"text": text[:place] + draw(st.just("") | bare_texts) + text[place:]}


def refs_of_files() -> st.SearchStrategy[JsonObject]:
    """A chat in a file that exists, or that is missing, a folder, a device, on another machine, or no URI at all."""
    here = CHAT.as_uri()
    odd = [
        "",
        "file:",
        "file://[",
        "file:///%00",
        "x",
        "https://example.org/chat.json",
        "file://other/chat",
        here + "/",
    ]
    places = [CHAT.parent.as_uri(), "file:///absent/chat.jsonl", Path(os.devnull).absolute().as_uri()]
    return st.builds(lambda uri: {"uri": uri}, st.sampled_from([here, here, *places, *odd]))


def refs() -> st.SearchStrategy[JsonObject]:
    """Any `ChatRef`, mostly messages; sometimes with a format hint."""
    messages = (refs_of_messages(), refs_of_messages(plain=True), st.builds(long_chat, st.integers(1, 40)))
    hints = st.none() | st.sampled_from(["anthropic", "openai-responses", "markdown", "text", "codex"])
    kinds = st.one_of(*messages, refs_of_text(), refs_of_files())
    return st.builds(lambda ref, hint: ref if hint is None else {**ref, "format": hint}, kinds, hints)


def long_chat(rounds: int) -> JsonObject:
    """Return a chat that takes a moment of work."""
    said = [("assistant", "Shelf {0} holds {0} trays of rye bread. " * 9), ("user", "Good, now shelf {0}.")]
    return {"messages": [PLAIN, *({"role": r, "content": t.format(n)} for n in range(rounds) for r, t in said)]}
