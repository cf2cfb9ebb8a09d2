"""The redactor: masks every secret of a text, the same one always by the same placeholder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compact_chat.redact.find import find
from compact_chat.redact.known import Known
from compact_chat.redact.spans import MARK, Span


class Redactor:
    """Masks secrets; within one redactor a secret keeps its placeholder, whatever text it stands in.

    `check` is called before each step of the work, and may raise to end it; `known` remembers what was found in a text.
    """

    def __init__(
        self,
        emails: bool = False,
        enabled: bool = True,
        check: Callable[[], None] = lambda: None,
        known: Known | None = None,
    ) -> None:
        self.tally: dict[str, int] = {}
        self._emails, self._enabled, self._check, self._known = emails, enabled, check, known
        self._placeholders: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Give the text with a placeholder such as `[REDACTED:github-token:1]` for every secret."""
        spans = self.find(text)
        return self._masked(text, spans) if spans else text

    def find(self, text: str) -> tuple[Span, ...]:
        """Tell where the secrets of a text stand; nowhere, if the redactor is off."""
        if not self._enabled:
            return ()
        if self._known is None:
            return find(text, self._emails, self._check)
        return self._known.find(text, self._emails, self._check)

    def placeholder(self, secret: str, kind: str) -> str:
        """Give what stands for a secret."""
        if secret not in self._placeholders:
            self.tally[kind] = self.tally.get(kind, 0) + 1
            self._placeholders[secret] = f"{MARK}{kind}:{self.tally[kind]}]"
        return self._placeholders[secret]

    def _masked(self, text: str, spans: Sequence[Span]) -> str:
        pieces, end = [], 0
        for span in spans:
            pieces += [text[end : span.start], self.placeholder(text[span.start : span.end], span.kind)]
            end = span.end
        return "".join([*pieces, text[end:]])
