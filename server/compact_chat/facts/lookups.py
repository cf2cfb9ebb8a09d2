"""Results of look-ups: matches of searches, lines of files that were read, and output of commands that only read."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.facts.errors import FRAME, SEARCHES, file_read, plain_command, target, task_of
from compact_chat.facts.files import PROSE, file_uses, same_path, shown_path
from compact_chat.facts.results import DEFINES
from compact_chat.facts.steps import CLEARED, Step
from compact_chat.facts.words import shortened, shortened_command
from compact_chat.text import code

MOST_LOOK_UPS, MOST_LINES, LONGEST_LINE = 40, 10, 140  # newest results; lines of one; characters
LONGEST_TEXT = 20_000  # characters of a result that are read
MOST_OF_LONGER, MOST_OF_BLOCK, MOST_COMMENTS = 80, 12, 2  # lines, where there is room: of all, of a block, above it
MOST_SHARED = 3  # words of a line that count
LEAST_NAMES, MOST_NAMES = 2, 8  # of a path's end that stands for the whole
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
        return shortened(self.text.strip(), LONGEST_LINE)

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
        text = output if is_framed and len(framed) < 2 * LONGEST_LINE else text
        if not head or text.lstrip().startswith(("{", "[")) or (id(step) in told and not _DIFF.search(text)):
            continue
        if _NOTHING.match(text.strip()):
            yield step, f"{head} no matches", []
        else:
            lines = [one for one in _lines(step, path, text, wanted, whole) if one.path not in edited]
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
        return f"Looked for {code(shortened(pattern, LONGEST_LINE))}{within}:", where if is_file else ""
    if step.command and task_of(step).only_reads and not _STATE.search(step.command):
        return f"Looked up {code(shortened_command(plain_command(step.command), LONGEST_LINE))}:", ""
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
            for number in range(LEAST_NAMES, min(len(names), MOST_NAMES) + 1):
                end = "/".join(names[-number:])
                ends[end] = path if ends.setdefault(end, path) == path else ""
            ends[path] = path
    return lambda path: ends.get(one := same_path(path, "")) or one


def _lines(step: Step, path: str, text: str, wanted: Container[str], whole: Callable[[str], str]) -> Iterator[_Line]:
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
