"""What Codex itself says in the user's name: its wrappers, and the summaries of its compactions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import fields, objects, word

_OPENING = re.compile(
    r"<(environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagent_notification"
    r"|agent_message_board_notification|recommended_plugins|goal_context|codex_internal_context|hook_prompt"
    r"|external_\w{1,100})\b",
    re.IGNORECASE,
)
_AGENTS = ("# agents.md instructions", "</instructions>")
_WARNINGS = (
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
    "Warning: Your account was flagged",
)
_SUMMARY = (
    "Another language model started to solve this problem and produced a summary",
    "You were originally given instructions from a user over one or more turns",
)
_IDE_CONTEXT = "# Context from my IDE"
_IDE_REQUEST = "## My request for Codex:"
_KINDS_OF_USERS = ("user.", "images.", "audio.")


def is_turn(item: JsonObject) -> bool:
    """Whether an item begins a turn that can be taken back: words of a user, or of another agent."""
    if item.get("type") == "agent_message":
        return True
    return item.get("role") == "user" and not is_context(item)


def is_typed(item: JsonObject) -> bool:
    """Whether an item holds what a person typed."""
    return item.get("role") == "user" and not is_context(item) and not is_summary(item)


def is_context(item: JsonObject) -> bool:
    """Whether a message of the user's was written by Codex: newer versions note the kind of each text."""
    kinds = fields(item.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
    contents = texts_of(item)
    if isinstance(kinds, list) and contents and len(kinds) == len(contents):
        return not any(word(kind).startswith(_KINDS_OF_USERS) or kind in ("", "unknown") for kind in kinds)
    return any(map(_is_wrapped, contents))


def is_summary(item: JsonObject) -> bool:
    """Whether a message of the user's is the summary of an earlier compaction."""
    return item.get("role") == "user" and any(text.startswith(_SUMMARY) for text in texts_of(item)[:1])


def is_update(item: JsonObject) -> bool:
    """Whether an item tells the model of a new setting, ahead of the turn that it holds for."""
    if item.get("role") == "developer":
        return any(text.lstrip().startswith("<") for text in texts_of(item))
    return item.get("role") == "user" and is_context(item)


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The texts of a message without what an editor puts in front of the person's words."""
    return [_request(text) or text for text in texts]


def texts_of(item: JsonObject) -> list[str]:
    """The content of an item, a string for each block; a block that is no text is an empty one."""
    content = item.get("content")
    return [content] if isinstance(content, str) else [word(block.get("text")) for block in objects(content)]


def _request(text: str) -> str:
    return text.partition(_IDE_REQUEST)[2].strip() if text.lstrip().startswith(_IDE_CONTEXT) else ""


def _is_wrapped(text: str) -> bool:
    text = text.strip()
    start, end = _AGENTS
    if text[: len(start)].lower() == start:
        return text[-len(end) :].lower() == end
    if opening := _OPENING.match(text):
        closing = f"</{opening[1]}>"
        return text[-len(closing) :].lower() == closing.lower()
    return text.startswith(_WARNINGS)
