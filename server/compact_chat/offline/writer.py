"""The offline writer: a summary in any style, extracted from the structure of the chat, without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts import shortened
from compact_chat.offline.choose import Material, Telling, gather, left_out, quote_lines
from compact_chat.offline.lines import LOOKS, NOTICE, Line, safe
from compact_chat.offline.page import Pack, page, shown_in, titles
from compact_chat.plan import Direction
from compact_chat.wire import Style

QUOTES_SHARE = 0.5  # of the room, kept back for the person's own words
LINES_SHARE = 0.12  # and for telling lines
MORE_FOR_QUOTES = 0.6  # of what the facts leave
LEFT_OUT_TOKENS = 20  # for the line that counts the messages without room
SAID_FIRST = 0.6  # of what is left then, for telling lines before the facts that were over their share
LEAST_FOR_ALL_TITLES = 1000  # tokens; below that, blank sections are left out and requests are told once
MOST_OF_BRIEF = 2000  # tokens of the brief style, whatever the budget
# Replies that hold one line, which begins with a label: it is neither a heading nor `None`.
_LEAST: Mapping[Style, str] = {
    "detailed": "<summary>\n{}\n</summary>",
    "checkpoint": "## Goal\n- {}\n\n## Next Steps\n(none)",
    "structured": "# Conversation Summary\n\n## User Intent\n- {}\n\n## Current State\nNone\n",
    "brief": "## Request\n- {}",
}
_FRAME = (Line(NOTICE, "…", 0),)  # the least that a page can hold


class OfflineRequest(Struct, frozen=True):
    """Messages without secrets, and what their summary may cost in tokens."""

    messages: tuple[Message, ...]
    direction: Direction
    budget: int
    count: Callable[[str], int]
    immediate_task: bool = False
    check: Callable[[], None] = lambda: None  # called now and then; it may raise to end the work
    style: Style = "detailed"


def write_summary(request: OfflineRequest) -> str:
    """The whole reply in its style, within the budget; empty where nothing of the chat is in it (rule F10)."""
    style, count, task = request.style, request.count, request.immediate_task
    budget = min(request.budget, MOST_OF_BRIEF) if style == "brief" else request.budget
    is_wide = budget >= LEAST_FOR_ALL_TITLES
    paged = partial(page, style=style, keys=titles(style, request.direction, task), blank_sections=is_wide)
    room = budget - count(paged(_FRAME))
    sparing = style != "detailed" or not is_wide
    material = gather(request.messages, request.direction, room, task, request.check, sparing=sparing)
    lines = _chosen(material, Pack(room, count, shown_in(style)), request)
    while not all(line.filler for line in lines):
        text = paged(lines)
        if count(text) <= budget:
            return text
        lines = lines[: -1 - len(lines) // 50]
    return _least(material, request)


def _chosen(material: Material, pack: Pack, request: OfflineRequest) -> list[Line]:
    """The lines that fit, in the order in which they would be given up last: facts, quotes, and telling lines."""
    count, room = request.count, pack.left
    needed = sum(count(said.text) + 4 for said in material.said)
    kept_back = min(needed, round(QUOTES_SHARE * room))
    facts = [line for line in material.facts if line.group.place.of(request.style)]
    looks = [line for line in facts if line.group == LOOKS]
    for_lines = round(LINES_SHARE * room)
    refused = pack.take((line for line in facts if line.group != LOOKS), keep_back=kept_back + for_lines)
    for_quotes = min(needed, kept_back + round(MORE_FOR_QUOTES * max(0, pack.left - kept_back - for_lines)))
    missing = pack.take(quote_lines(material.said, for_quotes, count), keep_back=LEFT_OUT_TOKENS)
    pack.take(left_out(len(missing)))
    telling = Telling(material.messages, material.said, request.check)
    for share, lines in ((SAID_FIRST, [*refused, *looks]), (1.0, [])):
        known = "\n".join(line.text for line in pack.lines)
        pack.take(telling.lines(known, round(share * pack.left), count))
        pack.take(lines, capped=False)
    return pack.lines


def _least(material: Material, request: OfflineRequest) -> str:
    """As much of the newest request, or of the assistant's last words, as fits a budget that holds no more."""
    spoken = (m.text for m in reversed(material.messages) if m.role == "assistant" and m.text.strip())
    label, words = "Newest request", material.said[-1].text if material.said else ""
    if not words:
        label, words = "The assistant's last words", next(spoken, "")
    pieces = (safe(f"{label}: {shortened(words, limit)}") for limit in (320, 160, 80, 40, 20) if words)
    texts = (_LEAST[request.style].format(piece) for piece in pieces)
    return next((text for text in texts if request.count(text) <= request.budget), "")
