"""Where a compaction of Copilot Chat cuts a chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.vscode_sessions import session_chat

FAILED = {"toolCallRoundId": "", "text": "", "outcome": "failed"}


def request(name: str, rounds: str, round_summary: str = "", **metadata: Any) -> dict[str, Any]:
    """A request with a round per letter; the last of them may carry a summary."""
    made: list[dict[str, Any]] = [{"id": one, "response": f"said {one}", "toolCalls": []} for one in rounds]
    if round_summary:
        made[-1]["summary"] = round_summary
    known = {"renderedUserMessage": [{"type": 1, "text": f"asked {name}"}], "toolCallRounds": made, **metadata}
    return {"requestId": name, "result": {"metadata": known}}


def summary(end: str, text: str) -> dict[str, str]:
    """A summary of all up to a round."""
    return {"toolCallRoundId": end, "text": text}


def live(*requests: dict[str, Any]) -> list[str]:
    """The texts that are left."""
    return [message.text for message in session_chat({"requests": list(requests)}).messages]


def framed(text: str) -> str:
    """A summary as it is sent."""
    return f"<conversation-summary>\n{text}\n</conversation-summary>\n"


def test_without_a_summary_all_is_live() -> None:
    """Nothing cuts a chat but a summary."""
    assert live(request("1", "a"), request("2", "b")) == ["asked 1", "said a", "asked 2", "said b"]


@pytest.mark.parametrize("metadata", [{"summary": summary("b", "S")}, {"summaries": [summary("b", "S")]}])
def test_a_summary_replaces_all_up_to_the_end_of_its_round(metadata: dict[str, Any]) -> None:
    """The request that asked for the round goes too; the round may be in an earlier request."""
    chat = (request("1", "ab"), request("2", "c", **metadata))
    assert live(*chat) == [framed("S"), "asked 2", "said c"]


def test_a_summary_may_cut_a_request_in_the_middle() -> None:
    """The rounds behind it stay, in their own request or an earlier one."""
    assert live(request("1", "abc", summary=summary("b", "S"))) == [framed("S"), "said c"]
    behind = request("2", "d", summaries=[summary("a", "S")])
    assert live(request("1", "abc"), behind) == [framed("S"), "said b", "said c", "asked 2", "said d"]


def test_the_last_summary_of_a_request_counts() -> None:
    """Attempts that failed have neither a round nor a text; `summary` is the older form."""
    several = [summary("a", "old"), summary("b", "new"), FAILED, {}, "no summary"]
    chat = (request("1", "ab"), request("2", "c", summaries=several, summary=summary("a", "older")))
    assert live(*chat) == [framed("new"), "asked 2", "said c"]


def test_the_boundary_nearest_to_the_end_counts() -> None:
    """A later summary of an earlier round does not bring back what another one replaced."""
    chat = (
        request("1", "a"),
        request("2", "b", summary=summary("a", "first")),
        request("3", "c", summary=summary("b", "second")),
        request("4", "d", summary=summary("a", "third")),
    )
    assert live(*chat) == [framed("second"), "asked 3", "said c", "asked 4", "said d"]


def test_rounds_may_carry_their_summary() -> None:
    """A summary stands on a round, unless the request that made it has a newer one for that round."""
    assert live(request("1", "ab", round_summary="S"), request("2", "c")) == [framed("S"), "asked 2", "said c"]
    newer = request("2", "c", summary=summary("b", "newer"))
    assert live(request("1", "ab", round_summary="S"), newer) == [framed("newer"), "asked 2", "said c"]


@pytest.mark.parametrize("end", ["c", "z", "", "previous", None, 5])
def test_a_summary_of_an_unknown_round_replaces_nothing(end: Any) -> None:
    """The round has to be in the request or before it."""
    chat = (request("1", "a"), request("2", "b", summary=summary(end, "S")), request("3", "c"))
    assert len(live(*chat)) == 6


def test_a_compact_command_leaves_its_words_behind() -> None:
    """The summary sits in the request behind its round, whose words are sent and whose screen text is not."""
    command = {
        "requestId": "2",
        "agent": {"id": "github.copilot.editsAgent"},
        "message": {"text": "/compact keep names", "parts": [{"kind": "subcommand", "range": {"endExclusive": 8}}]},
        "response": [{"value": "Compacted conversation."}],
        "result": {"metadata": {"summary": summary("a", "S"), "command": "compact"}},
    }
    chat = session_chat({"requests": [request("1", "a"), command, request("3", "c")]})
    asked = "<userRequest>\nkeep names\n</userRequest>\n"
    assert [message.text for message in chat.messages] == [framed("S"), asked, "asked 3", "said c"]
    assert [message.is_summary for message in chat.messages] == [True, False, False, False]
    assert chat.messages[0].by_host
    assert chat.warnings == ()


def test_summaries_of_removed_requests_do_not_count() -> None:
    """A person who takes a request back takes its compaction back."""
    removed = {**request("2", "b", summary=summary("a", "S")), "shouldBeRemovedOnSend": {"requestId": "2"}}
    assert live(request("1", "a"), removed) == ["asked 1", "said a"]


def test_the_global_context_outlives_a_compaction() -> None:
    """It is sent before the summary, once, though a request further on may carry it again."""
    context: dict[str, Any] = {"renderedGlobalContext": [{"type": 1, "text": "here"}]}
    chat = (request("1", "a", **context), request("2", "b", summary=summary("a", "S"), **context))
    assert live(*chat) == ["here", framed("S"), "asked 2", "said b"]
