"""The packed extension in a workbench: its meter, its lists, and its pages, as a person meets them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator

from tests.servers.processes import marked, runs, within
from tests.vscode.machine import go_without, require
from tests.vscode.workbench import Wanted, Workbench

VSIX = Path(__file__).parents[2] / "vscode-client/dist/compact-chat.vsix"
PACKED = VSIX.with_name("compact-chat-linux-x64.vsix")  # brings its server
COMPACT = "Compact Chat"  # the one command whose name is its own category
METER = "compact-chat.compact-chat.compactChat.meter"
AWAKE = "_doActivateExtension compact-chat.compact-chat"
PATIENCE = 60  # seconds
SEEN = 3  # seconds in which a server that was started would have shown itself


def extended(wanted: Wanted, *, interpreter: str | None = sys.executable, vsix: Path = VSIX) -> Wanted:
    """The same wish with the extension in it, whose server runs in the environment of the tests, or is not set up."""
    require()
    if not vsix.exists():
        command = "make package TARGET=linux-x64" if vsix == PACKED else "make package"
        go_without(f"{vsix.name} is not there: run `{command}` first")

    settings = {} if interpreter is None else {"compactChat.interpreter": [interpreter]}
    return wanted._replace(extensions=(*wanted.extensions, vsix), settings={**settings, **wanted.settings})


class Extension:
    """What a person sees of the extension in one window."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self._page = workbench.page
        self._page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    @property
    def meter(self) -> Locator:
        """The item in the status bar."""
        return self._page.locator(f'.statusbar-item[id="{METER}"]')

    @property
    def percent(self) -> int | None:
        """What the item tells; None while it is not there, or tells something else."""
        found = re.search(r"(\d+)%", self.meter.inner_text() if self.meter.is_visible() else "")
        return int(found[1]) if found else None

    @property
    def rows(self) -> list[str]:
        """The chats in the view of its own."""
        self._page.keyboard.press("Control+Shift+e")
        view = self._page.locator(".pane").filter(has=self._page.locator('.pane-header[aria-label^="Chats"]'))
        header = view.locator(".pane-header")
        if header.get_attribute("aria-expanded") == "false":
            header.click()
        rows = view.locator(".monaco-list-row")
        rows.first.wait_for(timeout=PATIENCE * 1000)
        return [str(text) for text in rows.all_inner_texts()]

    @property
    def spoken(self) -> str:
        """The item as it is read to those who do not see it."""
        return self.meter.locator("a").get_attribute("aria-label") or ""

    def hover(self) -> str:
        """Rest on the item until its tooltip is there, and read that."""
        self.meter.hover()
        tooltip = self._page.locator(".monaco-hover:visible").filter(has_text="tokens")
        tooltip.wait_for(timeout=PATIENCE * 1000)
        return str(tooltip.inner_text())

    def act(self, label: str) -> None:
        """Click the meter, and choose one of the actions."""
        self.meter.click()
        self.workbench.pick(label)

    def command(self, title: str) -> None:
        """Run a command of ours from the palette."""
        self.workbench.palette(title if title == COMPACT else f"Compact Chat: {title}")

    def compact(self) -> None:
        """Compact the chat in use from the palette, and wait for its page."""
        self.command(COMPACT)
        self.wait_for_page()

    @property
    def screen(self) -> FrameLocator:
        """The page of a draft that is in front."""
        return self._page.frame_locator("iframe.webview.ready:visible").frame_locator("iframe#active-frame")

    def wait_for_page(self) -> None:
        """Wait until a page is in front, and its actions can be clicked."""
        within(
            PATIENCE, lambda: self.button("continue").is_enabled() if self.button("continue").is_visible() else False
        )

    def button(self, action: str) -> Locator:
        """A button of the page's row."""
        return self.screen.locator(f'[data-action="{action}"]')

    def more(self, label: str) -> None:
        """Choose one of the further actions of the page."""
        self.screen.get_by_role("button", name="More actions", exact=True).click()
        self.screen.get_by_role("menuitem", name=label).click()

    def rewrite(self, model: str) -> None:
        """Have a model write the summary, after the question what it gets."""
        self.button("rewrite").get_by_text(f"Rewrite with {model}").click()
        self.screen.get_by_role("button", name="Send and Rewrite").click()

    def wait_for_rewrite(self) -> None:
        """Wait until the page says what a rewrite changed."""
        self.screen.get_by_text("Restore Previous Summary").wait_for(timeout=PATIENCE * 1000)

    @property
    def missing(self) -> Locator:
        """The rows of what is missing."""
        return self.screen.get_by_role("region", name="Missing").locator(".row")

    def sentence(self, text: str | re.Pattern[str]) -> str:
        """What the one message in the corner says, which has these words; waited for."""
        self.workbench.notification(text).wait_for(timeout=PATIENCE * 1000)
        toasts = self._page.locator(".notification-toast")
        assert toasts.count() == 1, toasts.all_inner_texts()
        return str(toasts.locator(".notification-list-item-message").inner_text())

    def help(self, button: str) -> None:
        """Press the one button of the message in the corner."""
        buttons = self._page.locator(".notification-toast .notification-list-item-buttons-container .monaco-button")
        assert buttons.all_inner_texts() == [button]
        buttons.click()

    @property
    def awakenings(self) -> int:
        """How often the extension was woken, in the windows before this one too."""
        return self.workbench.host_log().count(AWAKE)

    def expect_rest(self, *, since: int = 0) -> None:
        """Look for a while: the extension has been woken since so many times before, and starts nothing."""
        within(PATIENCE, lambda: self.awakenings > since)
        with pytest.raises(AssertionError):
            within(SEEN, lambda: self.servers != [] or self.meter.is_visible())

    @property
    def servers(self) -> list[int]:
        """The processes of the server that belong to this window."""
        ours = marked(f"HOME={self.workbench.places.home}")
        return [number for number in ours if runs(number, "serve")]

    @property
    def text(self) -> str:
        """The whole text of the active editor, as a person copies it."""
        self.forget_clipboard()
        self.focus()
        self._page.keyboard.press("Control+a")
        self._page.keyboard.press("Control+c")
        within(PATIENCE, lambda: self.clipboard != "")
        self._page.keyboard.press("ArrowLeft")
        return self.clipboard

    @property
    def body(self) -> str:
        """The message of the draft in front, as it is copied."""
        self.forget_clipboard()
        self.command("Copy Message")
        within(PATIENCE, lambda: self.clipboard != "")
        return self.clipboard.strip()

    @property
    def clipboard(self) -> str:
        """What was copied last."""
        return str(self._page.evaluate("navigator.clipboard.readText()")).replace("\r\n", "\n")

    def forget_clipboard(self) -> None:
        """Leave nothing to be pasted."""
        self._page.evaluate("navigator.clipboard.writeText('')")

    def focus(self) -> None:
        """Put the keyboard into the active editor."""
        self._page.keyboard.press("Control+1")

    def append(self, text: str) -> None:
        """Write at the end of the active editor."""
        self.focus()
        self._page.keyboard.press("Control+End")
        self._page.keyboard.insert_text(text)
