"""What tools send beside the chat, where that was measured."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.measure.hosts import CLAUDE_CODE, CLAUDE_CODE_RESUMED, CODEX, COPILOT_CHAT, Hidden, hidden_by
from tests.fakes.chats import a, chat, u

SUMMARY = replace(u("so far"), is_summary=True)


@pytest.mark.parametrize(
    ("tool", "hidden"),
    [("claude-code", CLAUDE_CODE), ("codex", CODEX), ("vscode", COPILOT_CHAT), ("unknown", Hidden())],
)
def test_hidden_by(tool: str, hidden: Hidden) -> None:
    """A tool that was measured adds its figure, any other nothing."""
    assert hidden_by(replace(chat([u("hi")]), tool=tool)) == hidden
    assert hidden.low <= hidden.tokens <= hidden.high


def test_claude_code_after_a_compaction() -> None:
    """After a compaction Claude Code attaches files anew, which its file does not hold."""
    assert hidden_by(replace(chat([SUMMARY, a("on")]), tool="claude-code")) == CLAUDE_CODE_RESUMED
    assert hidden_by(replace(chat([]), tool="claude-code")) == CLAUDE_CODE
