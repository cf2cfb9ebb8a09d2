"""LSP's own params, typed."""

from __future__ import annotations

from typing import Any

import pytest
from cattrs import Converter
from lsprotocol.converters import get_converter
from lsprotocol.types import InitializeParams

from compact_chat.errors import InvalidParams
from compact_chat.serve.typed import typed


@pytest.fixture(scope="module")
def converter() -> Converter:
    """The converter that pygls uses."""
    return get_converter()


def test_params_that_fit_are_typed(converter: Converter) -> None:
    """Names of the wire become names of the library."""
    assert typed(converter, {"processId": 5, "capabilities": {}}, InitializeParams).process_id == 5


@pytest.mark.parametrize(
    ("params", "path", "message"),
    [
        ({}, "$.capabilities", "is missing"),
        ({"capabilities": 5}, "$.capabilities", "has the wrong type"),
        ({"capabilities": {}, "processId": "secret"}, "$.processId", "has the wrong type"),
        ({"capabilities": {}, "workspaceFolders": [{"uri": "a"}]}, "$.workspaceFolders[0].name", "is missing"),
    ],
)
def test_what_is_wrong_is_told_by_its_path(
    converter: Converter, params: dict[str, Any], path: str, message: str
) -> None:
    """Each problem has its path in the names of the wire, and no value."""
    with pytest.raises(InvalidParams) as caught:
        typed(converter, params, InitializeParams)
    assert caught.value.data["problems"] == [{"path": path, "message": message}]
