"""The texts of a message, and which result answers which call."""

from __future__ import annotations

from compact_chat.chat import Image, Message, Text, Thinking, ToolCall, ToolResult, find_links, result_text, texts
from tests.samples.chats import a, call, res, u


def test_texts_come_in_their_order() -> None:
    """Words, thoughts, the strings of nested arguments and results come in the order they stand in."""
    call = ToolCall("c", "edit", {"path": "a.py", "edits": [{"old": "x", "new": "y"}], "count": 2})
    result = ToolResult("c", (Text("done"), Image()))
    message = Message("m0", "assistant", (Text("one"), Thinking("two"), call, result))

    assert list(texts(message)) == ["one", "two", "a.py", "x", "y", "done\n[image]"]


def test_a_result_reads_as_its_texts_and_marks() -> None:
    """T3: texts are joined by line feeds, with a mark in place of a picture."""
    assert result_text(ToolResult("c", (Text("p"), Image(), Text("q")))) == "p\n[image]\nq"


def test_a_call_answered_twice_keeps_its_first_answer() -> None:
    """V2: a further result for an answered call is a repeat, one without a call an orphan."""
    links = find_links([a(call("1"), call("2")), u(res("1", "r"), res("1", "again"), res("3", "r"))])

    assert links.answers == {(1, 0): (0, 0)}
    assert links.repeats == {(1, 1): (0, 0)}
    assert links.orphans == {(1, 2)}
    assert links.unanswered == ((0, 1),)


def test_calls_of_one_id_are_answered_in_their_order() -> None:
    """V2: two calls of one message that share an id are met by its results one after the other."""
    links = find_links([a(call(""), call("")), u(res("", "first"), res("", "second"))])

    assert links.answers == {(1, 0): (0, 0), (1, 1): (0, 1)}


def test_a_later_message_takes_an_id_over() -> None:
    """K8, V2: a result answers the newest call of its id; what stayed open before stays so."""
    links = find_links([a(call("1")), u("hm"), a(call("1")), u(res("1", "r")), u(res("1", "s"))])

    assert links.answers == {(3, 0): (2, 0)}
    assert links.repeats == {(4, 0): (2, 0)}
    assert links.unanswered == ((0, 0),)
