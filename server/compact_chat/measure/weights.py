"""Token counts for any text, in chunks short enough for tiktoken and for other threads, and estimates for a message."""

from __future__ import annotations

import base64
import functools
import json
import re
import string
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import groupby
from math import ceil, sqrt
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from compact_chat.chat import Document, Image, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.errors import CompactChatError, checkpoint
from compact_chat.measure.families import Family, Pictures

if TYPE_CHECKING:
    import tiktoken

SHORT = 200  # characters: shorter texts are their own cache keys
MOST_COUNTS = 15_000  # that are kept: about 5 MB with their keys

Key = str | tuple[int, int]


class Counter:
    """Counts the tokens of one encoding, and remembers the newest counts; thread-safe."""

    def __init__(self, encoding: str = "o200k_base") -> None:
        self.encoding = encoding
        self._counts: dict[Key, int] = {}
        self._lock = Lock()

    def count(self, text: str) -> int:
        """Count a text; names of special tokens count as plain words, half a surrogate pair as U+FFFD."""
        checkpoint()
        key: Key = text
        if len(text) > SHORT:
            key = len(text), hash(text)  # of 64 bits, by a key of this process
        known = self._counts.get(key)
        if known is None:
            runs = groupby(chunks(text))  # an unbroken run of one character is cut into equal chunks
            known = sum(self._count_piece(piece) * sum(1 for _ in equal) for piece, equal in runs)
            with self._lock:
                self._counts[key] = known
                if len(self._counts) > MOST_COUNTS:
                    del self._counts[next(iter(self._counts))]
        return known

    def _count_piece(self, piece: str) -> int:
        return len(encoding(self.encoding).encode_ordinary(piece))


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


# The packaged vocabularies: tiktoken encodings that need no network, cache folder or environment variable, each with
# the pattern that splits texts into words.

VOCABULARIES = {
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
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

    made = tiktoken.Encoding(name, pat_str=VOCABULARIES[name], mergeable_ranks=_ranks(name), special_tokens={})
    made._mergeable_ranks = {}  # noqa: SLF001 -- frees 25 MB: the core has a copy, this one is only for pickling
    return made


def _ranks(name: str) -> dict[bytes, int]:
    """Read the tokens in rank order: the file holds their number, their lengths and their bytes."""
    try:
        file = BytesIO(zlib.decompress((Path(__file__).parent / "data" / f"{name}.bin.gz").read_bytes(), wbits=31))
    except (OSError, zlib.error):  # which compares its checksum too
        problem = f"The packaged vocabulary {name} is damaged; please install Compact Chat again."
        raise CompactChatError(problem) from None
    count = int.from_bytes(file.read(4), "little")
    lengths = file.read(count)
    return dict(zip(map(file.read, lengths), range(count), strict=True))


# The tokens of one message by kind of part, for a model family.

PAGE = 2_000  # tokens per PDF page, as published by the vendor; the number of pages is unknown
SEALED_SUMMARY = 3_000  # tokens of an encrypted summary
LONGEST_WORD = 1_000
_WORD = re.compile(r"[A-Za-z0-9+/=_-]+")
_MARKS = string.punctuation.replace("_", "").encode()
_ARROW = "→"  # between number and line where Claude Code shows a file

Count = Callable[[str], int]
Likely = Callable[[str], float]


class Weight(Struct, frozen=True):
    """Tokens by kind."""

    text: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    thinking: int = 0
    images: int = 0

    @property
    def words(self) -> int:
        """Everything but the images."""
        return self.text + self.tool_calls + self.tool_results + self.thinking

    @property
    def total(self) -> int:
        """The sum of all kinds."""
        return self.words + self.images


def weigh(message: Message, count: Count, family: Family) -> Weight:
    """Weigh a message; its overhead goes to the largest kind, and an empty message weighs nothing.

    A text weighs what the encoding makes of it, corrected by what it is made of.
    """
    tokens, rates = dict.fromkeys(Weight.__struct_fields__, 0.0), family.rates

    def likely(text: str) -> float:
        data = text.encode(errors="surrogatepass")
        marks = len(data) - len(data.translate(None, _MARKS))
        return max(0.0, count(text) * rates.token + marks * rates.mark + text.count(_ARROW) * rates.arrow)

    for part in message.sent:
        for kind, size in _sizes(part, likely, family):
            tokens[kind] += size
    if message.is_summary and not message.texts and any(isinstance(part, Unknown) for part in message.parts):
        tokens["text"] = max(tokens["text"], SEALED_SUMMARY)
    most = max(tokens, key=tokens.__getitem__)
    if tokens[most]:
        tokens[most] += family.per_results if message.sends_results else family.per_message
    return Weight(**{kind: round(size) for kind, size in tokens.items()})


def _sizes(part: Part, likely: Likely, family: Family) -> Iterator[tuple[str, float]]:
    """Weigh one part by kind."""
    match part:
        case Text(text):
            yield "text", likely(text)
        case Thinking(text):
            yield "thinking", likely(text) * family.thinking if text else family.hidden_thought
        case ToolCall(_, name, given):
            if family.per_argument:
                texts = (value if isinstance(value, str) else json_text(value) for value in given.values())
                arguments = sum(family.per_argument + likely(text) for text in texts)
            else:
                arguments = likely(json_text(given))
            yield "tool_calls", family.per_call + likely(name) + arguments
        case ToolResult(_, content):
            yield "tool_results", family.per_result
            for inner in content:
                for kind, size in _sizes(inner, likely, family):
                    yield ("tool_results" if kind == "text" else kind), size
        case Image():
            yield "images", picture_tokens(part, family.pictures)
        case Document(title, {"source": {"type": "text", "data": str(text)}}):
            yield "text", likely(f"{title}\n{text}")
        case Document():  # other documents count as pictures, page by page
            yield "images", PAGE
        case Unknown(_, raw):  # without encoded data: no model reads it as text
            text = _WORD.sub(lambda word: word[0] if len(word[0]) <= LONGEST_WORD else "", json_text(raw))
            yield "text", likely(text)


json_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # compact JSON, as models get it


# What a picture costs, estimated by the family's formula.

Size = tuple[int, int]

_HEAD = 65_536  # characters of base64 searched for a picture's dimensions
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_TILE, _FITS, _SHORT_SIDE = 512, 2_048, 768


def picture_tokens(image: Image, pictures: Pictures) -> int:
    """Estimate the tokens of a picture; one of unknown dimensions counts as average."""
    encoded = image.data or image.url.partition(";base64,")[2]
    try:
        size = _size_in(base64.b64decode(encoded[:_HEAD]))
    except (ValueError, struct.error, IndexError):
        size = None
    if size is None or min(size) <= 0:
        return pictures.unknown
    width, height = size

    def cells(scale: float, side: int) -> int:
        return ceil(max(1, int(width * scale)) / side) * ceil(max(1, int(height * scale)) / side)

    if pictures.cap:  # patches, with the picture shrunk to the edge and then step by step below the cap
        scale = min(1.0, pictures.edge / max(size))
        while (patches := cells(scale, pictures.side)) > pictures.cap:
            scale *= min(0.999, sqrt(pictures.cap / patches))
        return round(patches * pictures.share)
    scale = min(1.0, _FITS / max(size))  # tiles, with the picture shrunk into a square and then by its short side
    scale = min(scale, _SHORT_SIDE / min(size))
    return pictures.base + pictures.tile * cells(scale, _TILE)


def _size_in(head: bytes) -> Size | None:
    """Read the width and height of a PNG, GIF, WebP or JPEG from its first bytes."""

    def pair(form: str, at: int) -> Size:
        first, second = struct.unpack_from(form, head, at)
        return int(first), int(second)

    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return pair(">II", 16)
    if head.startswith((b"GIF87a", b"GIF89a")):
        return pair("<HH", 6)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        match head[12:16]:
            case b"VP8X":
                return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
            case b"VP8L":
                bits = int.from_bytes(head[21:25], "little")
                return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
            case b"VP8 ":
                width, height = pair("<HH", 26)
                return width & 0x3FFF, height & 0x3FFF
    if head.startswith(b"\xff\xd8"):  # JPEG: from segment to segment until one holds a frame
        at = 2
        while head[at] == 0xFF:
            if head[at + 1] in _JPEG_FRAMES:
                height, width = pair(">HH", at + 5)
                return width, height
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def shares(total: int, sizes: Sequence[float]) -> tuple[int, ...]:
    """Divide a whole number in proportion to the sizes; the rounding loss goes to the largest remainders."""
    units = [round(size * 1_000) for size in sizes]
    whole = sum(units)
    if not whole:
        return (0,) * len(units)
    rounded = [total * unit // whole for unit in units]
    by_remainder = sorted(range(len(units)), key=lambda index: -(total * units[index] % whole))
    for index in by_remainder[: total - sum(rounded)]:
        rounded[index] += 1
    return tuple(rounded)
