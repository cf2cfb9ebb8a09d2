"""The compactions that were made, newest first, of one chat or of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.errors import InvalidParams
from compact_chat.operations import ChatRef, ClientState
from tests.samples.archived import Archived, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of this test's own."""
    monkeypatch.setattr(archive_places, "state_folder", lambda: tmp_path / "state")


@pytest.fixture
def made(client: ClientState, bakery: Path, tmp_path: Path, messages: Messages) -> list[Archived]:
    """Three compactions: of a file, of messages, and of another file with its archive beside it."""
    paths = [tmp_path / "a b.jsonl", tmp_path / "c.jsonl"]
    for path in paths:
        path.write_bytes(bakery.read_bytes())
    first = compacted(ChatRef(uri=paths[0].as_uri()), client)
    second = compacted(ChatRef(messages=messages), client)
    client.configure({"archive": ".kept"})
    third = compacted(ChatRef(uri=paths[1].as_uri()), client)
    client.configure({})
    return [first, second, third]


def test_the_newest_come_first(ask: Ask, made: list[Archived]) -> None:
    """All that was kept in any folder is found, whatever the setting says now."""
    found = ask("history")["compactions"]

    assert [one["compactionId"] for one in found] == [one.id for one in reversed(made)]
    assert found[0] | {"at": "", "compactionId": ""} == {
        "compactionId": "",
        "uri": made[2].uri,
        "title": "Bakery shop: discount codes at the checkout",
        "at": "",
        "provider": "host",
        "model": None,
        "before": made[2].done.before,
        "after": made[2].done.after,
        "kept": made[2].done.survival.kept,
    }
    assert found[0]["at"].endswith("Z")


def test_no_more_are_told_than_asked_for(ask: Ask, made: list[Archived]) -> None:
    """The limit takes the newest."""
    assert [one["compactionId"] for one in ask("history", limit=1)["compactions"]] == [made[2].id]
    assert ask("history", limit=0)["compactions"] == ()


def test_a_chat_is_known_however_its_uri_is_written(ask: Ask, made: list[Archived]) -> None:
    """Two URIs of one path are one chat."""
    uri = str(made[0].uri)

    for written in (uri, uri.replace("%20", " "), uri.replace("file:///", "file://localhost/")):
        assert [one["compactionId"] for one in ask("history", chat={"uri": written})["compactions"]] == [made[0].id]
    assert ask("history", chat={"uri": "file:///nowhere"})["compactions"] == ()


def test_a_uri_of_elsewhere_is_refused(ask: Ask) -> None:
    """What names no file on this machine is told with its path."""
    with pytest.raises(InvalidParams) as caught:
        ask("history", chat={"uri": "https://example.com/x"})

    assert caught.value.data["problems"][0]["path"] == "$.chat.uri"


def test_titles_hold_no_secret(ask: Ask, client: ClientState, tmp_path: Path, bakery: Path) -> None:
    """Titles are masked before they are kept."""
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
    path = tmp_path / "chat.jsonl"
    path.write_text(bakery.read_text("utf-8").replace("Bakery shop:", secret), "utf-8")
    compacted(ChatRef(uri=path.as_uri()), client)

    (one,) = ask("history")["compactions"]
    assert "[REDACTED:" in one["title"]
    records = tmp_path.rglob("compactions/*.json")
    assert [path for path in records if secret in path.read_text("utf-8").partition("\n")[0]] == []
