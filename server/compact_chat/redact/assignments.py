"""Values given to names such as `password`, `client_secret` or `API_KEY`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from compact_chat.redact.spans import Span, anchored, compiled
from compact_chat.redact.values import is_placeholder, looks_chosen, looks_random, oddness

# How a text assigns a value to a name, and whether the value is a literal or a program's name.


VERBS = ("is", "was", "ist", "war", "lautet", "est", "es", "è", "é")  # what sentences put between name and value
# After a name: what closes it, its type, and a sign. The value is quoted or bare.
GIVEN = r"""
    (?:\\{0,3}["'`]?\)?\]?)
    (?:\s{0,4}:\s{0,4}[A-Za-z][\w.|\ ?]{0,30}(?=\s{0,4}=[^=>]))?
    (?:\ \[[^\]\n]{0,24}\])?
    (?P<sign>
        ,?\s{0,12}(?:\{\s{0,8})?\\{0,3}["']?(?i:value|default)\\{0,3}["']?\s{0,4}[:=]\s{0,4}
        | \s{0,8}(?:=>|:=|==?=?|!==?|[:：])\s{0,8} | \ {1,4}(?:@VERBS):?\s{1,4}
        | </key>\s{0,8}<string> | > | ,\ {0,4}(?=["'`]) | [ \t]{1,4}
    )
    (?: (?P<quote>\\{0,3}["'`])(?P<quoted>(?:(?!(?P=quote))\S){4,512})(?P<closed>(?P=quote))?
      | (?P<bare>[^\s"'`,;&|<>(){}\[\]\\]{4,512}+)(?![(\[{]) )
""".replace("@VERBS", "|".join(VERBS))
# A bare value continues after a sign that separates no values here.
_REST = re.compile(r"(?>[,;&#|](?![\s\w.-]{0,30}=)(?=[^\s,;&|\"'`<>(){}\[\]\\])[^\s\"'`,;&|<>(){}\[\]\\]*+)*+")
_REST_OF_QUOTED = re.compile(r"[^\s\"'`\\]*+")
_WHOLE_LINE = re.compile(r"[^\s\"'`]++(?<![,;)])(?=[ \t]*(?:\n|\Z))")
_NAME_HEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
_FLAG = re.compile(r"--[\w-]{0,40}\Z")
_SETTER = re.compile(r"(?:\A|\n|\s)(?:ENV|ARG|setx|SETX|-gx|-Ux|secrets? set)[ \t]{1,4}\Z")
_LINE_HEAD = re.compile(r"(?:^|\\n)[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>*-]{0,20}(?:[\w.-]{1,40}+ ){0,4}\Z", re.MULTILINE)
_PLAIN_HEAD = re.compile(r"(?:^|\\n)[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>-]{0,20}\Z", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w ./:@\"-]{1,80}\]\s*$", re.MULTILINE)
_FAR_SIGN = re.compile(r"value|<string>", re.IGNORECASE)  # between signs, which may span lines
_AFTER = re.compile(r"[ \t]*(\S?)\s*(\S?)")
_NEXT = re.compile(r"\S{0,200}?[&;,][\w .-]{1,40}=")  # another value
_FAR, _NEAR = 600, 120
_LONGEST_JUDGED = 512  # characters of a value after what was read first


class Given:
    """An assigned value with its surroundings."""

    def __init__(self, match: re.Match[str]) -> None:
        self.match, self.text = match, match.string
        head = _NAME_HEAD.search(self.text, max(0, match.start() - 48), match.start())
        self.start = head.start() if head else match.start()
        self.sign, self.bare_sign = match["sign"], match["sign"].strip()
        self.name = self.text[self.start : match.start("sign")].strip("\\\"'`])")
        self.is_quoted = match["quoted"] is not None
        self.value = match["quoted"] or match["bare"]
        self.value_start, self.value_end = match.span("quoted" if self.is_quoted else "bare")
        # A quoted value that is not closed where it ends is the beginning of a sentence.
        self.is_whole = bool(match["closed"]) or match.end() == len(self.text)
        self.is_in_sentence = self.sign.strip(" :") in VERBS

    @property
    def is_flag(self) -> bool:
        """Return whether the name is a command's flag."""
        return bool(_FLAG.search(self.text, max(0, self.match.start() - 48), self.match.start()))

    def is_possible(self) -> bool:
        """Return whether a sign assigns a value at all."""
        if self.sign.isspace():  # none: a flag, a command that sets variables, or a value that needs no sign
            is_random = len(self.value) >= 16 and looks_random(self.value, 0.4)
            return is_random or self.is_flag or bool(_SETTER.search(self.text, max(0, self.start - 16), self.start))
        if self.bare_sign == ",":  # an argument of a function, as in `define("DB_PASSWORD", "…")`, not a second name
            opened, closed = self.text[self.start - 2 : self.start], self.text[self.match.end() : self.match.end() + 1]
            is_call = self.is_whole and opened[:1] == "(" and opened[1:] in ("'", '"', "`") and closed == ")"
            return is_call and any(map(str.isdigit, self.value)) and looks_chosen(self.value)
        if "\n" in self.sign and not self.is_quoted and not _FAR_SIGN.search(self.sign):
            return False
        return self.sign != ">" or self.text[self.start - 1 : self.start] == "<"

    def is_literal(self, spoken: bool = True) -> bool:
        """Return whether a bare value is a literal, not a name: in settings, commands, URLs or (`spoken`) sentences."""
        if self.bare_sign == ":":
            return self._ends_line() and self._begins_line(_LINE_HEAD if spoken else _PLAIN_HEAD)
        if self.bare_sign != "=":
            return spoken or not self.is_in_sentence
        around = self.text[self.start - 1 : self.start]
        if self.sign == "=" and (self.name.isupper() or self.is_flag or around in ("?", "&", ";")):
            return True
        before = self.text[max(0, self.start - _NEAR) : self.start].rstrip()
        after = _AFTER.match(self.text, self.value_end)
        if not after or after[1] in (",", ")") or after[2] in (",", ")") or before[-1:] in (",", "(", "[", "{"):
            return False
        if self.sign == "=":  # before a blank, a line end or the separator of a list of settings
            return self.value_end == len(self.text) or self.text[self.value_end] in " \t\n\r;&\\#."
        return bool(_SECTION.search(self.text, max(0, self.start - _FAR), self.start)) and self._ends_line()

    def end(self, limit: int | None = None) -> int:
        """Return the end of the value, or `limit` if it continues beyond that."""
        end, last = self.value_end, len(self.text) if limit is None else limit
        rest = None
        if self.is_quoted:
            rest = None if self.match["closed"] else _REST_OF_QUOTED.match(self.text, end, last)
        elif self.bare_sign == "=" and (self.name.isupper() or self._begins_line(_LINE_HEAD)):
            if not _NEXT.match(self.text, self.match.end("sign")):
                rest = _WHOLE_LINE.match(self.text, end, last)
            rest = rest or _REST.match(self.text, end, last)
        elif self.bare_sign == "=" or self.is_flag:
            rest = _REST.match(self.text, end, last)
        elif ":" in self.sign and self.is_literal(spoken=False):
            rest = _WHOLE_LINE.match(self.text, end, last)
        return rest.end() if rest else end

    def _ends_line(self) -> bool:
        behind = self.text[self.value_end : self.value_end + 2]
        return behind[:1] in ("", "\n", "\r", "#", "&", "$", "\\") or behind == " #"

    def _begins_line(self, head: re.Pattern[str]) -> bool:
        return bool(head.search(self.text, max(0, self.start - _NEAR), self.start))


# Names and their values.


_NAME_LIKE = re.compile(r"[A-Za-z_]+\d{0,3}(?>[.:/-]{0,2}[A-Za-z_]+\d{0,3})*+\Z")
_STAGE = r"(?:_(?:prod(?:uction)?|dev|test|staging|live|main|old|new|\d{1,2}))?"
_KEY_OF = re.compile(
    r"(?:api|access|secret|private|account|auth|signing|encryption|master|app|application|license|service|shared"
    r"|subscription|deploy|storage|client|admin|integration|security|preshared)[_\-. ]{0,2}\Z"
)
_ID_OF = re.compile(r"(?:public|publishable|cache|foreign|primary|sort|partition|idempotency|tracking)[_\-. ]?\Z")
_PHRASE_OF = re.compile(r"(?:pass|seed[ _]|recovery[ _])phrase\Z|mnemonic\Z", re.IGNORECASE)
_IN_FOURS = re.compile(r"(?i:password)[\"'`]?\s{0,4}[:=]\s{0,4}[\"'`]?(?P<fours>(?:[a-z]{4} ){3}[a-z]{4})(?![a-z ])")
_PHRASE = re.compile(
    r"(?P<word>(?i:phrase|mnemonic))\\?[\"'`]?\s{0,4}[:=]\s{0,4}\\?[\"'`]?(?P<phrase>(?:[a-z]{3,9} ){3,23}[a-z]{3,9})"
)
_HUMP = re.compile(r"[A-Z][a-z]*|\A[a-z]+")
_SHORTEST_RANDOM = 12
_MOST_NESTED = 8
# Words for "password" in other languages.
ABROAD = ("kennwort", "contraseña", "contrasena", "senha", "пароль", "密码", "パスワード", "비밀번호")


class Name(NamedTuple):
    """A kind of name: the kind of its secrets, the word it is found by, its pattern, and the judge of values."""

    kind: str
    word: str
    form: str
    judge: Callable[[Given], bool]


def assignments(text: str, low: str) -> Iterator[Span]:
    """Yield the secrets that a text assigns to such names."""
    for name in NAMES:
        if name.word not in low:
            continue
        done = reach = nested = 0
        pattern = compiled(rf"(?xi:{name.form.replace(' ', chr(92) + ' ')}{_STAGE}{GIVEN})")
        for match in anchored(text, name.word, pattern, low):
            # Of nested values, as in `token:key:…`, only the first few are checked.
            nested = nested + 1 if match.start() < reach else 0
            if nested > _MOST_NESTED:
                continue
            reach = match.end()
            if match.start() >= done and _is_secret(given := Given(match), name):
                called = text[max(0, match.start() - 4) : match.end("sign")].lower()
                kind = name.kind
                if name.word == "secret" and "access" in called:
                    kind = "aws-secret-key"
                elif called[1:4] == "api" or (name.word == "key" and called.startswith(("api", "pi_", "pi-", "pi "))):
                    kind = "api-key"
                done = given.end()
                yield Span(given.value_start, done, kind)


def phrases(text: str, low: str) -> Iterator[Span]:
    """Yield secrets that contain blanks: passwords in groups of four, passphrases, and a wallet's seed words."""
    for match in anchored(text, "password", _IN_FOURS, low):
        if all(oddness(four) for four in match["fours"].split()):
            yield Span(*match.span("fours"), "password")
    for word in ("phrase", "mnemonic"):
        for match in anchored(text, word, _PHRASE, low):
            if _PHRASE_OF.search(text, max(0, match.start() - 9), match.end("word")):
                yield Span(*match.span("phrase"), "passphrase")


def _is_secret(given: Given, name: Name) -> bool:
    value = given.value
    if not given.is_possible() or is_placeholder(value):
        return False
    if given.is_quoted:
        if not given.is_whole and not looks_random(value, 0.35):
            return False
    elif value[0] in "/~.@*=-":  # how paths, flags and lists begin, unless it is too long for them
        longest = 32 if value[0] in "/~." else 20
        if len(value) < longest or not looks_random(value, 0.4):
            return False
    return name.judge(given)


def _is_password(given: Given) -> bool:
    """Judge what a person may have chosen: with digits or signs, or, where no name fits, letters alone."""
    # Read to its end only if needed: what is no secret may be read again and again.
    value, name = given.text[given.value_start : given.end(given.value_end + _LONGEST_JUDGED)], given.name
    if len(value) < 6:
        return False
    # `pass` is short for password: not in `bypass`, nor alone before what a test passed.
    if name.lower() == "pass":
        is_setting = given.is_quoted or given.is_in_sentence or given.sign == "="
        if not is_setting and (name != "pass" or set(given.value) & set("/_.")):
            return False
    elif (low := name.lower()).endswith("pass") and low[-5].isalpha() and not name.endswith(("Pass", "PASS")):
        return False
    if given.is_in_sentence:
        return _is_mixed(value)
    if given.is_quoted or not _is_name_like(value.rstrip(",;)")):
        return looks_chosen(value) or (_is_words(value) and not (given.is_quoted and value[0].isupper()))
    return given.is_literal(spoken=looks_chosen(value)) and (looks_chosen(value) or _is_words(value))


def _is_mixed(value: str) -> bool:
    """Return whether a value is no word of a sentence: it has digits among its letters, or inner capitals."""
    return (looks_chosen(value) and any(map(str.isdigit, value))) or (not value[1:].islower() and _is_words(value))


def _is_words(value: str) -> bool:
    """Return whether letters alone may be a password: long enough, in one case, or with too many capitals for words."""
    if not value.isalpha() or len(value) < 8:
        return False
    is_one_case = value[1:].islower() or value.isupper()
    return is_one_case or oddness(value) >= 0.3 or len(value) < 2.5 * len(_HUMP.findall(value))


def _is_token(given: Given) -> bool:
    """Judge generated values; the shorter one is, the clearer its context must show that it is no name."""
    value = given.value
    if len(value) < 6 or value.isdigit():
        return False
    if not given.is_quoted and _is_name_like(value) and not given.is_literal():
        return False
    if given.sign == "=" and given.name.isupper() and len(value) >= 8 and _is_mixed(value) and given.is_literal():
        return True
    if len(value) >= _SHORTEST_RANDOM:
        return looks_random(value)
    return (given.is_quoted or given.is_literal()) and any(map(str.isdigit, value)) and looks_random(value, 0.28)


def _is_key(given: Given) -> bool:
    """Judge keys: door keys by their names, others only if they are long."""
    before = given.text[max(0, given.match.start() - 16) : given.match.start()].lower()
    if _KEY_OF.search(before):
        return len(given.value) >= 8 and _is_token(given)
    return before.endswith("_") and len(given.value) >= 20 and not _ID_OF.search(before) and _is_token(given)


def _is_name_like(value: str) -> bool:
    """Return whether a value without quotes may well be a variable, an attribute or a type."""
    return bool(_NAME_LIKE.match(value)) and not (len(value) >= 10 and looks_random(value, 0.4))


NAMES = (
    Name("password", "pass", r"pass(?:word|wd|phrase|code|wort|wrd|e)?(?:_?\d)?", _is_password),
    *(Name("password", word, word, _is_password) for word in ABROAD),
    # These abbreviate a password in one context and the working directory in another.
    Name("password", "pwd", r"pwd", lambda given: "/" not in given.value and _is_password(given)),
    Name("password", "pw", r"(?<![^\W_])pw", lambda given: "/" not in given.value and _is_password(given)),
    Name("secret", "secret", r"secret(?:[_\- ]?access)?(?:[_\- ]?key)?(?:[_\- ]?base)?(?:_id)?", _is_token),
    Name("token", "token", r"token(?:_?(?:secret|key))?", _is_token),
    Name("key", "key", r"key", _is_key),
    Name("credential", "credential", r"credentials?", lambda given: len(given.value) >= 16 and _is_token(given)),
)
