"""The files that tools read or modified, as far as their results say that they did (rules T21 to T23)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import JsonObject, Message
from compact_chat.facts.records import joined, records_in
from compact_chat.facts.requests import earlier_summaries
from compact_chat.facts.steps import COMMAND_TOOLS, Step, plain_name, steps
from compact_chat.marks import escape_tags
from compact_chat.results import Files

FileKind = Literal["read", "write", "edit"]

_READ = "read readfile readfilerange readfiles readmanyfiles view viewfile viewimage open openfile notebookread"
_WRITE = "write writefile create createfile writetofile createnewfile newfilecreated savefile"
_EDIT = (
    "edit editfile editexistingfile editedexistingfile singlefindandreplace multiedit strreplace replace replaceinfile"
    " replacestring replacestringinfile multireplacestring multireplacestringinfile searchreplace searchandreplace"
    " insertedit inserteditintofile insertcontent applypatch applydiff applieddiff notebookedit editnotebook"
    " editnotebookfile"
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
    """The lists of a chat and of its earlier summaries: what was read and never modified, and what was modified."""
    uses = file_uses(steps(messages))
    modified = (use.path for use in uses if use.kind != "read")
    files = Files(read=_listed(use.path for use in uses), modified=_listed(modified))
    return joined(files, *(recorded(summary.text) for summary in earlier_summaries(messages)))


def recorded(summary: str) -> Files:
    """The lists that a summary ends with, written as we write them (rule T23)."""
    found = records_in(summary)
    return joined(Files(read=_listed(found.read), modified=_listed(found.modified)))


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
    """The paths among the arguments, among those of each edit in a list, and the members of a list of paths."""
    inner = given.get(_AROUND)
    for name, value in (given | inner if isinstance(inner, dict) else given).items():
        if isinstance(value, str) and plain_name(name) in _ARGUMENTS:
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from _paths_of_item(item, plain_name(name) in _LISTS)


def _paths_of_item(item: object, is_of_paths: bool) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (v for k, v in item.items() if isinstance(v, str) and plain_name(k) in _ARGUMENTS)
    elif isinstance(item, str) and is_of_paths and _PATTERN.isdisjoint(item):
        yield item


def shown_path(path: str) -> str:
    """A path as it is written: control characters as escapes, and nothing that reads like a tag of ours."""
    return escape_tags(path if path.isprintable() else "".join(map(_shown, path)))


def _uses(step: Step) -> Iterator[FileUse]:
    kind = file_kind(step)
    if kind:
        yield from (FileUse(path, kind, step.message) for path in dict.fromkeys(paths_of(step.call.input)))
    if kind == "edit" or step.tool in COMMAND_TOOLS:
        yield from _patched(step)


def _patched(step: Step) -> Iterator[FileUse]:
    """The files that a patch names in its own head lines."""
    for text in _strings(step.call.input):
        if _PATCH in text:
            for head in _PATCHED.finditer(text):
                yield FileUse(head[2].strip(), "write" if head[1] else "edit", step.message)


def _strings(given: JsonObject) -> Iterator[str]:
    """The texts among the arguments, and the words of a command that is a list."""
    for value in given.values():
        yield from (text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))


def _listed(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(shown_path, paths))


def _shown(character: str) -> str:
    if unicodedata.category(character) != "Cc":
        return character
    return {"\n": "\\n", "\t": "\\t"}.get(character, f"\\u{ord(character):04x}")
