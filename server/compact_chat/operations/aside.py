"""What takes long is done aside, so that one large chat does not hold up the looks at the others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class TakesLong(Exception):
    """What was to be done at once takes long."""


class Aside:
    """Does one thing at a time, on a thread that is there only meanwhile."""

    def __init__(self) -> None:
        self.ended: Callable[[], None] | None = None  # called behind each job, on the thread that did it
        self._thread: Thread | None = None

    def begin(self, story: Callable[[], T]) -> Future[T] | None:
        """Begin with something; None while something else is under way."""
        if self._thread is not None and self._thread.is_alive():
            return None
        job: Future[T] = Future()
        self._thread = Thread(target=self._do, args=(story, job), name="watch-aside", daemon=True)
        self._thread.start()
        return job

    def _do(self, story: Callable[[], T], job: Future[T]) -> None:
        try:
            job.set_result(story())
        except BaseException as problem:  # noqa: BLE001 -- whoever asks for the result gets it
            job.set_exception(problem)
        if self.ended:
            self.ended()


class Turns(Generic[T]):
    """What is done again and again: at once while that is quick, else aside; who waited longest is next."""

    def __init__(self, story: Callable[[bool], T | None], aside: Aside) -> None:
        self._story, self._aside = story, aside
        self._job: Future[T | None] | None = None
        self.had = 0  # the number of the last turn that was taken aside

    def take(self, number: int) -> T | None:
        """Give what came of it, now or since the turn before."""
        if self._job is None:
            return self._at_once(number)
        if not self._job.done():
            return None
        job, self._job = self._job, None
        return job.result()

    def _at_once(self, number: int) -> T | None:
        try:
            return self._story(True)
        except TakesLong:
            self._job = self._aside.begin(lambda: self._story(False))
            self.had = number if self._job else self.had
            return None
