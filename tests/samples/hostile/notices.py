"""Hostile notifications that a server listens to: cancels of what is not there, and settings of every shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import SECRET, TURNS, Row, Want, body, has, notice, told
from tests.servers.wire_client import framed

CANCELS = {"$/cancelRequest": "id", "window/workDoneProgress/cancel": "token"}
CHANGED = "workspace/didChangeConfiguration"
VALUES: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, 2**70, "", SECRET, [], [1], {}, {"a": 1}, [[{}]])
NAMES = (*VALUES, "nobody", 10**6, "c" * 2**20, "\ud800")
NO_PARAMS: tuple[Any, ...] = (None, {}, [], [1], 5, "text", True, {"Id": 1}, {"ids": [1], "tokens": [1]})
# Where a value of a wrong type stands among the settings; `None` there means that nothing is set.
PLACES: dict[str, tuple[str, ...]] = {
    "the params": (),
    "the settings": ("settings",),
    "the section": ("settings", "compactChat"),
    "a member of members": ("settings", "compactChat", "prune", "maxChars", "a"),
    "the windows": ("settings", "compactChat", "windows", "a", "b"),
    "a choice": ("settings", "compactChat", "strategy", "a"),
}
# Sections whose members are of no use: each is left out.
SECTIONS: dict[str, dict[str, Any]] = {
    "names of nothing": {"nothing": 1, "": 2, "\0": 3, "__class__": 4, "compactChat": {"minKeep": 1}},
    "numbers out of range": {"minKeep": -1, "pruneAt": 1.5, "window": -(2**70), "budget": 1e308, "compactAt": -0.1},
    "numbers as texts": {"minKeep": "4", "window": "5", "pruneAt": "0.5", "redact": "false", "keepKeywords": "a"},
    "half a surrogate pair": {"summaryModel": "\ud800", "instructions": "\udc00"},
    "half a surrogate pair as a name": {"\ud800": 1},
    "half a surrogate pair as a choice": {"strategy": "\ud800"},
    "half a surrogate pair as a model": {"windows": {"\ud800": 5}},
    "twenty thousand windows": {"windows": {f"model {n}": 5 for n in range(20_000)}},
    "a window of nothing": {"windows": {"shelf-7": 0}},
    "a window below nothing": {"windows": {"shelf-7": -5}},
    "a window that is vast": {"windows": {"a" * 2**20: 5}},
    "a megabyte of instructions": {"instructions": "i" * 2**20},
    "JSON-RPC": {"jsonrpc": "2.0", "id": 1, "method": "exit"},
}
COUNT = framed(body("usual", "compactChat/countTokens", {"chat": {"messages": TURNS}, "model": "shelf-7"}))
VAST = framed(body("vast", "compactChat/summarize", {"chat": {"messages": TURNS * 400}, "workDoneToken": "vast"}))


def cancels() -> Iterator[Row]:
    """Cancels of what is not there, and of what is."""
    for method, member in CANCELS.items():
        for number, value in enumerate(NAMES):
            yield told(f"{method} of {ascii(value)[:30]} {number}", method, {member: value})
        for number, params in enumerate(NO_PARAMS):
            yield told(f"{method} with {params!a} {number}", method, params)
        yield told(f"{method} alone", method)
        yield Row(f"{method} a thousand times", notice(method, {member: "nobody"}) * 1000)
        cancel = notice(method, {member: "vast"})
        yield Row(f"{method} at once", VAST + cancel, (Want("vast", "cancelled"),))
        yield Row(f"{method} ten times", VAST + cancel * 10, (Want("vast", "cancelled"),))
        request = framed(body(7, "compactChat/countTokens", {"chat": {"messages": TURNS}, "workDoneToken": 7}))
        yield Row(f"{method} as a text", request + notice(method, {member: "7"}), (Want(7, holds=has("used")),))
        yield Row(f"{method} before", notice(method, {member: 7}) + request, (Want(7, holds=has("used")),))


def settings() -> Iterator[Row]:
    """Settings of every wrong shape: each is left out, and operations go on as before."""
    for place, way in PLACES.items():
        for number, value in enumerate(VALUES):
            params = value
            for name in reversed(way):
                params = {name: params}
            yield Row(
                f"{place}: {value!a} {number}", notice(CHANGED, params) + COUNT, (Want("usual", holds=_is_usual),)
            )
    for name, section in SECTIONS.items():
        yield Row(name, _set(section) + COUNT, (Want("usual", holds=_is_usual),))
        yield Row(f"{name}, taken back", _set({}))
    yield Row("a thousand settings", _set({"minKeep": "many"}) * 1000 + COUNT, (Want("usual", holds=_is_usual),))


def _set(section: Any) -> bytes:
    return notice(CHANGED, {"settings": {"compactChat": section}})


def _is_usual(report: Any) -> bool:
    """The report of a server without settings."""
    return bool(report["window"] == 200_000 and report["advice"] == "none")
