"""Add facts to a summary of any style, each in the section where it belongs (rule H17)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from compact_chat.chat import ToolCall
from compact_chat.facts import (
    WEIGHTS,
    Fact,
    Kind,
    Step,
    command_head,
    error_head,
    fold,
    shown_path,
    task_of,
    without_limits,
)
from compact_chat.offline.handover import common_folder, shown, warned, within
from compact_chat.offline.lines import bullet, cut, safe
from compact_chat.offline.writer import OfflineRequest, material_of
from compact_chat.styles import Slot, Summary, Topic
from compact_chat.text import RELATIVE_TO, code, quote, turn_heading

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
}
_TURN = re.compile(r"(?:Turn (\d+)|Before turn 1)\b.*")
RAN = "- Ran "  # before commands of a turn, on one line
_FAILED = " → failed"  # of a check
_ALSO = "## Also in the chat"  # above what is added to a text without sections


def most_valuable(
    missing: Sequence[Fact], totals: Mapping[Kind, int], room: int, count: Callable[[str], int]
) -> list[Fact]:
    """Choose the facts that fit: rules first, then what is worth the most of its class for its tokens.

    What one fact says no other has to say, and commands that only show something can be run again.
    """
    places = {fact.id: place for place, fact in enumerate(missing)}
    costs = {fact.id: count(_shown(fact)) + 4 for fact in missing}
    folded = {fact.id: fold(fact.text) for fact in missing}

    def worth(fact: Fact) -> tuple[bool, float, int]:
        share = WEIGHTS[fact.kind] / max(1, totals.get(fact.kind, 0)) / costs[fact.id]
        return fact.kind == "constraints", share, places[fact.id]

    chosen: list[Fact] = []
    said = ""
    for fact in sorted((one for one in missing if not _is_look_up(one)), key=worth, reverse=True):
        words = folded[fact.id]
        is_said = fact.kind in _SAID and words in said
        if costs[fact.id] <= room and not is_said and not any(fold(mark) in said for mark in fact.marks):
            part = [one for one in chosen if one.kind in _SAID and folded[one.id] in words]
            chosen = [one for one in chosen if one not in part]
            room += sum(costs[one.id] for one in part) - costs[fact.id]
            chosen.append(fact)
            said += f"\n{words}"
    return sorted(chosen, key=lambda fact: places[fact.id])


def _is_look_up(fact: Fact) -> bool:
    return fact.kind == "commands" and task_of(Step("", ToolCall("", "bash", {"command": fact.text}))).only_reads


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
        lines = "\n".join(safe(bullet(_shown(fact, whole))) for fact in facts)
        return summary.with_text(f"{summary.text.rstrip()}\n\n{_ALSO}\n{lines}")
    if style.by_turn:
        files = [fact for fact in facts if fact.kind in ("modifiedFiles", "readFiles")]
        facts = [fact for fact in facts if fact not in files]
        if files:
            sections["files"] = "\n".join(filter(None, (sections["files"], *_files(files, whole))))
    for fact in facts:
        topic = _topic(fact, past) if style.by_turn else _PLACES[fact.kind]
        slot = next(slot for slot in style.slots if topic in slot.topics)
        if style.by_turn and slot.items:
            words = fact.text if fact.id in whole else cut(fact.text, LONGEST)
            text = quote(words) if fact.kind == "userMessages" else bullet(_shown(fact, whole, past))
            text = text.replace("- ", RAN, 1) if fact.kind == "commands" else text
            sections[slot.key] = _in_turn(sections[slot.key], turns.get(fact.message, 0), safe(text))
        else:
            sections[slot.key] = _below(sections.get(slot.key), slot, safe(_shown(fact, whole)))
    return style.write(sections)


def _topic(fact: Fact, past: Collection[str]) -> Topic:
    """Return where a hand-over tells a fact: what is over in its turn, and a check that may fail as a warning."""
    if fact.text in past or fact.kind == "currentWork":
        return "fixedErrors"
    is_doubtful = fact.kind == "state" and (warned(fact.text) != fact.text or _FAILED in fact.text)
    return "doubts" if is_doubtful else _PLACES[fact.kind]


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


def with_more(summary: Summary, request: OfflineRequest, room: int) -> Summary:
    """Return a hand-over by a model with more of the record, as far as there is room."""
    if not summary.style.by_turn or not any((summary.sections or {}).values()):
        return summary
    sections = dict(summary.sections or {})
    for item in material_of(request).more(summary.text, room):
        text = shown(f"- {item.inline} {item.text}" if item.inline else item.text)
        if item.section == "record":
            sections["record"] = _in_turn(sections["record"], item.turn, text)
        else:
            sections[item.section] = "\n".join(filter(None, (sections[item.section], text)))
    return summary.style.write(sections)


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
    entries, ran = list(record), text.startswith(RAN)
    if turn in numbers and ran and entries[numbers.index(turn)].rpartition("\n")[2].startswith(RAN):
        entries[numbers.index(turn)] += f"; {text.removeprefix(RAN)}"
    elif turn in numbers:
        at = numbers.index(turn)
        title, _, rest = entries[at].partition("\n")
        apart = "\n\n" if rest.startswith(">") else "\n"  # two quotes in a row would be one message
        entries[at] = f"{title}\n{text}{apart}{rest}".rstrip() if text.startswith(">") else f"{entries[at]}\n{text}"
    else:
        at = next((place for place, number in enumerate(numbers) if number > turn), len(entries))
        entries.insert(at, f"{turn_heading(turn)}\n{text}")
    return entries


def _shown(fact: Fact, whole: Collection[str] = (), past: Collection[str] = ()) -> str:
    """Write a fact as a line says it."""
    match fact.kind:
        case "constraints" | "preferences":
            return f'"{fact.text}"'
        case "userMessages":
            return fact.text if fact.id in whole else cut(fact.text, LONGEST)
        case "errors":
            return f"{'Failed' if fact.text in past else 'Unresolved'}: {code(error_head(fact.text))}"
        case "state":
            return warned(fact.text)
        case "commands":
            return code(command_head(without_limits(fact.text)))
        case "modifiedFiles" | "readFiles":
            return code(shown_path(fact.text))
        case "results":
            return f"Returned: {code(fact.text)}"
    return fact.text
