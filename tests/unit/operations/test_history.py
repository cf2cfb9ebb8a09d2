"""Compactions are kept, listed, shown again, undone byte for byte, and exported."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of, put_new
from compact_chat.errors import ChatUnreadable, CompactionNotFound, FileExists, InvalidParams, PlanOutdated
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations import archives as kept_module
from compact_chat.operations import history as past
from compact_chat.operations.archives import forget
from compact_chat.operations.summarize import archive as archived
from compact_chat.read import SMALL
from compact_chat.wire import Options
from tests.samples.archived import SUMMARY, Archived, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("state")
NOTES = "".join(
    f"User: Count shelf {n}.\n\nAssistant: Shelf {n} holds {n * 7} trays. {'It is done. ' * 30}\n\n" for n in range(30)
)
FORMS = ("markdown", "json", "claude-code", "vscode-export")


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


@pytest.fixture
def made(client: ClientState, bakery: Path, tmp_path: Path, messages: Messages) -> list[Archived]:
    """Three compactions: of a file, of messages, and of another file with its archive beside it."""
    paths = [tmp_path / "a b.jsonl", tmp_path / "c.jsonl"]
    for path in paths:
        path.write_bytes(bakery.read_bytes())
    first = compacted(ChatRef(uri=paths[0].as_uri()), client)
    second = compacted(ChatRef(messages=messages), client)
    client.configure({"archive": ".kept"})
    third = compacted(ChatRef(uri=paths[1].as_uri()), client)
    client.configure({})
    return [first, second, third]


def test_the_newest_come_first(ask: Ask, made: list[Archived]) -> None:
    """All that was kept in any folder is found, whatever the setting says now."""
    found = ask("history")["compactions"]

    assert [one["compactionId"] for one in found] == [one.id for one in reversed(made)]
    assert [len(ask("history", limit=limit)["compactions"]) for limit in (1, 0)] == [1, 0]
    assert found[0] | {"at": "", "compactionId": ""} == {
        "compactionId": "",
        "uri": made[2].uri,
        "title": "Bakery shop: discount codes at the checkout",
        "at": "",
        "provider": "host",
        "model": None,
        "before": made[2].done.before,
        "after": made[2].done.after,
        "kept": made[2].done.survival.kept,
    }
    assert found[0]["at"].endswith("Z")


def test_a_chat_is_known_however_its_uri_is_written(ask: Ask, made: list[Archived]) -> None:
    """Two URIs of one path are one chat."""
    uri = str(made[0].uri)

    for written in (uri, uri.replace("%20", " "), uri.replace("file:///", "file://localhost/")):
        assert [one["compactionId"] for one in ask("history", chat={"uri": written})["compactions"]] == [made[0].id]
    assert ask("history", chat={"uri": "file:///nowhere"})["compactions"] == ()


def test_a_uri_of_elsewhere_is_refused(ask: Ask) -> None:
    """What names no file on this machine is told with its path."""
    with pytest.raises(InvalidParams) as caught:
        ask("history", chat={"uri": "https://example.com/x"})

    assert caught.value.data["problems"][0]["path"] == "$.chat.uri"


def test_titles_hold_no_secret(ask: Ask, client: ClientState, tmp_path: Path, bakery: Path) -> None:
    """Titles are masked before they are kept."""
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
    path = tmp_path / "chat.jsonl"
    path.write_text(bakery.read_text("utf-8").replace("Bakery shop:", secret), "utf-8")
    compacted(ChatRef(uri=path.as_uri()), client)

    (one,) = ask("history")["compactions"]
    assert "[REDACTED:" in one["title"]
    records = tmp_path.rglob("compactions/*.json")
    assert [path for path in records if secret in path.read_text("utf-8").partition("\n")[0]] == []


def test_what_is_made_of_an_original_is_of_the_chat_that_is_gone(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """The same plan, the same original, and in the history the place where the chat was."""
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(bakery.read_bytes())
    first = ask("summarize", chat={"uri": chat.as_uri()}, provider="offline")
    chat.unlink()
    plan = ask("preview", chat={"uri": first["archive"]})
    again = ask("summarize", planId=plan["planId"], provider="offline")

    assert plan["planId"] == first["planId"]
    assert again["archive"] == first["archive"]
    assert [one["uri"] for one in ask("history")["compactions"]] == [chat.as_uri()] * 2
    assert ask("restore", compactionId=again["compactionId"])["uri"] == chat.as_uri()


def test_a_chat_that_only_its_name_tells_is_read_by_it(ask: Ask, tmp_path: Path) -> None:
    """The archive names originals by their hashes; a plain text is known by its ending."""
    chat = tmp_path / "notes.txt"
    chat.write_text(NOTES)
    first = ask("summarize", chat={"uri": chat.as_uri()}, provider="offline")
    chat.unlink()

    assert ask("preview", chat={"uri": first["archive"]})["planId"] == first["planId"]


def test_a_format_that_another_version_knew_hinders_nothing(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """A hint in the archive is a hint: the chat itself tells what it is."""
    first = ask("summarize", chat={"uri": bakery.as_uri()}, provider="offline")
    for path in tmp_path.rglob("compactions/*"):
        path.write_text(path.read_text().replace('"format": null', '"format": "of tomorrow"'))
    again = ask("summarize", chat={"uri": first["archive"]}, provider="offline")

    assert again["planId"] == first["planId"]
    assert "of tomorrow" in "".join(path.read_text() for path in tmp_path.rglob("compactions/*"))


def test_an_original_that_is_damaged_is_told(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """Bytes that are not those that were kept are no chat."""
    first = ask("summarize", chat={"uri": bakery.as_uri()}, provider="offline")
    for path in tmp_path.rglob("originals/*"):
        path.write_text("{}")
    with pytest.raises(ChatUnreadable, match="gone from the archive"):
        ask("preview", chat={"uri": first["archive"]})


def test_the_compaction_comes_back_as_it_was_given(ask: Ask, messages: Messages) -> None:
    """An editor that was begun anew shows the document again, with the place of the original."""
    made = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages", "raw"])
    restored = ask("restore", compactionId=made["compactionId"], include=["compaction"])
    given = {name: value for name, value in made.items() if name not in ("messages", "raw")}

    assert restored["compaction"] == given
    assert restored["archive"] == made["archive"]
    assert restored["messages"] == messages
    assert "compaction" not in ask("restore", compactionId=made["compactionId"])


def test_it_is_masked_by_todays_settings(ask: Ask, client: ClientState, messages: Messages) -> None:
    """As in an export: what the user has masked since then is masked in it; ids stay."""
    messages[0]["content"] += " Write to mara@example.org when shelf 9 is counted."
    made = ask("summarize", chat={"messages": messages}, provider="offline")
    client.configure({"redactEmails": True})
    shown = ask("restore", compactionId=made["compactionId"], include=["compaction"])["compaction"]

    assert "mara@example.org" in made["continuation"]
    assert "mara@example.org" not in str(shown)
    assert (shown["compactionId"], shown["planId"]) == (made["compactionId"], made["planId"])


def test_to_look_at_a_compaction_writes_nothing(ask: Ask, client: ClientState, messages: Messages, state: Path) -> None:
    """Where archives are off there is no copy then, and none is made."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)
    shown = ask("restore", compactionId=one.id, include=["compaction"])

    assert not state.exists()
    assert (shown["archive"], shown["compaction"]["archive"]) == (None, None)
    assert shown["compaction"]["summary"] == SUMMARY
    assert shown["messages"] == messages


def test_a_compaction_of_an_earlier_version_is_shown(ask: Ask, messages: Messages, state: Path) -> None:
    """What it did not count then is zero; all else is as it was."""
    made = ask("summarize", chat={"messages": messages}, provider="offline")
    [record] = [path for path in state.rglob("*") if path.is_file() and b'"fixed": ' in path.read_bytes()]
    record.write_bytes(re.sub(rb'"fixed": \d+, ', b"", record.read_bytes()))
    shown = ask("restore", compactionId=made["compactionId"], include=["compaction"])["compaction"]

    assert b"fixed" not in record.read_bytes()
    assert shown == {**made, "counts": {**made["counts"], "fixed": 0}}


def test_a_compaction_of_another_version_is_told(
    ask: Ask, client: ClientState, messages: Messages, state: Path
) -> None:
    """What cannot be shown is an error in words, and the chat still comes back, and can be read."""
    one = compacted(ChatRef(messages=messages), client)
    [record] = [path for path in state.rglob("*") if path.is_file() and SUMMARY[:8].encode() in path.read_bytes()]
    record.write_bytes(record.read_bytes().replace(b'"planId": "', b'"planId": 5, "was": "'))
    record.write_bytes(record.read_bytes().replace(b'"planId": 5', f'"planId": "{one.done.plan_id}"'.encode(), 1))
    with pytest.raises(ChatUnreadable, match="another version"):
        ask("restore", compactionId=one.id, include=["compaction"])

    assert ask("restore", compactionId=one.id)["messages"] == messages
    assert len(ask("transcript", compactionId=one.id)["messages"]) == len(messages)


def text_of(exported: dict[str, Any]) -> str:
    """Read the file of a result, and check that it is as large as is told, and private."""
    path = Path(path_of(exported["uri"]))
    assert path.stat().st_size == exported["bytes"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path.read_text("utf-8")


@pytest.mark.parametrize("form", FORMS)
def test_a_new_name_where_none_is_given(
    ask: Ask, client: ClientState, messages: Messages, form: str, state: Path
) -> None:
    """Each export is a file of its own in the state folder."""
    one = compacted(ChatRef(messages=messages), client)
    first, second = (ask("export", compactionId=one.id, **{"as": form}) for _ in range(2))

    assert first["uri"] != second["uri"]
    assert first["uri"].startswith(state.as_uri())
    assert text_of(first) == text_of(second)
    assert "Count the shelves." in text_of(first)


def test_json_is_the_compaction_with_its_messages(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The object that `summarize` gave, and the chat that it made."""
    one = compacted(ChatRef(messages=messages), client)
    found = json.loads(text_of(ask("export", compactionId=one.id, **{"as": "json"})))

    assert found["compactionId"] == one.id
    assert (found["summary"], found["archive"]) == (SUMMARY, one.stored.archive)
    assert found["messages"] == one.messages


def test_a_session_has_its_id_for_a_name(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Claude Code finds a session by the name of its file."""
    one = compacted(ChatRef(messages=messages), client)
    exported = ask("export", compactionId=one.id, **{"as": "claude-code"})

    assert Path(path_of(exported["uri"])).stem == json.loads(text_of(exported).partition("\n")[0])["sessionId"]


def test_nothing_is_written_over(ask: Ask, client: ClientState, messages: Messages, tmp_path: Path) -> None:
    """−32048: a file that is there stays, and its name is told."""
    one = compacted(ChatRef(messages=messages), client)
    path = tmp_path / "notes ü.md"
    wanted = {"compactionId": one.id, "as": "markdown", "uri": path.as_uri()}

    assert ask("export", **wanted)["uri"] == path.as_uri()
    before = path.read_bytes()
    with pytest.raises(FileExists) as caught:
        ask("export", **wanted)

    assert caught.value.data == {"uri": path.as_uri()}
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["nowhere/x.md", "file/x.md"])
def test_a_place_that_takes_no_file_is_refused(
    ask: Ask, client: ClientState, messages: Messages, tmp_path: Path, place: str
) -> None:
    """A folder that is not there, or is none, is the caller's mistake; none is made for him."""
    (tmp_path / "file").write_text("x")
    one = compacted(ChatRef(messages=messages), client)

    with pytest.raises(InvalidParams) as caught:
        ask("export", compactionId=one.id, uri=(tmp_path / place).as_uri(), **{"as": "json"})
    assert caught.value.data["problems"][0]["path"] == "$.uri"


def test_exports_at_once_get_names_of_their_own(ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another export takes a name between the look and the writing, the next name is taken."""
    made = ask("summarize", chat={"messages": messages}, provider="offline")["compactionId"]
    taken: list[Path] = []

    def late(path: Path, blocks: Iterable[bytes]) -> None:
        if not taken:
            taken.append(path)
            path.write_bytes(b"of another")
        put_new(path, blocks)

    monkeypatch.setattr(past, "put_new", late)
    written = ask("export", **{"compactionId": made, "as": "json"})["uri"]

    assert taken[0].read_bytes() == b"of another"
    assert written != taken[0].as_uri()
