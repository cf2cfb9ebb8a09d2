"""A `file:` URI of this machine becomes the path it names, and no other URI becomes one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compact_chat.disk import path_of
from compact_chat.disk.files import windows_path
from compact_chat.errors import InvalidParams
from tests.samples.odd_files import FOREIGN_URIS

posix = pytest.mark.skipif(sys.platform == "win32", reason="paths of Windows begin with a drive")


@posix
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b", "/a/b"),
        ("file:/a", "/a"),
        ("FILE://LocalHost/a", "/a"),
        ("file:///a%20b%2Fc", "/a b/c"),
        ("file:///a b\nc", "/a b\nc"),
        ("file:///a%zz%", "/a%zz%"),
        ("file:///a?b#c", "/a"),
        ("file:///a//b", "/a//b"),
        ("file:///a%3Fb%23c", "/a?b#c"),
    ],
)
def test_a_uri_names_one_path(uri: str, path: str) -> None:
    """Escapes are undone once, line ends stay, and what is no escape stays too."""
    assert path_of(uri) == path


@posix
@pytest.mark.parametrize("name", [b"a\xff", b"\xed\xa0\x80", "ü".encode(), b"50%25", b"a\nb\\c"])
def test_every_name_that_a_file_can_have_is_found(name: bytes) -> None:
    """What Python writes as a URI comes back as the same bytes, UTF-8 or not."""
    path = os.fsdecode(b"/chats/" + name)

    assert path_of(Path(path).as_uri()) == path


@pytest.mark.parametrize("name", FOREIGN_URIS)
def test_other_schemes_and_machines_are_refused(name: str) -> None:
    """A share of the network, however it is written, would be asked for with our credentials; nothing is opened."""
    with pytest.raises(InvalidParams) as caught:
        path_of(FOREIGN_URIS[name])

    assert caught.value.data["problems"] == [{"path": "$.uri", "message": "expected a file: URI on this machine"}]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/C:/chats/a.jsonl", "C:\\chats\\a.jsonl"),
        ("/c:/a\nb", "c:\\a\nb"),
        ("/C:\\a", "C:\\a"),
        ("/C:", ""),
        ("/C:a", ""),
        ("/chats/a.jsonl", ""),
        ("//server/share", ""),
        ("/\\server\\share", ""),
        ("/./pipe/x", ""),
        ("", ""),
    ],
)
def test_windows_needs_a_drive(path: str, told: str) -> None:
    """On Windows a path without a drive may lead into the network or to a device, and is none."""
    assert windows_path(path) == told
