r"""A chat as text that a model can read: three renderings, each entry under a label that its content cannot forge.

[User]: fix it                           labelled: detailed and checkpoint prompts, continuations, exports
### Message 1 [USER]\n\nfix it           numbered
[user]\nfix it                           under role heads
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, groupby, islice
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from compact_chat.chat import (
    JsonObject,
    Message,
    Part,
    PartPlace,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    find_links,
    result_text,
    words,
)
from compact_chat.facts import NEW_TEXT, OLD_TEXT, Step, defining_lines, file_kind, summary_parts, without_records
from compact_chat.text import escape_labels, escape_tags, line_feeds, strip_summary_wrappers, without_codes

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

_MOST_VALUES = 100  # of a call's arguments
_PARTS, LEAST_PART = ("edits", "args", "files", "file"), 200  # arguments with several edits; characters of each
OLD_SHARE, SLACK = 10, 60  # the old code gets this part of the room of the new; more than a marker saves
PATCH = re.compile(r"\*\*\* Begin Patch|--- |diff --git |[-<]{5,9} ?SEARCH")
_SEARCH, _MIDDLE, _REPLACED = map(re.compile, (r"[-<]{5,9} ?SEARCH", r"={5,9}\s*\Z", r"[+>]{5,9} ?REPLACE"))
_ADDED, _REMOVED = re.compile(r"[+](?![+]{2} )"), re.compile(r"-(?!-- )")
_HEADING = re.compile(r"^#{1,6} .*", re.MULTILINE)
OLD_LINES = 2  # of each removed or searched stretch of a patch that is too long
LONGEST_SIGNATURE = 160  # characters
_LINE_BREAK, _BLANKS = re.compile(r"\n\s*"), re.compile(r"\s+")


def clip(text: str, limit: int | None) -> str:
    """Truncate a text longer than `limit` to its first three quarters and its end, around a marker (rule T6)."""
    if limit is None or len(text) <= limit:
        return text
    head = limit * 3 // 4
    clipped = f"{text[:head]}\n{_omitted(len(text) - limit)}\n{text[len(text) - (limit - head) :]}"
    return clipped if len(clipped) < len(text) else text


def clip_start(text: str, limit: int) -> str:
    """Truncate a text longer than `limit` to its end, behind a marker: thoughts conclude there (rule T5).

    What stays begins with a line or a word, if one begins within its first fifth.
    """
    if len(text) <= limit:
        return text
    start = len(text) - limit
    first_fifth = start - 1, start + limit // 5
    gap = _LINE_BREAK.search(text, *first_fifth) or _BLANKS.search(text, *first_fifth)
    start = gap.end() if gap else start
    clipped = f"{_omitted(start)}\n{text[start:]}"
    return clipped if len(clipped) < len(text) else text


def arguments_json(given: JsonObject, limit: int) -> str:
    """Write arguments as JSON; over the limit, first truncate long strings, then leave values out (rule T4)."""
    written = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    with suppress(ValueError):  # a number that JSON lacks
        whole = written(given)
        if len(whole) <= limit:
            return whole
    cap, values = limit, _MOST_VALUES
    while len(shorter := written(_shortened(given, values, cap))) > limit and values:
        cap, values = (cap * 3 // 4, values) if cap else (0, values // 2)
    return shorter


def _shortened(given: JsonObject, values: int, cap: int) -> JsonObject:
    """Copy the first values, outer levels first, with a count of those left out."""
    copy: JsonObject = {}
    waiting: deque[tuple[Any, Any]] = deque([(given, copy)])
    while waiting:
        source, twin = waiting.popleft()
        named = isinstance(source, dict)
        put = twin.__setitem__ if named else twin.insert
        members = list(islice(source.items() if named else enumerate(source), values))
        values -= len(members)
        for key, value in members:
            short = value
            match value:
                case str():
                    short = clip(value, cap)
                case dict() | list():
                    short = type(value)()
                    waiting.append((value, short))
                case float() if not math.isfinite(value):
                    short = None
            put(clip(key, cap) if named else key, short)
        if left := len(source) - len(members):
            put("..." if named else len(members), f"[... {left} entries omitted ...]")
    return copy


class Limits(Struct, frozen=True):
    """Character limits by kind of entry; None is no limit, and thinking with limit 0 is left out."""

    tool_result: int = 2000
    arguments: int = 500
    edits: int = 500  # of new code in arguments, besides the others
    thinking: int = 500
    assistant: int | None = None
    user: int | None = None
    other: int | None = None  # system texts and earlier summaries, which stay whole as long as possible


DEFAULT_LIMITS = Limits()  # of messages that stay
PROMPT_LIMITS = Limits(edits=1500)  # of messages to be summarized: changed code tells most
NO_LIMITS = Limits(tool_result=2**53, arguments=2**53, edits=2**53, thinking=2**53)

_STEPS: tuple[dict[str, Any], ...] = (
    {"tool_result": 500},
    {"thinking": 0},
    {"arguments": 200, "edits": 200},
    {"assistant": 2000},
    {"user": 4000},
)
_LEAST = (2000, 1000, 500, 250, 125, 60)


def shrinking(usual: Limits) -> tuple[Limits, ...]:
    """The default limits, tightened step by step; none of them grows."""
    return tuple(accumulate(_STEPS, _tightened, initial=usual))


def squeezing(limits: Limits) -> tuple[Limits, ...]:
    """Tighter limits for a portion that does not fit alone: one for all kinds of entries."""
    return tuple(_tightened(limits, dict.fromkeys(asdict(limits), most)) for most in _LEAST)


def _tightened(limits: Limits, most: dict[str, int]) -> Limits:
    known = asdict(limits)
    return replace(limits, **{name: n if known[name] is None else min(n, known[name]) for name, n in most.items()})


# The labels of entries, and what else begins a line outside content, in a message that opens the next chat.
LABELS_TRANSCRIPT = re.compile(
    r"\[[^\S\n]*(?:(?:user|assistant(?:[^\S\n]+thinking)?|system|host|previous[^\S\n]+summary)[^\S\n]*\][^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b|system[^\S\n]*:)"
    r"|##[^\S\n]*(?:recent|earlier)[^\S\n]+messages\b",
    re.IGNORECASE,
)
LONGEST_ID, LEAST_ID = 8, 4  # characters of a call's id that is shown whole, and of a longer one where it is needed
_SIGNS = re.compile(r"[\W_]+")
Speaker = Role | Literal["host"]
_SLACK = 8  # What escaping may add after a cut: a digit in the marker, a guarded label, an escaped tag.


class Rendering(Struct, frozen=True):
    """A way to show a chat as text: how its entries are labeled and joined, and what begins a line of its own."""

    labels: re.Pattern[str]  # guarded in content
    said: str
    summary: str
    thinking: tuple[str, str]  # before and after
    call: str
    result: str
    usual: Limits = PROMPT_LIMITS
    folds_names: bool = False  # names and ids go on one line, so that none of their lines can pass for a label
    head: str = ""  # of a message; without one, each part is an entry
    between: str = "\n\n"  # the parts of a message
    calls: str = ""  # before consecutive calls, which then form one list
    names_all: bool = True  # show short ids even where they are not needed

    def entries(self, messages: Sequence[MaskedMessage], limits: Limits) -> Iterator[str]:
        """Yield the entries of messages, one by one or part by part (rules T1, T15, T16 and G1)."""
        named, number = _ambiguous(messages), 0
        for index, message in enumerate(messages):
            pieces: list[str] = []
            role: Speaker = "host" if message.by_host and message.role == "user" else message.role
            runs = groupby(enumerate(marked_parts(message)), lambda one: isinstance(one[1][0], ToolCall))
            for of_calls, run in runs:
                lines = [
                    self.shown(part, role, is_summary, limits, (index, place) in named)
                    for place, (part, is_summary) in run
                ]
                pieces += ["\n".join((self.calls, *lines))] if of_calls and self.calls else filter(None, lines)
            if not self.head:
                yield from pieces
            elif pieces:
                number += 1
                only_results = message.role == "user" and all(isinstance(part, ToolResult) for part in message.parts)
                speaker = "tool" if only_results else role
                head = self.head.format(number=number, speaker=speaker, SPEAKER=speaker.upper())
                yield head + self.between.join(pieces)

    def text(self, messages: Sequence[MaskedMessage], limits: Limits) -> str:
        """Join all entries by a blank line, with our own tags escaped (rule T10)."""
        return escape_tags("\n\n".join(self.entries(messages, limits)))

    def within(self, messages: Sequence[MaskedMessage], limits: Limits, room: int) -> str:
        """Like `text`, truncated in the middle to at most this many characters (rule T6)."""
        return squeezed("\n\n".join(self.entries(messages, limits)), room, self.labels)

    def shown(self, part: Part, role: Speaker, is_summary: bool, limits: Limits, is_one_of_several: bool = True) -> str:
        """Return a part behind its label, or nothing if it has no content (rules T2 to T7)."""
        label, text, limit = self.said.format(role=role.capitalize()), "", None
        match part:
            case Text(said) if is_summary:
                label, text, limit = self.summary, strip_summary_wrappers(said), limits.other
            case Text(text):
                most = {"user": limits.user, "assistant": limits.assistant, "host": limits.tool_result}
                limit = most.get(role, limits.other)
            case Thinking(thought):
                before, after = self.thinking
                thought = clip_start(line_feeds(thought), limits.thinking) if limits.thinking else ""
                shown = self._behind(before, thought, None)
                return f"{shown}{after}" if shown else ""
            case ToolCall(call_id, name, given):
                limit = limits.arguments
                if changes_files(part):
                    given, limit = shorter_edit(given, limits.edits), limit + limits.edits
                arguments, ref = arguments_json(given, limit), self._ref(call_id, is_one_of_several)
                return self.call.format(ref=ref, name=self._name(name) or "unknown", arguments=arguments)
            case ToolResult(call_id, is_error=failed):
                ref = self._ref(call_id, is_one_of_several)
                outcome = "error" if failed else "result"
                label = self.result.format(ref=ref, outcome=outcome, Outcome=outcome.capitalize())
                text, limit = without_codes(result_text(part)), limits.tool_result
                text = text if text.strip() else "(no output)"
            case _:
                text = words(part)
        return self._behind(label, text, limit)

    def _behind(self, label: str, text: str, limit: int | None) -> str:
        return f"{label}{content(text, self.labels, limit)}" if text.strip() else ""

    def _ref(self, call_id: str, is_one_of_several: bool) -> str:
        """Return what links a call and its result: a short id, or the end of a long one where several are open."""
        name = self._name(call_id) or "?"
        is_short = len(name) <= LONGEST_ID
        if not (is_one_of_several or (self.names_all and is_short)):
            return ""
        return f" #{name if is_short else _SIGNS.sub('', name)[-LEAST_ID:] or '?'}"

    def _name(self, name: str) -> str:
        return content(" ".join(name.split()) if self.folds_names else name.strip(), self.labels)


LABELLED = Rendering(
    LABELS_TRANSCRIPT,
    said="[{role}]: ",
    summary="[Previous Summary]: ",
    thinking=("[Assistant thinking]: ", ""),
    call="[Tool call{ref}: {name}({arguments})]",
    result="[Tool {outcome}{ref}]: ",
    folds_names=True,
)
_UNLABELLED = replace(LABELLED, said="", summary="")
NUMBERED = Rendering(
    re.compile(
        r"###[^\S\n]*message\b|##[^\S\n]*original[^\S\n]+conversation\b|---[^\S\n]*end[^\S\n]+of[^\S\n]+original[^\S\n]+conversation"
        r"|\*\*[^\S\n]*(?:tool[^\S\n]+(?:calls?|result|error)|thinking|previous[^\S\n]+summary)[^\S\n]*:",
        re.IGNORECASE,
    ),
    said="",
    summary="**Previous Summary:**\n",
    thinking=("**Thinking:**\n", ""),
    call="- `{name}`: {arguments}",
    result="**Tool {Outcome}:**\n",
    head="### Message {number} [{SPEAKER}]\n\n",
    calls="**Tool Calls:**",
)
ROLE_HEADS = Rendering(
    re.compile(
        r"\[[^\S\n]*(?:user|assistant|system|host|tool)[^\S\n]*\]|\([^\S\n]*thinking[^\S\n]*:"
        r"|tool[^\S\n]+(?:call|result|error)\b[^\n:]{0,200}:|previous[^\S\n]+summary[^\S\n]*:",
        re.IGNORECASE,
    ),
    said="",
    summary="Previous summary: ",
    thinking=("(thinking: ", ")"),
    call="Tool call{ref}: {name} input: {arguments}",
    result="Tool {outcome}{ref}: ",
    usual=Limits(tool_result=500, thinking=200),
    head="[{speaker}]\n",
    between="\n",
    names_all=False,
)


def write_transcript(messages: Sequence[MaskedMessage]) -> str:
    """Write every block of every message under its label, a blank line between entries."""
    return LABELLED.text(messages, DEFAULT_LIMITS)


def message_text(message: MaskedMessage) -> str:
    """Write all of one message; thinking, calls and results have labels, its own texts none."""
    parts = marked_parts(message)
    shown = (_UNLABELLED.shown(part, message.role, is_summary, NO_LIMITS) for part, is_summary in parts)
    return escape_tags("\n\n".join(filter(None, shown)))


def marked_parts(message: Message) -> Iterator[tuple[Part, bool]]:
    """Yield each part of a message, and whether it is the summary of what came before (rule P23)."""
    summaries = summary_parts(message)
    return ((part, isinstance(part, Text) and part in summaries) for part in message.parts)


def _ambiguous(messages: Sequence[Message]) -> frozenset[PartPlace]:
    """Find calls that are open while another one is, and their results: only an id tells them apart."""
    links = find_links(messages)
    named: set[PartPlace] = set()
    open_calls: set[PartPlace] = set()
    for place in sorted((*links.answers, *links.answers.values())):
        if place in links.answers:
            open_calls.discard(links.answers[place])
            continue
        open_calls.add(place)
        if len(open_calls) > 1:
            named |= open_calls if len(open_calls) == 2 else {place}
    results = {result for result, call in (links.answers | links.repeats).items() if call in named}
    return frozenset(named | results)


def content(text: str, labels: re.Pattern[str], limit: int | None = None) -> str:
    """Return chat content, truncated and then kept from passing for a label (rules T6 and T11)."""
    return escape_labels(clip(line_feeds(text), limit), labels)


def squeezed(text: str, room: int, labels: re.Pattern[str]) -> str:
    """Truncate a text with guarded labels so that it fits once its tags are escaped; the cut makes no new label."""
    limit = room
    while True:
        clipped = clip(text, limit)
        tail = limit - limit * 3 // 4
        if clipped is not text and not text[: len(text) - tail].endswith("\n"):
            start = len(clipped) - tail
            first, feed, rest = clipped[start:].partition("\n")
            clipped = f"{clipped[:start]}{escape_labels(first, labels)}{feed}{rest}"
        shown = escape_tags(clipped)
        if len(shown) <= room or not limit:
            return shown
        limit = max(0, limit - (len(shown) - room) - _SLACK)


def opening_summary(messages: tuple[MaskedMessage, ...]) -> tuple[str, tuple[MaskedMessage, ...]]:
    """Return the summary at the start of the first non-system message, and the chat without it."""
    place = next((place for place, message in enumerate(messages) if message.role != "system"), None)
    if place is None or not messages[place].parts:
        return "", messages
    first, *rest = messages[place].parts
    if not isinstance(first, Text) or first not in summary_parts(messages[place]):
        return "", messages
    opened = replace(messages[place], parts=tuple(rest), is_summary=False)
    return strip_summary_wrappers(first.text), (*messages[:place], opened, *messages[place + 1 :])


def shown_summary(text: str, room: int, rendering: Rendering) -> str:
    """Return a summary as its frame shows it: guarded, and without the file records, which have their own place."""
    return squeezed(content(without_records(text), rendering.labels), room, rendering.labels)


def changes_files(call: ToolCall) -> bool:
    """Return whether a call writes or edits files."""
    return file_kind(Step("", call)) in ("write", "edit")


def shorter_edit(given: JsonObject, limit: int) -> JsonObject:
    """Shorten old and new code; `limit` is for the characters of all new code."""
    return {name: _shorter(name, value, limit) for name, value in given.items()}


def _shorter(name: str, value: Any, limit: int) -> Any:
    match value:
        case list() if name in _PARTS and value:
            each = max(LEAST_PART, limit // len(value))
            return [shorter_edit(one, each) if isinstance(one, dict) else one for one in value]
        case dict() if name in _PARTS:
            return shorter_edit(value, limit)
        case str() if name in OLD_TEXT:
            room = limit // OLD_SHARE
            return value if len(value) <= room + SLACK else f"{value[:room]}\n{_omitted(len(value) - room)}"
        case str() if len(value) <= limit:
            return value
        case str() if PATCH.match(value):
            return gist("\n".join(_without_old(value)), limit)
        case str() if name in NEW_TEXT:
            return gist(value, limit)
    return value


def gist(code: str, limit: int) -> str:
    """Return the start and, of the rest, the lines that define something or head a section; a marker between them."""
    if len(code) <= limit:
        return code
    signatures, room = [], limit // 3
    rest = code[limit * 2 // 3 :]
    for line in (*defining_lines(rest),) or _HEADING.findall(rest):
        line = line.rstrip()[:LONGEST_SIGNATURE]
        room -= len(line) + 1
        if room < 0:
            break
        signatures.append(line)
    start = code[: limit - sum(len(line) + 1 for line in signatures)]
    return "\n".join((start, _omitted(len(code) - limit), *signatures))


def _omitted(count: int) -> str:
    return f"[... {count} characters omitted ...]"


def _without_old(patch: str) -> Iterator[str]:
    """Yield the lines of a patch with no more than the first of those that it removes or looks for."""
    old = 0
    for line, side in sided_lines(patch):
        old = old + 1 if side == "old" else 0
        if old <= OLD_LINES:
            yield line


def sided_lines(patch: str) -> Iterator[tuple[str, Literal["old", "new", ""]]]:
    """Yield the lines of a patch, and of which side alone each is: those of a block, or behind a sign."""
    side: Literal["old", "new", ""] = ""  # of a block
    for line in patch.split("\n"):
        if _SEARCH.match(line):
            side = "old"
            yield line, ""
        elif side == "old" and _MIDDLE.match(line):
            side = "new"
            yield line, ""
        elif side == "new" and _REPLACED.match(line):
            side = ""
            yield line, ""
        else:
            yield line, side or ("new" if _ADDED.match(line) else "old" if _REMOVED.match(line) else "")
