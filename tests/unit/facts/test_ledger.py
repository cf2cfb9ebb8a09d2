"""The ledger of a whole chat, and which of its facts a text still contains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from compact_chat.chat import Message, texts
from compact_chat.facts import find_facts, survival, work_of
from compact_chat.facts.ledger import WEIGHTS, Fact, Kind, Work
from compact_chat.facts.mentions import Mentions
from compact_chat.facts.user import Inherited, inherited, omissions, summary_and_kept
from compact_chat.redact import Redactor
from compact_chat.text import CLOSING, CONTINUED, KEPT_HEADINGS, OPENING
from tests.samples.chats import a, anything, conversations, talk, u
from tests.samples.facts import collect
from tests.samples.scenes import parts
from tests.samples.tools import ran, used

CHAT = (
    *talk(u("Never push to main. Add a flag. I prefer tabs")),
    *used("Read", "text", path="src/a.py"),
    *used("Edit", "done", path="src/b.py"),
    *ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True),
    *used(
        "TodoWrite", "ok", todos=[{"content": "flag", "status": "completed"}, {"content": "docs", "status": "pending"}]
    ),
    Message("end", "assistant", a("Two things.\n\nThe build fails.").parts),
)


def test_ids_stay_while_the_chat_grows() -> None:
    """Contract, 5: an id comes from the class, the normalized text, and the turn that first stated it."""
    before = {(fact.kind, fact.text): fact.id for fact in collect(CHAT) if fact.kind != "currentWork"}
    later = (
        *CHAT,
        replace(u("never push to main. Go on"), id="z"),
        *ran("make  ", "Exit code 2\nmake: *** [all] Error 1", is_error=True),
    )
    after = {(fact.kind, fact.text): fact.id for fact in collect(later)}

    assert after.items() >= {(kind, text): one for (kind, text), one in before.items() if kind != "constraints"}.items()
    assert after["constraints", "never push to main."] == before["constraints", "Never push to main."]
    assert re.fullmatch(r"commands:[0-9a-f]{12}", before["commands", "make"])


@given(anything())
def test_facts_have_ids_of_their_own_and_stand_in_the_chat(chat: tuple[Message, ...]) -> None:
    """G5: the same chat gives the same facts; each id once, each message one of the chat's."""
    facts = collect(chat)

    assert facts == collect(chat)
    assert len({fact.id for fact in facts}) == len(facts)
    assert {fact.message for fact in facts} <= {message.id for message in chat}


def test_uncommitted_files_are_kept_where_all_of_them_stand() -> None:
    """G5: below another heading too; one that stands nowhere is missing."""
    facts = [
        one for one in collect(ran("git status --short", " M shop/app.py\n M shop/till.py")) if one.kind == "state"
    ]
    listed = "- Uncommitted: all changed files (2)\n## Files\n- Changed: `shop/app.py`; `{}`"

    assert [survival(facts, listed.format(name), as_is).classes[0].kept for name in ("shop/till.py", "shop/a.py")] == [
        1,
        0,
    ]


def test_an_empty_chat_has_no_state() -> None:
    """Nothing is invented."""
    assert work_of(find_facts(())) == Work(None, None, ())


HERE = Path(__file__).parent
LONG_MESSAGE = " ".join(f"Sentence number {n} asks for something special." for n in range(10))


def as_is(text: str) -> str:
    """No redaction."""
    return text


def holds(kind: Kind, fact: str, text: str, *others: str) -> bool:
    """Return whether a text contains one fact, in a chat with other paths too."""
    facts = [Fact(f"{n}", kind, one, "m") for n, one in enumerate((fact, *others))]
    lost = survival(facts, text, as_is).classes[0].lost
    return "0" not in {one.id for one in lost}


KEPT = [(line, name == "kept") for name, *lines in parts((HERE / "kept.txt").read_text("utf-8")) for line in lines]


@pytest.mark.parametrize(("line", "kept"), KEPT)
def test_a_fact_is_found_in_its_own_way(line: str, kept: bool) -> None:
    """Contract, survival: short texts as whole words, paths never inside others.

    A line is a kind, a fact and a text, with `↵` for a line end.
    """
    kind, _, rest = line.replace("↵", "\n").partition(": ")
    fact, text = rest.split(" / ")
    assert holds(kind, fact, text) is kept  # type: ignore[arg-type]  # the kinds of the file are words there


@pytest.mark.parametrize(
    ("kind", "fact", "text", "kept"),
    [
        ("userMessages", LONG_MESSAGE, LONG_MESSAGE[: len(LONG_MESSAGE) * 8 // 10], True),
        ("userMessages", LONG_MESSAGE, LONG_MESSAGE[: len(LONG_MESSAGE) // 2], False),
        ("commands", "a word or two " * 20, "- `" + "a word or two " * 12 + "…", True),
        ("errors", "error: " + "so and so " * 40, "open: error: " + "so and so " * 22, True),
        ("currentWork", "a word or two " * 20, "- `" + "a word or two " * 12 + "…", True),
        ("commands", "x" * 300, "`" + "x" * 300 + "`", True),
    ],
)
def test_of_a_long_fact_most_is_enough(kind: Kind, fact: str, text: str, kept: bool) -> None:
    """Contract, survival: long messages by most sentences, commands and errors by their beginnings."""
    assert holds(kind, fact, text) is kept


def test_most_parts_of_a_fact_are_enough() -> None:
    """A line of several names is there if a text has seven of ten."""
    names = tuple(f"name_{letter}" for letter in "abcdefghij")
    facts = [Fact("1", "values", "New in a.py", "m", parts=names)]

    assert survival(facts, " ".join(names[3:]), as_is).kept == 1
    assert survival(facts, " ".join(names[4:]), as_is).kept == 0


def test_what_is_all_over_a_text_is_found_there() -> None:
    """Words that are too frequent to look up one by one, and those that only a longer word has."""
    text = "again and again " * 2000 + "and again, at last"

    assert holds("userMessages", "and again, at last", text)
    assert holds("userMessages", "again again again and and again", text) is False
    assert survival(collect(ran("rm src/old.py", "")), "old " * 2000 + "\n- removed old.py", as_is).kept == 1
    assert holds("userMessages", "again and again again and again and again", "again and " * 3000) is False


def test_the_short_form_of_a_path_must_be_clear() -> None:
    """The end of a path counts only if no other path of the chat shares it."""
    assert not holds("readFiles", "/p/one/src/a.py", "see src/a.py and a.py", "/p/two/src/a.py")
    assert holds("readFiles", "/p/one/src/a.py", "see one/src/a.py", "/p/two/src/a.py")


@pytest.mark.parametrize(
    ("text", "fact", "found"),
    [
        ("> fix  the\n> parser now", "fix the parser", "fix  the\n> parser"),
        ("😀 keep &lt;a> as it is", "<a> as", "&lt;a> as"),
        ("a😀b yes", "yes", "yes"),
        ("a&lt;b.py changed", "b.py changed", "b.py changed"),
        ("nothing", "yes", None),
    ],
)
def test_a_fact_is_placed_in_the_text_as_it_was_given(text: str, fact: str, found: str | None) -> None:
    """Contract, 5: `at` counts UTF-16 code units of the text that was looked at."""
    mentions = Mentions(text, ())
    at = mentions.at(mentions.find("userMessages", fact))

    units = text.encode("utf-16-le")
    assert (at and units[2 * at[0] : 2 * at[1]].decode("utf-16-le")) == found


def test_secrets_are_compared_as_they_are_masked() -> None:
    """A fact with a secret matches by its placeholder, and is reported masked if lost."""
    key = "AKIA" + "Q3EGZ7TPLW5RXN2M"
    facts = [Fact("1", "userMessages", f"the key is {key}", "m")]
    clean = Redactor()

    assert survival(facts, clean(f"- the key is {key}"), clean).kept == 1
    assert survival(facts, "nothing", clean).classes[0].lost[0].text == "the key is [REDACTED:aws-access-key:1]"


def test_classes_without_facts_are_absent() -> None:
    """Contract: a class that is not computed is absent, never zero; nothing is lost of nothing."""
    facts = [Fact("1", "todos", "write docs", "m"), Fact("2", "todos", "ship", "m")]
    found = survival(facts, "ship it", as_is)

    assert [(one.name, one.total, one.kept, one.restored) for one in found.classes] == [("todos", 2, 1, 0)]
    assert [(one.id, one.text, one.message) for one in found.classes[0].lost] == [("1", "write docs", "m")]
    assert survival((), "", as_is).kept == 1


def test_the_classes_are_weighted() -> None:
    """A lost rule weighs more than a lost read."""
    facts = [Fact("1", "constraints", "Never push", "m"), Fact("2", "readFiles", "a/b.py", "m")]
    total = WEIGHTS["constraints"] + WEIGHTS["readFiles"]

    assert survival(facts, "Never push", as_is).kept == WEIGHTS["constraints"] / total
    assert survival(facts, "a/b.py", as_is).kept == WEIGHTS["readFiles"] / total


@given(conversations())
def test_a_chat_holds_its_own_facts(chat: tuple[Message, ...]) -> None:
    """The complete text of a chat contains all of its facts, and an empty text none."""
    facts = collect(chat)
    whole = "\n".join(text for message in chat for text in texts(message))

    assert survival(facts, whole, as_is).kept == 1
    assert survival(facts, "", as_is).kept == (0 if facts else 1)


def test_kept_messages_end_where_the_opening_message_does() -> None:
    """What we wrote behind the last one is not the user's."""
    text = f"{CONTINUED}\n\n{OPENING}\n\nSummary:\nx\n\n{KEPT_HEADINGS[0]}\n\n[User]: keep it\n\n{CLOSING}"

    assert summary_and_kept(text) == ("Summary:\nx", [("User", "keep it")])


def test_what_was_cut_out_of_a_kept_message_is_missing() -> None:
    """Both of our marks count, each with the words before it and its cost in characters."""
    kept = f"[User]: look at this [... 5000 characters omitted ...]\n\n{CLOSING}"
    text = f"{CONTINUED}\n\n{OPENING}\n\nSummary:\nx\n\n{KEPT_HEADINGS[0]}\n\n{kept}"
    (pruned,) = omissions("the log begins [...1200 chars pruned...] and ends")[1]
    (lost,) = survival((), text, as_is).classes[0].lost

    assert (pruned.text, pruned.characters) == ("the log begins ", 1200)
    assert (lost.id, lost.cost) == ("omissions:1", 5000)
    assert survival((), text, as_is).kept == 0
    assert survival([Fact("1", "readFiles", "a/b.py", "m")], f"{text}\n- a/b.py", as_is).kept == 0.5
    assert lost.text.startswith("5,000 characters of: look at this")


def test_a_message_may_have_no_room_for_any_kept_one() -> None:
    """Where all of them are left out, there is no entry to read."""
    text = f"{CONTINUED}\n\n{OPENING}\n\nSummary:\nx\n\n{KEPT_HEADINGS[0]}\n\n[4 messages omitted]\n\n{CLOSING}"

    assert omissions(text) == (0, ())


def test_a_part_has_its_facts_as_they_are_at_the_end() -> None:
    """Its facts have the state that later messages gave them; facts that are new in later messages are not in it."""
    first = (
        *talk(u("Never push to main.")),
        *ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True),
        *used("TodoWrite", "ok", todos=[{"content": "flag", "status": "in_progress"}]),
        *ran("deploy", "created srv-8841-blue"),
    )
    later = (
        *ran("make", "done"),
        *used("TodoWrite", "ok", todos=[{"content": name, "status": "completed"} for name in ("flag", "docs")]),
        Message("end", "assistant", a("It runs on srv-8841-blue.\n\nShall I go on?").parts),
    )

    alone, whole = find_facts(first), find_facts((*first, *later))
    part = whole.stated_in(first)

    assert [error.fixed for error in alone.errors] == [False]
    assert [error.fixed for error in part.errors] == [True]
    assert [(todo.text, todo.status) for todo in part.todos] == [("flag", "done")]
    assert [one.values for one in part.results] == [("srv-8841-blue",)]
    assert not part.open_ends
    assert whole.open_ends
    assert (part.steps, part.requests, part.rules) == (alone.steps, alone.requests, alone.rules)
    assert whole.stated_in(whole.messages) == whole


def test_a_path_below_the_folder_that_a_text_names_is_there() -> None:
    """F4: also where another path of the chat has the same ending."""
    text = "Paths are relative to `/home/me/shop`:\n- `.oven/settings.json`: edited"

    assert holds("modifiedFiles", "/home/me/shop/.oven/settings.json", text, "/tmp/test/.oven/settings.json")
    assert not holds("modifiedFiles", "/tmp/test/.oven/settings.json", text, "/home/me/shop/.oven/settings.json")


def test_a_restored_summary_quotes_nothing_new() -> None:
    """What it quotes is among the messages themselves."""
    summary = replace(u("Rules that the user set, verbatim:\n- Never push."), id="s", is_summary=True)

    assert [one.text for one in inherited([summary]).rules] == ["Never push."]
    assert inherited([summary], {"s"}) == Inherited()
