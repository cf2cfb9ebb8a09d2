"""What a summary is asked for with: the task, and the request that a model gets."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.options import Style
from compact_chat.plan.outcome import Direction


class Task(Struct, frozen=True):
    """Messages without secrets, and how they are to be summarised."""

    messages: tuple[Message, ...]
    style: Style
    direction: Direction
    focus: str = ""  # of this compaction, by the user
    rules: tuple[str, ...] = ()  # found in the project's instruction files
    immediate_task: bool = False
    end_tag: bool = False  # whether the reply has to end with `</summary>`: the editor's models tell no stop reason


class Request(Struct, frozen=True):
    """One user message in two parts, and the style's system text; what may be sent again stands in the first part."""

    material: str  # blank in styles that put their instructions first
    text: str
    system: str = ""

    @property
    def message(self) -> str:
        """The whole user message."""
        return "\n\n".join(filter(None, (self.material, self.text)))
