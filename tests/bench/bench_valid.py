"""Thousands of drawn chats, and real ones, compacted in every way: none may break a rule of validity in any API.

python tests/bench/bench_valid.py [SEED]. A violation is printed with the seed that draws it again.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.samples.resumed_chats import drawn_faults, real_faults

CHATS, SHOWN = 12_000, 20
REAL = Path(__file__).resolve().parents[3] / "shared" / "chats"


def main(first: int) -> int:
    """Draw and read chats; return 1 if a rule was broken."""
    broken = [f"seed {seed}: {fault}" for seed in range(first, first + CHATS) for fault in drawn_faults(seed)]
    files = [path for path in sorted(REAL.rglob("*")) if path.is_file()]
    broken += [f"{path.name}: {fault}" for path in files for fault in real_faults(path)]
    print(f"{CHATS:,} chats drawn from seed {first}, {len(files)} real files", *broken[:SHOWN], sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else random.randrange(2**31)))
