"""What a chat's own tool replaced when it compacted the chat, as far as the chat's source still holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Chat, Message, texts
from compact_chat.errors import NothingToCompact
from compact_chat.read.formats import function
from compact_chat.read.loose import with_own_ids
from compact_chat.read.resolve import resolved, with_summary_marked
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS

Replacement = tuple[Sequence[Message], Sequence[Message]]  # what went to the model before a compaction and right after
Finder = Callable[[Source, str], Iterator[Replacement]]  # a reader's `earlier`: the newest compaction comes first


class Segment(Struct, frozen=True):
    """The messages that a compaction replaced, and those that went to the model in their place.

    A message that the compaction kept, under any id, is not among those that it replaced. The summary that another
    compaction wrote before is: filter by `is_summary`.
    """

    messages: tuple[Message, ...]
    after: tuple[Message, ...]
    turns: tuple[int, ...] = ()  # of each message: how often the user had spoken, also in messages that were kept
    spoken: int = 0  # and how often at the end

    @property
    def summary(self) -> str:
        """The text that the tool wrote in place of the messages; empty where it only dropped them."""
        return next((message.text.strip() for message in self.after if message.is_summary), "")


def earlier(source: Source, chat: Chat) -> tuple[Segment, ...]:
    """Give what each compaction of a chat replaced, the oldest first.

    With the messages of the chat these are the whole record: each message once, in order, under an id of its own.
    """
    found = [one for one in reversed(list(_segments(source, chat))) if one.messages or one.summary]
    replaced = (message for one in found for message in one.messages)
    named = islice(with_own_ids((*chat.messages, *replaced)), len(chat.messages), None)
    return tuple(replace(one, messages=tuple(islice(named, len(one.messages)))) for one in found)


def newest_replaced(source: Source, chat: Chat) -> Segment:
    """Find what the newest compaction replaced; raises NothingToCompact if the chat's source does not hold it."""
    found = next(_segments(source, chat), None)
    if found is not None and found.summary and len(found.messages) + len(found.after) > 1:
        return found
    if any(warning.code == "encryptedSummary" for warning in chat.warnings):
        reason = "The summary of this chat is encrypted, so it cannot be checked; give a summary of your own."
    elif any(message.is_summary for message in chat.messages):
        reason = "What the summary of this chat replaced is not in it; give a summary and the chat that it was made of."
    elif found is not None:
        reason = "The newest compaction of this chat left no summary that can be read; give a summary of your own."
    else:
        reason = "No compaction is recorded in this chat; give `summary` to check that against the chat."
    raise NothingToCompact(reason, recorded=found is not None)


def _segments(source: Source, chat: Chat) -> Iterator[Segment]:
    of = FORMATS[chat.format]
    find: Finder | None = function(of, "earlier") if "earlier" in of.optional else None
    for replacement in find(source, chat.format) if find else ():
        before, after = (with_summary_marked(tuple(resolved(messages, chat.format))) for messages in replacement)
        kept = Counter(content for message in after for content in _contents(message))
        turns = tuple(accumulate(bool(message.typed_text) for message in before))
        replaced = []
        for message, turn in zip(reversed(before), reversed(turns), strict=True):  # of equal ones, the newest are kept
            checkpoint()
            content = _content(message)
            if kept[content]:
                kept[content] -= 1
            else:
                replaced.append((message, turn))
        messages, places = zip(*reversed(replaced), strict=True) if replaced else ((), ())
        yield Segment(messages, after, places, turns[-1] if turns else 0)


def _contents(message: Message) -> Iterator[tuple[str, ...]]:
    """By what the messages are recognized that a compaction kept: as a copy under another id, or in its summary."""
    yield _content(message)
    for words in (message.typed or ()) if message.is_summary else ():
        yield ("user", words)


def _content(message: Message) -> tuple[str, ...]:
    words = "" if message.is_summary or message.results else message.typed_text
    return (message.role, words) if words else (message.role, *texts(message))
