"""Facts -> summary without a model."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.offline.writer import OfflineRequest, write_summary

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(
        __name__,
        {
            "writer": "OfflineRequest write_summary",
        },
    )
