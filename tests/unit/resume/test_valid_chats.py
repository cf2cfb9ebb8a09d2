"""Whatever a chat is like and however it is compacted, each API takes what comes of it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Thinking
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses, make_valid
from tests.oracles.valid_chat import Item, anthropic_faults, openai_chat_faults, openai_responses_faults
from tests.samples.chats import a, call, res, s, talk, u
from tests.samples.resumed_chats import SHAPES, came_as, drawn_faults, faults, made, read_as, real_faults
from tests.strategies.chat_grammar import random_chat, random_options

LARGE = 3_000_000  # bytes
SEEDS = 1000  # ten thousand and more in `bench_valid.py`


def test_a_thousand_drawn_chats_are_taken() -> None:
    """V1 to V8, J6, Z: no violation in any strategy, scope, pins, drops and style, in any of the three shapes."""
    found = {seed: drawn_faults(seed) for seed in range(SEEDS)}

    assert {seed: faults for seed, faults in found.items() if faults} == {}


@given(st.randoms(use_true_random=False))
def test_drawn_chats_are_taken(draw: Random) -> None:
    """V1 to V8, J6, Z: the same of chats that are made smaller where one breaks a rule."""
    messages = random_chat(draw)

    assert faults(messages, random_options(draw, messages)) == []


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


def test_every_real_chat_is_taken(shared_chats: Path) -> None:
    """V1 to V8: no violation in what comes of each real chat, in the three shapes and in its own."""
    files = [path for path in sorted(shared_chats.rglob("*")) if path.is_file() and path.stat().st_size < LARGE]
    broken = {path.name: found for path in files if (found := real_faults(path))}

    assert broken == {}
    assert len(files) > 50


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
