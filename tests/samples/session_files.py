"""Chats as each tool writes them, at the paths where each tool stores them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Write: TypeAlias = Callable[..., Path]
SAID = "I count the trays, and then I count them again. " * 20


def lines(*records: object) -> str:
    """Write records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def put(path: Path, text: str) -> Path:
    """Write a file, creating its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def claude_records(title: str, folder: str, number: int = 0, more: int = 0) -> list[dict[str, Any]]:
    """A request and its answer."""
    ids = {"sessionId": f"s{number}", "isSidechain": False, "cwd": folder, "version": "2.1.0"}
    asked = {**ids, "type": "user", "uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": title}}
    said = {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": SAID}]}
    answers = (
        {"type": "assistant", "uuid": f"a{n}", "parentUuid": f"a{n - 1}" if n else "u1"} for n in range(1 + more)
    )
    return [asked, *({**ids, **answer, "message": said} for answer in answers)]


def claude(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Claude Code."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", folder)
    records = claude_records(title, folder, number, more)
    return put(home / ".claude/projects" / slug / f"{uuid(number)}.jsonl", lines(*records))


def codex_records(title: str, folder: str, number: int = 0, more: int = 0) -> list[dict[str, Any]]:
    """A Codex header, and a request."""
    meta = {"id": uuid(number), "cwd": folder, "source": "cli", "base_instructions": {"text": "Be brief. " * 100}}
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": title}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]}
    items = [{"type": "response_item", "payload": item} for item in (asked, *[said] * more)]
    return [{"type": "session_meta", "payload": meta}, *items]


def codex(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Codex."""
    day = f".codex/sessions/2026/{number % 12 + 1:02}/{number % 28 + 1:02}"
    return put(home / day / f"rollout-{uuid(number)}.jsonl", lines(*codex_records(title, folder, number, more)))


def vscode_state(title: str, number: int = 0, more: int = 0) -> dict[str, Any]:
    """The state of a VS Code chat."""
    request = {"requestId": "r1", "message": {"text": title, "parts": []}, "response": [{"value": SAID}] * (1 + more)}
    reported = {"version": 3, "sessionId": uuid(number), "creationDate": 1, "responderUsername": "GitHub Copilot"}
    return {**reported, "requests": [request]}


def vscode(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A VS Code chat, in its folder's storage."""
    storage = home / ".config/Code/User/workspaceStorage" / hashlib.md5(folder.encode()).hexdigest()
    if not (storage / "workspace.json").exists():
        put(storage / "workspace.json", json.dumps({"folder": Path(folder).as_uri()}))
    return put(
        storage / "chatSessions" / f"{uuid(number)}.jsonl", lines({"kind": 0, "v": vscode_state(title, number, more)})
    )


def cline(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A task of Cline."""
    details = f"<environment_details>\n# Current Working Directory ({folder}) Files\na.py\n</environment_details>"
    asked = [{"type": "text", "text": f"<task>\n{title}\n</task>"}, {"type": "text", "text": details}]
    said = {"role": "assistant", "content": [{"type": "text", "text": SAID}]}
    task = home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks" / str(1_700_000_000_000 + number)
    return put(task / "api_conversation_history.json", json.dumps([{"role": "user", "content": asked}, *[said] * more]))


def continue_dev(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Continue."""
    asked, said = ({"role": role, "content": text} for role, text in (("user", title), ("assistant", SAID)))
    history = [{"message": message, "contextItems": []} for message in (asked, *[said] * more)]
    reported = {
        "sessionId": uuid(number),
        "title": title,
        "workspaceDirectory": Path(folder).as_uri(),
        "history": history,
    }
    return put(home / ".continue/sessions" / f"{uuid(number)}.json", json.dumps(reported))


def gemini(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A chat of Gemini CLI."""
    project = hashlib.sha256(folder.encode()).hexdigest()
    asked = {"id": "1", "type": "user", "content": title}
    said = ({"id": f"a{n}", "type": "gemini", "content": SAID} for n in range(more))
    reported = {"sessionId": uuid(number), "projectHash": project, "startTime": "t", "messages": [asked, *said]}
    return put(home / ".gemini/tmp" / project / "chats" / f"session-{number}.json", json.dumps(reported))


def qwen(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Qwen Code."""
    usual: dict[str, Any] = {"sessionId": uuid(number), "cwd": folder, "version": "0.24.0"}
    asked: dict[str, Any] = {
        "uuid": "u",
        "parentUuid": None,
        "type": "user",
        "message": {"role": "user", "parts": [{"text": title}]},
    }
    said = {"role": "model", "parts": [{"text": SAID}]}
    answers = (
        {"uuid": f"a{n}", "parentUuid": f"a{n - 1}" if n else "u", "type": "assistant", "message": said}
        for n in range(more)
    )
    slug = re.sub(r"[^A-Za-z0-9]", "-", folder)
    records = ({**one, **usual} for one in (asked, *answers))
    return put(home / ".qwen/projects" / slug / "chats" / f"{uuid(number)}.jsonl", lines(*records))


def cline_sdk(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Cline since its SDK."""
    name = f"{1_700_000_000_000 + number}_abcde"
    asked = {"id": "m", "role": "user", "content": [{"type": "text", "text": title}]}
    said = ({"id": f"a{n}", "role": "assistant", "content": [{"type": "text", "text": SAID}]} for n in range(more))
    reported = {"version": 1, "agent": "lead", "sessionId": name, "messages": [asked, *said]}
    prompt = {"system_prompt": f"You are Cline.\n4. Working Directory: {folder}\n</env>"}
    session = home / ".cline/data/sessions" / name
    put(session / f"{name}.json", json.dumps({"version": 1, "session_id": name, "cwd": folder}))
    return put(session / f"{name}.messages.json", json.dumps({**reported, **prompt}, indent=2))


def copilot(home: Path, number: int, title: str, folder: str, more: int = 0) -> Path:
    """A session of Copilot CLI."""
    start = {"type": "session.start", "id": "1", "data": {"sessionId": uuid(number), "context": {"cwd": folder}}}
    asked = {"type": "user.message", "id": "2", "data": {"content": title}}
    said = ({"type": "assistant.message", "id": f"a{n}", "data": {"content": SAID}} for n in range(more))
    return put(home / ".copilot/session-state" / uuid(number) / "events.jsonl", lines(start, asked, *said))


WRITERS: dict[str, Write] = {
    "vscode": vscode,
    "claude-code": claude,
    "codex": codex,
    "cline": cline,
    "continue": continue_dev,
    "gemini": gemini,
    "copilot-cli": copilot,
    "qwen-code": qwen,
}


def uuid(number: int) -> str:
    """Make an id from a number."""
    return f"00000000-0000-4000-8000-{number:012}"


def age(path: Path, seconds: int) -> Path:
    """Set a file's time to so many seconds before a fixed day."""
    moment = 1_790_000_000 - seconds
    os.utime(path, (moment, moment))
    return path


def of_one_user(home: Path) -> dict[str, str]:
    """The environment of a user with this home, without variables that move a tool's folder."""
    moving = ("XDG_", "VSCODE_", "CLAUDE_", "CODEX_", "CLINE_", "CONTINUE_", "GEMINI_", "COPILOT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(moving)}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home)}
