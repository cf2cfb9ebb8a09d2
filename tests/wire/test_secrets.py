"""Hundreds of secrets in one chat: none of them reaches a provider, a result, an export, a progress text or a log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from compact_chat.redact import Redactor
from tests.servers.messages_api import Api, serving
from tests.servers.wire_client import SERVE, Message, WireClient
from tests.strategies.secrets_places import TOKENS, Planted, all_left_over, planted

SECRETS = list(planted(220, seed=7))  # each kind and each place; `bench_redaction.py` has thousands
AROUND = "\n".join((*TOKENS, *(part for one in SECRETS for part in one.around)))  # and the kinds' names
SHAPES = ("markdown", "json", "claude-code", "vscode-export")
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}")


def chat() -> list[dict[str, Any]]:
    """Put a secret into each message: into what is said, into arguments, into what tools answer, and cut in two."""
    return [message for number, one in enumerate(SECRETS) for message in _turn(number, one)]


def _turn(number: int, one: Planted) -> Iterator[dict[str, Any]]:
    asked, content = {"command": f"{one.text}\n"}, [_text(f"error:\n{one.text}\n")]
    match number % 3:
        case 0:
            yield {"role": "user", "content": f"Please fix the shelf {number}.\n{one.text}\n"}
            yield {"role": "assistant", "content": [_text(f"Shelf {number} has 7 trays.")]}
        case 1:
            call = {
                "type": "tool_use",
                "id": f"c{number}",
                "name": "run",
                "input": asked if number % 2 else {"path": "a.py"},
            }
            result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "ok" if number % 2 else content}
            yield {"role": "assistant", "content": [call]}
            yield {"role": "user", "content": [result]}
        case _:
            middle = one.text.index(one.secret) + len(one.secret) // 2
            yield {"role": "user", "content": [_text(one.text[:middle]), _text(one.text[middle:])]}
            yield {"role": "assistant", "content": "I must never show it."}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def leaks(where: str, value: Any) -> list[str]:
    """Tell which secrets stand in the strings of a value."""
    text = "\n".join(_strings(value))
    return [f"{where}: {one.kind} {piece!r}" for one, piece in all_left_over(SECRETS, text, AROUND)]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (*_strings(key), *_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


@pytest.fixture
def api() -> Iterator[Api]:
    """A model that repeats secrets which it was never told."""
    said = "\n".join(one.text for one in SECRETS)
    with serving(
        text=f"<analysis>a</analysis>\n<summary>\n1. Primary Request and Intent:\n{said}\n</summary>"
    ) as served:
        yield served


@pytest.fixture
def client(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireClient]:
    """A server that writes a log and knows the model."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    client = WireClient((*SERVE, "--log-file", str(tmp_path / "server.log")))
    client.initialize(capabilities={"window": {"workDoneProgress": True}})
    yield client
    client.close()


def test_secrets_stay_here(client: WireClient, api: Api, tmp_path: Path) -> None:
    """Contract 4, `redact`: requests, summaries, prompts, transcripts, exports and progress hold no secret."""
    ref, options = {"messages": chat()}, {"budget": 20_000}
    done: dict[str, Message] = {}
    for name in ("preview", "prompt"):
        done[name] = client.call(f"compactChat/{name}", {"chat": ref, "options": options})
    for provider in ("offline", "auto"):
        asked = {"chat": ref, "options": options, "provider": provider, "include": ["prompt", "raw"]}
        done[provider] = client.call("compactChat/summarize", {**asked, "partialResultToken": f"text {provider}"})
    summary = "\n".join(one.text for one in SECRETS)
    done["format"] = client.call("compactChat/format", {"text": f"<summary>{summary}</summary>"})
    done["continuation"] = client.call("compactChat/continuation", {"summary": summary, "messages": chat()[-40:]})
    done["check"] = client.call("compactChat/check", {"chat": ref, "summary": "The shelves."})
    done["history"] = client.call("compactChat/history", {})
    drafted = client.call("compactChat/draft", {"chat": ref, "options": options})
    change = {"draftId": drafted["draftId"], "text": f"# Mine\n{summary}", "options": {"instructions": summary}}
    done["draft"] = {**client.call("compactChat/draft", change), "options": None}  # are the client's own
    done["transcript"] = client.call("compactChat/transcript", {"chat": ref})
    again = {"compactionId": done["auto"]["compactionId"], "include": ["compaction"]}
    done["restore"] = client.call("compactChat/restore", again)["compaction"]

    found = [leak for name, answer in done.items() for leak in leaks(name, answer)]
    found += [leak for request in api.requests for leak in leaks("request body", request.json)]
    found += leaks("notices", [one for one in client.inbox if "method" in one])
    for provider in ("offline", "auto"):
        found += _exported(client, done[provider]["compactionId"], tmp_path / provider)
    found += leaks("log", (tmp_path / "server.log").read_text() + "".join(client.log))

    assert found == []
    assert api.requests
    assert done["preview"]["redactions"]["total"] >= len({one.secret for one in SECRETS}) * 0.9


@pytest.mark.parametrize(
    "options", [{"minKeep": 390}, {"strategy": "prune", "prune": {"maxChars": 300, "head": 100, "tail": 50}}]
)
def test_what_stays_verbatim_is_masked_in_exports(client: WireClient, tmp_path: Path, options: dict[str, Any]) -> None:
    """Contract 4: kept messages come back as they are, but in no form of export do they take a secret along."""
    asked = {"chat": {"messages": chat()}, "provider": "offline", "include": ["messages"], "options": options}
    done = client.call("compactChat/summarize", asked)

    assert len(leaks("messages", done["messages"])) >= len(SECRETS) * 0.5
    assert _exported(client, done["compactionId"], tmp_path / "exports") == []


def _exported(client: WireClient, compaction: str, folder: Path) -> list[str]:
    folder.mkdir()
    found = []
    for shape in SHAPES:
        uri = (folder / f"{shape}.out").as_uri()
        asked = {"compactionId": compaction, "as": shape, "uri": uri}
        path = Path(unquote(urlsplit(client.call("compactChat/export", asked)["uri"]).path))
        text = _without_our_ids(path.read_text("utf-8"))
        whole = [json.loads(text)] if shape.endswith(("json", "export")) else text.split("\n")
        lines = [json.loads(line) for line in whole if line] if shape == "claude-code" else whole
        found += leaks(f"export as {shape}", lines)
    return found


def _without_our_ids(text: str) -> str:
    """An export without the ids that we made for it: among thousands, digits of one may be those of a secret."""
    said = json.dumps(chat())
    return _ID.sub(lambda found: found[0] if found[0] in said else "id", text)


def test_a_chat_that_is_not_masked_would_be_found_out() -> None:
    """The search for leaks finds each secret in the chat itself, and none in a text that is masked."""
    assert len(leaks("chat", chat())) >= len(SECRETS) * 0.7
    assert leaks("masked", [Redactor()(one.text) for one in SECRETS]) == []
