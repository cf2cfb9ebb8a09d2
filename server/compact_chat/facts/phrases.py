"""Phrases of sentences: announcements of a step, and reasons."""

from __future__ import annotations

import re

from compact_chat.facts.words import pattern

# Announcements.

_I_WILL = r"(?:I['’]ll|I will|let me|let us|let['’]?s|I['’]m going to)"
_I_MUST = rf"(?:{_I_WILL}|I need to)"
_FIRST = r"(?:(?:also|and|first|good|great|next|now|ok|okay|perfect|so|then)[,.!:]? )?"
ACTS = (
    r"(?:I['’]ll|I will|we['’]ll|we will|let me|let['’]s|I['’]m|I am|we['’]re|we are)"
    r"(?: going to| just| now| also| only| still| instead){0,2}"
)
ANNOUNCES = re.compile(rf"\W{{0,4}}{_FIRST}(?:{_I_WILL}|we['’]ll|we will)\b", re.IGNORECASE)  # at the start
ANNOUNCES_WORK = re.compile(rf"\W{{0,4}}{_FIRST}{_I_MUST}\b", re.IGNORECASE)  # at the start
MENTIONS_WORK = re.compile(rf"\b{_I_MUST}\b", re.IGNORECASE)
COMES_NEXT = re.compile(rf"\b(?:{_I_MUST}|next,? I|now I)\b", re.IGNORECASE)  # at the end of a text
ANNOUNCES_EDIT = re.compile(
    rf"\b{_I_MUST}(?: (?:now|also|first|then))? (?:add|change|document|extend|fix|remove|rename|replace|update)\b",
    re.IGNORECASE,
)
BEGINS_STEP = re.compile(  # that is announced or reported
    rf"\W{{0,4}}{_FIRST}(?:{_I_WILL}|I['’](?:m|ve)|I (?:am|have|updated|changed))\b", re.IGNORECASE
)

# Reasons.

_WHY = r"because|so that|to avoid"
REASON = pattern(
    rf"""
    \b(?:{_WHY}|since|to prevent|as it|as this|which (?:avoids|keeps|prevents|means)|unless|despite
    |so (?:it|they|nothing|no) (?:isn['’]t|aren['’]t|doesn['’]t|don['’]t|can['’]t|won['’]t|stays?|never))\b
    """
)
OTHER_WAY = r"\b(?:instead|rather than)\b"
GIVES_REASON = re.compile(rf"{REASON}|{OTHER_WAY}|\bso\b", re.IGNORECASE)
CONCLUDES = re.compile(
    pattern(
        rf"""
        \b(?:{_WHY}|since|instead|rather than|otherwise|therefore|due to|caused by|root cause|means|turns out
        |the (?:real )?(?:issue|problem|cause|reason|bug|fix)|found|decided|confirmed|actually|already|must|only|never
        |cannot|can['’]t|won['’]t|doesn['’]t|didn['’]t|fails?|failed)\b
        """
    ),
    re.IGNORECASE,
)
EXPLAINS_CODE = re.compile(
    rf"\b(?:{_WHY}|since|instead|otherwise|unless|only|must|never|not|to (?:keep|prevent))\b", re.IGNORECASE
)
MATTERS = re.compile(  # also links, numbers and hashes
    pattern(
        rf"""
        \b(?:{_WHY}|instead of|rather than|decided|chose|not worth|root cause|won['’]t|fix(?:ed)?)\b
        |\b(?:must|never|always|do not|don['’]t)\b
        |https?://|\#\d{{2,6}}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{{7,40}}\b|\b\d+\.\d+\.\d+\b|\b\d{{4,}}\b
        """
    ),
    re.IGNORECASE,
)
