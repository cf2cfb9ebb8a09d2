"""Token counts for any text, in chunks short enough for tiktoken and for other threads."""

from __future__ import annotations

import functools
import hashlib
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.errors import CompactChatError

if TYPE_CHECKING:
    import tiktoken

SHORT = 200  # characters: shorter texts are their own cache keys
ROOM = 5_000_000  # approximate bytes of all keys
DIGEST_COST = 250  # bytes per entry, without the text of a short key

Key = str | tuple[int, bytes]


class Counter:
    """Counts the tokens of one encoding, with an LRU cache; thread-safe."""

    def __init__(self, encoding: str = "o200k_base") -> None:
        self.encoding = encoding
        self._counts: dict[Key, int] = {}
        self._room, self._lock = ROOM, Lock()

    def count(self, text: str) -> int:
        """Count a text; names of special tokens count as plain words, half a surrogate pair as U+FFFD."""
        checkpoint()
        key: Key = text
        if len(text) > SHORT:
            key = len(text), hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._counts.get(key)
        if known is None:
            runs = groupby(chunks(text))  # an unbroken run of one character is cut into equal chunks
            known = sum(self._count_piece(piece) * sum(1 for _ in equal) for piece, equal in runs)
            with self._lock:
                if key not in self._counts:
                    self._counts[key] = known
                    self._room -= _cost(key)
                while self._room < 0:
                    oldest = next(iter(self._counts))
                    del self._counts[oldest]
                    self._room += _cost(oldest)
        return known

    def _count_piece(self, piece: str) -> int:
        return len(self._encoding.encode_ordinary(piece))

    @cached_property
    def _encoding(self) -> tiktoken.Encoding:
        return encoding(self.encoding)


def _cost(key: Key) -> int:
    return DIGEST_COST + len(key) if isinstance(key, str) else DIGEST_COST


# Where a text can be cut so that the token counts of the pieces add up exactly.

# Characters. A multiple of three digits and of 64 equal signs, which are the longest tokens of a run. One word of a
# megabyte takes tiktoken 50 MB, and on a million blanks its engine gives up.
CHUNK = 16_320
SEARCHED = 2_048  # characters behind a chunk's end in which a safe cut is looked for

# In both vocabularies a word ends at such a place, and what comes before never depends on what comes behind: a line
# begins with neither white space nor "/", which may belong to the punctuation before the line feed; a blank follows
# something that is none; a digit follows a letter; punctuation follows a letter or digit (but "'", as in "it's").
SAFE_CUT = re.compile(
    r"(?<=\n)(?=[^\s/])|(?<=\S)(?= )|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Za-z0-9\u4e00-\u9fa5])(?=[!-&(-/:-@\[-`{-~、。，])"
)


def chunks(text: str) -> Iterator[str]:
    """Split a text into chunks of about 16 KB; in an unbroken run, a cut may cost a token."""
    start = 0
    while start < len(text):
        checkpoint()
        end = start + CHUNK
        if end < len(text) and (found := SAFE_CUT.search(text, end, end + SEARCHED)):
            end = found.start()
        yield text[start:end]
        start = end


# The packaged vocabularies: tiktoken encodings that need no network, cache folder or environment variable.


class Vocabulary(Struct, frozen=True):
    """How an encoding splits texts into words, and the sha256 of its token file."""

    sha256: str
    pattern: str


VOCABULARIES = {
    "o200k_base": Vocabulary(
        sha256="ba55b38e477b631966c2496061ecd7d10108501c7c47358222d9dc27c22f9422",
        pattern=(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
    ),
    "cl100k_base": Vocabulary(
        sha256="79045c4dbf49c4e3b90893afbcbfd80cf94cf2b99256bd84b19ffcace49d9bd2",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
}

# The room's one exception to "no mutable globals": building an encoding takes a tenth of a second and 77 MB, and it
# never changes, so each is built once per process. The lock keeps two threads from building the same one.
_BUILDING = Lock()


def encoding(name: str) -> tiktoken.Encoding:
    """Build an encoding on first use."""
    with _BUILDING:
        return _build(name)


@functools.cache
def _build(name: str) -> tiktoken.Encoding:
    import tiktoken

    made = tiktoken.Encoding(name, pat_str=VOCABULARIES[name].pattern, mergeable_ranks=_ranks(name), special_tokens={})
    made._mergeable_ranks = {}  # noqa: SLF001 -- frees 25 MB: the core has a copy, this one is only for pickling
    return made


def _ranks(name: str) -> dict[bytes, int]:
    """Read the tokens in rank order: the file holds their number, their lengths and their bytes."""
    data = zlib.decompress((Path(__file__).parent / "data" / f"{name}.bin.gz").read_bytes(), wbits=31)
    if hashlib.sha256(data).hexdigest() != VOCABULARIES[name].sha256:
        raise CompactChatError(f"The packaged vocabulary {name} is damaged; please install Compact Chat again.")
    file = BytesIO(data)
    count = int.from_bytes(file.read(4), "little")
    lengths = file.read(count)
    return dict(zip(map(file.read, lengths), range(count), strict=True))
