"""What Cline and its kin write into the user's messages, and what a person typed among it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Text, ToolResult, result_text

_HEADER = re.compile(r"\s*\[[a-z_]{2,60}(?:\]| for ')")
_RESULT = "] Result:"
_NOTES = re.compile(
    r"\s*(?:<(?:environment_details|file_content|explicit_instructions|system-reminder)\b"
    r"|\[(?:ERROR|TASK RESUMPTION|Response interrupted|NOTE|\[NOTE|Sliding window truncation)|# task_progress)"
)
# A person's words stand in one of these tags, at the start or behind a line that introduces them.
_SPOKEN = re.compile(r"(?:\A\s*|:\s?\n)<(task|user_message|feedback|answer)>")
_INTRODUCED = re.compile(r"\s*New (?:instructions|message)\b[^\n]{0,200}:\n<user_message>")
_SUMMARY = re.compile(r"(?:\[summarize_task\] Result:)?\s*This session is being continued from a previous conversation")
_SUMMARIES = frozenset({"summarize_task", "condense"})  # the tools by which Cline writes a summary

_DETAILS = "<environment_details>"
_USED = re.compile(r"# Context Window Usage\n[\d,.]{1,15}[KM]? / ([\d,.]{1,15})([KM]?) tokens used")
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,4096})\) Files")
_MODEL = re.compile(r"<model>([^<\n]{1,200})</model>")
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000}


class Environment(Struct, frozen=True):
    """What the newest notes in a chat tell of where it is held."""

    window: int | None = None
    workspace: str | None = None
    model: str | None = None


def typed_texts(texts: Sequence[str]) -> list[str]:
    """The words of a person among the texts of one message."""
    return [typed for typed in _typed(texts) if typed]


def holds_summary(message: Message, opens: bool) -> bool:
    """Whether the message is Cline's summary; one by the assistant counts where it `opens` what a cut left."""
    texts = (part.text for part in message.parts if isinstance(part, Text))
    written = message.role == "user" and any(map(_SUMMARY.match, texts))
    return written or (opens and any(call.name in _SUMMARIES for call in message.calls))


def environment_of(messages: Sequence[Message]) -> Environment:
    """What the notes tell, the newest first."""
    notes = [note for message in reversed(messages) if message.role == "user" for note in _notes(message)]
    used = next(filter(None, map(_USED.search, notes)), None)
    folder = next(filter(None, map(_FOLDER.search, notes)), None)
    model = next(filter(None, map(_MODEL.search, notes)), None)
    return Environment(
        window=_tokens(used[1], used[2]) if used else None,
        workspace=folder[1] if folder else None,
        model=model[1] if model else None,
    )


def _typed(texts: Sequence[str]) -> Iterator[str]:
    is_result = False  # the text before was the head of a result, so that this one is the result
    for text in texts:
        if is_result or (_HEADER.match(text) and _RESULT in text):
            yield from _spoken(text)
            is_result = not is_result and text.rstrip().endswith(_RESULT)
        elif _SPOKEN.match(text) or _INTRODUCED.match(text):
            yield from _spoken(text)
        elif not _NOTES.match(text) and not _SUMMARY.match(text):
            yield text.strip()


def _spoken(text: str) -> Iterator[str]:
    """The words inside the tags of a text; one that is not closed ends with the text."""
    behind = 0
    for tag in _SPOKEN.finditer(text):
        if tag.start() >= behind:
            end = text.find(f"</{tag[1]}>", tag.end())
            behind = len(text) if end < 0 else end
            yield text[tag.end() : behind].strip()


def _notes(message: Message) -> Iterator[str]:
    for part in message.parts:
        text = result_text(part) if isinstance(part, ToolResult) else part.text if isinstance(part, Text) else ""
        if (start := text.rfind(_DETAILS)) >= 0:
            yield text[start:]


def _tokens(number: str, unit: str) -> int | None:
    try:
        return round(float(number.replace(",", "")) * _UNITS[unit]) or None
    except ValueError:
        return None
