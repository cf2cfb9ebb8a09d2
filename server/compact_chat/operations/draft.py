"""Draft a plan: read the chat, measure it, decide the fate of each message, remember what was shown."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from compact_chat.chat import Chat, Message
from compact_chat.errors import InvalidParams, PlanOutdated
from compact_chat.operations.chats import chat_of
from compact_chat.operations.desk import Desk, Remembered
from compact_chat.operations.measured import Measured, measure
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.options import Options
from compact_chat.plan.identity import plan_id
from compact_chat.plan.plan import Plan, make_plan
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message


class Draft(Struct, frozen=True):
    """A plan with the chat that it was made for; `masked` are its messages without secrets, by their place."""

    id: str
    measured: Measured
    options: Options
    plan: Plan
    masked: tuple[Message, ...]
    clean: Redactor

    @property
    def chat(self) -> Chat:
        """The chat that is planned."""
        return self.measured.chat

    def without_secrets(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Give messages of the chat as they may leave for a summary, a prompt or a continuation."""
        masks = {id(m): safe for m, safe in zip(self.chat.messages, self.masked, strict=True)}
        return tuple(masks.get(id(message), message) for message in messages)


def draft(ref: ChatRef, options: Options, desk: Desk, work: Work) -> Draft:
    """Make a plan, and remember it."""
    work.step("Reading the chat")
    return _draft(ref, chat_of(ref), options, desk, work)


def draft_again(plan: str, ref: ChatRef | None, options: Options, desk: Desk, work: Work) -> Draft:
    """Make the plan that was shown once more, from the chat as it is now; it must come out the same."""
    known = desk.recall(plan) if ref is None or desk.knows(plan) else None
    source = ref if ref is not None else known.ref if known else None
    if source is None:
        raise InvalidParams.at("$.chat", "expected a chat, or the planId of a preview")
    work.step("Reading the chat")
    chat = known.chat if ref is None and known and known.chat else chat_of(source)
    made = _draft(source, chat, known.options if known else options, desk, work)
    if made.id != plan:
        raise _outdated("chatChanged" if known else "forgotten")
    return made


def _draft(ref: ChatRef, chat: Chat, options: Options, desk: Desk, work: Work) -> Draft:
    found = measure(chat, options, desk, work)
    work.step("Planning")
    plan = make_plan(chat, options, found.meter.tokens, found.budget, found.meter.used)
    clean = Redactor(desk.settings.redact_emails, options.redact)
    masked = tuple(masked_message(m, clean) for m in work.each(chat.messages, "Masking secrets"))
    made = Draft(plan_id(chat, options), found, options, plan, masked, clean)
    desk.remember(made.id, Remembered(ref, chat if ref.uri is None else None, options))
    return made


def _outdated(reason: str) -> PlanOutdated:
    return PlanOutdated("The chat is not the one this plan was made for; preview it again.", reason=reason)
