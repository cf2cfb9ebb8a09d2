"""Whether words that a summary quotes as the user's were written: apart from case, marks, gaps and mended spelling.

- "bake the buns … then stop" (answer to "Shall I start?")        an item: its first quote is the user's
The user then said: "use the small oven".                         a quote that is introduced as the user's
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from compact_chat.chat import Message, Text, texts
from compact_chat.facts import earlier_summaries, requests
from compact_chat.styles.markdown import read_items

MOST_QUOTES = 400
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_DENSE = 2, 8, 6  # of a quote: shorter ones are names
_LEAST_OF_ITEM, _LEAST_KNOWN, _LEAST_WORD = 4, 0.25, 4  # words, the share of them that the chat has, letters
_NEAR = 24  # characters
_LEAST_LONG = 5  # words of a quote within a sentence
_WORD = re.compile(r"[^\W_]+")
QUOTE = re.compile(
    r"(?<![\w\"])\"(?=\S)([^\"]{3,4000}+)\"(?![\w\"])|“([^“”]{3,4000}+)”|„([^„“”]{3,4000}+)[“”]"
    r"|«([^«»]{3,4000}+)»|「([^「」]{3,4000}+)」"
)
_GAP = re.compile(r"…|\.\.\.|\[[^\]\n]{0,120}\]")
_ASIDE = re.compile(r"\([^()\n]{0,300}\)|\*\*[^*\n]{1,80}:?\*\*:?")
_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|\]\([^()\s]{1,500}\)")
_ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", '"'), ("'", ""), ("’", ""))
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
# Before the word `user`: the following is somebody else's. And within the words that introduce a quote: it is
# program text.
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
_NARRATES = re.compile(
    r"\b(?:user|asked|request\w*|want\w*|initial|message\w*|confirm\w*|feedback|approv\w*|omitted|none)\b"
    r"|\A\W*(?:\w+ed|sent|gave|told|chose|said|went|same|see|no)\b",
    re.IGNORECASE,
)
_DENSE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

# A quote with mended spelling.
_ARTICLES = frozenset({"a", "an", "the"})
_LEAST_MENDED, _MENDED_SHARE, _ALIKE = 4, 4, 0.8  # words; one in four; likeness
_MOST_ANCHORS, _MOST_PLACES = 4, 50  # words that may be where a quote is, and places of each


class _Said:
    """What the user wrote, and for quotes of anybody what the chat holds."""

    def __init__(self, messages: Sequence[Message]) -> None:
        users = [request.text for request in (*requests(messages), *earlier_summaries(messages))]
        users += [
            part.text
            for message in messages
            if message.role == "user"
            for part in message.sent
            if isinstance(part, Text)
        ]
        bare = (_MARKUP.sub(" ", text) for text in users if _MARKUP.search(text))
        self.text = _folded("\n".join((*users, *bare)))
        self._messages = messages

    @cached_property
    def everything(self) -> str:
        """The words of the whole chat."""
        return _folded("\n".join(text for message in self._messages for text in texts(message)))

    @cached_property
    def known(self) -> frozenset[str]:
        """Each word of the chat."""
        return frozenset(self.everything.split()).union(self.text.split())

    @cached_property
    def _unspaced(self) -> str:
        return self.text.replace(" ", "")  # for `anyway` and `any way`

    @cached_property
    def _words(self) -> list[str]:
        return [word for word in self.text.split() if word not in _ARTICLES]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, word in enumerate(self._words):
            places.setdefault(word, []).append(place)
        return places

    def has(self, quote: str) -> bool:
        """Return whether the user wrote each part of a quote, between its gaps."""
        return all(
            part in self.text or part.replace(" ", "") in self._unspaced or self._has_mended(part)
            for part in _parts(quote)
        )

    def has_anywhere(self, quote: str) -> bool:
        """Return whether anybody wrote each part of a quote."""
        return all(part in self.everything for part in _parts(quote)) or self.has(quote)

    def _has_mended(self, part: str) -> bool:
        """Return whether a part was written but for articles and some misspelled words."""
        wanted = [word for word in part.split() if word not in _ARTICLES]
        found = {word: self._places[word] for word in wanted if word in self._places}
        if len(wanted) < _LEAST_MENDED or not found:
            return False
        left = max(1, len(wanted) // _MENDED_SHARE)
        rarest = sorted(found, key=lambda word: len(found[word]))[: min(left + 1, _MOST_ANCHORS)]
        anchors = ((wanted.index(word), place) for word in rarest for place in found[word][:_MOST_PLACES])
        starts = {place - before for before, place in anchors if place >= before}
        return any(_is_mended(wanted, self._words[start : start + len(wanted)], left) for start in starts)


def _is_mended(wanted: Sequence[str], written: Sequence[str], left: int) -> bool:
    """Return whether all words are the same but for this many, which are alike."""
    if len(written) < len(wanted):
        return False
    for word, other in zip(wanted, written, strict=True):
        if word != other:
            left -= 1
            if left < 0 or not _is_alike(word, other):
                return False
    return True


def _is_alike(word: str, other: str) -> bool:
    """Return whether one word is the other misspelled, and not its opposite or another number."""
    if word.endswith(other) or other.endswith(word) or not (word + other).isalpha():
        return False
    return sorted(word) == sorted(other) or SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


def unknown_quotes(body: str, user_messages: str, messages: Sequence[Message]) -> list[str]:
    """Find quotes in the list of user messages, or attributed to the user elsewhere, that are not the user's."""
    said = _Said(messages)
    if not said.text:
        return []
    quotes: dict[str, None] = {}  # introduced as the user's
    for match in _ATTRIBUTED.finditer(body):
        is_to_user = _TO_USER.search(body, max(0, match.start() - _NEAR), match.start())
        if not is_to_user and not _NOT_SAID.search(match[0]) and (quote := QUOTE.match(body, match.end())):
            quotes[quote[0]] = None
    items = dict.fromkeys(read_items([(line, False) for line in user_messages.split("\n")], lambda _: False))
    wrong = [quote for quote in list(quotes)[:MOST_QUOTES] if not said.has(quote)]
    has_marks = any(map(QUOTE.search, items))
    wrong += [quote for item in list(items)[:MOST_QUOTES] for quote in _wrong_in_item(item, said, has_marks)]
    return list(dict.fromkeys(wrong))


def _wrong_in_item(item: str, said: _Said, has_marks: bool) -> Iterator[str]:
    """Yield the wrong quotes of an item; if no item has quotation marks, a whole item is one unless it narrates.

    The quote that an item begins with or introduces is the user's. Others may be names or, if they are long, what
    somebody else wrote.
    """
    bare = _ASIDE.sub(" … ", item)
    if said.has(item) or (any(_parts(bare)) and said.has(bare)):
        return
    if item.startswith(">"):
        yield item
    elif first := QUOTE.search(item):
        for quote in QUOTE.finditer(item):
            before = item[: quote.start()].rstrip(" *_(")
            if quote.start() == first.start() and (not before or before.endswith((":", "：", "-", "–", "—"))):
                known = said.has(quote[0])
            else:
                known = len(quote[0].split()) < _LEAST_LONG or said.has_anywhere(quote[0])
            if not known:
                yield quote[0]
    elif not (has_marks or _NARRATES.search(item[:80]) or item.startswith(("(", "[")) or _DENSE.search(item)):
        words = [word for word in _folded(bare).split() if len(word) >= _LEAST_WORD]
        if len(words) >= _LEAST_OF_ITEM and sum(word in said.known for word in words) < _LEAST_KNOWN * len(words):
            yield item


def _parts(quote: str) -> Iterator[str]:
    """Yield the parts of a quote between its gaps, folded; a short one is a name and left out."""
    for part in map(_folded, _GAP.split(quote)):
        if _DENSE.search(part):
            is_short = len(part) < _LEAST_DENSE
        else:
            is_short = len(part) < _LEAST_LETTERS or part.count(" ") < _LEAST_WORDS - 1
        if not is_short:
            yield part


def _folded(text: str) -> str:
    """Return the words of a text in lower case, separated by single blanks."""
    for mark, plain in _ESCAPED:
        text = text.replace(mark, plain)
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
