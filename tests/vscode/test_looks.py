"""How the extension looks: coloured at its thresholds alone, and whole in each state, in high contrast too."""

from __future__ import annotations

import re

import pytest

from tests.servers.processes import within
from tests.vscode.claude import put_session, put_text
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

MODEL = "claude-sonnet-4-5-20250929"  # of the example chat
WINDOWS = {"full": 51_000, "filling": 60_000, "fresh": 200_000}
THEME = "Dark High Contrast"
COLOURED = re.compile(r"\b(warning|error)-kind\b")
STEPS = {
    "meter": "See How Full a Chat Is",
    "page": "Look, and Compact",
    "lost": "Check, and Put Back",
    "onward": "Go On",
}


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One whose folder has the example chat; models of three windows are known."""
    return Extension(launch(extended(Wanted({"compactChat.windows": WINDOWS}, has_agent=False, prepare=put_session))))


@pytest.mark.parametrize(
    ("model", "percent", "colour"), [("fresh", 24, None), ("filling", 81, "warning"), ("full", 95, "error")]
)
def test_the_item_is_coloured_at_its_thresholds_alone(
    window: Extension, model: str, percent: int, colour: str | None
) -> None:
    """Calm below 75 %, a warning from there, an error from 90 %; the same is told to those who do not see it."""
    text = put_session(window.workbench.places).read_text()
    put_text(window.workbench.places, model, text.replace(MODEL, model))
    within(PATIENCE, lambda: window.percent == percent)
    found = COLOURED.search(window.meter.get_attribute("class") or "")

    assert (found[1] if found else None) == colour
    assert re.fullmatch(r"The context of “.+” is \d+ percent full: [\d,]+ of [\d,]+ tokens\.", window.spoken)


def test_each_state_is_whole(window: Extension) -> None:
    """Tooltip, actions, page, and the list of messages show what they have to; the pictures are for people."""
    workbench = window.workbench
    workbench.close_editors()
    workbench.theme(THEME)
    tooltip = window.hover()
    assert all(part in tooltip for part in ("Claude Code", "tokens are used", "Tool results", "Compact Chat"))

    window.meter.click()
    workbench.row("Compact and Continue in New Chat").wait_for()
    workbench.pick("Compact Chat")
    window.wait_for_page()
    assert "## What survives: 95% of what can be checked" in workbench.editors.words

    window.lens("Change…")
    workbench.page.locator(".quick-input-list .monaco-list-row:visible").first.wait_for()
    workbench.page.keyboard.press("Escape")


def test_the_walkthrough_has_four_steps_with_pictures(window: Extension) -> None:
    """Each step unfolds with its picture, where there is room for both."""
    workbench = window.workbench
    workbench.close_editors()
    workbench.theme(THEME)
    workbench.hide_side_bars()
    workbench.palette("Welcome: Open Walkthrough...")
    workbench.answer("Select a walkthrough", "Get Started with Compact Chat")
    for picture, title in STEPS.items():
        workbench.editors.part.get_by_role("heading", name=title, exact=True).click()
        shown = workbench.editors.part.locator(f'img[srcset*="{picture}.png"]')
        shown.wait_for()
        within(PATIENCE, lambda: bool(shown.evaluate("image => image.naturalWidth > 0")))  # noqa: B023
