"""What a hard life leaves behind: a thousand ends, a hundred cancels, a client that is deaf, two hours of traffic."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.servers.editor import Editor
from tests.servers.ends import MARK, PATIENCE, WAYS, big_chat, die, faults, left_behind, private_places, trials
from tests.servers.processes import (
    cpu_seconds,
    marked,
    open_files,
    resident,
    seconds_until_quiet,
    shared_memory,
    system_wide,
    within,
)
from tests.servers.wire_client import SERVE, WireClient
from tests.strategies.storms import KINDS, DeafClient, Storm, formats, is_right, leave_unread, prompts

ENDS, CANCELS = 1000, 100
GONE, QUIET, GROWTH = 2.0, 1.0, 10.0  # seconds, seconds and MiB that are promised
UNREAD, ROOM = 64, 32  # MiB of answers that may wait for their reader, and what they may take beside their bytes
TURNS, SIZE, FIRST = 2880, 1_000_000, 600  # of the chat after two hours; seconds after which everything is loaded

Figure = tuple[str, float, float, str]  # name, measured, limit, unit


def main() -> int:
    """Print each figure beside its limit; 1 where one is over it."""
    if not Path("/proc/self/stat").exists():
        print("only Linux tells what this measures")
        return 0
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, measured, limit, unit in chain(*(part(Path(folder)) for part in (ending, cancelling, deaf, living))):
            print(f"{name}: {measured:.3g} {unit} (limit {limit:g} {unit})", flush=True)
            over += measured > limit
    return 1 if over else 0


def ending(folder: Path) -> Iterator[Figure]:
    """Start a server and end it, a thousand times in a row, in every way and at every moment."""
    chat, places, before = big_chat(folder / "big.jsonl"), folder / "places", system_wide()
    places.mkdir()
    env, every = private_places(places), [one for way in WAYS for one in trials(way, -(-ENDS // len(WAYS)))]
    random.Random(1).shuffle(every)
    deaths = [die(trial, env, chat) for trial in every]
    found = [fault for death in deaths for fault in faults(death, GONE)]
    print(*found, sep="\n")
    for way in WAYS:
        seconds = sorted(death.seconds for death in deaths if death.trial.way == way)
        print(f"{way}: {len(seconds)} ends, half within {seconds[len(seconds) // 2] * 1000:.0f} ms")
        yield f"the longest end by {way}", seconds[-1], GONE, "s"
    shown = sum("Traceback" in death.log for death in deaths)
    print(f"{shown} were interrupted while they loaded, and showed a traceback")
    within(PATIENCE, lambda: not marked(env[MARK]))
    yield "faulty ends", len(found), 0, "of them"
    yield "processes, files and folders left behind", len(left_behind(env)), 0, "of them"
    yield "shared memory, semaphores and queues left behind", len(system_wide() - before), 0, "of them"


def cancelling(folder: Path) -> Iterator[Figure]:
    """Cancel work on chats of a million tokens, in every operation and shape, at any moment."""
    client, draw = _initialized(), random.Random(2)
    storm = Storm(client, folder)
    for kind in KINDS:
        storm.measure(kind)
    memory, files = resident(storm.number), open_files(storm.number)
    runs = [storm.cancel(draw.choice(KINDS), draw.random()) for _ in range(CANCELS)]
    off, used = sum("error" in run.answer for run in runs), sum(run.cpu for run in runs)
    print(f"{off} of {CANCELS} cancelled, the others done; {used:.2f} s of CPU time after the cancels")
    yield "wrong answers to what was cancelled", sum(not is_right(run.answer) for run in runs), 0, "of them"
    yield "the longest work after a cancel", max(run.seconds for run in runs), QUIET, "s"
    yield "work after cancels / work that they saved", used / sum(run.left for run in runs), 0.25, "x"
    yield "memory after the cancels, beside before", resident(storm.number) - memory, 32, "MiB"
    yield "files opened and not closed", len(open_files(storm.number)) - len(files), 0, "of them"
    yield "shared memory and semaphores in use", len(shared_memory(storm.number)), 0, "of them"
    client.close()


def deaf(folder: Path) -> Iterator[Figure]:
    """Ask for answers of more than 200 MB and read nothing, then read all."""
    floods = {"few bytes ask for": prompts(600, folder), "many bytes ask for": formats(3000)}
    for name, ways in floods.items():
        client = DeafClient()
        client.initialize()
        grown, wrong = leave_unread(client, ways)
        client.close()
        yield f"memory while nobody reads 230 MB that {name}", grown, UNREAD + ROOM, "MiB"
        yield f"wrong among {len(ways)} answers that were left for later", len(wrong), 0, "of them"


def living(folder: Path) -> Iterator[Figure]:
    """Replay two hours on a chat that grows to a megabyte, beside ten minutes on one that has that size already."""
    old, young = WireClient(), WireClient()
    lived = Editor(old, folder / "lived.jsonl", TURNS, SIZE)
    for second in lived.live():
        if second % FIRST == 0:
            print(f"{second // 60} minutes: {_memory(old):.0f} MiB", flush=True)
    print(f"{sum(lived.sent.values())} messages, {cpu_seconds(old.process.pid):.0f} s of CPU time")
    fresh = Editor(young, folder / "fresh.jsonl", TURNS, SIZE)
    fresh.grow(TURNS)
    for _ in fresh.live(FIRST, grows=False):
        pass
    print(f"a server that met this chat ten minutes ago: {_memory(young):.0f} MiB")
    yield "memory after two hours, beside ten minutes on the same chat", _memory(old) - _memory(young), GROWTH, "MiB"
    old.close()
    young.close()


def _memory(client: WireClient) -> float:
    seconds_until_quiet(client.process.pid)
    return resident(client.process.pid)


def _initialized() -> WireClient:
    client = WireClient(SERVE)
    client.initialize()
    return client


if __name__ == "__main__":
    sys.exit(main())
