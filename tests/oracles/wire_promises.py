"""What the contract promises of every answer, whatever was asked."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from compact_chat.chat import JsonObject
from compact_chat.disk import path_of
from compact_chat.facts.ledger import WEIGHTS
from compact_chat.operations import operation
from compact_chat.wire import (
    Checked,
    Compaction,
    Continuation,
    Exported,
    Formatted,
    History,
    Preview,
    Prompt,
    Restored,
    Sessions,
    Survival,
    TokenReport,
    Transcript,
    Unwatched,
    Watched,
)
from tests.samples.hostile.rows import CODES
from tests.servers.wire_kept import OLD, STATE, THERE, kept
from tests.strategies.wire_chats import CANARY
from tests.strategies.wire_fuzz import Call

MODELS = ("anthropic", "editor")  # of which there is none
SUFFIXES = {"markdown": ".md", "json": ".json", "claude-code": ".jsonl", "vscode-export": ".json"}
_NEVER = re.compile(r"Traceback|site-packages|compact_chat|\.py\b")
_ID = re.compile(r"[0-9a-f]{32}")


def check_answer(answer: JsonObject, asked: JsonObject | None = None) -> str:
    """Check the shape of an answer to these params, and give its outcome: `result` or the kind of its error."""
    assert set(answer) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), answer
    assert answer["jsonrpc"] == "2.0", answer
    if "result" in answer:
        return "result"
    error = answer["error"]
    assert set(error) == {"code", "message", "data"}, error
    assert error["code"] == CODES[error["data"]["kind"]], error
    assert error["code"] != -32603, error
    assert isinstance(error["message"], str), error
    assert error["message"], error
    assert not _NEVER.search(str(error)), error
    assert CANARY not in str(error), error
    if error["code"] == -32602:
        _check_problems(error["data"]["problems"], asked)
    return str(error["data"]["kind"])


def _check_problems(problems: list[JsonObject], asked: JsonObject | None) -> None:
    assert problems
    for problem in problems:
        assert set(problem) == {"path", "message"}, problem
        assert isinstance(problem["message"], str), problem
        assert problem["message"], problem
        assert problem["path"][:1] == "$", problem
        if asked is not None:
            assert any(leads_somewhere(root, problem["path"][1:]) for root in _roots(asked)), (problem, str(asked))


def _roots(asked: JsonObject) -> list[Any]:
    """What a path may begin at: the params, and those of the operation where they are a command's."""
    arguments = asked.get("arguments")
    return [asked, *(arguments if isinstance(arguments, list) else [])]


def leads_somewhere(value: Any, path: str) -> bool:
    """Whether a path leads to a value, or to a member that an object lacks; a name may hold dots and brackets."""
    if not path:
        return True
    if isinstance(value, list):
        index, bracket, rest = path[1:].partition("]")
        return bool(path[0] == "[" and bracket and index.isdigit() and int(index) < len(value)) and leads_somewhere(
            value[int(index)], rest
        )
    if not isinstance(value, dict) or path[0] != ".":
        return False
    inner = (leads_somewhere(one, path[1 + len(name) :]) for name, one in value.items() if path[1:].startswith(name))
    return any(inner) or (re.fullmatch(r"\.\w+", path) is not None and path[1:] not in value)


def check_result(call: Call, result: JsonObject) -> None:
    """Check a result against its type in the table, and against what its numbers must be."""
    kind = operation(call.name).result
    typed = msgspec.convert(result, kind)
    assert json.loads(json.dumps(msgspec.to_builtins(typed))) == result, "a member too much, or one that was left out"
    _CHECKS[kind](typed, call.params)


def _check_report(told: TokenReport, asked: JsonObject) -> None:
    assert sum(msgspec.structs.astuple(told.parts)) == told.used
    assert min(msgspec.structs.astuple(told.parts)) >= 0
    assert 0 <= told.low <= told.used <= told.high
    assert told.percent == (min(100.0, round(100 * told.used / told.window, 1)) if told.window else 0)
    assert asked.get("window") in (None, told.window)
    assert asked.get("model") in (None, "", told.model)
    _check_breakdown(told, asked.get("biggest"))
    if told.messages is msgspec.UNSET:
        assert not asked.get("perMessage")
        return
    assert asked["perMessage"]
    assert [one.index for one in told.messages] == list(range(told.message_count))
    assert len({one.id for one in told.messages}) == told.message_count
    assert 0 <= told.used - sum(one.tokens for one in told.messages) <= told.parts.fixed


def _check_sessions(told: Sessions, asked: JsonObject) -> None:
    found = told.sessions
    limit = asked.get("limit")
    assert len(found) <= (50 if limit is None else limit)
    assert len({one.uri for one in found}) == len(found)
    assert [one.updated_at for one in found] == sorted((one.updated_at for one in found), reverse=True)
    assert all(one.tool in asked["tools"] for one in found if asked.get("tools"))


def _check_transcript(told: Transcript, asked: JsonObject) -> None:
    """Messages in their order, each once; all of them, or one for each id at most, and the one that it names."""
    found, ids = told.messages, asked.get("ids") or []
    places = [one.index for one in found]
    assert places == sorted(set(places))
    assert len({one.id for one in found}) == len(found)
    assert not ids or len(found) <= len(ids)
    assert all(any(one.id.startswith(name) for one in found) for name in ids)
    assert ids or places == list(range(len(found)))
    assert all(one.kind == "empty" or one.text for one in found if one.kind != "summary")


def _check_breakdown(told: TokenReport, most: int | None) -> None:
    """Each list holds all that is used, and at most what was asked for beside what is left."""
    if told.breakdown is msgspec.UNSET:
        assert most is None
        return
    assert most is not None
    for things in msgspec.structs.astuple(told.breakdown):
        assert sum(one.tokens for one in things) == told.used
        assert sum(one.kind != "rest" for one in things) <= most


def _check_preview(told: Preview, asked: JsonObject) -> None:
    fates = told.messages
    assert _ID.fullmatch(told.plan_id)
    assert [one.index for one in fates] == list(range(len(fates)))
    assert len({one.id for one in fates}) == len(fates)
    assert 0 <= told.split <= len(fates)
    assert sum(one.tokens for one in fates) <= told.before
    assert 0 <= told.after_low <= told.after <= told.after_high
    assert told.redactions.total == sum(told.redactions.kinds.values())
    assert told.action != "none" or told.after == told.before
    assert all(one.tokens_after == 0 for one in fates if one.fate in ("drop", "summarize"))
    _check_marks(told, asked.get("options") or {})


def _check_marks(told: Preview, options: JsonObject) -> None:
    """What the caller pinned or dropped by a whole id is so, where anything happens at all."""
    if told.action == "none":
        return
    wanted = {"pin": options.get("pin") or [], "drop": options.get("drop") or []}
    for one in told.messages:
        for fate, names in wanted.items():
            assert one.id not in names or one.fate == fate, one


def _check_compaction(told: Compaction, asked: JsonObject) -> None:
    counts = told.counts
    assert _ID.fullmatch(told.plan_id)
    assert _ID.fullmatch(told.compaction_id)
    assert 0 <= told.after < told.before
    assert counts.tokens_saved == told.before - told.after
    assert counts.summarized + counts.dropped <= counts.before
    check_survival(told.survival)
    check_attempts(told, asked)
    assert told.provider in ("offline", "host", "none")
    assert (told.provider == "host") == (asked.get("reply") is not None)
    assert (told.summary == "") == (told.provider == "none")
    given = {name for name in ("messages", "prompt", "raw") if getattr(told, name) is not msgspec.UNSET}
    assert given == set(asked.get("include") or ())


def _check_prompt(told: Prompt, _: JsonObject) -> None:
    assert _ID.fullmatch(told.plan_id)
    assert told.tokens > 0
    assert [one["role"] for one in told.messages] == ["user"]


def _check_formatted(told: Formatted, _: JsonObject) -> None:
    assert told.summary.strip()


def _check_continuation(told: Continuation, _: JsonObject) -> None:
    assert told.message.strip()


def _check_watched(told: Watched, asked: JsonObject) -> None:
    _check_report(told.report, asked)
    assert told.watch_id
    assert told.uri.startswith("file:")


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


_CHECKS: dict[type, Callable[[Any, JsonObject], None]] = {
    Sessions: _check_sessions,
    TokenReport: _check_report,
    Transcript: _check_transcript,
    Preview: _check_preview,
    Compaction: _check_compaction,
    Prompt: _check_prompt,
    Formatted: _check_formatted,
    Continuation: _check_continuation,
    Checked: check_checked,
    Exported: check_exported,
    Restored: check_restored,
    History: check_history,
    Watched: _check_watched,
    Unwatched: lambda *_: None,
}


def same_but_for_chance(result: JsonObject) -> JsonObject:
    """A result without what differs each time: the id of a compaction, the seconds that it took, a name that is new."""
    attempts = [{**one, "seconds": 0} for one in result.get("attempts", ())]
    named = {"uri": None} if "bytes" in result else {}
    return {**result, "compactionId": None, "watchId": None, "attempts": attempts, **named}


def check_progress(told: list[JsonObject]) -> None:
    """Each beginning has its end, in turn, and the share that is done never falls in between."""
    counted = Counter(one["kind"] for one in told)
    assert counted["begin"] == counted["end"] <= 1, told
    if told:
        assert (told[0]["kind"], told[-1]["kind"]) == ("begin", "end"), told
        shares = [one["percentage"] for one in told if "percentage" in one]
        assert shares == sorted(shares), told
        assert all(type(share) is int and 0 <= share <= 100 for share in shares), told
