"""Add facts to a finished text: to a summary of any style (rule H17), or to one that a person wrote.

Of a summary, each goes into the section where it belongs; all else of a person's text stays to the letter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from msgspec import structs

from compact_chat.chat import ToolCall
from compact_chat.facts import (
    QUOTED_ABOVE,
    WEIGHTS,
    Fact,
    Kind,
    Mentions,
    Step,
    command_head,
    error_head,
    fold,
    plain_command,
    shown_path,
    task_of,
    without_bullet,
)
from compact_chat.offline.answers import names_in
from compact_chat.offline.brief import common_folder, within
from compact_chat.offline.lines import Heads, Item, best, bullet, choose, cut, safe
from compact_chat.offline.record import ENDED, LOOKED_UP, RAN
from compact_chat.offline.writer import (
    BEFORE_ENDINGS,
    MATTERS,
    SMALL,
    Material,
    OfflineRequest,
    fitting,
    led_on,
    material_of,
    offered,
    priority,
    sections_of,
)
from compact_chat.styles import Slot, Summary, SummaryStyle, Topic
from compact_chat.text import CLOSING, RELATIVE_TO, code, marked_lines, quote, turn_heading

MORE = 1.3  # times the size of a reply, the budget or the room, for what a reply lacks
POOR = 0.95  # of what a text without a model says: a reply that lacks more is no part of it
LITTLE, NARROW = 0.25, 2000  # of the budget, for a reply; and the tokens below which there is no room to choose
SPOKEN_FIRST = 0.7  # of a short room, for single lines before commands
MOSTLY = 0.4  # of a piece, names: it says little else
LONGEST = 800  # characters of what the user said
FEWEST_FILES = 3  # that share a folder, to name it once
_SAID: Collection[Kind] = ("userMessages", "decisions", "todos", "values", "currentWork")  # once is enough
_PLACES: Mapping[Kind, Topic] = {
    "constraints": "rules",
    "preferences": "rules",
    "userMessages": "quotes",
    "errors": "openErrors",
    "state": "state",
    "decisions": "decisions",
    "todos": "todos",
    "modifiedFiles": "modified",
    "values": "results",
    "results": "results",
    "currentWork": "state",
    "commands": "commands",
    "readFiles": "oldFiles",  # not every style lists files that were only read
    "attachedFiles": "quotes",
}
_TURN_BEHIND = re.compile(r" \((?:turn \d+|before turn 1)\)$")
_FILE = re.compile(  # as a hand-over lists it
    r"(?P<tests>- New tests in )?`(?P<path>[^`]+)`"
    r"(?(tests): (?P<names>.*)|(?: \((?:written; )?(?:written|new: (?P<new>[^()]*))\))?)"
)
_TURN = re.compile(r"(?:Turn (\d+)|Before turn 1)\b.*")
_RAN = f"- {RAN} "  # before commands of a turn, on one line
ALSO = "## Also in the chat"  # above what is added to a text without sections


def most_valuable(
    missing: Sequence[Fact], totals: Mapping[Kind, int], room: int, count: Callable[[str], int]
) -> list[Fact]:
    """Choose the facts that fit: rules first, then what is worth the most of its class for its tokens.

    What one fact says no other has to say, and commands that only show something can be run again. Attached files are
    too long to come back unasked.
    """
    missing = [fact for fact in missing if fact.kind != "attachedFiles"]
    places = {fact.id: place for place, fact in enumerate(missing)}
    costs = {fact.id: count(shown(fact)) + 4 for fact in missing}
    folded = {fact.id: fold(fact.text) for fact in missing}

    def worth(fact: Fact) -> tuple[bool, float, int]:
        share = WEIGHTS[fact.kind] / max(1, totals.get(fact.kind, 0)) / costs[fact.id]
        return fact.kind == "constraints", share, places[fact.id]

    chosen: list[Fact] = []
    said = ""
    steps = {one: Step("", ToolCall("", "bash", {"command": one.text})) for one in missing if one.kind == "commands"}
    told = (one for one in missing if one not in steps or not task_of(steps[one]).only_reads)
    for fact in sorted(told, key=worth, reverse=True):
        words = folded[fact.id]
        is_said = fact.kind in _SAID and words in said
        if costs[fact.id] <= room and not is_said and not any(fold(mark) in said for mark in fact.marks):
            part = [one for one in chosen if one.kind in _SAID and folded[one.id] in words]
            chosen = [one for one in chosen if one not in part]
            room += sum(costs[one.id] for one in part) - costs[fact.id]
            chosen.append(fact)
            said += f"\n{words}"
    return sorted(chosen, key=lambda fact: places[fact.id])


def with_facts(
    summary: Summary,
    facts: Sequence[Fact],
    turns: Mapping[str, int],
    *,
    whole: Collection[str] = (),
    past: Collection[str] = (),
) -> Summary:
    """Return the summary with these facts; `turns` maps messages to their turns.

    A long message of the user is cut, unless it is one of those that have to be there `whole`. Errors whose text
    is in `past` go to their turn, not under Open.
    """
    style, sections = summary.style, dict(summary.sections or {})
    if not facts:
        return summary
    if not any(sections.values()):
        lines = "\n".join(safe(bullet(shown(fact, whole))) for fact in facts)
        return summary.with_text(f"{summary.text.rstrip()}\n\n{ALSO}\n{lines}")
    return filed(style, sections, facts, turns, whole, past)


def filed(
    style: SummaryStyle,
    sections: dict[str, Any],
    facts: Sequence[Fact],
    turns: Mapping[str, int],
    whole: Collection[str],
    past: Collection[str],
) -> Summary:
    """Return a summary of these sections and facts."""
    if style.by_turn:
        files = [fact for fact in facts if fact.kind in ("modifiedFiles", "readFiles")]
        facts = [fact for fact in facts if fact not in files]
        if files:
            new = (line for line in _files(files, whole) if line not in sections["files"])
            sections["files"] = "\n".join(filter(None, (sections["files"], *new)))
    for fact in facts:
        topic = _topic(fact, past) if style.by_turn else _PLACES[fact.kind]
        slot = next(slot for slot in style.slots if topic in slot.topics)
        if style.by_turn and slot.items:
            words = fact.text if fact.id in whole else cut(fact.text, LONGEST)
            text = quote(words) if fact.kind == "userMessages" else bullet(shown(fact, whole, past))
            text = text.replace("- ", _RAN, 1) if fact.kind == "commands" else text
            sections[slot.key] = _in_turn(sections[slot.key], turns.get(fact.message, 0), safe(text))
        else:
            sections[slot.key] = _below(sections.get(slot.key), slot, safe(shown(fact, whole)))
    return style.write(sections)


def _topic(fact: Fact, past: Collection[str]) -> Topic:
    """Return where a hand-over tells a fact: what is over in its turn, and a check that may fail as a warning."""
    if fact.text in past or fact.kind == "currentWork":
        return "fixedErrors"
    check = fact.note if fact.note and fact.note.kind == "check" else None
    return "doubts" if check and (check.stale or not check.ok) else _PLACES[fact.kind]


def _files(files: Sequence[Fact], whole: Collection[str]) -> Iterator[str]:
    """Yield the lines of files: their paths within the folder that most are in, but for those that have to be whole."""
    paths = [fact.text for fact in files if fact.id not in whole]
    folder = common_folder(paths) if len(paths) >= FEWEST_FILES else ""
    if folder:
        yield safe(f"{RELATIVE_TO}{code(shown_path(folder))}:")
    shown = {fact: code(shown_path(fact.text if fact.id in whole else within(fact.text, folder))) for fact in files}
    yield from (safe(f"- {path}") for fact, path in shown.items() if fact.kind == "modifiedFiles")
    read = [path for fact, path in shown.items() if fact.kind == "readFiles"]
    if read:
        yield safe(f"- Only read: {', '.join(read)}")


def with_record(summary: Summary, request: OfflineRequest, size: int, part: float = 1) -> Summary:
    """Return a model's hand-over with what it lacks of one without a model (rule H17).

    It gets as long as the budget or 130 % of its `size`. One that takes much of the budget may pass it, if all that a
    text of that budget has needs more room. Where that needs much more room, only `part` of the room is used.
    """
    if not summary.style.by_turn or not any((summary.sections or {}).values()):
        return summary
    count, budget, material = request.count, request.budget, material_of(request)
    lacking, heads = _Lacking(summary, material), Heads(count)
    is_small = budget < SMALL  # such a text tells sentences
    wanted = offered(material, budget, count) if is_small else fitting(material, request.style, budget, count)[0]
    needed = sorted(lacking.of(wanted), key=priority)
    most = _most(budget, size, is_poor=_size(needed) > POOR * _size(wanted))
    room = most - count(summary.reply)
    if part < 1 and sum(map(heads.cost, needed)) > room * (MORE if most == budget else 1):
        chosen, left = _few(material, needed, summary.text, round(part * room), heads), 0
    else:
        chosen, left = choose(needed, room, heads)
        left = left - most + max(budget, round(MORE * size)) if part == 1 else 0
    there = {item.text for item in wanted}
    rest = sorted(lacking.of(item for item in material.others if item.text not in there), key=priority)
    more, left = choose([item for item in rest if item.rank <= MATTERS], left, heads)
    written = "\n".join((summary.text, *(item.text for item in (*chosen, *more))))
    candidates = [one for one in material.record.candidates if one.item.text not in there]
    told, spent = best(candidates, names_in(written), left, heads)
    others, _ = choose([item for item in rest if item.rank > MATTERS], left - spent, heads)
    chosen = led_on([*chosen, *more, *told, *others])
    while chosen:
        done = summary.style.write(_joined(summary.sections or {}, sections_of(chosen)))
        if count(done.reply) <= most:
            return done
        chosen = chosen[: -1 - len(chosen) // 50]
    return summary


def _most(budget: int, size: int, *, is_poor: bool) -> int:
    """Return the tokens that a completed reply may have; one that takes little of the budget stays within it."""
    beyond = size if budget < NARROW else max(0, size - round(LITTLE * budget))
    own = round(MORE * size)
    passed = min(max(0, budget - own), round((MORE - 1) * budget), beyond)
    return max(own, budget + (size if is_poor and beyond else passed))


def _few(material: Material, items: Sequence[Item], written: str, room: int, heads: Heads) -> list[Item]:
    """Choose for little room: single lines of the assistant that name much, in place of how the turns ended."""
    short = [item for item in items if item.rank <= BEFORE_ENDINGS or not item.text.startswith(ENDED)]
    first, left = choose([item for item in short if item.rank < MATTERS], room, heads)
    written = "\n".join((written, *(item.text for item in first)))
    said, spent = best(material.record.spoken, names_in(written), round(SPOKEN_FIRST * left), heads)
    return [*first, *said, *choose([item for item in short if item.rank >= MATTERS], left - spent, heads)[0]]


def _size(items: Iterable[Item]) -> int:
    return sum(len(item.text) for item in items)


class _Lacking:
    """What a hand-over does not say yet of pieces of another one."""

    def __init__(self, summary: Summary, material: Material) -> None:
        self._sections = summary.sections or {}
        self._there = Mentions(summary.text, [use.path for use in material.facts.uses])
        self._folded, self._named = fold(summary.text), names_in(summary.text)

    def of(self, items: Iterable[Item]) -> list[Item]:
        """Return what is lacking: whole pieces, and of longer ones the lines."""
        return [lacking for item in items if (lacking := self._of(item))]

    def _of(self, item: Item) -> Item | None:
        """Return what is lacking of a piece."""
        if item.text == f"> {QUOTED_ABOVE}" or (item.section == "next" and self._sections.get("next")):
            return None
        if item.text.startswith(">"):
            words = "\n".join(line.removeprefix(">").strip() for line in item.text.split("\n"))
            return None if self._there.find("results", words) else item  # to the letter
        if item.section == "files":
            return self._file(item)
        head, *lines = item.text.split("\n")
        if not lines:
            return None if self._has(item) else item
        lines = [line for line in lines if not self._tells(line)]
        if item.section == "open" and not self._tells(head):  # an error, and what was found out about it
            return structs.replace(item, text="\n".join((head, *lines)))
        return structs.replace(item, text="\n".join((head, *lines))) if any(map(str.strip, lines)) else None

    def _has(self, item: Item) -> bool:
        """Whether the text has a piece: its command, all names of one that says little else, or most of its words."""
        if item.inline in (RAN, LOOKED_UP):
            return fold(item.text.partition("` →")[0]).strip("`") in self._folded
        names = names_in(item.text)
        says_names = sum(map(len, names)) > MOSTLY * len(item.text)
        return (says_names and names <= self._named) or self._tells(item.text)

    def _file(self, item: Item) -> Item | None:
        """Return a file, or of one that is there what is lacking of its new names; a list of files with a new one."""
        found = _FILE.fullmatch(item.text)
        if not found:
            return None if names_in(item.text) <= self._named else item
        names = found["new"] or found["names"] or ""
        lacking = [name for name in names.split(", ") if name and not self._there.find("values", name)]
        if not found["tests"] and not self._there.find("modifiedFiles", found["path"]):
            return item
        return structs.replace(item, text=item.text.replace(names, ", ".join(lacking))) if lacking else None

    def _tells(self, words: str) -> bool:
        return self._there.find("userMessages", _bare(words)) is not None


def _bare(words: str) -> str:
    """Return a line without what we put around what it tells."""
    return _TURN_BEHIND.sub("", without_bullet(words)).removeprefix("The user: ").strip(' "')


def _joined(sections: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Put sections below those that are there, and what belongs to a turn into it."""
    joined = dict(sections)
    for key, text in more.items():
        if key != "record":
            quotes, rest = _quotes_of(text)
            joined[key] = "\n".join(filter(None, (quotes and f"{quotes}\n", sections[key], rest)))
    for entry in more["record"]:
        title, _, text = entry.partition("\n")
        turn = _TURN.match(title)
        for part in filter(None, _quotes_of(text)):
            joined["record"] = _in_turn(joined["record"], int(turn[1] or 0) if turn else 0, part)
    return joined


def _quotes_of(text: str) -> tuple[str, str]:
    """Return the user's words at the beginning of a text, and the rest."""
    lines = text.split("\n")
    end = next((place for place, line in enumerate(lines) if line and not line.startswith(">")), len(lines))
    return "\n".join(lines[:end]).strip(), "\n".join(lines[end:])


def _below(section: Any, slot: Slot, text: str) -> Any:
    """Add a text to a section of any form."""
    if slot.members:
        return [*(section or ()), dict.fromkeys(slot.members, "") | {slot.members[0]: text}]
    if slot.items:
        return [*(section or ()), text]
    line = slot.bullet + bullet(text)[2:]
    return f"{section.rstrip()}\n{line}" if section else line


def _in_turn(record: Sequence[str], turn: int, text: str) -> list[str]:
    """Add a text to its turn in a record, or a turn that is not there yet."""
    numbers = [int(found[1] or 0) if (found := _TURN.match(entry)) else -1 for entry in record]
    entries, ran = list(record), text.startswith(_RAN)
    if turn in numbers and ran and entries[numbers.index(turn)].rpartition("\n")[2].startswith(_RAN):
        entries[numbers.index(turn)] += f"; {text.removeprefix(_RAN)}"
    elif turn in numbers:
        at = numbers.index(turn)
        title, _, rest = entries[at].partition("\n")
        apart = "\n\n" if rest.startswith(">") else "\n"  # two quotes in a row would be one message
        entries[at] = f"{title}\n{text}{apart}{rest}".rstrip() if text.startswith(">") else f"{entries[at]}\n{text}"
    else:
        at = next((place for place, number in enumerate(numbers) if number > turn), len(entries))
        entries.insert(at, f"{turn_heading(turn)}\n{text}")
    return entries


def shown(fact: Fact, whole: Collection[str] = (), past: Collection[str] = ()) -> str:
    """Write a fact as a line says it."""
    match fact.kind:
        case "constraints" | "preferences":
            return f'"{fact.text}"'
        case "userMessages":
            return fact.text if fact.id in whole else cut(fact.text, LONGEST)
        case "errors":
            return f"{'Failed' if fact.text in past else 'Unresolved'}: {code(error_head(fact.text))}"
        case "state":
            note = fact.note
            return f"Not run again since the last edit: {note.short}" if note and note.stale else fact.text
        case "commands":
            return code(command_head(plain_command(fact.text)))
        case "modifiedFiles" | "readFiles":
            return code(shown_path(fact.text))
        case "attachedFiles":
            return "\n".join((f"Attached by the user: {code(shown_path(fact.text))}", *fact.marks))
        case "results":
            return f"Returned: {code(fact.text)}"
    return fact.text


Piece = tuple[tuple[str, ...], list[str]]  # the headings that lines are below, and the lines
_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_TURN_HEADING = re.compile(r"### (?:Turn (\d{1,9})|Before turn 1)\b")
_NONE = "(none)"  # of a section that some styles write without anything in it


def pieces_of(
    style: SummaryStyle, facts: Sequence[Fact], turns: Mapping[str, int], past: Collection[str] = ()
) -> list[Piece]:
    """Write facts as a summary has them: the headings that they are below, and their lines."""
    whole = [fact.id for fact in facts]
    sections = style.parse("") if facts else None
    text = "" if sections is None else filed(style, sections, facts, turns, whole, past).text
    deepest = 2 if any(slot.members for slot in style.slots) else 3  # below that, headings are those of entries
    headings, found = list[str](), list[Piece]()
    for line, fenced in marked_lines(text):
        level = 0 if fenced else _level(line)
        if 0 < level <= deepest:
            headings = [*(one for one in headings if _level(one) < level), line]
            found.append(((*headings,), []))
        elif found:
            found[-1][1].append(line)
    if not found:  # a style without headings
        return [((), safe(bullet(shown(fact, whole))).split("\n")) for fact in facts]
    pieces = ((path, "\n".join(lines).strip("\n")) for path, lines in found)
    return [(path, words.split("\n")) for path, words in pieces if words not in ("", _NONE)]


def with_pieces(text: str, pieces: Sequence[Piece], closing: str) -> str:
    """Add pieces to a text of any form, each at the end of its section, else at the end of the text.

    That is before the `closing` words and the line that marks the end.
    """
    page, also = _Page(text, closing), list[str]()
    for path, lines in pieces:
        if path and path[-1] in page.sections:
            page.add(page.sections[path[-1]], lines)
        elif len(path) > 1 and path[-2] in page.sections and (turn := _TURN_HEADING.match(path[-1])):
            page.add(page.before_turn(int(turn[1] or 0), page.sections[path[-2]]), [path[-1], *lines])
        else:
            also += lines
    if also:
        place = page.sections.get(ALSO)
        page.add(page.end if place is None else place, also if place is not None else [ALSO, *also])
    return page.text


def without_pieces(text: str, pieces: Sequence[Piece]) -> str:
    """Remove the pieces that stand in a text to the letter."""
    firsts = {lines[0]: lines for _, lines in pieces}
    lines, kept, at = text.split("\n"), list[str](), 0
    while at < len(lines):
        piece = firsts.get(lines[at])
        if piece and lines[at : at + len(piece)] == piece:
            at += len(piece)
        else:
            kept.append(lines[at])
            at += 1
    if pieces and ALSO in kept:
        place = kept.index(ALSO)
        behind = next((line for line in kept[place + 1 :] if line.strip()), CLOSING)
        if _level(behind) in (1, 2) or behind == CLOSING:
            del kept[max(0, place - 1) : place + 1]
    return "\n".join(kept)


class _Page:
    """The lines of a text, the ends of its sections, and what is added behind its lines."""

    def __init__(self, text: str, closing: str) -> None:
        self._lines = text.split("\n")
        plain = ["" if fenced else line.rstrip() for line, fenced in marked_lines(text)]
        end = plain.index(CLOSING) if CLOSING in plain else len(plain)
        self._filled = list(accumulate((n if line.strip() else 0 for n, line in enumerate(self._lines, 1)), max))
        if closing and (last := self._last(end)) and plain[last - 1] == closing:
            end = last - 1
        self.end = self._last(end)
        self.sections = dict[str, int]()  # behind the last line of each that is not blank; of equal ones, of the first
        self._turns, self._numbers = list[int](), list[int]()
        stops = [end] * 7  # where the next heading of each level is
        for place in range(end - 1, -1, -1):
            if level := _level(plain[place]):
                self.sections[plain[place]] = self._last(min(stops[1 : level + 1]))
                stops[level] = place
            if turn := _TURN_HEADING.match(plain[place]):
                self._turns.append(place)
                self._numbers.append(int(turn[1] or 0))
        self._turns.reverse()
        self._numbers = list(accumulate(reversed(self._numbers), max))
        self._added = dict[int, list[str]]()

    def _last(self, place: int) -> int:
        return self._filled[place - 1] if place else 0

    def before_turn(self, number: int, end: int) -> int:
        """Return the place for a turn that the text does not have, in a record that ends there."""
        later = bisect_left(self._numbers, number)
        return min(end, self._last(self._turns[later])) if later < len(self._turns) else end

    def add(self, place: int, lines: Sequence[str]) -> None:
        """Add lines; two quotes in a row would be one message."""
        is_apart = lines[0].startswith((">", "#"))
        self._added.setdefault(place, []).extend(["", *lines] if is_apart else lines)

    @property
    def text(self) -> str:
        """The text with what was added."""
        whole = [*self._added.get(0, ())]
        for place, line in enumerate(self._lines, 1):
            whole += [line, *self._added.get(place, ())]
        return "\n".join(whole)


def _level(line: str) -> int:
    found = _HEADING.match(line)
    return len(found[1]) if found else 0
