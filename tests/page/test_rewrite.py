"""Rewriting with a model: what is asked before, what is shown meanwhile, and what is said after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Show
from tests.page.served import BAKERY, PATIENCE, Screen, served
from tests.servers.messages_api import Api, serving
from tests.servers.processes import within


@pytest.fixture
def api() -> Iterator[Api]:
    """A model's API on this machine."""
    with serving("ok") as api:
        yield api


@pytest.fixture
def screen(tmp_path: Path, api: Api, show: Show) -> Iterator[Screen]:
    """The screen of the example, with a model that could rewrite it."""
    with served(BAKERY, tmp_path, {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-ant-of-a-test"}) as one:
        yield show(one.address)


def rewrite(screen: Screen) -> None:
    """Press the button, which says what it sends."""
    button = screen.page.locator("[data-action=rewrite]")
    assert re.search(r"Rewrite with Claude Haiku.* sends \d+k tokens", button.inner_text())
    button.click()


def test_nothing_is_sent_before_it_was_agreed_to(screen: Screen, api: Api) -> None:
    """The question names the model, the tokens and the secrets; Show Text shows what would be sent; Escape ends it."""
    rewrite(screen)
    question = screen.page.get_by_role("group", name="Before sending")
    expect(question).to_contain_text(re.compile(r"about \d+k tokens.*Haiku.*1 secret is masked"))
    screen.button("Show Text").click()
    expect(screen.page.get_by_role("dialog").locator("pre").last).to_contain_text("discount codes")
    screen.page.keyboard.press("Escape")
    screen.button("Cancel").click()
    expect(question).to_have_count(0)
    assert api.requests == []


def test_a_rewrite_says_what_changed_and_can_be_taken_back(screen: Screen, api: Api) -> None:
    """Tokens and items now and before; Restore brings the text of before; what was added back stays."""
    screen.card("Missing").get_by_role("checkbox").last.check()
    screen.settled()
    before = screen.message

    rewrite(screen)
    screen.button("Send and Rewrite").click()
    line = screen.page.locator(".notice", has_text="Rewritten")
    line.wait_for(timeout=PATIENCE * 1000)
    found = re.search(r": ([\d.]+k) tokens, \d+ of \d+ items kept; before: [\d.]+k, \d+ of \d+", line.inner_text())
    assert found
    places = (".length b", ".stop.here", ".figure b", ".legend li")
    sizes = [screen.page.locator(one).last.inner_text() for one in places]
    assert [found[1] in one.split() for one in sizes] == [True] * 4, sizes
    assert screen.message != before
    assert screen.card("Missing").locator("input:checked").count() == 1
    screen.button("Restore Previous Summary").click()
    screen.settled()
    assert screen.message == before
    assert api.requests


def test_consent_is_remembered_for_a_model(screen: Screen, api: Api) -> None:
    """With the box ticked the next rewrite begins at once."""
    rewrite(screen)
    screen.page.get_by_label("Don't ask again for this model").check()
    screen.button("Send and Rewrite").click()
    screen.page.locator(".notice", has_text="Rewritten").wait_for(timeout=PATIENCE * 1000)
    rewrite(screen)
    within(PATIENCE, lambda: len(api.requests) == 2)
    screen.settled()
    assert screen.page.get_by_role("group", name="Before sending").count() == 0


def test_a_rewrite_can_be_stopped(screen: Screen, api: Api) -> None:
    """Stop ends the request to the model; the text stays as it was."""
    api.then("hang")
    before = screen.message
    rewrite(screen)
    screen.button("Send and Rewrite").click()
    api.waiting.get(timeout=PATIENCE)
    expect(screen.page.locator(".working")).to_contain_text("Waiting for the model")
    screen.button("Stop").click()
    expect(screen.status).to_contain_text("Stopped")
    assert screen.message == before
    within(PATIENCE, lambda: api.requests[0].gone_at is not None)


def test_a_model_that_fails_is_told_with_a_way_on(screen: Screen, api: Api) -> None:
    """One sentence, Try Again, and the text as it was."""
    api.then("401", "401", "ok")
    before = screen.message
    rewrite(screen)
    screen.button("Send and Rewrite").click()
    expect(screen.page.get_by_role("alert")).to_be_visible(timeout=PATIENCE * 1000)
    assert screen.message == before
    api.then("ok")
    screen.button("Try Again").click()
    screen.page.locator(".notice", has_text="Rewritten").wait_for(timeout=PATIENCE * 1000)
