"""What the contract promises of compactions that were made: what they kept, how they are told, undone and exported."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from msgspec import UNSET

from compact_chat.chat import JsonObject
from compact_chat.disk import path_of
from compact_chat.facts.ledger import WEIGHTS
from compact_chat.wire import Checked, Compaction, Exported, History, Restored, Survival
from tests.servers.wire_kept import OLD, STATE, THERE, kept

MODELS = ("anthropic", "editor")  # of which there is none
SUFFIXES = {"markdown": ".md", "json": ".json", "claude-code": ".jsonl", "vscode-export": ".json"}


def check_survival(told: Survival) -> None:
    """Each fact is kept or lost, each class is told once, and the share follows from them."""
    names = [found.name for found in told.classes]
    assert names == [name for name in WEIGHTS if name in names]
    for found in told.classes:
        assert found.total > 0, found
        assert found.kept + len(found.lost) == found.total, found
        assert 0 <= found.restored <= found.kept, found
        assert len({fact.id for fact in found.lost}) == len(found.lost), found
    weights = sum(WEIGHTS[found.name] for found in told.classes)
    shares = sum(WEIGHTS[found.name] * found.kept / found.total for found in told.classes)
    assert told.kept == pytest.approx(shares / weights if weights else 1, abs=1e-4)


def check_checked(told: Checked, asked: JsonObject) -> None:
    """A check has a summary to look at: the caller's, or one that the chat's tool left in it."""
    check_survival(told.survival)
    assert told.continuation.strip()
    assert asked.get("summary") is not None or "messages" not in asked["chat"]


def check_attempts(told: Compaction, asked: JsonObject) -> None:
    """Nobody gets a summary from a model that there is not; under `auto` each is told before the one that wrote."""
    if told.provider != "offline":
        assert told.attempts == ()
        return
    assert asked.get("provider") not in MODELS
    *before, last = told.attempts
    assert (last.provider, last.outcome, last.model) == ("offline", "ok", None)
    assert [(one.provider, one.outcome) for one in before] in ([], [(name, "skipped") for name in MODELS])
    assert all(one.detail for one in before)
    assert asked.get("provider") in (None, "offline" if not before else "auto")
    assert (told.usage, told.model) == (None, None)


def check_exported(told: Exported, asked: JsonObject) -> None:
    """The file is new, where it was wanted or else among our own, and holds what its form says."""
    path = Path(path_of(told.uri))
    assert path != THERE
    assert told.bytes == path.stat().st_size > len(OLD)
    if asked.get("uri") is None:
        assert path.parent == STATE / "compact-chat" / "exports" / asked["as"]
        assert path.suffix == SUFFIXES[asked["as"]]
    else:
        assert path == Path(path_of(asked["uri"]))
    text = path.read_bytes().decode(errors="surrogatepass")
    if asked["as"] == "claude-code":
        assert all(isinstance(json.loads(line), dict) for line in text.removesuffix("\n").split("\n"))
    elif asked["as"] != "markdown":
        assert isinstance(json.loads(text), dict)


def check_restored(told: Restored, asked: JsonObject) -> None:
    """The copy equals the original, and what is known of that is so; the compaction comes where it is wanted."""
    if told.archive is not None or not asked.get("include"):
        data = Path(path_of(told.archive or "")).read_bytes()
        assert hashlib.sha256(data).hexdigest() == told.sha256
    assert told.messages
    assert (told.compaction is UNSET) is not bool(asked.get("include"))
    if told.compaction is not UNSET:
        assert told.compaction.compaction_id.startswith(asked["compactionId"])
        assert told.compaction.archive == told.archive
        check_survival(told.compaction.survival)
    for one in kept():
        if one.id == asked["compactionId"]:
            assert told.sha256 == one.sha256
            assert one.messages in (None, told.messages)


def check_history(told: History, asked: JsonObject) -> None:
    """Newest first, each once, no more than were wanted, and of the chat that was wanted."""
    found, limit, chat = told.compactions, asked.get("limit"), asked.get("chat")
    assert len(found) <= (50 if limit is None else limit)
    assert len({one.compaction_id for one in found}) == len(found)
    assert [one.at for one in found] == sorted((one.at for one in found), reverse=True)
    for one in found:
        assert one.after < one.before, one
        assert 0 <= one.kept <= 1, one
        assert one.provider in ("offline", "host", "none"), one
        assert chat is None or path_of(one.uri or "") == path_of(chat["uri"]), one
