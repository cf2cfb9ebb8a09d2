"""Session files damaged by a crash, a full disk or a careless edit: rows of a matrix."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.read import Source, read_chat

Lines = list[bytes]
SAID = tuple(zip((None, "u1", "u2"), ("u1", "u2", "u3"), ("user", "assistant", "user"), "abc", strict=True))
STATE = {"version": 3, "sessionId": "s", "creationDate": 1, "responderUsername": "x", "requests": []}


def coded(*records: Any) -> Lines:
    """A line for each record."""
    return [json.dumps(record).encode() for record in records]


def item(role: str, words: str) -> dict[str, Any]:
    """A message as Codex writes it."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


LOGS: dict[str, Lines] = {  # in each `a`, `b` and `c` are said
    "claude-code": coded(
        *(
            {
                "parentUuid": up,
                "type": role,
                "uuid": name,
                "sessionId": "s",
                "message": {"role": role, "content": words},
            }
            for up, name, role, words in SAID
        )
    ),
    "codex": coded(
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        *({"type": "response_item", "payload": item(role, words)} for _, _, role, words in SAID),
    ),
    "copilot-cli": coded(
        {"type": "session.start", "data": {"sessionId": "s", "version": 1}, "id": "e0"},
        *({"type": f"{role}.message", "data": {"content": words}, "id": name} for _, name, role, words in SAID),
    ),
    "vscode-log": coded(
        {"kind": 0, "v": STATE},
        *(
            {"kind": 2, "k": ["requests"], "v": [{"requestId": words, "message": {"text": words}, "response": []}]}
            for words in "abc"
        ),
    ),
}


def read(lines: Sequence[bytes], end: bytes = b"\n") -> tuple[Chat, str, list[tuple[str, object]]]:
    """Return the chat of these lines, its texts, and the damage warnings with their lines."""
    chat = read_chat(Source.of_bytes(b"\n".join(lines) + end))
    kinds = ("damagedLine", "replayStopped", "brokenBytes")
    damage: list[tuple[str, object]] = [
        (warning.code, warning.line) for warning in chat.warnings if warning.code in kinds
    ]
    return chat, "".join(message.text for message in chat.messages if len(message.text) < 3), damage


ODD = coded({"type": "new-kind", "uuid": 7, "payload": [], "data": 5, "sessionId": None}, {})
# The damage, what is still said, and how many lines before the end one is damaged; the same of a log of operations,
# which ends where one of them is lost.
Damage = Callable[[Lines], Lines]
ROWS: dict[str, tuple[Damage, str, int | None, str, int | None]] = {
    "nothing": (lambda lines: lines, "abc", None, "abc", None),
    "cut last line": (lambda lines: [*lines[:-1], lines[-1][:9]], "ab", 0, "ab", 0),
    "glued": (lambda lines: [*lines[:-2], lines[-2] + lines[-1]], "abc", None, "abc", None),
    "glued to a half": (lambda lines: [*lines[:-1], lines[-1] + lines[-1][:20]], "abc", 0, "ab", 0),
    "line ends": (lambda lines: [b"\xef\xbb\xbf" + lines[0] + b"\r", *lines[1:]], "abc", None, "abc", None),
    "a zero": (lambda lines: [*lines[:-2], lines[-2][:-4] + b"\0" + lines[-2][-4:], lines[-1]], "ac", 1, "a", 1),
    "unknown kinds": (lambda lines: [*lines[:-2], *ODD, *lines[-2:]], "abc", None, "a", 3),
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("tool", LOGS)
def test_damage_costs_itself(tool: str, row: str) -> None:
    """What can be read is read, and a warning has the number of each damaged line."""
    change, words, place, words_of_operations, stop = ROWS[row]
    lines = change(LOGS[tool])
    if tool == "vscode-log":
        words, place = words_of_operations, stop
    code = "replayStopped" if tool == "vscode-log" else "damagedLine"
    for end in (b"", b"\n\n")[: 1 + (place is None)]:
        chat, said, damage = read(lines, end)
        assert (chat.format, said) == (tool, words)
        assert damage == ([] if place is None else [(code, len(lines) - place)])


@pytest.mark.parametrize("tool", LOGS)
def test_bytes_that_are_not_utf8(tool: str) -> None:
    """They are replaced, and the first line that has some is in a warning."""
    broken = [line.replace(b'"c"', b'"\xff"').replace(b'"b"', b'"\xc3"') for line in LOGS[tool]]
    assert read(broken)[1:] == ("a\ufffd\ufffd", [("brokenBytes", len(broken) - 1)])


@pytest.mark.parametrize("tool", [tool for tool in LOGS if tool != "vscode-log"])
def test_a_lost_beginning(tool: str) -> None:
    """A chat is recognized by any of its lines, even far down in a large file, and read from what is left."""
    first, *rest = LOGS[tool]
    chat, said, _ = read(rest)
    assert chat.format in (tool, "copilot-transcript")
    assert said == ("bc" if tool == "claude-code" else "abc")
    assert read([first[:30], *rest])[0].warnings[0].line == 1
    chat, said, _ = read([*[b"{" + b"x" * 99] * 4000, first, *rest])
    assert (chat.format, said, chat.warnings[0].line) == (tool, "abc", 1)
