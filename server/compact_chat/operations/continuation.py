"""Write the message that opens the next chat."""

from __future__ import annotations

from typing import Any

from compact_chat.operations.chats import chat_of
from compact_chat.operations.job import Job
from compact_chat.operations.params import ChatRef
from compact_chat.redact import masked_message
from compact_chat.resume import write_continuation
from compact_chat.styles import handed_in
from compact_chat.wire import Continuation, ContinuationOptions

Result = Continuation


class Params(ContinuationOptions, frozen=True, rename="camel", kw_only=True):
    """A summary, the messages that stay, and how the next chat is opened."""

    summary: str
    messages: list[Any] | None = None


def run(asked: Params, job: Job) -> Continuation:
    """Give the message, with the kept messages and the kind's text where asked for."""
    job.step("Writing the continuation")
    clean = job.client.redactor()
    messages = chat_of(ChatRef(messages=asked.messages or []), "$").messages
    kept = [masked_message(message, clean) for message in messages]  # before any cut: half a secret is not found
    opening = job.client.with_host(asked)
    return Continuation(clean(write_continuation(handed_in(clean(asked.summary), opening.style), kept, opening)))
