"""For a host that calls its own model: build the request, format the reply, write the message of the next chat."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

from compact_chat.errors import InvalidParams, NothingToCompact
from compact_chat.operations.chats import chat_of
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.resume import write_continuation
from compact_chat.styles import STYLES, handed_in
from compact_chat.wire import DEFAULT_STYLE, Continuation, ContinuationOptions, Formatted, Options, Prompt, Style


class PromptParams(Struct, frozen=True, rename="camel"):
    """A chat, and how to compact it."""

    chat: ChatRef
    options: Options = Options()


class FormatParams(Struct, frozen=True, rename="camel"):
    """A reply's text, or its sections."""

    text: str | None = None
    sections: dict[str, Any] | None = None
    style: Style = DEFAULT_STYLE


class ContinuationParams(ContinuationOptions, frozen=True, rename="camel", kw_only=True):
    """A summary, the messages that stay, and how the next chat is opened."""

    summary: str
    messages: list[Any] | None = None


def prompt(asked: PromptParams, job: Job) -> Prompt:
    """Return what would be sent to a model, with its size."""
    # Here, since the other two operations import next to nothing.
    from compact_chat.measure import family_of
    from compact_chat.operations.compaction import planned

    made = planned(asked.chat, asked.options, job)
    if made.plan.action != "compact":
        raise NothingToCompact(made.plan.reason)
    request = made.one_request()
    family = family_of(made.options.summary_model)
    count = job.client.counter(family.encoding).count
    tokens = math.ceil((count(request.system) + count(request.message)) * family.ratio)
    made.client.plans.remember(made.id, made.request)
    return Prompt(request.system or None, [{"role": "user", "content": request.message}], made.id, tokens)


def format_reply(asked: FormatParams, job: Job) -> Formatted:
    """Return the summary in a reply or in typed sections, with its sections."""
    job.step("Formatting")
    if (asked.text is None) == (asked.sections is None):
        raise InvalidParams.at("$", "expected exactly one of text and sections")
    style = STYLES[asked.style]
    summary = style.write(asked.sections or {}) if asked.text is None else style.read(asked.text)
    summary = summary.masked(job.client.redactor())
    return Formatted(summary.text, summary.sections, summary.warnings)


def continuation(asked: ContinuationParams, job: Job) -> Continuation:
    """Return the message that opens the next chat, with the kept messages and the kind text on request."""
    job.step("Writing the continuation")
    clean = job.client.redactor()
    messages = chat_of(ChatRef(messages=asked.messages or []), "$").messages
    clean.learn(messages, [asked.summary])
    kept, opening = clean.messages(messages), job.client.with_host(asked)
    summary = handed_in(asked.summary, opening.style).masked(clean)
    return Continuation(clean(write_continuation(summary, kept, opening)))
