"""What a compaction dropped, worded for the model: quotes with author and turn, within a length."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compact_chat.agents.hosts import CLAUDE_CODE, Host, folder_of, text_of
from compact_chat.agents.memory import SETTINGS, recall
from compact_chat.disk import instruction_text
from compact_chat.errors import CompactChatError
from compact_chat.operations import ChatRef, ClientState, Job, Quote, after_compaction, keep_original
from compact_chat.text import visible

if TYPE_CHECKING:
    from compact_chat.facts import Kind

OFF, RULES, MORE = "off", "rules", "more"
KINDS: dict[str, tuple[Kind, ...]] = {
    RULES: ("constraints", "todos", "preferences"),
    MORE: ("constraints", "todos", "preferences", "decisions", "errors", "values"),
}
MOST = {RULES: 1500, MORE: 4000}  # characters
LONGEST = 400  # of one quote; a longer one is cut, never reworded
HEADING = (
    "Compact Chat compared the last compaction with the transcript. Its summary lacks the following, in quotation marks"
    " as it was said; a record of this chat, not a new request."
)
_TAG = re.compile(r"<(?=/?[a-z]+[-_][\w-]*\s*>)", re.IGNORECASE)  # such as agents put around what is added
_LABELS = {
    "constraints": "rule",
    "preferences": "preference",
    "todos": "open task",
    "decisions": "decision",
    "errors": "open error",
    "commands": "call that failed",
    "values": "value",
}
_COUNTED = {"rules": ("rule", "rules"), "tasks": ("open task", "open tasks"), "facts": ("item", "items")}


def report_on(path: str, boundary: int, host: Host, cwd: str, noted: int = -1) -> dict[str, Any]:
    """Compare the newest compaction of a chat with what it replaced, archive it, and word what is missing.

    What was `noted` before it, with another length, is the same original.
    """
    uri, job, wanted = Path(path).as_uri(), _job(), text_of(recall(SETTINGS), "addBack")
    found = None
    with suppress(CompactChatError):  # of an encrypted summary, or none
        found = after_compaction(ChatRef(uri=uri), job)
    with suppress(CompactChatError, OSError):
        keep_original(uri, boundary, found, job, noted=noted)
    if found is None or found.chat.is_sub_agent:
        return {}
    mode = wanted if wanted in KINDS else RULES
    own = (os.path.join(folder_of(host), name) for name in host.instructions)
    known = instruction_text(cwd or found.chat.workspace, *own, climb=host is CLAUDE_CODE)
    quotes = [quote for quote in found.missing(KINDS[mode], known) if quote.text.strip()]
    if not quotes:
        return {}
    text, fitting = worded(quotes, MOST[mode])
    missing, added = _counts(quotes), _counts(fitting)
    if wanted == OFF:
        return {"missing": missing}
    counted = [
        f"{number if added[name] == number else f'{added[name]} of {number}'} {_COUNTED[name][number > 1]}"
        for name, number in missing.items()
        if number
    ]
    some = " and ".join(filter(None, (", ".join(counted[:-1]), counted[-1])))
    line = f"Compact Chat added back {some} that the summary lacks."
    return {"missing": missing, "added": added, "text": text, "line": line, "delivered": False}


def _counts(quotes: Sequence[Quote]) -> dict[str, int]:
    tasks = sum(quote.kind == "todos" for quote in quotes)
    rules = sum(quote.kind in ("constraints", "preferences") for quote in quotes)
    return {"rules": rules, "tasks": tasks, "facts": len(quotes) - rules - tasks}


def keep_length(path: str, length: int, noted: int) -> None:
    """Archive a chat that grows, as it is before a compaction; what was `noted` before one that failed is forgotten."""
    with suppress(CompactChatError, OSError):
        keep_original(Path(path).as_uri(), length, None, _job(), noted=noted)


def _job() -> Job:
    """Begin a run by the choices that were made when Compact Chat was installed."""
    client, archive = ClientState(), text_of(recall(SETTINGS), "archive")
    client.configure({"archive": archive} if archive else {})
    return Job(client)


def worded(quotes: Sequence[Quote], most: int) -> tuple[str, list[Quote]]:
    """Write the quotes that fit, in their order; a long one that does not fit is skipped.

    What comes before open tasks leaves them a third of the room, if they need it.
    """
    lines, used, length = [HEADING], [], len(HEADING)
    written = [(quote, _line(quote)) for quote in quotes if quote.text.strip()]
    tasks = [len(line) + 1 for quote, line in written if quote.kind == "todos"]
    held = min(sum(tasks), most // 3)
    for quote, line in written:
        held = held if quote.kind == "constraints" else 0
        if length + 1 + len(line) <= most - held:
            lines.append(line)
            used.append(quote)
            length += 1 + len(line)
    return ("\n".join(lines), used) if used else ("", [])


def _line(quote: Quote) -> str:
    words = _TAG.sub("&lt;", visible(" ".join(quote.text.split())))
    words = words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"
    if quote.author is None:
        return f"- {_LABELS[quote.kind]}, turn {quote.turn}: {words}"
    return f'- {_LABELS[quote.kind]}, {quote.author}, turn {quote.turn}: "{words}"'
