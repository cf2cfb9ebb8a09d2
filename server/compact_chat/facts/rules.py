"""Lasting rules that the person set in their own words: never, always, must, keep, avoid, prefer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from compact_chat.facts.requests import Request
from compact_chat.facts.rule_words import QUESTION, RULE, TURNS
from compact_chat.facts.words import sentences
from compact_chat.read.fences import fenced_lines

SHORTEST, LONGEST = 4, 400  # characters of a sentence that can be a rule
MOST_OF_ONE_MESSAGE = 20
JUDGED = 4000  # sentences whose judgement is remembered: a chat is looked at again and again

_QUOTED_LINE = re.compile(r"^(?:[ \t]*+[>$❯|]|\t| {4}(?![-*+\d ]))")
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")
_RULES_FOLLOW = re.compile(r"\b(?:rules?|constraints?|requirements?)\b[^.:!?\n]{0,80}:[ \t]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"\d")


class Rule(Struct, frozen=True):
    """A sentence that sets a rule, and whether a later one of almost the same words took its place."""

    text: str
    message: str
    superseded: bool = False


def rules(said: Sequence[Request], check: Callable[[], None] = lambda: None) -> tuple[Rule, ...]:
    """The rules in the order in which they were set; one that is said again counts from its last time.

    `check` is called before each sentence, and may raise to end the work.
    """
    last: dict[str, Rule] = {}
    for request in said:
        for text in _rules_in(request.text, check):
            last.pop(text.lower(), None)
            last[text.lower()] = Rule(text, request.message)
    return _marked(list(last.values()))


def is_rule(sentence: str) -> bool:
    """Whether a sentence sets a lasting rule: no question, no story of what happened."""
    return SHORTEST <= len(sentence) <= LONGEST and _sets_rule(sentence)


@lru_cache(JUDGED)
def _sets_rule(sentence: str) -> bool:
    return bool(RULE.search(sentence)) and not QUESTION.search(sentence)


def _rules_in(text: str, check: Callable[[], None]) -> list[str]:
    found: list[str] = []
    listed = False  # under a line such as "Three rules for this work:"
    for line in _own_lines(text):
        is_item = _ITEM.match(line) is not None
        for one in sentences(line):
            check()
            if is_rule(one) or (listed and is_item and len(one) <= LONGEST):
                found.append(one)
        listed = _announces_rules(line) or (listed and (is_item or not line.strip()))
    return found[:MOST_OF_ONE_MESSAGE]


def _announces_rules(line: str) -> bool:
    return line.rstrip(" \t").endswith(":") and _RULES_FOLLOW.search(line) is not None


def _own_lines(text: str) -> Iterator[str]:
    """The lines of a message that are neither code nor quoted."""
    lines = text.split("\n")
    for line, fenced in zip(lines, fenced_lines(lines), strict=True):
        if not fenced and not _QUOTED_LINE.match(line):
            yield line


def _marked(found: list[Rule]) -> tuple[Rule, ...]:
    """The rules, a value of which a later one changed marked as superseded."""
    newest: dict[frozenset[str], int] = {}
    for place, rule in enumerate(found):
        topic = _topic(rule.text)
        if len(topic) >= 2 and topic in newest:
            before = newest[topic]
            found[before] = Rule(found[before].text, found[before].message, superseded=True)
        newest[topic] = place
    return tuple(found)


def _topic(text: str) -> frozenset[str]:
    """The words of a rule without its values and without what turns it round."""
    words = _WORD.findall(text.lower())
    return frozenset(word for word in words if word not in TURNS and not _VALUE.search(word))
