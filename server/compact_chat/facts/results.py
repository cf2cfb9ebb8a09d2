"""What calls returned that is worth keeping: values that later turns used, names that edits added, and look-ups."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.errors import checkpoint
from compact_chat.facts.errors import FRAME, SEARCHES, file_read, plain_command, program, target, task_of
from compact_chat.facts.files import PROSE, edited_paths, file_kind, file_shown, file_uses, same_path, shown_path
from compact_chat.facts.steps import CLEARED, Step
from compact_chat.facts.words import shortened, shortened_command
from compact_chat.text import code

# What can be looked up and not guessed: addresses, ids, hashes, versions, numbers with a unit or of three digits.
_VALUE = re.compile(
    r"https?://[^\s\"'<>)\]}`|,;\\]{4,300}"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"
    r"|\bv?\d{1,5}\.\d{1,5}\.\d{1,5}(?:[-+][\w.]{1,40})?\b"
    r"|\b[A-Z]{2,8}-\d{1,6}\b|#\d{2,7}\b"
    r"|\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{6,64}\b"
    r"|\b\d{1,3}(?:,\d{3})+\b|\b\d{1,6}(?:\.\d{1,4})?(?:%|\s?(?:ms|s|kB|KB|MB|GB|GiB|MiB)\b)|\b\d{3,12}\b"
)
_PLAIN = re.compile(
    r"\d{3,4}|\d{1,3}s|\d{1,3}%|[\w-]{1,12}-(?:v?\d{1,2})|(?:19|20)\d\d-\d\d-\d\d(?:\w{0,9}|-[a-z]{1,20}\d{0,3})"
)  # too common
_SEPARATORS = re.compile(r"[\"'`()\[\]{}<>,;|*\\]+")
_INNER = re.compile(r"[=:/@]|(?=#)")
_HAS_INNER, _DIGIT = re.compile(r"[=:#/@]").search, re.compile(r"\d").search
MOST_SOUGHT = 50  # values; more take as long to look for as to take the words of a result apart
MOST_PIECES = 12  # of one word
_LONGEST_USE = 600  # characters of an argument; longer ones are contents of files
LONGEST_LINE, BEFORE = 200, 70  # characters of a line that is kept, and of those before the value
MOST_OF_ONE_STEP, LONGEST_CUT = 5, 10_000  # lines of a result, and characters of a line
MOST_VALUES = 50  # of a result
_MEMBER = re.compile(r"\"([\w.-]{1,40})\"\s?:\s?(?:\"([^\"\\\n]{0,160})\"|([\w.+-]{1,40}))")
_MEMBERS = re.compile(rf"(?:{_MEMBER.pattern},?\s?){{1,8}}")
_MARKS = re.compile(r"^[\s│└├─•|>*-]+(?=\S)|[\s|]+$")  # of lists, trees and tables around a line
_LINE_END = re.compile(r"\n|\\n")
_CONTENT = ("+", "-", "//", "# ", "<img ", "agentId:", "Output too large")  # of a file, or a note of the host


class Result(Struct, frozen=True):
    """A line that a call returned, its values that were used later, and the message of the call."""

    text: str
    values: tuple[str, ...]
    message: str
    source: str = ""  # the command or tool that returned it


def used_results(messages: Sequence[Message], taken: Sequence[Step]) -> list[Result]:
    """Find the lines of results with values that first occurred there and that later messages used."""
    places = {message.id: place for place, message in enumerate(messages)}
    first = _first_mentions(messages)
    if not first:
        return []
    found, known = list[Result](), set[str]()
    values, order = list(first), list(first.values())  # by the places where they were named first
    for step in taken:
        checkpoint()
        if step.answer is None or step.outcome == "unknown" or not _tells(step):
            continue
        here = places.get(step.message, 0)
        start = bisect_right(order, here)
        few = values[start:] if len(values) - start <= MOST_SOUGHT else None
        if few is not None and not any(value in step.answer for value in few if value not in known):
            continue
        new = [value for value in _values_in(step.answer, first) if first[value] > here and value not in known]
        known.update(new)
        found += _lines(step, new)
    return found


def _tells(step: Step) -> bool:
    """Whether a result holds more than files do, which can be read again."""
    reads = file_kind(step) is not None or step.tool in SEARCHES or step.answer == CLEARED
    return not reads and not (step.command and (program(step.command) in SEARCHES or file_shown(step)))


def _first_mentions(messages: Sequence[Message]) -> dict[str, int]:
    """Map each value in words and short arguments to the place of the message that named it first."""
    first: dict[str, int] = {}
    seen = set[str]()  # most words occur several times
    for place, message in enumerate(messages):
        checkpoint()
        if message.is_summary:
            continue
        texts = [message.typed_text] if message.role == "user" else [message.text]
        for call in message.calls:
            texts += [value for value in call.input.values() if isinstance(value, str) and len(value) <= _LONGEST_USE]
        words = {word for text in texts if _DIGIT(text) or "://" in text for word in text.split()} - seen
        seen |= words
        for word in _parted(words):
            for value in _VALUE.findall(word):
                first.setdefault(value.rstrip(".:"), place)
    return {value: place for value, place in first.items() if not _PLAIN.fullmatch(value)}


def _words(text: str) -> Iterator[str]:
    """Yield the words that can hold a value: those with a digit, and addresses."""
    if _DIGIT(text) or "://" in text:
        yield from _parted(dict.fromkeys(text.split()))


def _parted(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not word.isalpha() and (_DIGIT(word) or "://" in word):
            yield from _SEPARATORS.split(word) if _SEPARATORS.search(word) else (word,)


def _values_in(answer: str, wanted: Mapping[str, int]) -> list[str]:
    """List the wanted values among the words of a result, each once."""
    found: dict[str, None] = {}
    for word in dict.fromkeys(_words(answer)):
        pieces = [word, word.partition("=")[2], *_INNER.split(word)] if _HAS_INNER(word) else [word]
        for piece in pieces[:MOST_PIECES]:
            if (value := piece.rstrip(".:!?")) in wanted:
                found[value] = None
    return list(found)


def _lines(step: Step, values: Sequence[str]) -> Iterator[Result]:
    """Yield the lines with these values in their order, each as far as it tells what the values are."""
    answer = step.answer or ""
    lines: dict[int, list[str]] = {}
    for value in values[:MOST_VALUES]:
        at = answer.find(value)
        start = max(answer.rfind("\n", 0, at) + 1, answer.rfind("\\n", 0, at) + 2)  # also of a string in JSON
        start = max(start if start != 1 else 0, at - LONGEST_CUT // 2)
        lines.setdefault(start, []).append(value)
    for start, own in sorted(lines.items())[:MOST_OF_ONE_STEP]:
        line = _LINE_END.split(answer[start : start + LONGEST_CUT], maxsplit=1)[0]
        if len(line) > LONGEST_LINE:
            line = _excerpt(line, own)
            own = [value for value in own if value in line]
        if own and not line.lstrip().startswith(_CONTENT):
            line = line.strip()  # without the quotes of a JSON member
            shown = _MARKS.sub("", ", ".join(_members(line)) if _MEMBERS.fullmatch(line) else line)
            values = tuple(value for value in dict.fromkeys(own) if value in shown)
            if values:
                yield Result(shortened(shown, LONGEST_LINE), values, step.message, target(step))


def _members(line: str) -> Iterator[str]:
    yield from (f"{one[1]}: {one[2] or one[3]}" for one in _MEMBER.finditer(line))


def _excerpt(line: str, values: Sequence[str]) -> str:
    """Cut a long line: to the members of JSON with the values, else to what is around the first."""
    members = [one for one in dict.fromkeys(_members(line)) if any(value in one for value in values)]
    if members:
        return ", ".join(members)[:LONGEST_LINE]
    at = max(0, line.find(values[0]) - BEFORE)
    return line[at : at + LONGEST_LINE].partition(" ")[2] if at else line[:LONGEST_LINE]


# New functions and types, by the lines that define them.

DEFINES = re.compile(
    r"^[+ \t]{0,40}(?:(?:export|default|async|public|private|protected|static|abstract|final|pub(?:\([a-z]{1,9}\))?"
    r"|unsafe|const|override|virtual|inline|internal|sealed|partial|data|open)\s{1,4}){0,4}"
    r"(?:(?:def|class|fn|func|fun|function\*?|interface|type|struct|enum|trait|protocol|object|record|module)"
    r"\s{1,4}(?:\([^()\n]{0,80}\)\s{0,2})?([A-Za-z_$][\w$]{1,60})"
    r"|(?:const|let|var)\s([A-Za-z_$][\w$]{1,60})\s{0,2}=\s{0,2}(?:async\s)?"
    r"(?:function\b|\([^()\n]{0,200}\)\s{0,2}(?::[^=\n]{1,60})?=>))",
    re.MULTILINE,
)
OLD_TEXT = ("old_string", "oldString", "old_str", "oldText", "old_text", "search")
NEW_TEXT = (
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
    "content",
    "file_text",
    "contents",
    "replace",
    "code",
)
MOST_NAMES, MOST_TESTS = 10, 2  # of a file
_TEST = re.compile(r"test_|Test[A-Z_]|Benchmark[A-Z_]")
_USUAL = frozenset({"main", "__init__", "constructor", "init", "setup"})


class NewNames(Struct, frozen=True):
    """The functions and types that edits added to a file, and the message of the first; its other tests."""

    path: str
    names: tuple[str, ...]
    message: str
    tests: tuple[str, ...] = ()


def new_names(taken: Sequence[Step]) -> list[NewNames]:
    """List what edits added to each file, without what they only moved or changed."""
    found: dict[str, dict[str, str]] = {}
    old: dict[str, set[str]] = {}
    for step in taken:
        checkpoint()
        paths = edited_paths(step)
        if len(paths) != 1 or paths[0].endswith(PROSE):
            continue
        before, after = _names_of_edit(step)
        old.setdefault(paths[0], set()).update(before)
        names = found.setdefault(paths[0], {})
        for name in before - after:
            names.pop(name, None)
        for name in sorted(after - old[paths[0]]):
            names.setdefault(name, step.message)
    listed = list[NewNames]()
    for path, own in found.items():
        if chosen := _chosen(own):
            tests = tuple(name for name in own if _TEST.match(name) and name not in chosen)[:MOST_NAMES]
            listed.append(NewNames(path, chosen, own[chosen[0]], tests))
    return listed


def _chosen(names: Iterable[str]) -> tuple[str, ...]:
    """Choose the most telling names: tests only if there are no others, and of these the first."""
    telling = [name for name in names if name not in _USUAL]
    plain = tuple(name for name in telling if not _TEST.match(name))[:MOST_NAMES]
    return plain or tuple(telling[:MOST_TESTS])


def _names_of_edit(step: Step) -> tuple[set[str], set[str]]:
    """Return the names that an edit found, and those that it left."""
    edits = [step.call.input, *inner_edits(step)]
    before = {name for edit in edits for key in OLD_TEXT for name in _defined(edit.get(key))}
    after = {name for edit in edits for key in NEW_TEXT for name in _defined(edit.get(key))}
    for value in step.call.input.values():
        if isinstance(value, str) and value.startswith("*** Begin Patch"):
            lines = value.split("\n")
            before |= {name for line in lines if line[:1] in "- " for name in _defined(line[1:])}
            after |= {name for line in lines if line[:1] == "+" for name in _defined(line[1:])}
    return before, after


def inner_edits(step: Step) -> list[Mapping[str, object]]:
    """Return the edits of a call that makes several."""
    listed = step.call.input.get("edits")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _defined(text: object) -> Iterator[str]:
    if isinstance(text, str):
        yield from (one[1] or one[2] for one in DEFINES.finditer(text))


def defining_lines(text: str) -> Iterator[str]:
    """Yield the lines that define a function or a type."""
    for one in DEFINES.finditer(text):
        end = text.find("\n", one.end())
        yield text[one.start() : end if end >= 0 else len(text)]


# Look-ups: matches of searches, lines of files that were read, and output of commands that only read.

MOST_LOOK_UPS, MOST_LINES, LONGEST_SHOWN = 40, 10, 140  # newest results; lines of one; characters
LONGEST_TEXT = 20_000  # characters of a result that are read
MOST_OF_LONGER, MOST_OF_BLOCK, MOST_COMMENTS = 80, 12, 2  # lines, where there is room: of all, of a block, above it
MOST_SHARED = 3  # words of a line that count
LEAST_NAMES, MOST_ENDING = 2, 8  # of a path's end that stands for the whole
_MATCH = re.compile(r"((?:[A-Za-z]:)?(?=[^\s:]{0,400}[./\\])[^\s:]{1,400}):(\d{1,7})(?::|$)(.*)")
_CONTEXT = re.compile(r"([^\n:]{1,400}?)-(\d{1,7})-(.*)")  # a line around a match
_NUMBERED = re.compile(r"\s{0,9}(\d{1,7})(→|\t|[:|-]\s?)(.*)")
_DIFF, _CHANGED = re.compile(r"^@@ -\d", re.MULTILINE), re.compile(r"\+|-(?!-- )")
_RANGE = re.compile(r"\bsed -n ['\"]?(\d{1,7})")
_COMMENT = re.compile(r"\s*(?://|#|\*|/\*|--|<!--|\"\"\"|$)")
_STATE = re.compile(r"\bgit (?:-C \S+ )?(?:status|fetch)\b|^(?:sleep|env|date)\b")  # of which the last result counts
_LABEL = re.compile(r"(?:Command|Directory|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ")  # of a host
_PATH = re.compile(r"[^\s:]*(?:/[^\s:/]*){3}")
_NOISE = re.compile(
    r"(?:^|/)(?:node_modules|\.git)/|^(?:--|Found \d+ files?|total \d+|.* \.\.?)$"
)  # nothing of the project
_PATTERNS = ("pattern", "query", "regex", "search", "glob")
_FIRST_LINES = ("offset", "start_line", "startLine")
_WORD = re.compile(r"\w{4,}")
_NOTHING = re.compile(r"No (?:matches|files|results) found\W*$", re.IGNORECASE)


class LookUp(Struct, frozen=True):
    """What a call looked for or at, with the lines that tell most of what it returned, and its message.

    Lines of a file that was read are without their numbers. `shared` counts the lines with words of the open work. The
    `blocks` are these lines with what stands around them, with their places, the most telling first.
    """

    text: str
    lines: tuple[str, ...]
    message: str
    shared: int
    blocks: tuple[tuple[int, str], ...] = ()


class _Line(Struct, frozen=True):
    path: str
    text: str
    weight: int  # odd if it shares wanted words
    is_match: bool
    place: str  # its number, of a match behind the path; empty if the line is all that is known

    @property
    def short(self) -> str:
        """The text as it is shown."""
        return shortened(self.text.strip(), LONGEST_SHOWN)

    @property
    def shown(self) -> str:
        """Its text behind its place."""
        return f"{self.place} {self.short}".strip()

    @property
    def depth(self) -> int:
        """How far it is indented."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def key(self) -> tuple[str, str]:
        """What two results of the same line share."""
        return self.path, self.text.strip()


def look_ups(taken: Sequence[Step], wanted: Container[str], told: Container[int] = ()) -> Iterator[LookUp]:
    """Yield the newest results, the last first, each line once: a match with those of its search.

    Lines of files that were edited later are left out: the edits are shown instead. Of a file that was read there are
    the lines that define something or share `wanted` words. Of steps that are `told`, by identity, only diffs count.
    """
    found = list(islice(_found(taken, wanted, told), MOST_LOOK_UPS))
    matched, seen = {one.key for _, _, lines in found for one in lines if one.is_match}, set[tuple[str, str]]()
    for step, head, lines in found:
        new = [one for one in lines if one.weight and one.key not in (seen if one.is_match else matched | seen)]
        best = sorted(range(len(new)), key=lambda place: -new[place].weight)[:MOST_LINES]
        chosen = [new[place] for place in sorted(best)]
        seen.update(one.key for one in chosen)
        blocks = tuple(_blocks(lines)) if chosen or (lines and lines[0].path and step.tool not in SEARCHES) else ()
        if chosen or blocks or not lines:
            yield LookUp(
                "\n".join((head, *(one.shown for one in chosen))),
                tuple(one.short if one.place.isdigit() else one.shown for one in chosen),
                step.message,
                sum(one.weight % 2 for one in chosen),
                blocks,
            )


def _blocks(lines: Sequence[_Line]) -> Iterator[tuple[int, str]]:
    """Yield the lines that tell most, each with the comment above it and the deeper lines below it, and their place."""
    kept = set[int]()
    for at in sorted((place for place, line in enumerate(lines) if line.weight), key=lambda at: -lines[at].weight):
        start, end, depth = at, at + 1, lines[at].depth
        while start and at - start < MOST_COMMENTS and _COMMENT.match(lines[start - 1].text):
            start -= 1
        while end < len(lines) and end - at < MOST_OF_BLOCK and lines[end].depth > depth:
            end += 1
        new = [place for place in range(start, end) if place not in kept]
        kept.update(new)
        if new:
            yield at, "\n".join(lines[place].shown for place in new)
        if len(kept) >= MOST_OF_LONGER:
            return


def _found(
    taken: Sequence[Step], wanted: Container[str], told: Container[int]
) -> Iterator[tuple[Step, str, list[_Line]]]:
    """Yield each look-up with its head and its lines, the newest first, if some of them tell something."""
    edited, whole = set[str](), _whole_paths(taken)
    for step in reversed(taken):
        checkpoint()
        changed = {whole(use.path) for use in file_uses((step,)) if use.kind != "read"}
        edited |= changed
        if changed or not step.done or step.outcome != "ok" or not step.answer or step.answer == CLEARED:
            continue
        head, path = _about(step)
        path = path and whole(path)
        text = step.answer[:LONGEST_TEXT].partition("<system-reminder>")[0]
        framed, is_framed, output = text.partition("\nOutput:\n")
        text = output if is_framed and len(framed) < 2 * LONGEST_SHOWN else text
        if not head or text.lstrip().startswith(("{", "[")) or (id(step) in told and not _DIFF.search(text)):
            continue
        if _NOTHING.match(text.strip()):
            yield step, f"{head} no matches", []
        else:
            lines = [one for one in _lines_of(step, path, text, wanted, whole) if one.path not in edited]
            if step.tool in SEARCHES:  # the same text at no place says nothing new
                lines = list({(*one.key, one.place): one for one in lines}.values())
            if any(one.weight for one in lines):
                yield step, head, lines


def _about(step: Step) -> tuple[str, str]:
    """Return what a call looked for or at, and the file that all of its output is from; empty if it did more."""
    if path := file_read(step):
        return ("", "") if path.endswith(PROSE) else (f"Looked at {code(_short(path))}:", path)
    if step.tool in SEARCHES:
        given = step.call.input
        pattern = next((one for name in _PATTERNS if isinstance(one := given.get(name), str)), target(step))
        where = str(given.get("path", ""))
        shown = _short(where)
        is_file = "." in shown.rpartition("/")[2].strip(".")
        within = f" in {code(shown)}" if is_file else ""
        return f"Looked for {code(shortened(pattern, LONGEST_SHOWN))}{within}:", where if is_file else ""
    if step.command and task_of(step).only_reads and not _STATE.search(step.command):
        return f"Looked up {code(shortened_command(plain_command(step.command), LONGEST_SHOWN))}:", ""
    return "", ""


def _short(path: str, names: int = 2) -> str:
    """Return a path by its last names."""
    return shown_path("/".join(path.replace("\\", "/").split("/")[-names:]))


def _whole_paths(taken: Sequence[Step]) -> Callable[[str], str]:
    """Return what gives the whole path of a file that calls name, which output may name by its end, in one form."""
    ends: dict[str, str] = {}  # to the only path that ends so; empty if there are several
    for path in sorted({same_path(use.path, "") for use in file_uses(taken)}, key=lambda one: (-len(one), one)):
        names = path.split("/")
        if path not in ends:  # else it is the end of a longer one
            for number in range(LEAST_NAMES, min(len(names), MOST_ENDING) + 1):
                end = "/".join(names[-number:])
                ends[end] = path if ends.setdefault(end, path) == path else ""
            ends[path] = path
    return lambda path: ends.get(one := same_path(path, "")) or one


def _lines_of(step: Step, path: str, text: str, wanted: Container[str], whole: Callable[[str], str]) -> Iterator[_Line]:
    """Yield the lines, those with a weight that tell something: matches, definitions, what shares wanted words."""
    start = _RANGE.search(step.command)
    given = next((one for name in _FIRST_LINES if isinstance(one := step.call.input.get(name), int)), 1)
    searches, is_diff = step.tool in SEARCHES, _DIFF.search(text) is not None
    labeled = text.startswith("Command: ")
    text = text.replace("\nOutput: ", "\n", labeled)
    lines = [line for line in text.split("\n") if not (FRAME.match(line) or (labeled and _LABEL.match(line)))]
    has_paths = not path and not is_diff and any(map(_MATCH.match, lines))
    numbered = next((_NUMBERED.match(line) is not None for line in lines if line.strip()), False)
    own = ""
    for place, line in enumerate(lines, int(start[1]) if start else given):
        is_match, number, words = False, "", line
        if path and numbered:
            if found := _NUMBERED.match(line):
                number, words, is_match = found[1], found[3], searches and found[2] == ":"
        elif path and not searches:
            number = str(place)
        elif found := _MATCH.match(line):
            own, number, words, is_match = found[1], found[2], found[3], True
        elif found := (_CONTEXT.match(line) if has_paths else None):
            own, number, words = found[1], found[2], found[3]
        else:
            is_match, words = not is_diff, _short(line, 3) if _PATH.fullmatch(line) else line
        shared = sum(word in wanted for word in set(_WORD.findall(words)))
        defines = DEFINES.match(words) is not None
        is_code = not _COMMENT.match(words.lstrip("+-")) and (not is_diff or _CHANGED.match(line))
        if words.strip() and not _NOISE.search(own if number else line.rstrip()):
            where = ":".join(filter(None, ("" if path else _short(own), number))) if number else ""
            weight = 2 * (2 * min(shared, MOST_SHARED) + defines + 2 * is_match) + bool(shared)
            weight = weight if is_match or is_code else 0
            yield _Line(path or (whole(own) if number else ""), words, weight, is_match, where)
