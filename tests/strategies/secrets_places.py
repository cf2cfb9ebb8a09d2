"""Secrets in the forms of services and of habits, and the places where they occur in chats."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from compact_chat.redact.tokens import CENTERED, KINDS, SIGNS

_PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]+:\d+\]")


class Planted(NamedTuple):
    """One secret with its surroundings; `exact` says that nothing but the secret itself should be masked."""

    kind: str
    secret: str
    text: str
    exact: bool = True

    @property
    def around(self) -> tuple[str, str]:
        """The text before and behind the secret, which must stay."""
        before, _, behind = self.text.partition(self.secret)
        return before, behind


# A token is recognized on its own, so that nothing is needed around it.
ANYWHERE = (
    "{}",
    "my key is {} please use it",
    "key: {}.",
    "curl -H 'X-Api-Key: {}' https://api.example.com/v1/items",
    "Authorization: Bearer {}",
    "https://api.example.com/v1?limit=5&access={}&page=2",
    "https://api.example.com/v1?next=%3D{}&page=2",
    "export SERVICE_CREDENTIAL={}",
    'const client = new Client({{ auth: "{}", retries: 3 }});',
    "client = Client('{}', timeout=5)",
    '{{"env": {{"CREDENTIAL": "{}"}}}}',
    "| name | value |\n|---|---|\n| service | {} |",
    "     1→# settings\n     2→{}\n     3→debug = true",
    "\x1b[32m{}\x1b[0m ok",
    "- old\n+{}\n context",
    "stdout:\\n{}\\nexit code 0",
    "(see `{}`)",
    "<config><add key='service' value='{}'/></config>",
    "2026-03-04T10:11:12Z INFO started with {} on port 8080",
)
# NAME is the name of the hidden value, in capitals or not.
ASSIGNED = (
    "{NAME}={}",
    "export {NAME}={}\nexport DEBUG=1",
    'export {NAME}="{}"',
    "{NAME}='{}'",
    "# .env\nPORT=3000\n{NAME}={}\nHOST=localhost\n",
    "docker run -e {NAME}={} -p 80:80 app",
    '{{"{name}": "{}", "region": "eu"}}',
    '{{\n  "{name}": "{}"\n}}',
    '{{\\"{name}\\": \\"{}\\"}}',
    "service:\n  {name}: {}\n  retries: 3",
    'service:\n  {name}: "{}"\n',
    "service:\n  {name}: '{}'\n",
    '[service]\n{name} = "{}"\n',
    "[service]\n{name} = {}\nport = 1",
    "settings.{name} = '{}'",
    'const {name}: string = "{}";',
    'os.environ["{NAME}"] = "{}"',
    "process.env.{NAME} = '{}'",
    "connect(host, {name}='{}')",
    "tool --{flag} {} --verbose",
    "tool --{flag}={}",
    "https://api.example.com/v1?{name}={}&page=2",
    'name: "{NAME}"\nvalue: "{}"',
    '{{"name": "{NAME}", "value": "{}"}}',
    "<add key='{NAME}' value='{}' />",
    "<{name}>{}</{name}>",
    "     7→{NAME}={}\n     8→DEBUG=1",
    "+{NAME}={}",
    "setx {NAME} {}",
    "ENV {NAME} {}",
    "{NAME} := `{}`",
    "the {words} is {}",
    "{words}: {}",
)
NAMES = {
    "api key": ("API_KEY", "OPENAI_API_KEY", "MAPS_APIKEY", "x-api-key"),
    "token": ("TOKEN", "ACCESS_TOKEN", "AUTH_TOKEN", "GH_TOKEN", "BOT_TOKEN"),
    "secret": ("SECRET", "CLIENT_SECRET", "JWT_SECRET", "SECRET_KEY", "SECRET_KEY_BASE"),
    "aws secret": ("AWS_SECRET_ACCESS_KEY",),
    "azure storage": ("ACCOUNT_KEY", "AZURE_STORAGE_KEY", "AccountKey"),
    "datadog": ("DD_API_KEY", "DD_APP_KEY", "DATADOG_API_KEY"),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", "CF_API_KEY"),
    "password": ("PASSWORD", "DB_PASSWORD", "MYSQL_PASSWORD", "SMTP_PASS", "PGPASSWORD", "passwd"),
}
# Places that make a secret of their contents.
PASSWORD_PLACES = (
    ("postgres://app:{}@db.example.com:5432/app", "/@;,#%"),
    ("redis://:{}@cache:6379/0", "/@;,#%"),
    ("mongodb+srv://root:{}@cluster0.example.net/?retryWrites=true", "/@;,#%"),
    ("git clone https://ann:{}@git.example.com/a/b.git", "/@;,#%"),
    ("open https://ann:{}@example.com/src/py", "/@;,#%"),
    ("Server=db;Database=app;User Id=sa;Password={};Encrypt=true", ";,"),
    ("Driver={{SQL Server}};Server=db;Uid=sa;Pwd={};", ";,"),
    ("jdbc:mysql://db:3306/app?user=root&password={}&useSSL=false", "&#%;"),
    ("app:{}@tcp(127.0.0.1:3306)/app", "/@;,#%"),
    ("curl -u ann:{} https://example.com", ";,&$#"),
    ("curl --user 'ann:{}' https://example.com", "'"),
    ("wget --user=ann --password={} https://example.com/a", ";,&$#"),
    ("mysql -u root -p{} shop < dump.sql", ";,&$#"),
    ("sshpass -p '{}' ssh ann@example.com", "'"),
    ("sshpass -p {} scp a b:", ";,&$#'"),
    ("docker login -u ann -p {} registry.example.com", ";,&$#'"),
    ("redis-cli -h cache -a {} ping", ";,&$#'"),
    ("machine example.com\n  login ann\n  password {}\n", ""),
    ("machine example.com login ann password {}", ""),
    ("db.example.com:5432:app:ann:{}", ":"),
    ("openssl rsa -in k.pem -passin pass:{} -out o.pem", ";,&$#'"),
    ("echo 'ann:{}' | sudo chpasswd", "'"),
    ("PGPASSWORD={} psql -h db", ";,&$#'"),
    ('spring.datasource.password={}\nspring.datasource.url="jdbc:h2:mem"', ""),
    ("Authorization: Basic {}", None),
    ('{{"auths": {{"index.example.com": {{"auth": "{}"}}}}}}', None),
    ("//registry.example.com/:_auth={}", None),
)
TOKEN_PLACES = (
    ("Cookie: theme=dark; session={}", "<A32>", False),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", "<H40>", False),
    ("curl -b 'session={}' https://example.com", "<A32>", False),
    ("Authorization: Bearer {}", "<A40>", True),
    ("Authorization: token {}", "<H40>", True),
    ('"Authorization": "Bearer {}"', "<W64>", True),
    ("headers = {{'Authorization': 'Bearer {}'}}", "<L48>", True),
    ("-H 'authorization: ApiKey {}'", "<A40>==", True),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=core", "<B86>==", True),
    ("Endpoint=sb://b.example.net/;SharedAccessKeyName=Root;SharedAccessKey={}", "<B43>=", True),
    ("https://a.blob.example.net/c/f.txt?sv=2024-11-04&se=2027&sig={}", "<A42>%3D", True),
    ("https://s3.example.com/b/f?X-Amz-Expires=60&X-Amz-Signature={}", "<H64>", True),
    ("git remote add o https://{}@git.example.com/a/b.git", "<A40>", True),
    ("git remote add o https://oauth2:{}@git.example.com/a/b.git", "<A24>", True),
    ("//registry.example.com/:_authToken={}", "<H8>-<H4>-4<H3>-a<H3>-<H12>", True),
    ("AKIA{}", "<Z16>,<B40>", False),
    ("users:\n- name: admin\n  user:\n    client-key-data: {}", "", True),
    ("users:\n- name: admin\n  user:\n    token: {}", "<A64>", True),
    ("AWS Secret Access Key [None]: {}", "<B40>", True),
    ("wg genkey\nPrivateKey = {}", "<B43>=", True),
)
KEY_PLACES = (
    "{}",
    "$ cat ~/.ssh/id_rsa\n{}\n$ ",
    '{{"type": "service_account", "private_key": {json}, "client_id": "1"}}',
    "key: |\n{indented}\nother: 1",
    "{numbered}",
    "{added}",
    'KEY = """{}"""',
    "export SSH_KEY='{escaped}'",
)


def planted(number: int, seed: int = 0) -> Iterator[Planted]:
    """Draw so many secrets in their places, going through ways of planting and kinds in turn."""
    draw = random.Random(seed)
    ways: tuple[Callable[[random.Random, int], Planted], ...] = (
        _token,
        _assignment,
        _placed_password,
        _token,
        _assignment,
        _placed_token,
        _private_key,
    )
    for turn in range(number):
        yield ways[turn % len(ways)](draw, turn // len(ways))


def _token(draw: random.Random, turn: int) -> Planted:
    kinds = list(TOKENS)
    kind = kinds[(turn * 2 + draw.randrange(2)) % len(kinds)]
    secret = token(kind, draw)
    return _put(kind, secret, draw.choice(ANYWHERE))


def _assignment(draw: random.Random, turn: int) -> Planted:
    kind = list(NAMES)[turn % len(NAMES)]
    place = draw.choice(ASSIGNED)
    name = draw.choice(NAMES[kind])
    secret = _fitting(kind, place, draw)
    words = name.lower().replace("_", " ").replace("-", " ")
    flag = words.replace(" ", "-")
    cased = {"NAME": name, "name": name.lower() if draw.random() < 0.7 else _camel(words), "flag": flag, "words": words}
    return Planted(kind, secret, place.format(secret, **cased))


def _fitting(kind: str, place: str, draw: random.Random) -> str:
    """Draw a secret that fits a place unchanged; `&` separates the values of a URL."""
    if kind != "password":
        return named(kind, draw)
    if " is {" in place:  # letters alone go unnoticed among the words of a sentence
        return drawn("<A10>7!", draw)
    if "://" in place:
        return password(draw, without="&;,#%$!")
    return password(draw, without="" if place.count("'") > 1 or '"' in place else ";,&#$!")


def _placed_password(draw: random.Random, turn: int) -> Planted:
    place, without = PASSWORD_PLACES[turn % len(PASSWORD_PLACES)]
    if without is None:
        return _put("login", encoded(f"ann:{password(draw)}"), place)
    return _put("password", password(draw, without), place)


def _placed_token(draw: random.Random, turn: int) -> Planted:
    place, form, exact = TOKEN_PLACES[turn % len(TOKEN_PLACES)]
    secret = drawn(form, draw) if form else encoded(private_key(draw))
    return _put("placed token", secret, place)._replace(exact=exact)


def _private_key(draw: random.Random, turn: int) -> Planted:
    key = armoured_key(draw) if turn % 6 == 5 else private_key(draw)
    lines = key.split("\n")
    shapes = {
        "json": json.dumps(key),
        "indented": "\n".join(f"  {line}" for line in lines),
        "numbered": "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1)),
        "added": "\n".join(f"+{line}" for line in lines),
        "escaped": key.replace("\n", "\\n"),
    }
    return Planted("private key", lines[3], KEY_PLACES[turn % len(KEY_PLACES)].format(key, **shapes), exact=False)


def _put(kind: str, secret: str, place: str) -> Planted:
    return Planted(kind, secret, place.format(secret))


def _camel(words: str) -> str:
    first, *others = words.split()
    return first + "".join(word.capitalize() for word in others)


def left_over(one: Planted, text: str, around: str = "") -> str:
    """Return the part of a secret that remains in a text: the first piece of eight characters, or all of a shorter one.

    What stands around the secret too, or `around` it elsewhere, betrays nothing.
    """
    return next((piece for _, piece in all_left_over([one], text, around)), "")


def all_left_over(ones: Iterable[Planted], text: str, around: str = "") -> Iterator[tuple[Planted, str]]:
    """Return each secret of which something remains in a text, with the first piece; the text is searched only once."""
    text = _PLACEHOLDER.sub("", text)
    known = {text[at : at + 8] for at in range(len(text) - 7)}
    for one in ones:
        size, siblings = min(8, len(one.secret)), "".join((*one.around, around))
        pieces = (one.secret[at : at + size] for at in range(len(one.secret) - size + 1))
        found = (
            piece for piece in pieces if (piece in known if size == 8 else piece in text) and piece not in siblings
        )
        if piece := next(found, ""):
            yield one, piece


_DRAWN = re.compile(r"<([A-Z])(\d+)>")  # `<A36>` is 36 letters and digits
WORDS = (
    *("correct", "horse", "battery", "staple", "winter", "dragon"),
    *("monkey", "purple", "sunshine", "harbour", "violet", "cactus"),
)

# Tokens that are recognizable on their own, by kind.
TOKENS: dict[str, list[str]] = {}
for _kind in KINDS:
    TOKENS.setdefault(_kind.name, []).extend(head + _kind.sample for head in _kind.heads)
for _centered in CENTERED:
    TOKENS.setdefault(_centered.name, []).append(_centered.sample)
# Values that only their names make secrets.
NAMED: dict[str, tuple[str, ...]] = {
    "api key": ("<H32>", "<A40>", "<H8>-<H4>-4<H3>-a<H3>-<H12>", "<L40>", "<A24>"),
    "token": ("<H40>", "<A32>", "<L52>", "<A20>", "<W64>", "<L12>", "<L8>"),
    "secret": ("<A32>", "<B43>=", "<H64>", "<A20>", "<W24>"),
    "aws secret": ("<B40>",),
    "azure storage": ("<B86>==",),
    "datadog": ("<H32>", "<H40>"),
    "cloudflare": ("<W40>", "<H37>"),
}
# How people choose passwords: a word and digits, letters only, with signs that shells and URLs interpret.
HABITS: tuple[Callable[[random.Random], str], ...] = (
    lambda draw: draw.choice(WORDS) + str(draw.randrange(10, 99)),
    lambda draw: draw.choice(WORDS) + draw.choice(WORDS),
    lambda draw: draw.choice(WORDS).capitalize() + str(draw.randrange(1990, 2026)) + "!",
    lambda draw: f"Tr0ub{draw.randrange(10)}dor&{draw.randrange(10)}x",
    lambda draw: f"{draw.choice(WORDS)}-{draw.choice(WORDS)}-{draw.randrange(100)}",
    lambda draw: drawn("<A16>", draw),
    lambda draw: drawn("<A6>$<A5>%<A4>", draw),
    lambda draw: drawn("<A5>#<A6>", draw),
    lambda draw: drawn("<A4>;<A3>,<A5>", draw),
)
KEY_TITLES = ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY")


def drawn(form: str, draw: random.Random) -> str:
    """Fill a template such as `ghp_<A36>`."""
    return _DRAWN.sub(lambda match: _characters(match[1], int(match[2]), draw), form)


def token(kind: str, draw: random.Random) -> str:
    """Draw a service's token."""
    return drawn(draw.choice(TOKENS[kind]), draw)


def named(kind: str, draw: random.Random) -> str:
    """Draw a value that only its name makes a secret."""
    return drawn(draw.choice(NAMED[kind]), draw)


def password(draw: random.Random, without: str = "") -> str:
    """Draw a password of one of the habits, without signs that are invalid in its place."""
    return "".join(sign for sign in draw.choice(HABITS)(draw) if sign not in without)


def private_key(draw: random.Random, width: int = 64) -> str:
    """Draw a private key block."""
    title = draw.choice(KEY_TITLES)
    lines = [_characters("B", width, draw) for _ in range(draw.randrange(4, 26))]
    last = _characters("B", draw.randrange(1, width), draw) + "="
    return "\n".join([f"-----BEGIN {title}-----", *lines, last, f"-----END {title}-----"])


def armoured_key(draw: random.Random) -> str:
    """Draw a mail program's private key, with its checksum."""
    lines = "\n".join(_characters("B", 64, draw) for _ in range(12))
    title = "PGP PRIVATE KEY BLOCK"
    return f"-----BEGIN {title}-----\n\n{lines}\n={_characters('B', 4, draw)}\n-----END {title}-----"


def encoded(text: str) -> str:
    """Encode a text in base64."""
    return base64.b64encode(text.encode()).decode()


def _characters(alphabet: str, number: int, draw: random.Random) -> str:
    """Draw random characters: they include a letter and a digit if there is room."""
    letters = SIGNS[alphabet]
    found = "".join(draw.choices(letters, k=number))
    if number >= 8 and alphabet in "ABHLUW" and (found.isalpha() or found.isdigit()):
        return _characters(alphabet, number, draw)
    return found
