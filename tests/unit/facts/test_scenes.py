"""What many short scenes hold, kind by kind, and what a text keeps of it: a file of scenes and a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts import (
    Facts,
    Note,
    attachments,
    changes,
    commands,
    defining_lines,
    documents,
    earlier_summaries,
    exchanges,
    file_kind,
    file_records,
    find_facts,
    find_pieces,
    in_force,
    look_ups,
    outcomes,
    program,
    project_rules,
    refusals,
    replies,
    summary_and_kept,
    survival,
    target,
    task_of,
    updates,
    without_limits,
    work_of,
)
from compact_chat.facts.said import given_values
from compact_chat.facts.user import omissions
from tests.oracles.snapshots import check_snapshot
from tests.samples.scenes import parts, played

HERE = Path(__file__).parent


def told(facts: Facts, summaries: list[str]) -> Iterator[str]:
    """Yield the facts in force, what is no longer so, and what each summary lacks."""
    held = in_force(facts)
    for fact in held:
        yield f"{fact.kind} {fact.message}: {fact.text!r} {'/'.join(fact.marks)!r} {'/'.join(fact.parts)!r}"
    yield from (f"added back as {fact.whole!r}" for fact in held if fact.whole != fact.text)
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


def brief(one: object) -> str:
    """Return the members of a struct that say something, without their names."""
    if not isinstance(one, Struct):
        return repr(one)
    if isinstance(one, Note):  # whose marks are those of its fact
        return f"{one.text!r} {one.message} {one.first} {one.ok}"
    return " ".join(
        brief(value) for name in one.__struct_fields__ if (value := getattr(one, name)) not in ("", (), None)
    )


def everything(messages: list[Message]) -> Iterator[str]:
    """Yield what the room finds in a chat, kind by kind, also what only the offline writer takes."""
    facts = find_facts(messages)
    steps, host = facts.steps, [(one.id, one.text) for one in messages if one.by_host]
    for step in steps:
        task = task_of(step)
        marks = "done " * step.done + "reads " * task.only_reads + "hides " * task.hides_failure
        about = f"{task.name} {sorted(task.narrowed)}" if task.narrowed else program(step.command) or task.name
        own = "" if step.call.input.get("command", "") == step.command else f" ran {step.command!r}"
        yield f"step {step.message} {step.tool} {step.outcome} {step.code} {marks}{file_kind(step) or ''} {about}{own}"
        if (plain := without_limits(step.command)) != step.command:
            yield f"without limits {plain!r}"
    for name in facts.__struct_fields__:
        if name not in ("messages", "steps", "corrections", "inherited"):
            found = getattr(facts, name)
            yield from (f"{name} {brief(one)}" for one in (sorted(found) if isinstance(found, frozenset) else found))
    yield from (f"reasoned {one.text!r}" for one in facts.decisions if one.is_reasoned)
    written = [text for step in steps for text in step.call.input.values() if isinstance(text, str)]
    yield from (f"defines {line!r}" for text in written for line in defining_lines(text))
    yield from (f"given {value!r} {words!r} {message}" for value, words, message in given_values(facts.said))
    yield from (f"inherited words {brief(one)}" for one in facts.inherited.words)
    yield from (f"inherited rules {brief(one)}" for one in facts.inherited.rules)
    for one in messages:
        if (text := facts.current(one.text, one.id)) != one.text:
            yield f"corrected {one.id}: {text!r}"
    for summary in earlier_summaries(messages):
        yield f"summary {summary.message} and kept: {summary_and_kept(summary.text)}"
    yield from (f"exchange {brief(one)}" for one in exchanges(steps))
    ends = outcomes(steps)
    yield from (f"ended {one.message} {ends[id(one)]!r}" for one in steps if id(one) in ends)
    yield from (f"refused {text!r} {message!r}" for message, text in refusals(steps))
    yield from (f"reply {brief(one)}" for one in replies(steps))
    attached = [*attachments(messages)]
    yield from (f"updated {brief(one)}" for one in updates(attached))
    for document in documents(steps, host, attached):
        marks = " code" * document.is_code + " guide" * document.is_guide + " binds" * document.binds
        yield f"document {brief(document)}{marks}"
    wanted = {word.strip(".,`") for one in facts.said for word in one.text.split()}
    yield from (f"looked {brief(one)}" for one in look_ups(steps, wanted))
    yield from (f"project {path}: {rules}" for path, rules in project_rules(steps, host).items())
    yield from (f"change {brief(one)}" for one in changes(steps))
    yield from (f"command {one.text!r} {one.step.message} {one.runs}" for one in commands(steps) if one.runs > 1)
    for number, pieces in enumerate(find_pieces(messages, "/w")):
        if any(one.files for one in pieces):
            yield from (f"piece m{number} {one.tool} {one.files}" for one in pieces)
    if records := brief(file_records(messages)):
        yield f"records {records}"
    work = work_of(facts)
    yield f"work {[target(one) for one in work.steps]} {brief(work.said) if work.said else None}"
    yield from (f"omissions {one.id}: {omissions(one.text)}" for one in messages if omissions(one.text) != (0, ()))


def test_everything_that_work_holds(accept: bool) -> None:
    """H1 to H16, T20 to T23: calls, results, files, checks, versions, decisions, values and what they replaced."""
    scenes = ((name, played(lines)[0]) for name, *lines in parts((HERE / "work.txt").read_text("utf-8")))
    rows = [row.replace("\n", "↵") for name, messages in scenes for row in (f"= {name}", *everything(messages))]
    check_snapshot("\n".join(rows) + "\n", HERE / "work-found.txt", accept=accept)
