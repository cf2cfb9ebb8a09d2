"""The watches of one client: how many there may be, when they begin, and how they end."""

from __future__ import annotations

import threading

import pytest

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, InvalidParams, TooLarge
from compact_chat.operations import ClientState, Job
from compact_chat.operations.polling import MOST_WATCHES, TakesLong, Watches
from tests.servers.processes import within

PATIENCE = 20.0


class Quiet:
    """A watch that tells whether its work goes on."""

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:  # noqa: ARG002 -- it always is
        """Stop where it was cancelled."""
        job.check()
        return {}


class Large:
    """A watch that takes long until a test lets it end."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.looks = 0

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:
        """Take long."""
        if at_once:
            raise TakesLong
        job.check()
        self.looks += 1
        assert self.may_end.wait(PATIENCE)
        return {"large": True}


def test_a_watch_begins_when_its_client_knows_it() -> None:
    """Until then nobody looks, and it begins once."""
    watches = Watches()
    name = watches.add(Quiet(), Job(ClientState()))
    assert (watches.is_idle, watches.begun(), watches.has(name)) == (True, [], False)
    assert watches.begin(name)
    assert not watches.begin(name)
    assert not watches.begin("another")
    assert (watches.is_idle, watches.has(name)) == (False, True)
    assert [(one, look()) for one, look in watches.begun()] == [(name, {})]


def test_an_unknown_id_is_a_wrong_param() -> None:
    """What is not there, or not there any more, cannot be ended."""
    watches = Watches()
    name = watches.add(Quiet(), Job(ClientState()))
    watches.begin(name)
    watches.remove(name)
    for unknown in (name, "watch-99", ""):
        with pytest.raises(InvalidParams) as refused:
            watches.remove(unknown)
        assert refused.value.data["problems"][0]["path"] == "$.watchId"


def test_there_are_not_too_many() -> None:
    """A client has so many and no more, begun or not; one that ends makes room."""
    watches = Watches()
    names = [watches.add(Quiet(), Job(ClientState())) for _ in range(MOST_WATCHES)]
    watches.begin(names[0])
    for _ in range(2):
        with pytest.raises(TooLarge):
            watches.add(Quiet(), Job(ClientState()))
    watches.remove(names[0])
    assert watches.add(Quiet(), Job(ClientState()))


def test_a_large_chat_holds_up_no_other() -> None:
    """While one is read aside the others are looked at, and its news are given when they are there."""
    watches, large = Watches(), Large()
    names = [watches.add(one, Job(ClientState())) for one in (large, Quiet())]
    assert all(map(watches.begin, names))
    assert [dict(watches.begun())[name]() for name in names * 2] == [None, {}] * 2
    large.may_end.set()
    look = dict(watches.begun())[names[0]]
    within(PATIENCE, lambda: look() == {"large": True})


def test_who_waited_longest_is_next() -> None:
    """Chats that all are to be read aside again and again come one after the other."""
    watches, chats, may_end = Watches(), [Large() for _ in range(3)], threading.Event()
    for chat in chats:
        chat.may_end = may_end
        watches.begin(watches.add(chat, Job(ClientState())))
    for _ in range(12):
        for _, look in watches.begun():
            look()
        may_end.set()
        within(PATIENCE, lambda: "watch-slow" not in {thread.name for thread in threading.enumerate()})
        may_end.clear()
    assert max(chat.looks for chat in chats) - min(chat.looks for chat in chats) <= 1


def test_a_request_that_failed_leaves_nothing() -> None:
    """The watch of a cancelled request takes no place."""
    watches = Watches()
    for _ in range(3 * MOST_WATCHES):
        job = Job(ClientState())
        watches.add(Quiet(), job)
        job.cancel()
    assert watches.is_idle


def test_the_end_stops_the_work() -> None:
    """What is done for a watch stops when it ends, alone or with all others."""
    watches = Watches()
    names = [watches.add(Quiet(), Job(ClientState())) for _ in range(2)]
    for name in names:
        watches.begin(name)
    looks = [look for _, look in watches.begun()]
    watches.remove(names[0])
    with pytest.raises(Cancelled):
        looks[0]()
    assert looks[1]() == {}
    watches.clear()
    with pytest.raises(Cancelled):
        looks[1]()
    assert watches.is_idle
