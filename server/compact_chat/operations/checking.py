"""Is a reply a summary that can be used? What it is as a candidate, or why it is none."""

from __future__ import annotations

from compact_chat.errors import NoGain, NoSummary
from compact_chat.facts.files import file_records
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.offline import summary_budget
from compact_chat.operations.outcome import outcome
from compact_chat.providers.ending import finished
from compact_chat.providers.ladder import Candidate, Rejected
from compact_chat.providers.provider import Answer
from compact_chat.reply.checkpoint import with_records
from compact_chat.reply.gate import judge
from compact_chat.reply.reply import Reply
from compact_chat.reply.styles import format_reply

_CUT_OFF = "The reply was cut off before its end."
_TOO_LONG = "The result would not be smaller than the chat."


def checked(answer: Answer, made: Draft, desk: Desk) -> Candidate:
    """Give the candidate that a model's answer is; it may be rejected for its form, its end or its length."""
    reply = read_reply(answer, made)
    verdict = judge(reply, made.options.style, made.without_secrets(made.plan.summarized))
    if verdict.fatal is not None:
        raise Rejected(verdict.fatal)
    if outcome(made, reply.summary, desk).tokens >= made.most:
        raise Rejected(_TOO_LONG, no_gain=True)
    return Candidate(reply, answer.text, answer.model, answer.usage, verdict.faults)


def part_of(answer: Answer, made: Draft) -> str:
    """Give the summary of a part, on which the next one builds; with a refusal all that the part held would be lost."""
    reply = read_reply(answer, made)
    if (fatal := judge(reply, made.options.style, ()).fatal) is not None:
        raise Rejected(fatal)
    return reply.summary


def read_reply(answer: Answer, made: Draft) -> Reply:
    """Give the summary that an answer holds, if it holds a whole one (rules L5 and L10)."""
    whole = finished(answer.text, made.options.style)
    if whole is None and answer.stop_reason is None:
        raise Rejected(_CUT_OFF)
    try:
        reply = presentable(answer.text if whole is None else whole, made)
    except NoSummary as problem:
        raise Rejected(problem.sentence) from None
    if answer.stop_reason is None and any(warning.code == "unclosedSummary" for warning in reply.warnings):
        raise Rejected(_CUT_OFF)
    return reply


def from_offline(answer: Answer, made: Draft, desk: Desk) -> Candidate:
    """Give the candidate that the offline writer wrote; nothing but its length can be wrong with it."""
    if not answer.text:
        raise NoGain(
            "Too little stands in what a summary would replace:"
            f" nothing of it fits into {summary_budget(made):,} tokens."
            " Nothing was changed. Let fewer messages stay."
        )
    reply = presentable(answer.text, made)
    if outcome(made, reply.summary, desk).tokens >= made.most:
        raise NoGain(f"{_TOO_LONG} Nothing was changed.")
    return Candidate(reply, answer.text, answer.model)


def from_outside(text: str, made: Draft) -> Candidate:
    """Give the candidate that a host's model or a person wrote; its faults are for them to judge."""
    reply = presentable(text, made)
    verdict = judge(reply, made.options.style, made.without_secrets(made.plan.summarized))
    if verdict.fatal is not None:
        raise NoSummary(verdict.fatal)
    return Candidate(reply, text, None, faults=verdict.faults)


def presentable(raw: str, made: Draft) -> Reply:
    """Format a reply in the plan's style, without secrets, with the records of files where the style has them."""
    reply = format_reply(raw, made.options.style)
    summary = made.clean(reply.summary)
    if made.options.style == "checkpoint":
        summary = with_records(summary, file_records(made.without_secrets(made.plan.summarized)))
    return Reply(summary, reply.warnings)
