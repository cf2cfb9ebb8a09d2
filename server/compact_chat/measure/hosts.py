"""What tools send beside the chat and keep out of their files: system prompt, tools, files attached anew."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Chat, Opening
from compact_chat.tools import Hidden, tool_named

# Of Claude Code after a compaction: files that were read last, and notes, in tokens.
ATTACHED, MOST_ATTACHED = 5_000, 25_000
CHARACTERS_PER_TOKEN = 3.3
LEAST_OWN, MOST_OWN = 3_000, 60_000  # what a system prompt and tools may take; else the session began elsewhere


def hidden_by(chat: Chat) -> Hidden:
    """What the chat's tool adds, as far as that was ever measured; nothing where the prompt came with the chat."""
    tool = tool_named(chat.tool)
    if chat.system or chat.tools:
        return Hidden() if chat.tools else tool.hidden_with_system
    if chat.is_sub_agent and tool.hidden_in_agent:
        return tool.hidden_in_agent
    if tool.hidden_resumed and any(message.is_summary for message in chat.messages):
        return _resumed(tool.hidden_resumed, chat.opening)
    return tool.hidden


def _resumed(usual: Hidden, opening: Opening | None) -> Hidden:
    """What the first call of the session shows to be the tool's own, and what it attaches anew."""
    own = round(opening.prompt_tokens - opening.characters / CHARACTERS_PER_TOKEN) if opening else 0
    if not LEAST_OWN <= own <= MOST_OWN:
        return usual
    return replace(usual, tokens=own + ATTACHED, low=own, high=own + MOST_ATTACHED)
