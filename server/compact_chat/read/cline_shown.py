"""What one message on the screen of Cline or its kin stands for."""

from __future__ import annotations

from collections.abc import Callable

from compact_chat.chat import JsonObject, Role, Text, Thinking, ToolCall, ToolResult
from compact_chat.read.blocks import arguments_of, result_of
from compact_chat.read.cline_task import inner, said
from compact_chat.read.lenient import word

Shown = Text | Thinking | ToolCall | ToolResult


def part_of(message: JsonObject, call_id: str, caller: str, is_first: bool) -> tuple[Role, Shown | None]:
    """Who sent what: a call gets the id `call_id`, and a result answers the call `caller`; None where it only shows."""
    kind, text = said(message), word(message.get("text"))
    if kind in _RESULTS:
        return "user", result_of(caller, text) if text.strip() else None
    if kind in _USERS or (is_first and kind == "text"):
        return "user", Text(text) if text.strip() else None
    reader = _READERS.get(kind)
    return "assistant", reader(message, text, call_id) if reader and text.strip() else None


def _words(message: JsonObject, text: str, _: str) -> Shown:
    told = inner(message)
    return Text(word(told.get("question")) or word(told.get("response")) or text)


def _thought(_: JsonObject, text: str, __: str) -> Shown:
    return Thinking(text)


def _tool(message: JsonObject, _: str, call_id: str) -> Shown:
    told = inner(message)
    return ToolCall(call_id, word(told.get("tool")), {key: value for key, value in told.items() if key != "tool"})


def _command(_: JsonObject, text: str, call_id: str) -> Shown:
    return ToolCall(call_id, "execute_command", {"command": text})


def _server(message: JsonObject, _: str, call_id: str) -> Shown:
    told = inner(message)
    return ToolCall(call_id, word(told.get("toolName")), arguments_of(told.get("arguments")))


def _browser(message: JsonObject, text: str, call_id: str) -> Shown:
    return ToolCall(call_id, "browser_action", inner(message) or {"url": text})


_USERS = frozenset({"task", "user_feedback", "user_feedback_diff"})
_RESULTS = frozenset({"command_output", "mcp_server_response", "browser_action_result"})
_READERS: dict[str, Callable[[JsonObject, str, str], Shown]] = {
    **dict.fromkeys(("text", "completion_result", "followup", "plan_mode_respond", "plan_mode_response"), _words),
    "reasoning": _thought,
    "tool": _tool,
    "command": _command,
    "use_mcp_server": _server,
    "browser_action": _browser,
    "browser_action_launch": _browser,
}
