"""What a person says in the results of tools: answers to a model's questions, and notes on calls that they judged.

Each tool writes a frame around these words; docs/formats.md#what-a-person-says-in-results lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from compact_chat.chat import ToolCall
from compact_chat.read.document import parsed
from compact_chat.read.loose import fields, objects, word
from compact_chat.tools import Tool, tool_named

_TAG = re.compile(r"<(answer|feedback|user_message)>")

# Refused and allowed calls.
_REFUSED = re.compile(
    r"(?:The user doesn't want to |Permission for this tool use was denied)[^\n]{0,400}?the user said:\s?\n"
)
_REMINDER = "\n\nNote: The user's next message may contain a correction or preference."
_CLARIFIES = "The user wants to clarify these questions."
_CLARIFIED = re.compile(r"^[ \t]{0,8}Answer: (.+)", re.MULTILINE)
_REJECTED = re.compile(r"The user\b[^\n]{0,200}?\b[Uu]ser feedback:\s?")
_PLAN = re.compile(r"(?:The plan|Plan)\b[^\n]{0,200}?\b[Uu]ser feedback:\s?")
_PLAN_FOLLOWS = "\n\nThe plan is stored at: "
_COMMENTED = re.compile(r"[^\n]{0,400}\b(?:feedback|context)\b[^\n]{0,80}:\s?\n(?=<feedback>)")
_STATUS = re.compile(r'\{"status":"(?:denied|approved|guidance)"[^\n]*')
_LONGEST_END = 100  # characters of a closing tag with white space
_RUNNING = "Command is still running"
_AT_THE_END = re.compile(r"</(answer|feedback|user_message)>\s*\Z")

# Words typed while the model worked, as some hosts send them with the next result.
_REMINDER_START, _REMINDER_ENDS = "<system-reminder>", ("</system-reminder>", "</system-reminder>\n")
_MID_TURN = re.compile(r"\s*The user sent (?:a new message while you were working|the following message):\n")
_MID_TURN_END = re.compile(r"\n\s*(?:IMPORTANT: After |This is how |Please address this message|</system-reminder>)")

# Answers.
_SILENT = re.compile(
    r"(?:the )?user (?:cancel|declined|did not|dismissed|has not|skipped|submitted without)"
    r"|the user is (?:not available|replying)|no valid answers|cannot ask|failed to process"
    r"|\[operation cancelled|\[tool call interrupted|\(no output\)",
    re.IGNORECASE,
)
_PAIRED = re.compile(r"(?:User has answered your questions|Your questions have been answered):\s")
_PAIR = re.compile(r'"=("?)(.*?)\1(?=, "|\Z)', re.DOTALL)
_PAIRS_END = re.compile(r"\.? You can now continue with (?:the user's|these) answers in mind\.?\s*\Z")
_PREVIEW = '" selected preview:\n'
_NOTES = re.compile(r'(?:"|(?<=\A\(no option selected\))) (?:user )?notes: ')
_UNCHOSEN = "(no option selected)"
_LISTED = "User has provided the following answers:"
_LABEL = re.compile(r"^\*\*[^*\n]{1,300}\*\*: ", re.MULTILINE)
_LEAD = re.compile(
    r"(?:the )?user (?:has )?(?:answered|chose|replied|responded|selected)(?: option \d{1,3})?: ", re.IGNORECASE
)
_NOTE = "user_note: "


def said(text: str, call: ToolCall | None, is_error: bool, tool: Tool) -> list[str]:
    """Return a person's words in the result of a call, where the tool writes such words."""
    frames, asks, hears = _places(tool.name, plain_name(call.name) if call else "")
    notes = (_NOTES_IN[frame](text) for frame, failed in frames if is_error >= failed)
    found = next((note for note in notes if note is not None), None)
    if found is None:
        found = []
        if call and (asks or hears) and not is_error and not _SILENT.match(text):
            found = list(_answers(text, call)) if asks else _last_words(text)
    return [words for one in found if (words := one.strip())]


class _Places(NamedTuple):
    """What the result of a call may hold of a person: notes in these frames, some only if it failed, and answers."""

    notes: tuple[tuple[str, bool], ...]
    asks: bool
    hears: bool


@lru_cache(1000)
def _places(tool_name: str, call_name: str) -> _Places:
    tool = tool_named(tool_name)
    notes = (
        (one.frame, not one.calls) for one in tool.notes if not one.calls or call_name in map(plain_name, one.calls)
    )
    return _Places(tuple(notes), *(call_name in map(plain_name, names) for names in (tool.asks, tool.hears)))


def sent_with(text: str) -> str:
    """Return what a person typed while the model worked, if a host has sent it at the end of a result."""
    return mid_turn(text[text.rfind(_REMINDER_START) + len(_REMINDER_START) :]) if text.endswith(_REMINDER_ENDS) else ""


def mid_turn(reminder: str) -> str:
    """Return what a person typed while the model worked, if that is what a reminder hands on."""
    opening = _MID_TURN.match(reminder)
    return _MID_TURN_END.split(reminder[opening.end() :], maxsplit=1)[0].strip() if opening else ""


def within(text: str, tag: re.Pattern[str]) -> Iterator[str]:
    """Give the words inside tags; an unclosed tag ends with the text."""
    behind = 0
    for opening in tag.finditer(text):
        if opening.start() >= behind:
            end = text.find(f"</{opening[1]}>", opening.end())
            behind = len(text) if end < 0 else end
            yield text[opening.end() : behind].strip()


def plain_name(name: str) -> str:
    """Return the name of a tool without case and separators."""
    return name.lower().replace("_", "").replace("-", "")


# What a person wrote while they refused or allowed a call: the words in each frame; None if the result has another.


def _refused(text: str) -> list[str] | None:
    if not (refused := _REFUSED.match(text)):
        return None
    words = text[refused.end() :].partition(_REMINDER)[0]
    return _CLARIFIED.findall(words) if words.startswith(_CLARIFIES) else [words]


def _rejected(text: str) -> list[str] | None:
    rejected = _REJECTED.match(text)
    return [text[rejected.end() :]] if rejected else None


def _plan(text: str) -> list[str] | None:
    judged = _PLAN.match(text)
    return [text[judged.end() :].partition(_PLAN_FOLLOWS)[0]] if judged else None


def _commented(text: str) -> list[str] | None:
    commented = _COMMENTED.match(text)
    return list(within(text[commented.end() :], _TAG))[:1] if commented else None


def status_note(text: str) -> list[str] | None:
    """Return the note in a status that is written as JSON."""
    status = _STATUS.match(text)
    return [word(fields(parsed(status[0])).get("feedback"))] if status else None


def _running(text: str) -> list[str] | None:
    return _last_words(text) if text.startswith(_RUNNING) else None


_NOTES_IN: dict[str, Callable[[str], list[str] | None]] = {
    "refused": _refused,
    "rejected": _rejected,
    "plan": _plan,
    "commented": _commented,
    "status": status_note,
    "running": _running,
}


def _last_words(text: str) -> list[str]:
    """Return the words in the tag that ends a text: before it may be what a command printed."""
    closing = _AT_THE_END.search(text[-_LONGEST_END:])
    start = text.rfind(f"<{closing[1]}>") if closing else -1
    return list(within(text[start:], _TAG)) if start >= 0 else []


def _answers(text: str, asked: ToolCall) -> Iterator[str]:
    if tagged := list(within(text, _TAG)):
        yield from tagged
    elif text.startswith('{"answers"'):
        yield from _of_json(fields(fields(parsed(text)).get("answers")).values())
    elif paired := _PAIRED.match(text):
        questions = [word(one.get("question")) for one in objects(asked.input.get("questions"))]
        yield from _of_pairs(_PAIRS_END.sub("", text[paired.end() :]), questions)
    elif text.startswith(_LISTED):
        yield from _LABEL.split(text[len(_LISTED) :])
    elif lead := _LEAD.match(text):
        yield text[lead.end() :]
    else:
        yield text


def _of_json(answers: Iterable[object]) -> Iterator[str]:
    """Give the strings of answers, each of which may be one, a list, or what was selected and typed."""
    for answer in answers:
        if isinstance(answer, str) and not _SILENT.match(answer):
            yield answer.removeprefix(_NOTE)
        elif isinstance(answer, list):
            yield from _of_json(answer)
        elif isinstance(answer, dict):
            yield from _of_json(answer.get(name) for name in ("answers", "selected", "freeText"))


def _of_pairs(text: str, questions: Sequence[str]) -> Iterator[str]:
    """Give the answers of `"question"="answer", …`; known questions tell where an answer with quotes ends."""
    starts = sorted((at, at + len(mark)) for mark in (f'"{one}"=' for one in questions) if (at := text.find(mark)) >= 0)
    if not starts:
        yield from (answer for _, answer in _PAIR.findall(text))
    ends = [at for at, _ in starts[1:]] + [len(text)]
    for (_, start), end in zip(starts, ends, strict=False):
        chosen = text[start:end].removesuffix(", ")
        answer, preview, notes = chosen.partition(_PREVIEW)
        if not preview:  # what was typed may mention notes too
            answer, notes = [*_NOTES.split(chosen, maxsplit=1), ""][:2]
        elif " notes: " in notes:
            notes = notes.rpartition(" notes: ")[2]
        else:
            notes = ""
        words = "" if answer == _UNCHOSEN else answer.removeprefix('"').removesuffix('"')
        yield from dict.fromkeys((words, notes))  # what is typed instead of a choice comes twice
