"""One process of the readers' fuzzer: it looks which branches an example takes, and keeps those that find new ones.

python tests/bench/fuzzed_reader.py FORMAT FOLDER SECONDS SEED. The folder is given a file for each example that breaks
a promise.
"""

from __future__ import annotations

import json
import pkgutil
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # a script finds its own folder only

SHARED_CHATS = ROOT.parent / "shared" / "chats"
SMALL, LARGEST = 20_000, 65_536  # bytes of files that examples are made from, and of examples
HANGS, MEMORY = 60, 2048  # seconds and MiB after which the fuzzer itself ends an example
BLIND = 0.4  # of all changes are made to bytes, the others to the values that they stand for


def main(name: str, folder: str, seconds: str, seed: str) -> None:
    """Fuzz one format until the time is over or a promise broken; the exit code tells which."""
    atheris = import_module("atheris")
    instrument(atheris)
    corpus = Path(folder) / f"corpus-{name}"
    corpus.mkdir()
    for number, example in enumerate(examples(name)):
        (corpus / f"{number}").write_bytes(example)
    flags = {
        "max_total_time": seconds,
        "seed": seed,
        "max_len": LARGEST,
        "timeout": HANGS,
        "rss_limit_mb": MEMORY,
        "artifact_prefix": f"{folder}/{name}-",
        "verbosity": 0,
        "print_final_stats": 1,
    }
    arguments = [sys.argv[0], *(f"-{flag}={value}" for flag, value in flags.items()), str(corpus)]
    atheris.Setup(arguments, lambda data: play(name, data), custom_mutator=mutator(atheris))
    atheris.Fuzz()


def instrument(atheris: Any) -> None:
    """Import all readers in the way that lets the fuzzer see where they go."""
    with atheris.instrument_imports(include=["compact_chat.read"]):
        for module in pkgutil.iter_modules(import_module("compact_chat.read").__path__, "compact_chat.read."):
            import_module(module.name)


def examples(name: str) -> list[bytes]:
    """The handmade files of the format, and small real ones that are read as it, where there are any."""
    from tests.oracles.reader_checks import Files
    from tests.samples.reader_seeds import SEEDS, files_of

    handmade = [files_of(seed) for seed in SEEDS if seed.format == name]
    paths = sorted(path for path in SHARED_CHATS.rglob("*.*") if path.is_file() and path.stat().st_size <= SMALL)
    found = (Files(path.read_bytes(), {}) for path in paths)
    return [files.packed() for files in (*handmade, *(files for files in found if is_read_as(name, files)))]


def is_read_as(name: str, files: Any) -> bool:
    """Whether a file is read as this format."""
    from tests.oracles.reader_checks import check

    chat = check(files)
    return chat is not None and chat.format == name


def play(name: str, data: bytes) -> None:
    """Check one example, with the format itself as the hint, or another one that the bytes choose."""
    from compact_chat.tools import FORMATS
    from tests.oracles.reader_checks import Files, check_in_time
    from tests.samples.reader_seeds import name_of

    chosen = zlib.crc32(data)
    hint = name if chosen % 2 else list(FORMATS)[chosen // 2 % len(FORMATS)]
    check_in_time(Files.of_bytes(data), name_of(name), hint)


def mutator(atheris: Any) -> Callable[[bytes, int, int], bytes]:
    """What makes the next example of an earlier one."""

    def changed(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        example = bytes(data) if random.random() < BLIND else with_other_values(bytes(data), random)
        if example != data and len(example) <= most:
            return example
        mutated: bytes = atheris.Mutate(data, most)  # looked up here, since fuzzing puts another function there
        return mutated

    return changed


def with_other_values(data: bytes, random: Random) -> bytes:
    """Change the values of one of the files, or its lines where it holds none."""
    from tests.oracles.reader_checks import BETWEEN
    from tests.samples.reader_seeds import bytes_of
    from tests.strategies.seed_mutations import mutated, with_odd_lines

    files = data.split(BETWEEN)
    place = random.randrange(len(files))
    value, is_lines = decoded(files[place])
    if value is None or random.random() < 0.1:
        files[place] = with_odd_lines(files[place], random)
    else:
        files[place] = bytes_of(mutated(value, random), is_lines)
    return BETWEEN.join(files)


def decoded(data: bytes) -> tuple[Any, bool]:
    """The JSON of a file: its one document, or those of its lines that are JSON, and whether it is of lines."""
    try:
        return json.loads(data), False
    except (ValueError, RecursionError):
        values = []
        for line in data.split(b"\n"):
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError):
                continue
        return values or None, True


if __name__ == "__main__":
    main(*sys.argv[1:])
