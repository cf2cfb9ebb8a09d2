"""Long session files to open: varied chats made by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.bench.chats import words

Record = dict[str, Any]
Records = Iterator[Record]
ACCENTS = "Ärger – naïve “quotes” 文件 错误 ✓"
ENVELOPE = {
    "sessionId": "s-1",
    "cwd": "/home/me/project",
    "version": "2.1.7",
    "gitBranch": "main",
    "userType": "external",
}


def write_lines(path: Path, size: int, records: Records, cut: Callable[[], Iterable[Record]], live: float) -> Path:
    """Write records until the file has the given size, with a compaction where the live part begins."""
    written, is_cut = 0, live >= 1
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            if not is_cut and written >= size * (1 - live):
                is_cut = True
                written += sum(file.write(line(record)) for record in cut())
            written += file.write(line(next(records)))
    return path


def line(record: Record) -> str:
    """Return one line of a session file."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def claude(path: Path, size: int, live: float = 1.0) -> Path:
    """Write a Claude Code session with the given live share at its end."""
    last: list[str | None] = [None]
    draw = random.Random(1)

    def placed(record: Record) -> Record:
        uuid = f"{draw.getrandbits(128):032x}"
        parent, last[0] = last[0], uuid
        return {"parentUuid": parent, "isSidechain": False, **ENVELOPE, **record, "uuid": uuid}

    def cut() -> Records:
        last[0] = None
        yield placed({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})
        said = {"role": "user", "content": f"This session is being continued. {words(draw, 200)}"}
        yield placed({"type": "user", "isCompactSummary": True, "message": said})

    return write_lines(path, size, map(placed, claude_turns(draw)), cut, live)


def claude_turns(draw: random.Random) -> Records:
    """Yield requests, thinking, parallel calls, progress, results with their screen copies, and answers."""
    number = 0
    while True:
        number += 1
        yield {"type": "user", "message": {"role": "user", "content": prose(draw, 60)}}
        said: Record = {"id": f"msg_{number}", "role": "assistant", "model": "claude-opus-4-5", "type": "message"}
        said["usage"] = {"input_tokens": 9, "cache_read_input_tokens": 900 * number % 150_000 + 1, "output_tokens": 80}
        yield {"type": "assistant", "message": {**said, "content": [{"type": "thinking", "thinking": prose(draw, 90)}]}}
        for call in (f"toolu_{number}_{one}" for one in range(2)):
            given = {"file_path": f"/home/me/project/src/{draw.choice('abc')}.py", "new_string": code(draw, 12)}
            block = {"type": "tool_use", "id": call, "name": "Edit", "input": given}
            yield {"type": "assistant", "message": {**said, "content": [block]}}
            yield {"type": "progress", "toolUseID": call, "data": {"type": "hook_progress", "command": "check"}}
            shown = code(draw, draw.choice((20, 60, 200)))
            result = {"type": "tool_result", "tool_use_id": call, "content": shown}
            copy = {"type": "text", "file": {"content": shown, "lines": shown.split("\n")[:20]}, "originalFile": shown}
            yield {"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": copy}
        answer = {**said, "id": f"msg_{number}b", "content": [{"type": "text", "text": prose(draw, 120)}]}
        yield {"type": "assistant", "message": answer}


def codex(path: Path, size: int, live: float = 1.0) -> Path:
    """Write a Codex session with the given live share at its end."""
    draw = random.Random(2)
    meta = {
        "id": "s-1",
        "cwd": "/home/me/project",
        "cli_version": "0.142.0",
        "base_instructions": {"text": prose(draw, 900)},
    }
    opening = iter(
        [
            {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": meta},
            {"timestamp": "2026-05-01T10:00:00Z", "type": "turn_context", "payload": {"model": "gpt-5.5"}},
        ]
    )

    def records() -> Records:
        yield from opening
        yield from codex_turns(draw)

    def cut() -> Records:
        words_of = [{"type": "input_text", "text": f"Another language model started. {words(draw, 200)}"}]
        kept = [{"type": "message", "role": "user", "content": words_of}]
        yield enveloped("compacted", {"message": "", "replacement_history": kept})

    return write_lines(path, size, records(), cut, live)


def codex_turns(draw: random.Random) -> Records:
    """Yield requests, thinking, calls and outputs, each with the event that repeats it."""
    number = 0
    while True:
        number += 1
        wish, answer, shown = prose(draw, 60), prose(draw, 120), code(draw, draw.choice((20, 60, 200)))
        yield item("message", role="user", content=[{"type": "input_text", "text": wish}])
        yield enveloped("event_msg", {"type": "user_message", "message": wish})
        yield item("reasoning", summary=[], encrypted_content=f"{draw.getrandbits(4096):x}")
        given = json.dumps({"cmd": ["bash", "-lc", words(draw, 12)]})
        yield item("function_call", name="exec_command", arguments=given, call_id=f"call_{number}")
        yield item("function_call_output", call_id=f"call_{number}", output=shown)
        yield enveloped("event_msg", {"type": "exec_command_end", "call_id": f"call_{number}", "stdout": shown})
        yield item("message", role="assistant", content=[{"type": "output_text", "text": answer}])
        yield enveloped("event_msg", {"type": "agent_message", "message": answer})
        last = {"input_tokens": 900 * number % 150_000 + 1, "output_tokens": 80, "total_tokens": 1}
        info = {
            "total_token_usage": {"total_tokens": number},
            "last_token_usage": last,
            "model_context_window": 258_400,
        }
        yield enveloped("event_msg", {"type": "token_count", "info": info})


def enveloped(kind: str, payload: Record) -> Record:
    """Return a line of a Codex session."""
    return {"timestamp": "2026-05-01T10:00:00Z", "type": kind, "payload": payload}


def item(kind: str, **members: Any) -> Record:
    """Return an item of the history."""
    return enveloped("response_item", {"type": kind, **members})


def prose(draw: random.Random, number: int) -> str:
    """Return words, some in other scripts."""
    return f"{words(draw, number)}{' ' + ACCENTS if draw.random() < 0.2 else ''}"


def code(draw: random.Random, number: int) -> str:
    """Return lines of a program."""
    return "\n".join(
        f'    value_{draw.randrange(999)} = read("{words(draw, 2)}")  # {words(draw, 3)}' for _ in range(number)
    )
