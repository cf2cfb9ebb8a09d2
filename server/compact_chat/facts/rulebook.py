"""Standing rules and preferences in the user's own words, and which of them a later one superseded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.facts.user import Request
from compact_chat.facts.words import sentences
from compact_chat.text import fenced_lines

RuleKind = Literal["constraints", "preferences"]

# Patterns by position: at the start of a sentence, at the start of a word, anywhere.
# Every part is bounded, so that matching stays linear.
_LEAD_WORDS = (
    "and also but so then please pls just ok okay yes yeah no now well actually however btw important note remember"
)
_LEAD = rf"(?:(?:{'|'.join(_LEAD_WORDS.split())})[\s,:;.-]{{1,4}}){{0,3}}"
_START = rf"^[\W_]{{0,4}}{_LEAD}"
_FEELINGS = "know|think|understand|see|get it|worry|mind|remember|care|need to|have to|seem|forget about|like|enjoy"
_DO_NOT = rf"(?:do not|don['’]?t)(?!\s+(?:{_FEELINGS})\b)"
_ORDERS = (
    f"never(?! mind)|always|{_DO_NOT}|avoid|prefer|stick (?:to|with)|go with|make sure|ensure|be sure to|refrain from"
    "|let['’]?s not|let us not"
)
_DEEDS = "use|edit|change|touch|modify|run|write|read|add|commit|push|install|do|make|fix|test"
_NEVER = rf"(?:never(?! mind)|always|{_DO_NOT})\b"
_CLAUSE_WORDS = "and|but|so|then|please|to|you"
_LANGUAGE = (
    "english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|czech|turkish|arabic|hindi"
    "|chinese|japanese|korean|swedish|danish|norwegian|finnish|greek|hebrew"
)
_CONSENT = (
    r"(?:go|ok\b|okay|approv|confirm|permission|review|feedback|sign|answer|reply|response|command|word|input|consent)"
)
_SHAPE = (
    r"lower-?case|upper-?case|all caps|caps|json|yaml|xml|csv|markdown|html|plain text|bullet\w{0,10}|prose|haiku|rhyme"
    r"|(?:one|two|three|\d{1,2}) (?:sentences?|lines?|words?|paragraphs?)|a single|full sentences"
    r"|the (?:first|third) person"
)
_AMOUNT = (
    r"(?:\d{1,4}|one|two|three|four|five|ten) (?:words?|sentences?|lines?|bullets?|paragraphs?|characters?|points?)\b"
)
_ANSWER = "answers?|repl(?:y|ies)|responses?|messages?|outputs?|summar(?:y|ies)|commits?|turns?|files?|functions?"
_FORM = "reply|answer|respond|speak|talk|communicate|write|explain|think|output|return|print"
_TELLING = "show|tell|explain|ask|check|confirm|verify|describe|list|propose|discuss|plan|review|read|test|run|warn"
_DOING = f"{_DEEDS}|ask|wait|stop|tell|check|show|explain|update|keep|include|let me|give|follow|confirm|say|mark|put"
_ON_END = r"\W{0,4}$"

_AT_START = (
    rf"(?:{_ORDERS})\b",
    r"keep\b(?!\s+(?:going|it up|on\b|in mind|trying|working))",
    (
        rf"only\s+(?!one\b|two\b|an?\b|some\b)(?:[a-z]{{1,20}}\s+)?(?:{_DEEDS}|{_FORM}|include|allow|the"
        rf"|these|this|in|if|when|after)\b"
    ),
    r"use\s(?!an?\s.{1,80}\sto\s|the (?:first|second|third|last|other|same|former|latter)\b)(?>\S{1,60}+\s?+){1,12}+$",
    # Where to stay, and what to leave.
    r"stay (?:on|in|within|inside|under|below|away|out)\b",
    r"leave .{1,80}\b(?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|as[- ]is)\b",
    r"(?:limit|restrict|cap|treat|name|prefix|format|round|spell) .{1,60}\b(?:to|as|after|with|in|out)\b",
    (
        r"no (?:new |extra |further |additional )?(?!problem|worries|changes|errors|results|tests? )[\w-]{1,30}s\b"
        r"(?:,? (?:please|in|at|for|without|outside|unless|allowed|whatsoever|anywhere|with)\b|\W{0,4}$)"
    ),
    r"no (?:new|extra|further|additional) \w",
    # When to wait, and what to tell before.
    rf"(?:wait|hold off|hold on) (?:for|until|till) (?:my|me|i|our|an?|explicit|the user)\b.{{0,30}}{_CONSENT}",
    r"(?:wait|hold off|hold on) (?:for|until|till) (?:i|we)\b",
    rf"ask (?:me |us )?(?:first|before|if you|when|whenever|for (?:my |our |explicit )?{_CONSENT})",
    r"check (?:back |in )?with (?:me|us)\b",
    r"(?:stop|pause) (?:after (?:each|every)|before|whenever|and (?:ask|wait|let))\b",
    r"let (?:me|us) (?:review|approve|confirm|see|know|check|test)\b.{0,60}\b(?:before|first|when|whenever|if)\b",
    rf"(?:{_TELLING})\b.{{1,80}}\bbefore (?:you\b|(?:\w{{1,20}}ing|any|each|every)\b)",
    (
        rf"(?:{_DEEDS}|update|lint|format|check|rebase|save)\b.{{0,60}}\b(?:after|before|on|with|at the end of)"
        r" (?:each|every|any|completing|finishing)\b"
    ),
    # In which form to answer and to write.
    rf"(?:{_FORM})\b.{{0,40}}\bin (?:{_LANGUAGE}|{_SHAPE})\b",
    (
        rf"(?:{_FORM}|give|show|list|present|format)\b.{{0,60}}\bas (?:an? )?(?:table|word|words|bullet"
        rf"|numbered|diff|haiku|poem)"
    ),
    r"explain .{0,40}\b(?:simply|like I|in (?:simple|plain|everyday)|step by step|briefly)\b",
    (
        r"be (?:more |very |as )?(?:concise|brief|direct|short|terse|explicit|polite|precise|strict"
        r"|consistent|careful (?:not|with))\b"
    ),
    r"(?:short|brief|concise|detailed|long|simple|plain) (?:answers?|replies|responses?|explanations?|sentences)\b",
    (
        r"(?:follow|adhere to|conform to|comply with) .{0,60}(?:principles?|conventions?|styles?"
        r"|guide\w{0,5}|standards?|patterns?"
        r"|rules?|[A-Z]{2,6}[ -]?\d{1,6})\b"
    ),
    r"ask (?:me )?(?:clarifying )?questions? (?:before|if|when|first|only)\b",
    r"(?:tell|remind|notify|warn|inform) me (?:to |of |about |whenever |before |every |each |any )",
    r"assume (?:that )?(?:I|we|you|the|there|no|all|every|other)\b",
    (
        r"sign off\b|exactly (?:one|two|three|four|five|\d)|.{1,40}\b(?:one|a single) (?:step|file|thing"
        r"|change) at a time\b"
    ),
    (
        rf"(?:include|add|mention|put|append|prepend|insert|quote|cite|provide|state"
        rf"|repeat) .{{1,80}}\b(?:in|to|at|before|after"
        rf"|with|for) (?:the (?:start|end|top|bottom) of )?(?:each|every|all"
        rf"|your) (?:\w{{1,20}} )?(?:{_ANSWER})(?!.{{0,40}}\bthat\b)"
    ),
    (
        r"(?:reply|answer|respond|speak|talk|communicate)\b(?! (?:my|the|this|that|these|to)\b).{0,60}"
        r"\b(?:in|with|using|only|briefly|concisely|at most|as|like)\b"
    ),
    rf"(?:{_FORM}|{_DEEDS}|edit|give|show|list|send|work)\b.{{1,80}}\b(?:only|throughout|everywhere){_ON_END}",
    r"write (?:all|every|each|any|numbers|dates|comments)\b.{1,60}\b(?:in|as|with|without)\b",
    rf"(?:start|begin|end|finish|prefix|sign|close|open) (?:all|every|each|your|any) (?:\w{{1,20}} )?(?:{_ANSWER})\b",
    r"(?:call|address) me\b",
    r"(?:give|show|print|output)\b.{1,60}\b(?:without|no) (?:any )?(?:expla|comment|prose|intro|text|markdown|other)",
    (
        r"(?:work|go|proceed|move|make|take|do)\b.{0,40}\b(?:small|tiny|atomic|one|step by)\b.{0,12}"
        r"\b(?:steps?|commits?|at a time)\b"
    ),
    r"one \w{1,20}(?: \w{1,20})? (?:per|at a time|for each)\b",
    rf"(?:speak|in) (?:{_LANGUAGE})(?: please| from now on)?{_ON_END}",
    r"(?:max(?:imum)?|min(?:imum)?|at most|at least|no more than)\b.{1,60}\d",
    # What follows a condition that can come again.
    (
        r"(?:before|after|whenever|when|every time|each time|while|in|for|with|on)"
        r" (?:you\b(?!['’]?(?: a)?re (?:done|finished|ready))|(?:\w{1,20}ing|an?|any|each|every)\b)[^,]{2,120},"
        rf"\s{{1,3}}(?:then |please |also )?(?:{_ORDERS}|{_DOING})\b"
    ),
    (
        r"if (?:you\b|(?:an?|any|tests?|there|something|anything|nothing)\b)[^,]{2,120},"
        rf"\s{{1,3}}(?:then |please |also )?(?:{_ORDERS}|{_DOING})\b"
    ),
    (
        r"(?:all|every|each|any)(?! (?:we|you|i|they|that) ) .{1,60}\b"
        r"(?:needs? (?!to be (?:fix|chang|updat))|must|should|shall|ha(?:s|ve) to"
        r" (?!be (?:fix|chang|updat))|starts? with|ends? with)"
    ),
    # Other languages.
    r"(?:antworte|schreibe?|sprich|verwende|benutze|nutze) (?:mir )?(?:bitte )?(?:immer|nur|auf|in|stets|nie)\b",
    r"(?:warte auf mein|frage? (?:mich|erst|vorher|zuerst)|bevor du|immer wenn du|keine? (?:neue|weitere)n? )",
    r"(?:immer|stets|nie|niemals|siempre|toujours|sempre|всегда|никогда|завжди|ніколи)\s",
    r"(?:responde|contesta|escribe|habla|responda|rispondi|scrivi|réponde?[sz]|écris|parle)\b.{0,30}\s(?:e[nm]|in)\s",
    r"(?:pregúntame|pregunta|demande|demandez|chiedi)\b.{0,20}\b(?:antes|avant|prima)\b",
    r"(?:отвечай|пиши|говори|відповідай|пиши|надай|надавай|отвечайте)\b.{0,40}\s(?:на|по|українською|російською)",
)
_AT_A_WORD = (
    rf"(?:{_CLAUSE_WORDS})\s{_NEVER}",
    (
        r"must(?:n['’]?t| not)?\b(?!\s+(?:have (?:been|\w{1,20}(?:ed|en|t|ne))|be (?:because|some\w*"
        r"|an? (?:\w{1,20} ){0,2}(?:problem|bug|issue|error|reason|mistake)))\b)"
    ),
    r"(?:should|shall|may|can)(?: not|n['’]?t) be\b",
    r"should(?: not|n['’]?t| never| always| only| stay| remain| keep)\b|may (?:not|only|never)\b",
    r"only\b.{1,80}\bshould\b",
    r"nothing (?:may|should|must|can|shall)\b",
    r"(?:is|are) (?:not allowed|forbidden|prohibited|mandatory|off[- ]limits|read[- ]only|out of scope)\b",
    r"are not (?:allowed|permitted) to\b",
    rf"you (?:can['’]?t|cannot|can not|may not|are not to|aren['’]t to) (?:{_DEEDS}|delete|remove|create|rename)\b",
    r"(?:compatibility|coverage|approval|review|docstrings?|comments?|types) (?:is|are) (?:required|a must)\b",
    (
        r"(?:has|have|needs?) to (?:stay|remain|support|work (?:with|without|on|in|under|offline)|start with|end with"
        r"|be (?:\w{1,20} )?(?:compatible|deterministic|unique|readable|accessible|idempotent|reproducible|in [A-Z]))"
    ),
    r"you can only\b",
    r"(?:is|are) always (?!\w{1,20}ing\b)",
    r"(?:line length|max(?:imum)? (?:\w{1,20} )?(?:length|size|width|depth)) (?:is|of|:) ?\d",
    r"so (?:there (?:should|must) be )?no (?:\w{1,20}[ -]){0,3}\w{1,20}\W{0,4}$",
    r"(?:until|till) I (?:say|tell|approve|confirm|ask|have|give|am|check|review|ok)\b",
    r"unless (?:I|explicitly|asked|told|requested|necessary|absolutely)\b",
    r"without (?:using|changing|touching|modifying|breaking) ",
    (
        r"exactly (?:one|two|three|four|five|\d{1,3}) (?:\w{1,20} )?(?:words?|sentences?|lines?|bullets?"
        r"|points?|paragraphs?)\b"
    ),
    rf"(?:{_FORM})\b.{{0,40}}\b(?:in|under|within|at most|up to|no more than) (?:under |at most |about )?{_AMOUNT}",
    r"without (?:my|our|asking|prior|explicit|checking|permission|approval|confirmation|telling)\b",
    r"(?:from now on|at all times|under no circumstances|no matter what|without exception|in (?:the )?future)\b",
    r"(?:I|we) (?:do not|don['’]?t) want\b(?! to know)",
    r"(?:niemals|auf keinen fall|darf nicht|dürfen nicht|bitte (?:nicht|keine?n?|immer|nur))\b",
    r"verwende (?:nur|immer|nie)\b",
    r"(?:ne jamais|il ne faut pas|évite[rz]?|utilise[rz]? (?:uniquement|toujours))\b",
    (
        r"(?:nunca|siempre usa|usa (?:solo|siempre|sempre)|no (?:uses|cambies|toques|modifiques|hagas)"
        r"|não (?:use|mude|altere|toque|faça)|non (?:usare|modificare|toccare))\b"
    ),
    r"(?:никогда не|всегда используй|нельзя|не (?:используй|меняй|трогай|використовуй|змінюй|чіпай)|обязательно)\b",
)
_ANYWHERE = (
    rf"[,;:(–—]\s?{_NEVER}",
    (
        "不要|不得|禁止|必须|务必|请勿|只能|始终使用|请用|用中文|用英文|以后都|しないで|必ず|使わないで|日本語で|常に"
        "|하지 ?마|반드시|금지|한국어로|항상"
    ),
)
_PREFERS = (
    r"(?:I|we)(?:['’]d| would)? (?:\w{1,20}ly |also )?prefer\b",
    r"I (?:\w{1,20}ly |also )?(?:value \w|appreciate (?:it )?(?:when|if) |stick to \w)",
    r"I(?:['’]d| would) (?:much |really )?rather\b",
    r"I (?:\w{1,20}ly )?(?:hate|dislike|detest|love|favou?r)\b",
    r"I (?:do not|don['’]?t) (?:\w{1,20}ly )?(?:like|enjoy|care for)\b",
    r"I(?:['’]m| am) not a (?:\w{1,20} )?fan of\b",
    (
        r"I (?:\w{1,20}ly )?like (?:it when|when|my|your (?:answer|repl)|to (?:see|have|keep|read)|things|short|long"
        r"|small|simple|clean|clear|concise|explicit|plain|verbose|detailed|functional|code|functions|names|tests"
        r"|comments|tabs|spaces|answers|early)\b"
    ),
    r"my (?:preference|preferred \w{1,20}|favou?rite \w{1,20})\b.{0,30}\b(?:is|are)\b",
    (
        r"(?:I|we) (?:always|usually|normally|generally|typically|mostly|only|never) (?:use|write|run|work|name|put"
        r"|test|keep|do|squash|merge|rebase|format|indent|commit|deploy|start|follow|go with|stick)\b"
    ),
    r"I(?:['’]m| am) (?:more )?(?:used to|comfortable with|familiar with)\b",
    (
        r"I(?:['’]m| am) (?:an? (?:beginner|novice|expert|non-programmer)|new to|colou?r-?blind|blind|dyslexic"
        r"|not an? (?:programmer|developer|native))\b"
    ),
    r"I find .{1,60}\b(?:hard|easier|harder|annoying|confusing|difficult|clearer|ugly)\b",
    r"(?:ideally|preferably|(?:if|where|when|whenever) possible)\b",
    (
        r"(?:ich (?:bevorzuge|mag (?:keine|lieber|es)|hätte lieber|möchte lieber)|prefiero|prefiro|preferisco"
        r"|je préfère|j['’]aime mieux|предпочитаю|мне нравится|надаю перевагу)\b"
    ),
)
_PREFERS_ANYWHERE = "我喜欢|我更喜欢|我偏好|好みは|方が好き|선호"

_ASKING_RULE_WORDS = "can|could|would|should|do|does|did|is|are|was|why|what|how|where|which|who"
_ASKED = "we|you|i|it|this|that|the|they|there"
# Reports that use the words of a rule.
_REPORTS = (
    r"\b(?:error|explain|message|says?|said|warning|exception|fail(?:s|ed|ing|ure)?)\b[^.]{0,120}"
    r"(?:is|are) (?:not allowed|forbidden|prohibited|mandatory|read-only)\b"
    r"|\b(?:you|we|I|they) (?:do not|don['’]?t) (?:need|have) to\b"
)

# A sentence with a pronoun needs words of its own to be understood later.
_POINTERS = "it this that them these those"
_COMMON = (
    "i we you me us my a an the and or but so to of in on at for with as is are be was do does did don t ll d"
    " s m re not never always must should can may will would please just now later yet again here there ok okay yes"
    " no use like love prefer hate rather way mind look then ever thing things one idea option make sure get"
    " have want touch change know think wisely instead only too also very really much stop keep"
)
_POINTS = frozenset(_POINTERS.split())
_EMPTY = _POINTS | frozenset(_COMMON.split())
LEAST_TOPIC = 2  # words that a matter needs

# Words that negate a rule, but do not change its subject.
_TURNING = (
    "never not don t dont do always only instead now no please use can may you from on the a an i prefer d rather we"
)
_TURNS = frozenset(_TURNING.split())
# Words of which one takes the place of another.
_SAME_MATTER = (
    _LANGUAGE,
    "tabs|spaces",
    "npm|yarn|pnpm|bun",
    "short|long|brief|detailed|concise|verbose",
    "single|double",
    "pytest|unittest|jest|vitest|mocha",
)
_MATTER = {word: f"<{words}>" for words in _SAME_MATTER for word in words.split("|")}

SHORTEST_RULE, LONGEST_RULE = 4, 400  # characters of a sentence that can be a rule
MOST_OF_ONE_MESSAGE = 20
JUDGED = 4000  # cached sentences

_QUOTED_LINE = re.compile(r"^(?:[ \t]*+[>$❯|]|\t| {4}(?![-*+\d ]))")
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")
_RULES_FOLLOW = re.compile(r"\b(?:rules?|constraints?|requirements?)\b[^.:!?\n]{0,80}:[ \t]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"\d")
_LIFTS = re.compile(rf"{_START}(?:you (?:can|may)|it['’]?s (?:ok|fine|okay) to|feel free to)\b", re.IGNORECASE)


class Rule(Struct, frozen=True):
    """A sentence that sets a rule or a preference, where it was first and last stated, and whether it still holds."""

    text: str
    message: str
    superseded: bool = False
    kind: RuleKind = "constraints"
    first: str = ""


def rules(said: Sequence[Request]) -> tuple[Rule, ...]:
    """Find the rules in order; a repeated rule counts at its last occurrence.

    A later one on the same matter supersedes: its value differs, or it permits what was forbidden.
    """
    last: dict[str, Rule] = {}
    lifted: list[tuple[frozenset[str], int]] = []  # what is permitted, and how many rules there were
    for request in said:
        for text, kind in _rules_in(request.text):
            if kind is None:
                lifted.append((_topic(text), len(last)))
                continue
            before = last.pop(text.lower(), None)
            last[text.lower()] = Rule(
                text, request.message, kind=kind, first=before.first if before else request.message
            )
    found = list(last.values())
    newest: dict[frozenset[str], int] = {}
    for place, rule in enumerate(found):
        topic = _topic(rule.text)
        if len(topic) >= LEAST_TOPIC or any(word[0] == "<" for word in topic):
            if topic in newest:
                found[newest[topic]] = replace(found[newest[topic]], superseded=True)
            newest[topic] = place
    for topic, number in lifted:
        place = newest.get(topic, number)
        if place < number:
            found[place] = replace(found[place], superseded=True)
    return tuple(found)


def _topic(text: str) -> frozenset[str]:
    words = (_MATTER.get(word, word) for word in _WORD.findall(text.lower()))
    return frozenset(word for word in words if word not in _TURNS and not _VALUE.search(word))


def _rules_in(text: str) -> list[tuple[str, RuleKind | None]]:
    """Find the rules in a message's lines, except code and quotes; the kind of a permission is None."""
    found: list[tuple[str, RuleKind | None]] = []
    listed = False  # under a line such as "Three rules for this work:"
    lines = text.split("\n")
    for line, fenced in zip(lines, fenced_lines(lines), strict=True):
        if fenced or _QUOTED_LINE.match(line):
            continue
        is_item = _ITEM.match(line) is not None
        for one in sentences(line):
            checkpoint()
            if len(one) > LONGEST_RULE:
                continue
            kind = _judged(one) if len(one) >= SHORTEST_RULE else None
            if kind or (listed and is_item):
                found.append((one, kind or "constraints"))
            elif _LIFTS.match(one):
                found.append((one, None))
        announces = line.rstrip(" \t").endswith(":") and _RULES_FOLLOW.search(line) is not None
        listed = announces or (listed and (is_item or not line.strip()))
    return found[:MOST_OF_ONE_MESSAGE]


@lru_cache(JUDGED)
def _judged(sentence: str) -> RuleKind | None:
    """Tell whether a sentence sets a rule or states a preference, in words that are understood alone."""
    rule, prefers, question = _patterns()
    kind: RuleKind | None = (
        "preferences" if prefers.search(sentence) else "constraints" if rule.search(sentence) else None
    )
    if kind is None or question.search(sentence):
        return None
    words = _WORD.findall(sentence.lower())
    return None if _EMPTY.issuperset(words) and not _POINTS.isdisjoint(words) else kind


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile the patterns on first use: they take longer than the rest of a start."""
    # A common prefix is tested once for all alternatives: most positions in a sentence start neither it nor a word.
    rule = rf"{_START}(?:{'|'.join(_AT_START)})|\b(?:{'|'.join(_AT_A_WORD)})|{'|'.join(_ANYWHERE)}"
    prefers = rf"\b(?:{'|'.join(_PREFERS)})|{_PREFERS_ANYWHERE}"
    question = rf"[?？]\W{{0,9}}$|^\W{{0,4}}(?:{_ASKING_RULE_WORDS})\s(?:{_ASKED})\b|{_REPORTS}"
    return re.compile(rule, re.IGNORECASE), re.compile(prefers, re.IGNORECASE), re.compile(question, re.IGNORECASE)
