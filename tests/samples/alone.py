"""Run operations as a shell does, with their results as plain JSON."""

from __future__ import annotations

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.operations import Job, run_alone


def perform_alone(name: str, params: object, job: Job) -> JsonObject:
    """Run an operation without a server around it."""
    result: JsonObject = msgspec.to_builtins(run_alone(name, params, job))
    return result
