"""Messages of other tools on their way to an API: nothing is left in them that it would refuse."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Document, Image, Message, Part, ResultPart, Text, ToolCall, ToolResult, Unknown
from compact_chat.resume import acceptable, as_anthropic, make_valid
from tests.samples.chats import PAPER, PICTURE, a, anything, call, res, u

BLOCKS = {"text", "image", "document", "tool_use", "tool_result"}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JV"}


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
    paper = Document("a", {"type": "document", "source": PDF})
    kept = (Text("t"), PICTURE, Image(url="https://e.org/a.png"), paper, call("call_1-a", q=1), res("call_1-a", "r"))
    assert parts(*kept) == list(kept)


def test_ids_and_names_are_spelled_as_apis_take_them() -> None:
    """V2: a call and its result keep one id, and two ids stay two."""
    changed = parts(ToolCall("m.1", "mcp.look/it", {}), ToolCall("m_1", "", {}), ToolResult("m.1", ()))
    assert changed == [ToolCall("m_2e_1", "mcp_look_it", {}), ToolCall("m_1", "unknown", {}), ToolResult("m_2e_1", ())]


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
