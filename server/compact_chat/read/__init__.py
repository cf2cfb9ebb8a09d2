"""Bytes, text or messages of any known tool -> Chat."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.read.document import MOST_PROBLEMS, check_length, parse
    from compact_chat.read.formats import read_chat
    from compact_chat.read.growing import Growth, Replaced, Tail, follow_chat, newest_replaced
    from compact_chat.read.jsonl import (
        BLOCK,
        MOST,
        PACKED,
        SMALL,
        Held,
        InMemory,
        Place,
        Unpacking,
        UpTo,
        last_line,
        whole_lines,
    )
    from compact_chat.read.listing import Told, folder_named, may_be_chat, tell
    from compact_chat.read.loose import fields, objects, title_of, with_own_ids, word
    from compact_chat.read.pasted import fenced_lines
    from compact_chat.read.resolve import resolved
    from compact_chat.read.source import Source, Watch
    from compact_chat.read.vscode import unframed

__all__ = [
    "BLOCK",
    "MOST",
    "MOST_PROBLEMS",
    "PACKED",
    "SMALL",
    "Growth",
    "Held",
    "InMemory",
    "Place",
    "Replaced",
    "Source",
    "Tail",
    "Told",
    "Unpacking",
    "UpTo",
    "Watch",
    "check_length",
    "fenced_lines",
    "fields",
    "folder_named",
    "follow_chat",
    "last_line",
    "may_be_chat",
    "newest_replaced",
    "objects",
    "parse",
    "read_chat",
    "resolved",
    "tell",
    "title_of",
    "unframed",
    "whole_lines",
    "with_own_ids",
    "word",
]

if not TYPE_CHECKING:  # a type checker would take any name from it
    __getattr__ = door(
        __name__,
        {
            "document": "MOST_PROBLEMS check_length parse",
            "formats": "read_chat",
            "growing": "Growth Replaced Tail follow_chat newest_replaced",
            "jsonl": "BLOCK Held InMemory MOST PACKED Place SMALL Unpacking UpTo last_line whole_lines",
            "listing": "Told folder_named may_be_chat tell",
            "loose": "fields objects title_of with_own_ids word",
            "pasted": "fenced_lines",
            "resolve": "resolved",
            "source": "Source Watch",
            "vscode": "unframed",
        },
    )
