"""The operations, one module each, the same for editors and for the shell."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState, Job, TakesLong, perform, run_alone
    from compact_chat.operations.record import Quote, after_compaction, keep_original
    from compact_chat.operations.summarize import Compacted, compact_chat
    from compact_chat.operations.table import ChatRef, bare_type, card, operation
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
