"""A real workbench: its window, its palette, its messages, its editors, the chat in it, and how it is started."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Error, Locator, Page, Playwright, TimeoutError, ViewportSize

from tests.servers.processes import within
from tests.vscode.machine import CHROMIUM, MODEL, Places, Server
from tests.vscode.scripted import ScriptedModel

UP = 60  # seconds
PATIENCE = 60  # seconds
COMING = 3_000  # milliseconds
AGAIN = 1.5  # seconds
OFFER = 1000  # milliseconds
SIDE_BARS = {".part.sidebar": "Control+b", ".part.auxiliarybar": "Control+Alt+b"}
AGENT = "_doActivateExtension GitHub.copilot-chat"
SCRIPTED = "Scripted One"
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
SIZE: ViewportSize = {"width": 1400, "height": 900}


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
        reported = self.part.locator(".chat-view-title-label").first
        return reported.inner_text() if reported.is_visible() else ""

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
        self.panel.locator(".chat-input-toolbars").get_by_text(SCRIPTED).first.wait_for(timeout=PATIENCE * 1000)

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
        reported = self.panel.locator(".chat-context-usage-widget").first
        found = re.search(r"(\d+)%", (reported.get_attribute("aria-label") or "") if reported.is_visible() else "")
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


IN_ORDER = """lines => lines
    .sort((one, other) => parseFloat(one.style.top) - parseFloat(other.style.top))
    .map(line => line.textContent).join("\\n")"""


class Editors:
    """The middle part of the window."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @property
    def part(self) -> Locator:
        """All of the middle part."""
        return self._page.locator(".part.editor")

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


class Workbench:
    """One window on one server."""

    def __init__(self, page: Page, server: Server, places: Places, shots: Path) -> None:
        self.page, self.server, self.places = page, server, places
        self.chat = ChatPanel(page)
        self.editors = Editors(page)
        self.model = ScriptedModel(places.model)
        self._shots = shots

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
        with contextlib.suppress(TimeoutError):  # a page that takes the focus back at this moment gets the key
            self.page.locator(".quick-input-widget input.input").fill(f">{label}", timeout=OFFER)
            self.row(label).wait_for(timeout=OFFER)
        return self.row(label).is_visible()

    def _wait(self) -> None:
        self.page.locator(".monaco-workbench").wait_for(timeout=UP * 1000)
        self.page.locator(".statusbar-item").first.wait_for(timeout=UP * 1000)


class Wanted(NamedTuple):
    """What a test wants of its workbench."""

    settings: Mapping[str, Any] = {}
    environment: Mapping[str, str] = {}
    extensions: Sequence[Path] = ()  # folders of extensions, and `.vsix` files
    has_agent: bool = True  # the built-in chat with the scripted model
    is_restricted: bool = False  # whether the folder must first be trusted
    prepare: Callable[[Places], object] | None = None  # puts more into its folders before it starts


def open_browser(playwright: Playwright, home: Path) -> Browser:
    """Debian's browser; each workbench gets a profile of its own in it."""
    return playwright.chromium.launch(
        executable_path=shutil.which(CHROMIUM), args=QUIET, env={**os.environ, "HOME": str(home)}
    )


@contextmanager
def started(browser: Browser, places: Places, wanted: Wanted, shots: Path) -> Iterator[Workbench]:
    """A workbench with its window open; a picture is kept of one that fails to come up."""
    places.configure(wanted.settings)
    for extension in (*wanted.extensions, *((MODEL,) if wanted.has_agent else ())):
        places.add_extension(extension)
    if wanted.prepare is not None:
        wanted.prepare(places)
    trusting = () if wanted.is_restricted else ("--disable-workspace-trust",)
    with ExitStack() as stack:
        server = Server(places, wanted.environment, (*trusting, "--enable-proposed-api", "tests.scripted-model"))
        stack.callback(server.stop)
        context = stack.enter_context(browser.new_context(viewport=SIZE))
        workbench = Workbench(context.new_page(), server, places, shots)
        server.wait()
        try:
            workbench.open()
            if wanted.has_agent:
                workbench.enable_agent()
        except BaseException:
            with suppress(Error):
                workbench.shot("not-started")
            raise
        yield workbench
