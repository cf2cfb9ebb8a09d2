"""Compact a chat: carry out a plan, with a summary by a provider, by a model of the host, or by a person."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, structs

from compact_chat.cancel import checkpoint, checkpoints
from compact_chat.chat import JsonObject, Warning, texts
from compact_chat.disk import Body, Head
from compact_chat.errors import CompactChatError, InvalidParams, NoGain, NothingToCompact
from compact_chat.facts import collect, survival
from compact_chat.operations.archives import Stored, forget, store
from compact_chat.operations.chats import shown_title
from compact_chat.operations.compaction import Draft, NextChat, draft, draft_again, outdated
from compact_chat.operations.job import Job, decoded
from compact_chat.operations.originals import marks_of, message_mark
from compact_chat.operations.preview import expected_request, shown
from compact_chat.operations.requests import one_request, room_for_kept
from compact_chat.operations.table import ChatRef
from compact_chat.operations.writing import Written, from_reply, write
from compact_chat.plan import can_prune
from compact_chat.prompt import skipped
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses, kind_text, write_continuation
from compact_chat.tools import api_of
from compact_chat.wire import Compaction, Counts, Options, Preview, Provider, Survival, TokenReport

if TYPE_CHECKING:
    import asyncio

Extra = Literal["messages", "prompt", "raw"]
Shape = Literal["anthropic", "openai-chat"]
LITTLE = 0.3  # of what the chat holds; a summary that keeps less gets a warning


class Params(Struct, frozen=True, rename="camel"):
    """A chat or a plan, who writes the summary, and what is wanted beside it."""

    chat: ChatRef | None = None
    options: Options = Options()
    plan_id: Annotated[str | None, Meta(description="Carry out this plan of preview or prompt.")] = None
    reply: Annotated[str | None, Meta(description="The text of a model of yours, or your own.")] = None
    provider: Annotated[Provider | None, Meta(description="Who writes the summary.")] = None
    user_initiated: Annotated[bool, Meta(description="Somebody asked for it just now.")] = False
    include: Annotated[tuple[Extra, ...], Meta(description="What the result holds beside the summary.")] = ()
    messages_as: Annotated[Shape | None, Meta(description="The shape of the messages that are included.")] = None


async def summarize(asked: Params, job: Job) -> Compaction:
    """Plan, then carry out the plan."""
    return await carry_out(await job.off_loop(partial(_planned, asked, job)), asked)


async def carry_out(made: Draft, asked: Params) -> Compaction:
    """Have the summary written, put it in its place, and keep the original."""
    written = await _written(made, asked)
    done = await made.job.off_loop(partial(finish, made, written, asked))
    return _with_archive(done, await _archived(made, written, done))


def carry_out_alone(made: Draft, asked: Params) -> Compaction:
    """Do the same where nothing else waits; the event loop, which takes a while to import, is for models only."""
    written = _written(made, asked)
    if asked.reply is None and expected_request(made, asked.provider or made.client.settings.provider):
        import asyncio

        summary = asyncio.run(written)
    else:
        summary = _at_once(written)
    done = finish(made, summary, asked)
    return _with_archive(done, archive(made, summary, done))


def _at_once(waits_for_nobody: Coroutine[None, None, Written]) -> Written:
    try:
        waits_for_nobody.send(None)
    except StopIteration as ended:
        written: Written = ended.value
        return written
    raise AssertionError("only models are waited for")


def _with_archive(done: Compaction, stored: Stored) -> Compaction:
    return structs.replace(done, archive=stored.archive, warnings=(*done.warnings, *stored.warnings))


def _planned(asked: Params, job: Job) -> Draft:
    if asked.plan_id is not None:
        return draft_again(asked.plan_id, asked.chat, asked.options, job)
    if asked.chat is None:
        raise InvalidParams.at("$.chat", "expected a chat, or the planId of a preview")
    return draft(asked.chat, asked.options, job, keep=True)


async def _written(made: Draft, asked: Params) -> Written:
    if made.plan.action == "none":
        raise NothingToCompact(made.plan.reason)
    if made.plan.action != "compact":
        if asked.reply is not None:
            raise InvalidParams.at("$.reply", "this plan needs no summary, so there is no place for a reply")
        return Written(None, "", "none")
    if asked.reply is not None:
        return await made.job.off_loop(partial(from_reply, asked.reply, made))
    made.job.step("Writing the summary")
    return await write(made, asked.provider or made.client.settings.provider, asked.user_initiated)


def finish(made: Draft, written: Written, asked: Params) -> Compaction:
    """Give the finished compaction, unless it gains nothing."""
    made.job.step("Putting the summary in place")
    result = made.next_chat(written.summary)
    if result.tokens >= made.must_be_below:
        raise NoGain("The result would not be smaller than the chat; nothing was changed.")
    found = _survival(made, written, result)
    return Compaction(
        compaction_id=os.urandom(16).hex(),
        plan_id=made.id,
        provider=written.provider,
        model=written.model,
        style=made.options.style,
        summary=written.summary.text if written.summary else "",
        sections=written.summary.sections if written.summary else None,
        continuation=made.clean(_continuation(made, written)),
        before=made.measured.meter.used,
        after=result.tokens,
        counts=_counts(made, result),
        survival=found,
        warnings=(*made.chat.warnings, *written.warnings, *_remarks(made, written, result, found)),
        attempts=written.attempts,
        usage=written.usage,
        archive=None,
        messages=_messages(made, result, asked.messages_as) if "messages" in asked.include else UNSET,
        prompt=_prompt(made) if "prompt" in asked.include else UNSET,
        raw=made.clean(written.raw) if "raw" in asked.include else UNSET,
    )


def _survival(made: Draft, written: Written, result: NextChat) -> Survival:
    """Look for the facts of the chat in the summary and in the messages that stay."""
    stay = "\n".join(text for message in result.messages for text in texts(message))
    facts = collect(made.masked)
    summary = written.summary.text if written.summary else ""
    return survival(facts, f"{summary}\n{made.clean(stay)}", made.clean)


def _continuation(made: Draft, written: Written) -> str:
    """Write the message of the next chat; where rules cut the chat, there is no more to say than the kind's text."""
    plan = made.plan
    if written.summary is None:
        return kind_text(made.opening, kept=True) if made.opening.kind else ""
    kept = made.clean.messages((*plan.head, *plan.tail))
    room = room_for_kept(made, written.summary)
    return write_continuation(written.summary, kept, made.opening, direction=plan.direction, room=room)


def _counts(made: Draft, result: NextChat) -> Counts:
    plan = made.plan
    return Counts(
        before=len(plan.fates),
        after=len(result.messages) if plan.action == "compact" else len(plan.fates) - plan.dropped,
        summarized=len(plan.summarized),
        pruned=plan.pruned,
        dropped=plan.dropped,
        chars_pruned=plan.chars_removed,
        tokens_saved=made.measured.meter.used - result.tokens,
        skipped=skipped(plan.summarized),
        fixed=made.measured.meter.fixed,
        over_budget=result.tokens > made.measured.budget > 0,
    )


def _remarks(made: Draft, written: Written, result: NextChat, found: Survival) -> Iterator[Warning]:
    """Warn that the result is still too large, that little survived, or that wishes were ignored (rule K12)."""
    if result.tokens > made.measured.budget > 0:
        yield Warning("overBudget", f"The result is still over the budget of {made.measured.budget:,} tokens.")
    if written.summary and found.kept < LITTLE:
        sentence = f"Little of the chat survives this summary, {found.kept:.0%}: look at what is lost before going on."
        yield Warning("littleSurvives", sentence)
    if written.provider == "offline" and (made.options.instructions.strip() or made.instructions):
        yield Warning(
            "instructionsUnused", "A summary without a model goes by rules of its own: it took no instructions."
        )


def _messages(made: Draft, result: NextChat, wanted: Shape | None) -> list[JsonObject]:
    """Return the resulting chat in the caller's own shape, or the one asked for."""
    messages, own = result.to_send, api_of(made.chat.format)
    shape = wanted or own
    if shape == "openai-responses":
        return as_openai_responses(messages, use_raw=True)
    if shape == "openai-chat":
        return as_openai_chat(messages, use_raw=own == shape, foreign=own != shape)
    return as_anthropic(messages, use_raw=own == "anthropic", foreign=own != "anthropic")


def _prompt(made: Draft) -> JsonObject:
    """Return what a model would have been sent; rules alone send nothing."""
    if made.plan.action != "compact":
        return {"system": None, "messages": []}
    request = one_request(made)
    return {"system": request.system or None, "messages": [{"role": "user", "content": request.message}]}


async def _archived(made: Draft, written: Written, done: Compaction) -> Stored:
    """Keep the original; if the request is cancelled meanwhile, however often, nothing is left of it."""
    import asyncio

    begun = Event()
    storing = asyncio.ensure_future(made.job.off_loop(partial(archive, made, written, done, begun)))
    try:
        return await asyncio.shield(storing)
    except asyncio.CancelledError:
        made.job.cancel()
        if not begun.is_set():
            storing.cancel()  # it still waits for its turn, and never begins
        await _to_its_end(_taken_back(storing, done.compaction_id, made))
        raise


def archive(made: Draft, written: Written, done: Compaction, begun: Event | None = None) -> Stored:
    """Keep the compaction, the chat that it made, and the bytes that it was made of."""
    if begun:
        begun.set()
    made.job.step("Keeping the original")
    assert made.chat_bytes, "a plan that is carried out keeps the chat's bytes"
    stored = Stored(None, (Warning("notArchived", "The original was not archived: it is nested too deeply."),))
    if made.chat_bytes.sha256:
        messages = as_anthropic(made.next_chat(written.summary).messages, use_raw=False, foreign=True)
        checkpoint()
        bare = structs.replace(done, archive=None, messages=UNSET, prompt=UNSET, raw=UNSET)
        body = Body(msgspec.to_builtins(bare), messages, made.files.read, made.files.modified)
        stored = store(_head(made, done, messages), body, made.chat_bytes, made.client)
    made.remember()
    return stored


def _head(made: Draft, done: Compaction, messages: list[JsonObject]) -> Head:
    assert made.chat_bytes, "see above"
    return Head(
        id=done.compaction_id,
        at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        uri=made.chat_bytes.ref.uri,
        title=shown_title(made.chat.title, made.client.redactor()),
        workspace=made.chat.workspace,
        plan_id=done.plan_id,
        provider=done.provider,
        model=done.model,
        style=done.style,
        chat_model=made.chat.model,
        before=done.before,
        after=done.after,
        kept=done.survival.kept,
        original=made.chat_bytes.note(),
        marks=marks_of(done.summary, done.continuation, messages, made.client.redactor()),
        dropped={one.id: message_mark(one) for index, one in enumerate(made.chat.messages) if index in made.plan.drops},
    )


async def _taken_back(storing: asyncio.Future[Stored], compaction_id: str, made: Draft) -> None:
    """Take back what was kept, once it is known whether it was."""
    import asyncio

    await asyncio.wait([storing])
    if not storing.cancelled() and storing.exception() is None:
        await asyncio.to_thread(forget, compaction_id, made.client)


async def _to_its_end(story: Coroutine[None, None, None]) -> None:
    """Finish a coroutine, whatever is cancelled meanwhile."""
    import asyncio

    task = asyncio.ensure_future(story)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])


class Compacted(Struct, frozen=True):
    """The results of three operations on one chat; without a compaction, where nothing would be gained."""

    report: TokenReport
    preview: Preview
    compaction: Compaction | None


def compact_chat(params: Any, job: Job) -> tuple[Compacted, CompactChatError | None]:
    """Run all three; also return why there is nothing to compact, if so."""
    asked = decoded(Params, params, job.client)
    with checkpoints(job.check):
        made = draft(asked.chat, asked.options, job, keep=True)
        report, preview = _report(made), shown(made, asked.provider)
        if asked.plan_id not in (None, made.id):
            raise outdated("forgotten")
        try:
            done = carry_out_alone(made, asked)
        except (NoGain, NothingToCompact) as problem:
            return Compacted(report, preview, None), problem
        return Compacted(report, preview, done), None


def _report(made: Draft) -> TokenReport:
    """Report on the chat as `countTokens` does."""
    found = made.as_given
    chat = structs.replace(found.chat, title=shown_title(found.chat.title, made.client.redactor()))
    usual = Options().prune  # `countTokens` advises by the usual limits
    return found.counting.judged(chat, found.weights, found.meter, lambda: can_prune(chat.messages, usual)).report()
