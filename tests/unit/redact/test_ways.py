"""How people give values by name: a file of ways, one per line, and a file of what only looks like one."""

from __future__ import annotations

import base64
import random
import re
from pathlib import Path

from compact_chat.redact import Redactor
from tests.strategies.secrets_places import drawn

HERE = Path(__file__).parent
PASSWORDS = ("Q7rT2bX9mK4pLw", "Tr0ub4dor&3x", "hunter2-Zebra77", "kX9#mPq2vL5nR8", "vb7Qm2Xz8Lk4Rt6Wp1Ns")
TOKEN = "k9Xv3mQ7pL2wR8nT5yB1cD4f"
VALUES = {"{p}": PASSWORDS, "{t}": (TOKEN,), "{c}": ("Sommer2019!", "Violet#77", "Pa$$w0rt-8")}
VALUES |= {"{l}": ("velvetorchard", "amber_lantern", "copper-heron", "amber lantern", "PqZvXwKjRtLmBn")}
VALUES |= {"{o}": ("velvetorchard",), "{a}": ("Amber&lamp27",), "{n}": ("837492015612",), "{k}": (f"{TOKEN}W7mZ",)}
VALUES |= {"{m}": ("PqZvXwKjRtLmBn",), "{s}": ("Sommer,2024", "a.b1c2d!", "Ab1,cd2!", "a:b1c2!d")}
VALUES |= {"{w}": ("hunter2secret99",), "{q}": ("correct-horse-9-battery", "sunny-dog-42")}
HEAD = f"sk-ant-api03-{TOKEN}"  # of a key that a line end breaks
NUMBERS = (
    "DB_PASSWORD={}",
    "password: {}",
    '"password": {}',
    "the password is {}",
    'PIN_PASSWORD = "{}"',
    "пароль: {}",
)


def lines(name: str) -> list[str]:
    """Return the lines of a file, with the control characters that they spell."""
    read = (HERE / name).read_text("utf-8").splitlines()
    for spelled, sign in (("\\x0d", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\x1b", "\x1b")):
        read = [line.replace(spelled, sign) for line in read]
    return read


def is_masked(way: str) -> bool:
    """Return whether of each value of a way all is masked and nothing else, except what was given before."""
    own = re.search(r"\{=(.+?)\}", way)
    kind = own[0] if own else next(kind for kind in VALUES if kind in way)
    values = (drawn(own[1], random.Random(way)),) if own else VALUES[kind]
    given = way.replace("Q7rT2bX9", "[REDACTED:password:1]").replace("{h}", "[REDACTED:anthropic-key:1]")
    before, behind = given.split(kind)
    number = 1 + before.count("[REDACTED:")
    masked = [Redactor()(way.replace(kind, value).replace("{h}", HEAD)) for value in values]
    return all(
        one.startswith(f"{before}[REDACTED:")
        and one.endswith((f":1]{behind}", f":{number}]{behind}"))  # the first of its kind or not
        and one.count("[REDACTED:") == number
        for one in masked
    )


def test_a_value_given_by_name_is_masked() -> None:
    """A way has the kind of its values in braces.

    `{p}` is a password, `{t}` a token and `{k}` a long one, `{c}` one that a person made up, `{n}` a number; `{w}`
    and `{q}` consist of words, `{l}` of letters alone, `{o}` of one word, `{m}` of letters that make no word; `{a}`
    has a sign that separates values in a URL, and `{s}` one that separates words or hosts from ports. `{=…}` is a value
    of its own, which the way makes a secret; `{h}` is a key's beginning, masked as the first.
    """
    assert [way for way in lines("ways.txt") if not is_masked(way)] == []


def is_masked_whole(line: str) -> bool:
    """Return whether nothing is left of a line's value."""
    name, sign, _ = re.split(r"([:=] ?)", line, maxsplit=1)
    whole = rf"{re.escape(name + sign)}[\"']?\[REDACTED:[a-z-]+:1\][\"']?[\s}}]*"
    return re.fullmatch(whole, Redactor()(line)) is not None


def test_a_value_is_masked_as_a_whole() -> None:
    """Nothing of a value is left, whatever signs and blanks are in it."""
    assert [line for line in lines("whole.txt") if not is_masked_whole(line)] == []


def test_numbers_are_passwords_too() -> None:
    """Six digits or more under a password's name are masked, fewer are not."""
    for way in NUMBERS:
        assert "83749201" not in Redactor()(way.format("83749201"))
        assert Redactor()(way.format("83749")) == way.format("83749")


def test_what_only_looks_given_stays() -> None:
    """Page tokens, paths, references, ids, hashes, code and words about passwords are no values."""
    picture = base64.b64encode(random.Random("picture").randbytes(300)).decode()
    texts = [drawn(line, random.Random(line)).replace("<PICTURE>", picture) for line in lines("stays.txt")]

    assert [text for text in texts if Redactor()(text) != text] == []


def test_a_token_behind_words_is_masked_with_them() -> None:
    """A prefix of words does not hide what was generated."""
    assert Redactor()('API_KEY = "acme_service_key_4d5e6f7890ab1c2d"') == 'API_KEY = "[REDACTED:api-key:1]"'
    assert Redactor()('API_KEY = "acme_service_key_of_production1"') == 'API_KEY = "acme_service_key_of_production1"'


def test_a_name_with_more_words_behind_password_needs_an_odd_value() -> None:
    """A short value is a password there if no word is like it."""
    assert (
        Redactor()('fieldOfPasswordForTheLedger = "xq7_vkz1"')
        == 'fieldOfPasswordForTheLedger = "[REDACTED:password:1]"'
    )
    assert Redactor()('fieldOfPasswordForTheLedger = "ledger_v1"') == 'fieldOfPasswordForTheLedger = "ledger_v1"'


def test_a_slash_is_no_path_in_what_was_generated() -> None:
    """`pwd` is a folder, unless its value is base64."""
    assert Redactor()('pwd = "k9Xv3mQ7pL2wR8nT/5yB1cD4f+Zq=="') == 'pwd = "[REDACTED:password:1]"'
