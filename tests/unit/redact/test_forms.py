"""Values that take more than a line, and five hundred planted secrets of all kinds."""

from __future__ import annotations

import json

import pytest

from compact_chat.redact import Redactor
from tests.strategies.secrets_places import Planted, left_over, planted

HEX = "a8f5f167f44f4964" + "e6c998dee827110c"
MIXED = "aB3dE5gH7jK9mN1p" + "Q3sT5vW7yZ9bC1dF3gH5"
KEY_LINES = ("A1b2" * 16 + "\n") * 5

COPIES = [
    "     1→-----BEGIN RSA PRIVATE KEY-----\n" + "".join(f"     {n}→{'A1b2' * 16}\n" for n in range(2, 8)),
    "+-----BEGIN PRIVATE KEY-----\n" + "".join(f"+{'A1b2' * 16}\n" for _ in range(8)),
    "... cut\n" + KEY_LINES + "-----END EC PRIVATE KEY-----",
    "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 5\n" + KEY_LINES,
    "client-key-data: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + "A1b2" * 40,
]


def test_a_list_of_properties_gives_a_value_on_its_next_line() -> None:
    """The text of the element behind a key is that key's value."""
    masked = Redactor()(f"<key>apiKey</key>\n  <string>{MIXED[:32]}</string>")

    assert masked == "<key>apiKey</key>\n  <string>[REDACTED:api-key:1]</string>"


@pytest.mark.parametrize("text", COPIES, ids=["numbered", "diff", "no title", "putty", "encoded"])
def test_copies_of_private_keys_are_masked(text: str) -> None:
    """A private key with numbers or signs before its lines, without its title, or in base64, leaves no line."""
    masked = Redactor()(text)

    assert "A1b2A1b2" not in masked
    assert "[REDACTED:private-key:1]" in masked


LONG = pytest.param("word " * 13_090 + "%3D" * 60, id="codes at the end of a stretch")


@pytest.mark.parametrize("before", ["\\n", "\\u003d", "%3D", "\x1b[32m", "x-", "A_", "é", "\t", LONG])
def test_what_is_written_before_a_token_does_not_hide_it(before: str) -> None:
    """Escapes, colours and signs before a token are no part of it."""
    assert Redactor()(f"{before}ghp_{MIXED}") == f"{before}[REDACTED:github-token:1]"


def test_arguments_stay_json() -> None:
    """A mask within written JSON takes no quote, bracket or comma with it."""
    given = {"env": {"API_KEY": HEX, "DB_PASSWORD": "Tr0ub4dor&3x"}, "url": f"https://a:{MIXED}@b/c", "n": [1, None]}

    masked = json.loads(Redactor()(json.dumps(given)))

    assert masked["env"] == {"API_KEY": "[REDACTED:api-key:1]", "DB_PASSWORD": "[REDACTED:password:1]"}
    assert masked["n"] == [1, None]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_planted_secret_is_left(seed: int) -> None:
    """Of five hundred secrets of more than fifty kinds nothing is left."""
    found = [(one.kind, one.text, left_over(one, Redactor()(one.text))) for one in planted(500, seed)]

    assert [one for one in found if one[2]] == []


def test_only_planted_secrets_are_taken() -> None:
    """What stands around a planted secret stays to the letter."""
    exact = [one for one in planted(500) if one.exact]

    assert [one.text for one in exact if not _stays(one, Redactor()(one.text))] == []


def _stays(one: Planted, masked: str) -> bool:
    before, behind = one.around
    return masked.startswith(before + "[REDACTED:") and masked.endswith("]" + behind) and masked.count("[REDACTED") == 1
