"""Numbers of tokens as tools record them: what cannot be one is none."""

from __future__ import annotations

_MOST = 10**9  # tokens; what is more was not counted by anybody


def tokens(value: object) -> int:
    """The value where it is a plausible count of tokens, else 0."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST
    return value if is_count and isinstance(value, int) else 0
