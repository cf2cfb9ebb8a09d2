"""Our own folder among the user's."""

from __future__ import annotations

import pytest

from compact_chat.disk import state_folder
from compact_chat.disk.state import folder_for


@pytest.mark.parametrize(
    ("platform", "env", "home", "folder"),
    [
        ("linux", {}, "/home/mara", "/home/mara/.local/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "/home/mara", "/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "state"}, "/home/mara", "/home/mara/.local/state/compact-chat"),
        ("freebsd14", {}, "/home/mara", "/home/mara/.local/state/compact-chat"),
        ("darwin", {}, "/Users/mara", "/Users/mara/Library/Application Support/compact-chat"),
        ("darwin", {"XDG_STATE_HOME": "/state"}, "/Users/mara", "/state/compact-chat"),
        ("win32", {}, r"C:\Users\mara", r"C:\Users\mara\AppData\Local\compact-chat"),
        ("win32", {"LOCALAPPDATA": r"D:\data"}, r"C:\Users\mara", r"D:\data\compact-chat"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "~", "/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "state"}, "~", ""),
        ("darwin", {}, "~", ""),
        ("win32", {"LOCALAPPDATA": "data"}, "~", ""),
    ],
)
def test_each_platform_has_its_folder(platform: str, env: dict[str, str], home: str, folder: str) -> None:
    """The rules of Linux, macOS and Windows, and what the user set where that names a whole path."""
    assert folder_for(platform, env, home) == folder


def test_the_folder_is_the_users_own() -> None:
    """Here and now it is a whole path that ends with our name."""
    folder = state_folder()

    assert folder is not None
    assert folder.is_absolute()
    assert folder.name == "compact-chat"
