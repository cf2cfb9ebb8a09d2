"""What tools send beside the chat, where that was measured."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import Opening
from compact_chat.measure import hidden_by
from compact_chat.measure.hosts import ATTACHED
from compact_chat.tools import Hidden, tool_named
from tests.samples.chats import a, chat, u

SUMMARY = replace(u("so far"), is_summary=True)
CLAUDE_CODE, CODEX = tool_named("claude-code"), tool_named("codex")


@pytest.mark.parametrize("tool", ["claude-code", "codex", "vscode", "gemini", "cline", "sharegpt", "unknown"])
def test_hidden_by(tool: str) -> None:
    """A tool that was measured adds its figure, any other nothing."""
    hidden = hidden_by(replace(chat([u("hi")]), tool=tool))
    assert (hidden.tokens == 0) == (tool in ("sharegpt", "unknown"))
    assert hidden.low <= hidden.tokens <= hidden.high


def test_claude_code_after_a_compaction() -> None:
    """After a compaction Claude Code attaches files anew, which its file does not hold."""
    assert hidden_by(replace(chat([SUMMARY, a("on")]), tool="claude-code")) == CLAUDE_CODE.hidden_resumed
    assert hidden_by(replace(chat([]), tool="claude-code")) == CLAUDE_CODE.hidden


def test_a_sub_agent_knows_fewer_tools() -> None:
    """A helper of Claude Code gets a short system prompt of its own; one of another tool was never measured."""
    told = replace(chat([u("hi")]), tool="claude-code", is_sub_agent=True)

    assert hidden_by(told) == CLAUDE_CODE.hidden_in_agent
    assert hidden_by(told).tokens < CLAUDE_CODE.hidden.low
    assert hidden_by(replace(told, tool="codex")) == CODEX.hidden


def test_what_came_with_the_chat_is_not_hidden() -> None:
    """A system prompt or tools in the chat are counted; of Codex, the tools are missing then."""
    told = replace(chat([u("hi")]), system="Be short.")

    assert hidden_by(replace(told, tool="claude-code")) == Hidden()
    assert hidden_by(replace(chat([]), tool="claude-code", tools=({"name": "look"},))) == Hidden()
    assert hidden_by(replace(told, tool="codex")) == CODEX.hidden_with_system
    assert hidden_by(replace(told, tool="codex", tools=({"name": "look"},))) == Hidden()


def test_the_beginning_of_a_session_tells_what_is_hidden() -> None:
    """After a compaction, what the first call held beyond its messages is still there, with files on top."""
    told = replace(chat([SUMMARY]), tool="claude-code", opening=Opening(40_000, 3_300))
    hidden = hidden_by(told)

    assert (hidden.tokens, hidden.low) == (39_000 + ATTACHED, 39_000)
    assert hidden.high > hidden.tokens


@pytest.mark.parametrize("opening", [Opening(148_000, 50), Opening(2_000, 0), Opening(5_000, 400_000)])
def test_a_beginning_that_is_none(opening: Opening) -> None:
    """A session that was carried on from another file, or whose first call makes no sense, tells nothing."""
    assert hidden_by(replace(chat([SUMMARY]), tool="claude-code", opening=opening)) == CLAUDE_CODE.hidden_resumed
