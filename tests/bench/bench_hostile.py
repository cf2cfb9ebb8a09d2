"""All hostile inputs, including those of megabytes, on one server: each is answered once, correctly, in a second."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.samples.hostile.drive import faults, table
from tests.servers.wire_client import WireClient

LIMIT = 1.0  # seconds


def all_faults(client: WireClient) -> Iterator[str]:
    """Send each row, and yield what was wrong, including slow answers."""
    for row in table(whole=True):
        began = time.perf_counter()
        yield from faults(client, [row])
        if (took := time.perf_counter() - began) > LIMIT:
            yield f"{row.data[:200]!a}: the answer took {took:.1f} s"


def main() -> int:
    """Print each fault; return 1 if there is any."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        client = WireClient()
        client.initialize()
        client.take_answers()
        found = list(all_faults(client))
        client.close()
    print(*found, f"{len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
