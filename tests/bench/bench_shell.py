"""The cost of a count from a shell, compared with the least that any program with tiktoken has to do."""

from __future__ import annotations

import base64
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.measure import weights as vocabulary
from tests.bench.chats import write_chat

ROUNDS = 15
LIMIT = 1.3
TOKENS = 250_000  # about a megabyte
# The name under which tiktoken looks for o200k_base in its cache.
CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"

# The minimum: start Python, load tiktoken with its vocabulary, parse the lines, count their texts.
LEAST = """
import json, sys, tiktoken
encoding, total = tiktoken.get_encoding("o200k_base"), 0
for line in open(sys.argv[1], encoding="utf-8"):
    content = json.loads(line)["message"]["content"]
    for block in content if isinstance(content, list) else [{"text": content}]:
        text = block.get("text") or block.get("content") or json.dumps(block.get("input"))
        total += len(encoding.encode_ordinary(text))
print(total)
"""


def main() -> int:
    """Compare both in one run, alternating."""
    with tempfile.TemporaryDirectory() as folder:
        chat, env = (
            write_chat(Path(folder) / "chat.jsonl", TOKENS),
            os.environ | {"TIKTOKEN_CACHE_DIR": write_cache(Path(folder))},
        )
        ours, least = (
            [sys.executable, "-m", "compact_chat", "count", str(chat)],
            [sys.executable, "-c", LEAST, str(chat)],
        )
        pairs = [(seconds(ours, env), seconds(least, env)) for _ in range(ROUNDS)]
    mine, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"count of a 1 MB chat from a shell: {mine / bare:.2f} x the least ({LIMIT} x)  {mine:.3f} s, {bare:.3f} s")
    return 1 if mine / bare > LIMIT else 0


def seconds(command: list[str], env: dict[str, str]) -> float:
    """Time one run from start to end."""
    began = time.perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    return time.perf_counter() - began


def write_cache(folder: Path) -> str:
    """Write the vocabulary where tiktoken looks for it, in its published form."""
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in vocabulary._ranks("o200k_base").items())
    (folder / CACHE_NAME).write_bytes(b"".join(lines))
    return str(folder)


if __name__ == "__main__":
    sys.exit(main())
