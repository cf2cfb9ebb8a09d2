"""Lines that a summary quotes as the user's, and whether the user wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.chat import Message, Text
from compact_chat.facts.requests import earlier_summaries, requests
from compact_chat.reply.items import read_items

MOST_QUOTES = 400
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_DENSE = 2, 8, 6  # of a quote: shorter ones are names of things
_LEAST_OF_ITEM, _LEAST_KNOWN, _LEAST_WORD = 4, 0.4, 4  # words, the share of them that the user used, letters
_NEAR = 24  # characters
_LEAST_LONG = 5  # words of a quote in the middle of a sentence
_WORD = re.compile(r"[^\W_]+")
_QUOTE = re.compile(
    r"\"([^\"]{3,4000}+)\"|“([^“”]{3,4000}+)”|„([^„“”]{3,4000}+)[“”]|«([^«»]{3,4000}+)»|「([^「」]{3,4000}+)」"
)
_GAP = re.compile(r"…|\.\.\.|\[[^\]\n]{0,120}\]")
_OPEN = r"(?=[\"“„«「])"
_USER = r"\b[Uu]ser(?:['’]s)?\b"
_SAYS = (
    "said|says|asked|asks|wrote|writes|stated|replied|answered|insisted|told|requested|demanded|complained|clarified"
)
_OTHER_USERS = "Nutzer|Benutzer|Anwender|[Uu]tilisateur|[Uu]suari[oa]|[Uu]tente|[Пп]ользовател|用户|ユーザー"
_ATTRIBUTED = re.compile(
    rf"{_USER}(?:[ \t]++[\w'’()-]{{1,30}}+){{0,4}}[ \t]*+[*_]{{0,3}}:[*_]{{0,3}}[ \t]*+{_OPEN}"
    rf"|{_USER}(?:[ \t]++\w{{1,20}}+){{0,2}}[ \t]++(?:{_SAYS})"
    rf"(?:[ \t]++(?:that|then|explicitly|verbatim|to|us|me)){{0,2}}[,:]?[ \t]++{_OPEN}"
    rf"|(?:{_OTHER_USERS})[^.\n\"“„«「:：]{{0,40}}[:：][ \t]*+{_OPEN}"
)
# Before the word `user`: what stands behind it is another's. And within the words that introduce a quote: it is a text
# of the program's.
_TO_USER = re.compile(
    r"\b(?:told|asked|asking|informed|reminded|warned|answered|to|for|with)\s+(?:the\s+)?\Z"
    r"|\b(?:dem|zum|al)\s+\Z|(?:à\s+l|\ball)['’]\Z|[告诉对向给]\s*\Z",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:tables?|shown|displayed|sees|ui|facing|interface|agent|model|label|field|column|class|errors?|warnings?|roles?)\b"
    r"|ользовател(?:ю|ям)\b|ユーザーに",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:user|asked|request\w*|want\w*|initial|message\w*|confirm\w*|feedback|approv\w*|omitted|none)\b",
    re.IGNORECASE,
)
_DENSE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def unknown_quotes(summary: str, user_messages: str, messages: Sequence[Message]) -> tuple[str, ...]:
    """The quotes in the section of the user's messages, and those ascribed to the user elsewhere, that nobody wrote."""
    said = _folded("\n".join(_texts_of_user(messages)))
    if not said:
        return ()
    known = frozenset(said.split())
    quotes = list(dict.fromkeys(_attributed(summary)))[:MOST_QUOTES]
    items = list(dict.fromkeys(read_items([(line, False) for line in user_messages.split("\n")], lambda _: False)))
    wrong = [quote for quote in quotes if not _was_said(quote, said)]
    for item in items[:MOST_QUOTES]:
        wrong.extend(_wrong_in_item(item, said, known))
    return tuple(dict.fromkeys(wrong))


def without_quotes(text: str) -> str:
    """The text without what stands in quotation marks."""
    return _QUOTE.sub(" ", text)


def _attributed(summary: str) -> Iterator[str]:
    for match in _ATTRIBUTED.finditer(summary):
        if _NOT_SAID.search(match[0]) or _TO_USER.search(summary, max(0, match.start() - _NEAR), match.start()):
            continue
        if quote := _QUOTE.match(summary, match.end()):
            yield quote[0]


def _wrong_in_item(item: str, said: str, known: frozenset[str]) -> Iterator[str]:
    """The quotes of an item; one without quotation marks is a quote unless it tells, or is in words of the user."""
    if _was_said(item, said):
        return
    quotes = [item] if item.startswith(">") else list(_quotes_in(item))
    if quotes or _QUOTE.search(item):
        yield from (quote for quote in quotes if not _was_said(quote, said))
    elif not _TOLD.search(item[:80]) and not item.startswith(("(", "[")) and not _DENSE.search(item):
        words = [word for word in _folded(item).split() if len(word) >= _LEAST_WORD]
        if len(words) >= _LEAST_OF_ITEM and sum(word in known for word in words) < _LEAST_KNOWN * len(words):
            yield item


def _quotes_in(item: str) -> Iterator[str]:
    """The quotes that an item begins with or introduces, and long ones; others may be the name of anything."""
    for quote in _QUOTE.finditer(item):
        before = item[: quote.start()].rstrip(" *_(")
        if not before or before.endswith((":", "：", "-", "–", "—")) or len(quote[0].split()) >= _LEAST_LONG:
            yield quote[0]


def _was_said(quote: str, said: str) -> bool:
    """Whether each part of a quote, between its gaps, was written; a short one is the name of something."""
    return all(_is_short(part) or part in said for part in map(_folded, _GAP.split(quote)))


def _is_short(part: str) -> bool:
    if _DENSE.search(part):
        return len(part) < _LEAST_DENSE
    return len(part) < _LEAST_LETTERS or part.count(" ") < _LEAST_WORDS - 1


def _texts_of_user(messages: Sequence[Message]) -> Iterator[str]:
    yield from (request.text for request in requests(messages))
    yield from (summary.text for summary in earlier_summaries(messages))
    for message in messages:
        if message.role == "user":
            yield from (part.text for part in message.parts if isinstance(part, Text))


def _folded(text: str) -> str:
    """The words of a text, in small letters, with single blanks between them."""
    return " ".join(_WORD.findall(text.casefold()))
