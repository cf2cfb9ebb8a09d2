"""What applies to every reader: it raises only the program's own errors, whatever the file contains."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable, InvalidParams
from compact_chat.read import Source, earlier, read_chat
from compact_chat.read.resolve import function
from compact_chat.tools import FORMATS
from tests.oracles.reader_checks import Files, check
from tests.samples.reader_seeds import SEEDS, Seed, bytes_of, files_of, name_of
from tests.strategies.reader_storms import FILLERS, STORMS, filled

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**400, 1.5, float("nan"), "", "a", "\0", "\ud800", "data:,", "file:///", "{"),
    *('{"a":[]}', [], [[]], [None], [{}], {}, {"": {}}),
)
_Place = tuple[Any, Any]  # a list or object, and an index or key in it


def mutated_files(seed: Seed, random: Random) -> Files:
    """Return the files of a seed after a few changes."""
    siblings = {name: bytes_of(_mutated(value, random)) for name, value in seed.siblings.items()}
    if isinstance(seed.value, str):
        return Files(with_odd_lines(seed.value.encode(), random), siblings)
    data = bytes_of(mutated(seed.value, random), seed.is_lines)
    return Files(with_odd_lines(data, random) if random.random() < 0.3 else data, siblings)


def mutated(value: Any, random: Random, most: int = 4) -> Any:
    """Return a copy of a JSON value with up to `most` changes, each at a position of its own."""
    changed = [_copied(value)]
    for _ in range(random.randint(1, most)):
        if found := places(changed):
            with suppress(RecursionError):  # what is nested too deeply to be copied stays as it is
                random.choice(_CHANGES)(*random.choice(found), random, changed)
    return changed[0] if changed else None


def with_odd_lines(data: bytes, random: Random) -> bytes:
    """Return the lines of a file with one of the accidents that happen to files."""
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    match random.randrange(7):
        case 0:
            del lines[place]
        case 1:
            lines.insert(random.randrange(len(lines)), lines[place])
        case 2:
            random.shuffle(lines)
        case 3:
            lines[place : place + 2] = [b"".join(lines[place : place + 2])]
        case 4:
            lines[place] = lines[place][: random.randint(0, len(lines[place]))]
        case 5:
            return data[: random.randint(0, len(data))]
        case 6:
            at = random.randint(0, len(data))
            return data[:at] + random.choice((b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"\r\n", b"\n", b"}{")) + data[at:]
    return b"\n".join(lines)


def places(value: Any) -> list[_Place]:
    """List every position in a value, without recursion, since it may be nested deeply."""
    found: list[_Place] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        members = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in members:
            found.append((node, key))
            if isinstance(child, dict | list):
                waiting.append(child)
    return found


def _copied(value: Any) -> Any:
    """Return a copy of a value, or null for one that is nested too deeply."""
    try:
        return deepcopy(value)
    except RecursionError:
        return None


def _mutated(value: Any, random: Random) -> Any:
    return mutated(value, random) if random.random() < 0.5 else value


def _odd(node: Any, key: Any, random: Random, _: Any) -> None:
    node[key] = deepcopy(random.choice(ODD))


def _deleted(node: Any, key: Any, _: Random, __: Any) -> None:
    del node[key]


def _twice(node: Any, key: Any, random: Random, _: Any) -> None:
    copy = deepcopy(node[key])
    if isinstance(node, list):
        node[key:key] = [copy] * random.choice((1, 1, 1, 40))
    else:
        node[random.choice(list(node))] = copy


def _swapped(node: Any, key: Any, random: Random, whole: Any) -> None:
    """Put a copy of another value of the file here."""
    other, other_key = random.choice(places(whole))
    node[key] = deepcopy(other[other_key])


def _wrapped(node: Any, key: Any, random: Random, _: Any) -> None:
    value = node[key]
    for _level in range(random.choice((1, 1, 2, 150))):
        value = random.choice(([value], {"a": value}, {"content": value}))
    node[key] = value


def _renamed(node: Any, key: Any, random: Random, whole: Any) -> None:
    """Give a value the key of another value in the file."""
    keys = [other for _, other in places(whole) if isinstance(other, str)]
    if isinstance(node, dict) and keys:
        node[random.choice(keys)] = node.pop(key)


def _encoded(node: Any, key: Any, _: Random, __: Any) -> None:
    """Write a value as a JSON string."""
    node[key] = json.dumps(node[key])


def _longer(node: Any, key: Any, random: Random, _: Any) -> None:
    value = node[key]
    if isinstance(value, str | list) and len(value) < 1000:
        node[key] = value * random.choice((2, 3, 30))


_CHANGES: tuple[Callable[[Any, Any, Random, Any], None], ...] = (
    *(_odd, _odd, _odd, _deleted, _twice, _swapped, _swapped, _wrapped, _renamed, _encoded, _longer),
)


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


@pytest.mark.parametrize("storm", ["codex: compactions between words", "vscode: a summary in each round"])
def test_what_many_compactions_replaced_is_linear_work(storm: str) -> None:
    """G5: by the lines of code that run; what each keeps of those before is not told again."""

    def lines(number: int) -> int:
        source, count, before = Source.of_bytes(STORMS[storm](number).chat), 0, sys.gettrace()
        chat = read_chat(source)

        def trace(_: FrameType, event: str, __: object) -> Any:
            nonlocal count
            count += event == "line"
            return trace

        sys.settrace(trace)
        try:
            assert len(earlier(source, chat)) == number
        finally:
            sys.settrace(before)
        return count

    assert lines(200) < 5 * lines(50)


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
