"""Replies that only say why there is no summary."""

from __future__ import annotations

import re

_LONGEST = 800  # characters; what says more than that holds something beside
_LOOKED_AT = 400
_SORRY = (
    r"(?:(?:i[’']?m|i am|we are|my)\s+)?(?:very\s+|so\s+)?(?:sorry|apolog\w+)[^.!\n]{0,60}[.,!;:]?"
    r"\s*(?:but\s+|however,?\s+)?"
)
_CANNOT = (
    r"(?:i|we)\s?(?:can\s?not|can[’']?t|am\s+(?:not\s+able|unable)\s+to|[’']m\s+(?:not\s+able|unable)\s+to|won[’']?t"
    r"|will\s+not|would\s+rather\s+not|must\s+decline|do\s?n[’']?t\s+(?:see|have)|do\s+not\s+(?:see|have)|decline\s+to)"
)
_WHAT = (
    r"[^.!?\n]{0,60}?\b(?:help|assist|comply|summar\w+|fulfil\w*|provide|do\s+(?:that|this)|continue|engage|process"
    r"|conversations?|chats?|transcripts?|messages|requests?)\b"
)
_NOTHING = (
    r"(?:there\s+(?:is|was)\s+no|no)\s+(?:conversation|chat|transcript|messages?)\b"
    r"[^.\n]{0,60}?\b(?:summar\w+|provided|given|found)"
)
_OTHERS = (
    r"(?:es\s+tut\s+mir\s+leid|tut\s+mir\s+leid|je\s+suis\s+désolée?|lo\s+siento|mi\s+dispiace|sinto\s+muito|извините"
    r"|抱歉|申し訳)"
)
_ONLY_SORRY = r"(?:i[’']?m|i am)\s+sorry\s*[.!]?\s*\Z"
_REFUSAL = re.compile(
    rf"[\s*_#>-]*+(?:(?:{_SORRY})?{_CANNOT}(?:{_WHAT}|\s*[.!]?\s*\Z)|{_NOTHING}|{_OTHERS}|{_ONLY_SORRY})", re.IGNORECASE
)


def is_refusal(text: str) -> bool:
    """Whether a text without headings is short and begins by saying that there will be no summary."""
    text = text.strip()
    return len(text) <= _LONGEST and _REFUSAL.match(text[:_LOOKED_AT]) is not None
