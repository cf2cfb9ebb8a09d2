"""Processes as the kernel sees them: which are alive, what they hold open, and what they cost."""

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
STILL = 0.25  # seconds without CPU time that make a process quiet
LOOK = 0.01  # seconds between two looks


class State(NamedTuple):
    """A process or a thread: R runs, S sleeps, Z is dead and not yet reaped; the parent; seconds of CPU time."""

    state: str
    parent: int
    cpu: float


def state(number: int, thread: int | None = None) -> State | None:
    """Look at a process, or at one thread of it; None where there is none."""
    folder = PROC / str(number) if thread is None else PROC / str(number) / "task" / str(thread)
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = (folder / "stat").read_text("latin-1").rpartition(")")[2].split()  # a name may hold spaces
        return State(fields[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return None


def cpu_seconds(number: int) -> float:
    """Tell what a process has computed so far."""
    found = state(number)
    assert found is not None, "the process is gone"
    return found.cpu


def thread_states(number: int) -> str:
    """Tell one letter for each thread of a process."""
    found = (state(number, int(task.name)) for task in (PROC / str(number) / "task").iterdir())
    return "".join(one.state for one in found if one is not None)


def resident(number: int) -> float:
    """Tell the MiB of memory that a process occupies."""
    return int((PROC / str(number) / "statm").read_text().split()[1]) * PAGE / 2**20


def open_files(number: int) -> list[str]:
    """Name what a process holds open: paths, pipes, sockets."""
    found = []
    for one in (PROC / str(number) / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(one.readlink()))
    return sorted(found)


def shared_memory(number: int) -> list[str]:
    """Name the shared memory and the semaphores that a process has mapped."""
    lines = (PROC / str(number) / "maps").read_text("utf-8", "replace").splitlines()
    return sorted({line.split()[-1] for line in lines if "/dev/shm/" in line or "/SYSV" in line})


def children(number: int) -> list[int]:
    """Find the processes that a process has started and that live."""
    return [one for one in _alive() if (found := state(one)) is not None and found.parent == number]


def marked(mark: str) -> list[int]:
    """Find the living processes that have a text in the environment that they were started with."""
    found = []
    for one in _alive():
        with contextlib.suppress(OSError):  # it ended meanwhile, or belongs to somebody else
            if mark.encode() in (PROC / str(one) / "environ").read_bytes():
                found.append(one)
    return found


def runs(number: int, word: str) -> bool:
    """Tell whether a process lives and was called with this word among its arguments."""
    with contextlib.suppress(OSError):
        return word.encode() in (PROC / str(number) / "cmdline").read_bytes().split(b"\0")
    return False


def _alive() -> list[int]:
    numbers = (int(one.name) for one in PROC.iterdir() if one.name.isdecimal())
    return [one for one in numbers if (found := state(one)) is not None and found.state not in "ZX"]


class Watched:
    """A process that is waited for by a handle of its own, so that no other can take its number; also not a child."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._handle = os.pidfd_open(number)

    def seconds_until_gone(self, limit: float) -> float:
        """Wait until it has ended, whether or not anybody reaps it; infinite where it lives on."""
        began = time.perf_counter()
        ended = bool(select.select([self._handle], [], [], limit)[0])
        return time.perf_counter() - began if ended else float("inf")

    def kill(self) -> None:
        """Kill it if it lives, and let go of it."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)


def within(seconds: float, wanted: Callable[[], bool]) -> float:
    """Look until something is so, and tell how long it took; fail where it is not so in time."""
    began = time.perf_counter()
    pause = threading.Event()
    while not wanted():
        assert time.perf_counter() - began < seconds, f"not so within {seconds} seconds"
        pause.wait(LOOK)
    return time.perf_counter() - began


def seconds_until_quiet(number: int, limit: float = 30) -> float:
    """Look until a process computes nothing any more, and tell after how long it did so for the last time."""
    began = last = time.perf_counter()
    known = cpu_seconds(number)
    pause = threading.Event()
    while (now := time.perf_counter()) - last < STILL:
        assert now - began < limit, f"still at work after {limit} seconds"
        pause.wait(LOOK)
        if (used := cpu_seconds(number)) > known:
            known, last = used, time.perf_counter()
    return last - began
