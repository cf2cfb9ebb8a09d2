"""Sessions of VS Code: what of their requests is live, and what is known beside the messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.chat import Chat, Text, ToolCall, ToolResult
from compact_chat.read import Source, vscode
from tests.fakes.vscode_sessions import session_chat

COPILOT = {"id": "github.copilot.editsAgent"}


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


def outline(chat: Chat) -> list[str]:
    """Each message in a word or two."""
    return ["".join(map(word, message.parts)) for message in chat.messages]


def word(part: object) -> str:
    """A part in a word or two."""
    match part:
        case Text(text):
            return text
        case ToolCall(name):
            return f" +{name}"
        case ToolResult(name):
            return f"={name}"
    return "?"


def test_a_round_is_a_reply_and_a_message_for_each_result() -> None:
    """Words and calls come together, each result by itself, and ids are those that the model knows."""
    chat = chat_of(request("1", round_of("a", "c__vscode-1", "d"), round_of("b"), results=("c__vscode-1", "d")))
    assert outline(chat) == ["asked 1", "said a +c +d", "=c", "=d", "said b"]
    assert [message.id for message in chat.messages] == ["1", "a", "a:0", "a:1", "b"]
    assert chat.messages[1].calls[0] == ToolCall("c", "look", {"at": 1})
    assert chat.messages[2].results == (ToolResult("c", (Text("got c__vscode-1"),)),)


def test_calls_that_nothing_came_of_are_not_sent_again() -> None:
    """A call without a result is left out, and with its words where the round had no other."""
    chat = chat_of(request("1", round_of("a", "c", "d"), round_of("b", "e"), results=("d",)), request("2"))
    assert outline(chat) == ["asked 1", "said a +d", "=d", "asked 2"]


def test_calls_without_an_id_are_matched_like_others() -> None:
    """An id that is missing is an empty one, for a call and for its result."""
    chat = chat_of(request("1", {"id": "a", "toolCalls": [{"name": "look"}]}, results=("",)))
    assert outline(chat) == ["asked 1", " +", "="]


def test_ids_stay_while_requests_are_added() -> None:
    """What was there before keeps its ids, and no two messages have one, though rounds may."""
    first = request("1", round_of("a", "c"), round_of("b"), results=("c",))
    requests = [first, request("2", round_of("b")), {**request("", round_of("")), "requestId": None}]
    ids = [[message.id for message in chat_of(*requests[:number]).messages] for number in (1, 2, 3)]
    assert ids[2][: len(ids[1])] == ids[1]
    assert ids[1][: len(ids[0])] == ids[0] == ["1", "a", "a:0", "b"]
    assert len(set(ids[2])) == len(ids[2]) == 8


def test_results_of_a_stopped_request_are_in_the_next() -> None:
    """Where the limit of calls was reached, the request that goes on has the last results, and says nothing new."""
    stopped = request("1", round_of("a", "c"), metadata={"maxToolCallsExceeded": True})
    more = request("2", round_of("b"), results=("c",), confirmation="Continue", metadata={"renderedUserMessage": []})
    assert outline(chat_of(stopped, more)) == ["asked 1", "said a +c", "=c", "said b"]
    assert outline(chat_of(stopped)) == ["asked 1", "said a +c"]


def test_thinking_is_not_sent_again() -> None:
    """What a model thought in a request that has ended is no part of the next prompt."""
    chat = chat_of(request("1", round_of("a", thinking={"id": "t", "text": "hm", "encrypted": "x" * 800})))
    assert outline(chat) == ["asked 1", "said a"]


def test_words_of_a_hook_follow_their_round() -> None:
    """A hook speaks as the user, and is none."""
    chat = chat_of(request("1", round_of("a", hookContext="mind the tests")))
    assert outline(chat) == ["asked 1", "said a", "mind the tests"]
    assert [message.by_host for message in chat.messages] == [False, False, True]


@pytest.mark.parametrize(
    ("flag", "is_live"),
    [
        ({"shouldBeRemovedOnSend": {"requestId": "2"}}, False),
        ({"isHidden": True}, False),
        ({"shouldBeRemovedOnSend": {"requestId": "2", "afterUndoStop": "u"}}, True),
        ({"shouldBeRemovedOnSend": None, "isHidden": False}, True),
    ],
)
def test_requests_that_were_taken_back_are_gone(flag: dict[str, Any], is_live: bool) -> None:
    """A request undone as a whole is not sent; one undone in part is, with all that its model got."""
    chat = chat_of(request("1", round_of("a")), request("2", round_of("b"), **flag), request("3"))
    assert ("asked 2" in outline(chat), "said b" in outline(chat)) == (is_live, is_live)


def test_a_request_that_failed_is_still_sent() -> None:
    """What was asked stands without an answer, framed as it is then."""
    failed = {
        "requestId": "2",
        "agent": COPILOT,
        "message": {"text": "why"},
        "result": {"metadata": {"toolCallRounds": []}},
    }
    chat = chat_of(request("1"), failed, request("3", round_of("c")))
    assert outline(chat) == ["asked 1", "<userRequest>\nwhy\n</userRequest>\n", "asked 3", "said c"]
    assert chat.warnings == ()


def test_what_only_the_screen_shows_is_told() -> None:
    """A request under way, and one that another participant answered, are read off the screen with a warning."""
    running = {"requestId": "2", "agent": COPILOT, "message": {"text": "go"}, "response": [{"value": "going"}]}
    other = {"requestId": "3", "message": "hi", "response": ["hello"], "result": {"metadata": {"ok": 1}}}
    chat = chat_of(request("1", round_of("a")), running, other)
    assert outline(chat) == ["asked 1", "said a", "<userRequest>\ngo\n</userRequest>\n", "going", "hi", "hello"]
    told = "Only what the screen shows is known of 2 of 3 requests; their size is an estimate."
    assert [(warning.code, warning.message) for warning in chat.warnings] == [("fromScreen", told)]


def test_what_a_compaction_replaced_is_no_more_told() -> None:
    """Of requests that are not live any more nothing is estimated."""
    other = {"requestId": "1", "message": "hi", "response": ["hello"]}
    cut = request("2", round_of("a"), metadata={"summary": {"toolCallRoundId": "a", "text": "S"}})
    assert [warning.code for warning in chat_of(other, cut).warnings] == []
    assert [warning.code for warning in chat_of(cut, other).warnings] == ["fromScreen"]


def test_the_model_is_that_of_the_newest_request() -> None:
    """Requests name their model; where the host was to choose, the answer names it."""
    assert chat_of(request("1"), request("2", modelId="copilot/gpt-y")).model == "copilot/gpt-y"
    assert chat_of(request("1", modelId="copilot/auto", metadata={"resolvedModel": "gpt-y"})).model == "gpt-y"
    assert chat_of(request("1", metadata={"resolvedModel": "claude-x-2027"})).model == "copilot/claude-x"
    assert chat_of().model is None


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ({"customTitle": " Bread "}, "Bread"),
        ({"version": 2, "computedTitle": "Jam"}, "Jam"),
        ({"customTitle": 5}, "which bread?"),
    ],
)
def test_the_title_is_given_or_asked(state: dict[str, Any], title: str) -> None:
    """A title of the host, or else the first line that a person typed."""
    assert chat_of(request("1", message={"text": "which bread?\nrye?"}), **state).title == title


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


def test_nothing_private_is_read() -> None:
    """Neither what was typed and not sent, nor the name of the person, nor hidden reasoning shows anywhere."""
    secret = "tell-nobody"
    thinking = {"kind": "thinking", "value": "hm", "id": secret}
    chat = chat_of(
        {"requestId": "1", "message": "hi", "response": [thinking, {"value": "hello"}], "responseId": secret},
        inputState={"inputText": secret, "attachments": [{"name": secret}]},
        requesterUsername=secret,
        requesterAvatarIconUri={"path": secret},
    )
    assert outline(chat) == ["hi", "hello"]
    assert secret not in repr(chat)


SESSION = {"version": 3, "sessionId": "s", "creationDate": 1, "responderUsername": "GitHub Copilot", "requests": []}


READERS = {
    "vscode": (vscode.sniff, vscode.read),
    "vscode-export": (vscode.sniff_export, vscode.read_export),
    "vscode-log": (vscode.sniff_log, vscode.read_log),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(SESSION), ["vscode"]),
        (json.dumps({**SESSION, "version": 1}, indent=2), ["vscode"]),
        (json.dumps({"requests": [], "responderUsername": "x", "creationDate": 1}), ["vscode"]),
        (json.dumps({"requests": [], "responderUsername": "x", "initialLocation": "panel"}), ["vscode-export"]),
        (json.dumps({"kind": 0, "v": SESSION}), ["vscode-log"]),
        (f'\ufeff\n {{ "kind" : 0, "v" : {json.dumps(SESSION)}}}\n', ["vscode-log"]),
        (json.dumps({"requests": [], "sessionId": "s"}), []),
        (json.dumps({"requests": {}, "responderUsername": "x"}), []),
        (json.dumps({"kind": 0, "v": {"else": 1}}), []),
        (json.dumps({"kind": 1, "k": ["requests"], "v": SESSION}), []),
        (json.dumps([SESSION]), []),
        ("", []),
    ],
)
def test_sessions_exports_and_logs_are_told_apart(text: str, expected: list[str]) -> None:
    """By what stands in them, never by a name."""
    source = Source.of_bytes(text.encode())
    assert [name for name, (sniff, _) in READERS.items() if sniff(source)] == expected
    assert [read(source).format for name, (_, read) in READERS.items() if name in expected] == expected


def test_messages_of_a_caller_are_no_session() -> None:
    """A document that a caller hands in is of its own kind, whatever it holds."""
    source = Source.of_document(dict(SESSION))
    assert not any(sniff(source) for sniff, _ in READERS.values())
