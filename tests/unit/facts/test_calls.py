"""Texts that calls were given and returned, where scenes cannot hold them."""

from __future__ import annotations

from compact_chat.chat import ToolCall
from compact_chat.facts import Step, exchanges


def test_calls_of_one_message_need_no_ids() -> None:
    """H5: each of two workers has its own prompt."""
    prompts = [f"Bake tray {n}, and say how brown it is. {'It must not burn. ' * 9}".strip() for n in (1, 2)]
    steps = [Step("m", ToolCall("", "Task", {"prompt": one}), "Baked.", "ok", None, True) for one in prompts]

    assert [one.given for one in exchanges(steps)] == prompts


def test_an_answer_that_is_nested_deeply_is_no_text() -> None:
    """H5: the given text is shown without it."""
    prompt = "Bake a tray, and say how brown it is. " * 9
    step = Step("m", ToolCall("", "Task", {"prompt": prompt}), '{"a":' * 100_000, "ok", None, True)

    assert [(one.given, one.returned) for one in exchanges([step])] == [(prompt, "")]
