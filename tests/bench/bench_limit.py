"""Whether the limit is right right before each automatic compaction of real sessions; a folder of such may be given."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from msgspec import Struct

from compact_chat.chat import OwnCompaction
from compact_chat.errors import CompactChatError
from compact_chat.operations.count import measure_chat
from compact_chat.operations.job import ClientState, Job
from compact_chat.read import Source, read_chat
from compact_chat.wire import Options, TokenReport

BOUNDARY = re.compile(rb'"subtype":"compact_boundary"|"type":"compacted"')
HEAD = 2_000  # bytes of a line in which its type stands
CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
ENDINGS = (".jsonl", ".json")

# What was asked for: that the limit lies between the last call and the tokens at which the tool compacted, with a
# tolerance, for so many of the compactions; and that the last reading before shows at least so much, for so many.
TOLERANCE = 0.02
RIGHT, SHOWN, SHOWN_FROM = 90, 95, 70


class Moment(Struct, frozen=True):
    """An automatic compaction, and what was reported right before it."""

    session: str
    compaction: OwnCompaction
    report: TokenReport

    @property
    def percent(self) -> float:
        """What is shown: the share of the limit, else of the window."""
        shown = self.report.percent_of_limit
        return self.report.percent if shown is None else shown

    @property
    def is_right(self) -> bool:
        """Whether the limit lies between the last call and the tokens at which the tool compacted.

        A tool that does not tell these may have compacted because of its last call, or of what came since: there the
        limit lies between the call before that and what we reckon.
        """
        found, limit = self.compaction, self.report.limit
        if limit is None:
            return False
        is_told = found.before != found.call
        least, most = (found.call, found.before) if is_told else (found.passed, max(found.call, self.report.used))
        return least * (1 - TOLERANCE) < limit.tokens <= most * (1 + TOLERANCE)


def main() -> int:
    """Replay the sessions, print each compaction and both figures, and give 1 where one is missed."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    if not folder.is_dir():
        print(f"skipped: the collection of real chats is not at {folder}")
        return 0
    files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
    found = [moment for path in files if not _is_made(path) for moment in moments(path)]
    for one in found:
        limit, call = one.report.limit, one.compaction
        said = f"{limit.tokens:,} ({limit.basis})" if limit else "none"
        print(
            f"{'right' if one.is_right else 'WRONG'}  {one.percent:5.1f}%  limit {said}, last call {call.call:,}, "
            f"compacted at {call.before:,}; {call.model} {call.version}  {one.session}"
        )
    if not found:
        print("no automatic compaction")
        return 0
    tools = sorted({one.report.tool for one in found})
    return int(sum(_is_missed(tool, [one for one in found if one.report.tool == tool]) for tool in tools) > 0)


def _is_missed(tool: str, found: Sequence[Moment]) -> bool:
    """Print both figures of a tool, and tell whether one is missed."""
    right = 100 * sum(one.is_right for one in found) / len(found)
    shown = 100 * sum(one.percent >= SHOWN_FROM for one in found) / len(found)
    print(f"{tool}: {len(found)} automatic compactions of {len({one.session for one in found})} sessions")
    print(f"  limit is right: {right:.3g}%  asked: at least {RIGHT}{'' if right >= RIGHT else '  BEYOND'}")
    print(f"  {SHOWN_FROM}% or more shown: {shown:.3g}%  asked: at least {SHOWN}{'' if shown >= SHOWN else '  BEYOND'}")
    return right < RIGHT or shown < SHOWN


def _is_made(path: Path) -> bool:
    """Whether a file of the collection was written, cut or damaged by hand, so that its sizes mean nothing."""
    return path.name.startswith(("made-", "derived-", "broken-", "jazzyalex-", "daaain-"))


def moments(path: Path) -> Iterator[Moment]:
    """Find the automatic compactions of a session, and report the chat as it was before the line of each."""
    data = path.read_bytes()
    if not BOUNDARY.search(data):
        return
    try:
        compactions = read_chat(Source.of_bytes(data, path.name)).compactions
    except CompactChatError:
        return
    lines = data.splitlines(keepends=True)
    seen = 0
    for number, line in enumerate(lines):
        if not BOUNDARY.search(line[:HEAD]) or seen == len(compactions):
            continue
        before = read_chat(Source.of_bytes(b"".join(lines[:number]), path.name))
        after = read_chat(Source.of_bytes(b"".join(lines[: number + 1]), path.name))
        if len(after.compactions) == len(before.compactions):
            continue  # of another kind, or of a sub-agent
        compaction, seen = compactions[seen], seen + 1
        if compaction.automatic and compaction.call:
            measured = measure_chat(before, Options(), Job(ClientState()), None)
            yield Moment(path.name, compaction, measured.report())


if __name__ == "__main__":
    sys.exit(main())
