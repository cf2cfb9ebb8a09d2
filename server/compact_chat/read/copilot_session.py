"""What a Copilot log tells of its session: the model, the window, the title and the folder."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.read.copilot_events import Event, is_by_host
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import title_of

_MODELS = {
    "session.start": "selectedModel",
    "session.resume": "selectedModel",
    "session.model_change": "newModel",
    "session.shutdown": "currentModel",
    "assistant.message": "model",
    "assistant.usage": "model",
}
_ANY_MODEL = "auto"  # chosen anew for each message


def model_of(events: Sequence[Event]) -> str | None:
    """The newest model that was chosen or that answered."""
    told = (word(event.data.get(_MODELS[event.kind])) for event in reversed(events) if event.kind in _MODELS)
    return next((model for model in told if model not in ("", _ANY_MODEL)), None)


def window_of(events: Sequence[Event]) -> int | None:
    """The newest limit of tokens that Copilot noted."""
    told = (event.data.get("tokenLimit") for event in reversed(events) if event.kind.startswith("session."))
    return next(filter(None, map(tokens, told)), None)


def workspace_of(events: Sequence[Event]) -> str | None:
    """The folder that the session began in."""
    begun = (event for event in events if event.kind in ("session.start", "session.resume"))
    contexts = (fields(event.data.get("context")) for event in begun)
    return next(filter(None, (word(context.get("cwd")) for context in contexts)), None)


def title_of_session(events: Sequence[Event]) -> str | None:
    """The title that Copilot gave it, else what the user said first."""
    given = [word(event.data.get("title")) for event in events if event.kind == "session.title_changed"]
    said = (
        word(event.data.get("content")) for event in events if event.kind == "user.message" and not is_by_host(event)
    )
    return next(filter(None, map(title_of, (*given[-1:], *said))), None)


def removed_messages(events: Sequence[Event]) -> int:
    """How many messages Copilot left out of its prompts to keep within the window."""
    cuts = (event.data for event in events if event.kind == "session.truncation")
    return sum(tokens(cut.get("messagesRemovedDuringTruncation")) for cut in cuts)
