"""One browser for a module, and a new window for each test, photographed where the test fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.page.served import BAKERY, OPEN, SIZE, Screen, Served, open_browser, require, served

Show = Callable[..., Screen]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a picture of each open window where a test fails, and of all tests where somebody wants them."""
    report = yield
    folder = os.environ.get("SCREENSHOTS")
    if folder and report.when == "call" and item.path.is_relative_to(Path(__file__).parent):
        for number, page in enumerate(OPEN):
            with suppress(Error):
                page.screenshot(path=Path(folder) / f"page-{report.outcome}-{item.name}-{number}.png")
    return report


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for a module."""
    require()
    with sync_playwright() as playwright:
        browser = open_browser(playwright, tmp_path_factory.mktemp("browser"))
        yield browser
        browser.close()


@pytest.fixture
def bakery(tmp_path: Path, browser: Browser) -> Iterator[Served]:
    """The example chat, served: 56 messages of an agent with 24 calls of tools."""
    with served(BAKERY, tmp_path) as one:
        yield one


@pytest.fixture
def show(browser: Browser) -> Iterator[Show]:
    """Open windows; none of them may have anything to complain of in the end."""
    with ExitStack() as stack:
        screens: list[Screen] = []

        def show_one(address: str, **context: Any) -> Screen:
            wanted = {"viewport": SIZE, "permissions": ["clipboard-read", "clipboard-write"], **context}
            page = stack.enter_context(browser.new_context(**wanted)).new_page()
            screens.append(Screen(page))
            screens[-1].open(address)
            return screens[-1]

        yield show_one
        OPEN.clear()
        assert [line for screen in screens for line in screen.wrong] == []
