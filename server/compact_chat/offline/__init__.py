"""Facts -> summary without a model."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.offline.adding import most_valuable, with_facts
    from compact_chat.offline.handover import turns_of
    from compact_chat.offline.writer import OfflineRequest, needed_length, write_summary

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(
        __name__,
        {
            "adding": "most_valuable with_facts",
            "handover": "turns_of",
            "writer": "OfflineRequest needed_length write_summary",
        },
    )
