"""How a text gives a value to a name, and whether what stands there is the value itself or a name of the program."""

from __future__ import annotations

import re

from compact_chat.redact.looks import looks_chosen, looks_random

SAYS = ("is", "was", "ist", "war", "lautet", "est", "es", "è", "é")  # what a sentence puts between name and value
# Behind a name: what closes it, its type, and a sign. The value stands in quotes or bare.
GIVEN = r"""
    (?:\\{0,3}["'`]?\)?\]?)
    (?:\s{0,4}:\s{0,4}[A-Za-z][\w.|\ ?]{0,30}(?=\s{0,4}=[^=>]))?
    (?:\ \[[^\]\n]{0,24}\])?
    (?P<sign>
        ,?\s{0,12}(?:\{\s{0,8})?\\{0,3}["']?(?i:value|default)\\{0,3}["']?\s{0,4}[:=]\s{0,4}
        | \s{0,8}(?:=>|:=|==?=?|!==?|[:：])\s{0,8} | \ {1,4}(?:@SAYS):?\s{1,4}
        | </key>\s{0,8}<string> | > | ,\ {0,4}(?=["'`]) | [ \t]{1,4}
    )
    (?: (?P<quote>\\{0,3}["'`])(?P<quoted>(?:(?!(?P=quote))\S){4,512})(?P<closed>(?P=quote))?
      | (?P<bare>[^\s"'`,;&|<>(){}\[\]\\]{4,512}+)(?![(\[{]) )
""".replace("@SAYS", "|".join(SAYS))
# A bare value goes on behind a sign that parts no two values here.
_REST = re.compile(r"(?>[,;&#|](?![\s\w.-]{0,30}=)(?=[^\s,;&|\"'`<>(){}\[\]\\])[^\s\"'`,;&|<>(){}\[\]\\]*+)*+")
_REST_OF_QUOTED = re.compile(r"[^\s\"'`\\]*+")
_WHOLE_LINE = re.compile(r"[^\s\"'`]++(?<![,;)])(?=[ \t]*(?:\n|\Z))")
_NAME_HEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
_FLAG = re.compile(r"--[\w-]{0,40}\Z")
_SETTER = re.compile(r"(?:\A|\n|\s)(?:ENV|ARG|setx|SETX|-gx|-Ux|secrets? set)[ \t]{1,4}\Z")
_LINE_HEAD = re.compile(r"(?:^|\\n)[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>*-]{0,20}(?:[\w.-]{1,40}+ ){0,4}\Z", re.MULTILINE)
_PLAIN_HEAD = re.compile(r"(?:^|\\n)[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>-]{0,20}\Z", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w ./:@\"-]{1,80}\]\s*$", re.MULTILINE)
_FAR_SIGN = re.compile(r"value|<string>", re.IGNORECASE)  # in signs that may go over a line
_AFTER = re.compile(r"[ \t]*(\S?)\s*(\S?)")
_NEXT = re.compile(r"\S{0,200}?[&;,][\w .-]{1,40}=")  # another value
_FAR, _NEAR = 600, 120
_LONGEST_JUDGED = 512  # characters of a value behind what was read first


class Given:
    """One value with what stands around it."""

    def __init__(self, match: re.Match[str]) -> None:
        self.match, self.text = match, match.string
        head = _NAME_HEAD.search(self.text, max(0, match.start() - 48), match.start())
        self.start = head.start() if head else match.start()
        self.sign = match["sign"]
        self.name = self.text[self.start : match.start("sign")].strip("\\\"'`])")
        self.is_quoted = match["quoted"] is not None
        self.value = match["quoted"] or match["bare"]

    @property
    def is_flag(self) -> bool:
        """Whether the name is that of a command's flag."""
        return bool(_FLAG.search(self.text, max(0, self.match.start() - 48), self.match.start()))

    @property
    def is_whole(self) -> bool:
        """Whether a quoted value is closed where it ends, and so is no beginning of a sentence."""
        return bool(self.match["closed"]) or self.match.end() == len(self.text)

    @property
    def is_said(self) -> bool:
        """Whether a sentence gives the value."""
        return self.sign.strip(" :") in SAYS

    def is_possible(self) -> bool:
        """Whether there is a sign that gives a value at all."""
        if self.sign.isspace():
            return (
                self.is_flag or self._is_sure() or bool(_SETTER.search(self.text, max(0, self.start - 16), self.start))
            )
        if self.sign.strip() == ",":
            return self._is_argument()
        if "\n" in self.sign and not self.is_quoted and not _FAR_SIGN.search(self.sign):
            return False
        if self.sign == ">":
            return self.text[self.start - 1 : self.start] == "<"
        return True

    def _is_argument(self) -> bool:
        """Whether name and value are given to a function, as in `define("DB_PASSWORD", "…")`, and are no two names."""
        opened = self.text[self.start - 2 : self.start]
        closed = self.text[self.match.end() : self.match.end() + 1]
        is_call = self.is_whole and opened[:1] == "(" and opened[1:] in ("'", '"', "`") and closed == ")"
        return is_call and any(map(str.isdigit, self.value)) and looks_chosen(self.value)

    def _is_sure(self) -> bool:
        """Whether the value needs no sign before it."""
        return len(self.value) >= 16 and looks_random(self.value, 0.4)

    def is_literal(self, spoken: bool = True) -> bool:
        """Whether a bare value is itself, and not a name: in settings, commands, addresses, or (`spoken`) in words."""
        if self.sign.strip() == "=":
            return self._is_setting()
        if self.sign.strip() == ":":
            return self._ends_line() and self._begins_line(_LINE_HEAD if spoken else _PLAIN_HEAD)
        return spoken or not self.is_said

    @property
    def full(self) -> str:
        """The value to its end, as far as it is needed to judge it: what is no secret may be read again and again."""
        return self.text[self.start_of_value() : self.end(self.end_of_core() + _LONGEST_JUDGED)]

    def end(self, limit: int | None = None) -> int:
        """Where the value ends, or the place `limit` where it goes on behind that."""
        end, last = self.end_of_core(), len(self.text) if limit is None else limit
        if self.is_quoted:
            rest = None if self.match["closed"] else _REST_OF_QUOTED.match(self.text, end, last)
        elif self.sign.strip() == "=" and (self._begins_line(_LINE_HEAD) or self.name.isupper()):
            line = None if self._is_among_others() else _WHOLE_LINE.match(self.text, end, last)
            rest = line or _REST.match(self.text, end, last)
        elif self.sign.strip() == "=" or self.is_flag:
            rest = _REST.match(self.text, end, last)
        else:
            is_line = ":" in self.sign and self.is_literal(spoken=False)
            rest = _WHOLE_LINE.match(self.text, end, last) if is_line else None
        return rest.end() if rest else end

    def _is_among_others(self) -> bool:
        """Whether another value follows on the line, as in `a=1&b=2` or `a=1;b=2`."""
        return bool(_NEXT.match(self.text, self.match.end("sign")))

    def _is_setting(self) -> bool:
        if self.sign == "=" and (
            self.name.isupper() or self.is_flag or self.text[self.start - 1 : self.start] in ("?", "&", ";")
        ):
            return True
        before = self.text[max(0, self.start - _NEAR) : self.start].rstrip()
        after = _AFTER.match(self.text, self.end_of_core())
        if not after or after[1] in (",", ")") or after[2] in (",", ")") or before[-1:] in (",", "(", "[", "{"):
            return False
        if self.sign == "=":
            return self._is_parted()
        return bool(_SECTION.search(self.text, max(0, self.start - _FAR), self.start)) and self._ends_line()

    def _is_parted(self) -> bool:
        """Whether a blank, a line end or the sign of a list of settings follows the value."""
        end = self.end_of_core()
        return end == len(self.text) or self.text[end] in " \t\n\r;&\\#."

    def start_of_value(self) -> int:
        """Where the value begins, behind its quotation mark."""
        return self.match.start("quoted" if self.is_quoted else "bare")

    def end_of_core(self) -> int:
        """Where the value ends that was read first."""
        return self.match.end("quoted" if self.is_quoted else "bare")

    def _ends_line(self) -> bool:
        end = self.end_of_core()
        return self.text[end : end + 1] in ("", "\n", "\r", "#", "&", "$", "\\") or self.text[end : end + 2] == " #"

    def _begins_line(self, head: re.Pattern[str]) -> bool:
        return bool(head.search(self.text, max(0, self.start - _NEAR), self.start))
