"""The request for a summary: a task, cut into portions where a model cannot take it at once, in one of four styles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compact_chat.chat import Message, ToolResult, Unknown
from compact_chat.options import Style
from compact_chat.prompt.brief import brief_request
from compact_chat.prompt.checkpoint import checkpoint_request
from compact_chat.prompt.detailed import detailed_request
from compact_chat.prompt.material import Material, material
from compact_chat.prompt.portions import Portion, portions
from compact_chat.prompt.request import Request, Task
from compact_chat.prompt.structured import structured_request

__all__ = ["Portion", "compose", "portions", "skipped"]

_STYLES: Mapping[Style, Callable[[Task, Material], Request]] = {
    "detailed": detailed_request,
    "checkpoint": checkpoint_request,
    "structured": structured_request,
    "brief": brief_request,
}


def compose(task: Task, portion: Portion, previous: str | None = None) -> Request:
    """One request; with the summary of what came before this portion, it asks for one that covers both."""
    return _STYLES[task.style](task, material(task, portion, previous))


def skipped(messages: Sequence[Message]) -> int:
    """How many blocks are shown by the name of their type alone, since nobody here can read them (rule T7)."""
    parts = [part for message in messages for part in message.parts]
    inner = (part for result in parts if isinstance(result, ToolResult) for part in result.content)
    return sum(isinstance(part, Unknown) for part in (*parts, *inner))
