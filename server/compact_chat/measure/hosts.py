"""What tools send beside the chat and keep out of their files: system prompt, tools, files attached anew."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Opening


class Hidden(Struct, frozen=True):
    """Tokens that a tool adds, the bounds they had in real sessions, and what it adds to each token of the chat."""

    tokens: int = 0
    low: int = 0
    high: int = 0
    share: float = 0.0
    note: int = 0  # of a reminder that it puts in front of some calls and does not record


CLAUDE_CODE = Hidden(37_000, low=15_000, high=44_000, share=0.03, note=100)
CLAUDE_CODE_RESUMED = Hidden(46_000, low=27_000, high=69_000, share=0.03, note=100)  # with files attached anew
SUB_AGENT = Hidden(4_400, low=3_000, high=20_000, share=0.03, note=100)  # of Claude Code
ATTACHED, MOST_ATTACHED = 5_000, 25_000  # by Claude Code after a compaction: files that were read last, and notes
CHARACTERS_PER_TOKEN = 3.3
LEAST_OWN, MOST_OWN = 3_000, 60_000  # what a system prompt and tools may take; else the session began elsewhere
CODEX = Hidden(10_000, low=6_000, high=13_000)
CODEX_TOOLS = Hidden(5_700, low=4_000, high=8_000)  # where the system prompt is in the file
COPILOT_CLI = Hidden(4_450, low=3_000, high=12_000)  # the tools alone: the system prompt is in the file
GEMINI_CLI = Hidden(12_000, low=8_000, high=20_000)
AGENT = Hidden(12_000, low=1_000, high=40_000)  # of tools that were never measured
COPILOT_CHAT = Hidden(17_000, low=3_000, high=25_000)  # little without tools

HOSTS = {  # but for tools whose files hold all that was sent
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "copilot-cli": COPILOT_CLI,
    "vscode": COPILOT_CHAT,
    "gemini": GEMINI_CLI,
    "cline": AGENT,
    "roo": AGENT,
    "continue": AGENT,
}


def hidden_by(chat: Chat) -> Hidden:
    """What the chat's tool adds, as far as that was ever measured; nothing where the prompt came with the chat."""
    if chat.tool == "codex" and chat.system and not chat.tools:
        return CODEX_TOOLS
    if chat.system or chat.tools:
        return Hidden()
    if chat.tool == "claude-code" and chat.is_sub_agent:
        return SUB_AGENT
    if chat.tool == "claude-code" and any(message.is_summary for message in chat.messages):
        return _resumed(chat.opening)
    return HOSTS.get(chat.tool, Hidden())


def _resumed(opening: Opening | None) -> Hidden:
    """What the first call of the session shows to be the tool's own, and what it attaches anew."""
    own = round(opening.prompt_tokens - opening.characters / CHARACTERS_PER_TOKEN) if opening else 0
    if not LEAST_OWN <= own <= MOST_OWN:
        return CLAUDE_CODE_RESUMED
    return replace(CLAUDE_CODE_RESUMED, tokens=own + ATTACHED, low=own, high=own + MOST_ATTACHED)
