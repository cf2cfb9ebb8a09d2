"""Chats that are planned, compacted and written for each API, and the faults of the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Text, texts
from compact_chat.errors import CompactChatError, InvalidParams
from compact_chat.plan import Plan
from compact_chat.read import Source, read_chat
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses, make_valid, sendable, splice_summary
from compact_chat.text import SUMMARY_START, is_summary_text
from compact_chat.wire import Options, PruneOptions, Scope, Strategy
from tests.oracles.valid_chat import anthropic_faults, openai_chat_faults, openai_responses_faults
from tests.samples.chats import planned
from tests.samples.styles import as_summary
from tests.strategies.chat_grammar import random_chat, random_options

SUMMARY = "Summary:\n1. Primary Request and Intent:\nthenewone"
WORD = re.compile(r"w\d+\.")
CLOSING = "[SYSTEM: go on]"
CUSTOM = {"function_call": "custom_tool_call", "function_call_output": "custom_tool_call_output"}
Write = Callable[..., list[JsonObject]]
SHAPES: dict[str, tuple[Write, Callable[[Sequence[JsonObject]], list[str]]]] = {
    "anthropic": (as_anthropic, anthropic_faults),
    "openai-chat": (as_openai_chat, openai_chat_faults),
    "openai-responses": (as_openai_responses, openai_responses_faults),
}


def drawn_faults(seed: int) -> list[str]:
    """Draw a chat and options, and return the faults of the results, in all shapes."""
    draw = Random(seed)
    messages = random_chat(draw)
    options = random_options(draw, messages)
    own = draw.choice(tuple(SHAPES))
    return [*faults(messages, options), *own_faults(messages, options, own)]


def faults(messages: Sequence[Message], options: Options) -> list[str]:
    """Return the faults of a compacted chat of any tool, in each API's shape and in its contents."""
    plan = made(messages, options)
    resumed = sendable(after(plan, options), CLOSING)
    return [*shape_faults(resumed), *_content_faults(messages, plan, resumed)]


def real_faults(path: Path) -> list[str]:
    """Return the faults of one real chat's compactions; an unreadable chat has none."""
    try:
        chat = read_chat(Source.of_bytes(path.read_bytes()))
    except CompactChatError:
        return []
    strategies: tuple[Strategy, ...] = ("summary", "auto", "keep", "prune")
    wished = product(strategies, (0.3, 0.7)) if chat.messages else ()
    return [
        fault
        for strategy, place in wished
        for options in options_for(chat.messages, strategy, place)
        for fault in compacted_faults(chat, options)
    ]


def compacted_faults(chat: Chat, options: Options) -> list[str]:
    """Return the faults of one compaction of a real chat."""
    resumed = sendable(after(made(chat.messages, options), options), CLOSING)
    own = "anthropic" if chat.format == "claude-code" else chat.format
    write, find = SHAPES.get(own, (None, None))
    kept = find(write(resumed)) if write and find else []
    return [*shape_faults(resumed), *(f"own {own}: {fault}" for fault in kept)]


def options_for(messages: tuple[Message, ...], strategy: Strategy, place: float) -> list[Options]:
    """Yield options that cut a chat at an index in each way."""
    middle = messages[int(place * (len(messages) - 1))].id
    cut = PruneOptions(max_chars=300, preserve_tail=1)
    base = Options(strategy=strategy, min_keep=3, prune=cut, style="checkpoint")
    more = [Options(scope=Scope(kind, middle), drop=(messages[0].id,)) for kind in ("from", "upTo")]
    return [base, Options(strategy=strategy, min_keep=0, pin=(middle,)), *(more if strategy == "summary" else [])]


def shape_faults(resumed: Sequence[Message]) -> list[str]:
    """Return what each API would refuse of a chat that was not written for it."""
    written = ((name, find(write(resumed, foreign=True))) for name, (write, find) in SHAPES.items())
    return [f"{name}: {fault}" for name, found in written for fault in found]


def own_faults(messages: Sequence[Message], options: Options, own: str) -> list[str]:
    """Return the faults of a compacted chat that came in an API's own shape and is returned in it."""
    write, find = SHAPES[own]
    read = read_as(came_as(messages, own), own)
    known = {message.id for message in read}
    here = replace(
        options,
        scope=options.scope if options.scope.message in known else Scope(),
        pin=tuple(name for name in options.pin if name in known),
        drop=tuple(name for name in options.drop if name in known),
    )
    resumed = sendable(after(made(read, here), here), CLOSING)
    return [f"own {own}: {fault}" for fault in find(write(resumed))]


def came_as(messages: Sequence[Message], own: str) -> list[JsonObject]:
    """Return the chat as a caller of this API may send it: items of the Responses API have ids, some are custom."""
    items = [_custom(item) for item in SHAPES[own][0]([replace(one, raw=None) for one in messages])]
    return [{**item, "id": f"item{place}"} if "type" in item else item for place, item in enumerate(items)]


def _custom(item: JsonObject) -> JsonObject:
    """Convert a function's call or output to a custom tool's, for every other id."""
    kind = CUSTOM.get(item.get("type", ""))
    if kind is None or len(item["call_id"]) % 2:
        return item
    more = {"input": item["arguments"]} if "arguments" in item else {}
    return {**{key: value for key, value in item.items() if key != "arguments"}, **more, "type": kind}


def made(messages: Sequence[Message], options: Options) -> Plan:
    """Make the plan; without the drops if they contradict pins."""
    try:
        return planned(messages, options, budget=200, cut=5)
    except InvalidParams:
        return planned(messages, replace(options, drop=()), budget=200, cut=5)


def after(plan: Plan, options: Options) -> tuple[Message, ...]:
    """Return the chat that a plan makes, with a summary if needed."""
    if plan.action != "compact":
        return make_valid(plan.messages)
    return splice_summary((*plan.front, *plan.head), as_summary(SUMMARY, options.style), plan.tail, plan.direction)


def read_as(items: Sequence[JsonObject], name: str) -> tuple[Message, ...]:
    """Return the messages as our reader reads them, without what no caller may send."""
    try:
        return read_chat(Source.of_document({"messages": items}), hint=name).messages if items else ()
    except InvalidParams as refusal:
        wrong = {int(re.findall(r"\d+", problem["path"])[0]) for problem in refusal.data["problems"]}
        return read_as([item for place, item in enumerate(items) if place not in wrong], name)


def _content_faults(messages: Sequence[Message], plan: Plan, resumed: Sequence[Message]) -> Iterator[str]:
    """Yield faults unless everything that stays is there once, nothing else, and one summary if one was made."""
    said = "".join(text for message in resumed for text in texts(message))
    for fate in plan.fates:
        expected = int(fate.fate in ("keep", "pin"))
        for word in [] if fate.fate == "prune" else WORD.findall(messages[fate.index].text):
            if said.count(word) != expected:
                yield f"{word} stands {said.count(word)} times in the new chat, though its fate is {fate.fate}"
    given = {result.call_id for message in resumed for result in message.results}
    last = [call for message in messages[-1:] if message.role == "assistant" for call in message.calls]
    if last and plan.fates[-1].becomes and given.issuperset(call.id for m in resumed[-2:] for call in m.calls):
        yield "V7 the call at the end is not left open"
    own = [part.text for message in resumed for part in message.parts if isinstance(part, Text)]
    if plan.action == "compact" and list(map(is_summary_text, own)).count(True) != 1:
        yield "J6 not one summary"
    if plan.action == "compact" and sum(text.count(SUMMARY_START) for text in own) != 1:
        yield "J6 markers of another summary"
