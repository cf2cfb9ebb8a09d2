"""A chat's token report, as on the wire: its size, the advice by thresholds, its biggest items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from compact_chat.chat import Chat, Message, OwnCompaction, Text, Thinking, ToolCall, ToolResult, Warning
from compact_chat.measure.families import Window
from compact_chat.measure.gauge import Meter, is_system
from compact_chat.measure.tool import turns_left
from compact_chat.measure.weights import shares
from compact_chat.text import counted
from compact_chat.wire import (
    Advice,
    Breakdown,
    HostRing,
    Kind,
    Limit,
    MessageTokens,
    OwnCompactions,
    Thing,
    ThingKind,
    TokenReport,
)

REPLY_RESERVE = 20_000


def default_budget(window: Window, limit: Limit | None = None) -> int:
    """Return the tokens at which a chat is full: its tool's limit, else what leaves room for a reply."""
    if limit is not None:
        return limit.tokens
    return window.input - min(REPLY_RESERVE, window.output, window.input // 2)  # a small window must not be all reserve


def advise(
    used: int,
    budget: int | None,
    prune_at: float,
    compact_at: float,
    can_cut: Callable[[], bool] = lambda: True,
    *,
    has_results: bool = True,
) -> tuple[Advice, str]:
    """Advise by thresholds, which are fractions of the budget, with a reason in a sentence (rules X1 to X3).

    `can_cut` tells whether some of the results can be cut; it is asked only where cutting them would be advised.
    """
    if not budget:
        return "none", "No limit is known for this chat, so nothing is advised."
    prune, compact = (Fraction(str(share)) for share in (prune_at, compact_at))  # as written: 0.7 is seven tenths

    def room(fraction: Fraction, advice: str) -> str:
        at = int(budget * fraction)
        fit = "fits" if at - used == 1 else "fit"
        return f"{counted(at - used, 'more token')} {fit} before {advice} is advised, at {at:,}."

    are_used = f"{counted(used, 'token')} {'is' if used == 1 else 'are'} used"
    if used > budget * compact:
        return "compact", f"A summary is advised: {are_used}, more than {int(budget * compact):,}."
    if budget * prune < used <= budget:
        if can_cut():
            cause = f"{are_used}, more than {int(budget * prune):,}"
            return "prune", f"Cutting old tool results is advised: {cause}."
        return "none", room(compact, "a summary")
    is_summary_next = compact <= prune or not has_results
    return "none", room(compact, "a summary") if is_summary_next else room(prune, "cutting old tool results")


def make_report(
    chat: Chat,
    meter: Meter,
    window: Window,
    limit: Limit | None,
    advice: Advice,
    reason: str,
    *,
    per_message: bool,
    breakdown: Breakdown | UnsetType = UNSET,
) -> TokenReport:
    """Build a chat's report from its size, its window and the advice."""
    warnings, shown, ring = chat.warnings, chat.host_meter, None
    if chat.model is not None and window.basis == "default":
        assumed = f"This model is not known here; its window is taken to be {window.input:,} tokens."
        warnings += (Warning("unknownModel", f"{assumed} The setting `windows` can tell."),)
    if shown is not None:  # a share of both windows, shown as at most all of them
        with_reserve = min(100.0, percent(shown.used + shown.reserved, shown.total))
        used = min(100.0, percent(shown.used, shown.total))
        ring = HostRing(shown.used, shown.reserved, shown.total, with_reserve, used)
    found, automatic = chat.compactions, sum(one.automatic for one in chat.compactions)
    last = found[-1] if found else OwnCompaction(automatic=False)
    return TokenReport(
        model=chat.model,
        tool=chat.tool,
        format=chat.format,
        title=chat.title,
        message_count=len(chat.messages),
        used=meter.used,
        low=meter.low,
        high=meter.high,
        window=window.input,
        window_basis=window.basis,
        percent=min(100.0, percent(meter.used, window.input)),  # an assumed or configured window may be too small
        basis=meter.basis,
        parts=meter.parts,
        advice=advice,
        reason=reason,
        warnings=warnings,
        host_meter=ring,
        limit=limit,
        percent_of_limit=min(100.0, percent(meter.used, limit.tokens)) if limit else None,
        turns_left=turns_left(meter.used, limit.tokens if limit else window.input, meter.growth),
        windows_possible=window.possible,
        compactions=OwnCompactions(len(found), automatic, last.before or None, last.after or None),
        messages=tuple(
            MessageTokens(message.id, index, message.role, kind_of(message), tokens)
            for index, (message, tokens) in enumerate(zip(chat.messages, meter.tokens, strict=True))
        )
        if per_message
        else UNSET,
        breakdown=breakdown,
    )


def percent(used: int, window: int) -> float:
    """Return the used share of the window, with one decimal; 0 for no window."""
    return round(100 * used / window, 1) if window else 0.0


def kind_of(message: Message) -> Kind:
    """Classify a message by its parts; thinking does not make it mixed."""
    if message.is_summary:
        return "summary"
    kinds: set[Kind] = set()
    for part in message.sent:
        match part:
            case Thinking() | Text(""):
                continue
            case ToolCall():
                kinds.add("toolCall")
            case ToolResult():
                kinds.add("toolResult")
            case _:
                kinds.add("text")
    if len(kinds) > 1:
        return "mixed"
    if kinds:
        return kinds.pop()
    return "text" if any(isinstance(part, Thinking) and part.text for part in message.parts) else "empty"


# The biggest items in the context: tokens by message, by tool, by file, and by the most specific of these.

FIXED, ATTACHED, REST = "system prompt, tools", "attached later by the tool", "all else"
NO_MESSAGE = -1


class Piece(Struct, frozen=True):
    """Tokens of a message, with the tool and the files that they belong to, if any."""

    message: int
    tokens: int
    tool: str = ""
    file: str = ""


class Name(NamedTuple):
    """What identifies an item."""

    kind: ThingKind
    name: str


_REST, _FIXED, _ATTACHED = Name("rest", REST), Name("fixed", FIXED), Name("attached", ATTACHED)


def divided(
    message: int, tokens: int, sizes: Sequence[float], owners: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[Piece]:
    """Divide a message's tokens among its pieces by size, and a piece's tokens evenly among its files.

    An owner of a piece is its tool and its files. The results add up to the tokens.
    """
    parts = shares(tokens, sizes)
    for part, (tool, files) in zip(parts, owners, strict=True):
        for share, file in zip(shares(part, [1] * max(1, len(files))), files or ("",), strict=True):
            yield Piece(message, share, tool, file)
    if rest := tokens - sum(parts):
        yield Piece(message, rest)


def break_down(
    messages: Sequence[Message], meter: Meter, pieces: Sequence[Piece], most: int, label: Callable[[Name], str]
) -> Breakdown:
    """List up to so many of the biggest items of each sort; `label` names them for a person.

    The tokens of each list add up to `used`. What is `fixed` or `attached` is the part of that name.
    """
    whole = (Piece(NO_MESSAGE, meter.fixed), *pieces)
    lists = []
    for names in zip(*(_names(piece, messages, meter.first) for piece in whole), strict=True):
        tokens: dict[Name, int] = {}
        places: dict[Name, dict[int, None]] = {}  # of the messages with an item, in order
        for name, piece in zip(names, whole, strict=True):
            tokens[name] = tokens.get(name, 0) + piece.tokens
            places.setdefault(name, {})[piece.message] = None
        if meter.parts.attached and _FIXED in tokens:
            tokens[_FIXED] -= meter.parts.attached
            tokens[_ATTACHED] = meter.parts.attached
        biggest = sorted((name for name in tokens if name != _REST and tokens[name]), key=lambda name: -tokens[name])
        things, left = [], meter.used
        for name in biggest[:most]:
            ids = tuple(messages[place].id for place in places.get(name, ()) if place != NO_MESSAGE)
            things.append(Thing(name.kind, label(name), tokens[name], percent(tokens[name], meter.used), ids))
            left -= tokens[name]
        if left:
            things.append(Thing("rest", REST, left, percent(left, meter.used), ()))
        lists.append(tuple(things))
    return Breakdown(*lists)


def _names(piece: Piece, messages: Sequence[Message], first: int) -> tuple[Name, Name, Name, Name]:
    """Name a piece among the items, messages, tools and files.

    A file tells more than the tool that read it, and a tool more than the message that it was called in.
    """
    tool = Name("tool", piece.tool) if piece.tool else _REST
    file = Name("file", piece.file) if piece.file else _REST
    if piece.message == NO_MESSAGE or is_system(messages[piece.message], is_first=piece.message < first):
        return _FIXED, _FIXED, tool, file
    own = messages[piece.message]
    message = Name("summary" if own.is_summary else "message", own.id)
    return next(name for name in (file, tool, message) if name != _REST), message, tool, file
