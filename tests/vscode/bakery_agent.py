"""A chat of the agent about a bakery's order desk: what its user says, what the agent does, and the files it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.processes import within
from tests.vscode.machine import Places
from tests.vscode.workbench import PATIENCE, Workbench

ROWS = 230
FILES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "ovens", "recipes", "suppliers")
ITEMS = ("rye loaf", "poppy seed roll", "spelt bread", "apple turnover", "walnut baguette", "butter braid", "oat crown")
KEY = "ghp_" + "R7wq2LmX9bTz4KdV8sYc1NfH6jPa3GuE5oQi"
TILL = "till: counter-1\nround_to_cents: true\n"
LABELS = 'shelves = {1: "rye loaf"}\nprint(shelves[12])\n'
BREADS = ("የስንዴ ዳቦ", "የጤፍ እንጀራ", "ጥቁር ዳቦ")  # many tokens in few characters: the panel is slow with long texts
WISHES = [f"{number} {BREADS[number % 3]}" for number in range(1, 421)]
NOTES = "\n".join(" ".join(WISHES[first : first + 20]) for first in range(0, len(WISHES), 20))
PRICES = 'CENTS = {"rye loaf": 420, "spelt bread": 480}\nprint(CENTS["rye loaf"])\n'
PLAN = "OVEN_MINUTES = 40\nprint(OVEN_MINUTES)\n"
TRAYS = "TRAYS = 12\n"


class Turn(NamedTuple):
    """What the user says, and the rounds of tool calls that the agent makes of it."""

    said: str
    calls: tuple[tuple[str, dict[str, Any]], ...]

    @property
    def text(self) -> str:
        """The message with its orders to the scripted model."""
        return "\n".join((self.said, *(f"call {name} {json.dumps(given)}" for name, given in self.calls)))

    @property
    def answer(self) -> str:
        """How the last answer of the turn begins."""
        return f"Done after {len(self.calls)} results: {self.said[:24]}"


def furnish(places: Places) -> None:
    """Put the files of the bakery into the folder; each row has a lot number that stands nowhere else."""
    for place, name in enumerate(FILES, 1):
        rows = (row(place, number) for number in range(1, ROWS + 1))
        (places.workspace / f"{name}.csv").write_text("\n".join(("lot,item,pieces,cents,shelf", *rows)) + "\n")
    (places.workspace / "config.yaml").write_text(TILL)
    (places.workspace / "labels.py").write_text(LABELS)


def row(place: int, number: int) -> str:
    """One row of a file."""
    item = ITEMS[(place * number) % len(ITEMS)]
    return f"lot-{place}{number:04},{item},{number % 9 + 2},{350 + 5 * (number % 40)},shelf {number % 12 + 1}"


def hold(workbench: Workbench, *, most: int | None = None) -> None:
    """Hold the chat from its first message on, and wait until it is saved."""
    for turn in turns(workbench.places.workspace)[:most]:
        workbench.chat.ask(turn.text, turn.answer)
    wait_until_saved(workbench)


def wait_until_saved(workbench: Workbench) -> None:
    """Wait until the last answer stands in the newest file of a chat."""
    last = workbench.model.outcome(workbench.model.turns[-1])["text"]
    within(PATIENCE, lambda: any(last in chat.read_text() for chat in workbench.places.chats()[-1:]))


def turns(folder: Path) -> list[Turn]:
    """The chat about a folder."""
    return [
        Turn(
            "Order desk of the bakery: let us write what tells each morning what the ovens have to bake.\n"
            "Never touch config.yaml, the till reads it.\nAlways keep prices in whole cents.",
            (("list_dir", {"path": str(folder)}), _read(folder, "monday"), _read(folder, "tuesday")),
        ),
        Turn(
            "Begin with the prices; they are the same in all three shops of the town and in the market hall.\n"
            f"The key of the till's test account is {KEY}, for trials by hand only.",
            (_read(folder, "recipes"), _write(folder, "prices.py", PRICES), _run("python3 prices.py")),
        ),
        Turn(
            f"Plan the rest, then look at the middle of the week. What the guests wrote:\n{NOTES}",
            (
                _todos("Book the ovens", "Write the plan of the morning", "Print the labels"),
                _read(folder, "wednesday"),
                _read(folder, "thursday"),
            ),
        ),
        Turn(
            "I decided that ovens are booked in blocks of 40 minutes, since the stone oven cools slowly.",
            (_read(folder, "ovens"), _write(folder, "plan.py", PLAN), _run("python3 plan.py")),
        ),
        Turn(
            "Run the labels too, and tell me what fails.",
            (_run("python3 labels.py"), _read(folder, "friday"), _read(folder, "saturday")),
        ),
        Turn("Who delivers the flour?", (_read(folder, "suppliers"),)),
        Turn("Now count the trays of Monday.", (_write(folder, "trays.py", TRAYS),)),
    ]


def _read(folder: Path, name: str) -> tuple[str, dict[str, Any]]:
    return "read_file", {"filePath": str(folder / f"{name}.csv"), "startLine": 1, "endLine": ROWS + 1}


def _write(folder: Path, name: str, content: str) -> tuple[str, dict[str, Any]]:
    return "create_file", {"filePath": str(folder / name), "content": content}


def _run(command: str) -> tuple[str, dict[str, Any]]:
    return "run_in_terminal", {"command": command, "explanation": command, "goal": command, "mode": "sync"}


def _todos(*titles: str) -> tuple[str, dict[str, Any]]:
    todos = [{"id": place, "title": title, "status": "not-started"} for place, title in enumerate(titles, 1)]
    return "manage_todo_list", {"todoList": todos}
