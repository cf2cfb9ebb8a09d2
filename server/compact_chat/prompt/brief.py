"""The brief prompt: what must not be lost, in a few titled sections."""

from __future__ import annotations

from compact_chat.prompt.material import Material
from compact_chat.prompt.parts import blocks, custom, end_tag, pieces, project_rules, reading, scope, wants_task
from compact_chat.prompt.request import Request, Task
from compact_chat.prompt.wording import wording


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
