"""What the user wants: requests, standing rules, todos, and a project's summary instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Message, Text, ToolResult, result_text
from compact_chat.facts.steps import Step, plain_name
from compact_chat.facts.words import sentences
from compact_chat.text import fenced_lines, is_summary_text, line_feeds, strip_summary_wrappers

# Hosts put what a person says when refusing a call into its result.
_REFUSAL = "The user doesn't want to proceed with this tool use"
_SAID = "the user said:\n"
# Tools that ask the user a question; their results are the user's words.
_ASKING_REQUESTS = frozenset(
    {"askuserquestion", "askfollowupquestion", "askquestions", "askquestion", "requestuserinput"}
)


class Request(Struct, frozen=True):
    """What a person typed in one message."""

    text: str
    message: str


def requests(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List what a person typed, in order: no results, no host text, no earlier summaries.

    Answers to a tool's questions, and words with which a call was refused, come in results and are the person's.
    """
    asked = {call.id for message in messages for call in message.calls if plain_name(call.name) in _ASKING_REQUESTS}
    found = []
    for message in messages:
        if message.role != "user":
            continue
        for result in (part for part in message.sent if isinstance(part, ToolResult)):
            text = result_text(result)
            if text.startswith(_REFUSAL):
                found.append(Request(text.partition(_SAID)[2].strip(), message.id))
            elif result.call_id in asked and not result.is_error:
                found.append(Request(text.strip(), message.id))
        found.append(Request(message.typed_text, message.id))
    return tuple(request for request in found if request.text)


def earlier_summaries(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List the summaries of earlier compactions, unwrapped."""
    found = []
    for message in messages:
        if summaries := summary_parts(message):
            texts = (part.text for part in message.parts if isinstance(part, Text) and part in summaries)
            found += [Request(strip_summary_wrappers(text), message.id) for text in texts]
    return tuple(summary for summary in found if summary.text)


def summary_parts(message: Message) -> frozenset[Text]:
    """Return a message's texts that are earlier summaries: those in a wrapper, else the first if a tool marked it."""
    checkpoint()
    if message.role != "user" and not message.is_summary:
        return frozenset()
    texts = [part for part in message.parts if isinstance(part, Text)]
    wrapped = frozenset(part for part in texts if message.role == "user" and is_summary_text(part.text))
    return wrapped or frozenset(texts[:1] if message.is_summary else ())


# Standing rules in the user's own words: never, always, must, keep, avoid, prefer.

# Every part is bounded, so that matching stays linear.
_LEAD_WORDS = (
    "and also but so then please pls just ok okay yes yeah no now well actually however btw important note remember"
)
_LEAD = rf"(?:(?:{'|'.join(_LEAD_WORDS.split())})[\s,:;.-]{{1,4}}){{0,3}}"
_START = rf"^[\W_]{{0,4}}{_LEAD}"
_FEELINGS = "know|think|understand|see|get it|worry|mind|remember|care|need to|have to|seem|forget about"
_DO_NOT = rf"(?:do not|don['’]?t)(?!\s+(?:{_FEELINGS})\b)"
_ORDERS = (
    f"never|always|{_DO_NOT}|avoid|prefer|stick (?:to|with)|go with|make sure|ensure|be sure to|refrain from"
    "|let['’]?s not|let us not"
)
_DEEDS = "use|edit|change|touch|modify|run|write|read|add|commit|push|install|do|make|fix|test"

_NEVER = rf"(?:never|always|{_DO_NOT})\b"
_CLAUSE_WORDS = "and|but|so|then|please|to|you"

_AT_START = (
    rf"(?:{_ORDERS})\b",
    r"keep\b(?!\s+(?:going|it up|on\b|in mind|trying|working))",
    rf"only\s+(?:[a-z]{{1,20}}\s+)?(?:{_DEEDS}|the|these|this|in|if|when|after)\b",
    r"use\s(?>\S{1,60}+\s?+){1,12}+$",
)
_AT_A_WORD = (
    rf"(?:{_CLAUSE_WORDS})\s{_NEVER}",
    r"must(?:n['’]?t| not)?\b(?!\s+(?:have (?:been|\w{1,20}ed)|be (?:because|some\w*))\b)",
    r"(?:should|shall|may|can)(?: not|n['’]?t) be\b",
    r"should(?: not|n['’]?t| never| always| only)\b|may (?:not|only|never)\b",
    r"only\b.{1,80}\bshould\b",
    r"(?:is|are) (?:not allowed|forbidden|mandatory|off[- ]limits)\b",
    r"(?:from now on|at all times|under no circumstances|no matter what|without exception|in (?:the )?future)\b",
    r"(?:I|we)(?:['’]d| would)? (?:strongly |really )?prefer\b",
    r"(?:I|we) (?:do not|don['’]?t) want\b(?! to know)",
    r"(?:niemals|auf keinen fall|darf nicht|dürfen nicht|bitte (?:nicht|keine?n?|immer|nur))\b",
    r"verwende (?:nur|immer|nie)\b",
    r"(?:ne jamais|il ne faut pas|évite[rz]?|utilise[rz]? (?:uniquement|toujours))\b",
    r"(?:nunca|siempre usa|usa solo|no (?:uses|cambies|toques|modifiques)|não (?:use|mude|altere|toque))\b",
    r"(?:никогда не|всегда используй|нельзя|не (?:используй|меняй|трогай)|обязательно)\b",
)
_ANYWHERE = (
    rf"[,;:(–—]\s?{_NEVER}",
    "不要|不得|禁止|必须|务必|请勿|只能|始终使用|しないで|必ず|使わないで|하지 ?마|반드시|금지",
)
_ASKING_RULE_WORDS = "can|could|would|should|do|does|did|is|are|was|why|what|how|when|where|which|who"
_ASKED = "we|you|i|it|this|that|the|they|there"

# Words that negate a rule, but do not change its subject.
TURNS = frozenset({"never", "not", "don", "t", "dont", "do", "always", "only", "instead", "now", "no", "please", "use"})

SHORTEST_RULE, LONGEST_RULE = 4, 400  # characters of a sentence that can be a rule
MOST_OF_ONE_MESSAGE = 20
JUDGED = 4000  # cached sentences

_QUOTED_LINE = re.compile(r"^(?:[ \t]*+[>$❯|]|\t| {4}(?![-*+\d ]))")
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")
_RULES_FOLLOW = re.compile(r"\b(?:rules?|constraints?|requirements?)\b[^.:!?\n]{0,80}:[ \t]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"\d")


class Rule(Struct, frozen=True):
    """A sentence that sets a rule, and whether a later, nearly identical one superseded it."""

    text: str
    message: str
    superseded: bool = False


def rules(said: Sequence[Request]) -> tuple[Rule, ...]:
    """Find the rules in order; a repeated rule counts at its last occurrence.

    A rule of which a later one changed only a value is superseded.
    """
    last: dict[str, Rule] = {}
    for request in said:
        for text in _rules_in(request.text):
            last.pop(text.lower(), None)
            last[text.lower()] = Rule(text, request.message)
    found = list(last.values())
    newest: dict[frozenset[str], int] = {}
    for place, rule in enumerate(found):
        words = _WORD.findall(rule.text.lower())
        topic = frozenset(word for word in words if word not in TURNS and not _VALUE.search(word))
        if len(topic) >= 2 and topic in newest:
            before = newest[topic]
            found[before] = Rule(found[before].text, found[before].message, superseded=True)
        newest[topic] = place
    return tuple(found)


def _rules_in(text: str) -> list[str]:
    """Find the rules in a message's lines, except code and quotes."""
    found: list[str] = []
    listed = False  # under a line such as "Three rules for this work:"
    lines = text.split("\n")
    for line, fenced in zip(lines, fenced_lines(lines), strict=True):
        if fenced or _QUOTED_LINE.match(line):
            continue
        is_item = _ITEM.match(line) is not None
        for one in sentences(line):
            checkpoint()
            if len(one) <= LONGEST_RULE and ((listed and is_item) or (len(one) >= SHORTEST_RULE and _sets_rule(one))):
                found.append(one)
        announces = line.rstrip(" \t").endswith(":") and _RULES_FOLLOW.search(line) is not None
        listed = announces or (listed and (is_item or not line.strip()))
    return found[:MOST_OF_ONE_MESSAGE]


@lru_cache(JUDGED)
def _sets_rule(sentence: str) -> bool:
    rule, question = _rule_and_question()
    return bool(rule.search(sentence)) and not question.search(sentence)


@cache
def _rule_and_question() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the two patterns on first use: they take longer than the rest of a start."""
    # A common prefix is tested once for all alternatives: most positions in a sentence start neither it nor a word.
    rule = rf"{_START}(?:{'|'.join(_AT_START)})|\b(?:{'|'.join(_AT_A_WORD)})|{'|'.join(_ANYWHERE)}"
    question = rf"[?？]\W{{0,9}}$|^\W{{0,4}}(?:{_ASKING_RULE_WORDS})\s(?:{_ASKED})\b"
    return re.compile(rule, re.IGNORECASE), re.compile(question, re.IGNORECASE)


# The todo list as the last call left it.

Status = Literal["open", "doing", "done"]

# Tools that write the whole list, and the arguments that hold it.
_WRITERS = frozenset({"todowrite", "updateplan", "managetodolist", "writetodos"})
_LISTS = ("todos", "plan", "todoList")
_TEXTS = ("content", "step", "title", "subject", "description", "text")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "deleted"})
_TASK_NUMBER = re.compile(r"#(\d{1,9})")


class Todo(Struct, frozen=True):
    """A todo item, and the id of the message that set its status."""

    text: str
    status: Status
    message: str


def todos(taken: Sequence[Step]) -> tuple[Todo, ...]:
    """List the items of the newest todo list, in order."""
    items: dict[str, Todo] = {}
    for step in taken:
        given = step.call.input
        if step.outcome == "failed":
            continue
        if step.tool in _WRITERS:  # a call without entries only reads the list
            entries = next((value for name in _LISTS if isinstance(value := given.get(name), list)), None)
            if entries is not None:
                items = {str(place): _todo(item, step) for place, item in enumerate(entries) if isinstance(item, dict)}
        elif step.tool == "taskcreate":
            number = _TASK_NUMBER.search((step.answer or "")[:200])
            items[number[1] if number else str(len(items) + 1)] = _todo(given, step)
        elif step.tool == "taskupdate":
            key, status = str(given.get("taskId")), given.get("status")
            if key in items and status is not None:
                items[key] = replace(items[key], status=_status(status), message=step.message)
    return tuple(item for item in items.values() if item.text)


def _todo(entry: JsonObject, step: Step) -> Todo:
    text = next((value.strip() for name in _TEXTS if isinstance(value := entry.get(name), str)), "")
    return Todo(text, _status(entry.get("status")), step.message)


def _status(value: object) -> Status:
    name = plain_name(str(value)).replace(" ", "")
    return "done" if name in _DONE else "doing" if name in ("inprogress", "doing") else "open"


# The summary sections of a project's instruction file (rule P8).

_TITLES = frozenset({"compact instructions", "summary instructions"})
LONGEST_SECTION = 16_000  # characters; a longer one is cut after its last whole line
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_NUMBER = re.compile(r"\d{1,3}[.)]")
_MARKS = " \t#*_:"


def instruction_sections(text: str) -> tuple[str, ...]:
    """Return the text under each heading for summaries, up to the next heading of the same or a higher level.

    Such a section inside another one belongs to that one; code fences have no headings.
    """
    lines = line_feeds(text.removeprefix("\ufeff")).split("\n")
    found: list[str] = []
    start = depth = 0  # depth: the level of the open section, 0 for none
    for place, (line, fenced) in enumerate(zip(lines, fenced_lines(lines), strict=True)):
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is None:
            continue
        level = len(heading[1])
        if depth and level <= depth:
            found.append("\n".join(lines[start:place]))
            depth = 0
        if not depth:
            title = heading[2].strip(_MARKS)
            if number := _NUMBER.match(title):
                title = title[number.end() :].strip(_MARKS)
            if " ".join(title.lower().split()) in _TITLES:
                start, depth = place + 1, level
    if depth:
        found.append("\n".join(lines[start:]))
    sections = []
    for section in filter(None, map(str.strip, found)):
        cut = section[: LONGEST_SECTION + 1].rpartition("\n")[0] or section[:LONGEST_SECTION]
        sections.append(section if len(section) <= LONGEST_SECTION else cut.rstrip())
    return tuple(sections)
