"""Chats as clients send them: strategies for every shape of a `ChatRef` that ought to be read."""

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

CANARY = "quince-4711-marmalade"  # stands in chats, and must never stand in an error or a log
PLAIN = {"role": "user", "content": f"Keep {CANARY} on the upper shelf, and count the trays."}

bare_texts = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(
    ["\ud83d", "a\udcff", "jsonrpc"]
)
leaves: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), bare_texts
)
anything_in_json: st.SearchStrategy[Any] = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(bare_texts, inner, max_size=3), max_leaves=6
)
# What a chat about this very protocol holds; a careless reader takes it for a message of its own.
impostors: st.SearchStrategy[JsonObject] = st.sampled_from(
    [
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 1, "method": "exit"},
        {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}},
    ]
)


@st.composite
def message_lists(draw: st.DrawFn, plain: bool = False) -> list[JsonObject]:
    """Messages of one of the three APIs; `plain` ones each have a role."""
    turns = draw(anything() | conversations())
    write = draw(st.sampled_from(_SHAPES[:2] if plain else _SHAPES))
    items = [PLAIN, *_repaired(write(turns))]
    for place in draw(st.lists(st.integers(0, len(items) - 1), max_size=2)):
        items[place] = {**items[place], draw(st.sampled_from(["metadata", "jsonrpc", "x"])): draw(impostors | leaves)}
    return items


@st.composite
def refs_of_messages(draw: st.DrawFn, plain: bool = False) -> JsonObject:
    """A chat as its messages, with a system prompt and tools beside them now and then."""
    beside = {
        "system": bare_texts | st.lists(st.builds(_text_block, words), max_size=2),
        "tools": st.lists(st.builds(_tool, bare_texts, impostors), max_size=2),
        "tool": st.sampled_from(["claude-code", "cline", "codex", "vscode", "", "unheard-of"]),
    }
    return {"messages": draw(message_lists(plain)), **draw(st.fixed_dictionaries({}, optional=beside))}


@st.composite
def refs_of_text(draw: st.DrawFn) -> JsonObject:
    """A chat as text: documents, lines, a Claude Code session, Markdown, prose, and what is none of them."""
    items = draw(message_lists())
    write = draw(st.sampled_from(_TEXTS))
    text = draw(st.just(write(items)) | words)
    if draw(st.booleans()) and text:
        place, more = draw(st.integers(0, len(text))), draw(bare_texts)
        text = text[:place] + more + text[place:]
    return {"text": text}


def refs_of_files() -> st.SearchStrategy[JsonObject]:
    """A chat in a file that is there, or that is absent, a folder, a device, on another machine, or no URI at all."""
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
    names = [
        here,
        here,
        CHAT.parent.as_uri(),
        "file:///absent/chat.jsonl",
        *odd,
        Path(os.devnull).absolute().as_uri(),
    ]
    return st.builds(lambda uri: {"uri": uri}, st.sampled_from(names))


def refs() -> st.SearchStrategy[JsonObject]:
    """Any `ChatRef`, mostly messages; a hint of its format now and then."""
    messages = (refs_of_messages(), refs_of_messages(plain=True), st.builds(long_chat, st.integers(1, 40)))
    kinds = st.one_of(*messages, refs_of_text(), refs_of_files())
    hints = st.none() | st.sampled_from(["anthropic", "openai-chat", "openai-responses", "markdown", "text", "codex"])
    return st.builds(lambda ref, hint: ref if hint is None else {**ref, "format": hint}, kinds, hints)


def long_chat(rounds: int) -> JsonObject:
    """A chat that is work for a moment."""
    said = [("assistant", "Shelf {0} holds {0} trays of rye bread. " * 9), ("user", "Good, now shelf {0}.")]
    return {"messages": [PLAIN, *({"role": r, "content": t.format(n)} for n in range(rounds) for r, t in said)]}


def _repaired(items: list[JsonObject]) -> list[JsonObject]:
    """Only the assistant may be silent: that others say nothing is a fault of the caller's."""
    silent = {"assistant", None}
    return [i if i.get("content", "") is not None or i.get("role") in silent else {**i, "content": ""} for i in items]


def _text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _tool(name: str, schema: JsonObject) -> JsonObject:
    return {"name": name, "input_schema": schema}


def _session(items: Sequence[JsonObject]) -> str:
    """Write the lines of a Claude Code session."""
    ids = [f"u{number}" for number in range(len(items))]
    records = (
        {
            "type": item.get("role", "user"),
            "uuid": name,
            "parentUuid": parent,
            "sessionId": "s1",
            "isSidechain": False,
            "message": item,
        }
        for item, name, parent in zip(items, ids, [None, *ids], strict=False)
    )
    return "\n".join(map(json.dumps, records))


def _markdown(items: Sequence[JsonObject]) -> str:
    return "\n\n".join(f"## {item.get('role', 'user').title()}\n\n{item.get('content', '')}" for item in items)


def _lines(items: Sequence[JsonObject]) -> str:
    return "\n".join(map(json.dumps, items))


def _document(items: Sequence[JsonObject]) -> str:
    return json.dumps({"messages": items, "model": "gpt-5"}, indent=1)


_SHAPES: list[Callable[[Sequence[Message]], list[JsonObject]]] = [as_anthropic, as_openai_chat, as_openai_responses]
_TEXTS: list[Callable[[Sequence[JsonObject]], str]] = [_session, _markdown, _lines, _document, json.dumps]
