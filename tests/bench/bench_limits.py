"""Files of one kind of character or record: time and memory grow with the text, and what is too much is refused early.

python tests/bench/bench_limits.py [NAME ...]

Each command of the shell runs in a process of its own. A run that is four times as long may take about four times the
time and memory; a file beyond a limit costs little more than a tiny chat. `make test` looks at the memory of a few.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.bench.servers import Figure, judged
from tests.samples.session_files import lines

MEGABYTE = 1_000_000
RUNS = {  # what fills a message
    "letter": "x",
    "letters": "qwertzuiopasdfgh",
    "digits": "73",
    "signs": "-",
    "mixed signs": "!?;:,.#",
    "blanks": " ",
    "line feeds": "\n",
    "tabs": "\t",
    "lines of blanks": " " * 50 + "\n",
    "Han": "字",
    "emoji": "😀",
    "families": "👩\u200d👧",
    "accents": "\u0301",
    "periods": "Ab-",
    "hex": "0123456789abcdef",
    "words": "word ",
    "no width": "\u200b",
}
COMMANDS = ("count", "summarize")
SHORT = 2 * MEGABYTE
MOST, SLACK = 6.0, 0.3  # times the seconds for four times the text; seconds that cannot be compared
PER_BYTE = 14.0  # of memory
TIMES, ROOM = 15.0, 300.0  # a refusal: times the seconds of a tiny chat, and MB


class Spent(NamedTuple):
    """What a command took, and its exit code."""

    seconds: float
    megabytes: float
    code: int


def session(*texts: str) -> str:
    """A session of Claude Code with these messages."""
    said = [("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts)]
    return lines(
        *(
            {"type": role, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s"}
            | {"message": {"role": role, "content": text}}
            for n, (role, text) in enumerate(said)
        )
    )


def filled(unit: str, size: int) -> str:
    """A session with a run of so many bytes among other messages."""
    run = unit * (size // len(unit.encode()))
    return session("Bake bread.", "Yes.", run, *["Go on."] * 8)


def many(before: str, one: str, behind: str, number: int = 1_000_000) -> Callable[[], str]:
    """A file that repeats something."""
    return lambda: before + one * number + behind


SAID = '{"role":"user","content":"a"}'
CODEX = (
    '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}}'
)
COPILOT = '{"type":"user.message","id":"a","data":{"content":"a"}}'
PARTS = json.dumps({"type": "user", "uuid": "u", "message": {"role": "user", "content": "P"}})
BEYOND: dict[str, tuple[str, Callable[[], str]]] = {
    "a line of 200 MB": ("a.jsonl", lambda: filled("x", 200 * MEGABYTE)),
    "a text of 200 MB": ("a.txt", many("", "word " * 20 + "\n", "", 2 * MEGABYTE)),
    "a million lines": (
        "a.jsonl",
        many("", '{"type":"user","uuid":"u","message":{"role":"user","content":"a"}}\n', ""),
    ),
    "a million messages": ("a.json", many("[", f"{SAID},", f"{SAID}]")),
    "a million messages of Gemini": (
        "a.json",
        many('{"sessionId":"s","projectHash":"h","messages":[', '{"id":"1","type":"user","content":"a"},', "1]}"),
    ),
    "150,000 messages of Codex": (
        "a.jsonl",
        many('{"type":"session_meta","payload":{"id":"a","cwd":"/a"}}\n', f"{CODEX}\n", "", 150_000),
    ),
    "150,000 messages of Copilot CLI": (
        "a.jsonl",
        many('{"type":"session.start","id":"s","data":{"sessionId":"s"}}\n', f"{COPILOT}\n", "", 150_000),
    ),
    "a million parts": ("a.jsonl", many(PARTS.split('"P"')[0] + "[", '{"type":"text","text":"a"},', "1]}}")),
    "ten million values": ("a.jsonl", many(PARTS.split('"P"')[0] + "[", "1,", "1]}}", 10 * MEGABYTE)),
}


def spent(arguments: Iterable[str]) -> Spent:
    """Run a command, and return what it took; a process inherits its parent's memory peak, so a small one starts it."""
    watch = (
        "import os, sys\n"
        "nowhere = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_RDWR, 0) for place in (1, 2)]\n"
        "process = os.posix_spawn(sys.executable, sys.argv[1:], os.environ, file_actions=nowhere)\n"
        "_, status, used = os.wait4(process, 0)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status))\n"
    )
    command = [sys.executable, "-c", watch, sys.executable, "-m", "compact_chat", *arguments]
    with os.popen(" ".join(f"'{word}'" for word in command)) as told:
        seconds, peak, code = told.read().split()
    return Spent(float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024) / MEGABYTE, int(code))


def command_on(command: str, path: Path) -> Spent:
    """Run a command on a chat, without a model."""
    return spent([command, str(path), *(["--provider", "offline"] if command == "summarize" else [])])


def growth(name: str, command: str, folder: Path, size: int = SHORT) -> Iterator[Figure]:
    """Compare a run with one that is four times as long."""
    path, took = folder / "chat.jsonl", []
    for bytes_ in (size, 4 * size):
        path.write_text(filled(RUNS[name], bytes_), "utf-8")
        took.append(command_on(command, path))
    path.unlink()
    short, long = took
    yield f"{command}, {name}: time for four times the text", long.seconds / max(short.seconds, SLACK), MOST, "x"
    grown = (long.megabytes - short.megabytes) * MEGABYTE / (3 * size)
    yield f"{command}, {name}: memory for a byte", max(0.0, grown), PER_BYTE, "B"


def refusal(name: str, folder: Path, tiny: Spent) -> Iterator[Figure]:
    """Compare the refusal of a file beyond a limit with a tiny chat."""
    file, text = BEYOND[name]
    (path := folder / file).write_text(text(), "utf-8")
    took = command_on("count", path)
    path.unlink()
    yield f"{name}: refused", took.code, 1, ""
    yield f"{name}: time / a tiny chat", took.seconds / tiny.seconds, TIMES, "x"
    yield f"{name}: memory", took.megabytes, ROOM, "MB"


def figures(names: list[str]) -> Iterator[Figure]:
    """Measure all, or what is named."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in RUNS:
            for command in COMMANDS if not names or name in names else ():
                yield from growth(name, command, folder)
        (tiny := folder / "tiny.jsonl").write_text(session("Bake bread.", "Yes."), "utf-8")
        baseline = command_on("count", tiny)
        for name in BEYOND:
            if not names or name in names:
                yield from refusal(name, folder, baseline)


if __name__ == "__main__":
    sys.exit(judged(figures(sys.argv[1:])))
