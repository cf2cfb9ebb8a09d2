"""What applies to every reader: it raises only the program's own errors, whatever the file contains."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable, InvalidParams
from compact_chat.read import Source, read_chat
from compact_chat.read.resolve import function
from compact_chat.tools import FORMATS
from tests.oracles.reader_checks import check
from tests.samples.reader_seeds import SEEDS, Seed, files_of, name_of
from tests.strategies.reader_storms import FILLERS, STORMS, filled
from tests.strategies.seed_mutations import mutated_files

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES = [entry["file"] for entry in json.loads(MANIFEST.read_text())["files"]] if MANIFEST.is_file() else []
NAMES = ("a.json", "a.md", "ui_messages.json")
each_seed = pytest.mark.parametrize("seed", SEEDS, ids=[f"{place}-{seed.format}" for place, seed in enumerate(SEEDS)])


def test_every_format_is_tried() -> None:
    """There is a handmade file for each readable format, so that a new reader is tested too."""
    assert {seed.format for seed in SEEDS} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_read_by_its_own_module(name: str) -> None:
    """What a module imports from another is no function of its formats, unless it gives it their name."""
    found = (function(FORMATS[name], one) for one in ("sniff", "read", "follow", "earlier", "typed_texts"))
    modules = {getattr(one, "func", one).__module__.rpartition(".")[2] for one in found if one}

    assert modules == {FORMATS[name].reader, *(["vscode"] if name == "chatreplay" else [])}


@each_seed
def test_what_is_whole_is_read(seed: Seed) -> None:
    """Each handmade file is recognized as its format, without a hint and with any."""
    for hint in (None, *FORMATS):
        chat = check(files_of(seed), name_of(seed.format), hint)
        assert chat
        assert chat.messages
        assert chat.format == seed.format or hint == chat.format == "text", hint


@each_seed
def test_a_callers_messages_are_no_file(seed: Seed) -> None:
    """What a caller has beside the messages makes them no tool's."""
    if isinstance(seed.value, dict):
        document = {**seed.value, "messages": [{"role": "user", "content": "hi"}]}
        with suppress(InvalidParams):
            assert FORMATS[read_chat(Source.of_document(document)).format].api


@each_seed
@given(st.integers(0, 2**64))
def test_any_damage_is_read_around_or_refused(seed: Seed, chance: int) -> None:
    """Wrong types, lines lost, doubled, glued, truncated and shuffled: a sound chat, or a proper refusal."""
    random = Random(chance)
    check(mutated_files(seed, random), name_of(seed.format), random.choice(list(FORMATS)))


@pytest.mark.parametrize("storm", STORMS)
def test_a_storm_is_read(storm: str) -> None:
    """Repeated events give a sound chat, or a proper refusal; `bench_linear` measures the time."""
    check(STORMS[storm](20))


@each_seed
@pytest.mark.parametrize("filler", FILLERS)
def test_odd_texts_are_read(seed: Seed, filler: str) -> None:
    """Blanks, line feeds, tags and what patterns begin with, in each text."""
    check(filled(seed, filler, 200), name_of(seed.format))


def read_as(data: bytes, name: str = "") -> str | None:
    """Return the format that a file is read as, None if refused."""
    try:
        return read_chat(Source.of_bytes(data, name)).format
    except ChatUnreadable:
        return None


@pytest.mark.parametrize("file", FILES or ["(absent)"])
def test_a_real_chat_is_claimed_by_its_reader_alone(shared_chats: Path, file: str) -> None:
    """No hint and no name makes it another tool's; only what is no chat may be plain text."""
    data = (shared_chats / file).read_bytes()
    found = read_as(data)
    source = Source.of_bytes(data)
    claims = {name for name, one in FORMATS.items() if function(one, "sniff")(source)}
    assert {name for name in claims if not FORMATS[name].api} <= {found}  # those of no tool are tried last
    for name in NAMES:
        named = read_as(data, name)
        assert named == found or (found is None and named == "text"), name


@pytest.mark.parametrize("file", [file for file in FILES if file.endswith(".jsonl")] or ["(absent)"])
def test_a_piece_of_a_log_is_of_its_format_or_nothing(shared_chats: Path, file: str) -> None:
    """A log without its first line, without its last ones, or cut in half is never taken for another tool's."""
    data = (shared_chats / file).read_bytes()
    found, lines = read_as(data), data.split(b"\n")
    pieces = (lines[1:], lines[-100:], [data[: len(data) // 2]], [data[len(data) // 2 :]])
    for piece in pieces:
        assert read_as(b"\n".join(piece)) in (found, None)
