"""Claims that a file was changed, and whether a tool of the chat changed it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from compact_chat.chat import Message, texts
from compact_chat.facts.errands import errand_of
from compact_chat.facts.files import file_kind, file_uses, paths_of_step
from compact_chat.facts.steps import COMMAND_TOOLS, Step, steps
from compact_chat.facts.words import sentences
from compact_chat.reply.code import between, closed_fences

MOST_CLAIMS = 200
_DONE = re.compile(
    r"\b(?:created|wrote|written|edited|modified|updated|fixed|rewrote|rewritten|implemented|refactored|saved|added|patched)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|nothing|none|neither|nor|never|no|without|fail\w*|could|can|cannot|should|would|will|must|may|might|needs?|pending|todo|plan\w*|next"
    r"|tried|attempt\w*|blocked|denied|refused|rejected|revert\w*|undone|undid|wants?|asked|request\w*|users?|if|when|yet"
    r"|still|unless|manually|already|existing|previously|is|are|be)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_FINISHED = re.compile(r"[ \t]*+[-*+][ \t]++\[[xX]\][ \t]++(.++)")
_LOOKED = re.compile(
    r"\b(?:read|re-?read|look\w*|review\w*|inspect\w*|analy[sz]\w*|examin\w*|check(?:s|ed|ing)?|verif\w*|test\w*|ran|run|found|find"
    r"|explor\w*|search\w*|identif\w*|located|confirm\w*|debug\w*|investigat\w*|underst\w*|compar\w*|discuss\w*|explain\w*"
    r"|diagnos\w*|reproduc\w*|list(?:s|ed|ing)?|measur\w*|trac(?:ed|ing)|see)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w./\\~@+:-]{3,300}+")
_ENDING = re.compile(
    "py|pyi|ipynb|[cm]?js|[jt]sx|ts|jsonl?|mdx?|rst|txt|ya?ml|toml|ini|cfg|conf|env|s?css|less|html?|xml|svg|vue|svelte"
    "|sh|bash|zsh|ps1|bat|go|rs|java|kts?|gradle|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|dart|exs?|sql|proto|tf|lock|[ct]sv"
)
_BRAND = re.compile(r"[A-Z][A-Za-z]*\.(?:js|ts|py|rs|go)")
_AGENTS = ("agent", "task", "delegate")
_ONLY_LOOKS = re.compile("todo|plan|grep|search|glob|list|find|fetch|read|view|think")  # in names of tools


class _Traces(Struct, frozen=True):
    """What the tools left of files: names that were changed, names that were to be, and texts that may tell more."""

    changed: frozenset[str]
    tried: frozenset[str]
    done: tuple[str, ...]  # what those tools were given that ran and may have changed any file
    near: tuple[str, ...]  # texts of anybody who may have met a file
    helped: bool  # by another agent, whose work is not seen


def unproven_files(claims: Sequence[str], named: Sequence[str], messages: Sequence[Message]) -> tuple[str, ...]:
    """The files that a summary says were changed, in its sentences or by name, though no tool changed them.

    Said only of files whose change failed, or that no tool was ever near; in a chat without tools of none.
    """
    told = dict.fromkeys([*named, *(path for text in claims for path in _claimed(text))])
    taken = steps(messages) if told else ()
    if not taken:
        return ()
    traces = _traces(taken, messages)
    return tuple(path for path in list(told)[:MOST_CLAIMS] if not _may_be_done(_name(path), traces))


def changed_files(entries: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The names of code changes that say without doubt what was changed."""
    for entry in entries:
        change = entry["change"]
        if change and not _DOUBT.search(change) and _is_path(entry["file"]):
            yield entry["file"]


def _claimed(text: str) -> Iterator[str]:
    """The paths in sentences that say without any doubt that something was done, and in finished items."""
    prose = "\n".join(between(text, closed_fences(text)))
    done = (sentence for sentence in sentences(prose) if _DONE.search(sentence))
    for sentence in (*done, *_finished(prose)):
        if not _DOUBT.search(sentence):
            yield from filter(_is_path, (token.strip(".:") for token in _TOKEN.findall(sentence)))


def _finished(prose: str) -> Iterator[str]:
    """The first sentences of items that are ticked off, unless they tell of something that changes no file."""
    for line in prose.split("\n"):
        if item := _FINISHED.match(line):
            yield from (first for first in sentences(item[1])[:1] if not _LOOKED.search(first))


def _is_path(token: str) -> bool:
    """Whether a word is the path of a file with a known ending."""
    stem, _, ending = token.rpartition(".")
    return (
        bool(stem.strip("./~"))
        and _ENDING.fullmatch(ending) is not None
        and "://" not in token
        and not _BRAND.fullmatch(token)
    )


def _may_be_done(name: str, traces: _Traces) -> bool:
    if name in traces.changed or any(name in text for text in traces.done):
        return True
    return name not in traces.tried and (traces.helped or any(name in text for text in traces.near))


def _traces(taken: Sequence[Step], messages: Sequence[Message]) -> _Traces:
    aside = (message for message in messages if message.is_summary or message.by_host or message.role == "system")
    given = [(step, _given(step)) for step in taken]
    changes = [step for step in taken if file_kind(step) in ("write", "edit")]
    return _Traces(
        changed=frozenset(_name(use.path) for use in file_uses(taken) if use.kind != "read"),
        tried=frozenset(_name(path) for step in changes for path in paths_of_step(step)),
        done=tuple(text for step, text in given if step.done and _may_write(step)),
        near=(*(text for step, own in given for text in (own, step.answer or "")), *_texts(aside)),
        helped=any(step.done and any(word in step.tool for word in _AGENTS) for step in taken),
    )


def _may_write(step: Step) -> bool:
    """Whether a tool may have changed any file that it was told of: commands, and tools that are not known."""
    if step.tool in COMMAND_TOOLS:
        return not errand_of(step).only_looks
    return file_kind(step) in ("write", "edit") or not _ONLY_LOOKS.search(step.tool)


def _texts(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield from texts(message)


def _given(step: Step) -> str:
    return "\n".join(texts(Message("", "assistant", (step.call,))))


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]
