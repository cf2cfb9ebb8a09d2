"""Facts of a chat by an extractor of its own, and whether a text keeps them: nothing of `compact_chat.facts` is used.

A class has what anybody can count in a chat: sentences that were typed, files that edits named, functions that edits
defined, commands, errors that nothing overcame, commits, results of tests, tasks, values, reasons.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compact_chat.chat import Message, ToolCall, find_links, result_text, tool_parts

CLASSES = {
    "words": "what the user typed, by sentence",
    "rules": "of these, rules and wishes",
    "files": "changed files",
    "names": "new functions and types",
    "commands": "commands that did something",
    "errors": "open errors",
    "commits": "commits",
    "checks": "last results of tests and builds",
    "todos": "open tasks",
    "values": "values that the user gave, or that calls returned and the assistant named",
    "decisions": "decisions with a reason",
    "ending": "the end of the last answer",
}
MOST = 12  # sentences of one message, so that a pasted log does not outweigh all else
SHELLS = re.compile(r"bash|shell|exec|command|terminal", re.IGNORECASE)
EDITS = re.compile(r"edit|write|patch|replace|create_?file|insert", re.IGNORECASE)
LOOKS = re.compile(
    r"(?:cd \S+ *(?:&&|;) *)*(?:ls|cat|head|tail|grep|rg|find|sed -n|wc|pwd|echo|which|git (?:log|show|diff|status"
    r"|branch|blame|rev-parse|remote)|gh \w+ (?:view|list|checks)|tree|file|stat|nl|awk|sleep|ps|true|type|env|jq)\b"
)
LIMITED = re.compile(r"\s*(?:2>&1|2>/dev/null|\|\s*(?:head|tail)\b[^|;&]*)")  # how much of its output is shown
DEFINES = re.compile(
    r"^\s*(?:(?:export|default|async|public|private|protected|static|pub|abstract|final) +)*"
    r"(?:def|class|func|fn|function|interface|type|struct|enum|trait)\s+(?:\([^)\n]*\)\s*)?([A-Za-z_]\w{2,})",
    re.MULTILINE,
)
TESTS = re.compile(
    r"\b(?:pytest|jest|vitest|mocha|go test|cargo test|npm (?:run )?test|make (?:test|check)|tsc|unittest)\b"
)
TALLY = re.compile(
    r"\b\d+ (?:passed|failed|passing|failing|tests?)\b[^\n]{0,60}|^(?:ok|FAIL|BUILD)\b[^\n]{0,60}", re.MULTILINE
)
FAULT = re.compile(
    r"^.{0,200}(?:\w(?:Error|Exception)\b|\berror\b|\bfatal:|FAIL|No such file|not found|denied).{0,200}$", re.MULTILINE
)
COMMIT = re.compile(r"^\[[\w./ ()-]+ ([0-9a-f]{7,12})\] (.+)$", re.MULTILINE)
RULE = re.compile(
    r"\b(?:always|never|must|do not|don't|only use|prefer|make sure|without asking|from now on|no more than)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\b(?:because|instead of|rather than|decided to|so that|to avoid|chose|won't work|not worth)\b", re.IGNORECASE
)
VALUE = re.compile(
    r"https?://[^\s)\"'`<>\]]{6,}|#\d{2,6}\b|\b[0-9a-f]{7,40}\b|\bv?\d+\.\d+\.\d+\b|\b\d{4,}\b|\bport \d+\b"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
WORD = re.compile(r"[A-Za-z0-9_]{3,}|[^\W\d_a-zA-Z]{2,}")
FREQUENT = (
    "the and for are was were this that with from have has had you your can could should will would let its into our"
    " out any all but they them then there here when what which who how why also just now not did does been being"
    " some than too very only"
)
COMMON = frozenset(FREQUENT.split())
ALIKE = 0.75  # of the words of a sentence, on one line or two


class Kept(NamedTuple):
    """A fact of a class: any one of its texts shows it, or most of its words on one line."""

    kind: str
    texts: tuple[str, ...]
    by_words: bool = False


def facts_of(messages: Sequence[Message]) -> list[Kept]:
    """List the facts of all classes, each once."""
    found: dict[tuple[str, str], Kept] = {}
    for extract in (_words, _edits, _runs, _todos, _said):
        found |= {(one.kind, _folded(one.texts[0])): one for one in extract(messages)}
    return list(found.values())


def retention(facts: Sequence[Kept], text: str) -> dict[str, tuple[int, int]]:
    """Count for each class how many of its facts a text keeps, and how many there are."""
    folded = _folded(text)
    lines = [frozenset(_content(line)) for line in text.split("\n") if line.strip()]
    lines += [one | other for one, other in itertools.pairwise(lines)]
    found: dict[str, tuple[int, int]] = {}
    for fact in facts:
        there = any(_folded(one) in folded for one in fact.texts)
        if not there and fact.by_words:
            wanted = frozenset(_content(fact.texts[0]))
            there = len(wanted) > 1 and any(len(wanted & line) >= ALIKE * len(wanted) for line in lines)
        kept, total = found.get(fact.kind, (0, 0))
        found[fact.kind] = kept + there, total + 1
    return found


def _content(text: str) -> Iterator[str]:
    return (word for word in map(str.lower, WORD.findall(text)) if word not in COMMON)


def _folded(text: str) -> str:
    """Drop what marks up a text: quotes, ticks, escapes, white space."""
    text = re.sub(r"\d{6,}(?=/)", "0", text)  # ids of what a command is about
    return " ".join(
        re.sub(r"[`*\"'“”‘’\\]|^[ \t]*>", "", text, flags=re.MULTILINE).lower().replace("&lt;", "<").split()
    )


def _sentences(text: str) -> list[str]:
    plain = re.sub(r"```.*?(?:```|\Z)", "\n", text, flags=re.DOTALL)
    found = (one.strip(" -*#>\t") for one in SENTENCE.split(plain))
    return [one for one in found if len(list(_content(one))) > 2 and len(one) < 400]


def _words(messages: Sequence[Message]) -> Iterator[Kept]:
    for message in messages:
        for one in _sentences(message.typed_text)[:MOST]:
            yield Kept("words", (one,), by_words=True)
            if RULE.search(one) and not one.endswith("?"):
                yield Kept("rules", (one,), by_words=True)
        yield from (Kept("values", (value,)) for value in VALUE.findall(message.typed_text)[:MOST])


def _steps(messages: Sequence[Message]) -> Iterator[tuple[ToolCall, str, bool]]:
    """Yield each call with its answer, and whether it failed."""
    parts = dict(tool_parts(messages))
    results = {call: parts[result] for result, call in find_links(messages).answers.items()}
    for place, part in parts.items():
        if isinstance(part, ToolCall):
            result = results.get(place)
            answer = result_text(result) if result is not None and not isinstance(result, ToolCall) else ""
            code = re.search(r"exit(?:ed with)?[ _]code\"?:? *(\d+)", answer[:300] + answer[-300:], re.IGNORECASE)
            yield part, answer, bool(getattr(result, "is_error", False) or (code and code[1] != "0"))


def _command(call: ToolCall) -> str:
    if not SHELLS.search(call.name):
        return ""
    given = next((value for name, value in call.input.items() if name in ("command", "cmd", "script")), "")
    last = given[-1] if isinstance(given, list) and given else given
    return last.strip() if isinstance(last, str) else ""


def _edits(messages: Sequence[Message]) -> Iterator[Kept]:
    there: dict[str, set[str]] = {}
    added: dict[str, set[str]] = {}
    for call, _, failed in _steps(messages):
        texts = {name: value for name, value in call.input.items() if isinstance(value, str)}
        patch = next((value for value in texts.values() if "*** Begin Patch" in value), "")
        if failed or not (patch or EDITS.search(call.name)):
            continue
        paths = re.findall(r"^\*\*\* (?:Update|Add) File: (.+)$", patch, re.MULTILINE)
        paths += [value for name, value in texts.items() if re.search(r"path|file$", name, re.IGNORECASE)]
        old = "\n".join(value for name, value in texts.items() if name.lower().startswith("old"))
        new = "\n".join(value for name, value in texts.items() if re.match(r"new|content|file_text", name.lower()))
        old += "\n".join(line[1:] for line in patch.split("\n") if line[:1] in ("-", " "))
        new += "\n".join(line[1:] for line in patch.split("\n") if line[:1] == "+")
        for path in paths[:1] if not patch else paths:
            name = path.replace("\\", "/").rpartition("/")[2].strip()
            if name:
                yield Kept("files", (name,))
        key = paths[0] if paths else ""
        before, after = set(DEFINES.findall(old)), set(DEFINES.findall(new))
        there.setdefault(key, set()).update(before)
        added[key] = (added.get(key, set()) - (before - after)) | (after - there[key])
    for names in added.values():
        yield from (Kept("names", (name,)) for name in sorted(names))


def _runs(messages: Sequence[Message]) -> Iterator[Kept]:
    checks: dict[str, str] = {}
    unsolved: dict[str, str] = {}
    for call, answer, failed in _steps(messages):
        command = _command(call)
        if not command:
            continue
        line = next((one for one in command.split("\n") if one.strip() and one[:1] != "#"), "")
        task = " ".join(re.sub(r"^(?:cd \S+ *(?:&&|;) *)+", "", line).split()[:2])
        if not LOOKS.match(command):
            bare = LIMITED.sub("", line)  # the folder may be told once
            yield Kept("commands", (bare[:60], re.sub(r"^(?:cd \S+ *(?:&&|;) *)+", "", bare)[:60]))
            fault = next((one for one in FAULT.findall(answer[-6000:])), "") if failed else ""
            if fault.strip():
                unsolved[task] = fault.strip()
            elif not failed:
                unsolved.pop(task, None)
        for hash_, subject in COMMIT.findall(answer):
            yield Kept("commits", (hash_[:7], subject))
        if TESTS.search(line) and (tally := TALLY.findall(answer)):
            checks[task] = " ".join(tally[-1].split())
    yield from (Kept("errors", (fault[:160],), by_words=True) for fault in unsolved.values())
    for task, result in checks.items():  # a package's line says as little as `passed`
        ended = f"{task} {'failed' if result.startswith('FAIL') else 'passed'}"
        yield Kept("checks", (ended if result.startswith(("ok", "FAIL")) else result,), by_words=True)


def _todos(messages: Sequence[Message]) -> Iterator[Kept]:
    newest: list[object] = []
    for call, _, _ in _steps(messages):
        listed = call.input.get("todos") or call.input.get("plan") or call.input.get("todoList")
        if isinstance(listed, list):
            newest = listed
    for one in newest:
        if isinstance(one, dict) and one.get("status") not in ("completed", "done"):
            text = next((one[name] for name in ("content", "step", "title") if isinstance(one.get(name), str)), "")
            if text:
                yield Kept("todos", (text,), by_words=True)


def _said(messages: Sequence[Message]) -> Iterator[Kept]:
    returned = "\n".join(answer for call, answer, _ in _steps(messages) if _command(call))
    ends = dict[int, str]()
    turn = 0
    for message in messages:
        turn += bool(message.typed_text)
        if message.role == "assistant" and message.text.strip() and not message.is_summary:
            ends[turn] = message.text
    for text in ends.values():
        for value in dict.fromkeys(VALUE.findall(text)):
            if value in returned:
                yield Kept("values", (value,))
        for one in _sentences(text):
            if REASON.search(one) and not one.endswith("?"):
                yield Kept("decisions", (one,), by_words=True)
    if ends:
        yield from (Kept("ending", (one,), by_words=True) for one in _sentences(ends[max(ends)])[-3:])
