"""A compaction is written into a new file, without secrets, and never over another."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of, put_new
from compact_chat.errors import CompactionNotFound, FileExists, InvalidParams
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations import history as past
from compact_chat.operations.chats import chat_of
from tests.samples.archived import SUMMARY, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
FORMS = ("markdown", "json", "claude-code", "vscode-export")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    for module in (archive_places, past):
        monkeypatch.setattr(module, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


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


@pytest.mark.parametrize("form", FORMS)
def test_no_export_holds_a_secret(ask: Ask, client: ClientState, messages: Messages, form: str) -> None:
    """What was kept verbatim is masked too, in words, calls and results; without redaction it is not."""
    messages[-3]["content"][0]["content"] += f" {SECRET}"
    messages[-1]["content"] += f" Use {SECRET}."
    one = compacted(ChatRef(messages=messages), client)
    masked = text_of(ask("export", compactionId=one.id, **{"as": form}))
    client.configure({"redact": False})
    bare = text_of(ask("export", compactionId=one.id, **{"as": form}))

    assert SECRET not in masked
    assert (SECRET in bare) == (form != "markdown")  # its continuation was masked when it was made


def test_json_is_the_compaction_with_its_messages(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The object that `summarize` gave, and the chat that it made."""
    one = compacted(ChatRef(messages=messages), client)
    found = json.loads(text_of(ask("export", compactionId=one.id, **{"as": "json"})))

    assert found["compactionId"] == one.id
    assert (found["summary"], found["archive"]) == (SUMMARY, one.stored.archive)
    assert found["messages"] == one.messages


@pytest.mark.parametrize("form", ["claude-code", "vscode-export"])
def test_our_readers_know_the_tools_again(ask: Ask, client: ClientState, bakery: Path, form: str) -> None:
    """What is written for another tool is read as that tool's, without a warning."""
    one = compacted(ChatRef(uri=bakery.as_uri()), client)
    chat = chat_of(ChatRef(uri=ask("export", compactionId=one.id, **{"as": form})["uri"]))

    assert (chat.format, chat.warnings) == (form, ())
    assert [message.text for message in chat.messages if "Summary:" in message.text]


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


def test_wrong_params_are_told(ask: Ask) -> None:
    """An unknown form, and an id of nothing."""
    with pytest.raises(InvalidParams) as caught:
        ask("export", compactionId="x", **{"as": "pdf"})
    assert caught.value.data["problems"][0]["path"] == "$.as"
    with pytest.raises(CompactionNotFound):
        ask("export", compactionId="x", **{"as": "json"})


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
