"""Measure, preview and compact a chat in one go, for a shell: it is read, counted, planned and masked once."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct, structs

from compact_chat.cancel import checkpoints
from compact_chat.errors import CompactChatError, NoGain, NothingToCompact
from compact_chat.operations import preview, summarize
from compact_chat.operations.chats import shown_title
from compact_chat.operations.compaction import Draft, draft, outdated
from compact_chat.operations.job import Job, decoded
from compact_chat.operations.measured import judged
from compact_chat.plan import can_prune
from compact_chat.wire import Compaction, Options, Preview, TokenReport


class Compacted(Struct, frozen=True):
    """The results of three operations on one chat; without a compaction, where nothing would be gained."""

    report: TokenReport
    preview: Preview
    compaction: Compaction | None


def compact_chat(params: Any, job: Job) -> tuple[Compacted, CompactChatError | None]:
    """Run all three; also return why there is nothing to compact, if so."""
    asked = decoded(summarize.Params, params, job.client)
    with checkpoints(job.check):
        made = draft(asked.chat, asked.options, job, keep=True)
        report, shown = _report(made), preview.shown(made, asked.provider)
        if asked.plan_id not in (None, made.id):
            raise outdated("forgotten")
        try:
            done = asyncio.run(summarize.carry_out(made, asked))
        except (NoGain, NothingToCompact) as problem:
            return Compacted(report, shown, None), problem
        return Compacted(report, shown, done), None


def _report(made: Draft) -> TokenReport:
    """Report on the chat as `countTokens` does."""
    found, options = made.as_given, made.options
    chat = structs.replace(found.chat, title=shown_title(found.chat.title, made.client.redactor()))
    prune = Options().prune  # `countTokens` advises by the usual limits
    return judged(
        chat,
        found.family,
        found.weights,
        found.meter,
        options,
        made.client,
        can_cut=lambda: can_prune(chat.messages, prune),
    ).report()
