"""What the extension asks a Python in order to learn whether the server in it is whole."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DIAGNOSE = Path(__file__).resolve().parents[3] / "vscode-client" / "src" / "server" / "diagnose.ts"


def test_a_whole_server_passes_the_extensions_check() -> None:
    """The extension deletes an environment of its own that fails this program, so a whole one must not."""
    program = re.search(r'^const LOADS = "([^"]+)";$', DIAGNOSE.read_text("utf-8"), re.MULTILINE)
    assert program

    done = subprocess.run([sys.executable, "-c", program[1]], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr
