"""How the screen looks to everybody: themes, narrow and enlarged windows, and what axe-core finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Show
from tests.page.served import AXE, FOUND, Served, served

THEMES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colors": {"color_scheme": "dark", "forced_colors": "active"},
    "narrow": {"viewport": {"width": 320, "height": 800}},
    "enlarged": {"viewport": {"width": 700, "height": 450}, "device_scale_factor": 2},  # 1400 by 900 at 200 %
    "wide": {"viewport": {"width": 2560, "height": 1300}},
}


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core."""
    if not AXE.exists():
        pytest.skip("`npm ci` was not run in tests/page")
    return Path(AXE).read_text("utf-8")


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_any_look(bakery: Served, show: Show, axe: str, theme: str) -> None:
    """In each theme and size, with every part open; nothing is wider than the window."""
    screen = show(bakery.address, **THEMES[theme])
    screen.card("Missing").get_by_role("checkbox").first.check()
    screen.settled()
    screen.button("Show All").click()
    screen.page.locator("summary").first.click()

    screen.page.evaluate(axe)
    found = screen.page.evaluate(FOUND)

    assert found == []
    assert screen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_limit_is_seen_in_forced_colors(bakery: Served, show: Show) -> None:
    """On both bars, whose own color the browser sets."""
    screen = show(bakery.address, **THEMES["forced colors"])
    colors = screen.page.evaluate("""[".limit", ".bar"].map(
        one => getComputedStyle(document.querySelector(one)).backgroundColor)""")
    assert len({*colors}) == 2


def test_the_newest_turn_is_in_view(tmp_path: Path, show: Show) -> None:
    """In a narrow window too, where not all have room."""
    said = [{"role": role, "content": f"Bake {n}. " * 40} for n in range(60) for role in ("user", "assistant")]
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps({"messages": said}))
    with served(chat, tmp_path) as one:
        screen = show(one.address, **THEMES["narrow"])
        expect(screen.page.locator("button.seg").first).not_to_be_in_viewport()
        expect(screen.page.locator("button.seg").last).to_be_in_viewport()


def test_axe_finds_nothing_in_what_opens(bakery: Served, show: Show, axe: str) -> None:
    """A menu, the original message, the message as text, and the history."""
    screen = show(bakery.address)
    screen.page.evaluate(axe)

    screen.button("More actions").click()
    assert screen.page.evaluate(FOUND) == []
    screen.page.keyboard.press("Escape")
    screen.button("Edit").click()
    assert screen.page.evaluate(FOUND) == []
    screen.page.keyboard.press("Escape")
    screen.peek.click()
    expect(screen.page.get_by_role("dialog").locator("pre").first).to_be_visible()
    assert screen.page.evaluate(FOUND) == []
    screen.page.keyboard.press("Escape")
    screen.act("Show History")
    expect(screen.page.get_by_role("dialog").locator("article")).to_have_count(1)
    assert screen.page.evaluate(FOUND) == []


def test_a_menu_stays_in_the_window(bakery: Served, show: Show) -> None:
    """However the row of actions is broken into lines."""
    screen = show(bakery.address)
    screen.button("More actions").click()
    menu = screen.page.get_by_role("menu")

    for width in range(320, 1000, 40):
        screen.page.set_viewport_size({"width": width, "height": 800})
        box = menu.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


CUT = """() => [...document.querySelectorAll(".label")].flatMap(label => {
    const place = label.getBoundingClientRect();
    return [...label.querySelectorAll(".mark")]
        .map(mark => [mark.textContent, mark.getBoundingClientRect()])
        .filter(([, at]) => at.top < place.bottom && at.right > place.right)
        .map(([text]) => text);
})"""


def test_marks_of_a_turn_are_whole_or_hidden(bakery: Served, show: Show) -> None:
    """However wide the turns are; where there is room, a shortened one says so."""
    screen = show(bakery.address, viewport={"width": 1200, "height": 900})
    screen.slider.press("Home")
    screen.settled()
    assert screen.page.locator(".mark", has_text="shortened").count() > 0

    for width in range(540, 1500, 60):
        screen.page.set_viewport_size({"width": width, "height": 900})
        assert screen.page.evaluate(CUT) == []


def test_nothing_moves_where_motion_is_to_be_reduced(bakery: Served, show: Show) -> None:
    """No transition of a bar."""
    screen = show(bakery.address, reduced_motion="reduce")

    moving = "getComputedStyle(document.querySelector('.part')).transitionDuration"
    assert screen.page.evaluate(moving) in ("0s", "")


def test_the_theme_of_an_editor_is_taken(bakery: Served, show: Show) -> None:
    """Colors come from the variables that an editor sets, whatever the system's theme is."""
    screen = show(bakery.address, color_scheme="dark")

    screen.page.evaluate("""() => {
        document.body.className = "vscode-light";
        document.documentElement.style.setProperty("--vscode-editor-background", "rgb(1, 2, 3)");
    }""")

    assert screen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(1, 2, 3)"
    assert screen.page.evaluate("getComputedStyle(document.body).colorScheme") == "light"
