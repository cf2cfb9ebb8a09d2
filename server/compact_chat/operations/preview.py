"""What `summarize` would do: the fate of each message, tokens before and after, secrets, files."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.facts import file_records
from compact_chat.operations.compaction import Draft, draft, expected_request, fate_rows
from compact_chat.operations.desk import Desk
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.operations.writing import forecast
from compact_chat.wire import Options, Preview, Provider, Redactions

Result = Preview


class Params(Struct, frozen=True, rename="camel"):
    """A chat, how it would be compacted, and by whom."""

    chat: ChatRef
    options: Options = Options()
    provider: Annotated[Provider | None, Meta(description="Whose request is foretold.")] = None


def run(asked: Params, desk: Desk, work: Work) -> Preview:
    """Show what would happen, without a model and without the network."""
    made = draft(asked.chat, asked.options, desk, work)
    expected = forecast(made, desk)
    shown = Preview(
        plan_id=made.id,
        action=made.plan.action,
        advice=made.measured.advice,
        reason=made.plan.reason,
        split=made.plan.split,
        messages=fate_rows(made, desk),
        before=made.measured.meter.used,
        after=expected.after,
        after_low=expected.low,
        after_high=expected.high,
        request=expected_request(made, asked.provider or desk.settings.provider, desk),
        instructions=made.instructions,
        files=file_records(made.masked),
        redactions=_redactions(made),
        warnings=(*made.chat.warnings, *expected.warnings),
    )
    desk.plans.remember(made.id, made.made_of)
    return shown


def _redactions(made: Draft) -> Redactions:
    tally = made.clean.tally
    return Redactions(sum(tally.values()), dict(sorted(tally.items())))
