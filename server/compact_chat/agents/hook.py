"""One hook for all events of all agents: it keeps originals, and brings back what a compaction dropped, once.

Agents show and send what a hook prints, and wait for it. So it prints nothing but an answer that the event takes, and
most runs only look at what the transcript grew by; what a comparison needs is imported for one. Where no compaction of
the chat itself is recorded, nothing is added.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from compact_chat.agents.hosts import CLAUDE_CODE, COPILOT_CLI, Host, folder_of, host_of, is_of_vscode, text_of
from compact_chat.agents.memory import SETTINGS, Values, glance, member, number, recall, remember, state_of, update
from compact_chat.errors import CompactChatError

if TYPE_CHECKING:
    from compact_chat.facts import Kind
    from compact_chat.operations import Job, Quote

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


# What a compaction dropped, worded for the model: quotes with author and turn, within a length.

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
    from pathlib import Path

    from compact_chat.disk import instruction_text
    from compact_chat.operations import ChatRef, after_compaction, keep_original

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
    from pathlib import Path

    from compact_chat.operations import keep_original

    with suppress(CompactChatError, OSError):
        keep_original(Path(path).as_uri(), length, None, _job(), noted=noted)


def _job() -> Job:
    """Begin a run by the choices that were made when Compact Chat was installed."""
    from compact_chat.operations import ClientState, Job

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
    from compact_chat.text import visible

    words = _TAG.sub("&lt;", visible(" ".join(quote.text.split())))
    words = words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"
    if quote.author is None:
        return f"- {_LABELS[quote.kind]}, turn {quote.turn}: {words}"
    return f'- {_LABELS[quote.kind]}, {quote.author}, turn {quote.turn}: "{words}"'
