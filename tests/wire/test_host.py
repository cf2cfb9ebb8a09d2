"""Questions to the client over the wire: its models asked, streamed, refused and cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.host import MODEL, MODELS, model, reply
from tests.servers.wire_client import FAKE, SERVE, Message, WireClient

SECRET = "compactChat/secret"
ALL = {"compactChat": {"languageModels": True, "secrets": True}}
ASK: Message = {"text": "Summarise.", "partialResultToken": "to the user"}


@pytest.fixture(scope="module")
def shared() -> Iterator[WireClient]:
    """A client that declared all, for tests that leave its server as it was."""
    client = WireClient(FAKE)
    client.initialize(initializationOptions=ALL)
    yield client
    client.close()
    assert (client.stray, client.asked("window/showMessage"), client.log) == ([], [], [])


@pytest.fixture
def editor(shared: WireClient) -> WireClient:
    """The shared client with two models, as it was before any other test."""
    shared.take_answers()
    shared.replies = {MODELS: {"models": [model("a"), model("b", consent=False)]}}
    return shared


def question(client: WireClient) -> Message:
    """Wait for the question to a model."""
    return client.until(lambda one: one.get("method") == MODEL)


def stream(client: WireClient, token: Any, piece: Any) -> None:
    """Send a piece of text."""
    client.notify("$/progress", {"token": token, "value": {"kind": "text", "text": piece}})


def streamed(client: WireClient) -> str:
    """The text that came back under the token of the operation."""
    return "".join(one["text"] for one in client.progress("to the user"))


def close(client: WireClient, asked: Message, **answer: Any) -> None:
    """Answer a question."""
    client.send({"jsonrpc": "2.0", "id": asked["id"], **answer})


@pytest.mark.parametrize("by_progress", [False, True])
def test_cancelling_reaches_the_model(editor: WireClient, by_progress: bool) -> None:
    """A cancelled operation is answered once, its model is told to stop, and what comes late is dropped."""
    number = editor.start("compactChat/model", {**ASK, "workDoneToken": "w"})
    asked = question(editor)
    if by_progress:
        editor.notify("window/workDoneProgress/cancel", {"token": "w"})
    else:
        editor.notify("$/cancelRequest", {"id": number})
    assert editor.answer(number)["error"]["code"] == -32800
    assert [one["params"] for one in editor.asked("$/cancelRequest")] == [{"id": asked["id"]}]
    stream(editor, asked["params"]["partialResultToken"], "late")
    close(editor, asked, result=reply("late"))
    assert editor.call("compactChat/echo", {"a": 1}) == {"a": 1}
    assert (len(editor.answers(number)), streamed(editor)) == (1, "")


def test_questions_at_once_are_not_mixed_up(editor: WireClient) -> None:
    """Ten operations that ask a model each hear their own text and get their own reply, in whatever order they end."""
    numbers = [editor.start("compactChat/model", {"text": str(n), "partialResultToken": n}) for n in range(10)]
    editor.until(lambda _: len(editor.asked(MODEL)) == 10)
    for asked in reversed(editor.asked(MODEL)):
        name = asked["params"]["messages"][0]["content"]["text"]
        stream(editor, asked["params"]["partialResultToken"], f"of {name}")
        close(editor, asked, result=reply(f"of {name}"))
    for n, number in enumerate(numbers):
        assert editor.answer(number)["result"]["text"] == f"of {n}"
        assert [one["text"] for one in editor.progress(n)] == [f"of {n}"]


def test_summarize_asks_the_model_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """L9: only with consent; the model's text is streamed and comes as the summary."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    client = WireClient(SERVE)
    client.replies = {MODELS: {"models": [model("a", consent=False, window=100_000)]}}
    client.initialize(initializationOptions={"compactChat": {"languageModels": True}})
    turns = [("user", "Please add a price column to orders.py. "), ("assistant", "The column is there now. ")] * 6
    chat = {"messages": [{"role": role, "content": words * 40} for role, words in turns]}

    unasked = client.call("compactChat/summarize", {"chat": chat})
    assert {one["provider"]: one["outcome"] for one in unasked["attempts"]}["editor"] == "skipped"
    assert client.asked(MODEL) == []

    params = {"chat": chat, "provider": "editor", "userInitiated": True, "partialResultToken": "to the user"}
    number = client.start("compactChat/summarize", params)
    asked = question(client)
    body = "1. Primary Request and Intent:\n   A price column in orders.py.\n"
    stream(client, asked["params"]["partialResultToken"], f"<summary>\n{body}")
    client.until(lambda _: "orders.py" in streamed(client))
    close(client, asked, result=reply(f"<summary>\n{body}</summary>"))
    result = client.answer(number)["result"]
    assert (result["provider"], result["model"]) == ("editor", "m")
    assert result["summary"] == f"Summary:\n{body.rstrip()}"
    client.close()
