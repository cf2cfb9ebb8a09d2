"""Draft a plan: read the chat, measure it, decide the fate of each message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, structs

from compact_chat.chat import Chat, Message
from compact_chat.disk.instructions import find_instructions
from compact_chat.errors import InvalidParams, PlanOutdated
from compact_chat.operations.chats import chat_and_origin, chat_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import Measured, measure, sizes
from compact_chat.operations.origin import Origin
from compact_chat.operations.original import original_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.plans import Remembered
from compact_chat.operations.work import Work
from compact_chat.options import Options
from compact_chat.plan.identity import digest, plan_id
from compact_chat.plan.outcome import Plan
from compact_chat.plan.plan import make_plan
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message
from compact_chat.results import Instructions
from compact_chat.resume.continuation import check_opening


class Draft(Struct, frozen=True):
    """A plan with the chat that it was made for; `masked` are its messages without secrets, by their place."""

    id: str
    measured: Measured
    options: Options
    plan: Plan
    instructions: tuple[Instructions, ...]  # found in the project's files
    masked: tuple[Message, ...]
    clean: Redactor
    made_of: Remembered
    work: Work
    origin: Origin | None  # what the chat was read from, where that is to be kept
    most: int  # the tokens of the chat as it came: what results has to be smaller

    @property
    def chat(self) -> Chat:
        """The chat that is planned."""
        return self.measured.chat

    def without_secrets(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Give messages of the chat as they may leave for a summary, a prompt or a continuation."""
        masks = {id(m): safe for m, safe in zip(self.chat.messages, self.masked, strict=True)}
        return self.work.watched(masks.get(id(message), message) for message in messages)


def draft(ref: ChatRef, options: Options, desk: Desk, work: Work, *, keep: bool = False) -> Draft:
    """Make a plan; where it is to be carried out, keep what its chat was read from."""
    work.step("Reading the chat")
    _check_opening(options, desk)
    chat, origin = chat_and_origin(ref, work.watched) if keep else (chat_of(ref, watch=work.watched), None)
    return _draft(Remembered(ref, options), chat, origin, desk, work)


def draft_again(plan: str, ref: ChatRef | None, options: Options, desk: Desk, work: Work) -> Draft:
    """Make the plan that was shown once more, from the chat as it is now; it must come out the same."""
    known = desk.plans.recall(plan)
    if known and options not in (known.options, desk.usual()):
        raise InvalidParams.at("$.options", "a plan has options of its own; preview the chat again to change them")
    source = known.ref if known and ref is None else ref
    if source is None:
        raise _outdated("forgotten")
    made = draft(source, known.options if known else options, desk, work, keep=True)
    if made.id != plan:
        raise _outdated("chatChanged" if known else "forgotten")
    return made


def _draft(made_of: Remembered, given: Chat, origin: Origin | None, desk: Desk, work: Work) -> Draft:
    options = made_of.options
    whole = original_of(given, desk)
    chat = structs.replace(whole, messages=work.watched(whole.messages))
    found = measure(chat, options, desk, work)
    most = found.meter.used if whole is given else measure(given, options, desk, work).meter.used
    work.step("Planning")
    plan = make_plan(chat, options, found.meter.tokens, found.budget, found.meter.used, sizes(found, desk, work))
    clean = Redactor(desk.settings.redact_emails, options.redact, work.check, desk.secrets)
    masked = work.watched(masked_message(m, clean) for m in work.each(chat.messages, "Masking secrets"))
    rules = find_instructions(chat.workspace)
    own_id = plan_id(digest(chat), options, [rule.text for rule in rules])
    return Draft(own_id, found, options, plan, rules, masked, clean, made_of, work, origin, most)


def _outdated(reason: Literal["chatChanged", "forgotten"]) -> PlanOutdated:
    sentences = {
        "chatChanged": "The chat has changed since this plan was made; preview it again.",
        "forgotten": "This plan is not known here; preview the chat again, or repeat the options it was made with.",
    }
    return PlanOutdated(sentences[reason], reason=reason)


def _check_opening(options: Options, desk: Desk) -> None:
    """Find what is wrong with the continuation's options before any work is done for it."""
    try:
        check_opening(desk.with_host(options.continuation))
    except InvalidParams as problem:
        raise problem.moved("$.options.continuation") from None
