"""Counts are exactly tiktoken's, for any text, in any thread."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure import Counter
from compact_chat.measure.tokens import CHUNK, VOCABULARIES, encoding, one_piece_encoding

NAMES = sorted(VOCABULARIES)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
COUNTERS = {name: Counter(name) for name in NAMES}

PATHOLOGICAL = [
    "a",
    "<",
    "`",
    "\n",
    "\r\n",
    "7",
    "\ud83d",
    "\u200d",
    "0123456789abcdef",
    "字",
    "e\u0301",
    " \n",
    "'",
    "/",
]


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
@given(parts=st.lists(ANY_TEXT | st.sampled_from([" " * 9, "\t \xa0" * 4, "\n" * 6, " \n" * 4, "/"]), max_size=8))
def test_vast_blanks_are_counted_exactly(name: str, parts: list[str]) -> None:
    """White space that is counted on its own, in one piece, gives the tokens that it has within the text."""
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compact_chat.measure.tokens.CHUNK", 8)
        patch.setattr("compact_chat.measure.tokens.VAST", 4)

        assert Counter(name).count(text) == len(encoding(name).encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
def test_a_million_blanks(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A run of white space on which tiktoken panics is counted, without a word on stderr."""
    blanks = len(one_piece_encoding(name).encode_ordinary(" " * 1_000_000))

    assert Counter(name).count(" " * 1_000_001 + "x") == blanks + Counter(name).count(" x")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("unit", PATHOLOGICAL)
def test_pathological_texts(unit: str) -> None:
    """Hundreds of kilobytes of one thing are counted exactly and soon."""
    text = unit * (250_000 // len(unit))
    start = time.process_time()
    tokens = Counter().count(text)
    taken = time.process_time() - start

    assert tokens == len(encoding("o200k_base").encode_ordinary(text))
    assert taken < 3


@pytest.mark.parametrize("name", NAMES)
def test_names_of_special_tokens_are_words(name: str) -> None:
    """The text of a special token is text like any other."""
    assert COUNTERS[name].count("<|endoftext|>") == len(encoding(name).encode("<|endoftext|>", disallowed_special=()))
    assert COUNTERS[name].count("<|endoftext|>") > 1


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


def test_unknown_encoding() -> None:
    """A counter for a vocabulary that is not packaged is refused when it is made."""
    with pytest.raises(ValueError, match="no vocabulary p50k_base"):
        Counter("p50k_base")


def documents() -> list[str]:
    """Texts of all lengths, some of them twice."""
    line = "def f(x): return x + 1  # 字\n"
    return ["", "one", line, "two " * 100, line * 4_000, "one", "a1" * CHUNK, line, " " * 140_000 + "x"] * 2


def test_what_was_counted_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second count of the same texts, short or long, asks the encoding for nothing."""
    counter = Counter()
    first = list(map(counter.count, documents()))
    counter.__dict__["_encoding"] = Panicking()
    monkeypatch.setattr(Counter, "_count_words", None)

    assert list(map(counter.count, documents())) == first


def test_one_counter_in_many_threads() -> None:
    """Threads that share a counter get the counts they would get alone."""
    counter, texts = Counter(), [f"{number} шаг\n" * (number % 50) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(counter.count, texts))

    assert shared == [len(encoding("o200k_base").encode_ordinary(text)) for text in texts]
