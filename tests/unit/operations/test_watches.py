"""The watches of one client: how many there may be, when they begin, and how they end."""

from __future__ import annotations

import pytest

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, InvalidParams, TooLarge
from compact_chat.operations.watches import MOST, Watches
from compact_chat.operations.work import Work


class Quiet:
    """A watch that tells whether its work goes on."""

    def look(self, work: Work) -> JsonObject | None:
        """Stop where it was cancelled."""
        work.check()
        return {}


def test_a_watch_begins_when_its_client_knows_it() -> None:
    """Until then nobody looks, and it begins once."""
    watches = Watches()
    name = watches.add(Quiet(), Work())
    assert (watches.is_idle, watches.begun(), watches.has(name)) == (True, [], False)
    assert watches.begin(name)
    assert not watches.begin(name)
    assert not watches.begin("another")
    assert (watches.is_idle, watches.has(name)) == (False, True)
    assert [(one, look()) for one, look in watches.begun()] == [(name, {})]


def test_each_has_an_id_of_its_own() -> None:
    """An id is not used again, also when its watch has ended."""
    watches = Watches()
    first = watches.add(Quiet(), Work())
    watches.remove(first)
    assert watches.add(Quiet(), Work()) != first


def test_an_unknown_id_is_a_wrong_param() -> None:
    """What is not there, or not there any more, cannot be ended."""
    watches = Watches()
    name = watches.add(Quiet(), Work())
    watches.begin(name)
    watches.remove(name)
    for unknown in (name, "watch-99", ""):
        with pytest.raises(InvalidParams) as refused:
            watches.remove(unknown)
        assert refused.value.data["problems"][0]["path"] == "$.watchId"


def test_there_are_not_too_many() -> None:
    """A client has so many and no more, begun or not; one that ends makes room."""
    watches = Watches()
    names = [watches.add(Quiet(), Work()) for _ in range(MOST)]
    watches.begin(names[0])
    for _ in range(2):
        with pytest.raises(TooLarge):
            watches.add(Quiet(), Work())
    watches.remove(names[0])
    assert watches.add(Quiet(), Work())


def test_a_request_that_failed_leaves_nothing() -> None:
    """The watch of a cancelled request takes no place."""
    watches = Watches()
    for _ in range(3 * MOST):
        work = Work()
        watches.add(Quiet(), work)
        work.cancel()
    assert watches.is_idle


def test_the_end_stops_the_work() -> None:
    """What is done for a watch stops when it ends, alone or with all others."""
    watches = Watches()
    names = [watches.add(Quiet(), Work()) for _ in range(2)]
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
