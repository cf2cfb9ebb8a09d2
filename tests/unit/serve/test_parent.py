"""Watching the client's process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from compact_chat.serve import server as parent
from compact_chat.serve.server import is_alive, process_ended, windows_life_of

NOBODY = [0, -1, 2**22 + 1, 2**70]
WAYS = ["the system's", "looks", "looks for want of more"] if sys.platform == "linux" else ["looks"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watch as the system offers it, or by looking again and again, as where it offers nothing."""
    monkeypatch.setattr(parent, "EVERY", 0.01)
    if request.param == "looks":

        def refuse(_: int) -> int:
            raise PermissionError

        monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    if request.param == "looks for want of more":  # some builds of Python lack the function
        monkeypatch.delattr(os, "pidfd_open")


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until its input ends."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_running_process_is_alive() -> None:
    """The test's own process runs."""
    assert is_alive(os.getpid())


@pytest.mark.parametrize("number", NOBODY[2:])
def test_numbers_of_no_process_are_not_alive(number: int) -> None:
    """Numbers that no process can have name none."""
    assert not is_alive(number)


@pytest.mark.usefixtures("way")
def test_the_end_of_a_process_is_noticed(process: subprocess.Popen[bytes]) -> None:
    """The wait ends once the process has ended, and not before."""

    async def story() -> None:
        ended = asyncio.create_task(process_ended(process.pid))
        await asyncio.sleep(0.05)
        assert not ended.done()
        process.kill()
        await asyncio.to_thread(process.wait)
        async with asyncio.timeout(10):
            await ended

    asyncio.run(story())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell")
def test_a_process_that_nobody_buries_is_gone(process: subprocess.Popen[bytes]) -> None:
    """The end counts, though the exit code was not fetched."""

    async def story() -> None:
        ended = asyncio.create_task(process_ended(process.pid))
        await asyncio.sleep(0)
        process.kill()
        async with asyncio.timeout(10):
            await ended
        assert process.returncode is None

    asyncio.run(story())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("number", NOBODY)
def test_an_unknown_process_is_never_gone(number: int) -> None:
    """Numbers of no process, and those that would mean whole groups, are waited for in vain."""

    async def story() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process_ended(number), 0.05)

    asyncio.run(story())


class Kernel:
    """Windows' own functions on processes, of which one runs."""

    def __init__(self, running: int) -> None:
        self.running: set[int] = {running}

    def OpenProcess(self, access: int, inherits: bool, number: int) -> int:  # noqa: N802 -- Windows' name
        """Give a handle, or 0."""
        assert (access, inherits) == (0x0010_0000, False)
        return number * 4 if number in self.running else 0

    def WaitForSingleObject(self, handle: int, milliseconds: int) -> int:  # noqa: N802 -- Windows' name
        """Say whether it still runs, without waiting."""
        assert milliseconds == 0
        return 0x102 if handle // 4 in self.running else 0


def test_windows_is_asked_by_a_handle() -> None:
    """A process lives until Windows says it has ended; one that cannot be opened does not."""
    kernel = Kernel(running=44)
    lives = windows_life_of(44, kernel)
    assert lives()
    assert not windows_life_of(45, kernel)()
    assert not windows_life_of(2**70, kernel)()
    kernel.running.clear()
    assert not lives()
