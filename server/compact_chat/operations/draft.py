"""Draft a plan: read the chat, measure it, decide the fate of each message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct, structs

from compact_chat.chat import Chat, Message, Warning
from compact_chat.disk.instructions import find_instructions
from compact_chat.errors import InvalidParams, PlanOutdated
from compact_chat.facts.words import counted
from compact_chat.operations.archived import archived_as, chat_of_original
from compact_chat.operations.chats import chat_and_origin, chat_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import Measured, measure, sizes
from compact_chat.operations.origin import Origin
from compact_chat.operations.original import FROM_ORIGINAL, original_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.plans import Remembered
from compact_chat.operations.work import Work
from compact_chat.options import Options, Scope
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
    outcomes: dict[str, Any]  # what summaries make of it, as far as that was asked
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
    chat, origin = _read(ref, keep, desk, work)
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


def _read(ref: ChatRef, keep: bool, desk: Desk, work: Work) -> tuple[Chat, Origin | None]:
    if trace := archived_as(ref, desk):
        chat, origin = chat_of_original(trace, desk, work.watched)
        return chat, origin if keep else None
    return chat_and_origin(ref, work.watched) if keep else (chat_of(ref, watch=work.watched), None)


def _draft(made_of: Remembered, given: Chat, origin: Origin | None, desk: Desk, work: Work) -> Draft:
    options = made_of.options
    found, plan, most = _planned(given, options, desk, work)
    chat = found.chat
    clean = Redactor(desk.settings.redact_emails, options.redact, work.check, desk.secrets)
    masked = work.watched(masked_message(m, clean) for m in work.each(chat.messages, "Masking secrets"))
    rules = find_instructions(chat.workspace)
    own_id = plan_id(digest(structs.replace(chat, model=given.model)), options, [rule.text for rule in rules])
    return Draft(own_id, found, options, plan, rules, masked, clean, made_of, work, origin, {}, most)


def _planned(given: Chat, options: Options, desk: Desk, work: Work) -> tuple[Measured, Plan, int]:
    """Plan the chat, or where a summary is to be written the original of a chat that was compacted before.

    Rules take the chat as it came: to keep or cut messages that it does not hold any more would only make it larger.
    """
    came = _measured(given, options, desk, work)
    whole = given if options.strategy in ("keep", "prune") else original_of(given, desk)
    work.step("Planning")
    if whole is given or _is_pruned(came, options, desk, work):
        return came, _plan(came, options, desk, work), came.meter.used
    found = _measured(whole, options, desk, work)
    most = found.meter.fixed + sum(map(sizes(found, desk, work), given.messages))
    plan = _plan(found, structs.replace(options, strategy="summary"), desk, work)
    told = structs.replace(found.chat, warnings=(*found.chat.warnings, _from_original(found, most)))
    return structs.replace(found, chat=told, advice=came.advice), plan, most


def _measured(chat: Chat, options: Options, desk: Desk, work: Work) -> Measured:
    return measure(structs.replace(chat, messages=work.watched(chat.messages)), options, desk, work)


def _plan(found: Measured, options: Options, desk: Desk, work: Work) -> Plan:
    tokens, used = found.meter.tokens, found.meter.used
    return make_plan(found.chat, options, tokens, found.budget, used, sizes(found, desk, work))


def _is_pruned(came: Measured, options: Options, desk: Desk, work: Work) -> bool:
    """Whether strategy `auto` needs no summary; ids of messages may be those of the original."""
    wishes = structs.replace(options, scope=Scope(), pin=(), drop=())
    return options.strategy == "auto" and _plan(came, wishes, desk, work).action == "prune"


def _from_original(found: Measured, came: int) -> Warning:
    count = counted(len(found.chat.messages), "message")
    return Warning(
        FROM_ORIGINAL,
        f"The chat was compacted before and has {came:,} tokens as it came; so that nothing erodes,"
        f" this works from its {count} as they were before that, which the archive has kept.",
    )


def _outdated(reason: Literal["chatChanged", "forgotten"]) -> PlanOutdated:
    sentences = {
        "chatChanged": "The chat, or its project's instructions, changed since this plan was made; preview it again.",
        "forgotten": "This plan is not known here; preview the chat again, or repeat the options it was made with.",
    }
    return PlanOutdated(sentences[reason], reason=reason)


def _check_opening(options: Options, desk: Desk) -> None:
    """Find what is wrong with the continuation's options before any work is done for it."""
    try:
        check_opening(desk.with_host(options.continuation))
    except InvalidParams as problem:
        raise problem.moved("$.options.continuation") from None
