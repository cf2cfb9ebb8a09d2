"""What each style makes of many replies, and what the gate finds in it: a file of replies and a snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from compact_chat.errors import NoSummary
from compact_chat.styles import STYLES, Summary, SummaryStyle, judge
from tests.oracles.snapshots import check_parts, check_snapshot
from tests.samples.chats import a, talk, u
from tests.samples.scenes import parts
from tests.samples.tools import used

HERE = Path(__file__).parent
CHAT = (
    *talk(u("Keep the old prices, please. Then write the docs | now. You must never push."), a("The sum is mended.")),
    *used("Edit", "done", file_path="/w/src/till.py", old_string="a", new_string="b"),
    *used("Edit", "denied", is_error=True, file_path="/w/src/lanes.py", old_string="a", new_string="b"),
)


def taken(style: SummaryStyle, reply: str) -> Iterator[Summary | str]:
    """Yield the summary in a reply as it is, without its closing tag, and mended; a refusal's kind."""
    for way in (style.read, lambda text: style.read(style.whole_reply(text) or ""), style.mend):
        try:
            yield way(reply)
        except NoSummary as refusal:
            yield refusal.kind


def told(style: SummaryStyle, reply: str) -> Iterator[str]:
    """Yield what is new of each way: the text, the sections, the warnings, and what the gate says."""
    before: Summary | str = ""
    for number, found in enumerate(taken(style, reply)):
        if isinstance(found, Summary) and found != before:
            verdict = judge(found, CHAT)
            yield f"{style.name} {number}: {found.text!r}"
            yield from (f"  {key}: {value!r}" for key, value in (found.sections or {}).items() if value)
            yield from [f"  task: {found.task!r}"] * bool(found.task)
            yield from (f"  ! {one.code}" for one in found.warnings)
            yield from (f"  ? {one.code} {one.message!r}" for one in verdict.faults)
            yield from ["  rejected"] * bool(verdict.fatal)
        elif found != before:
            yield f"{style.name} {number}: refused as {found}"
        before = found


def test_what_styles_make_of_replies(accept: bool) -> None:
    """Each style reads, closes and mends each reply; a change of any of it shows here."""
    replies = ((name, "\n".join(lines)) for name, *lines in parts((HERE / "replies.txt").read_text("utf-8")))
    rows = [row for name, reply in replies for style in STYLES.values() for row in (f"= {name}", *told(style, reply))]
    check_snapshot("\n".join(rows) + "\n", HERE / "replies-read.txt", accept=accept)


def read(name: str, lines: list[str]) -> Iterator[str]:
    """Yield what styles make of replies that are JSON strings: read them, part them, or take off their last line."""
    first, way, *_ = name.split()
    for line in lines:
        yield line
        if way == "close":
            yield from (f"  {style.name}: {style.whole_reply(json.loads(line))!r}" for style in STYLES.values())
            continue
        style = STYLES[first]  # type: ignore[index]  # a style
        try:
            found = style.read(json.loads(line)) if way == "reads" else Summary(style, json.loads(line))
        except NoSummary as refusal:
            yield f"  refused as {refusal.kind}"
            continue
        if way == "reads":
            yield f"  {found.text!r} {' '.join(one.code for one in found.warnings)}".rstrip()
        is_sparse = style.name == "detailed"  # whose sections are those that the text has, empty ones too
        yield from (f"  {key}: {value!r}" for key, value in (found.sections or {}).items() if value or is_sparse)


def test_how_replies_are_read(accept: bool) -> None:
    """F1 to F11, P26, R2 to R10, H15, H16: tags, fences, titles in any dress, items, entries and turns."""
    check_parts(HERE / "read.txt", read, accept=accept)
