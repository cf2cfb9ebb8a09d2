"""What the newest compaction of a chat's own tool replaced, and by what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.errors import NothingToCompact
from compact_chat.read import Replaced, Source, newest_replaced, read_chat

Records = list[dict[str, Any]]


def found(text: str) -> Replaced:
    """Find it in the text of a file."""
    return newest_replaced(Source.of_text(text), read_chat(Source.of_text(text)))


def texts(replaced: Replaced) -> tuple[list[str], list[str]]:
    """What is said before and after."""
    return [message.text for message in replaced.before], [message.text for message in replaced.after]


def lines(records: Records) -> str:
    """The text of a log."""
    return "".join(json.dumps(record) + "\n" for record in records)


class TestClaudeCode:
    """A boundary, then the summary that everything later is a child of."""

    def test_the_newest_boundary_counts(self) -> None:
        """What went to the model before it is the first summary and what followed that."""
        session = self.said("q1", "a1") + self.boundary("S1") + self.said("q2", "a2") + self.boundary("S2")
        replaced = found(self.chained(session + self.said("q3")))

        assert texts(replaced) == (["S1", "q2", "a2"], ["S2"])
        assert replaced.summary == "S2"

    def test_lines_may_stand_between_a_boundary_and_its_summary(self) -> None:
        """What a sub-agent or the tool itself wrote meanwhile is no part of the chat."""
        between: Records = [
            {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "look"}},
            {"type": "system", "subtype": "informational", "content": "Compacted."},
        ]
        boundary, summary = self.boundary("S")

        assert found(self.chained([*self.said("q", "a"), boundary, *between, summary])).summary == "S"

    def test_a_boundary_without_its_summary_is_told(self) -> None:
        """A session that was cut off there has nothing that could be checked."""
        with pytest.raises(NothingToCompact):
            found(self.chained(self.said("q", "a") + self.boundary("S")[:1]))

    @staticmethod
    def said(*texts: str) -> Records:
        """Lines of a user and the assistant by turns."""
        roles = ("user", "assistant")
        return [
            {"type": roles[n % 2], "message": {"role": roles[n % 2], "content": text}} for n, text in enumerate(texts)
        ]

    @staticmethod
    def boundary(text: str) -> Records:
        """A boundary and its summary."""
        return [
            {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
            {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": text}},
        ]

    @staticmethod
    def chained(records: Records) -> str:
        """The session, each line a child of the one before; nothing stands above a boundary."""
        parents = [None, *range(len(records))]
        rows = [
            {
                "uuid": f"u{n}",
                "parentUuid": None if parent is None or "compactMetadata" in record else f"u{parent}",
                "sessionId": "s",
                "cwd": "/shop",
                **record,
            }
            for n, (parent, record) in enumerate(zip(parents, records, strict=False))
        ]
        return lines(rows)


class TestCodex:
    """A log that tells at which record the history was replaced."""

    def test_the_newest_replacement_counts(self) -> None:
        """What the log comes to up to that record, and with it."""
        log = [self.meta(), *self.said("q1", "a1"), self.compacted("S1"), *self.said("q2", "a2"), self.compacted("S2")]
        before, after = texts(found(lines([*log, *self.said("q3", "a3")])))

        assert [text for text in before if text in ("a1", "a2", "q3")] == ["a2"]
        assert not {"a2", "q3", "a3"} & set(after)
        assert any("S2" in text for text in after)

    def test_no_replacement_is_told(self) -> None:
        """A log in which nothing was replaced."""
        with pytest.raises(NothingToCompact, match="No compaction is recorded"):
            found(lines([self.meta(), *self.said("q", "a")]))

    @staticmethod
    def record(kind: str, **payload: Any) -> dict[str, Any]:
        """A record of the log."""
        return {"timestamp": "2026-05-01T10:00:00.000Z", "type": kind, "payload": payload}

    def meta(self) -> dict[str, Any]:
        """What begins it."""
        return self.record("session_meta", id="s", timestamp="2026-05-01T10:00:00Z", cwd="/shop", cli_version="0.142.0")

    def compacted(self, text: str) -> dict[str, Any]:
        """A replacement of the history."""
        return self.record("compacted", message=text)

    def said(self, asked: str, answered: str) -> Records:
        """A question and its answer."""
        kinds = (("user", "input_text", asked), ("assistant", "output_text", answered))
        return [
            self.record("response_item", type="message", role=role, content=[{"type": kind, "text": text}])
            for role, kind, text in kinds
        ]


class TestVsCode:
    """Requests, one of which tells a summary and the round up to which it stands for all."""

    def test_the_newest_summary_replaced_what_followed_the_one_before(self) -> None:
        """Its own round belongs to what it replaced, a later round does not."""
        first = self.request("1", "ab", {"toolCallRoundId": "b", "text": "S1"})
        second = self.request("2", "cd", {"toolCallRoundId": "c", "text": "S2"})
        replaced = found(self.export(first, second, self.request("3", "e")))

        assert texts(replaced) == (["asked 2", "said c"], ["S2"])
        assert replaced.summary == "S2"

    def test_a_summary_made_later_cuts_an_earlier_request(self) -> None:
        """A summary in the request that asked for it names a round of the one before."""
        asked = self.export(self.request("1", "ab"), self.request("2", "c", {"toolCallRoundId": "b", "text": "S"}))

        assert texts(found(asked)) == (["asked 1", "said a", "said b"], ["S"])

    def test_a_failed_attempt_is_none(self) -> None:
        """A summary without a round and a text replaced nothing."""
        with pytest.raises(NothingToCompact):
            found(self.export(self.request("1", "a", {"toolCallRoundId": "", "text": "", "outcome": "failed"})))

    @staticmethod
    def request(name: str, rounds: str, *summaries: dict[str, str]) -> dict[str, Any]:
        """A request with a round per letter."""
        metadata = {
            "renderedUserMessage": [{"type": 1, "text": f"asked {name}"}],
            "toolCallRounds": [{"id": one, "response": f"said {one}", "toolCalls": []} for one in rounds],
            "summaries": list(summaries),
        }
        return {"requestId": name, "message": {"text": name}, "response": [], "result": {"metadata": metadata}}

    @staticmethod
    def export(*requests: dict[str, Any]) -> str:
        """The text of an export."""
        return json.dumps({"responderUsername": "GitHub Copilot", "initialLocation": "panel", "requests": requests})


def test_other_formats_record_none() -> None:
    """A chat of a tool that keeps no history of its own."""
    with pytest.raises(NothingToCompact, match="No compaction is recorded"):
        found(json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]))
