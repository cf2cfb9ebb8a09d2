"""How large the chat will be: exact where rules or the offline summary decide, a range where a reply may differ."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Warning
from compact_chat.operations.checking import presentable
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.offline import offline_request, summary_budget
from compact_chat.operations.outcome import outcome
from compact_chat.providers.offline import write_summary

_OFFLINE = "A summary made offline would win nothing: too little stands in what it replaces."


class Forecast(Struct, frozen=True):
    """The expected size, and what may become of it."""

    after: int
    low: int
    high: int
    warnings: tuple[Warning, ...] = ()


def forecast(made: Draft, desk: Desk) -> Forecast:
    """Tell the size of the chat after the plan is carried out."""
    if made.plan.action == "none":
        used = made.measured.meter.used
        return Forecast(used, used, used)
    if made.plan.action != "compact":
        after = outcome(made, "", desk).tokens
        return Forecast(
            after, after, after, _no_gain(made, after, "These rules would win nothing: there is too little to cut.")
        )
    return _compacted(made, desk)


def _compacted(made: Draft, desk: Desk) -> Forecast:
    made.work.step("Forecasting the summary")
    raw = write_summary(offline_request(made, desk))
    after = outcome(made, presentable(raw, made).summary, desk).tokens if raw else made.measured.meter.used
    least = outcome(made, "Summary:", desk).tokens
    return Forecast(after, min(after, least), max(after, least + summary_budget(made)), _no_gain(made, after, _OFFLINE))


def _no_gain(made: Draft, after: int, sentence: str) -> tuple[Warning, ...]:
    if after < made.most:
        return ()
    return (Warning("noGain", sentence),)
