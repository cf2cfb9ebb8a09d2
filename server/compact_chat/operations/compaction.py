"""The rows of a preview: one message, its fate, its size, and enough of its text to know it by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct, structs

from compact_chat.chat import Chat, Message, Part, Text, Thinking, ToolCall, ToolResult, Warning, result_text, texts
from compact_chat.disk import find_instructions
from compact_chat.errors import InvalidParams, PlanOutdated, TooLarge
from compact_chat.facts import counted, file_records, record_blocks
from compact_chat.measure import Family, family_of, kind_of, window_of
from compact_chat.models import Choice, has_credential
from compact_chat.offline import OfflineRequest
from compact_chat.operations.desk import Desk, RememberedPlans
from compact_chat.operations.measured import Measured, counting, measure, scale, sizes
from compact_chat.operations.originals import (
    FROM_ORIGINAL,
    Origin,
    archived_as,
    chat_and_origin,
    chat_of,
    chat_of_original,
    original_of,
)
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.plan import Plan, digest, make_plan, plan_id
from compact_chat.prompt import DEFAULT_LIMITS, Portion, compose_request, cut_portions
from compact_chat.redact import Redactor, masked_message
from compact_chat.resume import check_opening, kind_text, make_valid, sendable, splice_summary
from compact_chat.styles import STYLES, Request, Summary, Task
from compact_chat.wire import ContinuationOptions, Instructions, MessageFate, ModelRequest, Options, Provider, Scope

# Draft a plan: read the chat, measure it, decide the fate of each message.


class Draft(Struct, frozen=True):
    """A plan with the chat that it was made for; `masked` are its messages without secrets, by their place."""

    id: str
    measured: Measured
    options: Options
    plan: Plan
    instructions: tuple[Instructions, ...]  # found in the project's files
    masked: tuple[Message, ...]
    clean: Redactor
    made_of: RememberedPlans
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
        return tuple(masks.get(id(message), message) for message in messages)


def draft(ref: ChatRef, options: Options, desk: Desk, work: Work, *, keep: bool = False) -> Draft:
    """Make a plan; where it is to be carried out, keep what its chat was read from."""
    work.step("Reading the chat")
    _check_opening(options, desk)
    chat, origin = _read(ref, keep, desk)
    return _draft(RememberedPlans(ref, options), chat, origin, desk, work)


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


def _read(ref: ChatRef, keep: bool, desk: Desk) -> tuple[Chat, Origin | None]:
    if trace := archived_as(ref, desk):
        chat, origin = chat_of_original(trace, desk)
        return chat, origin if keep else None
    return chat_and_origin(ref) if keep else (chat_of(ref), None)


def _draft(made_of: RememberedPlans, given: Chat, origin: Origin | None, desk: Desk, work: Work) -> Draft:
    options = made_of.options
    found, plan, most = _planned(given, options, desk, work)
    chat = found.chat
    clean = Redactor(desk.settings.redact_emails, options.redact, desk.secrets)
    masked = tuple(masked_message(m, clean) for m in work.each(chat.messages, "Masking secrets"))
    rules = find_instructions(chat.workspace)
    own_id = plan_id(digest(structs.replace(chat, model=given.model)), options, [rule.text for rule in rules])
    return Draft(own_id, found, options, plan, rules, masked, clean, made_of, work, origin, {}, most)


def _planned(given: Chat, options: Options, desk: Desk, work: Work) -> tuple[Measured, Plan, int]:
    """Plan the chat, or where a summary is to be written the original of a chat that was compacted before.

    Rules take the chat as it came: to keep or cut messages that it does not hold any more would only make it larger.
    """
    came = measure(given, options, desk, work)
    whole = given if options.strategy in ("keep", "prune") else original_of(given, desk)
    work.step("Planning")
    if whole is given or _is_pruned(came, options, desk):
        return came, _plan(came, options, desk), came.meter.used
    found = measure(whole, options, desk, work)
    most = found.meter.fixed + sum(map(sizes(found, desk), given.messages))
    plan = _plan(found, structs.replace(options, strategy="summary"), desk)
    told = structs.replace(found.chat, warnings=(*found.chat.warnings, _from_original(found, most)))
    return structs.replace(found, chat=told, advice=came.advice), plan, most


def _plan(found: Measured, options: Options, desk: Desk) -> Plan:
    tokens, used = found.meter.tokens, found.meter.used
    return make_plan(found.chat, options, tokens, found.budget, used, sizes(found, desk))


def _is_pruned(came: Measured, options: Options, desk: Desk) -> bool:
    """Whether strategy `auto` needs no summary; ids of messages may be those of the original."""
    wishes = structs.replace(options, scope=Scope(), pin=(), drop=())
    return options.strategy == "auto" and _plan(came, wishes, desk).action == "prune"


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


# What a plan makes of the chat: the messages that result, ready to be sent, and their size.


class Outcome(Struct, frozen=True):
    """The resulting chat; as it would be sent, it ends with the user (rule V8); its tokens are those of a request."""

    messages: tuple[Message, ...]
    to_send: tuple[Message, ...]
    tokens: int


def outcome(made: Draft, summary: Summary | None, desk: Desk) -> Outcome:
    """Put the summary in the place of what it replaces, or take the messages that the plan's rules leave; once."""
    text = summary.text if summary else ""
    if text not in made.outcomes:
        made.outcomes[text] = _outcome(made, summary, desk)
    result: Outcome = made.outcomes[text]
    return result


def _outcome(made: Draft, summary: Summary | None, desk: Desk) -> Outcome:
    plan = made.plan
    if summary:
        messages = splice_summary((*plan.front, *plan.head), summary, plan.tail, plan.direction)
    else:
        messages = make_valid(plan.messages)
    to_send = sendable(messages, _closing(made, summary, desk, kept=len(messages) > 1))
    tokens = made.measured.meter.fixed + sum(map(sizes(made.measured, desk), to_send))
    return Outcome(messages, to_send, tokens)


def opening_of(made: Draft, desk: Desk) -> ContinuationOptions:
    """Give what the next chat is opened with: the host as it told of itself, the style as it was chosen."""
    return structs.replace(desk.with_host(made.options.continuation), style=made.options.style)


def _closing(made: Draft, summary: Summary | None, desk: Desk, *, kept: bool) -> str:
    opening = opening_of(made, desk)
    closing = opening if opening.kind else structs.replace(opening, kind="manual")
    return kind_text(closing, summary, direction=made.plan.direction, kept=kept)


# The requests for a summary of a plan: without secrets, and each within the window of the model that gets it.


PROMPT_TOKENS = 3000  # more than the longest prompt around the transcript takes
LEAST_CHARACTERS_PER_TOKEN = 2  # of logs and JSON; prose has more, so that this is on the safe side
FEWEST, MOST = 0.5, 4.0  # characters for a token that a chat may be measured to have
MARGIN = 0.8  # of what was measured, since what is sent of a chat is another mix than the whole


def summary_task(made: Draft, *, end_tag: bool = False) -> Task:
    """Tell what is to be summarised, and how."""
    return Task(
        messages=made.without_secrets(made.plan.summarized),
        style=made.options.style,
        direction=made.plan.direction,
        focus=made.clean(made.options.instructions),
        rules=tuple(made.clean(found.text) for found in made.instructions),
        immediate_task=immediate_task(made),
        end_tag=end_tag,
    )


def request_for(task: Task, part: Portion, previous: str | None, made: Draft) -> Request:
    """Write one request; masked once more, since in the transcript stands beside its name what stood apart from it."""
    request = compose_request(task, part, previous)
    return structs.replace(request, material=made.clean(request.material), text=made.clean(request.text))


def one_request(made: Draft, desk: Desk) -> Request:
    """Write the request for the summary's model, if what is to be summarised fits into one."""
    task = summary_task(made)
    parts = cut_portions(task, characters_for(Choice(made.options.summary_model), made, desk))
    if len(parts) > 1:
        raise TooLarge(
            "What is to be summarised does not fit into one request to the summary's model;"
            " narrow the scope, or let `summarize` ask a provider, which sends it in parts."
        )
    return request_for(task, parts[0], None, made)


def immediate_task(made: Draft) -> bool:
    """Tell whether a section on the task at hand is asked for (rule P10)."""
    if made.plan.direction == "upTo":
        return False
    wished = made.options.immediate_task
    return made.options.continuation.kind is not None if wished is None else wished


def room_for_kept(made: Draft, summary: Summary) -> int:
    """Tell how many characters of kept messages the next chat has room for beside the summary (rule C8)."""
    found = made.measured
    tokens = found.window - found.meter.fixed - min(PROMPT_TOKENS, found.window // 4)
    return max(0, _characters(tokens, found.family) - len(summary.text))


def input_room(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how many tokens of transcript fit a model's window beside the prompt and the reply."""
    window = _window(choice, desk)
    return max(0, window - reply_tokens(choice, made, desk) - min(PROMPT_TOKENS, window // 4))


def characters_for(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how many characters of the chat fit a model's window, by how many its tokens have."""
    messages, own = made.chat.messages, made.measured.family
    tokens = sum(weight.words for weight in made.measured.weights) / own.ratio
    characters = sum(len(text) for message in messages for text in texts(message))
    measured = characters / tokens if tokens else LEAST_CHARACTERS_PER_TOKEN
    each = max(FEWEST, min(MOST, MARGIN * measured))
    return _characters(input_room(choice, made, desk), family_of(choice.model), each)


def reply_tokens(choice: Choice, made: Draft, desk: Desk) -> int:
    """Tell how long a reply may be; a small window is not given over to it."""
    return min(made.options.max_output_tokens, _window(choice, desk) // 4)


def _window(choice: Choice, desk: Desk) -> int:
    return choice.window or window_of(choice.model, desk.settings.windows).input


def _characters(tokens: int, family: Family, each: float = LEAST_CHARACTERS_PER_TOKEN) -> int:
    return max(0, round(tokens * each / family.ratio))


# What the offline writer gets of a plan.


MOST_SUMMARY_TOKENS = 8000


def offline_request(made: Draft, desk: Desk) -> OfflineRequest:
    """Put together messages without secrets, and a budget in the model's tokens."""
    count, share = counting(made.measured.family, desk), scale(made.measured)
    budget, messages = summary_budget(made), made.without_secrets(made.plan.summarized)

    def tokens(text: str) -> int:
        return math.ceil(count(text) * share)

    return OfflineRequest(
        messages=messages,
        direction=made.plan.direction,
        style=made.options.style,
        budget=_without_records(budget, messages, tokens) if STYLES[made.options.style].keeps_records else budget,
        count=tokens,
        immediate_task=immediate_task(made),
    )


def summary_budget(made: Draft) -> int:
    """Tell how many tokens the finished summary may have."""
    if made.options.summary_budget is not None:
        return made.options.summary_budget
    return min(MOST_SUMMARY_TOKENS, made.measured.meter.used // 10)


def _without_records(budget: int, messages: Sequence[Message], tokens: Callable[[str], int]) -> int:
    """What the records of files leave of a checkpoint's budget; they may take half of it, for they are never cut."""
    records = record_blocks(file_records(messages))
    return max(budget // 2, budget - tokens(records) - 2)


# The request that a model would get, foretold without rendering it and without asking anybody.


def expected_request(made: Draft, wished: Provider, desk: Desk) -> ModelRequest | None:
    """Tell whom `summarize` would ask first, how often and with how much; None where no model is asked."""
    provider = _provider(made, wished, desk)
    if made.plan.action != "compact" or provider == "offline":
        return None
    model = _model(provider, made)
    choice = Choice(model)
    tokens, room = _transcript_tokens(made), max(1.0, MARGIN * input_room(choice, made, desk))
    calls = max(1, math.ceil(tokens * family_of(model).ratio / made.measured.family.ratio / room))
    output = reply_tokens(choice, made, desk)
    return ModelRequest(provider, model, calls, tokens + calls * PROMPT_TOKENS, output)


def _provider(made: Draft, wished: Provider, desk: Desk) -> Provider:
    """Tell who would be asked first (rule L9)."""
    if wished != "auto":
        return wished
    host = desk.host
    if _model("anthropic", made) and ((host and host.secrets and not desk.keyless) or has_credential()):
        return "anthropic"
    return "editor" if host and host.language_models else "offline"


def _model(provider: Provider, made: Draft) -> str | None:
    """Tell the model, where it is named: of the editor's none is known before it is asked."""
    wished = (made.options.summary_model, *made.options.fallback_models)
    own = (name.removeprefix("editor:") for name in wished if name.startswith("editor:"))
    if provider == "editor":
        return next(own, None)
    return next((name for name in wished if not name.startswith("editor:")), None)


def _transcript_tokens(made: Draft) -> int:
    """Estimate the transcript from the messages' counts, and what the limits of its entries leave of them."""
    sizes = dict(zip(map(id, made.chat.messages), made.measured.meter.tokens, strict=True))
    return math.ceil(sum(sizes[id(message)] * _share(message) for message in made.plan.summarized))


def _share(message: Message) -> float:
    whole = [_length(part) for part in message.sent]
    shown = [min(length, _limit(part)) for part, length in zip(message.sent, whole, strict=True)]
    return sum(shown) / sum(whole) if any(whole) else 1.0


def _length(part: Part) -> int:
    match part:
        case Text(text) | Thinking(text):
            return len(text)
        case ToolResult():
            return len(result_text(part))
        case ToolCall(input=given):
            return sum(len(value) for value in given.values() if isinstance(value, str))
        case _:
            return 0


def _limit(part: Part) -> int:
    match part:
        case ToolResult():
            return DEFAULT_LIMITS.tool_result
        case ToolCall():
            return DEFAULT_LIMITS.arguments
        case Thinking():
            return DEFAULT_LIMITS.thinking
        case _:
            return 2**53


# The rows of a preview: one message, its fate, its size, and enough of its text to know it by.


EXCERPT, LOOKED_AT = 160, 1000


def fate_rows(made: Draft, desk: Desk) -> tuple[MessageFate, ...]:
    """Give a row for each message of the chat."""
    size = sizes(made.measured, desk)
    return tuple(
        MessageFate(
            id=message.id,
            index=fate.index,
            role=message.role,
            kind=kind_of(message),
            fate=fate.fate,
            reason=fate.reason,
            tokens=tokens,
            tokens_after=0 if fate.becomes is None else size(fate.becomes),
            excerpt=excerpt(message),
        )
        for fate, message, tokens in zip(made.plan.fates, made.masked, made.measured.meter.tokens, strict=True)
    )


def excerpt(message: Message) -> str:
    """Fold the beginning of what a message says, calls or answers into one line."""
    said = (
        ("" if message.by_host or message.is_summary else message.typed_text)
        or message.sent_text
        or next(map(_call, message.calls), "")
        or next(map(result_text, message.results), "")
    )
    return " ".join(said[:LOOKED_AT].split(None, EXCERPT // 2))[:EXCERPT]  # each word takes two characters at least


def _call(call: ToolCall) -> str:
    words = next((value for value in call.input.values() if isinstance(value, str)), "")
    return f"{call.name} {words}"
