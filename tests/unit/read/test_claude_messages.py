"""Live records of a Claude Code session become messages."""

from __future__ import annotations

from typing import Any

from compact_chat.read.claude_code import Outline, Session, Whole, model_of
from compact_chat.read.loose import loose

Record = dict[str, Any]


def user(uuid: str, content: object, **more: Any) -> Record:
    """A line of the user's."""
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}, **more}


def reply(uuid: str, message_id: str, *blocks: Record, usage: object = None, **more: Any) -> Record:
    """A line of a reply."""
    message = {"id": message_id, "role": "assistant", "model": "claude-x", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "message": message, **more}


def typed(*records: Record) -> list[Whole]:
    """The records as the reader decodes them."""
    return [loose(Whole, record) for record in records]


def test_what_microcompactions_cleared() -> None:
    """All boundaries together name what is cleared; odd values name nothing."""
    first = {"microcompactMetadata": {"compactedToolIds": ["1", 5], "clearedAttachmentUUIDs": ["n"]}}
    second = {"microcompactMetadata": {"compactedToolIds": "x"}}
    session = Session()
    for record in (first, second, {"microcompactMetadata": 3}, {}):
        session.note(loose(Outline, record))
    assert session.cleared == {"1", "n"}


def test_the_model_is_the_newest_real_one() -> None:
    """Synthetic replies name no model, and no replies mean none."""
    odd = {"type": "assistant", "uuid": "b", "message": {"model": "<synthetic>"}}
    assert model_of(typed(reply("a", "m"), odd, user("u", "x"))) == "claude-x"
    assert model_of(typed(odd)) is None
