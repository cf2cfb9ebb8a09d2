"""What tools send beside the chat and keep out of their files: system prompt, tools, files attached anew."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Chat


class Hidden(Struct, frozen=True):
    """Tokens that a tool adds, the bounds they had in real sessions, and what it adds to each token of the chat."""

    tokens: int = 0
    low: int = 0
    high: int = 0
    share: float = 0.0


CLAUDE_CODE = Hidden(26_000, low=15_000, high=43_000, share=0.08)
CLAUDE_CODE_RESUMED = Hidden(48_000, low=27_000, high=69_000, share=0.08)  # with the files it attaches anew
CODEX = Hidden(8_500, low=6_000, high=12_500)
COPILOT_CLI = Hidden(4_450, low=3_000, high=12_000)  # the tools alone: the system prompt is in the file
COPILOT_CHAT = Hidden(17_000, low=3_000, high=25_000)  # little without tools


def hidden_by(chat: Chat) -> Hidden:
    """What the chat's tool adds, as far as that was ever measured."""
    if chat.tool == "claude-code" and any(message.is_summary for message in chat.messages):
        return CLAUDE_CODE_RESUMED
    hosts = {"claude-code": CLAUDE_CODE, "codex": CODEX, "copilot-cli": COPILOT_CLI, "vscode": COPILOT_CHAT}
    return hosts.get(chat.tool, Hidden())
