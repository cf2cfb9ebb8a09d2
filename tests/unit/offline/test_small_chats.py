"""Small chats of facts and corrections, at a fifth, a third and half of their length."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message, Text
from compact_chat.measure import Counter
from compact_chat.offline import OfflineRequest, write_summary
from tests.samples.chats import NO_MASKS
from tests.samples.small_chats import SMALL_CHATS, SmallChat

count = Counter().count


def written(chat: SmallChat, percent: int) -> str:
    """Write a hand-over of so many percent of a chat's tokens, on one line."""
    messages = [
        Message(f"m{place}", "assistant" if place % 2 else "user", (Text(text),))
        for place, text in enumerate(chat.texts)
    ]
    budget = sum(map(count, chat.texts)) * percent // 100
    summary = write_summary(OfflineRequest(NO_MASKS.messages(messages), "handoff", "all", budget, count))
    assert summary
    assert count(summary.text) <= budget
    return " ".join(summary.text.replace(">", "").split())


@pytest.mark.parametrize(("percent", "least"), [(20, 40), (30, 60), (50, 80)])
def test_a_short_text_keeps_what_tells_most(percent: int, least: int) -> None:
    """H6 and H10: the share of the facts is larger than that of the words, and corrected values are left out."""
    texts = [written(chat, percent) for chat in SMALL_CHATS]
    both = list(zip(SMALL_CHATS, texts, strict=True))
    kept = [any(one in text for one in fact.split("|")) for chat, text in both for fact in chat.facts]

    assert 100 * sum(kept) >= least * len(kept)
    assert [value for chat, text in both for value in chat.superseded if value in text] == []
