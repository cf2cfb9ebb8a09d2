"""The offline provider: a summary without a model and at any time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.models.provider import Access, Answer, Assignment, Choice, Tell
from compact_chat.styles import Summary

_BEFORE_SECTION = re.compile(r"(?<=\n\n)(?=\d\. [A-Z]|IMMEDIATE TASK:|##? )")


async def choices(wished: Sequence[str], access: Access) -> tuple[Choice, ...]:  # noqa: ARG001 -- it needs no model
    """Give the only choice there is: rules, and no model."""
    return (Choice(None),)


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Write the summary beside the event loop, and tell it section by section; blank where nothing fits."""
    assert assignment.offline is not None, "whoever asks this provider gives it a writer"
    summary: Summary | None = await access.aside(assignment.offline)
    text = summary.reply if summary else ""
    for section in sections_of(text):
        tell(section)
    return Answer(text, None, summary=summary)


def sections_of(reply: str) -> Iterator[str]:
    """The reply in pieces that each begin with a title, without its outer tags."""
    body = reply.removeprefix("<summary>\n").removesuffix("\n</summary>")
    yield from filter(None, _BEFORE_SECTION.split(body))
