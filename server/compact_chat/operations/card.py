"""What is built, as `initialize` advertises it."""

from __future__ import annotations

from typing import get_args

from compact_chat.chat import JsonObject
from compact_chat.operations.table import OPERATIONS
from compact_chat.options import Provider, Style
from compact_chat.read.formats import FORMATS


def card() -> JsonObject:
    """Name the operations, formats, styles and providers that are built, and nothing else."""
    return {
        "version": 1,
        "operations": list(OPERATIONS),
        "formats": list(FORMATS),
        "styles": list(get_args(Style)),
        "providers": [name for name in get_args(Provider) if name != "auto"],
    }
