"""A chat too long for a model is cut into portions: all of it, in order, between exchanges."""

from __future__ import annotations

import json
from itertools import accumulate, count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Text, ToolCall
from compact_chat.plan import find_exchanges
from compact_chat.prompt import Portion, cut_portions
from compact_chat.prompt.portions import LEAST_ROOM, LONGEST_SUMMARY, RENDERINGS, material, sift
from compact_chat.prompt.transcript import LABELLED, gist, shorter_edit, shrinking
from compact_chat.redact import MaskedMessage
from compact_chat.styles import STYLES, Task
from compact_chat.wire import Style
from tests.oracles.snapshots import check_parts
from tests.samples.chats import NO_MASKS, a, anything, call, res, s, talk, u
from tests.samples.prompts import each_style
from tests.samples.scenes import played
from tests.samples.styles import as_summary
from tests.samples.tools import ran

SIZES = st.sampled_from([0, 1, 30, 900, 2500, 9000])


@st.composite
def long_chats(draw: st.DrawFn) -> tuple[MaskedMessage, ...]:
    """Chats of words, of calls with their results, parallel ones and late ones, many of them long."""
    ids = map(str, count())
    messages: list[Message] = []
    for kind, size in draw(st.lists(st.tuples(st.integers(0, 5), SIZES), min_size=1, max_size=12)):
        word, first, second = "</summary> "[: size % 11] + "w" * size, next(ids), next(ids)
        match kind:
            case 0:
                messages += [u(word)]
            case 1:
                messages += [a(word)]
            case 2:
                messages += [s(word)]
            case 3:
                messages += [a(word, call(first, given=word), call(second)), u(res(first, word), res(second, "ok"))]
            case 4:
                messages += [a(call(first)), u(word), a(word), u(res(first, word))]
            case _:
                messages += [a(word, call(first)), u(f"<context-summary>\n{word}\n</context-summary>")]
    return talk(*messages)


def task(messages: tuple[MaskedMessage, ...], style: Style = "detailed", **wishes: str) -> Task:
    """Make a task for these messages."""
    return Task(messages, style, "upTo", **wishes)  # type: ignore[arg-type]  # fields of any type


def sizes(asked: Task, portion: Portion, previous: str | None) -> tuple[int, int]:
    """Return the characters of the summary and of the chat in a portion's request."""
    about = material(asked, portion, as_summary(previous) if previous else None)
    return len(about.earlier), len(about.chat)


@each_style
@given(messages=long_chats(), room=st.sampled_from([0, 4000, 7000, 20_000, 10**6]))
def test_no_message_is_lost_or_doubled(style: Style, messages: tuple[MaskedMessage, ...], room: int) -> None:
    """T8: the portions contain each message once, in order, and split no exchange."""
    cut = cut_portions(task(messages, style), room)
    assert [message.id for portion in cut for message in portion.messages] == [message.id for message in messages]
    bounds = list(accumulate(len(portion.messages) for portion in cut))
    assert all(find_exchanges(messages).clean[bound] for bound in bounds)
    assert [portion.more for portion in cut] == [True] * (len(cut) - 1) + [False]


@each_style
@given(messages=long_chats(), room=st.sampled_from([0, 4000, 7000, 20_000]), length=st.sampled_from([0, 500, 90_000]))
def test_each_portion_fits(style: Style, messages: tuple[MaskedMessage, ...], room: int, length: int) -> None:
    """T8: the chat and the summary of earlier portions fit the room together, however long the summary is."""
    asked = task((*messages, u("end")), style)
    previous = None
    for portion in cut_portions(asked, room):
        assert portion.room <= max(room, LEAST_ROOM)
        earlier, chat = sizes(asked, portion, previous)
        assert earlier + chat <= portion.room
        previous = "<summary> old " * (length // 14)


@each_style
def test_what_fits_is_one_portion(style: Style) -> None:
    """T8: a chat that fits is neither cut nor shrunk."""
    messages = talk(u("go"), a(call("1")), u(res("1", "x" * 400)))
    assert cut_portions(task(messages, style), 100_000) == (
        Portion(messages, RENDERINGS[STYLES[style].transcript].usual, 100_000 - kept(style)),
    )


def kept(style: Style) -> int:
    """Return the room reserved for file records."""
    return 8000 if style == "checkpoint" else 0


@pytest.mark.parametrize("step", range(6))
def test_shrinks_before_it_cuts(step: int) -> None:
    """T8: the five steps come first, and only as many of them as are needed."""
    messages = talk(
        u("U" * 9000), a("A" * 9000, call("k", value="J" * 900)), u(res("k", "R" * 9000)), a("A" * 3000), u("U" * 5000)
    )
    rendering = RENDERINGS["labels"]
    limits = shrinking(rendering.usual)[step]
    cut = cut_portions(task(messages), len(rendering.text(messages, limits)))
    assert len(cut) == 1
    assert len(rendering.text(messages, cut[0].limits)) == len(rendering.text(messages, limits))


def test_an_exchange_without_room_is_squeezed() -> None:
    """T8, T6: an exchange that fits nowhere keeps the ends of each of its entries, and is never dropped."""
    said = (u(letter * 4000) for letter in "CDEFGH")
    messages = talk(u("before"), a("A" * 5000, call("1")), *said, u(res("1", "R" * 9000)))
    cut = cut_portions(task(messages), LEAST_ROOM)
    assert sum(len(portion.messages) for portion in cut) == len(messages)
    shown = material(task(messages), cut[-1], None).chat
    assert all(letter * 60 in shown for letter in "ACDEFGHR")


def test_a_message_of_names_alone_is_cut_in_its_middle() -> None:
    """T8, T6: if even the labels of an exchange are too long, its beginning and its end are kept."""
    messages = talk(a(*(call(f"id-{number}") for number in range(2000))))
    (portion,) = cut_portions(task(messages), LEAST_ROOM)
    shown = material(task(messages), portion, None).chat
    assert len(shown) <= LEAST_ROOM
    assert "id-0:" in shown
    assert "id-1999:" in shown


def test_room_is_kept_for_the_summary_of_the_portions_before() -> None:
    """T8: each chunk leaves up to half of the room, and no more than a summary can take."""
    messages = talk(*(u("U" * 3000) for _ in range(60)))
    for room, left in ((10_000, 5000), (150_000, LONGEST_SUMMARY)):
        cut = cut_portions(task(messages), room)
        assert len(cut) > 1
        assert all(sizes(task(messages), portion, None)[1] <= room - left for portion in cut)


def test_the_users_own_words_count() -> None:
    """T8: long instructions count against the room, so that the whole request fits."""
    messages = talk(*(u("U" * 3000) for _ in range(6)))
    assert len(cut_portions(task(messages), 20_000)) == 1
    assert len(cut_portions(task(messages, focus="f" * 5000), 20_000)) > 1
    assert len(cut_portions(replace(task(messages), rules=("r" * 5000,)), 20_000)) > 1


def test_messages_without_words_never_stand_alone() -> None:
    """T8, P25: a portion that shows nothing would be refused, so that such messages go with their neighbours."""
    messages = talk(u(""), a(""), u("x" * 4000), a(""), u("y" * 4000), a(""))
    asked = task(messages)
    cut = cut_portions(asked, LEAST_ROOM)
    assert [[message.id for message in portion.messages] for portion in cut] == [["m0", "m1", "m2", "m3"], ["m4", "m5"]]
    assert all(material(asked, portion, None).chat for portion in cut)


# What a prompt shows of a chat: whose words are whose, the host's once, results and edits by what matters in them.


REMINDER = "<system-reminder>\nCRITICAL: scope guardrail. Never leave the folder.\n</system-reminder>"


def shown(*messages: Message) -> list[str]:
    """Return the entries of the transcript in a prompt."""
    (portion,) = cut_portions(task(NO_MASKS.messages(messages)), 10**6)
    return LABELLED.text(portion.messages, portion.limits).split("\n\n")


def typed(text: str, *words: str) -> MaskedMessage:
    """A user message of which a person typed only some words."""
    return replace(u(text), typed=words)


@pytest.mark.parametrize(
    ("message", "entries"),
    [
        (u("fix it"), ["[User]: fix it"]),
        (replace(u("Caveat: local commands follow."), by_host=True), ["[Host]: Caveat: local commands follow."]),
        (
            typed("<context>\nNov 18\n</context>\n<userRequest>\nfix it\n</userRequest>\n", "fix it"),
            ["[Host]: <context>\nNov 18\n</context>", "[User]: fix it"],
        ),
        (typed("fix it\nand more", "fix it\nand more", "words of another place"), ["[User]: fix it\nand more",
                                                                                  "[User]: words of another place"]),
        (
            replace(typed("<name>/tidy</name><args>the docs</args>", "the docs"), by_host=True),
            ["[Host]: <name>/tidy</name>", "[User]: the docs"],
        ),
        (
            replace(u(res("1", "User said: use rye. Go on."), "ok"), typed=("use rye", "ok")),
            ["[Tool result #1]: User said: use rye. Go on.", "[User]: use rye", "[User]: ok"],
        ),
        (
            replace(u(res("1", f"done\n\n{REMINDER}")), typed=("Never leave the folder.",)),
            ["[Tool result #1]: done", "[Host]: <system-reminder>\nCRITICAL: scope guardrail.",
             "[User]: Never leave the folder.", "[Host]: </system-reminder>"],
        ),
    ],
)  # fmt: skip
def test_each_text_is_under_its_speaker(message: Message, entries: list[str]) -> None:
    """G8, T9: what is labeled as the user's is what a person typed, wherever it was, and all of it."""
    assert [entry.strip() for entry in shown(message)] == entries


def test_the_host_is_heard_once() -> None:
    """T9: repeated reminders and context are left out; a short note of its own counts each time."""
    context = "<context>\nNov 18\n</context>\n<rules>\nUse the tool edit for all edits.\n</rules>"
    chat = [typed(f"{context}\n<ask>{words}</ask>", words) for words in ("one", "two", "three")]
    results = [u(res(str(n), f"{n}\n{REMINDER}")) for n in range(20)]
    note = replace(u("[interrupted by the user]"), by_host=True)
    text = "\n".join(shown(*chat, *results, note, note))
    assert text.count("Use the tool edit") == text.count("scope guardrail") == 1
    assert text.count("[interrupted by the user]") == 2
    usage = [typed(f"go\n\n# Usage\n{n} / 200K tokens\n\n# Mode\nACT", "go") for n in range(9)]
    assert "\n".join(shown(*usage)).count("# Usage") == 1
    assert [words in text for words in ("[User]: one", "[User]: two", "[User]: three")] == [True] * 3


def test_what_a_prompt_shows_of_a_chat(accept: bool) -> None:
    """T4 to T6, T9, P8: results without what surrounds them, edits and lists by their changes, ends of thoughts."""
    source = Path(__file__).with_name("portions.txt")
    check_parts(source, lambda _, lines: shown(*played(lines)[0]), accept=accept)


def test_a_folder_is_told_where_it_changes() -> None:
    """T9: a command in the folder of the one before tells only what it ran, and no limits of its output."""
    ran = [("ls", "/w"), ("make", "/w"), ("git log", ""), ("make docs", "/w/docs")]
    calls = [
        a(ToolCall(str(n), "exec_command", {"cmd": command, "max_output_tokens": 9} | ({"workdir": at} if at else {})))
        for n, (command, at) in enumerate(ran)
    ]

    assert [one.calls[0].input for one in sift(NO_MASKS.messages(calls))] == [
        {"cmd": "ls", "workdir": "/w"},
        {"cmd": "make"},
        {"cmd": "git log"},
        {"cmd": "make docs", "workdir": "/w/docs"},
    ]


def test_only_open_calls_have_long_ids() -> None:
    """T1: an id that only a program reads is left out, or short where several calls are open."""
    alone = (a(call("toolu_01WuAEfYQ2rqbMpj")), u(res("toolu_01WuAEfYQ2rqbMpj", "x")))
    assert shown(*alone) == ["[Tool call: look({})]", "[Tool result]: x"]
    both = (a(call("call_number_1"), call("call_number_2")), u(res("call_number_2", "b"), res("call_number_1", "a")))
    assert shown(*both)[2:] == ["[Tool result #ber2]: b", "[Tool result #ber1]: a"]
    assert shown(*ran("ls", "a"))[0].endswith('Bash({"command":"ls"})]')


CODE = (
    "import os\n" + "x = 1\n" * 400 + "def bake(rye: int) -> Bun:\n" + "    y = 2\n" * 200 + "class Oven:\n    pass\n"
)


@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        ({"old_string": "o" * 900, "new_string": CODE}, "old_string", "new_string"),
        ({"edits": [{"old_string": "o" * 900, "new_string": CODE}] * 2}, "", ""),
        ({"args": {"path": "a.py", "content": CODE}}, "", ""),
        ({"input": "*** Begin Patch\n*** Update File: a.py\n" + "-o\n" * 900 + "+n\n" * 10 + "+def bake():\n"}, "", ""),
        ({"diff": "<<<<<<< SEARCH\n" + "o\n" * 900 + "=======\nn\ndef bake():\n>>>>>>> REPLACE"}, "", ""),
    ],
)
def test_an_edit_shows_the_start_of_the_new_code_and_its_signatures(
    given: dict[str, object], old: str, new: str
) -> None:
    """T4: the new code from its start, what it defines after that, and little of the old."""
    short = shorter_edit(given, 1500)
    text = json.dumps(short)
    assert len(text) < 3000
    assert text.count("o\\n") + text.count("oooo") < 50
    assert "def bake(" in text
    if new:
        assert str(short[new]).startswith("import os\nx = 1\n")
        assert str(short[new]).endswith("def bake(rye: int) -> Bun:\nclass Oven:")
        assert str(short[old]).startswith("o" * 150 + "\n[... 750 characters")
    assert shorter_edit(given, 100_000) == given


def test_a_list_in_new_code_is_not_removed_code() -> None:
    """T4: within a block its own marks tell the sides, not the signs before lines."""
    short = shorter_edit({"diff": "<<<<<<< SEARCH\no\n=======\n" + "- rye\n" * 900 + ">>>>>>> REPLACE"}, 1500)

    assert short["diff"].count("- rye\n") > 200


def test_short_code_is_whole_and_long_code_tells_what_it_lacks() -> None:
    """T4, T6: nothing is cut without a marker."""
    assert gist("x" * 100, 100) == "x" * 100
    assert gist("x" * 101, 100) == "x" * 100 + "\n[... 1 characters omitted ...]"
    assert gist(f"# Buns\n{'rye ' * 900}\n## Oven\n{'hot ' * 90}", 300).endswith("omitted ...]\n## Oven")
    (entry,) = shown(a(ToolCall("1", "write_file", {"path": "a.py", "content": CODE})))
    assert 1400 < len(entry) < 2300
    assert json.loads(entry[entry.index("{") : -2])["path"] == "a.py"


@given(messages=anything())
def test_nothing_that_was_said_gets_lost(messages: tuple[MaskedMessage, ...]) -> None:
    """G5, T2, T9: sifting is pure, and keeps the assistant's texts, the user's, and the place of each call."""
    before = repr(messages)
    sifted = sift(messages)
    assert repr(messages) == before
    assert sifted == sift(messages)
    calls = [[one.id for message in some for one in message.calls] for some in (messages, sifted)]
    assert calls[0] == calls[1]
    said = [one.text for message in messages if not message.by_host and message.typed is None for one in message.parts
            if isinstance(one, Text)]  # fmt: skip
    kept = [part.text for message in sifted if not message.by_host for part in message.parts if isinstance(part, Text)]
    assert kept == said
