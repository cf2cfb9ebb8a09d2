"""The places where secrets stand in chats: files, commands, headers, addresses, output of programs and plain words."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.strategies import secrets

_PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]+:\d+\]")


class Planted(NamedTuple):
    """One secret with what stands around it; `exact` tells that nothing but the secret itself should go."""

    kind: str
    secret: str
    text: str
    exact: bool = True

    @property
    def around(self) -> tuple[str, str]:
        """What stands before and behind the secret, and must stay."""
        before, _, behind = self.text.partition(self.secret)
        return before, behind


# A token betrays itself, so that nothing need be near it.
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
# NAME is the name of what is hidden here, in capitals or not.
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
# Places that make a secret of what stands in them.
PASSWORD_PLACES = (
    ("postgres://app:{}@db.example.com:5432/app", "/@;,#%"),
    ("redis://:{}@cache:6379/0", "/@;,#%"),
    ("mongodb+srv://root:{}@cluster0.example.net/?retryWrites=true", "/@;,#%"),
    ("git clone https://ann:{}@git.example.com/a/b.git", "/@;,#%"),
    ("open https://ann:{}@example.com/src/secrets.py", "/@;,#%"),
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
    """Draw so many secrets in their places, each way of planting in turn and each kind in turn."""
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
    kinds = list(secrets.TOKENS)
    kind = kinds[(turn * 2 + draw.randrange(2)) % len(kinds)]
    secret = secrets.token(kind, draw)
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
    """Draw a secret that can stand in a place as it is; `&` parts the values of an address."""
    if kind != "password":
        return secrets.named(kind, draw)
    if " is {" in place:  # a sentence hides letters alone among its words
        return secrets.drawn("<A10>7!", draw)
    if "://" in place:
        return secrets.password(draw, without="&;,#%$!")
    return secrets.password(draw, without="" if place.count("'") > 1 or '"' in place else ";,&#$!")


def _placed_password(draw: random.Random, turn: int) -> Planted:
    place, without = PASSWORD_PLACES[turn % len(PASSWORD_PLACES)]
    if without is None:
        return _put("login", secrets.encoded(f"ann:{secrets.password(draw)}"), place)
    return _put("password", secrets.password(draw, without), place)


def _placed_token(draw: random.Random, turn: int) -> Planted:
    place, form, exact = TOKEN_PLACES[turn % len(TOKEN_PLACES)]
    secret = secrets.drawn(form, draw) if form else secrets.encoded(secrets.private_key(draw))
    return _put("placed token", secret, place)._replace(exact=exact)


def _private_key(draw: random.Random, turn: int) -> Planted:
    key = secrets.armoured_key(draw) if turn % 6 == 5 else secrets.private_key(draw)
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
    """What of a secret stands in a text: the first piece of eight characters, or all of a shorter one; else empty.

    What stands around the secret too, or `around` it elsewhere, betrays nothing.
    """
    return next((piece for _, piece in all_left_over([one], text, around)), "")


def all_left_over(ones: Iterable[Planted], text: str, around: str = "") -> Iterator[tuple[Planted, str]]:
    """Give each secret of which something stands in a text, with the first piece; the text is searched only once."""
    text = _PLACEHOLDER.sub("", text)
    known = {text[at : at + 8] for at in range(len(text) - 7)}
    for one in ones:
        size, beside = min(8, len(one.secret)), "".join((*one.around, around))
        pieces = (one.secret[at : at + size] for at in range(len(one.secret) - size + 1))
        found = (piece for piece in pieces if (piece in known if size == 8 else piece in text) and piece not in beside)
        if piece := next(found, ""):
            yield one, piece
