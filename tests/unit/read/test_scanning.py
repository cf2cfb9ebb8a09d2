"""Records are gone through once, and found again by their spots."""

from __future__ import annotations

import pytest

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.errors import TooLarge
from compact_chat.read import InMemory
from compact_chat.read.document import MAX_VALUES
from compact_chat.read.jsonl import Scan, record_of, records_at, scan, slim

ODD = b'\xef\xbb\xbf{"a":1}\n\n{"a":2}{"a":3}\n{"a":"\xff"}\nnoise\n {"a":4,"toolUseResult":{}} \r\n[5]\n{"a":6}{"a'


def scanned(data: bytes, errors: str = "replace") -> Scan[JsonObject]:
    """Keep all of each record."""
    return scan(InMemory(data), errors, record_of, slim)


def test_what_is_kept_and_what_is_damaged() -> None:
    """Sound records, glued ones and those with broken bytes are kept; the numbers of bad lines are told."""
    found = scanned(ODD)

    assert [record["a"] for _, record in found.kept] == [1, 2, 3, "\ufffd", 4, 6]
    assert all(record.keys() == {"a"} for _, record in found.kept)
    assert (found.damaged, found.broken) == ([5, 7, 8], 4)


def test_records_are_found_again() -> None:
    """Each spot leads to its record, in whatever lines it stands."""
    found = scanned(ODD)

    again = records_at(InMemory(ODD), "replace", [spot for spot, _ in found.kept], record_of, slim)
    assert list(again) == [record for _, record in found.kept]


def test_records_that_are_gone_are_none() -> None:
    """Where the bytes end earlier now, or are no JSON any more, there is no record."""
    spots = [spot for spot, _ in scanned(ODD).kept]

    for data, kept in ((ODD[:12], [{"a": 1}, *[None] * 5]), (b" " * len(ODD), [None] * 6)):
        assert list(records_at(InMemory(data), "replace", spots, record_of, slim)) == kept


def test_halves_of_pairs_in_a_text_are_no_damage() -> None:
    """What came as a text may hold what no UTF-8 can."""
    found = scanned('{"a":"\ud800"}\n{"a":1}'.encode(errors="surrogatepass"), "surrogatepass")

    assert [record["a"] for _, record in found.kept] == ["\ud800", 1]
    assert (found.damaged, found.broken) == ([], None)


def test_a_reader_says_what_is_kept() -> None:
    """None is not kept, and what a reader cannot decode itself it gets as a record."""
    seen: list[JsonObject] = []

    def light(line: bytes) -> str | None:
        if b"2" in line:
            raise ValueError
        return None if b"3" in line else line.decode()

    def slow(record: JsonObject) -> str | None:
        seen.append(record)
        return "slow"

    found = scan(InMemory(b'{"a":1}\n{"a":2}\n{"a":3}'), "replace", light, slow)

    assert [kept for _, kept in found.kept] == ['{"a":1}', "slow"]
    assert seen == [{"a": 2}]


def test_records_without_number_are_refused() -> None:
    """Even next to nothing of each record is too much at some number."""
    data = b"{}\n" * (MAX_VALUES // 5 + 100)
    with pytest.raises(TooLarge, match="lines and values"):
        scan(InMemory(data), "replace", lambda _: 1, lambda _: 1)


def test_the_work_can_be_stopped() -> None:
    """There is a checkpoint every few lines."""

    class Stopped(Exception):
        pass

    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) > 3:
            raise Stopped

    with pytest.raises(Stopped), checkpoints(check):
        scan(InMemory(b"{}\n" * 1000), "replace", record_of, slim)
    assert len(asked) == 4
