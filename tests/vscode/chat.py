"""The chat panel of a workbench, as a person uses it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, TimeoutError

from tests.servers.processes import within

PATIENCE = 30  # seconds
COMING = 3_000  # milliseconds
MODEL = "Scripted One"


class ChatPanel:
    """The panel in the side bar: its box for the next message, its answers, its buttons."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @property
    def part(self) -> Locator:
        """The side bar that the chat stands in."""
        return self._page.locator(".part.auxiliarybar")

    @property
    def panel(self) -> Locator:
        """The chat."""
        return self.part.locator(".interactive-session").first

    @property
    def title(self) -> str:
        """What stands above the chat; nothing above a new one."""
        told = self.part.locator(".chat-view-title-label").first
        return told.inner_text() if told.is_visible() else ""

    @property
    def box(self) -> Locator:
        """Where the next message is written."""
        return self.panel.locator(".interactive-input-editor .monaco-editor").last

    @property
    def answers(self) -> Locator:
        """The answers that are on the screen."""
        return self.panel.locator(".interactive-item-container.interactive-response")

    def show(self) -> None:
        """Bring the panel up; its shortcut would hide one that is there, or that is on its way."""
        try:
            self.box.wait_for(timeout=COMING)
        except TimeoutError:
            self._page.keyboard.press("Control+Alt+i")
            self.box.wait_for()

    def wait_for_model(self) -> None:
        """Wait until the next message would go to the scripted model."""
        self.panel.locator(".chat-input-toolbars").get_by_text(MODEL).first.wait_for(timeout=PATIENCE * 1000)

    def ask(self, text: str, expected: str | re.Pattern[str], *, seconds: float = PATIENCE) -> Locator:
        """Send a message, allow the tools that it needs, and give the answer that holds the expected text."""
        self.write(text)
        self.send()
        return self.answered(expected, seconds=seconds)

    def write(self, text: str) -> None:
        """Put a text into the box, in place of what stands there."""
        self.box.click()
        self._page.keyboard.press("Control+a")
        self._page.keyboard.insert_text(text)

    def look_at_beginning(self) -> None:
        """Go to the first line of a long message in the box, once one is there: only some lines are on the screen."""
        self.box.locator(".view-line").filter(has_text=re.compile(r"\w")).first.wait_for()
        self.box.click()
        self._page.keyboard.press("Control+Home")

    def send(self) -> None:
        """Send what stands in the box; suggestions would take the key for themselves."""
        self._page.keyboard.press("Escape")
        self._page.keyboard.press("Enter")

    def answered(self, expected: str | re.Pattern[str], *, seconds: float = PATIENCE) -> Locator:
        """The answer that holds a text, waited for until it is whole; tools that ask for it are allowed meanwhile."""
        answer = self.answers.filter(has_text=expected).last
        within(seconds, lambda: not self._allow() and answer.is_visible() and not self.is_busy)
        return answer

    @property
    def is_busy(self) -> bool:
        """Whether an answer is under way."""
        return self.panel.locator(".chat-response-loading").count() > 0

    def stop(self) -> None:
        """Cancel the answer that is under way."""
        self.panel.get_by_role("button", name=re.compile("^(Cancel|Stop)")).first.click()

    def new(self) -> None:
        """Begin a new chat with the panel's own shortcut, but for one that is new: that one would be changed later."""
        if self._messages.count() > 0:
            self.box.click()
            self._page.keyboard.press("Control+n")
            within(PATIENCE, lambda: self._messages.count() == 0)

    def open(self, title: str) -> None:
        """Show one of the chats in the list that the panel begins with."""
        back = self.part.get_by_role("button", name="Go Back").first
        if back.is_visible():
            back.click()
        self.part.get_by_text(title).first.click()
        within(PATIENCE, lambda: self.title == title)

    def act(self, label: str) -> None:
        """Choose one of the actions in the menu of the panel's title."""
        self.part.get_by_role("button", name="Views and More Actions...").first.click()
        self._page.locator(".monaco-menu").get_by_role("menuitem", name=label, exact=True).hover()
        self._page.keyboard.press("Enter")  # a click that follows at once is taken for the one that opened the menu

    @property
    def ring(self) -> int | None:
        """The percentage that the editor's own ring tells; None while it shows nothing."""
        told = self.panel.locator(".chat-context-usage-widget").first
        found = re.search(r"(\d+)%", (told.get_attribute("aria-label") or "") if told.is_visible() else "")
        return int(found[1]) if found else None

    @property
    def _messages(self) -> Locator:
        return self.panel.locator(".interactive-item-container")

    def _allow(self) -> bool:
        button = self.panel.get_by_role("button", name=re.compile("^Allow")).first
        if not button.is_visible():
            return False
        button.click()
        return True
