"""The chats of other tools about this folder: whichever was written last is measured, under its tool's name."""

from __future__ import annotations

import pytest

from tests.samples.session_files import WRITERS
from tests.servers.processes import within
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

NAMES = {
    "codex": "Codex",
    "claude-code": "Claude Code",
    "cline": "Cline",
    "copilot-cli": "Copilot CLI",
    "gemini": "Gemini CLI",
    "continue": "Continue",
}


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One without the built-in chat, in whose folder nobody has chatted yet."""
    return Extension(launch(extended(Wanted(has_agent=False))))


@pytest.mark.parametrize("tool", NAMES)
def test_the_chat_that_was_written_last_is_measured(window: Extension, tool: str) -> None:
    """It is found without a question; the tooltip names the tool, and says how sure the figure is."""
    places = window.workbench.places
    title = f"Trays counted with {tool}"
    WRITERS[tool](places.home, list(NAMES).index(tool), title, str(places.workspace), more=20)
    within(PATIENCE, lambda: title in window.spoken)
    tooltip = window.hover()

    assert f"{title} · {NAMES[tool]}" in tooltip
    assert "~" in window.meter.inner_text()
    assert "estimated" in tooltip
