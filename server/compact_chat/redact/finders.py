"""Find the secrets in a text: by format, by location, and by the names that they are assigned to."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from compact_chat.cancel import checkpoint
from compact_chat.redact.assignments import assignments, phrases
from compact_chat.redact.columns import manifests
from compact_chat.redact.spans import Finder, Span, anchored, compiled, merged
from compact_chat.redact.tokens import tokens
from compact_chat.redact.unescaped import Unescaped, without_inner_quotes
from compact_chat.redact.values import is_placeholder, looks_chosen, looks_random

# Secrets revealed by their location: request headers, URLs, commands, and the login files that these read.


_LONG_VALUE = re.compile(r"=([^;\s]{8,})")
_LONGEST_COOKIES = 4096  # characters examined in a line of cookies
_CALLER = re.compile(r"\b(?:curl|http|https|wget|xh)\b(?:[^\n]|(?<=\\)\n){0,300}\Z")


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match[match.lastindex or 0])


def _is_chosen(match: re.Match[str]) -> bool:
    return looks_chosen(match[match.lastindex or 0]) and _is_given(match)


def _is_random(match: re.Match[str]) -> bool:
    return looks_random(match[1])


def _is_basic(match: re.Match[str]) -> bool:
    """Return whether base64 decodes to a typable `name:password`."""
    try:
        plain = base64.b64decode(match[1], validate=True)
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= sign < 127 for sign in plain[:64])


def _is_login(match: re.Match[str]) -> bool:
    """Return whether `-u name:password` is for a program that sends requests, or the password looks like one."""
    value, start = match[match.lastindex or 0], match.start()
    is_option = looks_chosen(value) or _CALLER.search(match.string, max(0, start - 320), start)
    return bool(is_option) and _is_given(match)


# Programs that take a password as `-p`: those that take it right behind that, and others.
_ATTACHED = re.compile(r"\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?|7za?|(?:un)?rar)\b[^\n|;]{0,160}\Z")
_SPACED = re.compile(r"(?:\b(?:sshpass|login|(?:un)?zip|mongo\w*|sqlcmd)|(?i:psexec(?:\.exe)?))\b[^\n|;]{0,160}\Z")


def _is_option(match: re.Match[str]) -> bool:
    """Return whether `-p` gives a password to the program before it."""
    program = _SPACED if match[1] else _ATTACHED
    start = max(0, match.start() - 200)
    taken = program.search(match.string, start, match.start())
    return bool(taken) and _is_given(match)


_QUOTED = r"(?:'([^'\n]{4,128})'|\"([^\"\n]{4,128})\")"
_VALUE = r"(?:'([^'\n]{4,128})'|\"([^\"\n]{4,128})\"|([^\s'\"`;|&]{4,128}))"


# Commands that read a secret from their input.
_STORES = (
    r"(?:sudo\s-S|(?:sudo\s)?(?:passwd\s--stdin|gh\ssecret|vercel\senv|wrangler\ssecret|docker\s(?:secret|login)|gcloud\ssecrets|pass\sinsert"
    r"|kubectl|fly(?:ctl)?\ssecrets|heroku|op\s|aws\s|npx\s(?:wrangler|vercel)|podman\s(?:secret|login)|helm\sregistry))"
)


class Place(NamedTuple):
    """Locations of one kind of secret: the judge of a match's last group, and patterns by their lower-case prefix."""

    kind: str
    judge: Callable[[re.Match[str]], bool]
    forms: dict[str, str]
    needed: str = ""  # what else the text has to contain


PLACES = (
    Place(
        "bearer-token",
        _is_random,
        {
            "bearer": r"(?i:bearer)(?:\s|%20){1,4}([\w.~+/=-]{16,}+)",
            "authorization": r"(?i:authorization)[\"'`\]\s:=,]{1,8}(?!(?i:basic)\b)"
            r"(?:[A-Za-z][\w-]{1,20}[\s:=]{1,4})?"
            r"([\w.~+/=-]{12,}+)",
        },
    ),
    Place(
        "basic-auth",
        _is_basic,
        {
            "basic": r"(?i:basic)\s{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/])",
            "auth": r"(?i:auth)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/=])",
        },
    ),
    Place(
        "cookie",
        lambda match: any(map(looks_random, _LONG_VALUE.findall(match[1][:_LONGEST_COOKIES]))),
        {
            "cookie": r"(?i:cookie)[\"']?\s{0,4}[:=]?\s{0,4}[\"']?([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)",
            "-b": r"-b\s{1,4}[\"']([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)",
        },
    ),
    Place(
        "url-password",
        _is_given,
        {
            "://": r"://[^\s/:@'\"<>`\\]{0,256}+:(?!\d{0,5}/)"
            r"([^\s@'\"<>`\\]{1,256}+(?:@[^\s/@'\"<>`\\]{1,64}){0,2})@(?=[\w.\[-])",
        },
        "@",
    ),
    Place("url-password", _is_random, {"://": r"://([\w-]{20,256})@(?=[\w.\[-])"}, "@"),
    Place("signature", _is_random, {"sig": r"(?<=[?&;\-_])(?i:sig(?:nature)?=)([\w%+/=-]{24,}+)"}),
    Place("password", _is_option, {" -p": rf" -[pP](\s{{0,4}}){_VALUE}"}),
    Place(
        "password",
        _is_given,
        {
            "redis-cli": rf"redis-cli\b[^\n|;]{{0,160}}?\s-a\s{{1,4}}{_VALUE}",
            " pass:": rf" pass:{_VALUE}",
            "requirepass ": rf"requirepass {_VALUE}",
            "identified ": rf"(?i:identified\s(?:with\s[\w'\"]{{1,40}}\s)?by\s(?:password\s)?){_QUOTED}",
            "networkcredential(": rf'(?i:networkcredential)\(\s{{0,4}}"[^"\n]{{1,64}}"\s{{0,4}},\s{{0,4}}{_QUOTED}',
            "directoryentry(": r'(?i:directoryentry)\((?:\s{0,24}"[^"\n]{1,128}"\s{0,4},){2}\s{0,24}"([^"\n]{4,128})"',
            "convertto-securestring ": rf"ConvertTo-SecureString (?:-String )?{_QUOTED}",
            "login ": r"login\s{1,8}(?!and\b|or\b)\S{1,128}\s{1,16}password\s{1,8}(\S{3,128})",
            ":5432:": r":5432:[\w*.-]{1,64}:[\w*.@-]{1,64}:(\S{3,128})",
        },
    ),
    Place(
        "password",
        _is_login,
        {"-u": r"-u(?:ser)?[\s=]{1,4}(?:'[\w.@-]{1,64}:([^'\n]{4,128})'|\"?[\w.@-]{1,64}:([^\s\"'`]{4,128}+))"},
        ":",
    ),
    Place(
        "secret",
        _is_chosen,
        {
            command: rf"{command}\s{{1,4}}(?:-\w\s)?[\"']?([^\s\"'|]{{8,128}})[\"']?\s{{0,4}}\|\s{{0,4}}{_STORES}"
            for command in ("echo", "printf")
        },
        "|",
    ),
    Place(
        "password",
        _is_given,
        {
            command: rf"{command}\s{{1,4}}[\"']?[\w.-]{{1,64}}:([^\s\"'|]{{4,128}})[\"']?\s{{0,4}}\|"
            r"\s{0,4}(?:sudo\s)?chpasswd"
            for command in ("echo", "printf")
        },
        "chpasswd",
    ),
)
_DRIVER = re.compile(r"[\w.-]{1,64}:([^\s\"'`@]{1,128})\Z")
_LONGEST_LOGIN = 200


def placed(text: str, low: str) -> Iterator[Span]:
    """Yield the secrets in such locations."""
    for protocol in ("@tcp(", "@unix("):  # `name:password@tcp(host)`
        at = text.find(protocol)
        while at >= 0:
            login = _DRIVER.search(text, max(0, at - _LONGEST_LOGIN), at)
            if login and _is_given(login):
                yield Span(*login.span(1), "url-password")
            at = text.find(protocol, at + len(protocol))
    for place in PLACES:
        for anchor, form in place.forms.items() if place.needed in low else ():
            for match in anchored(text, anchor, compiled(form), low) if anchor in low else ():
                if place.judge(match):
                    yield Span(*match.span(match.lastindex or 0), place.kind)


# E-mail addresses, masked only on request.


LONGEST_NAME = 64
_DOMAIN = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_MAILBOX = re.compile(r"[A-Za-z0-9._%+-]+\Z")


def email_addresses(text: str, _low: str) -> Iterator[Span]:
    """Yield the addresses in a text; `git@host` is a repository login, not an address."""
    for match in anchored(text, "@", _DOMAIN):
        name = _MAILBOX.search(text, max(0, match.start() - LONGEST_NAME), match.start())
        if name and name[0] != "git":
            yield Span(name.start(), match.end(), "email")


# Private key blocks, over several lines or with escaped line ends, numbered, quoted, whole or truncated.


KIND = "private-key"
LONGEST = 20_000
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
TITLE = re.compile(rf"-----BEGIN {_NAME}-----")
# Between two lines: line ends, also escaped, quote marks of a line, and its number if a tool numbers lines.
_BREAK = r"(?:[\s\"'+,>|]|\\[nr]|\d{1,6}[→│:\t])"
_FIELD = r"[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n"  # such as `Proc-Type: 4,ENCRYPTED`
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?>{_BREAK}|{_FIELD})*+{_LINE}(?>(?>{_BREAK})*+{_LINE})*+")
_TAIL = re.compile(rf"(?:(?>{_BREAK})*+[A-Za-z0-9+/=]{{1,15}}){{0,2}}(?>{_BREAK})*+-----END {_NAME}-----")
_CLOSING = re.compile(rf"-----END {_NAME}-----")
_REST = re.compile(
    rf"(?>[A-Za-z0-9+/]{{40,}}={{0,2}}{_BREAK}{{1,12}})++(?:[A-Za-z0-9+/=]{{1,80}}{_BREAK}{{1,12}}){{0,2}}\Z"
)
_PUTTY_BODY = re.compile(rf"Private-Lines: \d+(?>(?>{_BREAK})*+{_LINE})++")


def private_keys(text: str) -> Iterator[Span]:
    """Yield the private keys in a text with their titles; a title without a key is no secret."""
    edges = (*anchored(text, "-----BEGIN ", TITLE), *anchored(text, "-----END ", _CLOSING))
    done = 0
    for edge in sorted(edges, key=re.Match.start):
        if edge.re is TITLE:
            if body := _BODY.match(text, edge.end(), edge.end() + LONGEST):
                done = (_TAIL.match(text, body.end()) or body).end()
                yield Span(edge.start(), done, KIND)
            continue
        # The rest of a key whose title was cut off.
        if rest := _REST.search(text, max(done, edge.start() - LONGEST), edge.start()):
            yield Span(rest.start(), edge.end(), KIND)
        done = max(done, edge.end())
    for match in anchored(text, "Private-Lines: ", _PUTTY_BODY):
        yield Span(*match.span(), KIND)


# All finders together.


SLICE = 65_536
SHORTEST = 8  # characters that a secret and its context need at least
FINDERS: tuple[Finder, ...] = (tokens, placed, assignments, phrases, manifests)  # the more specific kind first


def find(text: str, emails: bool = False) -> tuple[Span, ...]:
    """Find the secrets in a text, ordered and disjoint."""
    if len(text) < SHORTEST:
        return ()
    if text.isascii() and text.isidentifier():  # a single word, such as an id or a name: it assigns nothing
        checkpoint()
        return tuple(merged(tokens(text, text)))
    finders = (*FINDERS, email_addresses) if emails else FINDERS
    spans = list(private_keys(text))
    pieces, start = [], 0
    for key in merged(spans):  # blanked: nothing else is found there, and nothing is joined across
        pieces += [text[start : key.start], " " * (key.end - key.start)]
        start = key.end
    plain = Unescaped(without_inner_quotes("".join([*pieces, text[start:]])))
    start = 0
    while start < len(plain.text):  # cut at line ends, so that no step holds the interpreter for long
        end = plain.text.find("\n", start + SLICE) + 1 or len(plain.text)
        piece = plain.text[start:end]
        low = piece.replace("İ", "i").lower()  # the one character that is longer in lower case
        for finder in finders:
            checkpoint()
            spans += (plain.span(Span(span.start + start, span.end + start, span.kind)) for span in finder(piece, low))
        start = end
    return tuple(merged(spans))
