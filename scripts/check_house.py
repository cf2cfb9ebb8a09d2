"""Compare the size of the house with what ARCHITECTURE.md says, so that growth is a decision: part of `make check`.

The page holds one line per total, such as `- server: 19,800 lines in 118 modules`. A total that grew by more than 5 %
fails until the page has the new number, with its reason. A module above 600 lines needs a row on the page, by its path,
and what the page names, a path or a name in one, has to exist.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TREES = {"server": "server/compact_chat", "tests": "tests"}
TOTAL = re.compile(r"^- (\w+): ([\d,]+) lines in ([\d,]+) modules", re.MULTILINE)
GROWTH = 1.05
LONG = 600  # lines
PATH = re.compile(r"`((?:\w[\w.-]*/)+[\w-]+\.(?:py|ts|json|md))`")
NAMED = re.compile(r"`(\w+)` in `([\w/-]+\.(?:py|ts))`")
HUMP = re.compile(r"(?=[A-Z])")
ROW, OWN = re.compile(r"^\| `(\w+/)` \|(.*)", re.MULTILINE), re.compile(r"`(\w+\.py)`")  # a room, and modules in it
ROOTS = ("server/compact_chat", "vscode-client", "vscode-client/src", ".")  # what a path on the page begins at


def sizes(folder: Path) -> dict[str, int]:
    """Count the lines of each Python module below a folder."""
    files = sorted(file for file in folder.rglob("*.py") if "node_modules" not in file.parts)
    return {str(file.relative_to(ROOT)): file.read_text("utf-8").count("\n") for file in files}


def faults(page: str) -> list[str]:
    """List what the page does not say, or no longer says right."""
    totals = {name: (number(lines), number(modules)) for name, lines, modules in TOTAL.findall(page)}
    found = []
    for name, folder in TREES.items():
        modules = sizes(ROOT / folder)
        now = sum(modules.values()), len(modules)
        if name not in totals:
            found.append(f"no line `- {name}: {now[0]:,} lines in {now[1]:,} modules`")
        elif any(new > GROWTH * old for new, old in zip(now, totals[name], strict=True)):
            found.append(f"{name} grew to {now[0]:,} lines in {now[1]:,} modules; write the new numbers and the reason")
        if name == "server":
            short = (f"{path} has {lines} lines; say why in a row" for path, lines in modules.items() if lines > LONG)
            found += (fault for fault in short if fault.split()[0].removeprefix("server/compact_chat/") not in page)
    return [*found, *(f"there is no {name}" for name in dict.fromkeys(missing(page)))]


def missing(page: str) -> Iterator[str]:
    """Yield the paths and names on the page that do not exist; options are in snake case in their module."""
    for path in PATH.findall(page):
        if not any((ROOT / root / path).exists() for root in ROOTS):
            yield path
    for room, row in ROW.findall(page):
        for name in OWN.findall(row):
            if not any((ROOT / TREES["server"] / at / name).exists() for at in (room, "")):
                yield room + name
    for name, path in NAMED.findall(page):
        form = re.compile(rf"\b({name}|{HUMP.sub('_', name).lower()})\b")
        files = (ROOT / root / path for root in ROOTS)
        if not any(form.search(file.read_text("utf-8")) for file in files if file.exists()):
            yield f"{name} in {path}"


def number(text: str) -> int:
    """Read a number with commas."""
    return int(text.replace(",", ""))


if __name__ == "__main__":
    problems = faults((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    print(*(f"ARCHITECTURE.md: {problem}" for problem in problems), sep="\n", end="\n" if problems else "")
    sys.exit(bool(problems))
