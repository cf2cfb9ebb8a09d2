"""Chats of all kinds, drawn and real, compacted in every way: none may break a rule of validity in any API's shape.

python tests/bench/bench_valid.py [--chats N] [--seed N]

A violation is printed with the seed that draws it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.samples.resumed_chats import drawn_faults, real_faults

CHATS = 12_000
SHOWN = 20
REAL = Path(__file__).resolve().parents[3] / "shared" / "chats"


def main() -> int:
    """Draw and read chats; 1 where a rule was broken."""
    asked = _arguments()
    first = random.randrange(2**31) if asked.seed is None else asked.seed
    began = time.perf_counter()
    broken = [f"seed {seed}: {fault}" for seed in range(first, first + asked.chats) for fault in drawn_faults(seed)]
    print(
        f"drawn from seed {first}: {asked.chats:,} chats in {time.perf_counter() - began:.1f} s, {len(broken)} faults"
    )
    broken += _real()
    print("\n".join(broken[:SHOWN]))
    return 1 if broken else 0


def _real() -> list[str]:
    """What is wrong with the compactions of the real chats, where they lie beside the project."""
    if not REAL.is_dir():
        print("real: skipped, the collection of real chats does not lie beside the project")
        return []
    files = [path for path in sorted(REAL.rglob("*")) if path.is_file()]
    broken = [f"{path.name}: {fault}" for path in files for fault in real_faults(path)]
    print(f"real: {len(files)} files, {len(broken)} faults")
    return broken


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chats", type=int, default=CHATS)
    parser.add_argument("--seed", type=int, help="of the first chat; drawn where it is left out")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
