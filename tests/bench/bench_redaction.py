"""Redaction: secrets missed, false positives, and speed; a folder of chats may be given."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.chat import Message, texts
from compact_chat.errors import CompactChatError
from compact_chat.read import Source, read_chat
from compact_chat.redact import Redactor, SpanCache
from tests.bench.chats import MEGABYTE, session, text
from tests.strategies.secrets_places import left_over, planted

CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
SEEDS, EACH = 10, 500
MOST_LEFT, MOST_FALSE = 0, 1.0  # planted secrets; findings per 100,000 characters
SLOWEST, SLOWEST_WARM = 5.0, 0.030  # megabytes per second; seconds for a chat of a million tokens
# Strings in the real chats that their collectors put in the place of real secrets, or that are passwords there.
TRUE = ("NotARealKey", "flag{")


def main() -> int:
    """Print every figure, and return 1 if one is beyond its limit."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    broken = [_planted(), _speed(), _warm()]
    if folder.is_dir():
        broken.append(_real(folder))
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


def _said(folder: Path) -> Iterator[str]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "broken" not in path.parts):
        try:
            chat = read_chat(Source.of_bytes(path.read_bytes(), path.name))
        except CompactChatError:
            continue
        for message in chat.messages:
            yield from texts(message)


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


def _masked(chat: Sequence[Message], clean: Redactor) -> float:
    begin = time.process_time()
    clean.messages(chat)
    return time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
