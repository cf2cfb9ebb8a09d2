"""An editor's settings reach the operations, asked for as the editor declared it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.editors.driven import Driven


def plan(editor: Driven, chat: Path, **options: int) -> Any:
    """The id of a plan, which is another one with other options."""
    return editor.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": options})["planId"]


def test_settings_count_from_the_start(editor: Driven, chat: Path) -> None:
    """What stands in the editor's settings counts from the first operation on, until a param says otherwise.

    VS Code's way is to be asked for them, which it declares; Neovim and eglot send them once they are connected.
    """
    assert plan(editor, chat) == plan(editor, chat, minKeep=9) != plan(editor, chat, minKeep=4)


def test_changed_settings_count(editor: Driven, chat: Path) -> None:
    """A change counts for the next operation, whether the editor sends the values along or has to be asked again."""
    editor.say("configure", settings={"compactChat": {"minKeep": 2}})
    changed = plan(editor, chat)
    editor.say("configure", settings={"compactChat": {"minKeep": 9}})

    assert changed == plan(editor, chat, minKeep=2) != plan(editor, chat)
