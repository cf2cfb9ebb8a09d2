"""Values given to names such as `password`, `client_secret` or `API_KEY`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from compact_chat.redact.looks import is_placeholder, looks_chosen, looks_random
from compact_chat.redact.spans import Span, anchored

_GIVEN = r"""
    (?:\\?["'`]\]?)?                                        # the quote that closes the name
    (?:\s{0,4}:\s{0,4}[A-Za-z][\w.|\ ?]{0,30}(?=\s{0,4}=))? # a type
    (?P<sign>\s{0,8}(?:=>|:=|==?=?|!==?|:)\s{0,8}|[ \t])
    (?:(?P<quote>\\{0,3}["'`])(?P<quoted>[^"'`\s\\]{6,128})|(?P<bare>[^\s"'`,;&|<>(){}\[\]\\]{6,128}+)(?![(\[{]))
"""
_REST = re.compile(r"[^\s\"'`,;&|<>(){}\[\]\\]*+")
_REST_OF_WORD = re.compile(r"[^\s\"'`]*+")  # what an environment file takes as one value
_FLAG = re.compile(r"--[\w-]{0,40}\Z")
_NAME_LIKE = re.compile(r"[A-Za-z_]+\d{0,3}(?:[.:/-]{0,2}[A-Za-z_]+\d{0,3})*+\Z")
_DIGITS = re.compile(r"[0-9]+")
_YAML_HEAD = re.compile(r"^[ \t]*+(?:- )?[\w.-]*+\Z", re.MULTILINE)


class Name(NamedTuple):
    """A kind of name: what its values are called, the words that end it, what may follow them, and the judge."""

    kind: str
    words: tuple[str, ...]
    judge: Callable[[str], bool]
    least: int
    more: str = ""


def _long_random(value: str) -> bool:
    return len(value) >= 20 and looks_random(value)


def _chosen_no_folder(value: str) -> bool:
    """Judge `pwd`, which is a password here and the folder one is in there."""
    return "/" not in value and looks_chosen(value)


NAMES = (
    Name("aws-secret-key", ("secret",), looks_random, 40, r"_?access_?key(?:_?id)?"),
    Name("password", ("password", "passwd", "passphrase"), looks_chosen, 6),
    Name("password", ("pwd",), _chosen_no_folder, 6),
    Name("secret", ("secret",), looks_random, 12, r"(?:[_-]?key(?:[_-]?base)?)?"),
    Name("token", ("token",), looks_random, 16),
    Name("api-key", ("apikey", "api_key", "api-key"), looks_random, 16),
    Name("key", ("access_key", "accesskey", "access-key", "auth_key", "authkey"), looks_random, 16),
    Name("key", ("private_key", "privatekey", "account_key", "accountkey", "signing_key"), looks_random, 16),
    Name("key", ("encryption_key", "master_key"), looks_random, 16),
    Name("key", ("_key",), _long_random, 20),
)
_PATTERNS = tuple((name, re.compile(rf"(?xi:(?:{'|'.join(name.words)}){name.more}{_GIVEN})")) for name in NAMES)


def assignments(text: str, low: str) -> Iterator[Span]:
    """The secrets that a text gives to such names."""
    for name, pattern in _PATTERNS:
        for word in name.words:
            yield from _assigned(name, anchored(text, word, pattern, low))


def _assigned(name: Name, matches: Iterator[re.Match[str]]) -> Iterator[Span]:
    end = 0
    for match in matches:
        if match.start() >= end and _is_secret(match, name):
            span = _span(match, name.kind)
            end = span.end
            yield span


def _is_secret(match: re.Match[str], name: Name) -> bool:
    value = match["quoted"] or match["bare"]
    if len(value) < name.least or (match["sign"].isspace() and not _is_flag(match)):
        return False
    if match["bare"] and (value[0] in "/~.@*#=-" or (_is_name_like(value) and not _is_literal(match))):
        return False
    return not is_placeholder(value) and name.judge(value)


def _is_name_like(value: str) -> bool:
    """Whether a value without quotes may well be a variable, an attribute or a type."""
    return bool(_NAME_LIKE.match(value)) and len(_DIGITS.findall(value)) < 3 and not looks_random(value)


def _is_literal(match: re.Match[str]) -> bool:
    """Whether a value without quotes is itself, as in `PASSWORD=…` or a line of YAML, and not a name of the program."""
    text, line_end = match.string, match.end() == len(match.string) or match.string[match.end()] in "\r\n"
    if match["sign"] == "=":
        return match[0].split("=", 1)[0].isupper() or _is_flag(match)
    return (
        match["sign"] == ": " and line_end and bool(_YAML_HEAD.search(text, max(0, match.start() - 80), match.start()))
    )


def _is_flag(match: re.Match[str]) -> bool:
    """Whether the name is that of a command's flag, whose value follows a blank."""
    return bool(_FLAG.search(match.string, max(0, match.start() - 48), match.start()))


def _span(match: re.Match[str], kind: str) -> Span:
    group = "quoted" if match["quoted"] else "bare"
    in_a_shell = match["sign"] == "=" and match[0].split("=", 1)[0].isupper()
    rest = (_REST_OF_WORD if in_a_shell else _REST).match(match.string, match.end(group))
    return Span(match.start(group), rest.end() if rest else match.end(group), kind)
