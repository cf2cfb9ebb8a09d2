"""Whether a value looks like a secret, or like a name, a type, a reference or a placeholder."""

from __future__ import annotations

import re

from compact_chat.redact.spans import MARK, branches

JUDGED = 64  # characters of a value suffice to judge it
_DIGIT, _LETTER = re.compile(r"[0-9]"), re.compile(r"[^\W\d_]")
_HEX = re.compile(r"(?=[a-f0-9-]*[a-f])(?=[a-f0-9-]*[0-9])[a-f0-9]{8}[a-f0-9-]{8,}\Z|[A-F0-9]{32,}\Z")
_TURN = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CHANGE = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z])")
_PHRASE_WORD = re.compile(r"[a-z]{3,12}\Z")
_PUNCTUATION = ".,;:!?()'\""
_SCHEMES = ("bearer", "basic", "token", "digest", "apikey")
_PAIR = re.compile(r"(?=([A-Za-z]{2}))")
_STAND_INS = (
    "a abc access actual admin an any api apikey auth bar baz basic bearer boolean bytes change client confirm"
    " credentials current default demo disabled dummy empty enabled encrypted enter environment env example fake false"
    " file foo forgot from goes hash hashed here hidden incorrect input insert invalid is it key keychain keyring login"
    " masked me missing mock my new nil no none not null number old optional our own pass passphrase passwd password"
    " plain plaintext prompt pwd real redacted replace required reset root sample secret set some stdin str string test"
    " testing text the this to todo token true type undefined unknown unset user username valid value varchar vault"
    " visible with wrong xxx yes your needed unused anything nothing whatever ollama lm studio base url sha md utf aes"
    " rsa hmac bcrypt argon scrypt crypt pbkdf"
)
_PLACEHOLDER = re.compile(rf"(?>(?:{branches(_STAND_INS.split())})[\W_]*+\d{{0,4}}[\W_]*+)++\Z", re.IGNORECASE)
_REFERENCE = re.compile(
    r"^\$[A-Za-z_({]|^![A-Za-z]+$|\$\{[\w.:?/-]*\}|\$\([\w ./-]*\)|^%\w+%|%\(\w+\)|\{\{[^{}]*\}\}"
    r"|\{(?:[A-Za-z_.]{2,})?\}|<[\w .,:/|-]+>|\.\.\.|…|\*\*\*|xxxx|XXXX|••|://|^0x[\da-fA-F]{40}\Z|^ENC\["
    r"|^[@#.][A-Za-z]+\Z|^[#.][A-Za-z]+(?:[-_][A-Za-z]+)+\Z|^(?:[\da-fA-F]{0,4}:){4,7}[\da-fA-F]{1,4}\Z"
    # A template with a number in its braces, which passwords have too: only words are around it.
    r"|^(?:(?:[A-Z](?=[a-z])|[a-z_.:/-])*\{(?:\d|[A-Za-z_.]{2,}\d{0,2})\})+(?:[A-Z](?=[a-z])|[a-z_.:/-])*\Z"
    r"|^\d{1,3}[+-]?(?:char|digit|letter|symbol|byte|bit|word|day|hour|min|zeichen|caract)[a-z]*\Z"
    r"|^abc123(?:def|xyz)?\d{0,3}\Z|^\d{0,10}[aA][bB][cC][dD][eE][fF][gG][hH][iI][jJ][kK][lL]"
    r"|^(?:vault|ssm|op|arn|ref\+\w+|env|file|secretsmanager|keyring|sops|kms|doppler|bws|pass|[a-z]{2,5}-sm)[:/]"
)
_BRACED = re.compile(r"(?<=[A-Za-z0-9!#^*])\{[A-Za-z]{2,4}\}(?=[A-Za-z0-9!#^*])")
_ODD_REST = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])(?=.*[!#^*?~])[\w!#^*?~$@+-]{6,}\Z")
_ODD_SIGN = re.compile(r"[!@#%&=~]")  # in no name and no path, and no sign of patterns
_PAIRS = {")": "(", "]": "[", "}": "{"}
_OPENING = frozenset(_PAIRS.values())
# The letters that follow a letter in nineteen of twenty pairs, in words and program names.
_FOLLOWERS = (
    "abcdfgilmnprstuvwy aeilorsu acehiklmortu acdefilorsu abcdefgilmnopqrstvwxy aefiloru aeghinorsuy aeiort"
    " abcdefgilmnoprstvxz e eips acdeilostuy abdeimopsu acdefgiklnoprstuv abcdgiklmnoprstuvw aeiloprstu u"
    " acdegikmnorstuvy acefhikopstu acdefhilmoprstuy abcdegilmnprst aei aehinors ipt p e"
)
_USUAL = {
    first + then
    for first, others in zip("abcdefghijklmnopqrstuvwxyz", _FOLLOWERS.split(), strict=True)
    for then in others
}


def is_placeholder(value: str) -> bool:
    """Return whether a value stands in for a secret, refers to one, or was masked already."""
    head = value[:JUDGED]
    if MARK in value or len(set(head)) < 3:
        return True
    if _REFERENCE.search(head):  # except braces in a password, as in `x9{ab}Kq!7z`, and in no template
        return _BRACED.sub("", head) == head or not _ODD_REST.match(_BRACED.sub("", head))
    return bool(_PLACEHOLDER.match(head)) and len(set(_ODD_SIGN.findall(head))) < 2


# Words of labels, sentences and names, which no secret of words has.
_SAID = (
    "about above add algorithm all already also always and another are as at attempt base base64 be been before"
    " between border both but by can cannot change changed char character characters check choose class click code"
    " column confirm contain contains control copy correct create data database decode decrypt do does don each either"
    " else encode encrypt enough error exist exists expired expires failed field fields for forgotten form found"
    " generate get given good handler has have hex how icon if in input into it its just keep label least length less"
    " letter letters list long lower managed masked match matches may message method min minimum missing mode more"
    " most must name near need needs never now object of on once one only or order orders other out outline output"
    " page param parameter permission please policy present previous private protected provide provided public read"
    " ref reference request require requires rounded same saved see select send set shared short should show sign"
    " simple so special store stored strength strong submit symbol that their them then there these they this too two"
    " type unable unmasked update upper use used uses using validation very view was weak were what when where which"
    " while who will without word words would write you anonymous asterisk daily docker expected fallback forgotten"
    " guest interactive invalidated maxlength minlength monthly mysql nowhere postgres postgresql pristine readme redis"
    " rejected somewhere sorry toggle touched unset weekly wrong usuario utilisateur benutzer nullable sometimes"
    " confirmed mindestens minimaal minimo minimum"
    " erforderlich requerida requerido obligatoire obligatoria obligatorio obrigatoria obbligatorio vereist"
    " vergessen olvidada dimenticata adgangskoden kodeord katasandi lykilord parool pasahitza zaporka slaptazodis"
)
_NO_SECRET = frozenset(_SAID.split())
_NAMING = re.compile(
    r"pass|pwd|secret|token|cred|login|account|user|admin|hash|(?:api|auth|access|private|public)_?key|\b(?:key|auth|api)s?\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"([A-Za-z]{2,24}(?:(?:[ _-]|[_-]?\d{1,4}[_-]?)[A-Za-z]{2,24}){0,5})(?:[ _-]?\d{1,4})?\Z")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def makes_no_word(value: str) -> bool:
    """Return whether letters look made up: their pairs occur in no word, or capitals cut them into single letters."""
    return oddness(value) >= 0.3 or (" " not in value and len(value) < 2.5 * len(_PART.findall(value)))


def may_be_words(value: str, shortest: int = 6, is_quoted: bool = True) -> bool:
    """Return whether words, maybe with a number, may be a secret: no label, no sentence, no name of something.

    Labels in quotes begin with a capital; a bare value may.
    """
    words = _LETTERS.match(value)
    if len(value) < shortest or not words or is_placeholder(value):
        return False
    value, parts = words[1], _PART.findall(value)
    if _NAMING.search(" ".join(parts)):
        return False
    is_one_case = value.islower() or (not is_quoted and (value[1:].islower() or value.isupper()))
    return makes_no_word(value) or (is_one_case and _NO_SECRET.isdisjoint(map(str.lower, parts)))


def is_phrase(value: str) -> bool:
    """Return whether a value is a passphrase of joined words and a number, such as `quiet-river-42`."""
    return "-" in value and value[-1:].isdigit() and value.islower() and may_be_words(value, 8)


def looks_random(value: str, odd: float = 0.25) -> bool:
    """Return whether a value looks generated: its letter pairs occur in no word, or digits interrupt them."""
    head = value[:JUDGED]
    if is_placeholder(value) or len(set(head)) < min(7, len(head) // 2):
        return False
    if _HEX.match(head) or has_crossed_brackets(head) or len(set(_ODD_SIGN.findall(head))) > 3:
        return True
    digits = len(_DIGIT.findall(head))
    return oddness(head) >= (min(odd, 0.2) if digits > 3 and len(head) > 31 else odd if digits else 0.45)


def looks_chosen(value: str) -> bool:
    """Return whether a value looks like a password that a person chose: letters mixed with digits or signs."""
    head = value[:JUDGED]
    if is_placeholder(value) or not _LETTER.search(head):
        return False
    return bool(_DIGIT.search(head)) or not head.replace("_", "").replace("-", "").replace(".", "").isalnum()


def oddness(value: str) -> float:
    """Return the share of a value's adjacent characters that occur in no word: 0.05 in names, 0.5 in secrets."""
    unusual = sum(pair.lower() not in _USUAL for pair in _PAIR.findall(value))
    return (unusual + len(_TURN.findall(value))) / max(1, len(value) - 1)


_NUMBERED = re.compile(r"([A-Z]?[a-z]+|[A-Z]+)(\d+)")
# What numbers follow in names: of formats, protocols and devices, and words that are counted.
_COUNTED = (
    "a aes and angular answer apache app arg argon arm ascii at atan auth b base bert bf blake block boost box"
    " bs build by c case ch channel chapter class claude col color column conv core cp cpu crc d data day db"
    " debian demo dim div dotnet e ec ed es ex example exercise expm f fc field fig figure file float for form"
    " fp g gemini get gpt gpu grade group h hash hdmi heading host hour hs http i id in index input int ip ipv"
    " is iso item j java job js k key l lab layer level line list llama log lstm lua m mac mat math matrix md"
    " mode model module month mp mysql n neo net new next nginx no node num number nuxt o oauth object of off"
    " old on option opus os p page param part pg phase pkcs player point port postgres ps psr py python q"
    " question qwen r react rfc rnn room round row rs rsa s sample section select server set sha slide sonnet"
    " attempt attempts campo champ comment config feld identifier method pole punctuation valor veld"
    " sqlite stage step strict t table task team temp test thread tmp to track type u ubuntu uint unit usb use"
    " user utf v val value var vec vector version vue w web week wifi win windows worker x y year z"
)
_NAMES = frozenset(_COUNTED.split())
_SIZES = frozenset(str(2**power) for power in range(3, 13)) | {"384"}


def is_numbered_word(value: str) -> bool:
    """Return whether words of letters go on behind a number, as in `blue7Kettle`, and these are not ones that count."""
    if not value.isalnum() or not value.isascii() or value.islower() or value.isupper() or value[-1:].isdigit():
        return False
    found = _NUMBERED.findall(value)
    return (
        7 < len(value) < 33
        and bool(found)
        and not any(word.lower() in _NAMES or size in _SIZES for word, size in found)
    )


_WORDED = re.compile(r"([A-Z]?[a-z]{3,24}|[A-Z]{4,16})(?:[_+'-]?([A-Z]?[a-z]{3,16}))?[_.+'-]?(\d{1,4})[!?]?\Z")


def is_counted(value: str) -> bool:
    """Return whether a value is a word that has numbers in names, as `version2`, or one that no secret has."""
    words = {*map(str.lower, _PART.findall(value))} if value.isalnum() and value[-1].isdigit() else set[str]()
    return not (words.isdisjoint(_NAMES) and words.isdisjoint(_NO_SECRET))


def is_numbered(value: str) -> bool:
    """Return whether a value is one word that has numbers in names, with its number, as in `method12`."""
    return value.rstrip("0123456789").isalpha() and is_counted(value)


def is_worded(value: str) -> bool:
    """Return whether a value is a word and a number, as in `Harbour77`, and names nothing that has numbers."""
    match = _WORDED.match(value)
    if not match or len(value) < 8 or is_placeholder(value) or _NAMING.search(value):
        return False
    words = {*map(str.lower, _PART.findall(value))}
    return words.isdisjoint(_NAMES) and words.isdisjoint(_NO_SECRET) and match[3] not in _SIZES


_JOINED = re.compile(r"[a-z]{4,16}(?:[_-][a-z]{4,16}){0,5}\Z")


def is_joined(value: str, words: int = 1) -> bool:
    """Return whether a value is of letters alone, or of so many words or more that a sign joins."""
    if value.isalpha():
        return words == 1
    return _JOINED.match(value) is not None and len(re.split("[_-]", value)) >= words


_ALONE = re.compile(r"[A-Za-z0-9!#$%^&*?~@+-]{8,64}\Z")
_STRICT_SIGN = re.compile(r"[!@#$%^&*?~+=]")
# Letters, a digit and a sign that no name and no path has.
_TYPED = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])(?=\S*\w[!#^*?~%$])(?!\S*(?:[=/:]|%[\da-fsx]))[\w!#^*?~%$@.+-]{8,40}+\Z")
_COINED = re.compile(r"(?=.{0,64}\d)(?=.{0,64}[A-Za-z])[\w!#$%^&*?~+@.'-]{8,64}\Z")
_MARKED = re.compile(r"[!#^&]|(?<!%)[$*](?![sd])|\d%|%\d")
_WORD_AND_DIGITS = re.compile(r"[A-Z][a-z]{2,}\d{2,}\Z|[A-Za-z]{3,}(?:[_+'][A-Za-z]{3,})?[_+']?\d{1,4}\Z")
_NAME_LIKE = re.compile(r"[A-Za-z_]+\d{0,3}(?>[.:/-]{0,2}[A-Za-z_]+\d{0,3})*+\Z")
_ERROR = re.compile(r"(?=.*(?:PASS|SECRET|TOKEN|KEY))[A-Z]+(?:_[A-Z]+){2,}\d?\Z")  # as in `PASSWORD_TOO_SHORT2`
_CHAIN = re.compile(r"[A-Za-z_$.]+=(?!=)[A-Za-z_$.]")  # the next name in `a.pass=b.pass=…`


def is_strict(value: str) -> bool:
    """Return whether a value is a password where nothing gives it: long, of letters and digits, and no name."""
    head = value[:JUDGED]
    if has_crossed_brackets(value):
        return True
    if len(value) < 8 or not has_digit(head) or not any(map(str.isalpha, head)) or is_placeholder(value):
        return False
    is_of_all = not (head.isalnum() or head.islower() or head.isupper())
    return is_of_all or oddness(head) >= 0.25 or has_sign(head) or is_numbered_word(head)


def has_digit(value: str) -> bool:
    """Return whether a value has a digit."""
    return any(map(str.isdigit, value))


def has_sign(value: str) -> bool:
    """Return whether a value has a sign that words and names have not."""
    return _STRICT_SIGN.search(value) is not None


def looks_typed(value: str) -> bool:
    """Return whether a value is a person's password anywhere: of letters, digits and a sign that no name has."""
    return _TYPED.match(value) is not None


def is_mixed(value: str) -> bool:
    """Return whether a value is no word of a sentence: it has digits among its letters, or odd inner capitals."""
    has_capitals = len(value) >= 8 and value.isalpha() and not value[1:].islower()
    return (has_digit(value) and looks_chosen(value)) or (has_capitals and (value.isupper() or makes_no_word(value)))


_ONE_WORD = re.compile(r"[A-Z]?[a-z]+\d*\Z")


def is_short(value: str) -> bool:
    """Return whether a short value was generated, as `9kTr2Lx`."""
    return len(value) > 5 and is_mixed(value) and oddness(value) >= 0.3 and not _ONE_WORD.match(value)


def is_made_up(value: str) -> bool:
    """Return whether a value is of letters and digits, and of signs that no name and no path has."""
    return _ALONE.match(value) is not None and has_digit(value) and looks_chosen(value)


def is_coined(value: str, may_be_word: bool) -> bool:
    """Return whether a token is of letters, digits and signs, or, where it `may_be_word`, of a word and digits."""
    if not _COINED.match(value) or is_placeholder(value) or "!!" in value:  # as where two texts are joined
        return False
    if _MARKED.search(value):
        return True
    return may_be_word and _WORD_AND_DIGITS.match(value) is not None and (value[1:].isalpha() or is_worded(value))


def is_code(value: str, is_quoted: bool) -> bool:
    """Return whether a value is another name's assignment or, in quotes, a path, a label, or between two texts."""
    if not is_quoted:
        return _CHAIN.match(value) is not None
    if _ERROR.match(value):
        return True
    is_path = "/" in value and oddness(value) < 0.2
    if is_path and value[0] == "/" and value.count("/") > 2 and value.islower():  # a route, with `@1.4` in it or not
        return True
    return (is_path or value[0] in ",;)" or value[-1] == ":") and not is_strict(value)


def is_name_like(value: str) -> bool:
    """Return whether a value without quotes may well be a variable, an attribute or a type."""
    if not _NAME_LIKE.match(value) or (len(value) >= 10 and looks_random(value, 0.4)):
        return False
    return "-" not in value or value.islower() or not has_digit(value)


def is_of_odd_words(words: list[str], passphrase: bool = False) -> bool:
    """Return whether words form a secret: one is random, most change their characters, or a number ends a passphrase.

    A request header's scheme and what refers to a secret are no part of one.
    """
    if looks_random(words[0], 0.35):
        return True
    if words[0].lower() in _SCHEMES or _REFERENCE.search(" ".join(words)):
        return False
    bare = [word.strip(_PUNCTUATION) for word in words]
    if any(len(word) >= 8 and _DIGIT.search(word) and looks_random(word) and _is_changing(word) for word in bare):
        return True
    if 2 * sum(map(_is_changing, bare)) > len(bare):
        return True
    *names, number = words
    return (
        passphrase
        and number.isdigit()
        and len(names) > 3
        and all(map(_PHRASE_WORD.match, names))
        and not any(map(is_placeholder, names))
    )


def _is_changing(word: str) -> bool:
    """Return whether a word changes between letters, digits and capitals more often than `sha256` or `1Password`."""
    has_all = all(sign.search(word) for sign in (_DIGIT, _LETTER, _ODD_SIGN))
    return has_all or len(_CHANGE.findall(word)) > 1


def has_crossed_brackets(value: str) -> bool:
    """Return whether a bracket closes another kind of bracket, as in no program."""
    head, opened = value[:JUDGED], list[str]()
    if _OPENING.isdisjoint(head):
        return False
    for sign in head:
        if sign in _OPENING:
            opened.append(sign)
        elif sign in _PAIRS and opened and opened.pop() != _PAIRS[sign]:
            return True
    return False
