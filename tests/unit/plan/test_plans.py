"""Whole plans of many chats under many options: a file of chats and a snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec

from compact_chat.chat import Chat, Message, Part, Role, Text, Thinking, ToolCall, ToolResult
from compact_chat.errors import CompactChatError
from compact_chat.plan import Plan, make_plan
from compact_chat.wire import Options
from tests.oracles.snapshots import check_snapshot
from tests.samples.chats import call, res
from tests.samples.scenes import parts

HERE = Path(__file__).parent
ROLES: dict[str, Role] = {"u": "user", "a": "assistant", "s": "system"}


def part(text: str) -> Part:
    """Read `+1` as the call 1, `=1 r` as its result, `~ hm` as a thought, `{9000}` as a long text, all else as text."""
    text = re.sub(r"\{(\d+)\}", lambda size: "z" * int(size[1]), text)
    match text[:1]:
        case "+":
            return call(text[1:])
        case "=":
            return res(*text[1:].split(" ", 1))
        case "~":
            return Thinking(text[2:])
    return Text(text)


def scenes() -> Iterator[tuple[str, list[Message], list[str]]]:
    """Yield each scene's name, messages and options; a line with a blank before it continues the message above."""
    for name, *rest in parts((HERE / "plans.txt").read_text("utf-8").replace("\n ", "\v")):
        messages = [line.replace("\v", "\n") for line in rest if line[0] != "?"]
        yield name, [_message(f"m{number}", line) for number, line in enumerate(messages)], rest[len(messages) :]


def _message(name: str, line: str) -> Message:
    """Read `u`, `a` or `s` with parts; `u*` is of a host, `u^` an earlier summary."""
    sign, _, said = line.partition(" ")
    role: Role = ROLES[sign[0]]
    return Message(name, role, tuple(map(part, said.split(" | "))), by_host="*" in sign, is_summary="^" in sign)


def written(message: Message) -> str:
    """Return a message in the signs of the file, long texts by their length."""
    signs = []
    for one in message.parts:
        match one:
            case ToolCall(name):
                signs.append(f"+{name}")
            case ToolResult(name, content):
                signs.append(f"={name} {' '.join(text.text for text in content if isinstance(text, Text))}")
            case Thinking(text):
                signs.append(f"~ {text}")
            case Text(text):
                signs.append(text)
    text = re.sub("z{9,}", lambda run: f"{{{len(run[0])}}}", " | ".join(signs))
    return f"{message.id} {message.role[0]}{'*' * message.by_host} {text!r}"


def told(plan: Plan) -> Iterator[str]:
    """Yield what a plan says, runs of equal fates in a line, and the messages that stay where they differ."""
    yield f"  {plan.action} {plan.direction} {plan.split}, {plan.dropped} dropped, {plan.pruned} pruned: {plan.reason}"
    for (fate, reason), run in groupby(plan.fates, key=lambda one: (one.fate, one.reason)):
        yield f"  {fate} {' '.join(f'm{one.index}' for one in run)}: {reason}"
    if plan.action == "compact":
        groups = {"front": plan.front, "head": plan.head, "summarized": plan.summarized, "tail": plan.tail}
        yield "  " + ", ".join(f"{name} {' '.join(one.id for one in group)}" for name, group in groups.items() if group)
    if plan.drops or plan.blocks:
        yield f"  drops {sorted(plan.drops)}, cut {plan.blocks} by {plan.chars_removed}"
    if plan.action != "none":
        chat = [f"  > {written(one)}" for one in plan.messages]
        becoming = [f"  > {written(fate.becomes)}" for fate in plan.fates if fate.becomes]
        yield from chat
        yield from (row.replace(">", ".", 1) for row in becoming if row not in chat)


def rows() -> Iterator[str]:
    """Yield each scene with its plans: each message weighs ten tokens, and five once it is cut."""
    for name, messages, asked in scenes():
        yield f"= {name}"
        for line in asked:
            yield line
            given, _, budget = line[2:].rpartition("} ")
            options = msgspec.json.decode(f"{given}}}" if given else line[2:], type=Options)
            weights = {id(message): 10 for message in messages}
            chat = Chat(format="anthropic", tool="unknown", messages=tuple(messages))
            try:
                yield from told(
                    make_plan(
                        chat,
                        options,
                        [*weights.values()],
                        int(budget) if given else 0,
                        sum(weights.values()),
                        lambda one: weights.get(id(one), 5),  # noqa: B023  # called at once
                    )
                )
            except CompactChatError as error:
                yield f"  {type(error).__name__}: {error.sentence} {error.data}"


def test_what_is_planned(accept: bool) -> None:
    """The action, the fate of each message with its reason, and what stays of it; a change of any shows here."""
    check_snapshot("\n".join(rows()) + "\n", HERE / "plans-made.txt", accept=accept)
