"""The offline provider: a summary extracted from the structure of the chat, without a model and at any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.requests import Request
from compact_chat.facts.words import shortened
from compact_chat.marks import escape_tags
from compact_chat.plan.outcome import Direction
from compact_chat.providers.extract.lines import LOOKS, Line
from compact_chat.providers.extract.material import Material, gather
from compact_chat.providers.extract.pack import Pack
from compact_chat.providers.extract.page import page, titles
from compact_chat.providers.extract.telling import telling_lines
from compact_chat.providers.extract.wishes import left_out, quote_lines

QUOTES_SHARE = 0.35  # of the room, kept back for the person's own words
LINES_SHARE = 0.12  # and for telling lines
MORE_FOR_QUOTES = 0.6  # of what the facts leave
LEFT_OUT_TOKENS = 20  # for the line that counts the messages without room
SAID_FIRST = 0.6  # of what is left then, for telling lines before the facts that were over their share
LEAST_FOR_ALL_TITLES = 400  # tokens; below that only sections that hold something are there

_HEAD, _FOOT = "<summary>\n", "\n</summary>"


class OfflineRequest(Struct, frozen=True):
    """Messages without secrets, and what their summary may cost in tokens."""

    messages: tuple[Message, ...]
    direction: Direction
    budget: int
    count: Callable[[str], int]
    immediate_task: bool = False
    check: Callable[[], None] = lambda: None  # called now and then; it may raise to end the work


def write_summary(request: OfflineRequest) -> str:
    """The whole reply in nine sections, within the budget; empty where nothing of the chat is in it (rule F10)."""
    budget, count = request.budget, request.count
    keys, all_titles = titles(request.direction, request.immediate_task), budget >= LEAST_FOR_ALL_TITLES
    room = budget - count(_tagged(page((), keys, all_titles)))
    material = gather(request.messages, request.direction, room, request.immediate_task, request.check)
    lines = _chosen(material, room, count, request.check)
    while not all(line.filler for line in lines):
        text = _tagged(page(lines, keys, all_titles))
        if count(text) <= budget:
            return text
        lines = lines[: -1 - len(lines) // 50]
    return _least(material.said, budget, count)


def _chosen(material: Material, room: int, count: Callable[[str], int], check: Callable[[], None]) -> list[Line]:
    """The lines that fit, in the order in which they would be given up last: facts, quotes, and telling lines."""
    pack = Pack(room, count)
    needed = sum(count(request.text) + 4 for request in material.said)
    kept_back = min(needed, round(QUOTES_SHARE * room))
    looks = [line for line in material.facts if line.group == LOOKS]
    for_lines = round(LINES_SHARE * room)
    refused = pack.take((line for line in material.facts if line.group != LOOKS), keep_back=kept_back + for_lines)
    for_quotes = min(needed, kept_back + round(MORE_FOR_QUOTES * max(0, pack.left - kept_back - for_lines)))
    missing = pack.take(quote_lines(material.said, for_quotes, count), keep_back=LEFT_OUT_TOKENS)
    pack.take(left_out(len(missing)))
    for share, lines in ((SAID_FIRST, [*refused, *looks]), (1.0, [])):
        known = "\n".join(line.text for line in pack.lines)
        pack.take(telling_lines(material.messages, material.said, known, round(share * pack.left), count, check))
        pack.take(lines, capped=False)
    return pack.lines


def _least(said: Sequence[Request], budget: int, count: Callable[[str], int]) -> str:
    """As much of the newest request as fits a budget that holds no section, if there is one."""
    wishes = (_tagged(escape_tags(shortened(said[-1].text, limit))) for limit in (320, 160, 80, 40, 20) if said)
    return next((text for text in wishes if count(text) <= budget), "")


def _tagged(body: str) -> str:
    return f"{_HEAD}{body}{_FOOT}"
