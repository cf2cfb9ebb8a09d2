"""Where the work stands and how to go on: sections 8 and 9, and the task at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import command_text
from compact_chat.facts.errors import Error
from compact_chat.facts.mentions import command_head
from compact_chat.facts.steps import Step
from compact_chat.facts.todos import Todo
from compact_chat.facts.words import sentences, shortened
from compact_chat.facts.work import Work, target
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.clip import clip
from compact_chat.providers.extract.lines import CONTEXT, NEXT, STATE, TASK, Line
from compact_chat.providers.extract.quoting import block, code, excerpt

LONGEST_QUOTE = 240
_OUTCOMES = {"ok": "ok", "failed": "failed", "unknown": "no result"}


class End(Struct, frozen=True):
    """The end of the chat, or of the part of it that is summarised."""

    work: Work
    todos: tuple[Todo, ...]
    errors: tuple[Error, ...]
    answered: bool  # the last words are the assistant's, and no call waits


def ends_answered(messages: Sequence[Message]) -> bool:
    """Whether the last turn is the assistant's own and asks for no tool."""
    last = next((message for message in reversed(messages) if not message.by_host), None)
    return last is not None and last.role == "assistant" and not last.calls


def state_lines(end: End, characters: int) -> Iterator[Line]:
    """The newest request, the last words of the assistant and the last steps."""
    work = end.work
    if work.wish:
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
    else:
        yield Line(NEXT, f"- {_next_step(end)}", 0)


def task_line(end: End) -> Line:
    """The task at hand in one line (rule P10)."""
    question = _question(end)
    if question:
        return Line(TASK, f"WAITING: the assistant asked {excerpt(question, 200)}", 0)
    at_hand = f" ({_step(end.work.steps[-1])})" if end.work.steps else ""
    if todo := _open_todo(end):
        return Line(TASK, f"CONTINUE: {shortened(todo.text, 200)}{at_hand}", 0)
    if end.work.wish and not end.answered:
        return Line(TASK, f"CONTINUE: {shortened(end.work.wish.text, 200)}{at_hand}", 0)
    return Line(TASK, "NONE", 0)


def _next_step(end: End) -> str:
    if question := _question(end):
        return f"Wait for the user: the assistant asked {excerpt(question)}"
    if todo := _open_todo(end):
        return f"Go on with the open item {excerpt(todo.text)}"
    if end.work.wish and not end.answered:
        return f"Go on with the newest request {excerpt(end.work.wish.text)}"
    return "None that is certain: the assistant had ended its turn, and no item is open."


def _context(end: End) -> Iterator[str]:
    """What holds at the end of an older part; the newer messages may have moved on since."""
    if end.work.wish:
        state = "the assistant had replied to" if end.answered else "was under way"
        yield f"- This part ends with the request {excerpt(end.work.wish.text)}, which {state}."
    if question := _question(end):
        yield f"- The assistant had asked {excerpt(question)}"
    if todo := _open_todo(end):
        yield f"- Open item: {excerpt(todo.text)}"
    if still := sum(not error.fixed for error in end.errors):
        yield f"- Errors not seen to be overcome: {still} (section 4)."
    yield "- The newer messages stand behind this summary; where they differ, they hold."


def _open_todo(end: End) -> Todo | None:
    waiting = [todo for todo in end.todos if todo.status != "done"]
    return next((todo for todo in waiting if todo.status == "doing"), waiting[0] if waiting else None)


def _question(end: End) -> str:
    """The question with which the assistant ended its turn."""
    if not end.answered or not end.work.said:
        return ""
    last = sentences(end.work.said.text[-2000:])[-1:]
    return last[0] if last and last[0].rstrip("*_ )").endswith(("?", "？")) else ""


def _step(step: Step) -> str:
    about = command_head(target(step)) if command_text(step) else shortened(target(step), 200)
    return f"{step.call.name} {code(about)} → {_OUTCOMES[step.outcome]}"
