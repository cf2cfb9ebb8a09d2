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
COMMAND_HEAD, ERROR_HEAD = 160, 200  # of long ones, the beginning counts

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
        if whole in self._tokens or self._stands_alone(whole, r"[\w./\\~-]", r"[\w/\\-]|\.\w"):
            return True
        return any(form in self._tokens for form in _short_forms(whole) if self._forms[form] == 1)

    def _words(self, text: str) -> bool:
        words = fold(text)
        return self._stands_alone(words, r"\w", r"\w") if len(words) < SHORT else words in self._text

    def _most(self, text: str) -> bool:
        """Whether a text is there as a whole or, if long, most of its sentences."""
        if self._words(text.strip().rstrip(".!")):
            return True
        if len(text) < LONG:
            return False
        parts = [part for part in sentences(text) if len(part) > 1]
        sample = parts[:: 1 + len(parts) // MOST_SENTENCES]
        return bool(sample) and sum(map(self._words, sample)) >= ENOUGH * len(sample)

    def _stands_alone(self, words: str, before: str, behind: str) -> bool:
        if words not in self._text:
            return False
        return bool(re.search(rf"(?<!{before}){re.escape(words)}(?!{behind})", self._text))


def command_head(text: str) -> str:
    """The part of a command that a summary must hold: all of it, or the beginning of a long one."""
    return shortened(fold(text[: 2 * COMMAND_HEAD]), COMMAND_HEAD).removesuffix("…")


def error_head(text: str) -> str:
    """The part of an error that a summary must hold."""
    return shortened(fold(text), ERROR_HEAD).removesuffix("…")


def _short_forms(path: str) -> Iterator[str]:
    """The ends of a path that have at least two names."""
    names = fold(path).replace("\\", "/").split("/")
    yield from ("/".join(names[start:]) for start in range(1, len(names) - 1))
