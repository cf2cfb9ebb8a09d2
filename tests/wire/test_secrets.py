"""Values that one message names are masked in every place of the chat, in every output of a real server."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters, digits
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.servers.messages_api import Api, serving
from tests.servers.wire_client import SERVE, WireClient

PLACES = [
    "user",
    "assistant",
    "thinking",
    "argument",
    "key",
    "nested",
    "result",
    "pieces",
    "worded",
    "document",
    "picture",
    "unknown",
    "title",
    "folder",
    "file",
    "replaced",
    "summary",
    "project",
    "focus",
    "model",
    "host",
    "handed",
    "edited",
    "given",
]
SHAPES = ("markdown", "json", "claude-code", "vscode-export")
_SIGNS = "-&/\"'<%"  # each is written in another way in JSON, URLs or markup
HANDLES = {"uri", "archive"}  # what leads to a file is its name


def _secrets() -> dict[str, tuple[str, str]]:
    source = random.Random(15)
    alike = ascii_letters + digits
    return {place: ("".join(source.choices(alike, k=9)), "".join(source.choices(alike, k=9))) for place in PLACES}


SECRETS = _secrets()


def secret(place: str) -> str:
    """The value that stands in a place; in a name of a file without a sign that would part it."""
    number = PLACES.index(place)
    sign = "-" if place in ("folder", "file", "title", "key") else _SIGNS[number % len(_SIGNS)]
    return sign.join(SECRETS[place])


def session(folder: Path, named: str) -> str:
    """A session that its tool compacted: values in every place, and in one message (`named`) their names."""
    names = "\n".join(f"mysql -u shop -p'{secret(place)}'" for place in PLACES if "'" not in secret(place))
    names += "\n" + "\n".join(f'mysql -u shop -p"{secret(place)}"' for place in PLACES if "'" in secret(place))
    records: list[dict[str, Any]] = []

    def add(role: str, *blocks: dict[str, Any] | str, **more: Any) -> None:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        message = {"role": role, "content": content, **({"id": f"m{len(records)}"} if role == "assistant" else {})}
        records.append({"type": role, "message": message, **more})

    def call(name: str, given: dict[str, Any], answer: Any) -> None:
        number = f"c{len(records)}"
        add("assistant", {"type": "tool_use", "id": number, "name": name, "input": given})
        add("user", {"type": "tool_result", "tool_use_id": number, "content": answer})

    add("user", f"Always sign with {secret('replaced')}, and fill the shelves. " * 3)
    add("assistant", "I shall fill them. " * 60 + (names if named == "replaced" else ""))
    add("user", "Go on.")
    records.append({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})
    said = "This session is being continued from a previous conversation that ran out of context. Summary:"
    add("user", f"{said}\n1. Sign with {secret('summary')}.", isCompactSummary=True)
    for _ in range(6):
        add("user", f"Connect with {secret('user')}, please. Never print it.")
        add("assistant", {"type": "thinking", "thinking": f"So {secret('thinking')} it is.", "signature": "s"})
        add("assistant", f"I decided to use {secret('assistant')} because it works.")
        path = f"{folder}/{secret('file')}.py"
        given = {"file_path": path, "old_string": "a", "new_string": f"x({secret('argument')!r})"}
        call("Edit", given, "The file was changed. " * 40)
        call("Bash", {"command": f"curl '{secret('argument')}'"}, f"Error: no access with {secret('result')}\nexit 1")
        call("odd", {secret("key"): [{"a": [secret("nested")]}]}, [{"type": "text", "text": secret("result")}])
        half = len(secret("pieces")) // 2
        add("user", f"take {secret('pieces')[:half]}", f"{secret('pieces')[half:]} then")
        worded = f"<bash-stdout>{secret('worded')}</bash-stdout>"
        add("user", worded)
        source = {"type": "text", "media_type": "text/plain", "data": f"Take {secret('document')}."}
        picture = {"type": "url", "url": f"https://shop.example/a.png?x={quote(secret('picture'))}"}
        add(
            "user",
            {"type": "document", "title": secret("document"), "context": secret("document"), "source": source},
            {"type": "image", "source": picture},
            {"type": "odd", "text": [secret("unknown")]},
        )
        add("assistant", "Done. " * 30)
    add("user", "These are all:\n" + names if named == "live" else "That is all.")
    add("assistant", "Good.")
    add("user", "What is next?")
    records.append({"type": "ai-title", "aiTitle": f"Connect with {secret('title')} now"})
    common = {"sessionId": "s", "isSidechain": False, "cwd": str(folder), "version": "2.1.0"}
    lines, parent = [], None
    for number, record in enumerate(records):
        if record.get("subtype") == "compact_boundary":
            record["logicalParentUuid"], parent = parent, None
        lines.append(json.dumps({**common, "uuid": f"u{number}", "parentUuid": parent, **record}))
        parent = f"u{number}"
    return "\n".join(lines) + "\n"


def leaks(where: str, value: Any) -> list[str]:
    """Tell which halves of which values stand in what was answered."""
    text = json.dumps(_without_handles(value))
    return [f"{where}: {place}" for place, halves in SECRETS.items() if any(half in text for half in halves)]


def _without_handles(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_handles(item) for name, item in value.items() if name not in HANDLES}
    return [_without_handles(item) for item in value] if isinstance(value, list) else value


def reply(place: str) -> str:
    """What a model, a host or a person writes, which knows a value that nobody asked for."""
    return f"<analysis>a</analysis>\n<summary>\n1. Primary Request and Intent:\nFill with {secret(place)}.\n</summary>"


@pytest.fixture
def api() -> Iterator[Api]:
    """A model that repeats a value."""
    with serving(text=reply("model")) as served:
        yield served


@pytest.fixture
def client(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireClient]:
    """A server that writes a log, knows a model, and has an editor with another."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    client = WireClient((*SERVE, "--log-file", str(tmp_path / "server.log")))
    client.replies["compactChat/languageModels"] = {
        "models": [{"id": "m", "name": "M", "maxInputTokens": 90_000, "consent": True}]
    }
    client.replies["compactChat/languageModel"] = {
        "role": "assistant",
        "content": {"type": "text", "text": reply("host")},
        "model": "m",
        "stopReason": "endTurn",
    }
    editor = {"compactChat": {"languageModels": True}}
    client.initialize(capabilities={"window": {"workDoneProgress": True}}, initializationOptions=editor)
    yield client
    client.close()


@pytest.mark.parametrize("named", ["live", "replaced"])
def test_a_value_that_is_named_once_is_nowhere(client: WireClient, api: Api, tmp_path: Path, named: str) -> None:
    """Contract 4, `redact`: whatever is sent, shown or written has no value that the chat names anywhere."""
    folder = tmp_path / f"shop {secret('folder')}"
    (folder / ".git").mkdir(parents=True)
    (folder / "CLAUDE.md").write_text(f"## Compact Instructions\nKeep {secret('project')}.\n")
    file = tmp_path / "sessions" / "s.jsonl"
    file.parent.mkdir()
    file.write_text(session(folder, named))
    ref = {"uri": file.as_uri()}
    options = {"instructions": f"Mind {secret('focus')}.", "minKeep": 6}
    found, done = list[str](), dict[str, Any]()

    def ask(name: str, label: str = "", **params: Any) -> Any:
        answer = done[label or name] = client.call(f"compactChat/{name}", params)
        found.extend(leaks(label or name, answer))
        return answer

    ask("sessions", roots=[file.parent.as_uri()])
    ask("countTokens", chat=ref, perMessage=True, biggest=100)
    shown = ask("preview", chat=ref, options=options)
    ask("prompt", chat=ref, options=options)
    asked = {"chat": ref, "options": options, "include": ["prompt", "raw", "facts"]}
    for provider in ("offline", "anthropic", "editor"):
        ask("summarize", provider, **asked, provider=provider, partialResultToken=f"text {provider}")
    handed = {"include": asked["include"], "partialResultToken": "handed"}
    ask("summarize", "reply", **handed, planId=shown["planId"], reply=reply("handed"))
    for strategy in ("keep", "prune"):
        rules = {"strategy": strategy, "keepRecent": 30, "prune": {"maxChars": 100, "head": 40, "tail": 40}}
        ask("summarize", strategy, chat=ref, options=rules)
    ask("check", chat=ref, include=["facts"])
    ask("check", "check of a summary", chat=ref, summary=f"Filled with {secret('edited')}.", include=["facts"])
    ask("format", text=f"<summary>password='{secret('given')}'; then {secret('given')}</summary>")
    names = [{"role": "user", "content": f'mysql -p"{secret("given")}"'}]
    ask("continuation", summary=f"Filled with {secret('given')}.", messages=names)
    ask("transcript", chat=ref)
    ask("transcript", "transcript of the replaced", chat=ref, replaced=True)
    ids = [one["id"] for one in done["transcript"]["messages"]]
    ask("transcript", "transcript of one", chat=ref, ids=ids[1:2])
    ask("history")
    drafted = client.call("compactChat/draft", {"chat": ref, "options": options})
    change = {"draftId": drafted["draftId"], "text": f"# Mine\nFilled with {secret('edited')}.\n"}
    for draft in (drafted, client.call("compactChat/draft", change)):
        found += leaks("draft", {**draft, "options": None})  # are the client's own
    ask("watch", chat=ref)
    with file.open("a") as more:
        more.write(
            json.dumps({"type": "custom-title", "customTitle": f"With {secret('title')}", "sessionId": "s"}) + "\n"
        )
    client.until(lambda one: one.get("method") == "compactChat/meter")
    for label in ("offline", "anthropic", "editor", "reply", "keep", "prune"):
        compaction = done[label]["compactionId"]
        ask("transcript", f"transcript of {label}", compactionId=compaction)
        again = client.call("compactChat/restore", {"compactionId": compaction, "include": ["compaction"]})
        found += leaks(f"restore of {label}", again["compaction"])
        for shape in SHAPES:
            uri = (tmp_path / f"{label}.{shape}").as_uri()
            made = client.call("compactChat/export", {"compactionId": compaction, "as": shape, "uri": uri})["uri"]
            found += leaks(f"{shape} of {label}", Path(unquote(urlsplit(made).path)).read_text("utf-8"))
    found += [leak for request in api.requests for leak in leaks("request body", request.json)]
    found += leaks("notices and requests", [one for one in client.inbox if "method" in one])
    found += leaks("log", (tmp_path / "server.log").read_text() + "".join(client.log))

    assert sorted(found) == []
    assert api.requests
    assert client.asked("compactChat/languageModel")
    assert shown["redactions"]["repeats"] > 40
    assert len(done["preview"]["instructions"]) == 1
