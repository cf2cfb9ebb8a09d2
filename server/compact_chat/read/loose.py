"""Names for the messages of logs that write one name twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Warning
from compact_chat.read.document import shortened

# Values of JSON that nobody vouches for: what is not of the wanted type is empty.


def word(value: object) -> str:
    """The value where it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def fields(value: object) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """The objects of a list; none where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# Numbers of tokens as tools record them: what cannot be one is none.


_MOST = 10**9  # tokens; what is more was not counted by anybody


def tokens(value: object) -> int:
    """The value where it is a plausible count of tokens, else 0."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST
    return value if is_count and isinstance(value, int) else 0


# What the records of tools have in common: ids, numbers, titles, and what is left out of them.


_LONGEST_TITLE = 2000  # characters: what shows a title cuts it, once its secrets are masked


def stable_ids(wanted: Sequence[str]) -> list[str]:
    """Give each message the id that its tool gave it, or one by its place where that is missing or taken."""
    taken: set[str] = set()
    ids: list[str] = []
    for place, name in enumerate(wanted):
        free = name if name and name not in taken else f"m{place}"
        while free in taken:
            free += "+"
        taken.add(free)
        ids.append(free)
    return ids


def whole_number(value: object) -> int | None:
    """The value where it is a whole number, and no truth value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def title_of(text: str) -> str | None:
    """Make a title of the first line that says something; of a very long one only whole words are taken."""
    line = text.lstrip().partition("\n")[0].strip()
    if len(line) > _LONGEST_TITLE:
        start = line[:_LONGEST_TITLE]
        line = start.rpartition(" ")[0].rstrip() or start
    return line or None


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of messages that could not be read; each fault is a place and what is wrong there."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))


# Names for the messages of logs that write one name twice.


def with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages, each under a name of its own: where one is taken, a number goes behind it."""
    times: dict[str, int] = {}
    named: dict[str, Message] = {}
    for message in messages:
        name = message.id
        while name in named:
            times[message.id] = times.get(message.id, 1) + 1
            name = f"{message.id}#{times[message.id]}"
        named[name] = message if name == message.id else replace(message, id=name)
    return tuple(named.values())
