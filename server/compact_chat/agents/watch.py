"""The status line of a chat in any terminal, for agents that have none: counted here, and written anew as it grows."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from compact_chat.agents.hosts import text_of
from compact_chat.agents.memory import SETTINGS, recall, state_of
from compact_chat.agents.statusline import TEMPLATE, fields_for, fitted, turns_text
from compact_chat.disk import path_of
from compact_chat.errors import ChatNotFound, ChatUnreadable
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.wire import Sessions, TokenReport

PAUSE = 1.0  # seconds between two looks


def watch(chat: str, template: str, sleep: Callable[[float], None] = time.sleep) -> int:
    """Follow a chat, or the one in use in this folder; ends with an interrupt, or after one line in a pipe."""
    template = template or text_of(recall(SETTINGS), "template") or TEMPLATE
    is_terminal, line = sys.stdout.isatty(), ""
    seen: tuple[object, ...] = ()
    try:
        while True:
            uri = _uri(chat)
            stamp = _stamp(uri)
            if stamp != seen:
                line, seen = _line(uri, template, colored=is_terminal), stamp
            print(f"\r\x1b[K{line}" if is_terminal else line, end="" if is_terminal else "\n", flush=True)
            if not is_terminal:
                return 0
            sleep(PAUSE)
    except KeyboardInterrupt:
        print()
        return 0


def _uri(chat: str) -> str:
    if chat:
        return chat if chat.startswith("file:") else Path(chat).absolute().as_uri()
    params = {"workspace": Path.cwd().as_uri(), "limit": 1}
    found: Sessions = run_alone("sessions", params, Job(ClientState()))
    if not found.sessions:
        raise ChatNotFound("No chats found for this folder. Give a path.", uri=params["workspace"])
    return found.sessions[0].uri


def _line(uri: str, template: str, *, colored: bool) -> str:
    try:
        report: TokenReport = run_alone("countTokens", {"chat": {"uri": uri}}, Job(ClientState()))
    except ChatUnreadable:  # a file that is being rewritten
        return ""
    end = report.limit.tokens if report.limit else report.window
    path = Path(path_of(uri))
    session = path.parent.name if path.name == "events.jsonl" else path.stem.removeprefix("rollout-")[-36:]
    shown = fields_for(report.used, end, (), report.compactions.total, recall(state_of(session, "hook")))
    if report.turns_left and report.limit:
        shown["turns"] = turns_text(report.turns_left.low, report.turns_left.high)
    shown["model"] = report.model or ""
    return fitted(template, shown, shutil.get_terminal_size((100, 24)).columns - 1, colored=colored)


def _stamp(uri: str) -> tuple[object, ...]:
    try:
        found = Path(path_of(uri)).stat()
    except OSError:
        raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from None
    return uri, found.st_size, found.st_mtime_ns
