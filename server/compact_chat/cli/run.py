"""From a command's flags to its result: the same params that an editor would send."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compact_chat.chat import JsonObject
from compact_chat.cli.flags import given_flags
from compact_chat.cli.status import status
from compact_chat.disk.files import MAX_FILE_BYTES
from compact_chat.errors import ChatUnreadable, CompactChatError, InvalidParams, NoGain, NothingToCompact, TooLarge
from compact_chat.operations.desk import Desk
from compact_chat.operations.perform import perform_alone
from compact_chat.options import Options, Settings

SETTINGS = frozenset(Settings.__struct_encode_fields__) - frozenset(Options.__struct_encode_fields__)


def results(asked: argparse.Namespace) -> tuple[JsonObject, CompactChatError | None]:
    """Run the command's operation; `compact` runs three on one chat, and tells if there was nothing to compact."""
    desk, params = Desk(), _params(asked)
    desk.configure((getattr(asked, "options", None) or {}) | given_flags(asked, Settings))
    if asked.command == "compact":
        return _compact(params, desk)
    return _performed(asked.operation, params, desk), None


def _performed(name: str, params: JsonObject, desk: Desk) -> JsonObject:
    with status() as work:
        return perform_alone(name, params, desk, work)


def _compact(params: JsonObject, desk: Desk) -> tuple[JsonObject, CompactChatError | None]:
    look = {"chat": params["chat"], "options": params["options"]}
    found: JsonObject = {
        "report": _performed("countTokens", look, desk),
        "preview": _performed("preview", look, desk),
    }
    try:
        return {**found, "compaction": _performed("summarize", params, desk)}, None
    except (NoGain, NothingToCompact) as problem:
        return {**found, "compaction": None}, problem


def _params(asked: argparse.Namespace) -> JsonObject:
    given = given_flags(asked, asked.params)
    if asked.source in ("", "compactionId"):
        return given | _places(given)
    if "chat" not in asked:
        source = getattr(asked, asked.source)
        return given | ({} if source is None else {asked.source: _contents(source)})
    for name in ("reply", "summary"):
        if name in given:
            given[name] = _contents(given[name])
    return given | _chat(asked) | {"options": _options(asked)}


def _options(asked: argparse.Namespace) -> JsonObject:
    """Put the options together; a name that is none is a slip of the pen, and in a shell nobody else's new word."""
    given = {} if asked.options is None else asked.options
    known = (*Options.__struct_encode_fields__, *SETTINGS)
    if not isinstance(given, dict) or any(name not in known for name in given):
        raise InvalidParams.at("$.options", f"expected an object of {', '.join(known)}")
    return given | given_flags(asked, Options)


def _chat(asked: argparse.Namespace) -> JsonObject:
    """Name the chat, with what is told of it, where there is one."""
    if asked.chat is None:
        return {}
    return {"chat": _reference(asked.chat) | {name: getattr(asked, name) for name in ("format", "tool")}}


def _reference(chat: str) -> JsonObject:
    """Name a chat as the wire does."""
    if chat == "-":
        return {"text": _standard_input()}
    return {"uri": _uri(chat)}


def _places(given: JsonObject) -> JsonObject:
    """Name folders and files as the wire does."""
    single: JsonObject = {name: _uri(given[name]) for name in ("workspace", "uri") if name in given}
    several = {"roots": list(map(_uri, given["roots"]))} if "roots" in given else {}
    return {**single, **several, **({"chat": {"uri": _uri(given["chat"])}} if "chat" in given else {})}


def _uri(place: str) -> str:
    return place if "://" in place or place.startswith("file:") else Path(place).absolute().as_uri()


def _contents(name: str) -> str:
    if name == "-":
        return _standard_input()
    from compact_chat.disk.files import read_file

    return read_file(_reference(name)["uri"]).decode("utf-8", "replace")


def _standard_input() -> str:
    """Read what is piped in, up to the size of a file; what is no text is no chat either."""
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise TooLarge("Standard input holds more than 256 MiB.")
    if b"\0" in data:
        raise ChatUnreadable("Standard input is not text.", format=None, line=None)
    return data.decode("utf-8", "replace")
