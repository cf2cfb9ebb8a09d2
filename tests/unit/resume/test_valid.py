"""What model APIs accept, whatever a chat is like and however it is compacted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
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
    Usage,
    raws,
)
from compact_chat.errors import NoSummary
from compact_chat.plan import Direction
from compact_chat.read import resolved
from compact_chat.resume import (
    acceptable,
    as_anthropic,
    as_openai_chat,
    as_openai_responses,
    make_valid,
    sendable,
    splice_summary,
    summary_message,
)
from compact_chat.resume.messages import answered
from compact_chat.styles import STYLES
from compact_chat.text import strip_summary_wrappers
from compact_chat.wire import Options
from tests.oracles.snapshots import check_functions, check_snapshot
from tests.oracles.valid_chat import Item, anthropic_faults, openai_chat_faults, openai_responses_faults
from tests.samples.chats import ODD, PAPER, PICTURE, a, anything, call, conversations, planned, res, s, talk, turns, u
from tests.samples.resumed_chats import SHAPES, came_as, drawn_faults, made, read_as
from tests.samples.styles import as_summary
from tests.strategies.chat_grammar import random_chat, random_options

CUT_OFF = ToolResult("1", (Text("[Tool call interrupted]"),), is_error=True, as_text=True)
OMITTED = u("[Earlier messages omitted]")


def bare(messages: Sequence[Message]) -> list[tuple[str, tuple[Part, ...]]]:
    """Roles and parts alone."""
    return [(message.role, message.parts) for message in messages]


Q, ONE, TWO, R, R2 = u("q"), a(call("1")), a(call("1"), call("2")), res("1", "r"), res("2", "r")
CASES: dict[str, tuple[list[Message], list[Message]]] = {
    "V1 thinking goes": ([Q, a(Thinking("hm"), "text")], [Q, a("text")]),
    "V1 neighbors of a dropped turn merge": ([Q, a(Thinking("")), u("y"), a("z")], [u("q", "y"), a("z")]),
    "V2 spread results": ([Q, TWO, u(R), u(R2, "w")], [Q, TWO, u(R, R2, "w")]),
    "V2 a late result": ([Q, ONE, u("w"), a("x"), u(R)], [Q, ONE, u(R, "w"), a("x")]),
    "V2 a system message between": ([Q, ONE, s("n"), u(R, "w")], [Q, ONE, u(R), s("n"), u("w")]),
    "V2 result without a call": ([u("q", R), a("x")], [Q, a("x")]),
    "V2 a second result": ([Q, ONE, u(R, res("1", "again"))], [Q, ONE, u(R)]),
    "V2 ids unique": ([Q, ONE, u(R), ONE, u(res("1", "t"))], [Q, ONE, u(R), a(call("1-2")), u(res("1-2", "t"))]),
    "V2 no id": ([Q, a(call("")), u(res("", "r"))], [Q, a(call("call")), u(res("call", "r"))]),
    "V2 a call that is not the assistant's": ([u("q", call("1")), a("x")], [Q, a("x")]),
    "V3 blank text": ([Q, a("", call("1"))], [Q, ONE]),
    "V3 blank message": ([Q, a(" \n"), u("y")], [u("q", "y")]),
    "V3 in lists": ([Q, ONE, u(res("1", " ", PICTURE))], [Q, ONE, u(res("1", PICTURE))]),
    "V3 nothing else in a list": ([Q, ONE, u(res("1", "", ""))], [Q, ONE, u(ToolResult("1", (Text("(no output)"),)))]),
    "V3 no list": ([Q, ONE, u(res("1", " "))], [Q, ONE, u(res("1", " "))]),
    "V4 assistant first": ([a("x"), u("y")], [OMITTED, a("x"), u("y")]),
    "V4 behind system text": ([s("r"), a("x")], [s("r"), OMITTED, a("x")]),
    "V4 V2 nothing left of the first": ([u(R), a("x")], [OMITTED, a("x")]),
    "V4 system text alone": ([s("r")], [s("r")]),
    "V5 neighbors": ([Q, u("y"), a("x"), a("z")], [u("q", "y"), a("x", "z")]),
    "V5 results first": ([Q, ONE, u("w", R)], [Q, ONE, u(R, "w")]),
    "J1 system messages stay apart": ([s("r"), s("n"), Q], [s("r"), s("n"), Q]),
    "V6 pictures stay": ([u("q", PICTURE), ONE, u(res("1", PICTURE))], [u("q", PICTURE), ONE, u(res("1", PICTURE))]),
    "V7 open at the end": ([Q, TWO, u(R2)], [Q, TWO, u(R2)]),
    "V7 words behind it": ([Q, ONE, u("stop")], [Q, ONE, u(CUT_OFF, "stop")]),
    "V7 given up": ([Q, TWO, u(R2), a("x")], [Q, TWO, u(R2, CUT_OFF), a("x")]),
    "V7 nothing left behind it": ([Q, ONE, s(R2)], [Q, ONE]),
    "nothing": ([], []),
}
SENT: dict[str, tuple[Sequence[Message], list[Message]]] = {
    "assistant last": (turns(2), [u("u0"), a("a1"), u("Go on.")]),
    "user last": (turns(1), [u("u0")]),
    "V7 open call": ([Q, ONE], [Q, ONE]),
    "V7 one of two open": ([Q, TWO, u(R2)], [Q, TWO, u(R2)]),
    "given up": ([Q, ONE, s("n")], [Q, ONE, u(CUT_OFF), s("n"), u("Go on.")]),
    "nothing": ([], [u("Go on.")]),
}


@pytest.mark.parametrize(("messages", "result"), CASES.values(), ids=CASES)
def test_a_chat_becomes_valid(messages: list[Message], result: list[Message]) -> None:
    """V1 to V7, each by example."""
    assert bare(make_valid(talk(*messages))) == bare(result)


@given(anything() | conversations())
def test_every_chat_becomes_valid(messages: tuple[Message, ...]) -> None:
    """V1 to V5, V7: whatever comes in, what goes out keeps every rule, and a second time changes nothing."""
    before = repr(messages)
    once = make_valid(messages)
    again = make_valid(once)

    assert all(new is old for new, old in zip(again, once, strict=True))
    assert repr(messages) == before


@given(anything() | conversations())
def test_untouched_messages_are_the_same_objects(messages: tuple[Message, ...]) -> None:
    """V: a message with its parts as they were is the object itself; merged ones as they were have several raws."""
    originals = {message.id: message for message in messages}

    for message in make_valid(messages):
        old = originals.get(message.id)
        pieces = [messages[item["place"]] for item in raws(message)]
        assert message is old or message.raw is None or len(pieces) > 1
        assert not pieces or message.parts == tuple(part for piece in pieces for part in piece.parts)
        assert old is None or message is old or message.parts != old.parts


@given(anything() | conversations())
def test_every_chat_becomes_sendable(messages: tuple[Message, ...]) -> None:
    """V7, V8: the valid chat ends with the user, or with calls that are open for the host."""
    sent = sendable(messages, "Go on.")

    assert anthropic_faults(as_anthropic(sent, foreign=True)) == []
    assert sent[-1].role == "user" or sent[-1].calls
    valid = make_valid(messages)
    closing = Message("closing", "user", (Text("Go on."),), by_host=True)
    assert sent in (valid, (*valid, closing))


@pytest.mark.parametrize(("messages", "result"), SENT.values(), ids=SENT)
def test_a_chat_to_send_ends_with_the_user(messages: list[Message], result: list[Message]) -> None:
    """V8: the closing words are the user's, where neither the user has the last word nor the host a call to answer."""
    assert bare(sendable(messages, "Go on.")) == bare(result)


def test_a_merged_message_is_what_its_pieces_were() -> None:
    """V5: a summary if one piece was, the host's only if all were, with the words that were typed, and no usage."""
    pieces = talk(replace(u("S"), is_summary=True, by_host=True), replace(u("y"), usage=Usage(1, 1, "m")))

    came = ({"place": 0}, {"place": 1})
    merged = Message("m0", "user", (Text("S"), Text("y")), raw=came, is_summary=True, typed=("y",))
    assert make_valid(pieces) == (merged,)
    framed, host = replace(u("<context>\nz"), typed=("z",)), replace(u("reminder"), by_host=True)
    for run, typed in (
        ((host, framed), ("z",)),
        ((host, u("w")), ("w",)),
        ((u("v"), u("w")), None),
        ((host, host), None),
    ):
        assert make_valid(run)[0].typed == typed


def test_worded_results_answer_their_calls() -> None:
    """V2: hosts that tell results in words leave no call open; the message is no longer as it came."""
    reported = "[read_file for 'a.py'] Result:\nprint(1)"
    asked = a(ToolCall("1", "read_file", {}))
    messages = make_valid(list(resolved(talk(u("q"), asked, u(reported), a("x"), u("y")), "cline")))

    assert messages[2].results == (ToolResult("1", (Text(reported),), as_text=True),)
    assert messages[2].raw is None
    assert bare(make_valid(list(resolved(talk(u(*asked.parts, "q"), u(reported)), "cline")))) == bare(
        [u("q", reported)]
    )


SEEDS = 1000  # ten thousand and more in `bench_valid.py`


def test_a_thousand_drawn_chats_are_taken() -> None:
    """V1 to V8, J6, Z: no violation in any strategy, scope, pins, drops and style, in any of the three shapes."""
    found = {seed: drawn_faults(seed) for seed in range(SEEDS)}

    assert {seed: faults for seed, faults in found.items() if faults} == {}


def test_drawn_chats_are_of_all_kinds() -> None:
    """The grammar reaches each action and fate, and chats whose summaries have to be joined."""
    drawn = [(random_chat(draw), draw) for draw in map(Random, range(300))]
    plans = [made(messages, random_options(draw, messages)) for messages, draw in drawn]

    assert {plan.action for plan in plans} == {"none", "prune", "keep", "compact"}
    assert {fate.fate for plan in plans for fate in plan.fates} == {"keep", "pin", "prune", "summarize", "drop"}
    assert any(m.is_summary for plan in plans if plan.action == "compact" for m in (*plan.head, *plan.tail))


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SHAPES)))
def test_what_was_written_reads_back_the_same(draw: Random, name: str) -> None:
    """G1: our own reader takes what was written, and it would be written the same once more."""
    write = SHAPES[name][0]
    written = write(make_valid(random_chat(draw)), foreign=True)

    assert write(make_valid(read_as(written, name)), foreign=True) == written


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_untouched_items_are_the_callers_own(name: str) -> None:
    """The contract: what a caller sent comes back as it came, with all that we do not know of, unless it changed."""
    plain = talk(s("rules"), u("q"), a(call("1"), call("2")), u(res("2", "r")), u(res("1", "r")), a("x"), u("y"))
    came = [{**item, "caller": place} for place, item in enumerate(came_as(plain, name))]
    changed = (*make_valid(read_as(came, name)), a(Thinking("hm"), "new"))
    written = SHAPES[name][0](make_valid(changed))

    kept = came[:3] + came[5:] if name == "anthropic" else came  # there, two messages of results became one
    assert [item for item in written if "caller" in item] == kept
    assert len(written) == len(kept) + (2 if name == "anthropic" else 1)


ASKED: list[Item] = [
    {"role": "user", "content": "q", "id": "msg_1", "type": "message"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "id": "fco_1", "call_id": "1", "output": "r"},
    {"type": "custom_tool_call", "id": "ct_2", "call_id": "2", "name": "patch", "input": "+x"},
    {"type": "function_call", "id": "fc_3", "call_id": "3", "name": "look", "arguments": "{}"},
    {"type": "custom_tool_call_output", "id": "cto_2", "call_id": "2", "output": "r"},
    {"type": "function_call_output", "id": "fco_3", "call_id": "3", "output": "r"},
    {"role": "user", "content": "go on", "id": "msg_2", "type": "message"},
]


def test_response_items_keep_their_ids_but_where_reasoning_went() -> None:
    """V1: parallel calls and outputs come back as they came; a call whose reasoning went would be refused by its id."""
    written = as_openai_responses(make_valid(read_as(ASKED, "openai-responses")))

    assert [item.get("id") for item in written] == ["msg_1", None, None, "ct_2", "fc_3", "cto_2", "fco_3", "msg_2"]
    assert openai_responses_faults(written) == []


def test_an_exchange_is_rewritten_as_a_whole() -> None:
    """V2: where the calls had to change, the results of another kind change with them."""
    thinking = [ASKED[0], ASKED[1], *ASKED[4:]]
    written = as_openai_responses(make_valid(read_as(thinking, "openai-responses")))

    assert [item.get("type") for item in written[1:5]] == ["function_call"] * 2 + ["function_call_output"] * 2
    assert openai_responses_faults(written) == []


def test_a_role_that_the_api_lacks_is_rewritten() -> None:
    """V: a developer's message is a system message where there is no such role, and stays itself where there is."""
    came: list[Item] = [{"role": "developer", "content": "rules"}, {"role": "user", "content": "q"}]

    assert as_anthropic(read_as(came, "anthropic"))[0] == {"role": "system", "content": "rules"}
    assert as_openai_chat(read_as(came, "openai-chat"))[0] is came[0]


FIND = {"anthropic": anthropic_faults, "openai-chat": openai_chat_faults, "openai-responses": openai_responses_faults}


def test_the_check_finds_what_apis_refuse(accept: bool) -> None:
    """V1 to V8: each fault is found, and a sound chat has none."""
    check_functions(Path(__file__).with_name("refused.txt"), FIND, accept=accept)


# Messages in the shapes of the three APIs, with nothing in them that the API would refuse.


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


SHAPED = (
    [
        s("rules"),
        u("q"),
        a(Thinking("hm"), Thinking(""), call("1", q="é")),
        u(res("1", "r", is_error=True), res("2", "p", PICTURE), "w"),
    ],
    [
        s("rules"),
        a(Thinking("hm"), "one", "two", call("1", q="é", n=[1]), ODD, "three"),
        u(res("1", "r"), res("2", "p", PICTURE, Image()), res("3"), "w"),
        a("text", call("4")),
        a(Thinking("hm")),
    ],
)


def test_the_shapes(accept: bool) -> None:
    """G1: where results, their pictures and errors are, one text or several, and blocks that we do not know."""
    rows = [
        line
        for messages in SHAPED
        for write in (as_anthropic, as_openai_chat, as_openai_responses)
        for line in (f"= {write.__name__}", *(json.dumps(item, ensure_ascii=False) for item in write(messages)))
    ]
    check_snapshot("\n".join(rows) + "\n", Path(__file__).with_name("shapes.txt"), accept=accept)


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
    shaped = as_openai_chat([u("q"), asked, u(res("1", PICTURE), res("2", "r"))])

    assert [item["role"] for item in waiting] == ["user", "assistant", "tool"]
    assert [item["role"] for item in shaped] == ["user", "assistant", "tool", "tool", "user"]


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


# A summary in the place of what it replaces.


LEFT_OUT = "u: [Earlier messages omitted]"
S = "[Previous conversation summary]\nS\n[End of summary — conversation continues below]"
LAST = "[Previous conversation summary]\nS\n[End of summary]"


def said(messages: tuple[Message, ...]) -> list[str]:
    """Each message as its role and its texts."""
    return [
        f"{message.role[0]}: {'|'.join(part.text for part in message.parts if isinstance(part, Text))}"
        for message in messages
    ]


def compacted(messages: Sequence[Message], options: Options) -> tuple[Message, ...]:
    """The chat with `S` in the place of what a plan with these options replaces."""
    plan = planned(messages, options)
    return splice_summary((*plan.front, *plan.head), as_summary("S"), plan.tail, plan.direction)


@pytest.mark.parametrize(
    ("messages", "min_keep", "result"),
    [
        pytest.param(turns(5), 2, [f"u: {S}", "a: a3", "u: u4"], id="J1 J3 before the assistant"),
        pytest.param([u("x"), a("y"), u("z")], 1, [f"u: {S}|z"], id="J3 before the user"),
        pytest.param(turns(4), 0, [f"u: {S}"], id="J4 all"),
        pytest.param([s("r"), *turns(3)], 1, ["s: r", f"u: {S}|u2"], id="J1 front stays first"),
        pytest.param(
            [replace(u(S), is_summary=True), a("x"), u("y"), a("z")], 2, [f"u: {S}|y", "a: z"], id="J6 one summary"
        ),
    ],
)
def test_the_summary_takes_the_place_of_the_old_part(messages: list[Message], min_keep: int, result: list[str]) -> None:
    """J1, J3, J4, J6: the new chat is the summary, as the user's word, and the kept part."""
    assert said(compacted(talk(*messages), Options(min_keep=min_keep))) == result


@pytest.mark.parametrize("summary", ["", "\n", " \r\n\t"])
def test_a_blank_summary_replaces_nothing(summary: str) -> None:
    """J5: an empty summary is an error."""
    with pytest.raises(NoSummary) as caught:
        splice_summary((), as_summary(summary), turns(4)[2:])

    assert caught.value.kind == "emptySummary"


def test_the_summary_is_trimmed_and_its_marker_lines_are_escaped() -> None:
    """J2, C7, G3: no line of a summary can end it early, and it is the user's word."""
    lines = ["\r\n a", "[End of summary]", "  [Previous conversation summary] ", "[End of summary] b\n"]
    message = summary_message("\r\n".join(lines))

    assert message.text.split("\n")[1:-1] == [
        "a",
        "\\[End of summary]",
        "\\  [Previous conversation summary] ",
        "[End of summary] b",
    ]
    assert (message.role, message.is_summary, message.by_host) == ("user", True, True)


@pytest.mark.parametrize("summary", ["new", " new\r\n", "<context-summary>\nnew\n</context-summary>"])
def test_a_checkpoint_keeps_its_wrapper(summary: str) -> None:
    """J2, P26: the markers stand around the wrapper of a checkpoint, which is there once."""
    wrapped = "<context-summary>\nnew\n</context-summary>"

    assert summary_message(STYLES["checkpoint"].wrapped(summary)).text == S.replace("\nS\n", f"\n{wrapped}\n")
    assert wrapped in splice_summary((), as_summary(summary, "checkpoint"), turns(1))[0].text


OLD = "[Previous conversation summary]\nold\n[End of summary — conversation continues below]"
OTHER = "<context-summary>\nother\n</context-summary>"
THEN_OTHER = S.replace("\nS\n", "\nS\n\nother\n")
BOTH = "[Previous conversation summary]\nold\n\nS\n[End of summary]"
MARKED = replace(u("old"), is_summary=True)
SPLICED: dict[str, tuple[list[Message], list[Message], Direction, list[str]]] = {
    "Z4 from": ([u("x"), a("y")], [], "from", ["u: x", "a: y", f"u: {LAST}"]),
    "Z4 J3 behind the user": ([u("x")], [], "from", [f"u: x|{LAST}"]),
    "J1 up to": ([s("r")], [a("y"), u("z")], "upTo", ["s: r", f"u: {S}", "a: y", "u: z"]),
    "Z2 all": ([], [], "all", [f"u: {S}"]),
    "J6 Z4 in the head": ([u(OLD), a("y")], [], "from", [LEFT_OUT, "a: y", f"u: {BOTH}"]),
    "J6 J3 with words": ([u(OLD, "x")], [], "from", [f"u: x|{BOTH}"]),
    "J6 in the tail": ([s("r")], [a("y"), u(OTHER, "z")], "upTo", ["s: r", f"u: {THEN_OTHER}", "a: y", "u: z"]),
    "J6 marked by another tool": ([MARKED, u("x")], [], "from", [f"u: x|{BOTH}"]),
    "J6 V3 a blank one": ([u("<context-summary>\n \n</context-summary>", "x")], [], "from", [f"u: x|{LAST}"]),
    "not the user's": ([a(OTHER), u("x")], [], "from", [LEFT_OUT, f"a: {OTHER}", f"u: x|{LAST}"]),
}


@pytest.mark.parametrize(("head", "tail", "direction", "result"), SPLICED.values(), ids=SPLICED)
def test_what_stays_surrounds_one_summary(
    head: list[Message], tail: list[Message], direction: Direction, result: list[str]
) -> None:
    """Z4, J6: behind a kept head the summary is the last word; earlier summaries that stay become a part of it."""
    assert said(splice_summary(head, as_summary("S"), tail, direction)) == result


def test_joined_checkpoints_have_one_pair_of_records() -> None:
    """J6, T23: what was read in one and modified in the other is modified; the records of both stand at the end."""
    old = "old\n\n<read-files>\na.py\nb.py\n</read-files>\n\n<modified-files>\nc.py\n</modified-files>"
    new = "new\n\n<read-files>\nd.py\n</read-files>\n\n<modified-files>\na.py\n</modified-files>"
    records = "<read-files>\nb.py\nd.py\n</read-files>\n\n<modified-files>\na.py\nc.py\n</modified-files>"
    (message,) = splice_summary(
        [u(f"<context-summary>\n{old}\n</context-summary>")], as_summary(new, "checkpoint"), [], "from"
    )

    assert strip_summary_wrappers(message.text) == f"old\n\nnew\n\n{records}"


def test_what_follows_is_marked_as_holding_the_summary() -> None:
    """J3, J6: the message that the summary was joined to is known as a summary by the next compaction."""
    messages = splice_summary((), as_summary("S"), talk(u("z"), a("y")), "upTo")

    assert [message.is_summary for message in messages] == [True, False]
    assert not messages[0].by_host


@given(conversations(), st.integers(0, 4))
def test_every_plan_can_be_spliced(messages: tuple[Message, ...], min_keep: int) -> None:
    """J1: there is one summary, right behind the front, and every visible word that is not summarised stays."""
    plan = planned(messages, Options(min_keep=min_keep))
    assume(plan.action == "compact")

    assert words(compacted(messages, Options(min_keep=min_keep))) == [*words(plan.front), S, *words(plan.tail)]


def words(messages: Sequence[Message]) -> list[str]:
    """Every visible text, one by one."""
    parts = (part for message in messages for part in message.parts if isinstance(part, Text))
    return [part.text for part in parts if part.text.strip()]


@pytest.mark.parametrize(
    ("content", "is_reused"),
    [
        ("go", True),
        ([{"type": "text", "text": "go"}, {"type": "odd"}], True),
        ([{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "x"}]}], True),
        ([{"type": "tool_result", "tool_use_id": "1", "content": 5}], False),
        ([{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text"}]}], False),
        ([{"type": "tool_use", "name": "look", "input": []}], False),
        ([{"type": 5}], False),
        ([{"text": "go"}], False),
        ([5], False),
        (5, False),
    ],
)
def test_what_a_file_holds_is_reused_only_in_the_form_of_the_api(content: object, is_reused: bool) -> None:
    """V6: a message that came with anything else is written anew from what was read of it."""
    item = {"role": "user", "content": content}

    assert as_anthropic([replace(u("go"), raw=item)]) == [item if is_reused else {"role": "user", "content": "go"}]


def test_results_that_are_added_are_the_host_s() -> None:
    """V7: a message of results alone, where a call has none."""
    *_, added = answered(talk(u("q"), a(call("1"))), open_from=2)

    assert (added.id, added.by_host, [one.call_id for one in added.results]) == ("results", True, ["1"])
