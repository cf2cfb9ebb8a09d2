"""Session files read the plain way, whole and at once: the reference for the reader that scans them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from compact_chat.chat import JsonObject, Message
from compact_chat.read.claude_code import Outline, Session, Whole, live_lines
from compact_chat.read.claude_code import messages_of as claude_messages
from compact_chat.read.codex import Session as CodexSession
from compact_chat.read.codex import live_entries
from compact_chat.read.codex import messages_of as codex_messages
from compact_chat.read.document import parse_line
from compact_chat.read.loose import loose

BITS = (b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\0", b"\xff", b"\n", b"\r", b"1e999", b"\\ud800", b"\xc3")


class Read(NamedTuple):
    """The records of a JSON-lines file, its damaged lines, and the first line that is not UTF-8."""

    records: list[JsonObject]
    damaged: list[int]
    broken: int | None


def read_whole(data: bytes) -> Read:
    """Decode the text, split it, and parse each line."""
    text = data.decode(errors="replace").removeprefix("\ufeff")
    found = Read([], [], first_broken(data))
    for number, line in enumerate(text.split("\n"), 1):
        values, whole = parse_line(line) if line else ([], True)
        found.records.extend(value for value in values if isinstance(value, dict))
        found.damaged.extend([] if whole else [number])
    return found


def first_broken(data: bytes) -> int | None:
    """Return the first line that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        return 1 + data.count(b"\n", 0, problem.start)
    return None


def claude_chat(records: Sequence[JsonObject]) -> tuple[Message, ...]:
    """Return the live messages of a Claude Code session."""
    session = Session()
    for record in records:
        session.note(loose(Outline, record))
    return tuple(claude_messages(live_records(records), session.cleared, session.saved))


def live_records(records: Sequence[JsonObject]) -> list[Whole]:
    """Return the records from the last compaction on, without dead branches, with all parallel calls and results."""
    session = Session()
    known = [(loose(Whole, one), line) for one in records if (line := session.note(loose(Outline, one))) is not None]
    live = live_lines([line for _, line in known])
    for place, is_old in live:
        if is_old and (message := known[place][0].message):
            message.usage = None
    return [known[place][0] for place, _ in live]


def codex_chat(records: Sequence[JsonObject]) -> tuple[Message, ...]:
    """Return the live messages of a Codex session."""
    return codex_messages(live_entries(CodexSession().whole(records)))


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Damage a file as a crash, a full disk or a careless edit would."""
    lines = data.split(b"\n")
    for _ in range(draw.choice((1, 1, 2, 6))):
        at = draw.randrange(len(lines))
        place = draw.randrange(len(lines[at]) + 1)
        before, behind = lines[at][:place], lines[at][place:]
        lines[at : at + 1] = draw.choice(
            (
                [before],
                [before + draw.choice(BITS) + behind],
                [before + draw.choice(BITS) + behind[1:]],
                [lines[at] + lines[draw.randrange(len(lines))]],
                [lines[draw.randrange(len(lines))], lines[at]],
                [b"\xef\xbb\xbf" + lines[at]],
                [lines[at] + b"\r"],
                [lines[at]] if len(lines) < 2 else [],
            )
        )
    return b"\n".join(lines)
