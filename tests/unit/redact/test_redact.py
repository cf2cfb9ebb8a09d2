"""The redactor: what is masked, what is not, and that it takes its time only once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.redact import Redactor

# Put together here, so that this file holds no whole secret.
BODY = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
HEX = "a8f5f167f44f4964e6c998dee827110c"
AWS = "AKIA" + "Q3EGZ7TPLW5RXN2M"
GITHUB = "ghp_" + BODY
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
KEY_LINES = ("A1b2" * 16 + "\n") * 5
RSA = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES}Ab1=\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ('İpass="8jhCzGi1"', "password"),
    (AWS, "aws-access-key"),
    (f"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/{BODY[:18]}", "aws-secret-key"),
    (GITHUB, "github-token"),
    (f"x = 'github_pat_{BODY}_{BODY}'", "github-token"),
    ("glpat-" + BODY[:20], "gitlab-token"),
    ("xoxb-123456789012-" + BODY[:24], "slack-token"),
    ("sk_live_" + BODY[:24], "stripe-key"),
    ("sk-ant-api03-" + BODY, "anthropic-key"),
    ("sk-proj-" + BODY, "openai-key"),
    ("AIza" + BODY[:35], "google-key"),
    ("npm_" + BODY, "npm-token"),
    ("pypi-AgE" + BODY + BODY, "pypi-token"),
    ("hf_" + BODY, "huggingface-token"),
    (JWT, "jwt"),
    (f"Authorization: Bearer {BODY}", "bearer-token"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "basic-auth"),
    ("Authorization: Basic YW5uOlRyMHVifjRkb3J+", "basic-auth"),
    ("postgres://app:s3cr3tPw@db.local/x", "url-password"),
    ('password = "hunter2!"', "password"),
    ('"password": "tr0ub4dor"', "password"),
    ('password = "x9{7}Kq!7zT2"', "password"),
    ('"password": "x9{ab12}Kq!7z"', "password"),
    ('password = "/Kettle9/gate"', "password"),
    ("DB_PASSWORD=hunter22", "password"),
    ("password: hunter22", "password"),
    ("mysql --password=hunter2x", "password"),
    ("x <password>hunter22</password>", "password"),
    ("app:S3cretPw9@unix(/tmp/mysql.sock)/app", "url-password"),
    ('const password: string = "hunter2!x"', "password"),
    (f'client_secret: "{HEX}"', "secret"),
    (f"API_KEY={HEX}", "api-key"),
    (f"x-api-key: {HEX}", "api-key"),
    (f'the apiToken="{HEX}"', "api-key"),
    (f"{HEX}-us12", "mail-key"),
    (f'{{\\"token\\": \\"{HEX}\\"}}', "token"),
    (f"deploy --token {HEX}", "token"),
    (f"SERVICE_KEY=sbp_{HEX}", "key"),
    (f"BOX_KEY={HEX}", "key"),
    (f"Cookie: session={HEX}; theme=dark", "cookie"),
    (f"curl -H 'Cookie: a={HEX}'", "cookie"),
    (RSA, "private-key"),
    (RSA.replace("\n", "\\n"), "private-key"),
    (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY_LINES}... cut", "private-key"),
    (f"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY_LINES}", "private-key"),
]
NO_SECRETS = [
    'password = os.environ["X"]',
    "token: string",
    "api_key=None",
    "API_KEY=<your key>",
    "password: <your password>",
    "API_KEY=${API_KEY}",
    'password="$PASSWORD"',
    "token = process.env.TOKEN",
    "password = getpass()",
    'secret = get_secret("db/password1")',
    'api_key="YOUR_API_KEY"',
    'api_key="your-api-key-123"',
    'password = "password123"',
    'const API_KEY = "test1234"',
    "max_tokens: 4096",
    '"input_tokens": 123456',
    "const token = await getToken2(user)",
    "password: Optional[str] = None",
    "next_page_token = response.next_page_token",
    "access_token=access_token",
    "token: Token2,",
    "tokenizer: cl100k_base",
    "password_file=/etc/secrets/pw1.txt",
    "pwd: src/app1",
    "PWD=/home/user1/x",
    "~/.ssh/id_rsa config/secrets/api_key.txt src/auth/token.py:12: error",
    'if text.startswith("-----BEGIN RSA PRIVATE KEY-----") and text.endswith("-----END RSA PRIVATE KEY-----"):',
    "Authorization: Bearer ${TOKEN}",
    "Bearer YOUR_TOKEN_HERE_12345",
    "basic authentication",
    "http://localhost:8080/@scope/pkg",
    "https://user:password@example.com",
    "app:password@tcp(db:3306)/app",
    "password=~/.secrets/db1.txt",
    "token = @files/a1b2c3",
    "if password>hunter22:",
    "Bearer your_access_token_here_123",
    "key phrase: open another window here",
    "the password authenticationmethod is set",
    "f(a, password: correcthorse\n  b)",
    "my password is: unbelievable",
    "ghp_" + "x" * 36,
    "document.cookie = name",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    'password: "Enter your password"',
    'cache_key = "user:12345:profile:settings"',
    "token=$(gh auth token)",
    "desk-abcdefghijklmnopqrstuvwxyz1234567890",
    "password=getPasswordFrom(user)",
    "sort -u file:name",
    "PASSWORD=$SECRET&wait",
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


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """References, types, placeholders and names of files are no secrets."""
    assert Redactor()(text) == text


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
