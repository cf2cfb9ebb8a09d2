"""Where the messages of a chat stand, by their ids or by enough of an id."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from compact_chat.chat import Message
from compact_chat.errors import MessageNotFound


class Places:
    """The indexes of messages."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._known = {message.id: index for index, message in enumerate(messages)}

    def of(self, wanted: str, path: str) -> int:
        """The index of a message by its id, or by a beginning that no other id shares; `path` is where it was named."""
        if wanted in self._known:
            return self._known[wanted]
        first = bisect_left(self._sorted, wanted)
        found = [name for name in self._sorted[first : first + 2] if wanted and name.startswith(wanted)]
        if len(found) != 1:
            told = "begins several ids; give more of it." if found else "is no message's id; `preview` tells the ids."
            raise MessageNotFound(f"{path} {told}", path=path)
        return self._known[found[0]]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._known)
