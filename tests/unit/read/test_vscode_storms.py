"""Sessions of VS Code and replays with anything in any place: nothing is raised but ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, simple, vscode

vscode_export = SimpleNamespace(sniff=vscode.sniff_export, read=vscode.read_export)
vscode_log = SimpleNamespace(sniff=vscode.sniff_log, read=vscode.read_log)
chatreplay = SimpleNamespace(sniff=simple.sniff_chatreplay, read=simple.read_chatreplay)

TREE = {"node": {"type": 1, "ctor": 2, "children": [{"type": 2, "text": "a", "lineBreakBefore": True}, {"ctor": 3}]}}
RESULT = {"$mid": 20, "content": [{"$mid": 21, "value": "a", "audience": [0]}, {"$mid": 23, "value": TREE}]}
ROUND = {
    "id": "a",
    "response": "said",
    "toolCalls": [{"id": "c", "name": "look", "arguments": "{}"}],
    "summary": "",
    "hookContext": "mind",
}
METADATA = {
    "renderedUserMessage": [
        {"type": 1, "text": "asked"},
        {"type": 0, "imageUrl": {"url": "data:image/png;base64,QQ=="}},
    ],
    "renderedGlobalContext": [{"type": 1, "text": "here"}],
    "cacheKey": "file:///home/me",
    "toolCallRounds": [ROUND],
    "toolCallResults": {"c": RESULT},
    "summaries": [{"toolCallRoundId": "a", "text": "S"}],
    "maxToolCallsExceeded": True,
    "promptTokens": 9,
}
SHOWN = {
    "kind": "toolInvocationSerialized",
    "toolCallId": "c",
    "isComplete": True,
    "resultDetails": {"input": "{}", "output": [{"value": "a", "isText": True}]},
    "toolSpecificData": {"commandLine": {"original": "ls"}},
}
SESSION = {
    "sessionId": "s",
    "responderUsername": "GitHub Copilot",
    "customTitle": "t",
    "inputState": {"selectedModel": {"metadata": {"maxInputTokens": 9, "maxOutputTokens": 9}}},
    "requests": [
        {"requestId": "1", "modelId": "m", "result": {"metadata": METADATA}, "promptTokens": 9, "completionTokens": 9},
        {
            "requestId": "2",
            "agent": {"id": "github.copilot"},
            "message": {"text": "@me hi", "parts": [{"kind": "agent", "range": {"endExclusive": 3}}]},
            "response": [{"value": "words"}, SHOWN, {"kind": "inlineReference", "inlineReference": {"path": "/a"}}],
            "shouldBeRemovedOnSend": {"afterUndoStop": "u"},
        },
    ],
}
LOG = [
    {"kind": 0, "v": SESSION},
    {"kind": 2, "k": ["requests"], "v": [{"requestId": "3", "message": "more"}], "i": 2},
    {"kind": 1, "k": ["requests", 2, "result"], "v": {"metadata": METADATA}},
    {"kind": 3, "k": ["requests", 1, "agent"]},
]
REPLAY = {
    "prompts": [
        {
            "prompt": "look",
            "logs": [
                {
                    "kind": "request",
                    "name": "panel/editAgent",
                    "metadata": {"model": "m", "usage": {"prompt_tokens": 9}, "tools": [{}], "maxPromptTokens": 9},
                    "requestMessages": {
                        "messages": [
                            {"role": 1, "content": [{"type": 1, "text": "look"}]},
                            {"role": 2, "content": [], "toolCalls": [{"id": "c", "function": {"name": "look"}}]},
                            {"role": 3, "content": [{"text": "a"}], "toolCallId": "c"},
                        ]
                    },
                    "response": {"message": ["said"]},
                },
                {"kind": "toolCall", "id": "c", "tool": "look", "args": "{}", "response": ["a"]},
            ],
        }
    ]
}

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1", "a", "c"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a document."""
    yield path
    for key, child in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from places(child, (*path, key))


@st.composite
def spoiled(draw: st.DrawFn, sound: Any) -> Any:
    """A document with odd values in a few places."""
    document = deepcopy(sound)
    for path in draw(st.lists(st.sampled_from([path for path in places(sound) if path]), min_size=1, max_size=4)):
        place: Any = document
        for key in path[:-1]:
            place = place[key] if isinstance(place, dict | list) and key in dict(places_of(place)) else None
        if isinstance(place, dict | list) and path[-1] in dict(places_of(place)):
            place[path[-1]] = draw(ODD)
    return document


def places_of(value: Any) -> list[tuple[Any, Any]]:
    """The members of an object, or the items of a list, by their keys."""
    return list(value.items() if isinstance(value, dict) else enumerate(value))


def survives(reader: Any, text: str) -> None:
    """Read a text that the reader takes for its own: the chat is whole, or refused as we refuse."""
    source = Source.of_bytes(text.encode("utf-8", "surrogatepass"))
    if not reader.sniff(source):
        return
    try:
        chat = reader.read(source)
    except ChatUnreadable:
        return
    assert isinstance(chat, Chat)
    assert len({message.id for message in chat.messages}) == len(chat.messages)
    assert all(message.parts for message in chat.messages if reader is not chatreplay)


@given(spoiled(SESSION))
def test_any_session_is_survived(session: Any) -> None:
    """Wrong types anywhere in a session cost only what they stand for."""
    survives(vscode, json.dumps(session))
    if isinstance(session, dict):
        survives(vscode_export, json.dumps({key: session[key] for key in session if key != "sessionId"}))


@given(spoiled(LOG))
def test_any_log_is_survived(log: Any) -> None:
    """Wrong types anywhere in a log stop the replay at worst."""
    survives(vscode_log, "\n".join(map(json.dumps, log)))


@given(spoiled(REPLAY))
def test_any_replay_is_survived(replay: Any) -> None:
    """Wrong types anywhere in an export of prompts cost only what they stand for."""
    survives(chatreplay, json.dumps(replay))


@given(st.data())
def test_any_cut_log_is_survived(data: st.DataObject) -> None:
    """A log may end anywhere."""
    text = "\n".join(map(json.dumps, LOG))
    survives(vscode_log, text[: data.draw(st.integers(0, len(text)))])
