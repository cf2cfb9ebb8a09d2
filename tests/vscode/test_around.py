"""What is around the screen: the list of chats, the two notifications, and the example."""

from __future__ import annotations

import json
import re

import pytest

from tests.servers.processes import within
from tests.vscode.claude import put_session, sessions
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

TITLE = "Bakery shop: discount codes at the checkout"


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One whose folder has the example chat, in a context window that it nearly fills."""
    full = {"compactChat.windows": {"claude-sonnet-4-5-20250929": 54_000}}
    return Extension(launch(extended(Wanted(has_agent=False, prepare=put_session, settings=full))))


def test_a_chat_near_its_limit_is_told_once_and_can_be_turned_off(window: Extension) -> None:
    """The message names the chat; its last button is the end of such messages."""
    message = window.workbench.notification("This chat is")
    message.wait_for(timeout=PATIENCE * 1000)
    message.get_by_role("button", name="Don't Show Again").click()
    settings = window.workbench.places.user / "settings.json"
    is_off = re.compile(r'"compactChat\.notify\.nearLimit":\s*false')  # in a file that may be half written
    within(PATIENCE, lambda: bool(is_off.search(settings.read_text())))


def test_the_chats_of_the_workspace_are_listed_with_how_full_they_are(window: Extension) -> None:
    """Each row has the title, a bar, the percentage and the tool."""
    within(PATIENCE, lambda: any("%" in row for row in window.rows))
    (row,) = window.rows
    assert TITLE in row
    assert "▰" in row
    assert "Claude" in row


def test_a_compaction_by_the_tool_is_told_with_what_is_missing(window: Extension) -> None:
    """It is noticed while the chat is watched; the two buttons lead to the review, and back into the chat."""
    (session,) = sessions(window.workbench.places).iterdir()
    last = json.loads(session.read_text().splitlines()[-1])
    boundary = {**last, "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    boundary |= {"compactMetadata": {"trigger": "auto", "preTokens": 48_000}, "content": "Conversation compacted"}
    boundary.pop("message", None)
    summary = {**last, "type": "user", "uuid": "s", "parentUuid": "b", "isCompactSummary": True}
    summary["message"] = {"role": "user", "content": "This session is being continued. Summary: a bakery shop."}
    with session.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in (boundary, summary))
    message = window.workbench.notification("just compacted this chat")
    message.wait_for(timeout=PATIENCE * 1000)
    assert "missing" in message.inner_text()
    message.get_by_role("button", name="Copy Back").wait_for()
    window.workbench.clear_notifications()


def test_the_example_opens_like_any_chat(window: Extension) -> None:
    """It came with the extension, and is compacted by the same command."""
    window.command("Open Example Chat")
    window.wait_for_page()
