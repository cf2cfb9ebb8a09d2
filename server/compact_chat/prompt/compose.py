"""The request for a summary: a task, cut into portions where a model cannot take it at once, in one of four styles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from compact_chat.chat import Message, ToolResult, Unknown
from compact_chat.errors import InvalidParams, NothingToCompact
from compact_chat.facts import file_records, joined_records, record_blocks, recorded
from compact_chat.plan import Direction
from compact_chat.prompt.portions import LONGEST_RECORDS, RENDERINGS, Portion
from compact_chat.prompt.request import (
    Request,
    Task,
    blocks,
    custom,
    end_tag,
    form,
    pieces,
    project_rules,
    reading,
    scope,
    wants_task,
    wording,
)
from compact_chat.prompt.transcript import END_MARKER, shown_summary
from compact_chat.text import line_feeds, strip_summary_wrappers
from compact_chat.wire import Files, Style

# What a request is about: the rendered chat, and the summary of what came before it (rule P25).


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
    return Material(chat, shown, portion.more, joined_records(file_records(portion.messages), recorded(earlier)))


# The brief prompt: what must not be lost, in a few titled sections.


def brief_request(task: Task, about: Material) -> Request:
    """Instructions, then the frames, then what has to be in mind at the end (rule P32)."""
    brief, shared = wording("brief"), wording("shared")
    text = blocks(
        (
            brief["Task"],
            scope(task),
            *pieces(bool(about.earlier), about.more),
            shared["Material"],
            reading(brief["Labels"]),
            brief["What to keep"],
            shared["Exactness"],
            shared["Record"],
            shared["Instructions in the chat"],
            project_rules(task.rules),
            about.frames,
            custom(task.focus),
            brief["Immediate task"] if wants_task(task) else "",
            " ".join(filter(None, (brief["Closing"], end_tag(task)))),
        )
    )
    return Request("", text)


# The checkpoint prompt: headings that another model works on from, made anew or brought up to date.


def checkpoint_request(task: Task, about: Material) -> Request:
    """Frames, prompt, focus and file records (rule P24)."""
    text = blocks((_prompt_checkpoint(task, about), _focus(task), _records(about.files)))
    return Request(about.frames, text, wording("checkpoint")["System"])


def _prompt_checkpoint(task: Task, about: Material) -> str:
    """The prompt that makes a checkpoint, or the one that brings an earlier one up to date (rules P21 and P22)."""
    checkpoint, shared = wording("checkpoint"), wording("shared")
    own = wording("checkpoint-update" if about.earlier else "checkpoint-create")
    return blocks(
        (
            own["Task"],
            scope(task),
            *pieces(earlier=False, more=about.more),
            shared["Material"],
            reading(shared["Labels"]),
            own["What to do"],
            form(checkpoint["Form"], shared["Immediate task section"] if wants_task(task) else ""),
            checkpoint["Closing"],
            shared["Language"],
            shared["Exactness"],
            shared["Record"],
            shared["Instructions in the chat"],
            project_rules(task.rules),
            end_tag(task),
        )
    )


def _focus(task: Task) -> str:
    text = line_feeds(task.focus).strip()
    return f"Additional focus: {text}" if text else ""


def _records(files: Files) -> str:
    """The wish for the records; without files there is none, and lists too long for a reply are only added to it."""
    listed = record_blocks(files)
    return blocks((wording("checkpoint")["Records"], listed)) if 0 < len(listed) <= LONGEST_RECORDS else ""


# The detailed prompt: nine sections about a whole chat, or about its newer or its older part.


_FILES = {"all": "detailed-all", "from": "detailed-from", "upTo": "detailed-up-to"}


def detailed_request(task: Task, about: Material) -> Request:
    """The frames, and behind them the prompt (rule L2)."""
    return Request(about.frames, _prompt_detailed(task, bool(about.earlier), about.more))


def detailed_prompt(direction: Direction = "from", instructions: str = "", immediate_task: bool = False) -> str:
    """The prompt alone; a part without a direction is the newer one (rule P4)."""
    if direction not in _FILES:
        raise InvalidParams.at("direction", f"expected one of {', '.join(_FILES)}")
    return _prompt_detailed(Task((), "detailed", direction, instructions, immediate_task=immediate_task))


def _prompt_detailed(task: Task, earlier: bool = False, more: bool = False) -> str:
    """The parts in their order (rule P1)."""
    detailed, shared, own = wording("detailed"), wording("shared"), wording(_FILES[task.direction])
    with_task = wants_task(task)
    return blocks(
        (
            detailed["No tools"],
            own["Task"],
            *pieces(earlier, more),
            shared["Material"],
            reading(shared["Labels"]),
            f"{own['Analysis']}\n\n{detailed['What to note']}",
            own["Sections"],
            detailed["Immediate task"] if with_task else "",
            form(own["Example"], detailed["Immediate task example"] if with_task else "", end="\n</summary>"),
            detailed["Closing"],
            shared["Language"],
            shared["Exactness"],
            shared["Record"],
            shared["Instructions in the chat"],
            project_rules(task.rules),
            custom(task.focus),
            " ".join(filter(None, (detailed["Reminder"], end_tag(task)))),
        )
    )


# The structured prompt: eight sections with entries, and the chat behind the instructions.


def structured_request(task: Task, about: Material) -> Request:
    """Instructions, the chat between its heading and its end marker, and the form once more (rule P30)."""
    structured, shared = wording("structured"), wording("shared")
    text = blocks(
        (
            structured["Task"],
            scope(task),
            *pieces(bool(about.earlier), about.more),
            structured["Material"],
            reading(structured["Labels"]),
            form(structured["Form"], shared["Immediate task section"] if wants_task(task) else ""),
            structured["What matters"],
            shared["Language"],
            shared["Exactness"],
            shared["Record"],
            shared["Instructions in the chat"],
            project_rules(task.rules),
            about.earlier_frame,
            f"## Original Conversation\n\n{about.chat}\n\n{END_MARKER}",
            custom(task.focus),
            " ".join(filter(None, (structured["Closing"], end_tag(task)))),
        )
    )
    return Request("", text)


# The request for a summary: a task, cut into portions where a model cannot take it at once, in one of four styles.


_STYLES: Mapping[Style, Callable[[Task, Material], Request]] = {
    "detailed": detailed_request,
    "checkpoint": checkpoint_request,
    "structured": structured_request,
    "brief": brief_request,
}


def compose_request(task: Task, portion: Portion, previous: str | None = None) -> Request:
    """One request; with the summary of what came before this portion, it asks for one that covers both."""
    return _STYLES[task.style](task, material(task, portion, previous))


def skipped(messages: Sequence[Message]) -> int:
    """How many blocks are shown by the name of their type alone, since nobody here can read them (rule T7)."""
    parts = [part for message in messages for part in message.parts]
    inner = (part for result in parts if isinstance(result, ToolResult) for part in result.content)
    return sum(isinstance(part, Unknown) for part in (*parts, *inner))
