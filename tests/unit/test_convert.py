"""Values become typed ones, whichever thread uses a type first."""

from __future__ import annotations

import subprocess
import sys

# Six threads meet at a type that none has used, five hundred times.
STORM = """
import sys
from threading import Barrier, Thread
from msgspec import defstruct
from compact_chat.convert import convert

def use(kind, gate, value):
    gate.wait()
    assert convert(value, kind).f0.g == [0]

sys.setswitchinterval(1e-6)
value = {f"f{number}": {"g": [number]} for number in range(30)}
for _ in range(500):
    inner = defstruct("Inner", [("g", list[int] | None, None)])
    kind = defstruct("Kind", [(name, inner | None, None) for name in value])
    gate = Barrier(6)
    threads = [Thread(target=use, args=(kind, gate, value)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_meet_at_a_new_type_survive() -> None:
    """A type that several threads use for the first time at once is compiled whole before any goes on."""
    ran = subprocess.run([sys.executable, "-c", STORM], capture_output=True, check=False, text=True)

    assert (ran.returncode, ran.stderr) == (0, "")
