"""LSP's own params, typed."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol.types import InitializeParams
from pygls.protocol import default_converter

from compact_chat.errors import InvalidParams
from compact_chat.serve.typed import typed


def test_params_that_fit_are_typed() -> None:
    """Names of the wire become names of the library."""
    assert typed(default_converter(), {"processId": 5, "capabilities": {}}, InitializeParams).process_id == 5


@pytest.mark.parametrize(
    ("params", "path", "message"),
    [
        ({}, "$.capabilities", "is missing"),
        ({"capabilities": "secret"}, "$.capabilities", "has the wrong type"),
        ({"capabilities": {}, "processId": "secret"}, "$.processId", "has the wrong type"),
        ({"capabilities": {}, "workspaceFolders": [{"uri": "a"}]}, "$.workspaceFolders[0].name", "is missing"),
    ],
)
def test_what_is_wrong_is_told_by_its_path(params: dict[str, Any], path: str, message: str) -> None:
    """Each problem has its path in the names of the wire, and no value."""
    with pytest.raises(InvalidParams) as caught:
        typed(default_converter(), params, InitializeParams)
    assert caught.value.data["problems"] == [{"path": path, "message": message}]
