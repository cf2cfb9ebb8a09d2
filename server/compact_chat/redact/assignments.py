"""Values given to names such as `password`, `client_secret` or `API_KEY`: the names, and which values are secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from string import ascii_letters
from typing import NamedTuple

from compact_chat.redact.columns import Columns
from compact_chat.redact.given import (
    ABROAD,
    AFTER_USER,
    FIELD,
    PROSE,
    PURE_HEX,
    SETTER,
    TAIL,
    Given,
    given_to_name,
    gives_none,
    listed,
    words_of,
)
from compact_chat.redact.spans import Span, anchored, occurrences
from compact_chat.redact.values import (
    has_crossed_brackets,
    has_digit,
    has_sign,
    is_code,
    is_coined,
    is_counted,
    is_joined,
    is_made_up,
    is_mixed,
    is_name_like,
    is_numbered,
    is_numbered_word,
    is_of_odd_words,
    is_phrase,
    is_placeholder,
    is_short,
    is_strict,
    is_worded,
    looks_chosen,
    looks_random,
    looks_typed,
    makes_no_word,
    may_be_words,
    oddness,
)

# A value before the name, as in `if ("…" == password)`.
_COMPARED = re.compile(r"[\"']((?:(?![\"'])\S){4,200})[\"'](?:\)?\s{0,2}[!=]={1,2}\s{0,2}|\.equals\()[\w.$]*\Z")
_COMPARES = re.compile(r"=|\.equals|[\"']:")
# The value of an element or an object in front of its name.
_VALUE_BEFORE = re.compile(
    r"\bvalue(?:=|[\"']?:\s?)[\"']([^\s\"']{6,128})[\"'](?:,?\s{0,12}|\s[^<>\n]{0,80}?\s)"
    r"[\"']?(?:name|id|type|key)(?:=|[\"']?:\s?)[\"'][\w.-]{0,40}\Z",
    re.IGNORECASE,
)
# The second of two values that are given at once.
_SECOND = re.compile(
    r"[)\]]?\s?:?=\s?[(\[]?(?:[\"'][^\"'\n]{0,64}[\"']|\w{1,24}),\s?([\"'])(?P<value>(?:(?!\1)[^\s\\]){6,128})\1"
)
_FIRST = re.compile(r"[\w$],\s?\$?\Z")
_BEING = re.compile(r" (?:(?:is|as|for|was|ist|als|für|est|comme|pour|es|como|para|#|//) |\(|that's )")
_SAID_BEFORE = re.compile(
    r"(?<![^\s\"'`(])[\"'`]?([^\s\"'`,;()<>]{8,64})(?:(?P<note>[\"'`]\)?;?\s{1,4}(?:\#|//)\s)"
    r"|[\"'`]?,\s(?=that)|[\"'`]?\s(?:\(|(?:is|as|was|ist|als|est|comme|es|como)\s|(?P<for>(?:for|für|pour|para)\s)))"
    r"(?:(?:that's|that\sis|this\sis)\s)?(?:(?:the|my|our|your|a|das|mein|le|mon|la|mi)\s)?(?:\w{2,12}\s)?\Z"
)
# A value that somebody types, before the name: `typed … at the password prompt`.
_TYPED_BEFORE = re.compile(
    r"(?:\b(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|put|use[ds]?|using|tr(?:y|ied)|sent|with|utilise[rz]?|us[ao]r?|pon|nimm"
    r"|benutze|gebruik|met|mit|avec|con|com)\s|用\s?)[\"'`]?([^\s\"'`,;()<>/]{8,64}?)[\"'`]?"
    r"(?:\s(?:as|at|for|to|into?|on|when|als|für|beim?|voor|ins|im|comme|pour|dans|au|como|para|en|no|na|som|för|per)\s"
    r"(?:\w{1,12}\s){0,4}|(?:作为|当作?)\s?)\Z"
)
# Another value after one, as in `from … to …` and `was … and the new one is …`.
_OTHER = re.compile(
    r"[\"'`]?[^\n.;:=\"'`(){}]{0,50}?(?:\b(?:to|is|was|and|or|now|auf|zu|ist|et|est|à|y|es|a)|→|->|/)\s{1,2}[\"'`]?"
    r"(?P<value>[^\s\"'`,;()<>{}/]{8,64})(?<![.?])"
)
# The next value of a list, and a name before another that gets a value of its own.
_LISTED = re.compile(
    r"[\"'`]\s{0,4},\s{0,24}(?P<quote>[\"'`])(?P<value>(?:(?!(?P=quote))[^\s\\]){6,200})(?=(?P=quote)(?!\s{0,4}[:=]))"
)
_SEVERAL = re.compile(r"[\w$]\s?,\s?\$?\Z|[\w$]\s?,\s?\$?[\w$]{1,40}\Z")
_MOST_LISTED, _MOST_NESTED = 50, 8


# Names and their values.


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


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
    " base64 b64 secure internal default backup local remote primary secondary db database super att attribute key wo"
    " token secret access admin root user me in out do not commit my for stuff sec"
)
_KEYS = _set(
    "api access secret private account auth signing encryption master app application licence license service shared"
    " subscription deploy storage client admin integration security preshared webhook jwt hmac aes cookie"
    " authentication session encrypt crypto activation product refresh bearer bot personal consumer"
)
_OWNED = {"blank": re.compile(r"\b(?:my|our|your)\ \Z", re.IGNORECASE)}
_OWNED["verb"] = re.compile(r"\b(?:my|our|your|the|this)\ \Z", re.IGNORECASE)
_OWNED["plain"] = re.compile(r"\b(?:my|our|your)\ (?:\w{2,16}\ )?\Z", re.IGNORECASE)
_FILE = re.compile(r"/?[\w.-]+(?:/[\w.@-]+)+\.[a-z][a-z0-9]{1,4}\Z")
_KEY_OF = re.compile(rf"(?:{'|'.join(sorted(_KEYS))})[_\-. :]{{0,2}}\Z")
_KEY_OF_NETWORK = re.compile(r"(?:wpa\d?|wi-?fi|wlan|network security)[ _-]\Z", re.IGNORECASE)
# What the key in an object or a call is of, as in `jwt: {… key:` and `Fernet(key=`.
_PARENT = re.compile(
    r"(?:jwt|auth\w*|tokens?|secrets?|sign\w*|\w*crypt\w*|fernet|aes|hmac|cipher|session)[\w.]*[\"']?\s{0,4}"
    r"(?:[:=]?\s{0,4}\{|\(\s{0,4}\{?)[^{}()]{0,200}\Z",
    re.IGNORECASE,
)
_OF_WORD, _LONG = re.compile(r"[a-z]\ \Z"), re.compile(r"[A-Za-z0-9]{24,}\Z")  # as in `cipher key: …`
_OF_NAMES = f"{ascii_letters}_-"
_OF_SENTENCES = _set("for the your and not must with none from this are")  # no list of words has them
_PHRASE_OF = re.compile(r"(?:pass|seed[ _]|recovery[ _])phrase\Z|mnemonic\Z", re.IGNORECASE)
_OF_OWNER = re.compile(r"\ (?:for|of)\ .{0,24}\b(?:user|account|commit|job|client|id)\s?:", re.IGNORECASE)
_IN_FOURS = re.compile(
    r"(?i:pass(?:word)?)[\"'`]?\s{0,4}[:=]\s{0,4}[\"'`]?(?P<fours>(?:[a-z]{4} ){3}[a-z]{4})(?![a-z ])"
)
_PHRASE = re.compile(
    r"(?P<word>(?i:phrase|mnemonic))\\?[\"'`]?\s{0,4}[:=]\s{0,4}\\?[\"'`]?(?P<phrase>(?:[a-z]{3,9} ){3,23}[a-z]{3,9})"
)
_MIXED = re.compile(r"(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d\w*\d\w*\d)[A-Za-z0-9]{24,}\Z")
_GENERATED = re.compile(r"(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d\w*\d\w*\d)[A-Za-z0-9]{20,}\Z")
_OF_CLUSTER = re.compile(r"(?=.*\d)[a-z0-9]{6}\.[a-z0-9]{16}\Z")  # what joins nodes to a Kubernetes cluster
_PREFIX = re.compile(r"\A(?:[A-Za-z0-9]{1,24}[_-]){1,4}(?=[A-Za-z0-9]+\Z)")
_BASE64 = re.compile(r"(?=.{0,40}[A-Z])[A-Za-z0-9+][A-Za-z0-9+/]{23,4096}={0,2}\Z")
_PIN = re.compile(r"\d{4,12}(?![\w.,:/-]*\w)")
_SHORTEST_RANDOM, _NEAR = 12, 48
_GLUED = listed("pass, pw, secret, token, key, cred, auth")  # in `passed`, `tokens` and others no name of a secret
# Words that end so, and what passes or is passed.
_NO_PASS = re.compile(
    r"(?:by|com|encom|tres|sur|over|under|multi|single|two|one|first|second|pre|post|render|shader|low|high|band|all"
    r"|copy|full|main|last|next|fast|draw|depth|test|did|should|must|will|can|to)_?pass\Z",
    re.IGNORECASE,
)
# Words for tokens and keys in other languages, and for secrets, which mean nothing else.
TOKENS_ABROAD = listed(
    "токен, ключ, секрет, 令牌, 密钥, 密鑰, 秘密鍵, トークン, キー, 토큰, 시크릿, 키, 秘钥,"
    " clé, schlüssel, klíč, chiave, chave,"
    " klucz, مفتاح, توكن, टोकन, कुंजी, מפתח, κλειδί"
)
SECRETS_ABROAD = listed("geheimnis, jeton, segreto, segredo, sekret, sleutel")
_OF_KEYS = r"(?:d['’]|d[eai](?:l|lla)?\ )?(?:API|secr[eè]ta?|segreta|privat?a|privada|privée|доступа)"


class Name(NamedTuple):
    """A kind of name: the kind of its secrets, the word it is found by, its pattern, and the judge of values."""

    kind: str
    word: str
    form: str
    judge: Callable[[Given], bool]


def assigned(name: Name, text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the secrets that a text gives to such a name, compares with it, or has in columns of that name."""
    behind = done = reach = nested = 0
    columns, form, given_to = Columns(text, is_value), _named(name.form), given_to_name()
    for start in places:
        named = form.match(text, start) if start >= behind else None
        tail = TAIL.match(text, named.end()) if named else None
        if not named or not tail or not _may_name(name, tail):
            behind = tail.end() if tail else behind
            continue
        found = (
            None
            if name.form not in ABROAD and _is_prose(text, start, tail.end())
            else given_to.match(text, named.end())
        )
        match = found if found and found["sign"] is not None else None  # it may be empty
        behind = match.end("sign") if match else (found or tail).end()
        yield from columns.below(start, behind)
        if match is None:
            yield from _compared(text, start, name)
            if name.kind == "password" and (second := _second(text, start, tail.end())):
                yield Span(*second.span("value"), name.kind)
            continue
        # Of nested values, as in `token:key:…`, only the first few are checked.
        nested = nested + 1 if start < reach else 0
        if nested > _MOST_NESTED:
            continue
        reach = match.end()
        if start < done or not _is_of_secret(name, match):
            continue
        if not gives_none(start, match) and _is_secret(given := Given(start, match), name):
            done = given.end()
            yield Span(given.value_start, done, _kind(given, name))
            yield from _listed(given, name, done)
            if given.how in ("verb", "blank") and (other := _OTHER.match(text, done)) and _is_other(other["value"]):
                yield Span(*other.span("value"), name.kind)
        elif name.kind == "password":
            yield from _typed(text, start)
            if second := _second(text, start, tail.end()):
                yield Span(*second.span("value"), name.kind)


def _is_other(value: str) -> bool:
    return is_strict(value) or (is_mixed(value) and not is_counted(value))


def _listed(given: Given, name: Name, end: int) -> Iterator[Span]:
    """Yield the values that follow one in a list, or that are given to several names at once."""
    if not given.is_quoted or not ("[" in given.sign or given.is_behind(_SEVERAL, 48)):
        return
    for _ in range(_MOST_LISTED):
        value = _LISTED.match(given.text, end)
        if not value or not looks_chosen(value["value"]) or not (name.kind == "password" or is_strict(value["value"])):
            return
        yield Span(*value.span("value"), name.kind)
        end = value.end("value")


def _is_prose(text: str, start: int, end: int) -> bool:
    """Return whether a sentence goes on behind a name, which is no flag and nothing that is set."""
    if not PROSE.match(text, end):
        return False
    before = text[max(0, start - 48) : start]
    name = before[len(before.rstrip(_OF_NAMES)) :]
    return "-" not in name and not SETTER.search(before[: len(before) - len(name)])


@cache
def _named(form: str) -> re.Pattern[str]:
    """Compile the pattern of a name."""
    return re.compile(form, re.IGNORECASE)


def _may_name(name: Name, tail: re.Match[str]) -> bool:
    """Return whether a name of secrets may end so: not as in `token_count` or `passed`, unless the value is odd."""
    rest = tail[0]
    if not rest or not _may_end_name(rest):
        return not rest or (name.kind == "password" and FIELD.match(rest) is not None)
    if name.word not in _GLUED or not rest[0].islower():
        return True
    ahead = {*tail.string[tail.end() : tail.end() + _NEAR]}
    return not ahead.isdisjoint("([{") or (rest == "s" and (name.kind == "password" or ">" in ahead))


@lru_cache(4096)
def _may_end_name(tail: str) -> bool:
    """Return whether a name of secrets may end so, not as in `token_count`."""
    words = words_of(tail)
    return not words or words[-1] not in _OF_NO_SECRET


def _kind(given: Given, name: Name) -> str:
    """Return the kind of a value, by the words around the one that its name was found by."""
    called = given.text[max(0, given.word_start - 4) : given.match.end("sign")].lower()
    if "access" in called:
        return "aws-secret-key"
    is_api = called[1:4] == "api" or (name.word == "key" and called.startswith("api"))
    return "api-key" if is_api else name.kind


def _compared(text: str, start: int, name: Name) -> Iterator[Span]:
    """Yield the secret that a text compares with the name that begins here, or says to be it."""
    before = max(0, start - 256)
    value = None
    if _COMPARES.search(text, max(0, start - 64), start):
        value = _COMPARED.search(text, before, start)
        if not value and text.find("alue", before, start) >= 0:
            value = _VALUE_BEFORE.search(text, before, start)
    if not value and text[start - 1 : start] == " " and _BEING.search(text, max(0, start - 32), start):
        value = _SAID_BEFORE.search(text, max(0, start - 120), start)
    if not value and name.kind == "password":
        yield from _typed(text, start)
    is_assigned = value is not None and value.re is not _SAID_BEFORE
    if value and (
        (is_strict(value[1]) and not is_numbered(value[1]))
        or (is_assigned and is_worded(value[1]))
        or (name.kind == "password" and is_phrase(value[1]))
    ):
        is_doubtful = value.re is _SAID_BEFORE and (value["for"] or value["note"])  # as in `PKCS5_PBKDF2 for passwords`
        if not is_doubtful or has_sign(value[1]) or (looks_random(value[1], 0.35) and not value[1].isupper()):
            yield Span(*value.span(1), "secret")


def _second(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the value of a name that is the second of two, as in `user, password = "ann", "…"`."""
    value = _SECOND.match(text, end)
    if not value or not (is_made_up(value["value"]) or is_short(value["value"]) or may_be_words(value["value"], 8)):
        return None
    return value if _FIRST.search(text, max(0, start - 4), start) else None


def _typed(text: str, start: int) -> Iterator[Span]:
    """Yield the password that somebody types, before the name that begins here."""
    before = text[start - 1 : start]
    is_behind_word = before == " " or before > "\x7f"
    value = _TYPED_BEFORE.search(text, max(0, start - 120), start) if is_behind_word else None
    if value and (looks_typed(value[1]) or is_worded(value[1])):
        yield Span(*value.span(1), "password")


def is_value(title: str, value: str) -> bool:
    """Return whether a value is a secret in a column of this title: if it is one where it is given to that name."""
    given = f'{title} = "{value}"'
    low = given.lower()
    found = chain.from_iterable(assigned(name, given, [*occurrences(low, name.word)]) for name in NAMES)
    return any(len(value) >= (8 if "_" in title else 12) or span.kind == "password" for span in found)


def four_by_four(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield passwords in groups of four letters."""
    for match in anchored(text, places, _IN_FOURS):
        if all(oddness(four) for four in match["fours"].split()):
            yield Span(*match.span("fours"), "password")


def phrases(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield passphrases and a wallet's seed words, which contain blanks."""
    for match in anchored(text, places, _PHRASE):
        is_sentence = not _OF_SENTENCES.isdisjoint(match["phrase"].split())
        if not is_sentence and _PHRASE_OF.search(text, max(0, match.start() - 9), match.end("word")):
            yield Span(*match.span("phrase"), "passphrase")


def _is_secret(given: Given, name: Name) -> bool:
    """Return whether a value is a secret, as far as it was read or up to its end."""
    return _is_value(given, name) or (given.goes_on() and _is_value(given, name))


def _is_value(given: Given, name: Name) -> bool:
    """Return whether a shape gives a secret: no placeholder, nothing public, no path, and one for its kind of name."""
    value = given.value
    is_phrase_of_words = (
        given.words
        and given.name.endswith("phrase")
        and not any(is_placeholder(word) for word in given.words if not word.isdigit())
    )
    if is_phrase_of_words and (given.is_flag or (given.is_in_sentence and given.may_be_words(8))):
        return True
    if given.words and not is_of_odd_words(given.words, name.kind == "password"):
        return name.kind == "password" and given.is_plain and given.may_be_words(8)
    is_told = name.kind == "password" and given.is_told()
    if not (is_told or given.shape.gives(given)) or is_placeholder(value) or _is_public(given, name):
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
    if not tail or match["field"] is not None:
        return True
    if name.word not in _GLUED:
        return True
    before = match.string[match.start() - 1]
    is_glued = tail[0].isalpha() and not (tail[0].isupper() and before.islower())
    if tail in ("s", "S") and ("[" in match["sign"] or match["element"] is not None):
        return True
    if not is_glued and all(word in _OF_A_STAGE or word.isdigit() for word in words_of(tail)):
        return True
    value = "".join((match["quoted"] or match["long"] or match["bare"] or match["wild"]).split())
    if name.kind == "password" and tail == "s" and looks_typed(value):
        return True
    # The value of `passwordField` may be its id.
    is_given = name.kind == "password" and match["plain"] and not FIELD.match(tail)
    is_long = len(value) >= 16 or (is_given and is_strict(value))
    return (not is_glued and is_long and looks_random(value, 0.35)) or has_crossed_brackets(value)


def _is_public(given: Given, name: Name) -> bool:
    """Return whether a name is one of tokens and keys that are no secrets."""
    return name.kind != "password" and bool(_PUBLIC & {*words_of(given.name)} or "csrf" in given.name.lower())


def _is_clear(given: Given) -> bool:
    """Return whether words may be a token or a key: its name means nothing else, and its place is that of a literal."""
    if not given.is_clear_name or given.is_plain:
        return given.is_clear_name
    is_setting = has_digit(given.value) or (given.bare_sign == "=" and given.name.isupper())
    return not given.is_quoted and is_setting and given.is_literal()


def _is_password(given: Given) -> bool:
    """Judge what a person may have chosen: with digits or signs, or, where no name fits, letters alone."""
    # Read to its end only if needed: what is no secret may be read again and again.
    value, name = given.read(), given.name
    is_chain = not given.is_quoted and ":" in given.last_sign  # a sign in a value, not another name
    if (
        len(value) < 6
        or (is_code(value, given.is_quoted) and not is_chain)
        or (_OF_OWNER.match(given.sign) and not is_strict(value))
    ):
        return False
    # `pass` is short for password: not in `bypass`, nor alone before what a test passed.
    if name.lower() == "pass":
        is_setting = given.is_quoted or given.is_in_sentence or given.sign == "="
        is_setting = is_setting or (
            given.bare_sign == "=" and given.is_literal(spoken=False)
        )  # below a section's title
        is_clear = name == "pass" or is_strict(value) or given.is_behind(AFTER_USER, 80)
        if not is_setting and (not is_clear or set(given.value) & set("/_.")):
            return False
    elif _NO_PASS.search(name):
        return (given.is_flag or given.how == "far") and is_strict(value)
    if value.isdigit():
        is_clear = given.is_quoted or given.is_in_sentence or '"' in given.match["closing"]
        return name.lower() != "pass" and (is_clear or given.is_literal())
    if given.is_in_sentence:
        if "_" not in value and is_joined(value, 3) and given.match["quote"] != "`" and given.may_be_words(12):
            return True
        return is_mixed(value) or (given.match["quote"] in ("'", '"') and given.may_be_words(8))
    if given.sign == "=" and name.isupper() and value.islower() and given.may_be_words(8):
        return True
    is_glued = given.sign in (":", "=") and is_strict(value) and looks_random(value, 0.3)  # as in `(pw:…)`
    if is_numbered_word(value) and (given.sign == "=" or given.closes_line()):
        return True
    if name.lower() != "pass" and given.is_plain and given.may_be_words():
        return True
    is_chosen = looks_chosen(value)
    if given.is_quoted or is_glued or not is_name_like(value.rstrip(",;)")):
        return is_chosen or (bool(given.words) and not given.is_word_abroad()) or given.may_be_words(8)
    return given.is_literal(spoken=is_chosen) and (is_chosen or (is_joined(value) and given.may_be_words(8)))


def _is_token(given: Given) -> bool:
    """Judge generated values; the shorter one is, the clearer its context must show that it is no name."""
    value = given.value
    if _OF_CLUSTER.match(value):
        return True
    if len(value) < 6 or _FILE.match(value) or (_OF_OWNER.match(given.sign) and PURE_HEX.match(value)):
        return False
    if value.isdigit():  # no time, no sequence
        is_clear = len(value) > 11 and len(set(value)) > 3 and not value.startswith(("12345", "01234"))
        return is_clear and len(words_of(given.name)) > 1 and (given.is_quoted or given.is_literal())
    if _is_clear(given) and (given.words or (given.may_be_words(8) and (has_digit(value) or makes_no_word(value)))):
        return True
    if not given.is_quoted and is_name_like(value) and not given.is_literal():
        return False
    if given.sign == "=" and given.name.isupper() and len(value) >= 8 and is_mixed(value):
        return True
    if len(words_of(given.name)) > 1 and given.is_plain and is_strict(value) and is_made_up(value):
        return True
    if is_coined(value, not given.is_quoted or given.is_flag or len(words_of(given.name)) > 1) and (
        given.is_quoted or given.is_literal()
    ):
        return True
    if len(value) >= _SHORTEST_RANDOM:  # all of it, or what follows its prefix
        return looks_random(value) or (len(last := _PREFIX.sub("", value)) >= 16 and looks_random(last))
    return (given.is_quoted or given.is_literal()) and has_digit(value) and looks_random(value, 0.28)


def _is_secret_word(value: str) -> bool:
    """Return whether a value in quotes is a secret of its own, not the name of one."""
    return is_made_up(value) and (is_strict(value) or (is_worded(value) and value[-2:].isdigit()))


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
    if _KEY_OF.search(head.lower()) or is_query or (given.is_quoted and given.is_behind(_PARENT, 240)):
        return len(given.value) >= (12 if is_query else 8) and _is_token(given)
    if given.is_plain and given.match["closing"] and given.name == "key" and _MIXED.match(given.value):
        return looks_random(given.value, 0.4)
    is_assigned = given.bare_sign == "="
    is_of_something = head.endswith(("_", "-", ".")) or (head[-1:].islower() and given.text[given.word_start] == "K")
    is_of_api = " api " in given.sign.lower()
    if PURE_HEX.match(given.value) and not (
        is_of_api or head.endswith(("_", "-", ".")) or (is_assigned and given.name[0] == "K")
    ):
        return False
    is_of_something = is_of_something or (_OF_WORD.search(head) and _LONG.match(given.value)) is not None
    is_constant = is_assigned and given.name.isupper()
    is_given = given.how in ("blank", "verb") and _GENERATED.match(given.value) is not None
    is_owned = given.how in _OWNED and _OWNED[given.how].search(head) is not None
    shortest = 12 if is_constant else 16 if is_assigned or is_owned else 20
    is_clear = is_of_something or given.sign == "=" or is_constant or is_owned or is_given
    return len(given.value) >= shortest and is_clear and _is_token(given)


def _is_base64(given: Given) -> bool:
    return given.is_quoted and _BASE64.match(given.value) is not None and looks_random(given.value, 0.35)


def _is_long(given: Given) -> bool:
    return len(given.value) >= 16 and _is_token(given)


def _is_auth(given: Given) -> bool:
    """Judge what `REDIS_AUTH` is, which a service knows: in capitals a shorter value will do."""
    value = given.value
    is_set = given.name.isupper() and "_" in given.name and is_strict(value) and is_made_up(value)
    return _is_long(given) or (is_set and looks_random(value, 0.3) and _is_token(given))


def _is_token_abroad(given: Given) -> bool:
    """Judge what a sentence calls a key or a token, which may also be the key of a member."""
    if _is_long(given) or (is_strict(given.value) and not _FILE.match(given.value)):
        return True
    is_of_api = " API" in given.text[given.word_start : given.match.start("tail")]
    is_one = len(given.value) > 7 and has_digit(given.value) and looks_chosen(given.value)
    return is_one and (given.is_quoted or (is_of_api and given.value[-2:].isdigit()))


NAMES = (
    Name("password", "pass", r"pass(?:word(?:-?nya)?|ord(?:et)?|wd|phrase|code|wort|wrd|e)?", _is_password),
    *(Name("password", re.split(r"[\[(]", word)[0], word, _is_password) for word in ABROAD),
    # These abbreviate a password in one context and the working directory in another.
    Name(
        "password",
        "pw",
        r"(?:pwd|(?<![^\W_])pw|(?<=bind|root|user|ldap)pw|(?<=db|my)pw|(?<=any|ssh|ftp)pw|(?<=admin)pw)",
        lambda given: ("/" not in given.value or _is_base64(given)) and _is_password(given),
    ),
    Name("password", "key content", r"key content", _is_password),
    Name("password", "authtok", r"authtok(?!en)", _is_password),
    Name("password", "psk", r"(?<![a-z])psk(?![a-z])", _is_password),
    *(Name("pin", word, rf"(?<![a-z]){word}(?:[_ -]?(?:code|код))?(?![a-zа-я])", _is_pin) for word in ("pin", "пин")),
    Name(
        "secret",
        "secret",
        r"secret(?:o(?![a-z]))?(?:[_\- ]?access)?(?:[_\- ]?key)?(?:[_\- ]?base)?(?:_id)?",
        lambda given: _is_token(given) or (given.is_quoted and _is_secret_word(given.value)),
    ),
    Name("token", "token", r"token(?:_?(?:secret|key))?", _is_token),
    *(Name("token", word, rf"{word}(?![a-z0-9_-])", _is_long) for word in ("_pat", "_salt", "_api")),
    Name("key", "key", r"key", _is_key),
    Name("credential", "cred", r"cred(?:ential)?s?", _is_long),
    Name("credential", "auth", r"(?<![A-Za-z])auth(?:entication|orization)?", _is_auth),
    *(Name("token", word, rf"{word}(?:\ {_OF_KEYS})?", _is_token_abroad) for word in TOKENS_ABROAD),
    *(
        Name("secret", word, rf"{word}(?![a-z])", lambda given: is_strict(given.value) or _is_token(given))
        for word in SECRETS_ABROAD
    ),
)
