"""Run every benchmark in turn; fail if one of them found a promise broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run the benchmarks beside this file, each in a process of its own."""
    benches = sorted(Path(__file__).parent.glob("bench_*.py"))
    broken = [bench.name for bench in benches if subprocess.run([sys.executable, bench], check=False).returncode]
    print(f"{len(benches) - len(broken)} passed, {len(broken)} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
