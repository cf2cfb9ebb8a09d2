"""The structured prompt: eight sections with entries, and the chat behind the instructions."""

from __future__ import annotations

from compact_chat.prompt.material import Material
from compact_chat.prompt.numbered import END_MARKER
from compact_chat.prompt.parts import blocks, custom, end_tag, form, pieces, project_rules, reading, scope, wants_task
from compact_chat.prompt.request import Request, Task
from compact_chat.prompt.wording import wording


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
