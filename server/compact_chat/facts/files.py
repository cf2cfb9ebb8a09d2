"""The files that commands removed, where they are plainly named: `rm a.py`, `cd x && git rm -f a.py`."""

from __future__ import annotations

import posixpath
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from compact_chat.chat import JsonObject, Message
from compact_chat.facts.steps import COMMAND_TOOLS, Step, command_text, find_steps, plain_name
from compact_chat.facts.user import earlier_summaries
from compact_chat.text import escape_tags
from compact_chat.wire import Files

# Paths in one form, however tools write them: as URIs, with dots, with either slash, whole or from a folder.


_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|//[^/]")
_DRIVE_OF_URI = re.compile(r"/[A-Za-z]:(?:/|$)")


def same_path(path: str, folder: str = "") -> str:
    """What two paths of one file have in common; `folder` is where a path that is not whole starts from."""
    path, folder = without_scheme(path.strip()), without_scheme(folder)
    if not _is_whole(path) and _is_whole(folder):
        path = f"{folder}/{path}"
    if not _WINDOWS.match(path):
        return posixpath.normpath(path)
    return posixpath.normpath(path.replace("\\", "/")).casefold()  # which tells no large letters from small ones


def joined_paths(folder: str, path: str) -> str:
    """The path as seen from outside the folder; a whole path stays as it is."""
    if not folder or _is_whole(path):
        return path
    separator = "\\" if _WINDOWS.match(folder) and "/" not in folder else "/"
    return f"{folder.rstrip(separator)}{separator}{path}"


def without_scheme(path: str) -> str:
    """The path that a `file:` URI tells, and any other text as it is."""
    if path[:7].lower() != "file://":
        return path
    try:
        parts = urlsplit(path)
    except ValueError:  # what stands for the host is none
        return path
    told = unquote(parts.path)
    if _DRIVE_OF_URI.match(told):
        return told[1:]
    return f"//{parts.netloc}{told}" if parts.netloc not in ("", "localhost") else told


def _is_whole(path: str) -> bool:
    return path.startswith(("/", "~")) or _WINDOWS.match(path) is not None


# The file that a command in a shell shows, where one is plainly named: `cat a.py`, `sed -n 1,9p a.py | head`.


LONGEST = 1_000  # characters of a command that names a file plainly
_FOLDERS = ("workdir", "cwd", "working_directory")
_READS = re.compile(r"(?:cd\s[^|&;\n]{1,500}(?:&&|;)\s*)?(?:bat|cat|head|less|more|nl|sed|tail)\s")
_SILENT = re.compile(r"\s2>(?:&1|\s?/dev/null)(?=\s|$)")
_OPERATORS = frozenset("();<>|&")
_BARE = frozenset({"echo", "true", ":"})  # they add nothing that is of a file
_FILTERS = frozenset(
    {"cat", "cut", "grep", "head", "jq", "less", "more", "nl", "rg", "sed", "sort", "tail", "tr", "wc"}
)
_NO_FILE = re.compile(r"[*?\[\]{}$`<>]|^-")
# The options of each reader that have a value of their own behind them.
_VALUED = {"head": ("-n", "-c"), "tail": ("-n", "-c"), "nl": ("-b", "-s", "-w", "-v", "-n")}


def file_shown(step: Step) -> str:
    """Return the path of the file that a step shows, from where the command was run; empty for none or several."""
    command = command_text(step)
    if len(command) > LONGEST or "\n" in command or not _READS.match(command):
        return ""
    parts = list(_parts(_SILENT.sub("", command)))
    folder = next((word for key in _FOLDERS if isinstance(word := step.call.input.get(key), str)), "")
    if len(parts) > 1 and parts[0][:1] == ["cd"] and parts[1][0] in ("&&", ";"):
        folder = joined_paths(folder, "".join(parts[0][1:2]))
        parts = [parts[1][1:], *parts[2:]]
    for operator, program, *_ in (([*part, "", ""]) for part in parts[1:]):
        # What comes behind only cuts from what is shown, or says something.
        if operator == "|" and program in _FILTERS:
            continue
        if operator not in ("&&", "||", ";") or program not in _BARE:
            return ""
    files = _read_files(parts[0]) if parts else []
    return joined_paths(folder, files[0]) if len(files) == 1 and not _NO_FILE.search(files[0]) else ""


def _parts(command: str) -> Iterator[list[str]]:
    """Split a line into its commands' words; of all but the first, the operator in front of it comes first."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word and _OPERATORS.issuperset(word):
                yield words
                words = []
            words.append(word)
    except ValueError:  # a quote without an end
        words = [">"]
    yield words


def _read_files(words: Sequence[str]) -> list[str]:
    """List the arguments of a reader that are no options, nor values of any, nor the script of `sed`."""
    program, given = words[0] if words else "", list(words[1:])
    valued = _VALUED.get(program, ())
    pairs = zip(["", *given], given, strict=False)
    plain = [word for before, word in pairs if before not in valued and word[:1] != "-"]
    if program != "sed":
        return plain
    return plain[1:] if "-n" in given and not any(word.startswith(("-i", "--in-place")) for word in given) else []


# The records of files that stand in a summary: what was read, and what was modified (rules T20 and T23).


READ, MODIFIED = "read-files", "modified-files"


def record_blocks(files: Files) -> str:
    """The lists as blocks of a path per line, parted by a blank line; an empty list has none."""
    lists = ((READ, files.read), (MODIFIED, files.modified))
    return "\n\n".join("\n".join((f"<{name}>", *paths, f"</{name}>")) for name, paths in lists if paths)


def records_in(summary: str) -> Files:
    """What the blocks of a summary list."""
    lines = summary.split("\n")
    listed: dict[str, set[str]] = {READ: set(), MODIFIED: set()}
    for name, start, end in _blocks(lines):
        listed[name].update(path for line in lines[start + 1 : end] if (path := line.strip()))
    return joined_records(Files(read=tuple(listed[READ]), modified=tuple(listed[MODIFIED])))


def without_records(summary: str) -> str:
    """The summary without its blocks, trimmed."""
    lines, kept, place = summary.split("\n"), list[str](), 0
    for _, start, end in _blocks(lines):
        kept += lines[place:start]
        place = end + 1
    return "\n".join((*kept, *lines[place:])).strip()


def joined_records(*lists: Files) -> Files:
    """The lists of a chat and of what came before it as one; what was ever modified is no more among what was read."""
    modified = {path for files in lists for path in files.modified}
    read = {path for files in lists for path in files.read} - modified
    return Files(read=tuple(sorted(read)), modified=tuple(sorted(modified)))


def _blocks(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """The name, first and last line of each block; its tags stand alone on their lines."""
    name, start = "", 0
    for place, line in enumerate(map(str.strip, lines)):
        if line in (f"<{READ}>", f"<{MODIFIED}>"):
            name, start = line[1:-1], place
        elif name and line == f"</{name}>":
            yield name, start, place
            name = ""


# The files that tools read or modified, as far as their results say that they did (rules T21 to T23).


FileKind = Literal["read", "write", "edit"]

_READ = "read readfile readfilerange readfiles readmanyfiles view viewfile viewimage open openfile notebookread"
_WRITE = "write writefile create createfile writetofile createnewfile newfilecreated savefile"
_EDIT = (
    "edit editfile editexistingfile editedexistingfile singlefindandreplace multiedit strreplace replace replaceinfile"
    " replacestring replacestringinfile multireplacestring multireplacestringinfile searchreplace searchandreplace"
    " insertedit inserteditintofile insertcontent applypatch applydiff applieddiff notebookedit editnotebook"
    " editnotebookfile editor"
)
_KINDS: tuple[tuple[FileKind, str], ...] = (("read", _READ), ("write", _WRITE), ("edit", _EDIT))
TOOLS: Mapping[str, FileKind] = {name: kind for kind, names in _KINDS for name in names.split()}
_ARGUMENTS = frozenset({"path", "filepath", "filename", "targetfile", "notebookpath", "absolutepath"})
_LISTS = frozenset({"files", *(f"{name}s" for name in _ARGUMENTS)})
_PATTERN = frozenset("*?")  # a list may name files by what their names are like
_AROUND = "args"  # what Roo Code puts around the arguments of some tools

# Tools that do several things and say which in an argument `command`.
_EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool"})
_EDITOR_COMMANDS: Mapping[str, FileKind] = {"view": "read", "create": "write", "str_replace": "edit", "insert": "edit"}
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(Add)|Update|Delete|Move to)(?: File)?: ([^\n]{1,4096})$", re.MULTILINE)


class FileUse(Struct, frozen=True):
    """A path that a tool read, wrote or edited with success."""

    path: str
    kind: FileKind
    message: str


def file_records(messages: Sequence[Message]) -> Files:
    """List the files of a chat and of its earlier summaries: read and never modified, and modified."""
    uses = file_uses(find_steps(messages))
    modified = (use.path for use in uses if use.kind != "read")
    files = Files(read=_listed(use.path for use in uses), modified=_listed(modified))
    return joined_records(files, *(recorded(summary.text) for summary in earlier_summaries(messages)))


def recorded(summary: str) -> Files:
    """Read the lists that a summary ends with, written as we write them (rule T23)."""
    found = records_in(summary)
    return joined_records(Files(read=_listed(found.read), modified=_listed(found.modified)))


def _listed(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(shown_path, paths))


def file_uses(taken: Sequence[Step]) -> tuple[FileUse, ...]:
    """Each use of a file in its order; a call without a result, or with one that is marked as failed, used none."""
    return tuple(use for step in taken if step.done for use in _uses(step) if use.path.strip())


def paths_of_step(step: Step) -> tuple[str, ...]:
    """The files that a step is about, each once, whether it did anything to them or not."""
    return tuple(dict.fromkeys(use.path for use in _uses(step) if use.path.strip()))


def file_kind(step: Step) -> FileKind | None:
    """What a step does to files, if its tool is known to do anything to them."""
    if step.tool in _EDITORS:
        return _EDITOR_COMMANDS.get(str(step.call.input.get("command")))
    return TOOLS.get(step.tool)


def paths_of(given: JsonObject) -> Iterator[str]:
    """Give the paths among the arguments, among those of each edit in a list, and the members of a list of paths."""
    inner = given.get(_AROUND)
    for name, value in (given | inner if isinstance(inner, dict) else given).items():
        plain = plain_name(name)
        if isinstance(value, str) and plain in _ARGUMENTS:
            yield value
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict):
                yield from (v for k, v in item.items() if isinstance(v, str) and plain_name(k) in _ARGUMENTS)
            elif isinstance(item, str) and plain in _LISTS and _PATTERN.isdisjoint(item):
                yield item


def shown_path(path: str) -> str:
    """Write a path with control characters as escapes, and nothing that reads like a tag of ours."""
    return escape_tags(path if path.isprintable() else "".join(map(_shown, path)))


def _shown(character: str) -> str:
    if unicodedata.category(character) != "Cc":
        return character
    return {"\n": "\\n", "\t": "\\t"}.get(character, f"\\u{ord(character):04x}")


def _uses(step: Step) -> Iterator[FileUse]:
    """Give the files in a step's arguments, and those that a patch names in its own head lines."""
    kind = file_kind(step)
    if kind:
        yield from (FileUse(path, kind, step.message) for path in dict.fromkeys(paths_of(step.call.input)))
    if kind == "edit" or step.tool in COMMAND_TOOLS:
        for value in step.call.input.values():
            for text in value if isinstance(value, list) else [value]:
                for head in _PATCHED.finditer(text) if isinstance(text, str) and _PATCH in text else ():
                    yield FileUse(head[2].strip(), "write" if head[1] else "edit", step.message)


# The files that commands removed, where they are plainly named: `rm a.py`, `cd x && git rm -f a.py`.


MOST_OF_A_NAME = 100  # files; of more with one name, only one that is named by its whole path is looked for
_REMOVES = re.compile(r"(?:^|&&|[;\n])[ \t]*(?:git[ \t]{1,4})?rm[ \t]{1,4}([^;&|<>\n`$*?]{1,1000})(?=[;&|\n]|\Z)")


def removed_files(taken: Sequence[Step]) -> frozenset[str]:
    """List the paths that tools used and a command removed later, with nothing done to them since."""
    by_name: dict[str, dict[str, None]] = {}
    gone: set[str] = set()
    for step in taken:
        for use in file_uses((step,)):
            by_name.setdefault(_name(use.path), {})[use.path] = None
            gone.discard(use.path)
        for match in _REMOVES.finditer(command_text(step)) if step.done else ():
            for word in (word.strip("'\"") for word in match[1].split() if not word.startswith("-")):
                paths = by_name.get(_name(word), {})
                near = paths if len(paths) <= MOST_OF_A_NAME else {word}
                gone.update(path for path in near if path == word or path.endswith(f"/{word.removeprefix('./')}"))
    return frozenset(gone)


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
