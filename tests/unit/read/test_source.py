"""What a chat is read from."""

from __future__ import annotations

import json

import pytest

from compact_chat.read import Source


def test_a_byte_order_mark_is_no_text() -> None:
    """A BOM is taken off bytes and text alike."""
    assert Source.of_bytes(b"\xef\xbb\xbfhi").text == "hi"
    assert Source.of_text("\ufeffhi").text == "hi"


def test_broken_bytes_are_replaced_and_noted() -> None:
    """Bytes that are not UTF-8 become U+FFFD, and a warning carries the first line with one."""
    source = Source.of_bytes(b'{"a":1}\n{"b":"\xff"}\n')
    assert source.records == ({"a": 1}, {"b": "\ufffd"})
    assert [(warning.code, warning.line) for warning in source.warnings] == [("brokenBytes", 2)]


def test_records_may_stand_in_any_lines() -> None:
    """Glued, blank and CRLF lines cost nothing."""
    source = Source.of_text('{"a":1}\r\n\r\n{"b":2}{"c":3}\n')
    assert source.records == ({"a": 1}, {"b": 2}, {"c": 3})
    assert source.damaged_lines == ()


def test_damaged_lines_are_skipped_and_numbered() -> None:
    """A damaged line costs itself only, and a warning that carries its number."""
    source = Source.of_bytes(b'{"a":1}\nnoise\n\0\0\0\n42\n{"b":2}\n{"c":"cu')
    assert source.records == ({"a": 1}, {"b": 2})
    assert source.damaged_lines == (2, 3, 4, 6)
    assert [(warning.code, warning.line) for warning in source.damage] == [("damagedLine", n) for n in (2, 3, 4, 6)]


def test_other_separators_part_no_lines() -> None:
    """G3: U+2028, U+0085, VT and FF are ordinary characters."""
    source = Source.of_text('{"a":"\u2028\u0085"}\n{"b":1}')
    assert source.records == ({"a": "\u2028\u0085"}, {"b": 1})


def test_the_ui_copy_of_a_result_is_not_kept() -> None:
    """What a tool keeps for its own screen is no part of a chat."""
    assert Source.of_text('{"a":1,"toolUseResult":{"stdout":"x"}}\n{}').records[0] == {"a": 1}


def test_one_object_is_document_and_record() -> None:
    """A file of one line is both."""
    source = Source.of_text('\n\n{"a":1}\n')
    assert source.document == {"a": 1}
    assert source.records == ({"a": 1},)


def test_a_document_over_many_lines_has_no_damage() -> None:
    """Pretty-printed JSON is not taken for broken JSON lines."""
    source = Source.of_text(json.dumps([{"role": "user"}], indent=1))
    assert source.document == [{"role": "user"}]
    assert (source.records, source.damaged_lines) == ((), ())


@pytest.mark.parametrize("text", ["", "42", '"a"', "null", "{} {}", "[1", "nope", "[" * 100_000])
def test_what_is_no_document(text: str) -> None:
    """Scalars, several values, broken and bottomless JSON are no document, and never an error."""
    source = Source.of_text(text)
    assert source.document is None
    assert not source.is_json or source.records


def test_deep_nesting_never_escapes() -> None:
    """A record that is nested too deeply is kept, without its depths."""
    line = '{"uuid":"u","input":' + '{"a":' * 3000 + "1" + "}" * 3001
    assert [record["uuid"] for record in Source.of_text(f"{line}\n{line}").records] == ["u", "u"]


@pytest.mark.parametrize(
    ("data", "name", "plain"),
    [
        (b"hi", "notes.txt", True),
        (b"hi", "file:///a/NOTES.MD", True),
        (b"hi", "notes.log", False),
        (b"hi", "", False),
        (b"h\0i", "notes.txt", False),
        (b"h\xffi", "notes.txt", False),
    ],
)
def test_which_bytes_may_be_plain_text(data: bytes, name: str, plain: bool) -> None:
    """Plain text is a `.txt` or `.md` file that is UTF-8 without NUL."""
    assert Source.of_bytes(data, name).plain is plain


def test_a_given_document_is_not_copied() -> None:
    """A caller's document is used as it is, so that its messages can go back as they came."""
    document = {"messages": [{"role": "user", "content": "hi"}], "toolUseResult": 1}
    source = Source.of_document(document)
    assert source.document is document
    assert (source.strict, source.records, source.text) == (True, (), "")
    assert "toolUseResult" in document


def test_a_long_line_is_a_record() -> None:
    """A line of five megabytes is read, and a cut one costs itself."""
    line = json.dumps({"uuid": "u", "text": 'ab\\\n"{[' * 600_000})
    assert len(Source.of_text(f"{line}\n{line[:-9]}\n").records) == 1
