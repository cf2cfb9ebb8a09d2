"""Reading the files that belong to a chat and lie in its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.disk import read_siblings
from compact_chat.operations import ChatRef
from compact_chat.operations.chats import chat_of


def test_the_files_of_a_task_are_read_together(tmp_path: Path) -> None:
    """What is there comes back by its name; what is not, or is no file, is left out."""
    (tmp_path / "ui_messages.json").write_bytes(b"[]")
    (tmp_path / "context_history.json").mkdir()
    (tmp_path / "api_conversation_history.json").write_bytes(b"own")
    (tmp_path / "secrets.json").write_bytes(b"never")
    uri = (tmp_path / "api_conversation_history.json").as_uri()
    assert read_siblings(uri) == {"ui_messages.json": b"[]"}
    assert read_siblings((tmp_path / "ui_messages.json").as_uri()) == {"api_conversation_history.json": b"own"}


@pytest.mark.parametrize(
    "name", ["chat.json", "context_history.json", "task_metadata.json", "API_CONVERSATION_HISTORY.JSON"]
)
def test_other_files_are_read_alone(tmp_path: Path, name: str) -> None:
    """A folder is looked into only for a file of a name that has others beside it."""
    (tmp_path / "ui_messages.json").write_bytes(b"[]")
    assert read_siblings((tmp_path / name).as_uri()) == {}


def test_a_chat_is_read_with_the_files_beside_it(tmp_path: Path) -> None:
    """A folder with blanks and percent signs in its name is the same folder."""
    folder = tmp_path / "a b%2F"
    folder.mkdir()
    (folder / "ui_messages.json").write_text(
        '[{"ts":1,"type":"say","say":"text","text":"x","conversationHistoryIndex":1,'
        '"conversationHistoryDeletedRange":[2,2]}]'
    )
    (folder / "api_conversation_history.json").write_text(
        '[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"gone"}]'
    )
    for name in ("ui_messages.json", "api_conversation_history.json"):
        chat = chat_of(ChatRef(uri=(folder / name).as_uri()))
        assert (chat.format, [message.text for message in chat.messages]) == ("cline", ["a", "b"])
