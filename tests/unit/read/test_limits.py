"""A chat beyond the limits is refused as early as is cheap, and what is wrong with it is told at a bounded length."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.errors import InvalidParams, TooLarge
from compact_chat.read import MOST_PROBLEMS, Source, loose, read_chat, simple
from compact_chat.read.loose import MOST_WARNINGS

ROLES = ("user", "assistant")
# A hundredth of each limit: the sizes themselves are those of `bench_limits.py` and of the wire's hostile inputs.
SMALLER = {"MAX_MESSAGES": 1000, "MAX_VALUES": 25_000, "MAX_RECORDS": 2500, "MAX_LINES": 100_000, "MAX_WHOLE": 2**20}


@pytest.fixture(autouse=True)
def smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches at once."""
    for name, number in SMALLER.items():
        monkeypatch.setattr(loose, name, number)
    monkeypatch.setattr("compact_chat.read.source.MAX_VALUES", SMALLER["MAX_VALUES"])


def array(number: int) -> list[dict[str, Any]]:
    """So many messages of user and assistant in turn."""
    return [{"role": ROLES[n % 2], "content": "x"} for n in range(number)]


def session(number: int) -> str:
    """A session of Claude Code with so many turns."""
    lines = (
        {"sessionId": "s", "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "type": ROLES[n % 2]}
        | {"message": {"role": ROLES[n % 2], "content": "x"}}
        for n in range(number)
    )
    return "\n".join(map(json.dumps, lines))


def written(name: str, number: int) -> Source:
    """A chat of so many messages in a format."""
    match name:
        case "document":
            return Source.of_document({"messages": array(number)})
        case "array":
            return Source.of_text(json.dumps(array(number)))
        case "items":
            items = [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}] * number
            return Source.of_document({"messages": items})
        case "claude-code":
            return Source.of_text(session(number))
        case _:
            return Source.of_text("".join(f"## {ROLES[n % 2]}\nx\n" for n in range(number)))


WAYS = ("document", "array", "items", "claude-code", "markdown")


@pytest.mark.parametrize("way", WAYS)
def test_too_many_messages_are_refused(way: str) -> None:
    """One message beyond the limit is too many in each format, and the sentence says what to do."""
    with pytest.raises(TooLarge) as caught:
        read_chat(written(way, loose.MAX_MESSAGES + 1))

    assert caught.value.sentence == "The chat has more than 1,000 messages; give the part of it that matters."


def test_a_long_session_is_refused_by_its_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No record of a session with too many messages is decoded whole."""
    monkeypatch.setattr(Source, "values_at", None)

    with pytest.raises(TooLarge, match="messages"):
        read_chat(Source.of_text(session(loose.MAX_MESSAGES + 1)))


CODEX = {
    "header": {"type": "session_meta", "payload": {"id": "a", "cwd": "/a"}},
    "said": {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "x"}},
    "compaction": {"type": "compacted", "payload": {"message": "", "replacement_history": []}},
    "thought": {"type": "response_item", "payload": {"type": "reasoning", "encrypted_content": "x"}},
    "undo": {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 5}},
}
COPILOT: dict[str, dict[str, Any]] = {
    "header": {"type": "session.start", "data": {"sessionId": "s", "copilotVersion": "1"}},
    "said": {"type": "user.message", "data": {"content": "x"}},
    "compaction": {"type": "session.compaction_complete", "data": {"success": True, "summaryContent": "x"}},
    "helper": {"type": "assistant.message", "agentId": "a", "data": {"content": "x"}},
}


def log(records: dict[str, dict[str, Any]], kinds: str) -> Source:
    """A log of these records."""
    return Source.of_text("".join(json.dumps(records[kind]) + "\n" for kind in ("header", *kinds.split())))


@pytest.mark.parametrize(
    ("records", "kinds"),
    [
        (CODEX, "said " * 5 + "thought"),
        (CODEX, "said " * 5 + "compaction " + "said " * 5),
        (CODEX, "said " * 5 + "undo " + "said " * 5),
        (COPILOT, "said " * 4 + "helper " * 9 + "said"),
        (COPILOT, "said " * 4 + "compaction " + "said " * 4),
    ],
)
def test_a_log_is_read_if_what_is_live_is_not_too_much(
    records: dict[str, dict[str, Any]], kinds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compacted, taken back, or another agent's, does not count."""
    monkeypatch.setattr(loose, "MAX_MESSAGES", 6)

    assert 1 < len(read_chat(log(records, kinds)).messages) <= 6


@pytest.mark.parametrize(
    ("records", "replay"), [(CODEX, "codex.live_entries"), (COPILOT, "copilot._live")], ids=["codex", "copilot"]
)
def test_a_log_with_too_many_messages_is_not_replayed(
    records: dict[str, dict[str, Any]], replay: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log is refused while it is read, long before its messages are made."""
    monkeypatch.setattr(loose, "MAX_MESSAGES", 6)
    monkeypatch.setattr(f"compact_chat.read.{replay}", None)

    with pytest.raises(TooLarge, match="messages"):
        read_chat(log(records, "said " * 5 + "compaction " + "said " * 7))


def test_a_log_with_too_many_messages_is_not_decoded_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copilot's messages are counted while its events are decoded; only a beginning was decoded to know the format."""
    said = {"type": "user.message", "data": {"content": "x" * 1000}}
    source, decode, sizes = log({**COPILOT, "said": said}, "said " * 200), Source._scan, list[int]()

    def noting(source: Source, of_line: Any, of_record: Any) -> Any:
        if "records" in of_record.__qualname__:
            sizes.append(len(source.text))
        return decode(source, of_line, of_record)

    monkeypatch.setattr(loose, "MAX_MESSAGES", 6)
    monkeypatch.setattr(Source, "_scan", noting)

    with pytest.raises(TooLarge, match="messages"):
        read_chat(source)
    assert max(sizes) < 2**17


@pytest.mark.parametrize("way", ["array", "markdown"])
def test_the_longest_chat_is_read(way: str) -> None:
    """The limit is a number that is still allowed."""
    assert len(read_chat(written(way, loose.MAX_MESSAGES)).messages) == loose.MAX_MESSAGES


@pytest.mark.parametrize(
    ("piece", "number", "limit"),
    [
        ("[],", SMALLER["MAX_VALUES"] // 2, "values"),
        ('"a",', SMALLER["MAX_VALUES"], "values"),
        ('{"a":1},', SMALLER["MAX_VALUES"] // 2, "values"),
        ('{"a":"{"},\n', SMALLER["MAX_VALUES"] // 2, "records"),
        ("\n", SMALLER["MAX_LINES"] + 1, "lines"),
        ("User:\n", SMALLER["MAX_LINES"] + 1, "lines"),
        ("\n{}", SMALLER["MAX_RECORDS"] + 1, "records"),
        ("\n {}", SMALLER["MAX_RECORDS"] + 100, "records"),
        ("\n{x", SMALLER["MAX_RECORDS"] + 1, "records"),
        ("x", SMALLER["MAX_WHOLE"], "larger than 1 MiB"),
        ("words " * 99 + "\n", SMALLER["MAX_WHOLE"] // 500, "larger than 1 MiB"),
    ],
)
def test_what_would_fill_the_memory_is_refused_undecoded(piece: str, number: int, limit: str) -> None:
    """Tiny lines and values take a hundred times their size in memory; so many are refused at once."""
    data = b"[" * (piece[0] != "\n") + b" " + piece.encode() * number + b"x"

    with pytest.raises(TooLarge, match=limit):
        read_chat(Source.of_bytes(data, name="chat.txt"))


def test_code_in_texts_is_no_value() -> None:
    """A document may hold code."""
    code = [{"role": "user", "content": '[{"a",' * loose.MAX_VALUES}, *array(2)]

    assert len(read_chat(Source.of_text(json.dumps(code))).messages) == 3


@pytest.mark.parametrize("whole", [3, 4])
def test_nothing_is_no_long_line(whole: int) -> None:
    """A crash may leave a file with more NULs than a line may have bytes; what is before and behind them is read."""
    lines = session(4).encode().splitlines()
    data = b"\n".join((*lines[:3], bytes(10 * loose.MAX_WHOLE), *lines[3:whole]))

    assert len(read_chat(Source.of_bytes(data)).messages) == whole


def test_the_faults_of_a_document_end() -> None:
    """The problems that are told are bounded, so that the answer stays smaller than what it answers."""
    wrong = {"messages": [{"role": "user", "content": [5] * 100}] * 100}
    with pytest.raises(InvalidParams) as caught:
        read_chat(Source.of_document(wrong))

    assert len(caught.value.data["problems"]) == MOST_PROBLEMS


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("\n".join([session(9), *["{broken"] * 900]), "damagedLine"),
        (json.dumps([*array(9), *[{"role": 5}] * 900]), "skippedMessage"),
    ],
    ids=["lines", "messages"],
)
def test_warnings_end(text: str, code: str) -> None:
    """Of much damage the first is told, and how much more there is."""
    chat = read_chat(Source.of_text(text))

    assert len(chat.messages) == 9
    assert [one.code for one in chat.warnings] == [code] * (MOST_WARNINGS + 1)
    assert chat.warnings[-1].message == "800 more warnings of this kind."


def test_a_copied_chat_of_too_many_lines_is_no_single_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beginning shows what it is; any other text of so many lines is one message."""
    monkeypatch.setattr(simple, "MOST_LINES", 100)

    with pytest.raises(TooLarge, match="more than 100 lines"):
        read_chat(Source.of_text("User: hi\n\nAssistant: ok\n\n" * 100))
    assert len(read_chat(Source.of_text("a line of a log\n" * 400)).messages) == 1
