"""Brief summaries: the reply itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from compact_chat.errors import InvalidParams
from compact_chat.reply.blocks import find_blocks
from compact_chat.reply.reply import Reply, readable


def format_brief(text: str) -> Reply:
    """The reply, trimmed, without a scratchpad and the tags of another style; a blank one is refused (rule F10)."""
    text = readable(text).strip()
    if not text.startswith(("<analysis", "<summary")):
        return Reply(text)
    body = "\n\n".join(filter(None, map(str.strip, find_blocks(text).bodies)))
    return Reply(readable(body) if body else text)


def parse_brief(_summary: str) -> None:
    """Nothing: a brief summary has no sections of its own."""


def render_brief(_sections: Mapping[str, object]) -> NoReturn:
    """Refuse: a brief summary cannot be made of sections."""
    raise InvalidParams.at("$.style", "expected a style that has sections: detailed, checkpoint or structured")
