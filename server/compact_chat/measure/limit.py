"""Where the chat's tool auto-compacts, by its settings, its rule and its own compactions, and how many turns fit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from compact_chat.chat import Chat, Message, OwnCompaction
from compact_chat.measure.families import Window, lookup, window_of
from compact_chat.measure.hidden import Shown, folder_marks
from compact_chat.measure.weights import Weight
from compact_chat.tools import AutoCompact, tool_named
from compact_chat.wire import Limit, TurnsLeft

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


NOTHING = ToolSettings()


def limit_of(
    chat: Chat,
    window: Window,
    settings: ToolSettings = NOTHING,
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
    if rule and settings != NOTHING:
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
