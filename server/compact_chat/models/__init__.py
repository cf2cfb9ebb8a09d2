"""Request -> text: who writes a summary, and what follows when a model fails."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.models.anthropic import has_credential
    from compact_chat.models.ladder import Candidate, Rejected, climb, module_of
    from compact_chat.models.offline import OfflineRequest, write_summary
    from compact_chat.models.provider import (
        Access,
        Answer,
        Assignment,
        Choice,
        Failure,
        Host,
        HostRefused,
        Tell,
        finished,
    )

__all__ = [
    "Access",
    "Answer",
    "Assignment",
    "Candidate",
    "Choice",
    "Failure",
    "Host",
    "HostRefused",
    "OfflineRequest",
    "Rejected",
    "Tell",
    "climb",
    "finished",
    "has_credential",
    "module_of",
    "write_summary",
]
__getattr__ = door(
    __name__,
    {
        "anthropic": "has_credential",
        "ladder": "Candidate Rejected climb module_of",
        "offline": "OfflineRequest write_summary",
        "provider": "Access Answer Assignment Choice Failure Host HostRefused Tell finished",
    },
)
