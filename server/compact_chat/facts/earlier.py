"""The user's words and rules that earlier summaries and opening messages quote.

> Count the trays.                           in a turn of a hand-over
All user messages:                           under this heading or a similar one, in any markup
- Fix the tax rounding.
Rules that the user set, verbatim:
- "Never touch till.py."
## Recent messages
[User]: And the tests?                       a message that was kept
### Turn 3, word for word                    and one in a hand-over
> And the tests?
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.user import Request, earlier_summaries
from compact_chat.facts.words import fold
from compact_chat.text import (
    CLOSING,
    CONTINUED,
    HANDOVER,
    KEPT_HEADINGS,
    KEPT_TURN,
    QUOTES,
    fenced_lines,
    opening_end,
    without_opening,
    without_ours,
)

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
_NUMBER = re.compile(r"\d{1,2}[.)]")
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
        number = _NUMBER.match(words)
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
