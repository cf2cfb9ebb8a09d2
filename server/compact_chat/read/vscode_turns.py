"""The requests of a VS Code chat that are still live, each with the rounds in which a model answered it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from compact_chat.chat import JsonObject, Message
from compact_chat.read.lenient import fields, word
from compact_chat.read.vscode_rounds import Round, recorded_rounds
from compact_chat.read.vscode_screen import shown_rounds
from compact_chat.read.vscode_user import user_message

_AUTO = "auto"  # a model that stands for others
# What makes up most of a request, and is not needed any more once its rounds are read.
_FOR_THE_SCREEN = frozenset({"response", "result"})
_IN_THE_ROUNDS = frozenset({"renderedUserMessage", "toolCallResults", "toolCallRounds"})


class Turn(Struct, frozen=True):
    """A request and its answer; `metadata` is the model's side of it, written when the request ends.

    Of both is left what the rounds and the question do not hold.
    """

    request: JsonObject
    metadata: JsonObject
    asked: Message | None
    rounds: tuple[Round, ...]
    is_shown: bool  # nothing tells what went to the model but the screen

    def messages(self) -> Iterator[Message]:
        """The whole turn."""
        if self.asked is not None:
            yield self.asked
        yield from self.messages_from(0)

    def messages_from(self, first: int) -> Iterator[Message]:
        """The rounds from this one on, without what was asked."""
        for one in self.rounds[first:]:
            yield from one.messages


def live_turns(state: JsonObject) -> list[Turn]:
    """The requests in order, from a list or one by one, without those that a person took back."""
    requests = state.get("requests")
    numbered = enumerate(requests if isinstance(requests, list | Iterator) else ())
    live = ((place, one) for place, one in numbered if isinstance(one, dict) and not _is_removed(one))
    turns: list[Turn] = []
    waiting: tuple[JsonObject, str] | None = None  # for the next one: a request may hold results of the one before
    for place, request in live:
        if waiting:
            turns.append(_turn(*waiting, metadata_of(request)))
        waiting = (request, word(request.get("requestId")) or f"request-{place}")
    return [*turns, _turn(*waiting, None)] if waiting else turns


def metadata_of(request: JsonObject) -> JsonObject:
    """What the participant that answered kept with its answer."""
    return fields(fields(request.get("result")).get("metadata"))


def model_of(turn: Turn) -> str:
    """The model that a turn went to, and for a choice left to the host the one that it made."""
    asked, made = word(turn.request.get("modelId")), word(turn.metadata.get("resolvedModel"))
    return made if made and asked.rpartition("/")[2] in ("", _AUTO) else asked


def _is_removed(request: JsonObject) -> bool:
    """Whether the next request would drop this one; one undone only in part stays."""
    removed = request.get("shouldBeRemovedOnSend")
    return request.get("isHidden") is True or (bool(removed) and not fields(removed).get("afterUndoStop"))


def _turn(request: JsonObject, name: str, following: JsonObject | None) -> Turn:
    metadata = metadata_of(request)
    rounds = recorded_rounds(metadata, name, following)
    shown = () if rounds or _is_compaction(metadata) else shown_rounds(request, name)
    is_known = bool(rounds) or "summary" in metadata or isinstance(metadata.get("toolCallRounds"), list)
    return Turn(
        request=_without(request, _FOR_THE_SCREEN),
        metadata=_without(metadata, _IN_THE_ROUNDS),
        asked=user_message(request, metadata, name),
        rounds=rounds or shown,
        is_shown=bool(shown) or not is_known,
    )


def _without(held: JsonObject, keys: frozenset[str]) -> JsonObject:
    return {key: value for key, value in held.items() if key not in keys}


def _is_compaction(metadata: JsonObject) -> bool:
    """Whether the answer was a summary: what the screen says of it goes to no model."""
    return bool(fields(metadata.get("summary")))
