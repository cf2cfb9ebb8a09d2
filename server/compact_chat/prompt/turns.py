"""Messages that stay word for word, as turns of a hand-over's record (rule H14).

> Yes, but keep the old endpoint working.       the user's words
- Edited `shop/app.py` (+12 −3)
- Ran `pytest -q` → failed (exit code 1):       each call with what it returned
  E   Failed: DID NOT RAISE DiscountError
- Assistant: Half of it is repaired.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from compact_chat.chat import Part, Text, Thinking, ToolCall, ToolResult, result_text, strings, words
from compact_chat.facts import (
    NEW_TEXT,
    OLD_TEXT,
    QUOTED_ABOVE,
    Step,
    file_kind,
    find_steps,
    is_refused,
    listed_todos,
    new_names,
    paths_of_step,
    shown_path,
)
from compact_chat.prompt.portions import OUTPUT_LIMITS, sift, without_reminders
from compact_chat.prompt.transcript import (
    DEFAULT_LIMITS,
    LABELS_TRANSCRIPT,
    PATCH,
    Limits,
    clip,
    clip_start,
    shrinking,
    sided_lines,
)
from compact_chat.text import (
    code,
    counted,
    escape_labels,
    escape_tags,
    indented,
    json_text,
    line_feeds,
    quote,
    strip_summary_wrappers,
)

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

Turn = tuple[int, str]  # its number, and what stands below its heading
_OUTCOMES = {"ok": "", "failed": " → failed", "unknown": " → not run"}
_NO_WORDS = ToolCall | ToolResult | Thinking
_HEAD = re.compile(  # of a command's output, told beside the command
    r"\A(?:(?:(?:Process )?exited with code|Exit code:?) -?\d{1,9}\n|Output:\n)+", re.IGNORECASE
)


def fit_turns(
    messages: Sequence[MaskedMessage],
    turns: Mapping[str, int],
    quoted: Container[str],
    folder: str,
    room: int | None,
) -> tuple[list[Turn], bool]:
    """Return the fullest turns within a number of characters, else the shortest ones, and whether they fit (T8)."""
    written = list[Turn]()
    for limits in shrinking(DEFAULT_LIMITS):
        written = write_turns(messages, turns, quoted, folder, limits)
        if room is None or sum(len(text) for _, text in written) <= room:
            return written, True
    return written, False


def write_turns(
    messages: Sequence[MaskedMessage],
    turns: Mapping[str, int],
    quoted: Container[str] = (),
    folder: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> list[Turn]:
    """Write messages under their turns, by their ids.

    Words of the user that are `quoted` above are not repeated, and paths are relative to the `folder`.
    """
    written = []
    for turn, entries in groupby(_entries(messages, turns, folder, limits), key=itemgetter(0)):
        texts: list[str] = []
        for _, text in entries:
            own = escape_labels(escape_tags(text), LABELS_TRANSCRIPT)
            own = quote(QUOTED_ABOVE) if own in quoted else own
            is_second = texts and own.startswith(">") and texts[-1].startswith(">")  # each quote is a message
            texts.append(f"\n{own}" if is_second else own)
        written.append((turn, "\n".join(texts)))
    return written


def _entries(
    messages: Sequence[MaskedMessage], turns: Mapping[str, int], folder: str, limits: Limits
) -> Iterator[Turn]:
    """Yield what was said and done, each under its turn; of the host's text no more than messages of its own."""
    sifted = sift(messages)
    mixed = {message.id for message in messages if message.typed or message.results}
    steps = zip(find_steps(messages), find_steps(sifted), strict=True)
    called = {part.id for message in messages for part in message.calls}
    for message in sifted:
        turn = turns.get(message.id, 0)
        if message.role == "user" and not (message.by_host or message.is_summary):
            said = "\n".join(words(part) for part in message.parts if not isinstance(part, _NO_WORDS))
            if said.strip():
                yield turn, quote(clip(line_feeds(said), limits.user))
                continue
        for part in message.parts:
            match part:
                case ToolCall():
                    yield turn, _call(*next(steps), folder, limits)
                case ToolResult(call_id) if call_id in called:
                    pass
                case _ if not (message.by_host and message.id in mixed):
                    if text := _said(part, message, limits):
                        yield turn, text


def _said(part: Part, message: MaskedMessage, limits: Limits) -> str:
    """Write a part of a message that is not the user's."""
    match part:
        case Text(text) if message.is_summary:
            speaker, text = "Earlier summary", clip(strip_summary_wrappers(text), limits.other)
        case Thinking(text):
            speaker, text = "Thinking", clip_start(text, limits.thinking) if limits.thinking else ""
        case ToolResult():
            speaker, text = "Returned", clip(result_text(part), limits.tool_result)
        case ToolCall():
            return ""
        case _ if message.role == "assistant":
            speaker, text = "Assistant", clip(words(part), limits.assistant)
        case _:
            speaker = "Host" if message.by_host else message.role.capitalize()
            text = clip(without_reminders(words(part)), limits.tool_result)
    text = line_feeds(text).strip()
    return f"- {speaker}: {indented(text).lstrip()}" if text else ""


def _call(step: Step, told: Step, folder: str, limits: Limits) -> str:
    """Write a call with its outcome; `told` has what it returned without what the host put around it."""
    outcome = " → no result" if step.answer is None else _OUTCOMES[step.outcome]
    outcome += f" (exit code {step.code})" if step.code else ""
    if is_refused(step):  # what its user said is told as theirs, and the host's words are for the moment only
        told, outcome = replace(told, answer=""), " → refused by the user"
    kind, within = file_kind(step), f"{folder}/" if folder else ""
    paths = ", ".join(code(shown_path(path).removeprefix(within)) for path in paths_of_step(step))
    if listed_todos(step) is not None and step.outcome != "failed":
        changed = "; ".join(map(str, told.call.input["todos"]))
        return f"- Todos: {changed}" if changed else "- Todos: as before"
    is_fine = step.outcome == "ok"
    if paths and kind == "read" and is_fine:
        lines = 1 + (told.answer or "").count("\n")
        return f"- Read {paths} ({counted(lines, 'line')})"
    if paths and (kind or step.command):
        verb = {"read": "Read", "write": "Wrote"}.get(kind or "", "Edited")
        line = f"- {verb} {paths}{_changes(step) if is_fine and kind != 'read' else ''}{outcome}"
        answer = "" if is_fine else told.answer or ""
    elif step.command:
        answer = _HEAD.sub("", f"{(told.answer or '').strip()}\n")
        line = _ran(clip(line_feeds(step.command), limits.arguments), outcome or ("" if answer.strip() else " → ok"))
    else:
        name, answer = " ".join(step.call.name.split()) or "an unknown tool", told.answer or ""
        line = f"- Called {name}{_arguments(told.call.input, limits)}{outcome}"
    answer = clip(answer.strip("\n"), limits.tool_result).rstrip()
    return f"{line}:\n{indented(answer)}" if answer.strip() else line


def _ran(command: str, outcome: str) -> str:
    if "\n" not in command:
        return f"- Ran {code(command)}{outcome}"
    return f"- Ran:\n{indented(command)}\n {outcome or ' → ok'}"


def _arguments(given: Mapping[str, Any], limits: Limits) -> str:
    """Write arguments in words; of nested ones the texts."""
    named = list[str]()
    for name, value in given.items():
        text = ", ".join(strings(value)) if isinstance(value, dict | list) else json_text(value)
        text = value if isinstance(value, str) else text
        if text.strip() and name not in OUTPUT_LIMITS:
            named.append(f"{name} {code(' '.join(text.split()))}")
    shown = " ".join(clip(", ".join(named), limits.arguments).split())
    return f" with {shown}" if shown else ""


def _changes(step: Step) -> str:
    """Tell how many lines an edit added and removed, and the functions and types that it added."""
    added, removed = _counts(step.call.input)
    lines = f"+{added} −{removed}" if removed else f"+{added}"
    names = ", ".join(name for new in new_names([step]) for name in new.names)
    return f" ({lines}{f'; new: {names}' if names else ''})" if added or removed else ""


def _counts(given: Mapping[str, Any]) -> tuple[int, int]:
    added = removed = 0
    values = list(given.values())
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    patches = [text for text in texts if isinstance(text, str) and PATCH.search(text)]
    if patches:
        sides = Counter(side for patch in patches for _, side in sided_lines(patch))
        return sides["new"], sides["old"]
    for one in (given, *(text for text in texts if isinstance(text, dict))):
        old, new = (
            Counter(line for name in names if isinstance(text := one.get(name), str) for line in text.split("\n"))
            for names in (OLD_TEXT, NEW_TEXT)
        )
        added, removed = added + (new - old).total(), removed + (old - new).total()
    return added, removed
