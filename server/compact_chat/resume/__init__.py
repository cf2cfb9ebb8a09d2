"""Summary -> the next chat."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.resume.continuation import check_opening, closed, kind_text, transcript_note, write_continuation
    from compact_chat.resume.export import (
        UNANSWERED,
        Export,
        as_claude_session,
        as_json,
        as_markdown,
        as_vscode_export,
        as_vscode_session,
        is_closing,
        without_closing,
    )
    from compact_chat.resume.messages import (
        INTERRUPTED,
        acceptable,
        as_anthropic,
        as_openai_chat,
        as_openai_responses,
        make_valid,
        sendable,
        splice_summary,
        summary_message,
        with_words_for_attachments,
    )
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
