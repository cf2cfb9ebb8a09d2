"""The editors of a workbench: their texts, their tabs, and the lenses above their lines."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

IN_ORDER = """lines => lines
    .sort((one, other) => parseFloat(one.style.top) - parseFloat(other.style.top))
    .map(line => line.textContent).join("\\n")"""

RESTLESS = """() => {
    const lose = ({ target }) => {
        if (target.closest?.(".editor-instance")) {
            document.removeEventListener("focusin", lose);
            let left = 21;
            const timer = setInterval(() => {
                left % 2 ? target.blur() : target.focus();
                --left || clearInterval(timer);
            }, 120);
        }
    };
    document.addEventListener("focusin", lose);
}"""


class Editors:
    """The middle part of the window."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @property
    def part(self) -> Locator:
        """All of the middle part."""
        return self._page.locator(".part.editor")

    def be_restless(self) -> None:
        """Have the next text that gets the focus lose it and get it again for some seconds, and lose it in the end."""
        self._page.evaluate(RESTLESS)

    def tab(self, name: str) -> Locator:
        """A tab by its name."""
        return self.part.locator(".tab").filter(has_text=name).first

    @property
    def text(self) -> str:
        """The lines of the active editor that are on the screen, in their order."""
        lines = self.part.locator(".editor-group-container.active .view-line")
        return str(lines.evaluate_all(IN_ORDER)).replace("\xa0", " ")

    @property
    def words(self) -> str:
        """The same text in one line: where it was wrapped does not matter."""
        return " ".join(self.text.split())

    def line(self, text: str) -> Locator:
        """A line on the screen that holds a text."""
        return self.part.locator(".view-line").filter(has_text=text.replace(" ", "\xa0")).first

    def lens(self, title: str) -> Locator:
        """A lens, by the words of its link."""
        return self.part.locator(".codelens-decoration a").filter(has_text=title).first
