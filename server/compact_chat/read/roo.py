"""Tasks of Roo Code and Kilo Code: API messages that tell themselves what a summary or a cut has replaced."""

from __future__ import annotations

from compact_chat.chat import Chat
from compact_chat.read.cline_chat import chat_of, live_messages
from compact_chat.read.cline_evidence import tool_of
from compact_chat.read.cline_task import task_of
from compact_chat.read.cline_usage import usage_of_calls
from compact_chat.read.roo_live import live_items, measured_since
from compact_chat.read.source import Source

_NAME = "roo"


def sniff(source: Source) -> bool:
    """Whether the source is a task's history, or what the screen shows of one, as Roo Code keeps them."""
    return tool_of(source) == _NAME


def read(source: Source) -> Chat:
    """Read the history with what the screen tells of its calls; without a history, what the screen shows."""
    task = task_of(source)
    usages = usage_of_calls(task.items, task.ui, measured_since(task.ui))
    return chat_of(_NAME, task, list(live_messages(task, live_items(task), usages).values()))
