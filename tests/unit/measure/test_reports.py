"""The report of each chat of the corpus, what its tool adds unseen, and what it teaches: a snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import to_builtins

from compact_chat.chat import Chat
from compact_chat.measure import (
    Beginning,
    Shown,
    advise,
    before_call,
    default_budget,
    family_of,
    fitted,
    hidden_by,
    is_unknown,
    json_text,
    limit_of,
    make_report,
    read_meter,
    shown_by,
    weigh,
    window_of_chat,
)
from compact_chat.plan import front_length
from tests.samples.corpus import check_each_chat

HERE = Path(__file__).parent
CHAT = {"tool", "format", "title", "warnings", "messages", "percent", "parts", "modelCount"}  # or told apart


def test_reports_of_each_chat(accept: bool) -> None:
    """Sizes, bounds, windows, limits and advice, a token being four characters; other chats tell what is unseen."""
    others, seen, tools = list[Shown](), set[str](), set[str]()

    def rows(chat: Chat) -> Iterator[str]:
        family = family_of(chat.model, chat.tool)
        weights = [weigh(message, count, family) for message in chat.messages]
        fixed = count(chat.system) + count(json_text(chat.tools) if chat.tools else "")
        known = dict(zip(map(id, chat.messages), weights, strict=True))
        own = shown_by(
            chat, lambda one: (known.get(id(one)) or weigh(one, count, family)).total, fixed * family.ratio, family
        )
        hidden = hidden_by(chat, own, others) if is_unknown(chat) else hidden_by(chat)
        meter = read_meter(chat, weights, family, fixed, hidden)
        window = window_of_chat(chat, chat.model, {}, None)
        limit = limit_of(chat, window, others=lambda: others, passed=meter.passed)
        advice, reason = advise(meter.used, default_budget(window, limit), 0.7, 1.0)
        report = make_report(chat, meter, window, limit, advice, reason, per_message=True)
        system = sum(weight.total for weight in weights[: front_length(chat.messages)])
        begins = Beginning(meter.fixed, meter.is_anchored, system)
        if own.own:
            first = before_call(chat)
            said = tuple((one, weigh(one, count, family)) for one in first if one.by_host and one.role != "system")
            begins = Beginning(round(fixed * family.ratio) + own.own, context=own.context, first=len(first), said=said)
        fit = fitted(meter, begins, family, chat.messages)
        new = [one for one in to_builtins(report.warnings) if one["code"] == "unknownModel"]
        told = {name: value for name, value in to_builtins(report).items() if value and name not in CHAT} | (
            {"warnings": new} if new else {}
        )
        if not report.compactions.total:
            told.pop("compactions")
        parts = {name: value for name, value in to_builtins(report.parts).items() if value}
        kinds = " ".join(f"{one.kind}:{one.tokens}" for one in report.messages or ())
        row = f"{json.dumps(told)}\n{json.dumps(parts)} {kinds}"
        others.append(own)
        is_plain = not (meter.is_anchored or own.own or chat.compactions or chat.host_meter or fixed)
        if row not in seen and not (is_plain and chat.tool in tools):
            seen.add(row)
            tools.add(chat.tool)
            yield from row.split("\n")
            yield f"hidden {json.dumps(list(to_builtins(hidden).values()))} shown {json.dumps(to_builtins(own))}"
            if fit.parts != meter.parts:
                now = {name: value for name, value in to_builtins(fit.parts).items() if value}
                yield f"fitted {fit.fixed} {json.dumps(now)} {fit.tokens}"
            yield f"rate {meter.rate} {meter.growth} {meter.passed} {list(to_builtins(meter.learned).values())}"

    check_each_chat(rows, HERE / "reports.txt", accept=accept)


def count(text: str) -> int:
    """Count a token for each four characters."""
    return -(-len(text) // 4)
