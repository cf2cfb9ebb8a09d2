"""How the extension looks: whole in each state, in high contrast too."""

from __future__ import annotations

import json
import re
import zipfile

import pytest

from tests.page.served import AXE, FOUND
from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, VSIX, Extension, extended
from tests.vscode.workbench import Wanted

THEME = "Dark High Contrast"
LINES = 6  # of the tooltip
SERIOUS = ("serious", "critical")
STEPS = {
    "meter": "See how full a chat is",
    "summary": "Preview the summary",
    "missing": "Add back what is missing",
    "continue": "Continue in a new chat",
}


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One whose folder has the example chat."""
    window = Extension(launch(extended(Wanted(has_agent=False, prepare=put_session))))
    within(PATIENCE, lambda: window.percent is not None)
    return window


def test_each_state_is_whole(window: Extension) -> None:
    """Tooltip, actions, page, and the list of messages show what they have to; the pictures are for people."""
    workbench = window.workbench
    workbench.close_editors()
    workbench.theme(THEME)
    tooltip = window.hover()
    assert all(part in tooltip for part in ("Claude Code", "tokens", "tool results", "Compact and Continue"))
    assert len(tooltip.strip().splitlines()) <= LINES
    assert window.meter.inner_text().strip().startswith("✳ Claude ")

    window.meter.click()
    workbench.row("Compact and Continue in New Chat").wait_for()
    workbench.pick("Compact Chat")
    window.wait_for_page()
    assert re.fullmatch(r"Missing \(\d+\)", window.screen.locator(".missing h2").inner_text())


@pytest.mark.parametrize("theme", ["Dark 2026", "Light 2026", "Dark High Contrast", "Light High Contrast"])
def test_the_page_has_the_colors_of_the_theme(window: Extension, theme: str) -> None:
    """It follows a change of the theme, and axe-core finds nothing serious; the pictures are for people."""
    workbench = window.workbench
    workbench.close_editors()
    window.compact()
    workbench.theme(theme)
    body, part = window.screen.locator("body"), workbench.page.locator(".part.editor")
    color = "element => getComputedStyle(element).backgroundColor"
    within(PATIENCE, lambda: body.get_attribute("data-vscode-theme-name") == theme)
    within(PATIENCE, lambda: body.evaluate(color) == part.evaluate(color))
    workbench.shot(f"page-{theme.lower().replace(' ', '-')}")
    if AXE.exists():
        body.evaluate(AXE.read_text("utf-8"))
        assert [one for one in body.evaluate(FOUND) if one[1] in SERIOUS] == []


@pytest.mark.skipif(not VSIX.exists(), reason="`make package` was not run")
def test_the_packages_readme_has_no_broken_picture() -> None:
    """The editor draws pictures with an address only, and packages have one once the repository is named."""
    with zipfile.ZipFile(VSIX) as package:
        text = package.read("extension/readme.md").decode()
        has_address = "homepage" in json.loads(package.read("extension/package.json"))
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert [one for one in pictures if not one.startswith("https:")] == []
    assert bool(pictures) == has_address


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
        shown = workbench.editors.part.locator(f'img[srcset*="{picture}-dark.png"]')
        shown.wait_for()
        within(PATIENCE, lambda: bool(shown.evaluate("image => image.naturalWidth > 0")))  # noqa: B023 -- called within the iteration
