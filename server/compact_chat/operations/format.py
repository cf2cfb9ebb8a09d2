"""Make a model's raw reply, or typed sections, presentable."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.operations.job import Job
from compact_chat.styles import STYLES
from compact_chat.wire import DEFAULT_STYLE, Formatted, Style

Result = Formatted


class Params(Struct, frozen=True, rename="camel"):
    """A reply's text, or its sections."""

    text: str | None = None
    sections: dict[str, Any] | None = None
    style: Style = DEFAULT_STYLE


def run(asked: Params, job: Job) -> Formatted:
    """Give the summary with its sections."""
    job.step("Formatting")
    if (asked.text is None) == (asked.sections is None):
        raise InvalidParams.at("$", "expected exactly one of text and sections")
    style = STYLES[asked.style]
    summary = style.write(asked.sections or {}) if asked.text is None else style.read(asked.text)
    summary = summary.with_text(job.client.redactor()(summary.text))
    return Formatted(summary.text, summary.sections, summary.warnings)
