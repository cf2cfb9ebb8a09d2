"""The shell's commands for agents: their arguments, and what runs them; and the status line in any terminal."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from compact_chat.errors import ChatNotFound, ChatUnreadable, InvalidParams
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.text import visible
from compact_chat.wire import Sessions, TokenReport

PAUSE = 1.0  # seconds between two looks at a chat that is watched

AGENT_COMMANDS = {
    "statusline": "print one line about the chat that an agent's status line is given",
    "hook": "answer an agent's event on standard input; never fails loudly",
    "install": "put the status line and the hook into an agent's settings; without one, list the agents found",
    "uninstall": "take them out of an agent's settings again",
}


def add_agent_commands(commands: Any, command: str) -> None:
    """Add the parsers; arguments are built only for the requested command."""
    for name, sentence in AGENT_COMMANDS.items():
        parser = commands.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        if name != command:
            continue
        if name in ("install", "uninstall"):
            from compact_chat.agents.hosts import HOSTS

            count = "?" if name == "install" else None
            parser.add_argument("host", metavar="AGENT", nargs=count, type=_host, choices=HOSTS, help=", ".join(HOSTS))
            parser.add_argument("--yes", action="store_true", help="do not ask")
        if name == "install":
            sentence = (
                "what comes back after a compaction: rules and open tasks; more: decisions, errors and values too"
            )
            parser.add_argument("--add-back", choices=("off", "rules", "more"), help=sentence)
            sentence = "where originals are kept for undo: on (your state folder), off, or a folder"
            parser.add_argument("--archive", metavar="on|off|FOLDER", help=sentence)
        if name in ("install", "statusline"):
            add_template(parser)


def run_agent_command(asked: argparse.Namespace) -> int:
    """Run one of these commands, and return its exit code."""
    from compact_chat.agents import install

    ask = (lambda _: True) if asked.yes else install.asked
    if asked.command == "uninstall":
        lines = install.uninstall(asked.host, ask)
    else:
        given = {"addBack": asked.add_back, "archive": _place(asked.archive), "template": asked.template}
        settings = {name: value for name, value in given.items() if value is not None}
        if asked.host is not None:
            lines = install.install(asked.host, ask, settings)
        else:
            lines = install.choose(settings) if settings else install.overview()
    for line in lines:
        print(line, flush=True)
    return 0


def _host(name: str) -> str:
    """Return an agent's name; VS Code has an extension instead."""
    from compact_chat.agents.hosts import EDITOR

    if name.lower() in EDITOR:
        use = "`make package` packs it, `code --install-extension vscode-client/dist/compact-chat.vsix` installs it"
        raise InvalidParams.at("$", f"VS Code has an extension instead: {use}")
    return name


def _place(archive: str | None) -> str | None:
    """Complete a folder's name by the one that this shell is in; the hook runs in others."""
    if archive is None or archive.strip().lower() in ("on", "off", ""):
        return archive
    return os.path.abspath(os.path.expanduser(archive))


def add_template(parser: argparse.ArgumentParser) -> None:
    """Add the flag for what a status line says."""
    from compact_chat.agents.statusline import FIELDS

    fields = ", ".join(f"{{{name}}}" for name in FIELDS)
    parser.add_argument("--template", metavar="TEXT", type=_template, help=f"what the status line says, of {fields}")


def _template(text: str) -> str:
    """Accept a template whose fields are all known."""
    from compact_chat.agents.statusline import FIELDS

    for name in re.findall(r"\{([^{}]*)\}", text):
        if name not in FIELDS:
            raise argparse.ArgumentTypeError(f"the status line has no field {{{name}}}, but {', '.join(FIELDS)}")
    return text


def watch(uri: str, template: str) -> int:
    """Follow a chat, or the one in use in this folder, for agents that have no status line.

    Ends with an interrupt, or after one line in a pipe.
    """
    from compact_chat.agents.hosts import text_of
    from compact_chat.agents.memory import SETTINGS, recall
    from compact_chat.disk import path_of

    template = template or text_of(recall(SETTINGS), "template")
    is_terminal, line = sys.stdout.isatty(), ""
    seen: tuple[object, ...] = ()
    try:
        while True:
            place = uri or _newest_here()
            path = Path(path_of(place))
            try:
                found = path.stat()
            except OSError:
                raise ChatNotFound("There is no such file, or no permission to read it.", uri=place) from None
            stamp = place, found.st_size, found.st_mtime_ns
            if not uri and seen[:1] != (place,):
                start = "\r\x1b[K" if is_terminal else ""
                print(f"{start}compact-chat: the newest chat is {visible(str(path))}", file=sys.stderr, flush=True)
            if stamp != seen:
                line, seen = _watched(place, path, template, colored=is_terminal), stamp
            print(f"\r\x1b[K{line}" if is_terminal else line, end="" if is_terminal else "\n", flush=True)
            if not is_terminal:
                return 0
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        print()
        return 0


def _newest_here() -> str:
    here = Path.cwd().as_uri()
    params = {"workspace": here, "filesIn": [here], "limit": 1}
    found: Sessions = run_alone("sessions", params, Job(ClientState()))
    if not found.sessions:
        raise ChatNotFound("No chats found for this folder. Give a path.", uri=here)
    return found.sessions[0].uri


def _watched(uri: str, path: Path, template: str, *, colored: bool) -> str:
    """Write the line of a chat, as it is counted here."""
    from compact_chat.agents.memory import recall, state_of
    from compact_chat.agents.statusline import TEMPLATE, fields_for, fitted, turns_text

    try:
        report: TokenReport = run_alone("countTokens", {"chat": {"uri": uri}}, Job(ClientState()))
    except ChatUnreadable:  # a file that is being rewritten
        return ""
    end = report.limit.tokens if report.limit else report.window
    session = path.parent.name if path.name == "events.jsonl" else path.stem.removeprefix("rollout-")[-36:]
    shown = fields_for(report.used, end, (), report.compactions.total, recall(state_of(session, "hook")))
    if report.turns_left and report.limit:
        shown["turns"] = turns_text(report.turns_left.low, report.turns_left.high)
    shown["model"] = report.model or ""
    return fitted(template or TEMPLATE, shown, shutil.get_terminal_size((100, 24)).columns - 1, colored=colored)
