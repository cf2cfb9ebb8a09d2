"""The verdict on one screen: what is missing comes by weight, and what it tells to type works here."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from compact_chat.chat import Warning
from compact_chat.cli.terminal import Terminal, columns, program
from compact_chat.cli.views import (
    Listed,
    copier,
    missing_of,
    short,
    show_chats,
    show_checked,
    show_compaction,
    show_draft,
    show_verdict,
)
from compact_chat.operations import ClientState, Compacted, Job, compact_chat, run_alone
from compact_chat.wire import (
    SHELL_STYLE,
    Checked,
    Compaction,
    Draft,
    Looked,
    Lost,
    Session,
    Survival,
    SurvivalClass,
    TurnsLeft,
)

PLAIN, PIPE = (Terminal(width=80, interactive=screen, color=False) for screen in (True, False))
ASKED: Any = {"style": SHELL_STYLE, "length": "brief"}


@pytest.fixture(scope="module")
def found(bakery: Path) -> Compacted:
    """The results for the example chat."""
    return compact_chat({"chat": {"uri": bakery.as_uri()}, "options": ASKED}, Job(ClientState()))[0]


@pytest.fixture
def done(found: Compacted) -> Compaction:
    """The compaction of the example chat."""
    assert found.compaction
    return found.compaction


def screen(found: Compacted, done: Compaction) -> str:
    """The screen of a compaction."""
    return "\n".join(show_verdict(Compacted(found.report, found.preview, done), PLAIN))


def test_the_screen_of_the_example(found: Compacted, done: Compaction, monkeypatch: pytest.MonkeyPatch) -> None:
    """On 24 rows there are both bars, what is kept and missing, where the work is, what is next, and the message."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    lines = screen(found, done).split("\n")
    labels = [line[:8].strip() for line in lines[2:] if line[:8].strip()]
    kept, total = done.survival.items

    assert len(lines) < 24
    assert labels == ["now", "after", "kept", "missing", "now at", "next", "message"]
    assert next(line for line in lines if line.startswith("kept")).startswith(f"kept    {kept} of {total} items: ")
    assert lines[-1].strip() == f"compact-chat draft {done.compaction_id[:8]} --only continuation > message.md"


def test_a_message_is_more_than_its_summary(bakery: Path) -> None:
    """The last turns, word for word, come on top of the length that was asked for, and the screen says so."""
    shown, sums = [], []
    for keep in (4, 0):
        asked: Any = {"style": SHELL_STYLE, "summaryBudget": 600, "minKeep": keep}
        found = compact_chat({"chat": {"uri": bakery.as_uri()}, "options": asked}, Job(ClientState()))[0]
        assert found.compaction
        text = " ".join(screen(found, found.compaction).split())
        shown.append("of the last turns, word for word" in text)
        sums += re.findall(r"message (\S+)k tokens \((\d+) summary \+ (\d+) of", text)
    assert shown == [True, False]
    ((whole, summary, turns),) = sums
    assert 600 <= int(summary) <= 800
    assert round((int(summary) + int(turns)) / 1000, 1) == float(whole)


def test_the_list_says_how_many_more_there_are(found: Compacted) -> None:
    """The list is short; a count of a hundred more may not be all."""
    one = Session("file:///x", "codex", "codex", "Bread", "2020-05-01T00:00:00.000Z", 5)
    ends = [list(show_chats([Listed(one, None)], PIPE, elsewhere=True, more=more))[-1] for more in (0, 34, 100)]

    assert "more" not in ends[0]
    assert "and 34 more" in ends[1]
    assert "and 100 or more" in ends[2]


def test_the_command_to_copy_is_on_one_line(
    found: Compacted, done: Compaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the way to call this program is."""
    monkeypatch.setattr("compact_chat.cli.views.program", lambda: "/a/long/folder/for/programs/compact-chat " * 3)
    assert any("--only continuation" in line and "/programs" in line for line in screen(found, done).split("\n"))


@pytest.mark.parametrize("healed", [1, 1_040])
def test_nothing_is_claimed_of_summaries_that_cannot_be_read(found: Compacted, done: Compaction, healed: int) -> None:
    """Of an encrypted summary it is unknown what it dropped."""
    unread, readable = (replace(done, healed=known, healed_at_most=healed) for known in (0, healed))
    for shown in (screen, lambda _, one: "\n".join(show_compaction(one, PLAIN))):
        claims = [" ".join(shown(found, one).split()) for one in (readable, unread)]
        assert [f"{healed:,} item" in one for one in claims] == [True, True]
        assert ["summaries dropped" in one for one in claims] == [True, False]
        assert ["whether its summaries had" in one for one in claims] == [False, True]


def test_shortened_messages_are_told_with_what_they_cost(found: Compacted, done: Compaction) -> None:
    """They are no items, but the screen and the whole page name them, also where there are no items."""
    lost = tuple(Lost(f"omissions:{number}", "cut", None, 2_000) for number in range(2))
    cut = SurvivalClass("omissions", 4, 2, 0, lost)
    whole = SurvivalClass("omissions", 4, 4, 0, ())
    others = tuple(one for one in done.survival.classes if one.name != "omissions")
    for classes, is_said in (((*others, cut), True), ((cut,), True), ((whole,), False)):
        one = replace(done, survival=replace(done.survival, classes=classes))
        for shown in (screen(found, one), "\n".join(show_compaction(one, PLAIN))):
            sentence = "2 of 4 kept messages are shortened: whole, as in an exported session, they cost +4.0k tokens"
            assert (sentence in " ".join(shown.split())) == is_said


def test_each_size_of_a_chat_says_what_it_counts(found: Compacted, done: Compaction) -> None:
    """In context, and with what the tool's compactions replaced; as of a compaction, only what that replaced."""

    def shown(scope: Looked) -> tuple[str, str]:
        survival = replace(done.survival, scope=scope)
        checked = " ".join("\n".join(show_checked(Checked(survival, (), ""), PLAIN)).split())
        return screen(found, replace(done, survival=survival)).split("\n")[1], checked

    live, whole, replaced = shown(Looked(56, 8)), shown(Looked(446, 20, 390)), shown(Looked(390, 12, 390))

    assert live[0].endswith(" · 56 messages")
    assert "compared with 56 messages, 8 of them by you " in live[1]
    assert whole[0].endswith(" · 56 of 446 messages in context")
    assert "446 messages, 20 of them by you: 56 in context, 390 that the tool compacted" in whole[1]
    assert "the 390 messages that the tool compacted, 12 of them by you, as of its last compaction" in replaced[1]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0, 0, "1 turn left"), (0, 1, "1 turn left"), (1, 1, "1 turn left"), (0, 3, "0 to 3 turns"), (2, 2, "2 turns")],
)
def test_the_turns_that_are_left_are_counted_as_in_the_tooltip(
    found: Compacted, done: Compaction, low: int, high: int, said: str
) -> None:
    """One that may be under way is one turn."""
    report = replace(found.report, turns_left=TurnsLeft(low, high))

    assert f", {said}" in screen(replace(found, report=report), done)


def test_the_answer_has_room_beside_the_prompt(found: Compacted, done: Compaction) -> None:
    """Of the prompts at the end the last is shown, on one row, and the answer begins below it."""
    now = (
        f"> Old wish\n\n> {'Bake bread. ' * 50}\n>\n> Thanks.\n- The assistant answered:\n  It is baked.\n  It is hot."
    )
    lines = screen(found, replace(done, sections={"whereWeAre": now, "next": "Eat."})).split("\n")
    place = next(place for place, line in enumerate(lines) if line.startswith("now at"))

    assert lines[place].startswith("now at  > Bake bread. Bake bread.")
    assert lines[place + 1].strip() == "It is baked."


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_the_screen_fits(found: Compacted, width: int) -> None:
    """No line is wider than the terminal, but for the command to copy."""
    lines = list(show_verdict(found, Terminal(width=width, interactive=True, color=False)))

    assert [line for line in lines if columns(line) > width and "--only continuation" not in line] == []


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_list_fits(found: Compacted, width: int) -> None:
    """No row is wider than the terminal; where little is left for titles, the ages go first."""
    one = Session("file:///x", "copilot-cli", "x", "Bakery shop: discount codes", "2020-05-01T00:00:00.000Z", 5)
    rows = [Listed(one, found.report), Listed(one, None)]
    lines = list(show_chats(rows, Terminal(width=width, interactive=True, color=False), elsewhere=True))

    assert [line for line in lines if columns(line) > width] == []
    assert [line.endswith(" ago") for line in lines if "Copilot" in line] == [width > 40] * 2


@pytest.mark.parametrize("more", [-2000, 0, 2000])
def test_the_conversation_is_without_what_each_chat_has_around_it(
    found: Compacted, done: Compaction, more: int
) -> None:
    """What the tool adds to the next chat may be more or less than what it added to this one."""
    assert done.next_chat
    assert done.next_chat.continuation
    before, after = found.report.used - found.report.parts.fixed, done.next_chat.continuation
    size = replace(after, tokens=after.tokens + more, fixed=after.fixed + more)
    shown = screen(found, replace(done, next_chat=replace(done.next_chat, continuation=size)))

    assert f"conversation {short(before)} → {short(after.tokens - after.fixed)} (" in shown


def test_an_empty_list_is_one_sentence() -> None:
    """It does not announce chats that do not follow."""
    lines = list(show_chats([], Terminal(width=200, interactive=True, color=False), elsewhere=True))

    assert [line.startswith("No chats were found where tools keep them.") for line in lines] == [True]


def test_the_most_important_comes_first() -> None:
    """By kind, of a kind the newest, look-ups last; the same in other letters once, and no parts of messages."""

    def lost(name: str, *words: str) -> SurvivalClass:
        return SurvivalClass(name, 9, 1, 0, tuple(Lost(f"{name}:{text}", text, None, 1) for text in words))

    classes = (
        lost("userMessages", "old wish", "new wish"),
        lost("errors", "It broke", "File does not exist."),
        lost("todos", "Bake", "bake"),
        lost("commands", "make bread", "ls -la", "git status"),
        lost("constraints", "Never bake twice."),
        lost("readFiles", "a.py"),
        lost("omissions", "472 characters"),
    )

    assert [fact.text for _, fact in missing_of(Survival(0.5, classes))] == [
        *("Never bake twice.", "new wish", "old wish", "bake", "It broke", "make bread", "a.py"),
        *("File does not exist.", "git status", "ls -la"),
    ]


def test_a_warning_is_on_the_screen(found: Compacted, done: Compaction) -> None:
    """Of a damaged chat, and of what was not done."""
    warned = screen(found, replace(done, warnings=(Warning("odd", "This is odd.", 7),)))

    named = screen(found, replace(done, warnings=(Warning("odd", "Line 7 is odd.", 7),)))

    assert "note    This is odd. (line 7)" in warned.split("\n")
    assert "note    Line 7 is odd." in named.split("\n")


def test_an_archive_that_is_off_is_named(found: Compacted, done: Compaction) -> None:
    """Without an archive there is no draft to change; a message that was kept says nothing of it."""
    unsaved = screen(found, replace(done, archive=None))

    assert "archives are off" in unsaved
    assert "draft" not in unsaved
    assert "archives are off" not in screen(found, replace(done, archive="file:///kept"))


def test_a_draft_shows_its_version_and_how_to_change_it(bakery: Path) -> None:
    """The same screen of a draft, also when it is only looked at."""
    job = Job(ClientState())
    first: Draft = run_alone("draft", {"chat": {"uri": bakery.as_uri()}, "options": ASKED}, job)
    again: Draft = run_alone("draft", {"draftId": first.draft_id}, Job(ClientState()))

    for draft in (first, again):
        text = "\n".join(show_draft(draft, PLAIN))
        assert "version 1, without a model" in text
        assert f"draft {first.draft_id[:8]} --add-back ID" in " ".join(text.split())
    assert "\nbefore  " in "\n".join(show_draft(again, PLAIN, is_past=True))


@pytest.mark.parametrize(
    ("platform", "variables", "programs", "copies"),
    [
        ("darwin", (), ("pbcopy",), "pbcopy"),
        ("linux", ("DISPLAY",), ("xclip",), "xclip -sel clip"),
        ("linux", ("DISPLAY",), ("xsel",), "xsel -b"),
        ("linux", ("WAYLAND_DISPLAY", "DISPLAY"), ("wl-copy", "xclip"), "wl-copy"),
        ("linux", ("DISPLAY",), (), ""),
        ("linux", (), ("xclip",), ""),
    ],
)
def test_only_a_clipboard_that_is_there_is_named(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: tuple[str, ...], programs: tuple[str, ...], copies: str
) -> None:
    """It needs its program, and on Linux a display."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in programs else None)
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    for name in variables:
        monkeypatch.setenv(name, ":0")

    assert copier() == copies


def test_the_program_is_named_as_it_was_called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its name where that finds it, else by its path from here; as a module by its Python."""
    monkeypatch.chdir(tmp_path)
    ours = tmp_path / "my env" / "compact-chat"
    module = str(tmp_path / "compact_chat" / "__main__.py")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    names = []
    for called, found in (
        (str(ours), None),
        (str(ours), str(ours)),
        (str(ours), "/usr/bin/compact-chat"),
        (module, None),
    ):
        monkeypatch.setattr(shutil, "which", lambda _, found=found: found)
        monkeypatch.setattr(sys, "argv", [called])
        names.append(program())

    assert names == ["'my env/compact-chat'", "compact-chat", "'my env/compact-chat'", "bin/python -m compact_chat"]
