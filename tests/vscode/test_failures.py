"""No chat, no model, a chat that cannot be read or compacted, a server that dies: one sentence, one button."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Iterator

import pytest

from tests.servers.processes import within
from tests.vscode.claude import put_session, put_text, sessions
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

TITLE = "Bakery shop: discount codes at the checkout"
SHORT = {
    "type": "user",
    "uuid": "u1",
    "parentUuid": None,
    "isSidechain": False,
    "sessionId": "short",
    "version": "2.1.0",
}


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One without the built-in chat."""
    return Extension(launch(extended(Wanted(has_agent=False))))


@pytest.fixture
def bakery(window: Extension) -> Extension:
    """The same, with the example chat in its folder, in use."""
    put_session(window.workbench.places)
    within(PATIENCE, lambda: TITLE in window.spoken)
    window.workbench.close_editors()
    window.workbench.clear_notifications()
    return window


def test_without_a_chat_no_server_runs(launch: Launch) -> None:
    """Neither in a folder nor in an empty window: there is no item in the status bar, and no process of Python."""
    window = Extension(launch(extended(Wanted(has_agent=False))))
    window.expect_rest()
    before = window.awakenings
    window.workbench.open(empty=True)
    window.expect_rest(since=before)


def test_without_a_model_and_a_key_the_button_asks_for_one(bakery: Extension) -> None:
    """*Improve* says that there is nobody to ask; the button opens the box for a key."""
    bakery.compact()
    bakery.lens("Improve with a Model…")
    assert bakery.sentence("No model is at hand").startswith("No model is at hand: ")

    bakery.help("Set API Key…")
    bakery.workbench.page.locator(".quick-input-widget input[type=password]").wait_for()
    bakery.workbench.page.keyboard.press("Escape")


def test_a_damaged_chat_is_read_around_the_damage(bakery: Extension) -> None:
    """The meter measures what is left, and the page says which line could not be read."""
    lines = put_session(bakery.workbench.places).read_text().splitlines()
    lines[40] = '{"type": "user", "mess\x00'
    text = "\n".join(lines).replace(TITLE, "A chat with a broken line")
    with _newest(bakery, "damaged", f"{text}\n"):
        within(PATIENCE, lambda: "A chat with a broken line" in bakery.spoken)
        bakery.compact()

        assert "> Line 41 is damaged" in bakery.workbench.editors.words


def test_a_chat_of_garbage_is_told_in_one_sentence(bakery: Extension) -> None:
    """Nothing of it can be read: the button offers the other chats."""
    garbage = bakery.workbench.places.workspace / "garbage.jsonl"
    garbage.write_bytes(bytes(range(256)) * 40)
    bakery.command("Compact Chat File…")
    bakery.workbench.choose_file(garbage)
    assert bakery.sentence("not a chat") == "This is not a chat in a known format."

    bakery.help("Choose Another Chat…")
    bakery.workbench.row(TITLE).wait_for()
    bakery.workbench.page.keyboard.press("Escape")


def test_a_short_chat_has_nothing_to_compact(bakery: Extension) -> None:
    """Where compacting would win nothing, it is said and nothing opens; the button compacts another chat."""
    message = {"role": "user", "content": "Good morning!"}
    said = {**SHORT, "cwd": str(bakery.workbench.places.workspace), "message": message}
    with _newest(bakery, "short", json.dumps(said) + "\n"):
        within(PATIENCE, lambda: "Good morning!" in bakery.spoken)
        bakery.command("Compact Chat")
        assert bakery.sentence("too short").startswith("The chat is too short: ")
        bakery.help("Choose Another Chat…")
        bakery.workbench.pick(TITLE)
        bakery.wait_for_page()


def test_a_server_that_dies_while_nobody_asks_comes_back_unseen(bakery: Extension) -> None:
    """The meter follows the chat again; after three deaths a sentence offers to start it again."""
    for _ in range(2):
        _kill(bakery)
        _grow(bakery)
    assert not bakery.workbench.page.locator(".notification-toast").is_visible()

    _kill(bakery)
    within(PATIENCE, lambda: bakery.percent is None)
    bakery.meter.click()
    bakery.sentence("several times, so it was not started again.")
    bakery.help("Restart Server")
    _grow(bakery)


def test_the_meter_goes_with_its_chat(bakery: Extension) -> None:
    """Where the only chat of the folder is deleted, the item goes too, and comes back with the next one."""
    (session,) = sessions(bakery.workbench.places).iterdir()
    session.unlink()
    within(PATIENCE, lambda: not bakery.meter.is_visible())
    put_session(bakery.workbench.places)
    within(PATIENCE, lambda: TITLE in bakery.spoken)


@contextlib.contextmanager
def _newest(window: Extension, name: str, text: str) -> Iterator[None]:
    """Have another chat in the folder meanwhile, which is the one in use."""
    file = put_text(window.workbench.places, name, text)
    try:
        yield
    finally:
        file.unlink()


def _kill(window: Extension) -> None:
    (server,) = window.servers
    os.kill(server, signal.SIGKILL)


def _grow(window: Extension) -> None:
    """Have the chat go on, and wait until the meter tells it."""
    before = window.spoken
    (session,) = sessions(window.workbench.places).iterdir()
    last = json.loads(session.read_text().splitlines()[-1])
    message = {"role": "user", "content": "More rye. " * 500}
    said = {**last, "parentUuid": last["uuid"], "uuid": f"{last['uuid']}+", "message": message}
    with session.open("a") as file:
        file.write(json.dumps(said) + "\n")
    within(PATIENCE, lambda: window.percent is not None and window.spoken != before)
