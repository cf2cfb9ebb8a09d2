"""Texts are cut only where the tokens of the pieces add up to the tokens of the whole."""

from __future__ import annotations

import re
import sys
import time
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure import tokens as cuts
from compact_chat.measure.tokens import BLANKS, CHUNK, SAFE_CUT, VAST, VOCABULARIES, chunks, encoding, is_vast_blank

NAMES = sorted(VOCABULARIES)
TRICKY = st.text(
    st.sampled_from(list("aZ9é字、'sdl!/-.`<_  \t\n\r\x0b\x1c\x85\xa0\u2028\u3000\u0301\u200d\ud83d\ude00")),
    max_size=60,
)
MEGABYTE = 1_000_000


@pytest.mark.parametrize("name", NAMES)
@given(text=TRICKY | st.text(max_size=60))
def test_every_safe_cut_is_exact(name: str, text: str) -> None:
    """Cutting at every safe place at once leaves the number of tokens as it is."""
    places = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    count = encoding(name)

    assert sum(len(count.encode_ordinary(piece)) for piece in pieces) == len(count.encode_ordinary(text))


@given(st.lists(TRICKY, max_size=30), st.integers(1, 50))
def test_chunks_join_to_the_text(parts: list[str], size: int) -> None:
    """Chunks are the text, whatever their size is."""
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "CHUNK", size)
        patch.setattr(cuts, "VAST", 4)

        assert "".join(chunks(text)) == text


@pytest.mark.parametrize("name", NAMES)
@given(parts=st.lists(TRICKY | st.sampled_from([" " * 9, "\t \xa0" * 4, "\n" * 6, " \n" * 4]), max_size=8))
def test_vast_blanks_are_cut_out_exactly(name: str, parts: list[str]) -> None:
    """The words of a text stay the same when its long blanks are counted on their own."""
    text = "".join(parts)
    count = encoding(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "CHUNK", 8)
        patch.setattr(cuts, "VAST", 4)
        pieces = list(chunks(text))

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
    ("piece", "vast"),
    [
        (" " * VAST, True),
        ("\t\xa0" * VAST, True),
        (" " * (VAST - 1), False),
        (" " * VAST + "\n", False),
        ("x" * VAST, False),
    ],
)
def test_vast_blank(piece: str, vast: bool) -> None:
    """A piece is a vast blank if it is long and all white space without line ends."""
    assert is_vast_blank(piece) is vast


@pytest.mark.parametrize("text", [" ", "<", "`", "\n", "a", " \n", "字"])
def test_cutting_a_megabyte_of_anything_is_quick(text: str) -> None:
    """G5: cutting is linear in the text."""
    start = time.process_time()
    total = sum(map(len, chunks(text * (MEGABYTE // len(text)))))

    assert total == MEGABYTE
    assert time.process_time() - start < 2
