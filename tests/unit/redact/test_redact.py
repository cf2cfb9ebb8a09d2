"""The redactor: what is masked, what is not, and that it takes its time only once."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.redact import Redactor
from tests.strategies.secrets_places import drawn
from tests.unit.redact.test_ways import lines

# Put together here, so that this file holds no whole secret.
BODY = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
HEX = "a8f5f167f44f4964e6c998dee827110c"
AWS = "AKIA" + "Q3EGZ7TPLW5RXN2M"
GITHUB = "ghp_" + BODY
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
KEY_LINES = ("A1b2" * 16 + "\n") * 5
RSA = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES}Ab1=\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("sk-proj-" + BODY, "openai-key"),
    (f"Authorization: Bearer {BODY}", "bearer-token"),
    (RSA, "private-key"),
    (RSA.replace("\n", "\\n"), "private-key"),
    (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY_LINES}... cut", "private-key"),
    (f"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY_LINES}", "private-key"),
    *((drawn(text, random.Random(text)), kind) for kind, text in (line.split(" ", 1) for line in lines("kinds.txt"))),
]
MARKS = ["password=", "token: ", "secret", "Bearer ", "Cookie: a=", "://a:", "@", "=", ":", "sk-", "eyJ", "[REDACTED:"]
GAPS = ['"', "'", " ", "\n", "\\n", "hunter2!", "İ", "é", "-----BEGIN PRIVATE KEY-----", "a@b.co "]
PIECES = st.sampled_from([AWS, GITHUB, JWT, RSA, HEX, *MARKS, *GAPS, "x1y2z3w4"])


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_a_secret_becomes_a_placeholder_of_its_kind(text: str, kind: str) -> None:
    """Contract, redactions: each kind of secret is masked under its name and counted once."""
    redactor = Redactor()

    assert f"[REDACTED:{kind}:1]" in redactor(text)
    assert redactor.tally == {kind: 1}


def test_a_secret_keeps_its_number() -> None:
    """The same secret has the same placeholder in all texts of one redactor; another one has the next number."""
    redactor = Redactor()
    other = "ghp_" + BODY[::-1]

    assert redactor(f"{GITHUB} {other}") == "[REDACTED:github-token:1] [REDACTED:github-token:2]"
    assert redactor(f'token = "{other}"') == 'token = "[REDACTED:github-token:2]"'
    assert redactor.tally == {"github-token": 2}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"a\n{RSA}\nb", "a\n[REDACTED:private-key:1]\nb"),
        ("https://me:s3cr3tPw@host/x", "https://me:[REDACTED:url-password:1]@host/x"),
        (f"line\\n{GITHUB}\\n{JWT}", "line\\n[REDACTED:github-token:1]\\n[REDACTED:jwt:1]"),
        ("password=pL2ix6MEO9LeM4a1E", "password=[REDACTED:password:1]"),
        ("PASSWORD=Tr0ub4dor&3xKq", "PASSWORD=[REDACTED:password:1]"),
        (f"Authorization: token {'fad65ac233' * 4}", "Authorization: token [REDACTED:bearer-token:1]"),
        ("curl -u admin:PodoV3pFP2AQ4oBt http://x", "curl -u admin:[REDACTED:password:1] http://x"),
    ],
)
def test_only_the_secret_is_replaced(text: str, masked: str) -> None:
    """What is around a secret stays, and none of the secret does."""
    assert Redactor()(text) == masked


def test_emails_are_masked_where_asked_for() -> None:
    """An address is masked only with `emails`; the login of a repository is none."""
    text = "Ann <ann.b@example.com>, git@host.example.com:a/b"

    assert Redactor()(text) == text
    assert Redactor(emails=True)(text) == "Ann <[REDACTED:email:1]>, git@host.example.com:a/b"


def test_a_redactor_can_be_off() -> None:
    """Option `redact`: false leaves every text as it is, and counts nothing."""
    redactor = Redactor(enabled=False)

    assert redactor(AWS) == AWS
    assert redactor.tally == {}


@given(st.lists(PIECES, max_size=25).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    """A redacted text holds no secret any more, for the same redactor and for a new one."""
    redactor = Redactor(emails=True)
    masked = redactor(text)

    assert redactor(masked) == masked
    assert Redactor(emails=True)(masked) == masked


@given(st.lists(PIECES, max_size=10).map("".join), st.lists(PIECES, max_size=10).map("".join))
def test_no_neighbour_hides_a_token(before: str, behind: str) -> None:
    """Whatever stands on the lines around a token, the token is gone."""
    assert f"x {AWS} x" not in Redactor()(f"{before}\nx {AWS} x\n{behind}")


@pytest.mark.parametrize("code", ['\\"', "%22"])
def test_codes_take_little_memory(code: str) -> None:
    """A text of nothing but escapes takes a few bytes for each character, and a secret behind them keeps its place."""
    text = f"{code * 100_000} {GITHUB} {code}"
    redactor = Redactor()
    redactor(code)
    tracemalloc.start()
    masked = redactor(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert masked == text.replace(GITHUB, "[REDACTED:github-token:1]")
    assert peak < 30 * len(text)


@pytest.mark.parametrize("unseen", ["\u200b", "\xad", "\0", "\x08", "\x1b", "\u2060", "\u202e", "\u200d", "\ud800"])
def test_a_secret_is_found_with_signs_in_it_that_nobody_sees(unseen: str) -> None:
    """Where a pipe or a browser drops them, the secret is whole again."""
    text = f"é {unseen}go {GITHUB[:9]}{unseen}{GITHUB[9:]} go{unseen}, DB_PASSWORD=Q7rT2{unseen}bX9mK4 now"

    assert (
        Redactor()(text) == f"é {unseen}go [REDACTED:github-token:1] go{unseen}, DB_PASSWORD=[REDACTED:password:1] now"
    )
