"""A page served by a real process, and the window of a browser that shows it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Playwright

from tests.servers.processes import within

CHROMIUM = "chromium"
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BAKERY = ROOT / "examples" / "bakery.jsonl"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
# What axe-core, once it is loaded, finds wrong.
FOUND = """async () => (await axe.run({ resultTypes: ["violations"] })).violations
    .map(({ id, impact, nodes }) => [id, impact, nodes.map(node => node.html.slice(0, 200)).slice(0, 5)])"""
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PATIENCE = 60.0  # seconds
SIZE: Any = {"width": 1400, "height": 900}
OPEN: list[Page] = []


def require() -> None:
    """Skip the test with a reason if the browser is missing; fail if the environment requires all editors."""
    if shutil.which(CHROMIUM) is None:
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") == "1" else pytest.skip)(f"{CHROMIUM} is not installed")


def open_browser(playwright: Playwright, home: Path) -> Browser:
    """Start the browser of the system."""
    environment: dict[str, str | float | bool] = {**os.environ, "HOME": str(home)}
    return playwright.chromium.launch(executable_path=shutil.which(CHROMIUM), args=QUIET, env=environment)


class Served:
    """A `compact-chat open` process, and the address that it printed."""

    def __init__(self, chat: Path, environment: Mapping[str, str], *flags: str) -> None:
        own = () if "BROWSER" in environment else ("--no-browser",)
        command = (sys.executable, "-m", "compact_chat", "open", str(chat), *own, *flags)
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.address = (self.process.stdout if own else self.process.stderr).readline().strip()
        assert self.address, self.process.stderr.read()
        self.port = int(urlsplit(self.address).port or 0)

    @property
    def is_running(self) -> bool:
        """Whether the process lives."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the process."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def served(chat: Path, home: Path, environment: Mapping[str, str] | None = None, *flags: str) -> Iterator[Served]:
    """Serve a chat's page, with a state folder of its own."""
    own = {"XDG_STATE_HOME": str(home / "state"), "HOME": str(home), **(environment or {})}
    one = Served(chat, own, *flags)
    try:
        yield one
    finally:
        one.stop()


class Screen:
    """The screen in one window, and what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda line: self.wrong.append(line.text) if line.type in ("error", "warning") else None)
        OPEN.append(page)

    def open(self, address: str) -> None:
        """Go to the page, and wait until it is drawn."""
        self.page.goto(address)
        self.wait()

    def wait(self) -> None:
        """Wait until the draft is drawn."""
        self.page.locator(".sizes").wait_for(timeout=PATIENCE * 1000)

    def button(self, name: str, exact: bool = True) -> Locator:
        """A button by its name."""
        return self.page.get_by_role("button", name=name, exact=exact)

    def act(self, action: str) -> None:
        """Choose one of the further actions."""
        self.button("More actions").click()
        self.page.get_by_role("menuitem", name=action).click()

    @property
    def peek(self) -> Locator:
        """What opens the original of the first fact that is missing."""
        return self.card("Missing").get_by_role("button", name="Peek", exact=False).first

    @property
    def status(self) -> Locator:
        """What was done last, in one sentence."""
        return self.page.locator(".notices [aria-live]")

    def card(self, name: str) -> Locator:
        """A part of the screen by its name."""
        return self.page.get_by_role("region", name=name)

    @property
    def message(self) -> str:
        """The message, as it is drawn."""
        return self.page.locator(".next .body").inner_text()

    @property
    def counts(self) -> tuple[int, int]:
        """How many items are kept, of how many."""
        words = self.page.locator(".verdict").inner_text().split()
        return int(words[0].replace(",", "")), int(words[2].replace(",", ""))

    @property
    def slider(self) -> Locator:
        """The slider."""
        return self.page.get_by_role("slider")

    @property
    def focused(self) -> str:
        """The name or text of what has the focus."""
        return str(self.page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))

    def settled(self) -> None:
        """Wait until the server has answered all changes."""
        within(PATIENCE, lambda: bool(self.page.evaluate(STILL)))


# The page marks what is under way.
STILL = "document.querySelector('main').getAttribute('aria-busy') !== 'true'"
