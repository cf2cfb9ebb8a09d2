"""Run every benchmark in turn, or the one that is named with its options; fail if a promise is broken.

python tests/bench/run.py [NAME [OPTION ...]], where NAME is `wire` for `bench_wire.py`, or `mutation`, which never runs
by default.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main(name: str = "", *options: str) -> int:
    """Run the benchmarks in this folder, each in a process of its own."""
    folder = Path(__file__).parent
    benches = sorted(folder.glob(f"bench_{name or '*'}.py")) or [folder / f"{name}.py"]
    broken = [
        bench.name for bench in benches if subprocess.run([sys.executable, bench, *options], check=False).returncode
    ]
    print(f"{len(benches) - len(broken)} passed, {len(broken)} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
