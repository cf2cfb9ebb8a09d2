"""Sessions of VS Code: what of their requests is live, and what is known beside the messages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from tests.samples.vscode_sessions import session_chat


def result(words: str) -> dict[str, Any]:
    """What a tool gave back."""
    return {"$mid": 20, "content": [{"$mid": 21, "value": words}]}


def round_of(name: str, *calls: str, **more: Any) -> dict[str, Any]:
    """A reply with calls of these ids."""
    made = [{"id": call, "name": "look", "arguments": '{"at": 1}'} for call in calls]
    return {"id": name, "response": f"said {name}", "toolCalls": made, **more}


def request(name: str, *rounds: dict[str, Any], results: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A request that ended, with results for the calls of these ids."""
    known = {
        "renderedUserMessage": [{"type": 1, "text": f"asked {name}"}],
        "toolCallRounds": list(rounds),
        "toolCallResults": {call: result(f"got {call}") for call in results},
        **more.pop("metadata", {}),
    }
    return {"requestId": name, "modelId": "copilot/claude-x", "result": {"metadata": known}, **more}


def chat_of(*requests: Any, **state: Any) -> Chat:
    """The chat of a session."""
    return session_chat({"requests": list(requests), **state})


def test_ids_stay_while_requests_are_added() -> None:
    """What was there before keeps its ids, and no two messages have one, though rounds may."""
    first = request("1", round_of("a", "c"), round_of("b"), results=("c",))
    requests = [first, request("2", round_of("b")), {**request("", round_of("")), "requestId": None}]
    ids = [[message.id for message in chat_of(*requests[:number]).messages] for number in (1, 2, 3)]
    assert ids[2][: len(ids[1])] == ids[1]
    assert ids[1][: len(ids[0])] == ids[0] == ["1", "a", "a:0", "b"]
    assert len(set(ids[2])) == len(ids[2]) == 8


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/me/my%20bread", "/home/me/my bread"),
        ("file:///c%3A/bread", "c:/bread"),
        ("file:///home/me/a,file:///home/me/b", "/home/me/a"),
        ("vscode-remote://host/home/me", None),
        ("", None),
    ],
)
def test_the_workspace_is_the_first_folder(uri: str, folder: str | None) -> None:
    """Copilot Chat writes down the folders for which the global context was made."""
    assert chat_of(request("1", metadata={"cacheKey": uri})).workspace == folder
    assert chat_of(request("1"), workingDirectory=uri.partition(",")[0]).workspace == folder


SESSION = {"version": 3, "sessionId": "s", "creationDate": 1, "responderUsername": "GitHub Copilot", "requests": []}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(SESSION), "vscode"),
        (json.dumps({**SESSION, "version": 1}, indent=2), "vscode"),
        (json.dumps({"requests": [], "responderUsername": "x", "creationDate": 1}), "vscode"),
        (json.dumps({"requests": [], "responderUsername": "x", "initialLocation": "panel"}), "vscode-export"),
        (json.dumps({"kind": 0, "v": SESSION}), "vscode-log"),
        (f'\ufeff\n {{ "kind" : 0, "v" : {json.dumps(SESSION)}}}\n', "vscode-log"),
        (json.dumps({"requests": [], "sessionId": "s"}), None),
        (json.dumps({"requests": {}, "responderUsername": "x"}), None),
        (json.dumps({"kind": 0, "v": {"else": 1}}), None),
        (json.dumps({"kind": 1, "k": ["requests"], "v": SESSION}), None),
        (json.dumps([SESSION]), None),
        ("", None),
    ],
)
def test_sessions_exports_and_logs_are_told_apart(text: str, expected: str | None) -> None:
    """By what stands in them, never by a name."""
    found = None
    with suppress(ChatUnreadable):
        found = read_chat(Source.of_bytes(text.encode())).format
    assert found == expected
