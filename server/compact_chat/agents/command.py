"""The shell's commands for agents: their arguments, and what runs them."""

from __future__ import annotations

import argparse
from typing import Any

AGENT_COMMANDS = {
    "statusline": "print one line about the chat that an agent's status line is given, or watch a chat",
}


def add_agent_commands(commands: Any, command: str) -> None:
    """Add the parsers; arguments are built only for the requested command."""
    for name, sentence in AGENT_COMMANDS.items():
        parser = commands.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        if name == command == "statusline":
            _statusline(parser)


def run_agent_command(asked: argparse.Namespace) -> int:
    """Run one of these commands, and return its exit code."""
    from compact_chat.agents.watch import watch

    return watch(asked.watch, asked.template or "")


def _statusline(parser: argparse.ArgumentParser) -> None:
    from compact_chat.agents.statusline import FIELDS

    fields = ", ".join(f"{{{name}}}" for name in FIELDS)
    parser.add_argument("--template", metavar="TEXT", help=f"what the line says, of {fields}")
    sentence = "follow a chat in any terminal: a path or a file: URI; without one, the chat in use in this folder"
    parser.add_argument("--watch", metavar="CHAT", nargs="?", const="", default="", help=sentence)
