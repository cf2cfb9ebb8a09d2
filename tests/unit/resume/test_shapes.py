"""Messages in the shapes of the three APIs, with nothing in them that the API would refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from compact_chat.resume import acceptable, as_anthropic, as_openai_chat, as_openai_responses, make_valid
from tests.samples.chats import ODD, PAPER, PICTURE, a, anything, call, res, s, u

INSIDE: JsonObject = {"type": "base64", "media_type": "application/pdf", "data": "JV"}
PDF = Document("a.pdf", {"type": "document", "title": "a.pdf", "source": INSIDE})
NOTE = Document("n", {"type": "document", "source": {"type": "text", "data": "words"}})
FILE = Document("a.pdf", {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JV"}})
WEB = Document("w", {"type": "document", "source": {"type": "url", "url": "https://e.org/w.pdf"}})
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
    (WEB, WEB.raw, *as_words("[document: w]\nhttps://e.org/w.pdf")[1:]),
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
    [
        ["words"],
        [{"text": "words"}],
        [{"type": "text", "text": "words"}, {"type": "tool_use", "id": "1", "name": "x"}],
        [{"type": "text", "text": "words"}, {"type": "tool_result", "tool_use_id": "1", "content": [{"text": "r"}]}],
    ],
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
    """T4, G2: surrogates and numbers that JSON lacks leave valid JSON behind."""
    (item,) = as_openai_chat([a(call("1", q=float("nan"), s="\ud800"))])
    json.loads(item["tool_calls"][0]["function"]["arguments"], parse_constant=pytest.fail)


BLOCKS = {"text", "image", "document", "tool_use", "tool_result"}


def parts(*given: Part) -> list[Part]:
    """The parts of one message after the change."""
    return list(acceptable([Message("m", "user", given)])[0].parts)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Unknown("web_search_call", {"type": "web_search_call"}), "[Unknown web_search_call]"),
        (Image("image/svg+xml", "QQ=="), "[image]"),
        (Image(url="file:///a.png"), "[image]"),
        (Image(), "[image]"),
        (PAPER, "[document: notes.pdf]"),
        (Document("a.pdf", {"inlineData": {"mimeType": "application/pdf", "data": "JV"}}), "[document: a.pdf]"),
    ],
    ids=["unknown", "svg", "local", "absent", "id of a file", "other API"],
)
def test_what_no_other_api_takes_becomes_words(part: ResultPart, text: str) -> None:
    """T3, T7: blocks of another API, and pictures and documents that only the tool can open, in results as well."""
    assert parts(part, ToolResult("1", (part,))) == [Text(text), ToolResult("1", (Text(text),))]


def test_what_apis_take_stays() -> None:
    """V6: words, pictures, documents, calls and results are as they were."""
    paper = Document("a", {"type": "document", "source": INSIDE})
    kept = (Text("t"), PICTURE, Image(url="https://e.org/a.png"), paper, call("call_1-a", q=1), res("call_1-a", "r"))
    assert parts(*kept) == list(kept)


def test_ids_and_names_are_spelled_as_apis_take_them() -> None:
    """V2: a call and its result keep one id, and two ids stay two."""
    changed = parts(ToolCall("m.1", "mcp.look/it", {}), ToolCall("m_1", "", {}), ToolResult("m.1", ()))
    assert changed == [ToolCall("m_2e_1", "mcp_look_it", {}), ToolCall("m_1", "unknown", {}), ToolResult("m_2e_1", ())]
    assert parts(ToolCall("1", "look" * 17, {})) == [ToolCall("1", "look" * 16, {})]


def test_ids_that_would_be_spelled_alike_stay_two() -> None:
    """V2: an id that is taken already, by one that needs no change or by a changed one, is given to nobody else."""
    odd = [ToolCall(name, "look", {}) for name in ("a b", "a_20_b", "a_20_b_", "")]
    asked, answer = acceptable([a(*odd), u(*(ToolResult(one.id, ()) for one in odd))])

    assert [one.id for one in asked.calls] == ["a_20_b__", "a_20_b", "a_20_b_", ""]
    assert [one.call_id for one in answer.results] == [one.id for one in asked.calls]


@given(anything(), st.text(max_size=3))
def test_any_chat_becomes_acceptable(messages: tuple[Message, ...], odd: str) -> None:
    """V2, T7: whatever a chat holds, only blocks that the API knows come out, calls and results still in pairs."""
    strange = Message("o", "assistant", (ToolCall(odd, odd, {}), Unknown(odd, {"type": odd})))
    answer = Message("p", "user", (ToolResult(odd, (Unknown(odd, {}),)),))
    check(as_anthropic(make_valid((*messages, strange, answer)), foreign=True))


def check(messages: list[dict[str, Any]]) -> None:
    """What the API asks of blocks, of ids, and of the pairs of calls and results."""
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    assert {block["type"] for block in blocks} <= BLOCKS
    called = [block for block in blocks if block["type"] == "tool_use"]
    results = [block for block in blocks if block["type"] == "tool_result"]
    inner = [one for block in results if isinstance(block["content"], list) for one in block["content"]]
    assert {one["type"] for one in inner} <= {"text", "image", "document"}
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", block["id"]) for block in called)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", block["name"]) for block in called)
    ids = [block["id"] for block in called]
    assert len(set(ids)) == len(ids)
    assert {block["tool_use_id"] for block in results} <= set(ids)
