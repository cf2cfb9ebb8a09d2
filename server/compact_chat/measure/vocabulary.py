"""The packaged vocabularies: tiktoken encodings that need no network, no cache folder and no environment variable."""

from __future__ import annotations

import functools
import hashlib
import zlib
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from compact_chat.errors import CompactChatError

if TYPE_CHECKING:
    import tiktoken


class Vocabulary(Struct, frozen=True):
    """What makes an encoding besides its tokens, and the sha256 of the file that holds those."""

    sha256: str
    pattern: str
    special_tokens: dict[str, int]


VOCABULARIES = {
    "o200k_base": Vocabulary(
        sha256="ba55b38e477b631966c2496061ecd7d10108501c7c47358222d9dc27c22f9422",
        pattern=(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        special_tokens={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "cl100k_base": Vocabulary(
        sha256="79045c4dbf49c4e3b90893afbcbfd80cf94cf2b99256bd84b19ffcace49d9bd2",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
        special_tokens={
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
}

_ONE_PIECE = r"[\s\S]+"
# Every byte of the white space that Unicode has; what such bytes make up is merged of such bytes alone.
_BLANK_BYTES = "".join(filter(str.isspace, map(chr, range(0x3001)))).encode()

# The room's one exception to "no mutable globals": building an encoding takes a tenth of a second and 77 MB; it never
# changes and is the same for everybody, so each is built once per process. The lock keeps two threads from building it.
_BUILDING = Lock()


def encoding(name: str) -> tiktoken.Encoding:
    """The encoding of that name, built at its first use."""
    with _BUILDING:
        return _build(name, VOCABULARIES[name].pattern)


def one_piece_encoding(name: str) -> tiktoken.Encoding:
    """The same vocabulary, but a whole text counts as one word: for texts that the usual pattern cannot split."""
    with _BUILDING:
        return _build(name, _ONE_PIECE)


def blank_encoding(name: str) -> tiktoken.Encoding:
    """The same for white space alone, which needs a few hundred of the tokens."""
    with _BUILDING:
        return _build(name, _ONE_PIECE, blanks=True)


@functools.cache
def _build(name: str, pattern: str, *, blanks: bool = False) -> tiktoken.Encoding:
    import tiktoken

    ranks, special = _ranks(name), VOCABULARIES[name].special_tokens
    if blanks:
        ranks, special = {token: rank for token, rank in ranks.items() if not token.strip(_BLANK_BYTES)}, {}
    made = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    made._mergeable_ranks = {}  # noqa: SLF001 -- its core has its own; this copy of 25 MB would only be for pickling
    return made


def _ranks(name: str) -> dict[bytes, int]:
    """The tokens in the order of their ranks: the file holds their number, their lengths and their bytes."""
    packed = (Path(__file__).parent / "data" / f"{name}.bin.gz").read_bytes()
    data = zlib.decompress(packed, wbits=31)
    if hashlib.sha256(data).hexdigest() != VOCABULARIES[name].sha256:
        raise CompactChatError(f"The packaged vocabulary {name} is damaged; please install Compact Chat again.")
    count = int.from_bytes(data[:4], "little")
    ends = accumulate(data[4 : 4 + count], initial=4 + count)
    return {data[start:end]: rank for rank, (start, end) in enumerate(pairwise(ends))}
