"""Plain text."""

from __future__ import annotations

import pytest

from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat


@pytest.mark.parametrize("text", ["42", "{not json}", "[TODO] look", "{}\nis an empty object\nin JSON", '"quoted"'])
def test_text_that_looks_a_little_like_json_is_text(text: str) -> None:
    """A scalar, broken JSON and prose around a line of JSON are text when they come as text."""
    assert read_chat(Source.of_text(text)).format == "text"


@pytest.mark.parametrize(
    "text", ["", " \n\t", '{"a":1}', "[1]", '{"kind":0}\n{"kind":1}\n', '{"kind":0}\n{"kind":1}\n{"cu']
)
def test_nothing_and_unknown_json_are_no_text(text: str) -> None:
    """JSON of no known shape is unreadable, in one piece or in lines, and so is nothing at all."""
    with pytest.raises(ChatUnreadable):
        read_chat(Source.of_text(text))


def test_bytes_are_text_only_under_a_name_or_a_hint() -> None:
    """Bytes need the name of a text file, or a caller who says that they are text."""
    assert read_chat(Source.of_bytes(b"hi", "a.md")).format == "text"
    assert read_chat(Source.of_bytes(b"hi"), "text").format == "text"
    with pytest.raises(ChatUnreadable):
        read_chat(Source.of_bytes(b"hi"))


@pytest.mark.parametrize("data", [b"h\0i", b"h\xffi", b""])
def test_bytes_that_are_no_text_stay_unreadable(data: bytes) -> None:
    """NUL, broken UTF-8 and nothing are no text, whatever name and hint say."""
    with pytest.raises(ChatUnreadable):
        read_chat(Source.of_bytes(data, "a.txt"), "text")


def test_a_hint_makes_text_of_unknown_json() -> None:
    """Who says `text` wants the words, also where they are JSON that nobody knows."""
    assert read_chat(Source.of_text('{"a":1}'), "text").format == "text"
