"""What the person wants: sections 1, 6 and 7."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compact_chat.facts.requests import Request
from compact_chat.facts.rules import Rule
from compact_chat.facts.todos import Todo
from compact_chat.facts.words import counted
from compact_chat.providers.extract.lines import NOTICE, QUOTES, RULES, TODOS, WISHES, Line
from compact_chat.providers.extract.quoting import bullet, cut, excerpt

_EXTRACTED = (
    "(Extracted from the chat by rules, without a model. Quotes are verbatim; later messages override earlier ones.)"
)
LONGEST_WISH = 240
LEAST_QUOTE, MORE_ROOM = 120, 3  # characters; the newest message and the first one get three times the room


def notice() -> Line:
    """Say who wrote this."""
    return Line(NOTICE, _EXTRACTED, 0, filler=True)


def wish_lines(said: Sequence[Request]) -> Iterator[Line]:
    """The first and the newest request; all of them stand in section 6."""
    if said:
        yield Line(WISHES, f"- First request: {excerpt(said[0].text, LONGEST_WISH)}", 0, turn=1)
    if len(said) > 1:
        yield Line(WISHES, f"- Newest of the requests summarised here: {excerpt(said[-1].text, LONGEST_WISH)}", 1)


def rule_lines(rules: Sequence[Rule]) -> Iterator[Line]:
    """The rules; one that a later rule changed says so."""
    for place, rule in enumerate(rules):
        mark = " (superseded by a later rule)" if rule.superseded else ""
        yield Line(RULES, f'- "{rule.text}"{mark}', place, turn=rule.superseded)


def todo_lines(todos: Sequence[Todo]) -> Iterator[Line]:
    """The open items, and how many are done."""
    marks = {"open": "- [ ] ", "doing": "- [ ] (in progress) "}
    for place, todo in enumerate(todo for todo in todos if todo.status != "done"):
        yield Line(TODOS, marks[todo.status] + " ".join(todo.text.split()), place, turn=todo.status != "doing")
    if done := sum(todo.status == "done" for todo in todos):
        yield Line(TODOS, f"- Done: {done} of {counted(len(todos), 'item')}.", len(todos), turn=2)


def quote_lines(said: Sequence[Request], room: int, count: Callable[[str], int]) -> list[Line]:
    """All messages of the person, long ones cut in their middle so that they fit together."""
    limit = _limit(said, room, count)
    return [
        Line(QUOTES, bullet(cut(request.text, limit * _weight(place, said))), place, turn=_turn(place, said))
        for place, request in enumerate(said)
    ]


def left_out(number: int) -> list[Line]:
    """Say how many messages there was no room for."""
    text = f"- [... {counted(number, 'more message')} left out ...]"
    return [Line(QUOTES, text, 0, turn=10_000, filler=True)] if number else []


def _limit(said: Sequence[Request], room: int, count: Callable[[str], int]) -> int:
    """How many characters of a message can be shown: the most with which all fit."""
    tokens = [count(request.text) + 2 for request in said]
    lengths = [max(1, len(request.text)) for request in said]
    low, high = LEAST_QUOTE, max(lengths, default=LEAST_QUOTE)
    while low < high:
        limit = (low + high + 1) // 2
        limits = (limit * _weight(place, said) for place in range(len(said)))
        needed = sum(t * min(1.0, most / n) for t, n, most in zip(tokens, lengths, limits, strict=True))
        low, high = (limit, high) if needed <= room else (low, limit - 1)
    return low


def _weight(place: int, said: Sequence[Request]) -> int:
    return MORE_ROOM if place in (0, len(said) - 1) else 1


def _turn(place: int, said: Sequence[Request]) -> int:
    """The newest message goes in first, then the first one, then the others from the newest back."""
    newest = len(said) - 1
    return {newest: 0, 0: 1}.get(place, 1 + newest - place)
