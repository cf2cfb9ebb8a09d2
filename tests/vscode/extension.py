"""The packed extension in a workbench: its meter, its lists, and its pages, as a person meets them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator

from tests.fakes.processes import within
from tests.vscode.launch import require
from tests.vscode.places import Places
from tests.vscode.start import Wanted
from tests.vscode.workbench import Workbench

VSIX = Path(__file__).parents[2] / "vscode-client/dist/compact-chat.vsix"
METER = "compact-chat.compact-chat.compactChat.meter"
PATIENCE = 30  # seconds
MARKED_LINE = re.compile(r"^<!-- compact-chat:.*-->$", re.MULTILINE)


def extended(wanted: Wanted, *, interpreter: str | None = sys.executable) -> Wanted:
    """The same wish with the extension in it, whose server runs in the environment of the tests, or is not set up."""
    require()
    if not VSIX.exists():
        pytest.fail("The extension is not packed: run `make package` first.")

    def prepare(places: Places) -> None:
        if interpreter is not None:
            configure_machine(places, interpreter)
        if wanted.prepare is not None:
            wanted.prepare(places)

    return wanted._replace(extensions=(*wanted.extensions, VSIX), prepare=prepare)


def configure_machine(places: Places, interpreter: str) -> None:
    """Name the Python that runs the server; such settings count only as those of the machine."""
    settings = places.data / "Machine/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"compactChat.interpreter": [interpreter]}))


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
    def spoken(self) -> str:
        """The item as it is read to those who do not see it."""
        return self.meter.locator("a").get_attribute("aria-label") or ""

    def act(self, label: str) -> None:
        """Click the meter, and choose one of the actions."""
        self.meter.click()
        self.workbench.pick(label)

    def command(self, title: str) -> None:
        """Run a command of ours from the palette."""
        self.workbench.palette(f"Compact Chat: {title}")

    def compact(self) -> None:
        """Compact the chat in use from the palette, and wait for its page."""
        self.command("Compact Chat")
        self.wait_for_page()

    def wait_for_page(self) -> None:
        """Wait until a page is the active editor, its actions included."""
        self.workbench.editors.lens("Continue in New Chat").wait_for(timeout=PATIENCE * 1000)

    def lens(self, title: str) -> None:
        """Click an action above a line of the page."""
        self.workbench.editors.lens(title).click()

    def more(self, label: str) -> None:
        """Choose one of the further actions of the page."""
        self.lens("More…")
        self.workbench.pick(label)

    def follow(self, line: str, step: str) -> None:
        """Follow a step behind a line, such as `show`; it may stand further down where the line is wrapped."""
        within(PATIENCE, lambda: self._steps(line, step) != [])
        self._steps(line, step)[0].click(modifiers=["ControlOrMeta"])

    def _steps(self, line: str, step: str) -> list[Locator]:
        """The links of this name from a line on downwards, the nearest first."""
        begun = self.workbench.editors.line(line)
        top = (begun.bounding_box() or {"y": 0.0})["y"] if begun.is_visible() else float("inf")
        links = self.workbench.editors.part.locator(".view-line .detected-link").filter(has_text=f"[{step}]").all()
        tops = [(box["y"], link) for link in links if (box := link.bounding_box()) is not None and box["y"] >= top]
        return [link for _, link in sorted(tops, key=lambda found: found[0])]

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
        """The text of the page below its marked line."""
        return MARKED_LINE.split(self.text, maxsplit=1)[-1].strip()

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
