"""The compactions that were made, as a person reads them: when, of which chat, what they kept, and under which id."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import Terminal, one_line, visible, wrapped
from compact_chat.disk.names import path_of
from compact_chat.errors import InvalidParams

_WRITERS = {"none": "by rules", "host": "from a reply"}  # nobody that we asked
_NONE = "There is none here; `summarize` keeps each compaction unless archives are off."
_HINT = "restore ID gives the chat back; export ID --as markdown writes it down, or --as claude-code for another tool."

_USES = {
    "jsonl": "To go on in Claude Code, put it beside the project's sessions (~/.claude/projects/…), as it is named;"
    " `claude --resume` then lists it.",
}


def show_history(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Two lines for each compaction; its id stands alone on the second, to be copied."""
    for one in found["compactions"]:
        yield _row(one, terminal)
        yield terminal.paint(f"  {one['compactionId']}  {visible(_place(one['uri']))}", "dim")
    if terminal.shown or not found["compactions"]:
        yield from wrapped(_HINT if found["compactions"] else _NONE, terminal.width)


def show_restored(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The path of the copy, alone on its line; what it is, for a person."""
    yield visible(_place(found["archive"]))
    if terminal.shown:
        count = len(found["messages"])
        where = f" of {_place(found['uri'])}" if found["uri"] else ""
        yield from wrapped(f"a copy{where}, as it was: {count} messages; --json prints them", terminal.width)


def show_exported(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The path of the new file, alone on its line."""
    yield visible(_place(found["uri"]))
    if terminal.shown:
        yield f"{found['bytes']:,} bytes"
        yield from wrapped(_USES.get(found["uri"].rpartition(".")[2], ""), terminal.width)


def _row(one: JsonObject, terminal: Terminal) -> str:
    when = datetime.fromisoformat(one["at"]).astimezone()
    writer = one["model"] or _WRITERS.get(one["provider"], one["provider"])
    sizes = f"{one['before']:,} → {one['after']:,} tokens"
    start = f"{when:%Y-%m-%d %H:%M}  {sizes}  {one['kept']:.0%} kept  {writer}  "
    title = one_line(one["title"] or "(no title)", max(2, terminal.width - len(start)))
    return start + terminal.paint(title, "bold" if one["title"] else "dim")


def _place(uri: str | None) -> str:
    """A path where it is one of this machine."""
    try:
        return path_of(uri) if uri else ""
    except InvalidParams:
        return uri or ""
