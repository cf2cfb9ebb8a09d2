"""Make a model's raw reply, or typed sections, presentable."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.redact import Redactor
from compact_chat.reply import Reply, format_reply, parse_sections, render_sections
from compact_chat.wire import Formatted, Style

Result = Formatted


class Params(Struct, frozen=True, rename="camel"):
    """A reply's text, or its sections."""

    text: str | None = None
    sections: dict[str, Any] | None = None
    style: Style = "detailed"


def run(asked: Params, desk: Desk, work: Work) -> Formatted:
    """Give the summary with its sections."""
    work.step("Formatting")
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    reply = _reply(asked)
    summary = clean(reply.summary)
    return Formatted(summary, parse_sections(summary, asked.style), reply.warnings)


def _reply(asked: Params) -> Reply:
    if (asked.text is None) == (asked.sections is None):
        raise InvalidParams.at("$", "expected exactly one of text and sections")
    if asked.text is not None:
        return format_reply(asked.text, asked.style)
    return Reply(render_sections(asked.sections or {}, asked.style))
