"""Where the work stands and how to go on: sections 8 and 9, and the task at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import command_text
from compact_chat.facts.errands import target
from compact_chat.facts.mentions import command_head
from compact_chat.facts.steps import Step
from compact_chat.facts.todos import Todo
from compact_chat.facts.words import sentences, shortened
from compact_chat.facts.work import Work
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.clip import clip
from compact_chat.providers.extract.lines import CONTEXT, NEXT, STATE, TASK, Line
from compact_chat.providers.extract.quoting import block, code, excerpt

LONGEST_QUOTE, LONGEST_TASK = 240, 200
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "no result"}


class End(Struct, frozen=True):
    """The end of the chat, or of the part of it that is summarised."""

    work: Work
    todos: tuple[Todo, ...]
    answered: bool  # the last words are the assistant's, and no call waits


def ends_answered(messages: Sequence[Message]) -> bool:
    """Whether the last turn is the assistant's own and asks for no tool."""
    last = next((message for message in reversed(messages) if not message.by_host), None)
    return last is not None and last.role == "assistant" and not last.calls


def state_lines(end: End, characters: int, *, with_wish: bool) -> Iterator[Line]:
    """The newest request where it is wanted here too, the last words of the assistant and the last steps."""
    work = end.work
    if work.wish and with_wish:
        wish = excerpt(work.wish.text, LONGEST_QUOTE)
        yield Line(STATE, f"- Newest of the requests summarised here: {wish}", 0, turn=0)
    for place, step in enumerate(work.steps):
        yield Line(STATE, f"- Step: {_step(step)}", 1 + place, turn=10 - place)
    if work.said:
        said = block(clip(work.said.text, characters))
        yield Line(STATE, f"The assistant's last words:\n{said}", 10, turn=1)


def next_lines(end: End, direction: Direction) -> Iterator[Line]:
    """One next step, or for an older part the state that the newer messages build on."""
    if direction == "upTo":
        yield from (Line(CONTEXT, text, place) for place, text in enumerate(_context(end)))
        yield Line(CONTEXT, "- The newer messages stand behind this summary; where they differ, they hold.", 9, 9, True)
    elif question := _question(end):
        yield Line(NEXT, f"- Wait for the user: the assistant asked {excerpt(question)}", 0)
    elif task := _task(end):
        yield Line(NEXT, f"- Go on with the {task[0]} {excerpt(task[1])}", 0)
    else:
        step = "- None that is certain: the assistant had ended its turn, and no item is open."
        yield Line(NEXT, step, 0, filler=True)


def task_line(end: End) -> Line:
    """The task at hand in one line (rule P10)."""
    if question := _question(end):
        return Line(TASK, f"WAITING: the assistant asked {excerpt(question, LONGEST_TASK)}", 0)
    if task := _task(end):
        at_hand = f" ({_step(end.work.steps[-1])})" if end.work.steps else ""
        return Line(TASK, f"CONTINUE: {shortened(task[1], LONGEST_TASK)}{at_hand}", 0)
    return Line(TASK, "NONE", 0, filler=True)


def _context(end: End) -> Iterator[str]:
    """What holds at the end of an older part; the newer messages may have moved on since."""
    if end.work.wish:
        state = "the assistant had replied to" if end.answered else "was under way"
        yield f"- This part ends with the request {excerpt(end.work.wish.text)}, which {state}."
    if question := _question(end):
        yield f"- The assistant had asked {excerpt(question)}"
    if todo := _open_todo(end):
        yield f"- Open item: {excerpt(todo)}"


def _task(end: End) -> tuple[str, str] | None:
    """What to go on with, and its words: an open item, else a request that has no reply."""
    if todo := _open_todo(end):
        return "open item", todo
    return ("newest request", end.work.wish.text) if end.work.wish and not end.answered else None


def _open_todo(end: End) -> str:
    """The item in progress, else the first that is open."""
    waiting = sorted((todo for todo in end.todos if todo.status != "done"), key=lambda todo: todo.status != "doing")
    return waiting[0].text if waiting else ""


def _question(end: End) -> str:
    """The question with which the assistant ended its turn."""
    if not end.answered or not end.work.said:
        return ""
    last = sentences(end.work.said.text[-2000:])[-1:]
    return last[0] if last and last[0].rstrip("*_ )").endswith(("?", "？")) else ""


def _step(step: Step) -> str:
    about = command_head(target(step)) if command_text(step) else shortened(target(step), LONGEST_TASK)
    return f"{step.call.name} {code(about)} → {_OUTCOMES[step.outcome]}"
