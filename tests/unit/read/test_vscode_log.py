"""Logs of VS Code that are damaged, and what is read of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source
from compact_chat.read import vscode as vscode_log

FIRST = {"kind": 0, "v": {"sessionId": "s", "customTitle": "t", "requests": [{"requestId": "1", "message": "one"}]}}
SECOND = {"kind": 2, "k": ["requests"], "v": [{"requestId": "2", "message": "two"}]}
THIRD = {"kind": 2, "k": ["requests"], "v": [{"requestId": "3", "message": "three"}]}
LINES = [json.dumps(entry) for entry in (FIRST, SECOND, THIRD)]


def read(data: str | bytes) -> Chat:
    """The chat of a log that must be recognised as one."""
    source = Source.of_bytes(data.encode() if isinstance(data, str) else data)
    assert vscode_log.sniff_log(source)
    return vscode_log.read_log(source)


def asked(chat: Chat) -> list[str]:
    """What the messages say."""
    return [message.text for message in chat.messages]


def stops(chat: Chat) -> list[Any]:
    """The lines at which the replay stopped."""
    return [warning.line for warning in chat.warnings if warning.code == "replayStopped"]


def test_a_whole_log_is_replayed() -> None:
    """Each line adds to the state; a whole log is told without a stop."""
    chat = read("\n".join(LINES) + "\n")
    assert (asked(chat), stops(chat), chat.title) == (["one", "two", "three"], [], "t")


@pytest.mark.parametrize(
    ("text", "live", "line"),
    [
        ("\n".join(LINES)[:-9], ["one", "two"], 3),
        ("\n".join([LINES[0], "x", LINES[2]]), ["one"], 2),
        ("\n".join([LINES[0], "", "\0\0\0", LINES[2]]), ["one"], 3),
        ("\n".join([LINES[0], LINES[1] + '{"kind":9}', LINES[2]]), ["one", "two"], 2),
        ("\ufeff" + "\n".join([LINES[0], LINES[1][:-4]]) + "\n", ["one"], 2),
    ],
)
def test_the_replay_stops_at_the_first_bad_line(text: str, live: list[str], line: int) -> None:
    """What was replayed up to there is read, and the line is told."""
    chat = read(text)
    assert (asked(chat), stops(chat)) == (live, [line])


def test_bytes_that_are_no_text_cost_only_themselves() -> None:
    """A byte that is not UTF-8 inside a string is replaced."""
    assert asked(read(LINES[0].encode().replace(b"one", b"\xffne"))) == ["\ufffdne"]


def test_a_log_whose_first_line_is_cut_cannot_be_read() -> None:
    """Without the state that it begins with, a log says nothing."""
    source = Source.of_bytes(LINES[0][:-5].encode())
    assert vscode_log.sniff_log(source)
    with pytest.raises(ChatUnreadable) as refused:
        vscode_log.read_log(source)
    assert refused.value.data == {"format": "vscode-log", "line": 1}
