"""Decisions, open ends and given values, in the words of the user and the assistant; precise rather than complete."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, islice, pairwise, zip_longest

from msgspec import Struct

from compact_chat.chat import JsonObject, Message, Thinking
from compact_chat.errors import checkpoint
from compact_chat.facts.errors import target, task_of
from compact_chat.facts.files import FileUse, file_name
from compact_chat.facts.steps import Step, plain_name
from compact_chat.facts.user import Request
from compact_chat.facts.words import (
    ACTS,
    ANNOUNCES,
    ANNOUNCES_EDIT,
    BEGINS_STEP,
    GIVES_REASON,
    OTHER_WAY,
    REASON,
    any_of,
    asks,
    items_under,
    pattern,
    sentences,
    shortened,
)
from compact_chat.text import marked_lines

SHORTEST, LONGEST = 16, 400  # characters of a sentence
MOST_OF_ONE_MESSAGE = 12


# Verbs of looking, waiting and reporting announce a step; they decide nothing.
_LOOKING = any_of(
    r"""
    check look see read verif find examin search run rerun understand explor wait monitor watch continu
    proceed inspect view trac investigat think try(?!(?:ing)?_(?:a|another)_(?:\w+_)?(?:approach|way)) test
    confirm get list double-check review figur send poll captur ask retry spawn analy[sz] compar calculat
    summari[sz] explain recap clarif walk break shar note noting scan dig track load fetch pull narrow open
    gather collect grep probe probing report refresh map reply let select click navigat
    keep(?:ing)?_(?:wait|monitor|go)
    """,
    then=r"[a-z]{0,4}\b",
)
# What decides: to leave something as it is, or one way and not another.
_CHOOSING = any_of(
    """
    keep avoid treat leav skip us(?:e|ing) stick stay limit defer postpon drop split separat reus switch
    default exclud ignor remov delet replac merg put stor nam(?:e|ing) renam rely prefer preserv consolidat
    mov revert mak
    """,
    then=r"[a-z]{0,4}\b",
)
_STATES = r"(?:stuck|blocked|unable|sorry|afraid|done|ready|seeing|getting|having|sure|unsure)\b"
_CHANGED = (
    r"(?:now|used|using|use|switched|switch|changed|replaced|moved|kept|keep|made|added|fixed|group|grouped|chose"
    r"|picked|implemented|wrote|write|store|stored|put)"
)
_BEST = (
    r"(?:cleanest|simplest|safest|best|right|correct|proper|better|simpler|cleaner|easiest|least \w{3,20}"
    r"|(?:lightest|most)[ -]\w{3,20})"
)
# A sentence without one of these is not matched against the patterns below.
_HINTS = pattern(
    """
    reframed|renamed|switched|migrated|converted|explicit|decid|decis|chose|opted|settled|agreed|because|since
    |avoid|instead|approach|option|solution|choice|rationale|trade|reject|abandon|feasible|viable|worth|revert
    |rolled|tried|attempted|n't|n’t|unless|despite|only|leaving|untouched|alone|intact|as-is|unchanged|separat
    |isolated|intention|deliberate|overkill|considered|cannot|creep|prefer|stattdessen|anstatt|entschieden
    |decidido|plutôt|вместо|замість|ing with|went with|so that|rather than|ruled out|backed out|no longer|so i
    |so we|so let|so it|so the|so each|so every|went for|sticking|staying|settling|better|safer|simpler|cleaner
    |using|went back|switched back|in place|so no|which keeps|which means|which prevents|not going to|will not
    |on purpose|i'm not|i’m not|by design|out of scope|i'd|i’d|would be|too |fix is|, not |to prevent|treating
    |as it|as this|not an option|en lugar|en vez|au lieu|as is
    |dropped|scrapped|gave up|given up|skipped|we now|i now|stays|remains|picked|prefer|would have|not using|not do
    """
).split("|")
# A branch for each first letter: otherwise every hint would be tried at every letter.
_HINTED = re.compile(
    "|".join(
        f"{re.escape(letter)}(?:{'|'.join(re.escape(hint[1:]) for hint in hints)})"
        for letter, hints in groupby(sorted(_HINTS), key=lambda hint: hint[0])
    )
)
_REFRAMED = r"(?:reframed|renamed|switched|migrated|converted) .{2,160}\bto\b"
_MOVED = (
    r"(?:moved|left|kept|split|made|stored|replaced|put) .{3,160}"
    r"\bso (?:that )?(?:the|it|they|we|no|nothing|each|every)\b"
)
_WENT_BACK = r"(?:reverted|rolled back|went back|switched back) (?:to|from)\b"
_CHOOSES_FOR = rf"{ACTS} (?:{_CHOOSING}|(?!{_LOOKING}).{{3,60}} first\b)"  # a reason that stands before it
# By where they may begin: only the few at the end are tried at every character.
_DECIDES = pattern(
    rf"""
    ^\W{{0,4}}(?:
        (?:instead of|rather than) .{{3,160}}, |{_MOVED}|using .{{3,120}}\b(?:avoids|keeps|saves|means)\b|{_WENT_BACK}
        |(?:since|because) [^,]{{3,200}},? (?:I|we) (?!can|need|see|saw|get|got|ha[dv]|don['’]t|(?:should )?{_LOOKING})
        |not (?:using|adding|doing|touching|changing|renaming|caching|mocking|supporting)\b
        |to (?:avoid|keep|prevent|preserve|stay) .{{3,200}}\b(?:I|we)(?:['’]m|['’]re| am| are)? not\b
        |(?:since|because|given|to (?:avoid|keep|prevent|preserve)) .{{3,200}}, {_CHOOSES_FOR}
        |{_REFRAMED}|renamed .{{2,160}}→
        |(?:key |design |final )?(?:decisions?|rationale|trade-?offs?|chosen approach|rejected)\W{{1,4}}\w
    )
    |\b(?=[IWL])(?:
        (?:I|we)(?:['’]ve| have)? (?:(?:decided|chose|opted|settled on|went with|agreed)\b
            |(?:left|kept) .{{3,160}}\b(?:untouched|unchanged|alone|as (?:it|they) (?:is|was|are|were)|as[- ]is|in place
                |to (?:stay|remain|keep))\b
            |{_WENT_BACK}|(?:dropped|scrapped|gave up|given up|skipped)\b)
        |(?:I|we) (?:now .{{3,200}}\bso (?:that )?\w|{_CHANGED} .{{3,200}}\b(?:because|so that|to avoid)\b
            |(?:should|used) .{{2,160}}\binstead\b
            |(?:did not|didn['’]t|have not|haven['’]t|won['’]t|will not|do not|don['’]t) \w.{{3,200}}{REASON}
            |(?:tried|attempted) .{{3,160}}\b(?:but|did not|didn['’]t|failed)\b)
        |{ACTS} (?:(?!{_LOOKING}|not\b|{_STATES}).{{3,200}}(?:{REASON}|{OTHER_WAY}|\bleaving\b)
            |(?!{_LOOKING}|not\b)[\w-]{{2,20}} only\b|(?:treat|avoid)(?:ing)?\b)
        |(?:I|we|I['’]ve|we['’]ve) renamed .{{2,160}}→
        |I(?:['’]m| am) not going to\b|I (?:won['’]t|will not) (?!be\b|know\b|see\b)\w
        |I(?:['’]d| would) (?:rather )?(?:avoid|not|leave|skip|drop|defer|go with)\b
    )
    |\b(?=\w)(?:
        (?:going|sticking|staying|went) (?:with|to stay)\b|(?:sticking to|went for|settl(?:ed|ing) on)\b
        |considered .{{3,120}},? but\b|(?:better|safer|simpler|cleaner) .{{1,60}}\bthan\b.{{1,120}}\b(?:because|since)\b
        |(?:I|we|is|are|was|were|I['’]ve|we['’]ve) {_MOVED}
        |stays? (?!broken|failing|red).{{0,80}}\b(?:because|since|until)\b
        |(?:picked|chose|chosen|preferr?(?:ed)?) .{{2,80}}\bover\b
        |so (?:I|we) {_CHANGED} \w|so {_CHOOSES_FOR}
        |(?:{_CHANGED}|should|must|needs? to)\b.{{1,160}}\b(?:instead of|rather than)\b
        |(?:should (?!be\b)|must|keep|use|treat|needs? to)\b.{{3,200}}, not (?:only |just )?(?:as|an?|the|via|by|in|on
            |with|`)
        |{_BEST} (?:approach|fix|option|way|solution|choice)(?: here)? (?:is|was|:)(?! probably)
        |(?:fix|solution) is (?:simple|straightforward)\b\W{{1,5}}\w
        |(?:simpler|different|following) approach(?::| [-–—])
        |(?:changed|switched) (?:the |my |our |to an? )?(?:\w{{1,20}} )?approach\b
        |(?:I|we|I['’]ve|we['’]ve|been|was|were|is|and) {_REFRAMED}
        |explicit(?:ly)? (?:reject|boundar|exclu|out of scope)
        |(?:intentional|deliberate)(?:ly)?\b|on purpose\b
        # What was rejected.
        |(?:wo|does|did|ca|would)n['’]t\b(?:\*\*)? (?:work|help|scale|compile|fit)\b.{{0,200}}(?:because|since|as\b)
        |(?:approach|option|solution|idea)\b.{{0,60}}\b(?:(?:wo|does|did|ca)n['’]t|cannot)\b(?:\*\*)? work\b
        |(?:I|we|you|was|were) (?:ruled out|rejected|abandoned|backed out)\b
        |not (?:worth|feasible|viable|an option)\b|won['’]t fix\b|(?:overkill|scope creep|out of scope)\b
        |would (?:be|have been) \w{{1,20}}er,? but\b|alternatives? considered\b
        |too (?:\w{{1,20}} )?(?:intertwined|coupled|risky|complex|expensive|slow|fragile|invasive|brittle|costly
            |large) (?:to|for)\b
        |(?:reverted|rolled back|removed|dropped|skipped|remove|drop)(?: .{{3,160}})? (?:because|since|as it
            |no longer)\b
        |(?:hemos decidido|en lugar de|en vez de|au lieu de|plutôt que|вместо|замість)\b
    )
    |, not .{{2,80}}\b(?:because|since|so that)\b|: {_REFRAMED}|n['’]t worth\b
    |(?:entschieden|stattdessen|anstatt|weil .{{3,80}} nicht (?:geht|funktioniert))\b
    """
)
_NO_DECISION = re.compile(
    r"^\W{0,4}(?:if|when|where|once|try|in this example|for example)\b|;\s?if\b"
    r"|^\W{0,4}or (?:we|you|I|one) (?:could|can|might|may)\b"
    r"|^\W{0,4}to (?!avoid|keep|prevent|preserve)\w"
    rf"|^\W{{0,4}}(?:(?:now|next|first|then|also|so|meanwhile),? )?{ACTS} {_LOOKING}"
    r"|\b(?:rather than|instead of) (?:guess|assum|scan|wait|interrupt|search|poll|rely|sit)\w{0,6}\b"
    r"|\b(?:us(?:e|ing)|load(?:ing)?|follow(?:ing)?) .{1,80}\b(?:skill|guidance|guide)\b"
    r"|\bpush\w{0,2}\b.{0,40}\brejected\b",
    re.IGNORECASE,
)
_AGREES = r"(?:(?:ok|okay|yes|yeah|no|then|so|and|cool|sure|good|great|fine|perfect|hmm|right)[,.!\s]{1,4}){0,3}"
_CHOOSES = pattern(
    rf"""
    ^\W{{0,4}}{_AGREES}(?:let['’]?s (?:go with|use|keep|do (?!this|that|it\b)|skip|drop|leave|try|stick|not|make|put
        |move|name|call|add|remove)\b|(?:go|going) with|I (?:like|choose|pick|vote for|want|prefer) (?:the )?(?:option
        |approach|version|variant|second|first|latter|former|\d)|option \w{{1,10}}\b|(?:skip|drop|scrap|forget about
        |leave out|ignore) (?!it\b|that\b|this\b)\w|put it in|make it (?!work)\w|(?:implement|do|take|fix|apply|choose
        |pick|only) (?:options? |numbers? |#)?\d\b|(?:please )?(?:use|do|put|make|keep|call|name|return|show|write|we
        |I|let|can (?:we|you)|could (?:we|you))\b.{{3,200}}\b(?:instead of|rather than|instead)\b)
    |^\W{{0,4}}{_AGREES}(?:actually),? (?!(?:can|could|what|why|how|is|are|do|does|did|I|it)\b)\w
    |\b(?:we|you|I) (?:do not|don['’]?t) (?:think (?:we|you) )?need (?:to )?\w
    |\b(?:is|are)(?: not|n['’]t) (?:the )?(?:appropriate|right|correct|best)\b
    |\b(?:we|can|should) just (?!see|look|check|want|got|had)\w
    |\b(?:a|the) better (?:command|name|way|approach|choice|option|place|fit|idea)\b
    |\bshould be (?:done|called|named|used|moved|removed|kept|separate|an? |the )
    |\b(?:not|isn['’]t) (?:worth|necessary)\b|\bwe want to\b|\bI want (?:to implement|it|this|the|them|these) .{{4,}}
    |(?:\bis|['’]s) (?:the|a) ['\"‘“]?(?:right|correct|better|best) (?:thing|way|approach|fix|solution)\b
    |\b(?:correct|right|better|best) (?:approach|fix|solution)['\"’”]? is\b
    |[,;] (?:but |and |please )?(?:skip|drop|scrap|leave out|ignore) (?!it\b|that\b|this\b)[\w#]
    |\bso (?:we|you) (?:need|have|should|must) (?:to )?\w
    |\b(?:stattdessen|anstatt|en lugar de|en vez de|au lieu de|вместо|замість)\b
    """
)
_DONE = any_of(
    """
    merged pushed committed tested verified implemented deployed released published fixed covered wired
    spawned reviewed installed finished migrated documented removed updated
    """
)
_TO_DO = any_of(
    "run test verify commit push merge touch update check spawn start deploy change reset implement add try"
)
_OPEN = pattern(
    rf"""
    \b(?:not|n['’]t)(?: been| be)? (?:yet )?(?:{_DONE})\b
    |\b(?:not|n['’]t) .{{1,60}}\byet\b
    |\b(?:after|once|until|when) (?:this|it|that|the \w{{1,20}}(?: \w{{1,20}})?) (?:lands?|merges?|ships?
        |is (?:approved|refreshed|done|{_DONE})|(?:has|have) been)\b
    |\b(?:cannot|can['’]t|could not|couldn['’]t) .{{1,100}}\b(?:until|without|because|since|due to)\b
    |\b(?:remains?|still) (?:open|in[_ ]progress|fail|pending|unresolved|blocked|to be|need|missing|broken)
    |\b(?:still|remaining|outstanding|unresolved) (?:issue|problem|failure|work|item|task|todo|step|question)s?\b
    |\b(?:you|someone) (?:may|might|should|could|will|['’]ll|still|can)\b(?: still| also| now)? (?:want to|need to
        |have to|now|run|restart|update|review|merge|push|commit|add|set|check|test)\b
    |\b(?:needs? to be|has to be|have to be|must be|we should|we need to) \w{{3,}}\b
    |\bready (?:for|to be) (?:review|merge|push|test|deploy)
    |^\W{{0,4}}options?:|^\W{{0,4}}(?:left|missing|outstanding|remaining|still (?:missing|open|to do)):\W{{1,4}}\w
    |\b(?:blocked (?:on|by)|waiting (?:for|on)|follow-?up|next steps?:|TODO:|to do:|left to do)\b
    |\b(?:did not|didn['’]t|have not|haven['’]t|has not|hasn['’]t) (?:{_TO_DO})\w{{0,4}}\b
    |\b(?:noch nicht|pendiente|todavía no|pas encore|reste à|ещё не|еще не|ще не)\b
    """
)
_CHATTY = re.compile(
    r"make sense|help you|can I help|anything else|any (?:other |more )?questions|any concerns|assist|looking to",
    re.IGNORECASE,
)


class Statement(Struct, frozen=True):
    """A sentence with its message; `mark` is the part that a text must contain, if not all of it."""

    text: str
    message: str
    mark: str = ""
    why: str = ""  # the sentence around it that gives the reason
    listed: bool = False  # an item of a list

    @property
    def is_reasoned(self) -> bool:
        """Whether it says why, or what else there was; what only announces a step says neither."""
        return bool(self.mark or self.why or GIVES_REASON.search(self.text) or not BEGINS_STEP.match(self.text))


def decisions(
    messages: Sequence[Message], said: Sequence[Request], rules: frozenset[str], refused: Container[str] = ()
) -> list[Statement]:
    """Find decisions, rejected ways and choices, each once.

    Leave out rules of the user, announcements of calls in the `refused` messages, and what the user had undone.
    """
    found: dict[str, Statement] = {}
    decides, chooses, _ = _patterns()
    typed: dict[str, list[str]] = {}
    for request in said:
        typed.setdefault(request.message, []).append(request.text)
    asked, before = "", frozenset[str]()  # what was known at the user's last words
    for message, after in zip_longest(messages, messages[1:]):
        if message.typed_text:
            if _UNDOES.match(message.typed_text):
                found = {text: one for text, one in found.items() if text in before}
            before = frozenset(found)
        if asked and message.typed_text:
            chosen = shortened(f"{asked} → {message.typed_text}", LONGEST)
            found[chosen] = Statement(chosen, message.id, message.typed_text)
        asked = " ".join(
            one for call in message.calls if _ASKS.search(plain_name(call.name)) for one in _asked(call.input)
        )
        if message.role == "assistant" and _hinted(message.text):
            is_refused = message.id in refused or (after is not None and after.id in refused)
            new = (Statement(one, message.id, why=why) for one, why in _stated(message.text, decides))
            _take((one for one in new if not (is_refused and ANNOUNCES.match(one.text))), found)
        for text in typed.get(message.id, ()):
            chosen_by = (one for one, listed in _sentences(text, _DECISIONS_FOLLOW) if listed or chooses.search(one))
            _take((Statement(one, message.id) for one in chosen_by if one not in rules), found)
    return list(found.values())


_UNDOES = re.compile(
    r"(?:(?:actually|and|h+m+|no|ok|okay|please|sorry|then|wait|well)\W{1,4}){0,3}(?:please )?(?:undo|revert|roll back"
    r"|take back) (?:that|this|it|(?:the|your) (?:last )?(?:changes?|edits?|renam(?:e|ing)))\b"
    r"|(?:but |hm+,? |ok,? )?on second thoughts?\b|I(?:['’]ve)? changed my mind\b|scratch that\b",
    re.IGNORECASE,
)
_DECISIONS_FOLLOW = re.compile(
    r"\b(?:decisions?|trade-?offs|rejected|alternatives considered)\b[^.:!?\n]{0,40}:?[*_ \t]*$", re.IGNORECASE
)
_ASKS = re.compile(r"^ask|questions?$|^requestuserinput$")  # tools that ask the user


def _asked(given: JsonObject) -> Iterator[str]:
    """Yield the questions of a call."""
    listed = given.get("questions")
    for one in (given, *(listed if isinstance(listed, list) else ())):
        if isinstance(one, dict) and isinstance(text := one.get("question"), str) and text.strip():
            yield shortened(text, LONGEST // 2)


def _hinted(sentence: str) -> bool:
    return _HINTED.search(sentence.lower()) is not None


_EXPLAINS = re.compile(
    r"^\W{0,4}(?:this|that|it|because|otherwise|the reason|reason|so that|since|which|they)\b", re.IGNORECASE
)
_FOLLOWS = re.compile(r"^\W{0,4}(?:so|therefore|thus|instead|hence)\b", re.IGNORECASE)


def _stated(text: str, decides: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield what the assistant decided, by a list of decisions or by a sentence, with the sentence that says why."""
    told = [*_sentences(text, _DECISIONS_FOLLOW), ("", False)]
    before = ""
    for (one, listed), (after, _) in pairwise(told):
        if listed or (_hinted(one) and not _NO_DECISION.search(one) and decides.search(one)):
            if _FOLLOWS.search(one):
                yield one, before
            else:
                yield one, "" if GIVES_REASON.search(one) or not _EXPLAINS.search(after) else after
        before = one


def _take(new: Iterable[Statement], found: dict[str, Statement]) -> None:
    """Add the sentences; what another one already says is left out."""
    for one in islice(new, MOST_OF_ONE_MESSAGE):
        if not any(one.text in known for known in list(found)[-MOST_OF_ONE_MESSAGE:]):
            found.setdefault(one.text, one)


def _sentences(text: str, head: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield the sentences outside code, tables and questions, and whether each begins an item below such a head.

    One that ends with a colon is joined with the line below it.
    """
    waiting = ""
    for (line, fenced), listed in zip(marked_lines(text), items_under(text.split("\n"), head), strict=True):
        if fenced or line.lstrip().startswith(("|", ">", "#")):
            if waiting:
                yield waiting, False
            waiting = ""
            continue
        for number, one in enumerate(sentences(line)):
            checkpoint()
            whole, waiting = f"{waiting} {one}".strip(), ""
            if whole.rstrip("* ").endswith(":"):
                waiting = one
            elif SHORTEST <= len(whole) <= LONGEST and not asks(whole):
                yield whole, listed and not number
    if waiting:
        yield waiting, False


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compile the patterns on first use."""
    return tuple(re.compile(one, re.IGNORECASE) for one in (_DECIDES, _CHOOSES, _OPEN))


_OPEN_FOLLOWS = re.compile(
    r"(?:^\W*(?:options|alternatives|open(?: (?:questions|points|items|issues))?|remaining(?: \w{1,20})?|to-?dos?"
    r"|next steps?|follow-?ups?|left to do|known (?:issues|limitations|gaps)|not (?:yet )?(?:tested|done|covered)"
    r"|still (?:open|missing|to do))|\beither)\b[^.!?\n]{0,30}:[*_ \t]*$",
    re.IGNORECASE,
)
LAST_ANSWERS = 3  # messages of the assistant since the user's last words


def open_ends(messages: Sequence[Message], taken: Sequence[Step]) -> list[Statement]:
    """Find what the last answers leave open: their reservations, a question to the user, a call without a result."""
    last = _last_answers(messages)
    found: dict[str, Statement] = {}
    _, _, is_open = _patterns()
    for message in (one for one in last if one is last[-1] or not one.calls):  # what calls followed was done
        ends = (
            Statement(one, message.id, listed=listed)
            for one, listed in _sentences(message.text, _OPEN_FOLLOWS)
            if listed or (is_open.search(one) and not ANNOUNCES.match(one))
        )
        _take(ends, found)
    if last and messages[-1] is last[-1] and not last[-1].calls:
        for question in _questions(last[-1].text):
            found[question] = Statement(question, last[-1].id)
    newest = next((message.id for message in reversed(messages) if message.role == "assistant"), "")
    if taken and taken[-1].answer is None and taken[-1].message == newest and (about := target(taken[-1])):
        text = shortened(f"Interrupted: {taken[-1].call.name} {about}", 200)
        found[text] = Statement(text, taken[-1].message, about)
    return list(found.values())


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
    return [one for one in ending if asks(one) and len(one) <= LONGEST and not _CHATTY.search(one)]


# Edits that the assistant announced and did not make.

_FILE_NAME = re.compile(r"\b[\w-]{2,60}\.[a-z]{1,5}\b")
STILL_DUE = 4  # messages in which an edit may still follow


def unkept(messages: Sequence[Message], uses: Sequence[FileUse], taken: Sequence[Step] = ()) -> Iterator[Statement]:
    """Yield the sentences that announce an edit of a file of the chat that no later call made.

    A command of those `taken` that names the file may have made it, unless it only looks at something.
    """
    places, last = {message.id: place for place, message in enumerate(messages)}, dict[str, int]()
    for use in uses:
        name = file_name(use.path)
        last[name] = max(last.get(name, -1), -1 if use.kind == "read" else places.get(use.message, -1))
    for step in taken:
        checkpoint()
        if step.done and step.command and not task_of(step).only_reads:
            for name in last.keys() & set(_FILE_NAME.findall(step.command)):
                last[name] = max(last[name], places.get(step.message, -1))
    for place, message in enumerate(messages[:-STILL_DUE]):
        checkpoint()
        thoughts = (part.text for part in message.parts if isinstance(part, Thinking))
        for text in (message.text, *thoughts) if message.role == "assistant" else ():
            for one in sentences(text) if ANNOUNCES_EDIT.search(text) else ():
                names = [name for name in _FILE_NAME.findall(one) if name in last] if ANNOUNCES_EDIT.search(one) else []
                if names and all(last[name] < place for name in names):
                    yield Statement(shortened(one, LONGEST), message.id)


# Values that only the user knows: names, addresses and numbers.

_GIVEN = re.compile(
    r"\b(?:my|our|the)\s(?:[\w-]{2,20}\s){1,4}(?:is|are|=)\s(?:now\s|called\s|named\s)?[`\"']?"
    r"([\w@./:#-]*\d[\w@./:#-]*|[\w.-]{1,40}[/@:][\w./@:-]{1,80}|[\w-]{3,40}(?=[`\"'.!]?$))",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(
    r"https?://[^\s\"'<>)\]}`]{4,200}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\b[A-Z]{2,8}-\d{1,6"
    r"}\b|(?<![\w&\[])#\d{2,7}\b"
    r"|\bport \d{2,5}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b\d{7,12}\b"
)
LONGEST_LINE, MOST_VALUES = 1000, 12


def given_values(said: Sequence[Request]) -> Iterator[tuple[str, str, str]]:
    """Yield the values in what the user typed outside code: each with its sentence, and the message."""
    seen: set[str] = set()
    for request in said:
        plain = (line for line, fenced in marked_lines(request.text) if not fenced)
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
                    sentence = next((one for one in sentences(line) if value in one), line)
                    yield value, shortened(sentence, 240), request.message
