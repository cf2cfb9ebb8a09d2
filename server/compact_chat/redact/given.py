"""How texts give a value to a name: a table of shapes, and a value with its surroundings.

A shape is what stands between a name and its value, with a test of whether it gives one here: `password = …` does, and
`the password …` only where the value is clear. To add one: a row in `SHAPES`, and a line in the tests' `ways.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from compact_chat.redact.values import (
    has_digit,
    is_counted,
    is_joined,
    is_made_up,
    is_mixed,
    is_numbered_word,
    is_phrase,
    is_short,
    is_strict,
    is_worded,
    looks_chosen,
    looks_random,
    looks_typed,
    may_be_words,
    oddness,
)


def listed(words: str) -> tuple[str, ...]:
    """Return words that are separated by commas."""
    return tuple(words.split(", "))


# Words for "password" in other languages.
ABROAD = listed(
    "kennwort, zugangscode, wlan-schlüssel, contrase(?:ñ|n|ny)a, contrasinal, clave, senha, palavra-passe,"
    " wachtwoord, parol[aei]?(?: d'ordine)?, parool(?: on)?, hasł(?:o|a|em), hasl(?:o|a|em), adgangskode(?:n)?,"
    " kodeord(?:et)?, salasana(?:ni)?(?: on)?, heslo, lozinka, sandi(?:nya)?, kata kunci, kata laluan, geslo,"
    " sifre(?:m|si)?, şifre(?:m|si)?, jelsz(?:[óo]|avam), lösenord(?:et)?, lykilorð(?:ið)?, p/w(?![a-z]),"
    " парол[ьюяаі](?:та)?, лозинк[аи], гасло, mdp, κωδικός, mật khẩu, slaptažod(?:is|į), nenosiri(?: ni)?,"
    " pasahitza, fjalëkalimi, 패스워드, 密码, 密碼, 口令, パスワード, 暗証番号, 合言葉, 비밀번호, 비번, 암호,"
    " รหัสผ่าน, סיסמ[הא], सांकेतिक शब्द, कूटशब्द, पासवर्ड, পাসওয়ার্ড,"
    " كلمة (?:ال)?مرور, كلمة (?:ال)?سر, الرقم السري, رمز المرور, رمز عبور, پسورد,"
    " پاس ورڈ, گذرواژه, パスフレーズ, パスコード, 授权码, கடவுச்சொல், პაროლი, գաղտնաբառ, συνθηματικό, cyfrinair, wagwoord"
)
# What sentences put between name and value; the second ones without a blank around them.
_VERBS = listed(
    "is, was, to\\ be, to, as, be, been, now, remains, ist, war, lautet, heißt, est, c'est, es, è, é, jest,"
    " olarak, är, er, je, from, este, là, adalah, yra, ir, είναι, это, такой, такая, е, هي, هو, है, हैं, היא,"
    " הוא, است, হল, হলো, คือ"
)
_GLUED_VERBS = listed(
    "是, 设置为, 设置成, 设为, 设成, 改为, 改成了, 改成, 为, 為, は, を, が, 는, 은, 이, 가, 를, 을, 설정은, คือ"
)
# What an adjective behind a name says of it.
_NEW = listed(
    "temporal, temporaire, provisoire, temporane[ao], temporári[ao], nueva, nouveau, actual, attuale, atual, nova, wifi"
)
_OF = (
    "for|of|on|in|at|für|zu[mr]?|vo[nm]|des|auf|pour|du|de|para|de[li]|della|per|di|da|do|voor|van|till?|dla|k|ke"
    "|для|от|к|до|на|из|của"
)
_REST_OF_NAME = r"(?:(?<![\u3040-\u9fff\uac00-\ud7af])[A-Za-z0-9_]{0,40}+(?>-[A-Za-z][A-Za-z0-9]{0,20}+){0,3})?"
TAIL = re.compile(_REST_OF_NAME)
# What makes a text of a quoted one in a program.
_MADE = (
    r"(?:String::from|Some|F|_T|TEXT|Q?String"
    r"|(?:std::)?string|SecretString::new|SecretStr|Optional\.of|new\ String|\[\]byte|Buffer\.from"
    r"|bytes\.fromhex|(?:base64\.)?b64decode|(?:binascii\.)?unhexlify|hex\.DecodeString|atob"
    r"|(?:bcrypt|argon2)(?:\.hash)?|Hash::make|make_password|generate_password_hash|(?:\w{1,12}\.)?hash(?:Sync|pw)"
    r"|(?:md5|sha\d{1,3}|password|crypt)(?=\([\"'][^\"'\n]{4,128}[\"'][),])"
    # The first of several arguments may be an algorithm.
    r"|(?:\w{1,12}\.)?(?:hash|encrypt\w{0,8})(?=[({]{1,2}[\"'][^\"'\n]{4,128}[\"'](?:\)|,\s?\d)))[({]{1,2}"
)
_SIGNS = r"\s\"'`“”«»‘’「」『』,;&|<>(){}\[\]\\，。；、）】」\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_BARE = rf"(?-i:[^{_SIGNS}])"  # case makes ranges slow to compile
_PARTS = {
    "OF": _OF,
    "WHO": "we|i|they",
    "INTO": r"auf|in|a|à|na|на|para|naar|till?|de(?=\ \S{1,64}\ (?:à|a|para)\ )",  # what a password is changed to
    "VERBS": "|".join(_VERBS),
    "GLUED": "|".join(_GLUED_VERBS),
    "NEW": "|".join(_NEW),
    "MADE": _MADE,
    "LAZY": r"(?:\w{1,12}::new\(\|\||lazy\ \{)\ ",  # what makes it when it is needed
    "LABEL": r"!!?(?!(?:secret|env\w*|include|ref\w*)\b)(?-i:[a-z]{1,12})\ ",  # a type in YAML
    "SHOWN": r"(?:0x[\da-f]{1,16}|\{[\w\ *]{4,16}\}|string\(\d{1,4}\))\ ",  # a value's address or type
    "STRAY": r"['\\](?=[A-Za-z]{0,8}\d)",  # a quote or a backslash in a value that is not in quotes
    "BARE": _BARE,
}


# What is around a name and its value.
_OPENED = re.compile(r"<(?:[\w-]{1,20}:|[\w:.-]{1,40}[^<>\n]{0,80}?\s(?:name|key|id)\s?=\s?[\"'])?\Z")
_WORDS_OF_CALLS = frozenset(
    listed(
        "get, has, is, find, fetch, read, load, for, from, of, to, on, delete, remove, generate, encode, decode, parse,"
        " missing, bad, invalid"
    )
)
_NAME_HEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
# How tools number lines, maybe behind a file's name.
_NUMBER = r"(?:\d{1,6}[→│:\t]|[\w-]{0,40}[./][\w./-]{1,80}?(?::|[:-]\d{1,6}[:-]))?"
_LINE_HEAD = re.compile(
    rf"^[ \t]*+{_NUMBER}[ \t+>*-]{{0,20}}(?:[\w.@'’:#\[\]-]{{1,40}}+ ){{0,4}}(?:\w{{1,12}}:){{0,2}}\Z", re.MULTILINE
)
_PLAIN_HEAD = re.compile(rf"^[ \t]*+{_NUMBER}[ \t+>*-]{{0,20}}\Z", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w ./:@\"-]{1,80}\]\s*$", re.MULTILINE)
# A word of a sentence that gives no value, and another or a number behind it.
PROSE = re.compile(
    rf"[ \t](?!(?:{'|'.join((*_VERBS, *_NEW))}|{_OF}|or|eq|ne"
    r"|we|i|they|you|he|she|it|that|which|has|been|will|should|must|may|might|can|could|would|used"
    r"|now|enter|set|put|create|add|changed|still)\b)"
    r"[a-z]{1,15}(?:[.,;!?)](?:\s|\Z)|[ ][A-Za-z]|\n|:[ ]\d{1,6}\s)"
)
SETTER = re.compile(
    r"(?:\A|\n|\s)(?:ENV|ARG|SetEnv|fastcgi_param|uwsgi_param|setx|SETX|-gx|-Ux|-x|#define"
    r"|(?:secrets?|config) set(?: --\w+)?|kv put)[ \t]{1,4}[\"']?(?:[\w.-]{1,40}[:/]){0,3}\Z"
)
_DEFINES = re.compile(r"\((?:def(?:ine|var|parameter|const(?:ant)?)?|setq|setf|let) \*?\Z|[{,\s]:\Z")
_CLEAR_HEAD = re.compile(r"\b(?:client|api|auth|access|shared|signing|webhook|bot) \Z", re.IGNORECASE)
_SPOKEN = re.compile(
    r"(?:\b(?:use|using|with|enter|type|and|mit|avec|con|com|met)(?: (?:the|dem|das|le|la|a|het))?"
    r"(?: (?:client|api|app|auth|access|shared|signing|webhook|bot))?|[,/;])[ \t]{1,4}\Z",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?:\b(?:the|my|our|your|a|its|this|that|with|use|using|and|new|old|same|temp"
    r"|temporary|initial|default|current|root|admin|master|sudo|wi-?fi|first|bad|invalid|wrong|de|die|das|der|dem|la|le|el|il|het)"
    r"[ \t]{1,4}(?:\w{2,12}[ \t])?)\Z",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"[)!?]{0,2}(?:[.,;]|\s*\Z|\n|\s(?:for|from|on|in|at|to|and|or|but|please|when|is|was|does|did|still|works)\b)"
)
_OF_AN_ID = re.compile(r"(?:\b[ug]uid|[_ ]id)[ \t]{1,4}\Z", re.IGNORECASE)
AFTER_USER = re.compile(  # a user's name in front of a password's
    r"(?:\b(?:user(?:name)?|login|account|id|(?:wifi|network)(?:\sconnect|\sis)?|ssid|benutzer(?:name)?|gebruiker(?:snaam)?"
    r"|utilisateur|identifiant|usu[aá]rio|utente|użytkownik|uživatel|användare?|brukar?e?|bruger|пользователь|логин)"
    r"|用户名?|账号|ユーザー名?|아이디|계정)[\s=:：]{1,3}[\"']?[\w.@ -]{1,48}[\"']?,?\s?\Z",
    re.IGNORECASE,
)
# The words of a sentence behind a value.
_SPEAKS_ON = re.compile(
    r"[.,;!?]{0,2} (?:[(/—–] ?)?(?!(?:if|else|or|in|not|as|unless|hash\w*|encoded)\b)[^\W\d_]{1,20}(?![\w(.:=\[])"
    r"|[.!?]\s"
)
_ENDS_LINE = re.compile(r"[*`]{0,3}(?:\Z|[\n\r&]|[ \t]{1,8}#)")
_CLOSES = re.compile(r"[.!?]?[ \t]*(?:\n|\Z)")
_AFTER = re.compile(r"[ \t]*(\S?)\s*(\S?)")
_PAIR_BEFORE = re.compile(  # of a connection string
    r"(?<![A-Za-z])(?:user(?:\s?id|name)?|uid|server|host|data\ssource|database|dbname|initial\scatalog|provider|driver|port)"
    r"\s?=[^;\"'\n]{1,80}[;\s]\s?\Z",
    re.IGNORECASE,
)
# A map or an object, as in logs.
_PRINTED = re.compile(r"(?P<sign>[\[({])(?:\w{1,40}=[^\s=,{}()\"']{0,80},\s?){0,8}\Z")
_CLOSING_SIGNS = (")", "]", "}")
_ASKED = re.compile(r">>> \Z")
_MAPPED = re.compile(r"[\[{ ]\Z")
# Where a value ends that is in bold, or in a URL within another.
_CUT = re.compile(r"(?<=....)(?:\*\*\Z|%(?:25){0,2}26(?=[\w.-]{1,40}(?:=|%)))")
_OPTION_BEFORE = re.compile(r"(?<![A-Za-z])user(?:name)?=[^,\s=()]{1,48},\Z")  # as of `mount`
_NEXT = re.compile(r"\S{0,200}?[&;,][\w .-]{1,40}=")  # another value
# Calls that set something by its name; the second ones also define other texts.
_SETS = re.compile(
    r"(?:\b(?:set(?:env(?:ironmentvariable)?|_?property|_secret|_config|_?default)?|(?:prop\w{0,8}|conf\w{0,8}|settings|options|env)\.put)"
    r"|env\w{0,12}\.(?:get|fetch|setdefault|getOrElse)"
    r"|(?P<defines>\bdefine|env\w{0,12}))\(\s?[\"']\Z",
    re.IGNORECASE,
)
_SETTER_CALL = re.compile(r"\.(?:set|with)_?[a-z]*\Z|\.(?:set|with)[A-Z]\w*\Z")
_COMPARING = re.compile(r"(?:str\w{0,4}cmp|[cC]ompare\w{0,12}|[eE]quals?|timingSafeEqual|compare_digest)\(\s?\Z")
# What is before the name of a builder's method, and of what is made with its first value.
_METHOD = re.compile(r"(?:\)|\A|\n)\s{0,24}\Z")
_DECLARES = re.compile(r"(?:string\w*|char|auto|const)[\s*&]{1,3}\Z")
_FLAG_BEHIND = re.compile(r"\s?,\s{0,4}(?:true|false|null|none)\b", re.IGNORECASE)  # of a call, behind its value
_OF_PASSWORDS = re.compile(rf"pass|pw|{'|'.join(ABROAD)}", re.IGNORECASE)
_NAME_ABROAD = re.compile(rf"(?<![^\W_])(?:{'|'.join(ABROAD)}|passwor?t|passord|pass[eo]\b)", re.IGNORECASE)
_WORD_ABROAD = re.compile(rf"(?<![^\W_])(?:{'|'.join(ABROAD)}|lozink\w+|[sş]ifre\w+)(?![^\W_])", re.IGNORECASE)
_OF_LABELS = frozenset(
    listed(
        "show, hide, change, confirm, confirmation, forgot, forgotten, reset, update, toggle, verify, repeat, retype,"
        " error, errors, icon, label, labels, placeholder"
    )
)
_OF_TEXTS = frozenset(("new", "old", "current"))  # in files of translations, where names are in quotes
_CLEAR_NAME = re.compile(
    r"secret[_-]?(?:access[_-]?)?key"
    r"|(?:api|access|private|auth|client|app|jwt|signing|bot|bearer|personal|consumer|shared|webhook)[_. -]?"
    r"(?:secret|token|key)"
)
PURE_HEX = re.compile(r"[a-f0-9-]+\Z")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# A bare value continues after a sign that separates no values here.
_REST = re.compile(rf"(?>(?:[,;](?![\s\w.-]{{0,30}}=)|[&#|](?![\w.-]{{0,30}}=))[^{_SIGNS}]++)*+")
_REST_OF_BARE = re.compile(rf"(?>[&#](?![\s\w.-]{{0,30}}=)[^{_SIGNS}]++)*+")
_REST_OF_QUOTED = re.compile(r"[^\s\"'`\\]*+")
_REST_OF_ELEMENT = re.compile(r"[^\s<>]*+")
_WHOLE_LINE = re.compile(r"[^\s\"'`”»’」』]++(?<![,;)])(?=[ \t]*(?:\n|\Z))")
_FAR, _NEAR = 600, 120
FIELD = re.compile(r"(?:.*_)?(?:Input|Field|input|field)\Z")  # the end of the name of a page's field
_LONGEST_JUDGED = 512  # characters of a value after what was read first


@lru_cache(4096)
def words_of(name: str) -> list[str]:
    """Return the words of a name, of which each may begin with a capital."""
    return [word.lower() for word in _WORD.findall(name)]


class Given:
    """A value given to a name, with its surroundings."""

    def __init__(self, name: int, match: re.Match[str]) -> None:
        self.word_start, self.match, self.text = name, match, match.string
        head = _NAME_HEAD.search(self.text, max(0, name - 48), name)
        self.start = head.start() if head else name
        self.name = self.text[self.start : match.end("tail")]
        self.is_flag = self.name.startswith("-")  # of a command
        self.shape = next(shape for shape in SHAPES if match[shape.name] is not None)
        self.how, self.sign = self.shape.name, match["sign"]
        self.last_sign = self.text[match.end("near") : match.end("sign")] if match["plain"] else self.sign
        self.bare_sign = self.last_sign.strip()
        if self.bare_sign.endswith(":"):
            self.bare_sign = self.bare_sign.lstrip(" .")
        self.is_dash = self.bare_sign[:1] in (*"-—–→",)
        self.is_in_sentence = self.how == "verb"
        group = next(group for group in ("quoted", "long", "wild", "bare") if match[group] is not None)
        self.is_quoted, self.is_wild = group in ("quoted", "long"), group == "wild"
        self.words = (match["spaced"] or "").split()
        self.value = "".join(self.words) or match[group]
        self.value_start, self.value_end = match.span(group)
        cut = None if self.is_quoted else _CUT.search(self.value)
        self.is_cut = cut is not None
        if cut:
            self.value, self.value_end = self.value[: cut.start()], self.value_start + cut.start()
        # A quoted value that is not closed where it ends is the beginning of a sentence.
        self.is_whole = bool(match["closed"]) or group == "long" or match.end() == len(self.text)

    # Whether a value is given at all, by its shape.

    def is_assigned(self) -> bool:
        """Return whether a sign assigns the value: in no URL, no type of a namespace and no part of an ARN."""
        is_part = self.sign == ":" and self.text[self.start - 1 : self.start] == ":" and not looks_typed(self.value)
        is_given = self.is_quoted or self.bare_sign == "="  # as in a comment: `//password = "…"`
        return not is_part and (is_given or not self.text.startswith(("//", "::"), max(0, self.start - 2)))

    @property
    def is_doubtful(self) -> bool:
        """Return whether a dash, another word or a line is between the name and the value."""
        return self.is_dash or self.match["more"] is not None or "\n" in self.sign

    def is_sure(self) -> bool:
        """Return whether the value shows that it is one, whatever is between it and its name."""
        if not self.is_dash and not self.match["more"]:
            return self.is_quoted
        if self.is_of_sentence():
            return True
        is_item = is_phrase(self.value) and self.closes_line() and self.begins_line(_PLAIN_HEAD)
        return is_item or is_strict(self.value) or (self.is_quoted and not self.match["more"])

    def is_below(self) -> bool:
        """Return whether the value is alone on the line below its name."""
        is_alone = self.text[self.value_end : self.value_end + 1] in ("", "\n", "&")
        return is_alone and is_strict(self.value) and self.begins_line(_LINE_HEAD)

    def is_passed(self) -> bool:
        """Return whether a function of that name sets or compares the value, as in `setPassword("…")`."""
        head = {*words_of(self.text[self.start : self.word_start])}
        is_setter = not head.isdisjoint(("set", "with"))
        is_set = is_setter and (self.value.isdigit() or is_made_up(self.value) or is_short(self.value))
        if self.is_behind(_DECLARES, 48) or (self.name[0] == "." and self.is_behind(_METHOD, 48)):
            is_of_password = self.value.isdigit() or is_short(self.value)
            is_set = (
                is_set
                or is_worded(self.value)
                or self.may_be_words(8)
                or (is_of_password and _OF_PASSWORDS.search(self.name) is not None)
            )
        is_block = self.text[self.match.end() : self.match.end() + 2].strip() == "}"  # as in Ruby
        is_set = is_set or (_SETTER_CALL.search(self.name) is not None and self.may_be_words(8))
        is_clear = is_strict(self.value) or is_set or is_block or self.is_plain
        return self.is_whole and is_clear and not _WORDS_OF_CALLS & head

    def is_cell(self) -> bool:
        """Return whether the value follows its name in a row of a table."""
        is_row = self.sign == "," and self.text[self.value_end : self.value_end + 2].lstrip("\"' ")[:1] in (
            "",
            ",",
            "\n",
        )
        is_clear = self.begins_line(_PLAIN_HEAD) and _OF_PASSWORDS.search(self.name) is not None
        is_clear = is_clear and (is_strict(self.value) or is_worded(self.value))
        return is_row and (is_clear or (len(self.value) >= 12 and looks_random(self.value)))

    def is_argument(self) -> bool:
        """Return whether the value is an argument, as in `define("DB_PASSWORD", "…")`, and no second name."""
        if not self.is_whole:
            return False
        value, closing, end = self.value, self.match["closing"], self.match.end()
        behind = self.text[end : end + 2].lstrip("\"' ")[:1]
        opened, quote = self.text[self.start - 2 : self.start][:1], self.text[self.start - 1 : self.start]
        is_digest = PURE_HEX.match(value) is not None and not self.name.isupper()
        if closing and not is_digest and len(value) >= 16 and looks_random(value, 0.35):
            return True
        is_in_call = opened == "(" or behind == ")" or self.text[self.start - 3 : self.start - 1] == "[["
        is_named = closing or self.name.rpartition(".")[2].isupper()
        is_clear = (self.is_flag and closing) or (quote, behind) == ("{", "}") or (is_in_call and is_named)
        is_one = is_strict(value) or (is_worded(value) and _OF_PASSWORDS.search(self.name) is not None)
        if (is_clear and is_one) or (self.is_flag and closing and is_made_up(value)):
            return True
        sets = _SETS.search(self.text, max(0, self.start - 32), self.start) if behind in (")", ",") else None
        is_set = sets and (not sets["defines"] or self.name.startswith("DB_"))
        if is_set and behind == "," and not has_digit(value):
            return False
        if is_set and (is_worded(value) or self.may_be_words() or (value.isdigit() and len(value) > 5)):
            return True
        if behind == ")" and self.is_behind(_COMPARING, 24) and has_digit(value) and looks_chosen(value):
            return True
        ends_call = behind == ")" or (value.isalnum() and _FLAG_BEHIND.match(self.text, end))
        is_call = opened == "(" and quote in ("'", '"', "`") and ends_call
        return bool(is_call and has_digit(value) and looks_chosen(value))

    def needs_no_sign(self) -> bool:
        """Return whether only a blank is needed: behind a flag, a command that sets, or before a clear value."""
        is_random = len(self.value) >= 16 and looks_random(self.value, 0.4)
        if self.sign == "(" and self.name.isascii():  # not a call
            return self.text[self.end() : self.end() + 1] == ")" and self.is_clear_password()
        if self.is_of_word():
            return True
        is_column = (
            len(self.sign) > 1
            and self.sign.isspace()
            and (self.name.isupper() or "_" in self.name or (is_worded(self.value) and _OF_PASSWORDS.search(self.name)))
        )
        is_column = is_column and self.begins_line(_PLAIN_HEAD) and self.ends_line()
        if is_column and (
            is_mixed(self.value)
            or (is_joined(self.value, 2) and self.may_be_words(8))
            or (self.value.isdigit() and len(self.value) > 5)
        ):
            return True
        if self.is_quoted:
            is_clear = self.name != "pass" and (is_random if self.match["quote"] == "`" else is_strict(self.value))
            is_defined = len(words_of(self.name)) > 1 or self.is_behind(_DEFINES, 24)
            is_setting = is_defined and self.match["quote"] != "`" and (self.may_be_words(8) or is_short(self.value))
            is_of_digits = self.value.isdigit() and _OF_PASSWORDS.search(self.name) is not None
            is_setting = is_setting or (is_defined and (is_worded(self.value) or is_of_digits))
            behind = self.text[self.match.end() : self.match.end() + 2].lstrip()[:1]
            is_option = self.match["quote"] == "'" and behind in (",", ")", "}")
            is_option = is_option and self.name.lower() == "password"
            is_setting = is_setting or (is_option and (has_digit(self.value) or self.may_be_words(8)))
            return self.is_whole and (is_clear or is_setting or self.is_flag or self.name.isupper())
        is_set = is_random or self.is_flag or self.is_behind(SETTER, 24)
        if self.is_behind(_OF_AN_ID, 24):
            return False
        if is_set or self.is_of_sentence():
            return True
        if is_worded(self.value) and self.is_behind(_CLEAR_HEAD, 16) and self.is_behind(_SPOKEN, 40):
            return True
        if not (is_strict(self.value) or is_phrase(self.value)):
            return False
        is_name = self.value.isalnum() and self.value.islower()  # as a format's or an algorithm's name
        is_clear_anywhere = not is_name or oddness(self.value) >= 0.5
        if not self.sign and ")" in self.match["closing"] and not is_clear_anywhere:  # a call, as in `hash(password)…`
            return False
        if "(" in self.sign and self.text[self.end() : self.end() + 1] == ")":
            return is_clear_anywhere
        if "(" not in self.sign and (self.ends_sentence() or self.is_clear_password()):
            return True
        ends = self.ends_line() or self.text.startswith(";", self.value_end)
        is_clear = "_" in self.name or (len(self.value) >= 12 and looks_random(self.value, 0.3))
        is_alone = ends and (self.begins_line(_PLAIN_HEAD) or (is_clear and self.begins_line(_LINE_HEAD)))
        return is_alone or not self.name.isascii() or self.is_behind(_SPOKEN, 24)

    # What is known of it.

    def is_styled(self) -> bool:
        """Return whether it is another attribute of an element, as in `<input id="password" class="…">`."""
        return self.match["closing"][-1:] in ("'", '"')

    def is_label(self) -> bool:
        """Return whether the name is of a label, a message or a button, as in `showPassword`."""
        first = words_of(self.name)[:1]
        is_text = '"' in self.match["closing"] and not _OF_TEXTS.isdisjoint(first)
        return not self.is_flag and (is_text or not _OF_LABELS.isdisjoint(first))

    def is_word_abroad(self) -> bool:
        """Return whether the value has a word for a password in another language."""
        return _WORD_ABROAD.search(" ".join(self.words) or self.value) is not None

    def may_be_words(self, shortest: int = 6) -> bool:
        """Return whether words may be the secret, here where a name and a sign give it."""
        value = " ".join(self.words) or self.value
        if not may_be_words(value, shortest, self.is_quoted) or self.is_word_abroad():
            return False
        return oddness(value) >= 0.45 or not self.is_label()  # no word in another language

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
    def is_clear_name(self) -> bool:
        """Return whether a token or key has a name that means nothing else, as in `client_secret`."""
        return _CLEAR_NAME.search(self.name.lower()) is not None

    def is_of_sentence(self) -> bool:
        """Return whether letters and digits follow a password's name in a language that no program is written in."""
        is_one = is_mixed(self.value) or (self.value.isdigit() and len(self.value) > 5)
        is_one = is_one and self.value.isascii() and "." not in self.value.rstrip(".") and not is_counted(self.value)
        return is_one and _NAME_ABROAD.search(self.name) is not None

    def is_of_word(self) -> bool:
        """Return whether a sentence has a word and a number, as in `my password Harbour77`, and none of what it is."""
        is_one = (
            not self.is_quoted
            and (is_worded(self.value) or is_short(self.value))
            and self.name.lower() in ("password", "passwd", "pw")
        )
        return is_one and self.is_behind(_TOLD, 32) and _NO_NOUN.match(self.text, self.value_end) is not None

    def is_clear_password(self) -> bool:
        """Return whether a password's name is before what is one anywhere."""
        if not _OF_PASSWORDS.search(self.name):
            return False
        return looks_typed(self.value) or (self.name.lower() != "pass" and is_numbered_word(self.value))

    def is_told(self) -> bool:
        """Return whether a sentence has a value with digits in quotes behind a word, as in `the password "…"`."""
        is_quoted = self.how in ("blank", "call") and " " in self.sign and self.is_quoted and self.is_whole
        if not is_quoted or not has_digit(self.value) or not looks_chosen(self.value):
            return False
        is_alone = self.name.lower() != "pass" and is_made_up(self.value) and self.begins_line(_PLAIN_HEAD)
        return self.is_behind(_TOLD, 24) or (is_alone and self.closes_line())

    def is_literal(self, spoken: bool = True) -> bool:
        """Return whether a bare value is a literal, not a name: in settings, commands, URLs or (`spoken`) sentences."""
        if self.how != "plain" or self.bare_sign in ("=>", "<-", "：") or self.is_dash:
            return spoken or not self.is_in_sentence
        if self.is_default() or (spoken and self._is_said()):
            return True
        around = self.text[self.start - 1 : self.start]
        if self.bare_sign.rstrip("*_") == ":":
            if around == "`" and has_digit(self.value):
                return self.text.startswith("`", self.value_end)
            if around in ("'", '"') and self.last_sign == ": ":  # a header in quotes
                return around == self.text[self.value_end : self.value_end + 1]
            return self.ends_line() and self.begins_line(_LINE_HEAD if spoken else _PLAIN_HEAD)
        if self.bare_sign != "=":  # another sign of a program or of a makefile
            return self.name.isupper() and self.bare_sign[0] not in "=!"
        if self.last_sign == "=" and (self.name.isupper() or self.is_flag or around in ("?", "&", ";", "%")):
            return True
        behind = self.text[self.value_end : self.value_end + 1]
        if self.last_sign == "=" and self._is_printed(behind):
            return True
        if behind in (";", '"', "'") and self.is_behind(_PAIR_BEFORE, _NEAR):
            return True
        before = self.text[max(0, self.start - _NEAR) : self.start].rstrip()
        after = _AFTER.match(self.text, self.value_end)
        if not after or after[1] in (",", ")") or after[2] in (",", ")") or before[-1:] in (",", "(", "[", "{"):
            return False
        if self.last_sign == "=":  # before a blank, a line end or the separator of a list of settings
            return behind in ("", *" \t\n\r;&\\#.") or (behind in ("'", '"') and behind == around)
        return self.is_behind(_SECTION, _FAR) and self.ends_line()

    def _is_said(self) -> bool:
        """Return whether a person wrote it: in a sentence, behind a user's name, or alone on its line."""
        if self.last_sign in (": ", " = ") and is_strict(self.value) and self.speaks_on():
            return True
        if self.bare_sign != "=":
            is_pair = self.bare_sign.rstrip("*_") == ":" and self.is_behind(AFTER_USER, 80)
            behind = self.text[self.value_end : self.value_end + 2]
            is_one = is_worded(self.value) and self.value[-2:].isdigit()
            if is_one and self.last_sign == ":" and behind[:1] in ("", " ", "}", "]") and self.is_behind(_MAPPED, 1):
                return True
            is_element = behind == "</" and self.text[self.start - 1 : self.start] == ">"
            return is_pair or is_element or self.is_of_sentence()
        if not self.ends_line() or not has_digit(self.value):
            return False
        is_pair = is_mixed(self.value) and self.is_behind(AFTER_USER, 80)
        return is_pair or (is_worded(self.value) and self.begins_line(_PLAIN_HEAD))

    def _is_printed(self, behind: str) -> bool:
        """Return whether it is a member of an object that a program printed, as in `User(name=ann, password=…)`."""
        if behind in (",", *" \n", "") and has_digit(self.value) and self.is_behind(_OPTION_BEFORE, 80):
            return True
        printed = _PRINTED.search(self.text, max(0, self.start - _NEAR), self.start)
        if not printed or behind not in (",", *_CLOSING_SIGNS):
            return False
        return printed["sign"] == "{" or (is_worded(self.value) and self.value[-2:].isdigit())

    def is_default(self) -> bool:
        """Return whether it is the default of a reference, as in `${db.password:…}`."""
        return self.text.startswith("${", self.start - 2) and self.text.startswith("}", self.value_end)

    def is_behind(self, pattern: re.Pattern[str], characters: int) -> bool:
        """Return whether a pattern is found in so many characters before the name."""
        return pattern.search(self.text, max(0, self.start - characters), self.start) is not None

    def begins_line(self, head: re.Pattern[str]) -> bool:
        """Return whether only such a head is before the name in its line."""
        return self.is_behind(head, _NEAR)

    def ends_line(self) -> bool:
        """Return whether nothing is behind the value in its line but a comment."""
        return _ENDS_LINE.match(self.text, self.value_end) is not None

    def closes_line(self) -> bool:
        """Return whether nothing but a full stop is behind the value in its line."""
        return _CLOSES.match(self.text, self.match.end()) is not None

    def ends_sentence(self) -> bool:
        """Return whether a password without a sign ends its sentence; what follows the word is no verb or noun then."""
        return "pass" in self.name.lower() and _CLOSES.match(self.text, self.value_end) is not None

    def speaks_on(self) -> bool:
        """Return whether the words of a sentence follow the value."""
        return _SPEAKS_ON.match(self.text, self.value_end) is not None

    # Where it ends.

    def goes_on(self) -> bool:
        """Read a bare value on behind a sign that may separate it from another; return whether it is longer."""
        if self.text[self.value_end : self.value_end + 1] not in ("&", "#"):
            return False
        before, self.value = self.value_end, self.read()
        self.value_end = self.value_start + len(self.value)
        return self.value_end > before

    def read(self) -> str:
        """Return the value up to its end, if that is near."""
        return "".join(self.words) or self.text[self.value_start : self.end(self.value_end + _LONGEST_JUDGED)]

    def end(self, limit: int | None = None) -> int:
        """Return the end of the value, or `limit` if it continues beyond that."""
        end, last = self.value_end, len(self.text) if limit is None else limit
        if self.is_wild or self.words or self.match["long"] or self.is_cut:
            return end
        if self.is_quoted:
            rest = _REST_OF_QUOTED
        elif self.how == "element":
            rest = _REST_OF_ELEMENT
        elif self._has_line() and (line := _WHOLE_LINE.match(self.text, end, last)):
            return line.end()
        else:
            is_long = self.bare_sign == "=" or self.is_flag or self.is_in_sentence or self.is_of_sentence()
            rest = _REST if is_long else _REST_OF_BARE
        end = found.end() if (found := rest.match(self.text, end, last)) else end
        ends_sentence = self.is_in_sentence and not self.is_quoted and self.text[end - 1] == "."
        return end - 1 if ends_sentence else end

    def _has_line(self) -> bool:
        """Return whether the value may be all that is left of its line."""
        if self.is_default():
            return False
        if self.bare_sign == "=" and (self.name.isupper() or self.begins_line(_LINE_HEAD)):
            return not _NEXT.match(self.text, self.match.end("sign"))
        return self.how == "block" or (self.how == "plain" and ":" in self.sign and self.is_literal(spoken=False))


def gives_none(start: int, match: re.Match[str]) -> bool:
    """Return whether a bare value is none by its shape alone, as most words behind a name are: this saves reading it.

    It is one of several arguments, or has no digit on the next line or behind a blank.
    """
    text, value, sign, end = match.string, match["bare"], match["sign"], match.end()
    if value is None:
        return False
    if match["comma"] is not None:
        return sign != ","
    if has_digit(value) or text.startswith(("&", "#"), end):  # it goes on there
        return False
    if match["next"] is not None:
        return True
    is_word = len(value) < 16 and "*" not in value and (not value.isalpha() or value[1:].islower())
    if match["blank"] is None or sign != " " or not is_word:
        return False
    is_begun = text[start - 1 : start] in (" ", "\n", "`", "(", "*", '"')  # no flag
    return is_begun and not SETTER.search(text, max(0, start - 24), start)


class Shape(NamedTuple):
    """A way of giving a value: its name, the pattern between the name of a secret and its value, and its test."""

    name: str
    sign: str
    gives: Callable[[Given], bool]


SHAPES: tuple[Shape, ...] = (
    Shape(  # a value by its own name, as in `name: API_KEY` and `value: …`, or behind a command's flag
        "far",
        r"""
            (?:,\s{0,8}["'](?:type|kind|scope|id|enabled|secret|sensitive)["']:\s?["']?\w{1,24}["']?){0,3}
            ,?\s{0,12}(?:\{\s{0,8}(?:(?:type|description|sensitive)\s{0,8}=\s{0,4}(?:"[^"\n]{0,80}"|\w{1,12})\s{1,12}){0,3})?
            ["']?(?:\w{0,12}value|default)["']?\s{0,12}[:=]\s{0,4}(?:[|>][-+]?\n[ \t]{1,24})?
          | \s(?:env)?default:(?=")
          | \ {1,2}(?:(?:set|put|create|add)\ )?(?:--?[\w-]{1,16}[ =][\w/.-]{1,32}\ ){0,3}
              (?:--?(?:body|value|data|secret-string)[ =]|-[bv]\ ?|<<<\ ?)
          | </key>\s{0,8}<string>
        """,
        lambda given: given.is_assigned(),
    ),
    Shape(  # on the next line
        "next",
        r" :?[*_]{0,3}[ \t]{0,4}\n(?:[ \t]*\n)?(?:```\w*\n)?[ \t]{0,24} ",
        lambda given: given.is_below() or (given.is_quoted and (":" in given.sign or given.is_behind(_ASKED, 8))),
    ),
    Shape(
        "element",
        r"""
            (?:\s[\w:]{1,24}="[^<>"\n]{0,40}"){0,2}\s{0,2}>\s{0,24}
            (?:<value>\s{0,24})?(?:<!\[CDATA\[)?(?:\{(?:[\w-]{1,24}\ ){0,3})?
        """,
        lambda given: given.is_behind(_OPENED, 160),
    ),
    Shape(  # in another cell of a page
        "tags",
        r" (?:\ (?:is|ist|est|es))?:?\s{0,4}(?:</?[a-z]\w{0,9}(?:\s[^<>\n]{0,60})?>\s{0,12}){1,4}:?\s{0,4} ",
        lambda given: is_strict(given.value) or ("pass" in given.name.lower() and is_mixed(given.value)),
    ),
    Shape(  # in a block of YAML, a here-document or a text of several lines
        "block",
        r"""
            :[ \t]{1,2}[|>][-+0-9]{0,2}[ \t]{0,2}\n[ \t]{1,24}
          | \s?=\s?(?:<<[-~]?["']?\w{2,12}["']?|(?:\"{3}|'{3})\\?)\n[ \t]{0,24}
        """,
        lambda given: not given.is_quoted and given.begins_line(_LINE_HEAD),
    ),
    Shape(  # with a type before the sign
        "type",
        r"""
            (?:\ ?:|\ (?!(?:@OF)\ ))\s{0,4}[&*]?(?:'\w{1,8}\ )?(?![^=<\n]{0,40}\ <)
            [A-Za-z][\w.:<>|?&*\[\],\ ]{0,40}?\s{0,4}=\s{0,8}(?![=>~])(?=(?:new\ |@LAZY)?\S{0,24}["'`])
          | \ \{[\w;\ ]{3,24}\}\ =[ ]
        """,
        lambda given: given.is_quoted and not given.is_styled(),
    ),
    Shape(  # the default of another value
        "fallback",
        r"""
            \s{0,4}(?:=\s{0,4}[\w.$]{1,40}\([^()\n]{0,40}\)\s{0,4})?(?:(?:\|\||\?\?|\?:)\s{0,4}|\bor\b\s{1,4})(?=["'`])
          | \s{0,4}:?=\s{0,4}[\w.$]{0,24}env[\w.]{0,12}\(["'][\w.-]{1,40}["'],\s{0,4}(?=["'`])
          | :-(?=[^\s"'`])
          | (?<=\))(?:\.\w{1,16}\(\))?\.(?:unwrap_or\w{0,5}|or\w{0,8}|get\w{0,4}OrElse)\((?:\|\w?\|\s?|\{\s?)?(?=["'])
          | ["']?\s?[:=]\s{0,4}["']?\{\{[^{}\n]{0,80}\|\s?default\(\s?(?=["'])
        """,
        lambda given: given.is_assigned(),
    ),
    Shape(
        "plain",
        r"""
            (?:,\ \w{1,16}(?=\s:?=\s)|\ (?:@OF)\ [^\s:=][^\n:=.]{0,30}?(?=\s?[:=]|\s(?:[-—–]|->|→)\s)
              |(?P<more>\ (?!(?:@VERBS)\b)[^\W\d_]{2,12}|\ (?:that\ )?(?:@WHO)(?:\ [a-z]{2,12}){1,4})
                (?=\ ?:\ |\ =\ ))?(?P<near>)\s{0,24}
            (?:=>|<-|->|→|[:?|&+.]{0,3}={1,3}|!={1,2}|[:：]|(?<=\s)(?:[-—–]{1,6}|\.{3,40}|eq|ne)(?=\s)|\.{3,40}\s?:)
            (?:[*_]{1,3}(?=\s))?\s{0,24}(?:(?:[(\\\[]\s{0,24}(?:\#[^\n]{0,80}\n\s{0,24})?|(?<==)\{)(?=["'`]))?
        """,
        lambda given: given.is_assigned() and (not given.is_doubtful or given.is_sure()),
    ),
    Shape(  # typed into a page's field
        "field",
        r"""
            \.(?:(?:value|text)\s?=|(?:val|fill|type|set|send_?keys|set(?:Text|Value))\()\s?(?=["'`])
          | ,\s?\{\s?target:\s?\{\s?value:\s?(?=["'`]) | ,\s?(?:with:\s|(?<=(?:input|field),)\s?)(?=["'`])
          | /i?\),\s?(?=["'`])
        """,
        lambda given: given.is_whole and (given.bare_sign[0] == "." or is_made_up(given.value)),
    ),
    Shape("call", r""" (?:\.\w{1,12}|\ )?[({]\s{0,8}(?=["'`]) """, lambda given: given.is_passed()),
    Shape(
        "comma",
        r" \ ?,(?!\ (?:it|that|which|type|enter|use|try)\ )\ {0,12}",
        lambda given: given.is_argument() if given.is_quoted else given.is_cell(),
    ),
    Shape(
        "verb",
        r"""
            (?:,?\ (?:it|that|which)
              |(?:\ that|\ which)?\ (?:@WHO)(?:\ [a-z]{2,12}){1,4}?(?=\ [a-z]+:?\ (?:\S*\d|["'`“])))?
            \ {1,4}(?:(?:@OF)\ [^\s:=][^\n:=.]{0,40}?\ |(?:@NEW)\ )?
            (?:(?:has|been|is|was|will|should|must|may|might|could|would|used|now|set|changed|still)\ ){0,3}
            (?:from\ [a-z]{2,12}\ to|@VERBS)(?:\ (?:now|still|currently|just|simply))?[:=]?\s{1,4}
          | (?P<far_verb>\ (?:(?:[^\W\d_]{2,16}\ ){1,2}?(?:@VERBS)
              |(?:(?!(?:ist|est|está)\ )[^\W\d_]{3,16}\ )?(?:@INTO)))\s{1,4}(?=\S*\d)
          | ,?\ (?:please\ )?(?:type|enter|use|try)(?:\ in)?:?\s{1,4}(?=\S*\d)
          | (?<=['’])s\s{1,4}
          | \s?(?:(?:@GLUED)[:：]?\s{0,2}|(?=[「『“]))
        """,
        lambda given: given.is_assigned() and (not given.match["far_verb"] or given.is_of_sentence()),
    ),
    Shape(
        "blank",
        r"""
            (?:\ (?:@OF)\ \w{1,24}|(?<=\w)\ [а-яё]{3,24})?[ \t]{1,24}(?:\((?:it\ is\ |it's\ |default:\s?)?)?
          | (?<=[\u4e00-\u9fff\uac00-\ud7af])\ ?\(?(?=[!-~]) | \((?:default:\ ?)?(?=[^\s()"'`]{8,40}\))
          | (?<=\w\))(?=[^\s()"'`]{8,40}(?:[\s,]|\Z))
        """,
        lambda given: given.needs_no_sign(),
    ),
)
_VALUE = r"""
    (?: (?:@LABEL|@SHOWN)?[@$]?(?:[bruf]{1,2}(?=["'`]))?(?:@LAZY)?(?:@MADE)?
        (?:'(?=")|"(?='))?(?P<quote>(?P<mark>["'`])(?P=mark){0,2})\ ?(?P<quoted>
            (?P<spaced>
                (?>(?:(?!(?P=quote))\S){1,128})(?>(?:[\ \t]{1,3}(?>(?:(?!(?P=quote))\S){1,128})){1,16})(?=(?P=quote))
            )
            |(?:(?!(?P=quote))\S){4,512})(?P<closed>\ ?(?P=quote))?
      | \[\[(?P<long>[^\[\]\s:]{4,512})\]\]
      | (?:@LABEL|&\w{1,16}\ )?[“„«‘「『]?[ ]?(?:\*\*(?=[^\s*]{4,128}\*\*))?
          (?P<bare>@BARE{4,512}+(?:@STRAY@BARE{4,512}+)?|@BARE{1,3}+@STRAY@BARE{4,512}+)
          (?![\[{]|\((?!(?:[a-z]{1,16}\ ){2}))
      | (?P<wild>[^\s"'`,;<]{8,200}+) )
"""


@cache
def given_to_name() -> re.Pattern[str]:
    """Compile the pattern of what follows the first word of a name: its rest, a shape and a value, or nothing given."""
    signs = "|".join(f"(?P<{shape.name}>{shape.sign})" for shape in SHAPES)
    given = (
        rf"(?P<tail>{_REST_OF_NAME})(?P<closing>[\"'`”’»*)\]}}]{{0,4}}+)"
        # A size, as in `[32]`, or what holds, as in ` [None]`.
        rf"(?:\ ?\[[^\]\n]{{0,24}}\]"
        rf"|\ \((?![\"'`][^\s()]{{4,40}}\)|it(?:\ i|')s\ |[A-Za-z]\S{{5,}}\d\S*\)(?!\s?[:=]))[^()\n]{{1,30}}\))?"
        rf"(?P<sign>{signs}){_VALUE}"
    )
    for name, part in _PARTS.items():
        given = given.replace(f"@{name}", part)
    return re.compile(rf"(?xi:{given}|(?P<else>[\w*`\"]{{0,40}}+[\ \t]{{0,40}}))")
