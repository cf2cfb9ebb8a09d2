"""What the contract promises of every answer, whatever was requested."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from compact_chat.chat import JsonObject
from compact_chat.disk import path_of
from compact_chat.facts.ledger import WEIGHTS as OF_FACTS
from compact_chat.operations import operation
from compact_chat.wire import (
    Checked,
    Compaction,
    Continuation,
    Draft,
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
WEIGHTS = {**OF_FACTS, "omissions": 1}  # of what a survival lists
SUFFIXES = {"markdown": ".md", "json": ".json", "claude-code": ".jsonl", "vscode-export": ".json"}
_NEVER = re.compile(r"Traceback|site-packages|compact_chat|\.py\b")
_ID = re.compile(r"[0-9a-f]{32}")


def check_answer(answer: JsonObject, asked: JsonObject | None = None) -> str:
    """Check the shape of an answer to these params, and return its outcome: `result` or the kind of its error."""
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
    """Return where a path may begin: at the params, or for a command at those of the operation."""
    arguments = asked.get("arguments")
    return [asked, *(arguments if isinstance(arguments, list) else [])]


def leads_somewhere(value: Any, path: str) -> bool:
    """Return whether a path leads to a value or to a missing member; a name may contain dots and brackets."""
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
    """Check a result against its type in the table, and its numbers against each other."""
    kind = operation(call.name).result
    typed = msgspec.convert(result, kind)
    assert json.loads(json.dumps(msgspec.to_builtins(typed))) == result, "a member too much, or one that was left out"
    _CHECKS[kind](typed, call.params)


def _check_report(reported: TokenReport, asked: JsonObject) -> None:
    assert sum(msgspec.structs.astuple(reported.parts)) == reported.used
    assert min(msgspec.structs.astuple(reported.parts)) >= 0
    assert 0 <= reported.low <= reported.used <= reported.high
    assert reported.percent == (min(100.0, round(100 * reported.used / reported.window, 1)) if reported.window else 0)
    assert asked.get("window") in (None, reported.window)
    _check_limit(reported)
    assert asked.get("model") in (None, "", reported.model)
    _check_breakdown(reported, asked.get("biggest"))
    if reported.messages is msgspec.UNSET:
        assert not asked.get("perMessage")
        return
    assert asked["perMessage"]
    assert [one.index for one in reported.messages] == list(range(reported.message_count))
    assert len({one.id for one in reported.messages}) == reported.message_count
    assert (
        0
        <= reported.used - sum(one.tokens for one in reported.messages)
        <= reported.parts.fixed + reported.parts.attached
    )


def _check_limit(reported: TokenReport) -> None:
    limit, left, own = reported.limit, reported.turns_left, reported.compactions
    share = None if limit is None else round(100 * reported.used / limit.tokens, 1) if limit.tokens else 0
    assert reported.percent_of_limit == (None if share is None else min(100.0, share))
    assert left is None or 0 <= left.low <= left.high
    assert reported.windows_possible in ((), tuple(sorted(set(reported.windows_possible))))
    assert not reported.windows_possible or reported.window == reported.windows_possible[0]
    assert 0 <= own.automatic <= own.total
    assert own.total or own.last_before is own.last_after is None


def _check_sessions(reported: Sessions, asked: JsonObject) -> None:
    found = reported.sessions
    limit = asked.get("limit")
    assert len(found) <= (50 if limit is None else limit)
    assert len({one.uri for one in found}) == len(found)
    assert [one.updated_at for one in found] == sorted((one.updated_at for one in found), reverse=True)
    assert all(one.tool in asked["tools"] for one in found if asked.get("tools"))


def _check_transcript(reported: Transcript, asked: JsonObject) -> None:
    """Check that messages come in order, each once: all of them, or at most one for each id, and those named."""
    found, ids = reported.messages, asked.get("ids") or []
    places = [one.index for one in found]
    assert places == sorted(set(places))
    assert len({one.id for one in found}) == len(found)
    assert not ids or len(found) <= len(ids)
    assert all(any(one.id.startswith(name) for one in found) for name in ids)
    assert ids or places == list(range(len(found)))
    assert all(one.kind == "empty" or one.text for one in found if one.kind != "summary")


def _check_breakdown(reported: TokenReport, most: int | None) -> None:
    """Check that each list adds up to all that is used, with at most the requested number of items before the rest."""
    if reported.breakdown is msgspec.UNSET:
        assert most is None
        return
    assert most is not None
    for things in msgspec.structs.astuple(reported.breakdown):
        assert sum(one.tokens for one in things) == reported.used
        assert sum(one.kind != "rest" for one in things) <= most


def _check_preview(reported: Preview, asked: JsonObject) -> None:
    fates = reported.messages
    assert _ID.fullmatch(reported.plan_id)
    assert [one.index for one in fates] == list(range(len(fates)))
    assert len({one.id for one in fates}) == len(fates)
    assert 0 <= reported.split <= len(fates)
    assert sum(one.tokens for one in fates) <= reported.before
    assert 0 <= reported.after_low <= reported.after <= reported.after_high
    assert reported.redactions.total == sum(reported.redactions.kinds.values())
    assert reported.action != "none" or reported.after == reported.before
    assert all(one.tokens_after == 0 for one in fates if one.fate in ("drop", "summarize"))
    _check_marks(reported, asked.get("options") or {})


def _check_marks(reported: Preview, options: JsonObject) -> None:
    """Check the fate of what the caller pinned or dropped by a whole id, if the plan changes anything."""
    if reported.action == "none":
        return
    wanted = {"pin": options.get("pin") or [], "drop": options.get("drop") or []}
    for one in reported.messages:
        for fate, names in wanted.items():
            assert one.id not in names or one.fate == fate, one


def _check_compaction(reported: Compaction, asked: JsonObject) -> None:
    counts = reported.counts
    assert _ID.fullmatch(reported.plan_id)
    assert _ID.fullmatch(reported.compaction_id)
    assert 0 <= reported.after < reported.before
    assert counts.tokens_saved == reported.before - reported.after
    way = getattr(reported.next_chat, reported.survival.of)
    assert (reported.after, counts.fixed) == (way.tokens, way.fixed)
    assert counts.summarized + counts.dropped <= counts.before
    assert reported.healed in (0, reported.healed_at_most)
    check_survival(reported.survival)
    check_attempts(reported, asked)
    assert reported.provider in ("offline", "host", "none")
    assert (reported.provider == "host") == (asked.get("reply") is not None)
    assert (reported.summary == "") == (reported.provider == "none")
    given = {name for name in ("messages", "prompt", "raw") if getattr(reported, name) is not msgspec.UNSET}
    assert given == set(asked.get("include") or ())


def _check_draft(reported: Draft, _: JsonObject) -> None:
    done, newest = reported.compaction, reported.versions[-1]
    assert reported.draft_id == done.compaction_id
    assert reported.changed is None or (reported.changed.draft_id != reported.draft_id and reported.changed.version > 1)
    assert (reported.version, 0 <= newest.kept <= newest.total) == (newest.version, True)
    assert done.plan_id == reported.preview.plan_id
    assert reported.add_back == reported.options.add_back
    assert isinstance(done.survival.facts, tuple)
    for way in (done.next_chat.continuation, done.next_chat.messages) if done.next_chat else ():
        assert way is None or (way.parts and sum(msgspec.structs.astuple(way.parts)) == way.tokens)
    _check_report(reported.report, {})
    _check_preview(reported.preview, {})
    check_survival(done.survival)


def _check_prompt(reported: Prompt, _: JsonObject) -> None:
    assert _ID.fullmatch(reported.plan_id)
    assert reported.tokens > 0
    assert [one["role"] for one in reported.messages] == ["user"]


def _check_formatted(reported: Formatted, _: JsonObject) -> None:
    assert reported.summary.strip()


def _check_continuation(reported: Continuation, _: JsonObject) -> None:
    assert reported.message.strip()


def _check_watched(reported: Watched, asked: JsonObject) -> None:
    _check_report(reported.report, asked)
    assert reported.watch_id
    assert reported.uri.startswith("file:")


def check_survival(reported: Survival) -> None:
    """Check that each fact is kept or lost, that each class occurs once, and that the share follows from them."""
    names = [found.name for found in reported.classes]
    assert names == [name for name in WEIGHTS if name in names]
    for found in reported.classes:
        assert found.total > 0, found
        assert found.kept + len(found.lost) == found.total, found
        assert 0 <= found.restored <= found.kept, found
        assert len({fact.id for fact in found.lost}) == len(found.lost), found
    weights = sum(WEIGHTS[found.name] for found in reported.classes)
    shares = sum(WEIGHTS[found.name] * found.kept / found.total for found in reported.classes)
    assert reported.kept == pytest.approx(shares / weights if weights else 1, abs=1e-4)


def check_checked(reported: Checked, asked: JsonObject) -> None:
    """Check that there was a summary to check: the caller's, or one that the chat's tool left in it."""
    check_survival(reported.survival)
    assert reported.continuation.strip()
    assert asked.get("summary") is not None or "messages" not in asked["chat"]


def check_attempts(reported: Compaction, asked: JsonObject) -> None:
    """Check that a summary without any model is written offline, after `auto` skipped the other providers."""
    if reported.provider != "offline":
        assert reported.attempts == ()
        return
    assert asked.get("provider") not in MODELS
    *before, last = reported.attempts
    assert (last.provider, last.outcome, last.model) == ("offline", "ok", None)
    assert [(one.provider, one.outcome) for one in before] in ([], [(name, "skipped") for name in MODELS])
    assert all(one.detail for one in before)
    assert asked.get("provider") in (None, "offline" if not before else "auto")
    assert (reported.usage, reported.model) == (None, None)


def check_exported(reported: Exported, asked: JsonObject) -> None:
    """Check that the file is new, where requested or else in the state folder, and that its contents match its form."""
    path = Path(path_of(reported.uri))
    assert path != THERE
    assert reported.bytes == path.stat().st_size > len(OLD)
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


def check_restored(reported: Restored, asked: JsonObject) -> None:
    """Check that the copy equals the original and its description, and that the compaction comes on request."""
    if reported.archive is not None or not asked.get("include"):
        data = Path(path_of(reported.archive or "")).read_bytes()
        assert hashlib.sha256(data).hexdigest() == reported.sha256
    assert reported.messages
    assert (reported.compaction is UNSET) is not bool(asked.get("include"))
    if reported.compaction is not UNSET:
        assert reported.compaction.compaction_id.startswith(asked["compactionId"])
        assert reported.compaction.archive == reported.archive
        check_survival(reported.compaction.survival)
    for one in kept():
        if one.id == asked["compactionId"]:
            assert reported.sha256 == one.sha256
            assert one.messages in (None, reported.messages)


def check_history(reported: History, asked: JsonObject) -> None:
    """Check the order: newest first, each once, no more than requested, and only of the requested chat."""
    found, limit, chat = reported.compactions, asked.get("limit"), asked.get("chat")
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
    Draft: _check_draft,
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
    """Return a result without what differs on each run: the compaction's id, the seconds taken, a new file's name."""
    if "draftId" in result:
        versions = [{**one, "at": ""} for one in result["versions"]]
        done = same_but_for_chance(result["compaction"])
        return {**result, "draftId": None, "versions": versions, "compaction": done}
    attempts = [{**one, "seconds": 0} for one in result.get("attempts", ())]
    named = {"uri": None} if "bytes" in result else {}
    return {**result, "compactionId": None, "watchId": None, "attempts": attempts, **named}
