"""The list of chats on this machine, as programs get it."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk.chats import homes
from compact_chat.operations import ClientState, Job, perform
from compact_chat.operations.chats import NAMES, wire_time
from tests.samples.session_files import age, claude, codex
from tests.unit.operations.conftest import Ask

NOTHING: dict[str, object] = {"sessions": (), "complete": True}


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A folder with a hundred and twenty chats, the first of them the newest."""
    for number in range(120):
        age(claude(tmp_path, number, f"Question {number}", "/demo/shop"), number)
    return tmp_path.as_uri()


def test_a_chat_is_told_with_all_that_the_contract_names(ask: Ask, tmp_path: Path) -> None:
    """Each chat has its URI, tool, format, title, time and size."""
    path = age(codex(tmp_path / "a b", 1, "Count the trays", "/demo/shop"), 0)

    assert ask("sessions", roots=[tmp_path.as_uri()]) == {
        "sessions": (
            {
                "uri": path.as_uri(),
                "tool": "codex",
                "format": "codex",
                "title": "Count the trays",
                "updatedAt": "2026-09-21T14:13:20.000Z",
                "bytes": path.stat().st_size,
            },
        ),
        "complete": True,
    }


def test_fifty_are_told_where_nobody_says_how_many(ask: Ask, root: str) -> None:
    """Without a limit the newest fifty are listed, else as many as requested."""
    reported = ask("sessions", roots=[root])["sessions"]

    assert [one["title"] for one in reported] == [f"Question {n}" for n in range(50)]
    assert len(ask("sessions", roots=[root], limit=1000)["sessions"]) == 120
    assert ask("sessions", roots=[root], limit=2)["sessions"] == reported[:2]
    assert ask("sessions", roots=[root], limit=0) == NOTHING


def test_an_empty_list_asks_for_nothing_special(ask: Ask, root: str, tmp_path: Path, shared_chats: Path) -> None:
    """G6: no tools, and null, are as if omitted; chats of any reported tool can be listed."""
    usual = ask("sessions", roots=[root])
    found = {one["tool"] for one in ask("sessions", roots=[shared_chats.as_uri()], limit=1000)["sessions"]}

    assert ask("sessions", roots=[root], tools=[], workspace=None, limit=None) == usual
    assert ask("sessions", roots=[root], tools=["codex"]) == NOTHING
    assert ask("sessions", roots=[root], tools=list(NAMES)) == usual
    assert ask("sessions", roots=[root], workspace="file:///demo") == usual
    assert ask("sessions", roots=[root], workspace=tmp_path.as_uri()) == NOTHING
    assert len(found) > 8
    assert {one.tool for one in homes("linux", {}, "/home/me")} | found <= set(NAMES)


def test_chats_of_several_folders_are_listed_once(ask: Ask, root: str, tmp_path: Path) -> None:
    """Those held in any of them, in one order; one of another folder is none of theirs."""
    empty, usual = tmp_path.as_uri(), ask("sessions", roots=[root])

    assert ask("sessions", roots=[root], workspace=empty, workspaces=["file:///demo", "file:///demo"]) == usual
    assert ask("sessions", roots=[root], workspaces=["file:///demo"]) == usual
    assert ask("sessions", roots=[root], workspace=empty, workspaces=[empty]) == NOTHING


def test_the_disk_is_never_looked_at_from_the_event_loop(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small its params are, and however often it runs, a listing uses a thread."""
    threads: list[threading.Thread] = []
    scandir = os.scandir

    def noted(path: str) -> Any:
        threads.append(threading.current_thread())
        return scandir(path)

    monkeypatch.setattr(os, "scandir", noted)
    client = ClientState()

    async def ask_twice() -> None:
        for params in ({"roots": [root]}, {"roots": [root]}, {"roots": [root], "workspace": root}):
            await perform("sessions", params, Job(client))

    asyncio.run(ask_twice())
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("nanoseconds", [10**30, -(10**30)])
def test_a_time_that_no_calendar_knows_is_the_first(nanoseconds: int) -> None:
    """A file may claim any age."""
    assert wire_time(nanoseconds / 1e9) == "1970-01-01T00:00:00.000Z"
