"""What the contract promises of every answer, whatever was asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from compact_chat.chat import JsonObject
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
    TokenReport,
    Transcript,
    Unwatched,
    Watched,
)
from tests.oracles.wire_past_promises import (
    check_attempts,
    check_checked,
    check_exported,
    check_history,
    check_restored,
    check_survival,
)
from tests.strategies.wire_chats import CANARY
from tests.strategies.wire_fuzz import Call

_ROW = re.compile(r"^\| −(32\d{3}) \|([^|]+)\|", re.MULTILINE)
_NEVER = re.compile(r"Traceback|site-packages|compact_chat|\.py\b")
_ID = re.compile(r"[0-9a-f]{32}")


def kinds_by_code() -> dict[int, frozenset[str]]:
    """The kinds of each code, as PROTOCOL.md lists them."""
    text = (Path(__file__).resolve().parents[2] / "PROTOCOL.md").read_text("utf-8")
    return {-int(code): frozenset(re.findall(r"`(\w+)`", kinds)) for code, kinds in _ROW.findall(text)}


KINDS = kinds_by_code()


def check_answer(answer: JsonObject, asked: JsonObject | None = None) -> str:
    """Check the shape of an answer to these params, and give its outcome: `result` or the kind of its error."""
    assert set(answer) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), answer
    assert answer["jsonrpc"] == "2.0", answer
    if "result" in answer:
        return "result"
    error = answer["error"]
    assert set(error) == {"code", "message", "data"}, error
    assert error["data"]["kind"] in KINDS[error["code"]], error
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
