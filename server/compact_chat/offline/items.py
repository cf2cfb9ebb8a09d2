"""Pieces of a hand-over: where each belongs, how much it is worth, and which of them fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.offline.statements import names_in

TURN_TOKENS, LEAST_ITEM = 7, 4  # tokens of the heading of a turn, and of the shortest item


class Item(Struct, frozen=True):
    """A piece of the text: where it stands, and when it gets in."""

    section: str
    text: str
    rank: int  # the lower, the sooner; then the newest turn first
    place: int = 0  # in its section, or in its turn of the record
    turn: int = 0
    share: float = 1.0  # of the room, for all items of this section and rank
    leads: bool = False  # it only introduces what follows
    long: bool = False  # it may take all of a short text
    inline: str = ""  # with others of its turn in one line, which begins so
    worth: float = 0.0  # of a candidate: it competes with others by what it names


def choose(
    items: Sequence[Item], room: int, count: Callable[[str], int], turns: set[int] | None = None
) -> tuple[list[Item], int]:
    """Choose the items that fit, each kind up to its share first; return them, and the tokens that are left."""
    chosen, refused, left = list[Item](), list[Item](), room
    spent: Counter[tuple[str, int]] = Counter()
    headed = set(turns or ())
    for wave, capped in ((items, True), (refused, False)):
        for item in wave:
            if left < LEAST_ITEM:
                return chosen, left
            checkpoint()
            cost = count(item.text) + 1
            if item.section == "record" and item.turn not in headed:
                cost += TURN_TOKENS
            if cost > left or (capped and spent[item.section, item.rank] + cost > item.share * room):
                if capped:
                    refused.append(item)
                continue
            chosen.append(item)
            left -= cost
            spent[item.section, item.rank] += cost
            if item.section == "record":
                headed.add(item.turn)
    return chosen, left


class Candidate(Struct, frozen=True):
    """An item that competes with others for the room that is left, with the specific terms in it."""

    item: Item
    names: set[str]


def best(candidates: Sequence[Candidate], written: str, room: int, count: Callable[[str], int]) -> list[Item]:
    """Choose the candidates that name the most that is new for their length."""
    named, left = names_in(written), room
    spent: Counter[int] = Counter()

    def value(one: Candidate) -> tuple[float, int, int]:
        gain = one.item.worth * (1 + len(one.names - named)) / math.sqrt(20 + len(one.item.text))
        return gain, one.item.turn, one.item.place

    chosen: list[Item] = []
    for one in sorted(candidates, key=value, reverse=True):
        checkpoint()
        item, cost = one.item, count(one.item.text) + 2
        if cost > left or spent[item.rank] + cost > item.share * room or one.names <= named:
            continue
        chosen.append(item)
        left -= cost
        spent[item.rank] += cost
        named |= one.names
    return chosen
