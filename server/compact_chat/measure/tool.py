"""What a tool does besides writing its chats: what it sends and does not write down, and where it auto-compacts.

It sends a system prompt, tools, and after a compaction files attached anew. How much is best known from the chat's own
first call, then from what other chats with the same tool showed, else from `tools.py` (rule X13). Where it compacts is
told by its settings, its rule and its own compactions.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from statistics import median_high
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, OwnCompaction, Usage
from compact_chat.measure.families import LONGEST, Family, Window, lookup, plain_name, window_of
from compact_chat.measure.weights import SEALED_SUMMARY, Weight
from compact_chat.text import is_summary_text, opens_chat
from compact_chat.tools import AutoCompact, Hidden, tool_named
from compact_chat.wire import Limit, TurnsLeft

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


# Where it auto-compacts, and how many turns fit before that.

NEAR = 0.02  # a compaction this much below the rule's limit, or a call above it, still agrees with it
_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){1,3}(?![\d.])", re.ASCII)
_DRIVE = re.compile(r"[A-Za-z]:")
LATEST = 5  # turns that tell how the next may grow
MOST_TURNS = 50  # that these can tell ahead


class ToolSettings(Struct, frozen=True):
    """What the settings of a tool say of its auto-compaction (`Knob` in tools.py)."""

    is_off: bool = False
    window: int = 0
    tokens: int = 0
    percent: float = 0.0
    share: float = 0.0


NOT_SET = ToolSettings()


def limit_of(
    chat: Chat,
    window: Window,
    settings: ToolSettings = NOT_SET,
    others: Callable[[], Iterable[Shown]] = tuple,
    passed: int = 0,
) -> Limit | None:
    """Find the tokens at which the tool compacts the chat; None if it never does by itself, or nothing is known.

    Recorded compactions count if they contradict the rule, or if there is none: those of this chat, else of `others`
    like it. One below a call that `passed`, since another one followed it, counts no more.
    """
    rule = rule_for(chat.tool, chat.format, chat.version)
    if settings.is_off:
        return None
    if rule and settings != NOT_SET:
        return Limit(_as_set(chat.tool, rule, window, settings), "setting")
    found = _recorded(chat, rule, passed)
    limits, reported = [one.before for one in found], [one.before for one in found if one.is_reported]
    if not limits and tool_named(chat.tool).tells_limit:
        near = (one for one in others() if _is_like(one, chat) and _rule_of(chat, one.version) == rule)
        limits = reported = [tokens for one in near for tokens in one.limits if passed <= tokens * (1 + NEAR)]
    lowest = Limit(min(limits), "recorded") if limits else None
    if rule is None or lookup(dict.fromkeys(rule.not_for, True), chat.model or ""):
        return lowest
    tokens = tokens_at(rule, window)
    is_too_high = min(reported, default=tokens) < tokens * (1 - NEAR)
    is_too_low = max((one.passed for one in found), default=0) > tokens * (1 + NEAR)
    return lowest if lowest and (is_too_high or is_too_low) else Limit(tokens, "rule")


def _recorded(chat: Chat, rule: AutoCompact | None, passed: int) -> list[OwnCompaction]:
    """Collect the automatic compactions of the chat under this rule that no later call has passed."""
    alike = [one for one in chat.compactions if one.automatic and one.before and one.model in ("", chat.model)]
    found: list[OwnCompaction] = []
    for one in reversed([one for one in alike if _rule_of(chat, one.version) == rule]):
        if passed <= one.before * (1 + NEAR):
            found.append(one)
        passed = max(passed, one.passed)
    return found


def _is_like(one: Shown, chat: Chat) -> bool:
    """Whether another chat is of the same model and of the same user: `/home/ada`, `C:/Users/ada`."""
    folder = chat.workspace or ""
    home = folder_marks(folder)[: 3 if _DRIVE.match(folder) else 2]
    return one.model == chat.model and bool(home) and one.folders[: len(home)] == home


def _rule_of(chat: Chat, version: str) -> AutoCompact | None:
    return rule_for(chat.tool, chat.format, version or chat.version)


def rule_for(tool: str, format_name: str, version: str) -> AutoCompact | None:
    """Choose the rule of a tool's version, or of the oldest where the version is not known."""
    numbers = _VERSION.match(version)
    number = tuple(map(int, numbers[0].split("."))) if numbers else ()
    rules = (one for one in tool_named(tool).auto_compacts if one.format in ("", format_name) and one.since <= number)
    return next(rules, None)


def tokens_at(rule: AutoCompact, window: Window) -> int:
    """Return the tokens at which a rule applies; a small window is not all reserve."""
    reserve = min(rule.reply, window.output) + rule.room
    return min(window.input * rule.percent // 100, window.input - min(reserve, window.input // 2))


def _as_set(tool: str, rule: AutoCompact, window: Window, settings: ToolSettings) -> int:
    """Apply the settings; none of them raises the limit of the model's own window."""
    if settings.window:
        window = Window(min(window.input, max(settings.window, tool_named(tool).least_window)), window.output)
    if settings.share:
        return round(window.input * settings.share)
    found = tokens_at(rule, window)
    if settings.tokens:
        found = min(found, settings.tokens)
    if settings.percent:
        found = min(found, round((window.input - min(rule.reply, window.output)) * settings.percent / 100))
    return found


def window_of_chat(chat: Chat, model: str | None, overrides: Mapping[str, int], setting: int | None) -> Window:
    """Find the window of a chat for a model; what the chat recorded counts only for the model that it recorded."""
    recorded = chat.window if model == (chat.window_model or chat.model) else None
    is_own = model == chat.model
    usages = (message.usage for message in chat.messages if is_own)
    calls = [usage.prompt_tokens for usage in usages if usage and usage.model in ("", model)]
    own = [one for one in chat.compactions if is_own and one.model in ("", model)]
    return window_of(
        model,
        overrides,
        setting=setting,
        recorded=recorded,
        proven=max((*calls, *(one.proof for one in own)), default=0),
        compacted=min((one.before for one in own if one.automatic and one.before), default=0),
        tool=chat.tool if is_own else "",
    )


# How many turns are left.


class Turns:
    """How much each of the latest turns added: from the first call of one to the first call of the next."""

    def __init__(self) -> None:
        self._starts: deque[int] = deque(maxlen=LATEST + 1)
        self._size = self._call = 0
        self.passed = 0  # the largest call since a compaction that another one followed
        self._is_asked = False  # a person has spoken, and the model has not answered yet

    def add(self, message: Message, weight: Weight) -> None:
        """Take in the next message."""
        if message.is_summary:  # a compaction, often in the middle of a turn
            self._starts.clear()
            self._size, self._is_asked = 0, True
            self._call = self.passed = 0
        usage = message.usage
        if usage and not usage.whole:
            self.passed = max(self.passed, self._call)
            self._call = usage.prompt_tokens + usage.output_tokens
        if message.role == "assistant" and self._is_asked:
            self._starts.append(usage.prompt_tokens if usage and not usage.whole else self._size)
            self._is_asked = False
        self._is_asked |= bool(message.typed_text)
        self._size = usage.prompt_tokens + usage.output_tokens if usage else self._size + weight.words

    @property
    def growth(self) -> tuple[int, ...]:
        """The tokens that the latest turns added; that of the turn under way if it is the longest already."""
        whole = tuple(later - size for size, later in pairwise(self._starts) if later > size)
        now = self._size - self._starts[-1] if self._starts else 0
        return (*whole, now) if now > max(whole, default=0) else whole


def turns_left(used: int, end: int, growth: Sequence[int]) -> TurnsLeft | None:
    """Estimate how many turns fit before the end: as long as the longest of the latest, and as long as their mean.

    None without a turn, and for so many that these few do not tell.
    """
    room = max(0, end - used)
    if not growth or room // max(growth) > MOST_TURNS:
        return None
    return TurnsLeft(room // max(growth), room * len(growth) // sum(growth))
