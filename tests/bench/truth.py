"""Real sessions replayed: what the meter said before each recorded call, and what the call turned out to be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Unknown, Usage
from compact_chat.measure import Counter, Family, Gauge, Meter, Weight, family_of, hidden_by, json_text, weigh
from compact_chat.read import Source, read_chat

PLAIN = {"claude-code": 1.18, "gemini": 1.18}  # what simple meters take for a token of o200k, else one
BOUNDARY = re.compile(rb'"subtype":"(?:micro)?compact_boundary"|"type":"compacted"|"type":"thread_rolled_back"')
HEAD = 2_000  # bytes of a line in which its type stands
BARE = Family("bare", per_message=0, per_call=0, per_result=0)
COUNTER = Counter()


class Call(Struct, frozen=True):
    """A recorded call, and what was said of its prompt before it."""

    session: str
    tool: str
    message: str  # the id of its reply
    truth: int
    said: Meter
    cold: Meter  # by a meter that saw no recorded size at all
    last: int | None  # the call before, where one was recorded since the last compaction
    plain: float  # that, and the simple count of what came since
    is_compacted: bool  # the first after a compaction
    is_searching: bool  # its server searched the web meanwhile, and what it found is in the recorded prompt


def sessions(folder: Path) -> list[Path]:
    """The real sessions whose tool recorded the size of its calls, without those trimmed or written by hand."""
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    real = [one for one in files if one["kind"] == "real" and one["recorded_usage"] and not one["truth_note"]]
    return [folder / one["file"] for one in real]


def replay(path: Path) -> list[Call]:
    """Predict each call of a session from what was recorded before it."""
    found: dict[str, Call] = {}
    for chat in _stages(path.read_bytes()):
        for call in _calls(path.name, chat if found else replace(chat, opening=None)):
            found.setdefault(call.message, call)
    return list(found.values())


def _stages(data: bytes) -> Iterator[Chat]:
    """The chat before each line that changes what came before it, and at the end: in between, chats only grow."""
    lines = data.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if BOUNDARY.search(line[:HEAD])]
    for end in [*ends, len(lines)]:
        yield read_chat(Source.of_bytes(b"".join(lines[:end])))


def _calls(session: str, chat: Chat) -> Iterator[Call]:
    """Go through the messages once; what is said of a call is said before its reply is added."""
    family = family_of(chat.model, chat.tool)
    fixed = COUNTER.count(chat.system) + (COUNTER.count(json_text(chat.tools)) if chat.tools else 0)
    hidden = (hidden_by(chat), hidden_by(replace(chat, opening=None)))
    warm, cold = (Gauge(family, one, fixed) for one in hidden)
    last, plain = None, 0.0
    for message in chat.messages:
        usage = _reported(message)
        if usage is not None:
            yield Call(
                session=session,
                tool=chat.tool,
                message=message.id,
                truth=usage.prompt_tokens,
                said=warm.meter(),
                cold=cold.meter(),
                last=last,
                plain=plain,
                is_compacted=last is None and any(one.is_summary for one in chat.messages),
                is_searching=any(isinstance(part, Unknown) and "search" in part.type for part in message.parts),
            )
            last, plain = usage.prompt_tokens, float(usage.prompt_tokens)
        weight = _weight(message, family)
        warm.add(message, weight)
        cold.add(replace(message, usage=None), weight)
        plain += _weight(message, BARE).words * PLAIN.get(chat.tool, 1.0)


def _reported(message: Message) -> Usage | None:
    usage = message.usage
    return None if usage is None or usage.whole else usage


def _weight(message: Message, family: Family) -> Weight:
    return weigh(message, COUNTER.count, family)
