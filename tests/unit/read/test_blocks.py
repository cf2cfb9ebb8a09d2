"""The content of a message becomes parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Document, Image, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.read.apis import arguments_of, parts_of, result_of

PDF = {"type": "document", "title": "plan", "source": {"type": "base64", "data": "AA"}}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
READABLE: list[tuple[object, Part]] = [
    ("words", Text("words")),
    ({"type": "text", "text": "a"}, Text("a")),
    ({"type": "input_text", "text": "a"}, Text("a")),
    ({"type": "output_text", "text": "a"}, Text("a")),
    ({"type": "refusal", "refusal": "no"}, Text("no")),
    ({"type": "thinking", "thinking": "hm", "signature": "x"}, Thinking("hm")),
    ({"type": "redacted_thinking", "data": "secret"}, Thinking("")),
    (PICTURE, Image("image/png", "AA")),
    ({"type": "image", "source": {"type": "url", "url": "https://x/a.png"}}, Image(url="https://x/a.png")),
    ({"type": "image_url", "image_url": {"url": "data:image/gif;base64,AA"}}, Image("image/gif", "AA")),
    ({"type": "image_url", "image_url": {"url": "https://x/a.png"}}, Image(url="https://x/a.png")),
    ({"type": "input_image", "image_url": "data:image/gif;base64,AA"}, Image("image/gif", "AA")),
    (PDF, Document("plan", PDF)),
    ({"type": "file", "file": {"filename": "f"}}, Document("f", {"type": "file", "file": {"filename": "f"}})),
    ({"type": "tool_use", "id": "t", "name": "grep", "input": {"q": "é"}}, ToolCall("t", "grep", {"q": "é"})),
    ({"type": "tool_use"}, ToolCall("", "", {})),
    ({"type": "tool_use", "id": "t", "name": "x", "input": "no object"}, ToolCall("t", "x", {})),
    ({"type": "tool_result", "tool_use_id": "t", "content": "ok"}, ToolResult("t", (Text("ok"),), as_text=True)),
    ({"type": "tool_result", "tool_use_id": "t"}, ToolResult("t", ())),
    (
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "is_error": True,
            "content": [{"type": "text", "text": "p"}, PICTURE],
        },
        ToolResult("t", (Text("p"), Image("image/png", "AA")), is_error=True),
    ),
]


@pytest.mark.parametrize(("block", "part"), READABLE)
def test_each_known_block_has_its_part(block: object, part: Part) -> None:
    """G1: every block of the three APIs becomes its part."""
    assert parts_of([block]) == (part,)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "hologram", "x": 1}, Unknown("hologram", {"type": "hologram", "x": 1})),
        (None, Unknown("null", {"value": None})),
        (3, Unknown("number", {"value": 3})),
        (True, Unknown("boolean", {"value": True})),
        ([1], Unknown("array", {"value": [1]})),
        ({"type": None}, Unknown("block", {"type": None})),
        ({"a": 1}, Unknown("block", {"a": 1})),
    ],
)
def test_unknown_blocks_stay_visible(block: object, part: Part) -> None:
    """T7: a block of an unknown type is kept whole under its name; nothing is dropped silently."""
    assert parts_of([block]) == (part,)


def test_results_hold_no_calls_and_no_results() -> None:
    """Calls, results and thinking inside a result become unknown blocks, so that nothing nests."""
    inner = {"type": "tool_result", "tool_use_id": "x", "content": []}
    assert result_of("t", [inner]).content == (Unknown("tool_result", inner),)


def test_content_of_an_odd_type_is_kept() -> None:
    """G1, X9: a string is one text block, no content is none, a number or an object is untouched and not refused."""
    assert (parts_of("hi"), parts_of(None)) == ((Text("hi"),), ())
    assert result_of("t", 5).content == (Unknown("number", {"value": 5}),)
    assert result_of(7, {"type": "text", "text": "a"}) == ToolResult("", (Text("a"),))


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ('{"city":"Oslo"}', {"city": "Oslo"}),
        ({"city": "Oslo"}, {"city": "Oslo"}),
        ("", {}),
        (None, {}),
        (4, {}),
        ("{broken", {"arguments": "{broken"}),
        ("[1]", {"arguments": "[1]"}),
        ("[" * 5000, {"arguments": "[" * 5000}),
    ],
)
def test_arguments_are_an_object_in_the_end(value: object, arguments: object) -> None:
    """Arguments come as JSON in a string; anything but an object is kept as text."""
    assert arguments_of(value) == arguments


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_no_content_is_too_strange(content: object) -> None:
    """T7: any JSON value becomes parts, never an error."""
    count = len(content) if isinstance(content, list) else content is not None
    assert len(parts_of(content)) == count
