"""The last step of every reader: what a person typed and answered, worded results, and marked summaries."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from compact_chat.chat import Message, Part, Text, ToolCall, WordedResult, result_text
from compact_chat.errors import checkpoint
from compact_chat.read.loose import fields, objects, parsed, word
from compact_chat.text import is_summary_text, line_feeds, opening_end, without_ours
from compact_chat.tools import FORMATS, Format, Tool, tool_named, tool_of

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
Typed = Callable[[Sequence[str]], list[str]]

# A command of Claude Code, identified by the words that the person typed behind it.
_COMMAND_WORDS = re.compile(r"<command-args>((?:(?!</command-args>).){1,20000})</command-args>", re.DOTALL)

# How Cline begins a result, and which of them are errors: its text has no error flag.
_HEAD = re.compile(r"\s*+\[([a-z_]{2,60})(?= for '|\])")
_RESULT = "] Result:"
_FAILURES = ("The tool execution failed", "[ERROR]", "Error executing ", "The user denied this operation")


# A person's words in the results of tools.


def said(text: str, call: ToolCall | None, is_error: bool, tool: Tool) -> list[str]:
    """Return a person's words in the result of a call, where the tool writes such words."""
    name = plain_name(call.name) if call else ""

    def is_among(names: Sequence[str]) -> bool:
        return name in map(plain_name, names)

    notes = (_note(one.frame, text) for one in tool.notes if (is_among(one.calls) if one.calls else is_error))
    found = next((note for note in notes if note is not None), [])
    if call and not found and not is_error and not _SILENT.match(text):
        found = list(_answers(text, call)) if is_among(tool.asks) else _last_words(text) if is_among(tool.hears) else []
    return [words for one in found if (words := one.strip())]


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


def _note(frame: str, text: str) -> list[str] | None:
    """Return what a person wrote while they refused or allowed a call; None if the result has another frame."""
    match frame:
        case "refused" if found := _REFUSED.match(text):
            words = text[found.end() :].partition(_REMINDER)[0]
            return _CLARIFIED.findall(words) if words.startswith(_CLARIFIES) else [words]
        case "rejected" if found := _REJECTED.match(text):
            return [text[found.end() :]]
        case "plan" if found := _PLAN.match(text):
            return [text[found.end() :].partition(_PLAN_FOLLOWS)[0]]
        case "commented" if found := _COMMENTED.match(text):
            return list(within(text[found.end() :], _TAG))[:1]
        case "running" if text.startswith(_RUNNING):
            return _last_words(text)
        case "status":
            return status_note(text)
    return None


def status_note(text: str) -> list[str] | None:
    """Return the note in a status that is written as JSON."""
    status = _STATUS.match(text)
    return [word(fields(parsed(status[0])).get("feedback"))] if status else None


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


# What the last step makes of messages.


def with_summary_marked(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Mark the first message that is neither the system's nor the host's if it begins with an earlier summary of ours.

    A summary is one in its wrapper (rules P23 and J2), or a message that opened this chat (rule C1), from which the
    words that were typed behind it are parted.
    """
    first = next((at for at, one in enumerate(messages) if one.role != "system" and not one.by_host), None)
    if first is None or (message := messages[first]).role != "user":
        return messages
    match message.parts:
        case (Text(words), *_) if is_summary_text(words):
            parts = message.parts
        case (Text(words), *others) if end := opening_end(words):
            behind = words[end:].strip()
            parts = (Text(words[:end].rstrip()), *((Text(behind),) if behind else ()), *others)
        case _:
            return messages
    return (*messages[:first], replace(message, parts=parts, is_summary=True), *messages[first + 1 :])


def resolved(messages: Iterable[Message], format_name: str | None) -> Iterator[Message]:
    """Record what a person said in each message (rule G8), and make worded results of texts that answer earlier calls.

    Without a format, typed words are not noted.
    """
    steps = _typed_steps(format_name) if format_name else ()
    calls: Sequence[ToolCall] = ()
    asked: dict[str, ToolCall] = {}
    for message in messages:
        checkpoint()
        asked.update((call.id, call) for call in message.calls)
        if message.role == "user":
            if format_name:
                message = _with_typed(message, list(map(line_feeds, message.texts)), steps)
                message = _with_answers(message, asked, tool_named(tool_of(format_name)))
            if calls and not message.is_summary:
                message = _with_results(message, calls)
        yield message
        calls = message.calls if message.role == "assistant" else ()


@cache
def _typed_steps(format_name: str) -> tuple[Typed, ...]:
    """Load what tells typed words apart in a format; one without its own may hold the wrappers of any tool."""
    own = function(FORMATS[format_name], "typed_texts") if format_name in FORMATS else None
    steps = [own] if own else (function(one, "typed_texts") for one in FORMATS.values())
    return tuple(dict.fromkeys(filter(None, steps)))


def function(of: Format, name: str) -> Any:
    """Return a function from a format's reader, its own or that of all formats of the module; None without one."""
    reader = import_module(f"compact_chat.read.{of.reader}")
    return getattr(reader, name + of.suffix, None) or getattr(reader, name, None)


def _with_typed(message: Message, texts: Sequence[str], steps: Sequence[Typed]) -> Message:
    """Record a person's words, unless they are just the texts without surrounding space."""
    if message.by_host:
        found = [words[1].strip() for words in map(_COMMAND_WORDS.search, texts) if words]
        return replace(message, typed=tuple(found)) if found else message
    own: Sequence[str]
    if message.typed is not None:  # by the reader
        own = [without_ours(line_feeds(words)) for words in message.typed]
    else:
        own = [words for text in texts if (words := without_ours(text))]
        if message.is_summary and len(own) == len(texts):
            own = texts[1:]
        for step in steps:
            own = step(own)
    found, usual = ([words for text in some if (words := text.strip())] for some in (own, texts))
    typed = None if found == usual else tuple(found)
    return message if typed == message.typed else replace(message, typed=typed)


def _with_answers(message: Message, asked: Mapping[str, ToolCall], tool: Tool) -> Message:
    """Record what a person says in results, before what they typed; what a command printed may read like that.

    Only messages as they were sent to a model have results to which a host added a person's words: no tool's files.
    """
    found: list[str] = []
    for result in message.results:
        text = line_feeds(result_text(result))
        found += said(text, asked.get(result.call_id), result.is_error, tool)
        if not tool.name and text.endswith(_REMINDER_ENDS):  # at the end of a result, by some hosts
            found += filter(None, [mid_turn(text[text.rfind(_REMINDER_START) + len(_REMINDER_START) :])])
    if not found:
        return message
    return replace(message, typed=(*found, *(message.typed_text,) * bool(message.typed_text)))


def _with_results(message: Message, calls: Sequence[ToolCall]) -> Message:
    """Make worded results from texts that name the tool of an unanswered call."""
    if not any(map(_answering, message.parts)):
        return message
    answered = {result.call_id for result in message.results}
    waiting: defaultdict[str, deque[ToolCall]] = defaultdict(deque)
    for call in calls:
        if call.id not in answered:
            waiting[call.name].append(call)
    parts: list[Part] = []
    rest = deque(message.parts)
    while rest:
        part = rest.popleft()
        if not (isinstance(part, Text) and (queue := waiting.get(_answering(part)))):
            parts.append(part)
            continue
        content, answer = [part], part.text.partition(_RESULT)[2]
        if not answer.strip() and rest and isinstance(rest[0], Text) and not _answering(rest[0]):
            content.append(rest[0])  # the head is a text of its own, and the answer is the next
            answer = rest[0].text
            rest.popleft()
        failed = answer.lstrip().startswith(_FAILURES)
        parts.append(WordedResult(queue.popleft().id, tuple(content), failed, as_text=True))
    return replace(message, parts=tuple(parts))


def _answering(part: Part) -> str:
    """Return the tool whose result a text is, if any."""
    head = _HEAD.match(part.text) if isinstance(part, Text) else None
    return head[1] if head and _RESULT in head.string else ""
