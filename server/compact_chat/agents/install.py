"""Put the status line and the hook into an agent's settings, and take them out again.

The files are an agent's and a user's own: they are merged, never replaced, shown before they change, and come back
byte for byte. The commands are the same for all versions: users and models see them, and Codex trusts them by a hash.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from compact_chat.agents.hosts import CLAUDE_CODE, CODEX, COPILOT_CLI, HOSTS, Host, folder_of, settings_path, text_of
from compact_chat.agents.memory import SETTINGS, Values, member, recall, remember
from compact_chat.errors import CompactChatError
from compact_chat.text import visible

PROGRAM = "compact-chat"
HOOK, STATUS = f"{PROGRAM} hook", f"{PROGRAM} statusline"
BACKUP = ".before-compact-chat"
SECONDS = 20  # that an agent waits for the hook, at most
_LARGEST = 2**22  # bytes of settings
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY"))  # a pipe is not waited for
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
    changes = [change for change in _undone(host) if change.before != change.after]
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
        with suppress(OSError):
            os.unlink(f"{change.path}{BACKUP}")
    settings, paths = recall(SETTINGS), {change.path for change in changes}
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
        except CompactChatError as problem:
            yield f"{host.label}: {problem.sentence}"
            continue
        would = f"`{PROGRAM} install {host.name}` would change {_listed(changes)}"
        yield f"{host.label}: {would if changes else 'installed'}"


def planned(host: Host) -> list[Change]:
    """Return what installing would change; raises CompactChatError where it cannot."""
    folder = folder_of(host)
    if host is CODEX:
        return [_edited(os.path.join(folder, "hooks.json"), lambda found: _with_hooks(found, _HOOKS[host.name]))]
    settings = os.path.join(folder, "settings.json")
    if host is CLAUDE_CODE:
        return [_edited(settings, lambda found: _with_status(_with_hooks(found, _HOOKS[host.name])))]
    return [_own_file(folder), _edited(settings, _with_status)]


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
            others = {name: one for name, one in found["statusLine"].items() if name not in ("type", "command")}
            found["statusLine"] = {**others, **before}
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
    path = os.path.realpath(os.path.join(folder, "hooks.json" if host is CODEX else "settings.json"))
    if _read(path) is None:
        return
    saved, kept = _read(f"{path}{BACKUP}"), member(recall(SETTINGS), "kept")
    line = _line_of(saved)
    if path in kept and kept[path] != text_of(line, "command"):  # changed since the backup was made
        line = {"type": "command", "command": kept[path]} if kept[path] else None
    change = _edited(path, lambda found: _without_ours(found, line))
    is_as_before = _text_of(change.after) == _text_of(saved)
    yield change._replace(after=saved) if is_as_before and change.after != change.before else change


def _edited(path: str, edit: Callable[[Values], Values]) -> Change:
    """Plan an edit of a JSON file that keeps its form: members that stay, the indent, line ends, and a mark."""
    path = os.path.realpath(path)  # a link is followed, as people have who keep settings elsewhere, and stays
    before = _read(path)
    try:
        text = (before or b"{}\n").decode("utf-8-sig")
        found = _object(json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse))
        after = edit(found)
    except (ValueError, RecursionError) as problem:
        is_ours = type(problem) is ValueError  # else JSON's or Unicode's own
        why = str(problem) if is_ours else "it is not plain JSON (comments are not allowed)"
        raise CompactChatError(f"{path} cannot be edited safely: {why}. Correct it, and run this again.") from None
    if after == found:
        return Change(path, before, before)
    _check_writable(path)
    lines = text.replace("\r\n", "\n")
    inner = (line for line in lines.split("\n")[1:] if line[:1] in (" ", "\t") and line.strip())
    indent = next((line[: len(line) - len(line.lstrip())] for line in inner), "  ")
    is_line = bool(found) and "\n" not in lines.strip()
    is_ascii = text.isascii() or "\\ud" in text.lower()  # half a surrogate pair can only be written as an escape
    stays, members = _members(lines), list[str]()
    for name, value in after.items():
        written = json.dumps(value, ensure_ascii=is_ascii, indent=None if is_line else indent)
        raw = stays[name] if value is found.get(name) else written.replace("\n", f"\n{indent}")
        members.append(f"{json.dumps(name, ensure_ascii=is_ascii)}: {raw}")
    first, joint, last = ("{", ", ", "}") if is_line or not members else (f"{{\n{indent}", f",\n{indent}", "\n}")
    whole = first + joint.join(members) + last + lines[len(lines.rstrip()) :]
    whole = whole.replace("\n", "\r\n") if "\r\n" in text else whole
    mark = b"\xef\xbb\xbf" if (before or b"").startswith(b"\xef\xbb\xbf") else b""
    return Change(path, before, mark + whole.encode())


def _members(text: str) -> dict[str, str]:
    """Return the members of an object in valid JSON, each value as it was written."""
    decoder, found, at = json.JSONDecoder(), dict[str, str](), text.index("{") + 1
    while text[at := _behind(text, at)] != "}":
        name, at = decoder.raw_decode(text, at)
        start = _behind(text, at)
        _, at = decoder.raw_decode(text, start)
        found[name] = text[start:at]
    return found


def _behind(text: str, at: int) -> int:
    """Return the place behind what separates the names and values of an object."""
    while text[at] in " \t\n:,":
        at += 1
    return at


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
        with open(os.open(path, _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise CompactChatError(f"{path} is not a regular file, so nothing was changed.")
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as problem:
        sentence = f"{path} cannot be read ({problem.strerror}); make it readable, and run this again."
        raise CompactChatError(sentence) from None
    if len(data) > _LARGEST:
        raise CompactChatError(f"{path} is larger than settings are, so nothing was changed.")
    return data


def _write(path: str, data: bytes, like: str) -> None:
    """Replace a file at once, with the mode of the one that was there."""
    folder = os.path.dirname(path)
    mode = 0o600
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(like).st_mode)
    part = f"{path}.part-{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
        os.chmod(part, mode)
        os.replace(part, path)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(part)
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


_OF_ONE_RUN = re.compile(
    r"/(?:\.?caches?|archive-v\d+)/", re.IGNORECASE
)  # where `uvx` and `pipx run` make environments


def _check_program(host: Host) -> None:
    """Refuse where the agent would not find the program: it is started from other shells than this one."""
    places = os.environ.get("PATH", "").split(os.pathsep)
    own = (sys.prefix, os.path.realpath(sys.prefix)) if _OF_ONE_RUN.search(sys.prefix.replace(os.sep, "/")) else ()
    here = [os.path.join(one, "") for one in (os.environ.get("VIRTUAL_ENV", ""), *own) if one]
    lasting = [one for one in places if os.path.isabs(one) and not one.startswith(tuple(here))]
    if shutil.which(PROGRAM, path=os.pathsep.join(lasting)) is None:
        raise CompactChatError(
            f"{host.label} runs `{PROGRAM}` from PATH and would not find it. Install it for good, with"
            f" `uv tool install {PROGRAM}` or `pipx install {PROGRAM}`, and run this again."
        )


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
