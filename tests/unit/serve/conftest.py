"""Tests that are coroutines run in an event loop of their own, whose time jumps where they are marked so."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from tests.servers.clock import run_in_jumps


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine; leave other tests to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    run = run_in_jumps if pyfuncitem.get_closest_marker("in_jumps") else asyncio.run
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
