"""The server as it is shipped: its own operations, settings, progress and cancelling, over the wire."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.servers.wire_client import WireClient

NAMES = ["countTokens", "preview", "summarize", "prompt"]


def chat(rounds: int) -> dict[str, Any]:
    """A chat that is worth compacting, of about a kilobyte a round."""
    messages = [{"role": "user", "content": "Count the shelves."}]
    for n in range(rounds):
        messages += [
            {"role": "assistant", "content": f"Shelf {n} holds {n * 7} trays. " * 30},
            {"role": "user", "content": f"Good, now shelf {n + 1}, and keep the limit of {n + 40} trays."},
        ]
    return {"messages": messages}


def ways(name: str, params: Any) -> list[tuple[str, Any]]:
    """An operation as the request and as the command."""
    return [
        (f"compactChat/{name}", params),
        ("workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_progress_begins_rises_and_ends(real: WireClient, name: str) -> None:
    """Work done is reported from begin to end, never falling, on the token that the client gave."""
    real.call(f"compactChat/{name}", {"chat": chat(300), "workDoneToken": f"work-{name}"})

    told = real.progress(f"work-{name}")
    shares = [one["percentage"] for one in told[1:-1] if "percentage" in one]
    assert [told[0]["kind"], told[-1]["kind"]] == ["begin", "end"]
    assert shares == sorted(shares)


def test_the_summary_streams_as_it_is_written(real: WireClient) -> None:
    """`summarize` sends partial text, and it is the text of the summary."""
    done = real.call("compactChat/summarize", {"chat": chat(30), "partialResultToken": "part"})

    text = "".join(one["text"] for one in real.progress("part"))
    assert text
    assert text.strip().splitlines()[-1] in done["summary"]


def test_settings_reach_the_operations(real: WireClient) -> None:
    """What the client pushes under `compactChat` counts until a param says otherwise, and is taken back alike."""
    asked = {"chat": chat(12)}
    usual = real.call("compactChat/preview", asked)["split"]

    real.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"minKeep": 9}}})
    changed = real.call("compactChat/preview", asked)["split"]
    beaten = real.call("compactChat/preview", {**asked, "options": {"minKeep": 4}})["split"]
    real.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {}}})

    assert changed < usual == beaten


def reports_on(token: str, message: dict[str, Any]) -> bool:
    """Say whether a message is progress on a token."""
    return bool(message.get("params", {}).get("token") == token)


@pytest.mark.parametrize("name", ["countTokens", "transcript", "preview", "summarize"])
def test_a_cancelled_operation_answers_once(real: WireClient, name: str) -> None:
    """A cancel in the middle of big work ends in one -32800, both ways, and the next request is answered."""
    for way in (0, 1):
        token = f"cancel-{name}-{way}"
        number = real.start(*ways(name, {"chat": chat(4000), "workDoneToken": token})[way])
        real.until(partial(reports_on, token))
        real.notify("$/cancelRequest", {"id": number})

        error = real.answer(number)["error"]
        assert (error["code"], error["data"]) == (-32800, {"kind": "cancelled"})
        assert real.call("compactChat/countTokens", {"chat": chat(1)})["used"] > 0
        assert len(real.answers(number)) == 1


def test_request_and_command_give_the_same(real: WireClient) -> None:
    """Both ways to ask have one answer, plan included."""
    asked, told = (real.call(*way) for way in ways("preview", {"chat": chat(8), "options": {"minKeep": 2}}))
    shown = [real.call(*way)["messages"] for way in ways("transcript", {"chat": chat(8), "ids": ["m5"]})]

    assert asked == told
    assert shown[0] == shown[1]
    assert [one["index"] for one in shown[0]] == [5]
    for way in ways("summarize", {"planId": asked["planId"]}):
        assert real.call(*way)["planId"] == asked["planId"]


def test_errors_have_their_kinds_both_ways(real: WireClient) -> None:
    """An error of an operation comes with its code, kind and data, as request and as command."""
    for way in ways("preview", {"chat": chat(3), "options": {"pin": ["nobody"], "minKeep": 1}}):
        error = real.error(*way)
        assert (error["code"], error["data"]) == (-32042, {"kind": "messageNotFound", "path": "$.options.pin[0]"})
