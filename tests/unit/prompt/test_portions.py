"""A chat too long for a model is cut into portions: all of it, in order, between exchanges."""

from __future__ import annotations

from itertools import accumulate, count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.plan import find_exchanges
from compact_chat.prompt import Portion, cut_portions
from compact_chat.prompt.portions import LEAST_ROOM, LONGEST_SUMMARY, RENDERINGS, material
from compact_chat.prompt.transcript import Limits, shrinking
from compact_chat.redact import MaskedMessage
from compact_chat.styles import STYLES, Task
from compact_chat.wire import Style
from tests.samples.chats import a, call, res, s, talk, u
from tests.samples.prompts import each_style
from tests.samples.styles import as_summary

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
def test_every_word_is_in_some_portion(style: Style) -> None:
    """T8: in a chat of many short messages, cutting loses nothing and repeats nothing."""
    messages = talk(*(u(f"word-{n}-{'x' * 300}") if n % 2 else a(f"word-{n}-{'y' * 300}") for n in range(200)))
    asked = task(messages, style)
    cut = cut_portions(asked, 8000)
    texts = "\n".join(material(asked, portion, None).chat for portion in cut)
    assert len(cut) > 5
    assert all(texts.count(f"word-{n}-") == 1 for n in range(200))


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


def test_a_chat_over_the_last_step_is_cut() -> None:
    """T8: what the five steps do not make fit comes in chunks, each at the limits of the last step."""
    messages = talk(*(u("U" * 9000) for _ in range(20)))
    cut = cut_portions(task(messages), 30_000)
    assert len(cut) == 7
    assert {portion.limits for portion in cut} == {shrinking(Limits())[-1]}


def test_an_exchange_stays_whole() -> None:
    """T8, S3: a call and its late result are in one portion, with all that was said between them."""
    messages = talk(
        *(u("x" * 3000) for _ in range(5)), a(call("1")), *(u("y" * 900) for _ in range(3)), u(res("1", "z"))
    )
    cut = cut_portions(task(messages), 9000)
    assert len(cut) > 1
    assert cut[-1].messages[-5:] == messages[-5:]


def test_an_exchange_without_room_is_squeezed() -> None:
    """T8, T6: an exchange that fits nowhere keeps the ends of each of its entries, and is never dropped."""
    said = (u(letter * 4000) for letter in "CDEFGH")
    messages = talk(u("before"), a("A" * 5000, call("1")), *said, u(res("1", "R" * 9000)))
    cut = cut_portions(task(messages), LEAST_ROOM)
    assert sum(len(portion.messages) for portion in cut) == len(messages)
    shown = material(task(messages), cut[-1], None).chat
    assert all(letter * 60 in shown for letter in "ACDEFGHR")


def test_a_summary_that_comes_unexpectedly_fits_too() -> None:
    """T8: if a portion was expected to need no earlier summary, the two still share the room."""
    messages = talk(u("x" * 9900))
    (portion,) = cut_portions(task(messages), 10_000)
    assert sum(sizes(task(messages), portion, "old " * 3000)) <= 10_000


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


def test_a_room_too_small_is_taken_for_the_least() -> None:
    """T8: a window without room leads to a few requests that are too long, not to thousands that say nothing."""
    messages = talk(*(u("x" * 50) for _ in range(1000)))
    assert cut_portions(task(messages), 0) == cut_portions(task(messages), LEAST_ROOM)
    assert len(cut_portions(task(messages), 0)) < 40


def test_messages_without_words_never_stand_alone() -> None:
    """T8, P25: a portion that shows nothing would be refused, so that such messages go with their neighbours."""
    messages = talk(u(""), a(""), u("x" * 4000), a(""), u("y" * 4000), a(""))
    asked = task(messages)
    cut = cut_portions(asked, LEAST_ROOM)
    assert [[message.id for message in portion.messages] for portion in cut] == [["m0", "m1", "m2", "m3"], ["m4", "m5"]]
    assert all(material(asked, portion, None).chat for portion in cut)
