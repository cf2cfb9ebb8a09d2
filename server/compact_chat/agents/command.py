"""The shell's commands for agents: their arguments, and what runs them."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

AGENT_COMMANDS = {
    "statusline": "print one line about the chat that an agent's status line is given, or watch a chat",
    "hook": "answer an event of an agent, on standard input; silent, whatever comes",
    "install": "put the status line and the hook into an agent's settings; without one, tell which are there",
    "uninstall": "take them out of an agent's settings again",
}


def add_agent_commands(commands: Any, command: str) -> None:
    """Add the parsers; arguments are built only for the requested command."""
    for name, sentence in AGENT_COMMANDS.items():
        parser = commands.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        if name != command:
            continue
        if name == "statusline":
            _add_template(parser)
            sentence = (
                "follow a chat in any terminal: a path or a file: URI; without one, the chat in use in this folder"
            )
            parser.add_argument("--watch", metavar="CHAT", nargs="?", const="", default="", help=sentence)
        elif name != "hook":
            from compact_chat.agents.hosts import HOSTS

            parser.add_argument(
                "host", metavar="AGENT", nargs="?" if name == "install" else None, choices=HOSTS, help=", ".join(HOSTS)
            )
            parser.add_argument("--yes", action="store_true", help="do not ask")
        if name == "install":
            sentence = (
                "what comes back after a compaction: rules and open tasks; more: decisions, errors and values too"
            )
            parser.add_argument("--add-back", choices=("off", "rules", "more"), help=sentence)
            sentence = "where originals are kept for undo: on (your state folder), off, or a folder"
            parser.add_argument("--archive", metavar="on|off|FOLDER", help=sentence)
            _add_template(parser)


def run_agent_command(asked: argparse.Namespace) -> int:
    """Run one of these commands, and return its exit code."""
    if asked.command in ("statusline", "watch"):
        from compact_chat.agents.watch import watch

        return watch(asked.watch, asked.template or "")
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


def _place(archive: str | None) -> str | None:
    """Complete a folder's name by the one that this shell is in; the hook runs in others."""
    if archive is None or archive.strip().lower() in ("on", "off", ""):
        return archive
    return os.path.abspath(os.path.expanduser(archive))


def _add_template(parser: argparse.ArgumentParser) -> None:
    from compact_chat.agents.statusline import FIELDS

    fields = ", ".join(f"{{{name}}}" for name in FIELDS)
    parser.add_argument("--template", metavar="TEXT", type=template_of, help=f"what the status line says, of {fields}")


def template_of(text: str) -> str:
    """Accept a template whose fields are all known."""
    from compact_chat.agents.statusline import FIELDS

    for name in re.findall(r"\{([^{}]*)\}", text):
        if name not in FIELDS:
            raise argparse.ArgumentTypeError(f"the status line has no field {{{name}}}, but {', '.join(FIELDS)}")
    return text
