"""What each style writes: from sections, from what the offline writer filled, and around kept turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles import STYLES, RecordedTurns, SummaryStyle
from compact_chat.wire import Files
from tests.oracles.snapshots import check_snapshot
from tests.samples.scenes import parts

HERE = Path(__file__).parent


def written(line: str) -> Iterator[str]:
    """Yield a row of sections with their text, or with what is wrong with them."""
    name, _, sections = line.partition(" ")
    yield f"= {line}"
    try:
        summary = STYLES[name].write(json.loads(sections))  # type: ignore[index]  # a style
    except NoSummary as refusal:
        yield f"refused as {refusal.kind}: {refusal.sentence}"
    except InvalidParams as refusal:
        yield from (f"wrong {one['path']}: {one['message']}" for one in refusal.data["problems"])
    else:
        yield from summary.text.split("\n")
        own, again = summary.sections or {}, summary.with_text(f"{summary.text}\n").sections or {}
        yield from (f"read as {key}: {again.get(key)!r}" for key in own if (again.get(key) or "") != (own[key] or ""))


def layout(style: SummaryStyle) -> Iterator[str]:
    """Yield how the offline writer lays a style out, and what is around its summaries."""
    yield f"= {style.name}"
    for direction, task in (("all", False), ("from", True), ("upTo", True)):
        slots = style.slots_for(direction, task)  # type: ignore[arg-type]  # a direction
        yield f"{direction}: " + ", ".join(slot.key for slot in slots)
    empty = {slot.key: [] if slot.items or slot.members else "" for slot in style.slots_for("all", task=False)}
    first = next(iter(empty))
    for blank in (True, False):
        yield f"filled {blank}: {style.compose(empty | {first: '- x'}, blank_sections=blank).text!r}"
    least = style.least("all is lost")
    yield f"least: {least.text!r} {least.task!r} {least.sections}"
    yield f"opening: {style.opening('')} {style.opening('The till')}"
    yield f"in a chat: {style.wrapped('x')!r} {style.with_records('x', Files(('a',), ('b',)))!r}"
    yield f"reply: {least.reply!r}"


def recorded() -> Iterator[str]:
    """Yield what is read of records, and each with turns that are kept."""
    for name, *lines in parts((HERE / "records.txt").read_text("utf-8")):
        text = "\n".join(line for line in lines if line[:1] != "?")
        record = RecordedTurns(text)
        yield f"= {name}: last {record.last}, quoted {sorted(record.quoted)}, folder {record.folder!r}"
        for line in [line for line in lines if line[:1] == "?"]:
            turns = [(int(number), said) for number, _, said in (one.partition(" ") for one in line[2:].split(" | "))]
            for first in (False, True):
                yield f"{line} {'first' if first else 'behind'}"
                yield from record.with_kept(turns, first=first).split("\n")
        yield f"unchanged {record.with_kept([], first=False) == text.strip()}"


def test_sections_are_written(accept: bool) -> None:
    """P10, P21, R8 to R13: each with its escapes; a wrong value is named by its path, a lossy one shows."""
    lines = (HERE / "sections.txt").read_text("utf-8").splitlines()
    check_snapshot(
        "\n".join(row for line in lines for row in written(line)) + "\n", HERE / "sections-written.txt", accept=accept
    )


def test_styles_are_laid_out(accept: bool) -> None:
    """P6, P10, C1, P26, T23: the sections of each direction, blank ones, and the shortest summary."""
    rows = "\n".join(row for style in STYLES.values() for row in layout(style))
    check_snapshot(f"{rows}\n", HERE / "layouts.txt", accept=accept)


def test_kept_turns_join_the_record(accept: bool) -> None:
    """H14: each behind what the record says of its turn, or before it if kept messages come first."""
    check_snapshot("\n".join(recorded()) + "\n", HERE / "records-kept.txt", accept=accept)
