"""What Claude Code itself says in the user's name: wrappers, notes and attachments."""

from __future__ import annotations

import re

from compact_chat.chat import JsonObject, Message, Part, Text
from compact_chat.read.blocks import parts_of
from compact_chat.read.lenient import fields, word

_WRAPPER = re.compile(
    r"\s*<(system-reminder|command-name|command-message|command-args|command-contents|local-command-[a-z]+"
    r"|bash-stdout|bash-stderr|task-notification|ide_[a-z_]+)>"
)
_NOTE = re.compile(r"\s*(?:Caveat: The messages below were generated|\[Request interrupted by user)")

# The attachments that go to the model, and where their words stand; all others stay on the screen.
_SENT: dict[str, tuple[str, ...]] = {
    "agent_listing_delta": ("addedLines",),
    "batching_reminder_sent": ("text",),
    "compact_file_reference": ("filename",),
    "critical_system_reminder": ("content",),
    "date_change": ("newDate",),
    "deferred_tools_delta": ("addedLines",),
    "directory": ("path", "content"),
    "edited_text_file": ("filename", "snippet"),
    "file": ("filename", "content"),
    "hook_additional_context": ("content",),
    "hook_blocking_error": ("blockingError",),
    "invoked_skills": ("skills",),
    "mcp_instructions_delta": ("addedBlocks",),
    "nested_memory": ("path", "content"),
    "opened_file_in_ide": ("filename",),
    "plan_file_reference": ("planFilePath", "planContent"),
    "plan_mode": ("planFilePath",),
    "plan_mode_exit": ("planFilePath",),
    "read_truncation_notice": ("banner",),
    "selected_lines_in_ide": ("filename", "content"),
    "silent_turn_reminder": ("text",),
    "skill_listing": ("content",),
    "task_reminder": ("content",),
    "task_status": ("description", "status", "deltaSummary"),
    "todo_reminder": ("content",),
    "total_tokens_reminder": ("text",),
}
_NESTED = ("content", "file", "text", "subject", "blockingError")


def typed_text(text: str) -> str:
    """What a person typed of a user's text: the text without the wrappers that the tool put in front."""
    start = 0
    while wrapper := _WRAPPER.match(text, start):
        end = text.find(f"</{wrapper[1]}>", wrapper.end())
        if end < 0:
            return ""
        start = end + len(wrapper[1]) + 3
    return "" if _NOTE.match(text, start) else text[start:].strip()


def attachment_message(record: JsonObject) -> Message | None:
    """The message that an attachment becomes, or None where it is not sent."""
    attachment = fields(record.get("attachment"))
    kind = word(attachment.get("type"))
    if kind == "queued_command":  # typed while the model was at work
        return _message(record, parts_of(attachment.get("prompt")), attachment.get("commandMode") != "prompt")
    words = "\n".join(filter(None, (_words(attachment.get(key)) for key in _SENT.get(kind, ()))))
    reminder = Text(f"<system-reminder>\n{words}\n</system-reminder>")
    return _message(record, (reminder,) if words else (), by_host=True)


def _message(record: JsonObject, parts: tuple[Part, ...], by_host: bool) -> Message | None:
    return Message(record["uuid"], "user", parts, by_host=by_host) if parts else None


def _words(value: object) -> str:
    if isinstance(value, dict):
        return next(filter(None, (_words(value.get(key)) for key in _NESTED)), "")
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value)))
    return word(value)
