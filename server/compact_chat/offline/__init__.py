"""Facts -> summary without a model."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.offline.adding import (
        MORE,
        Piece,
        most_valuable,
        pieces_of,
        with_facts,
        with_pieces,
        with_record,
        without_pieces,
    )
    from compact_chat.offline.record import turns_of
    from compact_chat.offline.writer import OfflineRequest, material_of, write_summary
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
