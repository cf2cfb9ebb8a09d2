"""Where the secrets of a text stand: the same for the same text, whoever asks and whenever."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from compact_chat.cancel import checkpoint
from compact_chat.redact.assignments import assignments, is_placeholder, looks_chosen, looks_random
from compact_chat.redact.spans import Finder, Span, anchored, merged
from compact_chat.redact.tokens import tokens

# Passwords that commands are given, and those in the files of logins that some of them read.


_VALUE = r"(?:'(?P<single>[^'\n]{4,128})'|\"(?P<double>[^\"\n]{4,128})\"|(?P<bare>[^\s'\"`;|&]{4,128}))"
_FORMS = (
    ("mysql", rf"mysql(?:dump|admin)?\b[^\n|;]{{0,160}}?\s-p{_VALUE}"),
    ("mariadb", rf"mariadb(?:-dump)?\b[^\n|;]{{0,160}}?\s-p{_VALUE}"),
    ("sshpass", rf"sshpass\s{{1,4}}-p\s{{0,4}}{_VALUE}"),
    (" login ", rf" login [^\n|;]{{0,160}}?\s-p\s{{1,4}}{_VALUE}"),
    ("redis-cli", rf"redis-cli\b[^\n|;]{{0,160}}?\s-a\s{{1,4}}{_VALUE}"),
    (" pass:", rf" pass:{_VALUE}"),
    ("zip ", rf"zip [^\n|;]{{0,160}}?-P\s{{0,4}}{_VALUE}"),
    ("requirepass ", rf"requirepass {_VALUE}"),
    (
        "ConvertTo-SecureString ",
        r"ConvertTo-SecureString (?:-String )?(?:'(?P<single>[^'\n]{4,128})'|\"(?P<double>[^\"\n]{4,128})\")",
    ),
    ("login ", r"login\s{1,8}\S{1,128}\s{1,16}password\s{1,8}(?P<single>\S{3,128})"),
    (":5432:", r":5432:[\w*.-]{1,64}:[\w*.@-]{1,64}:(?P<bare>\S{3,128})"),
)
_PATTERNS = tuple((anchor, re.compile(form)) for anchor, form in _FORMS)
_LOGIN = re.compile(r"-u(?:ser)?[\s=]{1,4}(?:'[\w.@-]{1,64}:([^'\n]{4,128})'|\"?[\w.@-]{1,64}:([^\s\"'`]{4,128}+))")
_CALLER = re.compile(r"\b(?:curl|http|https|wget|xh)\b[^\n]{0,300}\Z")
_CHANGED = re.compile(
    r"(?:echo|printf)\s{1,4}[\"']?[\w.-]{1,64}:([^\s\"'|]{4,128})[\"']?\s{0,4}\|\s{0,4}(?:sudo\s)?chpasswd"
)


def commands(text: str, low: str) -> Iterator[Span]:  # noqa: ARG001 -- all finders take both forms of the text
    """The passwords of commands and of files of logins in a text."""
    for anchor, pattern in _PATTERNS:
        for match in anchored(text, anchor, pattern):
            yield from _of(match, match.lastgroup or 0)
    for match in anchored(text, "-u", _LOGIN):
        if looks_chosen(match[match.lastindex or 0]) or _CALLER.search(
            text, max(0, match.start() - 320), match.start()
        ):
            yield from _of(match, match.lastindex or 0)
    if "chpasswd" in text:
        for match in _CHANGED.finditer(text):
            yield from _of(match, 1)


def _of(match: re.Match[str], group: int | str) -> Iterator[Span]:
    if not is_placeholder(match[group]):
        yield Span(*match.span(group), "password")


# E-mail addresses, masked only where asked for.


LONGEST_NAME = 64
_DOMAIN = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_NAME_END = re.compile(r"[A-Za-z0-9._%+-]")


def email_addresses(text: str, low: str) -> Iterator[Span]:  # noqa: ARG001 - all finders take both forms of the text
    """The addresses in a text; `git@host` is the login of a repository and no address."""
    for match in anchored(text, "@", _DOMAIN):
        start = _name_start(text, match.start())
        if start < match.start() and text[start : match.start()] != "git":
            yield Span(start, match.end(), "email")


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - LONGEST_NAME) and _NAME_END.match(text, start - 1):
        start -= 1
    return start


# Secrets in the headers of requests: authorization and cookies.


_BEARER = re.compile(r"(?i:bearer)(?:\s|%20|\\t){1,4}([\w.~+/=-]{16,}+)")
_SCHEME = re.compile(
    r"(?i:authorization)[\\\"'`\]\s:=,]{1,8}(?!(?i:basic)\b)[A-Za-z][\w-]{1,20}[\s:=]{1,4}([\w.~+/=-]{12,}+)"
)
_BASIC = re.compile(r"(?i:basic)\s{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/])")
_AUTH = re.compile(r"(?i:auth)\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/=])")
_COOKIE = re.compile(r"(?i:cookie)\\?[\"']?\s{0,4}[:=]?\s{0,4}\\?[\"']?([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)")
_JAR = re.compile(r"-b\s{1,4}[\"']([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)")
_JUDGED = 4096  # characters of a line of cookies
_LONG_VALUE = re.compile(r"=([^;\s]{8,})")


def headers(text: str, low: str) -> Iterator[Span]:
    """The secrets of the headers in a text."""
    for word, pattern in (("bearer", _BEARER), ("authorization", _SCHEME)):
        for match in anchored(text, word, pattern, low):
            if looks_random(match[1]):
                yield Span(*match.span(1), "bearer-token")
    yield from _logins_headers(text, low)
    yield from _cookies(text, low)


def _logins_headers(text: str, low: str) -> Iterator[Span]:
    """Names and passwords that are only written in base64."""
    for word, pattern in (("basic", _BASIC), ("auth", _AUTH)):
        for match in anchored(text, word, pattern, low):
            if _is_login(match[1]):
                yield Span(*match.span(1), "basic-auth")


def _cookies(text: str, low: str) -> Iterator[Span]:
    for word, pattern in (("cookie", _COOKIE), ("-b", _JAR)):
        for match in anchored(text, word, pattern, low):
            if any(looks_random(value) for value in _LONG_VALUE.findall(match[1][:_JUDGED])):
                yield Span(*match.span(1), "cookie")


def _is_login(encoded: str) -> bool:
    """Whether base64 says `name:password`, in signs that can be typed."""
    try:
        plain = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= sign < 127 for sign in plain[:64])


# Private key blocks, over several lines or with escaped line ends, numbered, quoted, whole or cut off.


KIND = "private-key"
LONGEST = 20_000
_HEAD, _FOOT = "-----BEGIN ", "-----END "
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
TITLE = re.compile(rf"-----BEGIN {_NAME}-----")
# Between two lines: line ends, also escaped, what quotes or marks a line, and its number where a tool numbers lines.
_BREAK = r"(?:[\s\"'+,>|]|\\[nr]|\d{1,6}[→│:\t])"
_FIELD = r"[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n"  # such as `Proc-Type: 4,ENCRYPTED`
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?>{_BREAK}|{_FIELD})*+{_LINE}(?>(?>{_BREAK})*+{_LINE})*+")
_TAIL = re.compile(rf"(?:(?>{_BREAK})*+[A-Za-z0-9+/=]{{1,15}}){{0,2}}(?>{_BREAK})*+-----END {_NAME}-----")
_CLOSING = re.compile(rf"-----END {_NAME}-----")
_REST = re.compile(
    rf"(?>[A-Za-z0-9+/]{{40,}}={{0,2}}{_BREAK}{{1,12}})++(?:[A-Za-z0-9+/=]{{1,80}}{_BREAK}{{1,12}}){{0,2}}\Z"
)
_PUTTY = "Private-Lines: "
_PUTTY_BODY = re.compile(rf"Private-Lines: \d+(?>(?>{_BREAK})*+{_LINE})++")


def private_keys(text: str) -> Iterator[Span]:
    """The private keys of a text with their titles; a title without a key is no secret."""
    at, done = text.find(_HEAD), 0
    while at >= 0:
        end = _end(text, at)
        if end:
            yield from _cut_off(text, done, at)
            yield Span(at, end, KIND)
            done = end
        at = text.find(_HEAD, end or at + len(_HEAD))
    yield from _cut_off(text, done, len(text))
    yield from _putty(text)


def _end(text: str, at: int) -> int:
    """Where the key block that begins here ends; 0 where there is none. A body ends before any other title."""
    title = TITLE.match(text, at)
    body = _BODY.match(text, title.end(), title.end() + LONGEST) if title else None
    if body is None:
        return 0
    tail = _TAIL.match(text, body.end())
    return tail.end() if tail else body.end()


def _cut_off(text: str, start: int, end: int) -> Iterator[Span]:
    """The rest of a key whose title was cut off, before its closing line."""
    at = text.find(_FOOT, start, end)
    while at >= 0:
        closing = _CLOSING.match(text, at)
        rest = _REST.search(text, max(start, at - LONGEST), at) if closing else None
        if closing and rest:
            yield Span(rest.start(), closing.end(), KIND)
        start = at + len(_FOOT)
        at = text.find(_FOOT, start, end)


def _putty(text: str) -> Iterator[Span]:
    at = text.find(_PUTTY)
    while at >= 0:
        body = _PUTTY_BODY.match(text, at, at + LONGEST)
        if body:
            yield Span(*body.span(), KIND)
        at = text.find(_PUTTY, body.end() if body else at + len(_PUTTY))


# Passwords and signatures in addresses and in the connection strings of databases.


_PASSWORD = re.compile(
    r"://[^\s/:@'\"<>`\\]{0,256}+:([^\s@'\"<>`\\]{1,256}+(?:@[^\s/@'\"<>`\\]{1,64}){0,2})@(?=[\w.\[-])"
)
_TOKEN = re.compile(r"://([\w-]{20,256})@(?=[\w.\[-])")
_PORT = re.compile(r"\d{1,5}/|/")
_DRIVER = re.compile(r"[\w.-]{1,64}:([^\s\"'`@]{1,128})\Z")
_SIGNATURE = re.compile(r"(?i:sig(?:nature)?=)([\w%+/=-]{24,}+)")
_LONGEST = 200


def urls(text: str, low: str) -> Iterator[Span]:
    """The secrets of the addresses in a text."""
    if "@" in text:
        yield from _logins_urls(text)
        yield from _drivers(text)
    for match in anchored(text, "sig", _SIGNATURE, low):
        if match.start() and text[match.start() - 1] in "?&;-_" and looks_random(match[1]):
            yield Span(*match.span(1), "signature")


def _logins_urls(text: str) -> Iterator[Span]:
    """Passwords and tokens before the host of an address."""
    for match in anchored(text, "://", _PASSWORD):
        if not is_placeholder(match[1]) and not _PORT.match(match[1]):
            yield Span(*match.span(1), "url-password")
    for match in anchored(text, "://", _TOKEN):
        if looks_random(match[1]):
            yield Span(*match.span(1), "url-password")


def _drivers(text: str) -> Iterator[Span]:
    """Passwords of `name:password@tcp(host)`."""
    for place in ("@tcp(", "@unix("):
        at = text.find(place)
        while at >= 0:
            sign = text.rfind("@", max(0, at - _LONGEST), at) + 1  # no login holds this sign
            login = _DRIVER.search(text, max(sign, at - _LONGEST, 0), at)
            if login and not is_placeholder(login[1]):
                yield Span(*login.span(1), "url-password")
            at = text.find(place, at + len(place))


# Where the secrets of a text stand: the same for the same text, whoever asks and whenever.


SLICE = 65_536
SHORTEST = 8  # characters that a text needs to hold a secret and what tells it
FINDERS: tuple[Finder, ...] = (tokens, headers, urls, commands, assignments)  # the more telling kind first


def find(text: str, emails: bool = False) -> tuple[Span, ...]:
    """Find the secrets of a text, in order and apart."""
    if len(text) < SHORTEST:
        return ()
    if text.isascii() and text.isidentifier():  # one word, as ids and names are: nothing is given to a name in it
        checkpoint()
        return tuple(merged(tokens(text, text)))
    finders = (*FINDERS, email_addresses) if emails else FINDERS
    spans = list(private_keys(text))
    text = _without(text, spans)
    for start, end in _slices(text):
        piece = text[start:end]
        low = piece.replace("İ", "i").lower()  # the one character that gets longer in lower case
        for finder in finders:
            checkpoint()
            spans += (Span(span.start + start, span.end + start, span.kind) for span in finder(piece, low))
    return tuple(merged(spans))


def _without(text: str, spans: list[Span]) -> str:
    """The text with blanks in the place of keys, so that nothing more is found there and each stands apart."""
    pieces, at = [], 0
    for span in merged(spans):
        pieces += [text[at : span.start], " " * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]]) if pieces else text


def _slices(text: str) -> Iterator[tuple[int, int]]:
    """Cut the text behind lines, so that no step holds the interpreter for long."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + SLICE) + 1 or len(text)
        yield start, end
        start = end
