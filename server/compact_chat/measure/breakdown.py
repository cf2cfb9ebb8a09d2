"""The biggest things in the context: its tokens divided by message, by tool, by file, and by whatever tells most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.measure.gauge import Meter, is_system
from compact_chat.measure.report import percent
from compact_chat.measure.weights import shares
from compact_chat.wire import Breakdown, Thing, ThingKind

FIXED, REST = "system prompt, tools", "all else"
NO_MESSAGE = -1


class Piece(Struct, frozen=True):
    """Some tokens of a message, with the tool and the file that they belong to, as far as they belong to any."""

    message: int
    tokens: int
    tool: str = ""
    file: str = ""


class Owner(Struct, frozen=True):
    """Whom a piece of a message belongs to."""

    tool: str = ""
    files: tuple[str, ...] = ()


class Name(NamedTuple):
    """What tells one thing from another."""

    kind: ThingKind
    name: str


Naming = Callable[[Piece], Name]


def divided(message: int, tokens: int, sizes: Sequence[float], owners: Sequence[Owner]) -> Iterator[Piece]:
    """Divide a message's tokens among its pieces, and those of a piece evenly among its files; all add up to them."""
    parts = shares(tokens, sizes)
    for part, owner in zip(parts, owners, strict=True):
        files = owner.files or ("",)
        for share, file in zip(shares(part, [1] * len(files)), files, strict=True):
            yield Piece(message, share, owner.tool, file)
    if rest := tokens - sum(parts):
        yield Piece(message, rest)


def break_down(
    messages: Sequence[Message], meter: Meter, pieces: Sequence[Piece], most: int, word: Callable[[Name], str]
) -> Breakdown:
    """Tell the biggest things of each sort, at most so many; `word` gives them names for a person.

    Each list holds every token of the context once: its tokens add up to `used`. What is `fixed` is the part of that
    name: system messages are of it, as what the chat does not hold is.
    """
    whole = (Piece(NO_MESSAGE, meter.fixed), *pieces)

    def things(naming: Naming) -> tuple[Thing, ...]:
        return tuple(_things(messages, meter.used, whole, naming, most, word))

    return Breakdown(
        biggest=things(lambda piece: _most_telling(piece, messages)),
        messages=things(lambda piece: _message(piece, messages)),
        tools=things(lambda piece: Name("tool", piece.tool) if piece.tool else _REST),
        files=things(lambda piece: Name("file", piece.file) if piece.file else _REST),
    )


_REST = Name("rest", REST)


def _most_telling(piece: Piece, messages: Sequence[Message]) -> Name:
    """A file tells more than the tool that read it, and a tool more than the message that it was called in."""
    if _is_fixed(piece, messages):
        return Name("fixed", FIXED)
    if piece.file:
        return Name("file", piece.file)
    return Name("tool", piece.tool) if piece.tool else _message(piece, messages)


def _message(piece: Piece, messages: Sequence[Message]) -> Name:
    if _is_fixed(piece, messages):
        return Name("fixed", FIXED)
    message = messages[piece.message]
    return Name("summary" if message.is_summary else "message", message.id)


def _is_fixed(piece: Piece, messages: Sequence[Message]) -> bool:
    return piece.message == NO_MESSAGE or is_system(messages[piece.message])


def _things(
    messages: Sequence[Message],
    used: int,
    pieces: Sequence[Piece],
    naming: Naming,
    most: int,
    word: Callable[[Name], str],
) -> Iterator[Thing]:
    """Sum the pieces by name and give the biggest things, the biggest first, and behind them what is left."""
    tokens: dict[Name, int] = {}
    places: dict[Name, dict[int, None]] = {}  # of the messages with a thing, in order
    for piece in pieces:
        name = naming(piece)
        tokens[name] = tokens.get(name, 0) + piece.tokens
        places.setdefault(name, {})[piece.message] = None
    biggest = sorted((name for name in tokens if name != _REST and tokens[name]), key=lambda name: -tokens[name])
    for name in biggest[:most]:
        ids = tuple(messages[place].id for place in places[name] if place != NO_MESSAGE)
        yield Thing(name.kind, word(name), tokens[name], percent(tokens[name], used), ids)
    left = used - sum(tokens[name] for name in biggest[:most])
    if left:
        yield Thing("rest", REST, left, percent(left, used), ())
