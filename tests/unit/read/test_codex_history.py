"""What is left of a Codex session: compactions, and turns that were taken back."""

from __future__ import annotations

from typing import Any

from compact_chat.read.codex import Entry, Session, live_entries


def said(role: str, text: str) -> dict[str, Any]:
    """A message as an item."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def items(*pairs: str) -> list[tuple[str, dict[str, Any]]]:
    """Items of messages, `u:` by the user and `a:` by the assistant."""
    roles = {"u": "user", "a": "assistant", "d": "developer"}
    return [("response_item", said(roles[pair[0]], pair[2:])) for pair in pairs]


def compacted(message: str = "", history: object = None) -> tuple[str, dict[str, Any]]:
    """A compaction, of the new kind where it has a history."""
    return "compacted", {"message": message} if history is None else {
        "message": message,
        "replacement_history": history,
    }


def replayed(*records: tuple[str, dict[str, Any]]) -> list[Entry]:
    """The live entries of these records."""
    taken = Session().whole({"type": kind, "payload": payload} for kind, payload in records)
    return [entry for entry in live_entries(taken) if isinstance(entry, Entry)]


def texts(*records: tuple[str, dict[str, Any]]) -> list[str]:
    """The live texts of these records."""
    return ["".join(entry.item.texts) for entry in replayed(*records)]


def test_an_old_compaction_keeps_the_newest_messages_only() -> None:
    """About 20,000 tokens of the user's messages stay, and the newest in any case."""
    long = "x" * 39_996
    assert texts(*items("u:first", f"u:{long}", f"u:{long}", "u:last"), compacted("S")) == [long, long, "last", "S"]
    assert texts(*items("u:first", "u:" + "x" * 200_000), compacted("S")) == ["x" * 200_000, "S"]
