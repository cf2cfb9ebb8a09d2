"""Ask a model for the summary of a plan: in one request, or part by part where it takes no more at once (rule T8)."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from compact_chat.operations.checking import read_reply
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.requests import parts_for, reply_tokens, request_for, summary_task
from compact_chat.providers.ladder import module_of
from compact_chat.providers.provider import Access, Answer, Assignment, Choice
from compact_chat.redact.stream import Stream
from compact_chat.results import TokensSpent


async def ask_model(made: Draft, access: Access, desk: Desk, provider: str, choice: Choice) -> Answer:
    """Have each part summarised together with the summary of those before it; the last answer is the answer."""
    task = summary_task(made, end_tag=provider == "editor")
    parts = await made.work.off(partial(parts_for, task, choice, made, desk))
    stream = Stream(made.clean, made.work.tell)
    previous: str | None = None
    spent: TokensSpent | None = None
    for number, part in enumerate(parts, 1):
        if len(parts) > 1:
            made.work.step(f"Summarising part {number} of {len(parts)}")
        request = await made.work.off(partial(request_for, task, part, previous, made))
        is_last = number == len(parts)
        assignment = Assignment(choice.model, reply_tokens(choice, made, desk), request, cache=desk.sends(request))
        answer = await module_of(provider).write(assignment, access, stream.add if is_last else _unheard)
        spent = _sum(spent, answer.usage)
        if not is_last:
            previous = (await made.work.off(partial(read_reply, answer, made))).summary
    stream.end()
    return structs.replace(answer, usage=spent)


def _unheard(_: str) -> None:
    """Let a part's summary pass: only the whole one is shown."""


def _sum(one: TokensSpent | None, other: TokensSpent | None) -> TokensSpent | None:
    if one is None or other is None:
        return one or other
    return TokensSpent(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens)
