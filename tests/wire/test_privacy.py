"""Nothing of a chat comes out where a provider fails: not in errors, attempts, notices, logs or on standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import compact_chat
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import Behaviour, chunk, event, opened, plain, raw, saying, steps, stop
from tests.servers.messages_api_wire import Exchange, error_body
from tests.servers.wire_client import SERVE, Message, WireClient

CANARY = "Quetzal7261"
KEY = f"sk-ant-api03-{CANARY}-{'x' * 80}AA"
SAID = f"{CANARY} {KEY}"
CHAT = {
    "messages": [
        {"role": ("user", "assistant")[n % 2], "content": f"{CANARY} {n} holds {n * 7} trays; the key is {KEY}. " * 9}
        for n in range(8)
    ]
}
STATUSES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
}
PAGE = f"<html><h1>{SAID}</h1></html>"
REFUSED: dict[str, Behaviour] = {
    **{str(status): plain(status, error_body(kind, SAID, CANARY), x_told=CANARY) for status, kind in STATUSES.items()},
    "418": plain(418, error_body(CANARY, SAID)),
    "too long": plain(400, error_body("invalid_request_error", f"prompt is too long: {SAID}")),
    "page": plain(200, PAGE, content_type="text/html"),
    "page of a proxy": plain(502, PAGE, content_type="text/html"),
    "moved": plain(307, "", location=f"https://{CANARY}.example.com/{KEY}"),
    "not HTTP": steps(raw(f"{SAID}\r\n\r\n".encode()), Exchange.close),
    "broken JSON": steps(opened, chunk(f'event: message_delta\ndata: {{"{SAID}\n\n'.encode()), Exchange.end),
    "error in the stream": steps(opened, event("error", error={"type": CANARY, "message": SAID}), Exchange.end),
    "unknown end": steps(opened, stop(CANARY), event("message_stop"), Exchange.end),
    "no summary": saying(SAID),
    "an empty one": saying(f"<summary></summary>{SAID}"),
    "one that is too long": saying(f"<summary>{SAID} {f'{CANARY} ' * 1200}</summary>"),
}
ERROR = {"message": SAID, "data": {"reason": CANARY, "kind": CANARY, CANARY: KEY}}
MODELS = {"models": [{"id": "first", "name": CANARY, "maxInputTokens": 100_000, "consent": True}]}
TEXT = {"type": "text", "text": SAID}
# What an editor answers to the question for its models, and to the question for a summary: a result or an error.
EDITOR: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    *(({"error": {"code": code, **ERROR}}, {}) for code in (-32803, -32601, -32603, 1)),
    *(({"result": odd}, {}) for odd in (CANARY, [CANARY], {CANARY: CANARY}, {"models": CANARY}, {"models": [SAID]})),
    *(({"result": MODELS}, {"error": {"code": code, **ERROR}}) for code in (-32803, -32601, 1)),
    ({"result": MODELS}, {"error": {**ERROR, "code": -32803, "data": {"reason": "blocked", CANARY: KEY}}}),
    *(({"result": MODELS}, {"result": odd}) for odd in (CANARY, [CANARY], {"content": CANARY}, {"content": [TEXT]})),
    ({"result": MODELS}, {"result": {"role": "assistant", "content": TEXT, "model": CANARY, "stopReason": CANARY}}),
    ({"result": MODELS}, {"result": {"role": CANARY, "content": {**TEXT, "type": CANARY}, "usage": SAID}}),
)
SUMMARIZE = "compactChat/summarize"
KIND_OF = {"one that is too long": "noGain"}
FORBIDDEN = (CANARY.lower(), "traceback", 'file "', "site-packages", str(Path(compact_chat.__file__).parent).lower())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the server writes its log."""
    return tmp_path / "server.log"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A model API for the server, in an environment that makes Python and its libraries talkative."""
    with serving() as api:
        loud = {"PYTHONWARNINGS": "always", "PYTHONASYNCIODEBUG": "1", "PYTHONDEVMODE": "1", "ANTHROPIC_LOG": "debug"}
        for name, value in {**loud, "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": KEY}.items():
            monkeypatch.setenv(name, value)
        yield api


@pytest.fixture
def client(api: Api, log: Path) -> Iterator[WireClient]:
    """A server that writes a log, not yet initialized."""
    client = WireClient((*SERVE, "--log-file", str(log)))
    yield client
    client.close()


def leaks(text: str) -> list[str]:
    """What is in a text and must not."""
    return [f"{word!r} in {text[:400]}" for word in FORBIDDEN if word in text.lower()]


def let_out(client: WireClient, log: Path) -> list[str]:
    """End the server, and find what it let out of what it should keep to itself."""
    client.stdin.close()
    client.end()
    assert client.stray == []
    reported = [one["params"] for one in client.asked("$/progress") if one["params"]["value"]["kind"] != "text"]
    return leaks("\n".join((*client.log, log.read_text("utf-8"), json.dumps(reported))))


def test_no_word_comes_out_of_the_anthropic_provider(client: WireClient, api: Api, log: Path) -> None:
    """Whatever an API says of the chat or the key, in a refusal or in a reply, is in no error, attempt or log."""
    client.initialize(capabilities={"window": {"workDoneProgress": True}})
    for name, behaviour in REFUSED.items():
        api.then(behaviour)
        error = client.error(SUMMARIZE, {"chat": CHAT, "provider": "anthropic", "workDoneToken": name})
        assert error["data"]["kind"] == KIND_OF.get(name, "providerFailed"), name
        assert leaks(json.dumps(error)) == []
    done = client.call(SUMMARIZE, {"chat": CHAT})

    assert len(api.requests) > len(REFUSED)
    assert [one["outcome"] for one in done["attempts"]] == ["rejected", "rejected", "skipped", "ok"]
    assert [*leaks(json.dumps(done["attempts"])), *let_out(client, log)] == []


def test_no_word_comes_out_of_the_editor_provider(client: WireClient, log: Path) -> None:
    """Whatever an editor says where it is asked for models or for a summary is in no error, attempt or log."""
    client.initialize(initializationOptions={"compactChat": {"languageModels": True}})
    for answers in EDITOR:
        number = client.start(SUMMARIZE, {"chat": CHAT, "provider": "editor"})
        for question, answer in zip(("languageModels", "languageModel"), answers, strict=True):
            if answer:
                asked = client.until(partial(is_question, f"compactChat/{question}"))
                client.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
        error = client.answer(number)["error"]
        assert error["data"]["kind"] == "providerFailed", answers
        assert leaks(json.dumps(error)) == []
        client.take_answers()
    assert let_out(client, log) == []


def is_question(method: str, message: Message) -> bool:
    """Say whether the server asks this."""
    return message.get("method") == method


def test_no_word_comes_out_where_a_plan_is_outdated_or_work_is_cut_off(
    client: WireClient, log: Path, tmp_path: Path
) -> None:
    """A chat that changed or is gone, too early a request, a cancelled one, and a client that vanishes amid work."""
    errors = [client.error("compactChat/preview", {"chat": CHAT})]
    client.initialize()
    path = tmp_path / f"{CANARY}.json"
    path.write_text(json.dumps(CHAT["messages"]))
    plan = client.call("compactChat/preview", {"chat": {"uri": path.as_uri()}})["planId"]
    errors.append(client.error(SUMMARIZE, {"planId": plan, "options": {"instructions": CANARY}}))
    path.write_text(json.dumps(CHAT["messages"][1:]))
    errors.append(client.error(SUMMARIZE, {"planId": plan}))
    path.unlink()
    errors.append({**client.error(SUMMARIZE, {"planId": plan}), "data": {"kind": "chatNotFound"}})  # without its URI
    large = {"chat": {"messages": CHAT["messages"] * 300}, "workDoneToken": "cancelled"}
    number = client.start("compactChat/preview", large)
    client.until(lambda one: one.get("method") == "$/progress")
    client.notify("$/cancelRequest", {"id": number})
    errors.append(client.answer(number)["error"])
    client.start("compactChat/preview", large)

    kinds = ["notInitialized", "invalidParams", "planOutdated", "chatNotFound", "cancelled"]
    assert [error["data"]["kind"] for error in errors] == kinds
    assert [*leaks(json.dumps(errors)), *let_out(client, log)] == []
