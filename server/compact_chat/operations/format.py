"""Make a model's raw reply, or typed sections, presentable."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.redact import Redactor
from compact_chat.styles import STYLES, Summary
from compact_chat.wire import DEFAULT_STYLE, Formatted, Style

Result = Formatted


class Params(Struct, frozen=True, rename="camel"):
    """A reply's text, or its sections."""

    text: str | None = None
    sections: dict[str, Any] | None = None
    style: Style = DEFAULT_STYLE


def run(asked: Params, desk: Desk, work: Work) -> Formatted:
    """Give the summary with its sections."""
    work.step("Formatting")
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    summary = _summary(asked)
    summary = summary.with_text(clean(summary.text))
    return Formatted(summary.text, summary.sections, summary.warnings)


def _summary(asked: Params) -> Summary:
    if (asked.text is None) == (asked.sections is None):
        raise InvalidParams.at("$", "expected exactly one of text and sections")
    if asked.text is not None:
        return STYLES[asked.style].read(asked.text)
    return STYLES[asked.style].write(asked.sections or {})
