"""The ledger of a whole chat."""

from __future__ import annotations

from hypothesis import given

from compact_chat.chat import Message
from compact_chat.facts import collect
from tests.samples.chats import a, anything, talk, u
from tests.samples.tools import ran, used

CHAT = (
    *talk(u("Never push to main. Add a flag")),
    *used("Read", "text", path="src/a.py"),
    *used("Edit", "done", path="src/b.py"),
    *ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True),
    *used(
        "TodoWrite", "ok", todos=[{"content": "flag", "status": "completed"}, {"content": "docs", "status": "pending"}]
    ),
    Message("end", "assistant", a("Two things.\n\nThe build fails.").parts),
)


def test_every_class_is_collected() -> None:
    """Contract, survival classes: what structure tells, and neither decisions nor values."""
    facts = [(fact.kind, fact.text) for fact in collect(CHAT)]

    assert facts == [
        ("userMessages", "Never push to main. Add a flag"),
        ("constraints", "Never push to main."),
        ("modifiedFiles", "src/b.py"),
        ("readFiles", "src/a.py"),
        ("commands", "make"),
        ("errors", "make: *** [all] Error 1"),
        ("todos", "docs"),
        ("currentWork", "The build fails."),
        ("currentWork", "src/a.py"),
        ("currentWork", "src/b.py"),
        ("currentWork", "make"),
    ]


def test_what_was_overcome_or_superseded_is_no_fact() -> None:
    """A fixed error, a done item and a changed rule need not survive."""
    chat = (
        *talk(u("Always use port 5433 here"), u("Always use port 5434 here")),
        *ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True),
        *ran("make", "ok"),
    )
    facts = {fact.kind: fact.text for fact in collect(chat)}

    assert "errors" not in facts
    assert facts["constraints"] == "Always use port 5434 here"


@given(anything())
def test_facts_have_ids_of_their_own_and_stand_in_the_chat(chat: tuple[Message, ...]) -> None:
    """G5: the same chat gives the same facts; each id once, each message one of the chat's."""
    facts = collect(chat)

    assert facts == collect(chat)
    assert len({fact.id for fact in facts}) == len(facts)
    assert {fact.message for fact in facts} <= {message.id for message in chat}
