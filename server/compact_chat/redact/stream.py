"""Streamed text, passed on immediately without its secrets: only what may be half of one is held back."""

from __future__ import annotations

import re
from collections.abc import Callable

from compact_chat.redact.assignments import SECRETS_ABROAD
from compact_chat.redact.finders import LONGEST, TITLE
from compact_chat.redact.given import ABROAD
from compact_chat.redact.redactor import Redactor
from compact_chat.redact.values import is_strict

LONGEST_LINE = 4_000  # characters processed together, so that a text of one line costs no more than another
CONTEXT = 600  # characters of the lines before
_KEY_BLOCK, _KEY_END = "-----BEGIN", "-----END"
_BEGINNING = re.compile(r"-----BEGIN[A-Z0-9 -]{0,70}\Z")
_PROSE = re.compile(r"(?:\b[a-z]{1,15} ){3}")
# Names and signs after which a secret may follow on the same line.
_HINT = re.compile(
    r"(?:pass|pwd|psk|\bpin|secret|token|key|auth|cookie|credential|login|\bvalue)[\w-]{0,40}[\\\"'`)\]]{0,3}\s{0,9}"
    r"(?:\[\w{0,20}\]\s?)?(?:is\b|[:=])"
    r"|(?:(?:password|passwd|login|machine)|(?:-|_)(?:secret|token|key)|\b(?:ENV|setx)[ \t]+\w+)[\"'`]?[ \t]"
    rf"|(?:passwor[td]|mot de passe|{'|'.join((*ABROAD, *SECRETS_ABROAD))})"
    r"|bearer\b|basic\b|://|\s-[abpuNw]|\bpass:|:\d{4}:|\b(?:echo|printf)\b|\w:[^\s/]|<\w*(?:pass|secret|token|key)",
    re.IGNORECASE,
)
# An unfinished word; scripts without blanks between words are passed on letter by letter.
_LAST = re.compile(r"[^\s\u3040-\u9fff\uac00-\ud7af]+\Z")
_MAY_BE_NAMED, _NEAR = re.compile(r"[^\s\"'`,;()<>]{8,64}"), 48


class Stream:
    """Passes each piece to `send`, masked by `clean`."""

    def __init__(self, clean: Redactor, send: Callable[[str], None]) -> None:
        self._clean, self._send = clean, send
        self._open = ""  # the unfinished line or key block
        self._sent = ""  # what was passed on of it
        self._before = ""  # the preceding lines, whose names may make secrets of its contents

    def add(self, piece: str) -> None:
        """Add the next piece."""
        self._open += piece
        if self._in_key_block():
            return
        if (end := self._open.rfind("\n") + 1) or (end := self._too_long()):
            self._pass_on(self._open[:end])
            before = self._before + self._open[:end]
            last = before[-CONTEXT:]  # whose complete lines can show what the next line is
            self._before = last[last.find("\n") + 1 :] if len(before) > CONTEXT else last
            self._open, self._sent = self._open[end:], ""
        self._pass_on(self._open[: self._safe()])

    def end(self) -> None:
        """Pass on what is still held back."""
        self._pass_on(self._open)
        self._open = self._sent = ""

    def _in_key_block(self) -> bool:
        """Return whether the text ends in a key's title, or in what can be the key behind it, and is no prose."""
        at = self._open.rfind(_KEY_BLOCK)
        if at < 0 or len(self._open) - at > LONGEST:
            return False
        if _BEGINNING.match(self._open, at):
            return True
        if (title := TITLE.match(self._open, at)) is None:
            return False
        if (end := self._open.find(_KEY_END, title.end())) >= 0:
            return "\n" not in self._open[end:]
        return not _PROSE.search(self._open, max(title.end(), len(self._open) - CONTEXT))

    def _too_long(self) -> int:
        """Return where to split a line that is too long, with no name just before; 0 if it is not."""
        if len(self._open) <= LONGEST_LINE:
            return 0
        names = [match.start() for match in _HINT.finditer(self._open, LONGEST_LINE // 2)]
        return self._open.rfind(" ", 0, names[-1] if names else None) + 1 or len(self._open)

    def _safe(self) -> int:
        """Return the length of the unfinished line's part that holds no part of a secret."""
        if _HINT.search(self._open) or self._open.startswith("|"):  # a table's title may name what is in its rows
            return 0
        word = _LAST.search(self._open, max(0, len(self._open) - LONGEST_LINE))
        end = min(word.start() if word else len(self._open), self._clean.may_go_on(self._open))
        # What may be a password by the words behind it, as in `… is the password`.
        for word in _MAY_BE_NAMED.finditer(self._open, self._open.rfind(" ", 0, max(0, end - _NEAR)) + 1, end):
            if is_strict(word[0]):
                end = word.start()
                break
        # A secret that reaches this end may be incomplete, or be one only with what is behind it.
        end = self._before_secret(self._open, end)
        return self._before_secret(self._open[:end], end)

    def _before_secret(self, text: str, end: int) -> int:
        """Return where a secret begins that goes on to an end in the unfinished line or beyond; else that end."""
        before = len(self._before)
        spans = self._clean.find(self._before + text)
        starts = (span.start - before for span in spans if span.start - before < end <= span.end - before)
        return max(0, min(starts, default=end))

    def _pass_on(self, text: str) -> None:
        """Pass on the new part of a text; a mask that reaches into the old part is passed on whole."""
        before, whole = self._clean(self._before), self._clean(self._before + text)
        masked = whole[len(before) :] if whole.startswith(before) else self._clean(text)
        if len(masked) > len(self._sent):
            same = len(self._sent)
            if not masked.startswith(self._sent):
                same = next(place for place, sign in enumerate(self._sent) if sign != masked[place])
            self._send(masked[same:])
            self._sent = masked
