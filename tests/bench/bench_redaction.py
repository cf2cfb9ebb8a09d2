"""Redaction: secrets missed, false positives, and speed; a folder of chats may be given.

What must hold on any machine is compared with a yardstick in the same run: splitting the text into words.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from string import ascii_letters, digits

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.chat import Message, Text, texts
from compact_chat.errors import CompactChatError
from compact_chat.read import Source, read_chat
from compact_chat.redact import Redactor, SpanCache
from tests.bench.chats import MEGABYTE, session, text
from tests.strategies.secrets_places import left_over, planted

CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
SEEDS, EACH = 10, 500
MOST_LEFT, MOST_FALSE = 0, 1.0  # planted secrets; findings per 100,000 characters
SLOWEST, SLOWEST_WARM = 5.0, 0.030  # megabytes per second; seconds for a chat of a million tokens
MOST_WORDS = 3.0  # times splitting a new chat into words, to mask it: 0.05 s per MB where that takes 0.017
MOST_WORDS_REAL = 3.8  # the same for real chats, of many short texts, ids and arguments: 0.06 s per MB
MOST_KNOWN = 2.4  # times that with 50 values in each MB, each masked once more without its name
MOST_SHARED = 1.3  # times the work per MB with four times as many values that begin each other
# Strings in the real chats that their collectors put in the place of real secrets, or that are passwords there.
TRUE = ("NotARealKey", "flag{")


def main() -> int:
    """Print every figure, and return 1 if one is beyond its limit."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    broken = [_planted(), _speed(), _warm(), _spread(), _shared()]
    if folder.is_dir():
        broken += [_real(folder), _real_speed(folder)]
    else:
        print(f"skipped: the collection of real chats is not at {folder}")
    print(f"{sum(broken)} figures beyond their limits")
    return int(any(broken))


def _planted() -> bool:
    left, kinds = Counter[str](), set[str]()
    for seed in range(SEEDS):
        for one in planted(EACH, seed):
            kinds.add(one.kind)
            left[one.kind] += bool(left_over(one, Redactor()(one.text)))
    print(f"planted: {left.total()} of {SEEDS * EACH} left, {len(kinds)} kinds; most {MOST_LEFT} {dict(+left)}")
    return left.total() > MOST_LEFT


def _real(folder: Path) -> bool:
    """Check each finding in real chats."""
    false, true, size = Counter[str](), Counter[str](), 0
    for said in set(_said(folder)):
        size += len(said)
        for span in Redactor().find(said):
            secret = said[span.start : span.end]
            (true if any(mark in secret for mark in TRUE) else false)[span.kind] += 1
    rate = false.total() / max(1, size) * 100_000
    print(f"real chats: {size / MEGABYTE:.1f} MB, {true.total()} true findings {dict(true)}, {false.total()} false")
    print(f"  {rate:.3f} false in 100 kB; most {MOST_FALSE} {dict(false)}")
    return rate > MOST_FALSE


def _real_speed(folder: Path) -> bool:
    """Mask each whole chat as an operation does, beside splitting its texts into words."""
    chats = [chat for chat in _chats(folder) if sum(map(len, chain.from_iterable(map(texts, chat)))) > 20_000]
    said = [text for chat in chats for message in chat for text in texts(message)]
    size = sum(map(len, said)) / MEGABYTE
    split = min(_timed(lambda: [re.findall(r"\w+", text) for text in said]) for _ in range(3)) / size
    masked = sum(min(_timed(partial(_cleaned, chat)) for _ in range(3)) for chat in chats) / size
    print(f"real chats: {masked:.4f} s/MB, {masked / split:.2f} times splitting into words; most {MOST_WORDS_REAL}")
    return masked > MOST_WORDS_REAL * split


def _said(folder: Path) -> Iterator[str]:
    for chat in _chats(folder):
        for message in chat:
            yield from texts(message)


def _chats(folder: Path) -> Iterator[Sequence[Message]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "broken" not in path.parts):
        with suppress(CompactChatError):
            yield read_chat(Source.of_bytes(path.read_bytes(), path.name)).messages


def _speed() -> bool:
    said = text(random.Random(0), 4 * MEGABYTE)
    begin = time.process_time()
    Redactor()(said)
    speed = 4 / (time.process_time() - begin)
    print(f"cold: {speed:.1f} MB/s; least {SLOWEST}")
    return speed < SLOWEST


def _warm() -> bool:
    """Mask a chat of a million tokens that was masked before."""
    chat, cache = read_chat(Source.of_text(session(4 * MEGABYTE))).messages, SpanCache()
    _masked(chat, Redactor(cache=cache))
    seconds = min(_masked(chat, Redactor(cache=cache)) for _ in range(5))
    print(f"warm: {1000 * seconds:.1f} ms for 4 MB in {len(chat)} messages; most {1000 * SLOWEST_WARM:.0f}")
    return seconds > SLOWEST_WARM


def _spread() -> bool:
    """Mask a chat that was never seen, without secrets and with many that occur again without their names."""
    said, source = text(random.Random(0), 4 * MEGABYTE), random.Random(1)
    values = ["".join(source.choices(ascii_letters + digits, k=16)) for _ in range(400)]
    step = len(said) // len(values)
    pieces = [said[at : at + step] for at in range(0, len(said), step)]
    named = [f"{piece}\nDB_PASSWORD={value}\n" for piece, value in zip(pieces[::2], values, strict=False)]
    again = [f"{piece} use {value} " for piece, value in zip(pieces[1::2], values, strict=False)]
    split = min(_timed(lambda: re.findall(r"\w+", said)) for _ in range(3)) / 4
    bare = _learned(pieces)
    known = _learned([*again, *named])
    print(f"masking: {bare:.4f} s/MB, {bare / split:.2f} times splitting into words; most {MOST_WORDS}")
    print(f"  with 50 values in each MB: {known:.4f} s/MB, {known / bare:.2f} times that; most {MOST_KNOWN}")
    return bare > MOST_WORDS * split or known > MOST_KNOWN * bare


def _shared() -> bool:
    """Mask values that begin each other: more of them cost no more for each MB."""
    source = random.Random(2)
    costs = []
    for count in (1, 4):
        whole = ["".join(source.choices(ascii_letters + digits, k=500)) for _ in range(count)]
        values = [one[:size] for one in whole for size in range(8, 500)]
        costs.append(_learned([*(f"DB_PASSWORD={value}\n" for value in values), *(f"{value} " for value in values)]))
    print(f"values that begin each other: {costs[0]:.4f} s/MB, with four times as many {costs[1]:.4f}")
    return costs[1] > MOST_SHARED * costs[0]


def _learned(said: Sequence[str]) -> float:
    """Return the seconds per MB that it takes to find the secrets of new messages, and to mask them everywhere."""
    chat = [Message(str(number), "user", (Text(one),)) for number, one in enumerate(said)]

    return min(_timed(lambda: _cleaned(chat)) for _ in range(3)) / sum(map(len, said)) * MEGABYTE


def _cleaned(chat: Sequence[Message]) -> None:
    clean = Redactor(cache=SpanCache())
    clean.learn(chat)
    clean.messages(chat)


def _timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _masked(chat: Sequence[Message], clean: Redactor) -> float:
    begin = time.process_time()
    clean.messages(chat)
    return time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
