"""The packaged vocabularies are tiktoken's own, are checked, built once, and need nothing from outside."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from compact_chat.errors import CompactChatError
from compact_chat.measure import Counter
from compact_chat.measure.tokens import VOCABULARIES, Vocabulary, encoding

ROOT = Path(__file__).resolve().parents[3]
NAMES = sorted(VOCABULARIES)
OFFLINE = """
import os, socket, sys

def refuse(*_, **__):
    raise AssertionError("the network was asked for")

socket.socket.connect = socket.getaddrinfo = refuse
os.environ.clear()
import compact_chat.measure.tokens as counter
assert not {"tiktoken", "regex", "requests"} & set(sys.modules), "the import is not lazy"
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

    assert VOCABULARIES[name].pattern == theirs["pat_str"]


@pytest.mark.parametrize("name", NAMES)
def test_packaged_files_are_the_published_ones(name: str, script: ModuleType) -> None:
    """The packaged file expands to the file that OpenAI publishes, by its sha256."""
    packed = (ROOT / "server" / "compact_chat" / "measure" / "data" / f"{name}.bin.gz").read_bytes()
    source = script.expand(gzip.decompress(packed))

    assert hashlib.sha256(source).hexdigest() == script.SOURCES[name]
    assert script.compact(source) == gzip.decompress(packed)


def test_script_knows_the_hashes_of_the_installed_tiktoken(script: ModuleType) -> None:
    """The script stops where tiktoken names another file; the installed one does not."""
    script.check_against_tiktoken()
    script.SOURCES["o200k_base"] = "0" * 64

    with pytest.raises(SystemExit, match="o200k_base"):
        script.check_against_tiktoken()


def test_a_damaged_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose hash is not the pinned one raises one sentence, and no wrong count is given."""
    forged = Vocabulary(sha256="0" * 64, pattern=".")
    monkeypatch.setitem(VOCABULARIES, "cl100k_base", forged)

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
