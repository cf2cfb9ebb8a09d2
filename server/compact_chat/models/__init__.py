"""Request -> text: who writes a summary, and what follows when a model fails."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.models.anthropic import has_credential
    from compact_chat.models.ladder import (
        Access,
        Answer,
        Assignment,
        Candidate,
        Choice,
        Failure,
        Host,
        Rejected,
        Tell,
        climb,
        module_of,
    )
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
