"""What edits changed in the code, by the lines that tell most."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message
from compact_chat.facts import changes, find_steps
from tests.samples.tools import ran, used

OLD = "def price(tray):\n    if tray.old:\n        return 1\n    return 2\n"
NEW = "def price(tray):\n    # old ones are free\n    if tray.old and not tray.sold:\n        return 1\n    return 2\n"
PATCH = """*** Begin Patch
*** Update File: src/till.py
@@ def total(trays):
-    return sum(trays)
+    return sum(trays) * rate
*** Add File: src/new.py
+def fresh():
+    return 1
*** End Patch"""


def told(*exchanges: tuple[Message, ...]) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """The changes of these calls."""
    messages = [one for exchange in exchanges for one in exchange]
    return [(one.path, one.where, one.old, one.new) for one in changes(find_steps(messages))]


def test_a_change_is_told_by_its_lines_old_and_new() -> None:
    """H19: with the function that it is in, and without what stayed."""
    edit = used("Edit", "ok", path="a.py", old_string=OLD, new_string=NEW)

    new = ("# old ones are free", "if tray.old and not tray.sold:")
    assert told(edit) == [("a.py", "price", ("if tray.old:",), new)]


def test_definitions_come_first_and_plain_lines_are_left_out() -> None:
    """H19: imports, brackets and the like tell nothing; a definition is where it is itself."""
    code = "import os\n\n\ndef one(a, b):\n    x = a\n    y()\n    z()\n    return x\n\n\ndef two():\n    pass\n"
    edit = used("Edit", "ok", path="a.py", old_string="import os\n", new_string=code)

    assert told(edit) == [("a.py", "", (), ("def one(a, b):", "x = a", "y()", "return x", "def two():"))]


def test_what_a_later_edit_replaced_is_left_out() -> None:
    """H19: a line that was changed again, and a file that was written again."""
    first = used("Edit", "ok", path="a.py", old_string="x = 1", new_string="x = 2")
    then = used("Edit", "ok", path="a.py", old_string="x = 2", new_string="x = 3")
    written = used("Write", "ok", path="a.py", content="y = 1\n")

    assert told(first, then) == [("a.py", "", ("x = 2",), ("x = 3",))]
    assert told(first, then, written) == [("a.py", "", (), ("y = 1",))]


def test_patches_are_read_by_their_hunks() -> None:
    """H19: each hunk is a change of its file, below the line that its head names."""
    assert told(used("apply_patch", "ok", input=PATCH)) == [
        ("src/till.py", "total", ("return sum(trays)",), ("return sum(trays) * rate",)),
        ("src/new.py", "", (), ("def fresh(): return 1",)),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [("x = 1", "x = 1"), ("import os", "import sys"), ("}\n", "}\n\n")],
)
def test_nothing_is_told_where_nothing_tells(old: str, new: str) -> None:
    """H19: an edit that leaves what was there, or changes imports and white space alone."""
    assert told(used("Edit", "ok", path="a.py", old_string=old, new_string=new)) == []


def test_an_edit_that_failed_changed_nothing() -> None:
    """H19: nor does one without a result."""
    assert told(used("Edit", "no such text", is_error=True, path="a.py", old_string="x = 1", new_string="x = 2")) == []
    assert told(used("Edit", None, path="a.py", old_string="x = 1", new_string="x = 2")) == []


def test_what_commands_write_to_files() -> None:
    """H19: the text behind `cat > file <<EOF`."""
    command = "cat > bake.sh <<'EOF'\nset -e\nheat=230\nEOF\nchmod +x bake.sh"

    assert told(ran(command)) == [("bake.sh", "", (), ("set -e heat=230",))]
