"""What many short scenes hold, kind by kind, and what a text keeps of it: a file of scenes and a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compact_chat.facts import Facts, find_facts, in_force, survival
from tests.oracles.snapshots import check_snapshot
from tests.samples.scenes import parts, played

HERE = Path(__file__).parent


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
    scenes = ((name, *played(lines)) for name, *lines in parts((HERE / "scenes.txt").read_text("utf-8")))
    rows = [
        row for name, messages, summaries in scenes for row in (f"= {name}", *told(find_facts(messages), summaries))
    ]
    check_snapshot("\n".join(rows) + "\n", HERE / "scenes-held.txt", accept=accept)
