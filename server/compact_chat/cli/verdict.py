"""The verdict on one screen: the chat now and after, what is kept and missing, the brief, and where the message is.

The same screen shows a draft; a list of this folder's chats gives each a number for other commands.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct, structs

from compact_chat import wire
from compact_chat.chat import Warning
from compact_chat.cli import views
from compact_chat.cli.terminal import Terminal, columns, one_line, pad, program, wrapped
from compact_chat.measure import family_of
from compact_chat.operations import ClientState, Compacted
from compact_chat.tools import tool_named

PARTS = {  # with the color and the name that each has on both bars
    "fixed": ("dim", "system"),
    "attached": ("white", "attached later"),
    "tool_results": ("yellow", "results"),
    "tool_calls": ("magenta", "calls"),
    "thinking": ("red", "thinking"),
    "images": ("cyan", "images"),
    "user": ("blue", "you"),
    "assistant": ("green", "answers"),
    "summary": ("bold", "summary"),
}
PLAIN = {"fixed": "▒", "attached": "▚", "summary": "▓"}  # what tells parts apart without colors
BRIEF = {  # the sections of each style that say where the work is and what comes next
    "whereWeAre": "now at",
    "currentWork": "now at",
    "inProgress": "now at",
    "currentState": "now at",
    "next": "next",
    "optionalNextStep": "next",
    "nextSteps": "next",
}
LEAST_MISSING, LEAST_BRIEF, MOST_KEPT, MOST_NOTES = 2, 3, 2, 2  # rows
MOST_COUNTED = 100  # chats behind those of the list, which are not shown
FIRM = "\xa0"  # a blank at which no line ends
MANY_TURNS = 100  # left, with which the limit is far away
LEAST_TITLE = 8  # columns, or a row goes without its age
MARGIN = 8  # columns of the words before a bar, a list or a brief
COPIERS = {"darwin": ("pbcopy",), "win32": ("clip",)}
OTHER_COPIERS = {
    "WAYLAND_DISPLAY": ("wl-copy",),
    "DISPLAY": ("xclip -sel clip", "xsel -b"),
    "WSL_DISTRO_NAME": ("clip.exe",),
}
LEAST_SPLIT = 0.1  # of a message, in turns word for word, to be named
FILE = "message.md"  # where the message goes without any of these


def show_verdict(found: Compacted, terminal: Terminal) -> Iterator[str]:
    """Show a compaction on one screen."""
    assert found.compaction, "without one, an error says why"
    return _screen(found.report, found.compaction, terminal)


def show_draft(draft: wire.Draft, terminal: Terminal, *, is_past: bool = False) -> Iterator[str]:
    """Show a draft on one screen, with its versions; since a past one its chat may have gone on."""
    newest = draft.versions[-1]
    if changed := draft.changed:
        warnings = (Warning("changedDraft", earlier_draft(changed)), *draft.compaction.warnings)
        draft = structs.replace(draft, compaction=structs.replace(draft.compaction, warnings=warnings))
    sentence = f"version {draft.version}, {views.writer_of(newest)}"
    if draft.edited and newest.by != "edit":
        sentence += ", with your edits"
    if draft.conflict:
        sentence += "; your edits do not fit this text: `--json` has them in conflict.text"
    if draft.version > 1 and not is_past:
        sentence += f"; `{_draft(draft.draft_id)} --version 1` goes back to how it began"
    return _screen(draft.report, draft.compaction, terminal, sentence, "before" if is_past else "now")


def earlier_draft(changed: wire.ChangedDraft) -> str:
    """Say that a draft was changed before, and how to go on with it."""
    return f"A draft of this chat was changed before: `{_draft(changed.draft_id)}` goes on with that one."


def _screen(
    report: wire.TokenReport, done: wire.Compaction, terminal: Terminal, version: str = "", label: str = "now"
) -> Iterator[str]:
    """Fill one screen: what is always there first, then as much of the missing and the brief as there is room for."""
    top = [*_heading(report, done, terminal), *_bars(report, done, terminal, label), ""]
    notes = _first(list(_notes(done.warnings, terminal)), MOST_NOTES, terminal)
    kept, missing = [*_kept(done, terminal), *notes], list(_missing(done, terminal))
    end = list(_message(report, done, version, terminal))
    parts = list(_brief(done, terminal))
    room = terminal.rows - 1 - len(top) - len(kept) - len(end)
    most = max(LEAST_MISSING, room // 3)
    left = [f"… and {len(missing) - most + 1} more, with --full"] if len(missing) > most else []
    back = [f"to add back: {_draft(done.compaction_id)} --add-back ID"] if missing and done.archive else []
    hint = wrapped("; ".join((*left, *back)), terminal.width - MARGIN)
    shown = missing[: most - 1] if left else missing
    shown += (" " * MARGIN + terminal.paint(line, "dim") for line in hint if line)
    room -= len(shown)
    brief = list[str]()
    for place, part in enumerate(parts):  # what the first does not need, the others have
        brief += _first(part, max(LEAST_BRIEF, (room - len(brief)) // (len(parts) - place)), terminal)
    return iter([*top, *kept, *shown, *brief, *end])


def _first(lines: Sequence[str], most: int, terminal: Terminal) -> list[str]:
    """Return the first lines, and what says that there are more."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], terminal.paint(f"{' ' * MARGIN}…", "dim")]


def _heading(report: wire.TokenReport, done: wire.Compaction | None, terminal: Terminal) -> Iterator[str]:
    yield terminal.paint(one_line(report.title or "(no title)", terminal.width), "bold")
    tool = tool_named(report.tool).label or report.format
    messages = f"{report.message_count:,} message{'' if report.message_count == 1 else 's'}"
    if done and done.survival.scope.before_last_compaction:  # which count in what is kept and missing
        messages = f"{report.message_count:,} of {done.survival.scope.messages:,} messages in context"
    compacted = report.compactions.total
    times = ("", "compacted once")[compacted] if compacted < 2 else f"compacted {compacted} times"
    line = " · ".join(filter(None, (tool, report.model, times, messages)))
    yield terminal.paint(one_line(line, terminal.width), "dim")


def _bars(report: wire.TokenReport, done: wire.Compaction, terminal: Terminal, label: str) -> Iterator[str]:
    """Draw the chat now, or before, and after on one scale, with the line where its tool auto-compacts."""
    _, used, end = views.shown_percent(report)
    scale = max(end, report.used, 1)
    limit = report.limit.tokens if report.limit else None
    color = views.level_of(report)
    now = f"{views.short(report.used)} of {views.short(end)} "
    percent = f"{round(100 * used / end) if end else 0}%"
    width = max(10, terminal.width - MARGIN - len(now) - len(percent) - 1)
    bar = _bar(report.parts, report.used, scale, limit, width, terminal)
    yield f"{pad(label, MARGIN)}{bar} {now}{terminal.paint(percent, color)}"
    after = done.next_chat and (done.next_chat.continuation or done.next_chat.messages)
    notes = []
    if after:
        bar = _bar(after.parts, after.tokens, scale, limit, width, terminal)
        yield f"{pad('after', MARGIN)}{bar} {views.short(after.tokens)}"
        around = report.parts.fixed + report.parts.attached
        before, then = max(0, report.used - around), after.tokens - after.fixed  # as on the page
        saved = f" ({100 * (before - then) // before}% less)" if before > then else ""
        notes.append(("", f"conversation {views.short(before)} → {views.short(then)}{saved}", "bold"))
    if limit:
        sentence = f"│ auto-compacts at {views.short(limit)}"
        if (left := report.turns_left) and left.low < MANY_TURNS:
            turns = f"{left.low} to {left.high}" if left.low < left.high else f"{left.low}"
            sentence += f", {turns} turn{'' if turns == '1' else 's'} left"
        notes.append(("", sentence, color))
    yield from _flowed(notes, terminal)
    yield from _flowed(
        (
            (
                f"{'■' if terminal.color else PLAIN.get(name, '█')} ",
                f"{label} {views.short(getattr(report.parts, name))}",
                look,
            )
            for name, (look, label) in PARTS.items()
            if getattr(report.parts, name) >= max(1, report.used // 100)
        ),
        terminal,
    )


def _flowed(parts: Iterable[tuple[str, str, str]], terminal: Terminal) -> Iterator[str]:
    """Put short texts next to each other, as many in a line as fit; a look colors the sign, or a text without one."""
    line, width = " " * MARGIN, MARGIN
    for sign, text, look in parts:
        for piece in wrapped(text, terminal.width - MARGIN - len(sign)):
            taken = columns(sign + piece)
            if width + taken > terminal.width and width > MARGIN:
                yield line.rstrip()
                line, width = " " * MARGIN, MARGIN
            line += f"{terminal.paint(sign, look)}{piece if sign else terminal.paint(piece, look)}  "
            width += taken + 2
    if width > MARGIN:
        yield line.rstrip()


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
    kept, total = done.survival.items
    cut = views.shortened_in(done.survival)
    width = terminal.width - MARGIN
    if not total:
        yield from _labeled("kept", wrapped(cut, width), "yellow", terminal) if cut else ()
        return
    names = []
    classes = [one for one in done.survival.classes if one.name != wire.OMISSIONS]
    for one in sorted(classes, key=lambda one: one.kept == one.total):  # first what is not whole
        of = f" of {one.total}" if one.kept < one.total else ""
        names.append(f"{one.kept}{of} {wire.class_name(one.name, one.total)}")
    listed = ", ".join(name.replace(" ", FIRM) for name in names)
    lines = [line.replace(FIRM, " ") for line in wrapped(f"{kept} of {total} items: {listed}", width)]
    if len(lines) > MOST_KEPT:
        last = lines[MOST_KEPT - 1].removesuffix(",")
        while columns(last) > width - 2:
            last = last.rpartition(", ")[0]
        lines[MOST_KEPT - 1 :] = [f"{last} …"]
    lines += wrapped(cut, width) if cut else ()
    if done.healed_at_most:
        lines += wrapped(views.healed_in(done), width)
    yield from _labeled("kept", lines, "green" if kept == total else "yellow", terminal)


def _labeled(label: str, lines: Iterable[str], color: str, terminal: Terminal) -> Iterator[str]:
    """Put a label before the first line, and indent the others."""
    for number, line in enumerate(lines):
        yield (" " * MARGIN if number else terminal.paint(pad(label, MARGIN), color)) + line


def _missing(done: wire.Compaction, terminal: Terminal) -> Iterator[str]:
    """List what is missing, the most important first, with its id and what it costs to add it back."""
    rows = missing_of(done.survival) if done.continuation else []
    ids = views.fact_ids([fact.id for _, fact in rows])
    lines = []
    for (kind, fact), id in zip(rows, ids, strict=True):
        text, price = views.lost_row(fact.text, f"{kind} {id}", fact.cost, terminal.width - MARGIN)
        lines.append(text + terminal.paint(price, "dim"))
    yield from _labeled("missing", lines, "yellow", terminal)


def missing_of(survival: wire.Survival) -> list[tuple[str, wire.Lost]]:
    """List the missing facts with their kinds: the most important kind first, of each the newest, look-ups last."""
    found: dict[tuple[str, str], tuple[bool, str, wire.Lost]] = {}
    for one in survival.classes:
        kind = wire.class_name(one.name, 1)
        for fact in reversed(one.lost) if one.name != wire.OMISSIONS else ():
            row = views.only_looked_up(one.name, fact), kind, fact
            found.setdefault((kind, fact.text.casefold()), row)  # the same in other letters once
    ranks = {single: rank for rank, (single, _) in enumerate(wire.CLASS_NAMES.values())}
    rows = sorted(found.values(), key=lambda row: (row[0], ranks.get(row[1], 0)))
    return [(kind, fact) for _, kind, fact in rows]


def _notes(warnings: Iterable[Warning], terminal: Terminal) -> Iterator[str]:
    """Warn of what was damaged in the chat, or not done as it was asked for."""
    for number, warning in enumerate(warnings):
        lines = wrapped(views.note_of(warning), terminal.width - MARGIN)
        yield from _labeled("" if number else "note", lines, "yellow", terminal)


def _brief(done: wire.Compaction, terminal: Terminal) -> Iterator[list[str]]:
    """Show where the work is and what comes next, as the message says it."""
    shown = dict[str, str]()
    for key, title in BRIEF.items():
        text = (done.sections or {}).get(key)
        if isinstance(text, str | list) and text:
            items = (one if isinstance(one, str) else " ".join(map(str, one.values())) for one in text)
            shown.setdefault(title, text if isinstance(text, str) else "\n".join(items))
    if now := shown.get("now at"):
        shown["now at"] = _latest(now, terminal.width - MARGIN)
    for title, text in shown.items() or (("summary", done.summary),):
        lines = (line.strip() for line in text.split("\n") if line.strip(" >"))
        folded = [piece for line in lines for piece in wrapped(line, terminal.width - MARGIN)]
        if folded:
            yield list(_labeled(title, folded, "bold", terminal))


def _latest(text: str, width: int) -> str:
    """Shorten the prompts that a text begins with to a row of the last, so that there is room for the answer."""
    lines = text.strip().split("\n")
    end = next((place for place, line in enumerate(lines) if line.strip() and not line.startswith(">")), len(lines))
    said = "\n".join(line.rstrip() for line in lines[:end]).strip().rpartition("\n\n")[2]
    if not said:
        return text
    prompt = " ".join(line.removeprefix(">").strip() for line in said.split("\n"))
    is_led_in = end < len(lines) and lines[end].endswith(":")
    return "\n".join((one_line(f"> {prompt}", width), *lines[end + is_led_in :]))


def _message(report: wire.TokenReport, done: wire.Compaction, version: str, terminal: Terminal) -> Iterator[str]:
    """Say where the message is, and how to get it or change it."""
    if not done.continuation:
        return
    opened = done.next_chat.continuation if done.next_chat else None
    size = opened.tokens - opened.fixed if opened else 0
    tokens = f"{views.short(size)} tokens{_split(size, report, done)}" if opened else ""
    where = "" if done.archive else "not saved"
    if not done.archive and not any(one.code == "notArchived" for one in done.warnings):
        where += ", since archives are off"
    command = _draft(done.compaction_id) if done.archive else f"{program()} compact CHAT"
    width = terminal.width - MARGIN
    lines = list(wrapped(", ".join(filter(None, (tokens, where, version))), width))
    lines.append(terminal.paint(_copied(command), "cyan"))  # on one line, to be copied
    yield from _labeled("message", lines, "bold", terminal)


def _split(size: int, report: wire.TokenReport, done: wire.Compaction) -> str:
    """Split a message's tokens into those of its summary, which a length is for, and of what stays word for word."""
    turns = done.continuation.partition(done.summary)[2] if done.summary else ""
    count = ClientState().counter(family_of(report.model, report.tool).encoding).count
    whole = max(1, count(done.continuation))
    if count(turns) < whole * LEAST_SPLIT:
        return ""
    summary = round(size * count(done.summary) / whole)
    return f" ({views.short(summary)} summary + {views.short(size - summary)} of the last turns, word for word)"


def show_command(words: Iterable[str], terminal: Terminal) -> Iterator[str]:
    """Show the call that gets the message, of the words of one that shows what it keeps.

    A file is named in place of what was typed or piped in: a command of many lines is no good to copy.
    """
    named = ("FILE" if word == "-" or "\n" in word else shlex.quote(word) for word in words)
    yield terminal.paint("to get the message that would open the next chat:", "dim")
    yield terminal.paint(terminal.safe(_copied(" ".join((program(), *named)))), "cyan")


def _copied(command: str) -> str:
    """Return the command that puts a message where it can be pasted from."""
    copy = copier()
    return f"{command} --only continuation {f'| {copy}' if copy else f'> {FILE}'}"


def _draft(draft_id: str) -> str:
    """Return the command that shows and changes a compaction."""
    return f"{program()} draft {draft_id[: views.SHORTEST_ID]}"


def copier() -> str:
    """Return the command that copies its input to the clipboard, if this machine has one."""
    known = COPIERS.get(sys.platform) or [
        one for name, ours in OTHER_COPIERS.items() if os.environ.get(name) for one in ours
    ]
    return next((one for one in known if shutil.which(one.split()[0])), "")


# The chats of a folder, each with a number.


class Listed(Struct, frozen=True):
    """A chat of the list; without a report, if it cannot be read."""

    session: wire.Session
    report: wire.TokenReport | None


def show_chats(found: Iterable[Listed], terminal: Terminal, *, elsewhere: bool, more: int = 0) -> Iterator[str]:
    """Show a row per chat: its number, tool, bar, percentage, title and age; then how many more there are."""
    number = 0
    for number, one in enumerate(found, 1):
        if elsewhere and number == 1:
            yield from terminal.note("No chats found for this folder. The newest elsewhere:", "dim")
        tool = one_line(tool_named(one.session.tool).label or one.session.format, 12)
        bar, percent = " " * 10, "   ?"
        if one.report:
            share = views.shown_percent(one.report)[0]
            bar = views.share_bar(share / 100, 10, views.level_of(one.report), terminal)
            percent = f"{share:>3.0f}%"
        age = f" {age_of(one.session.updated_at)}"
        left = terminal.width - 3 - 13 - 11 - 6 - 1
        age, left = (age, left - len(age)) if left - len(age) >= LEAST_TITLE else ("", left)
        title = one_line(one.session.title or "(no title)", left)
        row = f"{number:>2} {pad(tool, 13)}{bar} {percent}  {pad(title, left) if age else title}"
        yield row + terminal.paint(age, "dim")
    if not number:
        nothing = f"No chats were found where tools keep them. `{program()} compact PATH` takes any chat file."
        yield from wrapped(nothing, terminal.width)
        return
    if more:
        where = "" if elsewhere else " --workspace ."
        yield from terminal.note(
            f"… and {more}{' or' if more == MOST_COUNTED else ''} more; `{program()} sessions{where}` lists them.",
            "dim",
        )
    if terminal.interactive:
        yield from terminal.note(f"`{program()} 1` compacts the first one; `{program()} --help` has more.", "dim")


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
