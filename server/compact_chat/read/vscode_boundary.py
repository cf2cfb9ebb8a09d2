"""Where the newest compaction of a VS Code chat cuts it: all up to the end of a round became a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import objects, word
from compact_chat.read.vscode_turns import Turn

_Place = tuple[int, int]  # of a round: its turn, and its place in it


class Boundary(Struct, frozen=True):
    """The last round that a summary replaces, and the turn that made it: this one or a later one."""

    turn: int
    round: int
    round_id: str
    text: str
    made_in: int


def newest_boundary(turns: Sequence[Turn]) -> Boundary | None:
    """The boundary nearest to the end; of two summaries of one round the one made last."""
    found = {(one.turn, one.round): one for one in (*_in_rounds(turns), *_in_requests(turns))}
    return found[max(found)] if found else None


def _in_rounds(turns: Sequence[Turn]) -> Iterator[Boundary]:
    for place, turn in enumerate(turns):
        for number, one in enumerate(turn.rounds):
            if one.summary.strip():
                yield Boundary(place, number, one.id, one.summary, made_in=place)


def _in_requests(turns: Sequence[Turn]) -> Iterator[Boundary]:
    """The summaries that requests made, of rounds in their own answer or in an earlier one."""
    earlier: dict[str, _Place] = {}
    for place, turn in enumerate(turns):
        own = {one.id: (place, number) for number, one in reversed(list(enumerate(turn.rounds)))}
        name, text = _last_summary(turn.metadata)
        if (end := own.get(name) or earlier.get(name)) is not None:
            yield Boundary(*end, name, text, made_in=place)
        for known, its_place in own.items():
            earlier.setdefault(known, its_place)


def _last_summary(metadata: JsonObject) -> tuple[str, str]:
    """The round and the text of the last summary that a request made; attempts that failed have neither."""
    several = metadata.get("summaries")
    made = objects(several if isinstance(several, list) else [metadata.get("summary")])
    named = [(word(one.get("toolCallRoundId")), word(one.get("text"))) for one in made]
    return next(((name, text) for name, text in reversed(named) if name and text.strip()), ("", ""))
