"""Rebuilds the table of context windows from three maintained packages, which are downloaded and never imported.

Run it when models have come out: python -m scripts.build_windows. Where the packages mix up what a prompt may have and
what prompt and reply have together, the rules of `resolved` decide; where the outcome is not plausible, nothing is
written.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median_low
from typing import NamedTuple

from compact_chat.measure.families import UNKNOWN_WINDOW, lookup, version_of
from scripts.window_facts import FILES, PACKAGES, READERS, Stated, contents, fetch

TARGET = Path(__file__).resolve().parent.parent / "server" / "compact_chat" / "measure" / "data" / "windows.json"
COPILOT = ("github_copilot", "github-copilot")  # has windows of its own, smaller ones
SURE = {"azure"}  # who is believed alone: of the others that sell a model, so many must agree
SELLERS = 3
DATE = re.compile(r"-(20\d\d(-?\d\d){2}|\d\d-20\d\d)$")
NEAR = 1.06  # 1,000,000 is often written for 1,048,576 or 1,050,000
LEAST = 8_000  # tokens; smaller models hold no chat


class Row(NamedTuple):
    """What the table says: tokens of prompt and reply together, of a prompt, of a reply."""

    total: int
    input: int
    output: int


def main() -> None:
    """Fetch, read, resolve, check and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=TARGET, help="the file to write")
    target: Path = parser.parse_args().into
    with tempfile.TemporaryDirectory() as scratch:
        wheels = fetch(Path(scratch))
        stated = [fact for package in PACKAGES for fact in READERS[package](contents(wheels[package], FILES[package]))]
        sources = [f"{package} {wheels[package].name.split('-')[1]}" for package in PACKAGES]
    target.write_text(written(tables(stated), sources), "utf-8")
    print(f"{target.name}: {target.stat().st_size} bytes of {', '.join(sources)}")


def tables(stated: Sequence[Stated]) -> dict[str, dict[str, Row]]:
    """The tables by their names; raises where a row cannot be."""
    rows = rows_of([fact for fact in stated if not fact.seller])
    resold = by_name(fact for fact in stated if fact.seller and fact.seller not in COPILOT)
    copilot = by_name(fact for fact in stated if fact.seller in COPILOT)
    made = {
        "claude": claude_rows(rows),
        "others": with_gaps(shortest({name: row for name, row in rows.items() if is_by_name(name)}), resold),
        "copilot": shortest({name: copilot_row(facts) for name, facts in copilot.items()}),
    }
    for table in made.values():
        check(table)
    return made


def by_name(stated: Iterable[Stated]) -> dict[str, list[Stated]]:
    """The facts of each model, the freshest first."""
    facts: dict[str, list[Stated]] = {}
    for fact in stated:
        facts.setdefault(fact.name, []).append(fact)
    return dict(sorted(facts.items()))


def is_by_name(name: str) -> bool:
    """Whether a model is told by its name: a Claude with a version is told by that."""
    return version_of(name, "claude") in (None, (0, 0))


def rows_of(stated: Sequence[Stated]) -> dict[str, Row]:
    """The rows by the plain names of the models, without what is too small to hold a chat."""
    apart = {fact.input for fact in stated if 0 < fact.input < fact.size}
    named = {name: facts for name, facts in by_name(stated).items() if is_name(name, facts)}
    whole = {name: resolved(facts, apart) for name, facts in named.items() if any(fact.output for fact in facts)}
    rows = {name: row for name, row in whole.items() if row.input >= LEAST and not is_snapshot(name, row, whole)}
    rows = undated(rows) | rows
    plain = {name: resolved(facts, apart) for name, facts in named.items() if name not in whole}
    return rows | {name: row for name, row in plain.items() if row.input >= LEAST and is_gap(name, row, rows | whole)}


def is_name(name: str, facts: Sequence[Stated]) -> bool:
    """A plain word is a model's name only where two packages say so."""
    return bool(re.search(r"[\d-]", name)) or len({fact.source for fact in facts}) > 1


def is_gap(name: str, row: Row, rows: dict[str, Row]) -> bool:
    """A model that no other name fits, or only one of another size; a new Claude is known by its version.

    Where variants of the model have rows, one size for it says no more than the name that fits them all.
    """
    if name in rows or not is_by_name(name):
        return False
    fitting = lookup(rows, name)
    if fitting is None:
        return True
    is_alike = near(row.total, fitting.total) or near(row.input, fitting.input)
    return not is_alike and not any(other.startswith(f"{name}-") for other in rows)


def near(one: int, other: int) -> bool:
    """Whether two sizes are the same, written in two ways."""
    return other / NEAR <= one <= other * NEAR


def with_gaps(rows: dict[str, Row], resold: dict[str, list[Stated]]) -> dict[str, Row]:
    """The rows, and those of models that only others sell, or that their makers tell nothing of."""
    filled = dict(rows)
    for name in sorted(resold, key=lambda name: (name.count("-"), name)):
        row = resold_row(resold[name])
        if row is not None and re.search(r"[\d-]", name) and is_gap(name, row, filled):
            filled[name] = row
    return dict(sorted(filled.items()))


def resold_row(facts: Sequence[Stated]) -> Row | None:
    """What most of those say that sell a model: the middle one, where enough of them agree on it."""
    size = median_low(fact.size for fact in facts)
    agree = [fact for fact in facts if near(fact.size, size)]
    sellers = {fact.seller.replace("_", "-") for fact in agree}
    if size < LEAST or 2 * len(agree) <= len(facts) or not (len(sellers) >= SELLERS or sellers <= SURE):
        return None
    output = median_low([fact.output for fact in agree if fact.output] or [UNKNOWN_WINDOW.output])
    return Row(size, size, min(output, size))


def copilot_row(facts: Sequence[Stated]) -> Row:
    """What Copilot has for a model, in which prompt and reply have rooms of their own; LiteLLM tells the prompt's."""
    fact = next((fact for fact in facts if fact.source == "litellm" or fact.input), facts[0])
    prompt, output = fact.input or fact.size, fact.output or UNKNOWN_WINDOW.output
    return Row(prompt + output, prompt, min(output, prompt))


def is_snapshot(name: str, row: Row, rows: dict[str, Row]) -> bool:
    """A dated name of the same size as the name without the date is the same model, however it is told."""
    plain = DATE.sub("", name)
    return plain != name and plain in rows and rows[plain].total == row.total


def undated(rows: dict[str, Row]) -> dict[str, Row]:
    """The rows of names that are only told with a date, without it."""
    return {DATE.sub("", name): row for name, row in sorted(rows.items()) if DATE.search(name)}


def resolved(facts: Sequence[Stated], apart: set[int]) -> Row:
    """One row of what the packages say of a model, by these rules.

    1. The size is what two packages agree on (up to a rounding, where the larger is the exact one); where all differ,
       the middle one, and the smaller of two: a meter may warn too early. The reply is the freshest's.
    2. Where models.dev tells a smaller input apart, that is the input, and the size is the total.
    3. OpenAI sets the room for the reply apart since gpt-5, in few sizes that its models share (`apart`): a size that
       is one of them and the reply together is a total, and a size that is one of them is an input.
    4. Everybody else shares one window among prompt and reply: a prompt may have all of it. Where LiteLLM's figure is
       a little below the size, it is what the maker lets a prompt have.
    5. A reply of unknown length has 32,000 tokens. A model without one has a row only where no other name fits it.
    """
    size = agreed(facts)
    output = next((fact.output for fact in facts if fact.output), UNKNOWN_WINDOW.output)
    told = next((fact.input for fact in facts if 0 < fact.input < size), 0)
    if not told and facts[0].name.startswith("gpt"):
        told = next((room for room in (size - output, size) if room in apart), 0)
    if told:
        return Row(told + output if size in apart else size, told, output)
    prompt = next((fact.size for fact in facts if fact.source == "litellm" and size / NEAR <= fact.size), size)
    return Row(size, min(prompt, size), min(output, size))


def agreed(facts: Sequence[Stated]) -> int:
    """The first size that another package's is near to, or rather the larger of both; else the middle one."""
    for fact in facts:
        others = (other.size for other in facts if other.source != fact.source)
        alike = [size for size in others if near(size, fact.size)]
        if alike:
            return max(fact.size, *alike)
    return median_low(fact.size for fact in facts)


def claude_rows(rows: dict[str, Row]) -> dict[str, Row]:
    """Claude's windows by the first version that has them: names have no order, and new ones come out all the time."""
    by_version: dict[tuple[int, int], list[Row]] = {}
    for name, row in rows.items():
        if (version := version_of(name, "claude")) not in (None, (0, 0)):
            by_version.setdefault(version, []).append(row)
    firsts: dict[str, Row] = {}
    for version, alike in sorted(by_version.items()):
        if len({row.input for row in alike}) > 1:
            raise SystemExit(f"Claude {version} has several windows: {alike}")
        row = min(alike)
        if row not in list(firsts.values())[-1:]:
            firsts[".".join(map(str, version))] = row
    return firsts


def shortest(rows: dict[str, Row]) -> dict[str, Row]:
    """The rows without those that a shorter name already has: `lookup` takes the longest that fits."""
    table: dict[str, Row] = {}
    for name, row in sorted((versions(rows) | rows).items(), key=lambda named: (named[0].count("-"), named[0])):
        if lookup(table, name) != row:
            table[name] = row
    return dict(sorted(table.items()))


def versions(rows: dict[str, Row]) -> dict[str, Row]:
    """The beginnings of names, up to a number, whose models all have the same window."""
    alike: dict[str, set[Row]] = {}
    for name, row in rows.items():
        for beginning in list(accumulate(name.split("-"), "{}-{}".format))[:-1]:
            alike.setdefault(beginning, set()).add(row)
    return {name: min(found) for name, found in alike.items() if len(found) == 1 and re.search(r"\d", name)}


def check(rows: dict[str, Row]) -> None:
    """Stop where a row cannot be."""
    for name, row in rows.items():
        if not 0 < row.output <= row.input <= row.total:
            raise SystemExit(f"{name}: {row} is not plausible")


def written(parts: Mapping[str, dict[str, Row]], sources: Sequence[str]) -> str:
    """The file, a row to a line."""
    head = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "sources": sources, "columns": Row._fields}
    lines = [f'"{key}": {json.dumps(value)}' for key, value in head.items()]
    for part, table in parts.items():
        lines.append(
            f'"{part}": {{\n' + ",\n".join(f'"{name}": {json.dumps(row)}' for name, row in table.items()) + "\n}"
        )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
