"""How near the meter comes to what providers reported in real sessions; a folder of such may be given."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.bench.truth import Call, replay, sessions

CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
KINDS = {"Claude": "claude-code", "Codex": "codex", "Gemini": "gemini", "Copilot Chat": "chatreplay"}

# What was asked for, in percent, and the limit, too. What a server's own web search finds stands in no file, neither
# before nor after: the growth is held to its limit without such calls, and printed with them, too.
LIMITS: dict[tuple[str, str], tuple[float, float]] = {  # at least, at most
    ("all", "median"): (0, 0.05),
    ("all", "95 of 100"): (0, 0.6),
    ("all", "within 1 %"): (97, 100),
    ("all", "held"): (88, 94),
    ("all", "compacted"): (0, 12),
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


def main() -> int:
    """Replay the sessions, print every figure, and give 1 where one is beyond its limit."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    if not folder.is_dir():
        print(f"skipped: the collection of real chats is not at {folder}")
        return 0
    calls = [call for path in sessions(folder) for call in replay(path)]
    kinds = {name: [call for call in calls if call.tool == tool] for name, tool in KINDS.items()}
    broken = sum(_report(name, own) for name, own in {**kinds, "all": calls}.items() if own)
    print(f"{broken} figures beyond their limits")
    return int(broken > 0)


def _report(kind: str, calls: Sequence[Call]) -> int:
    """Print the figures of one kind; tell how many are beyond their limits."""
    followed = [call for call in calls if call.last is not None]
    print(f"\n{kind}: {len(calls)} calls of {len({call.session for call in calls})} sessions, anchored {len(followed)}")
    figures = anchored(followed) | bounds(calls) | cold(calls)
    broken = 0
    for name, figure in figures.items():
        low, high = LIMITS.get((kind, name), (0, float("inf")))
        asked = f"  asked: {low:g} to {high:g}" if (kind, name) in LIMITS else ""
        broken += not low <= figure <= high
        print(f"  {name}: {figure:.4g}{asked}{'' if low <= figure <= high else '  BEYOND'}")
    return broken


def anchored(calls: Sequence[Call]) -> dict[str, float]:
    """The errors of the calls that follow another, in percent of their prompts, and of what these grew by."""
    errors = [100 * abs(call.said.used - call.truth) / call.truth for call in calls]
    grown = [call for call in calls if call.truth > (call.last or 0) and not call.is_searching]
    missed = sum(abs(call.said.used - call.truth) for call in grown)
    return {
        "median": statistics.median(errors),
        "95 of 100": statistics.quantiles(errors, n=20)[-1],
        "within 1 %": 100 * sum(error <= 1 for error in errors) / len(errors),
        "growth, no search": 100 * missed / sum(call.truth - (call.last or 0) for call in grown),
    }


def bounds(calls: Sequence[Call]) -> dict[str, float]:
    """How many calls lie between the bounds, how far apart these are, and the error right after a compaction."""
    held = sum(call.said.low <= call.truth <= call.said.high for call in calls)
    figures = {
        "held": 100 * held / len(calls),
        "width": statistics.median(100 * (call.said.high - call.said.low) / call.truth for call in calls),
    }
    after = [call for call in calls if call.is_compacted]
    if any(call.said.basis != "estimated" for call in after):
        raise SystemExit("a call right after a compaction was not called an estimate")
    if after:
        figures["compacted"] = statistics.median(100 * abs(call.said.used / call.truth - 1) for call in after)
    return figures


def cold(calls: Sequence[Call]) -> dict[str, float]:
    """The error without any recorded size."""
    return {"cold": statistics.median(100 * abs(call.cold.used / call.truth - 1) for call in calls)}


if __name__ == "__main__":
    sys.exit(main())
