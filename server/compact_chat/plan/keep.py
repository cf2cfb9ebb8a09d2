"""Which messages stay by rule, without a model (rules K1 to K10)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from compact_chat.chat import Message, PartPlace, Text, ToolResult
from compact_chat.plan.exchanges import Exchanges, open_end
from compact_chat.plan.prune import Pruned, prune
from compact_chat.wire import Options

_BLANKS = r"\s++"


def keep_reasons(messages: Sequence[Message], options: Options, exchanges: Exchanges) -> dict[int, str]:
    """Say of each message that stays why, by its index."""
    reasons = _with_keyword(messages, options.keep_keywords)
    if options.keep_tool_results:
        reasons |= {place[0]: "It holds a tool result." for place in exchanges.links.answers}
    if options.keep_first_user:  # the first that a person wrote, else the first of the user's with text (rule K7)
        written = [index for index, message in enumerate(messages) if message.role == "user" and message.text.strip()]
        first = next((index for index in written if not messages[index].by_host), written[0] if written else None)
        reasons |= {} if first is None else {first: "It is the first message of the user."}
    recent = range(max(0, len(messages) - options.keep_recent), len(messages))
    reasons |= dict.fromkeys(recent, "It is one of the newest messages.")
    systems = [index for index, message in enumerate(messages) if message.role == "system"]
    if options.keep_system:
        reasons |= dict.fromkeys(systems, "It is a system message.")
    else:
        reasons = {index: why for index, why in reasons.items() if messages[index].role != "system"}
    for index in exchanges.whole(reasons):
        reasons.setdefault(index, "It belongs to a tool exchange that stays.")
    loose = _loose_ends(messages, exchanges)
    return {index: why for index, why in reasons.items() if not _only_loose(messages[index], index, loose)}


def left_out(messages: Sequence[Message], options: Options, exchanges: Exchanges) -> dict[int, str]:
    """Why messages go whatever other rules say (rules K4 and K8), by their indexes."""
    systems = [] if options.keep_system else [n for n, message in enumerate(messages) if message.role == "system"]
    loose = _loose_ends(messages, exchanges)
    lone = (index for index, message in enumerate(messages) if _only_loose(message, index, loose))
    return dict.fromkeys(lone, "It holds only calls without results, or results without calls.") | dict.fromkeys(
        systems, "System messages are left out."
    )


def prune_kept(
    messages: Sequence[Message], indexes: Sequence[int], options: Options, exchanges: Exchanges, spare: Collection[int]
) -> Pruned:
    """These messages, cut but for the newest ones of the whole chat and those to spare; `changed` counts among them."""
    loose = _loose_ends(messages, exchanges)
    kept = [_without(messages[index], index, loose) for index in indexes]
    recent = sum(index >= len(messages) - options.keep_recent for index in indexes)
    cut = msgspec.structs.replace(options.prune, preserve_tail=recent)
    return prune(kept, cut, spare=[number for number, index in enumerate(indexes) if index in spare])


def with_notice(kept: Sequence[Message], indexes: Sequence[int], length: int) -> tuple[Message, ...]:
    """The kept messages with a line at the first gap that counts the messages left out."""
    if len(indexes) == length:
        return tuple(kept)
    notice = Text(f"[{length - len(indexes)} messages omitted]")
    gap = next((number for number, index in enumerate(indexes) if number != index), len(indexes))
    host = next((number for number in range(gap, len(kept)) if kept[number].role == "user"), None)
    if host is None:
        return (*kept[:gap], Message("omitted", "user", (notice,), by_host=True), *kept[gap:])
    parts = kept[host].parts
    behind = max((number for number, part in enumerate(parts, start=1) if isinstance(part, ToolResult)), default=0)
    told = msgspec.structs.replace(kept[host], parts=(*parts[:behind], notice, *parts[behind:]), raw=None)
    return (*kept[:host], told, *kept[host + 1 :])


def _with_keyword(messages: Sequence[Message], keywords: Sequence[str]) -> dict[int, str]:
    """The messages with a keyword as a whole word in their own texts (rule K5)."""
    phrases = [words for keyword in keywords if (words := keyword.split())]
    if not phrases:
        return {}
    # It begins with a set of letters, so that it is searched several times as fast.
    firsts = [_cases(words[0][0]) for words in phrases]
    rests = (_BLANKS.join(map(re.escape, (words[0][1:], *words[1:]))) for words in phrases)
    forms = (rf"(?<=[{first}])(?i:{rest})" for first, rest in zip(firsts, rests, strict=True))
    pattern = re.compile(rf"[{''.join(firsts)}](?<!\w.)(?:{'|'.join(forms)})(?!\w)")
    found = ((index, pattern.search(message.text)) for index, message in enumerate(messages))
    return {index: f"It holds the keyword “{' '.join(match[0].split())}”." for index, match in found if match}


def _cases(letter: str) -> str:
    """Write a letter in both cases, for a set."""
    return re.escape("".join(case for case in (letter, letter.lower(), letter.upper()) if len(case) == 1))


def _loose_ends(messages: Sequence[Message], exchanges: Exchanges) -> frozenset[PartPlace]:
    """Results without a call, and calls without a result that are not at the end of the chat."""
    end = open_end(messages)
    dead = (place for place in exchanges.links.unanswered if place[0] < end)
    return exchanges.links.orphans.union(dead)


def _only_loose(message: Message, index: int, loose: Collection[PartPlace]) -> bool:
    """Whether nothing of the message would be left without its loose ends."""
    return bool(message.parts) and all((index, number) in loose for number in range(len(message.parts)))


def _without(message: Message, index: int, loose: Collection[PartPlace]) -> Message:
    parts = tuple(part for number, part in enumerate(message.parts) if (index, number) not in loose)
    return message if len(parts) == len(message.parts) else msgspec.structs.replace(message, parts=parts, raw=None)
