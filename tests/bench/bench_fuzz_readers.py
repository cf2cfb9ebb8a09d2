"""Every reader fed with damaged chats by a fuzzer that sees which code they reach: none may raise or dawdle.

python tests/bench/bench_fuzz_readers.py [--seconds N] [--seed N] [FORMAT ...]
python tests/bench/bench_fuzz_readers.py --play FILE FORMAT

A fault is printed with the file that shows it, to be played again, and with its seed.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from compact_chat.tools import FORMATS
from tests.bench.fuzzed_reader import HANGS, play

SECONDS = 10.0  # for each format
SHOWN = 40  # last lines of what a fuzzer says of a fault
_CHATTER = ("INFO: ", "WARNING: ", "stat::")
_DONE = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main() -> int:
    """Fuzz the formats in turn; 1 where a promise was broken."""
    asked = _arguments()
    if asked.play:
        play(asked.formats[0], Path(asked.play).read_bytes())
        return 0
    if find_spec("atheris") is None:
        print("skipped: atheris is not installed; it comes for Linux on x86-64 only")
        return 0
    seed = random.randrange(1, 2**31) if asked.seed is None else asked.seed
    folder = Path(tempfile.mkdtemp(prefix="fuzzed-readers-"))
    print(f"seed {seed}, {asked.seconds:g} s for each format", flush=True)
    broken = [name for name in asked.formats or FORMATS if not holds(name, folder, asked.seconds, seed)]
    if not broken:
        shutil.rmtree(folder)
    return 1 if broken else 0


def holds(name: str, folder: Path, seconds: float, seed: int) -> bool:
    """Fuzz one format in a process of its own, and tell what came of it."""
    script = Path(__file__).with_name("fuzzed_reader.py")
    command = [sys.executable, str(script), name, str(folder), f"{seconds:.0f}", str(seed)]
    code, said = ended(command, seconds + 3 * HANGS)
    if code == 0:
        number = _DONE.search(said)
        print(f"{name}: {int(number[1]) if number else 0:,} examples", flush=True)
        return True
    told = [line for line in said.split("\n") if line.strip() and not line.startswith(_CHATTER)]
    print("\n".join(told[-SHOWN:]))
    found = ", ".join(str(path) for path in sorted(folder.glob(f"{name}-*"))) or "no file"
    print(f"{name}: a promise was broken with the seed {seed} by {found}", flush=True)
    return False


def ended(command: list[str], seconds: float) -> tuple[int, str]:
    """The exit code of a command and all that it said; 1 where it had to be stopped."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 1, f"the fuzzer did not end within {seconds:.0f} s"
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--play", metavar="FILE", help="an example to check once, of the format that is named")
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    asked = parser.parse_args()
    if unknown := [name for name in asked.formats if name not in FORMATS]:
        parser.error(f"{unknown[0]} is no format; those are {', '.join(FORMATS)}")
    if asked.play and len(asked.formats) != 1:
        parser.error("an example is played as one format")
    return asked


if __name__ == "__main__":
    sys.exit(main())
