"""Streamed text loses its secrets however it is cut into pieces, and the rest is not kept waiting."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.redact import Redactor, Stream
from compact_chat.redact.tokens import KINDS
from tests.strategies.secrets_places import left_over, planted

PREFIXES = {
    head[:8] for kind in KINDS for head in kind.heads if len(head) > 8
}  # what every token of a kind begins with

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


@pytest.mark.parametrize("size", [1, 3, 7])
def test_no_planted_secret_gets_through(size: int) -> None:
    """Of secrets of every kind in every place no more is heard than the letters that say which service they are of."""
    for one in planted(700, seed=size):
        heard = "".join(streamed([one.text[at : at + size] for at in range(0, len(one.text), size)]))

        assert left_over(one, heard) in ("", *PREFIXES), (one, heard)


def test_a_secret_that_grows_keeps_the_number_of_the_whole() -> None:
    """What comes piece by piece takes no placeholder for its pieces: the next secret has the next number."""
    clean, heard = Redactor(), list[str]()
    stream = Stream(clean, heard.append)
    for piece in TEXT:
        stream.add(piece)
    stream.end()

    assert clean.tally == {"github-token": 1, "password": 1, "private-key": 1, "url-password": 1}
    assert "".join(heard) == Redactor()(TEXT)


@pytest.mark.parametrize("title", ["-----BEGIN", "-----BEGIN CERTIFICATE-----", "-----BEGIN RSA PRIVATE KEY-----"])
def test_prose_about_keys_is_heard(title: str) -> None:
    """A title that is only talked about holds back no more than a line."""
    heard: list[str] = []
    stream = Stream(Redactor(), heard.append)
    stream.add(f"The parser looks for `{title}` now.\n")
    for _ in range(9):
        stream.add("It reads the rest as it did before.\n")

    assert "".join(heard).count("as it did before") == 9


@pytest.mark.parametrize(
    "text",
    [
        "Das Passwort ist Geheim123! Dann weiter.\n",
        "密码：geheim123abc 好\n",
        "unzip -P s3cretpw9 a.zip\n",
        "the pin is 740291 now\n",
        "das Geheimnis lautet Tr0ub4dor-3x, ja\n",
        "ssh-keygen -N s3cretpw9 -f k\n",
        "I use Q7rT2bX9mK4pLw as the password\n",
        "I set it to Sommer2019! (the admin password)\n",
        "use token Sommer2019! for staging\n",
        "| user | password |\n| ---- | -------- |\n| ann | Q7rT2bX9mK4pLw |\n",
    ],
)
@pytest.mark.parametrize("step", [1, 4])
def test_other_languages_and_commands_too(text: str, step: int) -> None:
    """Names that the finders know in other languages hold back the value behind them, or before them."""
    pieces = [text[place : place + step] for place in range(0, len(text), step)]

    assert "".join(streamed(pieces)) == Redactor()(text) != text


def test_words_behind_a_key_do_not_wait() -> None:
    """A key ends at its closing line, so that the next line is heard."""
    heard: list[str] = []
    stream = Stream(Redactor(), heard.append)
    stream.add(f"{KEY}\n")
    stream.add("Next: the till\n")

    assert "".join(heard) == "[REDACTED:private-key:1]\nNext: the till\n"


@pytest.mark.parametrize("gap", [" ", "-"])
def test_a_line_that_does_not_end_is_heard_in_parts(gap: str) -> None:
    """Thousands of characters behind a name do not wait for the line's end, and a value in them is masked."""
    text = f"the token: {gap.join(['words'] * 664)} password=hunter2Xyz9 {gap.join(['words'] * 9)}"
    heard: list[str] = []
    stream = Stream(Redactor(), heard.append)
    for place in range(0, len(text), 50):
        stream.add(text[place : place + 50])
    before = "".join(heard)
    stream.end()

    assert len(before) > 2000
    assert "".join(heard) == Redactor()(text) != text


def test_nothing_of_a_line_that_names_a_secret_is_heard() -> None:
    """Until it ends, not even its first letter."""
    heard: list[str] = []
    Stream(Redactor(), heard.append).add("password: x")

    assert heard == []


def test_plain_words_do_not_wait() -> None:
    """Each word of ordinary prose is heard as soon as it ends."""
    pieces = ["The tests ", "pass, and the ", "key point ", "is the shelf ", "of bread.\n", "Next: the ", "till"]

    assert streamed(pieces) == pieces


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_rest_of_a_broken_key_is_not_heard(size: int) -> None:
    """A key's first line is sent before its second one comes, which is masked then."""
    text = "the api key is sk-ant-api03-Ab9xKqA\nb9xKqAb9xKqAb9xKqAb9xKq so it is wrong.\n"

    heard = "".join(streamed([text[at : at + size] for at in range(0, len(text), size)]))

    assert heard == "the api key is [REDACTED:api-key:1]\n[REDACTED:api-key:2] so it is wrong.\n"
