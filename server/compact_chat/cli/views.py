"""What a person reads in a terminal: one view per command, rendered from its typed result.

The verdict says on one screen how large the chat is now and after, what is kept and missing, the brief, and where the
message is; it also shows a draft. A list of this folder's chats gives each a number for other commands.
"""

from __future__ import annotations

import math
import os
import platform
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, structs

from compact_chat import __version__, wire
from compact_chat.chat import ToolCall, Warning
from compact_chat.cli.terminal import NAME, Terminal, columns, one_line, pad, path_line, place_of, program, wrapped
from compact_chat.facts import Step, task_of
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.text import counted
from compact_chat.tools import tool_named

if TYPE_CHECKING:
    from compact_chat.operations import Compacted

PARTS = {
    "fixed": "system prompt, tools",
    "attached": "attached later",
    "summary": "earlier summary",
    "user": "your messages",
    "assistant": "answers",
    "tool_calls": "tool calls",
    "tool_results": "tool results",
    "thinking": "thinking",
    "images": "images",
}
SURE = {
    "measured": "measured: the provider's own figure",
    "anchored": "anchored: the provider's last figure and a counted tail",
    "estimated": "estimated: counted, with what the tool adds assumed where it is known to add something",
}
WINDOWS = {
    "setting": "as it was set",
    "chat": "as the chat tells",
    "table": "that of the model",
    "default": "assumed, since the model is not known",
}
LIMITS = {
    "setting": "as its settings say",
    "rule": "as this version does",
    "recorded": "as it has done before",
}
YELLOW_FROM, RED_FROM = 75, 90  # percent, as in VS Code's own meter
LISTS = {
    "biggest": "The biggest things, as shares of what is used",
    "messages": "By message",
    "tools": "By tool",
    "files": "By file",
}
FATES = {"keep": "green", "pin": "cyan", "prune": "magenta", "summarize": "yellow", "drop": "red"}
OUTCOMES = {"ok": "green", "failed": "red", "rejected": "red", "skipped": "dim"}
SUMMARIES = {"offline": "Summary, extracted without a model", "host": "Summary, from your reply"}
WRITERS = {"none": "by rules", "host": "from a reply", "": "by its tool"}  # where no model was called
USES = {
    "jsonl": "To go on in Claude Code, move it next to the project's sessions (~/.claude/projects/…);"
    " `claude --resume` then lists it. Keep its name.",
}
LOST_SHOWN = 4
WORTH_SAYING = 0.01  # of the tokens
WIDE = 64  # columns, leaving room for one more number in a row
SHORTEST_ID, SHORTEST_FACT = 8, 4
_NOT_THERE = re.compile(r"\A(?:file|path|directory) does not exist\b", re.IGNORECASE)
_UNITS = ("B", "kB", "MB", "GB", "TB")


def show_report(report: wire.TokenReport, terminal: Terminal) -> Iterator[str]:
    """Show the meter with its breakdown."""
    yield terminal.heading("Context")
    known = (tool_named(report.tool).label or report.format, report.model, report.title)
    yield terminal.paint(one_line(" · ".join(filter(None, known)), terminal.width), "bold")
    percent, used, end = shown_percent(report)
    bar = share_bar(percent / 100, 24, level_of(report), terminal, taken=38)
    yield f"{bar} {percent:g}%  {used:,} of {end:,} tokens"
    for note in _known(report):
        yield from terminal.note(note, "dim")
    for name, label in PARTS.items():
        if tokens := getattr(report.parts, name):
            share = tokens / report.used if report.used else 0
            yield f"  {pad(label, 20)}{tokens:>9,}  {share:>4.0%}  {share_bar(share, 20, 'blue', terminal, taken=39)}"
    yield from wrapped(report.reason, terminal.width)
    for row in report.messages or ():
        start = f"{row.index:>5}  {pad(row.role, 10)}{pad(row.kind, 11)}{row.tokens:>9,}  "
        yield start + terminal.paint(row.id, "dim")
    for name, heading in LISTS.items() if report.breakdown is not UNSET else ():
        things = getattr(report.breakdown, name)
        if all(thing.kind == "rest" for thing in things):  # in no section
            continue
        yield terminal.paint(one_line(heading, terminal.width), "bold")
        for thing in things:
            kind = "" if thing.kind == "rest" else thing.kind
            start = f"  {thing.tokens:>9,}  {thing.percent:>5.1f}%  {pad(kind, 10)}"
            fitted = path_line if thing.kind == "file" else one_line
            yield start + fitted(thing.name, max(2, terminal.width - len(start)))
    yield from _notes(report.warnings, terminal)


def shown_percent(report: wire.TokenReport) -> tuple[float, int, int]:
    """Give the percentage that counts, with its tokens: the host's own, else that of the limit, else of the window."""
    if (ring := report.host_meter) and ring.used:
        return ring.used_percent, ring.used, ring.total
    if report.limit is not None and report.percent_of_limit is not None:
        return report.percent_of_limit, report.used, report.limit.tokens
    return report.percent, report.used, report.window


def level_of(report: wire.TokenReport) -> str:
    """Choose the color: nothing is green that may be one turn from its end, or whose window is not known."""
    percent, left = shown_percent(report)[0], report.turns_left
    if percent >= RED_FROM or report.advice == "compact":
        return "red"
    if percent >= YELLOW_FROM or report.advice == "prune" or (left is not None and left.low <= 1):
        return "yellow"
    return "cyan" if report.windows_possible else "green"


def _known(report: wire.TokenReport) -> Iterator[str]:
    """Say how sure the meter is, where the tool compacts, and what its window is."""
    yield f"{SURE[report.basis]}; between {report.low:,} and {report.high:,}"
    if (ring := report.host_meter) and ring.used:
        old = f"older versions show {ring.percent:g}%, with the {ring.reserved:,} tokens kept free for a reply"
        yield f"as the tool's own meter shows it ({old}); {report.used:,} tokens by our count"
    if limit := report.limit:
        yield f"auto-compacts at {limit.tokens:,} tokens, {LIMITS[limit.basis]}"
    if left := report.turns_left:
        yield f"about {_turns(left)} left, if as long as the latest"
    if report.windows_possible:
        sizes = " or ".join(f"{size:,}" for size in report.windows_possible)
        yield f"context window of {sizes}: nothing tells which, so the smallest counts"
    else:
        yield f"context window of {report.window:,}: {WINDOWS[report.window_basis]}"
    if total := report.compactions.total:
        times = "once" if total == 1 else f"{total} times, {report.compactions.automatic} of them automatically"
        before, after = report.compactions.last_before, report.compactions.last_after
        sizes = f"; the last time from {before:,} to {after:,} tokens" if before and after else ""
        yield f"the tool has compacted this chat {times}{sizes}"


def show_preview(preview: wire.Preview, terminal: Terminal, *, is_said: bool = False) -> Iterator[str]:
    """Show what would happen, message by message, and why, unless that is said elsewhere."""
    yield terminal.heading("Plan")
    if not is_said:
        yield from wrapped(preview.reason, terminal.width)
    yield terminal.paint(_before_after(preview.before, preview.after), "bold")
    if preview.action == "compact":
        bounds = f"between {preview.after_low:,} and {preview.after_high:,}, as the summary turns out"
        if preview.next_chat and (opened := preview.next_chat.continuation):
            bounds += f"; {opened.fixed:,} of it the tool's own prompt and tools" if opened.fixed else ""
        yield from terminal.note(bounds, "dim")
        yield from _exported(preview.after, preview.next_chat, terminal)
    for one in preview.lengths or ():
        name = f"{one.name}: " if one.name else ""
        items = f"{one.kept} of {counted(one.total, 'item')}"
        sentence = f"{name}in {one.tokens:,} of {one.budget:,} tokens, a summary keeps {items}"
        yield from wrapped(sentence, terminal.width)
    yield from _notes(preview.warnings, terminal)
    ids = [one_line(id, len(id)) for id in shortest([row.id for row in preview.messages])]
    width = max([2, *map(columns, ids)]) + 1
    after = f"{'after':>8}" if terminal.width >= WIDE else ""
    yield terminal.paint(f"{pad('id', width)}{pad('fate', 10)}{pad('role', 10)}{'tokens':>7}{after}", "dim")
    for id, row in zip(ids, preview.messages, strict=True):
        after = f"{row.tokens_after:>8,}" if terminal.width >= WIDE else ""
        left = terminal.width - width - 29 - len(after)
        fate = terminal.paint(pad(row.fate, 10), FATES[row.fate])
        sizes = f"{pad(row.role, 10)}{row.tokens:>7,}{after}"
        yield f"{pad(id, width)}{fate}{sizes}  {one_line(row.excerpt, max(2, left))}"
    for label, files in (("modified", preview.files.modified), ("read", preview.files.read)):
        if files:
            yield from wrapped(f"files {label}: {', '.join(files)}", terminal.width)
    if request := preview.request:
        model = f"{request.provider}'s {request.model or 'own model'}"
        times = "once" if request.calls == 1 else f"{request.calls} times"
        tokens = f"about {request.input_tokens:,} tokens in, {request.max_output_tokens:,} out at most"
        yield from terminal.note(f"would ask {model} {times}: {tokens}", "dim")
    for found in preview.instructions:
        yield from terminal.note(f"instructions of the project: {' '.join(found.text.split())}", "cyan")
    if preview.redactions.total:
        kinds = ", ".join(f"{count} {kind}" for kind, count in preview.redactions.kinds.items())
        again = f", {preview.redactions.repeats} of them again elsewhere" if preview.redactions.repeats else ""
        yield from terminal.note(f"secrets that would be masked: {kinds}{again}", "magenta")
    yield terminal.paint(f"plan {preview.plan_id}", "dim")


def show_compaction(done: wire.Compaction, terminal: Terminal, *, most: int | None = LOST_SHOWN) -> Iterator[str]:
    """Show the summary, what survived, and the message that opens the next chat, if the strategy produces them.

    Of what is missing, it shows the first of each class, or all.
    """
    if done.summary:
        yield terminal.heading(SUMMARIES.get(done.provider, f"Summary, by {done.model or done.provider}"))
        yield from terminal.page(done.summary)
        yield ""
    if done.survival.classes:
        yield from _survival(done.survival, terminal, most)
        if done.healed_at_most:
            yield from terminal.note(healed_in(done), "green")
        yield ""
    if message := done.continuation:
        if terminal.interactive and done.summary:  # the summary was just shown
            mark = "[… the summary above; --only continuation prints it all …]"
            message = message.replace(done.summary, mark)
        yield terminal.heading("Continuation, to open the next chat")
        yield from terminal.page(message)
        yield ""
    yield terminal.paint(_before_after(done.before, done.after), "bold")
    yield from _exported(done.after, done.next_chat, terminal)
    if done.usage:
        spent = f"{done.usage.input_tokens:,} tokens in, {done.usage.output_tokens:,} out"
        yield from terminal.note(f"asked {done.model}: {spent}", "dim")
    if {"failed", "rejected"} & {one.outcome for one in done.attempts}:
        for one in done.attempts:
            name = " ".join(filter(None, (one.provider, one.model)))
            why = f": {one.detail}" if one.detail else ""
            yield from terminal.note(f"{one.outcome}: {name}{why}", OUTCOMES[one.outcome])
    yield from _notes(done.warnings, terminal)
    if done.archive:
        use = "to change it: {} draft {}" if done.summary else "the chat before: {} restore {}"
        yield from terminal.note(use.format(program(), done.compaction_id), "dim")


def healed_in(done: wire.Compaction) -> str:
    """Say how many facts the message has that the tool's own summaries had not, as far as these can be read."""
    count = done.healed_at_most
    things, are = ("1 item", "is") if count == 1 else (f"{count:,} items", "are")
    if not done.healed:
        place = f"{things} from before the tool's compactions {are} in the message"
        return f"{place}; whether its summaries had {'it' if count == 1 else 'them'} is unknown"
    return f"{things} {are} back that the tool's own summaries dropped and that did not come up again since"


def shortened_in(survival: wire.Survival) -> str:
    """Say how many of the messages that stay are shortened, and what they would cost whole; empty if none is."""
    found = next((one for one in survival.classes if one.name == wire.OMISSIONS), None)
    if found is None or not found.lost:
        return ""
    number, cost = len(found.lost), short(sum(one.cost for one in found.lost))
    are, they = ("is", "it costs") if number == 1 else ("are", "they cost")
    several = "" if found.total == 1 else "s"
    where = " as in an exported session," if survival.of == "continuation" else ""
    return f"{number:,} of {found.total:,} kept message{several} {are} shortened: whole,{where} {they} +{cost} tokens"


def show_all(found: Compacted | wire.Draft, terminal: Terminal) -> Iterator[str]:
    """Show meter, plan and compaction on one page, as far as it went; of a draft, also its versions."""
    yield from show_report(found.report, terminal)
    yield ""
    yield from show_preview(found.preview, terminal, is_said=found.preview.action == "none")  # by an error
    if found.compaction:
        yield ""
        yield from show_compaction(found.compaction, terminal, most=None)
    for one in found.versions if isinstance(found, wire.Draft) else ():
        items = f"{one.kept:,} of {counted(one.total, 'item')} kept"
        yield f"version {one.version}  {_when(one.at)}  {one.tokens:,} tokens  {items}  {writer_of(one)}"


def writer_of(version: wire.DraftVersion) -> str:
    """Say who wrote a version of a draft."""
    return {"offline": "without a model", "model": f"by {version.model}", "edit": "edited"}[version.by]


def show_checked(found: wire.Checked, terminal: Terminal) -> Iterator[str]:
    """Show what a compaction kept."""
    yield from _survival(found.survival, terminal, LOST_SHOWN)
    yield from _notes(found.warnings, terminal)


def show_prompt(prompt: wire.Prompt, terminal: Terminal) -> Iterator[str]:
    """Show what would be sent to a model, verbatim."""
    for text in (prompt.system, *(message["content"] for message in prompt.messages)):
        if text:
            yield from terminal.page(text)


def show_transcript(found: wire.Transcript, terminal: Terminal) -> Iterator[str]:
    """Show each message under a line with its position, role and id."""
    for message in found.messages:
        yield terminal.heading(one_line(f"{message.index} {message.role} · {message.id}", terminal.width - 2))
        yield from terminal.page(message.text or "(nothing that text can show)")
        yield ""
    yield from _notes(found.warnings, terminal)


def show_sessions(found: wire.Sessions, terminal: Terminal) -> Iterator[str]:
    """Show two lines per chat; the second holds the whole path, to be copied."""
    for one in found.sessions:
        start = f"{_when(one.updated_at)} {pad(one.tool[:11], 11)} {size_text(one.bytes):>7} "
        yield start + _title(one.title, terminal, start)
        yield terminal.paint(f"  {terminal.place(one.uri)}", "dim")
    if not found.complete:
        missing = "There was too much to look at, so chats may be missing; --roots FOLDER looks at less."
        yield from wrapped(missing, terminal.width)
    nothing = "No such chats were found where tools keep them; --roots FOLDER looks elsewhere."
    hint = "--workspace . lists only the chats of this folder; count, preview and summarize take a path from here."
    if terminal.interactive or not found.sessions:
        yield from wrapped(hint if found.sessions else nothing, terminal.width)


def show_history(found: wire.History, terminal: Terminal) -> Iterator[str]:
    """Show two lines per compaction; the second holds its id, to be copied."""
    for one in found.compactions:
        writer = one.model or WRITERS.get(one.provider, one.provider)
        items = "" if one.items is None else f"{one.items_kept:,} of {counted(one.items, 'item')} kept  "
        before, after = (short(tokens) if tokens else "?" for tokens in (one.before, one.after))  # of other tools
        message = f", message {short(one.message)}" if one.message else ""
        start = f"{_when(one.at)}  {before} → {after} tokens{message}  {items}"
        yield start + _title(one.title, terminal, start)
        start, place = f"  {one.compaction_id}  {writer}  ", terminal.place(one.uri)
        if terminal.interactive:
            place = path_line(place, max(2, terminal.width - columns(start)))
        yield terminal.paint(f"{start}{place}".rstrip(), "dim")
    nothing = "No compactions yet. Each one is kept here unless archives are off."
    hint = (
        "restore ID gives the chat back; export ID --as markdown writes a file, --as claude-code one for another tool."
        " As much of an ID as no other begins with is enough, from four characters on."
    )
    if terminal.interactive or not found.compactions:
        yield from wrapped(hint if found.compactions else nothing, terminal.width)


def show_restored(found: wire.Restored, terminal: Terminal) -> Iterator[str]:
    """Show the path of the copy, alone on its line; for a person, also what it is."""
    yield terminal.place(found.archive)
    if terminal.interactive:
        yield from wrapped(restored_as(found, terminal), terminal.width)


def restored_as(found: wire.Restored, terminal: Terminal) -> str:
    """Say what a restored chat is."""
    where = f" of {terminal.place(found.uri)}" if found.uri else ""
    return f"a copy{where}, as it was: {counted(len(found.messages), 'message')}; --json prints them"


def show_exported(found: wire.Exported, terminal: Terminal) -> Iterator[str]:
    """Show the path of the new file, alone on its line."""
    yield terminal.place(found.uri)
    if terminal.interactive:
        size = f"{found.bytes:,} bytes"
        if found.tokens is not None and found.messages is not None:
            size += f", {counted(found.messages, 'message')}, about {counted(found.tokens, 'token')} when it is opened"
        yield size
        yield from wrapped(USES.get(found.uri.rpartition(".")[2], ""), terminal.width)


VIEWS: Mapping[str, Callable[[Any, Terminal], Iterator[str]]] = {
    "sessions": show_sessions,
    "count": show_report,
    "transcript": show_transcript,
    "preview": show_preview,
    "summarize": show_compaction,
    "prompt": show_prompt,
    "format": lambda found, terminal: terminal.page(found.summary),
    "continuation": lambda found, terminal: terminal.page(found.message),
    "check": show_checked,
    "history": show_history,
    "restore": show_restored,
    "export": show_exported,
}


def shortest(ids: Sequence[str], least: int = SHORTEST_ID) -> list[str]:
    """Shorten ids to unique prefixes, of at least eight characters, which commands accept too."""
    needed = dict.fromkeys(ids, least)
    for one, other in pairwise(sorted(needed)):
        places = (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
        shared = next(places, len(one))
        needed[one], needed[other] = max(needed[one], shared + 1), max(needed[other], shared + 1)
    return [id[: needed[id]] for id in ids]


def short(tokens: int) -> str:
    """Write a number of tokens with two or three digits."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 9_950:
        return f"{tokens / 1000:.1f}k"
    return f"{tokens / 1000:.0f}k" if tokens < 999_500 else f"{tokens / 1_000_000:.1f}M"


def size_text(size: float) -> str:
    """Format a size with three digits."""
    steps = 0
    while size >= 999.5 and steps < len(_UNITS) - 1:
        size, steps = size / 1000, steps + 1
    return f"{size:.{int(steps > 0 and size < 9.95)}f} {_UNITS[steps]}"


def share_bar(share: float, width: int, color: str, terminal: Terminal, taken: int = 0) -> str:
    """Draw a share as a bar in the width that the given columns leave."""
    width = min(width, max(0, terminal.width - taken))
    filled = min(width, round(share * width)) if share > 0 else 0
    return terminal.paint("█" * filled, color) + terminal.paint("░" * (width - filled), "dim")


def _before_after(before: int, after: int) -> str:
    saved = f", {math.floor(100 * (1 - after / before))}% less" if before > after else ""
    return f"{before:,} → {after:,} tokens{saved}"


def _exported(after: int, sizes: wire.NextSizes | None, terminal: Terminal) -> Iterator[str]:
    """Say what an exported session has, if that is another number: it does not shorten the messages that stay."""
    if sizes and abs(sizes.messages.tokens - after) > after * WORTH_SAYING:
        yield from terminal.note(f"{sizes.messages.tokens:,} in an exported session, with nothing shortened", "dim")


def _survival(survival: wire.Survival, terminal: Terminal, most: int | None) -> Iterator[str]:
    kept, total = survival.items
    yield terminal.heading(f"What survives: {kept:,} of {counted(total, 'item')}")
    if (scope := survival.scope).messages:
        yield from terminal.note(_scope(scope), "dim")
    if cut := shortened_in(survival):
        yield from terminal.note(f"{cut} (not counted as items)", "dim")
    facts = [fact.id for one in survival.classes for fact in one.lost]
    ids = dict(zip(facts, fact_ids(facts), strict=True))
    for found in survival.classes:
        share = found.kept / found.total if found.total else 1
        color = "green" if share == 1 else "yellow" if share >= 1 / 2 else "red"
        bar = share_bar(share, 20, color, terminal, taken=36)
        yield f"  {pad(wire.class_name(found.name, 2), 21)}{found.kept:>4} of {found.total:<5}{bar}"
        is_cut = found.name in ("userMessages", "attachedFiles", wire.OMISSIONS)  # in the middle, where they are long
        label = "not whole: " if is_cut else "missing: "
        for fact in sorted(found.lost, key=partial(only_looked_up, found.name))[:most]:
            about = "" if found.name == wire.OMISSIONS else ids[fact.id]
            text, price = lost_row(label + fact.text, about, fact.cost, terminal.width - 6)
            yield terminal.paint(f"      {text}{price}", "dim")
        if most is not None and len(found.lost) > most:
            yield terminal.paint(f"      … and {len(found.lost) - most} more", "dim")


def _scope(scope: wire.Looked) -> str:
    """Say which messages were looked at."""
    before, by_you = scope.before_last_compaction, f"{scope.user_messages:,} of them by you"
    here = scope.messages - before
    if not here:
        compacted = f"the {counted(before, 'message')} that the tool compacted"
        return f"compared with {compacted}, {by_you}, as of its last compaction"
    parts = f": {here:,} in context, {before:,} that the tool compacted" if before else ""
    return f"compared with {counted(scope.messages, 'message')}, {by_you}{parts}"


def only_looked_up(name: str, fact: wire.Lost) -> bool:
    """Whether a fact of this class is about a call that only looked something up."""
    if name == "errors":
        return _NOT_THERE.match(fact.text) is not None
    return name == "commands" and task_of(Step("", ToolCall("", "Bash", {"command": fact.text}))).only_reads


def lost_row(text: str, about: str, cost: int, width: int) -> tuple[str, str]:
    """Return a line about a missing fact: its text, then what names it and the tokens that adding it back costs."""
    price = f"  {about} +{short(cost)}"
    if width >= WIDE:
        price += " token" if cost == 1 else " tokens"
    left = max(2, width - columns(price))
    return pad(one_line(text, left), left), price


def fact_ids(ids: Sequence[str]) -> list[str]:
    """Shorten the ids of facts to what tells them apart, which `draft --add-back` takes too."""
    return shortest([id.rpartition(":")[2] for id in ids], SHORTEST_FACT)


def _notes(warnings: Iterable[Warning], terminal: Terminal) -> Iterator[str]:
    for warning in warnings:
        yield from terminal.note(f"note: {note_of(warning)}", "yellow")


def note_of(warning: Warning) -> str:
    """Return the sentence of a warning, with the line of the file that it is about unless it names that."""
    is_named = warning.line is UNSET or f"line {warning.line} " in warning.message.lower()
    return warning.message if is_named else f"{warning.message} (line {warning.line})"


def _when(time: str) -> str:
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def _title(title: str | None, terminal: Terminal, start: str) -> str:
    line = one_line(title or "(no title)", max(2, terminal.width - len(start)))
    return terminal.paint(line, "bold" if title else "dim")


BARS = {  # with the color and the name that each has on both bars
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
    sentence = f"version {draft.version}, {writer_of(newest)}"
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
    notes = _first(list(_noted(done.warnings, terminal)), MOST_NOTES, terminal)
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
    messages = counted(report.message_count, "message")
    if done and done.survival.scope.before_last_compaction:  # which count in what is kept and missing
        messages = f"{report.message_count:,} of {done.survival.scope.messages:,} messages in context"
    compacted = report.compactions.total
    times = ("", "compacted once")[compacted] if compacted < 2 else f"compacted {compacted} times"
    line = " · ".join(filter(None, (tool, report.model, times, messages)))
    yield terminal.paint(one_line(line, terminal.width), "dim")


def _bars(report: wire.TokenReport, done: wire.Compaction, terminal: Terminal, label: str) -> Iterator[str]:
    """Draw the chat now, or before, and after on one scale, with the line where its tool auto-compacts."""
    _, used, end = shown_percent(report)
    scale = max(end, report.used, 1)
    limit = report.limit.tokens if report.limit else None
    color = level_of(report)
    now = f"{short(report.used)} of {short(end)} "
    percent = f"{round(100 * used / end) if end else 0}%"
    width = max(10, terminal.width - MARGIN - len(now) - len(percent) - 1)
    bar = _bar(report.parts, report.used, scale, limit, width, terminal)
    yield f"{pad(label, MARGIN)}{bar} {now}{terminal.paint(percent, color)}"
    after = done.next_chat and (done.next_chat.continuation or done.next_chat.messages)
    notes = []
    if after:
        bar = _bar(after.parts, after.tokens, scale, limit, width, terminal)
        yield f"{pad('after', MARGIN)}{bar} {short(after.tokens)}"
        around = report.parts.fixed + report.parts.attached
        before, then = max(0, report.used - around), after.tokens - after.fixed  # as on the page
        saved = f" ({100 * (before - then) // before}% less)" if before > then else ""
        notes.append(("", f"conversation {short(before)} → {short(then)}{saved}", "bold"))
    if limit:
        sentence = f"│ auto-compacts at {short(limit)}"
        if (left := report.turns_left) and left.low < MANY_TURNS:
            sentence += f", {_turns(left)} left"
        notes.append(("", sentence, color))
    yield from _flowed(notes, terminal)
    yield from _flowed(
        (
            (
                f"{'■' if terminal.color else PLAIN.get(name, '█')} ",
                f"{label} {short(getattr(report.parts, name))}",
                look,
            )
            for name, (look, label) in BARS.items()
            if getattr(report.parts, name) >= max(1, report.used // 100)
        ),
        terminal,
    )


def _turns(left: wire.TurnsLeft) -> str:
    """Count the turns that are left, as the tooltip in VS Code does: the one under way may be the last."""
    high = max(1, left.high)
    return f"{left.low} to {high} turns" if left.low < high > 1 else f"{high} turn{'s' if high > 1 else ''}"


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
    for name, (color, _) in BARS.items() if parts else ():
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
    cut = shortened_in(done.survival)
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
    lines = [line.replace(FIRM, " ") for line in wrapped(f"{kept} of {counted(total, 'item')}: {listed}", width)]
    if len(lines) > MOST_KEPT:
        last = lines[MOST_KEPT - 1].removesuffix(",")
        while columns(last) > width - 2:
            last = last.rpartition(", ")[0]
        lines[MOST_KEPT - 1 :] = [f"{last} …"]
    lines += wrapped(cut, width) if cut else ()
    if done.healed_at_most:
        lines += wrapped(healed_in(done), width)
    yield from _labeled("kept", lines, "green" if kept == total else "yellow", terminal)


def _labeled(label: str, lines: Iterable[str], color: str, terminal: Terminal) -> Iterator[str]:
    """Put a label before the first line, and indent the others."""
    for number, line in enumerate(lines):
        yield (" " * MARGIN if number else terminal.paint(pad(label, MARGIN), color)) + line


def _missing(done: wire.Compaction, terminal: Terminal) -> Iterator[str]:
    """List what is missing, the most important first, with its id and what it costs to add it back."""
    rows = missing_of(done.survival) if done.continuation else []
    ids = fact_ids([fact.id for _, fact in rows])
    lines = []
    for (kind, fact), id in zip(rows, ids, strict=True):
        text, price = lost_row(fact.text, f"{kind} {id}", fact.cost, terminal.width - MARGIN)
        lines.append(text + terminal.paint(price, "dim"))
    yield from _labeled("missing", lines, "yellow", terminal)


def missing_of(survival: wire.Survival) -> list[tuple[str, wire.Lost]]:
    """List the missing facts with their kinds: the most important kind first, of each the newest, look-ups last."""
    found: dict[tuple[str, str], tuple[bool, str, wire.Lost]] = {}
    for one in survival.classes:
        kind = wire.class_name(one.name, 1)
        for fact in reversed(one.lost) if one.name != wire.OMISSIONS else ():
            row = only_looked_up(one.name, fact), kind, fact
            found.setdefault((kind, fact.text.casefold()), row)  # the same in other letters once
    ranks = {single: rank for rank, (single, _) in enumerate(wire.CLASS_NAMES.values())}
    rows = sorted(found.values(), key=lambda row: (row[0], ranks.get(row[1], 0)))
    return [(kind, fact) for _, kind, fact in rows]


def _noted(warnings: Iterable[Warning], terminal: Terminal) -> Iterator[str]:
    """Warn of what was damaged in the chat, or not done as it was asked for."""
    for number, warning in enumerate(warnings):
        lines = wrapped(note_of(warning), terminal.width - MARGIN)
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
    tokens = f"{short(size)} tokens{_split(size, report, done)}" if opened else ""
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
    from compact_chat.measure import family_of

    turns = done.continuation.partition(done.summary)[2] if done.summary else ""
    count = ClientState().counter(family_of(report.model, report.tool).encoding).count
    whole = max(1, count(done.continuation))
    if count(turns) < whole * LEAST_SPLIT:
        return ""
    summary = round(size * count(done.summary) / whole)
    return f" ({short(summary)} summary + {short(size - summary)} of the last turns, word for word)"


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
    return f"{program()} draft {draft_id[:SHORTEST_ID]}"


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
            share = shown_percent(one.report)[0]
            bar = share_bar(share / 100, 10, level_of(one.report), terminal)
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


MOST_EXAMINED = 20_000  # chats


def show_doctor(client: ClientState, terminal: Terminal) -> Iterator[str]:
    """Show what helps to find a fault: versions, agents, where chats and archives are; nothing of a chat's text.

    Each line comes when it is known; counting the chats takes longest.
    """
    from compact_chat.agents import overview
    from compact_chat.disk import known_folders, known_homes

    yield f"Compact Chat {__version__}, Python {platform.python_version()}, {sys.platform}-{platform.machine()}"
    yield f"program: {terminal.safe(str(Path(sys.argv[0]).resolve()))}"
    on_path = shutil.which(NAME)
    yield f"on PATH: {terminal.safe(on_path) if on_path else f'no {NAME}'}"
    yield ""
    yield from map(terminal.safe, overview())
    yield ""
    listed: wire.Sessions = run_alone("sessions", {"limit": MOST_EXAMINED}, Job(client))
    found = [Path(place_of(one.uri)).resolve() for one in listed.sessions]
    absent = 0
    yield f"chats: {len(found):,}{'' if listed.complete else ' or more'}"
    for folder, tool in {Path(one.folder, one.below.partition("*")[0]): one.tool for one in known_homes()}.items():
        if folder.is_dir():
            count = sum(path.is_relative_to(folder.resolve()) for path in found)
            yield f"  {count:>6,}  {tool_named(tool).label}: {terminal.safe(str(folder))}"
        else:
            absent += 1
    yield f"  {absent} more folders were looked for and are not there"
    yield ""
    kept: wire.History = run_alone("history", {"limit": MOST_EXAMINED}, Job(client))
    yield f"compactions: {len(kept.compactions):,}"
    for folder in filter(Path.is_dir, known_folders(client.settings.archive)):
        yield f"  {size_text(_size(folder)):>6}  {terminal.safe(str(folder))}"


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                size += Path(place, name).lstat().st_size
    return size
