"""Randomly changed files of tools: values of wrong types anywhere, and lines lost, duplicated, glued and truncated."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from tests.oracles.reader_checks import Files
from tests.samples.reader_seeds import Seed, bytes_of

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**400, 1.5, float("nan"), "", "a", "\0", "\ud800", "data:,", "file:///", "{"),
    *('{"a":[]}', [], [[]], [None], [{}], {}, {"": {}}),
)
_Place = tuple[Any, Any]  # a list or object, and an index or key in it


def mutated_files(seed: Seed, random: Random) -> Files:
    """Return the files of a seed after a few changes."""
    siblings = {name: bytes_of(_mutated(value, random)) for name, value in seed.siblings.items()}
    if isinstance(seed.value, str):
        return Files(with_odd_lines(seed.value.encode(), random), siblings)
    data = bytes_of(mutated(seed.value, random), seed.is_lines)
    return Files(with_odd_lines(data, random) if random.random() < 0.3 else data, siblings)


def mutated(value: Any, random: Random, most: int = 4) -> Any:
    """Return a copy of a JSON value with up to `most` changes, each at a position of its own."""
    changed = [_copied(value)]
    for _ in range(random.randint(1, most)):
        if found := places(changed):
            with suppress(RecursionError):  # what is nested too deeply to be copied stays as it is
                random.choice(_CHANGES)(*random.choice(found), random, changed)
    return changed[0] if changed else None


def with_odd_lines(data: bytes, random: Random) -> bytes:
    """Return the lines of a file with one of the accidents that happen to files."""
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    match random.randrange(7):
        case 0:
            del lines[place]
        case 1:
            lines.insert(random.randrange(len(lines)), lines[place])
        case 2:
            random.shuffle(lines)
        case 3:
            lines[place : place + 2] = [b"".join(lines[place : place + 2])]
        case 4:
            lines[place] = lines[place][: random.randint(0, len(lines[place]))]
        case 5:
            return data[: random.randint(0, len(data))]
        case 6:
            at = random.randint(0, len(data))
            return data[:at] + random.choice((b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"\r\n", b"\n", b"}{")) + data[at:]
    return b"\n".join(lines)


def places(value: Any) -> list[_Place]:
    """List every position in a value, without recursion, since it may be nested deeply."""
    found: list[_Place] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        members = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in members:
            found.append((node, key))
            if isinstance(child, dict | list):
                waiting.append(child)
    return found


def _copied(value: Any) -> Any:
    """Return a copy of a value, or null for one that is nested too deeply."""
    try:
        return deepcopy(value)
    except RecursionError:
        return None


def _mutated(value: Any, random: Random) -> Any:
    return mutated(value, random) if random.random() < 0.5 else value


def _odd(node: Any, key: Any, random: Random, _: Any) -> None:
    node[key] = deepcopy(random.choice(ODD))


def _deleted(node: Any, key: Any, _: Random, __: Any) -> None:
    del node[key]


def _twice(node: Any, key: Any, random: Random, _: Any) -> None:
    copy = deepcopy(node[key])
    if isinstance(node, list):
        node[key:key] = [copy] * random.choice((1, 1, 1, 40))
    else:
        node[random.choice(list(node))] = copy


def _swapped(node: Any, key: Any, random: Random, whole: Any) -> None:
    """Put a copy of another value of the file here."""
    other, other_key = random.choice(places(whole))
    node[key] = deepcopy(other[other_key])


def _wrapped(node: Any, key: Any, random: Random, _: Any) -> None:
    value = node[key]
    for _level in range(random.choice((1, 1, 2, 150))):
        value = random.choice(([value], {"a": value}, {"content": value}))
    node[key] = value


def _renamed(node: Any, key: Any, random: Random, whole: Any) -> None:
    """Give a value the key of another value in the file."""
    keys = [other for _, other in places(whole) if isinstance(other, str)]
    if isinstance(node, dict) and keys:
        node[random.choice(keys)] = node.pop(key)


def _encoded(node: Any, key: Any, _: Random, __: Any) -> None:
    """Write a value as a JSON string."""
    node[key] = json.dumps(node[key])


def _longer(node: Any, key: Any, random: Random, _: Any) -> None:
    value = node[key]
    if isinstance(value, str | list) and len(value) < 1000:
        node[key] = value * random.choice((2, 3, 30))


_CHANGES: tuple[Callable[[Any, Any, Random, Any], None], ...] = (
    *(_odd, _odd, _odd, _deleted, _twice, _swapped, _swapped, _wrapped, _renamed, _encoded, _longer),
)
