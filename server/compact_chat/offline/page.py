"""The page of each style: chosen lines under its titles; nothing of the chat can pass for a tag, a title or a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from compact_chat.chat import JsonObject
from compact_chat.facts import without_bullet
from compact_chat.offline.lines import COMMANDS, NOTHING, RULES, Group, Line, safe
from compact_chat.plan import Direction
from compact_chat.reply import TITLES, key_of, render_sections
from compact_chat.wire import Style

# Which lines get into a summary: the most telling first, none of them over the room that is left.


LEAST = 3  # tokens of the shortest line; below that nothing is counted any more


class Pack:
    """Lines that fit into a room of tokens; `shown` tells about what a line becomes on the page."""

    def __init__(
        self, room: int, count: Callable[[str], int], shown: Callable[[Line], str] = lambda line: line.text
    ) -> None:
        self.lines: list[Line] = []
        self.left = room
        self._room, self._count, self._shown = room, count, shown
        self._spent: dict[Group, int] = {}
        self._heads: set[tuple[Group, str]] = set()

    def take(self, lines: Iterable[Line], capped: bool = True, keep_back: int = 0) -> list[Line]:
        """Take the lines in their turn, each group up to its share of the room; give those that were refused."""
        refused = []
        for line in sorted(lines, key=lambda line: (line.group.rank, line.turn)):
            cost = self.cost(line) if self.left >= LEAST else LEAST
            spent = self._spent.get(line.group, 0) + cost
            if cost > self.left - keep_back or (capped and spent > line.group.share * self._room):
                refused.append(line)
                continue
            self.lines.append(line)
            self.left -= cost
            self._spent[line.group] = spent
            self._heads.add((line.group, line.head))
        return refused

    def cost(self, line: Line) -> int:
        """The tokens of a line with its line feed, and of its heading where it is the first below it."""
        cost = self._count(self._shown(line)) + 1
        if line.head and (line.group, line.head) not in self._heads:
            cost += self._count(line.head) + 1
        return cost


# The structured style: entries with labelled fields, items, and prose (rule R1).


FIELDS = {
    "codeChanges": ("file", "change", "rationale", "impact"),
    "errorsAndSolutions": ("error", "location", "solution", "prevention"),
}
PROSE = ("userIntent", "currentState", "immediateTask")
_FRAME = "### Error: \n- **Location**: \n- **Solution**: \n- **Prevention**:\n\n"  # about what stands around an entry


def structured_data(sections: Mapping[str, Sequence[Line]], prose: Callable[[Sequence[Line]], str]) -> JsonObject:
    """The sections as the renderer takes them."""
    data: JsonObject = {}
    for key, lines in sections.items():
        if key in FIELDS:
            data[key] = [_entry(FIELDS[key], line) for line in _in_order(lines)]
        else:
            data[key] = prose(lines) if key in PROSE else list(_items(lines))
    return data


def shown_in(style: Style) -> Callable[[Line], str]:
    """Tell about what a line becomes in a style, for its cost."""
    return _shown_entry if style == "structured" else _shown_line


def _shown_entry(line: Line) -> str:
    return "".join((_FRAME, *line.entry)) if line.entry else line.text


def _shown_line(line: Line) -> str:
    return line.text


def _entry(fields: Sequence[str], line: Line) -> dict[str, str]:
    values = [*map(safe, line.entry), *("" for _ in fields)]
    return dict(zip(fields, values, strict=False))


def _items(lines: Sequence[Line]) -> Iterator[str]:
    """Lines without a heading are items; those below one are an item together, since items have no headings."""
    item: list[str] = []
    for line in _in_order(lines):
        head = "" if line.group == COMMANDS else line.head
        if item and head != item[0]:
            yield safe("\n".join(item))
            item = []
        if head:
            item = [*(item or [head]), line.text]
        else:
            yield safe(without_bullet(line.text).replace("\n  ", "\n"))
    if item:
        yield safe("\n".join(item))


def _in_order(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line.order)


# The page of each style: chosen lines under its titles; nothing of the chat can pass for a tag, a title or a label.


Sections = Mapping[str, Sequence[Line]]  # the lines of each section, in the order of its style

_SECTIONS: Mapping[Style, tuple[str, ...]] = {
    "detailed": tuple(map(key_of, TITLES)),
    "checkpoint": (
        *("goal", "constraints", "done", "inProgress", "blocked", "decisions", "nextSteps", "context", "immediateTask"),
    ),
    "structured": (
        *("userIntent", "keyDecisions", "codeChanges", "errorsAndSolutions", "debuggingSteps", "warningsAndNotes"),
        *("currentState", "nextSteps", "immediateTask"),
    ),
    "brief": ("Request", "Rules", "Files", "Errors", "Outcomes", "State", "Next", "IMMEDIATE TASK"),
}
_MARKS = {"done": "- [x] ", "nextSteps": "1. "}  # of the items of a checkpoint, where they are not bullets (rule P21)
# Titles have number signs in all styles but the detailed one, so that there nothing else may have any.
_HEADING = re.compile(r"^([ \t]*+)(?=#{1,6}(?:[ \t]|$))", re.MULTILINE)


def titles(style: Style, direction: Direction, task: bool) -> list[str]:
    """The sections that a summary of this style and direction has (rules P6 and P10)."""
    left_out = {"optionalNextStep"} if direction == "upTo" else {"contextForContinuingWork"}
    if direction == "upTo" or not task:
        left_out |= {"immediateTask", "IMMEDIATE TASK"}
    return [key for key in _SECTIONS[style] if key not in left_out]


def page(lines: Sequence[Line], style: Style, keys: Sequence[str], blank_sections: bool) -> str:
    """The reply with these lines, each section that has none saying so or left out."""
    shown = lines if style == "detailed" else [line.with_text(_HEADING.sub(r"\1\\", line.text)) for line in lines]
    sections = {key: [line for line in shown if line.group.place.of(style) == key] for key in keys}
    return _PAGES[style](sections, blank_sections)


def _detailed(sections: Sections, blank_sections: bool) -> str:
    texts = {key: _text(lines) for key, lines in sections.items()}
    filled = {key: text or NOTHING for key, text in texts.items() if text or blank_sections}
    body = render_sections(filled or {next(iter(sections)): NOTHING}, "detailed").partition("\n")[2]
    return f"<summary>\n{body}\n</summary>"


def _checkpoint(sections: Sections, _: bool) -> str:
    shown = {key: [_marked(line, _MARKS.get(key, "- ")) for line in lines] for key, lines in sections.items()}
    return render_sections({key: _text(lines, bare=RULES) for key, lines in shown.items()}, "checkpoint")


def _structured(sections: Sections, _: bool) -> str:
    return render_sections(structured_data(sections, _text), "structured")


def _brief(sections: Sections, _: bool) -> str:
    texts = {title: _text(lines, bare=RULES) for title, lines in sections.items()}
    return "\n\n".join(f"## {title}\n{text}" for title, text in texts.items() if text)


_PAGES: Mapping[Style, Callable[[Sections, bool], str]] = {
    "detailed": _detailed,
    "checkpoint": _checkpoint,
    "structured": _structured,
    "brief": _brief,
}


def _text(lines: Sequence[Line], bare: Group | None = None) -> str:
    """The lines below their headings; one group may do without, where the title of the section says as much."""
    pieces: list[str] = []
    before = ""
    for line in sorted(lines, key=lambda line: line.order):
        head = "" if line.group == bare else line.head
        if head != before:
            pieces += [""] * bool(pieces) + [head] * bool(head)
        before = head
        pieces.append(line.text)
    return safe("\n".join(pieces))


def _marked(line: Line, mark: str) -> Line:
    """The line with another mark for its bullet, if it has one."""
    return line.with_text(mark + line.text[2:]) if line.text.startswith("- ") else line
