"""What a person should know of a result before relying on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct, structs

from compact_chat.chat import Warning
from compact_chat.errors import NoGain, NoSummary
from compact_chat.facts import file_records
from compact_chat.models import (
    Access,
    Answer,
    Assignment,
    Candidate,
    Choice,
    Failure,
    Rejected,
    Tell,
    climb,
    module_of,
)
from compact_chat.offline import write_summary
from compact_chat.operations.compaction import (
    Draft,
    Outcome,
    characters_for,
    offline_request,
    outcome,
    reply_tokens,
    request_for,
    summary_budget,
    summary_task,
)
from compact_chat.operations.desk import Desk
from compact_chat.prompt import Portion, cut_portions
from compact_chat.redact import Stream
from compact_chat.styles import STYLES, Request, Summary, Task, judge
from compact_chat.wire import Attempt, Provider, Survival, TokensSpent

# Is a reply a summary that can be used? What it is as a candidate, or why it is none.


_CUT_OFF = "The reply was cut off before its end."
_TOO_LONG = "The result would not be smaller than the chat."


def checked(answer: Answer, made: Draft, desk: Desk) -> Candidate:
    """Give the candidate that a model's answer is; it may be rejected for its form, its end or its length."""
    summary = read_reply(answer, made)
    verdict = judge(summary, made.without_secrets(made.plan.summarized))
    if verdict.fatal is not None:
        raise Rejected(verdict.fatal)
    if outcome(made, summary, desk).tokens >= made.most:
        raise Rejected(_TOO_LONG, no_gain=True)
    return Candidate(summary, answer.text, answer.model, answer.usage, verdict.faults)


def part_of(answer: Answer, made: Draft) -> str:
    """Give the summary of a part, on which the next one builds; with a refusal all that the part held would be lost."""
    summary = read_reply(answer, made)
    if (fatal := judge(summary, ()).fatal) is not None:
        raise Rejected(fatal)
    return summary.text


def read_reply(answer: Answer, made: Draft) -> Summary:
    """Give the summary that an answer holds, if it holds a whole one (rules L5 and L10)."""
    style = STYLES[made.options.style]
    whole = style.whole_reply(answer.text)
    if whole is None and answer.stop_reason is None:
        raise Rejected(_CUT_OFF)
    try:
        summary = presentable(style.read(answer.text if whole is None else whole), made)
    except NoSummary as problem:
        raise Rejected(problem.sentence) from None
    if answer.stop_reason is None and any(warning.code == "unclosedSummary" for warning in summary.warnings):
        raise Rejected(_CUT_OFF)
    return summary


def from_offline(answer: Answer, made: Draft, desk: Desk) -> Candidate:
    """Give the candidate that the offline writer wrote; nothing but its length can be wrong with it."""
    if answer.summary is None:
        raise NoGain(
            "Too little stands in what a summary would replace:"
            f" nothing of it fits into {summary_budget(made):,} tokens."
            " Nothing was changed. Let fewer messages stay."
        )
    summary = presentable(answer.summary, made)
    if outcome(made, summary, desk).tokens >= made.most:
        raise NoGain(f"{_TOO_LONG} Nothing was changed.")
    return Candidate(summary, answer.text, answer.model)


def from_outside(text: str, made: Draft) -> Candidate:
    """Give the candidate that a host's model or a person wrote; its faults are for them to judge."""
    summary = presentable(STYLES[made.options.style].read(text), made)
    verdict = judge(summary, made.without_secrets(made.plan.summarized))
    if verdict.fatal is not None:
        raise NoSummary(verdict.fatal)
    return Candidate(summary, text, None, faults=verdict.faults)


def presentable(summary: Summary, made: Draft) -> Summary:
    """Mask secrets, and add the records of files where the style keeps them."""
    summary = summary.with_text(made.clean(summary.text))
    if summary.style.keeps_records:
        return summary.with_records(file_records(made.without_secrets(made.plan.summarized)))
    return summary


# How large the chat will be: exact where rules or the offline summary decide, a range where a reply may differ.


_OFFLINE = "A summary made offline would win nothing: too little stands in what it replaces."


class Forecast(Struct, frozen=True):
    """The expected size, and what may become of it."""

    after: int
    low: int
    high: int
    warnings: tuple[Warning, ...] = ()


def forecast(made: Draft, desk: Desk) -> Forecast:
    """Tell the size of the chat after the plan is carried out."""
    if made.plan.action == "none":
        used = made.measured.meter.used
        return Forecast(used, used, used)
    if made.plan.action != "compact":
        after = outcome(made, None, desk).tokens
        return Forecast(
            after, after, after, _no_gain(made, after, "These rules would win nothing: there is too little to cut.")
        )
    return _compacted(made, desk)


def _compacted(made: Draft, desk: Desk) -> Forecast:
    made.work.step("Forecasting the summary")
    summary = write_summary(offline_request(made, desk))
    after = outcome(made, presentable(summary, made), desk).tokens if summary else made.measured.meter.used
    least = outcome(made, Summary(STYLES[made.options.style], "Summary:"), desk).tokens
    return Forecast(after, min(after, least), max(after, least + summary_budget(made)), _no_gain(made, after, _OFFLINE))


def _no_gain(made: Draft, after: int, sentence: str) -> tuple[Warning, ...]:
    if after < made.most:
        return ()
    return (Warning("noGain", sentence),)


# Ask a model for the summary of a plan: in one request, or part by part where it takes no more at once (rule T8).


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
        parts = await made.work.off(partial(cut_portions, task, room))
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


# Get the summary of a plan written: by a provider, or from the reply of a host's own model or a person.


class Written(Struct, frozen=True):
    """A summary, and who wrote it."""

    summary: Summary | None
    raw: str
    provider: str
    model: str | None = None
    usage: TokensSpent | None = None
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[Warning, ...] = ()


def nothing_written() -> Written:
    """Give what strategies without a summary write."""
    return Written(None, "", "none")


def from_reply(text: str, made: Draft) -> Written:
    """Take the text of a host's own model, or of a person, through the same checks; faults are told."""
    found = from_outside(text, made)
    return Written(found.summary, text, "host", warnings=(*found.summary.warnings, *found.faults))


async def write(made: Draft, provider: Provider, user_initiated: bool, desk: Desk) -> Written:
    """Have the summary written by the chosen provider, or by the first that can."""
    work, settings = made.work, desk.settings
    access = Access(desk.host, settings.idle_timeout, settings.total_timeout, user_initiated, work.off)
    wished = (made.options.summary_model, *made.options.fallback_models)
    climbed = await climb(provider, wished, access, partial(_candidate, made, access, desk), work.step)
    desk.keyless = any(one.provider == "anthropic" and one.outcome == "skipped" for one in climbed.attempts)
    found = climbed.candidate
    warnings = (*found.summary.warnings, *found.faults)
    return Written(found.summary, found.raw, climbed.provider, found.model, found.usage, climbed.attempts, warnings)


async def _candidate(made: Draft, access: Access, desk: Desk, provider: str, choice: Choice) -> Candidate:
    """Ask one model, and look at what it says."""
    if provider == "offline":
        given = await made.work.off(partial(offline_request, made, desk))
        answer = await module_of(provider).write(Assignment(None, 0, offline=given), access, made.work.tell)
        return await made.work.off(partial(from_offline, answer, made, desk))
    answer = await ask_model(made, access, desk, provider, choice)
    return await made.work.off(partial(checked, answer, made, desk))


# What a person should know of a result before relying on it.


LITTLE = 0.3  # of what the chat holds


def remarks(made: Draft, written: Written, result: Outcome, survival: Survival) -> Iterator[Warning]:
    """Tell that it is still too large, that little survived, or that wishes went unheard (rule K12)."""
    if is_over_budget(made, result):
        yield Warning("overBudget", f"The result is still over the budget of {made.measured.budget:,} tokens.")
    if written.summary and survival.kept < LITTLE:
        told = f"Little of the chat survives this summary, {survival.kept:.0%}: look at what is lost before going on."
        yield Warning("littleSurvives", told)
    if written.provider == "offline" and (made.options.instructions.strip() or made.instructions):
        yield Warning(
            "instructionsUnused", "A summary without a model goes by rules of its own: it took no instructions."
        )


def is_over_budget(made: Draft, result: Outcome) -> bool:
    """Say whether the result is larger than the budget, where there is one."""
    return result.tokens > made.measured.budget > 0
