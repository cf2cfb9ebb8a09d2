"""How long a server survives its end: killed in every way, at every moment from its start to the middle of work."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.bench.servers import Figure, judged
from tests.servers.ends import WAYS, big_chat, die, faults, left_behind, private_places, trials

TRIALS = 30  # per way to end
GONE = 2.0  # seconds, as promised in PROTOCOL.md


def figures(folder: Path) -> Iterator[Figure]:
    """End servers one by one, and check what they left."""
    chat, places = big_chat(folder / "big.jsonl"), folder / "places"
    places.mkdir()
    env, every = private_places(places), [one for way in WAYS for one in trials(way, TRIALS)]
    random.Random(1).shuffle(every)
    deaths = [die(trial, env, chat) for trial in every]
    print(*(fault for death in deaths for fault in faults(death, GONE)), sep="\n")
    for way in WAYS:
        yield f"the longest end by {way}", max(one.seconds for one in deaths if one.trial.way == way), GONE, "s"
    yield "processes, files and folders left behind", len(left_behind(env)), 0, "of them"


if __name__ == "__main__":
    if not Path("/proc/self/stat").exists():
        sys.exit("only Linux tells what this measures")
    with tempfile.TemporaryDirectory() as place:
        sys.exit(judged(figures(Path(place))))
