"""Brief summaries: the reply itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from compact_chat.errors import InvalidParams
from compact_chat.reply.reply import Reply, readable


def format_brief(text: str) -> Reply:
    """The reply, trimmed; a blank one is refused (rule F10)."""
    return Reply(readable(text).strip())


def parse_brief(_summary: str) -> None:
    """Nothing: a brief summary has no sections of its own."""


def render_brief(_sections: Mapping[str, object]) -> NoReturn:
    """Refuse: a brief summary cannot be made of sections."""
    raise InvalidParams.at("$.style", "expected a style that has sections: detailed, checkpoint or structured")
