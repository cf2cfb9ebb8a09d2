"""The report of a measured chat, as the contract has it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from compact_chat.chat import Chat, HostMeter, Message, Part, Text, Thinking, ToolCall, ToolResult, Warning
from compact_chat.measure.meter import Meter
from compact_chat.reports import Breakdown, HostRing, MessageTokens, TokenReport, WindowBasis
from compact_chat.results import Advice, Kind


def report(
    chat: Chat,
    meter: Meter,
    window: int,
    advice: Advice,
    reason: str,
    per_message: bool,
    *,
    window_basis: WindowBasis,
    breakdown: Breakdown | UnsetType = UNSET,
) -> TokenReport:
    """Put together what is known of a chat, its size and the advice."""
    return TokenReport(
        model=chat.model,
        tool=chat.tool,
        format=chat.format,
        title=chat.title,
        message_count=len(chat.messages),
        used=meter.used,
        low=meter.low,
        high=meter.high,
        window=window,
        window_basis=window_basis,
        percent=min(100.0, percent(meter.used, window)),  # a window that was assumed, or set, may be too small
        basis=meter.basis,
        parts=meter.parts,
        advice=advice,
        reason=reason,
        warnings=chat.warnings + _of_window(chat.model, window, window_basis),
        host_meter=_ring(chat.host_meter),
        messages=_message_tokens(chat, meter) if per_message else UNSET,
        breakdown=breakdown,
    )


def percent(used: int, window: int) -> float:
    """How much of the window is used, with one decimal; 0 of no window."""
    return round(100 * used / window, 1) if window else 0.0


def _of_window(model: str | None, window: int, basis: WindowBasis) -> tuple[Warning, ...]:
    """Say that a model with a name is not in the table, so that its window is assumed."""
    if model is None or basis != "default":
        return ()
    told = f"This model is not known here; its window is taken to be {window:,} tokens. The setting `windows` can tell."
    return (Warning("unknownModel", told),)


def _ring(shown: HostMeter | None) -> HostRing | None:
    """The host's meter as a share of both its windows; it never shows more than all of them."""
    if shown is None:
        return None
    with_reserve = min(100.0, percent(shown.used + shown.reserved, shown.total))
    used = min(100.0, percent(shown.used, shown.total))
    return HostRing(shown.used, shown.reserved, shown.total, with_reserve, used)


def kind_of(message: Message) -> Kind:
    """What a message is made of; thoughts beside other parts make it no mixture."""
    if message.is_summary:
        return "summary"
    kinds = {_kind_of_part(part) for part in message.parts if _says_something(part)}
    if len(kinds) > 1:
        return "mixed"
    if kinds:
        return kinds.pop()
    return "text" if any(isinstance(part, Thinking) and part.text for part in message.parts) else "empty"


def _kind_of_part(part: Part) -> Kind:
    match part:
        case ToolCall():
            return "toolCall"
        case ToolResult():
            return "toolResult"
    return "text"


def _says_something(part: Part) -> bool:
    match part:
        case Thinking() | Text(""):
            return False
    return True


def _message_tokens(chat: Chat, meter: Meter) -> tuple[MessageTokens, ...]:
    return tuple(
        MessageTokens(message.id, index, message.role, kind_of(message), tokens)
        for index, (message, tokens) in enumerate(zip(chat.messages, meter.tokens, strict=True))
    )
