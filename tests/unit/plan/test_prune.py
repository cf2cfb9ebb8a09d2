"""What an API gets to see of a message, and tool results that are cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Document, Message, Text, Thinking, ToolCall, ToolResult
from compact_chat.plan import can_prune, visible, with_parts
from compact_chat.plan.plan import prune, shorten
from compact_chat.wire import PruneOptions
from tests.samples.chats import ODD, PAPER, PICTURE, a, anything, call, conversations, res, talk, u

ALL = PruneOptions(preserve_tail=0)
limits = st.builds(PruneOptions, st.integers(0, 60), st.integers(0, 30), st.integers(0, 30), st.integers(0, 3))


@pytest.mark.parametrize(
    ("message", "left"),
    [
        pytest.param(a(Thinking("hm"), Thinking(""), "x"), a("x"), id="V1 thinking"),
        pytest.param(u("", " \n\u2028", "x"), u("x"), id="V3 blank texts"),
        pytest.param(u(res("1", "", PICTURE, " ")), u(res("1", PICTURE)), id="V3 blank texts of a result"),
        pytest.param(u(res("1", "", "")), u(ToolResult("1", (Text("(no output)"),))), id="V3 T3 nothing else in it"),
        pytest.param(u(res("1", " ")), u(res("1", " ")), id="V3 a result that is one text"),
        pytest.param(u("x", call("1")), u("x"), id="V2 a call of the user"),
        pytest.param(a("x", call("1"), PICTURE), a("x", call("1"), PICTURE), id="all of it"),
    ],
)
def test_some_parts_are_not_seen(message: Message, left: Message) -> None:
    """V1 to V3: thinking, blank texts and calls outside the assistant's messages are dropped."""
    assert visible(message).parts == left.parts


@given(anything())
def test_what_is_seen_whole_is_the_message_itself(messages: tuple[Message, ...]) -> None:
    """V: an unchanged message is returned as is, a changed one loses the caller's raw object."""
    for message in messages:
        shown = visible(message)
        assert visible(shown) is shown
        assert (shown is message) == (shown.parts == message.parts) == (shown.raw is not None)
        assert with_parts(message, message.parts) is message


@pytest.mark.parametrize(
    ("text", "options", "shorter"),
    [
        pytest.param("x" * 2001, ALL, f"{'x' * 500}\n\n[...1301 chars pruned...]\n\n{'x' * 200}", id="X5 over"),
        pytest.param("x" * 2000, ALL, "x" * 2000, id="X5 exactly"),
        pytest.param("x" * 710, PruneOptions(max_chars=700), "x" * 710, id="X6 would grow"),
        pytest.param("x" * 600, PruneOptions(max_chars=100), "x" * 600, id="X5 head and tail would overlap"),
        pytest.param("x" * 99, PruneOptions(max_chars=9, head=0, tail=105), "x" * 99, id="X5 tail of more than all"),
        pytest.param("ab" * 50, PruneOptions(10, 3, 0), "aba\n\n[...97 chars pruned...]\n\n", id="X5 no tail"),
    ],
)
def test_long_text_keeps_head_and_tail(text: str, options: PruneOptions, shorter: str) -> None:
    """X5, X6: a longer text keeps its head and its tail around a marker, unless that would not be shorter."""
    assert shorten(text, options) == shorter


@given(conversations() | anything(), limits)
def test_it_is_known_whether_there_is_anything_to_cut(messages: tuple[Message, ...], options: PruneOptions) -> None:
    """X2, X4: truncation is advised only if it would change a message."""
    assert can_prune(messages, options) == bool(prune(messages, options).changed)


@pytest.mark.parametrize(
    ("text", "options", "is_kept"),
    [
        (shorten("x" * 5000, ALL), PruneOptions(max_chars=100), True),
        ("x" * 500 + "\n\n[...9 chars pruned...]\n\n" + "y" * 5000, ALL, False),
        ("x" * 499 + "\n\n[...9 chars pruned...]\n\n" + "y" * 300, PruneOptions(max_chars=100), False),
    ],
    ids=["cut", "tail too long", "head too short"],
)
def test_only_the_exact_shape_counts_as_cut(text: str, options: PruneOptions, is_kept: bool) -> None:
    """X8: a text that is head, marker and tail is not truncated again, even under a tiny limit."""
    assert (shorten(text, options) == text) is is_kept


def test_block_lists_are_cut_as_one_text() -> None:
    """X7: the texts of a list become one block, other blocks follow, pictures and documents become words."""
    blocks = res("1", "y" * 2000, PICTURE, "y" * 999, PAPER, ODD)
    pruned = prune(talk(a(call("1")), u(blocks)), ALL)

    assert pruned.messages[1].results[0].content == (
        Text(f"{'y' * 500}\n\n[...2300 chars pruned...]\n\n{'y' * 200}"),
        Text("[image]"),
        Text("[document: notes.pdf]"),
        ODD,
    )
    assert not pruned.messages[1].results[0].as_text
    assert (pruned.blocks, pruned.chars_removed) == (1, 2271)


@pytest.mark.parametrize(
    ("result", "options", "content"),
    [
        (res("1", "short", PICTURE), ALL, (Text("short"), Text("[image]"))),
        (res("1", "short", "as well"), ALL, (Text("short"), Text("as well"))),
        (
            res("1", Document("a\n b", {}), "x" * 99),
            PruneOptions(5, 0, 0, 0),
            (Text("\n\n[...99 chars pruned...]\n\n"), Text("[document: a b]")),
        ),
    ],
)
def test_pictures_and_documents_never_stay_as_data(
    result: ToolResult, options: PruneOptions, content: tuple[Text, ...]
) -> None:
    """V6, X7, X8: a short result loses its picture too; a name is one line that a second run leaves alone."""
    once = prune([u(result)], options)

    assert once.messages[0].results[0].content == content
    assert prune(once.messages, options).blocks == 0


def test_only_results_before_the_newest_messages_change() -> None:
    """X4: texts, calls, ids and flags stay, and so do the newest messages and those to spare."""
    long = "z" * 3000
    turn = (a(long, ToolCall("1", "look", {"q": long})), u(long, res("1", long, is_error=True)))
    messages = talk(*turn, *turn, *turn)
    pruned = prune(messages, PruneOptions(preserve_tail=2), spare={3})

    assert pruned.changed == {1}
    assert [new is old for new, old in zip(pruned.messages, messages, strict=True)] == [True, False, *[True] * 4]
    assert pruned.messages[1].parts[0] == Text(long)
    assert pruned.messages[1].results[0].is_error
    assert pruned.messages[1].raw is None


@given(conversations() | anything(), limits)
def test_pruning_never_grows_and_is_done_once(messages: tuple[Message, ...], options: PruneOptions) -> None:
    """X6, X8, X9: no text grows, the saving adds up and is never negative, and a second run changes nothing."""
    once = prune(messages, options)
    again = prune(once.messages, options)

    assert once.chars_removed == sum(map(size, messages)) - sum(map(size, once.messages))
    assert all(size(new) <= size(old) for new, old in zip(once.messages, messages, strict=True))
    assert again.messages == once.messages
    assert (again.chars_removed, again.blocks) == (0, 0)


@given(conversations() | anything(), limits)
def test_pruning_touches_results_only(messages: tuple[Message, ...], options: PruneOptions) -> None:
    """X4: whatever is no tool result is the same object afterwards, and so is every message without a change."""
    pruned = prune(messages, options)

    for index, (new, old) in enumerate(zip(pruned.messages, messages, strict=True)):
        assert (new is old) == (index not in pruned.changed)
        for after, before in zip(new.parts, old.parts, strict=True):
            if isinstance(before, ToolResult) and isinstance(after, ToolResult):
                assert replace(after, content=()) == replace(before, content=())
            else:
                assert after is before


def size(message: Message) -> int:
    """The characters of a message's results, texts in a list joined; the words for pictures weigh nothing."""
    return sum(len("\n".join(_words(result))) for result in message.results)


def _words(result: ToolResult) -> list[str]:
    """The texts of a result that are no stand-in for a picture or document."""
    texts = [part.text for part in result.content if isinstance(part, Text)]
    return texts if result.as_text else [text for text in texts if not re.fullmatch(r"\[(image|document: .*)\]", text)]
