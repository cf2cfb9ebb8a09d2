"""What operations on a long chat cost: facts, a hand-over, a plan, a draft; beside counting the chat in the same run.

python tests/bench/bench_costs.py [NAME ...], where a name is that of a function in COSTS.

All of it is CPU time, since other programs may share the machine and nothing waits here.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.measure import Counter, family_of, weigh
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.compaction import Planned, planned
from compact_chat.read import Source, earlier, read_chat
from compact_chat.redact import Redactor
from compact_chat.resume import as_anthropic
from compact_chat.wire import Options
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone
from tests.samples.facts import collect

SIZE, SMALL = 8_500_000, 850_000  # bytes of session files of a million and of 100,000 tokens
ROUNDS = 7
FACTS, CHECK = 1.2, 150  # times counting; milliseconds
ONE, SIX, HANDED, SLOWEST = 2.0, 2.0, 100, 250  # times counting, times one text; milliseconds: median and slowest
LENGTHS = (500, 1000, 2000, 3000, 4000, 8000)
KNOWN, SUMMARY, NEEDED = 150, 3.3, 1.85  # milliseconds; times counting, where 2 is the goal; times what it needs: 1.6
CHANGE, SHARE = 100, 0.5  # milliseconds, and of what it takes to begin the draft
CHATS, LARGEST = Path(__file__).resolve().parents[3] / "shared" / "chats", 5


def seconds(run: Callable[[], object]) -> float:
    """Time a function."""
    began = time.process_time()
    run()
    return time.process_time() - began


def asked(operation: str, client: ClientState | None = None, **params: Any) -> tuple[float, Any]:
    """Time an operation, and return its result; a new client knows no chat."""
    job, began = Job(client or ClientState()), time.process_time()
    result = perform_alone(operation, params, job)
    return time.process_time() - began, result


def counted(messages: Sequence[Any]) -> None:
    """Count messages that are in no cache yet."""
    counter, family = Counter(), family_of("claude-sonnet-4-5")
    for message in messages:
        weigh(message, counter.count, family)


def facts(folder: Path) -> Iterator[Figure]:
    """Collect the facts of a chat, and check a summary with every module loaded."""
    messages = read_chat(Source.of_bytes(claude(folder / "long.jsonl", SIZE).read_bytes())).messages
    ratios = [seconds(lambda: collect(messages)) / seconds(lambda: counted(messages)) for _ in range(ROUNDS)]
    yield "facts of a million tokens / counting them", median(ratios), FACTS, "x"
    chat = {"uri": claude(folder / "session.jsonl", SMALL).as_uri()}
    summary = "\n".join(message.text[:200] for message in messages[:200])
    times = [asked("check", chat=chat, summary=summary)[0] for _ in range(ROUNDS)]
    yield "check of 100,000 tokens", 1000 * median(times), CHECK, "ms"


def handover(folder: Path) -> Iterator[Figure]:
    """Write the usual text of a chat that was read and masked before, and six lengths of it."""
    uri = claude(folder / "session.jsonl", SMALL).as_uri()

    def made() -> Planned:
        return planned(ChatRef(uri=uri), Options(style="handoff"), Job(ClientState()))

    def written(one: Planned) -> None:
        assert one.offline_summary

    written(made())  # loads every module
    drafts = [made() for _ in range(2 * ROUNDS)]
    counting = median(seconds(lambda: counted(drafts[0].masked)) for _ in range(ROUNDS))
    one = [seconds(partial(written, draft)) for draft in drafts[:ROUNDS]]
    six = [seconds(lambda draft=draft: list(map(draft.written_offline, LENGTHS))) for draft in drafts[ROUNDS:]]  # type: ignore[misc]  # a lambda with a default
    yield "a hand-over / counting its chat", median(one) / counting, ONE, "x"
    yield "six lengths / one", median(six) / median(one), SIX, "x"
    yield "a hand-over of 100,000 tokens, median", 1000 * median(one), HANDED, "ms"
    yield "a hand-over of 100,000 tokens, slowest", 1000 * max(one), SLOWEST, "ms"


def plan(folder: Path) -> Iterator[Figure]:
    """Preview a known chat of a million tokens, and summarize a new one: of a file, and of messages."""
    path = claude(folder / "session.jsonl", SIZE)
    messages = as_anthropic(read_chat(Source.of_bytes(path.read_bytes(), path.name)).messages)
    bare = [{"role": one["role"], "content": one["content"]} for one in messages]
    for name, chat in (("a file", {"uri": path.as_uri()}), ("messages", {"messages": bare})):
        summarize = partial(asked, "summarize", chat=chat, provider="offline")
        summarize()  # loads every module
        client = ClientState()
        asked("preview", client, chat=chat)
        again = [asked("preview", client, chat=chat, options={"minKeep": 5 + n})[0] for n in range(ROUNDS)]
        yield f"preview of a known chat, as {name}", 1000 * median(again), KNOWN, "ms"
        ratios = [summarize()[0] / asked("countTokens", chat=chat)[0] for _ in range(ROUNDS)]
        yield f"offline summary of a new chat, as {name} / counting it", median(ratios), SUMMARY, "x"


def real(_: Path) -> Iterator[Figure]:
    """Summarize the largest real sessions, beside what that cannot do without: reading, counting and masking them."""
    sessions = (path for path in CHATS.rglob("*.jsonl") if "broken" not in path.parts)
    spent = needed = 0.0
    for path in sorted(sessions, key=lambda path: path.stat().st_size)[-LARGEST:]:
        chat = {"uri": path.as_uri()}
        needed += min(asked("countTokens", chat=chat)[0] + masked(path) for _ in range(ROUNDS))
        spent += min(asked("summarize", chat=chat, provider="offline")[0] for _ in range(ROUNDS))
    if needed:
        yield "offline summary of real chats / reading, counting and masking", spent / needed, NEEDED, "x"


def masked(path: Path) -> float:
    """Time reading what a session's own compactions replaced, and masking the whole record."""
    source = Source.of_bytes(path.read_bytes(), path.name)
    chat, clean = read_chat(source), Redactor()

    def work() -> None:
        replaced = [message for segment in earlier(source, chat) for message in segment.messages]
        clean.learn([*chat.messages, *replaced])
        clean.messages([*chat.messages, *replaced])

    return seconds(work)


def draft(folder: Path) -> Iterator[Figure]:
    """Change a draft in use in each way: a pinned message, another length, a fact added back."""
    chat = {"uri": claude(folder / "session.jsonl", SMALL).as_uri()}
    begin = partial(asked, "draft", chat=chat, options={"style": "handoff"})
    begin(ClientState())  # loads every module
    client = ClientState()
    first, shown = begin(client)
    ids = [one["id"] for one in shown["preview"]["messages"][10:]]
    lost = [fact["id"] for one in shown["compaction"]["survival"]["classes"] for fact in one["lost"]]
    changes: dict[str, Callable[[int], dict[str, Any]]] = {
        "a pinned message": lambda n: {"options": {"pin": ids[5 * n : 5 * n + 1]}},
        "another length": lambda n: {"options": {"summaryBudget": 2000 + 400 * n}},
        "a fact added back": lambda n: {"addBack": lost[: n + 1]},
    }
    for name, change in changes.items():
        took = []
        for n in range(ROUNDS):
            one, shown = asked("draft", client, draftId=shown["draftId"], version=shown["version"], **change(n))
            took.append(one)
        yield f"{name} in a draft of {shown['report']['used']:,} tokens", 1000 * median(took), CHANGE, "ms"
        yield f"{name} / beginning the draft", median(took) / first, SHARE, "x"


COSTS = {cost.__name__: cost for cost in (facts, handover, plan, real, draft)}


def figures(names: Sequence[str]) -> Iterator[Figure]:
    """Measure all, or what is named, each with a state folder of its own."""
    for name in names or COSTS:
        with TemporaryDirectory() as folder:
            os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = folder
            yield from COSTS[name](Path(folder))


if __name__ == "__main__":
    sys.exit(judged(figures(sys.argv[1:])))
