"""JSON of our own without its secrets."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, TypeVar

import msgspec

from compact_chat.chat import Document, JsonObject, Message, Part, ResultPart, Text, Thinking, ToolCall, ToolResult
from compact_chat.redact.finders import SHORTEST, find
from compact_chat.redact.spans import MARK, Span

# What was found in a text lately, in bounded room.


TEXTS = 50_000  # remembered at once; a text leaves its length and digest only
LARGEST = 256  # spans of one text that are remembered

Key = tuple[int, bytes, bool]


class Known:
    """The spans of texts that were looked at before; the oldest go first. Threads may share it."""

    def __init__(self, texts: int = TEXTS) -> None:
        self._texts = texts
        self._spans: dict[Key, tuple[Span, ...]] = {}
        self._lock = Lock()

    def find(self, text: str, emails: bool, check: Callable[[], None]) -> tuple[Span, ...]:
        """The secrets of a text, from memory where it was seen before."""
        if len(text) < SHORTEST:
            return ()
        key = _key(text, emails)
        spans = self._spans.get(key)
        if spans is None:
            spans = find(text, emails, check)
            self._remember(key, spans)
        return spans

    def _remember(self, key: Key, spans: tuple[Span, ...]) -> None:
        with self._lock:
            if len(spans) <= LARGEST:
                self._spans[key] = spans
            while len(self._spans) > self._texts:
                del self._spans[next(iter(self._spans))]


def _key(text: str, emails: bool) -> Key:
    return len(text), hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), emails


# The redactor: masks every secret of a text, the same one always by the same placeholder.


class Redactor:
    """Masks secrets; within one redactor a secret keeps its placeholder, whatever text it stands in.

    `check` is called before each step of the work, and may raise to end it; `known` remembers what was found in a text.
    """

    def __init__(
        self,
        emails: bool = False,
        enabled: bool = True,
        check: Callable[[], None] = lambda: None,
        known: Known | None = None,
    ) -> None:
        self.tally: dict[str, int] = {}
        self._emails, self._enabled, self._check, self._known = emails, enabled, check, known
        self._placeholders: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Give the text with a placeholder such as `[REDACTED:github-token:1]` for every secret."""
        spans = self.find(text)
        return self._masked(text, spans) if spans else text

    def find(self, text: str) -> tuple[Span, ...]:
        """Tell where the secrets of a text stand; nowhere, if the redactor is off."""
        if not self._enabled:
            return ()
        if self._known is None:
            return find(text, self._emails, self._check)
        return self._known.find(text, self._emails, self._check)

    def placeholder(self, secret: str, kind: str) -> str:
        """Give what stands for a secret."""
        if secret not in self._placeholders:
            self.tally[kind] = self.tally.get(kind, 0) + 1
            self._placeholders[secret] = f"{MARK}{kind}:{self.tally[kind]}]"
        return self._placeholders[secret]

    def _masked(self, text: str, spans: Sequence[Span]) -> str:
        pieces, end = [], 0
        for span in spans:
            pieces += [text[end : span.start], self.placeholder(text[span.start : span.end], span.kind)]
            end = span.end
        return "".join([*pieces, text[end:]])


# Secrets that were cut, as streamed texts are: one part of a message ends within them, the next goes on.


_KEY, _KEY_END = "PRIVATE KEY-----", "-----END"


def healed(texts: Sequence[str], clean: Redactor) -> list[str]:
    """Mask what lies across the cuts between texts that follow each other: where it begins, and nowhere else."""
    result = list(texts)
    for first, behind in _runs(texts):
        result[first:behind] = _without_crossing(texts[first:behind], clean)
    return result


def _runs(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches of two texts and more that no blank parts; a key has blanks and lines of its own."""
    first, in_key = 0, False
    for place, (left, right) in enumerate(pairwise(texts), 1):
        in_key = _KEY_END not in left and (in_key or _KEY in left)
        if not in_key and (not left or not right or left[-1].isspace() or right[0].isspace()):
            if place - first > 1:
                yield first, place
            first = place
    if len(texts) - first > 1:
        yield first, len(texts)


def _without_crossing(texts: Sequence[str], clean: Redactor) -> list[str]:
    whole, cuts = "".join(texts), [0, *accumulate(map(len, texts))]
    crossing = [span for span in clean.find(whole) if span.end > cuts[bisect_right(cuts, span.start)]]
    return [_part(whole, start, end, crossing, clean) for start, end in pairwise(cuts)] if crossing else list(texts)


def _part(whole: str, start: int, end: int, spans: Sequence[Span], clean: Redactor) -> str:
    """One text without what lies across its cuts."""
    pieces, at = [], start
    for span in spans[bisect_right(spans, start, key=lambda span: span.end) :]:
        if span.start >= end:
            break
        if span.start >= start:
            pieces += [whole[at : span.start], clean.placeholder(whole[span.start : span.end], span.kind)]
        at = min(span.end, end)
    return "".join([*pieces, whole[at:end]])


# Secrets out of whole messages, before anything is cut: half a secret would fit no pattern.


T = TypeVar("T", Text, Thinking)
P = TypeVar("P", bound=Part)


def masked_message(message: Message, clean: Redactor) -> Message:
    """Give the message without its secrets; itself where it has none."""
    parts = tuple(_masked(part, clean) for part in _joined(message.parts, clean))
    typed = None if message.typed is None else tuple(map(clean, healed(message.typed, clean)))
    if typed == message.typed and all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=parts, raw=None, typed=typed)


def _joined(parts: Sequence[P], clean: Redactor) -> Sequence[P]:
    """Mask the secrets that were cut where a text ends and the next begins; any other part keeps texts apart."""
    if sum(isinstance(part, Text) for part in parts) < 2:
        return parts
    texts = [part.text if isinstance(part, Text) else "" for part in parts]
    found = healed(texts, clean)
    return [part if new == old else Text(new) for part, new, old in zip(parts, found, texts, strict=True)]  # type: ignore[misc]  # a text for a text


def _masked(part: Part, clean: Redactor) -> Part:
    match part:
        case Text():
            return _with_text(part, clean)
        case Thinking():
            return _with_text(part, clean)
        case ToolCall():
            return _with_input(part, clean)
        case ToolResult():
            return _with_content(part, clean)
        case Document():
            return _with_title(part, clean)
    return part


def _with_content(result: ToolResult, clean: Redactor) -> ToolResult:
    content = tuple(_masked_content(inner, clean) for inner in _joined(result.content, clean))
    call_id = clean(result.call_id)  # a secret in an id goes from call and result alike, so that they stay a pair
    if content == result.content and call_id == result.call_id:
        return result
    return msgspec.structs.replace(result, content=content, call_id=call_id)


def _masked_content(part: ResultPart, clean: Redactor) -> ResultPart:
    match part:
        case Text():
            return _with_text(part, clean)
        case Document():
            return _with_title(part, clean)
    return part


def _with_title(document: Document, clean: Redactor) -> Document:
    title = clean(document.title)
    return document if title == document.title else msgspec.structs.replace(document, title=title)


def _with_text(part: T, clean: Redactor) -> T:
    text = clean(part.text)
    return part if text == part.text else msgspec.structs.replace(part, text=text)


def _with_input(call: ToolCall, clean: Redactor) -> ToolCall:
    """Copy a call with its strings cleaned, by themselves and beside the names they stand under."""
    given = _cleaned(call.input, clean)
    text = _json_text(given)
    if text is not None and (safe := clean(text)) != text:
        given = _parsed(safe) or given
    call_id, name = clean(call.id), clean(call.name)
    if given is call.input and (call_id, name) == (call.id, call.name):
        return call
    return ToolCall(call_id, name, given)


def _cleaned(given: JsonObject, clean: Redactor) -> JsonObject:
    """Clean the strings of JSON; without recursion, since it may be nested to any depth. Itself if nothing changes."""
    changed, copy = False, dict(given)
    waiting: list[Any] = [copy]
    while waiting:
        holder = waiting.pop()
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                holder[place] = _beside_its_name(holder, place, clean)
                changed = changed or holder[place] != value
            elif isinstance(value, dict | list):
                holder[place] = value.copy()
                waiting.append(holder[place])
    return copy if changed else given


def _beside_its_name(holder: Any, place: Any, clean: Redactor) -> str:
    """Clean a string; a `value` with a `name` or `key` beside it is judged as an assignment to that name."""
    value: str = clean(holder[place])
    name = holder.get("name") or holder.get("key") if isinstance(holder, dict) and place == "value" else None
    if not isinstance(name, str):
        return value
    head, quote = f"{name}=", '"'
    assigned = clean(f"{head}{quote}{value}{quote}")
    return assigned[len(head) + 1 : -1] if assigned.startswith(head + quote) and assigned.endswith(quote) else value


def _json_text(value: JsonObject) -> str | None:
    """Write JSON for a look at names and values together; None where it is too strange to be written."""
    try:
        return msgspec.json.encode(value).decode()
    except (RecursionError, UnicodeEncodeError, TypeError, ValueError):
        return None


def _parsed(text: str) -> JsonObject | None:
    """Read JSON in which secrets were masked; None where a mask took a bracket or a quote with it."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return None


# JSON of our own without its secrets.


def masked_values(value: Any, clean: Callable[[str], str]) -> Any:
    """Mask the strings of what we wrote ourselves, which is never nested deeply."""
    match value:
        case str():
            return clean(value)
        case list():
            return [masked_values(one, clean) for one in value]
        case dict():
            return {name: masked_values(one, clean) for name, one in value.items()}
    return value
