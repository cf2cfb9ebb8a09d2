"""The ends of files are looked at once, and never more than the ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace

from compact_chat.disk import Heads, Scan
from compact_chat.disk import chats as heads
from compact_chat.disk.chats import FIRST, LAST, MORE
from compact_chat.disk.files import ends_of
from compact_chat.disk.scan import Found
from compact_chat.read import Source, read_chat
from compact_chat.tools import CLINE_FILES
from tests.samples.session_files import SAID, claude_records, cline, codex_records, lines, vscode_state

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TITLE = "Count the trays"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes were read, each time that a file was opened."""
    sizes: list[int] = []

    def counted(path: str, first: int, last: int) -> tuple[bytes, bytes]:
        both = ends_of(path, first, last)
        sizes.append(sum(map(len, both)))
        return both

    monkeypatch.setattr(heads, "ends_of", counted)
    return sizes


def found(path: Path) -> Found:
    """Look at a file's size and age."""
    return next(one for one in Scan().below(str(path.parent)) if one.path == str(path))


def chat(tmp_path: Path, title: str = TITLE, more: int = 0) -> Path:
    """Write a session."""
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(*claude_records(title, "/demo/shop", more=more)))
    return path


def test_a_file_is_opened_once_while_it_stays_as_it_is(tmp_path: Path, reads: list[int]) -> None:
    """A file that changed is looked at again; one that did not is remembered, also that it is no chat."""
    path, noise, seen = chat(tmp_path), tmp_path / "noise.json", Heads()
    noise.write_text('{"a": 1}')

    for _ in range(3):
        told = seen.heading(found(path))
        assert told is not None
        assert told.title == TITLE
        assert seen.heading(found(noise)) is None
    assert len(reads) == 2

    chat(tmp_path, "Another title")
    told = seen.heading(found(path))
    assert told is not None
    assert told.title == "Another title"


def test_of_a_large_chat_only_the_ends_are_read(tmp_path: Path, reads: list[int]) -> None:
    """However long a chat is, what is read of it is bounded; a title in the first bytes spares the rest."""
    told = Heads().heading(found(chat(tmp_path, more=3000)))

    assert told is not None
    assert told.title == TITLE
    assert reads == [FIRST + LAST]


def test_without_a_title_a_little_more_is_read(tmp_path: Path, reads: list[int]) -> None:
    """Codex writes pages of instructions before a person's first words."""
    path = tmp_path / "chat.jsonl"
    asked = codex_records(TITLE, "/demo/shop", more=500)
    note = {"type": "response_item", "payload": {"type": "message", "role": "developer", "content": SAID * 70}}
    path.write_text(lines(asked[0], note, *asked[1:]))

    told = Heads().heading(found(path))

    assert told is not None
    assert told.title == TITLE
    assert reads == [FIRST + LAST, MORE + LAST]


def test_of_what_is_no_chat_no_more_is_read(tmp_path: Path, reads: list[int]) -> None:
    """A folder full of large files of other kinds keeps nobody waiting; one that begins like a chat is looked into."""
    other, late = tmp_path / "other.json", tmp_path / "late.json"
    other.write_text(json.dumps({"data": [{"id": n, "name": SAID} for n in range(500)]}))
    asked = [{"role": "user", "content": [{"type": "text", "text": TITLE}]}]
    late.write_text(json.dumps({"model": "gpt-4o", "tools": [{"name": SAID * 20}], "messages": asked * 500}))

    assert Heads().heading(found(other)) is None
    assert reads == [FIRST + LAST]
    told = Heads().heading(found(late))
    assert told is not None
    assert told.tool == "unknown"


def test_the_folder_alone_needs_no_more_than_the_beginning(tmp_path: Path, reads: list[int]) -> None:
    """Where only the place matters, the end of a file is left alone if its tool names the folder first."""
    one = found(chat(tmp_path, more=3000))

    assert Heads().folder(replace(one, expected="claude-code")) == "/demo/shop"
    assert reads == [FIRST]
    assert Heads().folder(one) == "/demo/shop"
    assert reads == [FIRST, FIRST + LAST]


@pytest.mark.parametrize("expected", ["claude-code", "codex", "cline", None])
def test_a_relative_folder_is_none(tmp_path: Path, expected: str | None) -> None:
    """What a tool was told to run in is not where the chat was held."""
    path = tmp_path / "chat.jsonl"
    tool = {"type": "summary", "input": {"cwd": "."}}
    path.write_text(lines(tool, *claude_records(TITLE, "/demo/shop")))

    assert Heads().folder(replace(found(path), expected=expected)) == "/demo/shop"


def test_a_name_far_from_the_end_is_found(tmp_path: Path) -> None:
    """A name counts that was given tens of thousands of bytes before the end."""
    path = chat(tmp_path, more=200)
    named = {"type": "custom-title", "customTitle": "Mine", "sessionId": "s0"}
    with path.open("a") as file:
        file.write(lines(named, {"type": "whatever", "text": "x" * (LAST - 500)}))

    told = Heads().heading(found(path))

    assert told is not None
    assert told.title == "Mine"


@pytest.mark.parametrize("state", [20, 200, 2000])
@pytest.mark.parametrize("more", [0, 1, 20, 200])
def test_a_log_written_anew_keeps_its_name(tmp_path: Path, state: int, more: int) -> None:
    """VS Code's name for a chat stands at the end of a first line that may be the greater part of the file."""
    path = tmp_path / "chat.jsonl"
    first = {"kind": 0, "v": {**vscode_state(TITLE, more=state), "customTitle": "Mine"}}
    later = [{"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": SAID}]}] * more
    path.write_text(json.dumps(first, separators=(",", ":")) + "\n" + lines(*later))

    told = Heads().heading(found(path))

    assert told is not None
    assert told.title == "Mine"


def test_the_collection_is_told_by_its_ends(shared_chats: Path) -> None:
    """Of nearly all real chats title and folder are those which reading the whole gives: some tell them in between."""
    seen, pairs = Heads(), list[tuple[object, object]]()
    for one in Scan().below(str(shared_chats)):
        told = seen.heading(one)
        if told and "broken" not in one.path and not one.path.endswith(CLINE_FILES[1:]):
            whole = read_chat(Source.of_bytes(Path(one.path).read_bytes(), one.path))
            pairs.append(((told.title, seen.folder(one)), (whole.title, whole.workspace)))

    assert len(pairs) > 70
    assert sum(told != whole for told, whole in pairs) <= 2


def test_a_folder_told_late_is_found(tmp_path: Path, reads: list[int]) -> None:
    """Cline tells it behind a first message that may be long; the title alone needs no such look."""
    path = cline(tmp_path, 1, TITLE, "/demo/shop", 99)
    asked, *rest = json.loads(path.read_text())
    asked["content"].insert(1, {"type": "text", "text": f"<file_content>{SAID * 20}</file_content>"})
    path.write_text(json.dumps([asked, *rest]))
    seen, one = Heads(), replace(found(path), expected="cline")

    told = seen.heading(one)
    assert told is not None
    assert (told.title, told.workspace, len(reads)) == (TITLE, None, 1)
    assert seen.folder(one) == seen.folder(one) == "/demo/shop"
    assert len(reads) == 2


def test_a_packed_chat_tells_its_beginning(tmp_path: Path) -> None:
    """Of a packed file as much is unpacked as is needed, though a few bytes may stand for gigabytes."""
    path = tmp_path / "chat.jsonl.zst"
    path.write_bytes(zstd.compress(lines(*codex_records(TITLE, "/demo/shop", more=9000)).encode()))

    told = Heads().heading(found(path))

    assert told is not None
    assert (told.format, told.title, told.workspace) == ("codex", TITLE, "/demo/shop")

    path.write_bytes(path.read_bytes()[:4] + b"damaged")
    assert Heads().heading(found(path)) is None


def test_what_is_gone_or_closed_is_no_chat(tmp_path: Path) -> None:
    """Between the look at the folder and that at the file anything may happen."""
    path = chat(tmp_path)
    one = found(path)
    path.unlink()

    assert Heads().heading(one) is None
    assert Heads().folder(one) is None
    path.mkdir()
    assert Heads().heading(one) is None


def test_a_task_is_of_the_extension_whose_folder_it_is(tmp_path: Path) -> None:
    """Cline's first messages may look like anybody's; their place does not, also once they were seen without it."""
    path = tmp_path / "api_conversation_history.json"
    path.write_text('[{"role": "user", "content": "<task>\\nCount the trays\\n</task>"}]')
    one = Found(str(path), path.stat().st_size, 0, (0, 0), "cline")

    seen = Heads()
    bare = seen.heading(replace(one, expected=None))
    told = seen.heading(one)

    assert bare is not None
    assert bare.tool == "unknown"
    assert told is not None
    assert (told.format, told.tool, told.title) == ("cline", "cline", TITLE)


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[int]) -> None:
    """What was asked for longest ago is forgotten first."""
    monkeypatch.setattr(heads, "MOST_HEADS", 2)
    path, seen = chat(tmp_path), Heads()
    files = [Found(str(path), 1, n, (0, n), None) for n in range(3)]
    for n, one in enumerate(files):
        (tmp_path / f"{n}").write_bytes(path.read_bytes())
        files[n] = Found(str(tmp_path / f"{n}"), one.bytes, one.changed, one.identity)
    for one in (*files, files[2], files[0]):
        seen.heading(one)

    assert len(reads) == 4


def test_one_thread_at_a_time_changes_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two listings run in threads of their own: whatever looks at what is known holds the lock."""

    class Guarded(dict[Any, Any]):
        def pop(self, *args: Any) -> Any:
            assert seen._lock.locked()
            return super().pop(*args)

        def __setitem__(self, *args: Any) -> None:
            assert seen._lock.locked()
            super().__setitem__(*args)

        def __delitem__(self, *args: Any) -> None:
            assert seen._lock.locked()
            super().__delitem__(*args)

    monkeypatch.setattr(heads, "MOST_HEADS", 1)
    seen = Heads()
    seen._known = Guarded()
    one = found(chat(tmp_path))
    for number in range(3):
        assert seen.heading(replace(one, changed=number)) is not None
        assert seen.folder(replace(one, expected="codex")) == "/demo/shop"


def test_two_threads_may_ask_at_once(tmp_path: Path) -> None:
    """Both get their answers."""
    seen, one, got = Heads(), found(chat(tmp_path)), list[object]()
    threads = [Thread(target=lambda: got.extend(seen.heading(one) for _ in range(200))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 800
    assert len(set(map(str, got))) == 1
