"""Which values are secrets, by the names, signs and places that they stand in, and which only look like some."""

from __future__ import annotations

import json

import pytest

from compact_chat.redact import Redactor
from tests.strategies.secrets_places import Planted, left_over, planted

HEX = "a8f5f167f44f4964" + "e6c998dee827110c"
MIXED = "aB3dE5gH7jK9mN1p" + "Q3sT5vW7yZ9bC1dF3gH5"
KEY_LINES = ("A1b2" * 16 + "\n") * 5

CHOSEN = [
    "passwd=<letmein99>",
    "password=<correcthorse>",
    "log in with password=<correcthorse> please",
    "password=<Tr0ub4dor&3x>",
    "token=<k3jf92mx>",
    "my password is <hunter22>",
    "host=db user=app password=<correcthorse> dbname=x",
    "user: ann\npassword: <correcthorse>\n",
    "user: ann\r\npassword: <correcthorse>\r\nport: 1",
    "a=1&password=<correcthorse>&b=2",
    "DB_PASSWORD=<correcthorse>",
    "[db]\nhost = a\npassword = <hunter22>\n",
    "db.password=<abcd;ef,9>",
    "mysql -u root -p<S3cret> shop",
    'passphrase = "<correct horse battery staple>"',
    "seed phrase: <witch collapse practice feed shame open despair creek road again ice least>",
    "pw=<hunter22>",
    "ssh root@host # pass: <Ab3$kd92>",
    'variable "db_password" { default = "<Passw0rd!23>" }',
    f"Set-Item Env:TOKEN '<{MIXED[:20]}>'",
    "ACCESS_KEY=<minioadmin123>",
    "machine example.com login ann password <qwertz>",
    f'"auth": "<{"YW5uOnZpb2xldDIx"}>"',
    "define('DB_PASSWORD', '<hunter22>');",
    'props.setProperty("password", "<hunter22>");',
    'EMAIL_HOST_PASSWORD = "<qzxw efgh ijkl mnop>"',
    f"GET https://api.telegram.org/bot<{'123456789:AA' + MIXED[:33]}>/getMe",
    'ConvertTo-SecureString "<Sup3rVi0let>" -AsPlainText -Force',
    "unzip -P <hunter22> a.zip",
    "requirepass <hunter22>",
    "Das Passwort ist <Geheim123>, bitte",
    "Le mot de passe est <Marseille1789>",
    "La contraseña es <Madrid2020>",
    "пароль: <Moskva2020>",
    "密码：<Beijing2020>",
    "パスワード: <Tokyo2020>",
]
REFERENCES = [
    'assert names == ("password", "password2")',
    't("secret", "a secret of yours")',
    'for key in ("token", "session1", "user"):',
    "<key>apiKey</key>\n<string>API_KEY</string>",
    "Das Passwort ist falsch.",
    'password: "this long that much"',
    "f(user=user, password=password1)",
    "connect(\n    user=user,\n    key_password=self.key_password,\n)",
    "login(password=stored_value)",
    "class ShrinkPass:\n    function: str",
    "--- PASS: TestLogin123 (0.00s)",
    '--proxy-bypass "localhost,*.internal.com"',
    "password:\n    type: string",
    "password: !vault |",
    'password: "required"',
    'label = {"password": "Passwort"}',
    "secretKeyRef:\n  name: app-secrets\n  key: db-password",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "the password is required",
    "the token is expired",
    "sort_key=user123",
    "max_tokens=8192",
    "cache_key = 'a8f5f167f44f4964e6c998dee827110c'",
    "pass: 12 tests",
]
NAMES_AND_NUMBERS = [
    "src/auth/secrets.py config/token.ts templates/password_reset.html ~/.ssh/id_ed25519.pub",
    "6fa459ea-ee8a-3ca4-894e-db77e160355e",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha512-RKMn3QKi8nE71ULUo0g/MBvq1N4icEBo7cQSKnL3URZT16ANv7IPVgo8g==",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "claude-opus-4-1-20250805 gpt-5.1-codex-max o200k_base toolu_01A2b3C4d5E6f7G8h9J0k1L2 msg_01XyZabc123",
    "!function(e,t){var n=t.key||e.token;return n?r(n,7):i.pass(o)}(this,0);",
    "https://example.com/a.ts?v=12345678 https://me@host:8080/a@b git@example.com:a/b.git",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0hVN1sIqCkQ ann@host",
    "-----BEGIN CERTIFICATE-----\n" + KEY_LINES + "-----END CERTIFICATE-----",
    "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJ",
    "sk-fading-circle-and-other-classes-of-a-page",
]
COPIES = [
    "     1→-----BEGIN RSA PRIVATE KEY-----\n" + "".join(f"     {n}→{'A1b2' * 16}\n" for n in range(2, 8)),
    "+-----BEGIN PRIVATE KEY-----\n" + "".join(f"+{'A1b2' * 16}\n" for _ in range(8)),
    "... cut\n" + KEY_LINES + "-----END EC PRIVATE KEY-----",
    "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 5\n" + KEY_LINES,
    "client-key-data: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + "A1b2" * 40,
]


@pytest.mark.parametrize("text", CHOSEN)
def test_a_place_can_tell_that_a_value_is_a_secret(text: str) -> None:
    """What stands between `<` and `>` is masked, all of it and nothing else, for its place allows no name there."""
    before, rest = text.split("<", 1)
    _, behind = rest.rsplit(">", 1)

    masked = Redactor()(text.replace("<", "", 1)[::-1].replace(">", "", 1)[::-1])

    assert masked.startswith(before + "[REDACTED:")
    assert masked.endswith("]" + behind)
    assert masked.count("[REDACTED:") == 1


@pytest.mark.parametrize("text", [*REFERENCES, *NAMES_AND_NUMBERS])
def test_names_and_references_survive(text: str) -> None:
    """Names of files, ids, hashes, pictures, code and words about passwords are left as they are."""
    assert Redactor()(text) == text


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


@pytest.mark.parametrize("before", ["\\n", "\\u003d", "%3D", "\x1b[32m", "x-", "A_", "é", "\t"])
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
