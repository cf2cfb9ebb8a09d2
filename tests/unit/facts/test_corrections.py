"""Values that the user corrected."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message
from compact_chat.facts import find_facts
from compact_chat.facts.corrections import MOST_TRIED
from tests.samples.chats import a, u
from tests.samples.small_chats import SMALL_CHATS, SmallChat
from tests.unit.facts.test_user import SENTENCES

MOST = 200


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


@pytest.mark.parametrize("line", [*SENTENCES["corrected"], *SENTENCES["not corrected"]])
def test_a_value_is_superseded(line: str) -> None:
    """H6: by a later sentence that says so, about the same thing; what is only another thing stays."""
    before, correction, *after = line.split(" / ")
    assert marked(before, "Fine.", correction) == [*(after or [before]), "Fine.", correction]


def test_the_assistants_sentences_are_corrected_too() -> None:
    """H6: with words that tell what the value is; a name that is withdrawn is only looked for in the user's."""
    texts = marked("Set it up.", "The port is 8080. I use Yjs.", "Change the port to 9090. We drop Yjs.", "Done.")

    assert texts[1] == "The port is [superseded]. I use Yjs."


def test_later_words_are_not_corrected() -> None:
    """H6: the value may come back."""
    texts = marked("The port is 8080.", "Ok.", "The port is 9090 now.", "Ok.", "The port is 8080 again now.")

    assert texts == ["The port is [superseded].", "Ok.", "The port is [superseded] now.", "Ok.", texts[4]]


def test_of_very_many_superseded_rules_the_newest_are_marked() -> None:
    """Each text is compared with all of them, so their number is limited."""
    said = [text for number in range(300) for text in (f"Use port {number}.", "Fine.")]

    still = [place for place, text in enumerate(marked(*said)[::2]) if text.startswith("Use")]

    assert still == [*range(300 - 1 - MOST), 299]


def test_of_very_many_sentences_that_may_correct_something_the_newest_are_tried() -> None:
    """Each is compared with what was given before, so their number is limited."""
    before, correction, later = "The port is 8080.", "Change the port to 9090.", "Now do it. " * 20
    many = [later] * (MOST_TRIED // 20)

    assert marked(before, "Fine.", correction, "Fine.", *many[:-2])[0] == "The port is [superseded]."
    assert marked(before, "Fine.", correction, "Fine.", *(text for one in many for text in (one, "Fine.")))[0] == before
