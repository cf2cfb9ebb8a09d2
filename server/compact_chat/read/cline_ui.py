"""A task of Cline or its kin of which only the screen is left: what was said, called and answered there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from compact_chat.chat import JsonObject, Message, Role, Text, ToolCall, ToolResult, Usage, result_text
from compact_chat.read.cline_live import hidden_end
from compact_chat.read.cline_messages import with_origin
from compact_chat.read.cline_shown import Shown, part_of
from compact_chat.read.cline_task import inner, said
from compact_chat.read.cline_usage import STARTED, shown_usage
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import stable_ids, whole_number

_MOST_COMPARED = 20  # pieces of one message that may be told again in the request behind them


class _Piece(Struct, frozen=True):
    turn: int  # how many calls of the model were made before
    role: Role
    shown: Shown
    name: str
    is_request: bool = False  # all that the user's side sent with a call, as one text


def messages_of(ui: Sequence[JsonObject]) -> list[Message]:
    """Put the messages together as they went to the model, as far as the screen shows them."""
    last = next((place for place in reversed(range(len(ui))) if _condensed(ui[place])), -1)
    live = [message for message in _live(ui[last + 1 :]) if message.get("partial") is not True]
    pieces = list(_pieces(live))
    calls = [shown_usage(message) for message in live if said(message) == STARTED]
    groups = [list(group) for _, group in groupby(pieces, key=lambda piece: (piece.turn, piece.role))]
    names = stable_ids([group[0].name for group in groups])
    opening = [_summary(ui[last])] if last >= 0 else []
    return [*opening, *_merged(groups, names, calls)]


def _condensed(message: JsonObject) -> str:
    """The summary that Roo Code puts in place of all before it."""
    return word(fields(message.get("contextCondense")).get("summary"))


def _summary(message: JsonObject) -> Message:
    return Message(f"summary-{_name(message)}", "user", (Text(_condensed(message)),), is_summary=True, by_host=True)


def _live(ui: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Leave out what was shown of hidden messages; each is shown while the one before it is the newest stored."""
    cut = hidden_end(ui)
    is_hidden = False
    for message in ui:
        index = whole_number(message.get("conversationHistoryIndex"))
        if index is not None:
            is_hidden = 1 <= index < cut
        if not is_hidden:
            yield message


def _pieces(live: Sequence[JsonObject]) -> Iterator[_Piece]:
    turn = 0
    caller = ""  # the newest call of a tool: what is shown of a result names none
    for number, message in enumerate(live):
        name = _name(message)
        if said(message) == STARTED:
            request = word(inner(message).get("request"))
            if request.strip():
                yield _Piece(turn, "user", Text(request), name, is_request=True)
            turn += 1
            continue
        role, shown = part_of(message, f"ui-{number}", caller, is_first=number == 0)
        caller = shown.id if isinstance(shown, ToolCall) else caller
        if shown is not None:
            yield _Piece(turn, role, shown, name)


def _merged(groups: Sequence[list[_Piece]], names: Sequence[str], calls: Sequence[Usage | None]) -> Iterator[Message]:
    measured = 0
    for group, name in zip(groups, names, strict=True):
        turn = group[0].turn
        message = Message(name, group[0].role, tuple(piece.shown for piece in _once(group)))
        if group[0].role == "user":
            yield with_origin(message)
        else:
            usage = calls[turn - 1] if turn > measured else None
            measured = turn
            yield Message(name, "assistant", message.parts, usage=usage)


def _once(group: list[_Piece]) -> list[_Piece]:
    """Leave out what the request behind it tells again."""
    if not group[-1].is_request or len(group) > _MOST_COMPARED:
        return group
    request = group[-1].shown.text if isinstance(group[-1].shown, Text) else ""
    return [piece for piece in group if piece.is_request or _words(piece.shown).strip() not in request]


def _words(shown: Shown) -> str:
    return result_text(shown) if isinstance(shown, ToolResult) else getattr(shown, "text", "")


def _name(message: JsonObject) -> str:
    time = whole_number(message.get("ts"))
    return "" if time is None else str(time)
