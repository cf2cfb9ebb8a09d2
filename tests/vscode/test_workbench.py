"""The scripted model answers in the real agent chat of a real workbench, and what it was asked is all on record."""

from __future__ import annotations

import json
import re

import pytest

from tests.servers.processes import within
from tests.vscode.chat import PATIENCE
from tests.vscode.conftest import Launch
from tests.vscode.scripted import words
from tests.vscode.start import Wanted
from tests.vscode.workbench import Workbench


@pytest.fixture(scope="module")
def workbench(launch: Launch) -> Workbench:
    """One with a file in its folder."""
    return launch(Wanted(prepare=lambda places: (places.workspace / "shop.txt").write_text("flour\nNEEDLE\n")))


@pytest.fixture
def chat(workbench: Workbench) -> Workbench:
    """The same, with a new chat."""
    workbench.chat.new()
    return workbench


def test_a_tool_really_runs_and_its_result_is_recorded(chat: Workbench) -> None:
    """What the user's text orders happens: the agent reads a file, writes one, and the model is asked after each."""
    known, made = chat.places.workspace / "shop.txt", chat.places.workspace / "made.txt"
    read = json.dumps({"filePath": str(known), "startLine": 1, "endLine": 2})
    write = json.dumps({"filePath": str(made), "content": "42 trays\n"})
    chat.chat.ask(f"Please look\ncall read_file {read}\ncall create_file {write}", "Done after 2 results: Please look")

    first, second, third = chat.model.turns[-3:]
    within(PATIENCE, lambda: made.exists() and made.read_text() == "42 trays\n")
    assert "NEEDLE" in words(second)
    assert "NEEDLE" not in words(first)
    assert {"read_file", "create_file"} <= {tool["name"] for tool in third["tools"]}
    assert chat.model.outcome(third)["text"].startswith("Done after 2 results")
    chat.shot("agent")


def test_calls_of_one_round_run_together(chat: Workbench) -> None:
    """`also` puts a second call into the round of the first: both results come with one request."""
    look = json.dumps({"path": str(chat.places.workspace)})
    before = len(chat.model.turns)
    chat.chat.ask(f"Look twice\ncall list_dir {look}\nalso list_dir {look}", "Done after 2 results: Look twice")

    assert len(chat.model.turns) == before + 2


def test_the_ring_shows_what_the_model_reports(chat: Workbench) -> None:
    """VS Code's own ring takes the usage that the model reports, of both windows together."""
    chat.chat.ask("Hello\nsay 20", "Heard: Hello")

    within(PATIENCE, lambda: chat.chat.ring is not None)
    assert chat.chat.ring in range(10, 20)


def test_a_held_answer_can_be_cancelled(chat: Workbench) -> None:
    """While the model is held its answer stands still; a cancelled one is on record as that."""
    with chat.model.held():
        chat.chat.write("Slowly\nsay 20")
        chat.chat.send()
        within(PATIENCE, lambda: chat.chat.answers.filter(has_text="Heard").count() > 0)
        chat.chat.stop()
        outcome = chat.model.outcome(chat.model.turns[-1])

    assert outcome["outcome"] == "cancelled"
    assert "word20" not in outcome["text"]


def test_a_refusal_is_shown_to_the_user(chat: Workbench) -> None:
    """A model that refuses leaves its words in the panel."""
    with chat.model.refusing("Blocked"):
        chat.chat.ask("Anything", re.compile("refuses: Blocked"))


def test_a_chat_lies_on_the_disk_soon_after_its_answer(chat: Workbench) -> None:
    """The session's file is beside the storage of the extensions, and holds the answer."""
    chat.chat.ask("Remember the trays", "Heard: Remember the trays")

    within(PATIENCE, lambda: any("Heard: Remember" in file.read_text() for file in chat.places.chats()))


def test_the_agent_comes_back_with_the_window(chat: Workbench) -> None:
    """A window that is loaded anew still has its agent and its model."""
    chat.reload()
    chat.chat.show()
    chat.chat.wait_for_model()
    chat.chat.ask("Back again", "Heard: Back again")
