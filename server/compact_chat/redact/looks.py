"""Whether a value looks like a secret, or like a name, a type, a reference or a placeholder."""

from __future__ import annotations

import re

from compact_chat.redact.spans import MARK

JUDGED = 64  # characters of a value are enough to judge it
_DIGIT, _LETTER = re.compile(r"[0-9]"), re.compile(r"[A-Za-z]")
_RUN = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_STAND_INS = (
    "a abc access actual admin an any api apikey auth bar baz bearer bytes change client default demo dummy empty enter"
    " example fake false foo goes here hidden insert invalid key masked me missing mock my new nil none null number old"
    " optional our own pass passphrase passwd password pwd real redacted replace required root sample secret some str"
    " string test testing the this todo token true undefined unknown user value with wrong xxx your"
)
_STAND_IN = "|".join(sorted(_STAND_INS.split(), key=len, reverse=True))
_PLACEHOLDER = re.compile(rf"(?:(?:{_STAND_IN})[\W_]*+\d{{0,4}}[\W_]*+)++\Z", re.IGNORECASE)
_REFERENCE = re.compile(r"^\$|\$[{(]|%\(|\{\{|\{[A-Za-z_.]*\}|<[^>]*>|\.\.\.|…|\*\*\*|xxxx|XXXX|••|://")


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for a secret, refers to one, or was masked already."""
    head = value[:JUDGED]
    return MARK in value or len(set(head)) < 3 or bool(_PLACEHOLDER.match(head) or _REFERENCE.search(head))


def looks_random(value: str) -> bool:
    """Whether a value looks made by a machine: letters and digits in turns, many different ones."""
    head = value[:JUDGED]
    if not _DIGIT.search(head) or is_placeholder(value):
        return False
    return len(_RUN.findall(head)) * 10 >= len(head) * 3 and len(set(head)) >= min(8, len(head) // 2)


def looks_chosen(value: str) -> bool:
    """Whether a value looks like a password that a person chose: letters with digits or signs between them."""
    head = value[:JUDGED]
    if is_placeholder(value) or not _LETTER.search(head):
        return False
    return bool(_DIGIT.search(head)) or not head.replace("_", "").replace("-", "").replace(".", "").isalnum()
