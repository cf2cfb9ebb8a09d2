"""Text for comparing and quoting: normalized, truncated at a word, split into sentences; and phrases in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

QUOTED = re.compile(r"^[ \t]*+[>\\][>\\ \t]*+", re.MULTILINE)
# Both begin with a set of characters, which Python's engine looks for ten times as fast as for a choice.
_WIDE_STOP = re.compile("[。！？](?![.!?])")
_SENTENCE_END = re.compile(r"\s(?:(?<=\n)|(?<=[^\d\s][.!?]\s)(?<!\b[Ee]\.g\.\s)(?<!\b[Ii]\.e\.\s))\s*+")
_ENDS = ".!?\n"  # of plain English; without them a line is one sentence
_BULLET = re.compile(r"\s*+(?:[-*+•>]|\d{1,3}[.)]|[A-Z]\))\s++(?:\[[ xX]\]\s++)?")
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")
LONGEST_READ, LEAST_HEAD, LEAST_ARGUMENT = 2000, 60, 30  # characters of a command that are read, or kept
LONG_ARGUMENT = 40  # characters; a shorter one stays
_ARGUMENT = re.compile(r"\"[^\"]*\"|'[^']*'")
_LINE_FEED = re.compile(  # outside of quotes, where a shell ends a command
    r"(\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|(?<![\\&|;({\s])(?<!\bdo)(?<!\bthen)(?<!\belse)(?<!\bin)[ \t\r]*\n\s*(?=\S)"
)
_EXPORTS = re.compile(r"\bset [-+](?:a|o allexport)\s*(?:;|&&)\s*")
_SOURCED = re.compile(r"\A(?:source|\.) [^\s;&]{0,400}/([^\s;&/]{1,80})")
_FOLDERS = re.compile(r"(?<![^\s=\"'(])[~./]?(?:[\w.@+-]{1,80}/){3,30}(?=[\w.@+-]{1,80}/[\w.@+*-]{1,80})")


def fold(text: str) -> str:
    """Collapse white space to single blanks, and strip quotation and escape marks."""
    bare = QUOTED.sub("", text) if ">" in text or "\\" in text else text
    return " ".join(bare.replace("&lt;", "<").split())


def pattern(text: str) -> str:
    """Join the lines of a regular expression, without their indentation and comments."""
    lines = (line.lstrip() for line in text.split("\n"))
    return "".join(line for line in lines if line[:1] != "#")


def any_of(table: str, then: str = "") -> str:
    """Join the alternatives of a table to a regular expression, and put `then` behind them; a `_` is a blank."""
    words = "|".join(table.split()).replace("_", " ")
    return f"(?:{words}){then}" if then else words


def items_under(lines: Iterable[str], head: re.Pattern[str]) -> Iterator[bool]:
    """Tell for each line whether it is an item of a list below a line that matches."""
    inside = False
    for line in lines:
        is_item = _ITEM.match(line) is not None
        yield inside and is_item
        inside = head.search(line) is not None or (inside and (is_item or not line.strip()))


def sentences(text: str) -> list[str]:
    """Split a text into sentences and lines, without bullets."""
    if text.isascii() and not any(map(text.__contains__, _ENDS)):
        bare = without_bullet(text).strip()
        return [bare] if bare else []
    lines = _WIDE_STOP.sub("\\g<0>\n", text)
    return [bare for piece in _SENTENCE_END.split(lines) if (bare := without_bullet(piece).strip())]


def without_bullet(line: str) -> str:
    """Strip the bullet or number from the start of a line."""
    bullet = _BULLET.match(line)
    return line[bullet.end() :] if bullet else line


def shortened(text: str, limit: int) -> str:
    """Put the text on one line, truncated at a word within the limit."""
    line = " ".join(text[: 4 * limit].split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    cut = line[: limit - 1]
    whole = cut.rpartition(" ")[0] if line[limit - 1 : limit] != " " else cut
    return f"{whole if len(whole) > limit // 3 else cut}…"


def one_line(command: str) -> str:
    """Put a command on one line, with `;` between the commands that line feeds divide, but for here-documents."""
    text = command.strip()
    divided = text if "\n" not in text or "<<" in text else _LINE_FEED.sub(lambda found: found[1] or "; ", text)
    return " ".join(divided.split())


def shortened_command(text: str, limit: int) -> str:
    """Put a command on one line: long arguments and folders are truncated first, then its middle, to keep its flags."""
    line = one_line(text[:LONGEST_READ]) + "…" * (len(text) > LONGEST_READ)
    if len(line) > limit:
        line = _ARGUMENT.sub(_shortened_argument, line)
    if len(line) > limit:
        line = _SOURCED.sub(r"source …/\1", _EXPORTS.sub("", line))
    if len(line) > limit:
        behind = line[:LEAST_HEAD] + _FOLDERS.sub("…/", line[LEAST_HEAD:])
        line = behind if len(behind) <= limit else _FOLDERS.sub("…/", line)
    if len(line) <= limit:
        return line
    return f"{shortened(line, limit * 2 // 3)} {line[-limit // 3 :].partition(' ')[2]}".rstrip()


def _shortened_argument(found: re.Match[str]) -> str:
    if len(found[0]) < LONG_ARGUMENT + 2:
        return found[0]
    limit = max(2 * LEAST_HEAD - found.start(), LEAST_ARGUMENT)
    return f"{found[0][0]}{shortened(found[0][1:-1], limit)}{found[0][0]}"


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, in any markup."""
    return sentence.rstrip("*_ )").endswith(("?", "？"))


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
