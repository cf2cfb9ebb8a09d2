"""One hook for all events of all agents: it keeps originals, and brings back what a compaction dropped, once.

Agents show and send what a hook prints, and wait for it. So it prints nothing but an answer that the event takes, and
most runs only look at what the transcript grew by. Where no compaction of the chat itself is recorded, nothing is
added.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from compact_chat.agents.hosts import CLAUDE_CODE, COPILOT_CLI, Host, folder_of, host_of, is_of_vscode, text_of
from compact_chat.agents.memory import Values, glance, member, number, recall, remember, state_of, update

Event = Literal["before", "start", "prompt", ""]
LARGEST = 2**24  # bytes of input: a pasted prompt
PATIENCE, PAUSE = 5.0, 0.05  # seconds that an asynchronous hook looks for the record of a compaction
_EVENTS: dict[str, Event] = {"PreCompact": "before", "UserPromptSubmit": "prompt"}


def run_hook(_arguments: Sequence[str] = ()) -> int:
    """Answer the event on standard input; whatever goes wrong, the agent goes on."""
    with suppress(Exception, KeyboardInterrupt):
        payload = json.loads(sys.stdin.buffer.read(LARGEST))
        answer = answer_to(payload) if isinstance(payload, dict) else None
        if answer:
            sys.stdout.buffer.write(json.dumps(answer).encode())
            sys.stdout.buffer.flush()
    return 0


def answer_to(payload: Mapping[str, Any]) -> Values | None:
    """Do what an event asks for, and return what the agent is answered, if anything.

    Of a sub-agent, whose events come with the session of its chat, only the original is kept.
    """
    host, event = host_of(payload), event_of(payload)
    session, sub_agent = text_of(payload, "session_id") or text_of(payload, "sessionId"), payload.get("agent_id")
    if not event or not session:
        return None
    name = state_of(f"{session} {sub_agent}" if sub_agent else session, "hook")
    state = recall(name)
    path = text_of(payload, "transcript_path") or text_of(payload, "transcriptPath") or text_of(state, "path")
    if host is COPILOT_CLI and not path:
        path = os.path.join(folder_of(host), "session-state", session, "events.jsonl")
    if not os.path.isabs(path) or is_of_vscode(path):
        return None
    if event == "before":
        _note(name, state, host, path, payload)
        return None
    if event == "start" and host is CLAUDE_CODE:  # which runs this hook before it records the compaction
        _wait(path, host, state)
    seen = glance(path, host, member(state, "seen"))
    if not state and event == "prompt":  # whatever was compacted before we came stays as it is
        remember(name, {"path": path, "seen": seen, "done": number(seen, "newest")})
        return None
    report = member(state, "report")
    if not _is_new(seen, state) and report.get("delivered") is not False:
        if seen != state.get("seen"):
            remember(name, {**state, "seen": seen, "done": number(seen, "newest")})
        return None
    found: list[Values] = []
    cwd = text_of(payload, "cwd")
    update(name, lambda now: found.extend(_settle(now, host, event, path, cwd)))
    return _answer(host, event, found[0]) if found and not sub_agent else None


def event_of(payload: Mapping[str, Any]) -> Event:
    """Name the event; an agent whose names are in camel case does not name it, but each has members of its own."""
    name = text_of(payload, "hook_event_name")
    if name == "SessionStart":
        return "start" if payload.get("source") == "compact" else ""
    if name or "sessionId" not in payload:
        return _EVENTS.get(name, "")
    return "before" if "trigger" in payload else "prompt" if "prompt" in payload else ""


def _note(name: str, state: Values, host: Host, path: str, payload: Mapping[str, Any]) -> None:
    """Remember what was compacted before, and what begins the next one, and keep the chat as it is now."""
    from compact_chat.agents.missing import keep_length

    seen = glance(path, host, member(state, "seen"))
    if state and _is_new(seen, state):  # no prompt came since
        later: list[Values] = []
        state = update(name, lambda now: later.extend(_settle(now, host, "before", path, text_of(payload, "cwd"))))
    known = {"path": path, "seen": seen, "done": number(seen, "newest"), "trigger": text_of(payload, "trigger")}
    if length := seen.get("offset", 0):
        keep_length(path, length, number(state, "noted"))
        known["noted"] = length
    remember(name, {**state, **known})


def _wait(path: str, host: Host, state: Values) -> None:
    """Wait until the transcript shows a compaction with its summary; the agent does not wait for us."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        seen = glance(path, host, member(state, "seen"))
        if _is_new(seen, state) and _has_summary(path, host, seen["newest"]):
            return
        time.sleep(PAUSE)


def _has_summary(path: str, host: Host, start: int) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        file.seek(start)
        tail = file.read()
        return host.summary in tail[: tail.rfind(b"\n") + 1]
    return False


def _settle(state: Values, host: Host, event: Event, path: str, cwd: str) -> list[Values]:
    """Compare a new compaction with what it replaced, and hand out its report where this event takes one."""
    seen = glance(path, host, member(state, "seen"))
    newest, noted = number(seen, "newest"), number(state, "noted")
    is_new = _is_new(seen, state)
    state |= {"path": path, "seen": seen, "done": newest}
    if is_new:
        from compact_chat.agents.missing import report_on

        state |= {"report": {}, "noted": -1}
        with suppress(Exception):  # a bug must not come back with every prompt
            state["report"] = report_on(path, newest, host, cwd, noted)
    report = member(state, "report")
    if report.get("delivered") is not False or not _takes(host, event, text_of(state, "trigger")):
        return []
    report["delivered"] = True
    return [report]


def _takes(host: Host, event: Event, trigger: str) -> bool:
    """Whether what is added at this event reaches the model, and as soon as anything would.

    What an asynchronous hook of Claude Code prints is sent with the next request: within the turn after an automatic
    compaction. After a manual one that is the next prompt's, and without a terminal the process ends before.
    """
    if event == "start" and host is CLAUDE_CODE:
        return trigger == "auto" and os.environ.get("CLAUDE_CODE_ENTRYPOINT", "cli") == "cli"
    return event != "before"


def _answer(host: Host, event: Event, report: Values) -> Values:
    text, line = report["text"], report["line"]
    if host is COPILOT_CLI:
        return {"additionalContext": text}
    name = "SessionStart" if event == "start" else "UserPromptSubmit"
    return {"systemMessage": line, "hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _is_new(seen: Values, state: Values) -> bool:
    """Return whether the newest compaction begins elsewhere than the last that was dealt with."""
    return number(seen, "newest") not in (-1, number(state, "done"))
