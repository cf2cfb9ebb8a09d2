"""Pieces of a hand-over: where each belongs, how much it is worth, and which of them fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint

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
    edited: tuple[str, ...] = ()  # names of files that it says were edited
    returned: tuple[str, ...] = ()  # lines of a call's result that it quotes
    longer: tuple[str, ...] = ()  # alternatives if room is left, the longest first


class Heads:
    """What items that were chosen have above them: the headings of their turns, and how their lines begin."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count, self._there = count, set[tuple[int, str]]()

    def cost(self, item: Item) -> int:
        """Count an item with what it has above it, unless that is there."""
        cost = self._count(item.text) + 1
        if item.section == "record" and (item.turn, "") not in self._there:
            cost += TURN_TOKENS
        if item.inline and (item.turn, item.inline) not in self._there:
            cost += self._count(item.inline) + 1
        return cost

    def has_turn(self, turn: int) -> bool:
        """Whether the heading of a turn is there."""
        return (turn, "") in self._there

    def take(self, item: Item) -> None:
        """Note what is above an item."""
        if item.section == "record":
            self._there.add((item.turn, ""))
        if item.inline:
            self._there.add((item.turn, item.inline))


def choose(items: Sequence[Item], room: int, heads: Heads, whole: int = 0, firm: int = -1) -> tuple[list[Item], int]:
    """Choose the items that fit, each kind up to its share first; return them, and the tokens that are left.

    Shares are of the `whole` room, of which `room` is left; by default of the room. What is beyond its share
    comes last, but not at all if its rank is `firm`.
    """
    chosen, refused, left = list[Item](), list[Item](), room
    spent: Counter[tuple[str, int]] = Counter()
    for wave, capped in ((items, True), (refused, False)):
        for item in wave:
            if left < LEAST_ITEM:
                return chosen, left
            checkpoint()
            cost = heads.cost(item)
            if cost > left or (capped and spent[item.section, item.rank] + cost > item.share * (whole or room)):
                if capped and item.rank != firm:
                    refused.append(item)
                continue
            chosen.append(item)
            left -= cost
            spent[item.section, item.rank] += cost
            heads.take(item)
    return chosen, left


def lengthened(items: Sequence[Item], room: int, count: Callable[[str], int]) -> tuple[list[Item], int]:
    """Tell more of the items, the newest first, as far as it fits; return them, and the tokens that are left."""
    found, left = list(items), room
    for at in sorted(range(len(found)), key=lambda at: (-found[at].turn, -found[at].place)):
        for text in found[at].longer:
            more = count(text) - count(found[at].text)
            if more <= left:
                found[at], left = replace(found[at], text=text), left - more
                break
    return found, left


class Candidate(Struct, frozen=True):
    """An item that competes with others for the room that is left, with the specific terms in it."""

    item: Item
    names: set[str]


def best(
    candidates: Sequence[Candidate], named: set[str], room: int, heads: Heads, whole: int = 0
) -> tuple[list[Item], int]:
    """Choose the candidates that name the most that is new for their length; return them, and what they cost.

    Their names are added to those that are `named` already.
    """
    left = room
    spent: Counter[int] = Counter()

    def value(one: Candidate) -> tuple[float, int, int]:
        gain = one.item.worth * (1 + len(one.names - named)) / math.sqrt(20 + len(one.item.text))
        return gain, one.item.turn, one.item.place

    chosen: list[Item] = []
    for one in sorted(candidates, key=value, reverse=True):
        checkpoint()
        item, cost = one.item, heads.cost(one.item) + 1
        if cost > left or spent[item.rank] + cost > item.share * (whole or room) or one.names <= named:
            continue
        chosen.append(item)
        left -= cost
        spent[item.rank] += cost
        named |= one.names
        heads.take(item)
    return chosen, room - left
