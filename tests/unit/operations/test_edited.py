"""A person edits a summary, and the text goes on as it was left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
CODE = "```py\ndef trays():\n\n    return 9  # not <analysis>ten</analysis>\n```"
NO_HEADINGS = f"The shop counts its shelves.\n\n- nine trays\n  - of *rye*\n\n\tindented\n\n{CODE}\n\nThat is all."


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of this test's own."""
    monkeypatch.setattr(archive_places, "state_folder", lambda: tmp_path / "state")


@pytest.mark.parametrize(
    "text",
    [
        NO_HEADINGS,
        "Nine.",
        "# Shelves\n\n## Next\n1. Count the cellar",
        f"The page has <details><summary>more</summary>\n{CODE}\n</details>",
        "7. Pending Tasks:\nShelf 9\n\n3. Files and Code Sections:\nnone, in the wrong place",
    ],
    ids=["no headings", "one word", "other headings", "tags of ours", "headings that are left"],
)
def test_a_text_in_a_summary_block_stays_as_it_is(ask: Ask, messages: Messages, text: str) -> None:
    """In the detailed style, whatever became of its headings: behind "Summary:" stands what the person wrote."""
    planned = ask("preview", chat={"messages": messages})["planId"]
    done = ask("summarize", planId=planned, reply=f"<summary>\n{text}\n</summary>")

    assert done["summary"] == f"Summary:\n{text}"
    assert done["summary"] in done["continuation"]
    assert done["provider"] == "host"


def test_the_offline_summary_with_a_line_added_is_that(ask: Ask, messages: Messages) -> None:
    """What was shown, edited in one place and sent back, differs in that place alone."""
    shown = ask("summarize", chat={"messages": messages}, provider="offline")
    edited = shown["summary"].replace("\n", "\nThe cellar is locked.\n", 1)
    done = ask("summarize", planId=shown["planId"], reply=f"<summary>{edited}</summary>")

    assert done["summary"] == edited
