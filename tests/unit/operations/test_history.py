"""Compactions are archived, listed, shown again, undone byte for byte, and exported."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from compact_chat import disk
from compact_chat.chat import JsonObject
from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of, put_new
from compact_chat.errors import ChatUnreadable, CompactionNotFound, FileExists, InvalidParams, NoPlace, PlanOutdated
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations import archives as kept_module
from compact_chat.operations.archives import forget
from compact_chat.operations.summarize import archive as archived
from compact_chat.read import SMALL
from compact_chat.wire import Options
from tests.samples.alone import perform_alone
from tests.samples.archived import SUMMARY, Archived, compacted
from tests.unit.operations.conftest import SECRET, Ask, Messages

pytestmark = pytest.mark.usefixtures("state")
NOTES = "".join(
    f"User: Count shelf {n}.\n\nAssistant: Shelf {n} holds {n * 7} trays. {'It is done. ' * 30}\n\n" for n in range(30)
)


def copy_of(restored: dict[str, Any]) -> bytes:
    """Read the copy that a result names, and verify its reported hash."""
    data = Path(path_of(restored["archive"])).read_bytes()
    assert hashlib.sha256(data).hexdigest() == restored["sha256"]
    return data


@pytest.mark.parametrize("archive", ["on", "off", ".kept"])
def test_a_file_comes_back_byte_for_byte(
    ask: Ask, client: ClientState, bakery: Path, tmp_path: Path, archive: str
) -> None:
    """Wherever archives are, and even if they are off, the copy equals the file, and the messages are its own."""
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


def test_texts_and_messages_come_back_as_they_came(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The UTF-8 of a text with halves of surrogate pairs, and the caller's own objects with all unknown members."""
    text = json.dumps({"messages": [{"role": "user", "content": "X"}, *messages[1:]]}).replace('"X"', '"a\ud800é"')
    restored = ask("restore", compactionId=compacted(ChatRef(text=text), client).id)
    assert copy_of(restored) == text.encode(errors="surrogatepass")
    assert restored["uri"] is None

    messages[0]["unknown"] = {"kept": [1, None, "ü"]}
    restored = ask("restore", compactionId=compacted(ChatRef(messages=messages), client).id)
    assert restored["messages"] == messages
    assert json.loads(copy_of(restored)) == messages


def test_with_archives_off_only_this_server_remembers(
    ask: Ask, client: ClientState, messages: Messages, state: Path
) -> None:
    """Nothing is written until the copy is requested, not even to show the compaction; another server has nothing."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)
    shown = ask("restore", compactionId=one.id, include=["compaction"])

    assert one.stored.warnings == ()
    assert not state.exists()
    assert (shown["archive"], shown["compaction"]["archive"]) == (None, None)
    assert (shown["compaction"]["summary"], shown["messages"]) == (SUMMARY, messages)
    assert ask("history")["compactions"][0]["compactionId"] == one.id
    assert ask("restore", compactionId=one.id)["messages"] == messages
    with pytest.raises(CompactionNotFound):
        perform_alone("restore", {"compactionId": one.id}, Job(ClientState()))


def test_a_full_disk_keeps_nobody_from_the_chat(
    ask: Ask, client: ClientState, messages: Messages, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no copy of what is only in memory can be written, the messages come back all the same."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk, "put", full)
    restored = ask("restore", compactionId=one.id)
    assert (restored["archive"], restored["messages"]) == (None, messages)


@pytest.mark.parametrize("home", ["relative", "/dev/null/x"])
def test_without_a_state_folder_a_copy_is_in_a_temporary_one(
    ask: Ask, client: ClientState, messages: Messages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """What is only in memory is undone with a file all the same, where the state folder takes none."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(disk, "state_folder", lambda: None if home == "relative" else Path(home))

    copy = Path(path_of(ask("restore", compactionId=one.id)["archive"]))

    assert copy.parent.parent == tmp_path
    assert json.loads(copy.read_bytes()) == messages


@pytest.mark.parametrize("form", ["markdown", "json", "claude-code", "vscode-export"])
@pytest.mark.parametrize("damage", [{}, {"survival": {}}, {"summary": [1], "continuation": None}], ids=str)
def test_a_damaged_compaction_is_not_exported(
    ask: Ask, client: ClientState, messages: Messages, state: Path, damage: JsonObject, form: str
) -> None:
    """A record that others wrote to is refused with a sentence, whatever is missing there."""
    one = compacted(ChatRef(messages=messages), client)
    (path,) = (state / "archive" / "compactions").iterdir()
    head, body = map(json.loads, path.read_text().splitlines())
    body["compaction"] = body["compaction"] | damage if damage else {}
    path.write_text(f"{json.dumps(head)}\n{json.dumps(body)}\n")

    with pytest.raises(ChatUnreadable):
        ask("export", compactionId=one.id, **{"as": form})


def test_an_original_of_another_kind_is_refused(ask: Ask, client: ClientState, state: Path) -> None:
    """A record that calls a text a list of messages is refused with a sentence."""
    one = compacted(ChatRef(text=NOTES), client)
    (path,) = (state / "archive" / "compactions").iterdir()
    path.write_text(path.read_text().replace('"kind": "text"', '"kind": "messages"'))

    for name in ("restore", "transcript"):
        with pytest.raises(ChatUnreadable):
            ask(name, compactionId=one.id)


@pytest.mark.parametrize("setting", ["/\0", "/a\0b", "/dev/null/x"])
def test_an_impossible_folder_is_reported(ask: Ask, client: ClientState, messages: Messages, setting: str) -> None:
    """An archive that no system can make a folder for is a warning, and the compaction is made all the same."""
    client.configure({"archive": setting})
    made = ask("summarize", chat={"messages": messages}, provider="offline")

    assert (made["archive"], [one["code"] for one in made["warnings"]]) == (None, ["notArchived"])
    assert ask("history")["compactions"][0]["compactionId"] == made["compactionId"]


def test_what_is_remembered_is_bounded(
    ask: Ask, client: ClientState, messages: Messages, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest are evicted, by number and by bytes; the newest never is."""
    client.configure({"archive": "off"})
    monkeypatch.setattr(kept_module, "MOST_IN_MEMORY", 3)
    ids = [compacted(ChatRef(messages=messages), client, summary=f"{SUMMARY} {n}").id for n in range(4)]

    assert {one["compactionId"] for one in ask("history")["compactions"]} == set(ids[1:])
    client.memory.room = 1
    last = compacted(ChatRef(messages=messages), client).id
    assert [one["compactionId"] for one in ask("history")["compactions"]] == [last]


@pytest.mark.parametrize("archive", ["on", "off"])
def test_looking_again_adds_no_entry(ask: Ask, client: ClientState, messages: Messages, archive: str) -> None:
    """The same chat with the same options and result is one entry, also as a draft; any other result is another."""
    client.configure({"archive": archive})
    shown: dict[str, Any] = {"chat": {"messages": messages}, "options": {"minKeep": 0}}
    first = ask("summarize", **shown, provider="offline")
    again = ask("summarize", **shown, provider="offline")
    draft = ask("draft", **shown)

    assert again["compactionId"] == draft["draftId"] == first["compactionId"]
    assert again["archive"] == draft["compaction"]["archive"] == first["archive"]
    assert draft["compaction"]["continuation"] == first["continuation"]
    ask("draft", draftId=draft["draftId"], text="# Mine")
    others = (
        ask("summarize", **shown, provider="offline"),
        ask("summarize", **shown, reply=f"<summary>{SUMMARY}</summary>"),
        ask("summarize", **shown | {"options": {"minKeep": 0, "summaryBudget": 150}}, provider="offline"),
        ask("summarize", chat={"messages": [*messages, messages[-1]]}, provider="offline"),
    )
    ids = {first["compactionId"], *(one["compactionId"] for one in others)}
    assert {one["compactionId"] for one in ask("history")["compactions"]} == ids
    assert len(ids) == 5


def test_an_original_that_is_gone_is_stored_again(ask: Ask, messages: Messages, state: Path) -> None:
    """An entry whose original was deleted is none."""
    first = ask("summarize", chat={"messages": messages}, provider="offline")
    Path(path_of(first["archive"])).unlink()
    again = ask("summarize", chat={"messages": messages}, provider="offline")

    assert first["compactionId"] != again["compactionId"]
    assert ask("restore", compactionId=again["compactionId"])["messages"] == messages


def test_a_full_disk_costs_only_the_archive(
    ask: Ask, client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nothing can be written, the compaction still succeeds, says so, and can be undone while the server lives."""

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


@pytest.mark.parametrize(("size", "rewritten"), [(0, False), (SMALL, False), (SMALL, True)])
def test_a_file_that_changes_meanwhile(
    ask: Ask,
    client: ClientState,
    bakery: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    rewritten: bool,
) -> None:
    """Later growth is left out: small files are kept in memory, of large ones the beginning is copied.

    A large file that is rewritten cannot be restored, so the plan is outdated and nothing is archived.
    """
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bakery.read_bytes() + (b'{"type": "none", "said": "%s"}\n' % (b"x" * size) if size else b""))
    before = path.read_bytes()

    def archive_later(*arguments: Any) -> Any:
        path.write_bytes(b" " * len(before) if rewritten else before + b'{"type": "user"}\n')
        return archived(*arguments)

    monkeypatch.setattr("tests.samples.archived.archive", archive_later)
    if rewritten:
        with pytest.raises(PlanOutdated) as caught:
            compacted(ChatRef(uri=path.as_uri()), client)
        assert caught.value.data == {"reason": "chatChanged"}
        assert ask("history")["compactions"] == ()
    else:
        one = compacted(ChatRef(uri=path.as_uri()), client)
        assert copy_of(ask("restore", compactionId=one.id)) == before


def test_the_files_beside_a_chat_are_kept_with_it(
    ask: Ask, client: ClientState, shared_chats: Path, tmp_path: Path
) -> None:
    """A Cline task is several files: its messages are restored even if all of them are gone."""
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


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a\ud800"])
def test_an_unknown_id_is_refused(ask: Ask, name: str) -> None:
    """An id names a compaction, never a file."""
    with pytest.raises(CompactionNotFound):
        ask("restore", compactionId=name)


@pytest.fixture
def one(client: ClientState, messages: Messages) -> Archived:
    """Compact a chat given as messages."""
    return compacted(ChatRef(messages=messages), client)


@pytest.fixture
def made(client: ClientState, bakery: Path, tmp_path: Path, messages: Messages) -> list[Archived]:
    """Three compactions: of a file, of messages, and of another file whose archive is a folder next to it."""
    paths = [tmp_path / "a b.jsonl", tmp_path / "c.jsonl"]
    for path in paths:
        path.write_text(bakery.read_text("utf-8").replace("Bakery shop:", f"Bakery {SECRET} shop:"), "utf-8")
    first = compacted(ChatRef(uri=paths[0].as_uri()), client)
    second = compacted(ChatRef(messages=messages), client)
    client.configure({"archive": ".kept"})
    third = compacted(ChatRef(uri=paths[1].as_uri()), client)
    client.configure({})
    return [first, second, third]


def test_the_newest_come_first(ask: Ask, client: ClientState, tmp_path: Path, made: list[Archived]) -> None:
    """All compactions in any folder are found, whatever the setting is now; titles are masked before being stored."""
    found = ask("history")["compactions"]
    assert made[2].done.next_chat
    opened = made[2].done.next_chat.continuation
    assert opened

    assert [one["compactionId"] for one in found] == [one.id for one in reversed(made)]
    assert [len(ask("history", limit=limit)["compactions"]) for limit in (1, 0)] == [1, 0]
    assert found[0] | {"at": "", "compactionId": ""} == {
        "compactionId": "",
        "uri": made[2].uri,
        "title": "Bakery [REDACTED:github-token:1] shop: discount codes at the checkout",
        "at": "",
        "provider": "host",
        "model": None,
        "before": made[2].done.before,
        "after": made[2].done.after,
        "kept": made[2].done.survival.kept,
        "itemsKept": made[2].done.survival.items[0],
        "items": made[2].done.survival.items[1],
        "message": opened.tokens - opened.fixed,
    }
    assert found[0]["at"].endswith("Z")
    records = tmp_path.rglob("compactions/*.json")
    assert [path for path in records if SECRET in path.read_text("utf-8").partition("\n")[0]] == []
    for one in made:
        forget(one.id, client)
    assert ask("history")["compactions"] == ()


def test_a_chat_is_known_however_its_uri_is_written(ask: Ask, made: list[Archived]) -> None:
    """Two URIs of one path are one chat; a URI elsewhere is refused."""
    uri = str(made[0].uri)

    for written in (uri, uri.replace("%20", " "), uri.replace("file:///", "file://localhost/")):
        assert [one["compactionId"] for one in ask("history", chat={"uri": written})["compactions"]] == [made[0].id]
    assert ask("history", chat={"uri": "file:///nowhere"})["compactions"] == ()
    with pytest.raises(InvalidParams) as caught:
        ask("history", chat={"uri": "https://example.com/x"})
    assert caught.value.data["problems"][0]["path"] == "$.chat.uri"


@pytest.mark.parametrize("name", ["chat.jsonl", "notes.txt"])
def test_an_original_stands_for_the_chat_that_is_gone(ask: Ask, bakery: Path, tmp_path: Path, name: str) -> None:
    """The same plan, original and entry of the history; a plain text is recognized by its old name.

    An unknown format in the archive is ignored; damaged bytes are no chat.
    """
    chat = tmp_path / name
    chat.write_text(NOTES if name == "notes.txt" else bakery.read_text("utf-8"), "utf-8")
    first = ask("summarize", chat={"uri": chat.as_uri()}, provider="offline")
    chat.unlink()
    plan = ask("preview", chat={"uri": first["archive"]})
    again = ask("summarize", planId=plan["planId"], provider="offline")

    assert plan["planId"] == first["planId"]
    assert again["archive"] == first["archive"]
    assert [one["uri"] for one in ask("history")["compactions"]] == [chat.as_uri()]
    assert ask("restore", compactionId=again["compactionId"])["uri"] == chat.as_uri()
    records = list(tmp_path.rglob("compactions/*.json"))
    for path in records:
        path.write_text(path.read_text().replace('"format": null', '"format": "of tomorrow"'))
    assert "of tomorrow" in "".join(path.read_text() for path in records)
    assert ask("preview", chat={"uri": first["archive"]})["planId"] == first["planId"]
    for path in tmp_path.rglob("originals/*"):
        path.write_text("{}")
    with pytest.raises(ChatUnreadable, match="gone from the archive"):
        ask("preview", chat={"uri": first["archive"]})


def test_the_compaction_comes_back_as_it_was_given(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A restarted editor shows the document again; secrets are masked by the current settings, but ids stay."""
    messages[0]["content"] += " Write to mara@example.org when shelf 9 is counted."
    made = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages", "raw"])
    restored = ask("restore", compactionId=made["compactionId"], include=["compaction"])
    given = {name: value for name, value in made.items() if name not in ("messages", "raw")}

    assert restored["compaction"] == given
    assert restored["archive"] == made["archive"]
    assert restored["messages"] == messages
    assert "compaction" not in ask("restore", compactionId=made["compactionId"])
    client.configure({"redactEmails": True})
    shown = ask("restore", compactionId=made["compactionId"], include=["compaction"])["compaction"]
    assert "mara@example.org" in made["continuation"]
    assert "mara@example.org" not in str(shown)
    assert (shown["compactionId"], shown["planId"]) == (made["compactionId"], made["planId"])


def test_a_compaction_of_another_version(ask: Ask, messages: Messages, state: Path) -> None:
    """What cannot be shown is an error, and the chat is restored."""
    name = ask("summarize", chat={"messages": messages}, provider="offline")["compactionId"]
    [record] = [path for path in state.rglob("*") if path.is_file() and b'"planId": ' in path.read_bytes()]
    head, _, body = record.read_bytes().partition(b"\n")
    record.write_bytes(head + b"\n" + body.replace(b'"planId": "', b'"planId": 5, "was": "'))
    with pytest.raises(ChatUnreadable, match="another version"):
        ask("restore", compactionId=name, include=["compaction"])
    assert ask("restore", compactionId=name)["messages"] == messages
    assert len(ask("transcript", compactionId=name)["messages"]) == len(messages)


def text_of(exported: dict[str, Any]) -> str:
    """Read the file of a result, and verify its reported size, and that it is private."""
    path = Path(path_of(exported["uri"]))
    assert path.stat().st_size == exported["bytes"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path.read_text("utf-8")


@pytest.mark.parametrize("form", ["markdown", "json", "claude-code", "vscode-export"])
def test_a_new_name_where_none_is_given(ask: Ask, one: Archived, form: str, state: Path) -> None:
    """Each export is a new file in the state folder; Claude Code finds a session by the id in its name."""
    first, second = (ask("export", compactionId=one.id, **{"as": form}) for _ in range(2))
    text = text_of(first)

    assert first["uri"] != second["uri"]
    assert first["uri"].startswith(state.as_uri())
    assert text == text_of(second)
    assert "Count the shelves." in text
    if form == "claude-code":
        assert Path(path_of(first["uri"])).stem == json.loads(text.partition("\n")[0])["sessionId"]
    if form == "json":
        found = json.loads(text)
        assert (found["compactionId"], found["summary"]) == (one.id, SUMMARY)
        assert (found["archive"], found["messages"]) == (one.stored.archive, one.messages)


def test_a_place_that_takes_no_file_is_refused(ask: Ask, one: Archived, tmp_path: Path) -> None:
    """−32048: an existing file stays, and is named; a folder that is missing, or is none, is a wrong param."""
    path = tmp_path / "notes ü.md"
    wanted = {"compactionId": one.id, "as": "markdown", "uri": path.as_uri()}

    assert ask("export", **wanted)["uri"] == path.as_uri()
    before = path.read_bytes()
    with pytest.raises(FileExists) as exists:
        ask("export", **wanted)
    assert exists.value.data == {"uri": path.as_uri()}
    assert path.read_bytes() == before
    for place in ("nowhere/x.md", "notes ü.md/x.md"):
        with pytest.raises(InvalidParams) as caught:
            ask("export", **wanted | {"uri": (tmp_path / place).as_uri()})
        assert caught.value.data["problems"][0]["path"] == "$.uri"


def test_exports_at_once_get_names_of_their_own(ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another export takes a name between checking and writing, the next name is used."""
    made = ask("summarize", chat={"messages": messages}, provider="offline")["compactionId"]
    taken: list[Path] = []

    def late(path: Path, blocks: Iterable[bytes]) -> None:
        if not taken:
            taken.append(path)
            path.write_bytes(b"of another")
        put_new(path, blocks)

    monkeypatch.setattr(disk, "put_new", late)
    written = ask("export", **{"compactionId": made, "as": "json"})["uri"]

    assert taken[0].read_bytes() == b"of another"
    assert written != taken[0].as_uri()


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bakery: Path) -> Path:
    """The example as a session of Claude Code in its place, about a folder that exists."""
    work, home = tmp_path / "shop", tmp_path / "claude"
    work.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    project = home / "projects" / re.sub("[^a-zA-Z0-9]", "-", str(work))
    project.mkdir(parents=True)
    records = [json.loads(line) for line in bakery.read_text("utf-8").splitlines()]
    session = project / "0b1c2d3e-0000-4000-8000-000000000001.jsonl"
    moved = ({**record, "cwd": str(work)} if "cwd" in record else record for record in records)
    session.write_text("".join(json.dumps(record) + "\n" for record in moved))
    return session


def test_a_copy_stands_where_claude_code_resumes_it(ask: Ask, claude: Path, tmp_path: Path) -> None:
    """It is in the project's folder, about the chat's own folder; one that is already there stays as it is."""
    made = ask("summarize", chat={"uri": claude.as_uri()}, provider="offline")["compactionId"]
    wanted = {"compactionId": made, "as": "claude-code", "place": "tool"}
    first = ask("export", **wanted)
    path, resume = Path(path_of(first["uri"])), first["resume"]

    assert path == claude.with_name(f"{resume['id']}.jsonl")
    assert resume["command"] == ("claude", "--resume", resume["id"])
    assert resume["folder"] == str((tmp_path / "shop").resolve())
    assert {json.loads(line)["cwd"] for line in text_of(first).splitlines()} == {resume["folder"]}
    path.write_text("gone on")
    assert ask("export", **wanted)["resume"] == resume
    assert path.read_text() == "gone on"


def test_a_long_folder_has_the_name_that_claude_code_gave_it(ask: Ask, claude: Path, tmp_path: Path) -> None:
    """The name ends in a hash, so that it is found by a session of this very folder; without one it is a sentence."""
    long = tmp_path.joinpath(*["d" * 40] * 6)
    (long / "below").mkdir(parents=True)
    name = re.sub("[^a-zA-Z0-9]", "-", str(long))[:200]
    records = [json.loads(line) for line in claude.read_text("utf-8").splitlines()]

    def held_in(folder: Path, project: str) -> Path:
        (claude.parents[1] / project).mkdir()
        path = claude.parents[1] / project / f"0b1c2d3e-0000-4000-8000-00000000000{len(project)}.jsonl"
        moved = ({**record, "cwd": str(folder)} if "cwd" in record else record for record in records)
        path.write_text("".join(json.dumps(record) + "\n" for record in moved))
        return path

    session = held_in(long, f"{name}-abc12")
    made = ask("summarize", chat={"uri": session.as_uri()}, provider="offline")["compactionId"]
    held_in(long / "below", f"{name}-abc1")
    wanted = {"compactionId": made, "as": "claude-code", "place": "tool"}

    assert Path(path_of(ask("export", **wanted)["uri"])).parent == session.parent
    shutil.rmtree(session.parent)
    with pytest.raises(NoPlace):
        ask("export", **wanted)


def test_a_program_counts_as_found_only_in_a_folder_that_is_named_as_a_whole(
    ask: Ask, claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an opened folder brings is not the user's."""
    made = ask("summarize", chat={"uri": claude.as_uri()}, provider="offline")["compactionId"]
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for folder, found in ((str(program.parent), True), ("bin", False), (str(tmp_path), False)):
        monkeypatch.setenv("PATH", folder)
        resume = ask("export", **{"compactionId": made, "as": "claude-code", "place": "tool"})["resume"]
        assert resume["found"] is found


def test_a_copy_of_a_chat_without_a_folder_goes_on_in_the_open_one(ask: Ask, claude: Path, messages: Messages) -> None:
    """Without either nothing says where, and the error says what to do."""
    made = ask("summarize", chat={"messages": messages}, provider="offline")["compactionId"]
    wanted = {"compactionId": made, "as": "claude-code", "place": "tool"}
    with pytest.raises(NoPlace):
        ask("export", **wanted)
    shop = claude.parents[3] / "shop"
    assert ask("export", **wanted, folder=shop.as_uri())["resume"]["folder"] == str(shop.resolve())


@pytest.mark.parametrize("old", [True, False])
def test_a_copy_among_the_chats_of_a_window(ask: Ask, one: Archived, tmp_path: Path, old: bool) -> None:
    """It is stored like the sessions next to it: as a log, or before VS Code 1.109 as the state alone."""
    if old:
        (tmp_path / "before.json").write_text("{}")
    wanted = {"compactionId": one.id, "as": "vscode-export", "place": "tool"}
    made = ask("export", **wanted, folder=tmp_path.as_uri())
    session = json.loads(text_of(made))
    session = session if old else session["v"]

    assert Path(path_of(made["uri"])) == tmp_path / f"{session['sessionId']}.json{'' if old else 'l'}"
    assert made["resume"] == {
        "tool": "vscode",
        "id": session["sessionId"],
        "folder": None,
        "command": None,
        "found": False,
    }
    assert session["requests"] != []
    for wrong in (wanted, wanted | {"as": "markdown"}):
        with pytest.raises(InvalidParams):
            ask("export", **wrong)


def test_an_original_is_opened_by_its_tool(ask: Ask, claude: Path) -> None:
    """One that is gone is written again, byte for byte; without its folder no tool can open it."""
    made = ask("summarize", chat={"uri": claude.as_uri()}, provider="offline")["compactionId"]
    before = claude.read_bytes()
    claude.unlink()
    resume = ask("restore", compactionId=made, place="tool")["resume"]

    assert resume["command"] == ("claude", "--resume", claude.stem)
    assert claude.read_bytes() == before
    (claude.parents[3] / "shop").rmdir()
    assert ask("restore", compactionId=made, place="tool")["resume"] is None
    assert ask("restore", compactionId=made, place="tool", folder=claude.parent.as_uri())["resume"]["id"] == claude.stem


def test_each_version_of_a_draft_has_a_session_of_its_own(ask: Ask, claude: Path) -> None:
    """What was exported once and changed since then is exported anew, with the change."""
    shown = ask("draft", chat={"uri": claude.as_uri()})
    wanted = {"compactionId": shown["draftId"], "as": "claude-code", "place": "tool"}
    before = ask("export", **wanted)
    ask("draft", draftId=shown["draftId"], text=f"{shown['compaction']['continuation']}\nBuy salt.")
    after = ask("export", **wanted)

    assert after["uri"] != before["uri"]
    assert ("Buy salt." in text_of(before), "Buy salt." in text_of(after)) == (False, True)


@pytest.mark.parametrize("uri", ["file:///chat.jsonl", "file://server/share/chat.jsonl", "a; x"])
def test_an_original_that_no_tool_opens_here(ask: Ask, claude: Path, state: Path, uri: str) -> None:
    """In the root folder, on another machine, or of a name that is no plain id and could do harm in a command."""
    made = ask("summarize", chat={"uri": claude.as_uri()}, provider="offline")["compactionId"]
    uri = uri if uri.startswith("file:") else claude.with_stem(uri).as_uri()
    (path,) = state.rglob(f"*-{made}.json")
    path.write_text(path.read_text().replace(json.dumps(claude.as_uri()), json.dumps(uri)))

    assert ask("restore", compactionId=made, place="tool")["resume"] is None


def test_a_place_that_cannot_be_written_to_is_named(ask: Ask, claude: Path) -> None:
    """For a copy and for an original: the error says where, and why."""
    made = ask("summarize", chat={"uri": claude.as_uri()}, provider="offline")["compactionId"]
    claude.unlink()
    claude.parent.rmdir()
    claude.parent.write_text("in the way")
    for name, params in (("export", {"as": "claude-code"}), ("restore", {})):
        with pytest.raises(NoPlace) as refused:
            ask(name, compactionId=made, place="tool", **params)
        assert str(claude.parent) in str(refused.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_folders_opened_to_all_are_closed_by_a_compaction_that_is_there_already(
    client: ClientState, state: Path, bakery: Path
) -> None:
    """Whoever asks for the same compaction again is told of a place that nobody else can write to."""
    ref = ChatRef(uri=bakery.as_uri())
    first = compacted(ref, client).id
    folders = [
        state / archive_places.USUAL,
        state / archive_places.USUAL / disk.ORIGINALS,
        state / archive_places.USUAL / archive_places.RECORDS,
    ]
    for one in folders:
        one.chmod(0o777)

    assert compacted(ref, client).id == first
    assert [stat.S_IMODE(one.stat().st_mode) for one in folders] == [0o700] * 3
