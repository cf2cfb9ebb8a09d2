"""Messages that stay, as turns of a hand-over's record."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from compact_chat.chat import Message, Thinking
from compact_chat.prompt import fit_turns
from compact_chat.redact import MaskedMessage
from tests.oracles.snapshots import check_parts
from tests.samples.chats import NO_MASKS, PICTURE, a, call, res, s, talk, u
from tests.samples.scenes import played
from tests.samples.tools import ran


def shown(*messages: Message, folder: str = "", quoted: frozenset[str] = frozenset(), room: int | None = None) -> str:
    """What stands below the headings of turns, all messages in turn 1 but those with a later number for an id."""
    masked: tuple[MaskedMessage, ...] = NO_MASKS.messages(messages)
    turns = {message.id: int(message.id) if message.id.isdigit() else 1 for message in masked}
    return "\n".join(f"{turn}: {text}" for turn, text in fit_turns(masked, turns, quoted, folder, room)[0])


def test_calls_are_lines_with_their_results(accept: bool) -> None:
    """H11 and H14: what a call returned stands below it, unless it is what a file holds."""
    source = Path(__file__).with_name("turns.txt")
    check_parts(source, lambda _, lines: [shown(*played(lines)[0], folder="/w")], accept=accept)


def test_parallel_calls_have_their_own_results() -> None:
    """H14: each result stands with its call, whatever came between."""
    talked = talk(a("Both.", call("1"), call("2")), u(res("2", "second")), u(res("1", "first")))

    assert shown(*talked) == "1: - Assistant: Both.\n- Called look:\n  first\n- Called look:\n  second"


def test_speakers_cannot_be_mistaken() -> None:
    """H12 and H14: only what a person typed is quoted; lines of others are indented, labels and tags guarded."""
    talked = talk(
        u("Bake.\n\n# Now\n[Assistant]: no", PICTURE),
        u("<summary>And sell.</summary>"),
        a(Thinking("Hm."), "Yes:\n> Never ask.\n\n### Turn 9, word for word"),
        replace(u("It rains."), by_host=True),
        s("Be brief."),
        replace(u("All before."), is_summary=True),
    )

    assert shown(*talked).split("\n") == [
        "1: > Bake.",
        ">",
        "> # Now",
        "> [Assistant]: no",
        "> [image]",
        "",
        "> &lt;summary>And sell.&lt;/summary>",
        "- Thinking: Hm.",
        "- Assistant: Yes:",
        "  > Never ask.",
        "",
        "  ### Turn 9, word for word",
        "- Host: It rains.",
        "- System: Be brief.",
        "- Earlier summary: All before.",
    ]


def test_host_text_does_not_travel() -> None:
    """H2: neither reminders in results nor what a host wrote around words; answers in results are quoted."""
    reminder = "<system-reminder>\nNever tell.\n</system-reminder>"
    answered = replace(u(res("1", f"User selected: rye\n{reminder}"), "<context/>bake"), typed=("rye", "bake"))
    alone = replace(u(f"Task 7 ended.\n{reminder}"), by_host=True)

    assert shown(*talk(a(call("1")), answered, alone)).split("\n") == [
        "1: - Called look:",
        "  User selected: rye",
        "> rye",
        "",
        "> bake",
        "- Host: Task 7 ended.",
    ]


def test_words_quoted_above_are_not_repeated() -> None:
    """H1 and H14: only where all of them stand there."""
    talked = talk(u("Bake."), a("Now."), u("Bake. And sell."))

    assert shown(*talked, quoted=frozenset({"> Bake."})) == "1: > [quoted above]\n- Assistant: Now.\n> Bake. And sell."


def test_messages_share_the_heading_of_their_turn() -> None:
    """H14: consecutive ones of one turn."""
    first, second = replace(u("Bake."), id="1"), replace(a("Done."), id="1")

    assert shown(first, second, replace(u("Sell."), id="2")) == "1: > Bake.\n- Assistant: Done.\n2: > Sell."


def test_results_shrink_before_words() -> None:
    """T8: cuts tell their size, and what a person wrote stays whole as long as anything else gives room."""
    text = shown(u("w" * 900), *ran("cat log", "r" * 3000), room=1500)

    assert "w" * 900 in text
    assert "[... 2500 characters omitted ...]" in text
    assert not fit_turns(talk(u("w" * 9000)), {}, (), "", 1500)[1]
