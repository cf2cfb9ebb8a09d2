"""Counts are exactly tiktoken's, for any text, in any thread; texts are cut only where the pieces' tokens add up."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure import Counter
from compact_chat.measure.tokens import (
    BLANKS,
    CHUNK,
    DIGEST_COST,
    ONE_PIECE,
    SAFE_CUT,
    SHORT,
    VAST,
    VOCABULARIES,
    chunks,
    encoding,
)

NAMES = sorted(VOCABULARIES)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
COUNTERS = {name: Counter(name) for name in NAMES}
TRICKY = st.text(
    st.sampled_from(list("aZ9é字、'sdl!/-.`<_  \t\n\r\x0b\x1c\x85\xa0\u2028\u3000\u0301\u200d\ud83d\ude00")),
    max_size=60,
)
VAST_BLANKS = st.sampled_from([" " * 9, "\t \xa0" * 4, "\n" * 6, " \n" * 4, "/"])
REPEATED = ["a", "<", "\n", "\r\n", "7", "\ud83d", "\u200d", "0123456789abcdef", "字", "e\u0301", " \n", "'", "/"]


@pytest.mark.parametrize("name", NAMES)
@given(text=ANY_TEXT)
def test_counts_are_tiktokens(name: str, text: str) -> None:
    """Any text has as many tokens as tiktoken gives it."""
    assert COUNTERS[name].count(text) == len(encoding(name).encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
@given(text=st.lists(ANY_TEXT, min_size=1, max_size=10), times=st.integers(1, 200))
def test_long_texts_are_counted_exactly_in_chunks(name: str, text: list[str], times: int) -> None:
    """A text of many chunks has as many tokens as the whole."""
    whole = "\n".join(text) * times
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compact_chat.measure.tokens.CHUNK", 100)

        assert Counter(name).count(whole) == len(encoding(name).encode_ordinary(whole))


@pytest.mark.parametrize("name", NAMES)
@given(parts=st.lists(ANY_TEXT | TRICKY | VAST_BLANKS, max_size=8), size=st.integers(1, 50))
def test_vast_blanks_are_counted_exactly(name: str, parts: list[str], size: int) -> None:
    """White space that is counted on its own, in one piece, gives the tokens that it has within the text."""
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compact_chat.measure.tokens.CHUNK", size)
        patch.setattr("compact_chat.measure.tokens.VAST", 4)

        assert "".join(chunks(text)) == text
        assert Counter(name).count(text) == len(encoding(name).encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
def test_a_million_blanks(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A run of white space on which tiktoken panics is counted, without a word on stderr."""
    blanks = len(encoding(name, ONE_PIECE).encode_ordinary(" " * 1_000_000))

    assert Counter(name).count(" " * 1_000_001 + "x") == blanks + Counter(name).count(" x")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("unit", REPEATED)
def test_repeated_texts(unit: str) -> None:
    """Hundreds of kilobytes of one thing are counted exactly."""
    text = unit * (250_000 // len(unit))

    assert Counter().count(text) == len(encoding("o200k_base").encode_ordinary(text))


def test_half_pairs_count_as_replacement_characters() -> None:
    """Half a surrogate pair counts as U+FFFD, both halves as the character that they are."""
    assert Counter().count("a\ud83d b") == Counter().count("a\ufffd b")
    assert Counter().count("\ud83d\ude00") == Counter().count("😀")


class PanicException(BaseException):
    """Looks like the exception that tiktoken cannot export."""


class Panicking:
    """An encoding that gives up on every text."""

    def encode_ordinary(self, _text: str) -> list[int]:
        """Panic."""
        raise PanicException


@pytest.mark.parametrize("name", NAMES)
@given(text=ANY_TEXT)
def test_a_panic_is_survived(name: str, text: str) -> None:
    """Where tiktoken panics, the text is split in another engine, with the same count."""
    counter = Counter(name)
    counter.__dict__["_encoding"] = Panicking()

    known = "".join(char for char in text if char.isascii() or "\ud800" <= char <= "\udfff")
    assert counter.count(known) == len(encoding(name).encode_ordinary(known))


def test_other_exceptions_are_not_swallowed() -> None:
    """Ctrl-C while counting is Ctrl-C."""

    class Interrupted:
        def encode_ordinary(self, _text: str) -> list[int]:
            raise KeyboardInterrupt

    counter = Counter()
    counter.__dict__["_encoding"] = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        counter.count("x")


def test_what_was_counted_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second count of the same texts, short or long, asks the encoding for nothing."""
    counter, line = Counter(), "def f(x): return x + 1  # 字\n"
    texts = ["", "one", line, "x" * SHORT, "x" * (SHORT + 1), line * 4_000, "one", "\ud83d" * 999, " " * 140_000 + "x"]
    first = list(map(counter.count, texts))
    monkeypatch.setattr(Counter, "_count_piece", None)

    assert list(map(counter.count, texts)) == first
    assert len(set(first)) == len(set(texts))


def test_long_texts_are_known_by_their_digests() -> None:
    """Texts of one length are told apart, also with lone surrogates."""
    counter = Counter()
    assert counter.count("x" * 5_000) != counter.count("y " * 2_500) != counter.count("\ud83d" * 5_000)


@pytest.mark.parametrize(
    ("room", "texts", "known"),
    [
        (2 * (DIGEST_COST + 1), "abc", "bc"),
        (2 * (DIGEST_COST + 1), "aaaaab", "ab"),
        (3 * (DIGEST_COST + 1) - 1, "abc", "bc"),
        (10, "a", ""),
    ],
    ids=["the oldest goes first", "a text takes room once", "nearly enough", "too small for any"],
)
def test_counts_are_cached_in_bounded_room(room: int, texts: str, known: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the room is used up, what came first is evicted."""
    monkeypatch.setattr("compact_chat.measure.tokens.ROOM", room)
    counter = Counter()
    for text in texts:
        counter.count(text)

    assert "".join(map(str, counter._counts)) == known


def test_one_counter_in_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that share a counter get the counts they would get alone, and leave the room as it was counted."""
    monkeypatch.setattr("compact_chat.measure.tokens.ROOM", 20_000)
    counter, texts = Counter(), [f"{number % 300} шаг\n" * (number % 50) for number in range(900)]
    with ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(counter.count, texts))

    assert shared == [len(encoding("o200k_base").encode_ordinary(text)) for text in texts]
    keys = sum(DIGEST_COST + (len(key) if isinstance(key, str) else 0) for key in counter._counts)
    assert keys + counter._room == 20_000 > keys > 19_000


@pytest.mark.parametrize("name", NAMES)
@given(text=TRICKY | st.text(max_size=60))
def test_every_safe_cut_is_exact(name: str, text: str) -> None:
    """Cutting at every safe place at once leaves the number of tokens as it is."""
    places = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    count = encoding(name)

    assert sum(len(count.encode_ordinary(piece)) for piece in pieces) == len(count.encode_ordinary(text))


@pytest.mark.parametrize(
    "text", ["word " * 60_000, "line\n" * 60_000, "a1" * 150_000, '{"key":"v"},' * 30_000, "压缩对话，" * 40_000]
)
def test_chunks_are_of_a_size(text: str) -> None:
    """Texts with lines, blanks or digits give chunks of about 64 KB."""
    sizes = [len(chunk) for chunk in chunks(text)]

    assert CHUNK <= max(sizes) < CHUNK + 100
    assert min(sizes[:-1]) >= CHUNK


def test_text_without_a_safe_place_stays_whole() -> None:
    """Where nothing is safe there is one chunk."""
    assert [len(chunk) for chunk in chunks("字" * 200_000)] == [200_000]


def test_blanks_are_the_vocabularies_white_space() -> None:
    """Our class of blanks is all that tiktoken's engine takes for white space, but for line ends."""
    text = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    white = tiktoken.Encoding(
        "white", pat_str=r"\s", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )

    assert "".join(BLANKS.findall(text)) == re.sub("[\r\n]", "", white.decode(white.encode_ordinary(text)))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (" " * (VAST + 1) + "x", [0, VAST, 2]),
        (" " * VAST + "x", [VAST + 1]),
        ("a" + " " * (VAST + 9), [1, VAST + 9, 0]),
        (" " * (VAST + 9) + "\n", [VAST + 10]),
    ],
)
def test_a_vast_blank_is_a_chunk(text: str, sizes: list[int]) -> None:
    """White space longer than the limit stands alone, but for its last character before other text."""
    assert [len(chunk) for chunk in chunks(text)] == sizes
