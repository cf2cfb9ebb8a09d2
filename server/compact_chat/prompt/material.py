"""What a request is about: the rendered chat, and the summary of what came before it (rule P25)."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.errors import NothingToCompact
from compact_chat.facts.files import file_records, recorded
from compact_chat.facts.records import joined
from compact_chat.marks import strip_summary_wrappers
from compact_chat.prompt.opening import shown_summary
from compact_chat.prompt.portions import RENDERINGS, Portion
from compact_chat.prompt.request import Task
from compact_chat.results import Files


class Material(Struct, frozen=True):
    """Texts that can stand in frames, and the files that the chat and the summary before it tell of."""

    chat: str
    earlier: str = ""  # the summary of what came before, or nothing
    more: bool = False  # whether the chat goes on in another request
    files: Files = Files((), ())

    @property
    def earlier_frame(self) -> str:
        """The summary in its frame, or nothing."""
        return f"<previous-summary>\n{self.earlier}\n</previous-summary>" if self.earlier else ""

    @property
    def frames(self) -> str:
        """Both frames, the summary's first (rule P24)."""
        return "\n\n".join(filter(None, (self.earlier_frame, f"<conversation>\n{self.chat}\n</conversation>")))


def material(task: Task, portion: Portion, previous: str | None) -> Material:
    """Render a portion behind the summary of what came before it."""
    earlier = "\n\n".join(filter(None, (portion.earlier, strip_summary_wrappers(previous or ""))))
    rendering = RENDERINGS[task.style]
    shown = shown_summary(earlier, portion.summary_room, rendering)
    chat = rendering.within(portion.messages, portion.limits, portion.room - len(shown))
    if not chat:
        raise NothingToCompact("There is nothing to summarise: none of these messages holds anything to read.")
    return Material(chat, shown, portion.more, joined(file_records(portion.messages), recorded(earlier)))
