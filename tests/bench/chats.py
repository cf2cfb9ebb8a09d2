"""Chats to measure with, one per seed: session files, text and messages."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WORDS = (
    *("read", "write", "shelf", "bread", "tray", "count", "until", "limit"),
    *("stock", "order", "error", "value", "path", "return"),
)
MEGABYTE = 1_000_000


def write_chat(path: Path, tokens: int, seed: int = 0) -> Path:
    """Write a session of about so many tokens."""
    path.write_text(session(tokens * 4, seed), "utf-8")
    return path


def session(size: int, seed: int = 0) -> str:
    """Return the lines of a session of at least so many characters: requests, edits, results, answers."""
    draw, written = random.Random(seed), 0
    lines: list[str] = []
    while written < size:
        lines.append(json.dumps(record(len(lines), words(draw, 300))) + "\n")
        written += len(lines[-1])
    return "".join(lines)


def messages(size: int, number: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return so many messages of so many characters in total: lines of words, some quoted, some with accents."""
    draw, each = random.Random(seed), size // number
    return [{"role": ("user", "assistant")[n % 2], "content": text(draw, each)} for n in range(number)]


def text(draw: random.Random, size: int) -> str:
    """Draw lines of so many characters."""
    lines, written = [], 0
    while written < size:
        lines.append(f'{words(draw, 9)} "{draw.choice(WORDS)}" café\n')
        written += len(lines[-1])
    return "".join(lines)[:size]


def words(draw: random.Random, number: int) -> str:
    """Draw words."""
    return " ".join(f"{draw.choice(WORDS)}_{draw.randrange(999)}" for _ in range(number))


def record(number: int, text: str) -> dict[str, object]:
    """Return the next line of a session file: a request, a call, its result, an answer, in turn."""
    call = {
        "type": "tool_use",
        "id": f"c{number}",
        "name": "Edit",
        "input": {"file_path": f"s{number}.py", "new_string": text},
    }
    result = {"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": text}
    role, said = (
        ("user", text),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": text}]),
    )[number % 4]
    message = {"id": f"m{number}", "role": role, "model": "gpt-5", "content": said}
    ids = {
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s",
        "isSidechain": False,
    }
    return {"type": role, "message": message, "timestamp": f"2026-01-01T00:00:{number % 60:02}.000Z", **ids}
