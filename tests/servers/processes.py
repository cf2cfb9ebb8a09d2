"""Processes as the kernel sees them: which are alive, what they have open, and what they cost."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

PROC = Path("/proc")
needs_proc = pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="only Linux tells this of its processes")
PAGE = mmap.PAGESIZE
STILL = 0.25  # seconds without CPU time after which a process counts as quiet
LOOK = 0.01  # seconds between two polls


class State(NamedTuple):
    """A process or a thread: R running, S sleeping, Z dead and not yet reaped; its parent; its CPU seconds."""

    state: str
    parent: int
    cpu: float


def state(number: int, thread: int | None = None) -> State | None:
    """Return the state of a process, or of one of its threads; None if there is none."""
    folder = PROC / str(number) if thread is None else PROC / str(number) / "task" / str(thread)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = (folder / "stat").read_text("latin-1").rpartition(")")[2].split()  # a name may contain spaces
        return State(fields[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return None


def cpu_seconds(number: int) -> float:
    """Return the CPU time that a process has used."""
    found = state(number)
    assert found is not None, "the process is gone"
    return found.cpu


def thread_states(number: int) -> str:
    """Return one state letter per thread of a process."""
    found = (state(number, int(task.name)) for task in (PROC / str(number) / "task").iterdir())
    return "".join(one.state for one in found if one is not None)


def resident(number: int) -> float:
    """Return a process's resident memory in MiB."""
    return int((PROC / str(number) / "statm").read_text().split()[1]) * PAGE / 2**20


def open_files(number: int) -> list[str]:
    """List what a process has open: paths, pipes, sockets."""
    found = []
    for one in (PROC / str(number) / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(one.readlink()))
    return sorted(found)


def shared_memory(number: int) -> list[str]:
    """List the shared memory and semaphores that a process has mapped."""
    lines = (PROC / str(number) / "maps").read_text("utf-8", "replace").splitlines()
    return sorted({line.split()[-1] for line in lines if "/dev/shm/" in line or "/SYSV" in line})


def children(number: int) -> list[int]:
    """List the living children of a process."""
    return [one for one in _alive() if (found := state(one)) is not None and found.parent == number]


def marked(mark: str) -> list[int]:
    """Find the living processes whose initial environment contains a text."""
    found = []
    for one in _alive():
        with contextlib.suppress(OSError):  # it ended meanwhile, or belongs to another user
            if mark.encode() in (PROC / str(one) / "environ").read_bytes():
                found.append(one)
    return found


def runs(number: int, word: str) -> bool:
    """Return whether a process lives and has this word among its arguments."""
    with contextlib.suppress(OSError):
        return word.encode() in (PROC / str(number) / "cmdline").read_bytes().split(b"\0")
    return False


def _alive() -> list[int]:
    numbers = (int(one.name) for one in PROC.iterdir() if one.name.isdecimal())
    return [one for one in numbers if (found := state(one)) is not None and found.state not in "ZX"]


class Watched:
    """A process awaited by a handle, so that its id cannot be reused; it need not be a child."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._handle = os.pidfd_open(number)

    def seconds_until_gone(self, limit: float) -> float:
        """Wait until it has ended, even if it is never reaped; infinite if it survives."""
        began = time.perf_counter()
        ended = bool(select.select([self._handle], [], [], limit)[0])
        return time.perf_counter() - began if ended else float("inf")

    def kill(self) -> None:
        """Kill it if alive, and release the handle."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)


def within(seconds: float, wanted: Callable[[], bool]) -> float:
    """Poll until a condition holds, and return the seconds that took; fail after the timeout."""
    began = time.perf_counter()
    pause = threading.Event()
    while not wanted():
        assert time.perf_counter() - began < seconds, f"not so within {seconds} seconds"
        pause.wait(LOOK)
    return time.perf_counter() - began


def seconds_until_quiet(number: int, limit: float = 30) -> float:
    """Poll until a process uses no more CPU time, and return when it last did."""
    began = last = time.perf_counter()
    known = cpu_seconds(number)
    pause = threading.Event()
    while (now := time.perf_counter()) - last < STILL:
        assert now - began < limit, f"still at work after {limit} seconds"
        pause.wait(LOOK)
        if (used := cpu_seconds(number)) > known:
            known, last = used, time.perf_counter()
    return last - began
