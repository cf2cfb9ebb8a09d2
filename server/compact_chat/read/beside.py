"""The files in the folder of a chat that its reader needs too."""

from __future__ import annotations

# Cline and its kin keep a task in several files. The chat is in the first; the next two show it on the screen, the
# older one under another name.
API_HISTORY = "api_conversation_history.json"
UI_MESSAGES = ("ui_messages.json", "claude_messages.json")
CONTEXT_EDITS = "context_history.json"
TASK_METADATA = "task_metadata.json"


def needed_beside(name: str) -> tuple[str, ...]:
    """Name the files that are to be read with a file of this name, where they are there."""
    chats = (API_HISTORY, *UI_MESSAGES)
    files = (*chats, CONTEXT_EDITS, TASK_METADATA)
    return tuple(file for file in files if file != name) if name in chats else ()
