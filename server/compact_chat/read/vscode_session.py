"""The state of a VS Code chat becomes the conversation that goes to the model with the next request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from urllib.parse import unquote, urlsplit

from msgspec import Raw

from compact_chat.chat import Chat, JsonObject, Message, Text, Warning
from compact_chat.read.lenient import fields, word
from compact_chat.read.members import is_list, items_of, value_of
from compact_chat.read.own_ids import with_own_ids
from compact_chat.read.records import title_of
from compact_chat.read.source import Source
from compact_chat.read.vscode_boundary import Boundary, newest_boundary
from compact_chat.read.vscode_meter import host_meter, input_window, other_model, with_usage
from compact_chat.read.vscode_turns import Turn, live_turns, model_of
from compact_chat.read.vscode_user import prompt_text, rendered_parts

_TOOL = "vscode"
_RESPONDER = "responderUsername"
_NULL = Raw(b"null")
_IDENTITY = frozenset({"sessionId", "creationDate"})


def kind_of(source: Source) -> str | None:
    """Tell a session, and an export, which leaves out what makes a session one, from all else."""
    if members := source.members:
        requests, responder = is_list(members.get("requests")), value_of(members.get(_RESPONDER, _NULL))
    else:
        members = fields(None if source.strict else source.document)
        requests, responder = isinstance(members.get("requests"), list), members.get(_RESPONDER)
    if not requests or not isinstance(responder, str):
        return None
    return "vscode-export" if _IDENTITY.isdisjoint(members) else "vscode"


def chat_of(source: Source, name: str) -> Chat:
    """Read the live conversation of a session in one document; its requests are decoded one after the other."""
    if not source.members:
        return session_chat(fields(source.document), name)
    state = {key: value_of(member) for key, member in source.members.items() if key != "requests"}
    return session_chat({**state, "requests": items_of(source.members["requests"])}, name)


def session_chat(state: JsonObject, name: str) -> Chat:
    """Read the live conversation out of the state of a session."""
    turns = live_turns(state)
    boundary = newest_boundary(turns)
    return Chat(
        format=name,
        tool=_TOOL,
        messages=with_own_ids(_messages(turns, boundary)),
        model=next(filter(None, map(model_of, reversed(turns))), None),
        title=_title(state, turns),
        workspace=_workspace(state, turns),
        window=input_window(state),
        window_model=other_model(state, turns),
        host_meter=host_meter(state, turns),
        warnings=_warnings(turns[boundary.turn :] if boundary else turns),
    )


def _messages(turns: Sequence[Turn], boundary: Boundary | None) -> Iterator[Message]:
    """The global context, then what stands behind the newest compaction, or all of it."""
    contexts = (rendered_parts(turn.metadata.get("renderedGlobalContext")) for turn in turns)
    if context := next(filter(None, contexts), None):
        yield Message("global-context", "user", context, by_host=True)
    if boundary is None:
        first, rest = 0, None
    else:
        yield _summary(boundary)
        first, rest = boundary.turn, boundary.round + 1
    for place, turn in enumerate(turns[first:], first):
        messages = turn.messages() if place > first or rest is None else turn.messages_from(rest)
        # A call from before the compaction tells nothing of the prompt after it.
        is_comparable = boundary is None or place >= boundary.made_in
        yield from with_usage(turn, messages) if is_comparable else messages


def _summary(boundary: Boundary) -> Message:
    text = f"<conversation-summary>\n{boundary.text}\n</conversation-summary>\n"
    return Message(f"{boundary.round_id}:summary", "user", (Text(text),), is_summary=True, by_host=True)


def _title(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    given = (word(state.get(key)) for key in ("customTitle", "computedTitle"))
    said = (prompt_text(turn.request) for turn in turns)
    return next(filter(None, map(title_of, chain(given, said))), None)


def _workspace(state: JsonObject, turns: Sequence[Turn]) -> str | None:
    """The folder of the session, or the first of those that Copilot Chat wrote down with the global context."""
    keys = (word(turn.metadata.get(key)) for turn in turns for key in ("cacheKey", "globalContextCacheKey"))
    places = (word(state.get("workingDirectory")), *(key.partition(",")[0] for key in keys))
    return next(filter(None, map(_folder, places)), None)


def _folder(uri: str) -> str:
    if not uri.startswith("file:///"):
        return ""
    path = unquote(urlsplit(uri).path)
    return path[1:] if path[2:3] == ":" else path  # a drive of Windows


def _warnings(turns: Sequence[Turn]) -> tuple[Warning, ...]:
    shown = sum(turn.is_shown for turn in turns)
    if not shown:
        return ()
    told = f"Only what the screen shows is known of {shown} of {len(turns)} requests; their size is an estimate."
    return (Warning("fromScreen", told),)
