"""Passwords that commands are given, and those in the files of logins that some of them read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.looks import is_placeholder, looks_chosen
from compact_chat.redact.spans import Span, anchored

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
