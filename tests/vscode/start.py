"""How a workbench is started for a test, and how it is ended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Error, Playwright, ViewportSize

from tests.vscode.launch import CHROMIUM, MODEL
from tests.vscode.places import Places
from tests.vscode.server import Server
from tests.vscode.workbench import Workbench

QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
SIZE: ViewportSize = {"width": 1400, "height": 900}


class Wanted(NamedTuple):
    """What a test wants of its workbench."""

    settings: Mapping[str, Any] = {}
    environment: Mapping[str, str] = {}
    extensions: Sequence[Path] = ()  # folders of extensions, and `.vsix` files
    has_folder: bool = True
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
    _furnish(places, wanted)
    trusting = () if wanted.is_restricted else ("--disable-workspace-trust",)
    with ExitStack() as stack:
        server = Server(places, wanted.environment, (*trusting, "--enable-proposed-api", "tests.scripted-model"))
        stack.callback(server.stop)
        context = stack.enter_context(browser.new_context(viewport=SIZE))
        workbench = Workbench(context.new_page(), server, places, shots)
        server.wait()
        _open(workbench, wanted)
        yield workbench


def _furnish(places: Places, wanted: Wanted) -> None:
    places.configure(wanted.settings)
    for extension in (*wanted.extensions, *((MODEL,) if wanted.has_agent else ())):
        places.add_extension(extension)
    if wanted.prepare is not None:
        wanted.prepare(places)


def _open(workbench: Workbench, wanted: Wanted) -> None:
    try:
        workbench.open(empty=not wanted.has_folder)
        if wanted.has_agent:
            workbench.enable_agent()
    except BaseException:
        with suppress(Error):
            workbench.shot("not-started")
        raise
