"""The facts of the bundled example, a real chat, before and after a compaction, and which of them a text contains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.structs import asdict

from compact_chat.chat import Message, texts
from compact_chat.facts import survival
from compact_chat.read import Source, read_chat
from compact_chat.resume import write_continuation
from compact_chat.wire import ContinuationOptions
from tests.oracles.snapshots import check_snapshot
from tests.samples.chats import NO_MASKS, a, talk, u
from tests.samples.facts import collect
from tests.samples.styles import as_summary
from tests.samples.tools import ran, used

HERE = Path(__file__).parent
EXAMPLE = read_chat(Source.of_bytes((HERE.parents[2] / "examples" / "bakery.jsonl").read_bytes())).messages
SUMMARY = (HERE.parent / "offline" / "detailed.md").read_text("utf-8")
LATEST = 20  # messages


def compacted() -> Sequence[Message]:
    """Open a chat with a summary and kept messages, and go on with version control, checks and servers."""
    kept, options = NO_MASKS.messages(EXAMPLE[8:16]), ContinuationOptions(kind="regular")
    opening = write_continuation(as_summary(SUMMARY), kept, options, room=6000)
    said = f"{opening}\n\nNo, cap it at 12 % instead of 15 %, and never touch shop.toml. Use pnpm from now on."
    return talk(
        *read_chat(Source.of_document({"messages": [{"role": "user", "content": said}]})).messages,
        *used("Edit", "ok", path="shop/basket.py", old_string="cap = 15", new_string="cap = 12"),
        *ran("git checkout -b fix/cap && git add -A", "Switched to a new branch 'fix/cap'"),
        *ran('git commit -m "fix(shop): cap the saving"', "[fix/cap 83cc426] fix(shop): cap the saving"),
        *ran(
            "git push -u origin fix/cap", "! [rejected] fix/cap -> fix/cap (fetch first)\nerror: failed to push", True
        ),
        *ran("git status", "On branch fix/cap\nYour branch is ahead of 'o/fix/cap' by 1 commit.\n\tmodified:   a.py\n"),
        *ran("git push", "   0123456..83cc426  fix/cap -> fix/cap"),
        *ran("gh pr create --fill", "https://github.com/me/it/pull/7"),
        *ran("pytest -q", "E   AssertionError: 15 != 12\n2 failed, 31 passed in 2.01s", True),
        *used("MultiEdit", "ok", path="tests/test_cap.py", edits=[{"old_string": "15", "new_string": "LIMIT = 12"}]),
        *ran("pytest -q tests/test_cap.py", "5 passed in 0.31s"),
        *ran(
            "ruff check . && mypy shop",
            "shop/basket.py:7: error: Name 'cap' is not defined\nFound 1 error in 1 file",
            True,
        ),
        *ran("pnpm run dev", "Command running in background with ID: b12\nListening on http://localhost:5433"),
        *ran("curl -s localhost:5433/health", '{"status": "ok", "version": "2.7.1", "orders": 118}'),
        *used("TodoWrite", todos=[{"content": "Undefined cap", "status": "in_progress"}, {"content": "Docs"}]),
        *ran("git merge --no-ff topic/rye", "Merge made by the 'ort' strategy."),
        *ran("git merge topic/jam", "CONFLICT (content): Merge conflict in a.py", True),
        *ran("git status --short", "[Old tool result content cleared]"),
        *ran("gh pr merge 7 --squash", "Merged"),
        *ran("rm shop/old.py && git mv shop/a.py shop/b.py"),
        *ran("make all", "\n".join(f"src/{n}.c:{n}:1: error: no rule {n}" for n in range(9)), True),
        *talk(
            u("The staging host is stage.bakery.example:8443, see SHOP-118. We keep the old endpoint, not the new."),
            a("Instead of a queue I chose a table, since it is simpler.\n\n`shop/tax.py`:\n```python\nRATE = 7\n```"),
            u("Why? [...1200 chars pruned...] And so on."),
            a("It works, but the export is not tested yet.\n\n- Two shops remain untested\n\nShall `old.csv` go?"),
        ),
        *used("Bash", None, command="python -m shop.export --all"),
    )


@pytest.mark.parametrize(("name", "messages"), [("bakery", EXAMPLE), ("compacted", compacted())])
def test_the_facts_of_a_chat_are_what_the_snapshot_says(name: str, messages: Sequence[Message], accept: bool) -> None:
    """Each fact with its marks and parts, and where the newest messages mention it; a line for each."""
    facts = collect(messages)
    text = "\n".join(text for message in messages[-LATEST:] for text in texts(message))
    text = text if name == "bakery" else f"{messages[0].text}\n{text}"
    found = survival(facts, text, str, listed=True)
    places = ([one.id, one.at] for one in found.facts or ())
    shown = ({name: value for name, value in asdict(one).items() if name != "note"} for one in facts)
    rows = (*shown, *places, *([one.name, one.total, one.kept] for one in found.classes))
    lines = "".join(json.dumps(to_builtins(row), ensure_ascii=False) + "\n" for row in rows)
    check_snapshot(lines, HERE / f"{name}.jsonl", accept=accept)
