"""The verdict on one screen: the chat now and after, what is kept and missing, the brief, and where the message is.

The same screen shows a draft; a list of this folder's chats gives each a number for other commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from compact_chat import wire
from compact_chat.cli.terminal import Terminal, columns, one_line, pad, wrapped
from compact_chat.cli.views import level_of, shortest, shown_percent
from compact_chat.operations import Compacted
from compact_chat.tools import TOOLS

LABELS = {tool.name: tool.label for tool in TOOLS}
PARTS = {  # with the color and the name that each has on both bars
    "fixed": ("dim", "system"),
    "tool_results": ("yellow", "results"),
    "tool_calls": ("magenta", "calls"),
    "thinking": ("red", "thinking"),
    "images": ("cyan", "images"),
    "user": ("blue", "you"),
    "assistant": ("green", "answers"),
    "summary": ("bold", "summary"),
}
PLAIN = {"fixed": "▒", "summary": "▓"}  # what tells parts apart without colors
NAMES = {
    "userMessages": ("message whole", "messages whole"),
    "constraints": ("rule", "rules"),
    "preferences": ("preference", "preferences"),
    "modifiedFiles": ("changed file", "changed files"),
    "readFiles": ("read file", "read files"),
    "commands": ("command", "commands"),
    "errors": ("error", "errors"),
    "todos": ("open task", "open tasks"),
    "decisions": ("decision", "decisions"),
    "values": ("value", "values"),
    "results": ("result", "results"),
    "state": ("state", "states"),
    "currentWork": ("step at hand", "steps at hand"),
}
BRIEF = {  # the sections of each style that say where the work is and what comes next
    "whereWeAre": "now at",
    "currentWork": "now at",
    "inProgress": "now at",
    "currentState": "now at",
    "next": "next",
    "optionalNextStep": "next",
    "nextSteps": "next",
}
LEAST_MISSING, LEAST_BRIEF, MOST_KEPT = 2, 3, 2  # rows
MANY_TURNS = 100  # left, with which the limit is far away
MARGIN = 8  # columns of the words before a bar, a list or a brief
COPIERS = {"darwin": "pbcopy", "win32": "clip"}


class Result(Struct, frozen=True):
    """What a verdict is about: a chat, and what was made of it."""

    report: wire.TokenReport
    preview: wire.Preview
    compaction: wire.Compaction | None


def show_verdict(found: Compacted, terminal: Terminal) -> Iterator[str]:
    """Show a compaction on one screen."""
    return _screen(Result(found.report, found.preview, found.compaction), terminal)


def show_draft(draft: wire.Draft, terminal: Terminal) -> Iterator[str]:
    """Show a draft on one screen, with its versions."""
    newest = draft.versions[-1]
    writer = {"offline": "without a model", "model": f"by {newest.model}", "edit": "edited"}[newest.by]
    sentence = f"version {draft.version}, {writer}"
    if draft.edited and newest.by != "edit":
        sentence += ", with your edits"
    if draft.conflict:
        sentence += "; your edits do not fit this text: `--json` has them in conflict.text"
    result = Result(draft.report, draft.preview, draft.compaction)
    return _screen(result, terminal, sentence)


def _screen(found: Result, terminal: Terminal, version: str = "") -> Iterator[str]:
    """Fill one screen: what is always there first, then as much of the missing and the brief as there is room for."""
    done = found.compaction
    top = [*_heading(found.report, terminal), *_bars(found, terminal), ""]
    if done is None:
        return iter([*top, *wrapped(found.preview.reason, terminal.width)])
    kept, missing, end = (
        list(_kept(done, terminal)),
        list(_missing(done, version, terminal)),
        list(_message(done, version, terminal)),
    )
    parts = list(_brief(done, terminal))
    room = terminal.rows - 1 - len(top) - len(kept) - len(end)
    shown = _first(
        missing, max(LEAST_MISSING, room // 3), f"more; {'--json' if version else '--full'} lists them", terminal
    )
    room -= len(shown)
    brief = list[str]()
    for place, part in enumerate(parts):  # what the first does not need, the others have
        brief += _first(part, max(LEAST_BRIEF, (room - len(brief)) // (len(parts) - place)), "", terminal)
    return iter([*top, *kept, *shown, *brief, *end])


def _first(lines: Sequence[str], most: int, more: str, terminal: Terminal) -> list[str]:
    """Return the first lines, and what says that there are more."""
    if len(lines) <= most:
        return list(lines)
    left = f"… and {len(lines) - most + 1} {more}" if more else "…"
    return [*lines[: most - 1], terminal.paint(" " * MARGIN + left, "dim")]


def _heading(report: wire.TokenReport, terminal: Terminal) -> Iterator[str]:
    yield terminal.paint(one_line(report.title or "(no title)", terminal.width), "bold")
    tool = LABELS.get(report.tool, report.format)
    messages = f"{report.message_count:,} message{'' if report.message_count == 1 else 's'}"
    compacted = report.compactions.total
    times = ("", "compacted once")[compacted] if compacted < 2 else f"compacted {compacted} times"
    line = " · ".join(filter(None, (tool, report.model, messages, times)))
    yield terminal.paint(one_line(line, terminal.width), "dim")


def _bars(found: Result, terminal: Terminal) -> Iterator[str]:
    """Draw the chat now and after on one scale, with the line where its tool auto-compacts."""
    report, done = found.report, found.compaction
    _, used, end = shown_percent(report)
    scale = max(end, report.used, 1)
    limit = report.limit.tokens if report.limit else None
    color = level_of(report)
    now = f"{short(report.used)} of {short(end)} "
    percent = f"{round(100 * used / end) if end else 0}%"
    width = max(10, terminal.width - MARGIN - len(now) - len(percent) - 1)
    bar = _bar(report.parts, report.used, scale, limit, width, terminal)
    yield f"{pad('now', MARGIN)}{bar} {now}{terminal.paint(percent, color)}"
    after = (done.next_chat and (done.next_chat.continuation or done.next_chat.messages)) if done else None
    notes = []
    if after:
        bar = _bar(after.parts, after.tokens, scale, limit, width, terminal)
        yield f"{pad('after', MARGIN)}{bar} {short(after.tokens)}"
        fixed = min(report.parts.fixed, after.fixed)
        before, then = max(0, report.used - fixed), after.tokens - fixed
        saved = f" ({100 * (before - then) // before}% less)" if before > then else ""
        notes.append(terminal.paint(f"conversation {short(before)} → {short(then)}{saved}", "bold"))
    if limit:
        sentence = f"│ auto-compacts at {short(limit)}"
        if (left := report.turns_left) and left.low < MANY_TURNS:
            turns = f"{left.low} to {left.high}" if left.low < left.high else f"{left.low}"
            sentence += f", {turns} turn{'' if turns == '1' else 's'} left"
        notes.append(terminal.paint(sentence, color))
    yield from _flowed(notes, terminal)
    yield from _flowed(
        (
            terminal.paint("■ " if terminal.color else f"{PLAIN.get(name, '█')} ", look)
            + f"{label} {short(getattr(report.parts, name))}"
            for name, (look, label) in PARTS.items()
            if getattr(report.parts, name) >= max(1, report.used // 100)
        ),
        terminal,
    )


def _flowed(parts: Iterable[str], terminal: Terminal) -> Iterator[str]:
    """Put short texts next to each other, as many in a line as fit."""
    line, width = " " * MARGIN, MARGIN
    for part in parts:
        plain = columns(_plain(part))
        if width + plain > terminal.width and width > MARGIN:
            yield line.rstrip()
            line, width = " " * MARGIN, MARGIN
        line, width = f"{line}{part}  ", width + plain + 2
    if width > MARGIN:
        yield line.rstrip()


def _plain(text: str) -> str:
    return text if "\033" not in text else "".join(one.partition("m")[2] for one in f"m{text}".split("\033["))


def _bar(parts: wire.Parts | None, used: int, scale: int, limit: int | None, width: int, terminal: Terminal) -> str:
    """Draw the parts as stretches of a bar, and the limit as a line in it."""
    cells: list[tuple[str, str]] = []
    reached = 0
    for name, (color, _) in PARTS.items() if parts else ():
        reached += getattr(parts, name)
        sign = "█" if terminal.color else PLAIN.get(name, "█")
        cells += [(sign, color)] * (min(width, round(width * reached / scale)) - len(cells))
    if not parts:
        cells = [("█", "blue")] * min(width, round(width * used / scale))
    cells += [("░", "dim")] * (width - len(cells))
    if limit is not None:
        cells[min(width - 1, round(width * limit / scale))] = ("│", "yellow")
    drawn, start = "", 0
    for place in range(1, width + 1):
        if place == width or cells[place] != cells[start]:
            sign, color = cells[start]
            drawn += terminal.paint(sign * (place - start), color)
            start = place
    return drawn


def _kept(done: wire.Compaction, terminal: Terminal) -> Iterator[str]:
    """Say how many facts are kept, of which kinds."""
    classes = [one for one in done.survival.classes if one.name != "omissions"]
    kept, total = sum(one.kept for one in classes), sum(one.total for one in classes)
    if not total:
        return
    names = []
    for one in classes:
        single, several = NAMES.get(one.name, (one.name, one.name))
        of = f" of {one.total}" if one.kept < one.total else ""
        names.append(f"{one.kept}{of} {single if one.total == 1 else several}")
    lines = list(wrapped(f"{kept} of {total} items: {', '.join(names)}", terminal.width - MARGIN))
    if len(lines) > MOST_KEPT:
        lines = [*lines[: MOST_KEPT - 1], one_line(" ".join(lines[MOST_KEPT - 1 :]), terminal.width - MARGIN)]
    if done.healed:
        things = "1 item" if done.healed == 1 else f"{done.healed} items"
        lines.append(one_line(f"{things} that the tool's own summaries dropped are back", terminal.width - MARGIN))
    yield from _labeled("kept", lines, "green" if kept == total else "yellow", terminal)


def _labeled(label: str, lines: Iterable[str], color: str, terminal: Terminal) -> Iterator[str]:
    """Put a label before the first line, and indent the others."""
    for number, line in enumerate(lines):
        yield (" " * MARGIN if number else terminal.paint(pad(label, MARGIN), color)) + line


def _missing(done: wire.Compaction, version: str, terminal: Terminal) -> Iterator[str]:
    """List what is missing, with what it costs to add it back; in a draft, by the id to add it back with."""
    lines = []
    for found in done.survival.classes if done.continuation else ():
        kind = NAMES.get(found.name, (found.name, ""))[0].removesuffix(" whole")
        for fact in found.lost if found.name != "omissions" else ():
            about = f"  {fact.id if version else kind} +{short(fact.cost)}"
            left = terminal.width - MARGIN - len(about)
            text = one_line(fact.text, left)
            lines.append(f"{text}{' ' * max(0, left - columns(text))}{terminal.paint(about, 'dim')}")
    yield from _labeled("missing", lines, "yellow", terminal)


def _brief(done: wire.Compaction, terminal: Terminal) -> Iterator[list[str]]:
    """Show where the work is and what comes next, as the message says it."""
    shown = dict[str, str]()
    for key, title in BRIEF.items():
        text = (done.sections or {}).get(key)
        if isinstance(text, str | list) and text:
            shown.setdefault(title, text if isinstance(text, str) else "\n".join(map(_text_of, text)))
    for title, text in shown.items() or (("summary", done.summary),):
        lines = (line.strip() for line in text.split("\n") if line.strip(" >"))
        folded = [piece for line in lines for piece in wrapped(line, terminal.width - MARGIN)]
        if folded:
            yield list(_labeled(title, folded, "bold", terminal))


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(str(one) for one in value.values())


def _message(done: wire.Compaction, version: str, terminal: Terminal) -> Iterator[str]:
    """Say where the message is, and how to get it or change it."""
    if not done.continuation:
        return
    [name] = shortest([done.compaction_id])
    opened = done.next_chat.continuation if done.next_chat else None
    tokens = f"{short(opened.tokens - opened.fixed)} tokens" if opened else ""
    command = f"compact-chat draft {name}" if done.archive else "compact-chat compact CHAT"
    where = "kept" if done.archive else "not kept, since archives are off"
    width = terminal.width - MARGIN
    lines = [one_line(", ".join(filter(None, (tokens, where, version))), width)]
    lines.append(terminal.paint(one_line(f"{command} --only continuation | {copier()}", width), "cyan"))
    yield from _labeled("message", lines, "bold", terminal)


def copier() -> str:
    """Name the command that copies its input to the clipboard on this system."""
    return COPIERS.get(sys.platform) or ("wl-copy" if os.environ.get("WAYLAND_DISPLAY") else "xclip -sel clip")


# The chats of a folder, each with a number.


class Listed(Struct, frozen=True):
    """A chat of the list; without a report, if it cannot be read."""

    session: wire.Session
    report: wire.TokenReport | None


def show_chats(found: Iterable[Listed], terminal: Terminal, *, elsewhere: bool) -> Iterator[str]:
    """Show a row per chat: its number, tool, bar, percentage, title and age."""
    if elsewhere:
        yield terminal.paint("No chats found for this folder. The newest elsewhere:", "dim")
    number = 0
    for number, one in enumerate(found, 1):
        tool = one_line(LABELS.get(one.session.tool, one.session.format), 12)
        bar, percent = " " * 10, "   ?"
        if one.report:
            share = shown_percent(one.report)[0]
            filled = min(10, round(share / 10))
            bar = terminal.paint("█" * filled, level_of(one.report)) + terminal.paint("░" * (10 - filled), "dim")
            percent = f"{share:>3.0f}%"
        age = age_of(one.session.updated_at)
        left = terminal.width - 3 - 13 - 11 - 6 - len(age) - 2
        title = one_line(one.session.title or "(no title)", left)
        row = f"{number:>2} {pad(tool, 13)}{bar} {percent}  {title}{' ' * max(1, left - columns(title) + 1)}"
        yield row + terminal.paint(age, "dim")
    if not number:
        yield "No chats were found where tools keep them. `compact-chat compact PATH` takes any chat file."
    elif terminal.interactive:
        hint = "`compact-chat 1` compacts the first one; `compact-chat --help` has more."
        yield terminal.paint(one_line(hint, terminal.width), "dim")


def age_of(time: str) -> str:
    """Say how long ago something was."""
    seconds = max(0.0, (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds())
    for size, unit in (
        (86400 * 365, "y"),
        (86400 * 30, "mo"),
        (86400 * 7, "w"),
        (86400, "d"),
        (3600, "h"),
        (60, "min"),
    ):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"


def short(tokens: int) -> str:
    """Write a number of tokens with two or three digits."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 9_950:
        return f"{tokens / 1000:.1f}k"
    return f"{tokens / 1000:.0f}k" if tokens < 999_500 else f"{tokens / 1_000_000:.1f}M"
