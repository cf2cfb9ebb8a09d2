"""What many short scenes hold, kind by kind, and what a text keeps of it: a file of scenes and a snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from compact_chat.chat import Message, ToolCall
from compact_chat.facts import Facts, find_facts, in_force, survival
from tests.oracles.snapshots import check_snapshot
from tests.samples.chats import a, res, talk, u

HERE = Path(__file__).parent


def scenes() -> Iterator[tuple[str, list[str]]]:
    """Yield each scene's name and lines: `u:` and `a:` speak, `$` or a tool calls, `|` and `!` answer."""
    lines = (HERE / "scenes.txt").read_text("utf-8").splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith("= ")]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start][2:], lines[start + 1 : end]


def played(lines: list[str]) -> tuple[list[Message], list[str]]:
    """Return the messages of a scene, and the summaries that it is compared with."""
    messages, summaries, answer = list[Message](), list[str](), list[str]()
    for line in [*lines, "u: "]:
        sign, _, text = line.partition(" ")
        if sign in ("|", "!"):
            answer.append(line)
            continue
        if messages and messages[-1].calls:
            is_error = any(one.startswith("!") for one in answer)
            messages.append(u(res(messages[-1].calls[0].id, "\n".join(one[2:] for one in answer), is_error=is_error)))
        answer = []
        match sign:
            case "u:" | "a:":
                messages += [(u if sign == "u:" else a)(text)] if text else []
            case "s:":
                summaries.append(text)
            case _:
                name, given = ("Bash", {"command": text}) if sign == "$" else (sign, json.loads(text))
                messages.append(a(ToolCall(f"c{len(messages)}", name, given)))
    return list(talk(*messages)), summaries


def told(facts: Facts, summaries: list[str]) -> Iterator[str]:
    """Yield the facts in force, what is no longer so, and what each summary lacks."""
    held = in_force(facts)
    for fact in held:
        yield f"{fact.kind} {fact.message}: {fact.text!r} {'/'.join(fact.marks)!r} {'/'.join(fact.parts)!r}"
    yield from (f"superseded {rule.message}: {rule.text!r}" for rule in facts.rules if rule.superseded)
    yield from (f"fixed {error.message}: {error.text!r}" for error in facts.errors if error.fixed)
    yield from (
        f"done {todo.message}: {todo.text!r} since {todo.first}" for todo in facts.todos if todo.status == "done"
    )
    for summary in summaries:
        classes = survival(held, summary, str).classes
        yield f"of {summary!r}: " + ", ".join(f"{one.name} {one.kept}/{one.total}" for one in classes)


def test_what_scenes_hold(accept: bool) -> None:
    """Each fact with its message, its marks and parts; a change of any of them shows here."""
    rows = [
        row for name, lines in scenes() for row in (f"= {name}", *told(find_facts(played(lines)[0]), played(lines)[1]))
    ]
    check_snapshot("\n".join(rows) + "\n", HERE / "scenes-held.txt", accept=accept)
