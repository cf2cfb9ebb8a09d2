"""What each style asks for."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Any

from compact_chat.styles import STYLES, Material, Request, Task
from compact_chat.wire import Files, Style
from tests.oracles.snapshots import check_snapshot
from tests.samples.prompts import CHAT, asked

WORDING = 50  # characters that tell a line of a prompt; the rest may be worded in any way
# What may change a request, besides its chat.
WAYS: dict[str, dict[str, Any]] = {
    "newer": {"direction": "from"},
    "older": {"direction": "upTo"},
    "again": {"previous": "old"},
    "length": {"length": 2000},
    "wishes": {"focus": " keep\r\nSQL ", "rules": ("keep CSS",), "immediate_task": True, "end_tag": True},
    "older, wishes": {"direction": "upTo", "focus": "keep SQL", "immediate_task": True},
}


PIECE = Material("[User]: go on", "so far", more=True, files=Files(read=("a.md",), modified=("b.py", "c.py")))


def lines_of(request: Request) -> list[str]:
    """Return the lines of a request, with its three parts under heads."""
    parts = {"system": request.system, "material": request.material, "text": request.text}
    return [line for name, text in parts.items() if text for line in (f"=== {name}", *text.split("\n"))]


def shown(style: Style) -> str:
    """Show the beginnings of the lines of a style's request, and which of them other wishes change."""
    plain = lines_of(asked(style))
    lines = [f"# {style}", *plain]
    others = {name: asked(style, **wishes) for name, wishes in WAYS.items()}
    others["a piece, and files"] = STYLES[style].prompt(Task(CHAT, style, "all"), PIECE)
    for name, request in others.items():
        changes = unified_diff(plain, lines_of(request), n=0, lineterm="")
        lines += [f"## {name}", *(line for line in changes if not line.startswith(("---", "+++", "@@")))]
    return "\n".join(line if "Length: " in line else line[:WORDING] for line in lines)


def test_what_each_style_asks_for(accept: bool) -> None:
    """P1, P3, P4, P6, P7, P9 to P11, P20 to P22, P24, P30, P32, L2, L10, T8: its parts, their order and their form."""
    check_snapshot("\n\n".join(map(shown, STYLES)) + "\n", Path(__file__).with_name("requests.txt"), accept=accept)
