"""A followed chat is reported on as it grows, by reading and counting no more than what is new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compact_chat.errors import CompactChatError, TooLarge
from compact_chat.measure import Counter, family_of
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations import watch as live_module
from compact_chat.operations.job import TakesLong
from compact_chat.operations.watch import LiveChat, Params
from compact_chat.read import loose
from compact_chat.wire import TokenReport
from tests.samples.growing import ClaudeSession, CodexSession
from tests.unit.operations.conftest import claude_session, message

SESSIONS: tuple[type[ClaudeSession | CodexSession], ...] = (ClaudeSession, CodexSession)


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat that was read anew may be read anew at once."""
    monkeypatch.setattr(live_module, "REST", 0.0)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the chat is."""
    return tmp_path_factory.mktemp("live") / "chat.jsonl"


def append(path: Path, data: bytes) -> None:
    """Write to the end."""
    with path.open("ab") as file:
        file.write(data)


def report(chat: LiveChat, *, at_once: bool = False) -> TokenReport:
    """Read what is new, and report."""
    job = Job(chat.client)
    job.at_once = at_once
    return chat.report(job)


def outcome(story: Callable[[], Any]) -> Any:
    """A report, or the kind of what was in its way."""
    try:
        return story()
    except CompactChatError as problem:
        return problem.kind


@pytest.mark.parametrize("kind", SESSIONS)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), oddity=st.sampled_from([0, 0, 0.1, 0.4]), by_bytes=st.booleans())
def test_each_report_is_that_of_the_whole_file(path: Path, kind: Any, seed: int, oddity: float, by_bytes: bool) -> None:
    """However a file grows, by lines or by any bytes, the report is the one of reading it for the first time."""
    draw = Random(seed)
    pieces = kind(draw, oddity).lines(30)
    if by_bytes:
        data = b"".join(pieces)
        ends = sorted(draw.sample(range(len(data)), 20))
        pieces = [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]
    path.write_bytes(b"")
    client = ClientState()
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), client)
    for piece in pieces:
        append(path, piece)
        assert outcome(lambda: report(followed)) == outcome(
            lambda: report(LiveChat(ChatRef(uri=path.as_uri()), Params(), client))
        )


@pytest.mark.parametrize("kind", SESSIONS)
def test_only_what_is_new_is_counted(path: Path, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text is counted once, however often the chat grows; nothing of the whole chat is looked up again."""
    texts: dict[str, list[str]] = {"_count_piece": [], "count": []}
    for name, noted in texts.items():
        real = getattr(Counter, name)

        def noting(self: Counter, text: str, noted: Any = noted, real: Any = real) -> Any:
            noted.append(text)
            return real(self, text)

        monkeypatch.setattr(Counter, name, noting)
    lines = kind(Random(3), 0).lines(400)
    path.write_bytes(b"".join(lines[:300]))
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState())
    report(followed)
    texts["count"].clear()
    for line in lines[300:]:
        append(path, line)
        report(followed)
    assert len(texts["_count_piece"]) == len(set(texts["_count_piece"]))
    assert len(texts["count"]) < 40 * 100


def test_settings_and_compactions_change_the_report(path: Path) -> None:
    """A window that the user sets counts from then on; what was measured before a compaction says nothing after it."""
    path.write_bytes(b"".join(ClaudeSession(Random(1), 0).lines(20)))
    client = ClientState()
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), client)
    before = report(followed)
    assert not followed.has_news()
    client.configure({"window": 123_456})
    assert followed.has_news()
    after = report(followed)
    assert (after.window, after.used) == (123_456, before.used)
    assert report(LiveChat(ChatRef(uri=path.as_uri()), Params(window=1000), client)).window == 1000
    summary = message("user", "Shelves were counted.", isCompactSummary=True, parentUuid="b", uuid="s")
    boundary = {"type": "system", "uuid": "b", "subtype": "compact_boundary"}
    append(path, claude_session(boundary, summary).encode())
    compacted = report(followed)
    assert before.basis != "estimated"
    assert (compacted.basis, compacted.message_count) == ("estimated", 1)


def test_reading_anew_takes_a_rest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat that must be read anew is not read anew all the time; one that grows is read on at once."""
    monkeypatch.setattr(live_module, "REST", 1e9)
    path.write_bytes(b"".join(ClaudeSession(Random(6), 0).lines(40)))
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState())
    report(followed)
    for line in (b"\n", b"damaged\n"):
        append(path, line)
        assert followed.has_news()
        report(followed)
    append(path, b"\n")
    assert not followed.has_news()


def test_what_takes_long_is_not_done_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither much that has come nor a whole chat; that is news until it is done, and what has come is all that is."""
    lines = ClaudeSession(Random(8), 0).lines(60)
    path.write_bytes(b"".join(lines[:40]))
    monkeypatch.setattr(live_module, "LONG", len(lines[40]))
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState())
    with pytest.raises(TakesLong):
        report(followed, at_once=True)
    report(followed)
    append(path, lines[40])
    report(followed, at_once=True)
    append(path, b"".join(lines[41:]))
    with monkeypatch.context() as patch:
        patch.setattr(LiveChat, "_read_anew", None)  # what was read on is not forgotten for being put off
        with pytest.raises(TakesLong):
            report(followed, at_once=True)
        assert followed.has_news()
        grown = report(followed)
    assert grown == report(LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState()))
    append(path, b"damaged\n")
    with pytest.raises(TakesLong):
        report(followed, at_once=True)
    assert followed.has_news()
    assert report(followed).warnings


def test_another_family_is_counted_anew(path: Path) -> None:
    """A reply of a model that counts in another way changes what all before it takes."""
    first, last = (f"claude-opus-{version}" for version in ("4-5", "4-8"))
    assert family_of(first) != family_of(last)
    asked = message("user", "Count the shelves, and the trays that stand on them. " * 400)
    path.write_bytes(b"")
    followed, records, reports = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState()), [], []
    for number, model in enumerate((None, first, None, first, None, last, None)):
        reply = message("assistant", "Nine trays.")
        reply["message"] |= {"id": f"m{number}", "model": model}
        records.append(reply if model else asked)
        append(path, claude_session(*records).splitlines(keepends=True)[-1].encode())
        reports.append(report(followed))
        assert reports[-1] == report(LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState()))
    assert reports[-2].parts.user > 1.2 * reports[-3].parts.user


def test_a_chat_may_grow_too_long(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More messages than a chat may have are refused while it grows, too, and the chat is named."""
    lines = ClaudeSession(Random(9), 0).lines(60)
    path.write_bytes(b"".join(lines[:40]))
    followed = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState())
    monkeypatch.setattr(loose, "MAX_MESSAGES", report(followed).message_count)
    for line in lines[40:]:
        append(path, line)
    with pytest.raises(TooLarge) as refused:
        report(followed)
    assert refused.value.data["uri"] == path.as_uri()
