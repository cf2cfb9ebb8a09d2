"""Plain values as JSON text, the same on the wire and in a shell."""

from __future__ import annotations

import json
import math
from typing import Any

_ENCODER = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))


def json_text(value: Any) -> str:
    """Write ASCII JSON; a number that JSON cannot write goes out as null."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
