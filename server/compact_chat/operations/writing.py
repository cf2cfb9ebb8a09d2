"""Get the summary of a plan written, and make it presentable."""

from __future__ import annotations

import math
import re
import time

from msgspec import Struct

from compact_chat.chat import Warning
from compact_chat.errors import NoGain
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.measured import counting, scale
from compact_chat.operations.requests import immediate_task
from compact_chat.providers.offline import OfflineRequest, write_summary
from compact_chat.reply.detailed import format_reply
from compact_chat.results import Attempt

MOST_SUMMARY_TOKENS = 8000
_BEFORE_SECTION = re.compile(r"(?<=\n\n)(?=\d\. [A-Z]|IMMEDIATE TASK:)")


class Written(Struct, frozen=True):
    """A summary, and who wrote it."""

    summary: str
    raw: str
    provider: str
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[Warning, ...] = ()


def nothing_written() -> Written:
    """Give what strategies without a summary write."""
    return Written("", "", "none")


def from_reply(reply: str, made: Draft) -> Written:
    """Take the text of a host's own model, or of a person, through the same checks."""
    return _presentable(reply, "host", made)


def summary_budget(made: Draft) -> int:
    """Tell how many tokens the finished summary may have."""
    if made.options.summary_budget is not None:
        return made.options.summary_budget
    return min(MOST_SUMMARY_TOKENS, made.measured.meter.used // 10)


def write(made: Draft, desk: Desk) -> Written:
    """Have the summary written, and tell it section by section; the offline writer needs nothing and always can."""
    made.work.step("Writing the summary")
    began = time.perf_counter()
    raw = write_summary(offline_request(made, desk))
    for section in filter(None, _BEFORE_SECTION.split(raw.removeprefix("<summary>\n").removesuffix("\n</summary>"))):
        made.work.tell(section)
    if not raw:
        raise NoGain(
            f"Nothing of the chat fits into a summary of {summary_budget(made):,} tokens; nothing was changed."
        )
    attempt = Attempt("offline", None, "ok", None, round(time.perf_counter() - began, 3))
    return _presentable(raw, "offline", made, (attempt,))


def offline_request(made: Draft, desk: Desk) -> OfflineRequest:
    """Put together what the offline writer gets: messages without secrets, and a budget in the model's tokens."""
    count, share = counting(made.measured.family, desk, made.work), scale(made.measured)
    return OfflineRequest(
        messages=made.without_secrets(made.plan.summarized),
        direction=made.plan.direction,
        budget=summary_budget(made),
        count=lambda text: math.ceil(count(text) * share),
        immediate_task=immediate_task(made),
        check=made.work.check,
    )


def _presentable(raw: str, provider: str, made: Draft, attempts: tuple[Attempt, ...] = ()) -> Written:
    reply = format_reply(raw)
    return Written(made.clean(reply.summary), raw, provider, attempts, reply.warnings)
