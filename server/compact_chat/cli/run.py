"""From a command's flags to its result: the same params that an editor would send."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compact_chat.chat import JsonObject
from compact_chat.cli.flags import given_flags
from compact_chat.operations.desk import Desk
from compact_chat.operations.perform import perform_alone
from compact_chat.operations.work import Work
from compact_chat.options import Options


def results(asked: argparse.Namespace) -> JsonObject:
    """Run the command's operation; `compact` runs three on one chat."""
    if asked.command == "compact":
        return _compact(asked)
    return perform_alone(asked.operation, _params(asked), Desk(), Work())


def _compact(asked: argparse.Namespace) -> JsonObject:
    desk, params = Desk(), _params(asked)
    look = {"chat": params["chat"], "options": params["options"]}
    return {
        "report": perform_alone("countTokens", look, desk, Work()),
        "preview": perform_alone("preview", look, desk, Work()),
        "compaction": perform_alone("summarize", params, desk, Work()),
    }


def _params(asked: argparse.Namespace) -> JsonObject:
    given = given_flags(asked, asked.params)
    if "chat" not in asked:
        return given | {asked.source: _contents(getattr(asked, asked.source))}
    given.pop("options", None)
    options = (asked.options or {}) | given_flags(asked, Options)
    return given | {"chat": _reference(asked.chat), "options": options}


def _reference(chat: str) -> JsonObject:
    """Name a chat as the wire does."""
    if chat == "-":
        return {"text": _standard_input()}
    return {"uri": chat if chat.startswith("file:") else Path(chat).absolute().as_uri()}


def _contents(name: str) -> str:
    if name == "-":
        return _standard_input()
    from compact_chat.disk.files import read_file

    return read_file(_reference(name)["uri"]).decode("utf-8", "replace")


def _standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")
