"""Sessions of VS Code: what of their requests is live, what tools gave back, and what is known beside the messages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from compact_chat.chat import Chat, HostMeter, Image, Text
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from compact_chat.read.vscode import picture_of, result_parts
from tests.samples.vscode_sessions import session_chat

SELECTED = {"identifier": "m", "metadata": {"maxInputTokens": 128_000, "maxOutputTokens": 16_000}}


def request(name: str | None, *rounds: str, **more: Any) -> dict[str, Any]:
    """A request that ended, with a round for each letter; the first of several has a call that was answered."""
    call = {"id": "c", "name": "look", "arguments": '{"at": 1}'}
    known = {
        "renderedUserMessage": [{"type": 1, "text": f"asked {name}"}],
        "toolCallRounds": [
            {"id": one, "response": f"said {one}", "toolCalls": [call] * (one == "a" and len(rounds) > 1)}
            for one in rounds
        ],
        "toolCallResults": {"c": {"$mid": 20, "content": [{"$mid": 21, "value": "got"}]}},
        **more.pop("metadata", {}),
    }
    return {"requestId": name, "modelId": "copilot/claude-x", "result": {"metadata": known}, **more}


def chat_of(*requests: Any, **state: Any) -> Chat:
    """The chat of a session."""
    return session_chat({"requests": list(requests), **state})


def test_ids_stay_while_requests_are_added() -> None:
    """What was there before keeps its ids, and no two messages have one, though rounds may."""
    requests = [request("1", "a", "b"), request("2", "b"), request(None, "")]
    ids = [[message.id for message in chat_of(*requests[:number]).messages] for number in (1, 2, 3)]
    assert ids[0] == ["1", "a", "a:0", "b"]
    assert ids[1][:4] == ids[2][:4] == ids[0]
    assert ids[2][:6] == ids[1]
    assert len(set(ids[2])) == len(ids[2]) == 8


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/me/my%20bread", "/home/me/my bread"),
        ("file:///c%3A/bread", "c:/bread"),
        ("file:///home/me/a,file:///home/me/b", "/home/me/a"),
        ("vscode-remote://wsl/home/me", None),
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
        (json.dumps({"requests": [], "responderUsername": "x", "creationDate": 1}), "vscode"),
        (json.dumps({"requests": [], "responderUsername": "x", "initialLocation": "panel"}), "vscode-export"),
        (json.dumps({"kind": 0, "v": SESSION}), "vscode-log"),
        (f'\ufeff\n {{ "kind" : 0, "v" : {json.dumps(SESSION)}}}\n', "vscode-log"),
        (json.dumps({"requests": [], "sessionId": "s"}), None),
        (json.dumps({"requests": {}, "responderUsername": "x"}), None),
        (json.dumps({"kind": 0, "v": {"else": 1}}), None),
        (json.dumps({"kind": 1, "k": ["requests"], "v": SESSION}), None),
        (json.dumps([SESSION]), None),
    ],
)
def test_sessions_exports_and_logs_are_told_apart(text: str, expected: str | None) -> None:
    """By what stands in them, never by a name."""
    found = None
    with suppress(ChatUnreadable):
        found = read_chat(Source.of_bytes(text.encode())).format
    assert found == expected


@pytest.mark.parametrize(
    ("sizes", "meter"),
    [
        ({"promptTokens": 60_000, "completionTokens": 1_000}, HostMeter(61_000, 15_000, 144_000)),
        ({"promptTokens": 60_000}, HostMeter(60_000, 16_000, 144_000)),
        ({"promptTokens": 60_000, "completionTokens": 20_000}, HostMeter(80_000, 0, 144_000)),
        ({"promptTokens": 0, "completionTokens": 0}, HostMeter(0, 16_000, 144_000)),
        ({"promptTokens": False}, None),
        ({}, None),
    ],
)
def test_the_ring_is_made_of_the_last_size_and_both_windows(sizes: dict[str, Any], meter: HostMeter | None) -> None:
    """Prompt and reply are used, and what the reply left of its window is kept free."""
    assert chat_of(request("1", "b", **sizes), inputState={"selectedModel": SELECTED}).host_meter == meter


@pytest.mark.parametrize(
    ("used", "chosen", "other"),
    [
        ("gpt-5", "copilot/gpt-5", None),
        ("copilot/auto", "copilot/auto", None),
        ("copilot/gpt-4o", "copilot/auto", "copilot/auto"),
        (None, "copilot/gpt-5", None),
        ("copilot/gpt-5", None, None),
    ],
)
def test_the_window_is_told_with_its_model(used: str | None, chosen: str | None, other: str | None) -> None:
    """Where another model is chosen for the next request, its window is none of the model that was used."""
    chat = chat_of(request("1", modelId=used), inputState={"selectedModel": {**SELECTED, "identifier": chosen}})
    assert (chat.window, chat.window_model) == (128_000, other)


# What tools give back.


def text(words: str, breaks: bool = False) -> dict[str, Any]:
    """A text of a tree."""
    return {"type": 2, "text": words, "lineBreakBefore": breaks}


def element(*children: dict[str, Any]) -> dict[str, Any]:
    """An element of a tree."""
    return {"type": 1, "ctor": 2, "children": list(children), "props": {}}


def tree(*children: dict[str, Any]) -> dict[str, Any]:
    """A part of a result that is a tree."""
    return {"$mid": 23, "value": {"node": element(*children)}}


def plain(words: str, **more: Any) -> dict[str, Any]:
    """A part of a result that is a text."""
    return {"$mid": 21, "value": words, **more}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([plain("a"), plain("b")], "ab"),
        ([tree(element(text("a", True)), element(text("b", True)))], "a\nb"),
        ([tree(text("a\n", True), text("b", True))], "a\nb"),
        ([tree(element(text("a")), element(text("b")))], "a\nb"),
        ([tree(text("a"), element(text("b")), text("c"))], "abc"),
        ([plain("a"), tree(text("b", True))], "a\nb"),
        ([tree(element(element(element(text("deep")))))], "deep"),
        ([plain("mine", audience=[1]), plain("ours", audience=[0, 1]), plain(" all", audience=[])], "ours all"),
        ([], "(empty)"),
        ([None, 1, []], "(empty)"),
        ([plain(" \n")], "(empty)"),
        ([{"$mid": 24, "data": "x"}], "(empty)"),
    ],
)
def test_trees_are_flattened_as_the_host_does(content: list[Any], words: str) -> None:
    """A text that asks for it begins a line, as does the first of an element that follows no text; audiences count."""
    assert result_parts(content) == (Text(words),)


def test_pictures_part_the_texts() -> None:
    """A picture is a part of its own, from a tree or beside it."""
    shot = {"$mid": 24, "mimeType": "image/png", "data": "QUJD"}
    drawn = {"type": 1, "ctor": 3, "props": {"src": "data:image/gif;base64,R0lG"}, "children": []}
    assert result_parts([plain("a"), shot, tree(text("b"), drawn)]) == (
        Text("a"),
        Image("image/png", data="QUJD"),
        Text("b"),
        Image("image/gif", data="R0lG"),
    )


@pytest.mark.parametrize(
    ("place", "picture"),
    [
        ("https://pictures.example/a.png", Image("image/x", url="https://pictures.example/a.png")),
        ("data:image/png;base64,QUJD", Image("image/png", data="QUJD")),
        ("QUJD", Image("image/x", data="QUJD")),
    ],
)
def test_a_picture_is_an_address_or_data(place: str, picture: Image) -> None:
    """Data is found in an address, or alone."""
    assert picture_of(place, "image/x") == picture
