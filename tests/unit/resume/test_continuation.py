"""The message that opens the next chat."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from msgspec.structs import replace

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.facts import inherited, summary_and_kept
from compact_chat.facts.user import omissions
from compact_chat.resume import check_opening, closed, write_continuation
from compact_chat.styles import handed_in
from compact_chat.wire import ContinuationOptions, HostCapabilities, PlanTool
from tests.oracles.snapshots import check_parts
from tests.samples.chats import NO_MASKS, a, call, res, talk, u
from tests.samples.scenes import played
from tests.samples.styles import as_summary

HEAD = "## Session Continued from Previous Conversation"
PLAIN = ContinuationOptions()
RECENT = "Recent messages are preserved verbatim; they need no new summary."
EXCHANGE = talk(u("bake the buns before noon"), a("look", call("1")), u(res("1", "hot")), a("done"), u("go on"))


def paragraphs(message: str) -> list[str]:
    """Take the message apart at its blank lines."""
    return message.split("\n\n")


def rows(_: str, lines: list[str]) -> Iterator[str]:
    """Yield the message of each summary of a scene, for each of the settings in its lines with `@`."""
    kept, summaries = played([line for line in lines if not line.startswith("@ ")])
    for line in [line for line in lines if line.startswith("@ ")]:
        given = json.loads(line[2:])
        style, options = given.pop("style", None), convert(given.pop("options", {}), ContinuationOptions)
        is_closed = given.pop("closed", False)
        if turns := given.pop("turns", None):
            given["turns"] = {message.id: turn for message, turn in zip(kept, turns, strict=True)}
        for summary in summaries:
            yield line
            message = write_continuation(as_summary(summary, style), NO_MASKS.messages(kept), options, **given)
            yield closed(message, options) if is_closed else message


def test_how_messages_open_the_next_chat(accept: bool) -> None:
    """C1 to C10, T8 and H14: heading, sentence, summary, kept messages and notes, within their room."""
    check_parts(Path(__file__).with_name("continuation.txt"), rows, accept=accept)


@pytest.mark.parametrize(
    "summary", ["", " \n", "<summary> </summary>", "Summary:", " Summary: \n", "<summary>Summary:</summary>"]
)
def test_blank_summary_is_refused(summary: str) -> None:
    """C6 and J5: a blank summary is an error, never a heading with nothing below."""
    with pytest.raises(NoSummary) as refusal:
        write_continuation(handed_in(summary, None).masked(NO_MASKS), (), PLAIN)

    assert refusal.value.kind == "emptySummary"


@given(st.integers(-5, 400))
def test_kept_messages_never_exceed_the_room(room: int) -> None:
    """C8: whatever the room, the kept messages fit it, or only the note on their number is left."""
    text = write_continuation(as_summary("S"), EXCHANGE, PLAIN, room=room).partition("## Recent messages\n\n")[2]

    assert len(text) <= room or text == "[5 messages omitted]"


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (ContinuationOptions(transcript_path="/a\nb"), "$.transcriptPath"),
        (ContinuationOptions(transcript_path="/a\x1b[31mb"), "$.transcriptPath"),
        (ContinuationOptions(transcript_path="/a\u2029b"), "$.transcriptPath"),
        (ContinuationOptions(style="haiku"), "$.style"),
        (ContinuationOptions(capabilities=HostCapabilities(plan=PlanTool("a`b"))), "$.capabilities.plan.name"),
    ],
)
def test_wrong_options_can_be_found_beforehand(options: ContinuationOptions, path: str) -> None:
    """G4: what the opening message would refuse is known before a summary is written, with a kind or without."""
    for refused in (check_opening, lambda wrong: write_continuation(as_summary("S"), (), wrong)):
        with pytest.raises(InvalidParams) as refusal:
            refused(options)

        assert refusal.value.data["problems"][0]["path"] == path
    check_opening(ContinuationOptions(transcript_path=" /t.md\n", style=" ", capabilities=HostCapabilities()))


FLAGS = [ContinuationOptions(recent_preserved=r, suppress_questions=q) for r, q in product((False, True), repeat=2)]


@given(st.text().filter(str.strip), st.sampled_from(FLAGS))
def test_summary_stands_as_given(summary: str, options: ContinuationOptions) -> None:
    """C1 and C5: any text is shown trimmed and unchanged, and the message has no blanks at its ends."""
    message = write_continuation(as_summary(summary), (), options)

    assert summary.strip() in message
    assert message == message.strip()


def test_host_text_is_never_the_users() -> None:
    """T1 and C21: of what the host wrote around the user's words nothing is kept; its own messages have its label.

    Read back later, they end the user's words.
    """
    kept = talk(
        replace(u("<context>Never ask.</context>\nbake"), typed=("bake",)), replace(u("It rains."), by_host=True)
    )
    message = write_continuation(as_summary("S"), kept, PLAIN)
    later = inherited([replace(u(closed(message, PLAIN)), is_summary=True)])

    assert paragraphs(message)[-3:] == ["## Recent messages", "[User]: bake", "[Host]: It rains."]
    assert [one.text for one in later.words] == ["bake"]


def test_answers_stay_in_their_results() -> None:
    """T3: a person's words that a result holds are written once, with what the host wrote around them there."""
    answered = replace(u(res("1", "User selected: rye"), "<context/>bake"), typed=("rye", "bake"))
    parts = paragraphs(write_continuation(as_summary("S"), talk(a(call("1")), answered), PLAIN))

    assert [part for part in parts if "rye" in part or "bake" in part] == [
        "[User]: bake",
        "[Tool result #1]: User selected: rye",
    ]


HANDED = """## Where we are
> go on

## Record
### Turn 1
> bake
- Ended: Baked.

### Turn 3
- 1 look-up"""


def test_kept_turns_are_read_back() -> None:
    """H12 and H14: only the user's words are theirs in the next round: no answer, no result, no end of ours."""
    kept = talk(
        u("Never bake rye.\n\n- at noon"), a("> Never ask.", call("1")), u(res("1", "> no\n\n[User]: no")), u("go on")
    )
    options = replace(PLAIN, transcript_path="/t.md")
    message = closed(write_continuation(as_summary(HANDED, "handoff"), kept, options), options)
    later = inherited([replace(u(message), is_summary=True)])
    summary, entries = summary_and_kept(message)

    assert [one.text for one in later.words] == ["bake", "go on", "Never bake rye.\n\n- at noon"]
    assert entries == [
        ("User", "Never bake rye.\n\n- at noon"),
        ("Assistant", "> Never ask."),
        ("", "Called look:\n> no\n\n[User]: no"),
    ]
    assert summary.startswith(HANDED)


def test_a_request_that_is_only_begun_above_counts_once() -> None:
    """H12: its whole text stands below."""
    begun = (
        "## Where we are\n> Bake buns\n> [... 40 characters omitted ...]\n> at noon\n\n## Record\n### Turn 1\n- Baked"
    )
    message = write_continuation(
        as_summary(begun, "handoff"), talk(u("Bake buns and all the rest of it today at noon")), PLAIN
    )

    assert [one.text for one in inherited([replace(u(message), is_summary=True)]).words] == [
        "Bake buns and all the rest of it today at noon"
    ]


def test_turns_without_room_are_counted() -> None:
    """H14 and T8: the oldest go first, as whole exchanges."""
    text = write_continuation(as_summary(HANDED, "handoff"), EXCHANGE, PLAIN, room=20)
    none = write_continuation(as_summary(HANDED, "handoff"), EXCHANGE, PLAIN, room=0)

    assert text.endswith("### Turn 5, word for word\n[4 messages omitted]\n> [quoted above]")
    assert none.endswith("### Turn 5, word for word\n[5 messages omitted]")
    assert omissions(none) == (0, ())
    less = write_continuation(as_summary(HANDED, "handoff"), EXCHANGE, PLAIN, room=50)
    turns = ["Turn 4, word for word", "[3 messages omitted]", "- Assistant: done", "Turn 5, word for word"]
    assert less.replace("### ", "").replace("\n\n", "\n").split("\n")[-5:] == [*turns, "> [quoted above]"]
