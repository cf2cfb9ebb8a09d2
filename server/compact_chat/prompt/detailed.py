"""The detailed prompt: nine sections about a whole chat, or about its newer or its older part."""

from __future__ import annotations

from compact_chat.errors import InvalidParams
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.material import Material
from compact_chat.prompt.parts import blocks, custom, end_tag, form, pieces, project_rules, reading, wants_task
from compact_chat.prompt.request import Request, Task
from compact_chat.prompt.wording import wording

_FILES = {"all": "detailed-all", "from": "detailed-from", "upTo": "detailed-up-to"}


def detailed_request(task: Task, about: Material) -> Request:
    """The frames, and behind them the prompt (rule L2)."""
    return Request(about.frames, _prompt(task, bool(about.earlier), about.more))


def detailed_prompt(direction: Direction = "from", instructions: str = "", immediate_task: bool = False) -> str:
    """The prompt alone; a part without a direction is the newer one (rule P4)."""
    if direction not in _FILES:
        raise InvalidParams.at("direction", f"expected one of {', '.join(_FILES)}")
    return _prompt(Task((), "detailed", direction, instructions, immediate_task=immediate_task))


def _prompt(task: Task, earlier: bool = False, more: bool = False) -> str:
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
