"""Running sums of what messages weigh: all together, and by the parts that a report names."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.measure.weights import Weight
from compact_chat.reports import Parts


class Size(Struct, frozen=True):
    """Tokens that were counted, and those that are known."""

    counted: float = 0.0
    known: float = 0.0

    def __add__(self, other: Size) -> Size:
        """Both together."""
        return Size(self.counted + other.counted, self.known + other.known)

    def __sub__(self, other: Size) -> Size:
        """What is left."""
        return Size(self.counted - other.counted, self.known - other.known)

    def at(self, ratio: float) -> float:
        """The whole, with so many tokens for each counted one."""
        return self.counted * ratio + self.known


class PartSums:
    """The sizes of the parts, as far as they belong to messages; what a picture takes is no matter of words."""

    def __init__(self) -> None:
        self._counted = dict.fromkeys(Parts.__struct_fields__, 0.0)
        self._known = dict.fromkeys(Parts.__struct_fields__, 0.0)

    def add(self, message: Message, weight: Weight) -> None:
        """Take in a message: a summary and a system message are of one part, the others are divided."""
        counted = self._counted
        if _is_of_one_part(message):
            name = "summary" if message.is_summary else "fixed"
            counted[name] += weight.words
            self._known[name] += weight.images
            return
        counted[message.role] += weight.text
        counted["tool_calls"] += weight.tool_calls
        counted["tool_results"] += weight.tool_results
        counted["thinking"] += weight.thinking
        self._known["images"] += weight.images

    def forget(self, thought: float) -> None:
        """Take out what was thought."""
        self._counted["thinking"] -= thought

    def sizes(self, ratio: float) -> Mapping[str, float]:
        """Tell the tokens of each part."""
        return {name: counted * ratio + self._known[name] for name, counted in self._counted.items()}


def thought_in(message: Message, weight: Weight) -> int:
    """What of a message counts as thinking."""
    return weight.thinking if weight.thinking and not _is_of_one_part(message) else 0


def is_system(message: Message) -> bool:
    """Say whether a message belongs to what is fixed."""
    return message.role == "system" and not message.is_summary


def _is_of_one_part(message: Message) -> bool:
    return message.is_summary or is_system(message)
