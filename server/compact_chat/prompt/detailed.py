"""The detailed prompt: nine sections about a whole chat, or about its newer or its older part."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Message
from compact_chat.errors import InvalidParams, NothingToCompact
from compact_chat.marks import line_feeds
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.fit import Fitted, fit
from compact_chat.prompt.wording import wording

_FILES = {"all": "detailed-all", "from": "detailed-from", "upTo": "detailed-up-to"}


def detailed_request(
    messages: Sequence[Message], direction: Direction, instructions: str, immediate_task: bool, max_chars: int
) -> Fitted:
    """The framed transcript of at most `max_chars`, then the prompt (rules L2 and P25)."""
    fitted = fit(messages, max_chars)
    if not fitted.text:
        raise NothingToCompact("There is nothing to summarise: none of these messages holds anything to read.")
    frame = f"<conversation>\n{fitted.text}\n</conversation>"
    prompt = detailed_prompt(direction, instructions, immediate_task)
    return Fitted(f"{frame}\n\n{prompt}", fitted.fits)


def detailed_prompt(direction: Direction = "from", instructions: str = "", immediate_task: bool = False) -> str:
    """The parts in their order, a blank line between them; a part without a direction is the newer one (rule P4)."""
    if direction not in _FILES:
        raise InvalidParams.at("direction", f"expected one of {', '.join(_FILES)}")
    shared, own = wording("detailed"), wording(_FILES[direction])
    with_task = immediate_task and direction != "upTo"
    parts = [
        shared["No tools"],
        f"{own['Task']}\n\n{shared['Material']}",
        f"{own['Analysis']}\n\n{shared['What to note']}",
        f"{own['Sections']}\n\n{shared['Immediate task']}" if with_task else own["Sections"],
        _skeleton(own["Example"], shared["Immediate task example"] if with_task else ""),
        shared["Closing"],
        shared["Instructions in the chat"],
        _custom(instructions),
        shared["Reminder"],
    ]
    return "\n\n".join(part for part in parts if part)


def _skeleton(example: str, last_section: str) -> str:
    """The example with one more section at the end of its summary (rule P10)."""
    return example.replace("\n</summary>", f"\n\n{last_section}\n</summary>") if last_section else example


def _custom(instructions: str) -> str:
    """The user's own instructions under their heading, or nothing (rule P9)."""
    text = line_feeds(instructions).strip()
    return f"## Custom Instructions\n{text}" if text else ""
