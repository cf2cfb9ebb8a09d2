"""Where a compaction of Copilot Chat cuts a chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.vscode_sessions import session_chat


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


@pytest.mark.parametrize("end", ["c", "z", "", "previous", None, 5])
def test_a_summary_of_an_unknown_round_replaces_nothing(end: Any) -> None:
    """The round has to be in the request or before it."""
    chat = (request("1", "a"), request("2", "b", summary=summary(end, "S")), request("3", "c"))
    assert len(live(*chat)) == 6
