"""The operations, one story each, the same for editors and for a shell."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.operations.client_state import ClientState
    from compact_chat.operations.job import Job, json_text, perform, perform_alone, run_alone
    from compact_chat.operations.params import ChatRef, bare_type
    from compact_chat.operations.summarize import Compacted, compact_chat
    from compact_chat.operations.table import OPERATIONS, card, operation

__all__ = [
    "OPERATIONS",
    "ChatRef",
    "ClientState",
    "Compacted",
    "Job",
    "bare_type",
    "card",
    "compact_chat",
    "json_text",
    "operation",
    "perform",
    "perform_alone",
    "run_alone",
]

if not TYPE_CHECKING:  # a type checker would take any name from it
    __getattr__ = door(
        __name__,
        {
            "client_state": "ClientState",
            "job": "Job json_text perform perform_alone run_alone",
            "params": "ChatRef bare_type",
            "summarize": "Compacted compact_chat",
            "table": "OPERATIONS card operation",
        },
    )
