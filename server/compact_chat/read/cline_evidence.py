"""Which tool wrote a task: Cline, or Roo Code and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Literal

from compact_chat.chat import JsonObject
from compact_chat.read.cline_task import history_of, inner, said, ui_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import whole_number
from compact_chat.read.source import Source

Tool = Literal["cline", "roo"]
_ROO_KEYS = frozenset({"condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"})
_ROO_EVENTS = frozenset({"condense_context", "condense_context_error", "sliding_window_truncation"})
_CLINE_UI_KEYS = frozenset({"conversationHistoryIndex", "conversationHistoryDeletedRange"})
_LOOKED_AT = 20  # messages in which the tool's own words are looked for
_OPENING, _CLOSING = "<environment_details>", "</environment_details>"


def tool_of(source: Source) -> Tool | None:
    """Tell which tool wrote the task; None where nothing says that one did."""
    if source.strict:
        return None
    history, ui = history_of(source), ui_of(source)
    if history is None and not ui:
        return None
    return _by_records(source, objects(history), ui) or _by_words(objects(history), known=bool(ui))


def _by_records(source: Source, items: Sequence[JsonObject], ui: Sequence[JsonObject]) -> Tool | None:
    """Tell the tool by keys and events that only one of the two has."""
    events = {said(message) for message in ui}
    if isinstance(source.document, dict) or any(map(_is_roos, items)) or events & _ROO_EVENTS:
        return "roo"
    if any(map(_is_clines, items)) or not all(map(_CLINE_UI_KEYS.isdisjoint, ui)):
        return "cline"
    return "roo" if any("apiProtocol" in inner(message) for message in islice(ui, _LOOKED_AT)) else None


def _is_roos(item: JsonObject) -> bool:
    return not _ROO_KEYS.isdisjoint(item) or ("isSummary" in item and "ts" in item)


def _is_clines(item: JsonObject) -> bool:
    return "modelId" in fields(item.get("modelInfo")) or "tokens" in fields(item.get("metrics"))


def _by_words(items: Sequence[JsonObject], known: bool) -> Tool | None:
    """Tell the tool by what it writes into the user's messages; `known` says that it is one of the two anyway."""
    texts = list(chain.from_iterable(_texts(item) for item in islice(items, 2 * _LOOKED_AT)))
    notes = [text for text in texts if text.lstrip().startswith(_OPENING) or text.rstrip().endswith(_CLOSING)]
    if not known and not notes:
        return None
    if any("<slug>" in text for text in notes):
        return "roo"
    stamped = any(whole_number(item.get("ts")) is not None for item in items)
    return "roo" if stamped and not any("# Visual Studio Code" in text for text in notes) else "cline"


def _texts(item: JsonObject) -> Iterator[str]:
    content = item.get("content") if item.get("role") == "user" else None
    if isinstance(content, str):
        yield content
    for block in objects(content):
        yield word(block.get("text")) or word(block.get("content"))
