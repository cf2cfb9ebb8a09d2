"""Put the status line and the hook into an agent's settings, and take them out again.

The files are an agent's and a user's own: they are merged, never replaced, shown before they change, and come back
byte for byte. The commands are the same for all versions: users and models see them, and Codex trusts them by a hash.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from compact_chat.agents.hosts import CLAUDE_CODE, CODEX, COPILOT_CLI, HOSTS, Host, folder_of, settings_path, text_of
from compact_chat.agents.memory import SETTINGS, Values, member, recall, remember
from compact_chat.disk import NotRegular, put, regular_file
from compact_chat.errors import CompactChatError
from compact_chat.text import visible

PROGRAM = "compact-chat"
HOOK, STATUS = f"{PROGRAM} hook", f"{PROGRAM} statusline"
BACKUP = ".before-compact-chat"
SECONDS = 20  # that an agent waits for the hook, at most
_LARGEST = 2**22  # bytes of settings
LONGEST_SHOWN = 80  # characters of a command line


class Change(NamedTuple):
    """A file, what it holds, and what it would hold; None for no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> str:
        """The change as a unified diff, without what would steer a terminal."""
        old, new = ((side or b"").decode(errors="replace").splitlines() for side in (self.before, self.after))
        return visible("\n".join(difflib.unified_diff(old, new, self.path, self.path, n=2, lineterm="")))


def install(name: str, ask: Callable[[str], bool], settings: Values) -> Iterator[str]:
    """Yield what a person reads, and change the files once `ask` agrees to it."""
    host = HOSTS[name]
    _check_program(host)
    changes = [change for change in planned(host) if change.before != change.after]
    line = None if host is CODEX else _line_of(_read(settings_path(host)))
    command = line["command"] if line else ""
    for change in changes:
        yield change.diff
    if host is not CODEX and changes and command and not _is_our_line(command):
        yield f"Your status line stays: `{visible(command)[:LONGEST_SHOWN]}` is called too, and its lines come first."
    if changes and not ask(f"Change {_listed(changes)}?"):
        yield "Nothing was changed."
        return
    _check_unchanged(changes)
    known, path = recall(SETTINGS) | settings, settings_path(host)
    if host is not CODEX and changes and not _is_our_line(command):  # else what it calls stays
        others = {place: kept for place, kept in member(known, "kept").items() if place != path}
        known["kept"] = {**others, path: command}
    for change in changes:
        if change.before is not None and not _has_ours(change.before):  # else the backup is of the time before us
            _write(f"{change.path}{BACKUP}", change.before, change.path)
        _write(change.path, change.after or b"", change.path)
    remember(SETTINGS, known)
    yield f"Compact Chat is installed in {host.label}." if changes else f"It is already installed in {host.label}."
    yield from _choices(settings)
    yield from _notes(host)


def uninstall(name: str, ask: Callable[[str], bool]) -> Iterator[str]:
    """Yield what a person reads, and take our entries out of the files again."""
    host = HOSTS[name]
    all_of_them = list(_undone(host))
    changes = [change for change in all_of_them if change.before != change.after]
    for change in changes:
        yield change.diff
    if changes and not ask(f"Change {_listed(changes)}?"):
        yield "Nothing was changed."
        return
    _check_unchanged(changes)
    for change in changes:
        if change.after is None:
            os.unlink(change.path)
            with suppress(OSError):  # where it was alone in it
                os.rmdir(os.path.dirname(change.path))
        else:
            _write(change.path, change.after, change.path)
    settings, paths = recall(SETTINGS), {change.path for change in all_of_them}
    for path in paths:
        with suppress(OSError):
            os.unlink(f"{path}{BACKUP}")
    kept = {path: command for path, command in member(settings, "kept").items() if path not in paths}
    remember(SETTINGS, {**settings, "kept": kept})
    yield f"Compact Chat was removed from {host.label}." if changes else f"It is not installed in {host.label}."


def choose(settings: Values) -> Iterator[str]:
    """Remember choices, which hold for all agents, and say so."""
    remember(SETTINGS, recall(SETTINGS) | settings)
    yield from _choices(settings)


def _choices(settings: Values) -> Iterator[str]:
    """Say what is remembered now of choices that were just made."""
    now, names = recall(SETTINGS), {"addBack": "--add-back", "archive": "--archive", "template": "--template"}
    chosen = [f"{names[name]} {visible(text_of(now, name)) or '(none)'}" for name in names if name in settings]
    if chosen:
        yield f"Remembered for all agents: {', '.join(chosen)}."


def overview() -> Iterator[str]:
    """Say which agents are there, and what installing would change."""
    for host in HOSTS.values():
        place = folder_of(host)
        if not os.path.isdir(place) and shutil.which(host.program) is None:
            yield f"{host.label}: not found"
            continue
        try:
            changes = [change for change in planned(host) if change.before != change.after]
            _check_program(host)
        except CompactChatError as problem:
            yield f"{host.label}: {problem.sentence.removeprefix(f'{host.label} ')}"
            continue
        would = f"`{PROGRAM} install {host.name}` would change {_listed(changes)}"
        yield f"{host.label}: {would if changes else 'installed'}"


def planned(host: Host) -> list[Change]:
    """Return what installing would change; raises CompactChatError where it cannot."""
    own = [_own_file(folder_of(host))] if host is COPILOT_CLI else []
    return [*own, _edited(_place(host), partial(_with_ours, host))]


def _place(host: Host) -> str:
    """Return the path of the file that our entries go into."""
    return os.path.realpath(os.path.join(folder_of(host), "hooks.json" if host is CODEX else "settings.json"))


def _own_file(folder: str) -> Change:
    """Plan the file of hooks that is ours as a whole."""
    entry = {"type": "command", "bash": HOOK, "powershell": HOOK, "timeoutSec": SECONDS}
    hooks = {"version": 1, "hooks": {event: [entry] for event in ("preCompact", "userPromptSubmitted")}}
    path = os.path.join(folder, "hooks", f"{PROGRAM}.json")
    return Change(path, _read(path), f"{json.dumps(hooks, indent=2)}\n".encode())


_COMMAND: Values = {"type": "command", "command": HOOK, "timeout": SECONDS}
_HOOKS: dict[str, dict[str, Values]] = {
    CLAUDE_CODE.name: {
        "PreCompact": {"hooks": [_COMMAND]},
        "SessionStart": {"matcher": "compact", "hooks": [{**_COMMAND, "async": True}]},
        "UserPromptSubmit": {"hooks": [_COMMAND]},
    },
    CODEX.name: {
        "PreCompact": {"hooks": [_COMMAND]},
        "SessionStart": {"matcher": "compact", "hooks": [_COMMAND]},
        "UserPromptSubmit": {"hooks": [_COMMAND]},
    },
}


def _with_ours(host: Host, settings: Values) -> Values:
    """Put our entries into an agent's settings."""
    if host is COPILOT_CLI:  # its hooks are in a file of our own
        return _with_status(settings)
    hooked = _with_hooks(settings, _HOOKS[host.name])
    return hooked if host is CODEX else _with_status(hooked)


def _with_hooks(settings: Values, entries: dict[str, Values]) -> Values:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in entries):
        raise ValueError("its `hooks` have another shape than this version of the agent documents")
    added = {event: [*hooks.get(event, []), entry] for event, entry in entries.items() if not _has(hooks, event)}
    return {**settings, "hooks": {**hooks, **added}} if added else settings


def _with_status(settings: Values) -> Values:
    line = settings.get("statusLine")
    if line is not None and not isinstance(line, dict):
        raise ValueError("its `statusLine` has another shape than this version of the agent documents")
    command = text_of(line, "command")
    if _is_our_line(command) and any(joint in command.strip() for joint in (";", "&", "|", "\n", "`", "$(")):
        return settings  # it runs ours among others
    return {**settings, "statusLine": {**(line or {}), "type": "command", "command": STATUS}}


def _without_ours(settings: Values, line: Values | None) -> Values:
    """Take out our entries, and what they were alone in; the status line is again the one before."""
    found = dict(settings)
    if text_of(found, "statusLine", "command") == STATUS:
        if line:
            before = {name: line[name] for name in ("type", "command") if name in line}
            added = {"type", "command"} - before.keys()
            stay = {name: one for name, one in found["statusLine"].items() if name not in added}
            found["statusLine"] = {**stay, **before}
        else:
            del found["statusLine"]
    hooks = member(found, "hooks")
    if not hooks:
        return found
    left: Values = {}
    for event, groups in hooks.items():
        if not isinstance(groups, list) or not _has(hooks, event):
            left[event] = groups
            continue
        kept = [_without(group) for group in groups]
        if rest := [group for group in kept if group is not None]:
            left[event] = rest
    if left:
        found["hooks"] = left
    else:
        del found["hooks"]
    return found


def _without(group: Any) -> Any:
    """Return a group of hooks without ours; None if it held nothing else."""
    if _is_ours(group):
        return None
    entries = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(entries, list) or not any(map(_is_ours, entries)):
        return group
    rest = [entry for entry in entries if not _is_ours(entry)]
    return {**group, "hooks": rest} if rest else None


def _has(hooks: Values, event: str) -> bool:
    groups = member(hooks, event, list)
    return any(map(_is_ours, groups)) or any(_is_ours(one) for group in groups for one in member(group, "hooks", list))


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, dict) and HOOK in (entry.get("command"), entry.get("bash"))


def _has_ours(data: bytes | None) -> bool:
    """Whether settings hold our hook or status line; the program's name in a permission does not count."""
    with suppress(ValueError, RecursionError):
        found = json.loads((data or b"{}").decode("utf-8-sig"))
        return isinstance(found, dict) and _without_ours(found, None) != found
    return False


def _undone(host: Host) -> Iterator[Change]:
    """Yield the files as they were; of one that changed since, only our entries are taken out."""
    folder = folder_of(host)
    if host is COPILOT_CLI:
        own = _own_file(folder)
        is_same = own.before in (None, own.after)
        yield own._replace(after=None) if is_same else _edited(own.path, lambda found: _without_ours(found, {}))
    path = _place(host)
    if _read(path) is None:
        yield Change(path, None, None)
        return
    saved, kept = _read(f"{path}{BACKUP}"), member(recall(SETTINGS), "kept")
    line = _line_of(saved)
    if path in kept and kept[path] != text_of(line, "command"):  # changed since the backup was made
        line = {"type": "command", "command": kept[path]} if kept[path] else None
    change = _edited(path, lambda found: _without_ours(found, line))
    is_as_installed = line == _line_of(saved) and _is_as_installed(host, change, saved)
    is_as_before = is_as_installed or _text_of(change.after) == _text_of(saved)
    yield change._replace(after=saved) if is_as_before and change.after != change.before else change


def _is_as_installed(host: Host, change: Change, saved: bytes | None) -> bool:
    """Whether a file is what installing makes of its backup: empty hooks that were filled come back then too."""
    with suppress(CompactChatError):  # of a backup that somebody changed
        return saved is not None and _rewritten(change.path, saved, partial(_with_ours, host)) == change.before
    return False


def _edited(path: str, edit: Callable[[Values], Values]) -> Change:
    """Plan an edit of a JSON file: what stays is as it was written, to the blanks around it."""
    path = os.path.realpath(path)  # a link is followed, as people have who keep settings elsewhere, and stays
    before = _read(path)
    return Change(path, before, _rewritten(path, before, edit))


def _rewritten(path: str, before: bytes | None, edit: Callable[[Values], Values]) -> bytes | None:
    """Return what a file would hold after an edit; `path` is for the sentence where it cannot be edited."""
    try:
        text = (before or b"{}\n").decode("utf-8-sig")
        _object(json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse))
        start = _behind(text, 0)
        node, end = _node(text, start)
        after = edit(node.value)
    except (ValueError, RecursionError) as problem:
        is_ours = type(problem) is ValueError  # else JSON's or Unicode's own
        why = str(problem) if is_ours else "it is not plain JSON (comments are not allowed)"
        raise CompactChatError(f"{path} cannot be edited safely: {why}. Correct it, and run this again.") from None
    if after == node.value:
        return before
    _check_writable(path)
    inner = (line for line in text.split("\n")[1:] if line[:1] in (" ", "\t") and line.strip())
    indent = next((line[: len(line) - len(line.lstrip())] for line in inner), "  ")
    # Half a surrogate pair can only be written as an escape.
    is_ascii = bool(re.search("[\ud800-\udfff]", json.dumps(after, ensure_ascii=False)))
    form = _Form("\r\n" if "\r\n" in text else "\n", indent, is_ascii)
    mark = b"\xef\xbb\xbf" if (before or b"").startswith(b"\xef\xbb\xbf") else b""
    return mark + f"{text[:start]}{_written(after, node, form, '')}{text[end:]}".encode()


class _Form(NamedTuple):
    """How a file is written."""

    line_end: str
    indent: str
    is_ascii: bool


class _Node(NamedTuple):
    """A value of a JSON text as it was written; of an object or a list with its parts, and what is behind the last."""

    value: Any
    raw: str
    parts: list[_Part] = []
    tail: str = ""


class _Part(NamedTuple):
    """A member or an item: what separates it from the one before, its name (of an item "") up to the value, and that.

    `key` is the name as it reads.
    """

    lead: str
    name: str
    key: str
    node: _Node


_DECODER = json.JSONDecoder()


def _node(text: str, start: int) -> tuple[_Node, int]:
    """Read the value that begins at a place of valid JSON; return it with its end."""
    if text[start] not in "{[":
        value, end = _DECODER.raw_decode(text, start)
        return _Node(value, text[start:end]), end
    parts, at = list[_Part](), start + 1
    while text[begin := _behind(text, at)] not in "}]":
        key, place = "", begin
        if text[start] == "{":
            key, place = _DECODER.raw_decode(text, begin)
            place = _behind(text, place)
        node, end = _node(text, place)
        parts.append(_Part(text[at:begin], text[begin:place], key, node))
        at = end
    found = {one.key: one.node.value for one in parts} if text[start] == "{" else [one.node.value for one in parts]
    return _Node(found, text[start : begin + 1], parts, text[at:begin]), begin + 1


def _behind(text: str, at: int) -> int:
    """Return the place behind blanks and what separates names and values."""
    while text[at] in " \t\r\n:,":
        at += 1
    return at


def _written(value: Any, node: _Node | None, form: _Form, pad: str | None) -> str:
    """Write a value; what it has of the one that was read stays as it was written.

    `pad` is what its line begins with, None if all is on one line.
    """
    if node and (value is node.value or (isinstance(value, str) and value == node.value)):
        return node.raw
    if node is None or not value or type(value) is not type(node.value) or not isinstance(value, dict | list):
        written = json.dumps(value, ensure_ascii=form.is_ascii, indent=None if pad is None else form.indent)
        return written.replace("\n", f"{form.line_end}{pad}")
    parts, all_of_it = node.parts, list[str]()
    first = parts[0].lead if parts else "" if pad is None else f"{form.line_end}{pad}{form.indent}"
    usual = parts[1].lead if len(parts) > 1 else f",{first or ' '}"
    for key, one, part in _members(value, parts) if isinstance(value, dict) else _items(value, parts):
        lead = (part.lead if part else usual) if all_of_it else first
        line = lead.rpartition("\n")[2]  # up to a comma, which some people put first
        inner = line[: len(line) - len(line.lstrip())] if "\n" in lead else None
        name = f"{json.dumps(key, ensure_ascii=form.is_ascii)}: " if key else ""
        all_of_it += lead, part.name if part else name, _written(one, part.node if part else None, form, inner)
    tail = node.tail if parts or pad is None else f"{form.line_end}{pad}"
    return f"{node.raw[0]}{''.join(all_of_it)}{tail}{node.raw[-1]}"


_Held: TypeAlias = Iterator[tuple[str, Any, _Part | None]]  # a name, a value, and the part that it was


def _members(value: Values, parts: list[_Part]) -> _Held:
    before = {part.key: part for part in parts}
    return ((key, one, before.get(key)) for key, one in value.items())


def _items(value: list[Any], parts: list[_Part]) -> _Held:
    stay, before = set(map(id, value)), {id(part.node.value): part for part in parts}
    others = (part for part in parts if id(part.node.value) not in stay)  # an item with a part taken out is a new one
    return (("", one, before.get(id(one)) or next(others, None)) for one in value)


def _object(value: Any) -> Values:
    if isinstance(value, dict):
        return value
    raise ValueError("it is not an object")


def _unique(members: list[tuple[str, Any]]) -> Values:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("it has a duplicate key")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"it holds {name}, which is not JSON")


def _read(path: str) -> bytes | None:
    try:
        with regular_file(path) as (handle, _), open(handle, "rb", closefd=False) as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except NotRegular:
        raise CompactChatError(f"{path} is not a regular file, so nothing was changed.") from None
    except OSError as problem:
        sentence = f"{path} cannot be read ({problem.strerror}); make it readable, and run this again."
        raise CompactChatError(sentence) from None
    if len(data) > _LARGEST:
        raise CompactChatError(f"{path} is larger than settings are, so nothing was changed.")
    return data


def _write(path: str, data: bytes, like: str) -> None:
    """Replace a file at once, with the mode of the one that was there."""
    mode = 0o600
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(like).st_mode)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        put(Path(path), [data], mode)
    except OSError as problem:
        raise CompactChatError(
            f"{path} cannot be written ({problem.strerror}); make its folder writable, and run this again."
        ) from None


def _check_unchanged(changes: list[Change]) -> None:
    """Refuse where a file was written after its change was shown: what is new in it would be lost."""
    for change in changes:
        if _read(change.path) != change.before:
            raise CompactChatError(f"{change.path} was changed meanwhile, so nothing was changed. Run this again.")


def _check_writable(path: str) -> None:
    with suppress(FileNotFoundError):
        if not os.stat(path).st_mode & stat.S_IWUSR:
            raise CompactChatError(f"{path} is read-only; make it writable (chmod u+w), and run this again.")


# Where `uvx` and `pipx run` make environments.
_OF_ONE_RUN = re.compile(r"/(?:\.?caches?|archive-v\d+)/", re.IGNORECASE)


def _check_program(host: Host) -> None:
    """Refuse where the agent would not find the program: it is started from other shells than this one."""
    places = os.environ.get("PATH", "").split(os.pathsep)
    own = (sys.prefix, os.path.realpath(sys.prefix)) if _OF_ONE_RUN.search(sys.prefix.replace(os.sep, "/")) else ()
    here = [os.path.join(one, "") for one in (os.environ.get("VIRTUAL_ENV", ""), *own) if one]
    lasting = [one for one in places if os.path.isabs(one) and not one.startswith(tuple(here))]
    if shutil.which(PROGRAM, path=os.pathsep.join(lasting)) is None:
        raise CompactChatError(
            f"{host.label} runs `{PROGRAM}` from PATH and would not find it. {_how_to_install()}, and run this again."
        )


def _how_to_install() -> str:
    """Say how this program gets on PATH for good: from the tree that it was started in, or as it is."""
    tree = Path(__file__).resolve().parents[3]
    if (tree / "pyproject.toml").is_file():
        wheels = sorted((tree / "dist").glob("*.whl"), key=os.path.getmtime)
        what = shlex.quote(str(wheels[-1] if wheels else tree))
        return f"Install it for good, with `uv tool install {what}` or `pipx install {what}`"
    return f"Put the folder of this program, {os.path.dirname(sys.executable)}, on your PATH for good"


def _notes(host: Host) -> Iterator[str]:
    if host is CODEX:
        yield "When Codex starts, it asks whether to trust new hooks: choose to trust them, or they do not run."
    found: Values = {}
    with suppress(CompactChatError, ValueError):
        found = json.loads(_read(settings_path(host)) or b"{}")
    if text_of(found, "disableAllHooks") or member(found, "disableAllHooks", bool):
        yield f"Its settings turn all hooks off (disableAllHooks), and so these: {host.label} shows and adds nothing."


def _line_of(data: bytes | None) -> Values | None:
    with suppress(ValueError, RecursionError, AttributeError):
        line = json.loads((data or b"{}").decode("utf-8-sig")).get("statusLine")
        return line if isinstance(line, dict) and isinstance(line.get("command"), str) else None
    return None


def _is_our_line(command: str) -> bool:
    """Whether a command line runs our status line, by whatever path or runner."""
    words = [word.strip("\"'$(`;)").replace("\\", "/").rpartition("/")[2] for word in command.split()]
    names = [word.partition("@")[0].removesuffix(".exe").replace("_", "-") for word in words]
    return any(one == PROGRAM and word == "statusline" for one, word in pairwise(names))


def _text_of(data: bytes | None) -> str:
    """Return what settings say, however they are written; no file says as much as an empty one."""
    with suppress(ValueError, RecursionError):
        return json.dumps(json.loads((data or b"{}").decode("utf-8-sig")), sort_keys=True)
    return ""


def _listed(changes: list[Change]) -> str:
    return " and ".join(visible(change.path) for change in changes)


def asked(question: str) -> bool:
    """Ask a person; without one, nothing is changed."""
    if not sys.stdin.isatty():
        raise CompactChatError("Nothing was changed: use --yes to skip the question.")
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False
