"""What tools send and keep out of their files: system prompt, tools, files attached anew after a compaction.

Best known from the chat's own first call, then from what other chats with the same tool showed, else from `tools.py`
(rule X13).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from statistics import median_high
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Usage
from compact_chat.measure.families import LONGEST, Family, plain_name
from compact_chat.measure.weights import SEALED_SUMMARY
from compact_chat.text import is_summary_text, opens_chat
from compact_chat.tools import Hidden, tool_named

LEAST_OWN, MOST_OWN = 3_000, 60_000  # what a system prompt and tools may take; else the session began elsewhere
MOST_DOUBT = 0.25  # of what is left of a first call, by which the count of what was said in it may be off
MOST_ALIKE = 3  # chats whose middle is taken
MOST_LIMITS = 20  # the newest compactions of a chat
# How far off that may be, of several chats of the same folder and line of models, and of one: each of the real sessions
# compared with the others of its user.
CLOSE, ALONE = 0.08, 0.12
DEEPEST = 64  # folders of a path that are compared


class Shown(Struct, frozen=True, omit_defaults=True):
    """What the recorded calls of a chat showed: numbers that can be remembered without it."""

    tool: str = ""
    version: str = ""
    model: str = ""
    folders: tuple[int, ...] = ()  # checksums of the folder that it was held in and of all above it, the root first
    is_sub_agent: bool = False
    own: int = 0  # tokens of the first call beyond what was said before it; 0 where that is not known
    context: int = 0  # tokens of what the tool had said before it, which it says again after a compaction
    limits: tuple[int, ...] = ()  # tokens at which the tool compacted by itself


NOTHING = Shown()


def shown_by(chat: Chat, weigh: Callable[[Message], int], fixed_tokens: float, family: Family) -> Shown:
    """Tell what a chat shows; `fixed_tokens` are those of the system prompt and the tools that came with it."""
    tool, names = tool_named(chat.tool), (_name(chat.version), _name(chat.model or ""))
    found = Shown(tool.name, *names, folder_marks(chat.workspace), chat.is_sub_agent)
    automatic = [one for one in chat.compactions if one.is_reported and one.model in ("", chat.model)]
    limits = dict.fromkeys(one.before for one in automatic if one.version in ("", chat.version))
    found = replace(found, limits=tuple(limits)[-MOST_LIMITS:])
    if not _usual(chat).tokens:
        return found

    def with_own(call: Usage | None, said: Sequence[Message], attached: int = 0) -> Shown:
        """Take what a call had beyond what was said, unless it makes no sense or is lost in the doubt of the count."""
        if call is None:
            return found
        counted = sum(map(weigh, said)) + fixed_tokens
        own = round(call.prompt_tokens - counted - attached)
        is_plausible = LEAST_OWN <= own <= MOST_OWN and counted * family.spread <= own * MOST_DOUBT
        return replace(found, own=own, context=context_in(said, weigh)) if is_plausible else found

    before, usage = _until_call(chat.messages)
    if not was_compacted(chat):
        return with_own(usage, before)
    found = with_own(chat.opening.usage, chat.opening.messages) if chat.opening else found
    return found if found.own else with_own(usage, before, tool.attached.tokens)  # if it began elsewhere


def _name(text: str) -> str:
    """Shorten a name, without half a surrogate pair, which no file can hold."""
    return text[:LONGEST].encode(errors="replace").decode()


def hidden_by(chat: Chat, own: Shown = NOTHING, others: Iterable[Shown] = ()) -> Hidden:
    """Tell what the chat's tool adds: as the chat showed, as `others` did, or as usual; nothing if it came with it."""
    usual, tool = _usual(chat), tool_named(chat.tool)
    if not usual.tokens:
        return usual
    near = _alike(chat, others)
    if own.own:
        known = own_in(chat.messages, own)
        begun = replace(usual, tokens=known, low=known, high=known)
    elif near:
        begun = _expected(chat, near, usual)
    else:
        return (was_compacted(chat) and tool.hidden_resumed) or usual
    if not was_compacted(chat):
        return begun
    # What the tool attaches anew after a compaction, unless it is among the messages.
    more, mark = tool.attached, tool.attached_mark
    held = bool(mark) and any(message.by_host and message.text.startswith(mark) for message in chat.messages)
    # Versions of Codex up to 0.140 do not write their encrypted summary down.
    is_unseen = not any(message.is_summary for message in chat.messages)
    tokens = 0 if held else more.tokens + is_unseen * SEALED_SUMMARY
    return replace(
        begun,
        tokens=begun.tokens + tokens,
        low=begun.low + min(tokens, more.low),
        high=begun.high + max(tokens, more.high),
    )


def is_unknown(chat: Chat) -> bool:
    """Tell whether no call of the chat shows what its tool adds now, so that others may be asked."""
    return bool(_usual(chat).tokens) and _until_call(chat.messages)[1] is None


def own_in(messages: Sequence[Message], shown: Shown) -> int:
    """Return what the tool adds to messages: with its context, unless it has said that in them already."""
    return shown.own + (0 if holds_context(messages) else shown.context)


def holds_context(messages: Iterable[Message]) -> bool:
    """Tell whether messages hold what the tool says by itself: instructions, its own or a project's, and lists."""
    return any(map(_is_context, messages))


def before_call(chat: Chat) -> tuple[Message, ...]:
    """Return the messages before the chat's first call whose size the provider reported."""
    return _until_call(chat.messages)[0]


def context_in(messages: Iterable[Message], weigh: Callable[[Message], int]) -> int:
    """Count what the tool says by itself in messages."""
    return sum(map(weigh, filter(_is_context, messages)))


def _is_context(message: Message) -> bool:
    return not message.is_summary and (message.by_host or message.role == "system")


def was_compacted(chat: Chat) -> bool:
    """Tell whether the tool itself compacted the chat; a session that begins with a summary of ours is a new one."""
    summaries = (message for message in chat.messages if message.is_summary)
    are_ours = all(any(is_summary_text(text) or opens_chat(text) for text in one.texts) for one in summaries)
    return chat.opening is not None or not are_ours


def folder_marks(folder: str | None) -> tuple[int, ...]:
    """Make checksums of a folder and those above it, by which folders are compared without naming them."""
    names = [name for name in re.split(r"[/\\]+", folder or "") if name][:DEEPEST]
    sums = accumulate(names, lambda above, name: crc32(f"/{name}".encode(errors="surrogatepass"), above), initial=0)
    return tuple(sums)[1:]


def _usual(chat: Chat) -> Hidden:
    """Return the tool's row; nothing where the tools came with the chat."""
    tool = tool_named(chat.tool)
    if chat.system or chat.tools:
        return Hidden() if chat.tools else tool.hidden_with_system
    return (chat.is_sub_agent and tool.hidden_in_agent) or tool.hidden


def _until_call(messages: tuple[Message, ...]) -> tuple[tuple[Message, ...], Usage | None]:
    """Return the messages before the first call whose size the provider reported, and that."""
    for place, message in enumerate(messages):
        if message.usage and not message.usage.whole:
            return messages[:place], message.usage
    return messages, None


# Which chats are alike. The folder says most, since a project has instructions and servers of its own.


def _alike(chat: Chat, others: Iterable[Shown]) -> list[Shown]:
    """Return the chats that say most of this one, those of its folder if there are any.

    The closest come first, and of equal ones those that came first.
    """
    own = folder_marks(chat.workspace)

    def closeness(one: Shown) -> tuple[bool, bool, bool, int, bool]:
        """Rank a chat: the same folder, model, line of models, part of the path, version."""
        is_of_line = chat.model is None or _line(chat.model) == _line(one.model)  # no reply has named a model yet
        shared = sum(mine == theirs for mine, theirs in zip(own, one.folders, strict=False))
        return own == one.folders, chat.model == one.model, is_of_line, shared, chat.version == one.version

    same = [one for one in others if one.own and (one.tool, one.is_sub_agent) == (chat.tool, chat.is_sub_agent)]
    near = sorted(same, key=closeness, reverse=True)
    return [one for one in near if (one.folders == own) == (near[0].folders == own)]


def _is_sure(chat: Chat, one: Shown) -> bool:
    """Whether a chat was held in the same folder, with the same line of models unless none is named yet."""
    is_like = not chat.model or _line(chat.model) == _line(one.model)
    return folder_marks(chat.workspace) == one.folders != () and is_like


def _line(model: str) -> str:
    """Return a model's name without its version."""
    return re.sub(r"[^a-z]+", "-", plain_name(model)).strip("-")


def _expected(chat: Chat, near: Sequence[Shown], usual: Hidden) -> Hidden:
    """Take the middle of the closest chats of one line; if they are less alike, between that and what is usual.

    A chat without a reply names no model yet, so that any of them may turn out to be right.
    """
    of_line = [one for one in near if _line(one.model) == _line(near[0].model)][:MOST_ALIKE]
    middle = median_high(own_in(chat.messages, one) for one in of_line)
    seen = [own_in(chat.messages, one) for one in (of_line if chat.model else near)]
    if not _is_sure(chat, near[0]):
        low, high = min(*seen, usual.low), max(*seen, usual.high)
        return replace(usual, tokens=round((middle + usual.tokens) / 2), low=low, high=high)
    doubt = CLOSE if len(seen) > 1 else ALONE
    return replace(usual, tokens=middle, low=round(min(seen) * (1 - doubt)), high=round(max(seen) * (1 + doubt)))
