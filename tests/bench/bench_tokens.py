"""Counting beside plain tiktoken, in one run and in turn: `python tests/bench/bench_tokens.py`."""

from __future__ import annotations

import json
import random
import statistics
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from itertools import chain, count
from pathlib import Path

from compact_chat.measure import Counter
from compact_chat.measure.tokens import encoding

MEGABYTE = 1_000_000
ROUNDS = 7
WORDS = {
    "ru": "чат контекст сжатие память модель строка ошибка проверка файл окно остаток решение перед после очень",
    "zh": "上下文 压缩 对话 模型 文件 错误 测试 因为 我们 需要 检查 结果 然后 修改 函数 已经 完成",
    "ja": "会話 圧縮 モデル ファイル エラー テスト 確認 しました ください 結果 から 修正 関数 です",
}

Figure = tuple[str, float, float, str]  # name, measured, limit, unit


def main() -> int:
    """Print each figure beside its limit; 1 where one is over it."""
    figures = list(chain(counting(), again(), loading()))
    for name, measured, limit, unit in figures:
        print(f"{name}: {measured:.3g} {unit} (limit {limit:g} {unit})")
    return int(any(measured > limit for _, measured, limit, _ in figures))


def counting() -> Iterator[Figure]:
    """Our counts of 20 MB beside tiktoken's own; our cache starts empty."""
    documents = corpus()
    plain = encoding("o200k_base")
    ways: dict[str, Callable[[], int]] = {
        "tiktoken": lambda: sum(len(plain.encode_ordinary(text)) for text in documents),
        "ours": lambda: sum(map(Counter().count, documents)),
    }
    seconds, totals = in_turn(ways)
    if len(set(totals.values())) > 1:
        raise SystemExit(f"the counts differ: {totals}")
    size = sum(len(text.encode("utf-8", "replace")) for text in documents) / MEGABYTE
    print(f"{len(documents)} documents, {size:.1f} MB, {totals['tiktoken']} tokens")
    for name in ways:
        print(f"{name}: {size / seconds[name]:.1f} MB/s")
    yield "ours / tiktoken", seconds["ours"] / seconds["tiktoken"], 1.1, "x"


def in_turn(ways: dict[str, Callable[[], int]]) -> tuple[dict[str, float], dict[str, int]]:
    """The median seconds of each way, taken in turn so that a busy machine hits them alike, and what they gave."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    results: dict[str, int] = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            results[name] = way()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in seconds.items()}, results


def again() -> Iterator[Figure]:
    """Ten small messages counted once more."""
    counter = Counter()
    messages = [
        f"Message {number}: please look at the failing test in tests/unit once more. " * 6 for number in range(10)
    ]
    list(map(counter.count, messages))
    taken = []
    for _ in range(1_000):
        start = time.perf_counter()
        list(map(counter.count, messages))
        taken.append(time.perf_counter() - start)
    yield "ten known messages", statistics.median(taken) * 1e6, 20, "us"


def loading() -> Iterator[Figure]:
    """Building the encoding from the packaged file, as once per process."""
    from compact_chat.measure import tokens as vocabulary

    taken = []
    for _ in range(3):
        vocabulary._build.cache_clear()
        start = time.perf_counter()
        encoding("o200k_base")
        taken.append(time.perf_counter() - start)
    yield "load o200k_base", statistics.median(taken) * 1e3, 500, "ms"


def corpus() -> list[str]:
    """20 MB of different documents: code and papers of this Python, logs, JSON, and text in three other scripts."""
    chance = random.Random(7)
    paths = sysconfig.get_paths()
    texts = [
        up_to(7 * MEGABYTE, files(Path(paths["stdlib"]), {".py"})),
        up_to(7 * MEGABYTE, files(Path(paths["purelib"]), {".py", ".md", ".json", ".txt"})),
        up_to(2 * MEGABYTE, (log(chance) for _ in count())),
        up_to(2 * MEGABYTE, (rows(chance) for _ in count())),
        up_to(2 * MEGABYTE, (prose(chance) for _ in count())),
    ]
    return list(dict.fromkeys(chain(*texts)))


def up_to(size: int, texts: Iterator[str]) -> Iterator[str]:
    """Texts until they are `size` bytes."""
    for text in texts:
        if size <= 0:
            return
        yield text
        size -= len(text.encode("utf-8", "replace"))


def files(folder: Path, suffixes: set[str]) -> Iterator[str]:
    """The files of a folder in the order of their names."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes and "site-packages" not in path.relative_to(folder).parts and path.is_file():
            yield path.read_text("utf-8", errors="replace")


def log(chance: random.Random) -> str:
    """A log of a thousand lines."""
    return "".join(
        f"2026-11-{chance.randint(1, 30):02} {chance.random():.6f} [{chance.choice(['INFO', 'WARN', 'ERROR'])}] "
        f"worker-{chance.randint(1, 64)} request {chance.getrandbits(128):032x} took {chance.randint(1, 9999)} ms\n"
        for _ in range(1_000)
    )


def rows(chance: random.Random) -> str:
    """A JSON array of records, as a tool may answer."""
    records = [
        {
            "id": chance.getrandbits(48),
            "path": f"src/{chance.randint(1, 99)}/main.ts",
            "ok": chance.random() < 0.5,
            "score": chance.random(),
        }
        for _ in range(500)
    ]
    return json.dumps(records, indent=chance.choice([None, 2]))


def prose(chance: random.Random) -> str:
    """Paragraphs in Russian, Chinese or Japanese words."""
    script = chance.choice(sorted(WORDS))
    joint, end = (" ", ".\n") if script == "ru" else ("", "。\n")
    return "".join(joint.join(chance.choices(WORDS[script].split(), k=chance.randint(5, 40))) + end for _ in range(300))


if __name__ == "__main__":
    sys.exit(main())
