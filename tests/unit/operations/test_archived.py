"""A chat that is gone can be compacted again from its archived original, and stays the chat that it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable

Ask = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("state")
NOTES = "".join(
    f"User: Count shelf {n}.\n\nAssistant: Shelf {n} holds {n * 7} trays. {'It is done. ' * 30}\n\n" for n in range(30)
)


def test_what_is_made_of_an_original_is_of_the_chat_that_is_gone(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """The same plan, the same original, and in the history the place where the chat was."""
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(bakery.read_bytes())
    first = ask("summarize", chat={"uri": chat.as_uri()}, provider="offline")
    chat.unlink()
    plan = ask("preview", chat={"uri": first["archive"]})
    again = ask("summarize", planId=plan["planId"], provider="offline")

    assert plan["planId"] == first["planId"]
    assert again["archive"] == first["archive"]
    assert [one["uri"] for one in ask("history")["compactions"]] == [chat.as_uri()] * 2
    assert ask("restore", compactionId=again["compactionId"])["uri"] == chat.as_uri()


def test_a_chat_that_only_its_name_tells_is_read_by_it(ask: Ask, tmp_path: Path) -> None:
    """The archive names originals by their hashes; a plain text is known by its ending."""
    chat = tmp_path / "notes.txt"
    chat.write_text(NOTES)
    first = ask("summarize", chat={"uri": chat.as_uri()}, provider="offline")
    chat.unlink()

    assert ask("preview", chat={"uri": first["archive"]})["planId"] == first["planId"]


def test_messages_stay_messages(ask: Ask, messages: list[dict[str, Any]]) -> None:
    """What came in a request has no place, and its original none either."""
    first = ask("summarize", chat={"messages": messages}, provider="offline")
    again = ask("summarize", chat={"uri": first["archive"]}, provider="offline")

    assert again["planId"] == first["planId"]
    assert [one["uri"] for one in ask("history")["compactions"]] == [None, None]
    assert ask("restore", compactionId=again["compactionId"])["messages"] == messages


def test_a_format_that_another_version_knew_hinders_nothing(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """A hint in the archive is a hint: the chat itself tells what it is."""
    first = ask("summarize", chat={"uri": bakery.as_uri()}, provider="offline")
    for path in tmp_path.rglob("compactions/*"):
        path.write_text(path.read_text().replace('"format": null', '"format": "of tomorrow"'))
    again = ask("summarize", chat={"uri": first["archive"]}, provider="offline")

    assert again["planId"] == first["planId"]
    assert "of tomorrow" in "".join(path.read_text() for path in tmp_path.rglob("compactions/*"))


def test_an_original_that_is_damaged_is_told(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """Bytes that are not those that were kept are no chat."""
    first = ask("summarize", chat={"uri": bakery.as_uri()}, provider="offline")
    for path in tmp_path.rglob("originals/*"):
        path.write_text("{}")
    with pytest.raises(ChatUnreadable, match="gone from the archive"):
        ask("preview", chat={"uri": first["archive"]})


def test_a_file_in_a_folder_of_that_name_is_itself(ask: Ask, tmp_path: Path) -> None:
    """A chat of the user's own in a folder `originals` is read like any other."""
    chat = tmp_path / "originals" / "chat.json"
    chat.parent.mkdir()
    chat.write_text(json.dumps({"messages": [{"role": "user", "content": "Count the shelves."}]}))

    assert ask("preview", chat={"uri": chat.as_uri()})["planId"]
