"""What a count from a shell costs, beside the least that any program with tiktoken has to do."""

from __future__ import annotations

import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compact_chat.measure import tokens as vocabulary

ROUNDS = 15
LIMIT = 1.3
CHAT_BYTES = 1_000_000
# The name under which tiktoken looks for its o200k_base in its cache.
CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"

# The least: start Python, load tiktoken with its vocabulary, parse the lines, count their texts.
LEAST = """
import json, sys, tiktoken
encoding, total = tiktoken.get_encoding("o200k_base"), 0
for line in open(sys.argv[1], encoding="utf-8"):
    for block in json.loads(line)["message"]["content"]:
        text = block.get("text") or block.get("content") or json.dumps(block.get("input"))
        total += len(encoding.encode_ordinary(text))
print(total)
"""


def main() -> int:
    """Compare both in one run, turn by turn."""
    with tempfile.TemporaryDirectory() as folder:
        chat, env = write_chat(Path(folder)), os.environ | {"TIKTOKEN_CACHE_DIR": write_cache(Path(folder))}
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
    """Write the vocabulary where tiktoken looks for it, in the form it was published in."""
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in vocabulary._ranks("o200k_base").items())
    (folder / CACHE_NAME).write_bytes(b"".join(lines))
    return str(folder)


def write_chat(folder: Path) -> Path:
    """Write a session of a megabyte: wishes, calls, results with source code in them, answers."""
    source = Path(statistics.__file__).read_text("utf-8")
    chat, size, parent, number = folder / "chat.jsonl", 0, None, 0
    with chat.open("w", encoding="utf-8") as file:
        while size < CHAT_BYTES:
            record = one_record(number, parent, source[number * 997 % 20_000 :][:6000])
            parent, number = record["uuid"], number + 1
            size += file.write(json.dumps(record) + "\n")
    return chat


def one_record(number: int, parent: object, text: str) -> dict[str, object]:
    """Make one line: calls and results in turn."""
    call = {"type": "tool_use", "id": f"call-{number}", "name": "Read", "input": {"file_path": f"src/part_{number}.py"}}
    result = {"type": "tool_result", "tool_use_id": f"call-{number - 1}", "content": text}
    said = [{"type": "text", "text": text[:700]}, call] if number % 2 == 0 else [result]
    role = "assistant" if number % 2 == 0 else "user"
    message = {"id": f"msg-{number}", "role": role, "model": "gpt-5", "content": said}
    ids = {"uuid": f"uuid-{number}", "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return {"type": role, "message": message, "timestamp": f"2026-01-01T00:00:{number % 60:02}.000Z", **ids}


if __name__ == "__main__":
    sys.exit(main())
