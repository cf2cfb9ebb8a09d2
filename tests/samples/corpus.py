"""The chats of `tests/corpus/`, and the expectation for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from compact_chat.chat import Chat
from compact_chat.errors import CompactChatError
from compact_chat.read import Source, read_chat
from compact_chat.tools import TOOLS, files_with
from tests.oracles.snapshots import check_snapshot

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
SNAPSHOT = ".chat.json"
MESSAGES = ".messages.json"  # the messages of a caller, and not a file


def cases() -> Iterator[Path]:
    """List the first file of each chat; of a chat of several files, the one that its tool reads first."""
    for path in sorted(CORPUS.glob("*/*")):
        if path.is_dir():
            names = [file.name for file in sorted(path.iterdir())]
            endings = {tool: tuple(name for name in names if name.endswith(tool.endings[:1])) for tool in TOOLS}
            yield path / next(name for tool in TOOLS for name in (*tool.files, *endings[tool]) if name in names)
        elif not path.name.endswith(SNAPSHOT):
            yield path


def snapshot_of(case: Path) -> Path:
    """Return the snapshot file of a case."""
    whole = case.parent if case.parent.parent != CORPUS else case
    return whole.with_name(whole.name.partition(".")[0] + SNAPSHOT)


def siblings(case: Path) -> dict[str, bytes]:
    """Return the other files that are read with a case."""
    others = [case.with_name(name) for name in files_with(case.name)]
    return {other.name: other.read_bytes() for other in others if other.is_file()}


def source_of(case: Path) -> Source:
    """Return the source of a case."""
    if case.name.endswith(MESSAGES) and case.parent.parent == CORPUS:
        return Source.of_document(json.loads(case.read_bytes()))
    return Source.of_bytes(case.read_bytes(), case.name, siblings(case))


def check_each_chat(rows: Callable[[Chat], Iterator[str]], snapshot: Path, *, accept: bool) -> None:
    """Compare what a room makes of the chats with a file of rows below their names; only `accept` adds new chats."""
    names = [str(case.relative_to(CORPUS)) for case in cases()] if accept else []
    if not accept:
        names = [line[2:] for line in snapshot.read_text("utf-8").splitlines() if line.startswith("= ")]
    found = []
    for name in names:
        try:
            own = [row.encode(errors="backslashreplace").decode() for row in rows(read_chat(source_of(CORPUS / name)))]
        except CompactChatError:
            continue
        found += [f"= {name}", *own] if own else []
    check_snapshot("\n".join(found) + "\n", snapshot, accept=accept)
