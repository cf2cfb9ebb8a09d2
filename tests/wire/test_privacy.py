"""Nothing of a chat comes out where a provider fails: not in errors, attempts, notices, logs or on standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import compact_chat
from tests.servers.canary_providers import CANARY, CHAT, EDITOR, KEY, REFUSED
from tests.servers.messages_api import Api, serving
from tests.servers.wire_client import SERVE, Message, WireClient

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
def client(api: Api, log: Path) -> Iterator[WireClient]:  # noqa: ARG001 -- the API's place is in the environment
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
    told = [one["params"] for one in client.asked("$/progress") if one["params"]["value"]["kind"] != "text"]
    return leaks("\n".join((*client.log, log.read_text("utf-8"), json.dumps(told))))


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
