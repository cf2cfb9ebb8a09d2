"""What a person reads in a terminal: one view per command, made from the result that programs get."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import datetime

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import (
    Terminal,
    aside,
    columns,
    notes,
    one_line,
    pad,
    path_line,
    shortest,
    visible,
    wrapped,
)
from compact_chat.disk import path_of
from compact_chat.errors import InvalidParams

# What takes the most room in a chat, and what the host's own meter shows, for a person in a terminal.


LISTS = {
    "biggest": "The biggest things, as shares of what is used",
    "messages": "By message",
    "tools": "By tool",
    "files": "By file",
}


def show_biggest(breakdown: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The lists of a breakdown; one that tells of nothing in particular is left out."""
    for name, heading in LISTS.items():
        things = breakdown[name]
        if any(thing["kind"] != "rest" for thing in things):
            yield terminal.paint(one_line(heading, terminal.width), "bold")
            yield from (_row_biggest(thing, terminal) for thing in things)


def host_sentence(ring: JsonObject) -> str:
    """Say what the host's own meter shows, by its version, and why it is another number than ours."""
    return (
        f"the tool's own meter: {ring['percent']:g}% with the {ring['reserved']:,} tokens that are kept free for a"
        f" reply, or {ring['usedPercent']:g}% without, in newer versions; {ring['used']:,} of {ring['total']:,} used"
    )


def _row_biggest(thing: JsonObject, terminal: Terminal) -> str:
    kind = "" if thing["kind"] == "rest" else thing["kind"]
    start = f"  {thing['tokens']:>9,}  {thing['percent']:>5.1f}%  {pad(kind, 8)}"
    fitted = path_line if thing["kind"] == "file" else one_line
    return start + fitted(thing["name"], max(2, terminal.width - len(start)))


# The compactions that were made, as a person reads them: when, of which chat, what they kept, and under which id.


_WRITERS = {"none": "by rules", "host": "from a reply"}  # nobody that we asked
_NONE_PAST = "There is none here; `summarize` keeps each compaction unless archives are off."
_HINT_PAST = (
    "restore ID gives the chat back; export ID --as markdown writes it down, or --as claude-code for another tool."
)

_USES = {
    "jsonl": "To go on in Claude Code, put it beside the project's sessions (~/.claude/projects/…), as it is named;"
    " `claude --resume` then lists it.",
}


def show_history(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Two lines for each compaction; its id stands alone on the second, to be copied."""
    for one in found["compactions"]:
        yield _row_past(one, terminal)
        yield terminal.paint(f"  {one['compactionId']}  {visible(_place(one['uri']))}", "dim")
    if terminal.shown or not found["compactions"]:
        yield from wrapped(_HINT_PAST if found["compactions"] else _NONE_PAST, terminal.width)


def show_restored(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The path of the copy, alone on its line; what it is, for a person."""
    yield visible(_place(found["archive"]))
    if terminal.shown:
        count = len(found["messages"])
        where = f" of {_place(found['uri'])}" if found["uri"] else ""
        yield from wrapped(f"a copy{where}, as it was: {count} messages; --json prints them", terminal.width)


def show_exported(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The path of the new file, alone on its line."""
    yield visible(_place(found["uri"]))
    if terminal.shown:
        yield f"{found['bytes']:,} bytes"
        yield from wrapped(_USES.get(found["uri"].rpartition(".")[2], ""), terminal.width)


def _row_past(one: JsonObject, terminal: Terminal) -> str:
    when = datetime.fromisoformat(one["at"]).astimezone()
    writer = one["model"] or _WRITERS.get(one["provider"], one["provider"])
    sizes = f"{one['before']:,} → {one['after']:,} tokens"
    start = f"{when:%Y-%m-%d %H:%M}  {sizes}  {one['kept']:.0%} kept  {writer}  "
    title = one_line(one["title"] or "(no title)", max(2, terminal.width - len(start)))
    return start + terminal.paint(title, "bold" if one["title"] else "dim")


def _place(uri: str | None) -> str:
    """A path where it is one of this machine."""
    try:
        return path_of(uri) if uri else ""
    except InvalidParams:
        return uri or ""


# The chats on this machine as a person reads them: when, which tool, how large, about what, and where.


_NONE_SESSIONS = "No such chats were found where tools keep them; --roots FOLDER looks elsewhere."
_MORE = "There was too much to look at, so chats may be missing; --roots FOLDER looks at less."
_HINT_SESSIONS = (
    "--workspace . lists only the chats of this folder; count, preview and summarize take a path from here."
)
_UNITS = ("B", "kB", "MB", "GB", "TB")
_BESIDE = 37  # columns in front of a title


def show_sessions(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Two lines for each chat; the path stands alone on the second, whole, to be copied."""
    for one in found["sessions"]:
        yield _row_sessions(one, terminal)
        yield terminal.paint(f"  {visible(path_of(one['uri']))}", "dim")
    if not found["complete"]:
        yield from wrapped(_MORE, terminal.width)
    if terminal.shown or not found["sessions"]:
        yield from wrapped(_HINT_SESSIONS if found["sessions"] else _NONE_SESSIONS, terminal.width)


def _row_sessions(one: JsonObject, terminal: Terminal) -> str:
    when = datetime.fromisoformat(one["updatedAt"]).astimezone()
    start = f"{when:%Y-%m-%d %H:%M} {pad(one['tool'][:11], 11)} {_size(one['bytes']):>7} "
    title = one_line(one["title"] or "(no title)", max(2, terminal.width - _BESIDE))
    return start + terminal.paint(title, "bold" if one["title"] else "dim")


def _size(size: float) -> str:
    """Write a size in three digits."""
    steps = 0
    while size >= 999.5 and steps < len(_UNITS) - 1:
        size, steps = size / 1000, steps + 1
    return f"{size:.{int(steps > 0 and size < 9.95)}f} {_UNITS[steps]}"


# The messages of a chat, for a person in a terminal.


_WORDLESS = "(nothing that text can show)"


def show_transcript(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Each message under a line with its place, who speaks, and the id that names it."""
    for message in found["messages"]:
        named = f"{message['index']} {message['role']} · {message['id']}"
        yield terminal.heading(one_line(named, terminal.width - 2))
        yield from terminal.page(message["text"] or _WORDLESS)
        yield ""
    yield from notes(found, terminal)


# What a person reads in a terminal: one view per command, made from the result that programs get.


PARTS = {
    "fixed": "system prompt, tools",
    "summary": "earlier summary",
    "user": "your messages",
    "assistant": "answers",
    "toolCalls": "tool calls",
    "toolResults": "tool results",
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
FATES = {"keep": "green", "pin": "cyan", "prune": "magenta", "summarize": "yellow", "drop": "red"}
SUMMARIES = {"offline": "Summary, extracted without a model", "host": "Summary, from your reply"}
OUTCOMES = {"ok": "green", "failed": "red", "rejected": "red", "skipped": "dim"}
LOST_SHOWN = 4
WIDE = 64  # columns, with room for one more number in a row


def show_report(report: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The meter with its breakdown."""
    yield terminal.heading("Context")
    yield terminal.paint(one_line(_name(report), terminal.width), "bold")
    yield f"{_meter_bar(report, terminal)} {report['percent']:g}%  {report['used']:,} of {report['window']:,} tokens"
    yield from aside(f"{SURE[report['basis']]}; between {report['low']:,} and {report['high']:,}", terminal, "dim")
    yield from aside(f"window of {report['window']:,}: {WINDOWS[report['windowBasis']]}", terminal, "dim")
    if report["hostMeter"]:
        yield from aside(host_sentence(report["hostMeter"]), terminal, "dim")
    for name, label in PARTS.items():
        if report["parts"][name]:
            yield _part(label, report["parts"][name], report["used"], terminal)
    yield from wrapped(report["reason"], terminal.width)
    yield from _per_message(report.get("messages", []), terminal)
    if "breakdown" in report:
        yield from show_biggest(report["breakdown"], terminal)
    yield from notes(report, terminal)


def show_preview(preview: JsonObject, terminal: Terminal) -> Iterator[str]:
    """What would happen, message by message."""
    yield terminal.heading("Plan")
    yield from wrapped(preview["reason"], terminal.width)
    yield terminal.paint(_before_after(preview), "bold")
    if preview["action"] == "compact":
        yield from aside(_made_of(preview), terminal, "dim")
    yield from notes(preview, terminal)
    ids = [one_line(id, len(id)) for id in shortest([row["id"] for row in preview["messages"]])]
    width = max(map(columns, ids), default=0) + 1
    after = f"{'after':>8}" if terminal.width >= WIDE else ""
    yield terminal.paint(f"{pad('id', width)}{pad('fate', 10)}{pad('role', 10)}{'tokens':>7}{after}", "dim")
    yield from (_fate_row(pad(id, width), row, terminal) for id, row in zip(ids, preview["messages"], strict=True))
    yield from _files(preview["files"], terminal)
    if preview["request"]:
        yield from aside(_request(preview["request"]), terminal, "dim")
    for found in preview["instructions"]:
        yield from aside(f"instructions of the project: {' '.join(found['text'].split())}", terminal, "cyan")
    if preview["redactions"]["total"]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in preview["redactions"]["kinds"].items())
        yield from aside(f"secrets that would be masked: {kinds}", terminal, "magenta")
    yield terminal.paint(f"plan {preview['planId']}", "dim")


def show_compaction(done: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The summary, what survived, and the message that opens the next chat, as far as the strategy gives them."""
    if done["summary"]:
        yield terminal.heading(SUMMARIES.get(done["provider"], f"Summary, by {done['model'] or done['provider']}"))
        yield from terminal.page(done["summary"])
        yield ""
    if done["survival"]["classes"]:
        yield from _survival(done["survival"], terminal)
        yield ""
    if done["continuation"]:
        yield terminal.heading("Continuation, to open the next chat")
        yield from terminal.page(_folded(done, terminal))
        yield ""
    yield terminal.paint(_before_after(done), "bold")
    if done["usage"]:
        spent = f"{done['usage']['inputTokens']:,} tokens in, {done['usage']['outputTokens']:,} out"
        yield from aside(f"asked {done['model']}: {spent}", terminal, "dim")
    if {"failed", "rejected"} & {one["outcome"] for one in done["attempts"]}:
        yield from (line for one in done["attempts"] for line in _attempt(one, terminal))
    yield from notes(done, terminal)
    if done["archive"]:
        yield from aside(f"to undo: compact-chat restore {done['compactionId']}", terminal, "dim")


def show_all(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The whole way of a chat on one page, as far as it went."""
    yield from show_report(found["report"], terminal)
    yield ""
    yield from show_preview(found["preview"], terminal)
    if found["compaction"]:
        yield ""
        yield from show_compaction(found["compaction"], terminal)


def show_checked(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """What a compaction kept."""
    yield from _survival(found["survival"], terminal)
    yield from notes(found, terminal)
    yield terminal.paint("--only continuation prints the message that would open the next chat", "dim")


def show_prompt(prompt: JsonObject, terminal: Terminal) -> Iterator[str]:
    """What a model would be sent, as it is."""
    for text in (prompt["system"], *(message["content"] for message in prompt["messages"])):
        if text:
            yield from terminal.page(text)


VIEWS: dict[str, Callable[[JsonObject, Terminal], Iterator[str]]] = {
    "compact": show_all,
    "sessions": show_sessions,
    "count": show_report,
    "transcript": show_transcript,
    "preview": show_preview,
    "summarize": show_compaction,
    "prompt": show_prompt,
    "format": lambda found, terminal: terminal.page(found["summary"]),
    "continuation": lambda found, terminal: terminal.page(found["message"]),
    "check": show_checked,
    "history": show_history,
    "restore": show_restored,
    "export": show_exported,
}


def _folded(done: JsonObject, terminal: Terminal) -> str:
    """Give the continuation; a person has just read the summary in it, and gets a mark in its place."""
    text: str = done["continuation"]
    if not (terminal.shown and done["summary"]):
        return text
    return text.replace(done["summary"], "[… the summary above; --only continuation prints it all …]")


def _name(report: JsonObject) -> str:
    known = (report["tool"] if report["tool"] != "unknown" else report["format"], report["model"], report["title"])
    return " · ".join(part for part in known if part)


def _meter_bar(report: JsonObject, terminal: Terminal) -> str:
    colour = {"none": "green", "prune": "yellow", "compact": "red"}[report["advice"]]
    return _bar(report["percent"] / 100, 24, colour, terminal, beside=38)


def _bar(share: float, width: int, colour: str, terminal: Terminal, beside: int) -> str:
    """Draw a share, as wide as what stands beside it leaves room for."""
    width = min(width, max(0, terminal.width - beside))
    filled = min(width, round(share * width)) if share > 0 else 0
    return terminal.paint("█" * filled, colour) + terminal.paint("░" * (width - filled), "dim")


def _part(label: str, tokens: int, used: int, terminal: Terminal) -> str:
    share = tokens / used if used else 0
    return f"  {pad(label, 20)}{tokens:>9,}  {share:>4.0%}  {_bar(share, 20, 'blue', terminal, beside=39)}"


def _per_message(rows: list[JsonObject], terminal: Terminal) -> Iterator[str]:
    for row in rows:
        start = f"{row['index']:>5}  {pad(row['role'], 10)}{pad(row['kind'], 11)}{row['tokens']:>9,}  "
        yield start + terminal.paint(row["id"], "dim")


def _before_after(numbers: JsonObject) -> str:
    before, after = numbers["before"], numbers["after"]
    saved = f", {math.floor(100 * (1 - after / before))}% less" if before > after else ""
    return f"{before:,} → {after:,} tokens{saved}"


def _fate_row(name: str, row: JsonObject, terminal: Terminal) -> str:
    fate = terminal.paint(pad(row["fate"], 10), FATES[row["fate"]])
    start = f"{name}{fate}{pad(row['role'], 10)}{row['tokens']:>7,}"
    after = f"{row['tokensAfter']:>8,}" if terminal.width >= WIDE else ""
    left = terminal.width - columns(name) - 29 - len(after)
    return f"{start}{after}  {one_line(row['excerpt'], max(2, left))}"


def _files(files: JsonObject, terminal: Terminal) -> Iterator[str]:
    for label in ("modified", "read"):
        if files[label]:
            yield from wrapped(f"files {label}: {', '.join(files[label])}", terminal.width)


def _survival(survival: JsonObject, terminal: Terminal) -> Iterator[str]:
    yield terminal.heading(f"What survives: {survival['kept']:.0%}")
    for found in survival["classes"]:
        yield _class_row(found, terminal)
        label = "not whole" if found["name"] == "userMessages" else "lost"  # of long messages the middle is cut
        for lost in found["lost"][:LOST_SHOWN]:
            yield terminal.paint(f"      {label}: {one_line(lost['text'], terminal.width - len(label) - 9)}", "dim")
        if len(found["lost"]) > LOST_SHOWN:
            yield terminal.paint(f"      … and {len(found['lost']) - LOST_SHOWN} more", "dim")


def _made_of(preview: JsonObject) -> str:
    """Tell what the result is made of, and how far the summary may change it."""
    kept = sum(row["tokensAfter"] for row in preview["messages"])
    rest = (
        f"{kept:,} of messages that stay, {preview['after'] - kept:,} of the summary, the system prompt and the tools"
    )
    return f"{rest}; between {preview['afterLow']:,} and {preview['afterHigh']:,}, as the summary turns out"


def _request(request: JsonObject) -> str:
    model = f"{request['provider']}'s {request['model'] or 'own model'}"
    times = "once" if request["calls"] == 1 else f"{request['calls']} times"
    tokens = f"about {request['inputTokens']:,} tokens in, {request['maxOutputTokens']:,} out at most"
    return f"would ask {model} {times}: {tokens}"


def _attempt(one: JsonObject, terminal: Terminal) -> Iterator[str]:
    name = " ".join(filter(None, (one["provider"], one["model"])))
    why = f": {one['detail']}" if one["detail"] else ""
    return aside(f"{one['outcome']}: {name}{why}", terminal, OUTCOMES[one["outcome"]])


def _class_row(found: JsonObject, terminal: Terminal) -> str:
    share = found["kept"] / found["total"] if found["total"] else 1
    colour = "green" if share == 1 else "yellow" if share >= 1 / 2 else "red"
    label = "".join(f" {c.lower()}" if c.isupper() else c for c in found["name"])
    return f"  {pad(label, 18)}{found['kept']:>4} of {found['total']:<5}{_bar(share, 20, colour, terminal, beside=33)}"
