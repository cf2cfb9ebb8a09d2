"""The language of prose, told only where there is no doubt: by its script, else by words that are frequent in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from compact_chat.reply.code import between, closed_code

_FREQUENT = {
    "English": "the and is are was that this with for not have from be by which were been should but",
    "German": "der die das und ist nicht ein eine mit für auf dem den von zu wird auch ich sie wir bitte dass noch",
    "French": "le la les des est une pas pour dans que qui avec sur vous nous je ce cette sont mais plus du et il",
    "Spanish": "el los las una que para con por del está son pero como más lo se su esto y en la hay",
    "Portuguese": "os uma não para com por do da em são mas como mais isso você que no ao e um está",
    "Italian": "il di che è un una per non con del della sono ma come più questo gli anche nel",
    "Dutch": "het een van niet met voor op zijn maar ook wordt deze naar ik je en de dat",
    "Polish": "nie jest że do się na jak ale dla czy oraz jako przez tak",
    "Swedish": "och att det är inte som på för med av jag ett har kan den",
}
_SHARED = {
    word for word, number in Counter(w for words in _FREQUENT.values() for w in words.split()).items() if number > 1
}
_WORDS = {name: frozenset(words.split()) - _SHARED for name, words in _FREQUENT.items()}
_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(f"[{letters}]")
    for name, letters in {
        "Cyrillic": "\u0400-\u052f",
        "Greek": "\u0370-\u03ff",
        "Hebrew": "\u0590-\u05ff",
        "Arabic": "\u0600-\u06ff",
        "Devanagari": "\u0900-\u097f",
        "Thai": "\u0e00-\u0e7f",
        "Hangul": "\uac00-\ud7af",
        "Kana": "\u3041-\u30ff",
        "Han": "\u4e00-\u9fff",
    }.items()
}
_WORD = re.compile(r"(?<![\w./\\@:-])[^\W\d_]{1,30}+(?![\w/\\@-]|\.\w)")
_LETTER = re.compile(r"[^\W\d_]")
_DENSE = frozenset({"Hangul", "Kana", "Han"})  # a letter of these says as much as two of others
_LEAST_LETTERS, _LEAST_SHARE, _LEAST_OF_WORDS, _CLEARER, _OF_KANA = 10, 0.5, 0.12, 3, 0.1


def language_of(text: str, least: int) -> str | None:
    """The language of a text without code, or its script; None where fewer than `least` words tell, or two fit."""
    prose = _without_code(text)
    return _by_script(prose) or _by_words(prose, least)


def _without_code(text: str) -> str:
    """The text without closed code."""
    return " ".join(between(text, closed_code(text)))


def _by_script(prose: str) -> str | None:
    found = {name: len(letters.findall(prose)) for name, letters in _SCRIPTS.items()}
    weights = {name: number * (2 if name in _DENSE else 1) for name, number in found.items()}
    weights["Japanese"] = weights["Kana"] + weights["Han"] if found["Kana"] > _OF_KANA * found["Han"] else 0
    latin = len(_LETTER.findall(prose)) - sum(found.values())
    name = max(weights, key=lambda one: weights[one])
    enough = weights[name] >= _LEAST_LETTERS and weights[name] >= _LEAST_SHARE * (latin + sum(found.values()))
    return name if enough else None


def _by_words(prose: str, least: int) -> str | None:
    words = Counter(word.lower() for word in _WORD.findall(prose))
    hits = {name: sum(words[word] for word in own) for name, own in _WORDS.items()}
    (name, most), (_, next_most) = sorted(hits.items(), key=lambda pair: -pair[1])[:2]
    clear = most >= least and most >= _CLEARER * next_most and most >= _LEAST_OF_WORDS * words.total()
    return name if clear else None
