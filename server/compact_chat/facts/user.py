"""What the user wants: requests, todos, a project's summary instructions; and what earlier summaries quote of it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.errors import checkpoint
from compact_chat.facts.steps import Step, plain_name
from compact_chat.facts.words import fold
from compact_chat.text import (
    CLOSING,
    CONTINUED,
    HANDOVER,
    KEPT_HEADINGS,
    KEPT_TURN,
    QUOTES,
    fenced_lines,
    is_summary_text,
    line_feeds,
    marked_lines,
    opening_end,
    strip_summary_wrappers,
    without_opening,
    without_ours,
)


class Request(Struct, frozen=True):
    """What a person typed in one message."""

    text: str
    message: str


def requests(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List what a person typed, in order, as the readers recorded it: no host text, no earlier summaries."""
    return tuple(Request(message.typed_text, message.id) for message in messages if message.typed_text)


def earlier_summaries(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List the summaries of earlier compactions, unwrapped."""
    found = []
    for message in messages:
        if summaries := summary_parts(message):
            texts = (part.text for part in message.parts if isinstance(part, Text) and part in summaries)
            found += [Request(strip_summary_wrappers(text), message.id) for text in texts]
    return tuple(summary for summary in found if summary.text)


def summary_parts(message: Message) -> frozenset[Text]:
    """Return a message's texts that are earlier summaries: those in a wrapper, else the first if a tool marked it."""
    checkpoint()
    if message.role != "user" and not message.is_summary:
        return frozenset()
    texts = [part for part in message.parts if isinstance(part, Text)]
    wrapped = frozenset(part for part in texts if message.role == "user" and is_summary_text(part.text))
    return wrapped or frozenset(texts[:1] if message.is_summary else ())


# The todo list as the last call left it.

Status = Literal["open", "doing", "done"]

# Tools that write the whole list, and the arguments that hold it.
_WRITERS = frozenset({"todowrite", "updateplan", "managetodolist", "writetodos"})
_LISTS = ("todos", "plan", "todoList")
_TEXTS = ("content", "step", "title", "subject", "description", "text")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "deleted"})
_TASK_NUMBER = re.compile(r"#(\d{1,9})")


class Todo(Struct, frozen=True):
    """A todo item, and the ids of the messages that set its status and that first listed it."""

    text: str
    status: Status
    message: str
    first: str = ""
    details: str = ""


def listed_todos(step: Step) -> list[Todo] | None:
    """Return the todo list that a call writes whole; None for other calls, and for one that only reads it."""
    if step.tool not in _WRITERS:
        return None
    entries = next((value for name in _LISTS if isinstance(value := step.call.input.get(name), list)), None)
    return None if entries is None else [_todo(item, step) for item in entries if isinstance(item, dict)]


def todos(taken: Sequence[Step]) -> tuple[Todo, ...]:
    """List the items of the newest todo list, in order."""
    items: dict[str, Todo] = {}
    first: dict[str, str] = {}
    for step in taken:
        given = step.call.input
        if step.outcome == "failed":
            continue
        if (listed := listed_todos(step)) is not None:
            items = {str(place): item for place, item in enumerate(listed)}
            for item in listed:
                first.setdefault(item.text, item.message)
        elif step.tool == "taskcreate":
            number = _TASK_NUMBER.search((step.answer or "")[:200])
            item = items[number[1] if number else str(len(items) + 1)] = _todo(given, step)
            first.setdefault(item.text, item.message)
        elif step.tool == "taskupdate":
            key, status = str(given.get("taskId")), given.get("status")
            if key in items and status is not None:
                items[key] = replace(items[key], status=_status(status), message=step.message)
    return tuple(replace(item, first=first[item.text]) for item in items.values() if item.text)


def _todo(entry: JsonObject, step: Step) -> Todo:
    text, *more = [value.strip() for name in _TEXTS if isinstance(value := entry.get(name), str)] or [""]
    return Todo(text, _status(entry.get("status")), step.message, details=" ".join(more))


def _status(value: object) -> Status:
    name = plain_name(str(value)).replace(" ", "")
    return "done" if name in _DONE else "doing" if name in ("inprogress", "doing") else "open"


# The summary sections of a project's instruction file (rule P8).

_TITLES = frozenset({"compact instructions", "summary instructions"})
LONGEST_SECTION = 16_000  # characters; a longer one is cut after its last whole line
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_NUMBER = re.compile(r"\d{1,3}[.)]")
_MARKS = " \t#*_:"


def instruction_sections(text: str) -> tuple[str, ...]:
    """Return the text under each heading for summaries, up to the next heading of the same or a higher level.

    Such a section inside another one belongs to that one; code fences have no headings.
    """
    marked = list(marked_lines(line_feeds(text.removeprefix("\ufeff"))))
    lines = [line for line, _ in marked]
    found: list[str] = []
    start = depth = 0  # depth: the level of the open section, 0 for none
    for place, (line, fenced) in enumerate(marked):
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is None:
            continue
        level = len(heading[1])
        if depth and level <= depth:
            found.append("\n".join(lines[start:place]))
            depth = 0
        if not depth:
            title = heading[2].strip(_MARKS)
            if number := _NUMBER.match(title):
                title = title[number.end() :].strip(_MARKS)
            if " ".join(title.lower().split()) in _TITLES:
                start, depth = place + 1, level
    if depth:
        found.append("\n".join(lines[start:]))
    sections = []
    for section in filter(None, map(str.strip, found)):
        cut = section[: LONGEST_SECTION + 1].rpartition("\n")[0] or section[:LONGEST_SECTION]
        sections.append(section if len(section) <= LONGEST_SECTION else cut.rstrip())
    return tuple(sections)


# The user's words and rules that earlier summaries and opening messages quote:
#
#     > Count the trays.                           in a turn of a hand-over
#     All user messages:                           under this heading or a similar one, in any markup
#     - Fix the tax rounding.
#     Rules that the user set, verbatim:
#     - "Never touch till.py."
#     ## Recent messages
#     [User]: And the tests?                       a message that was kept
#     ### Turn 3, word for word                    and one in a hand-over
#     > And the tests?

# What the offline writer begins with, its headings, and marks in its lines.
EXTRACTED = "(Extracted from the chat by rules, without a model."
WORDS_HEADING = "The user's words:"
RULES_HEADING, PREFERENCES_HEADING = "Rules that the user set, verbatim:", "Preferences that the user stated, verbatim:"
SUPERSEDED = " (superseded by a later rule)"
_LEFT_OUT = re.compile(r"\[\.\.\. \d+ more messages? left out \.\.\.\]")

_CUT = re.compile(r"\[\.\.\. (\d{1,12}) characters omitted \.\.\.\]")  # rule T6
_PRUNED = re.compile(r"\[\.\.\.(\d{1,12}) chars pruned\.\.\.\]")  # rule X5
_SHOWN = 300  # characters

Kind = Literal["words", "rules"]
_KINDS: dict[str, Kind] = {  # by headings, also those that models are asked for
    "the user's words": "words",
    "all user messages": "words",
    "rules that the user set, verbatim": "rules",
    "preferences that the user stated, verbatim": "rules",
    "constraints & preferences": "rules",
    "rules": "rules",
}
QUOTED_ABOVE = "[quoted above]"
_QUOTE = re.compile(r"^> ?", re.MULTILINE)
_LONGEST_HEADING = 60  # characters
_TITLE_NUMBER = re.compile(r"\d{1,2}[.)]")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_ENTRY = re.compile(
    r"^\[(?:(User|Assistant(?: thinking)?|System|Host|Previous Summary)\]: "
    r"|Tool (?:call|result|error)(?: #[^\s:\]]{0,200})?(?:\]: |: )?)",
    re.MULTILINE,
)
_KEPT = re.compile(rf"^(?:{'|'.join(map(re.escape, KEPT_HEADINGS))})\n", re.MULTILINE)
_KEPT_TURN = re.compile(rf"### (?:Turn \d{{1,9}}|Before turn 1){re.escape(KEPT_TURN)}")
_OMITTED = re.compile(r"\[\d{1,9} messages? omitted\]")
_SAID = "- Assistant: "
_GUARD = re.compile(r"^([ \t]*)\\(?=[\[#*-])", re.MULTILINE)  # before what would pass for a label or a heading
_NOTHING = frozenset({"", "(none)", "none", "none.", "n/a"})


class Omission(Struct, frozen=True):
    """A message that stays but is cut: how what is left of it begins, and the characters that are not there."""

    text: str
    characters: int


class Inherited(Struct, frozen=True):
    """Words and rules of the user, each with the id of the message that holds the summary."""

    words: tuple[Request, ...] = ()
    rules: tuple[Request, ...] = ()


def inherited(messages: Sequence[Message], restored: Container[str] = ()) -> Inherited:
    """Collect what the earlier summaries in a chat quote of the user, the oldest first.

    Summaries in `restored`, by message id, are skipped: what they quote is among the messages itself.
    """
    found: dict[Kind, list[Request]] = {"words": [], "rules": []}
    typed = {fold(message.typed_text) for message in messages}
    for one in earlier_summaries(messages):
        if one.message in restored:
            continue
        summary, kept = summary_and_kept(one.text)
        quotes = [(kind, Request(text, one.message)) for kind, text in _quotes(summary)]
        said = [Request(text, one.message) for speaker, text in kept if speaker == "User"]
        known = typed | {fold(words.text) for words in said}
        below = [text for text, is_below in _turns(summary) if is_below]
        above = [text for text, is_below in _turns(summary) if not is_below and fold(text) not in known]
        whole = (*below, *(words.text for words in said))
        above = [text for text in above if not ((cut := _CUT.search(text)) and _begins(whole, text[: cut.start()]))]
        turns = [Request(text, one.message) for text in (*below, *above)]
        found["words"] += [*(words for kind, words in quotes if kind == "words"), *turns, *said]
        # Where our own list of rules is, the quotes have no more, and what was cut out of them may read like one.
        found["rules"] += [words for kind, words in quotes if kind == "rules" or not (turns or EXTRACTED in summary)]
        found["rules"] += (words for words in said if not _CUT.search(words.text))
    return Inherited(tuple(found["words"]), tuple(found["rules"]))


def _begins(texts: Sequence[str], words: str) -> bool:
    return any(text.startswith(words.rstrip()) for text in texts)


def summary_and_kept(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Split an opening message into its summary and the kept messages, each with its speaker.

    Any other text is a summary as a whole.
    """
    if not (end := opening_end(text)):
        return text, []
    body = without_ours(without_opening(text[:end])).removesuffix(CLOSING)
    if not text.lstrip().startswith(CONTINUED):
        return _record_and_kept(body)
    headings = list(_KEPT.finditer(body))
    if not headings:
        return body.strip(), []
    kept = body[headings[-1].end() :]
    starts = [*_ENTRY.finditer(kept)]
    ends = [*(entry.start() for entry in starts[1:]), len(kept)][: len(starts)]
    entries = [(entry[1], _plain(kept[entry.end() : at])) for entry, at in zip(starts, ends, strict=True)]
    return body[: headings[-1].start()].strip(), entries


def _record_and_kept(body: str) -> tuple[str, list[tuple[str, str]]]:
    """Take the turns that stand word for word out of a hand-over."""
    rest, kept = list[str](), list[tuple[str, list[str]]]()
    is_kept = is_quote = False
    for line in body.split("\n"):
        if _KEPT_TURN.fullmatch(line):
            is_kept, is_quote = True, False
        elif not is_kept:
            rest.append(line)
        elif line.startswith(">"):
            if not is_quote:
                kept.append(("User", []))
            kept[-1][1].append(line[2:])
            is_quote = True
        elif line.startswith("- "):
            speaker = "Assistant" if line.startswith(_SAID) else ""
            kept.append((speaker, [line.removeprefix(_SAID if speaker else "- ")]))
            is_quote = False
        elif kept and (not line or line.startswith("  ")):
            kept[-1][1].append(line[2:])
            is_quote = False
        elif not _OMITTED.fullmatch(line):  # what the message ends with
            rest.append(line)
            is_kept = False
    entries = [(speaker, _plain("\n".join(lines))) for speaker, lines in kept]
    return "\n".join(rest).strip(), [entry for entry in entries if entry[1] != QUOTED_ABOVE]


def omissions(text: str) -> tuple[int, tuple[Omission, ...]]:
    """Count the messages that a text has word for word, and list those of them that it has cut, with what is left out.

    A message that opens a chat tells what it keeps, and prunes leave their marks in the messages themselves.
    """
    kept = summary_and_kept(text)[1]
    cut = [Omission(words, sum(map(int, sizes))) for _, words in kept if (sizes := _CUT.findall(words))]
    pruned = [Omission(text[max(0, at.start() - _SHOWN) : at.start()], int(at[1])) for at in _PRUNED.finditer(text)]
    return len(kept) + len(pruned), (*cut, *pruned)


def _quotes(summary: str) -> Iterator[tuple[Kind, str]]:
    """Yield the items below the headings of words and rules; they are as far indented as the first one."""
    kind: Kind | None = None
    depth: int | None = None
    numbered = False  # the headings are, so that no item is
    piece: list[str] = []
    lines = summary.split("\n")
    for line, fenced in zip((*lines, "end"), (*fenced_lines(lines), False), strict=True):
        indent = len(line) - len(line.lstrip())
        item = None if fenced else _ITEM.match(line, indent)
        if item and numbered and item[0][0].isdigit() and not indent:
            item = None
        if depth is None and item:
            depth = indent
        if fenced or not line.strip() or (indent > (depth or 0)) or (indent and not item):  # of the item above
            piece.append(line[min(indent, (depth or 0) + 2) :])
            continue
        if kind and (text := _quoted("\n".join(piece), kind)):
            yield kind, text
        piece = []
        words = line.strip(" \t#*_-")
        number = _TITLE_NUMBER.match(words)
        title = words[number.end() if number else 0 :].strip(" \t*_:") if len(words) <= _LONGEST_HEADING else ""
        if heading := _KINDS.get(title.lower()):
            kind, depth, numbered = heading, None, number is not None
        elif item and indent == depth:
            piece = [line[item.end() :]]
        else:
            kind = None


def _turns(summary: str) -> Iterator[tuple[str, bool]]:
    """Yield what the user said in the record of a hand-over, then what it begins with, which is newer."""
    brief, heading, record = f"\n{summary}".partition(f"\n## {HANDOVER[-1]}\n")
    for part in (record, brief.partition("\n## Next\n")[0]) if f"\n## {HANDOVER[0]}\n" in brief or heading else ():
        for quoted in QUOTES.finditer(part):
            text = _plain(_QUOTE.sub("", quoted[0]))
            if text != QUOTED_ABOVE:
                yield text, part is record


def _quoted(text: str, kind: Kind) -> str:
    """Return the user's words; empty for a note of the writer and for a superseded rule."""
    text = _plain(text)
    if text.lower() in _NOTHING or _LEFT_OUT.fullmatch(text) or text.endswith(SUPERSEDED):
        return ""
    is_quoted = text[:1] == text[-1:] == '"' and (kind == "rules" or text.count('"') == 2)
    return text[1:-1] if is_quoted else text


def _plain(text: str) -> str:
    """Undo the escaping of labels and tags."""
    return _GUARD.sub(r"\1", text.replace("&lt;", "<")).strip()
