"""Folders that a client names, to be looked into for chats."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.disk import path_of
from compact_chat.errors import InvalidParams


def folders(roots: Sequence[str]) -> tuple[str, ...]:
    """Give the paths of `$.roots`; one that is no folder of this machine is refused."""
    return tuple(_folder(root, f"$.roots[{place}]") for place, root in enumerate(roots))


def _folder(uri: str, at: str) -> str:
    try:
        return path_of(uri)
    except InvalidParams:
        raise InvalidParams.at(at, "expected a file: URI on this machine") from None
