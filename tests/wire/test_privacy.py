"""Nothing that a caller sends comes out again where nobody asked for it: in errors, notices, logs or on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import compact_chat
from compact_chat.disk import path_of
from tests.samples.canaries import (
    CANARY,
    CHAT,
    KEY,
    TURNS,
    Row,
    bad_bodies,
    by_kind,
    generated,
    of_the_past,
    unanswered,
)
from tests.servers.canary_providers import EDITOR, REFUSED, named
from tests.servers.messages_api import serving
from tests.servers.wire_client import SERVE, Message, WireClient

SUMMARIZE = "compactChat/summarize"
SMALL = {"messages": TURNS[:8]}
KIND_OF = {"one that is too long": "noGain"}
LOUD = {
    "PYTHONWARNINGS": "always",
    "PYTHONASYNCIODEBUG": "1",
    "PYTHONDEVMODE": "1",
    "ANTHROPIC_LOG": "debug",
}
FORBIDDEN = (CANARY.lower(), "traceback", 'file "', "site-packages", str(Path(compact_chat.__file__).parent).lower())
KINDS = {
    *("parseError", "invalidRequest", "methodNotFound", "invalidParams", "notInitialized", "cancelled", "chatNotFound"),
    *("chatUnreadable", "messageNotFound", "planOutdated", "nothingToCompact", "noSummary", "emptySummary", "tooLarge"),
    *("noGain", "providerFailed", "fileExists", "compactionNotFound"),
}
ABLE = {"window": {"workDoneProgress": True}, "workspace": {"configuration": True}}
SETTINGS = [{CANARY: CANARY, "windows": {CANARY: 5000, "b": CANARY}, "model": [CANARY], "redactEmails": CANARY}]


class Watched:
    """A server with a log file, and all that it let out of what it should keep to itself."""

    def __init__(self, folder: Path) -> None:
        self.log_file = folder / "server.log"
        self.client = WireClient((*SERVE, "--log-file", str(self.log_file)))
        self.client.replies = {"workspace/configuration": SETTINGS, "window/workDoneProgress/create": None}
        self.leaks: list[str] = []
        self.kinds: set[str] = set()

    def ask(self, row: Row) -> None:
        """Send a request, with tokens that are canaries too, and look at its error."""
        params = row.params
        if isinstance(params, dict) and row.kind is None:
            params = {"workDoneToken": f"work {CANARY}", "partialResultToken": f"part {CANARY}", **params}
        self.look(row.name, self.client.answer(self.client.start(row.method, params)), row.kind)

    def look(self, name: str, answer: Message, kind: str | None = None) -> None:
        """Look at an answer: an error may echo the caller's URI as `data.uri`, and nothing else."""
        if "error" not in answer:
            assert kind is None, f"{name} ended well: {str(answer)[:300]}"
            return
        error = answer["error"]
        assert kind in (None, error["data"]["kind"]), f"{name}: {error}"
        self.kinds.add(error["data"]["kind"])
        data = {key: value for key, value in error["data"].items() if key != "uri"}
        self.leaks += leaks(f"error of {name}", json.dumps({**error, "data": data}, ensure_ascii=False))

    def end(self) -> None:
        """Have the client vanish in the middle of work, and look at all that is left behind."""
        self.client.start("compactChat/preview", {"chat": {"messages": TURNS * 300}})
        self.client.stdin.close()
        self.client.end()
        self.leaks += leaks("stdout", repr(self.client.stray)) if self.client.stray else []
        self.leaks += [leak for line in self.client.log for leak in leaks("stderr", line)]
        self.leaks += [leak for line in self.log_file.read_text().split("\n") for leak in leaks("log file", line)]
        for one in self.client.inbox:
            self.leaks += leaks("notice", notice(one)) if "method" in one else []


def leaks(where: str, text: str) -> Iterator[str]:
    """What stands in a text and must not."""
    return (f"{where}: {word!r} in {text[:400]}" for word in FORBIDDEN if word in text.lower())


def notice(message: Message) -> str:
    """What a notice or a request of the server's says, but for the client's own token, and the streamed summary."""
    params = message["params"]
    if message["method"] == "$/progress":
        params = {} if params["value"]["kind"] == "text" else params["value"]
    return json.dumps([message["method"], params])


@pytest.fixture(params=["quiet", "loud"])
def watched(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """A server in a usual surrounding, and in one that makes Python and its libraries talkative."""
    for name, value in LOUD.items() if request.param == "loud" else ():
        monkeypatch.setenv(name, value)
    watched = Watched(tmp_path)
    yield watched
    watched.client.close()


def drive(watched: Watched, folder: Path) -> None:
    """Go through all that a client may do, and a good deal that it must not."""
    client = watched.client
    watched.ask(Row("too early", "compactChat/preview", {"chat": CHAT}, "notInitialized"))
    client.initialize(capabilities=ABLE, initializationOptions={"compactChat": {"capabilities": {CANARY: CANARY}}})
    made = client.call("compactChat/summarize", {"chat": CHAT, "provider": "offline"})
    original = Path(path_of(made["archive"]))
    for row in chain(generated(), by_kind(folder), of_the_past(made["compactionId"], original, folder)):
        watched.ask(row)
    for data, kind in bad_bodies():
        watched.look("a bad body", client.reply_to(data), kind)
    for data in unanswered():
        client.raw(data)
    cancel(watched)
    change_a_planned_chat(watched, folder)
    client.call("shutdown")
    watched.ask(Row("too late", "compactChat/preview", {"chat": CHAT}, "invalidRequest"))


def cancel(watched: Watched) -> None:
    """Cancel a request in the middle of its work."""
    params = {"chat": {"messages": TURNS * 300}, "workDoneToken": f"cancel {CANARY}"}
    number = watched.client.start("compactChat/preview", params)
    watched.client.until(lambda one: one.get("params", {}).get("token") == params["workDoneToken"])
    watched.client.notify("$/cancelRequest", {"id": number})
    watched.look("cancelled work", watched.client.answer(number), "cancelled")


def change_a_planned_chat(watched: Watched, folder: Path) -> None:
    """Carry out a plan whose chat has changed, then one whose chat is gone, and one with options of its own."""
    chat = folder / f"planned {CANARY}.json"
    chat.write_text(json.dumps(TURNS))
    plan = watched.client.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}})["planId"]
    options = {"instructions": CANARY}
    watched.ask(Row("options", "compactChat/summarize", {"planId": plan, "options": options}, "invalidParams"))
    chat.write_text(json.dumps(TURNS[1:]))
    watched.ask(Row("a changed chat", "compactChat/summarize", {"planId": plan}, "planOutdated"))
    chat.unlink()
    watched.ask(Row("a lost chat", "compactChat/summarize", {"planId": plan}, "chatNotFound"))


def test_no_canary_comes_out(watched: Watched, tmp_path: Path) -> None:
    """Through every operation and every kind of error, no word of the caller's is told, logged or printed."""
    drive(watched, tmp_path)
    watched.end()

    assert watched.leaks == []
    assert watched.kinds == KINDS
    assert len(watched.log_file.read_text().split("\n")) > 500


def test_no_canary_comes_out_of_the_anthropic_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an API says of the chat or the key, in a refusal or in a reply, is in no error, attempt or log."""
    with serving() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        watched = Watched(tmp_path)
        watched.client.initialize()
        for name, behaviour in REFUSED.items():
            api.then(behaviour)
            watched.ask(
                Row(name, SUMMARIZE, {"chat": SMALL, "provider": "anthropic"}, KIND_OF.get(name, "providerFailed"))
            )
        done = watched.client.call(SUMMARIZE, {"chat": SMALL})
    watched.end()
    watched.client.close()

    assert len(api.requests) > len(REFUSED)
    assert [one["outcome"] for one in done["attempts"]] == ["rejected", "rejected", "skipped", "ok"]
    assert [*leaks("attempts", json.dumps(done["attempts"]))] == []
    assert watched.leaks == []


def test_no_canary_comes_out_of_the_editor_provider(tmp_path: Path) -> None:
    """Whatever an editor says where it is asked for models or for a summary is in no error, attempt or log."""
    watched = Watched(tmp_path)
    client = watched.client
    client.initialize(initializationOptions={"compactChat": {"languageModels": True}})
    for answers in EDITOR:
        number = client.start(SUMMARIZE, {"chat": SMALL, "provider": "editor"})
        for question, answer in zip(("languageModels", "languageModel"), answers, strict=True):
            if answer:
                asked = client.until(partial(is_question, f"compactChat/{question}"))
                client.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
        watched.look(named(answers), client.answer(number), "providerFailed")
        client.take_answers()
    watched.end()
    client.close()

    assert watched.leaks == []


def is_question(method: str, message: Message) -> bool:
    """Say whether the server asks this."""
    return message.get("method") == method


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")
def test_the_log_is_its_owners_alone(watched: Watched) -> None:
    """Nobody else may read even lengths and hashes."""
    watched.client.initialize()

    assert watched.log_file.stat().st_mode & 0o777 == 0o600


def test_a_fault_of_ours_tells_nothing(start: Callable[..., WireClient]) -> None:
    """An operation that fails with the caller's words in its error answers with a neutral sentence."""
    client = start()
    client.initialize()
    errors: list[Any] = [client.error(f"compactChat/{name}", {CANARY: CANARY}) for name in ("fail", "unwritable")]
    client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": "fail"}})
    client.call("compactChat/stumble")
    client.close()

    assert [one["data"] for one in errors] == [{"kind": "internal"}] * 2
    assert not [*leaks("error", json.dumps(errors)), *leaks("stderr", "".join(client.log))]
