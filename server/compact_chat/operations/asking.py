"""Ask a model for the summary of a plan: in one request, or part by part where it takes no more at once (rule T8)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, structs

from compact_chat.operations.checking import part_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.requests import characters_for, reply_tokens, request_for, summary_task
from compact_chat.prompt.portions import Portion, portions
from compact_chat.prompt.request import Request, Task
from compact_chat.providers.ladder import module_of
from compact_chat.providers.provider import Access, Answer, Assignment, Choice, Failure, Tell
from compact_chat.redact.stream import Stream
from compact_chat.results import TokensSpent

TAKEN_BY_ALL = 20_000  # characters that every model takes at once, so that nothing is cut into less


class Asking(Struct):
    """One model that is asked for one summary: how much it was sent last, and what each of its replies cost."""

    made: Draft
    access: Access
    desk: Desk
    provider: str
    choice: Choice
    task: Task
    sent: int = 0  # characters
    spent: list[TokensSpent | None] = []


async def ask_model(made: Draft, access: Access, desk: Desk, provider: str, choice: Choice) -> Answer:
    """Have the summary written; what proves too long for the model after all is cut into smaller parts."""
    task = await made.work.off(partial(summary_task, made, end_tag=provider == "editor"))
    asking = Asking(made, access, desk, provider, choice, task)
    room = await made.work.off(partial(characters_for, choice, made, desk))
    while True:
        parts = await made.work.off(partial(portions, task, room))
        try:
            return await _in_parts(asking, parts)
        except Failure as failure:
            room = min(room, asking.sent) // 2
            if failure.kind != "tooLong" or room < TAKEN_BY_ALL:
                raise


async def _in_parts(asking: Asking, parts: Sequence[Portion]) -> Answer:
    """Have each part summarised together with the summary of those before it; the last answer is the answer."""
    made, previous = asking.made, None
    stream = Stream(made.clean, made.work.tell)
    for number, part in enumerate(parts, 1):
        if len(parts) > 1:
            made.work.step(f"Summarising part {number} of {len(parts)}")
        request = await made.work.off(partial(request_for, asking.task, part, previous, made))
        if number < len(parts):
            answer = await _answer(asking, request, _unheard)
            previous = await made.work.off(partial(part_of, answer, made))
    answer = await _answer(asking, request, stream.add)
    stream.end()
    return structs.replace(answer, usage=_sum(asking.spent))


async def _answer(asking: Asking, request: Request, tell: Tell) -> Answer:
    asking.sent = len(request.system) + len(request.message)
    output = reply_tokens(asking.choice, asking.made, asking.desk)
    cache = asking.desk.sends(asking.choice.model, request)
    assignment = Assignment(asking.choice.model, output, request, cache=cache)
    answer = await module_of(asking.provider).write(assignment, asking.access, tell)
    asking.spent.append(answer.usage)
    return answer


def _unheard(_: str) -> None:
    """Let a part's summary pass: only the whole one is shown."""


def _sum(spent: Sequence[TokensSpent | None]) -> TokensSpent | None:
    """Add up what the replies cost; unknown, where it is unknown of one."""
    known = [one for one in spent if one is not None]
    if len(known) < len(spent):
        return None
    return TokensSpent(sum(one.input_tokens for one in known), sum(one.output_tokens for one in known))
