"""The facts of the messages to be summarised, as lines for its sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import commands
from compact_chat.facts.errors import errors
from compact_chat.facts.files import file_uses
from compact_chat.facts.removals import removed_files
from compact_chat.facts.requests import Request, earlier_summaries, requests
from compact_chat.facts.rules import rules
from compact_chat.facts.steps import Step, steps
from compact_chat.facts.todos import todos
from compact_chat.facts.work import work_of
from compact_chat.plan.outcome import Direction
from compact_chat.providers.extract.earlier import earlier_lines
from compact_chat.providers.extract.evidence import command_lines, error_lines, file_lines, term_lines
from compact_chat.providers.extract.lines import Line
from compact_chat.providers.extract.state import End, ends_answered, next_lines, state_lines, task_line
from compact_chat.providers.extract.wishes import notice, rule_lines, todo_lines, wish_lines

LAST_WORDS_SHARE, SPARING_SHARE, CHARACTERS_PER_TOKEN = 0.15, 0.2, 3


class Material(Struct, frozen=True):
    """What a summary is made of: the messages, the person's words among them, and a line for each fact."""

    messages: Sequence[Message]
    said: tuple[Request, ...]
    facts: tuple[Line, ...]


def gather(
    messages: Sequence[Message],
    direction: Direction,
    room: int,
    task: bool,
    check: Callable[[], None] = lambda: None,
    *,
    sparing: bool = False,
) -> Material:
    """Find the facts and write a line for each; `room` tells how much of the last words can be quoted.

    A sparing page tells the requests once, as quotes.
    """
    said, taken = requests(messages), steps(messages)
    end = End(work_of(messages, said, taken), todos(taken), ends_answered(messages))
    share = SPARING_SHARE if sparing else LAST_WORDS_SHARE
    characters = max(200, round(room * share * CHARACTERS_PER_TOKEN))
    facts = (
        notice(),
        *(() if sparing else wish_lines(said)),
        *rule_lines(rules(said, check)),
        *earlier_lines(earlier_summaries(messages)),
        *_evidence(messages, taken),
        *todo_lines(end.todos),
        *state_lines(end, characters, with_wish=not sparing),
        *next_lines(end, direction),
        *([task_line(end)] if task and direction != "upTo" else []),
    )
    return Material(messages, said, facts)


def _evidence(messages: Sequence[Message], taken: Sequence[Step]) -> Iterator[Line]:
    uses, run = file_uses(taken), commands(taken)
    yield from file_lines(uses, removed_files(taken))
    yield from error_lines(errors(taken))
    yield from command_lines(run)
    yield from term_lines(run, (message.text for message in messages if message.text))
