"""A tap between an editor and the server: starts the server, and copies every byte that passes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path


def main(folder: Path, command: list[str]) -> None:
    """Act as the server, as far as the editor can tell."""
    pipe = subprocess.PIPE
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log)
    assert server.stdin is not None
    assert server.stdout is not None
    threading.Thread(target=copy, args=(0, server.stdin.fileno(), folder / "asked"), daemon=True).start()
    copy(server.stdout.fileno(), 1, folder / "told")
    os._exit(server.wait())


def copy(source: int, target: int, kept: Path) -> None:
    """Write each piece down before passing it on, so that it is on file before its effects are visible."""
    with kept.open("wb", buffering=0) as copied:
        while data := os.read(source, 2**16):
            copied.write(data)
            while data:
                data = data[os.write(target, data) :]
    os.close(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
