"""How much of a chat each text keeps: ours at several lengths, the summaries of the chats' own tools, simple methods.

python tests/bench/bench_retention.py [--chats FOLDER] [--write docs] [--each]

Facts are found and looked for by `retention.py`, which shares nothing with the product. Where a tool compacted a chat,
its summary is compared with our text of the same messages at the same size, and with its summary given to us as a
reply. Short replies are completed, too, and compared with our text of the usual length. `--write` writes the table and
the plot; without a folder, the bundled example is looked at.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.chat import Chat, Message, ToolCall, ToolResult, result_text
from compact_chat.errors import CompactChatError
from compact_chat.measure import Counter
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.compaction import LoadedChat, Planned
from compact_chat.read import Source, earlier, read_chat
from compact_chat.wire import Options
from tests.bench.retention import CLASSES, facts_of, retention
from tests.bench.servers import Figure, judged

EXAMPLE = Path(__file__).parents[2] / "examples" / "bakery.jsonl"
SIZES = (1000, 2000, 4000, 8000)
LEAST = 20_000  # tokens of a chat that is compared: a smaller one is nearly its own summary
MORE = 1.3  # times the size of a tool's summary, where it is completed by us
USUAL = "usual"
SHORT = {f"a short reply ({size}), completed by us": size for size in (300, 600, 1200)}
VAGUE = "Some of the work is done, and what is open should be looked at next. " * 4
LESS = 1  # percent of a chat's facts that a short reply may lose, beside our text of the usual length
PROMISED = {"2000": 84, "4000": 90, "8000": 93, "10%": 93, "reply": 88}
COUNT = Counter().count
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"


class Case(NamedTuple):
    """Messages that a text stands for, and what their tool wrote for them, if it did."""

    name: str
    chat: Chat
    summary: str = ""


def cases(folder: Path) -> Iterator[Case]:
    """Yield each session of a folder, and each part of one that its tool summarized."""
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.json*"))
    for path in files:
        if "broken" in path.name or "subagents" in path.parts or path.name == "manifest.json":
            continue
        try:
            source = Source.of_bytes(path.read_bytes())
            chat = read_chat(source)
            segments = earlier(Source.of_bytes(path.read_bytes()), chat)
        except (CompactChatError, OSError):
            continue
        record: list[Message] = []
        for segment in segments:
            record += [one for one in segment.messages if not one.is_summary]
            if segment.summary:
                yield Case(path.name, _of(chat, record), segment.summary)
        yield Case(path.name, _of(chat, [*record, *(one for one in chat.messages if not one.is_summary)]))


def _of(chat: Chat, messages: Sequence[Message]) -> Chat:
    return Chat(chat.format, chat.tool, tuple(messages), title=chat.title, workspace=None, model=chat.model)


def planned(case: Case, budget: int | None = None) -> Planned:
    """Plan a compaction of all messages; by default of the usual length."""
    options = Options(style="handoff", min_keep=0, summary_budget=budget)
    return Planned(LoadedChat(ChatRef(messages=[]), case.chat), options, Job(ClientState()))


def offline(case: Case, budget: int) -> str:
    """Write our text."""
    made = planned(case, budget)
    found = made.written_offline(budget)
    return made.presentable(found).text if found else ""


def completed(made: Planned, reply: str) -> str:
    """Complete a reply."""
    return made.completed(made.presentable(made.style.mend(reply)), by_model=True, reply=reply).text


def transcript(messages: Sequence[Message]) -> list[str]:
    """Write a chat line by line, as the simple methods take it."""
    lines: list[str] = []
    for message in messages:
        lines += f"{message.role}: {message.text}".split("\n") if message.text.strip() else []
        for part in message.parts:
            if isinstance(part, ToolCall):
                lines.append(f"{part.name} {part.input}")
            elif isinstance(part, ToolResult):
                lines += result_text(part).split("\n")
    return [line[:2000] for line in lines if line.strip()]


def _last(lines: Sequence[str], room: int) -> list[str]:
    chosen = []
    for line in reversed(lines):
        room -= COUNT(line) + 1
        if room < 0:
            break
        chosen.append(line)
    return chosen[::-1]


def _ends(lines: Sequence[str], room: int) -> list[str]:
    return [*_last(lines[::-1], room // 2)[::-1], *_last(lines, room // 2)]


def _random(lines: Sequence[str], room: int) -> list[str]:
    draw = random.Random(1)
    order = draw.sample(range(len(lines)), len(lines))
    chosen = []
    for place in order:
        room -= COUNT(lines[place]) + 1
        if room < 0:
            break
        chosen.append(place)
    return [lines[place] for place in sorted(chosen)]


def _spoken(lines: Sequence[str], room: int) -> list[str]:
    return _last([line for line in lines if line.startswith(("user: ", "assistant: "))], room)


SIMPLE: dict[str, Callable[[Sequence[str], int], list[str]]] = {
    "last lines": _last,
    "first and last lines": _ends,
    "random lines": _random,
    "last lines of speech": _spoken,
}


class Row(NamedTuple):
    """What a text of a case keeps, by class."""

    method: str
    size: str
    tokens: int
    kept: dict[str, tuple[int, int]]

    @property
    def share(self) -> float:
        """The mean over the classes."""
        return 100 * statistics.mean(kept / total for kept, total in self.kept.values())


def rows(case: Case, least: int) -> Iterator[Row]:
    """Compare the texts of a case that has at least so many tokens."""
    facts = facts_of(case.chat.messages)
    lines = transcript(case.chat.messages)
    whole = sum(map(COUNT, lines))
    if whole < least or not facts:
        return

    def row(method: str, size: str, text: str) -> Row:
        return Row(method, size, COUNT(text), retention(facts, text))

    if case.summary:
        size = COUNT(case.summary)
        yield row("the tool's summary", "own", case.summary)
        yield row("ours", "own", offline(case, size))
        yield row(
            "the tool's summary, completed by us", "reply", completed(planned(case, round(MORE * size)), case.summary)
        )
        return
    for name, size in {**{str(size): size for size in SIZES}, "10%": whole // 10}.items():
        if size > whole // 2 or size < SIZES[0] // 2:
            continue
        yield row("ours", name, offline(case, size))
        for method, choose in SIMPLE.items():
            yield row(method, name, "\n".join(choose(lines, size)))
    made = planned(case)
    yield row("ours", USUAL, offline(case, made.summary_budget))
    spoken = [line.removeprefix("assistant: ") for line in lines if line.startswith("assistant: ")]
    for name, size in SHORT.items():
        said = "\n".join(f"- {line}" for line in _last([line for line in spoken if "```" not in line], size))
        yield row(name, USUAL, completed(made, f"Here is the summary:\n\n{said}\n\n{VAGUE}"))


def mean(found: Sequence[Row]) -> float:
    """Return the mean share of some rows."""
    return statistics.mean(row.share for row in found)


def by_class(found: Sequence[Row], kind: str) -> float | None:
    """Return the share of the facts of a class that rows keep, over all of them."""
    counted = [row.kept[kind] for row in found if kind in row.kept]
    total = sum(all_ for _, all_ in counted)
    return 100 * sum(kept for kept, _ in counted) / total if total else None


def main() -> int:
    """Measure, print, and judge where there are sessions enough."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--chats", type=Path, default=EXAMPLE)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--each", action="store_true", help="print each session's share")
    asked = parser.parse_args()
    found: list[Row] = []
    with TemporaryDirectory() as home:
        os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = home
        for case in cases(asked.chats):
            own = list(rows(case, 0 if asked.chats == EXAMPLE else LEAST))
            found += own
            if asked.each and own:
                ours = {f"{row.method[:9]} {row.size}": round(row.share) for row in own if row.method not in SIMPLE}
                print(case.name, ours, flush=True)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        groups.setdefault((row.method, row.size), []).append(row)
    print(table(groups))
    if asked.write:
        (asked.write / "retention.svg").write_text(plot(groups), "utf-8")
        page = (asked.write / "retention.md").read_text("utf-8")
        head, _, rest = page.partition(BEGIN)
        written = f"{head}{BEGIN}\n\n{table(groups)}\n\n{END}{rest.partition(END)[2]}"
        (asked.write / "retention.md").write_text(written, "utf-8")
    return judged(figures(groups)) if asked.chats != EXAMPLE else 0


def figures(groups: dict[tuple[str, str], list[Row]]) -> Iterator[Figure]:
    """Yield what is lost beside what may be: a promise is the least that is kept."""
    for size, least in PROMISED.items():
        for (method, own), found in groups.items():
            if own == size and method not in SIMPLE:
                yield f"lost of {method}, {size} (n = {len(found)})", 100 - mean(found), 100 - least, "%"
    ours = groups.get(("ours", USUAL), [])
    for method in SHORT:
        less = [
            max(0, one.share - other.share) for one, other in zip(ours, groups.get((method, USUAL), []), strict=True)
        ]
        if less:
            yield f"{method}: less than ours, mean", statistics.mean(less), LESS, "%"


def _order(group: tuple[tuple[str, str], list[Row]]) -> tuple[int, int, str]:
    (method, size), _ = group
    sizes = (*map(str, SIZES), "10%", USUAL, "own", "reply")
    return method in SIMPLE, sizes.index(size), method


def table(groups: dict[tuple[str, str], list[Row]]) -> str:
    """Write a table: a row per text and size."""
    heads = ["text", "size", "n", "tokens", "kept", *CLASSES]
    written = [heads, ["---"] * len(heads)]
    for (method, size), found in sorted(groups.items(), key=_order):
        shares = (by_class(found, kind) for kind in CLASSES)
        tokens = round(statistics.mean(row.tokens for row in found))
        cells = ("" if share is None else f"{share:.0f}" for share in shares)
        written.append([method, size, str(len(found)), f"{tokens:,}", f"**{mean(found):.1f}**", *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in written)


WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 380, 48, 24, 48  # of the plot, in pixels
COLORS = {"ours": "#0a7d4f", "last lines": "#7a7a7a", "first and last lines": "#a06a00", "random lines": "#b0b0b0"}


def plot(groups: dict[tuple[str, str], list[Row]]) -> str:
    """Draw the share that is kept by size: a line per method, and two points for tools' summaries."""
    inner = HEIGHT - TOP - BOTTOM

    def x(tokens: float) -> float:
        return LEFT + (math.log2(tokens) - math.log2(SIZES[0] * 0.8)) / math.log2(SIZES[-1] / SIZES[0] * 1.4) * (
            WIDTH - 220
        )

    def y(share: float) -> float:
        return TOP + inner * (1 - share / 100)

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"',
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for share in range(0, 101, 20):
        drawn.append(f'<line x1="{LEFT}" x2="{WIDTH - 150}" y1="{y(share):.0f}" y2="{y(share):.0f}" stroke="#e4e4e4"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y(share) + 4:.0f}" text-anchor="end" fill="#555">{share} %</text>')
    for size in SIZES:
        place = f'x="{x(size):.0f}" y="{HEIGHT - BOTTOM + 20}"'
        drawn.append(f'<text {place} text-anchor="middle" fill="#555">{size:,}</text>')
    drawn.append(
        f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="#555">tokens of the text; facts of the chat that it keeps</text>'
    )
    for method, color in COLORS.items():
        points = [(x(size), y(mean(groups[method, str(size)]))) for size in SIZES if (method, str(size)) in groups]
        if points:
            joined = " ".join(f"{left:.1f},{top:.1f}" for left, top in points)
            drawn.append(f'<polyline points="{joined}" fill="none" stroke="{color}" stroke-width="2.5"/>')
            left, top = points[-1]
            drawn.append(f'<text x="{left + 8:.0f}" y="{top + 4:.0f}" fill="{color}">{method}</text>')
    for (method, way), found in groups.items():
        if way in ("own", "reply"):
            left, top = x(statistics.mean(row.tokens for row in found)), y(mean(found))
            color = "#0a7d4f" if method == "ours" else "#c02d2d" if way == "own" else "#3557c4"
            drawn.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="5" fill="{color}"/>')
            label = "ours, of the same messages" if method == "ours" else method
            drawn.append(
                f'<text x="{left + 9:.0f}" y="{top + (15 if way == "own" else 4):.0f}" fill="{color}">{label}</text>'
            )
    return "\n".join([*drawn, "</svg>", ""])


if __name__ == "__main__":
    sys.exit(main())
