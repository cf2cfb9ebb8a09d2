"""What a model likely makes of a text: the encoding's count, corrected by what the text is made of."""

from __future__ import annotations

import string

from compact_chat.measure.families import Rates

_PLAIN = Rates()
_MARKS = string.punctuation.replace("_", "").encode()
_ARROW = "→"  # between number and line, wherever Claude Code shows a file


def likely_tokens(text: str, tokens: int, rates: Rates) -> float:
    """Tell how many tokens the model makes of a text of which the encoding makes `tokens`."""
    if rates == _PLAIN:
        return tokens
    data = text.encode(errors="surrogatepass")
    marks = len(data) - len(data.translate(None, _MARKS))
    return max(0.0, tokens * rates.token + marks * rates.mark + text.count(_ARROW) * rates.arrow)
