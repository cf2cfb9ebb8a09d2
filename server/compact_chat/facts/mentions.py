"""Whether a text mentions a fact, each class in its own way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from compact_chat.facts.words import fold, sentences, shortened

SHORT = 24  # characters: shorter words must stand alone, so that `yes` is not found in `yesterday`
LONG = 300  # characters: a longer message is held where most of its sentences are
ENOUGH = 0.7
MOST_SENTENCES = 64
LONGEST_FORM, MOST_NAMES = 500, 12  # characters and names of the short form of a path
COMMAND_HEAD, ERROR_HEAD = 160, 200  # of long ones, the beginning counts

MOST_PLACES = 1000
_IN_WORD = re.compile(r"\w")
_IN_PATH, _IN_PATH_BEHIND = re.compile(r"[\w./\\~-]"), re.compile(r"[\w/\\-]|\.\w")
_PATH = re.compile(r"[^\s\"'`(),;:<>|*?{}\[\]]{1,4096}+")


class Mentions:
    """A text made ready for looking facts up; `paths` are all of the chat, to know which short forms are clear."""

    def __init__(self, text: str, paths: Sequence[str] = ()) -> None:
        self._text = fold(text)
        self._tokens = {token.strip(".").removeprefix("./") for token in _PATH.findall(self._text) if "/" in token}
        self._forms = Counter(form for path in set(paths) for form in _short_forms(path))

    def of(self, kind: str, text: str) -> bool:
        """Whether the text holds this fact."""
        match kind:
            case "modifiedFiles" | "readFiles":
                return self._path(text)
            case "commands":
                return self._words(command_head(text))
            case "errors":
                return self._words(error_head(text))
            case "currentWork":
                return self._path(text) or self._words(command_head(text)) or self._most(text)
        return self._most(text)

    def _path(self, path: str) -> bool:
        """Whether the path is there as a whole, or its end where that belongs to no other path of the chat."""
        whole = fold(path)
        if whole in self._tokens or self._stands_alone(whole, _IN_PATH, _IN_PATH_BEHIND):
            return True
        return any(form in self._tokens for form in _short_forms(whole) if self._forms[form] == 1)

    def _words(self, text: str) -> bool:
        words = fold(text)
        return self._stands_alone(words, _IN_WORD, _IN_WORD) if len(words) < SHORT else words in self._text

    def _most(self, text: str) -> bool:
        """Whether a text is there as a whole or, if long, most of its sentences."""
        if self._words(text.strip().rstrip(".!") or text):
            return True
        if len(text) < LONG:
            return False
        parts = [part for part in sentences(text) if len(part) > 1]
        sample = parts[:: 1 + len(parts) // MOST_SENTENCES]
        return bool(sample) and sum(map(self._words, sample)) >= ENOUGH * len(sample)

    def _stands_alone(self, words: str, before: re.Pattern[str], behind: re.Pattern[str]) -> bool:
        """Whether the words are there without being part of longer ones; only so many places are looked at."""
        at = self._text.find(words)
        for _ in range(MOST_PLACES):
            if at < 0:
                return False
            end = at + len(words)
            if not (at and before.match(self._text, at - 1)) and not behind.match(self._text, end):
                return True
            at = self._text.find(words, at + 1)
        return False


def command_head(text: str) -> str:
    """The part of a command that a summary must hold: all of it, or the beginning of a long one."""
    return shortened(fold(text[: 2 * COMMAND_HEAD]), COMMAND_HEAD).removesuffix("…")


def error_head(text: str) -> str:
    """The part of an error that a summary must hold."""
    return shortened(fold(text), ERROR_HEAD).removesuffix("…")


def _short_forms(path: str) -> Iterator[str]:
    """The ends of a path that have at least two names, and not too many."""
    names = fold(path[-LONGEST_FORM:]).replace("\\", "/").split("/")[1:][-MOST_NAMES:]
    yield from ("/".join(names[start:]) for start in range(len(names) - 1))
