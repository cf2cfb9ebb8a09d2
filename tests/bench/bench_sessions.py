"""What listing five thousand chats costs, beside the least: a walk that reads the first 4 kB of each file."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from compact_chat.operations import ClientState, Job
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone
from tests.samples.session_files import WRITERS, age, of_one_user

FILES, ROUNDS = 5000, 5
MORE = 24  # messages of a kilobyte in each file, so that its beginning and its end are two
LONGEST = 1.0  # seconds
PLACES = ("here", "elsewhere", "there/inside", "far away")


def main() -> int:
    """List the same files in all ways."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        write_chats(home)
        with mock.patch.dict(os.environ, of_one_user(home), clear=True):
            return judged(figures(home))


def figures(home: Path) -> Iterator[Figure]:
    """Time each way, the first time with nothing in memory and the second with all of it."""
    least = median(lambda: walk(str(home)))
    print(f"a walk that reads 4 kB of each of {FILES} files: {least:.3f} s")
    here = (home / PLACES[0]).as_uri()
    ways: dict[str, dict[str, object]] = {
        "the newest 50": {},
        "those of a workspace": {"workspace": here, "limit": FILES},
        "all": {"limit": FILES},
        "all of some folders": {"limit": FILES, "roots": [home.as_uri()]},
    }
    for name, params in ways.items():
        client = ClientState()
        first, second = (seconds(partial(listed, params, client)) for _ in range(2))
        print(f"{name}: {len(listed(params, client))} chats, {first / least:.1f} and {second / least:.1f} x the walk")
        yield f"{name}, for the first time", first, 2 * LONGEST if params.get("limit") else LONGEST, "s"
        yield f"{name}, again", second, LONGEST, "s"
    shell = [sys.executable, "-m", "compact_chat", "sessions", "--json"]
    yield "from a shell", median(lambda: subprocess.run(shell, check=True, capture_output=True)), LONGEST, "s"


def listed(params: dict[str, object], client: ClientState) -> list[object]:
    """List chats as a server does."""
    found: list[object] = perform_alone("sessions", params, Job(client))["sessions"]
    return found


def write_chats(home: Path) -> None:
    """Write chats of all tools, in four folders, each at a moment of its own."""
    writers = list(WRITERS.values())
    for number in range(FILES):
        folder = str(home / PLACES[number % len(PLACES)])
        write = writers[number % len(writers)]
        age(write(home, number, f"Count the trays of shelf {number}", folder, MORE), number)


def walk(folder: str) -> int:
    """Do the least."""
    read = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                read += walk(entry.path)
            elif entry.stat().st_size:
                with Path(entry.path).open("rb", buffering=0) as file:
                    read += len(file.read(4096))
    return read


def median(work: Callable[[], object]) -> float:
    """Time some work a few times."""
    return statistics.median(seconds(work) for _ in range(ROUNDS))


def seconds(work: Callable[[], object]) -> float:
    """Time some work."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
