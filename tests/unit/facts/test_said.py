"""Decisions, open ends and values, in the words of the chat."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import ToolCall
from compact_chat.facts import Request, decisions, find_steps, open_ends
from compact_chat.facts.said import given_values
from tests.samples.chats import a, res, talk, u
from tests.samples.tools import ran

DECISIONS = [
    "I decided to keep the old parser.",
    "We went with SQLite for the cache.",
    "I'll use a lock file instead of a mutex.",
    "The hooks now call the wrapper script instead of the binary.",
    "The cleanest approach is to commit both together.",
    "A symlink won't work because Windows needs a privilege.",
    "I did not run the full suite because only docs changed.",
    "Decision: keep the old format",
    "Let's use a hook instead, which is what the docs recommend.",
    "Renamed `run` to `start` everywhere.",
    "I’m committing it separately, since it belongs to another repo.",
    "I tried a regex but it was too slow.",
    "Let's remove reproduce.py since it is no longer needed.",
    "The settings are merged, so we used one file with the wrapper instead.",
    "Core has the primitive, so I'm merging core first.",
    "Since the branch is in the private repo now, I’m deleting the public one.",
    "I'm adding only the one setting.",
    "I'm not going to rewrite the older commit.",
    "The two changes are too intertwined to separate.",
    "The wrapper is intentional, for later extensions.",
    "A typed id would be cleaner, but every caller would have to parse it.",
    "It's three lines, so it's not worth hiding them.",
    "The lookup was removed since callers fall back to the file.",
    "Let me try a different approach - a longer interval.",
    "`prepare` is the better name, and I would avoid a second command because it implies a run.",
    "The import should go through the normalized model, not the raw file.",
    "## Key decisions\n\n- The parser stays in one module",
    "We're sticking to polling for now.",
    "Rather than patching the copy, I upgraded the library.",
    "I left the signature untouched to stay compatible.",
    "Moved validation to the edge so the handlers stay simple.",
    "I've reverted to the old parser, the new one breaks on CRLF.",
    "To keep the diff small I'm not renaming the module.",
    "Since there is no pagination, I cache everything once.",
    "We now write to a temporary file, so readers never see half of one.",
    "I picked zstd over gzip for speed.",
    "The lock is taken per user, not globally, so that imports run in parallel.",
    "The old endpoint stays until v3 because a client needs it.",
    "Not using an ORM here: three queries do not justify it.",
    "The best approach is to lock the file:\n```\nflock\n```",
    "Rejected:\n1. a queue",
    "The best approach is to lock the file:",
]
NO_DECISIONS = [
    "Let me check how the test handles this since it is similar:",
    "When it does not support reset, it's returning nil instead of an error.",
    "Which approach do you prefer?",
    "I'll keep waiting rather than interrupting it.",
    "If it fails, I'll use the other one instead of this.",
    "The tests pass now.",
    "I'm checking whether that's because the eval changed to a new one.",
    "I'm now matching titles so that I can tell them apart rather than guessing.",
    "It has a timeline, so I'll look at that file instead of scanning the app.",
    "I'm using the release skill because the task includes a push.",
    "Let me refactor the caller to use the new approach:",
    "The function returns null instead of an empty list.",
    "I'm stuck because the docs are down.",
    "Since the issue names no file, we should search the repository.",
    "In this example, I've converted the list to a string.",
]
CHOICES = [
    "i don't think we need watch",
    "actually revert the commit",
    "validate is not the right command, use bundle",
    "yeah that should be a session-end",
    "Let's go with option 2",
    "I like Option 1, it is simpler",
    "skip the third comment",
    "put it in handleEnd please",
    "fix them all, skip 2738",
    "I think that's the right thing to do",
]
NO_CHOICES = [
    "let's see what it does",
    "what about the third one?",
    "please fix the tests",
    "thanks, that is great",
    "Instead, use the goto command.",
]
OPEN = [
    "The branch is not merged yet.",
    "Close the issue after this lands.",
    "You may want to run the migration.",
    "The bead remains in_progress until auth is refreshed.",
    "I did not spawn the worker yet.",
    "Both cases still fail the second check.",
    "We cannot push because the branch is protected.",
    "The fix is one of these, either:\n1. Drop the field from the record",
    "**Next steps:**\n- A page for prices",
]
CLOSED = [
    "All tests pass.",
    "Let me add that to our list, still pending.",
    "Pushed to main.",
    "Can I help you with anything else?",
]


@pytest.mark.parametrize(("sentence", "is_one"), [*((s, True) for s in DECISIONS), *((s, False) for s in NO_DECISIONS)])
def test_the_assistant_decides_in_so_many_words(sentence: str, is_one: bool) -> None:
    """A decision names a reason or an alternative; announcements, conditions and reports are none."""
    assert bool(decisions([a(f"Fine. {sentence}")], (), frozenset())) is is_one


@pytest.mark.parametrize(("sentence", "is_one"), [*((s, True) for s in CHOICES), *((s, False) for s in NO_CHOICES)])
def test_the_user_chooses(sentence: str, is_one: bool) -> None:
    """A choice between ways is a decision; a wish is none, nor what is a rule anyway."""
    (message,) = talk(u(sentence))
    said = [Request(sentence, message.id)]

    assert bool(decisions([message], said, frozenset())) is is_one
    assert decisions([message], said, frozenset({sentence})) == []


def test_a_sentence_before_a_heading_is_not_joined_with_what_follows_it() -> None:
    """One that ends with a colon is told with the line below it, unless a table, a quote or a heading is there."""
    text = "We went with SQLite for:\n## Cache\nthe whole of it is small\n\nI decided on:\n- a lock file"

    assert [one.text for one in decisions([a(text)], (), frozenset())] == [
        "We went with SQLite for:",
        "I decided on: a lock file",
    ]


def test_an_answer_to_a_question_is_a_decision() -> None:
    """What the user chose stands with what the model asked."""
    ask = ToolCall(
        "1", "AskUserQuestion", {"questions": [{"question": "Which database?"}, {"question": "Why?"}, {"question": 1}]}
    )
    chat = talk(u("go"), a(ask), replace(u(res("1", "PostgreSQL")), typed=("PostgreSQL",)), u("thanks"))

    assert [one.text for one in decisions(chat, (), frozenset())] == ["Which database? Why? → PostgreSQL"]


@pytest.mark.parametrize(("sentence", "is_one"), [*((s, True) for s in OPEN), *((s, False) for s in CLOSED)])
def test_the_last_answer_leaves_things_open(sentence: str, is_one: bool) -> None:
    """H8: reservations of the last answers are open ends; what the user answered to later is not looked at."""
    assert bool(open_ends([u("do it"), a(sentence)], ())) is is_one
    assert open_ends([u("do it"), a(sentence), u("ok"), a("Done.")], ()) == []


def test_a_question_and_an_interrupted_call_are_open() -> None:
    """H8: what the user has not answered, and a call without a result."""
    chat = [u("do it"), *ran("make deploy", None)]
    asked = open_ends([u("hi"), a("Done. Shall I push it? It is ready. Just say so.")], ())

    assert [one.text for one in asked] == ["Shall I push it?"]
    assert [one.text for one in open_ends([u("hi"), a("Done. Shall I push it?")], ())] == ["Shall I push it?"]
    assert [one.text for one in open_ends(chat, find_steps(chat))] == ["Interrupted: Bash make deploy"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("my github user is ghuser", ["ghuser"]),
        ("the server is 10.0.0.7:8080, see ABC-12", ["10.0.0.7:8080", "ABC-12"]),
        ("look at https://a.example/x.", ["https://a.example/x"]),
        ("```\nport 8080\n```", []),
        ("the test is broken now", []),
        (" ".join(f"ABC-{n}" for n in range(30)), [f"ABC-{n}" for n in range(12)]),
        ("x" * 1000 + " see ABC-12\nand ABC-13", ["ABC-13"]),
    ],
)
def test_values_that_only_the_user_knows(text: str, values: list[str]) -> None:
    """Names, addresses and ids in the user's words, but not in code."""
    assert [value for value, _, _ in given_values([Request(text, "m")])] == values


def test_what_announced_a_refused_call_is_no_decision() -> None:
    """L8: the user did not want it; what else the message says stands."""
    chat = talk(a("I'll post a comment instead. We went with SQLite for the cache."))

    assert [one.text for one in decisions(chat, [], frozenset(), {chat[0].id})] == [
        "We went with SQLite for the cache."
    ]
    assert len(decisions(chat, [], frozenset())) == 2
