"""A real workbench: its window, its palette, its status bar, its messages, and the chat in it."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError

from tests.servers.processes import within
from tests.vscode.chat import ChatPanel
from tests.vscode.editors import Editors
from tests.vscode.places import Places
from tests.vscode.scripted import ScriptedModel
from tests.vscode.server import Server

UP = 60  # seconds
AGAIN = 1.5  # seconds
SETTLED = 1.5  # seconds
OFFER = 1000  # milliseconds
SIDE_BARS = {".part.sidebar": "Control+b", ".part.auxiliarybar": "Control+Alt+b"}
AGENT = "_doActivateExtension GitHub.copilot-chat"


class Stood:
    """How long something has been as it is."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def anew(self) -> None:
        """Begin again."""
        self._since = time.perf_counter()

    def long(self, seconds: float) -> bool:
        """Say whether that is so long already."""
        return time.perf_counter() - self._since >= seconds


class Workbench:
    """One window on one server."""

    def __init__(self, page: Page, server: Server, places: Places, shots: Path) -> None:
        self.page, self.server, self.places = page, server, places
        self.chat = ChatPanel(page)
        self.editors = Editors(page)
        self.model = ScriptedModel(places.model)
        self.console: list[str] = []
        self._shots = shots
        page.on("console", lambda told: self.console.append(f"{told.type}: {told.text}"))

    def open(self, *, empty: bool = False) -> None:
        """Open the window on the workspace, or on no folder at all, and wait until it is there."""
        where = "?ew=true" if empty else f"?folder={self.places.workspace}"
        self.page.goto(f"{self.server.address}/{where}")
        self._wait()

    def reload(self) -> None:
        """Load the window anew by its command, which remembers what is open; the browser's own would not."""
        agents = self.host_log().count(AGENT)
        with self.page.expect_navigation():
            self.palette("Developer: Reload Window")
        self._wait()
        if agents > 0:  # until it is back its panel may be drawn anew, and lose what was written there
            within(UP, lambda: self.host_log().count(AGENT) > agents)

    def enable_agent(self) -> None:
        """Switch on the built-in chat, which each new profile starts without, and wait until it offers the model."""
        within(UP, self._agent_is_up)
        self.chat.show()
        self.chat.wait_for_model()

    def palette(self, label: str) -> None:
        """Run a command by its whole label; one that is not offered yet is looked for again."""
        self.offer(label)
        self.pick(label)

    def offer(self, label: str) -> None:
        """Look for a command, so that it only has to be picked."""
        within(UP, lambda: self._offered(label))

    def pick(self, label: str) -> None:
        """Choose the row of a list with exactly this label."""
        self.row(label).click()

    def answer(self, question: str, label: str) -> None:
        """Choose a row of the list that asks a question, looked for by its label; only some rows are on the screen."""
        self.page.locator(f'.quick-input-widget input[placeholder^="{question}"]').fill(label)
        self.pick(label)

    def theme(self, name: str) -> None:
        """Change the colours, for example to "Dark 2026", "Light 2026" or "Dark High Contrast"."""
        self.palette("Preferences: Color Theme")
        self.answer("Select Color Theme", name)

    def trust(self) -> None:
        """Trust the folder, as its user."""
        self.palette("Workspaces: Manage Workspace Trust")
        self.page.locator(".workspace-trust-editor").get_by_role("button", name="Trust", exact=True).click()
        self.status("Restricted Mode").wait_for(state="hidden")
        self.page.keyboard.press("Escape")

    def row(self, label: str) -> Locator:
        """A row of the list that is open."""
        whole = re.compile(rf"^\s*{re.escape(label)}\s*$")  # letters that were searched for are elements of their own
        named = self.page.locator(".label-name").filter(has_text=whole)
        return self.page.locator(".quick-input-list .monaco-list-row").filter(has=named).first

    def status(self, text: str | re.Pattern[str]) -> Locator:
        """An item of the status bar."""
        return self.page.locator(".statusbar-item").filter(has_text=text).first

    def notification(self, text: str | re.Pattern[str]) -> Locator:
        """A message in the corner."""
        return self.page.locator(".notification-toast").filter(has_text=text).first

    def dialog(self, text: str | re.Pattern[str]) -> Locator:
        """A dialog in the middle of the window."""
        return self.page.locator(".monaco-dialog-box").filter(has_text=text).first

    def choose_file(self, file: Path) -> None:
        """Name a file in the list that asks for one; it proposes some itself in the moments after it has opened."""
        box = self.page.locator(".quick-input-widget input.input")
        within(UP, lambda: box.is_visible() and box.input_value().startswith("/"))
        stood = Stood()
        within(UP, lambda: self._named(box, str(file), stood))

    def _named(self, box: Locator, path: str, stood: Stood) -> bool:
        if box.is_visible() and box.input_value() != path:
            box.fill(path)
            stood.anew()
        elif box.is_visible() and stood.long(SETTLED):
            self.page.keyboard.press("Enter")
        return not box.is_visible()

    def hide_side_bars(self) -> None:
        """Give the whole window to the editors."""
        for part, keys in SIDE_BARS.items():
            bar = self.page.locator(part)
            if bar.is_visible():
                self.page.keyboard.press(keys)
                bar.wait_for(state="hidden")

    def close_editor(self) -> None:
        """Close the active editor."""
        self.palette("View: Close Editor")

    def close_editors(self) -> None:
        """Close all editors."""
        self.palette("View: Close All Editors")
        self.editors.part.locator(".tab").first.wait_for(state="hidden")

    def clear_notifications(self) -> None:
        """Close all messages in the corner."""
        self.palette("Notifications: Clear All Notifications")

    def host_log(self) -> str:
        """What the host of the extensions wrote."""
        logs = sorted((self.places.data / "logs").rglob("remoteexthost.log"))
        return "".join(log.read_text("utf-8", "replace") for log in logs)

    def shot(self, name: str) -> Path:
        """Keep a picture of the window."""
        file = self._shots / f"{name}.png"
        self.page.screenshot(path=file)
        return file

    def _agent_is_up(self) -> bool:
        """Give the command again where it came too early: it sees only the extensions that were listed by then."""
        self.palette("Extensions: Enable All Extensions")
        with contextlib.suppress(AssertionError):
            within(AGAIN, lambda: AGENT in self.host_log())
        return AGENT in self.host_log()

    def _offered(self, label: str) -> bool:
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("F1")
        self.page.locator(".quick-input-widget input.input").fill(f">{label}")
        with contextlib.suppress(TimeoutError):
            self.row(label).wait_for(timeout=OFFER)
        return self.row(label).is_visible()

    def _wait(self) -> None:
        self.page.locator(".monaco-workbench").wait_for(timeout=UP * 1000)
        self.page.locator(".statusbar-item").first.wait_for(timeout=UP * 1000)
