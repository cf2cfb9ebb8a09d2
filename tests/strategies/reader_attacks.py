"""Files that grow by a number and are meant to take a reader more than its share of time: most attack one habit."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import chain
from typing import Any

from tests.oracles.reader_checks import Files
from tests.samples.reader_seeds import Seed, bytes_of

# What texts are filled with: what patterns try again and again at each place.
FILLERS = (
    " ",
    "\n",
    "<",
    "`",
    "a",
    "# Current Working Directory (",
    "<task>",
    "\n</userRequest>",
    "<scratchpad>",
    "> a\n\n",
)
_TEXTS = frozenset(
    {
        *("text", "content", "value", "response", "message", "prompt", "output", "result", "args", "arguments"),
        *("summary", "request", "title", "summaryContent", "transformedContent", "reasoningText", "hookContext"),
        *("renderedUserMessage", "thought", "thinking", "input"),
    }
)


def filled(seed: Seed, filler: str, length: int) -> Files:
    """A seed with a filler behind each of its texts, and in front of each, of `length` characters in all."""
    if isinstance(seed.value, str):
        return Files((filler * (length // len(filler)) + seed.value).encode(), {})
    places = sum(1 for _ in _texts(seed.value))
    filling = filler * (length // (places or 1) // len(filler) // 2)
    value = deepcopy(seed.value)
    for node, key in list(_texts(value)):
        node[key] = f"{filling}{node[key]}{filling}"
    return Files(bytes_of(value, seed.is_lines), {name: bytes_of(other) for name, other in seed.beside.items()})


def lists_of(seed: Seed) -> list[tuple[str, int]]:
    """The names of the lists in a seed, with the bytes that one of their items takes."""
    lists = [] if isinstance(seed.value, str) else _lists(seed.value)
    return [(name, len(bytes_of(items)) // len(items)) for name, items in lists]


def repeated(seed: Seed, number: int, times: int, own_ids: bool) -> Files:
    """A seed with one of its lists repeated to about `times` items, with ids of their own or the same ones."""
    value = deepcopy(seed.value)
    items = list(_lists(value))[number][1]
    copies = (deepcopy(items) for _ in range(1 + times // len(items)))
    items[:] = list(chain.from_iterable(_renamed(one, place) if own_ids else one for place, one in enumerate(copies)))
    return Files(bytes_of(value, seed.is_lines), {})


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """The places of texts: strings under names that texts have, and strings in lists under them."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(child, str) and (key in _TEXTS or isinstance(node, list)):
                yield node, key
            elif isinstance(child, dict | list):
                waiting.append(child)


def _lists(value: Any, name: str = "$") -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, list) and value:
        yield name, value
    members = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for key, child in members:
        yield from _lists(child, f"{name}.{key}")


def _renamed(value: Any, place: int) -> Any:
    """The value with a number behind each id; what names another keeps naming it."""
    if isinstance(value, dict):
        return {
            key: _own(child, place) if "id" in key.lower() else _renamed(child, place) for key, child in value.items()
        }
    return [_renamed(child, place) for child in value] if isinstance(value, list) else value


def _own(value: Any, place: int) -> Any:
    return f"{value}-{place}" if isinstance(value, str) else _renamed(value, place)
