"""The turns of phrase by which a sentence is known to set a lasting rule."""

from __future__ import annotations

import re

# Every part is bounded, so that a sentence is read once.
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
# What all of a group begin with stands before it once: most places of a sentence are neither its start nor a word's.
RULE = re.compile(
    rf"{_START}(?:{'|'.join(_AT_START)})|\b(?:{'|'.join(_AT_A_WORD)})|{'|'.join(_ANYWHERE)}", re.IGNORECASE
)

_ASKING = "can|could|would|should|do|does|did|is|are|was|why|what|how|when|where|which|who"
_ASKED = "we|you|i|it|this|that|the|they|there"
QUESTION = re.compile(rf"[?？]\W{{0,9}}$|^\W{{0,4}}(?:{_ASKING})\s(?:{_ASKED})\b", re.IGNORECASE)

# Words that turn a rule round, but do not change what it is about.
TURNS = frozenset({"never", "not", "don", "t", "dont", "do", "always", "only", "instead", "now", "no", "please", "use"})
