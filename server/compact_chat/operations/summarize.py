"""Compact a chat: carry out a plan, with a summary by a model, by rules, by the host's model, or by a person."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, structs

from compact_chat import redact, styles, wire
from compact_chat.chat import SEALED, JsonObject, Warning, texts
from compact_chat.disk import Body, Head
from compact_chat.errors import (
    CompactChatError,
    InvalidParams,
    NoGain,
    NoSummary,
    NothingToCompact,
    checkpoint,
    checkpoints,
)
from compact_chat.models import Access, Answer, Assignment, Candidate, Choice, Failure, Rejected, climb, module_of
from compact_chat.operations.archives import Stored, forget, head_of, marks_of, message_mark, store
from compact_chat.operations.chats import shown_title, wire_time
from compact_chat.operations.compaction import NextChat, Planned, outdated, planned, planned_again
from compact_chat.operations.count import Begun
from compact_chat.operations.job import Job, decoded
from compact_chat.operations.preview import expected_request, shown
from compact_chat.operations.record import kept_of
from compact_chat.operations.table import ChatRef
from compact_chat.plan import can_prune
from compact_chat.prompt import Portion, cut_portions, skipped
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses
from compact_chat.tools import api_of

if TYPE_CHECKING:
    from compact_chat.models import Tell
    from compact_chat.styles import MaskedRequest, MaskedSummary, Task

T = TypeVar("T")
Extra = Literal["messages", "prompt", "raw", "facts"]
Shape = Literal["anthropic", "openai-chat"]
LITTLE = 0.3  # of the chat's facts; a summary with a smaller share gets a warning
TAKEN_BY_ALL = 20_000  # characters that every model accepts at once, so nothing is cut into smaller parts
_CUT_OFF = "The reply was cut off before its end."
_TOO_LONG = "The result would not be smaller than the chat."


class Params(Struct, frozen=True, rename="camel"):
    """A chat or a plan, who writes the summary, and what to return with it."""

    chat: ChatRef | None = None
    options: wire.Options = wire.Options()
    plan_id: Annotated[str | None, Meta(description="Carry out this plan of preview or prompt.")] = None
    reply: Annotated[str | None, Meta(description="The reply of your own model, or your own text.")] = None
    provider: Annotated[wire.Provider | None, Meta(description="Who writes the summary.")] = None
    user_initiated: Annotated[bool, Meta(description="A person asked for it just now.")] = False
    include: Annotated[tuple[Extra, ...], Meta(description="What else to return.")] = ()
    messages_as: Annotated[Shape | None, Meta(description="The shape of the messages that are included.")] = None


async def summarize(asked: Params, job: Job) -> wire.Compaction:
    """Plan the chat, or look the plan up, and carry it out."""
    spliced = "messages" in asked.include

    def plan() -> Planned:
        if asked.plan_id is not None:
            return planned_again(asked.plan_id, asked.chat, asked.options, job, spliced=spliced)
        if asked.chat is None:
            raise InvalidParams.at("$.chat", "expected a chat, or the planId of a preview")
        return planned(asked.chat, asked.options, job, keep=True, spliced=spliced)

    made = await job.off_loop(plan)
    return await _finished(made, await _written(made, asked), asked)


class Compacted(Struct, frozen=True):
    """The results of three operations on one chat; without a compaction, if nothing would be gained."""

    report: wire.TokenReport
    preview: wire.Preview
    compaction: wire.Compaction | None


def compact_chat(params: Any, job: Job) -> tuple[Compacted, CompactChatError | None]:
    """Count, preview and summarize, as the shell does; also return why there is nothing to compact, if so."""
    asked = decoded(Params, params, job.client)
    with checkpoints(job.check):
        made = planned(asked.chat, asked.options, job, keep=True, spliced="messages" in asked.include)
        report, preview = report_of(made), shown(made, asked.provider)
        if asked.plan_id not in (None, made.id):
            raise outdated("forgotten")
        try:
            written = _written(made, asked)
            if asked.reply is None and expected_request(made, asked.provider or job.client.settings.provider):
                import asyncio

                # Nothing more runs in the loop, where Ctrl-C would take effect only at the next await.
                done = _at_once(_finished(made, asyncio.run(written), asked))
            else:
                done = _at_once(_finished(made, _at_once(written), asked))
        except (NoGain, NothingToCompact) as problem:
            return Compacted(report, preview, None), problem
        return Compacted(report, preview, done), None


def report_of(made: Planned) -> wire.TokenReport:
    """Return what `countTokens` says of the chat."""
    found, usual = made.as_given, wire.Options().prune  # whose advice goes by the default limits
    chat = structs.replace(found.chat, title=shown_title(found.chat.title, made.clean))
    return found.counting.judged(
        chat, found.weights, found.meter, found.beginning, lambda: can_prune(chat.messages, usual)
    ).report()


def _at_once(coroutine: Coroutine[None, None, T]) -> T:
    """Run a coroutine that never waits: without a model, an event loop would only cost the time to import it."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise AssertionError("only models are waited for")


async def _written(made: Planned, asked: Params) -> Written:
    """Have the summary written, if the plan needs one."""
    if made.plan.action == "none":
        raise NothingToCompact(made.plan.reason)
    if made.plan.action == "compact" and asked.reply is None:
        made.job.step("Writing the summary")
        return await write(made, asked.provider or made.client.settings.provider, asked.user_initiated)
    if made.plan.action == "compact":
        return await made.job.off_loop(partial(_from_reply, asked.reply or "", made))
    if asked.reply is not None:
        raise InvalidParams.at("$.reply", "this plan needs no summary, so there is no place for a reply")
    return Written(None, "", "none")


async def _finished(made: Planned, written: Written, asked: Params) -> wire.Compaction:
    """Build the next chat, and archive the original."""
    done = await made.job.off_loop(partial(finish, made, written, asked))
    stored = await kept_or_removed(made.job, done.compaction_id, lambda: archive(made, written, done))
    warnings = (*done.warnings, *stored.warnings)
    return structs.replace(done, compaction_id=stored.id, archive=stored.archive, warnings=warnings)


class Written(Struct, frozen=True):
    """A summary, and who wrote it."""

    summary: MaskedSummary | None  # None if rules cut the chat
    raw: str
    provider: str
    model: str | None = None
    usage: wire.TokensSpent | None = None
    attempts: tuple[wire.Attempt, ...] = ()
    warnings: tuple[Warning, ...] = ()


def _from_reply(text: str, made: Planned) -> Written:
    """Accept a reply by the host's model or by a person; its faults are theirs to judge."""
    summary = made.presentable(made.style.mend(text))
    verdict = styles.judge(summary, made.covered)
    if verdict.fatal is not None:
        raise NoSummary(verdict.fatal)
    return Written(
        made.completed(summary, by_model=True, reply=text), text, "host", warnings=(*summary.warnings, *verdict.faults)
    )


def written_offline(made: Planned) -> Written:
    """Write the summary without a model; raise NoGain if that is impossible."""
    found = _offline_candidate(made)
    return Written(found.summary, "", "offline", attempts=(wire.Attempt("offline", None, "ok", None, 0.0),))


def written_again(made: Planned, raw: str, model: str | None) -> Written:
    """Read a model's reply again, for another plan; raise NoGain if it is too long there."""
    try:
        found = _checked(Answer(raw, model, "end"), made)
    except Rejected as problem:
        if problem.mended is None:
            raise NoGain(f"{problem.sentence} Nothing was changed.") from None
        found = problem.mended
    return _written_by(found, "")


async def write(made: Planned, provider: wire.Provider, user_initiated: bool) -> Written:
    """Have the summary written by the chosen provider, or by the first that can."""
    client, off_loop = made.client, made.job.off_loop
    times = client.settings.idle_timeout, client.settings.total_timeout
    access = Access(client.host, *times, user_initiated)

    async def candidate(provider: str, choice: Choice) -> Candidate:
        if provider == "offline":
            if summary := await off_loop(lambda: made.offline_summary):
                made.job.stream(summary.reply.removeprefix("<summary>\n").removesuffix("\n</summary>"))
            return await off_loop(partial(_offline_candidate, made))
        answer = await _Asking(made, access, provider, choice).whole_answer()
        return await off_loop(partial(_checked, answer, made))

    wanted = (made.options.summary_model, *made.options.fallback_models)
    climbed = await climb(provider, wanted, access, candidate, made.job.step)
    client.keyless = any(one.provider == "anthropic" and one.outcome == "skipped" for one in climbed.attempts)
    return _written_by(climbed.candidate, climbed.provider, climbed.attempts)


def _written_by(found: Candidate, provider: str, attempts: tuple[wire.Attempt, ...] = ()) -> Written:
    warnings = (*found.summary.warnings, *found.faults)
    return Written(found.summary, found.raw, provider, found.model, found.usage, attempts, warnings)


def _offline_candidate(made: Planned) -> Candidate:
    """Check the length of the offline writer's summary; nothing else can be wrong with it."""
    if made.offline_summary is None:
        tokens, kept = f"{made.summary_budget:,} tokens", made.options.min_keep
        if made.options.summary_budget is not None and not made.is_small:
            raise NoGain(f"A summary has no room in {tokens}. Nothing was changed. Allow a longer one.")
        if made.is_small:
            raise _no_gain(made)
        advice = f" Keep fewer messages word for word: set `minKeep` below {kept}." if kept else ""
        raise NoGain(
            f"Too little would be summarized: a summary of it has room for only {tokens}. Nothing was changed.{advice}"
        )
    summary = made.completed(made.presentable(made.offline_summary), by_model=False)
    if made.tokens_after(summary) >= made.must_be_below:
        raise _no_gain(made)
    return Candidate(summary, made.offline_summary.reply, None)


def _no_gain(made: Planned) -> NoGain:
    """Make the error for a chat that a summary would not make smaller."""
    if made.is_small:
        why = f"a summary of its {made.said:,} tokens would not be shorter"
        return NoGain(f"This chat is too small to compact: {why}. Nothing was changed.")
    return NoGain(f"{_TOO_LONG} Nothing was changed.")


def _checked(answer: Answer, made: Planned) -> Candidate:
    """Check a model's answer; it may be rejected for its form, its stop reason or its length."""
    try:
        return _judged(_summary_in(answer, made), answer, made)
    except Rejected as problem:
        with suppress(Rejected):
            problem.mended = _judged(_mended(problem, made), answer, made)
        raise


def _judged(summary: MaskedSummary, answer: Answer, made: Planned) -> Candidate:
    """Return a summary with its faults, completed; reject a refusal, and one that is too long."""
    verdict = styles.judge(summary, made.covered)
    if verdict.fatal is not None:
        raise Rejected(verdict.fatal)
    summary = made.completed(summary, by_model=True)
    if made.tokens_after(summary) >= made.must_be_below:
        raise Rejected(_TOO_LONG, no_gain=True)
    return Candidate(summary, answer.text, answer.model, answer.usage, verdict.faults)


def _summary_of_part(answer: Answer, made: Planned) -> MaskedSummary:
    """Return the summary of a part, for the next to build on; a refusal here would lose the whole part."""
    try:
        summary = _summary_in(answer, made)
    except Rejected as problem:
        summary = _mended(problem, made)
    if (fatal := styles.judge(summary, ()).fatal) is not None:
        raise Rejected(fatal)
    return summary


def _mended(problem: Rejected, made: Planned) -> MaskedSummary:
    """Return the text of a reply that only lacks form as a summary; raise the problem again if it is too little."""
    try:
        return made.presentable(made.style.mend(problem.text))
    except NoSummary:
        raise problem from None


def _summary_in(answer: Answer, made: Planned) -> MaskedSummary:
    """Return the summary in an answer; raise if it holds no complete one (rules L5 and L10)."""
    whole = made.style.whole_reply(answer.text)
    if whole is None and answer.stop_reason is None:
        raise Rejected(_CUT_OFF)
    text = answer.text if whole is None else whole
    try:
        summary = made.presentable(made.style.read(text))
    except NoSummary as problem:
        raise Rejected(problem.sentence, text=text) from None
    if answer.stop_reason is None and any(warning.code == "unclosedSummary" for warning in summary.warnings):
        raise Rejected(_CUT_OFF)
    return summary


class _Asking:
    """One summary by one model: in one request, or part by part if the chat is too long (rule T8)."""

    def __init__(self, made: Planned, access: Access, provider: str, choice: Choice) -> None:
        self._made, self._access, self._provider, self._choice = made, access, provider, choice
        self._sent = 0  # characters of the last request
        self._spent: list[wire.TokensSpent | None] = []  # of each reply

    async def whole_answer(self) -> Answer:
        """Request the summary; if a request proves too long after all, cut the chat into smaller parts."""
        off_loop = self._made.job.off_loop
        task = await off_loop(partial(self._made.task, end_tag=self._provider == "editor"))
        room = await off_loop(partial(self._made.characters_for, self._choice))
        while True:
            parts = await off_loop(partial(cut_portions, task, room))
            try:
                return await self._in_parts(task, parts)
            except Failure as failure:
                room = min(room, self._sent) // 2
                if failure.kind != "tooLong" or room < TAKEN_BY_ALL:
                    raise

    async def _in_parts(self, task: Task, parts: Sequence[Portion]) -> Answer:
        """Summarize each part together with the summary of the parts before it; stream only the last answer."""
        made, previous = self._made, None
        off_loop = made.job.off_loop
        for number, part in enumerate(parts, 1):
            if len(parts) > 1:
                made.job.step(f"Summarizing part {number} of {len(parts)}")
            request = await off_loop(partial(made.request_for, task, part, previous))
            if number < len(parts):
                answer = await self._answer(request, lambda _: None)
                previous = await off_loop(partial(_summary_of_part, answer, made))
        if len(parts) == 1:
            made.job.step("Waiting for the model")
        stream = redact.Stream(made.clean, made.job.stream)
        answer = await self._answer(request, stream.add)
        stream.end()
        known = [one for one in self._spent if one is not None]
        total = wire.TokensSpent(sum(one.input_tokens for one in known), sum(one.output_tokens for one in known))
        return structs.replace(answer, usage=total if len(known) == len(self._spent) else None)

    async def _answer(self, request: MaskedRequest, tell: Tell) -> Answer:
        self._sent = len(request.system) + len(request.message)
        output, cache = self._made.reply_tokens(self._choice), self._made.client.sends(self._choice.model, request)
        assignment = Assignment(self._choice.model, output, request, cache=cache)
        answer = await module_of(self._provider).write(assignment, self._access, tell)
        self._spent.append(answer.usage)
        return answer


def finish(made: Planned, written: Written, asked: Params, *, any_size: bool = False) -> wire.Compaction:
    """Return the finished compaction; raise NoGain if it saves nothing, unless a person wants it of `any_size`."""
    made.job.step("Putting the summary in place")
    result, summary = made.next_chat(written.summary), written.summary
    begun, is_spliced = result.begun(spliced=made.spliced), made.spliced or result.opened is None
    if begun.tokens >= made.must_be_below and not any_size:
        raise _no_gain(made)
    stay = made.masked_chat(summary) if is_spliced else ()
    found, healed = kept_of(
        made.record,
        "\n".join(text for message in stay for text in texts(message)) if is_spliced else result.continuation,
        "messages" if is_spliced else "continuation",
        made.clean,
        made.measured.counting.count,
        listed="facts" in asked.include,
        stay=(*made.plan.head, *made.plan.tail),
    )
    is_sealed = any(one.code == SEALED for one in made.chat.warnings)
    return wire.Compaction(
        compaction_id=os.urandom(16).hex(),
        plan_id=made.id,
        tool=made.chat.tool,
        title=shown_title(made.chat.title, made.clean),
        provider=written.provider,
        model=written.model,
        style=made.options.style,
        summary=summary.text if summary else "",
        sections=summary.sections if summary else None,
        continuation=result.continuation,
        before=made.measured.meter.used,
        after=begun.tokens,
        next_chat=result.sizes,
        counts=_counts(made, result, begun),
        survival=found,
        healed=0 if is_sealed else healed,
        healed_at_most=healed,
        warnings=(*made.chat.warnings, *written.warnings, *_remarks(made, written, begun, found)),
        attempts=written.attempts,
        usage=written.usage,
        archive=None,
        messages=_messages(made, result, asked.messages_as) if "messages" in asked.include else UNSET,
        prompt=_prompt(made) if "prompt" in asked.include else UNSET,
        raw=made.clean(written.raw) if "raw" in asked.include else UNSET,
    )


def _counts(made: Planned, result: NextChat, begun: Begun) -> wire.Counts:
    """Count; a summary is a message of its own, also where an API wants it in the user's first (rule J3)."""
    plan = made.plan
    joined = sum(message.is_summary and len(message.parts) > 1 for message in result.messages)
    return wire.Counts(
        before=len(plan.fates),
        after=len(result.messages) + joined if plan.action == "compact" else len(plan.fates) - plan.dropped,
        summarized=len(plan.summarized),
        pruned=plan.pruned,
        dropped=plan.dropped,
        chars_pruned=plan.chars_removed,
        tokens_saved=made.measured.meter.used - begun.tokens,
        skipped=skipped(plan.summarized),
        fixed=begun.fixed,
        over_budget=begun.tokens > made.measured.budget > 0,
    )


def _remarks(made: Planned, written: Written, begun: Begun, found: wire.Survival) -> Iterator[Warning]:
    """Warn if the result is still too large, if little survived, or if options were ignored (rule K12)."""
    if begun.tokens > made.measured.budget > 0:
        yield Warning("overBudget", f"The result is still over the budget of {made.measured.budget:,} tokens.")
    if made.plan.fewer:
        yield Warning(
            "keptFewer", "Fewer messages than wanted stay word for word: those alone have more tokens than the budget."
        )
    if written.summary and found.kept < LITTLE:
        yield Warning(
            "littleSurvives", "Little of the chat survives this summary: look at what is missing before going on."
        )
    if unknown := {*made.add_back} - {fact.id for fact in made.record.in_force}:
        sentence = f"No item, or several, have these ids, so none was added back: {', '.join(sorted(unknown))}."
        yield Warning("unknownFact", sentence)
    if written.provider == "offline" and (made.options.instructions.strip() or made.instructions):
        yield Warning(
            "instructionsUnused", "A summary without a model goes by rules of its own: it took no instructions."
        )


def _messages(made: Planned, result: NextChat, wanted: Shape | None) -> list[JsonObject]:
    """Return the resulting chat in the caller's own shape, or the requested one."""
    messages, own = result.to_send, api_of(made.chat.format)
    shape = wanted or own
    if shape == "openai-responses":
        return as_openai_responses(messages)
    if shape == "openai-chat":
        return as_openai_chat(messages, foreign=own != shape)
    return as_anthropic(messages, foreign=own != "anthropic")


def _prompt(made: Planned) -> JsonObject:
    """Return what a model would have been sent; rules alone send nothing."""
    if made.plan.action != "compact":
        return {"system": None, "messages": []}
    request = made.one_request()
    return {"system": request.system or None, "messages": [{"role": "user", "content": request.message}]}


async def kept_or_removed(job: Job, compaction_id: str, keep: Callable[[], Stored]) -> Stored:
    """Archive a compaction; if the request is cancelled meanwhile, however often, remove it again."""
    if job.in_thread is None:  # so that it cannot be cancelled meanwhile
        return keep()
    import asyncio

    is_begun = False

    def run() -> Stored:
        nonlocal is_begun
        is_begun = True
        return keep()

    storing = asyncio.ensure_future(job.off_loop(run))

    async def take_back() -> None:
        await asyncio.wait([storing])
        if not storing.cancelled() and storing.exception() is None:
            with suppress(Exception):  # the cancellation is the answer, whatever the disk does
                await asyncio.to_thread(forget, compaction_id, job.client)

    try:
        return await asyncio.shield(storing)
    except asyncio.CancelledError:
        job.cancel()
        if not is_begun:
            storing.cancel()  # still queued, it never begins
        taking_back = asyncio.ensure_future(take_back())
        while not taking_back.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([taking_back])
        raise


def archive(made: Planned, written: Written, done: wire.Compaction) -> Stored:
    """Store the compaction, the chat that it produced, and the bytes that it was made from."""
    made.job.step("Keeping the original")
    assert made.loaded.chat_bytes, "a plan that is carried out keeps the chat's bytes"
    stored = store(*head_and_body(made, written, done), made.loaded.chat_bytes, made.client)
    made.client.plans.remember(made.id, made.request)
    return stored


def head_and_body(made: Planned, written: Written, done: wire.Compaction) -> tuple[Head, Body]:
    """Return what the archive keeps of a compaction besides the original."""
    assert made.loaded.chat_bytes, "a plan that is carried out keeps the chat's bytes"
    chat_bytes, result, chat = made.loaded.chat_bytes, made.next_chat(written.summary), made.chat
    messages = as_anthropic(result.messages, foreign=True)
    masked = as_anthropic(made.masked_chat(written.summary), foreign=True)
    checkpoint()
    bare = structs.replace(done, archive=None, messages=UNSET, prompt=UNSET, raw=UNSET)
    body = Body(
        msgspec.to_builtins(bare),
        masked,
        made.files.read,
        made.files.modified,
        made.clean(chat.workspace or "") or None,
        stored_options(made),
    )
    size = result.begun(spliced=made.spliced)
    head = head_of(
        done,
        chat,
        chat_bytes.note(),
        chat_bytes.ref.uri,
        wire_time(),
        own=size.own,
        context=size.context,
        rate=size.rate,
        marks=marks_of(done, messages, body, made.client.redactor()),
        dropped={one.id: message_mark(one) for index, one in enumerate(chat.messages) if index in made.plan.drops},
        added_back=made.add_back,
    )
    return head, body


def stored_options(made: Planned) -> JsonObject:
    """Return the options of a plan, without the secrets of what a person typed into them."""
    clean, opening = made.clean, made.options.continuation
    title, path = (None if text is None else clean(text) for text in (opening.title, opening.transcript_path))
    opening = structs.replace(opening, title=title, transcript_path=path)
    masked = structs.replace(made.options, instructions=clean(made.options.instructions), continuation=opening)
    options: JsonObject = msgspec.to_builtins(masked)
    return options
