"""What becomes of session files that a crash, a full disk or a careless hand has damaged: rows of a matrix."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.read import Source, read_chat

Record = dict[str, Any]
Lines = list[bytes]


def claude() -> Lines:
    """Three turns of Claude Code."""
    ids = [None, "u1", "u2", "u3"]
    return coded(
        {
            "parentUuid": parent,
            "type": kind,
            "uuid": uuid,
            "sessionId": "s",
            "message": {"role": kind, "content": words},
        }
        for parent, uuid, kind, words in zip(ids, ids[1:], ("user", "assistant", "user"), ("a", "b", "c"), strict=False)
    )


def codex() -> Lines:
    """A header and three messages of Codex."""
    said = [("user", "a"), ("assistant", "b"), ("user", "c")]
    items = [
        {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]} for role, words in said
    ]
    return coded(
        [
            {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
            *({"type": "response_item", "payload": item} for item in items),
        ]
    )


def copilot() -> Lines:
    """A header and three messages of the Copilot CLI."""
    start = {"sessionId": "s", "version": 1, "producer": "copilot-agent", "copilotVersion": "1"}
    events = [
        ("session.start", start),
        ("user.message", {"content": "a"}),
        ("assistant.message", {"messageId": "m", "content": "b", "toolRequests": []}),
        ("user.message", {"content": "c"}),
    ]
    return coded(
        {"type": kind, "data": data, "id": f"e{number}", "parentId": None, "timestamp": "2026-05-01T10:00:00Z"}
        for number, (kind, data) in enumerate(events)
    )


def vscode_log() -> Lines:
    """A state of VS Code and three requests that came later."""
    state = {"version": 3, "sessionId": "s", "creationDate": 1, "responderUsername": "x", "requests": []}
    requests = [{"requestId": f"r{words}", "message": {"text": words}, "response": []} for words in "abc"]
    return coded([{"kind": 0, "v": state}, *({"kind": 2, "k": ["requests"], "v": [one]} for one in requests)])


def coded(records: Any) -> Lines:
    """A line for each record."""
    return [json.dumps(record).encode() for record in records]


MAKERS: dict[str, Callable[[], Lines]] = {
    "claude-code": claude,
    "codex": codex,
    "copilot-cli": copilot,
    "vscode-log": vscode_log,
}
READ_ON = ("claude-code", "codex", "copilot-cli")  # a log of operations ends where one of them is lost


def read(lines: Sequence[bytes], end: bytes = b"\n") -> Chat:
    """Read lines."""
    return read_chat(Source.of_bytes(b"\n".join(lines) + end))


def texts(chat: Chat) -> str:
    """What is said in a chat, the words of a host left out."""
    return "".join(message.text for message in chat.messages if len(message.text) < 3)


def told(chat: Chat) -> list[tuple[str, object]]:
    """The warnings of damage, with their lines."""
    kinds = ("damagedLine", "replayStopped", "brokenBytes")
    return [(warning.code, warning.line) for warning in chat.warnings if warning.code in kinds]


@pytest.fixture(params=MAKERS)
def tool(request: pytest.FixtureRequest) -> str:
    """Each tool in turn."""
    return str(request.param)


@pytest.fixture
def lines(tool: str) -> Lines:
    """The lines of a chat in which `a`, `b` and `c` are said."""
    return MAKERS[tool]()


def test_a_sound_file(tool: str, lines: Lines) -> None:
    """Nothing is told of a file to which nothing happened, with or without an end of its last line."""
    for end in (b"\n", b"", b"\n\n"):
        chat = read(lines, end)
        assert (chat.format, texts(chat), told(chat)) == (tool, "abc", [])


@pytest.mark.parametrize("left", [1, 9, -1])
def test_a_cut_last_line(tool: str, lines: Lines, left: int) -> None:
    """The last line of a file that is being written costs itself, and its number is told."""
    chat = read([*lines[:-1], lines[-1][:left]], b"")
    stopped = "replayStopped" if tool == "vscode-log" else "damagedLine"
    assert (texts(chat), told(chat)) == ("ab", [(stopped, len(lines))])


def test_glued_records(lines: Lines) -> None:
    """Two records on one line are both read."""
    chat = read([*lines[:-2], lines[-2] + lines[-1]])
    assert (texts(chat), told(chat)) == ("abc", [])


def test_a_record_that_is_glued_to_half_of_one(tool: str, lines: Lines) -> None:
    """What stands before the damage in a line is read."""
    chat = read([*lines[:-1], lines[-1] + lines[-1][:20]])
    if tool in READ_ON:
        assert (texts(chat), told(chat)) == ("abc", [("damagedLine", len(lines))])
    else:
        assert (texts(chat), told(chat)) == ("ab", [("replayStopped", len(lines))])


def test_a_byte_order_mark_and_other_line_ends(lines: Lines) -> None:
    """A mark in front and CRLF cost nothing."""
    chat = read([b"\xef\xbb\xbf" + lines[0] + b"\r", *(line + b"\r" for line in lines[1:])])
    assert (texts(chat), told(chat)) == ("abc", [])


def test_bytes_that_are_not_utf8(lines: Lines) -> None:
    """They are replaced, and the first line that has some is told."""
    broken = [line.replace(b'"c"', b'"\xff"').replace(b'"b"', b'"\xc3"') for line in lines]
    chat = read(broken)
    assert (texts(chat), told(chat)) == ("a\ufffd\ufffd", [("brokenBytes", len(lines) - 1)])


def test_a_lost_first_line(tool: str, lines: Lines) -> None:
    """A chat is known by any of its lines, and read from what is left; only a log needs its beginning."""
    if tool in READ_ON:
        chat = read(lines[1:])
        assert chat.format in (tool, "copilot-transcript")
        assert texts(chat) == ("bc" if tool == "claude-code" else "abc")
        assert read([lines[0][:30], *lines[1:]]).warnings[0].line == 1


def test_a_damaged_line_in_the_middle(tool: str, lines: Lines) -> None:
    """It costs itself, but for a log what comes behind it too."""
    chat = read([*lines[:-2], lines[-2][:-4] + b"\0" + lines[-2][-4:], lines[-1]])
    code = "damagedLine" if tool in READ_ON else "replayStopped"
    assert (texts(chat), told(chat)) == ("ac" if tool in READ_ON else "a", [(code, len(lines) - 1)])


def test_kinds_that_nobody_knows(tool: str, lines: Lines) -> None:
    """Records of unknown kinds, and members of odd types, are passed over; a log cannot know what they would change."""
    odd = coded([{"type": "new-kind", "uuid": 7, "payload": [], "data": 5, "sessionId": None}, {}])
    chat = read([*lines[:2], *odd, *lines[2:]])
    assert chat.format == tool
    assert (texts(chat), told(chat)) == (("abc", []) if tool in READ_ON else ("a", [("replayStopped", 3)]))


def test_parents_that_lead_nowhere_or_in_a_circle() -> None:
    """Of Claude Code: a parent that is not there is the record before, and a circle is gone through once."""
    for old, new in ((b'"parentUuid": "u2"', b'"parentUuid": "gone"'), (b'"parentUuid": null', b'"parentUuid": "u3"')):
        chat = read([line.replace(old, new) for line in claude()])
        assert (texts(chat), told(chat)) == ("abc", [])


def test_a_long_file_that_begins_with_damage(tool: str, lines: Lines) -> None:
    """Evidence far down decides where the beginning of a large file tells nothing."""
    if tool in READ_ON:
        noise = [b"{" + b"x" * 99] * 4000
        chat = read([*noise, *lines])
        assert (chat.format, texts(chat)) == (tool, "abc")
        assert chat.warnings[0].line == 1
