"""Messages -> the text and the requests that a model gets."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.prompt.portions import Portion, compose_request, cut_portions, fit, skipped
    from compact_chat.prompt.transcript import (
        DEFAULT_LIMITS,
        LABELS_TRANSCRIPT,
        PROMPT_LIMITS,
        Limits,
        arguments_json,
        changes_files,
        clip,
        message_text,
        write_transcript,
    )
    from compact_chat.prompt.turns import fit_turns
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
