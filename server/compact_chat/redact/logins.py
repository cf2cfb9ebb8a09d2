"""Passwords without a name of their own, which follow a user's name in a call or a pair, or are in an inserted row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice

from compact_chat.redact.spans import Span, anchored
from compact_chat.redact.values import (
    has_digit,
    has_sign,
    is_made_up,
    is_placeholder,
    is_strict,
    looks_chosen,
    looks_random,
    looks_typed,
    makes_no_word,
    may_be_words,
)

# Words of calls that take a user's name and a password, and of what is said before such a pair.
CALLS = (
    *("connect", "login", "auth", "cred", "user(", "pdo(", "mysqli(", "fernet(", "secretkeyspec(", "wifi.begin("),
    *("hmac256(", "signwith(", "sym_encrypt(", "sym_decrypt(", "aes_encrypt(", "aes_decrypt(", "cookieparser("),
    *("jwt.sign(", "jwt.encode(", "jwt.verify(", "createhmac(", "hmac.new(", ".encrypt(", "bcrypt"),
)
# Where the password is among the arguments of some; elsewhere it is the last of two.
_PLACES = {
    "connect": 2,
    "pdo(": 2,
    "mysqli(": 2,
    "jwt.sign(": 1,
    "jwt.encode(": 1,
    "jwt.verify(": 1,
    "createhmac(": 1,
    "hmac.new(": 0,
    "hmac256(": 0,
    "cookieparser(": 0,
    "fernet(": 0,
    "secretkeyspec(": 0,
    ".encrypt(": 1,
    "bcrypt": 0,
}
_CLEAR = re.compile(r"[!@#$%^&*?~+]|[A-Za-z]\d|\d[A-Za-z]")
_OF_WORDS = re.compile(
    r"pdo\(|mysqli\(|getconnection\(|jwt\.|wifi\.begin\(|auth=\(|basicauth\(", re.IGNORECASE
)  # of letters alone
PAIRS = (
    *("user/pass", "username/pass", "login", "log in", "logged in", "auth", "cred", "zugangsdaten", "identifiants"),
    *("계정", "账号", "アカウント", "аккаунт", "wifi", "wi-fi", "wlan", "ssid"),
)
_LONGEST_CALL, _SHORTEST_ALONE, _MOST_PLACES = 400, 16, 3
_ARGUMENT = re.compile(r"(?:[\w.:]{1,32}\()?[bru@$]?([\"'])((?:(?!\1)\S){6,128}|(?:[a-z]{4}\ ){3}[a-z]{4})\1")
_QUOTED = re.compile(r"\s*(?:(?:[\"'][^\"'\n]+[\"']|\$\w+),\s*)+\Z|\s*[\w.]+,\s*\Z")
_END = re.compile(r"[)\]](?=[;,.\s)])|[<>{}]|\n\n")
_NO_PASSWORD = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z|[\w.-]+\.[a-z]{2,5}\Z|[/~.#]|[\w+.-]*:|[\w.-]+(?:/[\w.-]+)+\Z"
)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+[\w.+-]*\Z|[\w-]+\.[a-z]{1,5}\Z")


def in_calls(word: str, text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the passwords in calls such as `login("ann", "…")`: not the first of several arguments."""
    done = 0
    for match in anchored(text, places, _call(word)):
        end = _END.search(text, match.end(), match.end() + _LONGEST_CALL)
        last = end.end() if end else match.end() + _LONGEST_CALL
        # Of a call within another, only the arguments that may be one by their place were not judged yet.
        most = _MOST_PLACES if match.start() < done else None
        done = max(done, last if most is None else 0)
        for argument in islice(_ARGUMENT.finditer(text, match.end(), last), most):
            value = argument[2]
            before, is_last = (
                text[match.end() : argument.start()],
                text[argument.end() : argument.end() + 1] in (")", "]"),
            )
            is_first = not before.strip()
            is_alone = is_first and is_last
            place = _PLACES.get(word, 1 if is_last else None)
            is_there = before.count(",") == place and (place == 0 or _QUOTED.match(before) is not None)
            if _NO_PASSWORD.match(value) or (match[0].endswith("[") and not (is_there and _is_of_list(value))):
                continue
            is_odd = is_made_up(value) or " " in value or (len(value) > 11 and makes_no_word(value))
            if is_there and (
                is_odd or (_OF_WORDS.search(text, match.start() - 6, match.end()) and may_be_words(value, 8))
            ):
                yield Span(*argument.span(2), "password")
            if not is_strict(value):
                continue
            if is_alone:
                is_clear = len(value) >= _SHORTEST_ALONE and looks_random(value, 0.35)
            else:  # what is connected may be no account
                is_clear = not is_first and bool(word != "connect" or _CLEAR.search(value))
            if is_clear:
                yield Span(*argument.span(2), "password")


def _is_of_list(value: str) -> bool:
    """Return whether a value is a password where a list may well be one of names or methods."""
    return is_made_up(value) and (has_sign(value) or looks_random(value, 0.35))


@cache
def _call(word: str) -> re.Pattern[str]:
    behind = "" if word.endswith("(") else r"(?:[a-z_.]{0,24}=?\(|(?:s|entials?)?[\"']?\s?[:=]\s?[\[(])"
    return re.compile(rf"{re.escape(word)}{behind}", re.IGNORECASE)


@cache
def _pair(word: str) -> re.Pattern[str]:
    return re.compile(
        rf"{word}[a-z]{{0,8}}[\"'*]{{0,3}}"
        r"(?:\s?(?:[:=]|->|→)\s{0,2}|\ (?:are|is|as|with|sind|sont)[: ]\ ?|\ )[\"'`*]{0,3}"
        r"(?P<user>[\w.@-]{1,64})(?P<sign>:|\ ?/\ ?|,?\ (?:(?:[-–—|]|with|and)\ )?)"
        r"(?P<value>[^\s\"'`,;<>(){}\[\]]{6,128})",
        re.IGNORECASE,
    )


def in_pairs(word: str, text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the passwords of pairs such as `login: ann / …` and `auth=ann:…`."""
    for match in anchored(text, places, _pair(word)):
        value = match["value"].rstrip(".:*")
        is_path = match["sign"] == "/"
        is_usual = match["user"] in ("admin", "root") and "are" in match[0] and is_made_up(value)
        if _VERSION.match(value) or "//" in match["sign"] + value or not (is_usual or is_strict(value)):
            continue
        if match["sign"] in (" ", ", ") and not looks_typed(value):
            continue
        if is_usual or not is_path or (has_sign(value) and "/" not in value) or looks_random(value, 0.35):
            yield Span(match.start("value"), match.start("value") + len(value), "password")


# A login below such a title, as in `ID/PW: ann/…`.


TITLES = ("pass", "pw", "парол", "密码", "contrase", "senha", "비밀번호", "비번")
_USER_TITLE = re.compile(
    r"(?<![A-Za-z])(?:\w{0,8}id|user(?:name)?|login|account|계정|아이디|логин|账号|usuario|usuário|benutzer|identifiant)\)?\s?[/:&|,+(]\s?\(?\Z",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"(?:p(?:ass(?:word|wd|wort)?|wd?)|пароль|密码|contraseña|senha|비밀번호|비번)\)?(?:/\w{1,8})?(?P<given>\s?(?:[:=(-]|->|→|\bis\b|\bare\b)\s{0,2}|\s)"
    r"(?P<user>[\w.@+-]{1,64})(?:\s?(?://?|[:,|(])\s?)(?P<value>[^\s\"'`,;<>()\[\]{}|/]{6,128})",
    re.IGNORECASE,
)


def titled(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the passwords of logins that follow the titles of both their parts."""
    for match in anchored(text, places, _TITLED):
        value = match["value"].rstrip(".:")
        if not _USER_TITLE.search(text, max(0, match.start() - 24), match.start()) or _VERSION.match(value):
            continue
        if (match["given"].strip() and has_digit(value) and looks_chosen(value)) or is_strict(value):
            yield Span(match.start("value"), match.start("value") + len(value), "password")


# Rows that are inserted into a table with a column of secrets.


_INSERT = re.compile(
    r"insert\s+(?:or\s+\w+\s+|ignore\s+)?into\s+[\w.\"`\[\]]{1,80}\s*\((?P<columns>[\w\s,\"`\[\]]{1,400})\)\s*values\s*(?=\()",
    re.IGNORECASE,
)
_TEXT = r"'(?>[^'\\]|\\.|''){0,400}+'"
_ROW = re.compile(rf"\s*,?\s*\((?P<cells>(?>{_TEXT}|[^()']){{1,1000}}+)\)", re.DOTALL)
_CELL = re.compile(r"\s*(?:'((?>[^'\\]|\\.|''){0,400}+)'|[^,']*)\s*(?:,|\Z)", re.DOTALL)
_MOST_ROWS = 200


def inserted(is_value: Callable[[str, str], bool], text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the secrets of rows in SQL, which the names of their columns show."""
    for match in anchored(text, places, _INSERT):
        columns = [name.strip(' \n\t"`[]') for name in match["columns"].split(",")]
        at = match.end()
        for _ in range(_MOST_ROWS):
            if not (row := _ROW.match(text, at)):
                break
            for name, cell in zip(columns, _CELL.finditer(row["cells"]), strict=False):
                if cell[1] and not is_placeholder(cell[1]) and is_value(name, cell[1]):
                    start, end = cell.span(1)
                    yield Span(row.start("cells") + start, row.start("cells") + end, "secret")
            at = row.end()
