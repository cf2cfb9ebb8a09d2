"""Decisions, open ends and given values, in the words of the user and the assistant; precise rather than complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Message
from compact_chat.facts.errors import target
from compact_chat.facts.steps import Step, plain_name
from compact_chat.facts.user import Request
from compact_chat.facts.words import sentences, shortened
from compact_chat.text import fenced_lines

SHORTEST, LONGEST = 16, 400  # characters of a sentence
MOST_OF_ONE_MESSAGE = 12
_INTENT = r"(?:I['’]ll|I will|we['’]ll|we will|let me|let['’]s|I['’]m going to|I am going to)(?: just| now| also)?"
# Verbs of looking and waiting announce a step; they decide nothing.
_LOOKING = (
    r"(?:check|look|see|read|verify|find|examine|search|run|understand|explore|wait|keep (?:waiting|monitoring|going)"
    r"|continue|inspect|view|trace|investigate|think|try|test|confirm|start|begin|get|list|double-check|review|figure"
    r"|send|poll|capture|ask|retry|spawn|analy[sz]e|compare|calculate"
    r"|summari[sz]e|explain|recap|clarify|walk|go through|break|share|note|scan|dig|track)"
)
_REASON = r"\b(?:because|since|so that|to avoid|as it|as this)\b"
_CHANGED = (
    r"(?:now|used|using|use|uses|switched|switch|changed|replaced|moved|kept|keep|made|added|fixed|group|grouped|chose"
    r"|picked|implemented|wrote|write|store|stored|returns?|calls?|put)"
)
_DOING = (
    r"(?:committing|deleting|removing|keeping|using|leaving|adding|moving|switching|changing|splitting|skipping|making"
    r"|merging|storing|reusing)"
)
# A sentence without one of these is not matched against the patterns below.
_HINTS = (
    *("reframed", "renamed", "switched", "migrated", "converted", "explicit"),
    *(
        "decid",
        "decis",
        "chose",
        "opted",
        "settled",
        "agreed",
        "ing with",
        "went with",
        "because",
        "since",
        "so that",
        "to avoid",
        "instead",
    ),
    *(
        "rather than",
        "approach",
        "option",
        "solution",
        "choice",
        "rationale",
        "trade",
        "reject",
        "ruled out",
        "abandon",
    ),
    *("backed out", "feasible", "viable", "worth", "revert", "rolled", "no longer", "tried", "attempted", "n't", "n’t"),
    *(
        "stattdessen",
        "anstatt",
        "entschieden",
        "decidido",
        "en lugar",
        "en vez",
        "au lieu",
        "plutôt",
        "вместо",
        "замість",
    ),
)
_DECIDES = (
    r"\b(?:I|we)(?:['’]ve| have)? (?:decided|chose|opted|settled on|went with|agreed)\b",
    r"\b(?:going|sticking|went) with\b",
    rf"\b{_INTENT} (?!{_LOOKING}\b).{{3,200}}(?:{_REASON}|\b(?:instead|rather than)\b)",
    rf"\bI['’]m {_DOING} .{{3,200}}\b(?:because|since|so that|to avoid)\b",
    rf"\b(?:I|we) {_CHANGED} .{{3,200}}\b(?:because|so that|to avoid)\b",
    rf"\b{_CHANGED}\b.{{1,160}}\b(?:instead of|rather than)\b(?! (?:interrupt|wait))",
    (
        r"\b(?:cleanest|simplest|safest|best|right|better|simpler|cleaner) (?:approach|fix|option|way|solution|choice)"
        r" (?:is|was|here is|:)(?! probably)"
    ),
    r"\b(?:simpler|different|new|following) approach:",
    r"\b(?:changed|switched) (?:the |my |our |to an? )?(?:\w{1,20} )?approach\b",
    r"\b(?:reframed|renamed|switched|migrated|converted) .{2,160}\bto\b",
    r"\bexplicit(?:ly)? (?:reject|boundar|exclu|out of scope)",
    rf"\b(?:I|we) (?:did not|didn['’]t|have not|haven['’]t|won['’]t|will not|do not|don['’]t) \w.{{3,200}}{_REASON}",
    r"^\W{0,4}(?:key |design |final )?(?:decisions?|rationale|trade-?offs?|chosen approach|rejected)\W{1,4}\w",
    # What was rejected.
    r"\b(?:wo|does|did|ca|would)n['’]t\b(?:\*\*)? (?:work|help|scale|compile|fit)\b.{0,200}(?:because|since|as\b)",
    r"\b(?:approach|option|solution|idea)\b.{0,60}\b(?:(?:wo|does|did|ca)n['’]t|cannot)\b(?:\*\*)? work\b",
    r"\b(?:I|we|you|was|were) (?:ruled out|rejected|abandoned|backed out)\b|\bis(?:n['’]t| not) worth\b",
    r"\bnot (?:feasible|viable|an option)\b|\bwon['’]t fix\b",
    r"\b(?:reverted|rolled back|removed|dropped|skipped|remove|drop) .{3,160}\b(?:because|since|as it|no longer)\b",
    r"\b(?:I|we) (?:tried|attempted) .{3,160}\b(?:but|did not|didn['’]t|failed)\b",
    r"(?:entschieden|stattdessen|anstatt|weil .{3,80} nicht (?:geht|funktioniert))\b",
    r"\b(?:hemos decidido|en lugar de|en vez de|au lieu de|plutôt que|вместо|замість)\b",
)
_NO_DECISION = re.compile(
    r"^\W{0,4}(?:if|to|when|where|once|try|in this example|for example)\b|;\s?if\b", re.IGNORECASE
)
_AGREES = r"(?:(?:ok|okay|yes|yeah|no|then|so|and|cool|sure|good|great|fine|perfect|hmm|right)[,.!\s]{1,4}){0,3}"
_CHOOSES = (
    (
        rf"^\W{{0,4}}{_AGREES}"
        r"(?:let['’]?s (?:go with|use|keep|do (?!this|that|it\b)|skip|drop|leave|try|stick|not|make|put|move|name|call"
        r"|add|remove)\b"
        r"|(?:go|going) with|I (?:like|choose|pick|vote for|want|prefer) (?:the )?(?:option|approach|version|variant"
        r"|second|first|latter|former|\d)|option \w{1,10}\b"
        r"|(?:skip|drop|scrap|forget about|leave out|ignore) (?!it\b|that\b|this\b)\w"
        r"|put it in|make it (?!work)\w|(?:implement|do|take|fix|apply|choose|pick|only) (?:options? |numbers? |#)?\d\b"
        r"|(?:please )?(?:use|do|put|make|keep|call|name|return|show|write|we|I|let|can (?:we|you)|could (?:we|you))\b"
        r".{3,200}\b(?:instead of|rather than|instead)\b)"
    ),
    rf"^\W{{0,4}}{_AGREES}(?:actually|instead|rather),? (?!(?:can|could|what|why|how|is|are|do|does|did|I|it)\b)\w",
    r"\b(?:we|you|I) (?:do not|don['’]?t) (?:think (?:we|you) )?need (?:to )?\w",
    r"\b(?:is|are)(?: not|n['’]t) (?:the )?(?:appropriate|right|correct|best)\b",
    r"\b(?:we|can|should) just (?!see|look|check|want|got|had)\w",
    r"\b(?:a|the) better (?:command|name|way|approach|choice|option|place|fit|idea)\b",
    r"\bshould be (?:done|called|named|used|moved|removed|kept|separate|an? |the )",
    r"\b(?:not|isn['’]t) (?:worth|necessary)\b",
    r"\bwe want to\b",
    r"\bI want (?:to implement|it|this|the|them|these) .{4,}",
    r"\bis the right (?:thing|way|approach)\b",
    r"\b(?:stattdessen|anstatt|en lugar de|en vez de|au lieu de|вместо|замість)\b",
)
_DONE = (
    "merged|pushed|committed|tested|verified|implemented|deployed|released|published|fixed|covered|wired|spawned"
    "|reviewed|installed|finished|migrated|documented|removed|updated"
)
_OPEN = (
    rf"\b(?:not|n['’]t)(?: been| be)? (?:yet )?(?:{_DONE})\b",
    r"\b(?:not|n['’]t) .{1,60}\byet\b",
    (
        r"\b(?:after|once|until|when) (?:this|it|that|the \w{1,20}(?: \w{1,20})?) (?:lands?|merges?|ships?"
        rf"|is (?:approved|refreshed|done|{_DONE})|(?:has|have) been)\b"
    ),
    r"\b(?:cannot|can['’]t|could not|couldn['’]t) .{1,100}\b(?:until|without|because|since|due to)\b",
    r"\b(?:remains?|still) (?:open|in[_ ]progress|fail|pending|unresolved|blocked|to be|need|missing|broken)",
    r"\b(?:still|remaining|outstanding|unresolved) (?:issue|problem|failure|work|item|task|todo|step|question)s?\b",
    (
        r"\b(?:you|someone) (?:may|might|should|could|will|['’]ll|still|can)\b(?: still| also| now)? (?:want to|need to"
        r"|have to|now|run|restart|update|review|merge|push|commit|add|set|check|test)\b"
    ),
    r"\b(?:needs? to be|has to be|have to be|must be|we should|we need to) \w{3,}\b",
    r"\bready (?:for|to be) (?:review|feedback|merge|push|test|deploy)",
    r"^\W{0,4}options?:|\b(?:blocked (?:on|by)|waiting (?:for|on)|follow-?up|next steps?:|TODO:|to do:|left to do)\b",
    (
        r"\b(?:did not|didn['’]t|have not|haven['’]t|has not|hasn['’]t) (?:run|test|verify|commit|push|merge|touch"
        r"|update|check|spawn|start|deploy|change|reset|implement|add|try)\w{0,4}\b"
    ),
    r"\b(?:noch nicht|pendiente|todavía no|pas encore|reste à|ещё не|еще не|ще не)\b",
)
_ANNOUNCES = re.compile(rf"^\W{{0,4}}(?:now |next,? |first,? )?{_INTENT}\b", re.IGNORECASE)
_CHATTY = re.compile(
    r"make sense|help you|can I help|anything else|any (?:other |more )?questions|any concerns|assist|looking to",
    re.IGNORECASE,
)


class Statement(Struct, frozen=True):
    """A sentence, the message that it is from, and what of it shows that a text has it, if not all."""

    text: str
    message: str
    mark: str = ""


def decisions(messages: Sequence[Message], said: Sequence[Request], rules: frozenset[str]) -> list[Statement]:
    """Find decisions, rejected ways and choices, each once; what is a rule of the user is none."""
    found: dict[str, Statement] = {}
    decides, chooses, _ = _patterns()
    typed: dict[str, list[str]] = {}
    for request in said:
        typed.setdefault(request.message, []).append(request.text)
    asked = ""
    for message in messages:
        if asked and message.typed_text:
            chosen = shortened(f"{asked} → {message.typed_text}", LONGEST)
            found[chosen] = Statement(chosen, message.id, message.typed_text)
        asked = " ".join(
            one for call in message.calls if _ASKS.search(plain_name(call.name)) for one in _asked(call.input)
        )
        if message.role == "assistant" and _hinted(message.text):
            sure = (one for one in _sentences(message.text) if _hinted(one) and not _NO_DECISION.search(one))
            _take(sure, message.id, decides, found)
        for text in typed.get(message.id, ()):
            _take((one for one in _sentences(text) if one not in rules), message.id, chooses, found)
    return list(found.values())


_ASKS = re.compile(r"^ask|questions?$|^requestuserinput$")  # tools that ask the user


def _asked(given: JsonObject) -> Iterator[str]:
    """Yield the questions of a call."""
    listed = given.get("questions")
    for one in (given, *(listed if isinstance(listed, list) else ())):
        if isinstance(one, dict) and isinstance(text := one.get("question"), str) and text.strip():
            yield shortened(text, LONGEST // 2)


def _hinted(sentence: str) -> bool:
    lower = sentence.lower()
    return any(hint in lower for hint in _HINTS)


def _take(said: Iterable[str], message: str, pattern: re.Pattern[str], found: dict[str, Statement]) -> None:
    """Add the sentences that match; what another one already says is left out."""
    new = [one for one in said if pattern.search(one)]
    for one in new[:MOST_OF_ONE_MESSAGE]:
        if not any(one in known for known in list(found)[-MOST_OF_ONE_MESSAGE:]):
            found.setdefault(one, Statement(one, message))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences outside code, tables and questions; one that ends with a colon with the line below it."""
    lines = text.split("\n")
    waiting = ""
    for line, fenced in zip(lines, fenced_lines(lines), strict=True):
        if fenced or line.lstrip().startswith(("|", ">", "#", "`")):
            if waiting:
                yield waiting
            waiting = ""
            continue
        for one in sentences(line):
            checkpoint()
            whole, waiting = f"{waiting} {one}".strip(), ""
            if whole.rstrip("* ").endswith(":"):
                waiting = one if len(one) <= LONGEST // 2 else ""
            elif SHORTEST <= len(whole) <= LONGEST and not whole.rstrip("*_ )").endswith(("?", "？")):
                yield whole
    if waiting:
        yield waiting


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compile the patterns on first use."""
    return tuple(re.compile("|".join(one), re.IGNORECASE) for one in (_DECIDES, _CHOOSES, _OPEN))


LAST_ANSWERS = 3  # messages of the assistant since the user's last words


def open_ends(messages: Sequence[Message], taken: Sequence[Step]) -> list[Statement]:
    """Find what the last answers leave open: their reservations, a question to the user, a call without a result."""
    last = _last_answers(messages)
    found: dict[str, Statement] = {}
    _, _, is_open = _patterns()
    for message in (one for one in last if one is last[-1] or not one.calls):  # what calls followed was done
        _take((one for one in _sentences(message.text) if not _ANNOUNCES.match(one)), message.id, is_open, found)
    if last and messages[-1] is last[-1] and not last[-1].calls:
        for question in _questions(last[-1].text):
            found[question] = Statement(question, last[-1].id)
    if taken and taken[-1].answer is None and taken[-1].message == _newest(messages) and (about := target(taken[-1])):
        text = shortened(f"Interrupted: {taken[-1].call.name} {about}", 200)
        found[text] = Statement(text, taken[-1].message, about)
    return list(found.values())


def _newest(messages: Sequence[Message]) -> str:
    return next((message.id for message in reversed(messages) if message.role == "assistant"), "")


def _last_answers(messages: Sequence[Message]) -> list[Message]:
    """Return the assistant's texts since the user's last words, or those before them while none followed."""
    found: list[Message] = []
    for message in reversed(messages):
        if message.typed_text and found:
            break
        if message.role == "assistant" and message.text.strip():
            found.append(message)
        if len(found) == LAST_ANSWERS:
            break
    return found[::-1]


def _questions(text: str) -> list[str]:
    """Return the questions with which a text ends."""
    ending = sentences(text[-2000:])[-3:]
    asked = (one for one in ending if one.rstrip("*_ )").endswith(("?", "？")) and len(one) <= LONGEST)
    return [one for one in asked if not _CHATTY.search(one)]


# Values that the user gave: names, addresses and numbers that nothing else in the chat can tell.

_GIVEN = re.compile(
    r"\b(?:my|our|the)\s(?:[\w-]{2,20}\s){1,4}(?:is|are|=)\s(?:now\s|called\s|named\s)?[`\"']?"
    r"([\w@./:#-]*\d[\w@./:#-]*|[\w.-]{1,40}[/@:][\w./@:-]{1,80}|[\w-]{3,40}(?=[`\"'.!]?$))",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(
    r"https?://[^\s\"'<>)\]}`]{4,200}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\b[A-Z]{2,8}-\d{1,6}\b|(?<![\w&\[])#\d{2,7}\b"
    r"|\bport \d{2,5}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b\d{7,12}\b"
)
LONGEST_LINE, MOST_VALUES = 1000, 12


def given_values(said: Sequence[Request]) -> Iterator[tuple[str, str, str]]:
    """Yield the values in what the user typed outside code: each with its sentence, and the message."""
    seen: set[str] = set()
    for request in said:
        lines = request.text.split("\n")
        plain = (line for line, fenced in zip(lines, fenced_lines(lines), strict=True) if not fenced)
        number = 0
        for line in plain:
            checkpoint()
            if len(line) > LONGEST_LINE:
                continue
            values = [one[1].rstrip(".:") for one in _GIVEN.finditer(line)]
            for value in (*values, *(one.rstrip(".,;:!?") for one in _TOKEN.findall(line))):
                if value and value not in seen and number < MOST_VALUES:
                    seen.add(value)
                    number += 1
                    yield value, _around(line, value), request.message


def _around(line: str, value: str) -> str:
    """Return the sentence of a line that has a value."""
    return shortened(next((one for one in sentences(line) if value in one), line), 240)
