"""The checkpoint style: made anew, or brought up to date from the summary that a chat begins with."""

from __future__ import annotations

import re

import pytest

from compact_chat.chat import Message
from compact_chat.errors import NothingToCompact
from compact_chat.prompt import compose_request
from compact_chat.prompt import cut_portions as portions
from compact_chat.redact import MaskedMessage
from compact_chat.styles import Task
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START
from tests.samples.chats import a, res, s, talk, u
from tests.samples.prompts import CHAT, asked, skeleton
from tests.samples.styles import as_summary
from tests.samples.tools import used

HEADINGS = (
    "## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked",
    "## Key Decisions", "## Next Steps", "## Critical Context",
)  # fmt: skip
TAGGED = "<context-summary>\nold\n</context-summary>"
MARKED = f"{SUMMARY_START}\nold\n{SUMMARY_END}"
CREATE, UPDATE = "Make a checkpoint of the chat", "Bring a checkpoint up to date"


def test_the_system_text() -> None:
    """P20: a summariser that neither carries on nor answers, and gives nothing but the summary."""
    system = asked("checkpoint").system
    for phrase in (
        "summarise chats between a user and a coding assistant",
        "do not carry it on",
        "do not answer questions",
        "Output only the structured summary",
    ):
        assert phrase in system


@pytest.mark.parametrize("previous", [None, "old"])
def test_exactly_these_headings(previous: str | None) -> None:
    """P21, P22: making and updating ask for the same headings, in the same order."""
    form = skeleton(asked("checkpoint", previous=previous).text)
    assert tuple(re.findall(r"^#+ .+$", form, re.MULTILINE)) == HEADINGS
    for phrase in ("- [x] ", "- [ ] ", "- **[Decision]**: ", "1. [", "`(none)`"):
        assert phrase in form


def test_making_one() -> None:
    """P21: another model can work on from it; short sections, names and errors verbatim."""
    text = asked("checkpoint").text
    assert text.startswith(CREATE)
    for phrase in ("another model", "Copy paths, function names, commands and error texts verbatim", "section short"):
        assert phrase in text


def test_bringing_one_up_to_date() -> None:
    """P22: keep, add, move finished work on, drop solved blockers, renew the next steps, forget only the irrelevant."""
    text = asked("checkpoint", previous="old").text
    assert text.startswith(UPDATE)
    for phrase in (
        "in a frame of its own",
        "The conversation frame holds only what came later",
        "Keep what the old checkpoint says",
        "Add what the new messages bring",
        "from In Progress over into Done",
        "Drop blockers that were solved",
        "Renew Next Steps by what was achieved",
        "verbatim",
        "Leave out only what has clearly become irrelevant",
    ):
        assert phrase in text


def test_a_question_about_the_tag_is_no_summary() -> None:
    """P23: a user who asks what the tag means gets the create prompt, and the question is an entry."""
    request = asked("checkpoint", [u("why does <context-summary> appear here?")])
    assert request.text.startswith(CREATE)
    assert request.material == ("<conversation>\n[User]: why does &lt;context-summary> appear here?\n</conversation>")


@pytest.mark.parametrize(
    "first",
    [
        u(TAGGED, "go on"),
        u(f" \n{TAGGED}\r\n", "go on"),
        u(MARKED, "go on"),
        u(f"{SUMMARY_START}\n{TAGGED}\n{SUMMARY_END}", "go on"),
        u(f"{SUMMARY_START}\nold\n{SUMMARY_END_LAST}", "go on"),
        Message("m", "user", u("old", "go on").parts, is_summary=True),
    ],
    ids=["tag", "blanks", "markers", "both", "last", "marked by a tool"],
)
@pytest.mark.parametrize("front", [[], [s("rules")]], ids=["first", "behind the system"])
def test_a_chat_that_begins_with_a_summary(front: list[MaskedMessage], first: MaskedMessage) -> None:
    """P23: the first block of the first message but the system's is the previous summary, in a frame of its own."""
    request = asked("checkpoint", [*front, first, a("done")])
    system = "[System]: rules\n\n" if front else ""
    assert request.text.startswith(UPDATE)
    assert request.material == (
        "<previous-summary>\nold\n</previous-summary>\n\n"
        f"<conversation>\n{system}[User]: go on\n\n[Assistant]: done\n</conversation>"
    )


@pytest.mark.parametrize(
    "chat",
    [
        [u("hi"), u(TAGGED)],
        [u("hi", TAGGED)],
        [s(TAGGED), u("hi")],
        [a(TAGGED), u("hi")],
        [u(res("1", TAGGED)), u("hi")],
        [u(f"{TAGGED} what is that?")],
    ],
)
def test_a_summary_elsewhere_does_not_flip_the_prompt(chat: list[MaskedMessage]) -> None:
    """P23: later wrappers, and wrappers of others than the user, stay in the transcript."""
    request = asked("checkpoint", chat)
    assert request.text.startswith(CREATE)
    assert "<previous-summary>" not in request.message.replace("`<previous-summary>`", "")


def test_further_wrappers_stay_in_the_transcript() -> None:
    """P23: behind the one that is framed, further summaries keep their label."""
    request = asked("checkpoint", [u(TAGGED), u(TAGGED.replace("old", "older"), "go")])
    assert request.material.count("\nold\n") == 1
    assert "[Previous Summary]: older\n\n[User]: go" in request.material


def test_a_summary_that_is_passed_beats_none_in_the_chat() -> None:
    """P23, T8: the summary of the chunks before stands behind the one that the chat began with; neither is lost."""
    request = asked("checkpoint", [u(TAGGED, "go")], previous="so far")
    assert request.material.startswith("<previous-summary>\nold\n\nso far\n</previous-summary>\n\n")


def test_a_summary_alone_is_nothing_new() -> None:
    """P25, S7: behind the earlier summary there is nothing to summarise."""
    with pytest.raises(NothingToCompact):
        asked("checkpoint", [u(TAGGED)])


def test_a_summary_in_the_first_chunk_alone() -> None:
    """P23, T8: the chat's own summary comes with the first chunk, and later ones have the summary so far."""
    task = Task(talk(u(TAGGED), *(u("U" * 3000) for _ in range(9))), "checkpoint", "all")
    before = as_summary("so far")
    requests = [compose_request(task, part, before if n else None) for n, part in enumerate(portions(task, 12_000))]
    assert len(requests) > 2
    assert [request.material.startswith("<previous-summary>\nold\n") for request in requests] == [
        True, *[False] * (len(requests) - 1)
    ]  # fmt: skip
    assert all("\nso far\n" in request.material for request in requests[1:])
    assert all(request.text.startswith(UPDATE) for request in requests)


def test_the_layout() -> None:
    """P24: frames, prompt, focus, records, a blank line between each; the transcript first."""
    chat = [u("go"), *used("edit", "ok", path="a.py")]
    message = asked("checkpoint", chat, focus="  tests only ", end_tag=True).message
    marks = [
        "<conversation>\n",
        "\n</conversation>\n\nMake",
        "\n\nAdditional focus: tests only\n\n",
        "<modified-files>\n",
    ]
    places = [message.index(mark) for mark in marks]
    assert places == sorted(places) == [0, *places[1:]]


def test_the_focus_keeps_its_lines() -> None:
    """P24, G3: inner line breaks stay, line ends are line feeds."""
    assert asked("checkpoint", focus="a\r\nb").text.endswith("\n\nAdditional focus: a\nb")


def test_a_chat_without_files_asks_for_no_records() -> None:
    """T20: no files, no block and no request for one."""
    message = asked("checkpoint").message
    assert "records" not in message
    assert "-files>" not in message


@pytest.mark.parametrize(
    ("tool", "block"),
    [("read", "<read-files>\na.py\n</read-files>"), ("edit", "<modified-files>\na.py\n</modified-files>")],
)
def test_records_end_the_prompt(tool: str, block: str) -> None:
    """T20: the request for the records, then a block with a path per line; an empty list has none."""
    text = asked("checkpoint", [u("go"), *used(tool, "ok", path="a.py")]).text
    assert text.endswith(f"unchanged:\n\n{block}")
    assert text.count("-files>") == 2


def test_records_of_the_previous_summary_are_joined() -> None:
    """T23: m.py, read before and edited now, is in modified only; what was known stays, and stands there once."""
    old = "old\n\n<read-files>\nb.py\nm.py\n</read-files>\n\n<modified-files>\nz.py\n</modified-files>"
    chat = [u(f"<context-summary>\n{old}\n</context-summary>", "go"), *used("edit", "ok", path="m.py")]
    request = asked("checkpoint", chat)
    assert request.text.endswith("<read-files>\nb.py\n</read-files>\n\n<modified-files>\nm.py\nz.py\n</modified-files>")
    assert request.material.startswith("<previous-summary>\nold\n</previous-summary>\n\n")


def test_records_too_long_for_a_reply_are_left_out() -> None:
    """T20: thousands of paths would fill the reply; they are appended to it in any case (T23)."""
    chat = [u("go"), *(message for n in range(900) for message in used("read", "ok", path=f"src/{n}.py"))]
    assert "-files>" not in asked("checkpoint", chat).text


def test_the_task_section_comes_last_in_the_form() -> None:
    """P10: `## IMMEDIATE TASK` stands at the end of the headings."""
    assert re.search(
        r"## Critical Context\n.+\n\n## IMMEDIATE TASK\n\[.+\]$",
        skeleton(asked("checkpoint", CHAT, immediate_task=True).text),
    )
