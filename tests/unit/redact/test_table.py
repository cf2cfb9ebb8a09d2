"""What is masked where: values of many kinds in many places, and whole secrets."""

from __future__ import annotations

import re
from pathlib import Path

from compact_chat.redact import Redactor
from tests.oracles.snapshots import check_snapshot
from tests.strategies.secrets_places import planted
from tests.unit.redact.test_redact import BODY, HEX

PLACES = (
    """password={} | PASSWORD={} | password: {} | Password: {}, please | "password": "{}" | password = "{}" | ok={}
export TOKEN={} | - token: {} | token = {} | token={}, | f(token={}) | "token": "{}" | ?token={}&x=1 | token: {} # note
[db]↵password = {} # old | [db]↵secret = {} | mysql --password {} | deploy --token={} | the pass is {} | pass: {}
pw={} | userpass={} | USERPASS={} | userPass={} | DB_PWD="{}" | secret={} | aws secret access key: {} | kennwort: {}
api_key: {} | apiKey: "{}" | API_KEY={} | BOX_KEY={} | box_key = "{}" | key={} | public_key={} | cache_key: "{}"
https://me:{}@host/x | me:{}@tcp(db:1)/x | me:{}@host | Bearer {} | Authorization: Basic {} | Cookie: {}
<password>{}</password> | define("DB_PASSWORD", "{}") | name="password" value="{}" | passphrase: {} | curl -u me:{} x
password={}&x=1 | pwd: {} | password: '{} | 12: token={} | +token={} | {} password | let password: string = "{}"
""".replace("\n", " | ")
    .replace("↵", "\n")
    .split(" | ")[:-1]
)
# Of lengths around the limits, and of the kinds that are judged apart.
VALUES = (
    *("a1b2c3d4e5f6g7h8i9j0k1l2"[:length] for length in (5, 6, 7, 8, 9, 11, 12, 15, 16, 19, 20)),
    *((HEX * 3)[:length] for length in (12, 31, 32, 63, 64, 65)),
    *(BODY[:length] for length in (7, 8, 10, 16, 24)),
    *(sign + (BODY * 2)[:length] for sign in "/~.@*-" for length in (8, 18, 19, 20, 30, 31, 32)),
    *"""hunter2 | Hunter22 | hunter2! | correct | correcth | correcthorse | CORRECTHORSE | CorrectHorse | cOrReCtHo
user.name | user_name1 | self.token2 | get_1() | 1234567 | xxxxxxxx | aaaaaab1 | ${A1b2c3} | changeme1 | a.b@e.co1
Tr0ub4dor&3xKq | p#ss:w0rd | dXNlcjpwYXNzd29yZA== | abcd efgh ijkl mnop | one two three four five
""".replace("\n", " | ").split(" | ")[:-1],
)


def outcome(place: str, value: str) -> str:
    """Return `#` if a value is masked, `.` if it stays, else the masked text."""
    start, end = place.split("{}")
    masked = Redactor()(f"{start}{value}{end}")
    if masked == f"{start}{value}{end}":
        return "."
    inner = masked.removeprefix(start).removesuffix(end)
    return "#" if re.fullmatch(r"\[REDACTED:[a-z-]+:1\]", inner) else f" {masked!r} "


def test_each_value_in_each_place(accept: bool) -> None:
    """A row for each place: `#` for a value that is masked, `.` for one that stays, words for anything else."""
    rows = [f"{place!r}\n  {''.join(outcome(place, value) for value in VALUES)}" for place in PLACES]
    check_snapshot("\n".join(rows) + "\n", Path(__file__).with_name("places.txt"), accept=accept)


def test_whole_secrets_of_each_kind(accept: bool) -> None:
    """One redactor for all of them, so that the numbers of placeholders are told too."""
    redactor = Redactor(emails=True)
    check_snapshot(
        "".join(redactor(one.text) + "\n" for one in planted(400, seed=3)),
        Path(__file__).with_name("planted.txt"),
        accept=accept,
    )
