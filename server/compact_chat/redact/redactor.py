"""The redactor: masks every secret of a text, the same one always by the same placeholder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from compact_chat.redact.assignments import assignments
from compact_chat.redact.emails import emails
from compact_chat.redact.headers import headers
from compact_chat.redact.private_keys import private_keys
from compact_chat.redact.spans import MARK, Finder, Span, merged
from compact_chat.redact.tokens import tokens

SLICE = 65_536
FINDERS: tuple[Finder, ...] = (tokens, headers, assignments)  # the more telling kind first


class Redactor:
    """Masks secrets; within one redactor a secret keeps its placeholder, whatever text it stands in.

    `check` is called before each step of the work, and may raise to end it.
    """

    def __init__(self, emails: bool = False, enabled: bool = True, check: Callable[[], None] = lambda: None) -> None:
        self.tally: dict[str, int] = {}
        self._emails, self._enabled, self._check = emails, enabled, check
        self._placeholders: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Give the text with a placeholder such as `[REDACTED:github-token:1]` for every secret."""
        if not self._enabled:
            return text
        whole = self._masked(text, private_keys(text))
        return "".join(self._masked(piece, self._found(piece)) for piece in _slices(whole))

    def _found(self, text: str) -> list[Span]:
        low = text.replace("İ", "i").lower()  # the one character that gets longer in lower case
        finders = (*FINDERS, emails) if self._emails else FINDERS
        spans: list[Span] = []
        for finder in finders:
            self._check()
            spans += finder(text, low)
        return spans

    def _masked(self, text: str, spans: Iterable[Span]) -> str:
        pieces, end = [], 0
        for span in merged(spans):
            pieces += [text[end : span.start], self._placeholder(text[span.start : span.end], span.kind)]
            end = span.end
        return "".join([*pieces, text[end:]]) if pieces else text

    def _placeholder(self, secret: str, kind: str) -> str:
        if secret not in self._placeholders:
            self.tally[kind] = self.tally.get(kind, 0) + 1
            self._placeholders[secret] = f"{MARK}{kind}:{self.tally[kind]}]"
        return self._placeholders[secret]


def _slices(text: str) -> Iterator[str]:
    """The text in pieces that end with a line, so that no step holds the interpreter for long."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + SLICE) + 1 or len(text)
        yield text[start:end]
        start = end
