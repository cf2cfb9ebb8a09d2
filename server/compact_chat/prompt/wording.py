"""The wording of the prompts, which stands in Markdown files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_TEXTS = files("compact_chat.prompt") / "texts"


@cache
def wording(name: str) -> Mapping[str, str]:
    """The parts of a file by their headings of level one; what stands before the first is for its readers."""
    text = (_TEXTS / f"{name}.md").read_text(encoding="utf-8")
    _, *parts = text.split("\n\n# ")
    return MappingProxyType({title: body.strip() for title, _, body in (part.partition("\n") for part in parts)})
