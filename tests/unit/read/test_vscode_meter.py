"""What VS Code wrote down of tokens."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import HostMeter
from tests.samples.vscode_sessions import session_chat

SELECTED = {"identifier": "m", "metadata": {"maxInputTokens": 128_000, "maxOutputTokens": 16_000}}


def request(name: str, *rounds: str, kept: dict[str, Any] | None = None, **sizes: Any) -> dict[str, Any]:
    """A request with these rounds and sizes."""
    made = [{"id": one, "response": one, "toolCalls": []} for one in rounds]
    known = {"renderedUserMessage": "asked", "toolCallRounds": made, **(kept or {})}
    return {"requestId": name, "modelId": "m", "result": {"metadata": known}, **sizes}


@pytest.mark.parametrize(
    ("sizes", "meter"),
    [
        ({"promptTokens": 60_000, "completionTokens": 1_000}, HostMeter(61_000, 15_000, 144_000)),
        ({"promptTokens": 60_000}, HostMeter(60_000, 16_000, 144_000)),
        ({"promptTokens": 60_000, "completionTokens": 20_000}, HostMeter(80_000, 0, 144_000)),
        ({"promptTokens": 0, "completionTokens": 0}, HostMeter(0, 16_000, 144_000)),
        ({"promptTokens": False}, None),
        ({"promptTokens": "many"}, None),
        ({}, None),
    ],
)
def test_the_ring_is_made_of_the_last_size_and_both_windows(sizes: dict[str, Any], meter: HostMeter | None) -> None:
    """Prompt and reply are used, and what the reply left of its window is kept free."""
    state = {"requests": [request("1", "a", **sizes)], "inputState": {"selectedModel": SELECTED}}
    assert session_chat(state).host_meter == meter


@pytest.mark.parametrize(
    ("used", "chosen", "other"),
    [
        ("copilot/gpt-5", "copilot/gpt-5", None),
        ("gpt-5", "copilot/gpt-5", None),
        ("copilot/auto", "copilot/auto", None),
        ("copilot/gpt-4o", "copilot/gemini-2.5-pro", "copilot/gemini-2.5-pro"),
        ("copilot/gpt-4o", "copilot/auto", "copilot/auto"),
        (None, "copilot/gpt-5", None),
        ("copilot/gpt-5", None, None),
    ],
)
def test_the_window_is_told_with_its_model(used: str | None, chosen: str | None, other: str | None) -> None:
    """Where another model is chosen for the next request, its window is none of the model that was used."""
    asked = {**request("1", "a"), "modelId": used}
    chat = session_chat({"requests": [asked], "inputState": {"selectedModel": {**SELECTED, "identifier": chosen}}})
    assert (chat.window, chat.window_model) == (128_000, other)
