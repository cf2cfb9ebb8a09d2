"""The redactor: mask every secret in texts, messages and JSON; the same secret always gets the same placeholder.

What it has learned from a chat it masks wherever that occurs, in the chat and in all that is written about it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, chain, pairwise
from operator import is_
from threading import Lock
from typing import Any, NewType, TypeVar, cast

import msgspec
from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    strings,
    texts,
)
from compact_chat.redact.finders import SHORTEST, find_all, may_name
from compact_chat.redact.spans import MARK, Span, merged
from compact_chat.redact.spread import Values, candidates, forms, is_name, is_unmistakable, may_be_secret, unusual
from compact_chat.redact.unescaped import without_unseen

AnyPart = TypeVar("AnyPart", bound=Part)


# Only a redactor makes these types. At run time they are plain values, which type checkers reject in their place.
MaskedText = NewType("MaskedText", str)
MaskedJson = NewType("MaskedJson", JsonObject)


class MaskedMessage(Message, frozen=True):
    """A message without secrets; mypy does not take a NewType of a Struct."""


class SpanCache:
    """Cache the spans of secrets by a text's length and hash, evicting the oldest. Thread-safe.

    Python's hash of a text has 64 bits, a key of this process, and is computed once for each object: a known chat is
    not read again.
    """

    def __init__(self, texts: int = 50_000) -> None:
        self._texts = texts
        self._spans: dict[tuple[int, int, bool], tuple[Span, ...]] = {}
        self._lock = Lock()

    def find(self, text: str, emails: bool) -> tuple[Span, ...]:
        """Find the secrets in a text, cached."""
        known = self._spans.get((len(text), hash(text), emails))
        return self.find_all([text], emails).get(text, ()) if known is None else known

    def find_all(self, texts: Iterable[str], emails: bool) -> dict[str, tuple[Span, ...]]:
        """Find the secrets in each of several texts, cached; those that are too short for any are left out."""
        known = self._spans
        spans = {text: known.get((len(text), hash(text), emails)) for text in texts if len(text) >= SHORTEST}
        missing = sorted((text for text, found in spans.items() if found is None), key=str.isascii)
        if not missing:
            return cast("dict[str, tuple[Span, ...]]", spans)
        found = dict(zip(missing, find_all(missing, emails), strict=True))
        with self._lock:
            known |= {(len(text), hash(text), emails): new for text, new in found.items() if len(new) <= MOST_SPANS}
            while len(known) > self._texts:
                del known[next(iter(known))]
        return cast("dict[str, tuple[Span, ...]]", spans | found)


MOST_SPANS = 256  # of one text in the cache
_LEAST_NUMBER = 100_000  # a shorter one is no secret
_LONGEST_VALUE = 600  # characters of what may be given to a name, if it has several lines
_TOGETHER = 300_000  # characters of messages whose texts are searched together


class Redactor:
    """Mask secrets; within one redactor a secret keeps its placeholder in every text."""

    def __init__(self, emails: bool = False, enabled: bool = True, cache: SpanCache | None = None) -> None:
        self.tally: dict[str, int] = {}
        self.repeats = 0  # places masked only because their value was found elsewhere
        self._emails, self._enabled, self._cache = emails, enabled, cache or SpanCache()
        self._at_hand: dict[str, tuple[Span, ...]] = {}  # what was found in the texts of the next few messages
        self._plain: dict[int, Message] = {}  # the messages without secrets of their own, by identity
        self._placeholders: dict[str, str] = {}
        self._kinds: dict[str, str] = {}  # of all secrets found
        self._fresh: dict[str, str] = {}  # of those found since the last learning
        self._origins: dict[str, str] = {}  # all forms to search for, and the secret that each is
        self._apart: set[str] = set()  # those that are part of no longer word
        self._known: Values | None = None

    def __call__(self, text: str) -> MaskedText:
        """Return the text with a placeholder such as `[REDACTED:github-token:1]` for every secret."""
        pieces, end = [], 0
        for span in self.find(text):
            pieces += [text[end : span.start], self.placeholder(text, span)]
            end = span.end
        return MaskedText("".join([*pieces, text[end:]]) if pieces else text)

    def learn(self, messages: Iterable[Message] = (), more: Iterable[str] = ()) -> None:
        """Find the secrets of messages and of more texts, so that each is masked wherever it occurs from now on."""
        if not self._enabled:
            return
        repeats, given, learned = self.repeats, list(more), list[Message]()
        for together in _together(messages):
            self._at_hand = self._cache.find_all(chain.from_iterable(said for _, said in together), self._emails)
            for message, said in together:
                is_bare = not any(map(self._at_hand.get, said)) and not _has_more(message.parts)
                if is_bare or self.message(message) is message:
                    self._plain[id(message)] = message
                learned.append(message)
        self._at_hand = {}
        for text in given:
            self(text)
        self.repeats = repeats
        fresh, self._fresh = self._fresh, {}
        found = dict(candidates(fresh))
        doubtful = {value for value in found if not is_unmistakable(value)}
        names = self._names(doubtful, chain(given, chain.from_iterable(map(texts, learned))))
        for value, secret in found.items():
            if value not in names:
                self._origins |= {form: self._origins.get(form, secret) for form in forms(value)}
                self._apart |= forms(value) if value in doubtful else set()
        if self._origins and found:
            kinds = {form: self._kinds[secret] for form, secret in self._origins.items()}
            self._known = Values(kinds, self._apart)

    def learn_about(self, text: str | None, messages: Iterable[Message]) -> None:
        """Learn only what may occur in a short text, such as a title."""
        if words := unusual(text or "", may_be_secret):
            self.learn(one for one in messages if any(word in said for said in texts(one) for word in words))

    def may_hold_secret(self, text: str | None) -> bool:
        """Return whether a short text has a word that can hardly be anything else."""
        return self._enabled and bool(unusual(text or "", is_unmistakable))

    def prepare(self, texts: Iterable[str]) -> None:
        """Search many texts together before each is masked: alone, a short one takes some ten times as long."""
        if self._enabled:
            self._cache.find_all(texts, self._emails)

    def find(self, text: str) -> tuple[Span, ...]:
        """Find the secrets in a text; none if the redactor is off."""
        spans = self._found(text)
        again = list(self._known.search(text)) if self._known else ()
        return tuple(merged((*spans, *again))) if again else spans

    def placeholder(self, text: str, span: Span) -> str:
        """Return the placeholder of a secret in a text."""
        secret, kind = text[span.start : span.end], span.kind
        if seen := without_unseen(secret):
            secret = seen.text
        secret = self._origins.get(secret, secret)
        self.repeats += span.again
        if secret not in self._placeholders:
            self.tally[kind] = self.tally.get(kind, 0) + 1
            self._placeholders[secret] = f"{MARK}{kind}:{self.tally[kind]}]"
            self._fresh[secret] = self._kinds[secret] = kind
        return self._placeholders[secret]

    def _found(self, text: str) -> tuple[Span, ...]:
        if not self._enabled:
            return ()
        found = self._at_hand.get(text)
        return self._cache.find(text, self._emails) if found is None else found

    def _names(self, values: set[str], said: Iterable[str]) -> set[str]:
        """Return which of these values some text uses as a name, other than where it is found as a secret."""
        names = set[str]()
        known = Values(dict.fromkeys(values, "")) if values else None
        for text in said if known else ():
            spans = list(known.search(text)) if known else []
            found = self._found(text) if spans else ()
            for span in spans:
                place = bisect_right(found, span.start, key=lambda one: one.end)
                if (place == len(found) or found[place].start >= span.end) and is_name(text, span):
                    names.add(text[span.start : span.end])
        return names

    def message(self, message: Message) -> MaskedMessage:
        """Mask a message; unchanged without secrets. Mask before truncating, since no pattern matches half a secret."""
        if id(message) in self._plain and not self._repeats_in(message):
            return cast("MaskedMessage", message)
        parts = _masked_parts(message.parts, self)
        repeats = self.repeats
        typed = None if message.typed is None else tuple(map(self, without_straddling(message.typed, self)))
        self.repeats = repeats  # what was typed repeats the texts of the parts
        if parts is message.parts and typed == message.typed:
            return cast("MaskedMessage", message)
        return cast("MaskedMessage", replace(message, parts=parts, raw=None, typed=typed))

    def _repeats_in(self, message: Message) -> bool:
        """Return whether a message without secrets of its own has one that was found elsewhere."""
        return self._known is not None and any(any(self._known.search(text)) for text in _masked_texts(message))

    def messages(self, messages: Iterable[Message]) -> tuple[MaskedMessage, ...]:
        """Mask messages."""
        return tuple(map(self.message, messages))

    def may_go_on(self, text: str) -> int:
        """Return where a learned secret may begin that the rest of a growing text is only a part of; else its end."""
        return self._known.unfinished(text) if self._known else len(text)

    def json(self, value: JsonObject) -> MaskedJson:
        """Learn and mask the strings in JSON that we wrote ourselves, which is never nested deeply."""
        self.learn((), strings(value))
        return MaskedJson(_masked_value(value, self))


def _masked_value(value: Any, clean: Redactor) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_masked_value(one, clean) for one in value]
        case dict():
            return {name: _masked_value(one, clean) for name, one in value.items()}
    return value


def _together(messages: Iterable[Message]) -> Iterator[list[tuple[Message, list[str]]]]:
    """Yield runs of messages, each with its texts, that have some length."""
    run, size = list[tuple[Message, list[str]]](), 0
    for message in messages:
        said = _masked_texts(message)
        run.append((message, said))
        size += sum(map(len, said))
        if size >= _TOGETHER:
            yield run
            run, size = [], 0
    if run:
        yield run


def _masked_texts(message: Message) -> list[str]:
    """Return the texts that masking a message looks at, as they are before it."""
    found = _texts_of(message.parts)
    return [*found, *_joined(message.typed), *message.typed] if message.typed else found


def _has_more(parts: Sequence[Part]) -> bool:
    """Return whether more than texts is looked at: a number in JSON, or a value with its name next to it."""
    for part in parts:
        match part:
            case ToolResult(content=content) if _has_more(content):
                return True
            case ToolCall(input=given) | Document(raw=given) | Unknown(raw=given) if _names_values(given):
                return True
    return False


def _names_values(given: JsonObject) -> bool:
    waiting: list[Any] = [given]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict):
            if "value" in holder:
                return True
            holder = holder.values()
        for value in holder:
            if type(value) is int and abs(value) >= _LEAST_NUMBER:
                return True
            if isinstance(value, dict | list):
                waiting.append(value)
    return False


def _texts_of(parts: Sequence[Part]) -> list[str]:
    found = [*_joined(_apart(parts))] if len(parts) > 1 else []
    for part in parts:
        match part:
            case Text(text) | Thinking(text):
                found.append(text)
            case Document(title, raw):
                found += (title, *_texts_in(raw))
            case Unknown(kind, raw):
                found += (kind, *_texts_in(raw))
            case Image(url=url):
                found.append(url)
            case ToolCall(call_id, name, given):
                found += (call_id, name, *_texts_in(given))
            case ToolResult(call_id, content):
                found.append(call_id)
                found += _texts_of(content)
    return found


def _apart(parts: Sequence[Part]) -> list[str]:
    """Return the texts of parts; any other part keeps texts apart."""
    return [part.text if isinstance(part, Text) else "" for part in parts]


def _joined(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts that a secret may straddle, joined."""
    yield from ("".join(run) for run in _runs(texts) if len(run) > 1)


def _texts_in(given: JsonObject) -> Iterator[str]:
    yield from strings(given)
    with suppress(*_NO_JSON):
        yield _outline(given)


# What nests too deeply, or is not JSON at all.
_NO_JSON = (RecursionError, UnicodeEncodeError, TypeError, ValueError, msgspec.DecodeError)


def _masked_parts(parts: tuple[AnyPart, ...], redactor: Redactor) -> tuple[AnyPart, ...]:
    """Mask each part on its own, after the secrets that straddle texts; the same tuple if nothing changed."""
    joined: Sequence[AnyPart] = parts
    if sum(isinstance(part, Text) for part in parts) > 1:
        texts = _apart(parts)
        found = zip(parts, without_straddling(texts, redactor), texts, strict=True)
        joined = [part if new == old else replace(part, text=new) for part, new, old in found]
    masked = tuple(_masked_part(part, redactor) for part in joined)
    return parts if all(map(is_, masked, parts)) else masked


def _masked_part(part: AnyPart, redactor: Redactor) -> AnyPart:
    changes: dict[str, Any] = {}
    match part:
        case Text(text) | Thinking(text):
            changes["text"] = redactor(text)
        case Document(title, raw):
            changes |= {"title": redactor(title), "raw": _masked_input(raw, redactor)}
        case Unknown(kind, raw):
            changes |= {"type": redactor(kind), "raw": _masked_input(raw, redactor)}
        case Image(url=url):
            changes["url"] = redactor(url)
        case ToolCall(call_id, name, given):
            changes |= {"input": _masked_input(given, redactor), "id": redactor(call_id), "name": redactor(name)}
        case ToolResult(call_id, content):  # a secret in an id is masked in call and result alike: they stay a pair
            changes |= {"content": _masked_parts(content, redactor), "call_id": redactor(call_id)}
    is_same = all(new is getattr(part, field) for field, new in changes.items())
    return part if is_same else replace(part, **changes)


def _masked_input(given: JsonObject, redactor: Redactor) -> JsonObject:
    """Mask the strings of a call's input or a raw block, alone, then with names around them; unchanged without secrets.

    It may be nested to any depth. A `value` with a `name` or `key` next to it is treated as assigned to that.
    """
    changed, copy = False, dict(given)
    waiting: list[Any] = [copy]
    while waiting:
        holder = waiting.pop()
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                masked: str = redactor(value)
                name = holder.get("name") or holder.get("key") if place == "value" else None
                if isinstance(name, str):
                    head = f'{name}="'
                    assigned = redactor(f'{head}{masked}"')
                    if assigned.startswith(head) and assigned.endswith('"'):
                        masked = assigned[len(head) : -1]
                holder[place] = masked
                changed = changed or masked != value
            elif type(value) is int and abs(value) >= _LEAST_NUMBER:
                head = f"{place}="
                masked = redactor(f"{head}{value}").removeprefix(head)
                if masked != str(value):
                    holder[place], changed = masked, True
            elif isinstance(value, dict | list):
                holder[place] = value.copy()
                waiting.append(holder[place])
    cleaned = copy if changed else given
    with suppress(*_NO_JSON):  # a mask may swallow a bracket or a quote
        if redactor.find(_outline(cleaned)):
            safe = redactor(msgspec.json.encode(cleaned).decode())
            return msgspec.json.decode(safe, type=dict[str, Any]) or cleaned
    return cleaned


def _outline(given: JsonObject) -> str:
    """Return JSON without the long texts in it, such as a file's: no value of a name; "" if nothing has a name."""
    if not any(may_name(name, value) for name, value in given.items()):
        return ""
    short = {name: "" if isinstance(text, str) and _is_long(text) else text for name, text in given.items()}
    return msgspec.json.encode(short).decode()


def _is_long(text: str) -> bool:
    return len(text) > _LONGEST_VALUE and "\n" in text


def without_straddling(texts: Sequence[str], redactor: Redactor) -> list[str]:
    """Mask secrets that straddle consecutive texts, such as streamed ones, at the start of each."""
    result: list[str] = []
    for run in _runs(texts):
        whole, cuts = "".join(run), [0, *accumulate(map(len, run))]
        spans = redactor.find(whole) if len(run) > 1 else ()
        straddling = [span for span in spans if span.end > cuts[bisect_right(cuts, span.start)]]
        for start, end in pairwise(cuts):
            pieces, at = [], start
            for span in straddling[bisect_right(straddling, start, key=lambda span: span.end) :]:
                if span.start >= end:
                    break
                if span.start >= start:
                    pieces += [whole[at : span.start], redactor.placeholder(whole, span)]
                at = min(span.end, end)
            result.append("".join([*pieces, whole[at:end]]))
    return result


def _runs(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield groups of texts with no blank where they meet; a key contains blanks and line ends itself."""
    first, in_key = 0, False
    for place, (left, right) in enumerate(pairwise(texts), 1):
        in_key = "-----END" not in left and (in_key or "PRIVATE KEY-----" in left)
        if not in_key and (not left or not right or left[-1].isspace() or right[0].isspace()):
            yield texts[first:place]
            first = place
    yield texts[first:]
