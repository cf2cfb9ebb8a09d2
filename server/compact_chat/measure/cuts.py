"""Where a text can be cut so that the tokens of the pieces add up exactly to the tokens of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

CHUNK = 65_536
VAST = 131_072

# In both vocabularies a word ends at such a place, and what comes before never depends on what comes behind: a line
# begins with neither white space nor "/", which may belong to the punctuation before the line feed; a blank follows
# something that is none; a digit follows a letter; punctuation follows a letter or digit (but "'", as in "it's").
SAFE_CUT = re.compile(
    r"(?<=\n)(?=[^\s/])|(?<=\S)(?= )|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Za-z0-9\u4e00-\u9fa5])(?=[!-&(-/:-@\[-`{-~、。，])"
)

# White space to the vocabularies, but for line ends (Python's \s has four control characters more).
BLANKS = re.compile(r"[^\S\r\n\x1c-\x1f]+")


def chunks(text: str) -> Iterator[str]:
    """Pieces of about 64 KB; longer ones where no place is safe, and vast blanks as pieces of their own."""
    start = 0
    while start < len(text):
        end = _safe_cut(text, start + CHUNK)
        yield from _around_vast_blanks(text[start:end])
        start = end


def is_vast_blank(piece: str) -> bool:
    """Tell whether a piece is white space and so long that tiktoken's pattern may give up on it."""
    return len(piece) >= VAST and BLANKS.fullmatch(piece) is not None


def _safe_cut(text: str, start: int) -> int:
    """Find the first safe place from `start` on, window by window: one long search would hold up other threads."""
    while start < len(text):
        if found := SAFE_CUT.search(text, start, start + CHUNK + 1):
            return found.start()
        start += CHUNK
    return len(text)


def _around_vast_blanks(piece: str) -> Iterator[str]:
    """Cut out each vast blank; its last character stays with what follows, as in the vocabularies' patterns."""
    start = 0
    if _may_hold_vast_blanks(piece):
        for blank in BLANKS.finditer(piece):
            if blank.end() - blank.start() > VAST and piece[blank.end() : blank.end() + 1] not in ("\r", "\n"):
                end = blank.end() - (blank.end() < len(piece))
                yield piece[start : blank.start()]
                yield piece[blank.start() : end]
                start = end
    yield piece[start:]


def _may_hold_vast_blanks(piece: str) -> bool:
    """Look at samples: a run longer than two of them covers one, and no search has to go through the whole text."""
    half = VAST // 2
    return any(piece[at : at + half].isspace() for at in range(0, len(piece) - half + 1, half))
