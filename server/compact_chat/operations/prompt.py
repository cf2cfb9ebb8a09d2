"""What would be sent to a model, for a host that calls its own."""

from __future__ import annotations

import math

from msgspec import Struct

from compact_chat.errors import NothingToCompact
from compact_chat.measure import family_of
from compact_chat.operations.compaction import draft
from compact_chat.operations.job import Job
from compact_chat.operations.measured import counter_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.requests import one_request
from compact_chat.wire import Options, Prompt

Result = Prompt


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and how it would be compacted."""

    chat: ChatRef
    options: Options = Options()


def run(asked: Params, job: Job) -> Prompt:
    """Give the request of the plan, with its size."""
    made = draft(asked.chat, asked.options, job)
    if made.plan.action != "compact":
        raise NothingToCompact(made.plan.reason)
    request = one_request(made)
    family = family_of(made.options.summary_model)
    count = counter_of(family, job.client)
    tokens = math.ceil((count(request.system) + count(request.message)) * family.ratio)
    made.remember()
    return Prompt(request.system or None, [{"role": "user", "content": request.message}], made.id, tokens)
