"""The checkpoint prompt: headings that another model works on from, made anew or brought up to date."""

from __future__ import annotations

from compact_chat.facts.records import record_blocks
from compact_chat.marks import line_feeds
from compact_chat.prompt.material import Material
from compact_chat.prompt.parts import blocks, end_tag, form, pieces, project_rules, reading, scope, wants_task
from compact_chat.prompt.portions import LONGEST_RECORDS
from compact_chat.prompt.request import Request, Task
from compact_chat.prompt.wording import wording
from compact_chat.results import Files


def checkpoint_request(task: Task, about: Material) -> Request:
    """Frames, prompt, focus and file records (rule P24)."""
    text = blocks((_prompt(task, about), _focus(task), _records(about.files)))
    return Request(about.frames, text, wording("checkpoint")["System"])


def _prompt(task: Task, about: Material) -> str:
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
