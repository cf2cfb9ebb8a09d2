"""A chat that was compacted comes back as it was, byte for byte."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of
from compact_chat.errors import ChatUnreadable, CompactionNotFound, PlanOutdated
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations import archives as kept_module
from compact_chat.operations import history as past
from compact_chat.operations.archives import forget
from compact_chat.operations.summarize import archive as archived
from compact_chat.read import SMALL
from compact_chat.wire import Options
from tests.samples.archived import SUMMARY, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("state")


def copy_of(restored: dict[str, Any]) -> bytes:
    """Read the copy that a result names, and check that its hash is the one that is told."""
    data = Path(path_of(restored["archive"])).read_bytes()
    assert hashlib.sha256(data).hexdigest() == restored["sha256"]
    return data


def padding(size: int) -> bytes:
    """Make a line that says nothing and is longer than so many bytes, or none."""
    return b'{"type": "none", "said": "%s"}\n' % (b"x" * size) if size else b""


def grown(path: Path, by: str) -> None:
    """Write on at the end of a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(by)


@pytest.mark.parametrize("archive", ["on", "off", ".kept"])
def test_a_file_comes_back_byte_for_byte(
    ask: Ask, client: ClientState, bakery: Path, tmp_path: Path, archive: str
) -> None:
    """Wherever archives are, and where they are off, the copy equals the file, and the messages are its own."""
    client.configure({"archive": archive})
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bakery.read_bytes())
    one = compacted(ChatRef(uri=path.as_uri()), client)
    path.unlink()

    restored = ask("restore", compactionId=one.id)

    assert copy_of(restored) == bakery.read_bytes()
    assert restored["uri"] == path.as_uri()
    assert [message["content"][:13] for message in restored["messages"][:2]] == ["<system-remin", "Good morning!"]
    assert one.stored.archive == (None if archive == "off" else restored["archive"])
    assert (tmp_path / ".kept").exists() == (archive == ".kept")


def test_a_text_comes_back_byte_for_byte(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The UTF-8 of a text, in which halves of surrogate pairs stay what they are."""
    text = json.dumps({"messages": [{"role": "user", "content": "X"}, *messages[1:]]}).replace('"X"', '"a\ud800é"')
    restored = ask("restore", compactionId=compacted(ChatRef(text=text), client).id)

    assert copy_of(restored) == text.encode(errors="surrogatepass")
    assert restored["uri"] is None


def test_messages_come_back_as_they_came(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The caller's own objects, with all that we do not know of them, and the same as JSON in the archive."""
    messages[0]["unknown"] = {"kept": [1, None, "ü"]}
    restored = ask("restore", compactionId=compacted(ChatRef(messages=messages), client).id)

    assert restored["messages"] == messages
    assert json.loads(copy_of(restored)) == messages


def test_another_process_finds_it(client: ClientState, messages: Messages) -> None:
    """The archive needs nothing that the server remembers."""
    from compact_chat.operations import Job
    from tests.samples.alone import perform_alone

    one = compacted(ChatRef(messages=messages), client)

    assert perform_alone("restore", {"compactionId": one.id}, Job(ClientState()))["messages"] == messages


def test_with_archives_off_only_this_server_remembers(
    ask: Ask, client: ClientState, messages: Messages, state: Path
) -> None:
    """Off means that nothing is written until the copy is asked for, and that another server knows of nothing."""
    from compact_chat.operations import Job
    from tests.samples.alone import perform_alone

    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)

    assert one.stored.warnings == ()
    assert not state.exists()
    assert ask("history")["compactions"][0]["compactionId"] == one.id
    assert ask("restore", compactionId=one.id)["messages"] == messages
    with pytest.raises(CompactionNotFound):
        perform_alone("restore", {"compactionId": one.id}, Job(ClientState()))


def test_what_is_remembered_is_bounded(
    ask: Ask, client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest are forgotten, by their number and by their bytes; the newest never is."""
    client.configure({"archive": "off"})
    monkeypatch.setattr(kept_module, "MOST_IN_MEMORY", 3)
    ids = [compacted(ChatRef(messages=messages), client).id for _ in range(4)]

    assert {one["compactionId"] for one in ask("history")["compactions"]} == set(ids[1:])
    monkeypatch.setattr(kept_module, "ROOM_IN_MEMORY", 1)
    last = compacted(ChatRef(messages=messages), client).id
    assert [one["compactionId"] for one in ask("history")["compactions"]] == [last]


def test_a_full_disk_costs_only_the_archive(
    ask: Ask, client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be written the compaction stands, says so, and can be undone while the server lives."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("compact_chat.disk.state.os.write", full)
        one = compacted(ChatRef(messages=messages), client)

    assert one.stored.archive is None
    assert [warning.code for warning in one.stored.warnings] == ["notArchived"]
    assert "No space left on device" in one.stored.warnings[0].message
    assert ask("history")["compactions"][0]["compactionId"] == one.id
    assert [path for path in archive_places.known_folders("on")[0].rglob("*") if path.suffix == ".json"] == []


def test_a_folder_that_is_none_costs_only_the_archive(client: ClientState, messages: Messages, tmp_path: Path) -> None:
    """A file where the archive should be is no reason to fail."""
    (tmp_path / "file").write_text("x")
    client.configure({"archive": str(tmp_path / "file")})

    assert [warning.code for warning in compacted(ChatRef(messages=messages), client).stored.warnings] == [
        "notArchived"
    ]


@pytest.mark.parametrize("size", [0, SMALL])
def test_a_file_that_grows_meanwhile_is_kept_as_it_was_read(
    ask: Ask, client: ClientState, bakery: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A session goes on while its summary is written; small files are held, of large ones the beginning is copied."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bakery.read_bytes() + padding(size))
    before = path.read_bytes()

    def store_later(*arguments: Any) -> Any:
        grown(path, '{"type": "user"}\n')
        return archived(*arguments)

    monkeypatch.setattr("tests.samples.archived.archive", store_later)
    one = compacted(ChatRef(uri=path.as_uri()), client)

    assert copy_of(ask("restore", compactionId=one.id)) == before


def test_a_large_file_that_is_rewritten_meanwhile_outdates_the_plan(
    ask: Ask, client: ClientState, bakery: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is gone, so there is nothing to go back to: the chat has changed, and nothing is kept."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bakery.read_bytes() + padding(SMALL))

    def store_later(*arguments: Any) -> Any:
        path.write_bytes(b" " * path.stat().st_size)
        return archived(*arguments)

    monkeypatch.setattr("tests.samples.archived.archive", store_later)
    with pytest.raises(PlanOutdated) as caught:
        compacted(ChatRef(uri=path.as_uri()), client)

    assert caught.value.data == {"reason": "chatChanged"}
    assert ask("history")["compactions"] == ()


def test_the_files_beside_a_chat_are_kept_with_it(
    ask: Ask, client: ClientState, shared_chats: Path, tmp_path: Path
) -> None:
    """A Cline task is several files: its messages come back the same when all of them are gone."""
    tasks = (shared_chats / "cline").rglob("api_conversation_history.json")
    task = max(tasks, key=lambda path: path.stat().st_size).parent
    for file in task.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    ref = ChatRef(uri=(tmp_path / "api_conversation_history.json").as_uri())
    one = compacted(ref, client, Options(min_keep=1), summary="Summary:\nS")
    first = ask("restore", compactionId=one.id)
    for file in tmp_path.glob("*.json"):
        file.unlink()

    assert ask("restore", compactionId=one.id) == first


def test_a_damaged_original_is_told(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Bytes that are no longer what was kept are not given out as the chat."""
    one = compacted(ChatRef(messages=messages), client)
    Path(path_of(str(one.stored.archive))).write_bytes(b"[]")

    with pytest.raises(ChatUnreadable):
        ask("restore", compactionId=one.id)


@pytest.mark.parametrize("name", ["", "none", "../../etc/passwd", "a\ud800", "*" * 1000])
def test_an_unknown_id_is_refused(ask: Ask, client: ClientState, messages: Messages, name: str) -> None:
    """An id names a compaction, never a file."""
    compacted(ChatRef(messages=messages), client)

    with pytest.raises(CompactionNotFound):
        ask("restore", compactionId=name)


def test_what_is_taken_back_leaves_nothing(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A request that was cancelled while its original was kept has kept nothing."""
    for setting in ("on", "off"):
        client.configure({"archive": setting})
        one = compacted(ChatRef(messages=messages), client, summary=SUMMARY)
        forget(one.id, client)

        assert ask("history")["compactions"] == ()
    assert [path.name for path in archive_places.known_folders("on")[0].rglob("*") if path.is_file()] == ["lock"]


def test_a_copy_is_made_where_one_can_be(
    ask: Ask, client: ClientState, messages: Messages, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the state folder takes no copy of what is only remembered, one is made in a folder of its own."""
    client.configure({"archive": "off"})
    made = ask("summarize", chat={"messages": messages}, provider="offline")
    state.parent.mkdir(exist_ok=True)
    blocked = state.parent / "blocked"
    blocked.write_text("a file, and no folder")
    monkeypatch.setattr(past, "state_folder", lambda: blocked)

    restored = ask("restore", compactionId=made["compactionId"])

    assert json.loads(copy_of(restored)) == messages
