"""How long the screen takes in a workbench with a running server, in wall time; passed over where none is installed.

The chat is the example, and one of 100,000 tokens for the slider. Figures are medians; a busy machine is not judged.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from playwright.sync_api import Browser, Locator, sync_playwright

from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.page.served import Screen, served
from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.extension import COMPACT, PATIENCE, VSIX, Extension, extended
from tests.vscode.machine import Places, missing
from tests.vscode.workbench import Wanted, open_browser, started

SIZE = 850_000  # bytes of a session file of 100,000 tokens
ROUNDS = 7
DRAWN, NEW_CHAT, SLIDER = 1000, 1200, 100  # milliseconds
OFFLINE = {"compactChat.provider": "offline"}
CLIENT = Path(__file__).parents[2] / "vscode-client"
# From an event on the slider to the frame that shows its effect; and until the server's answer is shown.
MOVED = """async index => {
    const slider = document.querySelector("input[type=range]"), began = performance.now();
    const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
    slider.value = index;
    for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name, { bubbles: true }));
    await frame();
    const shown = performance.now() - began;
    while (document.querySelector("main").getAttribute("aria-busy") === "true") await frame();
    return [shown, performance.now() - began];
}"""


def figures() -> Iterator[Figure]:
    """Measure a page that is opened, a new chat from the meter, the slider, and the extension's start."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = open_browser(playwright, Path(folder))
        yield from in_a_workbench(browser, Path(folder))
        yield from in_a_browser(browser, Path(folder))
        browser.close()
    subprocess.run(("node", "scripts/bench_activation.mjs"), cwd=CLIENT, check=True)


def in_a_workbench(browser: Browser, folder: Path) -> Iterator[Figure]:
    """Pick the command, or the action of the meter, until what it opens can be clicked."""
    wanted = extended(Wanted(settings=OFFLINE, prepare=put_session))
    with started(browser, Places(folder / "machine"), wanted, folder) as workbench:
        window = Extension(workbench)
        within(PATIENCE, lambda: window.percent is not None)
        window.compact()  # starts the server, and loads what the first page needs

        def page() -> float:
            workbench.close_editors()
            workbench.offer(COMPACT)
            began = time.perf_counter()
            workbench.pick(COMPACT)
            return until(window.screen.locator('[data-action="continue"]:enabled')) - 1000 * began

        def new_chat() -> float:
            workbench.close_editors()
            workbench.chat.box.click()
            workbench.page.keyboard.press("Control+a")
            workbench.page.keyboard.press("Delete")
            workbench.chat.box.get_by_text("Bakery shop").wait_for(state="hidden")
            began = time.perf_counter()
            window.act("Compact and Continue in New Chat")
            took = until(workbench.chat.box.get_by_text("Bakery shop")) - 1000 * began
            window.wait_for_page()  # it opens beside
            return took

        yield "a page is drawn after its command", median(page), DRAWN, "ms"
        yield "a new chat is there after two clicks from the meter", median(new_chat), NEW_CHAT, "ms"


def in_a_browser(browser: Browser, folder: Path) -> Iterator[Figure]:
    """Move the slider on a chat of 100,000 tokens."""
    chat = claude(folder / "session.jsonl", SIZE)
    with served(chat, folder / "served") as one:
        page = browser.new_page()
        screen = Screen(page)
        screen.open(one.address)
        last = int(screen.slider.get_attribute("max") or "0")
        moves = [page.evaluate(MOVED, (3 * n) % (last + 1)) for n in range(ROUNDS)]
        yield "the lists follow the slider", statistics.median(shown for shown, _ in moves), SLIDER, "ms"
        answered = statistics.median(answered for _, answered in moves)
        yield "the message follows the slider", answered, SLIDER, "ms"


def until(wanted: Locator) -> float:
    """Wait for an element with short pauses, since those of the browser's driver grow; return when it was there."""
    while not wanted.is_visible():
        wanted.page.wait_for_timeout(5)
    return 1000 * time.perf_counter()


def median(measure: Callable[[], float]) -> float:
    """Measure some rounds."""
    taken = [measure() for _ in range(ROUNDS)]
    print(" ".join(f"{one:.0f}" for one in taken), f"ms; load {os.getloadavg()[0]:.1f}")
    return statistics.median(taken)


if __name__ == "__main__":
    if (reason := missing()) or not VSIX.exists():
        print(f"passed over: {reason or 'make package was not run'}")
        sys.exit(0)
    sys.exit(judged(figures()))
