"""Both ends of a file reveal what the whole would: its tool, title and folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import Cancelled, checkpoints
from compact_chat.read import Heading, Source, folder_named, heading_of, read_chat
from compact_chat.tools import CLINE_FILES
from tests.samples.session_files import (
    SAID,
    WRITERS,
    claude_records,
    codex_records,
    lines,
    vscode_state,
)

FIRST, LAST = 2**17, 2**16
TITLE = "Count the trays of the first shelf"
GEMINI = [{"id": "1", "type": "user", "content": TITLE}, {"id": "2", "type": "gemini", "content": "Twelve trays."}]
FILLER = {"type": "whatever", "text": SAID * 99}


def heading(text: str | bytes, first: int = FIRST, last: int = LAST, expected: str | None = None) -> Heading | None:
    """Read both ends of a file."""
    data = text if isinstance(text, bytes) else text.encode()
    return heading_of(data[:first], data[max(first, len(data) - last) :], expected)


def title(text: str, first: int = 4000, last: int = 4000) -> str | None:
    """Return the title from both ends of a file."""
    found = heading(text, first, last)
    assert found is not None
    return found.title


@pytest.mark.parametrize("tool", WRITERS)
def test_a_beginning_tells_what_the_whole_does(tool: str, tmp_path: Path) -> None:
    """Wherever a file of any tool is cut after the first words, format, tool, title and folder are the same."""
    path = WRITERS[tool](tmp_path, 1, TITLE, "/demo/shop", 40)
    data = path.read_bytes()
    whole = read_chat(Source.of_bytes(data))

    for first in (2500, 3000, 5001, 20_000):
        found = heading_of(data[:first], data[-1000:], None)
        assert found is not None
        assert (found.format, found.tool, found.title) == (whole.format, whole.tool, TITLE)
        assert found.workspace == whole.workspace


def test_the_collection_is_told_as_it_is_read(shared_chats: Path) -> None:
    """For real chats both ends give the same format and tool as the whole, and nearly always the same title."""
    compared = differing = 0
    for path in sorted(shared_chats.rglob("*.json*")):
        data = path.read_bytes()
        found = heading_of(data[:FIRST], data[max(FIRST, len(data) - LAST) :], None)
        if found is None or path.name in CLINE_FILES[1:]:
            continue
        assert found == heading_of(data[:FIRST], data[max(FIRST, len(data) - LAST) :], found.format), path
        whole = read_chat(Source.of_bytes(data, path.name))
        assert (found.format, found.tool) == (whole.format, whole.tool), path
        compared += 1
        differing += found.title != whole.title
    assert compared > 100
    assert differing < 6


@pytest.mark.parametrize(
    ("records", "name", "expected"),
    [
        (claude_records(TITLE, "/a"), {"type": "custom-title", "customTitle": "Mine", "sessionId": "s0"}, "Mine"),
        (claude_records(TITLE, "/a"), {"type": "ai-title", "aiTitle": "Its own", "sessionId": "s0"}, "Its own"),
        (codex_records(TITLE, "/a"), {"type": "event_msg", "payload": {"thread_name": "Named"}}, "Named"),
        ([{"kind": 0, "v": vscode_state(TITLE)}], {"kind": 1, "k": ["customTitle"], "v": "Mine"}, "Mine"),
        (
            [{"sessionId": "s", "projectHash": "h", "startTime": "t"}, {"id": "1", "type": "user", "content": TITLE}],
            {"$set": {"summary": "Summed up"}},
            "Summed up",
        ),
    ],
    ids=["custom", "by-model", "codex", "vscode", "gemini"],
)
def test_a_name_given_late_is_found(records: list[Any], name: dict[str, Any], expected: str) -> None:
    """A chat's name near the end of a long file takes precedence over its first words."""
    text = lines(*records, FILLER, name)

    assert title(text) == title("\ufeff" + text) == expected
    assert title(lines(*records, FILLER, FILLER)) == TITLE


@pytest.mark.parametrize("space", [None, 1])
def test_a_document_is_named_at_its_end(space: int | None) -> None:
    """Members after a document's messages count, on one line or on many."""
    state = vscode_state(TITLE, more=40)
    messages = [{"id": str(n), "type": "user", "content": SAID} for n in range(40)]
    chat = {"sessionId": "s", "projectHash": "h", "messages": messages, "summary": 'Said "all"', "kind": "main"}

    assert title(json.dumps({**state, "customTitle": "Mine", "inputState": {"a": {}}}, indent=space)) == "Mine"
    assert title(json.dumps(chat, indent=space)) == 'Said "all"'
    assert title(lines({"kind": 0, "v": {**state, "customTitle": "Mine"}})) == "Mine"


def test_a_first_message_that_breaks_off_is_the_title() -> None:
    """If the first message contains a picture, or is longer than what is read, its beginning is the title."""
    long = f"{TITLE}\n{SAID * 99}"

    assert title(lines(*claude_records(long, "/a"))) == TITLE
    for size in range(3000, 3012):  # wherever an escape is cut in two
        assert title(lines(*claude_records(TITLE + '\n\\"\U0001f600\\' * 999, "/a")), size) == TITLE


def test_a_text_that_breaks_off_may_be_the_tools_own() -> None:
    """Codex's notes are recognized by their end: the first read does not take their beginning for a person's words."""
    notes = f"# AGENTS.md instructions for /a\n<INSTRUCTIONS>\n{SAID * 9}</INSTRUCTIONS>"
    records = codex_records(notes, "/a") + codex_records(TITLE, "/a")[1:]
    data = lines(*records).encode()

    found = heading_of(data[:3000], data[-500:], None, guess=False)

    assert found is not None
    assert (found.title, found.workspace) == (None, "/a")
    assert title(lines(*records), 12_000, 10) == TITLE


@pytest.mark.parametrize(
    "records",
    [
        [{"type": "session_meta", "payload": {"source": {"subagent": {"a": 1}}}}, *codex_records(TITLE, "/a")[1:]],
        [{"sessionId": "s", "projectHash": "h", "kind": "subagent"}, {"id": "1", "type": "user", "content": "a"}],
        [{"sessionId": "s", "projectHash": "h", "messages": GEMINI, "kind": "subagent"}],
        [{"sessionId": "s", "projectHash": "h", "messages": GEMINI * 99, "kind": "subagent", "summary": "a"}],
    ],
    ids=["codex", "gemini", "document", "long document"],
)
def test_an_agent_of_a_chat_is_none(records: list[Any]) -> None:
    """Chats between an agent and its own model are not a person's."""
    assert heading(lines(*records), 4000, 4000) is None


@pytest.mark.parametrize("times", [1, 99])
def test_who_speaks_of_agents_is_none(times: int) -> None:
    """A tool's argument with the same name does not make a chat an agent's."""
    call = {"id": "t", "name": "write", "args": {"kind": "subagent", "source": {"subagent": 1}}}
    asked = {"id": "1", "type": "user", "content": TITLE}
    said = {"id": "2", "type": "gemini", "content": "", "toolCalls": [call]}
    about = {"sessionId": "s", "projectHash": "h"}

    assert title(json.dumps({**about, "messages": [asked, *[said] * times]})) == TITLE
    assert title(lines({**about, "kind": "main"}, asked, *[said] * times)) == TITLE
    assert title(lines(*codex_records(TITLE, "/a"), *[{"type": "event_msg", "payload": call["args"]}] * times)) == TITLE


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        (lines(*codex_records(TITLE, "/demo/a b")), "/demo/a b"),
        ('{"cwd" : "/demo/caf\\u00e9"}', "/demo/caf\u00e9"),
        ('{"cwd": "."}', None),
        ('{"cwd": "C:\\\\demo"}', "C:\\demo"),
        ('{"cwd": 5}', None),
        ('{"cwd": "/cut', None),
        ('{"cwd": "\\x"}', None),
    ],
)
def test_the_folder_is_told_by_the_first_bytes(text: str, folder: str | None) -> None:
    """The beginning of a file suffices to find the folder of its chat."""
    assert folder_named(text.encode()) == folder


@given(st.sampled_from(sorted(WRITERS)), st.integers(0, 9000), st.binary(max_size=20), st.integers(0, 9000))
def test_damage_is_no_fault(tool: str, cut: int, noise: bytes, end: int) -> None:
    """Any content of the two ends gives an answer."""
    text = lines(*claude_records(TITLE, "/a", more=3), *codex_records(TITLE, "/a"), {"kind": 0, "v": vscode_state("a")})
    data = text.encode()
    heading_of(data[:cut] + noise, noise + data[end:], tool)


def test_a_cancelled_look_says_nothing_of_the_file(bakery: Path) -> None:
    """Cancelling a listing ends it; a file read at that moment is not remembered as one without a chat."""
    data = bakery.read_bytes()

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled), checkpoints(stop):
        heading_of(data[:FIRST], data[-LAST:], None)
