"""The offline provider: a summary without a model, always available."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_chat.models.ladder import Access, Answer, Assignment, Choice, Tell
from compact_chat.styles import Summary

_BEFORE_SECTION = re.compile(r"(?<=\n\n)(?=\d\. [A-Z]|IMMEDIATE TASK:|##? )")


async def choices(_requested: Sequence[str], _access: Access) -> tuple[Choice, ...]:
    """Return the only choice: rules, without a model."""
    return (Choice(None),)


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Write the summary off the event loop, and stream it section by section; blank if nothing fits."""
    assert assignment.offline is not None, "this provider needs a writer"
    summary: Summary | None = await access.off_loop(assignment.offline)
    text = summary.reply if summary else ""
    body = text.removeprefix("<summary>\n").removesuffix("\n</summary>")
    for section in filter(None, _BEFORE_SECTION.split(body)):
        tell(section)
    return Answer(text, None, summary=summary)
