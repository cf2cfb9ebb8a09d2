"""Claude Code itself: installed, chatted with, compacted by hand and by itself, and taken off again."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.agents.driven import Agent, programs, write_json
from tests.agents.model import Model

RULE = "Never touch till.py without asking me first."
BACK = f'- rule, user, turn 1: "{RULE}"'
FIRST = f"Please build the parser. {RULE}"


@pytest.fixture
def agent(tmp_path: Path, model: Model) -> Agent:
    """Claude Code with our status line and hook, and settings of its user."""
    found = Agent(tmp_path, model)
    found.program = str(programs() / "claude")
    folder = found.home / ".claude"
    found.env |= {
        "CLAUDE_CONFIG_DIR": str(folder),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-fake",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    keys = {"approved": ["sk-ant-fake"], "rejected": []}
    known = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": keys}
    write_json(folder / ".claude.json", {**known, "projects": {str(found.project): project}})
    write_json(folder / "settings.json", {"statusLine": {"type": "command", "command": "echo mine"}})
    return found


def test_without_a_screen(agent: Agent, model: Model) -> None:
    """The rule is in the prompt after a compaction by hand, once, and nothing of it stays when we are gone."""
    before = agent.files(".claude")
    agent.ours("install", "claude-code", "--yes")
    agent.run("-p", FIRST)
    agent.run("-p", "And tests.", "--continue")
    agent.run("-p", "/compact", "--continue")
    assert [one.is_compaction for one in model.requests][-1]
    for number in (1, 2):
        agent.run("-p", f"Go on {number}.", "--continue")
        assert model.chats()[-1].text.count(BACK) == 1
    (one,) = json.loads(agent.ours("history", "--json"))["compactions"]
    assert one["provider"] == "claude-code"
    assert RULE in agent.ours("check", str(next((agent.home / ".claude").glob("projects/*/*.jsonl"))))
    agent.ours("uninstall", "claude-code", "--yes")
    assert agent.files(".claude") == before


def test_on_a_screen(agent: Agent, model: Model) -> None:
    """The status line says how full the chat is, before and after a compaction that comes by itself."""
    agent.env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "100000"
    agent.ours("install", "claude-code", "--yes")
    model.tokens = 50_000
    with agent.screen() as screen:
        screen.shows("✳ measuring")
        screen.say(FIRST)
        screen.shows("✳ 50k/67k 75%")
        assert "mine" in screen.text()  # the status line that was there
        model.tokens, model.after = 90_000, 9_000
        screen.say("And tests.")
        screen.shows("✳ 90k/67k 134%")
        screen.say("Go on.")
        screen.shows("✳ 9k/67k 13%")
        assert any(one.is_compaction for one in model.requests)
        state = agent.home / ".local" / "state" / "compact-chat" / "agents"
        screen.until(
            lambda: any(b'"delivered": true' in one.read_bytes() for one in state.glob("*.hook.json")), "report"
        )
        time.sleep(2)  # until the hook, which nobody waits for, has ended
        screen.say("And on.")
        screen.until(lambda: any(BACK in one.text for one in model.chats()), "rule")
        screen.shows("1 compaction, 1 rule added back")
        assert max(one.text.count(BACK) for one in model.chats()) == 1
        assert " 0%" not in screen.text()


def test_the_plugin(agent: Agent) -> None:
    """The plugin in this repository is one that Claude Code accepts."""
    plugin = Path(__file__).parents[2] / "plugins" / "claude-code"
    assert "passed" in agent.run("plugin", "validate", str(plugin)).lower()
    assert "passed" in agent.run("plugin", "validate", str(plugin.parents[1])).lower()
