"""Texts that calls were given, where no id tells the calls apart."""

from __future__ import annotations

from compact_chat.chat import ToolCall
from compact_chat.facts import Step, exchanges


def test_calls_of_one_message_need_no_ids() -> None:
    """H5: each of two workers has its own prompt."""
    prompts = [f"Bake tray {n}, and say how brown it is. {'It must not burn. ' * 9}".strip() for n in (1, 2)]
    steps = [Step("m", ToolCall("", "Task", {"prompt": one}), "Baked.", "ok", None, True) for one in prompts]

    assert [one.given for one in exchanges(steps)] == prompts
