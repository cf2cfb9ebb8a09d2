"""A growing file is read once; every other change is detected."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.disk import Followed, files
from compact_chat.errors import ChatNotFound
from compact_chat.read import jsonl as lines
from compact_chat.read.blob import MARK

ONE, TWO, THREE = b'{"a": 1}\n', b'{"b": 2}\n', b'{"c": 3}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two lines."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(ONE + TWO)
    return path


def read(followed: Followed) -> bytes:
    """Read all."""
    with followed.whole() as held:
        return held.whole().removeprefix(MARK)


def append(path: Path, data: bytes) -> None:
    """Write to the end."""
    with path.open("ab") as file:
        file.write(data)


def test_a_line_on_its_way_is_kept_back(path: Path) -> None:
    """Half a line waits for its other half, whether it was there at first or came later."""
    append(path, THREE[:4])
    followed = Followed(path.as_uri())
    assert read(followed) == ONE + TWO
    append(path, THREE[4:-2])
    assert followed.grown() == b""
    append(path, THREE[-2:] + ONE[:2])
    assert followed.grown() == THREE
    append(path, ONE[2:])
    assert followed.grown() == ONE


@pytest.mark.parametrize(
    "data",
    [
        b'{\n  "messages": [\n    {"role": "user"}\n  ]',
        b"## User\n\nhello\n\n## Assistant\n\nhi",
        b"\x28\xb5\x2f\xfd\n\x00\n\x01",
        b'{"a": 1',
        b"",
    ],
)
def test_what_is_no_lines_is_given_as_it_is(tmp_path: Path, data: bytes) -> None:
    """Of a document, prose or packed bytes, nothing is held back."""
    path = tmp_path / "chat"
    path.write_bytes(data)
    assert read(Followed(path.as_uri())) == data


@pytest.mark.parametrize("change", ["shorter", "replaced", "longer", "same size", "same size and time", "same end"])
def test_what_is_written_anew_is_noticed(path: Path, change: str) -> None:
    """A file that was truncated, replaced or overwritten is not mistaken for one that grew."""
    if change == "same end":
        path.write_bytes(ONE + b" " * 300 + b"\n")
    followed = Followed(path.as_uri())
    read(followed)
    before = path.stat()
    new = path.with_name("new")
    new.write_bytes(ONE + TWO + THREE)
    if change == "shorter":
        path.write_bytes(ONE)
    elif change == "replaced":
        new.replace(path)
    elif change == "longer":
        path.write_bytes(TWO + ONE + THREE)
    elif change == "same end":
        path.write_bytes(TWO + b" " * 300 + b"\n")
        os.utime(path, ns=(1, 1))
    else:
        path.write_bytes(TWO + ONE)
        os.utime(path, ns=(1, 1) if change == "same size" else (before.st_atime_ns, before.st_mtime_ns))
    assert followed.has_changed()
    assert followed.grown() is None
    assert read(followed) == path.read_bytes()
    assert not followed.has_changed()


def test_a_file_that_is_gone_is_noticed_once(path: Path) -> None:
    """Disappearing is a change, staying away is none, coming back is one."""
    followed = Followed(path.as_uri())
    read(followed)
    path.unlink()
    assert followed.has_changed()
    assert followed.grown() is None
    with pytest.raises(ChatNotFound):
        read(followed)
    assert not followed.has_changed()
    path.write_bytes(THREE)
    assert followed.has_changed()
    assert read(followed) == THREE


def test_a_file_that_may_not_be_read_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing signals a restored permission, so it is retried after a while, but not before."""
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE)
    with monkeypatch.context() as locked:
        locked.setattr(os, "open", refuse)
        assert followed.grown() is None
        with pytest.raises(ChatNotFound):
            read(followed)
    assert not followed.has_changed()
    monkeypatch.setattr(files, "AGAIN", 0.0)
    assert followed.has_changed()
    assert read(followed) == ONE + TWO + THREE
    assert not followed.has_changed()


def refuse(*_: object) -> int:
    """Open nothing."""
    raise PermissionError


def test_what_was_forgotten_is_news(path: Path) -> None:
    """After forgetting, everything counts as changed and unread until it is read."""
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE)
    assert followed.more() == len(THREE)
    followed.forget()
    assert followed.has_changed()
    assert followed.more() == len(ONE + TWO + THREE)
    assert followed.grown() is None


def test_what_comes_at_once_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large addition is not read on: everything is reread in pieces; so is an addition to a very long line."""
    monkeypatch.setattr(files, "LONGEST_TAIL", len(THREE) + 3)
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE + TWO[:3])
    assert followed.grown() == THREE
    append(path, TWO[3:] + ONE[:2])
    assert followed.grown() == TWO
    append(path, ONE[2:] + TWO)
    assert followed.grown() is None
    assert read(followed) == path.read_bytes()


def test_a_very_long_line_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A last line too long to hold is returned as is, and everything is reread once it continues."""
    monkeypatch.setattr(lines, "LONGEST_TAIL", 20)
    monkeypatch.setattr(lines, "BLOCK", 5)
    append(path, b'{"d": "' + b"x" * 40)
    followed = Followed(path.as_uri())
    assert read(followed) == path.read_bytes()
    append(path, b'"}\n')
    assert followed.grown() is None
    assert read(followed) == path.read_bytes()
    append(path, ONE)
    assert followed.grown() == ONE


def test_what_lies_beside_is_looked_at_too(tmp_path: Path) -> None:
    """A Cline task changes with the files in its folder, and is then reread."""
    path, siblings = tmp_path / "api_conversation_history.json", tmp_path / "ui_messages.json"
    path.write_text("[]")
    followed = Followed(path.as_uri())
    read(followed)
    siblings.write_text("[]")
    assert followed.has_changed()
    assert followed.grown() is None
    read(followed)
    append(path, b"\n")
    assert followed.grown() == b"\n"


@given(st.lists(st.binary(max_size=30), max_size=6), st.data())
def test_pieces_make_the_lines(
    tmp_path_factory: pytest.TempPathFactory, said: list[bytes], data: st.DataObject
) -> None:
    """However bytes arrive, all of them come out in order, and no record is split."""
    content = ONE + TWO + b"\n".join(said) + b"\n" + THREE
    cuts = sorted(data.draw(st.lists(st.integers(len(ONE), len(content)), max_size=5)))
    path = tmp_path_factory.getbasetemp() / "pieces.jsonl"
    path.write_bytes(ONE + TWO)
    followed = Followed(path.as_uri())
    reported = read(followed)
    for start, end in zip([len(ONE + TWO), *cuts], [*cuts, len(content)], strict=True):
        append(path, content[max(start, len(ONE + TWO)) : end])
        grown = followed.grown()
        assert grown is not None
        reported += grown
        assert content.startswith(reported)
    assert reported == content
