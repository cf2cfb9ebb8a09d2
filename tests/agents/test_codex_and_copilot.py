"""Codex and Copilot CLI themselves: what their summaries dropped is in the next request, the rest on the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.driven import Agent, programs, write_json
from tests.agents.model import Model

PLANNED = '- open task, assistant, turn 1: "Port the grammar to LALR"'
PLAN = {
    "plan": [
        {"step": "Write the lexer", "status": "completed"},
        {"step": "Port the grammar to LALR", "status": "pending"},
    ]
}
SAID = "The grammar still has to be ported to LALR."
TRUST = "--dangerously-bypass-hook-trust"  # which a person gives once, on the screen


@pytest.fixture
def codex(tmp_path: Path, model: Model) -> Agent:
    """Codex with our hook, and a low limit."""
    found = Agent(tmp_path, model)
    found.program = str(programs() / "codex")
    found.env |= {"CODEX_HOME": str(found.home / ".codex"), "FAKE_KEY": "sk-fake", "OTEL_SDK_DISABLED": "true"}
    (found.home / ".codex").mkdir()
    (found.home / ".codex" / "config.toml").write_text(f"""
model = "gpt-5.4"
model_provider = "ours"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
model_auto_compact_token_limit = 50000
[analytics]
enabled = false
[model_providers.ours]
name = "ours"
base_url = "{model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[projects."{found.project}"]
trust_level = "trusted"
""")
    return found


def test_codex_without_a_screen(codex: Agent, model: Model) -> None:
    """Automatic compaction: the task is in the next request, once; what the user said was kept, and is not repeated."""
    before = codex.files(".codex")
    assert "trust" in codex.ours("install", "codex", "--yes")
    model.call = ("update_plan", PLAN)
    codex.run("exec", TRUST, "Please build the parser. Never touch till.py without asking me first.")
    model.tokens, model.after = 60_000, 7_000
    codex.run("exec", TRUST, "resume", "--last", "And tests.")
    for text in ("Go on.", "And on."):
        codex.run("exec", TRUST, "resume", "--last", text)
        last = model.chats()[-1].text
        assert last.count(PLANNED) == 1
        assert 'turn 1: "Never' not in last
    assert sum(one.is_compaction for one in model.requests) == 1
    assert [one["provider"] for one in json.loads(codex.ours("history", "--json"))["compactions"]] == ["codex"]
    codex.ours("uninstall", "codex", "--yes")
    assert codex.files(".codex") == before


def test_codex_on_a_screen(codex: Agent, model: Model) -> None:
    """Compaction by hand: Codex asks whether to trust the hooks, and the task comes with the next prompt."""
    codex.ours("install", "codex", "--yes")
    model.call = ("update_plan", PLAN)
    with codex.screen() as screen:
        screen.shows("Trust all and continue")
        screen.choose("2")
        screen.shows("Ask Codex")
        screen.say("Please build the parser.")
        screen.shows("Done.")
        screen.say("/compact")
        screen.shows("compacted")
        screen.say("Go on.")
        screen.until(lambda: any(PLANNED in one.text for one in model.chats()), "task")  # the newest may be a title's
        screen.shows("Compact Chat added back 1 open task")


@pytest.fixture
def copilot(tmp_path: Path, model: Model) -> Agent:
    """Copilot CLI with our status line and hook, without a login."""
    found = Agent(tmp_path, model)
    found.program = str(programs() / "copilot")
    found.env |= {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "sk-fake",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "40000",
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "4000",
    }
    trusted = {"trustedFolders": [str(found.project)], "trusted_folders": [str(found.project)], "banner": "never"}
    for name in ("settings", "config"):
        write_json(found.home / ".copilot" / f"{name}.json", trusted)
    return found


def test_copilot_without_a_screen(copilot: Agent, model: Model) -> None:
    """By hand: the task is in the next prompt, once; what the user said was kept, and is not repeated."""
    before = copilot.files(".copilot")
    copilot.ours("install", "copilot-cli", "--yes")
    model.answer = f"The lexer is written.\n\n{SAID}"
    copilot.run("-p", "Please build the parser. Never touch till.py without asking me first.")
    model.answer, model.tokens, model.after = "Done.", 37_000, 7_000
    copilot.run("-p", "And tests.", "--continue")
    copilot.run("-p", "/compact", "--continue")
    assert sum(one.is_compaction for one in model.requests) == 1
    for text in ("Go on.", "And on."):
        copilot.run("-p", text, "--continue")
        last = model.chats()[-1].text
        assert last.count(f'turn 1: "{SAID}') == 1
        assert 'turn 1: "Never' not in last
    assert [one["provider"] for one in json.loads(copilot.ours("history", "--json"))["compactions"]] == ["copilot-cli"]
    copilot.ours("uninstall", "copilot-cli", "--yes")
    after = copilot.files(".copilot")
    assert after == before


def test_copilot_on_a_screen(copilot: Agent, model: Model) -> None:
    """By itself: the status line says how full the chat is and counts the compaction, and the original is kept."""
    copilot.ours("install", "copilot-cli", "--yes")
    with copilot.screen("--experimental") as screen:
        screen.shows("✳ ")
        screen.say("Please build the parser.")
        screen.shows("k/32k ")  # 80 % of 40,000
        model.tokens, model.after = 36_000, 7_000
        screen.say("And tests.")
        screen.until(lambda: screen.text().count("Done.") == 2, "answer")
        screen.say("Go on.")
        screen.until(lambda: any(one.is_compaction for one in model.requests), "compaction")
        screen.shows("1 compaction")
        screen.say("And on.")
        screen.until(lambda: "copilot-cli" in copilot.ours("history", "--json"), "compaction in the history")
        assert " 0%" not in screen.text()
