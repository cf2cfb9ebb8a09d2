"""How close the meter comes to what providers reported in real sessions; a folder of sessions may be given."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Unknown, Usage
from compact_chat.measure import (
    NOTHING,
    Counter,
    Family,
    Gauge,
    Meter,
    Shown,
    Weight,
    family_of,
    folder_marks,
    hidden_by,
    json_text,
    shown_by,
    weigh,
)
from compact_chat.read import Source, read_chat

CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
KINDS = {"Claude": "claude-code", "Codex": "codex", "Gemini": "gemini", "Copilot Chat": "chatreplay"}

# The goals in percent, which are also the limits. The results of a server-side web search are in no file, neither
# before nor after: growth is held to its limit without such calls, and also printed with them.
LIMITS: dict[tuple[str, str], tuple[float, float]] = {  # at least, at most
    ("all", "median"): (0, 0.05),
    ("all", "95 of 100"): (0, 0.6),
    ("all", "within 1 %"): (97, 100),
    ("all", "held"): (88, 94),
    ("all", "compacted"): (0, 8),
    ("all", "compacted, held"): (85, 100),
    ("all", "first, folder seen"): (0, 8),
    ("all", "first, folder seen, held"): (85, 100),
    ("all", "first, folder new"): (0, 12),
    ("Claude", "median"): (0, 0.05),
    ("Claude", "95 of 100"): (0, 0.6),
    ("Claude", "within 1 %"): (97, 100),
    ("Claude", "growth, no search"): (0, 10),
    ("Claude", "held"): (88, 94),
    ("Claude", "compacted"): (0, 12),
    ("Claude", "cold"): (0, 14),
    ("Codex", "growth, no search"): (0, 1.2),
    ("Codex", "held"): (88, 94),
    ("Codex", "compacted"): (0, 12),
    ("Codex", "cold"): (0, 4),
}


PLAIN = {"claude-code": 1.18, "gemini": 1.18}  # what simple meters take for a token of o200k, else one
BOUNDARY = re.compile(rb'"subtype":"(?:micro)?compact_boundary"|"type":"compacted"|"type":"thread_rolled_back"')
HEAD = 2_000  # bytes of a line in which its type stands
BARE = Family("bare", per_message=0, per_call=0, per_result=0)
COUNTER = Counter()


class Call(Struct, frozen=True):
    """A recorded call, and what was said of its prompt before it."""

    session: str
    tool: str
    message: str  # the id of its reply
    truth: int
    said: Meter
    cold: Meter  # by a meter that saw no recorded size at all
    last: int | None  # the call before, where one was recorded since the last compaction
    plain: float  # that, and the simple count of what came since
    is_first: bool  # of the session
    is_seen: bool  # another session was held in the same folder with the same tool
    is_compacted: bool  # the first after a compaction
    is_searching: bool  # its server searched the web meanwhile, and what it found is in the recorded prompt


def sessions(folder: Path) -> list[Path]:
    """The real sessions whose tool recorded the size of its calls, without those trimmed or written by hand."""
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    real = [one for one in files if one["kind"] == "real" and one["recorded_usage"] and not one["truth_note"]]
    return [folder / one["file"] for one in real]


def replay(path: Path, others: Sequence[Shown] = ()) -> list[Call]:
    """Predict each call of a session from what was recorded before it, and from what other sessions showed."""
    found: dict[str, Call] = {}
    for chat in _stages(path.read_bytes()):
        for call in _calls(path.name, chat if found else replace(chat, opening=None), others, is_first=not found):
            found.setdefault(call.message, call)
    return list(found.values())


def shown_in(chat: Chat) -> Shown:
    """Tell what the recorded calls of a chat show."""
    family = family_of(chat.model, chat.tool)
    return shown_by(chat, lambda message: _weight(message, family).total, _fixed(chat) * family.ratio, family)


def neighbors(paths: Sequence[Path]) -> dict[Path, list[Shown]]:
    """Tell for each session what the others of its tool and user showed, the machine's folders being alike."""
    shown = {path: shown_in(read_chat(Source.of_bytes(path.read_bytes()))) for path in paths}
    return {
        path: [one for other, one in shown.items() if other != path and _is_of_one_user(own, one)]
        for path, own in shown.items()
    }


def _is_of_one_user(one: Shown, other: Shown) -> bool:
    home = slice(0, 2)  # /Users/ada
    return one.tool == other.tool and one.folders[home] == other.folders[home] != ()


def _stages(data: bytes) -> Iterator[Chat]:
    """The chat before each line that changes what came before it, and at the end: in between, chats only grow."""
    lines = data.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if BOUNDARY.search(line[:HEAD])]
    for end in [*ends, len(lines)]:
        yield read_chat(Source.of_bytes(b"".join(lines[:end])))


def _calls(session: str, chat: Chat, others: Sequence[Shown], *, is_first: bool) -> Iterator[Call]:
    """Go through the messages once; what is said of a call is said before its reply is added."""
    family, fixed = family_of(chat.model, chat.tool), _fixed(chat)
    own = shown_in(replace(chat, messages=())) if chat.opening else NOTHING  # without what the call itself will show
    is_seen = any(one.own and one.folders == folder_marks(chat.workspace) for one in others)
    begun = replace(chat, model=None) if is_first else chat  # most chats name their model with the first reply
    hidden = (hidden_by(begun, own, others), hidden_by(chat))
    warm, cold = (Gauge(family, one, fixed) for one in hidden)
    last, plain = None, 0.0
    for message in chat.messages:
        usage = _reported(message)
        if usage is not None:
            yield Call(
                session=session,
                tool=chat.tool,
                message=message.id,
                truth=usage.prompt_tokens,
                said=warm.meter(),
                cold=cold.meter(),
                last=last,
                plain=plain,
                is_first=is_first and last is None,
                is_seen=is_seen,
                is_compacted=last is None and (bool(chat.opening) or any(one.is_summary for one in chat.messages)),
                is_searching=any(isinstance(part, Unknown) and "search" in part.type for part in message.parts),
            )
            last, plain = usage.prompt_tokens, float(usage.prompt_tokens)
        weight = _weight(message, family)
        warm.add(message, weight)
        cold.add(replace(message, usage=None), weight)
        plain += _weight(message, BARE).words * PLAIN.get(chat.tool, 1.0)


def _reported(message: Message) -> Usage | None:
    usage = message.usage
    return None if usage is None or usage.whole else usage


def _fixed(chat: Chat) -> int:
    return COUNTER.count(chat.system) + (COUNTER.count(json_text(chat.tools)) if chat.tools else 0)


def _weight(message: Message, family: Family) -> Weight:
    return weigh(message, COUNTER.count, family)


def main() -> int:
    """Replay the sessions, print every figure, and return 1 if one is beyond its limit."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    if not folder.is_dir():
        print(f"skipped: the collection of real chats is not at {folder}")
        return 0
    others = neighbors(sessions(folder))
    calls = [call for path, shown in others.items() for call in replay(path, shown)]
    kinds = {name: [call for call in calls if call.tool == tool] for name, tool in KINDS.items()}
    broken = sum(_report(name, own) for name, own in {**kinds, "all": calls}.items() if own)
    print(f"{broken} figures beyond their limits")
    return int(broken > 0)


def _report(kind: str, calls: Sequence[Call]) -> int:
    """Print the figures of one kind; return how many are beyond their limits."""
    followed = [call for call in calls if call.last is not None]
    print(f"\n{kind}: {len(calls)} calls of {len({call.session for call in calls})} sessions, anchored {len(followed)}")
    figures = {
        **anchored(followed),
        **bounds(calls),
        **estimates("compacted", [call for call in calls if call.is_compacted]),
        **estimates("first, folder seen", [call for call in calls if call.is_first and call.is_seen]),
        **estimates("first, folder new", [call for call in calls if call.is_first and not call.is_seen]),
        **cold(calls),
    }
    broken = 0
    for name, (figure, count) in figures.items():
        low, high = LIMITS.get((kind, name), (0, float("inf")))
        asked = f"  asked: {low:g} to {high:g}" if (kind, name) in LIMITS else ""
        broken += not low <= figure <= high
        print(f"  {name}: {figure:.4g} (n = {count}){asked}{'' if low <= figure <= high else '  BEYOND'}")
    return broken


Figures = dict[str, tuple[float, int]]  # each with the number of its calls


def anchored(calls: Sequence[Call]) -> Figures:
    """Return the errors of calls after another call, in percent of their prompts, and of the prompts' growth."""
    errors = [100 * abs(call.said.used - call.truth) / call.truth for call in calls]
    grown = [call for call in calls if call.truth > (call.last or 0) and not call.is_searching]
    missed = sum(abs(call.said.used - call.truth) for call in grown)
    return {
        "median": (statistics.median(errors), len(errors)),
        "95 of 100": (statistics.quantiles(errors, n=20)[-1], len(errors)),
        "within 1 %": (100 * sum(error <= 1 for error in errors) / len(errors), len(errors)),
        "growth, no search": (100 * missed / sum(call.truth - (call.last or 0) for call in grown), len(grown)),
    }


def bounds(calls: Sequence[Call]) -> Figures:
    """Return the share of calls within the bounds, and the bounds' width."""
    widths = [100 * (call.said.high - call.said.low) / call.truth for call in calls]
    return {"held": (_held(calls), len(calls)), "width": (statistics.median(widths), len(calls))}


def estimates(name: str, calls: Sequence[Call]) -> Figures:
    """Return the error of calls before which the chat itself showed nothing, and the share within the bounds."""
    if any(call.said.basis != "estimated" for call in calls):
        raise SystemExit(f"a call was not called an estimate: {name}")
    if not calls:
        return {}
    error = statistics.median(100 * abs(call.said.used / call.truth - 1) for call in calls)
    return {name: (error, len(calls)), f"{name}, held": (_held(calls), len(calls))}


def _held(calls: Sequence[Call]) -> float:
    return 100 * sum(call.said.low <= call.truth <= call.said.high for call in calls) / len(calls)


def cold(calls: Sequence[Call]) -> Figures:
    """Return the error without any recorded size."""
    return {"cold": (statistics.median(100 * abs(call.cold.used / call.truth - 1) for call in calls), len(calls))}


if __name__ == "__main__":
    sys.exit(main())
