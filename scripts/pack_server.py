"""Pack the installed server into a folder that needs no Python: python scripts/pack_server.py FOLDER.

Runs in an environment with `requirements/run.txt`, `requirements/pack.txt` and the wheel, on the platform that the
program is for. FOLDER then holds `compact-chat`, the shell's command and, with `serve`, the server.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

NAME = "compact-chat"
MAIN = "from compact_chat.cli import run\n\nrun()\n"
# Loaded by name or on first use, so that the search for imports does not find them.
COLLECTED = ("compact_chat", "anthropic")
HIDDEN = ("backports.zstd",)
# Imported by libraries if present, and used by no part of the program.
LEFT_OUT = (
    "tkinter",
    "unittest",
    "pydoc",
    "doctest",
    "setuptools",
    "pip",
    "pkg_resources",
    "_distutils_hack",
    "curses",
)
TOOLS = ("pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "macholib", "packaging", "pefile", "pip", "setuptools")
LICENSE = re.compile(r"(^|/)(licen[sc]e|copying|notice)[^/]*$", re.IGNORECASE)


def pack(folder: Path) -> None:
    """Build the program as one folder: it starts as fast as an installed one, where one file would unpack itself."""
    with tempfile.TemporaryDirectory() as scratch:
        main = Path(scratch, "main.py")
        main.write_text(MAIN, encoding="utf-8")
        command = [sys.executable, "-m", "PyInstaller", str(main), "--name", NAME, "--onedir", "--log-level", "ERROR"]
        command += ["--contents-directory", "lib", "--collect-data", "compact_chat"]
        command += ["--distpath", scratch, "--workpath", f"{scratch}/work", "--specpath", scratch]
        for option, names in (
            ("--collect-submodules", COLLECTED),
            ("--hidden-import", HIDDEN),
            ("--exclude-module", LEFT_OUT),
        ):
            command += [word for name in names for word in (option, name)]
        subprocess.run(command, check=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(scratch, NAME), folder, symlinks=True)
    (folder / "NOTICE").write_text("\n".join(_notices()), encoding="utf-8")


def _notices() -> Iterator[str]:
    """Yield the license of Python and of each package that is packed."""
    yield "The program contains Python and these packages.\n"
    python = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if python.exists():
        yield _notice(f"Python {sys.version.split()[0]}", [python])
    packed = {one.name.lower(): one for one in distributions() if one.name.lower() not in TOOLS}
    for _, package in sorted(packed.items()):
        yield _notice(f"{package.name} {package.version}", list(_licenses(package)))


def _licenses(package: Distribution) -> Iterator[Path]:
    for file in package.files or ():
        if ".dist-info/" in str(file) and LICENSE.search(str(file)):
            yield Path(str(file.locate()))


def _notice(title: str, files: list[Path]) -> str:
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    return "\n".join((f"{'-' * 80}\n{title}\n", *texts))


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
