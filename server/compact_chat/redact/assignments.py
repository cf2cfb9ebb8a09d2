"""Values given to names such as `password`, `client_secret` or `API_KEY`: a name, a sign and a value in one grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from compact_chat.redact.columns import Columns
from compact_chat.redact.spans import Span, anchored
from compact_chat.redact.values import (
    has_crossed_brackets,
    is_numbered_word,
    is_of_odd_words,
    is_placeholder,
    looks_chosen,
    looks_random,
    may_be_words,
    oddness,
)

# How a text gives a value to a name, and whether the value is a literal or a program's name.


VERBS = (  # what sentences put between name and value
    *(
        "is",
        "was",
        "to",
        "as",
        "be",
        "ist",
        "war",
        "lautet",
        "est",
        "es",
        "è",
        "é",
        "jest",
        "olarak",
        "är",
        "er",
        "je",
        "from",
    ),
    *("este", "là", "adalah", "είναι", "такой", "такая", "هي", "هو", "है", "हैं", "היא", "הוא", "است", "হল", "হলো", "คือ"),
)
VERBS_GLUED = (
    "是",
    "设置为",
    "设为",
    "改为",
    "改成",
    "為",
    "为",
    "は",
    "を",
    "が",
    "는",
    "은",
    "이",
    "가",
    "를",
    "을",
    "설정은",
)  # without a blank around them
_REST_OF_NAME = r"(?:(?<![\u3040-\u9fff\uac00-\ud7af])[A-Za-z0-9_]{0,40}+(?>-[A-Za-z][A-Za-z0-9]{0,20}+){0,3})?"
_TAIL = re.compile(_REST_OF_NAME)
GIVEN = r"""
    (?P<tail>@TAIL)
    (?P<closing>["'`”’»*)\]}]{0,4}+)
    (?:\ ?\[[^\]\n]{0,24}\]|\ \((?!["'`][^\s()]{4,40}\))[^()\n]{1,30}\))?  # a size, `[32]`, or what holds, ` [None]`
    (?P<sign>
        (?P<far>
            ,?\s{0,12}(?:\{\s{0,8}(?:(?:type|description|sensitive)\s{0,8}=\s{0,4}(?:"[^"\n]{0,80}"|\w{1,12})\s{1,12}){0,3})?
            ["']?(?:value|default)["']?\s{0,12}[:=]\s{0,4}
          | \ {1,2}(?:(?:set|put|create|add)\ )?(?:--?[\w-]{1,16}[ =][\w/.-]{1,32}\ ){0,3}
              (?:--?(?:body|value|data|secret-string)[ =]|-[bv]\ ?|<<<\ ?)
          | </key>\s{0,8}<string>
        )
      | (?P<next> :?[*_]{0,3}[ \t]{0,4}\n(?:[ \t]*\n)?(?:```\w*\n)?[ \t]{0,24} )
      | (?P<element>
            (?:\s[\w:]{1,24}="[^<>"\n]{0,40}"){0,2}\s{0,2}>\s{0,24}
            (?:<value>\s{0,24})?(?:<!\[CDATA\[)?(?:\{(?:[\w-]{1,24}\ ){0,3})?
        )
      | (?P<tags> :?\s{0,4}(?:</?[a-z]\w{0,9}(?:\s[^<>\n]{0,60})?>\s{0,12}){1,4}:?\s{0,4} )
      | (?P<block>
            :[ \t]{1,2}[|>][-+0-9]{0,2}[ \t]{0,2}\n[ \t]{1,24}
          | \s?=\s?(?:<<[-~]?["']?\w{2,12}["']?|(?:\"{3}|'{3})\\?)\n[ \t]{0,24} )
      | (?P<type>
            (?::|\ (?!(?:@OF)\ ))\s{0,4}[&*]?(?:'\w{1,8}\ )?(?![^=<\n]{0,40}\ <)
            [A-Za-z][\w.:<>|?&*\[\],\ ]{0,40}?\s{0,4}=\s{0,8}(?![=>~])(?=(?:new\ )?\S{0,24}["'`])
          | \ \{[\w;\ ]{3,24}\}\ =\ )
      | (?P<fallback>
            \s{0,4}(?:=\s{0,4}[\w.$]{1,40}\([^()\n]{0,40}\)\s{0,4})?(?:\|\||\?\?|\?:|\bor\b)\s{1,4}(?=["'`])
          | \s{0,4}:?=\s{0,4}[\w.$]{0,24}env[\w.]{0,12}\(["'][\w.-]{1,40}["'],\s{0,4}(?=["'`])
          | :-(?=[^\s"'`])
        )
      | (?P<plain>
            (?:\ (?:@OF)\ [^\s:=][^\n:=.]{0,30}?(?=\s?[:=]|\s(?:[-—–]|->|→)\s)
              |(?P<more>\ [^\W\d_]{2,12})(?=:\ |\ =\ ))?\s{0,24}
            (?:=>|<-|->|→|[:?|&+.]{0,3}={1,3}|!={1,2}|[:：]|(?<=\s)(?:[-—–]{1,6}|\.{3,40}|eq|ne)(?=\s))
            (?:[*_]{1,3}(?=\s))?\s{0,24}(?:(?:[(\\\[]\s{0,24}|(?<==)\{)(?=["'`]))?
        )
      | (?P<call> (?:\.\w{1,12}|\ )?[({]\s{0,8}(?=["'`]) )
      | (?P<comma> \ ?,\ {0,12} )
      | (?P<verb>
            \ {1,4}(?:(?:@OF)\ [^\s:=][^\n:=.]{0,30}?\ )?
            (?:(?:has|been|is|was|will|should|now|set|changed|still)\ ){0,3}
            (?:@VERBS)(?:\ (?:now|still|currently|just|simply))?[:=]?\s{1,4}
          | (?<=['’])s\s{1,4}
          | \s?(?:(?:@GLUED)[:：]?\s{0,2}|(?=[「『“]))
        )
      | (?P<blank>
            (?:\ (?:@OF)\ \w{1,24}|(?<=\w)\ [а-яё]{3,24})?[ \t]{1,8}(?:\((?:it\ is\ |it's\ |default:\s?)?)?
          | (?<=[\u4e00-\u9fff\uac00-\ud7af])\ ?\(?(?=[!-~]) | \((?:default:\ ?)?(?=[^\s()"'`]{8,40}\))
          | (?<=\w\))(?=[^\s()"'`]{8,40}(?:[\s,]|\Z))
        )
    )
    (?: (?:@LABEL)?[@$]?(?:[bruf]{1,2}(?=["'`]))?(?:@MADE)?
        (?:'(?=")|"(?='))?(?P<quote>(?P<mark>["'`])(?P=mark){0,2})\ ?(?P<quoted>
            (?P<spaced>
                (?>(?:(?!(?P=quote))\S){1,128})(?>(?:[\ \t]{1,3}(?>(?:(?!(?P=quote))\S){1,128})){1,16})(?=(?P=quote))
            )
            |(?:(?!(?P=quote))\S){4,512})(?P<closed>\ ?(?P=quote))?
      | \[\[(?P<long>[^\[\]\s:]{4,512})\]\]
      | (?:@LABEL|&\w{1,16}\ )?[“„«‘「『]?[ ]?
          (?P<bare>@BARE{4,512}+(?:@STRAY@BARE{4,512}+)?|@BARE{1,3}+@STRAY@BARE{4,512}+)(?![(\[{])
      | (?P<wild>[^\s"'`,;<]{8,200}+) )
"""
# What makes a text of a quoted one in a program.
_MADE = r"(?:String::from|Some|(?:std::)?string|SecretString::new|Optional\.of|new\ String|\[\]byte)[({]{1,2}"
_SIGNS = r"\s\"'`“”«»‘’「」『』,;&|<>(){}\[\]\\，。；、）】」\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_BARE = rf"(?-i:[^{_SIGNS}])"  # case makes ranges slow to compile
_OF = "for|of|on|in|at|für|zu|pour|du|de|para|del|per|di|voor|do|dla|для|от|к"
for _name, _part in {
    "TAIL": _REST_OF_NAME,
    "OF": _OF,
    "VERBS": "|".join(VERBS),
    "GLUED": "|".join(VERBS_GLUED),
    "MADE": _MADE,
    "LABEL": r"!!?(?!(?:secret|env\w*|include|ref\w*)\b)(?-i:[a-z]{1,12})\ ",  # a type in YAML
    "STRAY": r"['\\](?=[A-Za-z]{0,8}\d)",  # a quote or a backslash in a value that is not in quotes
    "BARE": _BARE,
}.items():
    GIVEN = GIVEN.replace(f"@{_name}", _part)
# A bare value continues after a sign that separates no values here.
_REST = re.compile(rf"(?>(?:[,;](?![\s\w.-]{{0,30}}=)|[&#|](?![\w.-]{{0,30}}=))[^{_SIGNS}]++)*+")
_REST_OF_BARE = re.compile(rf"(?>[&#](?![\s\w.-]{{0,30}}=)[^{_SIGNS}]++)*+")
_REST_OF_QUOTED = re.compile(r"[^\s\"'`\\]*+")
_REST_OF_ELEMENT = re.compile(r"[^\s<>]*+")
_WHOLE_LINE = re.compile(r"[^\s\"'`”»’」』]++(?<![,;)])(?=[ \t]*(?:\n|\Z))")
_NAME_HEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
_FLAG = re.compile(r"(?:--|(?<![\w-])-)[\w-]{0,40}\Z")
_SETTER = re.compile(r"(?:\A|\n|\s)(?:ENV|ARG|setx|SETX|-gx|-Ux|-x|#define|secrets? set)[ \t]{1,4}\Z")
_SPOKEN = re.compile(
    r"(?:\b(?:use|using|with|enter|type|and|mit|avec|con|com|met)(?: (?:the|dem|das|le|la|a|het))?|[,/;])[ \t]{1,4}\Z",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?:\b(?:the|my|our|your|a|its|this|that|with|use|using|and|new|old|same|de|die|das|der|dem|la|le|el|il|het)"
    r"[ \t]{1,4}(?:\w{2,12}[ \t])?)\Z",
    re.IGNORECASE,
)
# The words of a sentence behind a value.
_SPEAKS_ON = re.compile(
    r"[.,;!?]{0,2} (?:[(/—–] ?)?(?!(?:if|else|or|in|not|as|unless|hash\w*|encoded)\b)[^\W\d_]{1,20}(?![\w(.:=\[])"
    r"|[.!?]\s"
)
_OF_AN_ID = re.compile(r"(?:\b[ug]uid|[_ ]id)[ \t]{1,4}\Z", re.IGNORECASE)
_LINE_HEAD = re.compile(r"^[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>*-]{0,20}(?:[\w.-]{1,40}+ ){0,4}\Z", re.MULTILINE)
_PLAIN_HEAD = re.compile(r"^[ \t]*+(?:\d{1,6}[→│:\t])?[ \t+>-]{0,20}\Z", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w ./:@\"-]{1,80}\]\s*$", re.MULTILINE)
_AFTER = re.compile(r"[ \t]*(\S?)\s*(\S?)")
# A person's password: letters, a digit and a sign that no name and no path has.
_CLEAR = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])(?=\S*\w[!#^*?~%$])(?!\S*(?:[=/:]|%[\da-fsx]))[\w!#^*?~%$@.+-]{8,40}+\Z")
_ALONE = re.compile(r"[A-Za-z0-9!#$%^&*?~@+-]{8,64}\Z")
_CLOSES = re.compile(r"[.!?]?[ \t]*(?:\n|\Z)")
# A user's name in front of a password's.
AFTER_USER = re.compile(
    r"\b(?:user(?:name)?|login|account|id|wifi\sconnect|ssid)[\s=:]{1,3}[\"']?[\w.@ -]{1,48}[\"']?,?\s?\Z",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\S{0,200}?[&;,][\w .-]{1,40}=")  # another value
# A value before the name, as in `if ("…" == password)`.
_COMPARED = re.compile(r"[\"']((?:(?![\"'])\S){4,200})[\"'](?:\)?\s{0,2}[!=]={1,2}\s{0,2}|\.equals\()[\w.$]*\Z")
_COMPARES = re.compile(r"=|\.equals")
_BEING = re.compile(r" (?:(?:is|as|for|was|ist|als|für|est|comme|pour|es|como|para) |\()")
_SAID_BEFORE = re.compile(
    r"(?<![^\s\"'`(])[\"'`]?([^\s\"'`,;()<>]{8,64})[\"'`]?\s(?:\(|(?:is|as|was|ist|als|est|comme|es|como)\s|(?P<for>(?:for|für|pour|para)\s))"
    r"(?:(?:that's|that\sis|this\sis)\s)?(?:(?:the|my|our|your|a|das|mein|le|mon|la|mi)\s)?(?:\w{2,12}\s)?\Z"
)
# Another value after one, as in `from … to …` and `was … and the new one is …`.
_OTHER = re.compile(
    r"[\"'`]?[^\n.;:=\"'`(){}]{0,50}?(?:\b(?:to|is|was|and|or|now|auf|zu|ist|et|est|à|y|es|a)|→|->|/)\s{1,2}[\"'`]?"
    r"(?P<value>[^\s\"'`,;()<>{}/]{8,64})(?<![.!?])"
)
# The next value of a list, and a name before another that gets a value of its own.
_LISTED = re.compile(
    r"[\"'`]\s{0,4},\s{0,24}(?P<quote>[\"'`])(?P<value>(?:(?!(?P=quote))[^\s\\]){6,200})(?=(?P=quote)(?!\s{0,4}[:=]))"
)
_SEVERAL = re.compile(r"[\w$]\s?,\s?\$?\Z|[\w$]\s?,\s?\$?[\w$]{1,40}\Z")
_MOST_LISTED = 50
_FLAG_BEHIND = re.compile(r"\s?,\s{0,4}(?:true|false|null|none)\b", re.IGNORECASE)  # of a call, behind its value
_MAY_GO_ON = frozenset("&#")
_FAR, _NEAR = 600, 120
_LONGEST_JUDGED = 512  # characters of a value after what was read first

HOW = ("far", "next", "element", "tags", "block", "type", "fallback", "plain", "call", "comma", "verb", "blank")


class Given:
    """A value given to a name, with its surroundings."""

    def __init__(self, name: int, match: re.Match[str]) -> None:
        self.word_start, self.match, self.text = name, match, match.string
        head = _NAME_HEAD.search(self.text, max(0, name - 48), name)
        self.start = head.start() if head else name
        self.sign, self.bare_sign = match["sign"], match["sign"].strip()
        self.is_dash = self.bare_sign.rpartition(" ")[2][:1] in (*"-—–→",)
        self.how = next(how for how in HOW if match[how] is not None)
        self.name = self.text[self.start : match.end("tail")]
        group = next(group for group in ("quoted", "long", "wild", "bare") if match[group] is not None)
        self.is_quoted, self.is_wild = group in ("quoted", "long"), group == "wild"
        self.words = (match["spaced"] or "").split()
        self.value = "".join(self.words) or match[group]
        self.value_start, self.value_end = match.span(group)
        # A quoted value that is not closed where it ends is the beginning of a sentence.
        self.is_whole = bool(match["closed"]) or group == "long" or match.end() == len(self.text)
        self.is_in_sentence = self.how == "verb"

    def goes_on(self) -> bool:
        """Read a bare value on behind a sign that may separate it from another; return whether it is longer."""
        if self.text[self.value_end : self.value_end + 1] not in _MAY_GO_ON:
            return False
        before, self.value_end = self.value_end, self.end(self.value_end + _LONGEST_JUDGED)
        self.value = self.text[self.value_start : self.value_end]
        return self.value_end > before

    @property
    def is_flag(self) -> bool:
        """Return whether the name is a command's flag."""
        return bool(_FLAG.search(self.text, max(0, self.word_start - 48), self.word_start))

    def is_possible(self) -> bool:
        """Return whether the sign gives a value at all."""
        match self.how:
            case "blank":  # a flag, a command that sets variables, or a value that needs no sign
                return self._needs_no_sign()
            case "comma":  # an argument of a function, as in `define("DB_PASSWORD", "…")`, not a second name
                return self._is_argument()
            case "call":
                is_clear = is_strict(self.value) or (self.value.isdigit() and "set" in self.head) or self.is_plain
                return self.is_quoted and self.is_whole and is_clear and not _WORDS_OF_CALLS & self.head
            case "element":
                return bool(_OPENED.search(self.text, max(0, self.start - 160), self.start))
            case "tags":
                return is_strict(self.value) or ("pass" in self.name.lower() and _is_mixed(self.value))
            case "block":
                return not self.is_quoted and self._begins_line(_LINE_HEAD)
            case "next":
                is_alone = self.text[self.value_end : self.value_end + 1] in ("", "\n", "&")
                is_clear = is_alone and is_strict(self.value) and self._begins_line(_LINE_HEAD)
                return is_clear or (self.is_quoted and ":" in self.sign)
            case "type":
                return self.is_quoted
        # A login in a URL, a type of a namespace, or a part of an ARN.
        is_part = self.sign == ":" and self.text[self.start - 1 : self.start] == ":" and not _CLEAR.match(self.value)
        is_given = self.is_quoted or self.bare_sign == "="  # as in a comment: `//password = "…"`
        if is_part or (not is_given and self.text.startswith(("//", "::"), max(0, self.start - 2))):
            return False
        if self.how == "plain" and (self.is_dash or self.match["more"]):
            return is_strict(self.value) or (self.is_quoted and not self.match["more"])
        return "\n" not in self.sign or self.is_quoted or self.how != "plain"

    @property
    def is_plain(self) -> bool:
        """Return whether it is a literal by its place: in quotes behind a sign, or all of an element."""
        if self.how == "element":
            return not self.is_quoted and self.text.startswith("</", self.value_end)
        if not self.is_quoted or not self.is_whole or self.is_dash:
            return False
        is_given = self.how in ("plain", "type", "far", "fallback") or "equals" in self.sign
        return is_given or (self.how == "blank" and self.name.isupper() and self.match["quote"] != "`")

    @property
    def is_clear(self) -> bool:
        """Return whether a token or key has a name that means nothing else, as in `client_secret`."""
        return _CLEAR_NAME.search(self.name.lower()) is not None

    @property
    def head(self) -> set[str]:
        """Return the words of the name before the one that it was found by."""
        return set(_words(self.text[self.start : self.word_start]))

    def _needs_no_sign(self) -> bool:
        before = max(0, self.start - 24)
        is_random = len(self.value) >= 16 and looks_random(self.value, 0.4)
        if self.sign == "(" and self.name.isascii():  # not a call
            return self.text[self.end() : self.end() + 1] == ")" and self._is_clear_password()
        if self.is_quoted:
            is_clear = self.name != "pass" and (is_random if self.match["quote"] == "`" else is_strict(self.value))
            return self.is_whole and (is_clear or self.is_flag or self.name.isupper())
        if _OF_AN_ID.search(self.text, before, self.start):
            return False
        is_set = is_random or self.is_flag or _SETTER.search(self.text, before, self.start)
        ends = self._ends_line() or self.text[self.value_end : self.value_end + 2] in (";", ";\n")
        is_clear = "_" in self.name or (len(self.value) >= 12 and looks_random(self.value, 0.3))
        is_alone = ends and (self._begins_line(_PLAIN_HEAD) or (is_clear and self._begins_line(_LINE_HEAD)))
        is_spoken = is_alone or not self.name.isascii() or _SPOKEN.search(self.text, before, self.start)
        if "(" in self.sign:
            is_apart = self.text[self.end() : self.end() + 1] == ")"
        else:
            is_apart = self._ends_sentence() or self._is_clear_password()
        return bool(is_set or ((is_spoken or is_apart) and is_strict(self.value)))

    def _is_clear_password(self) -> bool:
        """Return whether a password's name is before what is one anywhere."""
        if not _OF_PASSWORDS.search(self.name):
            return False
        return _CLEAR.match(self.value) is not None or (self.name.lower() != "pass" and is_numbered_word(self.value))

    def is_told(self) -> bool:
        """Return whether a sentence has a value with digits in quotes behind a word, as in `the password "…"`."""
        is_quoted = self.how in ("blank", "call") and " " in self.sign and self.is_quoted and self.is_whole
        is_clear = any(map(str.isdigit, self.value)) and looks_chosen(self.value)
        if not is_quoted or not is_clear:
            return False
        is_alone = self.name.lower() != "pass" and _ALONE.match(self.value) and self._begins_line(_PLAIN_HEAD)
        return bool(is_alone and self.closes_line()) or bool(
            _TOLD.search(self.text, max(0, self.start - 24), self.start)
        )

    def _is_argument(self) -> bool:
        behind = self.text[(end := max(self.value_end, self.match.end())) : end + 2].lstrip("\"' ")[:1]
        if not self.is_quoted:  # a row of a table
            is_row = self.sign == "," and behind in ("", ",", "\n")
            is_clear = self._begins_line(_PLAIN_HEAD) and _OF_PASSWORDS.search(self.name) and is_strict(self.value)
            return bool(is_row and (is_clear or (len(self.value) >= 12 and looks_random(self.value))))
        opened = self.text[self.start - 2 : self.start]
        is_call = (
            self.is_whole
            and opened[:1] == "("
            and opened[1:] in ("'", '"', "`")
            and (behind == ")" or (self.value.isalnum() and _FLAG_BEHIND.match(self.text, self.match.end())))
        )
        if self.is_flag and self.is_whole and self.match["closing"] and is_strict(self.value):
            return True  # an argument in a list, as in `["--password", "…"]`
        is_clear = self.name.isupper() or not _PURE_HEX.match(self.value)
        if (
            is_clear
            and self.is_whole
            and self.match["closing"]
            and len(self.value) >= 16
            and looks_random(self.value, 0.35)
        ):
            return True
        if opened[1:] + behind == "{}":
            return self.is_whole and is_strict(self.value)
        is_in_call = opened[:1] == "(" or behind == ")" or self.text[self.start - 3 : self.start - 1] == "[["
        is_named = self.match["closing"] or self.name.rpartition(".")[2].isupper()
        is_clear = is_in_call and self.is_whole and is_named and is_strict(self.value)
        return bool(is_clear or (is_call and any(map(str.isdigit, self.value)) and looks_chosen(self.value)))

    def is_literal(self, spoken: bool = True) -> bool:
        """Return whether a bare value is a literal, not a name: in settings, commands, URLs or (`spoken`) sentences."""
        if self.how != "plain" or self.bare_sign in ("=>", "<-", "：") or self.is_dash:
            return spoken or not self.is_in_sentence
        if spoken and self.sign in (": ", " = ") and is_strict(self.value) and self._speaks_on():
            return True
        if self.bare_sign.rstrip("*_") == ":":
            if self.text[self.start - 1 : self.start] in ("'", '"') and self.sign == ": ":  # a header in quotes
                return self.text[self.start - 1] == self.text[self.value_end : self.value_end + 1]
            if spoken and AFTER_USER.search(self.text, max(0, self.start - 80), self.start):
                return True
            return self._ends_line() and self._begins_line(_LINE_HEAD if spoken else _PLAIN_HEAD)
        if self.bare_sign != "=":  # another sign of a program or of a makefile
            return self.name.isupper() and self.bare_sign[0] not in "=!"
        around = self.text[self.start - 1 : self.start]
        if self.sign == "=" and (self.name.isupper() or self.is_flag or around in ("?", "&", ";")):
            return True
        before = self.text[max(0, self.start - _NEAR) : self.start].rstrip()
        after = _AFTER.match(self.text, self.value_end)
        if not after or after[1] in (",", ")") or after[2] in (",", ")") or before[-1:] in (",", "(", "[", "{"):
            return False
        if self.sign == "=":  # before a blank, a line end or the separator of a list of settings
            behind = self.text[self.value_end : self.value_end + 1]
            return behind in ("", *" \t\n\r;&\\#.") or (behind in ("'", '"') and behind == around)
        return bool(_SECTION.search(self.text, max(0, self.start - _FAR), self.start)) and self._ends_line()

    def end(self, limit: int | None = None) -> int:
        """Return the end of the value, or `limit` if it continues beyond that."""
        end, last = self.value_end, len(self.text) if limit is None else limit
        if self.is_wild or self.words or self.match["long"]:
            return end
        if self.is_quoted:
            pattern = _REST_OF_QUOTED
        elif self.how == "element":
            pattern = _REST_OF_ELEMENT
        elif self._has_line() and (line := _WHOLE_LINE.match(self.text, end, last)):
            return line.end()
        else:
            pattern = _REST if self.bare_sign == "=" or self.is_flag or self.is_in_sentence else _REST_OF_BARE
        rest = pattern.match(self.text, end, last)
        end = rest.end() if rest else end
        ends_sentence = self.is_in_sentence and not self.is_quoted and self.text[end - 1] == "."
        return end - 1 if ends_sentence else end

    def _has_line(self) -> bool:
        """Return whether the value may be all that is left of its line."""
        if self.bare_sign == "=" and (self.name.isupper() or self._begins_line(_LINE_HEAD)):
            return not _NEXT.match(self.text, self.match.end("sign"))
        return self.how == "block" or (self.how == "plain" and ":" in self.sign and self.is_literal(spoken=False))

    def _ends_line(self) -> bool:
        behind = self.text[self.value_end : self.value_end + 2]
        return behind[:1] in ("", "\n", "\r", "&") or behind == " #"

    def closes_line(self) -> bool:
        """Return whether nothing but a full stop is behind the value in its line."""
        return _CLOSES.match(self.text, self.match.end()) is not None

    def _ends_sentence(self) -> bool:
        """Return whether a password without a sign ends its sentence; what follows the word is no verb or noun then."""
        return "pass" in self.name.lower() and _CLOSES.match(self.text, self.value_end) is not None

    def _speaks_on(self) -> bool:
        """Return whether the words of a sentence follow the value."""
        return _SPEAKS_ON.match(self.text, self.value_end) is not None

    def _begins_line(self, head: re.Pattern[str]) -> bool:
        return bool(head.search(self.text, max(0, self.start - _NEAR), self.start))


# Names and their values.


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_OPENED = re.compile(r"<(?:[\w-]{1,20}:|[\w:.-]{1,40}[^<>\n]{0,80}?\s(?:name|key|id)\s?=\s?[\"'])?\Z")
_WORDS_OF_CALLS = _set(
    "get has is find fetch read load check test validate verify for from of to on delete remove create generate"
    " hash encode decode parse compare match need require missing bad invalid expect"
)
# What a name is of whose last word is one of these, and what tokens and keys are that begin with one of those.
_OF_NO_SECRET = _set(
    "id ids hash hashes name names file files path paths dir url urls uri uris endpoint type types kind len"
    " length size sizes count counts limit limits min max index version field fields label labels hint regex"
    " pattern policy reset expires expiry expiration ttl time timeout at date age address addr alias algorithm"
    " algo format prefix suffix column table required enabled disabled valid verified error errors check checker"
    " validator strength input output placeholder title message description usage used budget arn vault manager"
    " store storage provider service class factory fn func function callback handler ref reference env var"
    " variable param params header headers audience scope scopes signature selector code down up press board frame"
    " pair ring stone word words spec schema rate stream char chars alphabet list map set data info status state exists"
    " changed updated created generation rotation less based only mode plugin scheme encoder hasher kdf method strategy"
)
_PUBLIC = _set(
    "next prev previous page pagination continuation continue cursor sync csrf xsrf antiforgery authenticity"
    " change public pub publishable cache foreign primary sort partition idempotency tracking s3 object bucket row"
    " group index lookup route query hot natural schema sequence x509 fingerprint issuer monkey request"
)
_OF_A_STAGE = _set(
    "prod production dev development test testing staging live main old new current value string str plain raw"
    " base64 b64 secure internal default backup local remote primary secondary db database super att attribute key"
    " token secret access admin root user me in out do not commit my for stuff sec"
)
_NAME_LIKE = re.compile(r"[A-Za-z_]+\d{0,3}(?>[.:/-]{0,2}[A-Za-z_]+\d{0,3})*+\Z")
_KEYS = _set(
    "api access secret private account auth signing encryption master app application licence license service shared"
    " subscription deploy storage client admin integration security preshared webhook jwt hmac aes cookie"
    " authentication session encrypt crypto activation product refresh bearer bot personal consumer"
)
_OWNED = {"blank": re.compile(r"\b(?:my|our|your)\ \Z", re.IGNORECASE)}
_OWNED["verb"] = re.compile(r"\b(?:my|our|your|the|this)\ \Z", re.IGNORECASE)
_FILE = re.compile(r"/?[\w.-]+(?:/[\w.@-]+)+\.[a-z][a-z0-9]{1,4}\Z")
_PURE_HEX = re.compile(r"[a-f0-9-]+\Z")
_KEY_OF = re.compile(rf"(?:{'|'.join(sorted(_KEYS))})[_\-. :]{{0,2}}\Z")
_CLEAR_NAME = re.compile(
    r"secret[_-]?(?:access[_-]?)?key"
    r"|(?:api|access|private|auth|client|app|jwt|signing|bot|bearer|personal|consumer)[_. -]?(?:secret|token|key)"
)
_KEY_OF_NETWORK = re.compile(r"(?:wpa\d?|wi-?fi|wlan|network security)[ _-]\Z", re.IGNORECASE)
# What the key in an object or a call is of, as in `jwt: {… key:` and `Fernet(key=`.
_PARENT = re.compile(
    r"(?:jwt|auth\w*|tokens?|secrets?|sign\w*|\w*crypt\w*|fernet|aes|hmac|cipher|session)[\w.]*[\"']?\s{0,4}"
    r"(?:[:=]?\s{0,4}\{|\()[^{}()]{0,200}\Z",
    re.IGNORECASE,
)
_PHRASE_OF = re.compile(r"(?:pass|seed[ _]|recovery[ _])phrase\Z|mnemonic\Z", re.IGNORECASE)
_IN_FOURS = re.compile(r"(?i:password)[\"'`]?\s{0,4}[:=]\s{0,4}[\"'`]?(?P<fours>(?:[a-z]{4} ){3}[a-z]{4})(?![a-z ])")
_PHRASE = re.compile(
    r"(?P<word>(?i:phrase|mnemonic))\\?[\"'`]?\s{0,4}[:=]\s{0,4}\\?[\"'`]?(?P<phrase>(?:[a-z]{3,9} ){3,23}[a-z]{3,9})"
)
_MIXED = re.compile(r"(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d\w*\d\w*\d)[A-Za-z0-9]{24,}\Z")
_CHAIN = re.compile(r"[A-Za-z_$.]+=(?!=)[A-Za-z_$.]")  # the next name in `a.pass=b.pass=…`
_HUMP = re.compile(r"[A-Z][a-z]*|\A[a-z]+")
_ODD_SIGN = re.compile(r"[!@#$%^&*?~+=]")
_COINED = re.compile(r"(?=.{0,64}\d)(?=.{0,64}[A-Za-z])[\w!#$%^&*?~+@.-]{8,64}\Z")
_MARKED = re.compile(r"[!#^&]|(?<!%)[$*](?![sd])|\d%|%\d")
_WORD_AND_DIGITS = re.compile(r"[A-Z][a-z]{2,}\d{2,}\Z")
_PREFIX = re.compile(r"\A(?:[A-Za-z0-9]{1,24}[_-]){1,4}(?=[A-Za-z0-9]+\Z)")
_BASE64 = re.compile(r"(?=.{0,40}[A-Z])[A-Za-z0-9+][A-Za-z0-9+/]{23,4096}={0,2}\Z")
_PIN = re.compile(r"\d{4,12}(?![\w.,:/-]*\w)")
_JOINED_WORDS = re.compile(r"[a-z]+[_-][a-z]+\Z")
_SHORTEST_RANDOM = 12
_LONGEST_TAIL = 24
_GLUED = (
    "pass",
    "pw",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
)  # in `passed`, `tokens` and others no name of a secret
_MOST_NESTED = 8
# Words for "password" in other languages.
ABROAD = (
    *(
        "kennwort",
        "contrase(?:ñ|n|ny)a",
        "clave",
        "senha",
        "wachtwoord",
        "parol[aei]?",
        "hasł(?:o|a|em)",
        "hasl(?:o|a|em)",
    ),
    *(
        "adgangskode",
        "salasana(?: on)?",
        "heslo",
        "lozinka",
        "sandi",
        "geslo",
        "sifre",
        "şifre",
        "jelsz(?:[óo]|avam)",
        "lösenord",
        "p/w(?![a-z])",
    ),
    *(
        "парол[ьюяа]",
        "mdp",
        "κωδικός",
        "mật khẩu",
        "slaptažodis",
        "패스워드",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証番号",
    ),
    *(
        "비밀번호",
        "비번",
        "암호",
        "รหัสผ่าน",
        "סיסמה",
        "सांकेतिक शब्द",
        "पासवर्ड",
        "পাসওয়ার্ড",
        "كلمة المرور",
        "كلمة السر",
        "رمز عبور",
        "پاس ورڈ",
        "گذرواژه",
    ),
)


# Words that end so, and what passes or is passed.
_NO_PASS = re.compile(
    r"(?:by|com|encom|tres|sur|over|under|multi|single|two|one|first|second|pre|post|render|shader|low|high|band|all"
    r"|copy|full|main|last|next|fast|draw|depth|test|did|should|must|will|can|to)_?pass\Z",
    re.IGNORECASE,
)
_OF_PASSWORDS = re.compile(rf"pass|pw|{'|'.join(ABROAD)}", re.IGNORECASE)
# Words for tokens and keys in other languages.
TOKENS_ABROAD = (
    *(
        "токен",
        "ключ",
        "секрет",
        "令牌",
        "密钥",
        "密鑰",
        "秘密鍵",
        "トークン",
        "キー",
        "토큰",
        "시크릿",
        "clé",
        "schlüssel",
        "klíč",
    ),
    *("مفتاح", "توكن", "टोकन", "कुंजी", "מפתח", "κλειδί"),
)


# Words for secrets in other languages that mean nothing else.
SECRETS_ABROAD = ("geheimnis", "jeton", "segreto", "segredo", "sekret", "sleutel", "klucz")


class Name(NamedTuple):
    """A kind of name: the kind of its secrets, the word it is found by, its pattern, and the judge of values."""

    kind: str
    word: str
    form: str
    judge: Callable[[Given], bool]


def assigned(name: Name, text: str, low: str) -> Iterator[Span]:
    """Yield the secrets that a text gives to such a name, compares with it, or has in columns of that name."""
    done = reach = nested = 0
    columns, form, given_to = Columns(text, is_value), _named(name.form), _given()
    at = low.find(name.word)
    while at >= 0:
        named = form.match(text, at)
        tail = _TAIL.match(text, named.end()) if named else None
        match = given_to.match(text, named.end()) if named and tail and _may_end_name(tail[0]) else None
        if match is None:
            at = low.find(name.word, tail.end() if tail else at + len(name.word))
            continue
        start, at = at, low.find(name.word, match.end("sign" if match["sign"] else "else"))
        yield from columns.below(start, match.end("sign" if match["sign"] else "else"))
        if match["sign"] is None:
            yield from _compared(text, start)
            continue
        # Of nested values, as in `token:key:…`, only the first few are checked.
        nested = nested + 1 if start < reach else 0
        if nested > _MOST_NESTED:
            continue
        reach = match.end()
        if start < done or _is_prose(match) or not _is_of_secret(name, match):
            continue
        if _is_secret(given := Given(start, match), name):
            done = given.end()
            yield Span(given.value_start, done, _kind(given, name))
            yield from _listed(given, name, done)
            if given.how in ("verb", "blank") and (other := _OTHER.match(text, done)) and is_strict(other["value"]):
                yield Span(*other.span("value"), name.kind)


def _listed(given: Given, name: Name, end: int) -> Iterator[Span]:
    """Yield the values that follow one in a list, or that are given to several names at once."""
    if not given.is_quoted or not (
        "[" in given.sign or _SEVERAL.search(given.text, max(0, given.start - 48), given.start)
    ):
        return
    for _ in range(_MOST_LISTED):
        value = _LISTED.match(given.text, end)
        if not value or not looks_chosen(value["value"]) or not (name.kind == "password" or is_strict(value["value"])):
            return
        yield Span(*value.span("value"), name.kind)
        end = value.end("value")


def _is_prose(match: re.Match[str]) -> bool:
    """Return whether only a blank is between a name and a word, and the name is no flag and nothing that is set."""
    value, start = match["bare"], match.start()
    if match["blank"] is None or value is None or not (value.isalpha() and value.islower()):
        return False
    return match.string[start - 1 : start] in (" ", "", "(") and not _SETTER.search(
        match.string, max(0, start - 24), start
    )


@cache
def _named(form: str) -> re.Pattern[str]:
    """Compile the pattern of a name."""
    return re.compile(form, re.IGNORECASE)


@lru_cache(4096)
def _may_end_name(tail: str) -> bool:
    """Return whether a name of secrets may end so, not as in `token_count`."""
    words = _words(tail)
    return len(tail) <= _LONGEST_TAIL and not (words and words[-1] in _OF_NO_SECRET)


@cache
def _given() -> re.Pattern[str]:
    """Compile the pattern of what is given to a name, behind it."""
    return re.compile(rf"(?xi:{GIVEN}|(?P<else>[\w*`\"]{{0,40}}+[\ \t]{{0,8}}))")


def _kind(given: Given, name: Name) -> str:
    """Return the kind of a value, by the words around the one that its name was found by."""
    called = given.text[max(0, given.word_start - 4) : given.match.end("sign")].lower()
    if name.word == "secret" and "access" in called:
        return "aws-secret-key"
    is_api = called[1:4] == "api" or (name.word == "key" and called.startswith("api"))
    return "api-key" if is_api else name.kind


def _compared(text: str, start: int) -> Iterator[Span]:
    """Yield the secret that a text compares with the name that begins here, or says to be it."""
    before = max(0, start - 256)
    value = _COMPARED.search(text, before, start) if _COMPARES.search(text, max(0, start - 64), start) else None
    if not value and text[start - 1 : start] == " " and _BEING.search(text, max(0, start - 32), start):
        value = _SAID_BEFORE.search(text, max(0, start - 120), start)
    if value and is_strict(value[1]):
        is_for = "for" in value.re.groupindex and value["for"]  # as in `PKCS5_PBKDF2 for passwords`
        if not is_for or _ODD_SIGN.search(value[1]) or (looks_random(value[1], 0.35) and not value[1].isupper()):
            yield Span(*value.span(1), "secret")


def is_value(title: str, value: str) -> bool:
    """Return whether a value is a secret in a column of this title: if it is one where it is given to that name."""
    given = f'{title} = "{value}"'
    found = chain.from_iterable(assigned(name, given, given.lower()) for name in NAMES)
    return any(len(value) >= 12 or span.kind == "password" for span in found)


def four_by_four(text: str, low: str) -> Iterator[Span]:
    """Yield passwords in groups of four letters."""
    for match in anchored(text, "password", _IN_FOURS, low):
        if all(oddness(four) for four in match["fours"].split()):
            yield Span(*match.span("fours"), "password")


def phrases(word: str, text: str, low: str) -> Iterator[Span]:
    """Yield passphrases and a wallet's seed words, which contain blanks."""
    for match in anchored(text, word, _PHRASE, low):
        if _PHRASE_OF.search(text, max(0, match.start() - 9), match.end("word")):
            yield Span(*match.span("phrase"), "passphrase")


@lru_cache(4096)
def _words(name: str) -> list[str]:
    """Return the words of a name, of which each may begin with a capital."""
    return [word.lower() for word in _WORD.findall(name)]


def _is_secret(given: Given, name: Name) -> bool:
    return _is_value(given, name) or (given.goes_on() and _is_value(given, name))


def _is_value(given: Given, name: Name) -> bool:
    value = given.value
    if given.words and not is_of_odd_words(given.words, name.kind == "password"):
        return given.is_plain and (name.kind == "password" or given.is_clear) and may_be_words(" ".join(given.words), 8)
    is_told = name.kind == "password" and given.is_told()
    if not (is_told or given.is_possible()) or is_placeholder(value) or _is_public(given, name):
        return False
    if given.is_wild:
        return has_crossed_brackets(value)
    if given.is_quoted:
        if not given.is_whole and not looks_random(value, 0.35):
            return False
    elif value[0] in "/~.@*=-":  # how paths, flags and lists begin, unless it is too long for them
        longest = 32 if value[0] in "/~." else 20
        is_sign = value[0] in "*-" and given.how == "plain" and name.kind == "password" and is_strict(value[1:])
        if not (is_sign or len(value) >= longest) or not looks_random(value, 0.3 if is_sign else 0.4):
            return False
    return name.judge(given)


def _is_of_secret(name: Name, match: re.Match[str]) -> bool:
    """Return whether a name is one of secrets, by its end; one that ends in unusual words needs a clear value."""
    tail = match["tail"]
    if not tail:
        return True
    if name.word not in _GLUED:
        return True
    before = match.string[match.start() - 1]
    is_glued = tail[0].isalpha() and not (tail[0].isupper() and before.islower())
    if tail in ("s", "S") and ("[" in match["sign"] or match["element"] is not None):
        return True
    if not is_glued and all(word in _OF_A_STAGE or word.isdigit() for word in _words(tail)):
        return True
    value = "".join((match["quoted"] or match["long"] or match["bare"] or match["wild"]).split())
    if name.kind == "password" and tail == "s" and _CLEAR.match(value):
        return True
    is_given = name.kind == "password" and match["plain"] and is_strict(value)
    is_given = is_given and bool(match["closed"] or looks_random(value, 0.35))
    is_clear = not is_glued and (is_given or len(value) >= 16) and looks_random(value, 0.35)
    return is_clear or has_crossed_brackets(value)


def _is_public(given: Given, name: Name) -> bool:
    """Return whether a name is one of tokens and keys that are no secrets."""
    return name.kind != "password" and bool(_PUBLIC & {*_words(given.name)} or "csrf" in given.name.lower())


def _is_password(given: Given) -> bool:
    """Judge what a person may have chosen: with digits or signs, or, where no name fits, letters alone."""
    # Read to its end only if needed: what is no secret may be read again and again.
    value, name = given.text[given.value_start : given.end(given.value_end + _LONGEST_JUDGED)], given.name
    value = "".join(given.words) or value
    is_named = name.lower() != "pass" or not {*given.match["closing"]}.isdisjoint("\"'")
    if len(value) < 6 or (_is_code(value) if given.is_quoted else _CHAIN.match(value)):
        return False
    # `pass` is short for password: not in `bypass`, nor alone before what a test passed.
    if name.lower() == "pass":
        is_setting = given.is_quoted or given.is_in_sentence or given.sign == "="
        is_clear = name == "pass" or is_strict(given.value)
        if not is_setting and (not is_clear or set(given.value) & set("/_.")):
            return False
    elif _NO_PASS.search(name):
        return (given.is_flag or given.how == "far") and is_strict(value)
    if value.isdigit():
        is_clear = given.is_quoted or given.is_in_sentence or '"' in given.match["closing"]
        return name.lower() != "pass" and (is_clear or given.is_literal())
    if given.is_in_sentence:
        return _is_mixed(value) or (given.match["quote"] in ("'", '"') and value.islower() and _is_words(value))
    if given.sign == "=" and name.isupper() and len(value) >= 8 and value.islower() and _JOINED_WORDS.match(value):
        return True
    is_glued = given.sign in (":", "=") and is_strict(value) and looks_random(value, 0.3)  # as in `(pw:…)`
    if is_numbered_word(value) and (given.sign == "=" or given.closes_line()):
        return True
    if is_named and given.is_plain and may_be_words(value):
        return True
    if given.is_quoted or is_glued or not _is_name_like(value.rstrip(",;)")):
        return looks_chosen(value) or (_is_words(value) and not (given.is_quoted and value[0].isupper()))
    return given.is_literal(spoken=looks_chosen(value)) and (looks_chosen(value) or _is_words(value))


def _is_code(value: str) -> bool:
    """Return whether a text in quotes is a path, a label, or what is between two texts."""
    is_path = "/" in value and oddness(value) < 0.2
    if is_path and value[0] == "/" and value.count("/") > 2 and value.islower():  # a route, with `@1.4` in it or not
        return True
    return (is_path or value[0] in ",;)" or value[-1] == ":") and not is_strict(value)


def _is_mixed(value: str) -> bool:
    """Return whether a value is no word of a sentence: it has digits among its letters, or inner capitals."""
    return (looks_chosen(value) and any(map(str.isdigit, value))) or (not value[1:].islower() and _is_words(value))


def _is_words(value: str) -> bool:
    """Return whether letters alone may be a password: long enough, in one case, or with too many capitals for words."""
    if len(value) < 8 or not value.replace("_", "").isalpha():
        return False
    if "_" in value:
        return oddness(value) >= 0.3
    is_one_case = value[1:].islower() or value.isupper()
    return is_one_case or oddness(value) >= 0.3 or len(value) < 2.5 * len(_HUMP.findall(value))


def is_strict(value: str) -> bool:
    """Return whether a value is a password where nothing gives it: long, of letters and digits, and no name."""
    head = value[:64]
    if has_crossed_brackets(value):
        return True
    if is_placeholder(value) or len(value) < 8 or not any(map(str.isdigit, head)) or not any(map(str.isalpha, head)):
        return False
    is_of_all = not (head.isalnum() or head.islower() or head.isupper())
    return is_of_all or oddness(head) >= 0.25 or bool(_ODD_SIGN.search(head)) or is_numbered_word(head)


def _is_token(given: Given) -> bool:
    """Judge generated values; the shorter one is, the clearer its context must show that it is no name."""
    value = given.value
    if len(value) < 6 or _FILE.match(value):
        return False
    if value.isdigit():  # no time, no sequence
        is_clear = len(value) > 11 and len(set(value)) > 3 and not value.startswith(("12345", "01234"))
        return is_clear and len(_words(given.name)) > 1 and (given.is_quoted or given.is_literal())
    if given.is_plain and given.is_clear and (given.words or may_be_words(value, 8)):
        return True
    if not given.is_quoted and _is_name_like(value) and not given.is_literal():
        return False
    if given.sign == "=" and given.name.isupper() and len(value) >= 8 and _is_mixed(value) and given.is_literal():
        return True
    if _is_coined(value, given.name) and (given.is_quoted or given.is_literal()):
        return True
    if len(value) >= _SHORTEST_RANDOM:  # all of it, or what follows its prefix
        return looks_random(value) or (len(last := _PREFIX.sub("", value)) >= 16 and looks_random(last))
    return (given.is_quoted or given.is_literal()) and any(map(str.isdigit, value)) and looks_random(value, 0.28)


def _is_coined(value: str, name: str) -> bool:
    """Return whether a value is of letters, digits and signs, or, for a clear name, of a word and digits."""
    if not _COINED.match(value) or is_placeholder(value) or "!!" in value:  # as where two texts are joined
        return False
    return _MARKED.search(value) is not None or (len(_words(name)) > 1 and _WORD_AND_DIGITS.match(value) is not None)


def _is_secret_word(given: Given) -> bool:
    return _is_token(given) or (given.is_quoted and is_strict(given.value) and _ALONE.match(given.value) is not None)


def _is_pin(given: Given) -> bool:
    return (
        not given.match["tail"]
        and given.how in ("plain", "verb")
        and _PIN.match(given.text, given.value_start) is not None
    )


def _is_key(given: Given) -> bool:
    """Judge keys: door keys by their names, others only if they are long."""
    head = given.text[max(0, given.word_start - 20) : given.word_start]
    is_query = given.sign == "=" and head[-1:] in ("?", "&")
    if _KEY_OF_NETWORK.search(head):
        return _is_password(given)
    if _KEY_OF.search(head.lower()) or (
        (given.is_quoted or is_query)
        and (is_query or _PARENT.search(given.text, max(0, given.start - 240), given.start))
    ):
        return len(given.value) >= (12 if is_query else 8) and _is_token(given)
    if given.is_plain and given.match["closing"] and given.name == "key" and _MIXED.match(given.value):
        return looks_random(given.value, 0.4)
    is_assigned = given.bare_sign == "="
    is_of_something = head.endswith(("_", "-", ".")) or (head[-1:].islower() and given.text[given.word_start] == "K")
    if _PURE_HEX.match(given.value) and not (head.endswith(("_", "-", ".")) or (is_assigned and given.name[0] == "K")):
        return False
    is_constant = is_assigned and given.name.isupper()
    is_owned = given.how in ("verb", "blank") and _OWNED[given.how].search(head) is not None
    shortest = 12 if is_constant else 16 if is_assigned else 20
    is_clear = is_of_something or given.sign == "=" or is_constant or is_owned
    return len(given.value) >= shortest and is_clear and _is_token(given)


def _is_name_like(value: str) -> bool:
    """Return whether a value without quotes may well be a variable, an attribute or a type."""
    if not _NAME_LIKE.match(value) or (len(value) >= 10 and looks_random(value, 0.4)):
        return False
    return "-" not in value or value.islower() or not any(map(str.isdigit, value))


def _is_spoken(given: Given) -> bool:
    return is_strict(given.value) or _is_token(given)


def _is_long_token(given: Given) -> bool:
    return len(given.value) >= 16 and _is_token(given)


NAMES = (
    Name("password", "pass", r"pass(?:word|ord|wd|phrase|code|wort|wrd|e)?", _is_password),
    *(Name("password", re.split(r"[\[(]", word)[0], word, _is_password) for word in ABROAD),
    # These abbreviate a password in one context and the working directory in another.
    Name(
        "password",
        "pw",
        r"(?:pwd|(?<![^\W_])pw|(?<=bind|root|user|ldap)pw|(?<=db|my)pw|(?<=any|ssh|ftp)pw|(?<=admin)pw)",
        lambda given: (
            (
                "/" not in given.value
                or (given.is_quoted and _BASE64.match(given.value) is not None and looks_random(given.value, 0.35))
            )
            and _is_password(given)
        ),
    ),
    Name("password", "psk", r"(?<![a-z])psk(?![a-z])", _is_password),
    *(Name("pin", word, rf"(?<![a-z]){word}(?:[_ -]?(?:code|код))?(?![a-zа-я])", _is_pin) for word in ("pin", "пин")),
    Name(
        "secret",
        "secret",
        r"secret(?:o(?![a-z]))?(?:[_\- ]?access)?(?:[_\- ]?key)?(?:[_\- ]?base)?(?:_id)?",
        _is_secret_word,
    ),
    Name("token", "token", r"token(?:_?(?:secret|key))?", _is_token),
    *(Name("token", word, rf"{word}(?![a-z0-9_-])", _is_long_token) for word in ("_pat", "_salt", "_api")),
    Name("key", "key", r"key", _is_key),
    Name("credential", "cred", r"cred(?:ential)?s?", _is_long_token),
    Name("credential", "auth", r"(?<![A-Za-z])auth(?:entication|orization)?", _is_long_token),
    *(Name("token", word, rf"{word}(?:\ API)?", _is_long_token) for word in TOKENS_ABROAD),
    *(Name("secret", word, rf"{word}(?![a-z])", _is_spoken) for word in SECRETS_ABROAD),
)
