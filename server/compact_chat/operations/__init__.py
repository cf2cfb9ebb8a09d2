"""The operations, one story each, the same for editors and for a shell."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.operations.desk import Desk
    from compact_chat.operations.params import ChatRef, bare_type
    from compact_chat.operations.runner import json_text, perform, perform_alone
    from compact_chat.operations.table import card, operation
    from compact_chat.operations.work import Work

__all__ = [
    "ChatRef",
    "Desk",
    "Work",
    "bare_type",
    "card",
    "json_text",
    "operation",
    "perform",
    "perform_alone",
]
__getattr__ = door(
    __name__,
    {
        "desk": "Desk",
        "params": "ChatRef bare_type",
        "runner": "json_text perform perform_alone",
        "table": "card operation",
        "work": "Work",
    },
)
