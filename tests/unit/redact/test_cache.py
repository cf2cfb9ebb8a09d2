"""What was found before is found again from memory, in bounded room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compact_chat.errors import checkpoints
from compact_chat.redact import Redactor, SpanCache, spans
from compact_chat.redact import redactor as room
from compact_chat.redact.finders import find_all
from compact_chat.redact.spans import Span

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"


def test_a_text_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same text is searched once for all redactors that share a memory, and once more where e-mails count."""
    searched = list[tuple[str, bool]]()

    def counted(texts: Sequence[str], emails: bool) -> list[tuple[Span, ...]]:
        searched.extend((text, emails) for text in texts)
        return find_all(texts, emails)

    monkeypatch.setattr(room, "find_all", counted)
    cache, text = SpanCache(), f"a@b.co {TOKEN}"

    masked = [Redactor(emails=emails, cache=cache)(text) for emails in (False, False, True, True)]

    assert searched == [(text, False), (text, True)]
    assert masked[0] == masked[1] == "a@b.co [REDACTED:github-token:1]"
    assert masked[2] == masked[3] == "[REDACTED:email:1] [REDACTED:github-token:1]"


def test_the_oldest_are_forgotten() -> None:
    """A memory holds no more texts than it may."""
    cache = SpanCache(texts=3)
    for number in range(10):
        cache.find(f"{TOKEN} {number}", emails=False)

    assert len(cache._spans) == 3


def test_a_memory_changes_nothing() -> None:
    """Masked from memory, lone surrogates and all, a text is what it is without one."""
    text = f"\ud800 {TOKEN} \x00 password=hunter22!"
    cache = SpanCache()

    assert {Redactor(cache=cache)(text), Redactor(cache=cache)(text)} == {Redactor()(text)}


def test_a_cancelled_search_is_not_remembered() -> None:
    """What ends in the middle leaves no half of an answer."""
    cache = SpanCache()

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError), checkpoints(stop):
        Redactor(cache=cache)(f"key {TOKEN}")

    assert Redactor(cache=cache)(f"key {TOKEN}") == "key [REDACTED:github-token:1]"


def test_texts_of_any_length_are_searched_together() -> None:
    """Each keeps its own spans, however the long and the short ones are put into blocks."""
    texts = [f"{number} {'word ' * 30_000 * (number % 2)}{TOKEN}{number}" for number in range(7)]

    assert [(span.start, span.end) for found in find_all(texts) for span in found] == [
        (text.index(TOKEN), len(text)) for text in texts
    ]


def test_words_with_a_literal_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of words hides no literal, also after too many words were remembered."""
    monkeypatch.setattr(spans, "_MOST_WORDS", 3)
    literals, secret, key = spans.Literals(map(spans.Literal, ("secret", "key", "пароль"))), b"my_secret_key", b"keys"
    words = [{b"apple", secret}, {b"apple", key, b"pear"}, {b"plum", secret, "пароль".encode()}, {b"fig", key, secret}]

    for asked in words * 2:
        found = literals.within(asked)

        assert set(found) == asked - {b"apple", b"pear", b"plum", b"fig"}
        assert len(found.get(secret, "..")) == 2


def test_a_zero_byte_in_a_text_parts_nothing() -> None:
    """Texts that are searched together may hold the byte that is put between them."""
    texts = [f"a\0{TOKEN}", "\0", f"{TOKEN}\0b"]

    assert find_all(texts) == [find_all([text])[0] for text in texts]
    assert [len(found) for found in find_all(texts)] == [1, 0, 1]


def test_words_are_forgotten_whether_they_have_literals_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat with more and more words that hold a literal fills no memory."""
    monkeypatch.setattr(spans, "_MOST_WORDS", 10)
    literals = spans.Literals([spans.Literal("token")])
    for number in range(100):
        literals.within({b"token%c%c" % (97 + number // 26, 97 + number % 26)})

    assert len(literals._holders) <= 11
