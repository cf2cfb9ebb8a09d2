"""Bytes, text or messages of any known tool -> Chat."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.read.formats import (
        Growth,
        Heading,
        Segment,
        Tail,
        earlier,
        folder_named,
        follow_chat,
        heading_of,
        may_be_chat,
        newest_replaced,
        read_chat,
        read_own,
    )
    from compact_chat.read.loose import (
        BLOCK,
        MAX_FILE_BYTES,
        MAX_WHOLE,
        MOST_PROBLEMS,
        PACKED,
        SMALL,
        Blob,
        InMemory,
        Range,
        check_length,
        fields,
        objects,
        parse,
        parsed,
        title_of,
        unpacked_beginning,
        with_own_ids,
        word,
    )
    from compact_chat.read.resolve import resolved
    from compact_chat.read.source import LONGEST_TAIL, Source, unfinished_line, whole_lines
    from compact_chat.read.vscode import unframed
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
