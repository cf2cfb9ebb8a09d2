"""A model for each test that drives an agent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agents.model import Model, serving


@pytest.fixture
def model() -> Iterator[Model]:
    """A model that answers on this machine."""
    with serving(Model()) as one:
        yield one
