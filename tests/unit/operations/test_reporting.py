"""How full the context is, of chats of every kind, and what is wrong with those that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatNotFound, ChatUnreadable, InvalidParams

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]


def test_parts_and_messages_add_up(ask: Ask, messages: Messages) -> None:
    """The parts sum to `used`, and so do the messages with what is fixed."""
    report = ask("countTokens", chat={"messages": messages, "system": "Be brief."}, perMessage=True)

    assert sum(report["parts"].values()) == report["used"]
    assert report["parts"]["fixed"] + sum(row["tokens"] for row in report["messages"]) == report["used"]
    assert report["low"] <= report["used"] <= report["high"]


def test_the_window_and_the_budget_can_be_told(ask: Ask, messages: Messages) -> None:
    """A param beats the model's window; thresholds advise by the budget."""
    report = ask("countTokens", chat={"messages": messages}, window=10_000, options={"budget": 1000})

    assert report["window"] == 10_000
    assert report["percent"] == round(report["used"] / 100, 1)
    assert report["advice"] == "compact"


def test_a_recorded_chat_is_anchored(ask: Ask, bakery: Path) -> None:
    """The usage that a session records is the anchor of its count."""
    report = ask("countTokens", chat={"uri": bakery.as_uri()})

    assert report["basis"] == "anchored"
    assert 48_119 < report["used"] < 48_119 + 338 + 100


def test_a_file_and_its_contents_count_alike(ask: Ask, bakery: Path) -> None:
    """Where a chat comes from changes nothing of its report."""
    assert ask("countTokens", chat={"uri": bakery.as_uri()}) == ask(
        "countTokens", chat={"text": bakery.read_text("utf-8")}
    )


@pytest.mark.parametrize(
    ("chat", "path"),
    [
        ({}, "$.chat"),
        ({"uri": "file:///x", "text": "y"}, "$.chat"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": 5, "content": "b"}]}, "$.chat.messages[1].role"),
        ({"messages": "hello"}, "$.chat.messages"),
        ({"text": "x", "format": "scroll"}, "$.chat.format"),
        ("chat.jsonl", "$.chat"),
    ],
)
def test_wrong_params_are_told_with_their_path(ask: Ask, chat: object, path: str) -> None:
    """What is wrong is named where it stands in the params."""
    with pytest.raises(InvalidParams) as caught:
        ask("countTokens", chat=chat)

    assert path in [problem["path"] for problem in caught.value.data["problems"]]


def test_a_missing_chat_is_wrong_params(ask: Ask) -> None:
    """A required member that is left out, or null, is told."""
    for params in ({}, {"chat": None}):
        with pytest.raises(InvalidParams):
            ask("countTokens", **params)


def test_absent_and_unreadable_files_are_told_apart(ask: Ask, tmp_path: Path) -> None:
    """No file is not found; a file that is no chat is unreadable; both name the URI."""
    noise = tmp_path / "noise.bin"
    noise.write_bytes(bytes(range(256)))

    with pytest.raises(ChatNotFound) as absent:
        ask("countTokens", chat={"uri": (tmp_path / "absent").as_uri()})
    with pytest.raises(ChatUnreadable, match="claude-code") as unreadable:
        ask("countTokens", chat={"uri": noise.as_uri()})

    assert absent.value.data["uri"].endswith("absent")
    assert unreadable.value.data["uri"] == noise.as_uri()


def test_format_takes_text_or_sections(ask: Ask) -> None:
    """A reply becomes a summary with sections, and the sections the same summary."""
    text = "Sure.<summary>## 1. Primary Request and Intent\nshelves\n\n8. Current Work: jam</summary>"

    formatted = ask("format", text=text)

    assert formatted["sections"] == {"primaryRequestAndIntent": "shelves", "currentWork": "jam"}
    assert ask("format", sections=formatted["sections"])["sections"] == formatted["sections"]
    for params in ({}, {"text": text, "sections": {}}):
        with pytest.raises(InvalidParams):
            ask("format", **params)


def test_continuation_takes_messages_of_any_shape(ask: Ask) -> None:
    """C8: kept messages follow the summary; what is wrong with them is told with its path."""
    kept = [{"role": "user", "content": "and the jam?"}]

    message = ask("continuation", summary="Summary:\nok", messages=kept, kind="manual")["message"]

    assert message.index("Summary:\nok") < message.index("## Recent messages") < message.index("[SYSTEM: ")
    with pytest.raises(InvalidParams) as caught:
        ask("continuation", summary="ok", messages=[{"content": "x"}])
    assert caught.value.data["problems"][0]["path"] == "$.messages[0].role"


def test_abilities_of_the_host_come_from_initialize(ask: Ask, client: Any) -> None:
    """C14: what a client told when it connected is named where a request tells nothing else."""
    client.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})

    assert "`findPast`" in ask("continuation", summary="ok", kind="regular")["message"]
    assert "`findPast`" not in ask("continuation", summary="ok", kind="regular", capabilities={})["message"]


def test_settings_and_tools_count(ask: Ask, client: Any, messages: Messages) -> None:
    """A window that the user set for a model holds, and tools that came with the chat are a fixed part."""
    client.configure({"windows": {"gpt-5": 5000}})

    report = ask("countTokens", chat={"messages": messages, "tools": [{"name": "read_file"}]}, model="gpt-5")

    assert report["window"] == 5000
    assert report["parts"]["fixed"] > 0


def test_a_title_with_a_secret_is_masked(ask: Ask) -> None:
    """A title may be the first line that a person typed."""
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
    record = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "isSidechain": False}
    line = json.dumps(record | {"message": {"role": "user", "content": f"{secret} please fix"}})

    report = ask("countTokens", chat={"text": line})

    assert "please fix" in report["title"]
    assert secret not in json.dumps(report)
