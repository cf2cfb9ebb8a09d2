"""The structured style: entries with labelled fields, items, and prose (rule R1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from compact_chat.chat import JsonObject
from compact_chat.facts.words import without_bullet
from compact_chat.options import Style
from compact_chat.providers.extract.lines import COMMANDS, Line, safe

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
