"""Tasks of Cline: API messages in one file, and in others what of them is hidden, rewritten and measured."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Chat, Message
from compact_chat.read.cline_chat import chat_of, live_messages
from compact_chat.read.cline_evidence import tool_of
from compact_chat.read.cline_host import holds_summary
from compact_chat.read.cline_live import hidden_end, live_items, measured_from
from compact_chat.read.cline_task import Task, task_of
from compact_chat.read.cline_usage import usage_of_calls
from compact_chat.read.source import Source

_NAME = "cline"


def sniff(source: Source) -> bool:
    """Whether the source is a task's history, or what the screen shows of one, as Cline keeps them."""
    return tool_of(source) == _NAME


def read(source: Source) -> Chat:
    """Read the history with what the files beside it tell of it; without a history, what the screen shows."""
    task = task_of(source)
    return chat_of(_NAME, task, _messages(task))


def _messages(task: Task) -> list[Message]:
    since, behind_cut = measured_from(task.ui), hidden_end(task.ui) + 1
    usages = {place: usage for place, usage in usage_of_calls(task.items, task.ui).items() if place > since}
    live = live_messages(task, live_items(task), usages)
    return [_marked(message, place == behind_cut > 0) for place, message in live.items()]


def _marked(message: Message, opens: bool) -> Message:
    """Mark a summary of Cline's own."""
    if not holds_summary(message, opens):
        return message
    return replace(message, is_summary=True, by_host=message.role == "user")
