"""Work is linear in the text: four times the text takes about four times as long, whatever it repeats.

python tests/bench/bench_linear.py [NAME ...]

Each row of DOORS is a way into a room with the stretches that once made it slow, or might. A stretch is repeated until
it fills 50,000 and 200,000 characters; the best of three runs counts, so that a busy machine fails nothing.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.cli.terminal import wrapped
from compact_chat.errors import CompactChatError
from compact_chat.measure import Counter
from compact_chat.read import Source, folder_named, heading_of, read_chat
from compact_chat.redact import Redactor, Stream
from compact_chat.text import TAGS, escape_labels, escape_tags, find_tags, strip_summary_wrappers

SHORT, LONG = 50_000, 200_000  # characters
MOST = 8.0  # times as long for four times the text
SLACK = 0.1  # seconds; shorter runs cannot be timed

KEY = f"-----BEGIN PRIVATE KEY-----\n{'A' * 20}\n-----END PRIVATE KEY-----\n"
SECRETS = (
    *(" ", "a", "=", "\n", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "token=", "token=a1", "password:"),
    *("secret: a1b2c3", "PASSWORD=abcd<>", "PASSWORD=abcd,<>", "eyJ.", "sk-ant-", "AKIA", "://a:b", "a@", "a.@a."),
    *("cookie: a=b1", "bearer ", "_key=", "İ", "\\n", "-", "hvs.", "SK", ":AA", "@tcp(", "mysql ", "pass: ", "-u a:"),
    *("key=", "token:", "://", "phrase: ", 'mnemonic="abc ', f"é{KEY}", "é\nPrivate-Lines: 1\nAAAA"),
    'def token_of(user: User) -> str:\n    return self.tokens.get(user.key, "")  # the password is elsewhere\n',
)
DOCUMENTS = (
    *("[", "{", '{"a":', "[[", '"', "\\", "\n", "```\n", "### User\n", "> ", "<a>", "</"),
    *('{"role":"user"}\n', "\x00", '\\"', '{"\\"', "{}", "{}\n", "[[],", "]", '[{"a":"', "\r\n", "\0\n", "x\n"),
    *("#", "*", "⎿", "⏺ ", "User:\n", "m: x\n\n", "> x\n\n", "⏺ x\n", "## User\nx\n## Assistant\ny\n"),
    *("m: x\n\nClaude: y\n\n", "> x\n\n⏺ y\n\n", "```a\n", "~~~x\n```y\n"),
)
ENDS = ('"summary":1,', '"customTitle":"', "{", '{"$set":\n', '"cwd":"', '"source": {', "\\", '",', '"\\')
SAID = (
    *(" ", "<", "\n", ":\n<task>", "</task>", "[read_file for '", "[read_file for 'x'] Result:\ny\n"),
    *("<environment_details>", "<tagged_files>", "<system_reminder>x</system_reminder>", "<scratchpad>"),
    *("</scratchpad> ", "<session_context>", "<userRequest>", "<system-reminder>x</system-reminder>"),
)
MARKUP = ("<", "<summary ", "</summary", "<\u200b", " ", "\n", "<a>", "[user]:\n", "<context-summary> ", "\u200b")
TEXTS = (" ", "a", "\n", "=", "a ", "😀", "\u0301", "中", "1", "\t\n")


def stream(text: str) -> None:
    """Mask a text that arrives in pieces."""
    masking = Stream(Redactor(), lambda _: None)
    for at in range(0, len(text), 12):
        masking.add(text[at : at + 12])
    masking.end()


def read(text: str) -> None:
    """Read a file of any format, or refuse it."""
    try:
        read_chat(Source.of_bytes(text.encode()))
    except CompactChatError:
        return


def read_message(text: str) -> None:
    """Read what a person said, without the wrappers of any tool."""
    read_chat(Source.of_document({"messages": [{"role": "user", "content": text}]}))


def listed(text: str) -> None:
    """Read both ends of a file, as a listing does."""
    data = f'{{"sessionId": "s", "projectHash": "h", "messages": [1, 2], {text}'.encode()
    heading_of(data, data, "gemini")
    folder_named(data)


def mark(text: str) -> None:
    """Find and escape tags and labels, and strip wrappers."""
    list(find_tags(text, TAGS))
    escape_tags(text)
    escape_labels(text, re.compile(r"\[user\]:"))
    strip_summary_wrappers(f"{text}{text.replace('<', '</')}")


DOORS: dict[str, tuple[Callable[[str], object], Iterable[str]]] = {
    "mask": (Redactor(emails=True), SECRETS),
    "mask a stream": (stream, ("plain words ", "token=", "a", "-----BEGIN", "password is ")),
    "count": (lambda text: Counter().count(text), TEXTS),
    "read": (read, DOCUMENTS),
    "read a message": (read_message, SAID),
    "list": (listed, ENDS),
    "mark": (mark, MARKUP),
    "show": (lambda text: list(wrapped(text, 100)), TEXTS),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the best of three times."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work(text)
        best = min(best, time.process_time() - begin)
    return best


def main(*names: str) -> int:
    """Time each door with each stretch; return 1 if one is not linear."""
    broken = 0
    for name in names or DOORS:
        work, units = DOORS[name]
        worst, its_unit = 0.0, ""
        for unit in units:
            short, long = (seconds(work, unit * (size // len(unit))) for size in (SHORT, LONG))
            ratio = long / max(short, SLACK / MOST)
            worst, its_unit = max((worst, its_unit), (ratio, unit))
        broken += worst > MOST
        print(f"{name:16} at most {worst:4.1f} times as long for four times the text ({its_unit[:24]!r})")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
