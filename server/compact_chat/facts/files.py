"""Files in a chat: those that tools read, modified and removed, and those that a summary or a message names."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    JsonObject,
    Message,
    Part,
    PartPlace,
    Text,
    ToolCall,
    ToolResult,
    WordedResult,
    find_links,
)
from compact_chat.facts.steps import COMMAND_TOOLS, Step, find_steps, plain_name
from compact_chat.facts.user import earlier_summaries
from compact_chat.text import escape_tags
from compact_chat.wire import Files

# Paths in one form, however tools write them: as URIs, with dots, with either slash, absolute or relative.

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|//[^/]")
_ABSOLUTE = re.compile(rf"[/~]|{_WINDOWS.pattern}")
_DRIVE_OF_URI = re.compile(r"/[A-Za-z]:(?:/|$)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def same_path(path: str, folder: str) -> str:
    """Normalize a path for comparison; relative paths start at `folder`."""
    path, folder = without_scheme(path.strip()), without_scheme(folder)
    if not _ABSOLUTE.match(path) and _ABSOLUTE.match(folder):
        path = f"{folder}/{path}"
    if not _WINDOWS.match(path):
        return posixpath.normpath(path)
    return posixpath.normpath(path.replace("\\", "/")).casefold()


def without_scheme(path: str) -> str:
    """Return the path of a `file:` URI; any other text unchanged."""
    if path[:7].lower() != "file://":
        return path
    try:
        parts = urlsplit(path)
    except ValueError:  # the host is malformed
        return path
    inner = unquote(parts.path)
    if _DRIVE_OF_URI.match(inner):
        return inner[1:]
    return f"//{parts.netloc}{inner}" if parts.netloc not in ("", "localhost") else inner


def file_name(path: str) -> str:
    """Return the last name of a path."""
    return path.replace("\\", "/").rpartition("/")[2]


def _joined(folder: str, path: str) -> str:
    if not folder or _ABSOLUTE.match(path):
        return path
    separator = "\\" if _WINDOWS.match(folder) and "/" not in folder else "/"
    return f"{folder.rstrip(separator)}{separator}{path}"


def shown_path(path: str) -> str:
    """Escape control characters in a path, and anything that reads like one of our tags."""
    names = {"\n": "\\n", "\t": "\\t"}
    return escape_tags(_CONTROL.sub(lambda one: names.get(one[0], f"\\u{ord(one[0]):04x}"), path))


# How tools use files, unless their results report a failure (rules T21 to T23).

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
_TOOLS: Mapping[str, FileKind] = {name: kind for kind, names in _KINDS for name in names.split()}
_ARGUMENTS = frozenset({"path", "filepath", "filename", "targetfile", "notebookpath", "absolutepath"})
_LISTS = frozenset({"files", *(f"{name}s" for name in _ARGUMENTS)})
_WILDCARDS = frozenset("*?")
_AROUND = "args"  # Roo Code's wrapper for the arguments of some tools

# Tools with several actions, chosen by the argument `command`.
_EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool"})
_EDITOR_COMMANDS: Mapping[str, FileKind] = {"view": "read", "create": "write", "str_replace": "edit", "insert": "edit"}
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(Add)|Update|Delete|Move to)(?: File)?: ([^\n]{1,4096})$", re.MULTILINE)

MOST_OF_A_NAME = 100  # files; beyond that, files with one name are compared by whole path only
_DELETED = re.compile(r"^\*\*\* Delete File: ([^\n]{1,4096})$", re.MULTILINE)
_REMOVES = re.compile(r"(?:^|&&|[;\n])[ \t]*(?:git[ \t]{1,4})?rm[ \t]{1,4}([^;&|<>\n`$*?]{1,1000})(?=[;&|\n]|\Z)")


class FileUse(Struct, frozen=True):
    """A path that a tool successfully read, wrote or edited."""

    path: str
    kind: FileKind
    message: str


def file_uses(taken: Sequence[Step]) -> tuple[FileUse, ...]:
    """List each file use in order; a call that has no result or failed used none."""
    return tuple(use for step in taken if step.done for use in _uses(step))


def paths_of_step(step: Step) -> tuple[str, ...]:
    """List the files that a step names, each once, even if it failed."""
    return tuple(dict.fromkeys(use.path for use in _uses(step)))


def edited_paths(step: Step) -> tuple[str, ...]:
    """List the files that a step wrote or edited."""
    return paths_of_step(step) if step.done and file_kind(step) in ("write", "edit") else ()


_AGENTS_OWN = re.compile(r"[/\\]\.(?:claude|codex|cursor)[/\\](?:plans|projects)[/\\]")


def is_agents_own(path: str) -> bool:
    """Whether an agent wrote a file for itself, as a plan: no commit and no check has to do with it."""
    return _AGENTS_OWN.search(path) is not None


def file_kind(step: Step) -> FileKind | None:
    """Classify a step as reading, writing or editing files; None for other tools."""
    if step.tool in _EDITORS:
        return _EDITOR_COMMANDS.get(str(step.call.input.get("command")))
    return _TOOLS.get(step.tool)


def paths_of(given: JsonObject) -> Iterator[str]:
    """Yield the paths in a call's arguments, in its edits, and in its lists of paths."""
    inner = given.get(_AROUND)
    for name, value in (given | inner if isinstance(inner, dict) else given).items():
        plain = plain_name(name)
        if isinstance(value, str) and plain in _ARGUMENTS:
            yield value
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict):
                yield from (v for k, v in item.items() if isinstance(v, str) and plain_name(k) in _ARGUMENTS)
            elif isinstance(item, str) and plain in _LISTS and _WILDCARDS.isdisjoint(item):
                yield item


def _uses(step: Step) -> Iterator[FileUse]:
    """Yield the files in a step's arguments, and those in a patch's header lines."""
    kind = file_kind(step)
    if kind:
        yield from (
            FileUse(path, kind, step.message) for path in dict.fromkeys(paths_of(step.call.input)) if path.strip()
        )
    if kind == "edit" or step.tool in COMMAND_TOOLS:
        for text in patches_of(step):
            for head in _PATCHED.finditer(text):
                if path := head[2].strip():
                    yield FileUse(path, "write" if head[1] else "edit", step.message)


def patches_of(step: Step) -> Iterator[str]:
    """Yield the arguments of a call that hold a patch."""
    for value in step.call.input.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _PATCH in text:
                yield text


def removed_files(taken: Sequence[Step]) -> frozenset[str]:
    """List the used paths that a patch, a plain `rm` or `git rm` removed later, and that were not used since."""
    by_name: dict[str, dict[str, None]] = {}
    gone: set[str] = set()
    for step in taken:
        for use in file_uses((step,)):
            by_name.setdefault(use.path.rpartition("/")[2], {})[use.path] = None
            gone.discard(use.path)
        if step.done:
            gone.update(path.strip() for text in patches_of(step) for path in _DELETED.findall(text))
        for match in _REMOVES.finditer(step.command) if step.done else ():
            for word in (word.strip("'\"") for word in match[1].split() if not word.startswith("-")):
                paths = by_name.get(word.rpartition("/")[2], {})
                near = paths if len(paths) <= MOST_OF_A_NAME else {word}
                gone.update(path for path in near if path == word or path.endswith(f"/{word.removeprefix('./')}"))
    return frozenset(gone)


# The one file that a shell command shows: `cat a.py`, `cd x && sed -n 1,9p a.py | head`.

LONGEST = 1_000  # characters of a command
_FOLDERS = ("workdir", "cwd", "working_directory")
_READS = re.compile(r"(?:cd\s[^|&;\n]{1,500}(?:&&|;)\s*)?(?:bat|cat|head|less|more|nl|sed|tail)\s")
_SILENT = re.compile(r"\s2>(?:&1|\s?/dev/null)(?=\s|$)")
_OPERATORS = frozenset("();<>|&")
_NO_OUTPUT = frozenset({"echo", "true", ":"})  # prints no file's content
_FILTERS = frozenset(
    {"cat", "cut", "grep", "head", "jq", "less", "more", "nl", "rg", "sed", "sort", "tail", "tr", "wc"}
)
_NO_FILE = re.compile(r"[*?\[\]{}$`<>]|^-")
# Options with a value.
_VALUED = {"head": ("-n", "-c"), "tail": ("-n", "-c"), "nl": ("-b", "-s", "-w", "-v", "-n")}


def file_shown(step: Step) -> str:
    """Return the path of the file that a command prints, and where it ran; empty for none or several."""
    command = step.command
    if len(command) > LONGEST or "\n" in command or not _READS.match(command):
        return ""
    parts = list(_commands(_SILENT.sub("", command)))
    folder = next((word for key in _FOLDERS if isinstance(word := step.call.input.get(key), str)), "")
    if len(parts) > 1 and parts[0][:1] == ["cd"] and parts[1][0] in ("&&", ";"):
        folder = _joined(folder, next(iter(parts[0][1:]), ""))
        parts = [parts[1][1:], *parts[2:]]
    for operator, then, *_ in (([*part, "", ""]) for part in parts[1:]):
        if not (then in _FILTERS if operator == "|" else operator in ("&&", "||", ";") and then in _NO_OUTPUT):
            return ""
    program, *given = parts[0] or [""]
    valued = _VALUED.get(program, ())
    files = [
        word for before, word in zip(["", *given], given, strict=False) if before not in valued and word[:1] != "-"
    ]
    if program == "sed":  # its first argument is the script, and only `-n` prints a part
        is_shown = "-n" in given and not any(word.startswith(("-i", "--in-place")) for word in given)
        files = files[1:] if is_shown else []
    return _joined(folder, files[0]) if len(files) == 1 and not _NO_FILE.search(files[0]) else ""


def _commands(line: str) -> Iterator[list[str]]:
    """Split a command line into the words of each command, with the operator before it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word and _OPERATORS.issuperset(word):
                yield words
                words = []
            words.append(word)
    except ValueError:  # an unclosed quote
        words = [">"]
    yield words


# A summary's file records: read only, and modified (rules T20 and T23).

PROSE = (".md", ".mdx", ".txt", ".rst", ".adoc")  # files of text
READ, MODIFIED = "read-files", "modified-files"


def file_records(messages: Sequence[Message]) -> Files:
    """List the files of a chat and of its earlier summaries: those only read, and those modified."""
    uses = file_uses(find_steps(messages))
    modified = tuple(use.path for use in uses if use.kind != "read")
    files = Files(read=tuple(use.path for use in uses), modified=modified)
    return joined_records(files, *(recorded(summary.text) for summary in earlier_summaries(messages)))


def recorded(summary: str) -> Files:
    """Parse the lists at the end of a summary."""
    lines = summary.split("\n")
    found: dict[str, list[str]] = {READ: [], MODIFIED: []}
    for name, start, end in _blocks(lines):
        found[name] += filter(None, map(str.strip, lines[start + 1 : end]))
    return joined_records(Files(read=tuple(found[READ]), modified=tuple(found[MODIFIED])))


def joined_records(*lists: Files) -> Files:
    """Merge lists, each path once and escaped; a path ever modified is not listed as read."""
    modified = {shown_path(path) for files in lists for path in files.modified}
    read = {shown_path(path) for files in lists for path in files.read} - modified
    return Files(read=tuple(sorted(read)), modified=tuple(sorted(modified)))


def record_blocks(files: Files) -> str:
    """Format the lists as blocks with one path per line; an empty list has no block."""
    lists = ((READ, files.read), (MODIFIED, files.modified))
    return "\n\n".join("\n".join((f"<{name}>", *paths, f"</{name}>")) for name, paths in lists if paths)


def without_records(summary: str) -> str:
    """Return the summary without its record blocks, trimmed."""
    lines, kept, place = summary.split("\n"), list[str](), 0
    for _, start, end in _blocks(lines):
        kept += lines[place:start]
        place = end + 1
    return "\n".join((*kept, *lines[place:])).strip()


def _blocks(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, first and last line of each block; tags are alone on their lines."""
    name, start = "", 0
    for place, line in enumerate(map(str.strip, lines)):
        if line in (f"<{READ}>", f"<{MODIFIED}>"):
            name, start = line[1:-1], place
        elif name and line == f"</{name}>":
            yield name, start, place
            name = ""


# Pieces of messages, with the tools and files that they belong to.

UNKNOWN = "unknown"  # the tool of a result whose call is missing
# How editors attach a file to a user message: with its path, or at least its name.
_ATTACHED = re.compile(r"<(attachment|file_content|file)\b([^<>]{1,9000})>")
_PATHS = (re.compile(r"\b(?:filePath|path)=\"([^\"\n]{1,4096})\""), re.compile(r"\bid=\"file:([^\"\n]{1,4096})\""))
# Claude Code attaches a file as a note of its own that begins with the path.
_NOTED = re.compile(r"<system-reminder>\n((?:/|[A-Za-z]:\\)[^\n]{1,4096})\n")


class Piece(Struct, frozen=True):
    """A part of a message, or of a text with attached files."""

    part: Part
    tool: str = ""
    files: tuple[str, ...] = ()


def find_pieces(messages: Sequence[Message], workspace: str = "") -> Iterator[tuple[Piece, ...]]:
    """Yield the pieces of each message; a result belongs to its call's tool and files.

    A file is named by its first mention, however it is written later; relative paths start at the workspace.
    """
    links = find_links(messages)
    answered, calls = links.answers | links.repeats, dict[PartPlace, Piece]()
    names: dict[str, str] = {}

    def first_name(path: str) -> str:
        return names.setdefault(same_path(path, workspace), without_scheme(path))

    for index, message in enumerate(messages):
        found: list[Piece] = []
        for number, part in enumerate(message.parts):
            place = index, number
            match part:
                case ToolCall():
                    step = Step("", part)
                    shown = file_shown(step)
                    calls[place] = Piece(part, part.name or UNKNOWN, (shown,) if shown else paths_of_step(step))
                    found.append(calls[place])
                case WordedResult(_, content):
                    found += (piece for inner in content for piece in _pieces(inner, by_host=message.by_host))
                case ToolResult():
                    call = calls[answered[place]] if place in answered else Piece(part, UNKNOWN)
                    found.append(replace(call, part=part))
                case _:
                    found += _pieces(part, by_host=message.by_host)
        yield tuple(replace(one, files=tuple(dict.fromkeys(map(first_name, one.files)))) for one in found)


def _pieces(part: Part, *, by_host: bool) -> Iterator[Piece]:
    """Split a text at its attached files, losing nothing; any other part is one piece."""
    if not isinstance(part, Text):
        yield Piece(part, files=(part.title,) if isinstance(part, Document) and part.title.strip() else ())
        return
    text = part.text
    if by_host and (noted := _NOTED.match(text)):
        yield Piece(part, files=(noted[1],))
        return
    done, unclosed = 0, set[str]()
    for found in _ATTACHED.finditer(text):
        path = next(filter(None, (name.search(found[2]) for name in _PATHS)), None)
        if path is None or found.start() < done or found[1] in unclosed:
            continue
        closing = f"</{found[1]}>"
        end = text.find(closing, found.end())
        if end < 0:
            unclosed.add(found[1])  # no later tag of its kind is closed either
            continue
        end += len(closing)
        if found.start() > done:
            yield Piece(Text(text[done : found.start()]))
        yield Piece(Text(text[found.start() : end]), files=(path[1],))
        done = end
    if done < len(text) or not text:
        yield Piece(Text(text[done:]))
