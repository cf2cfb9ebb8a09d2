"""Values that the user corrected."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message
from compact_chat.facts import find_facts
from tests.samples.chats import a, u
from tests.samples.small_chats import SMALL_CHATS, SmallChat


def marked(*texts: str) -> list[str]:
    """The texts of a chat, the user's first, as they hold at its end."""
    messages = [
        Message(f"m{place}", "assistant" if place % 2 else "user", (a if place % 2 else u)(text).parts)
        for place, text in enumerate(texts)
    ]
    facts = find_facts(messages)
    return [facts.current(text, f"m{place}") for place, text in enumerate(texts)]


@pytest.mark.parametrize("chat", SMALL_CHATS, ids=lambda chat: chat.name)
def test_no_corrected_value_is_told(chat: SmallChat) -> None:
    """H6: in none of the small chats."""
    texts = "\n".join(marked(*chat.texts))

    assert [value for value in chat.superseded if value in texts] == []


@pytest.mark.parametrize(
    ("before", "correction", "after"),
    [
        ("The port is 8080.", "Sorry, the port is 9090 now.", "The port is [superseded]."),
        ("Use port 8080 for it.", "8080 is taken? Then change the port to 9090.", "Use port [superseded] for it."),
        ("It deploys on May 3.", "The deploy moved: it deploys on May 10.", "It deploys on [superseded]."),
        ("Let's use Yjs.", "We drop Yjs.", "Let's use [superseded]."),
        ("Shall we use Yjs?", "We drop Yjs.", "Shall we use Yjs?"),
        ("Wait 30 seconds. Use 3 retries.", "Make it 20 minutes.", "Wait 30 seconds. Use 3 retries."),
        ("Do step 3 first.", "Now do step 4.", "Do step 3 first."),
        ("Tests: tray 1 has 4 buns, tray 2 has 6 buns.", "Now tray 3 has 7 buns.", None),
        ("The file is `a.py`.", "Is the file now `b.py`?", "The file is `a.py`."),
        ("See https://it.example/issues/7 please.", "Now see https://it.example/issues/8 too.", None),
        ("The limit is 4.", "What is the limit now?", "The limit is 4."),
        ("Never delete the slow query log.", "The page should be fast, not slow.", None),
        ("Fix all errors in the build.", "Run it again, so no errors.", None),
        ("Write the prose for the about page.", "I want a list, not prose.", None),
        ("Never push to the main branch.", "The branch is wrong.", None),
        ("Write tests for all of it.", "Replace tests with benchmarks there.", None),
        ("A 5.00 code on a 1.80 loaf is too much.", "Sorry, a code now has 10 characters.", None),
        ("Use 4 spaces here.", "Use 4 spaces here, not tabs.", "Use 4 spaces here."),
    ],
)
def test_a_value_is_superseded(before: str, correction: str, after: str | None) -> None:
    """H6: by a later sentence that says so, about the same thing; what is only another thing stays."""
    assert marked(before, "Fine.", correction) == [after or before, "Fine.", correction]


def test_the_assistants_sentences_are_corrected_too() -> None:
    """H6: with words that tell what the value is; a name that is withdrawn is only looked for in the user's."""
    texts = marked("Set it up.", "The port is 8080. I use Yjs.", "Change the port to 9090. We drop Yjs.", "Done.")

    assert texts[1] == "The port is [superseded]. I use Yjs."


def test_later_words_are_not_corrected() -> None:
    """H6: the value may come back."""
    texts = marked("The port is 8080.", "Ok.", "The port is 9090 now.", "Ok.", "The port is 8080 again now.")

    assert texts == ["The port is [superseded].", "Ok.", "The port is [superseded] now.", "Ok.", texts[4]]
