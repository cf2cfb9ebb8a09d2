"""Where an agent compacts by itself, as other rooms know: a status line loads this only after a change."""

from __future__ import annotations

from compact_chat.chat import Chat
from compact_chat.disk import read_tool_settings, settings_files
from compact_chat.measure import limit_of, window_of
from compact_chat.tools import tool_named


def limit_for(tool: str, model: str, window: int, version: str, workspace: str) -> int:
    """Return the tokens at which the tool compacts; 0 where it never does by itself, or nothing is known."""
    chat = Chat("", tool, (), model=model or None, version=version, workspace=workspace)
    limit = limit_of(chat, window_of(model, {}, setting=window, tool=tool), read_tool_settings(tool, workspace))
    return limit.tokens if limit else 0


def settings_of(tool: str, workspace: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files and the variables that may move it."""
    variables = (knob.name.removeprefix("$") for knob in tool_named(tool).knobs if knob.name.startswith("$"))
    return tuple(settings_files(tool, workspace)), tuple(variables)
