"""The whole record of a chat, with what its tool's own compactions replaced, and how much of it a text keeps.

Where a tool has compacted its chat, the record tells what that dropped, and the archive takes it like one of ours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct, structs

from compact_chat import disk
from compact_chat.chat import Chat, Message, strings, texts
from compact_chat.errors import NothingToCompact
from compact_chat.facts import Fact, Facts, Kind, find_facts, in_force, survival
from compact_chat.operations.archives import head_of
from compact_chat.operations.chats import chat_of, earlier_in, replaced_by, shown_title, wire_time
from compact_chat.operations.job import ClientState, Job
from compact_chat.operations.table import ChatRef
from compact_chat.read import Segment
from compact_chat.redact import Redactor
from compact_chat.resume import as_anthropic
from compact_chat.wire import Compaction, Counts, Looked, Survival

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
    stay: Sequence[Message] = (),
) -> tuple[Survival, int]:
    """Compare a record with what the next request holds of it; and count the facts that the tool had lost.

    These are facts that the text has and none of the tool's own summaries had.
    """
    facts = record.in_force
    clean.prepare(one for fact in facts for one in (fact.text, *fact.marks))
    found = survival(facts, text, clean, count, listed=listed, stay=stay)
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


Author = Literal["user", "assistant"]
MOST_ERRORS = 10  # the newest that are looked for in what was said


class Quote(Struct, frozen=True):
    """Something that is missing, without secrets: who said it, and in which turn of the user.

    Without an author it is not shown as a quote: the program worded it.
    """

    kind: Kind
    text: str
    author: Author | None
    turn: int


class ByTool(Struct, frozen=True, dict=True):
    """A chat after a compaction by its own tool, and the whole record of it."""

    chat: Chat
    record: Record
    summary: str
    clean: Redactor
    segments: tuple[Segment, ...] = ()

    @cached_property
    def now(self) -> str:
        """All that the next request holds: the summary, and each message behind it."""
        live = self.record.messages[self.record.earlier :]
        return "\n".join((self.summary, *(text for message in live for text in texts(message))))

    def missing(self, kinds: Sequence[Kind], known: str = "") -> list[Quote]:
        """Quote what still holds and neither the next request nor a `known` text has, by the order of the kinds.

        Only words of the user and of the assistant: what a tool returned may be anybody's.
        """
        lost, found = self.record.missing_in(f"{self.now}\n{known}", self.clean), list[Quote]()
        for kind in kinds:
            facts = [fact for fact in lost if fact.kind == kind]
            quotes = self._errors(facts[-MOST_ERRORS:]) if kind == "errors" else map(self._quote, facts)
            said = {one.text for one in found}  # a value may stand in the sentence of a decision
            found += [quote for quote in quotes if quote and quote.text not in said]
        return found

    def _quote(self, fact: Fact) -> Quote | None:
        message, turn = self._turns.get(fact.message, (None, 0))
        if message is None or message.is_summary or message.by_host:
            return None
        if message.role == "user" and not message.typed_text:
            return None
        if fact.kind == "decisions" and fact.text.rstrip(" *").endswith(":"):  # what was decided comes after it
            return None
        said = (*message.texts, *strings([call.input for call in message.calls]))
        is_said = any(" ".join(fact.text.split()) in " ".join(text.split()) for text in said)
        author: Author = "user" if message.role == "user" else "assistant"
        return Quote(fact.kind, self.clean(fact.text), author if is_said else None, turn)

    def _errors(self, lost: Sequence[Fact]) -> Iterator[Quote]:
        """Quote open errors as the user or the assistant wrote them, else the call that failed, as a command."""
        calls = {(error.text, error.message): error.where for error in self.record.facts.errors}
        told: set[str] = set()
        for fact in lost:
            by = next((one for one in self._spoken if fact.text.strip() in one[0]), None)
            if by:
                yield Quote("errors", self.clean(fact.text.strip()), by[1], by[2])
                continue
            message, turn = self._turns.get(fact.message, (None, 0))
            call = calls.get((fact.text, fact.message), "")
            if message and call and call not in told and call not in self.now:
                told.add(call)
                yield Quote("commands", self.clean(call), "assistant", turn)

    @cached_property
    def _spoken(self) -> list[tuple[str, Author, int]]:
        """What the user and the assistant wrote in the replaced messages, with the turns, the newest first."""
        found: list[tuple[str, Author, int]] = []
        for message, turn in self._turns.values():
            if message.role == "user" and message.typed_text:
                found.append((message.typed_text, "user", turn))
            elif message.role == "assistant" and not message.is_summary:
                found.append((message.text, "assistant", turn))
        return found[::-1]

    @cached_property
    def _turns(self) -> dict[str, tuple[Message, int]]:
        """Each replaced message with the number of its turn: those that the user began, from 1 on."""
        found: dict[str, tuple[Message, int]] = {}
        messages, before = iter(self.record.messages), 0
        for segment in self.segments:
            for message, turn in zip(islice(messages, len(segment.messages)), segment.turns, strict=True):
                found[message.id] = message, before + turn
            before += segment.spoken - sum(bool(message.typed_text) for message in segment.after)
        return found


def after_compaction(ref: ChatRef, job: Job) -> ByTool:
    """Read a chat that its tool has compacted; raise NothingToCompact where its summary cannot be read."""
    chat = chat_of(ref)
    segments = earlier_in(chat, ref)
    if not segments or not segments[-1].summary:
        raise NothingToCompact("The newest compaction of this chat left no summary that can be read.")
    clean = job.client.redactor()
    learn(clean, chat, segments, job)
    record = record_of(clean.messages(job.each(chat.messages, "Masking secrets")), segments, clean, job)
    return ByTool(chat, record, clean(segments[-1].summary), clean, segments)


# In the archive, such a compaction is one like ours: it can be listed, looked at, exported and undone.


def keep_original(uri: str, length: int, found: ByTool | None, job: Job, *, noted: int = -1) -> None:
    """Archive a compaction of the chat in a file, whose first bytes are the original.

    The original is not copied, since its tool only appends to the file. Without `found`, only the original is known,
    as of a summary that is encrypted. Archived again, a compaction replaces itself; one that was `noted` with another
    length is forgotten, unless somebody works on it.
    """
    folder = disk.archive_folder(job.client.settings.archive, uri)
    if folder is None:
        return
    data = disk.read_file(uri)[:length]
    form = found.chat.format if found else None
    kept = disk.Kept("file", hashlib.sha256(data).hexdigest(), len(data), form, in_place=True)
    compaction_id = _id_of(uri, length)
    disk.remember_folder(folder)
    archive = disk.Archive(folder)
    before = archive.head(compaction_id)
    at = before.at if before else wire_time()
    head = disk.Head(compaction_id, at, uri, kept)
    body = disk.Body({}, [])
    if found:
        done = _compaction(compaction_id, found, job.client)
        head = head_of(done, found.chat, kept, uri, at)
        messages = as_anthropic(found.record.messages[found.record.earlier :], foreign=True)
        body = disk.Body(msgspec.to_builtins(done), messages, workspace=found.clean(found.chat.workspace or ""))
    if not (before and before.draft):  # else somebody works on it
        archive.store(disk.Record(head, body), {}, job.client.settings.archive_limit)
    other = archive.head(_id_of(uri, noted)) if noted not in (-1, length) else None
    if other and not other.draft:
        archive.forget(other.id)


def _id_of(uri: str, length: int) -> str:
    return hashlib.sha256(f"{uri}\0{length}".encode(errors="surrogatepass")).hexdigest()[:32]


def _compaction(compaction_id: str, found: ByTool, client: ClientState) -> Compaction:
    chat, record = found.chat, found.record
    own = chat.compactions[-1] if chat.compactions else None
    before, after = (own.before, own.after) if own else (0, 0)
    survival: Survival = kept_of(record, found.now, "messages", found.clean, client.counter("o200k_base").count)[0]
    counts = Counts(
        before=len(record.messages),
        after=len(chat.messages),
        summarized=record.earlier,
        pruned=0,
        dropped=0,
        chars_pruned=0,
        tokens_saved=max(0, before - after),
        skipped=0,
        fixed=0,
        over_budget=False,
    )
    return Compaction(
        compaction_id=compaction_id,
        plan_id="",
        tool=chat.tool,
        title=shown_title(chat.title, found.clean),
        provider=chat.tool,
        model=None,
        style="",
        summary=found.summary,
        sections=None,
        continuation=found.summary,
        before=before,
        after=after,
        counts=counts,
        survival=survival,
        healed=0,
        warnings=chat.warnings,
        attempts=(),
        usage=None,
        archive=None,
    )
