"""Request -> text: who writes a summary, and what follows when a model fails."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.models.anthropic import has_credential
    from compact_chat.models.ladder import Candidate, Rejected, climb, module_of
    from compact_chat.models.provider import Access, Answer, Assignment, Choice, Failure, Host, Tell

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(
        __name__,
        {
            "anthropic": "has_credential",
            "ladder": "Candidate Rejected climb module_of",
            "provider": "Access Answer Assignment Choice Failure Host Tell",
        },
    )
