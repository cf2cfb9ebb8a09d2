"""Draft a plan: read the chat, measure it, decide the fate of each message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, structs

from compact_chat.chat import Chat, Message
from compact_chat.errors import InvalidParams, PlanOutdated
from compact_chat.operations.chats import chat_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import Measured, measure, sizes
from compact_chat.operations.params import ChatRef
from compact_chat.operations.plans import Remembered
from compact_chat.operations.work import Work
from compact_chat.options import Options
from compact_chat.plan.identity import digest, plan_id
from compact_chat.plan.outcome import Plan
from compact_chat.plan.plan import make_plan
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message
from compact_chat.resume.continuation import check_opening


class Draft(Struct, frozen=True):
    """A plan with the chat that it was made for; `masked` are its messages without secrets, by their place."""

    id: str
    measured: Measured
    options: Options
    plan: Plan
    masked: tuple[Message, ...]
    clean: Redactor
    made_of: Remembered
    work: Work

    @property
    def chat(self) -> Chat:
        """The chat that is planned."""
        return self.measured.chat

    def without_secrets(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Give messages of the chat as they may leave for a summary, a prompt or a continuation."""
        masks = {id(m): safe for m, safe in zip(self.chat.messages, self.masked, strict=True)}
        return self.work.watched(masks.get(id(message), message) for message in messages)


def draft(ref: ChatRef, options: Options, desk: Desk, work: Work) -> Draft:
    """Make a plan."""
    work.step("Reading the chat")
    return _draft(ref, chat_of(ref, watch=work.watched), options, desk, work)


def draft_again(plan: str, ref: ChatRef | None, options: Options, desk: Desk, work: Work) -> Draft:
    """Make the plan that was shown once more, from the chat as it is now; it must come out the same."""
    known = desk.plans.recall(plan)
    if known is None and ref is None:
        raise _outdated("forgotten")
    if known and options not in (known.options, desk.usual()):
        raise InvalidParams.at("$.options", "a plan has options of its own; preview the chat again to change them")
    source = ref if ref or not known else known.file
    work.step("Reading the chat")
    chat = chat_of(source, watch=work.watched) if source else known and known.chat
    assert chat, "a plan remembers its file or its chat"
    made = _draft(source, chat, known.options if known else options, desk, work)
    if made.id != plan:
        raise _outdated("chatChanged" if known else "forgotten")
    return made


def _draft(ref: ChatRef | None, chat: Chat, options: Options, desk: Desk, work: Work) -> Draft:
    _check_opening(options, desk)
    chat = structs.replace(chat, messages=work.watched(chat.messages))
    found = measure(chat, options, desk, work)
    work.step("Planning")
    plan = make_plan(chat, options, found.meter.tokens, found.budget, found.meter.used, sizes(found, desk, work))
    clean = Redactor(desk.settings.redact_emails, options.redact, work.check)
    masked = work.watched(masked_message(m, clean) for m in work.each(chat.messages, "Masking secrets"))
    file = ChatRef(uri=ref.uri, format=ref.format, tool=ref.tool) if ref and ref.uri else None
    made_of = Remembered(file, None if file else chat, options)
    return Draft(plan_id(digest(chat), options), found, options, plan, masked, clean, made_of, work)


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
