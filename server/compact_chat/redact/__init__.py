"""Mask secrets in texts, messages and streams; the same secret always gets the same placeholder.

What writes text for a model, a screen or a file takes `MaskedMessage`, `MaskedText` or `MaskedJson`, which only a
`Redactor` makes: a type checker refuses plain ones there.
"""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.redact.redactor import MaskedJson, MaskedMessage, MaskedText, Redactor, SpanCache
    from compact_chat.redact.stream import Stream
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
