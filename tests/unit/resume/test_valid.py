"""What model APIs accept, whatever a chat is like and however it is compacted."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult, Usage, raws
from compact_chat.read import resolved
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses, make_valid, sendable
from tests.oracles.valid_chat import Item, anthropic_faults, openai_chat_faults, openai_responses_faults
from tests.samples.chats import PICTURE, a, anything, call, conversations, res, s, talk, turns, u
from tests.samples.resumed_chats import SHAPES, came_as, drawn_faults, made, read_as
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
    assert sent[: len(make_valid(messages))] == make_valid(messages)


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
    written = SHAPES[name][0](make_valid(changed), use_raw=True)

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
    written = as_openai_responses(make_valid(read_as(ASKED, "openai-responses")), use_raw=True)

    assert [item.get("id") for item in written] == ["msg_1", None, None, "ct_2", "fc_3", "cto_2", "fco_3", "msg_2"]
    assert openai_responses_faults(written) == []


def test_an_exchange_is_rewritten_as_a_whole() -> None:
    """V2: where the calls had to change, the results of another kind change with them."""
    thinking = [ASKED[0], ASKED[1], *ASKED[4:]]
    written = as_openai_responses(make_valid(read_as(thinking, "openai-responses")), use_raw=True)

    assert [item.get("type") for item in written[1:5]] == ["function_call"] * 2 + ["function_call_output"] * 2
    assert openai_responses_faults(written) == []


def test_a_role_that_the_api_lacks_is_rewritten() -> None:
    """V: a developer's message is a system message where there is no such role, and stays itself where there is."""
    came: list[Item] = [{"role": "developer", "content": "rules"}, {"role": "user", "content": "q"}]

    assert as_anthropic(read_as(came, "anthropic"), use_raw=True)[0] == {"role": "system", "content": "rules"}
    assert as_openai_chat(read_as(came, "openai-chat"), use_raw=True)[0] is came[0]


U: Item = {"role": "user", "content": "q"}
A: Item = {"role": "assistant", "content": "x"}
CALLED: Item = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "look", "input": {}}]}
RESULT: Item = {"type": "tool_result", "tool_use_id": "1", "content": "r"}
ANSWER: Item = {"role": "user", "content": [RESULT]}
CHAT_CALL: Item = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHAT_CALLED: Item = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
CHAT_ANSWER: Item = {"role": "tool", "tool_call_id": "1", "content": "r"}
ITEM: Item = {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
OUTPUT: Item = {"type": "function_call_output", "call_id": "1", "output": "r"}


FIND = {"anthropic": anthropic_faults, "openai-chat": openai_chat_faults, "openai-responses": openai_responses_faults}


@pytest.mark.parametrize(
    ("name", "items", "fault"),
    [
        ("anthropic", [U, A, U], ""),
        ("anthropic", [U, CALLED, ANSWER], ""),
        ("anthropic", [U, CALLED], ""),
        ("anthropic", [U, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}, U], "V1"),
        ("anthropic", [U, CALLED, U], "V2"),
        ("anthropic", [U, CALLED, ANSWER, CALLED, ANSWER], "V2"),
        ("anthropic", [ANSWER], "V2"),
        ("anthropic", [U, CALLED, {"role": "user", "content": [RESULT, RESULT]}], "V2"),
        ("anthropic", [{"role": "user", "content": " "}], "V3"),
        ("anthropic", [{"role": "user", "content": []}], "V3"),
        ("anthropic", [A, U], "V4"),
        ("anthropic", [U, U], "V5"),
        ("anthropic", [U, CALLED, {"role": "user", "content": [{"type": "text", "text": "w"}, RESULT]}], "V5"),
        ("anthropic", [U, A], "V8"),
        ("anthropic", [{**U, "id": "m"}], "fields"),
        ("anthropic", [U, {"role": "assistant", "content": [{"type": "image"}]}, U], "picture"),
        ("openai-chat", [U, CHAT_CALLED, CHAT_ANSWER, U], ""),
        ("openai-chat", [U, CHAT_CALLED], ""),
        ("openai-chat", [U, CHAT_CALLED, U], "V2"),
        ("openai-chat", [U, CHAT_CALLED, CHAT_ANSWER, CHAT_ANSWER], "V2"),
        ("openai-chat", [U, CHAT_ANSWER], "V2"),
        ("openai-chat", [U, {**A, "tool_calls": []}, U], "V2"),
        ("openai-chat", [U, {"role": "assistant", "content": None}, U], "V3"),
        ("openai-chat", [U, CHAT_CALLED, CHAT_ANSWER, A], "V8"),
        ("openai-responses", [U, ITEM, OUTPUT], ""),
        ("openai-responses", [U, ITEM], ""),
        ("openai-responses", [U, {"type": "reasoning", "summary": []}, U], "V1"),
        ("openai-responses", [U, ITEM, U], "V2"),
        ("openai-responses", [U, OUTPUT, U], "V2"),
        ("openai-responses", [U, ITEM, {**OUTPUT, "type": "custom_tool_call_output"}], "V2"),
        ("openai-responses", [U, ITEM, OUTPUT, ITEM, OUTPUT], "V2"),
        ("openai-responses", [{"role": "user", "content": [{"type": "input_text", "text": ""}]}], "V3"),
        ("openai-responses", [U, A], "V8"),
    ],
)
def test_the_check_finds_what_apis_refuse(name: str, items: list[Item], fault: str) -> None:
    """V1 to V8: each fault is found, and a sound chat has none."""
    found = FIND[name](items)
    assert any(fault in one for one in found) if fault else found == []
