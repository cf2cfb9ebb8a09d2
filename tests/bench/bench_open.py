"""Opening and counting session files of 4 and 40 MB: the time compared with the minimum possible, and the memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import orjson

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.chat import texts
from compact_chat.disk import open_file
from compact_chat.measure import family_of
from compact_chat.measure.weights import encoding
from compact_chat.operations import ClientState, Job
from compact_chat.read import Source, read_chat
from tests.bench.chats import MEGABYTE
from tests.bench.long_chats import claude, codex
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone

ROUNDS = {4: 7, 40: 3}
TIMES, SMALL_ROOM, ROOM, FACTOR = 1.3, 135, 120, 2.5
PARSERS: tuple[Callable[[bytes], object], ...] = (orjson.loads, msgspec.json.decode)


MAKERS: dict[str, Callable[[Path, int], Path]] = {
    "Claude Code, all live": claude,
    "Claude Code, 3 % live": lambda path, size: claude(path, size, 0.03),
    "Codex, all live": codex,
    "Codex, 3 % live": lambda path, size: codex(path, size, 0.03),
}


# A process inherits its parent's memory peak: so a small one starts the command.
WATCH = """
import os, resource, sys
with open(os.devnull, "w") as nowhere:
    redirected = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
    process = os.posix_spawn(sys.executable, sys.argv[1:], os.environ, file_actions=redirected)
    status = os.waitpid(process, 0)[1]
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status != 0)
"""


class Case(NamedTuple):
    """A session file, its live part, and its lines."""

    name: str
    path: Path
    megabytes: int
    live: list[str]
    encoding: str

    @property
    def live_megabytes(self) -> float:
        """The size of the live text."""
        return sum(len(text.encode("utf-8", "replace")) for text in self.live) / MEGABYTE


def figures(names: list[str]) -> Iterator[Figure]:
    """Measure each kind of file in both sizes; names may select some."""
    with tempfile.TemporaryDirectory() as folder:
        for name, make in MAKERS.items():
            if names and not any(one.casefold() in name.casefold() for one in names):
                continue
            path = Path(folder) / "chat.jsonl"
            for megabytes in ROUNDS:
                yield from measured(name, make(path, megabytes * MEGABYTE), megabytes)


def measured(name: str, path: Path, megabytes: int) -> Iterator[Figure]:
    """Measure the time and the memory of one file."""
    case = case_of(f"{name}, {megabytes} MB", path, megabytes)
    taken = [(ours(case), least(case)) for _ in range(ROUNDS[megabytes] + 1)][1:]
    mine, parsing, counting = (
        statistics.median(one[0] for one in taken),
        min(one[1][0] for one in taken),
        statistics.median(one[1][1] for one in taken),
    )
    live, used = case.live_megabytes, peak(case)
    print(
        f"{case.name}: {live:.1f} MB live; {1000 * mine:.0f} ms, "
        f"least {1000 * parsing:.0f} + {1000 * counting:.0f} ms; {used:.0f} MB"
    )
    yield f"{case.name}: time / least", statistics.median(one[0] / sum(one[1]) for one in taken), TIMES, "x"
    yield f"{case.name}: memory", used, SMALL_ROOM if megabytes == 4 else FACTOR * live + ROOM, "MB"


def case_of(name: str, path: Path, megabytes: int) -> Case:
    """Find the live part of a file."""
    with open_file(path.as_uri()) as held:
        chat = read_chat(Source.of_blob(held, path.name))
    live = [chat.system, *(text for message in chat.messages for text in texts(message))]
    return Case(name, path, megabytes, live, family_of(chat.model, chat.tool).encoding)


def ours(case: Case) -> float:
    """Open and count, with the vocabulary loaded and nothing counted before."""
    client = ClientState()
    client.configure({"rememberRatio": False})
    began = time.perf_counter()
    perform_alone("countTokens", {"chat": {"uri": case.path.as_uri()}}, Job(client))
    return time.perf_counter() - began


def least(case: Case) -> tuple[float, float]:
    """Parse the lines of the file with the fastest parser, and encode the live text."""
    parsing = min(seconds(partial(parsed, parse, case.path)) for parse in PARSERS)
    plain = encoding(case.encoding)
    return parsing, seconds(lambda: [plain.encode_ordinary(text) for text in case.live])


def parsed(parse: Callable[[bytes], object], path: Path) -> None:
    """Parse each line of a file; skip a line that is damaged or holds two records."""
    with path.open("rb") as file:
        for line in file:
            with suppress(ValueError):
                parse(line)


def seconds(work: Callable[[], object]) -> float:
    """Time a function."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def peak(case: Case) -> float:
    """Return the peak memory of the command, in MB."""
    command = [sys.executable, "-m", "compact_chat", "count", str(case.path), "--json"]
    reported = subprocess.run(
        [sys.executable, "-c", WATCH, *command], check=True, capture_output=True, text=True
    ).stdout
    return int(reported) * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


if __name__ == "__main__":
    sys.exit(judged(figures(sys.argv[1:])))
