"""Get the summary of a plan written: by a model, in parts if need be, by rules, or from a reply that was given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from compact_chat.chat import Warning
from compact_chat.errors import NoGain, NoSummary
from compact_chat.models import (
    Access,
    Answer,
    Assignment,
    Candidate,
    Choice,
    Failure,
    Rejected,
    climb,
    module_of,
)
from compact_chat.operations.compaction import Draft
from compact_chat.operations.requests import characters_for, reply_tokens, request_for, summary_task
from compact_chat.prompt import Portion, cut_portions
from compact_chat.styles import MaskedSummary, Request, Task
from compact_chat.wire import Attempt, Provider, TokensSpent

if TYPE_CHECKING:
    from compact_chat.redact import Stream

TAKEN_BY_ALL = 20_000  # characters that every model takes at once, so that nothing is cut into less
_CUT_OFF = "The reply was cut off before its end."
_TOO_LONG = "The result would not be smaller than the chat."


class Written(Struct, frozen=True):
    """A summary, and who wrote it."""

    summary: MaskedSummary | None  # None where rules cut the chat
    raw: str
    provider: str
    model: str | None = None
    usage: TokensSpent | None = None
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[Warning, ...] = ()


async def write(draft: Draft, provider: Provider, user_initiated: bool) -> Written:
    """Have the summary written by the chosen provider, or by the first that can."""
    client, job = draft.client, draft.job
    times = client.settings.idle_timeout, client.settings.total_timeout
    access = Access(client.host, *times, user_initiated, job.off_loop)
    wanted = (draft.options.summary_model, *draft.options.fallback_models)
    climbed = await climb(provider, wanted, access, partial(_candidate, draft, access), job.step)
    client.keyless = any(one.provider == "anthropic" and one.outcome == "skipped" for one in climbed.attempts)
    found = climbed.candidate
    warnings = (*found.summary.warnings, *found.faults)
    return Written(found.summary, found.raw, climbed.provider, found.model, found.usage, climbed.attempts, warnings)


def from_reply(text: str, draft: Draft) -> Written:
    """Take the reply of a model of the host, or of a person; its faults are for them to judge."""
    from compact_chat.styles import judge  # here and below, since its patterns take a while to compile

    summary = draft.presentable(draft.style.read(text))
    verdict = judge(summary, draft.summarized)
    if verdict.fatal is not None:
        raise NoSummary(verdict.fatal)
    return Written(summary, text, "host", warnings=(*summary.warnings, *verdict.faults))


async def _candidate(draft: Draft, access: Access, provider: str, choice: Choice) -> Candidate:
    """Ask one model, and check what it says."""
    if provider == "offline":
        assignment = Assignment(None, 0, offline=lambda: draft.offline_summary)
        answer = await module_of(provider).write(assignment, access, draft.job.stream)
        return await draft.job.off_loop(partial(_offline_candidate, answer, draft))
    answer = await _Asking(draft, access, provider, choice).whole_answer()
    return await draft.job.off_loop(partial(_checked, answer, draft))


def _offline_candidate(answer: Answer, draft: Draft) -> Candidate:
    """Check the length of what the offline writer wrote; nothing else can be wrong with it."""
    if answer.summary is None:
        raise NoGain(
            "Too little stands in what a summary would replace:"
            f" nothing of it fits into {draft.summary_budget:,} tokens."
            " Nothing was changed. Let fewer messages stay."
        )
    summary = draft.presentable(answer.summary)
    if draft.next_chat(summary).tokens >= draft.must_be_below:
        raise NoGain(f"{_TOO_LONG} Nothing was changed.")
    return Candidate(summary, answer.text, answer.model)


def _checked(answer: Answer, draft: Draft) -> Candidate:
    """Check a model's answer; it may be rejected for its form, its end or its length."""
    from compact_chat.styles import judge

    summary = _summary_in(answer, draft)
    verdict = judge(summary, draft.summarized)
    if verdict.fatal is not None:
        raise Rejected(verdict.fatal)
    if draft.next_chat(summary).tokens >= draft.must_be_below:
        raise Rejected(_TOO_LONG, no_gain=True)
    return Candidate(summary, answer.text, answer.model, answer.usage, verdict.faults)


def _summary_of_part(answer: Answer, draft: Draft) -> MaskedSummary:
    """Return the summary of a part, for the next to build on; with a refusal all that the part held would be lost."""
    from compact_chat.styles import judge

    summary = _summary_in(answer, draft)
    if (fatal := judge(summary, ()).fatal) is not None:
        raise Rejected(fatal)
    return summary


def _summary_in(answer: Answer, draft: Draft) -> MaskedSummary:
    """Return the summary that an answer holds, if it holds a whole one (rules L5 and L10)."""
    whole = draft.style.whole_reply(answer.text)
    if whole is None and answer.stop_reason is None:
        raise Rejected(_CUT_OFF)
    try:
        summary = draft.presentable(draft.style.read(answer.text if whole is None else whole))
    except NoSummary as problem:
        raise Rejected(problem.sentence) from None
    if answer.stop_reason is None and any(warning.code == "unclosedSummary" for warning in summary.warnings):
        raise Rejected(_CUT_OFF)
    return summary


class _Asking:
    """One model that is asked for one summary: in one request, or part by part if it takes no more (rule T8)."""

    def __init__(self, draft: Draft, access: Access, provider: str, choice: Choice) -> None:
        self._draft, self._access, self._provider, self._choice = draft, access, provider, choice
        self._sent = 0  # characters of the last request
        self._spent: list[TokensSpent | None] = []  # by each reply

    async def whole_answer(self) -> Answer:
        """Ask for the summary; if a request proves too long after all, cut the chat into smaller parts."""
        draft = self._draft
        off_loop = draft.job.off_loop
        task = await off_loop(partial(summary_task, draft, end_tag=self._provider == "editor"))
        room = await off_loop(partial(characters_for, self._choice, draft))
        while True:
            parts = await off_loop(partial(cut_portions, task, room))
            try:
                return await self._in_parts(task, parts)
            except Failure as failure:
                room = min(room, self._sent) // 2
                if failure.kind != "tooLong" or room < TAKEN_BY_ALL:
                    raise

    async def _in_parts(self, task: Task, parts: Sequence[Portion]) -> Answer:
        """Have each part summarized together with the summary of those before it; stream only the last answer."""
        draft, previous = self._draft, None
        off_loop = draft.job.off_loop
        for number, part in enumerate(parts, 1):
            if len(parts) > 1:
                draft.job.step(f"Summarising part {number} of {len(parts)}")
            request = await off_loop(partial(request_for, task, part, previous, draft))
            if number < len(parts):
                answer = await self._answer(request)
                previous = await off_loop(partial(_summary_of_part, answer, draft))
        from compact_chat.redact import Stream  # here for the same reason

        stream = Stream(draft.clean, draft.job.stream)
        answer = await self._answer(request, stream)
        stream.end()
        known = [one for one in self._spent if one is not None]
        total = TokensSpent(sum(one.input_tokens for one in known), sum(one.output_tokens for one in known))
        return structs.replace(answer, usage=total if len(known) == len(self._spent) else None)

    async def _answer(self, request: Request, stream: Stream | None = None) -> Answer:
        self._sent = len(request.system) + len(request.message)
        output = reply_tokens(self._choice, self._draft)
        cache = self._draft.client.sends(self._choice.model, request)
        assignment = Assignment(self._choice.model, output, request, cache=cache)
        send = stream.add if stream else lambda _: None
        answer = await module_of(self._provider).write(assignment, self._access, send)
        self._spent.append(answer.usage)
        return answer
