"""What a user set in a coding tool about its own compaction: in files that hold anything, and in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite

from compact_chat.chat import JsonObject
from compact_chat.disk.chats import first_root
from compact_chat.disk.files import IN_THE_NETWORK, small_text
from compact_chat.disk.home import home_folder
from compact_chat.measure import ToolSettings
from compact_chat.read import parsed
from compact_chat.tools import Tool, tool_named

LARGEST_FILE = 2**20
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_MOST = 10**9  # tokens; more is a mistake


def read_tool_settings(tool_name: str, workspace: str | None) -> ToolSettings:
    """Read what applies to a chat of the tool that was held in this folder."""
    documents: list[JsonObject] = []
    for path in settings_files(tool_name, workspace):
        text = small_text(path, LARGEST_FILE)
        document = parsed(text)
        if path.endswith(".toml"):
            import tomllib  # one tool needs it

            with suppress(ValueError, RecursionError):
                document = tomllib.loads(text)
        documents += [document] if isinstance(document, dict) else []
    return settings_in(tool_named(tool_name), documents, os.environ)


def settings_in(tool: Tool, documents: Sequence[JsonObject], env: Mapping[str, str]) -> ToolSettings:
    """Find the settings in parsed files, the stronger first; variables that a file sets replace those of `env`."""
    found: dict[str, float] = {}
    is_off = False
    for knob in tool.knobs:
        if knob.name.startswith("$"):
            name = knob.name.removeprefix("$")
            value = next(_values(documents, ("env", name)), env.get(name))
        else:
            value = next(_values(documents, knob.name.split(".")), None)
        word = _word(value)
        if knob.moves in ("on", "off"):
            is_off |= word in (_TRUE if knob.moves == "off" else _FALSE)
        elif number := _number(word, {"share": 1, "percent": 100}.get(knob.moves, _MOST)):
            found.setdefault(knob.moves, number)
    window, tokens = (int(found.get(name, 0)) for name in ("window", "tokens"))
    return ToolSettings(is_off, window, tokens, found.get("percent", 0.0), found.get("share", 0.0))


def settings_files(tool_name: str, workspace: str | None) -> Iterator[str]:
    """List the files that may hold the tool's settings, the stronger first; a missing one may appear later."""
    place = workspace or ""
    is_local = os.path.isabs(place) and not place.startswith(IN_THE_NETWORK)
    for roots in tool_named(tool_name).settings:
        if roots[0].startswith(("$", "~")):
            path = first_root(roots, os.environ, home_folder(), os.path.join)
        else:
            path = os.path.join(place, *roots[0].split("/")) if is_local else None
        if path and os.path.isabs(path):
            yield path


def _values(documents: Sequence[JsonObject], path: Sequence[str]) -> Iterator[object]:
    """Give what each document holds at the path."""
    for document in documents:
        value: object = document
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            yield value


def _word(value: object) -> str:
    """Write a value as it stands in a variable; nothing for a list, an object or a number beyond measure."""
    if isinstance(value, str):
        return value.strip().lower()
    is_plain = isinstance(value, bool | float) or (isinstance(value, int) and abs(value) <= _MOST)
    return str(value).lower() if is_plain else ""


def _number(word: str, most: float) -> float:
    """Read a number that is above 0 and no larger; 0 for anything else."""
    with suppress(ValueError):
        number = float(word)
        if isfinite(number) and 0 < number <= most:
            return number
    return 0.0
