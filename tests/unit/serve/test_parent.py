"""Watching the client's process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from compact_chat.serve.parent import is_alive, watch_process


def test_a_running_process_is_alive() -> None:
    """The test's own process runs."""
    assert is_alive(os.getpid())


@pytest.mark.parametrize("number", [0, -1, 2**22 + 1, 2**70])
def test_numbers_of_no_process_are_not_alive(number: int) -> None:
    """Numbers that no process can have, and that would mean whole groups, name none."""
    assert not is_alive(number)


def test_the_end_of_a_process_is_noticed() -> None:
    """`gone` is called once the process has ended, and not before."""
    gone = threading.Event()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        watch_process(process.pid, gone.set)
        assert not gone.is_set()
    assert gone.wait(10)


def test_an_unknown_process_is_never_gone() -> None:
    """Where there is nothing to watch, no thread is started."""
    before = threading.active_count()
    watch_process(2**22 + 1, lambda: pytest.fail("called"))
    assert threading.active_count() == before
