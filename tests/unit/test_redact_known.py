"""What was found before is found again from memory, in bounded room."""

from __future__ import annotations

import time

import pytest

from compact_chat.redact import Known, Redactor
from compact_chat.redact import redactor as room
from compact_chat.redact.finders import find
from compact_chat.redact.spans import Span

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"


def test_a_text_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same text is searched once for all redactors that share a memory, and once more where e-mails count."""
    searched = list[tuple[str, bool]]()

    def counted(text: str, emails: bool, _check: object) -> tuple[Span, ...]:
        searched.append((text, emails))
        return find(text, emails)

    monkeypatch.setattr(room, "find", counted)
    known, text = Known(), f"a@b.co {TOKEN}"

    masked = [Redactor(emails=emails, known=known)(text) for emails in (False, False, True, True)]

    assert searched == [(text, False), (text, True)]
    assert masked[0] == masked[1] == "a@b.co [REDACTED:github-token:1]"
    assert masked[2] == masked[3] == "[REDACTED:email:1] [REDACTED:github-token:1]"


def test_the_oldest_are_forgotten() -> None:
    """A memory holds no more texts than it may."""
    known = Known(texts=3)
    for number in range(10):
        known.find(f"{TOKEN} {number}", emails=False, check=lambda: None)

    assert len(known._spans) == 3


def test_a_memory_changes_nothing() -> None:
    """Masked from memory, lone surrogates and all, a text is what it is without one."""
    text = f"\ud800 {TOKEN} \x00 password=hunter22!"
    known = Known()

    assert {Redactor(known=known)(text), Redactor(known=known)(text)} == {Redactor()(text)}


def test_a_remembered_chat_is_masked_at_once() -> None:
    """Four megabytes in two thousand texts, seen before, take a few hundredths of a second."""
    texts = [f"{number} " + "the tokens of the user are counted\n" * 57 for number in range(2_000)]
    known = Known()
    for text in texts:
        Redactor(known=known)(text)

    begin = time.process_time()
    clean = Redactor(known=known)
    for text in texts:
        clean(text)

    assert time.process_time() - begin < 0.2


def test_a_cancelled_search_is_not_remembered() -> None:
    """What ends in the middle leaves no half of an answer."""
    known = Known()

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        Redactor(check=stop, known=known)(f"key {TOKEN}")

    assert Redactor(known=known)(f"key {TOKEN}") == "key [REDACTED:github-token:1]"
