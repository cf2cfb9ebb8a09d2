"""What takes the most room in a chat, and what the host's own meter shows, for a person in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import Terminal, one_line, pad, path_line

LISTS = {
    "biggest": "The biggest things, as shares of what is used",
    "messages": "By message",
    "tools": "By tool",
    "files": "By file",
}


def show_biggest(breakdown: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The lists of a breakdown; one that tells of nothing in particular is left out."""
    for name, heading in LISTS.items():
        things = breakdown[name]
        if any(thing["kind"] != "rest" for thing in things):
            yield terminal.paint(one_line(heading, terminal.width), "bold")
            yield from (_row(thing, terminal) for thing in things)


def host_sentence(ring: JsonObject) -> str:
    """Say what the host's own meter shows, by its version, and why it is another number than ours."""
    return (
        f"the tool's own meter: {ring['percent']:g}% with the {ring['reserved']:,} tokens that are kept free for a"
        f" reply, or {ring['usedPercent']:g}% without, in newer versions; {ring['used']:,} of {ring['total']:,} used"
    )


def _row(thing: JsonObject, terminal: Terminal) -> str:
    kind = "" if thing["kind"] == "rest" else thing["kind"]
    start = f"  {thing['tokens']:>9,}  {thing['percent']:>5.1f}%  {pad(kind, 8)}"
    fitted = path_line if thing["kind"] == "file" else one_line
    return start + fitted(thing["name"], max(2, terminal.width - len(start)))
