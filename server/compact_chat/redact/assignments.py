"""Values given to names such as `password`, `client_secret` or `API_KEY`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from compact_chat.redact.grammar import GIVEN, Given
from compact_chat.redact.looks import is_placeholder, looks_chosen, looks_random, oddness
from compact_chat.redact.spans import Span, anchored

_NAME_LIKE = re.compile(r"[A-Za-z_]+\d{0,3}(?>[.:/-]{0,2}[A-Za-z_]+\d{0,3})*+\Z")
_STAGE = r"(?:_(?:prod(?:uction)?|dev|test|staging|live|main|old|new|\d{1,2}))?"
_KEY_OF = re.compile(
    r"(?:api|access|secret|private|account|auth|signing|encryption|master|app|application|license|service|shared"
    r"|subscription|deploy|storage|client|admin|integration|security|preshared)[_\-. ]{0,2}\Z"
)
_ID_OF = re.compile(r"(?:public|publishable|cache|foreign|primary|sort|partition|idempotency|tracking)[_\-. ]?\Z")
_PHRASE_OF = re.compile(r"(?:pass|seed[ _]|recovery[ _])phrase\Z|mnemonic\Z", re.IGNORECASE)
_IN_FOURS = re.compile(r"(?i:password)[\"'`]?\s{0,4}[:=]\s{0,4}[\"'`]?(?P<fours>(?:[a-z]{4} ){3}[a-z]{4})(?![a-z ])")
_PHRASE = re.compile(
    r"(?P<word>(?i:phrase|mnemonic))\\?[\"'`]?\s{0,4}[:=]\s{0,4}\\?[\"'`]?(?P<phrase>(?:[a-z]{3,9} ){3,23}[a-z]{3,9})"
)
_HUMP = re.compile(r"[A-Z][a-z]*|\A[a-z]+")
_SHORTEST_RANDOM = 12
_MOST_NESTED = 8
# What a password is called in other languages.
ABROAD = ("kennwort", "contraseña", "contrasena", "senha", "пароль", "密码", "パスワード", "비밀번호")


class Name(NamedTuple):
    """A kind of name: what its values are called, the word that it is found by, its form, and the judge of values."""

    kind: str
    word: str
    form: str
    judge: Callable[[Given], bool]


def assignments(text: str, low: str) -> Iterator[Span]:
    """The secrets that a text gives to such names."""
    for name, pattern in _PATTERNS:
        end = 0
        for given in _few_nested(anchored(text, name.word, pattern, low)):
            if given.match.start() >= end and _is_secret(given, name):
                span = Span(given.start_of_value(), given.end(), _kind(name, given))
                end = span.end
                yield span
    yield from _phrases(text, low)


def _few_nested(matches: Iterable[re.Match[str]]) -> Iterator[Given]:
    """The values that are worth a look: of those that stand within another the first few, as in `token:key:…`."""
    end = nested = 0
    for match in matches:
        nested = nested + 1 if match.start() < end else 0
        if nested <= _MOST_NESTED:
            end = match.end()
            yield Given(match)


def _phrases(text: str, low: str) -> Iterator[Span]:
    """Secrets with blanks in them: passwords in fours, passphrases, and the words that open a purse."""
    for match in anchored(text, "password", _IN_FOURS, low):
        if all(oddness(four) for four in match["fours"].split()):
            yield Span(*match.span("fours"), "password")
    for word in ("phrase", "mnemonic"):
        for match in anchored(text, word, _PHRASE, low):
            if _PHRASE_OF.search(text, max(0, match.start() - 9), match.end("word")):
                yield Span(*match.span("phrase"), "passphrase")


def _is_secret(given: Given, name: Name) -> bool:
    if not given.is_possible() or is_placeholder(given.value):
        return False
    if given.is_quoted and not given.is_whole and not looks_random(given.value, 0.35):
        return False
    if not given.is_quoted and _begins_oddly(given.value):
        return False
    return name.judge(given)


def _begins_oddly(value: str) -> bool:
    """Whether a bare value begins as paths, flags and lists do, and is no long secret that only happens to."""
    longest = 32 if value[0] in "/~." else 20
    return value[0] in "/~.@*=-" and (len(value) < longest or not looks_random(value, 0.4))


def _is_password(given: Given) -> bool:
    """Judge what a person may have chosen: with digits or signs, or, where it can be no name, letters alone."""
    value = given.full
    if len(value) < 6 or not _is_of_password(given):
        return False
    if given.is_said:
        return _is_mixed(value)
    if given.is_quoted or not _is_name_like(value.rstrip(",;)")):
        return looks_chosen(value) or (_is_words(value) and not (given.is_quoted and value[0].isupper()))
    return given.is_literal(spoken=looks_chosen(value)) and (looks_chosen(value) or _is_words(value))


def _is_mixed(value: str) -> bool:
    """Whether a value is no word of a sentence: there are digits among its letters, or capitals within."""
    return (looks_chosen(value) and any(map(str.isdigit, value))) or (not value[1:].islower() and _is_words(value))


def _is_of_password(given: Given) -> bool:
    """Whether `pass` is short for password: not in `bypass`, nor alone before what a test passed."""
    name = given.name.lower()
    if not name.endswith("pass"):
        return True
    if name == "pass":
        return (
            given.is_quoted
            or given.is_said
            or given.sign == "="
            or (given.name == "pass" and not set(given.value) & set("/_."))
        )
    return not name[-5].isalpha() or given.name.endswith(("Pass", "PASS"))


def _is_words(value: str) -> bool:
    """Whether letters alone may be a password: long enough, and of one case, or in humps too short for words."""
    if not value.isalpha() or len(value) < 8:
        return False
    return (
        value[1:].islower() or value.isupper() or oddness(value) >= 0.3 or len(value) < 2.5 * len(_HUMP.findall(value))
    )


def _is_login(given: Given) -> bool:
    """Judge `pwd`, which is a password here and the folder one is in there."""
    return "/" not in given.value and _is_password(given)


def _is_short(given: Given) -> bool:
    """Judge `pw`, which ends other words."""
    before = given.text[given.match.start() - 1 : given.match.start()] if given.match.start() else ""
    return not before.isalnum() and _is_login(given)


def _is_token(given: Given) -> bool:
    """Judge what a machine made; the shorter it is, the surer its place must tell that it is no name."""
    value = given.value
    if len(value) < 6 or value.isdigit():
        return False
    if not given.is_quoted and _is_name_like(value) and not given.is_literal():
        return len(value) >= _SHORTEST_RANDOM and looks_random(value, 0.4)
    if given.sign == "=" and given.name.isupper() and len(value) >= 8 and _is_mixed(value) and given.is_literal():
        return True
    if len(value) >= _SHORTEST_RANDOM:
        return looks_random(value)
    return (given.is_quoted or given.is_literal()) and any(map(str.isdigit, value)) and looks_random(value, 0.28)


def _is_key(given: Given) -> bool:
    """Judge keys: those of doors by their names, others only where they are long."""
    before = given.text[max(0, given.match.start() - 16) : given.match.start()].lower()
    if _KEY_OF.search(before):
        return len(given.value) >= 8 and _is_token(given)
    return before.endswith("_") and len(given.value) >= 20 and not _ID_OF.search(before) and _is_token(given)


def _is_credential(given: Given) -> bool:
    return len(given.value) >= 16 and _is_token(given)


def _is_name_like(value: str) -> bool:
    """Whether a value without quotes may well be a variable, an attribute or a type."""
    return bool(_NAME_LIKE.match(value)) and not (len(value) >= 10 and looks_random(value, 0.4))


def _kind(name: Name, given: Given) -> str:
    """Name what was found: keys by what they open."""
    called = given.text[max(0, given.match.start() - 4) : given.match.end("sign")].lower()
    if name.word == "secret" and "access" in called:
        return "aws-secret-key"
    return (
        "api-key"
        if (name.word == "key" and called.startswith(("api", "pi_", "pi-", "pi "))) or called[1:4] == "api"
        else name.kind
    )


NAMES = (
    Name("password", "pass", r"pass(?:word|wd|phrase|code|wort|wrd|e)?(?:_?\d)?", _is_password),
    *(Name("password", word, word, _is_password) for word in ABROAD),
    Name("password", "pwd", r"pwd", _is_login),
    Name("password", "pw", r"pw", _is_short),
    Name("secret", "secret", r"secret(?:[_\- ]?access)?(?:[_\- ]?key)?(?:[_\- ]?base)?(?:_id)?", _is_token),
    Name("token", "token", r"token(?:_?(?:secret|key))?", _is_token),
    Name("key", "key", r"key", _is_key),
    Name("credential", "credential", r"credentials?", _is_credential),
)
_PATTERNS = tuple(
    (name, re.compile(rf"(?xi:{name.form.replace(' ', chr(92) + ' ')}{_STAGE}{GIVEN})")) for name in NAMES
)
