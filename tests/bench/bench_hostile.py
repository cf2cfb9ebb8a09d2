"""All hostile inputs through one server, also those of megabytes: each is answered once, as it must be."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.samples.hostile.drive import faults
from tests.samples.hostile.table import table
from tests.servers.wire_client import WireClient


def main() -> int:
    """Print each fault; 1 where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        client = WireClient()
        client.initialize()
        client.take_answers()
        found = list(faults(client, table(whole=True)))
        client.close()
    print(*found, f"{len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
