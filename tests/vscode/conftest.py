"""The workbenches for the tests: started as seldom as is sound, and photographed where a test fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.servers.wire_client import WireClient
from tests.vscode.machine import Places, require
from tests.vscode.workbench import Wanted, Workbench, open_browser, started

Launch = Callable[[Wanted], Workbench]
OPEN: list[Workbench] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a picture of each open window where a test fails, and of all tests where somebody wants them."""
    report = yield
    wanted = report.failed or ("SCREENSHOTS" in os.environ and report.when == "call")
    if wanted and item.path.is_relative_to(Path(__file__).parent):
        for number, workbench in enumerate(OPEN):
            with suppress(Error):  # a browser that crashed fails its tests and no others
                workbench.shot(f"{report.outcome}-{item.name}-{number}")
    return report


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures, which the environment may name."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for a module: while it runs, no other test of this worker could run an event loop."""
    require()
    with sync_playwright() as playwright:
        browser = open_browser(playwright, tmp_path_factory.mktemp("browser"))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def launch(browser: Browser, tmp_path_factory: pytest.TempPathFactory, shots: Path) -> Iterator[Launch]:
    """Start workbenches of the module's own, which end with it."""
    with ExitStack() as stack:

        def launch_one(wanted: Wanted) -> Workbench:
            places = Places(tmp_path_factory.mktemp("workbench"))
            OPEN.append(stack.enter_context(started(browser, places, wanted, shots)))
            return OPEN[-1]

        yield launch_one
        OPEN.clear()


@pytest.fixture
def client() -> Iterator[WireClient]:
    """A client of a server of the test's own, which ends also where they cannot shake hands."""
    with closing(WireClient()) as client:
        client.initialize()
        yield client
