"""Messages in the shapes of the three APIs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from compact_chat.chat import Document, Image, JsonObject, Part, Text, Thinking, Unknown
from compact_chat.resume import (
    as_anthropic,
    as_openai_chat,
    as_openai_responses,
)
from tests.samples.chats import ODD, PAPER, PICTURE, a, call, res, s, u

INSIDE: JsonObject = {"type": "base64", "media_type": "application/pdf", "data": "JV"}
PDF = Document("a.pdf", {"type": "document", "title": "a.pdf", "source": INSIDE})
NOTE = Document("n", {"type": "document", "source": {"type": "text", "data": "words"}})
FILE = Document("a.pdf", {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JV"}})
LINK = Image(url="https://example.org/a.png")
DATA = "data:image/png;base64,aGk="


def as_words(text: str) -> tuple[JsonObject, JsonObject, JsonObject]:
    """A text of the user in each shape."""
    return {"type": "text", "text": text}, {"type": "text", "text": text}, {"type": "input_text", "text": text}


PARTS = [
    (Text("t"), *as_words("t")),
    (
        PICTURE,
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image_url", "image_url": {"url": DATA}},
        {"type": "input_image", "image_url": DATA},
    ),
    (
        LINK,
        {"type": "image", "source": {"type": "url", "url": LINK.url}},
        {"type": "image_url", "image_url": {"url": LINK.url}},
        {"type": "input_image", "image_url": LINK.url},
    ),
    (Image(), *as_words("[image]")),
    (
        Document("", {"type": "document", "source": INSIDE}),
        {"type": "document", "source": INSIDE},
        {"type": "file", "file": {"filename": "document", "file_data": "data:application/pdf;base64,JV"}},
        {"type": "input_file", "filename": "document", "file_data": "data:application/pdf;base64,JV"},
    ),
    (PDF, PDF.raw, FILE.raw, {"type": "input_file", **FILE.raw["file"]}),
    (FILE, PDF.raw, FILE.raw, {"type": "input_file", **FILE.raw["file"]}),
    (NOTE, NOTE.raw, *as_words("[document: n]\nwords")[1:]),
    (PAPER, PAPER.raw, *as_words("[document: notes.pdf]")[1:]),
    (ODD, ODD.raw, ODD.raw, ODD.raw),
]


@pytest.mark.parametrize(("part", "anthropic", "chat", "responses"), PARTS, ids=range(len(PARTS)))
def test_parts_of_the_user(part: Part, anthropic: JsonObject, chat: JsonObject, responses: JsonObject) -> None:
    """V6: words, pictures, documents and unknown blocks go out as each API writes them."""
    messages = [u(part, "x")]

    assert as_anthropic(messages)[0]["content"][0] == anthropic
    assert as_openai_chat(messages)[0]["content"][0] == chat
    assert as_openai_responses(messages)[0]["content"][0] == responses


def test_the_anthropic_shape() -> None:
    """G1: results stand in the user's message; one text is a string; an error is marked."""
    messages = [
        s("rules"),
        u("q"),
        a(Thinking("hm"), Thinking(""), call("1", q="é")),
        u(res("1", "r", is_error=True), res("2", "p", PICTURE), "w"),
    ]

    assert as_anthropic(messages) == [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "redacted_thinking", "data": ""},
                {"type": "tool_use", "id": "1", "name": "look", "input": {"q": "é"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "r", "is_error": True},
                {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "p"}, PARTS[1][1]]},
                {"type": "text", "text": "w"},
            ],
        },
    ]


def test_the_openai_chat_shape() -> None:
    """G1: each result is a tool message, its pictures follow as the user's; arguments are compact JSON."""
    messages = [
        s("rules"),
        a(Thinking("hm"), "text", call("1", q="é", n=[1])),
        u(res("1", "r"), res("2", "p", PICTURE, Image()), res("3"), "w"),
        a(call("4")),
        a(Thinking("hm")),
    ]
    asked = {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"q":"é","n":[1]}'}}

    assert as_openai_chat(messages) == [
        {"role": "system", "content": "rules"},
        {"role": "assistant", "content": "text", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        {
            "role": "tool",
            "tool_call_id": "2",
            "content": [{"type": "text", "text": text} for text in ("p", "[image]", "[image]")],
        },
        {"role": "tool", "tool_call_id": "3", "content": ""},
        {"role": "user", "content": [PARTS[1][2], {"type": "text", "text": "w"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "4", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
    ]


def test_the_openai_responses_shape() -> None:
    """G1: words, calls and outputs are items in their order, and so are blocks of the assistant we do not know."""
    messages = [
        s("rules"),
        a(Thinking("hm"), "one", "two", call("1", q="é"), ODD, "three"),
        u(res("1", "r"), res("2", "p", PICTURE), "w"),
    ]

    assert as_openai_responses(messages) == [
        {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "rules"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "one"}, {"type": "output_text", "text": "two"}],
        },
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": '{"q":"é"}'},
        ODD.raw,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "three"}]},
        {"type": "function_call_output", "call_id": "1", "output": "r"},
        {"type": "function_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "p"}, PARTS[1][3]]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "w"}]},
    ]


@pytest.mark.parametrize("write", [as_anthropic, as_openai_chat, as_openai_responses])
def test_attachments_that_are_not_the_users_become_words(write: Callable[..., list[JsonObject]]) -> None:
    """V6: no API takes a picture or a document of the assistant or of the system."""
    for message in (a("x", PICTURE, NOTE), s("x", PICTURE, NOTE)):
        (item,) = write([message])

        assert [block["text"] for block in item["content"]] == ["x", "[image]", "[document: n]\nwords"]


def test_pictures_of_results_do_not_part_the_results_of_one_turn() -> None:
    """V2, V7: while a call waits beside them, nothing follows the results that the host would add its own to."""
    asked = a(call("1"), call("2"))
    waiting = as_openai_chat([u("q"), asked, u(res("1", PICTURE))])
    answered = as_openai_chat([u("q"), asked, u(res("1", PICTURE), res("2", "r"))])

    assert [item["role"] for item in waiting] == ["user", "assistant", "tool"]
    assert [item["role"] for item in answered] == ["user", "assistant", "tool", "tool", "user"]


@pytest.mark.parametrize(
    "content",
    [["words"], [{"text": "words"}], [{"type": "text", "text": "words"}, {"type": "tool_use", "id": "1", "name": "x"}]],
)
def test_what_came_malformed_is_written_anew(content: list[object]) -> None:
    """V: in files anything may stand; only what the API would take goes back as it came."""
    message = replace(a("words"), raw={"role": "assistant", "content": content})

    assert as_anthropic([message], use_raw=True) == [{"role": "assistant", "content": "words"}]


def test_a_block_always_has_a_type() -> None:
    """T7: an unknown block that came without a type is told in words."""
    for raw in ({"x": 1}, {"type": None}):
        assert as_anthropic([u(Unknown("odd", raw), "y")])[0]["content"][0] == {"type": "text", "text": "[Unknown odd]"}


def test_arguments_are_json_whatever_they_hold() -> None:
    """T4, G2: surrogates, numbers that JSON lacks, and nesting that no writer can follow, leave valid JSON behind."""
    deep: JsonObject = {}
    for _ in range(20_000):
        deep = {"a": deep}
    for item in as_openai_chat([a(call("1", q=float("nan"), s="\ud800")), a(call("2", **deep))]):
        json.loads(item["tool_calls"][0]["function"]["arguments"], parse_constant=pytest.fail)
