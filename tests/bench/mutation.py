"""Score the unit tests by mutation: change the product in one place at a time and see whether a test fails.

python -m tests.bench.mutation [--root DIR] --rooms read,plan [--sample 40] [--seed 1] [--tests DIR ...] [--json OUT]

One process imports the product and the tests of DIR and forks for everything else. A first child runs every test on the
unchanged product and records its time and the sampled statements that it reaches. Then each mutant gets a child, which
swaps the changed code into the live functions and runs the tests that reach it until one fails, cheap ones and those
that killed many mutants first. The failure counts if this test, run alone, fails with the mutant once more and passes
without it. Time is that of the processor, so that a busy machine changes no score.

Left out: tests that fail, are skipped or take more than SLOW seconds in the first child. The product in processes that
tests start is never mutated. `mutation.md` holds the scores that were taken; `mutants.py` says what a mutant is.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import gc
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.bench.mutants import (
    PACKAGE,
    Cache,
    Live,
    Module,
    Mutant,
    Probed,
    Swaps,
    caches,
    import_product,
    live_functions,
)

SLOW = 10.0  # seconds; slower tests are left out
BUDGET = 120.0  # seconds of recorded time that the tests of one mutant may take in total
MEMORY = 6 << 30  # bytes of address space for a child, since a mutant may append forever
COSTLY = {"_build"}  # caches shared between tests while recording: loading a vocabulary takes a tenth of a second


@settings(max_examples=1, database=None)
@given(st.text())
def warm(_: str) -> None:
    """Have hypothesis compute its tables once, before the forks."""


class Judge:
    """The pytest plugin that runs the collected tests against the mutants, in place of pytest's own loop."""

    def __init__(self, rooms: Sequence[str], sample: int, seed: int) -> None:
        self.rooms, self.sample, self.seed = rooms, sample, seed
        self.outcome, self.seconds, self.sound = "", dict[pytest.Item, float](), dict[pytest.Item, bool]()
        self.mutants: list[Mutant] = []
        self.kills = Counter[pytest.Item]()
        self.possible: dict[str, int] = {}
        self.caches: list[Cache] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Keep hypothesis from shrinking and from storing failures."""
        settings.register_profile(
            "mutation", settings(), phases=[Phase.explicit, Phase.generate], database=None, report_multiple_bugs=False
        )
        settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a test's outcome."""
        self.outcome = self.outcome if report.passed else report.outcome

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Sample, record, judge."""
        assert not session.testsfailed, "the tests cannot be collected"
        warm()
        import_product()
        self.caches = caches()
        modules = {room: [Module(room, path) for path in sources(room)] for room in self.rooms}
        live = live_functions()
        for room in self.rooms:
            self.mutants += self.sampled(modules[room], live)
        probes = Probed(self.mutants)
        self.record(
            session.items,
            [swap for room in self.rooms for one in modules[room] for swap in one.with_probes(probes, live)],
        )
        modules.clear()
        live.clear()
        gc.freeze()
        for mutant in self.mutants:
            mutant.statement = None
            mutant.outcome = self.judged(mutant)
            print(f"{mutant.room}: {mutant.outcome} {mutant}", file=sys.stderr, flush=True)
        return True

    def sampled(self, modules: list[Module], live: Live) -> list[Mutant]:
        """Draw mutants of one room uniformly."""
        changes = [change for module in modules for change in module.changes()]
        self.possible[modules[0].room] = len(changes)
        random.Random(f"{self.seed} {modules[0].room}").shuffle(changes)
        return list(islice(filter(None, (change(live) for change in changes)), self.sample))

    def record(self, items: list[pytest.Item], probes: Swaps) -> None:
        """Run each test once, in one child but with cleared caches, so that shared code counts as reached by each."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            log = Path(folder, "log")
            self.forked(Path(folder), probes, lambda: self.log(items, log))
            lines = log.read_text("utf-8").splitlines()
        assert len(lines) == len(items), f"{items[len(lines)].nodeid} ends the process"
        counts = Counter[str]()  # tests by outcome
        for item, line in zip(items, lines, strict=True):
            outcome, seconds, reached = json.loads(line)
            counts["slow" if outcome == "passed" and seconds > SLOW else outcome] += 1
            if outcome == "passed" and seconds <= SLOW:
                self.seconds[item] = seconds
                for number in reached:
                    self.mutants[number].reached.append(item)
        seconds = sum(json.loads(line)[1] for line in lines)
        print(f"tests: {dict(counts)} in {seconds:.0f} s", file=sys.stderr, flush=True)

    def log(self, items: list[pytest.Item], log: Path) -> bool:
        """Log each test's outcome, its time and the mutants it reaches."""
        reached = set[int]()
        builtins.__probe__ = reached.add  # type: ignore[attr-defined]  # what the probes call
        with log.open("w", encoding="utf-8") as file:
            for item in items:
                self.forget(COSTLY)
                reached.clear()
                began = time.process_time()
                outcome = self.run(item, None)
                print(json.dumps([outcome, time.process_time() - began, sorted(reached)]), file=file, flush=True)
        return False

    def run(self, item: pytest.Item, after: pytest.Item | None) -> str:
        """Run one test in this process and return its outcome."""
        self.outcome = "passed"
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        return self.outcome

    def forked(self, folder: Path, changes: Swaps, run: Callable[[], bool]) -> int:
        """Run in a child with changed functions and its own home; nonzero if it returns True, dies or is stopped."""
        pid = os.fork()
        if not pid:
            status = 2
            try:
                os.setsid()
                for stream in range(3):
                    os.dup2(os.open(os.devnull, os.O_RDWR), stream)
                for name in ("HOME", "TMPDIR", "XDG_STATE_HOME", "LOCALAPPDATA"):
                    os.environ[name] = str(folder)
                tempfile.tempdir = str(folder)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                self.forget()
                for function, code in changes:
                    function.__code__ = code
                status = int(run())
            finally:
                os._exit(status)
        status = os.waitpid(pid, 0)[1]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # processes that tests started and did not end
        return status

    def forget(self, kept: Container[str] = ()) -> None:
        """Clear the caches of the product and of the tests."""
        for cache in self.caches:
            if cache.__name__ not in kept:
                cache.cache_clear()

    def first_failure(self, items: list[pytest.Item], mutant: Mutant | None) -> int | None:
        """Run tests in a child until one fails, ends the child or takes too long; return its index."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            at = Path(folder, "at")

            def run() -> bool:
                for place, item in enumerate(items):
                    at.write_text(str(place))
                    for timer, least in ((signal.ITIMER_PROF, 5), (signal.ITIMER_REAL, 60)):
                        signal.setitimer(timer, max(least, least * self.seconds[item]))
                    if self.run(item, items[place + 1] if place + 1 < len(items) else None) != "passed":
                        return True
                return False

            status = self.forked(Path(folder), mutant.swaps if mutant else [], run)
            return int(at.read_text()) if status else None

    def judged(self, mutant: Mutant) -> str:
        """Return the verdict of the tests: `killed`, `survived`, or `unreached`."""
        order = sorted(mutant.reached, key=lambda item: self.seconds[item] / (1 + self.kills[item]))
        spent, items = 0.0, list[pytest.Item]()
        for item in order:
            spent += self.seconds[item]
            items += [item] * (spent < BUDGET)
        while items and (place := self.first_failure(items, mutant)) is not None:
            killer, items = items[place], items[place + 1 :]
            if self.is_sound(killer) and self.first_failure([killer], mutant) is not None:
                self.kills[killer] += 1
                return "killed"
        return "survived" if order else "unreached"

    def is_sound(self, item: pytest.Item) -> bool:
        """Check that a test passes alone on the unchanged product."""
        if item not in self.sound:
            self.sound[item] = self.first_failure([item], None) is None
        return self.sound[item]


def sources(room: str) -> list[Path]:
    """List the modules of a room, which may be a single module."""
    folder = PACKAGE.resolve() / room
    return sorted(folder.rglob("*.py")) or [folder.with_suffix(".py")]


def table(judge: Judge) -> Iterator[str]:
    """Format each room's score as a Markdown row."""
    yield "| room | possible | sampled | killed | unreached | score |"
    yield "|---|---:|---:|---:|---:|---:|"
    rows = {room: [one for one in judge.mutants if one.room == room] for room in judge.rooms}
    for room, mutants in {**rows, "all": judge.mutants}.items():
        possible = judge.possible[room] if room in judge.possible else sum(judge.possible.values())
        count = Counter(one.outcome for one in mutants)
        score = count["killed"] / (len(mutants) or 1)
        cells = [room, possible, len(mutants), count["killed"], count["unreached"], f"{score:.0%}"]
        yield f"| {' | '.join(map(str, cells))} |"


def as_json(judge: Judge, heading: str) -> str:
    """Return killed and sampled mutants by operator, and the survivors."""
    operators = {
        name: [sum(one.outcome == "killed" for one in judge.mutants if one.operator == name), count]
        for name, count in sorted(Counter(one.operator for one in judge.mutants).items())
    }
    living = [f"{one.outcome} {one}" for one in judge.mutants if one.outcome != "killed"]
    return json.dumps({"run": heading, "operators": operators, "living": living}, ensure_ascii=False, indent=1)


def main() -> int:
    """Judge the mutants of the chosen rooms and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--rooms", required=True, help="folders or modules of the product, with commas")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=["tests/unit"])
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    root, out = asked.root.resolve(), asked.json and asked.json.resolve()
    if os.environ.get("PYTHONHASHSEED") != "0":
        same = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{root / 'server'}:{root}"}
        os.execve(sys.executable, sys.orig_argv, os.environ | same)
    own = {Path(__file__).resolve().parent, Path(__file__).resolve().parents[2]}
    os.chdir(root)
    sys.path[:] = [str(root / "server"), str(root), *(path for path in sys.path if Path(path).resolve() not in own)]
    judge = Judge(asked.rooms.split(","), asked.sample, asked.seed)
    options = ["-q", "-s", "--assert=plain", "--tb=short", *("-p", "no:cacheprovider"), *("-p", "no:xdist")]
    status = pytest.main([*options, *asked.tests], plugins=[judge])
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    heading = f"commit {commit}, seed {asked.seed}, {asked.sample} per room, judged by {' '.join(asked.tests)}"
    print(heading, *table(judge), sep="\n")
    if out:
        out.write_text(as_json(judge, heading) + "\n", "utf-8")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
