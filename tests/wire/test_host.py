"""Questions to the client over the wire: its models asked, streamed, refused and cancelled."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
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


def question(client: WireClient, method: str = MODEL) -> Message:
    """Wait for a question, and give it."""
    return client.until(lambda one: one.get("method") == method)


def stream(client: WireClient, token: Any, piece: Any) -> None:
    """Tell a piece of text."""
    client.notify("$/progress", {"token": token, "value": {"kind": "text", "text": piece}})


def streamed(client: WireClient) -> str:
    """The text that came back under the token of the operation."""
    return "".join(one["text"] for one in client.progress("to the user"))


def close(client: WireClient, asked: Message, **answer: Any) -> None:
    """Answer a question."""
    client.send({"jsonrpc": "2.0", "id": asked["id"], **answer})


def test_a_model_of_the_client_replies(editor: WireClient) -> None:
    """The models are asked for, one is asked to reply, and its text comes while it writes and in the result."""
    number = editor.start("compactChat/model", ASK)
    asked = question(editor)
    token = asked["params"]["partialResultToken"]
    assert asked["params"]["model"] == "a"
    for piece in ("one ", "two ", "three"):
        stream(editor, token, piece)
    close(editor, asked, result=reply("one two three", stopReason="endTurn"))
    assert editor.answer(number)["result"] == {"text": "one two three", "model": "m"}
    assert streamed(editor) == "one two three"
    assert editor.asked("$/cancelRequest") == []


def test_text_comes_while_the_model_writes(editor: WireClient) -> None:
    """Each piece reaches the user before the next is there."""
    number = editor.start("compactChat/model", ASK)
    asked = question(editor)
    for count in range(5):
        stream(editor, asked["params"]["partialResultToken"], "x")
        editor.until(lambda _, wanted=count: len(streamed(editor)) == wanted + 1)  # type: ignore[misc]  # bound early
    close(editor, asked, result=reply("xxxxx"))
    assert editor.answer(number)["result"]["text"] == "xxxxx"


def test_what_was_not_streamed_comes_before_the_result(editor: WireClient) -> None:
    """A client that does not stream has its text passed on all the same."""
    editor.replies[MODEL] = reply("whole")
    editor.call("compactChat/model", ASK)
    assert streamed(editor) == "whole"


@pytest.mark.parametrize("declared", [{}, {"languageModels": 1}])
def test_who_declared_nothing_is_asked_nothing(start: Callable[[], WireClient], declared: Any) -> None:
    """A client is never asked what it did not declare, whatever an operation would like to know."""
    client = start()
    client.initialize(initializationOptions={"compactChat": declared})
    assert client.call("compactChat/model", {"text": "x"}) == {"kind": "noModel"}
    for method in (MODELS, MODEL, SECRET):
        assert client.call("compactChat/ask", {"method": method}) == {"code": -32601, "data": {}}
    assert [one for one in client.inbox if "method" in one] == []


def test_a_secret_is_asked_for(editor: WireClient) -> None:
    """A secret comes as the client has it, null where it has none; the log knows nothing of it."""
    for value in ("sk-secret", None):
        editor.replies[SECRET] = {"value": value}
        told = editor.call("compactChat/ask", {"method": SECRET, "params": {"name": "anthropicApiKey"}})
        assert told == {"result": {"value": value}}
    assert editor.asked(SECRET)[0]["params"] == {"name": "anthropicApiKey"}


@pytest.mark.parametrize("by_progress", [False, True])
def test_cancelling_reaches_the_model(editor: WireClient, by_progress: bool) -> None:
    """A cancelled operation is answered once and at once, its model is told to stop, and what comes late is dropped."""
    number = editor.start("compactChat/model", {**ASK, "workDoneToken": "w"})
    asked = question(editor)
    began = time.perf_counter()
    if by_progress:
        editor.notify("window/workDoneProgress/cancel", {"token": "w"})
    else:
        editor.notify("$/cancelRequest", {"id": number})
    assert editor.answer(number)["error"]["code"] == -32800
    assert editor.answered[number] - began < 1  # bench: within 10 ms
    assert [one["params"] for one in editor.asked("$/cancelRequest")] == [{"id": asked["id"]}]
    stream(editor, asked["params"]["partialResultToken"], "late")
    close(editor, asked, result=reply("late"))
    assert editor.call("compactChat/echo", {"a": 1}) == {"a": 1}
    assert (len(editor.answers(number)), streamed(editor)) == (1, "")


def test_a_busy_thread_holds_up_no_cancellation(client: WireClient) -> None:
    """Threads take turns each millisecond: a cancellation needs three of them until it is answered, and has 10 ms."""
    assert client.call("compactChat/turns") == {"seconds": pytest.approx(0.001)}


def test_a_silent_model_is_told_to_stop(editor: WireClient) -> None:
    """A model that says nothing for the idle time is cancelled in the client, and the operation goes on."""
    assert editor.call("compactChat/model", {**ASK, "idle": 0.05}) == {"kind": "timeout"}
    assert [one["params"]["id"] for one in editor.asked("$/cancelRequest")] == [question(editor)["id"]]


def test_a_model_cancelled_in_the_client_cancels_the_operation(editor: WireClient) -> None:
    """Whoever stops the model in the editor wants no other one to be asked."""
    number = editor.start("compactChat/model", ASK)
    close(editor, question(editor), error={"code": -32800, "message": "cancelled"})
    assert editor.answer(number)["error"]["data"] == {"kind": "cancelled"}


@pytest.mark.parametrize(
    "answer",
    [
        {"result": None},
        {"result": {"role": "assistant"}},
        {"result": reply("\ud800", extra={"jsonrpc": "2.0", "method": "exit", "id": 1})},
        {"result": [[[[]]]], "error": None},
        {"error": "no"},
        {"error": {"code": "no", "data": "no"}},
        {"error": {"code": -32803, "message": "secret", "data": {"reason": {}}}},
        {"error": [], "result": reply("both")},
        {"result": reply("deep", usage=json.loads("[" * 200 + "]" * 200))},
    ],
)
def test_an_odd_answer_hurts_nothing(editor: WireClient, answer: Any) -> None:
    """Whatever a client answers, the operation ends with a result, and the next one works."""
    tokens: tuple[Any, ...] = (None, 1, [], {}, "forged", "compact-chat-1")
    for token in tokens:
        stream(editor, token, "forged")
    number = editor.start("compactChat/model", ASK)
    close(editor, question(editor), **answer)
    assert set(editor.answer(number)["result"]) in ({"kind"}, {"text", "model"})
    assert "forged" not in streamed(editor)
    editor.replies[MODEL] = reply("fine")
    assert editor.call("compactChat/model", ASK)["text"] == "fine"


def test_an_answer_beyond_the_limits_is_a_refusal(editor: WireClient) -> None:
    """An answer with too many values is no reply of a model, and the operation does not wait for another."""
    number = editor.start("compactChat/model", ASK)
    close(editor, question(editor), result={**reply("much"), "more": [[]] * 2_100_000})
    assert editor.answer(number)["result"] == {"kind": "protocol"}


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


def test_the_client_may_leave_while_its_model_is_asked(start: Callable[[], WireClient]) -> None:
    """`shutdown` cancels the question, answers the operation, and the process ends as it should."""
    editor = start()
    editor.initialize(initializationOptions=ALL)
    editor.replies = {MODELS: {"models": [model("a")]}}
    number = editor.start("compactChat/model", ASK)
    question(editor)
    assert editor.call("shutdown") is None
    assert editor.answer(number)["error"]["code"] == -32800
    editor.notify("exit", None)
    assert editor.end() == 0


@pytest.fixture(scope="module")
def real_server() -> Iterator[WireClient]:
    """The server as it is shipped, without a key in its environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            patch.delenv(name, raising=False)
        client = WireClient(SERVE)
    client.initialize(initializationOptions={"compactChat": {"languageModels": True}})
    client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"archive": "off"}}})
    yield client
    client.close()


@pytest.fixture
def shipped(real_server: WireClient) -> WireClient:
    """The real server, with a client that has one model."""
    real_server.take_answers()
    real_server.replies = {MODELS: {"models": [model("a", consent=False, window=100_000)]}}
    return real_server


def chat() -> Message:
    """A chat that is worth a summary."""
    turns = [("user", "Please add a price column to orders.py. "), ("assistant", "The column is there now. ")] * 6
    return {"messages": [{"role": role, "content": words * 40} for role, words in turns]}


def test_summarize_asks_the_model_of_the_client(shipped: WireClient) -> None:
    """L9: a summary by the editor's model is streamed as it is written, and comes as the result's summary."""
    params = {"chat": chat(), "provider": "editor", "userInitiated": True, "partialResultToken": "to the user"}
    number = shipped.start("compactChat/summarize", params)
    asked = question(shipped)
    assert "</summary>" in asked["params"]["messages"][0]["content"]["text"]
    body = "1. Primary Request and Intent:\n   A price column in orders.py.\n"
    stream(shipped, asked["params"]["partialResultToken"], "<summary>\n")
    stream(shipped, asked["params"]["partialResultToken"], body)
    shipped.until(lambda _: "orders.py" in streamed(shipped))
    close(shipped, asked, result=reply(f"<summary>\n{body}</summary>"))
    result = shipped.answer(number)["result"]
    assert (result["provider"], result["model"]) == ("editor", "m")
    assert result["summary"] == f"Summary:\n{body.rstrip()}"


def test_a_reply_without_its_end_is_never_a_summary(shipped: WireClient) -> None:
    """L10: what the client's model broke off is refused, and says so; the chat is unchanged."""
    shipped.replies[MODEL] = reply("<summary>\n1. Primary Request and Intent:\n   A price col")
    error = shipped.error("compactChat/summarize", {"chat": chat(), "provider": "editor", "userInitiated": True})
    assert error["data"]["kind"] == "providerFailed"
    assert error["data"]["attempts"][0]["outcome"] == "rejected"


def test_without_consent_nobody_is_disturbed(shipped: WireClient) -> None:
    """L9: what nobody started goes past a model without consent, and says why."""
    result = shipped.call("compactChat/summarize", {"chat": chat()})
    told = {one["provider"]: one["outcome"] for one in result["attempts"]}
    assert (result["provider"], told["editor"], told["offline"]) == ("offline", "skipped", "ok")
    assert shipped.asked(MODEL) == []


def test_a_cancelled_summary_stops_the_model_of_the_client(shipped: WireClient) -> None:
    """Cancelling `summarize` while a model writes is answered at once, stops it, and the next request works."""
    number = shipped.start("compactChat/summarize", {"chat": chat(), "provider": "editor", "userInitiated": True})
    asked = question(shipped)
    shipped.notify("$/cancelRequest", {"id": number})
    assert shipped.answer(number)["error"]["data"] == {"kind": "cancelled"}
    assert [one["params"] for one in shipped.asked("$/cancelRequest")] == [{"id": asked["id"]}]
    assert shipped.call("compactChat/summarize", {"chat": chat(), "provider": "offline"})["provider"] == "offline"
