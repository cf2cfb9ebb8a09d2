"""What a Codex session tells of its model: its name, its window, and how full that was at each call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compact_chat.chat import JsonObject, Usage
from compact_chat.read.codex_records import Record
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, word


def usages_of(records: Iterable[Record]) -> dict[str, Usage]:
    """The size that each new event tells, by its place; the same event again tells of no new call."""
    found: dict[str, Usage] = {}
    model, before = "", None
    for record in records:
        model = _model(record) or model
        info = _info(record)
        event = (info.get("total_token_usage"), info.get("last_token_usage"))
        if not info or event == before:
            continue
        before = event
        if usage := _usage(fields(event[1]), model):
            found[record.place] = usage
    return found


def context_of(records: Sequence[Record]) -> list[Record]:
    """The records that the sizes behind them are told by: the newest model, and the newest event."""
    newest = [next((one for one in reversed(records) if tells(one)), None) for tells in (_model, _info)]
    return [record for record in newest if record is not None]


def model_of(records: Iterable[Record]) -> str | None:
    """The newest model."""
    models = [model for record in records if (model := _model(record))]
    return models[-1] if models else None


def window_of(records: Iterable[Record]) -> int | None:
    """The newest window, as Codex reckons it: less than the model has."""
    events = [record.payload for record in records if record.kind == "event_msg"]
    told = (event.get("model_context_window") or _window(event) for event in reversed(events))
    return next(filter(None, map(tokens, told)), None)


def _usage(last: JsonObject, model: str) -> Usage | None:
    """The size of a call; where there was none, as after a compaction, Codex puts its own estimate of the whole."""
    if prompt := tokens(last.get("input_tokens")):
        thought = tokens(last.get("reasoning_output_tokens"))
        return Usage(prompt, tokens(last.get("output_tokens")), model, reasoning_tokens=thought)
    whole = tokens(last.get("total_tokens"))
    return Usage(whole, 0, model, whole=True) if whole else None


def _info(record: Record) -> JsonObject:
    is_count = record.kind == "event_msg" and record.payload.get("type") == "token_count"
    return fields(record.payload.get("info")) if is_count else {}


def _window(event: JsonObject) -> object:
    return fields(event.get("info")).get("model_context_window")


def _model(record: Record) -> str:
    return word(record.payload.get("model")) if record.kind in ("session_meta", "turn_context") else ""
