"""What Gemini CLI itself says in the user's name: where it works, summaries, and files that were referred to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import fields, word

_SUMMARY = re.compile(r"\s*+(?:<scratchpad>.*?</scratchpad>\s*+)?<state_snapshot>", re.DOTALL)
_CONTEXT = re.compile(r"\s*+(?:<session_context>|This is the Gemini CLI\. We are setting up the context)")
_FILES = "--- Content from referenced files ---"
_FOLDERS = (
    re.compile(r"- \*\*Workspace Directories:\*\*\n\s{0,8}- ([^\n]{1,4096})"),
    re.compile(r"I'm currently working in the directory: ([^\n]{1,4096})"),
)


def opens_with_summary(record: JsonObject) -> bool:
    """Whether a record is the summary of a compaction."""
    content = record.get("content")
    first = content[0] if isinstance(content, list) and content else content
    return record.get("type") == "user" and is_summary(word(first) or word(fields(first).get("text")))


def is_summary(text: str) -> bool:
    """Whether a text is the summary of a compaction."""
    return bool(_SUMMARY.match(text))


def typed_texts(texts: Sequence[str]) -> list[str]:
    """The words of a person among the texts of one message: files that they refer to stand at its end."""
    end = next((place for place, text in enumerate(texts) if text.strip() == _FILES), len(texts))
    return [text for text in texts[:end] if not is_summary(text) and not _CONTEXT.match(text)]


def workspace_of(texts: Iterable[str]) -> str | None:
    """The folder that the session was held in, as Gemini CLI tells the model."""
    notes = [text for text in texts if _CONTEXT.match(text)]
    found = (folder.search(note) for note in notes for folder in _FOLDERS)
    return next((match[1].strip() for match in found if match), None)
