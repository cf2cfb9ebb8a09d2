"""Streamed text loses its secrets however it is cut into pieces, and the rest is not kept waiting."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.redact import Redactor
from compact_chat.redact.stream import Stream

GITHUB = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 8 + "-----END PRIVATE KEY-----"
TEXT = (
    f"Summary:\nThe shop's key is {GITHUB}, kept in till.py.\n\npassword = 'hunter2-and-more'\n{KEY}\n"
    "See https://mara:s3cr3tw0rd@bakery.example/x for all.\n12 trays were counted."
)


def streamed(pieces: list[str]) -> list[str]:
    """What a listener hears of these pieces."""
    heard: list[str] = []
    stream = Stream(Redactor(), heard.append)
    for piece in pieces:
        stream.add(piece)
    stream.end()
    return heard


@given(st.lists(st.integers(0, len(TEXT)), max_size=60))
def test_no_cut_lets_a_secret_through(cuts: list[int]) -> None:
    """Whatever the pieces are, what is heard is the masked text."""
    places = [0, *sorted(cuts), len(TEXT)]

    heard = streamed([TEXT[start:end] for start, end in pairwise(places)])

    assert "".join(heard) == Redactor()(TEXT)


def test_single_characters_too() -> None:
    """A secret that comes letter by letter is masked."""
    assert "".join(streamed(list(TEXT))) == Redactor()(TEXT)


def test_plain_words_do_not_wait() -> None:
    """Each piece of ordinary prose is heard before the next one comes."""
    pieces = ["The tests ", "pass, and the ", "key point ", "is the shelf", ".\n", "Next: the till"]

    assert streamed(pieces) == pieces


def test_a_long_line_stays_linear() -> None:
    """G5: four times the text takes about four times as long, in one line too."""
    seconds = []
    for times in (1_500, 6_000):
        began = time.process_time()
        streamed(["plain words "] * times)
        seconds.append(time.process_time() - began)

    assert seconds[1] < 10 * seconds[0]
