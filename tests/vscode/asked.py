"""What a recorded request of the agent holds: as a chat that the server counts, and its conversation in tokens."""

from __future__ import annotations

import json
import re
from typing import Any

from compact_chat.measure import Counter
from tests.vscode.scripted import words

OURS = "one `<analysis>` block and then one `<summary>` block"
USER_REQUEST = re.compile(r"<userRequest>\n(.*)\n</userRequest>", re.DOTALL)
SURROUNDINGS = 2  # messages: the system prompt, and what the workspace looks like
SHORT = 20  # characters of a line that may stand anywhere by chance


def is_ours(request: dict[str, Any]) -> bool:
    """Whether our server made this request, for a summary."""
    return OURS in words(request)


def said(request: dict[str, Any]) -> str:
    """The user's newest message, as the user wrote it."""
    texts = (_text(message) for message in reversed(request["messages"]))
    found = USER_REQUEST.search(next(text for text in texts if "<userRequest>" in text))
    assert found is not None
    return found[1].strip()


def old_lines(request: dict[str, Any], *, kept: int) -> set[str]:
    """The lines of all messages behind the one about the surroundings, but for those that are kept at the end."""
    lines = words({"messages": request["messages"][SURROUNDINGS:-kept]}).split("\n")
    return {line.strip() for line in lines if len(line.strip()) > SHORT}


def newest(request: dict[str, Any], count: int) -> str:
    """All text of the newest messages."""
    return words({"messages": request["messages"][-count:]})


def conversation_tokens(request: dict[str, Any]) -> int:
    """The tokens of all messages but the system prompt."""
    return sum(_tokens(message) for message in request["messages"] if message["role"] != "system")


def whole_tokens(request: dict[str, Any]) -> int:
    """The tokens of all messages and tools."""
    return sum(map(_tokens, request["messages"])) + Counter().count(json.dumps(request["tools"]))


def as_chat(request: dict[str, Any], answer: str) -> dict[str, Any]:
    """A request and its answer as a chat that the server reads."""
    told = [message for message in request["messages"] if message["role"] != "system"]
    messages = [{"role": one["role"], "content": [_block(part) for part in one["content"]]} for one in told]
    system = "".join(_text(message) for message in request["messages"] if message["role"] == "system")
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool.get("inputSchema", {})}
        for tool in request["tools"]
    ]
    return {"system": system, "tools": tools, "messages": [*messages, {"role": "assistant", "content": answer}]}


def _tokens(message: dict[str, Any]) -> int:
    return Counter().count(words({"messages": [message]}))


def _text(message: dict[str, Any]) -> str:
    return "".join(part["text"] for part in message["content"] if part["kind"] == "text")


def _block(part: dict[str, Any]) -> dict[str, Any]:
    match part["kind"]:
        case "call":
            return {"type": "tool_use", "id": part["id"], "name": part["name"], "input": part["input"]}
        case "result":
            content = [_block(one) for one in part["content"]]
            return {"type": "tool_result", "tool_use_id": part["id"], "content": content}
    return {"type": "text", "text": part["text"]}
