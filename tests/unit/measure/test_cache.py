"""What was counted is remembered in bounded room."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from compact_chat.measure.tokens import DIGEST_COST, SHORT, CountCache, key_of


def test_a_short_text_is_its_own_key() -> None:
    """A short text is found by itself, a long one by length and digest, so that it is not kept."""
    assert key_of("x" * SHORT) == "x" * SHORT
    assert key_of("x" * (SHORT + 1)) == (SHORT + 1, key_of("x" * (SHORT + 1))[1])
    assert key_of("x" * 5_000) != key_of("y" * 5_000)


def test_half_pairs_have_keys() -> None:
    """A lone surrogate in a long text is no obstacle."""
    assert key_of("\ud83d" * 5_000) != key_of("\ude00" * 5_000)


def test_the_oldest_goes_first() -> None:
    """Where the room is used up, what came first is forgotten."""
    cache = CountCache(room=2 * (DIGEST_COST + 1))
    for number, text in enumerate("abc"):
        cache.put(text, number)

    assert [cache.get(text) for text in "abc"] == [None, 1, 2]


def test_the_same_text_takes_room_once() -> None:
    """Putting a text twice costs nothing more."""
    cache = CountCache(room=2 * (DIGEST_COST + 1))
    for text in "aaaaab":
        cache.put(text, 1)

    assert (cache.get("a"), cache.get("b")) == (1, 1)


def test_a_text_beyond_the_room_is_not_kept() -> None:
    """A cache too small for one text forgets it at once."""
    cache = CountCache(room=10)
    cache.put("a", 1)

    assert cache.get("a") is None


def test_threads_share_a_cache() -> None:
    """Many threads that put and get leave the room as it was counted."""
    cache = CountCache(room=50 * DIGEST_COST)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: cache.put((number % 90, b""), number), range(5_000)))

    assert cache._room >= 0
    assert len(cache._counts) * DIGEST_COST + cache._room == 50 * DIGEST_COST
