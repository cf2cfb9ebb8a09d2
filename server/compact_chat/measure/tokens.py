"""Exact token counts for any text, in chunks short enough to let other threads run."""

from __future__ import annotations

import functools
import hashlib
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
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
            known = sum(map(self._count_piece, chunks(text)))
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
        checkpoint()
        if len(piece) >= VAST and BLANKS.fullmatch(piece):  # tiktoken's regex engine may give up on it
            return len(encoding(self.encoding, ONE_PIECE, blanks=True).encode_ordinary(piece))
        try:
            return len(self._encoding.encode_ordinary(piece))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a PanicException is no Exception, and cannot be imported
                raise
        import regex  # splits by the same pattern where tiktoken's own engine gave up

        repaired = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        words = regex.finditer(VOCABULARIES[self.encoding].pattern, repaired)
        whole = encoding(self.encoding, ONE_PIECE)
        return sum(len(whole.encode_ordinary(word.group())) for word in words)

    @cached_property
    def _encoding(self) -> tiktoken.Encoding:
        return encoding(self.encoding)


def _cost(key: Key) -> int:
    return DIGEST_COST + len(key) if isinstance(key, str) else DIGEST_COST


# Where a text can be cut so that the token counts of the pieces add up exactly.

CHUNK = 65_536
VAST = 131_072

# In both vocabularies a word ends at such a place, and what comes before never depends on what comes behind: a line
# begins with neither white space nor "/", which may belong to the punctuation before the line feed; a blank follows
# something that is none; a digit follows a letter; punctuation follows a letter or digit (but "'", as in "it's").
SAFE_CUT = re.compile(
    r"(?<=\n)(?=[^\s/])|(?<=\S)(?= )|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Za-z0-9\u4e00-\u9fa5])(?=[!-&(-/:-@\[-`{-~、。，])"
)

# White space in the vocabularies, except line ends (Python's \s has four more control characters).
BLANKS = re.compile(r"[^\S\r\n\x1c-\x1f]+")


def chunks(text: str) -> Iterator[str]:
    """Split a text into chunks of about 64 KB, longer if there is no safe cut.

    Vast blanks are pieces of their own, but their last character stays with what follows, as in the vocabularies'
    patterns.
    """
    start, half = 0, VAST // 2
    while start < len(text):
        end = start + CHUNK
        while end < len(text):  # window by window: one long search would block other threads
            if found := SAFE_CUT.search(text, end, end + CHUNK + 1):
                end = found.start()
                break
            end += CHUNK
        piece, start, done = text[start:end], end, 0
        # Sample first: a longer run covers at least one sample, so the whole text need not be searched.
        if any(piece[at : at + half].isspace() for at in range(0, len(piece) - half + 1, half)):
            for blank in BLANKS.finditer(piece):
                if blank.end() - blank.start() > VAST and piece[blank.end() : blank.end() + 1] not in ("\r", "\n"):
                    behind = blank.end() - (blank.end() < len(piece))
                    yield piece[done : blank.start()]
                    yield piece[blank.start() : behind]
                    done = behind
        yield piece[done:]


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

ONE_PIECE = r"[\s\S]+"  # treats the whole text as one word
# Every byte of Unicode white space; merged tokens of such bytes consist of such bytes only.
_BLANK_BYTES = "".join(filter(str.isspace, map(chr, range(0x3001)))).encode()

# The room's one exception to "no mutable globals": building an encoding takes a tenth of a second and 77 MB, and it
# never changes, so each is built once per process. The lock keeps two threads from building the same one.
_BUILDING = Lock()


def encoding(name: str, pattern: str = "", *, blanks: bool = False) -> tiktoken.Encoding:
    """Build an encoding on first use, optionally with a pattern for texts that its own cannot split.

    For `blanks`, white space alone, a few hundred of the tokens will do.
    """
    with _BUILDING:
        return _build(name, pattern or VOCABULARIES[name].pattern, blanks=blanks)


@functools.cache
def _build(name: str, pattern: str, *, blanks: bool = False) -> tiktoken.Encoding:
    import tiktoken

    ranks = _ranks(name)
    if blanks:
        ranks = {token: rank for token, rank in ranks.items() if not token.strip(_BLANK_BYTES)}
    made = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
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
