"""Counts are tiktoken's, for any text, in any thread, with packaged vocabularies and without the network."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import CompactChatError
from compact_chat.measure import Counter, weights
from compact_chat.measure.weights import (
    CHUNK,
    SAFE_CUT,
    SEARCHED,
    SHORT,
    VOCABULARIES,
    chunks,
    encoding,
)

NAMES = sorted(VOCABULARIES)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
TRICKY = st.text(
    st.sampled_from(list("aZ9é字、'sdl!/-.`<_  \t\n\r\x0b\x1c\x85\xa0\u2028\u3000\u0301\u200d\ud83d\ude00")),
    max_size=60,
)
BLANKS = st.sampled_from([" " * 9, "\t \xa0" * 4, "\n" * 6, " \n" * 4, "/"])
RUNS = [
    "a",
    "Ab",
    "é",
    "<",
    "-",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\xa0",
    "7",
    "²",
    "\ud83d",
    "\u200d",
    "\u0301",
    "0123456789abcdef",
]
RUNS += ["字", "😀", "ع", "👩\u200d👧", "e\u0301", " \n", "'", "/", "qwertzuiop", "!?;:,.", "\U000e0041"]


@pytest.mark.parametrize("name", NAMES)
@given(parts=st.lists(ANY_TEXT | TRICKY | BLANKS, max_size=8), size=st.integers(1, 50))
def test_chunks_of_any_size_are_the_text(name: str, parts: list[str], size: int) -> None:
    """Nothing is lost or repeated between chunks, and where all cuts are safe the counts add up exactly."""
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compact_chat.measure.weights.CHUNK", size)
        pieces = list(chunks(text))
        counted = Counter(name).count(text)

    assert "".join(pieces) == text
    ends = [len("".join(pieces[: place + 1])) for place in range(len(pieces) - 1)]
    if {*ends} <= {match.start() for match in SAFE_CUT.finditer(text)}:
        assert counted == len(encoding(name).encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
def test_a_million_blanks(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A run of white space on which tiktoken panics is counted, without output on stderr."""
    assert Counter(name).count(" " * 4_000_000 + "x") == pytest.approx(4_000_000 / 128, rel=0.01)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", RUNS)
def test_unbroken_runs(name: str, unit: str) -> None:
    """A run is counted in pieces that are short, whatever it repeats; a cut costs a token at most."""
    text = unit * (250_000 // len(unit))
    sizes = [len(chunk) for chunk in chunks(text)]

    assert max(sizes) <= CHUNK + SEARCHED
    assert abs(Counter(name).count(text) - len(encoding(name).encode_ordinary(text))) < len(sizes)


def test_equal_chunks_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of one character, however long, costs a few chunks."""
    real, pieces = Counter("o200k_base"), list[str]()
    expected = 99 * real.count("-" * CHUNK) + real.count("x")
    count_piece = real._count_piece

    def noted(_: Counter, piece: str) -> int:
        pieces.append(piece)
        return count_piece(piece)

    monkeypatch.setattr(Counter, "_count_piece", noted)

    assert Counter().count("-" * CHUNK * 99 + "x") == expected
    assert pieces == ["-" * CHUNK, "x"]


def test_half_pairs_count_as_replacement_characters() -> None:
    """Half a surrogate pair counts as U+FFFD, both halves as the character that they are."""
    assert Counter().count("a\ud83d b") == Counter().count("a\ufffd b")
    assert Counter().count("\ud83d\ude00") == Counter().count("😀")


def test_what_was_counted_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting the same texts again, short or long, does not call the encoding."""
    counter, line = Counter(), "def f(x): return x + 1  # 字\n"
    texts = ["", "one", line, "x" * SHORT, "x" * (SHORT + 1), line * 4_000, "one", "\ud83d" * 999, " " * 140_000 + "x"]
    first = list(map(counter.count, texts))
    monkeypatch.setattr(Counter, "_count_piece", None)

    assert list(map(counter.count, texts)) == first
    assert len(set(first)) == len(set(texts))


@pytest.mark.parametrize(
    ("most", "texts", "known"),
    [(2, "abc", "bc"), (2, "aaaaab", "ab"), (3, "abc", "abc")],
    ids=["the oldest goes first", "a text takes one place", "enough"],
)
def test_so_many_counts_are_kept(most: int, texts: str, known: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond that, the oldest goes."""
    monkeypatch.setattr("compact_chat.measure.weights.MOST_COUNTS", most)
    counter = Counter()
    for text in texts:
        counter.count(text)

    assert "".join(map(str, counter._counts)) == known


def test_one_counter_in_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that share a counter get the same counts as alone, and so many are kept."""
    monkeypatch.setattr("compact_chat.measure.weights.MOST_COUNTS", 100)
    counter, texts = Counter(), [f"{number % 300} шаг\n" * (number % 50) for number in range(900)]
    with ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(counter.count, texts))

    assert shared == [len(encoding("o200k_base").encode_ordinary(text)) for text in texts]
    assert len(counter._counts) == 100


@pytest.mark.parametrize("name", NAMES)
@given(text=TRICKY | st.text(max_size=60))
def test_every_safe_cut_is_exact(name: str, text: str) -> None:
    """Cutting at every safe place at once leaves the number of tokens as it is."""
    places = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    count = encoding(name)

    assert sum(len(count.encode_ordinary(piece)) for piece in pieces) == len(count.encode_ordinary(text))


ROOT = Path(__file__).resolve().parents[3]
OFFLINE = """
import os, socket, sys

def refuse(*_, **__):
    raise AssertionError("the network was asked for")

socket.socket.connect = socket.getaddrinfo = refuse
os.environ.clear()
import compact_chat.measure.weights as counter
assert not {"tiktoken", "requests"} & set(sys.modules), "the import is not lazy"
for name in ("o200k_base", "cl100k_base"):
    assert counter.Counter(name).count("hello world") == 2
assert "requests" not in sys.modules
"""


@pytest.fixture
def script() -> ModuleType:
    """The maintainers' script that builds the files."""
    spec = spec_from_file_location("build_vocabulary", ROOT / "scripts" / "build_vocabulary.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_patterns_are_tiktokens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are split as by the installed tiktoken."""
    public = importlib.import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})
    theirs: dict[str, Any] = public.ENCODING_CONSTRUCTORS[name]()

    assert VOCABULARIES[name] == theirs["pat_str"]


@pytest.mark.parametrize("name", NAMES)
def test_packaged_files_are_the_published_ones(name: str, script: ModuleType) -> None:
    """The packaged file expands to the file that OpenAI publishes, by its sha256."""
    packed = (ROOT / "server" / "compact_chat" / "measure" / "data" / f"{name}.bin.gz").read_bytes()
    source = script.expand(gzip.decompress(packed))

    assert hashlib.sha256(source).hexdigest() == script.SOURCES[name]
    assert script.compact(source) == gzip.decompress(packed)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1000], lambda data: data[:5000] + b"?" + data[5001:], lambda _: b""]
)
def test_a_damaged_file_is_refused(damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was cut or altered raises one sentence, and no wrong count is given."""
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: damage(read(path)))
    monkeypatch.setattr(weights, "_build", weights._build.__wrapped__)
    with pytest.raises(CompactChatError, match="cl100k_base is damaged"):
        Counter("cl100k_base").count("x")


def test_each_encoding_is_built_once() -> None:
    """Threads that ask at the same time get the same encoding."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: encoding("o200k_base"), range(32)))

    assert len(set(map(id, found))) == 1


def test_no_network_no_environment_no_import_before_need() -> None:
    """Counting works with sockets shut and an empty environment, and never imports `requests`."""
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, "")
