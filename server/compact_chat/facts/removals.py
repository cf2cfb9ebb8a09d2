"""The files that commands removed, where they are plainly named: `rm a.py`, `cd x && git rm -f a.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.facts.commands import command_text
from compact_chat.facts.files import file_uses
from compact_chat.facts.steps import Step

MOST_OF_A_NAME = 100  # files; of more with one name, only one that is named by its whole path is looked for
_REMOVES = re.compile(r"(?:^|&&|[;\n])[ \t]*(?:git[ \t]{1,4})?rm[ \t]{1,4}([^;&|<>\n`$*?]{1,1000})(?=[;&|\n]|\Z)")


def removed_files(taken: Sequence[Step]) -> frozenset[str]:
    """The paths that tools used and a command removed later, with nothing done to them since."""
    known: dict[str, dict[str, None]] = {}
    gone: set[str] = set()
    for step in taken:
        for use in file_uses((step,)):
            known.setdefault(_name(use.path), {})[use.path] = None
            gone.discard(use.path)
        for word in _removed(step):
            paths = known.get(_name(word), {})
            near = paths if len(paths) <= MOST_OF_A_NAME else {word}
            gone.update(path for path in near if path == word or path.endswith(f"/{word.removeprefix('./')}"))
    return frozenset(gone)


def _removed(step: Step) -> Iterator[str]:
    """The words behind `rm` that are no options."""
    for match in _REMOVES.finditer(command_text(step)) if step.done else ():
        yield from (word.strip("'\"") for word in match[1].split() if not word.startswith("-"))


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
