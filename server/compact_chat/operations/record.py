"""The whole record of a chat, with what its tool's own compactions replaced; and how much of it a text keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from compact_chat.chat import Chat
from compact_chat.facts import Fact, Facts, find_facts, in_force, survival
from compact_chat.operations.chats import replaced_by
from compact_chat.wire import Looked, Survival

if TYPE_CHECKING:
    from compact_chat.operations.job import Job
    from compact_chat.read import Segment
    from compact_chat.redact import MaskedMessage, Redactor


class Record(Struct, frozen=True, dict=True):
    """The messages of a chat without secrets, the oldest first.

    `restored` are the ids of summaries whose originals are among the messages, and `summaries` what these say.
    """

    messages: tuple[MaskedMessage, ...]
    earlier: int = 0  # of the messages, those that are no longer in the chat
    restored: frozenset[str] = frozenset()
    summaries: str = ""

    @cached_property
    def facts(self) -> Facts:
        """What the messages hold."""
        return find_facts(self.messages, self.restored)

    def missing_in(self, text: str, clean: Redactor) -> list[Fact]:
        """List the facts that a text lacks."""
        clean.prepare(one for fact in self.in_force for one in (fact.text, *fact.marks))
        lost = {one.id for of_class in survival(self.in_force, text, clean).classes for one in of_class.lost}
        return [fact for fact in self.in_force if fact.id in lost]

    @cached_property
    def in_force(self) -> tuple[Fact, ...]:
        """The facts that hold at the end."""
        return in_force(self.facts)


def record_of(masked: Sequence[MaskedMessage], segments: Sequence[Segment], clean: Redactor, job: Job) -> Record:
    """Put what the tool's compactions replaced before the messages of a chat, which are masked already."""
    earlier = clean.messages(job.each(replaced_by(segments), "Masking secrets"))
    written = (one for segment in segments if segment.messages for one in segment.after)
    restored = frozenset(one.id for one in written if one.is_summary)
    summaries = clean("\n".join(segment.summary for segment in segments))
    return Record((*earlier, *masked), len(earlier), restored, summaries)


def learn(clean: Redactor, chat: Chat, segments: Sequence[Segment], job: Job, *more: str | None) -> None:
    """Find the secrets of a chat, of what its tool's compactions replaced, and of more texts about it."""
    messages = job.each([*chat.messages, *replaced_by(segments)], "Looking for secrets")
    summaries = (segment.summary for segment in segments)
    clean.learn(messages, filter(None, (*summaries, chat.system, chat.title, chat.workspace, *more)))


def kept_of(
    record: Record,
    text: str,
    of: Literal["continuation", "messages"],
    clean: Redactor,
    count: Callable[[str], int],
    *,
    listed: bool = False,
) -> tuple[Survival, int]:
    """Compare a record with what the next request holds of it; and count the facts that the tool had lost.

    These are facts that the text has and none of the tool's own summaries had.
    """
    facts = record.in_force
    clean.prepare(one for fact in facts for one in (fact.text, *fact.marks))
    found = survival(facts, text, clean, count, listed=listed)
    words = next((one.total for one in found.classes if one.name == "userMessages"), 0)
    scope = Looked(messages=len(record.messages), user_messages=words, before_last_compaction=record.earlier)
    return structs.replace(found, of=of, scope=scope), _healed(record, facts, found, clean)


def _healed(record: Record, facts: Sequence[Fact], found: Survival, clean: Callable[[str], str]) -> int:
    if not record.earlier:
        return 0
    lost = {one.id for of_class in found.classes for one in of_class.lost}
    replaced = {message.id for message in record.messages[: record.earlier]}
    kept = [fact for fact in facts if fact.message in replaced and fact.id not in lost]
    by_tool = survival(kept, record.summaries, clean)
    return sum(len(of_class.lost) for of_class in by_tool.classes)
