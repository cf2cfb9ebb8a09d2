"""The status line: how full the chat is, by the limit that counts, and what its last compaction dropped.

    ✳ 137k/167k 82% · ~3 turns · 2 compactions, 3 rules missing

An agent runs it after each answer, kills it when the next one comes, and shows whatever it prints. So it reads only
what the transcript grew by, never fails, and shows no figure that the agent did not report, or record in it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from compact_chat.agents.hosts import CLAUDE_CODE, COPILOT_CLI, Host, host_of, number_of, settings_path, text_of
from compact_chat.agents.memory import SETTINGS, Values, glance, last_usage, member, recall, remember, state_of
from compact_chat.disk import changed

TEMPLATE = "{mark} {used}/{limit} {percent} · {turns} · {compactions}, {missing}"
FIELDS = ("mark", "used", "limit", "percent", "left", "turns", "compactions", "missing", "model")
MARK, MEASURING = "✳", "measuring"
YELLOW_FROM, RED_FROM = 75, 90  # percent, as in the meter of VS Code
LATEST, MOST_TURNS = 5, 50  # turns that tell how the next may grow, and that these can tell ahead
LEAST = 2  # turns that were seen; one alone may be what was done before the line was there
LARGEST = 2**22  # bytes of input
KEPT_SECONDS = 5  # for the status line that was there before
INSIDE = "COMPACT_CHAT_STATUSLINE"  # set for that one: if it runs this program, it must not be called again
_REPLY = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def run_statusline(arguments: Sequence[str] = ()) -> int:
    """Print the line for what the agent sends on standard input; nothing that goes wrong is shown."""
    template = arguments[1] if len(arguments) == 2 and arguments[0] == "--template" else ""
    with suppress(Exception, KeyboardInterrupt):
        data = sys.stdin.buffer.read(LARGEST)
        payload: object = {}
        with suppress(ValueError, RecursionError):
            payload = json.loads(data)
        settings = recall(SETTINGS)
        before = _Kept(settings, payload if isinstance(payload, dict) else {}, data)
        line = ""
        with suppress(Exception):
            line = line_for(payload if isinstance(payload, dict) else {}, template or text_of(settings, "template"))
        lines = (*before.lines(), line or f"{MARK} {MEASURING}")
        # In UTF-8, whatever the environment says: agents read nothing else.
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode(errors="replace"))
        sys.stdout.buffer.flush()
    return 0


def line_for(payload: Mapping[str, Any], template: str = "") -> str:
    """Write the line for what an agent reports; remembers what the next one will need."""
    host, session = host_of(payload), text_of(payload, "session_id")
    path = text_of(payload, "transcript_path")
    if host is COPILOT_CLI and path and not path.endswith(".jsonl"):  # there it is the session's folder
        path = os.path.join(path, "events.jsonl")
    name = state_of(session, "line")
    state = recall(name) if session else {}
    seen = glance(path, host, member(state, "seen")) if path and os.path.isabs(path) else member(state, "seen")
    used, window = sizes(payload, host)
    if used is None and host is CLAUDE_CODE and os.path.isabs(path):  # what follows the newest compaction tells it too
        used = _used(last_usage(path, int(seen.get("newest", -1))))
    limit = _limit(payload, host, window, state) if window else None
    growth = _growth(state, used, text_of(payload, "prompt_id"))
    if session:
        remember(name, {**state, "seen": seen})
    hooked = recall(state_of(session, "hook")) if session else {}
    shown = fields_for(used, limit or window, growth if limit else (), int(seen.get("count", 0)), hooked)
    model = payload.get("model")
    shown["model"] = text_of(model, "display_name") or text_of(model, "id") or text_of(payload, "model")
    return fitted(
        template or TEMPLATE,
        shown,
        _columns(),
        colored="NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb",
    )


def sizes(payload: Mapping[str, Any], host: Host) -> tuple[int | None, int | None]:
    """Return the tokens in the context and the window; None where the host says nothing, or nothing but zeros.

    The percentages of hosts are left alone: they ignore where the tool compacts, and go stale after a compaction.
    """
    context = payload.get("context_window")
    if host is COPILOT_CLI:
        used = number_of(context, "current_context_tokens")
        window = number_of(context, "displayed_context_limit") or number_of(context, "context_window_size")
    else:
        used = _used(member(context, "current_usage"))
        window = number_of(context, "context_window_size")
    return used or None, window or None


def _used(usage: Values) -> int | None:
    parts = [number_of(usage, name) or 0 for name in _REPLY]
    return sum(parts) if any(parts[:-1]) else None


def fields_for(
    used: int | None, end: int | None, growth: Sequence[int], compactions: int, hooked: Values
) -> dict[str, str]:
    """Word each field; one that is not known is empty."""
    report = member(hooked, "report")
    missing = {name: number_of(report, "missing", name) or 0 for name in ("rules", "tasks")}
    is_back = report.get("delivered") is True
    added = {name: number_of(report, "added", name) if is_back else None for name in missing}
    what = [
        (f"{added[name]} of " if added[name] not in (None, number) else "") + _plural(number, name[:-1])
        for name, number in missing.items()
        if number
    ]
    state = "added back" if is_back else "missing"
    fields = dict.fromkeys(FIELDS, "") | {"mark": MARK, "used": MEASURING}
    if compactions:
        fields["compactions"] = _plural(compactions, "compaction")
        fields["missing"] = f"{' and '.join(what)} {state}" if what else ""
    if used is not None:
        fields["used"] = short(used)
    if used is not None and end:
        percent = 100 * used / end
        fields |= {"limit": short(end), "percent": f"{max(1, min(round(percent), 99 if used < end else 999))}%"}
        room = max(0, end - used)
        fields["left"] = short(room)
        if len(growth) >= LEAST and room // max(growth) <= MOST_TURNS:
            fields["turns"] = turns_text(room // max(growth), room * len(growth) // sum(growth))
    return fields


def turns_text(low: int, high: int) -> str:
    """Word how many turns are left: as long as the longest of the latest, and as long as their mean."""
    return f"~{low} to {high} turns" if 0 < low < high else f"~{_plural(high, 'turn')}" if high else "<1 turn"


def short(tokens: int) -> str:
    """Write a number of tokens in at most four characters or so."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1000:.0f}k"
    return f"{tokens / 1_000_000:.1f}".removesuffix(".0") + "M"


def fitted(template: str, fields: Mapping[str, str], width: int, *, colored: bool) -> str:
    """Fill a template, and drop what does not fit from the right: parts between `·`, then those between commas.

    A part whose fields are all empty is dropped with its separator.
    """
    parts = [[piece for one in part.split(",") if (piece := filled(one, fields))] for part in template.split("·")]
    parts = [part for part in parts if part]
    while parts:
        line = " · ".join(", ".join(part) for part in parts)
        if not width or len(line) <= width:
            break
        if len(parts) == 1 and len(parts[0]) == 1:
            mark, share = fields["mark"], fields.get("percent", "")
            line = f"{mark} {share}" if share and len(mark) + 1 + len(share) <= width else mark  # no number is cut
            break
        parts[-1].pop()
        parts = [part for part in parts if part]
    else:
        return ""
    percent = fields.get("percent", "")
    if not (colored and percent):
        return line
    level = int(percent.rstrip("%"))
    color = 31 if level >= RED_FROM else 33 if level >= YELLOW_FROM else 32
    return line.replace(percent, f"\x1b[{color}m{percent}\x1b[0m", 1)


def filled(piece: str, fields: Mapping[str, str]) -> str:
    """Fill one piece of a template; empty if all of its fields are."""
    if not fields["limit"]:
        for joint in ("/", " / ", " of ", ""):
            piece = piece.replace(f"{joint}{{limit}}", "")
    names = [name for name in FIELDS if f"{{{name}}}" in piece]
    if names and not any(fields[name] for name in names):
        return ""
    for name in names:
        piece = piece.replace(f"{{{name}}}", fields[name])
    return " ".join("".join(character if character.isprintable() else " " for character in piece).split())


def _limit(payload: Mapping[str, Any], host: Host, window: int, state: Values) -> int | None:
    """Return where the tool compacts; found anew when its model, its settings or their variables changed."""
    place = text_of(payload, "workspace", "project_dir") or text_of(payload, "cwd")
    model = text_of(payload, "model", "id") or text_of(payload, "model")
    basis: list[object] = [host.name, model, window, text_of(payload, "version"), place]
    known = member(state, "limit")
    files, names = member(known, "files"), member(known, "env")
    is_current = known.get("basis") == basis and all(os.environ.get(name) == names[name] for name in names)
    if not (is_current and all(changed(path) == files[path] for path in files)):
        tokens, paths, variables = _compacts_at(host.name, model, window, text_of(payload, "version"), place)
        known = {
            "basis": basis,
            "files": {path: changed(path) for path in paths},
            "env": {name: os.environ.get(name) for name in variables},
            "tokens": tokens,
        }
        state["limit"] = known
    return number_of(known, "tokens") or None


def _compacts_at(tool: str, model: str, window: int, version: str, workspace: str) -> tuple[int, list[str], list[str]]:
    """Return where the tool compacts (0: never, or not known), and the files and variables that say so."""
    # Here, since other rooms take longer to import than the line to print.
    from compact_chat.chat import Chat
    from compact_chat.disk import read_tool_settings, settings_files
    from compact_chat.measure import limit_of, window_of
    from compact_chat.tools import tool_named

    chat = Chat("", tool, (), model=model or None, version=version, workspace=workspace)
    limit = limit_of(chat, window_of(model, {}, setting=window, tool=tool), read_tool_settings(tool, workspace))
    variables = [knob.name.removeprefix("$") for knob in tool_named(tool).knobs if knob.name.startswith("$")]
    return limit.tokens if limit else 0, list(settings_files(tool, workspace)), variables


def _growth(state: Values, used: int | None, prompt: str) -> tuple[int, ...]:
    """Remember the tokens at the end of each turn, and return what the latest turns added."""
    known = (one for one in member(state, "ends", list) if isinstance(one, list) and len(one) == 2)
    ends: list[list[Any]] = [
        [name, tokens] for name, tokens in known if isinstance(name, str) and isinstance(tokens, int)
    ]
    if used is not None:
        if ends and used < ends[-1][1] * 0.8:  # a compaction
            ends = []
        if ends and ends[-1][0] == prompt and prompt:
            ends[-1][1] = used
        elif not ends or ends[-1][1] != used:
            ends.append([prompt, used])
        state["ends"] = ends[-LATEST - 1 :]
    sizes = [tokens for _, tokens in ends[-LATEST - 1 :]]
    return tuple(later - size for size, later in pairwise(sizes) if later > size)


class _Kept:
    """The status line that the user had before, which is called too: its lines come first."""

    def __init__(self, settings: Values, payload: Mapping[str, Any], data: bytes) -> None:
        self._process: Any = None
        command = member(member(settings, "kept"), settings_path(host_of(payload)), str)
        if command and INSIDE not in os.environ:
            import subprocess

            with suppress(OSError, ValueError):
                self._process = subprocess.Popen(  # noqa: S602 -- the user's own command line, as the agent ran it
                    command,
                    shell=True,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, INSIDE: "1"},
                )
        self._data = data

    def lines(self) -> Iterator[str]:
        """Wait for what it prints; nothing if it fails or takes too long."""
        if self._process is None:
            return
        import subprocess

        try:
            printed, _ = self._process.communicate(self._data, timeout=KEPT_SECONDS)
        except (subprocess.TimeoutExpired, OSError, ValueError):
            self._process.kill()
            return
        if self._process.returncode == 0:
            yield from printed.decode(errors="replace").splitlines()


def _columns() -> int:
    """Return the width that the agent gives; 0 if it does not tell."""
    width = os.environ.get("COLUMNS", "")
    return int(width) if width.isascii() and width.isdecimal() and len(width) < 6 else 0


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
