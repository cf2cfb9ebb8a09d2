"""Find the secrets in a text: by format, by location, and by the names that they are assigned to."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, groupby
from typing import NamedTuple

from compact_chat.errors import checkpoint
from compact_chat.redact.assignments import NAMES, assigned, four_by_four, is_value, phrases
from compact_chat.redact.columns import manifests
from compact_chat.redact.given import AFTER_USER, PURE_HEX
from compact_chat.redact.logins import CALLS, PAIRS, TITLES, in_calls, in_pairs, inserted, titled
from compact_chat.redact.spans import Finder, Literal, Literals, Span, anchored, compiled, having, merged, occurrences
from compact_chat.redact.tokens import broken, tokens
from compact_chat.redact.unescaped import Unescaped, without_inner_quotes
from compact_chat.redact.values import (
    is_made_up,
    is_numbered,
    is_placeholder,
    is_strict,
    is_worded,
    looks_chosen,
    looks_random,
    may_be_words,
    oddness,
)

# Secrets revealed by their location: request headers, URLs, commands, and the login files that these read.


_LONG_VALUE = re.compile(r"=([^;\s]{8,})")
_LONGEST_COOKIES = 4096  # characters examined in a line of cookies
# Programs that send requests; that take a password as `-p`, right behind it or not; that read one from `<<<`.
_CALLER = re.compile(r"\b(?:curl|http|https|wget|xh)\b(?:[^\n]|(?<=\\)\n){0,300}\Z")
_ATTACHED = re.compile(r"\b(?:sshpass|mysql(?:dump|admin)?|mariadb(?:-dump)?|7za?|(?:un)?rar)\b[^\n|;]{0,160}\Z")
_SPACED = re.compile(
    r"(?:\b(?:sshpass|twine|hydra|medusa|useradd|usermod|login|(?:un)?zip|mongo\w*|sqlcmd|snowsql|bcp|cypher-shell|cqlsh|arangosh|cbq|ipmitool"
    r"|mosquitto_\w+|evil-winrm|smbmap|xfreerdp|rdesktop)|(?i:psexec(?:\.exe)?))\b[^\n|;]{0,160}\Z"
)
_MACHINE = re.compile(
    r"\b(?:machine\s{1,4}\S{1,128}|default)(?:\s{1,16}(?:port|account)\s{1,8}\S{1,64}){0,2}\s{1,16}\Z"
)
_AUTHORIZES = re.compile(r"auth[\w\]\\\s\"'`:=>,({-]{0,24}\Z", re.IGNORECASE)
_READER = re.compile(r"\b(?:cryptsetup|sudo|su|passwd|login|gpg|kinit|openssl|secrets?)\b[^\n|;]{0,160}\Z")
_USER = re.compile(r"\s(?:-[uUlD]|--?user(?:name)?)[\s=]?[^\s-][^\n|;]{0,100}\Z")
_GROUPING = re.compile(r"\b(?:docker|podman|nerdctl|chown|chroot|setpriv)\b[^\n|;]{0,160}\Z")  # take `user:group`
_GOES_ON = re.compile(r"(?=.{10})[^\W\d]+\d+[^\W\d]|[^\w-]")  # behind a number, not as in `changed2`
_SIGN = re.compile(r"\w[!#$^*?~]")
_NAMED = re.compile(r"[^\W_A-Z]+\Z|[A-Z][a-z]+\d+\Z")  # what a folder, a project or a database may be called
_PATH = re.compile(r"[/\\]|\.\w{1,5}\Z|=")


def _value(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]


def _is_given(value: str) -> bool:
    return not is_placeholder(value)


def _is_cookie(value: str) -> bool:
    return any(map(looks_random, _LONG_VALUE.findall(value[:_LONGEST_COOKIES])))


def _is_login(value: str) -> bool:
    """Return whether base64 decodes to a typable `name:password`."""
    try:
        plain = base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= sign < 127 for sign in plain[:64])


def _is_basic(value: str) -> bool:
    return _is_login(value) or (len(value) > 11 and looks_random(value))


def _is_no_path(value: str) -> bool:
    return is_strict(value) and not _PATH.search(value)


def _is_no_argument(value: str) -> bool:
    """Return whether what follows `-p` is no project, folder or database, as in `-p db2024x`."""
    if not is_strict(value) or _SIGN.search(value):
        return is_strict(value)
    return _is_no_path(value) and (not _NAMED.match(value) or oddness(value) >= 0.3)


def _is_clear(value: str) -> bool:
    """Return whether a value that nothing names is a password: it has a sign that no path has, or looks random."""
    return is_strict(value) and bool(_SIGN.search(value) or (len(value) > 9 and looks_random(value, 0.35)))


def _is_no_id(value: str) -> bool:
    return looks_random(value) and not PURE_HEX.match(value)


def _behind(program: re.Pattern[str], match: re.Match[str], characters: int = 200) -> bool:
    """Return whether a program, or what else the pattern finds, is before a match."""
    return program.search(match.string, max(0, match.start() - characters), match.start()) is not None


def _is_option(match: re.Match[str]) -> bool:
    """Return whether `-p` gives a password to the program before it, or a clear one behind a user's name."""
    if match[1] and _behind(_USER, match) and _is_no_argument(_value(match)):
        return True
    return _behind(_SPACED if match[1] else _ATTACHED, match)


def _is_of_login(match: re.Match[str]) -> bool:
    """Return whether `login … password …` is of a login file, not of a sentence."""
    value = _value(match)
    is_clear_alone = looks_chosen(value) or (value.isdigit() and len(value) > 7)
    return is_clear_alone or _behind(_MACHINE, match) or (match["line"] is not None and may_be_words(value, 12))


def _is_of_user(match: re.Match[str]) -> bool:
    """Return whether `-u name:…` gives a password: to a program that sends requests, or one that looks like it."""
    has_user = match.string[match.start() : match.start(match.lastindex or 0)].rstrip("\"':,")[-1:] not in " ="
    is_login = has_user and not _behind(_GROUPING, match)
    return (looks_chosen if is_login else _is_clear)(_value(match)) or _behind(_CALLER, match, 320)


_QUOTED = r"(?:'([^'\n]{4,128})'|\"([^\"\n]{4,128})\")"
_VALUE = r"(?:'([^'\n]{4,128})'|\"([^\"\n]{4,128})\"|((?:[^\s'\"`;|&]|&(?=[^\s&])){4,128}))"
_SECURED = r"ConvertTo-SecureString (?:-(?:String|AsPlainText|Force) ){0,3}"
_SAID = _VALUE.replace("|&]|&(?=[^\\s&])", "|]")  # in no command, where `&` ends one


# What is said between a name and a colon.
_ABOUT = r"(?=[^\n:=]{0,40}\b(?:is|was|been|for|of|to|set|generated|created|changed)\b)[^\n:=]{2,60}:"
_OF_NO_ID = "".join(rf"(?<!\b(?i:{owner}):)" for owner in ("user", "commit", "job", "client", "id"))
# Commands that read a secret from their input.
_STORES = (
    r"(?:sudo\s-S|(?:sudo\s)?(?:passwd\s--stdin|gh\s(?:secret|auth)|vercel\senv|wrangler\ssecret|docker\s(?:secret|login)|gcloud\ssecrets|pass\sinsert"
    r"|kubectl|fly(?:ctl)?\ssecrets|heroku|op\s|aws\s|npx\s(?:wrangler|vercel)|podman\s(?:secret|login)|helm\sregistry))"
)


class Place(NamedTuple):
    """Locations of one kind of secret, by their lower-case prefix: patterns whose last group is a value to judge."""

    kind: str
    judge: Callable[[str], bool]
    forms: dict[str, str]
    near: Callable[[re.Match[str]], bool] = bool  # whether it is one by what is around it
    needed: str = ""  # what else the text has to contain


PLACES = (
    Place(
        "bearer-token",
        looks_random,
        {
            "bearer": r"(?i:bearer)(?::?(?:\s|%20){1,4}[\"']?|[\"'],\s{0,4}[\"'])([\w.~+/=-]{16,}+)",
            "_bearer": r"(?i:_bearer)[\"']?\s?[:=]\s?[\"']([\w.~+/=%-]{16,}+)",
            "authorization": r"(?i:authorization)[\"'`\]\s:=,]{1,8}(?!(?i:basic)\b)"
            r"(?:[A-Za-z][\w-]{1,20}[\s:=]{1,4})?"
            r"([\w.~+/=-]{12,}+)",
        },
    ),
    Place(
        "basic-auth",
        _is_basic,
        {"basic": r"(?i:basic)\s{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/])"},
        lambda match: _is_login(_value(match)) or _behind(_AUTHORIZES, match, 32),
    ),
    Place(
        "basic-auth",
        _is_login,
        {"auth": r"(?i:auth)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/=])"},
    ),
    Place(
        "cookie",
        _is_cookie,
        {
            "cookie": r"(?i:cookie)[\"']?\s{0,4}[:=]?\s{0,4}[\"']?([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)",
            "-b": r"-b\s{1,4}[\"']([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)",
        },
    ),
    Place("cookie", looks_random, {"_session=": r"_session=([\w%+/-]{24,}+)"}),
    Place(
        "url-password",
        _is_given,
        {
            "://": r"://[^\s/:@'\"<>`\\]{0,256}+:(?!\d{0,5}/)"
            r"([^\s@'\"<>`\\]{1,256}+(?:@[^\s/@'\"<>`\\]{1,64}){0,2})@(?=[\w.\[-])",
        },
        needed="@",
    ),
    Place("url-password", looks_random, {"://": r"://([\w-]{20,256})@(?=[\w.\[-])"}, needed="@"),
    Place("signature", looks_random, {"sig": r"(?<=[?&;\-_])(?i:sig(?:nature)?=)([\w%+/=-]{24,}+)"}),
    Place("password", _is_given, {" -p": rf" -[pP](\s{{0,4}}){_VALUE}"}, _is_option),
    Place("password", is_strict, {f"-p{quote},": rf"-[pP]{quote},\s{{0,4}}{_QUOTED}" for quote in "\"'"}),
    Place(
        "password",
        _is_given,
        {
            "redis-cli": rf"redis-cli\b[^\n|;]{{0,160}}?\s-a\s{{1,4}}{_VALUE}",
            " pass:": rf" pass:{_VALUE}",
            "requirepass ": rf"requirepass {_VALUE}",
            "http ": rf"http\b[^\n|;]{{0,80}}?\s-a\s{{1,4}}[\w.@-]{{1,64}}:{_VALUE}",
            ":pserver:": r":pserver:[\w.-]{1,64}:([^\s@]{4,128})@",
            "radtest ": rf"radtest\s\S{{1,64}}\s{_VALUE}\s",
            "snmp": rf"snmp\w{{1,12}}\b[^\n|;]{{0,160}}?\s-[AX]\s{{1,4}}{_VALUE}",
            "rootpw ": rf"rootpw[ \t]{{1,8}}(?:--plaintext )?(?![{{-]){_VALUE}[ \t]*(?=\n|\Z)",
            "signtool ": rf"signtool\b[^\n|;]{{0,160}}?\s/p\s{_VALUE}",
            "masterauth ": rf"masterauth {_VALUE}",
            "auth-pass ": rf"auth-pass \S{{1,64}} {_VALUE}",
            " /rp ": rf" (?i:/rp) {_VALUE}",
            "identified ": rf"(?i:identified\s(?:with\s[\w'\"]{{1,40}}\s)?by\s(?:password\s)?){_QUOTED}",
            "networkcredential(": rf'(?i:networkcredential)\(\s{{0,4}}"[^"\n]{{1,64}}"\s{{0,4}},\s{{0,4}}{_QUOTED}',
            "directoryentry(": r'(?i:directoryentry)\((?:\s{0,24}"[^"\n]{1,128}"\s{0,4},){2}\s{0,24}"([^"\n]{4,128})"',
            "convertto-securestring ": rf"{_SECURED}{_QUOTED}",
            "jdbc:oracle:": r"jdbc:oracle:[a-z]{1,8}:[\w.-]{1,64}/([^\s@/\"']{4,128})@",
            "net user ": rf"(?i:net\suser)\s\S{{1,64}}\s{{1,4}}{_VALUE}\s{{1,4}}/",
            "smbclient": rf"smbclient\b[^\n|;]{{0,160}}?\s-U\s?['\"]?[\w.\\-]{{1,64}}%{_VALUE}",
            "ldap": rf"ldap(?:search|modify|add|delete|passwd|whoami|compare)\b[^\n|;]{{0,160}}?\s-w\s{{0,4}}{_VALUE}",
            "openssl ": rf"openssl\senc\b[^\n|;]{{0,160}}?\s-k\s{{1,4}}{_VALUE}",
            "htpasswd ": rf"htpasswd\s-(?=\w*b)(?:\w*n\w*|\w+\s\S{{1,128}})\s\S{{1,64}}\s{_VALUE}",
            "nmcli ": rf"nmcli\b[^\n|;]{{0,80}}?\spassword\s{_VALUE}",
            "networksetup ": rf"networksetup\s-setairportnetwork\s\S{{1,16}}\s\S{{1,64}}\s{_VALUE}",
            "stats auth ": rf"stats\sauth\s[\w.-]{{1,64}}:{_VALUE}",
            "composer ": rf"composer\sconfig\s(?:-\S{{1,10}}\s){{0,3}}http-basic\.\S{{1,64}}\s\S{{1,64}}\s{_VALUE}",
            "lftp ": rf"lftp\s-u\s[\w.@-]{{1,64}},{_VALUE}",
            "sqlplus ": r"sqlplus\s(?:-\w{1,8}\s){0,3}[\w.$#-]{1,64}/([^\s\"'`;|]{4,64}?)@",
            "userid=": r"userid=[\"']?[\w.$#-]{1,64}/([^\s\"'`;|@]{4,64})",
            "pragma key": rf"(?i:pragma\skey)\s?=\s?{_QUOTED}",
            "--from-literal": rf"--from-literal[= ][\"']?[\w.-]{{1,64}}=(?=\S*\d){_VALUE}",
            "wpa_passphrase ": rf"wpa_passphrase\s(?:\"[^\"\n]{{1,64}}\"|\S{{1,64}})\s{_VALUE}",
            "rabbitmqctl ": rf"rabbitmqctl\s(?:add_user|change_password)\s\S{{1,64}}\s{{1,4}}{_VALUE}",
            "sp_addlogin ": rf"(?i:sp_addlogin)\s{{1,4}}'[^'\n]{{1,128}}'\s{{0,4}},\s{{0,4}}{_QUOTED}",
            "ssh-keygen ": rf"ssh-keygen\b[^\n|;]{{0,160}}?\s-N\s{{1,4}}{_VALUE}",
            "security add-": rf"security\sadd-\w{{1,10}}-password\b[^\n|;]{{0,160}}?\s-w\s{{1,4}}{_VALUE}",
            "bundle_": r"BUNDLE_[A-Z0-9_]{1,60}__[A-Z0-9]{1,20}\s?[:=]\s?[\"']?\w{2,64}:(\w{4,64})",
            ":5432:": r":5432:[\w*.-]{1,64}:[\w*.@-]{1,64}:(\S{3,128})",
        },
    ),
    Place(
        "password",
        _is_given,
        {
            "login ": r"(?P<line>(?:(?<=\n)|(?<![\s\S]))(?=login \S+ password \S+[ \t]*(?:\n|\Z)))?login\s{1,8}"
            r"(?!(?:and|or|page|form|screen|flow|with|via|by)\b)\S{1,128}\s{1,16}(?:account\s{1,8}\S{1,64}\s{1,16})?"
            r"password\s{1,8}(\S{3,128})"
        },
        _is_of_login,
    ),
    Place(
        "password",
        looks_chosen,
        {
            # Of routers and switches, where a digit says how the value is written.
            " password ": r" password\s[07]\s(\S{6,64})",
            " secret ": r"(?:(?<=[\n#\"'`]enable)|(?<=[\n# ] enable)|(?<![\s\S]{7})(?<=enable)) secret\s(?:[0579]\s)?"
            r"(\S{6,128})[ \t]*(?=\n|\Z)",
            "username ": r"(?<![^\n])username\s\S{1,64}\s(?:privilege\s\d{1,2}\s)?"
            r"(?:secret\s(?:[0579]\s)?|password\s[0579]\s)(\S{6,128})[ \t]*(?=\n|\Z)",
            "impdp ": r"impdp\s[\w.$#-]{1,64}/([^\s\"'`;|@]{4,64})",
            "expdp ": r"expdp\s[\w.$#-]{1,64}/([^\s\"'`;|@]{4,64})",
            "password-command": rf"password-command[= ][\"']echo\s{_VALUE}",
            "setuser ": r"(?i:setuser)\s\S{1,64}\s[^\n]{0,60}?>(\S{6,128})",
            "static:": r"static:[\w.@-]{1,64}:([^\s:]{6,64})",
            "chpasswd:": r"chpasswd:\s{1,12}(?:expire:\s\w{4,5}\s{1,12})?list:\s?\|?-?\s{1,12}"
            r"(?:-\s)?[\"']?\w{1,32}:([^\s\"']{6,64})",
            "-server ": rf"-server\s(?:community|key)\s(?:[07]\s)?{_VALUE}",
            "yes ": rf"yes\s{_VALUE}\s\|\s?(?:sudo\s)?passwd",
        },
    ),
    Place(
        "password",
        lambda value: is_made_up(value) and not is_numbered(value),
        {"tried ": rf"tried\s(?:with\s)?{_QUOTED}", "tried: ": rf"tried:\s{_QUOTED}"},
        partial(_behind, re.compile(r"assword[^\n]{0,80}\Z")),
    ),
    Place("password", looks_chosen, {"<<<": rf"<<<\s?{_VALUE}"}, partial(_behind, _READER)),
    Place("password", _is_no_path, {" /p:": rf" /p:{_VALUE}", "convertto-securestring ": rf"{_SECURED}{_VALUE}"}),
    Place(
        "password",
        _is_clear,
        {
            user + sign: rf"(?<![\w./-]){user}(?::|\s?/{{1,2}}\s?)([\w!#$%^&*?~@+-]{{8,64}})(?=[\s),.;]|\Z)"
            for user in ("root", "admin")
            for sign in ("/", " / ", ":")
        },
    ),
    Place(
        "password",
        lambda value: _is_clear(value) or looks_random(value, 0.4),
        {" password-": r" (?i:password)-(\S{8,64})(?=\s|\Z)"},
    ),
    Place(
        "token",
        looks_random,
        {
            "login ": r"(?<=vault |cargo )login\s(?:[\w=-]{1,24}\s)?([\w.-]{20,})",
            "sonar.login": r"sonar\.login\s?[=:]\s?[\"']?(\w{20,64})",
            "doctl ": r"doctl\b[^\n|;]{0,160}?\s(?:-t|--access-token)[\s=]{1,4}(\w{20,80})",
            "poetry ": r"poetry\sconfig\spypi-token\.\S{1,64}\s{1,4}([\w.-]{20,})",
        },
    ),
    Place(
        "token",
        _is_no_id,
        {
            word: rf"(?i:{word}){_ABOUT}{_OF_NO_ID}\s{{1,4}}([^\s/.~@*-]\S{{15,127}})[ \t]*(?=\n|\Z)"
            for word in ("secret ", "token ")
        },
    ),
    Place(
        "password",
        lambda value: _is_clear(value) or _is_no_path(value),
        {"password ": rf"(?i:password ){_ABOUT}\s{{1,4}}(\S{{8,64}})[ \t]*(?=\n|\Z)"},
    ),
    Place(
        "password",
        lambda value: is_strict(value) or is_worded(value),
        {
            "/pwd(": r"/(?i:pwd)\(([^\s()]{6,64})\)",
            "/pw(": r"/(?i:pw)\(([^\s()]{6,64})\)",
            "alias set ": rf"alias\sset\s\S{{1,64}}\shttps?://\S{{1,128}}\s{{1,4}}\S{{1,128}}\s{{1,4}}{_VALUE}",
            "host add ": rf"host\sadd\s\S{{1,64}}\shttps?://\S{{1,128}}\s{{1,4}}\S{{1,128}}\s{{1,4}}{_VALUE}",
            "net use ": rf"(?i:net\suse)\s(?:\w:\s|\*\s)?\\\\\S{{1,128}}\s{{1,4}}{_VALUE}\s{{1,4}}/",
            "poetry ": rf"poetry\sconfig\shttp-basic\.\S{{1,64}}\s{{1,4}}\S{{1,64}}\s{{1,4}}{_VALUE}",
            "identified ": r"(?i:identified\sby\s)([^\s'\";]{6,64})",
        },
    ),
    Place(
        "password",
        looks_chosen,
        {"assword": r"assword[^\n]{0,40}?\s{0,24}send\s(?:--\s)?\"([^\"\\\s]{6,64})\s?(?:\\|\")"},
    ),
    Place(
        "password",
        is_made_up,
        {"auth ": r"(?<![^\s>])AUTH (?:\w{1,24} )?(?![A-Z]+-[A-Z]+-?\d)(\S{6,128})[ \t]*(?=\n|\Z)"},  # no `CRAM-MD5`
    ),
    Place(
        "token",
        lambda value: is_strict(value) or is_worded(value),
        {
            "authorization": r"(?i:authorization)[\"'\]]{0,2}\s?[:=]\s?[\"'`]?(?i:token|bearer|key|api-?key)\s"
            r"([\w.~+/=!@#$%^&*-]{8,64})",
        },
    ),
    Place(
        "password",
        lambda value: is_strict(value) or (is_made_up(value) and _GOES_ON.search(value) is not None),
        {
            " pass": rf" (?i:pass(?:word|wd)?)\s{{1,3}}{_SAID}",
            "pw": rf"(?<=[ ,])(?i:pwd?)\s{{1,3}}{_SAID}",
        },
        lambda match: _behind(AFTER_USER, match, 80),
    ),
    Place(
        "password",
        _is_given,
        {
            "-u": r"-u(?:ser)?(?:[\s=]{1,4}|\",\s{0,4}(?=\"))"
            r"(?:'[\w.@-]{1,64}:([^'\n]{4,128})'|(?:\"[^\"\s:]{1,64}\"|[\w.@-]{1,64}):(?:\"([^\"\n]{4,128})\"|'([^'\n]{4,128})')"
            r"|\"?[\w.@-]{0,64}[:,]([^\s\"'`]{4,128}+)|\"([^\"\s:]{8,128}):\")"
        },
        _is_of_user,
    ),
    Place(
        "secret",
        looks_chosen,
        {
            command: rf"{command}\s{{1,4}}(?:-\w\s|[\"']%s(?:\\n)?[\"']\s)?[\"']?"
            rf"([^\s\"'|]{{6,128}})[\"']?\s{{0,4}}\|\s{{0,4}}{_STORES}"
            for command in ("echo", "printf")
        },
        needed="|",
    ),
    Place(
        "secret",
        looks_chosen,
        {
            command: rf"{command}\s{{1,4}}(?:-\w\s|[\"']%s(?:\\n)?[\"']\s)?[\"']?"
            r"([^\s\"'|>$]{8,128})[\"']?\s{0,4}>{1,2}\s{0,4}"
            r"[^\s|;]{0,80}(?i:pass|secret|token|cred|api[_-]?key)"
            for command in ("echo", "printf")
        },
        needed=">",
    ),
    Place(
        "password",
        _is_given,
        {
            command: rf"{command}\s{{1,4}}[\"']?[\w.-]{{1,64}}:([^\s\"'|]{{4,128}})[\"']?\s{{0,4}}\|"
            r"\s{0,4}(?:sudo\s)?chpasswd"
            for command in ("echo", "printf")
        },
        needed="chpasswd",
    ),
)
_DRIVER = re.compile(r"[\w.-]{1,64}:([^\s\"'`@]{1,128})\Z")
_LONGEST_LOGIN = 200


def _placed(place: Place, form: str, text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the secrets in one kind of location."""
    if place.needed in text:
        for match in anchored(text, places, compiled(form)):
            if place.judge(_value(match)) and place.near(match):
                yield Span(*match.span(match.lastindex or 0), place.kind)


_LOGIN = re.compile(r"(?<![\w:/.-])(?!(?i:mailto|to|from|cc|by|npm|workspace):)[\w.-]{1,40}:([^\s:@/'\"`]{6,64})\Z")
_HOST = re.compile(
    r"@(?:[\w-]+(?:\.[\w-]+)*\.[a-z]{2,10}|\d{1,3}(?:\.\d{1,3}){3})\b(?:\s?[:|/]\s?(?P<value>[\w!#$%^&*?~@+-]{8,64})(?=[\s|]|\Z))?",
    re.IGNORECASE,
)


def _hosts(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the password in `name:password@host.example`, and in `name@host.example:password`."""
    for match in anchored(text, places, _HOST):
        is_git = text.startswith("git@", match.start() - 3)  # whose path follows
        if match["value"] and not is_git and _is_clear(match["value"]):
            yield Span(*match.span("value"), "password")
        login = _LOGIN.search(text, max(0, match.start() - 110), match.start())
        if login and is_strict(login[1]) and (looks_random(login[1], 0.3) or not login[1].isalnum()):
            yield Span(*login.span(1), "url-password")


def _drivers(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the password in `name:password@tcp(host)`."""
    for at in places:
        login = _DRIVER.search(text, max(0, at - _LONGEST_LOGIN), at)
        if login and _is_given(login[1]):
            yield Span(*login.span(1), "url-password")


# E-mail addresses, masked only on request.


LONGEST_NAME = 64
_DOMAIN = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_MAILBOX = re.compile(r"[A-Za-z0-9._%+-]+\Z")


def email_addresses(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the addresses in a text; `git@host` is a repository login, not an address."""
    for match in anchored(text, places, _DOMAIN):
        name = _MAILBOX.search(text, max(0, match.start() - LONGEST_NAME), match.start())
        if name and name[0] != "git":
            yield Span(name.start(), match.end(), "email")


# Private key blocks, over several lines or with escaped line ends, numbered, quoted, whole or truncated.


KIND = "private-key"
LONGEST = 20_000
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
TITLE = re.compile(rf"-----BEGIN {_NAME}-----")
# Between two lines: line ends, also escaped, quote marks of a line, and its number if a tool numbers lines.
_BREAK = r"(?:[\s\"'+,>|]|\\[nr]|\d{1,6}[→│:\t])"
_FIELD = r"[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n"  # such as `Proc-Type: 4,ENCRYPTED`
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?>{_BREAK}|{_FIELD})*+{_LINE}(?>(?>{_BREAK})*+{_LINE})*+")
_TAIL = re.compile(rf"(?:(?>{_BREAK})*+[A-Za-z0-9+/=]{{1,15}}){{0,2}}(?>{_BREAK})*+-----END {_NAME}-----")
_CLOSING = re.compile(rf"-----END {_NAME}-----")
_REST = re.compile(
    rf"(?>[A-Za-z0-9+/]{{40,}}={{0,2}}{_BREAK}{{1,12}})++(?:[A-Za-z0-9+/=]{{1,80}}{_BREAK}{{1,12}}){{0,2}}\Z"
)
_PUTTY_BODY = re.compile(rf"Private-Lines: \d+(?>(?>{_BREAK})*+{_LINE})++")


def private_keys(text: str) -> Iterator[Span]:
    """Yield the private keys in a text with their titles; a title without a key is no secret."""
    edges = (
        *anchored(text, occurrences(text, "-----BEGIN "), TITLE),
        *anchored(text, occurrences(text, "-----END "), _CLOSING),
    )
    done = 0
    for edge in sorted(edges, key=re.Match.start):
        if edge.re is TITLE:
            if body := _BODY.match(text, edge.end(), edge.end() + LONGEST):
                done = (_TAIL.match(text, body.end()) or body).end()
                yield Span(edge.start(), done, KIND)
            continue
        # The rest of a key whose title was cut off.
        if rest := _REST.search(text, max(done, edge.start() - LONGEST), edge.start()):
            yield Span(rest.start(), edge.end(), KIND)
        done = max(done, edge.end())
    for match in anchored(text, occurrences(text, "Private-Lines: "), _PUTTY_BODY):
        yield Span(*match.span(), KIND)


# All finders together.


SLICE, PIECE = 65_536, 4_096  # characters that are searched without a pause, and for the literals of its words
SHORTEST = 8  # characters that a secret and its context need at least
# What is looked for in the texts that have a literal; the more specific kind first.
_FINDERS: tuple[tuple[str, Finder], ...] = (
    *((protocol, _drivers) for protocol in ("@tcp(", "@unix(")),
    ("@", _hosts),
    *((anchor, partial(_placed, place, form)) for place in PLACES for anchor, form in place.forms.items()),
    *((name.word, partial(assigned, name)) for name in NAMES),
    ("pass", four_by_four),
    *((word, phrases) for word in ("phrase", "mnemonic")),
    ("kind:", manifests),
    *((word, partial(in_calls, word)) for word in CALLS),
    *((word, partial(in_pairs, word)) for word in PAIRS),
    *((word, titled) for word in TITLES),
    ("insert", partial(inserted, is_value)),
)
_EMAILS = (*_FINDERS, ("@", email_addresses))


# Words of the names of secrets in JSON, and of what has a name next to it.
_WORDS_OF_NAMES = {*(re.sub(r"\A\W+|\W+\Z", "", literal) for literal, _ in _FINDERS), "value", "default", "data"} - {""}
_OF_DIGITS = {name.word for name in NAMES if name.kind in ("password", "pin")}  # numbers are no tokens


def may_name(name: object, value: object) -> bool:
    """Return whether a member of JSON may be a secret by its name, or has members that may be."""
    if isinstance(value, str | int) and isinstance(name, str):
        return _has_word(name.lower(), isinstance(value, str))
    return isinstance(value, list | dict)


@lru_cache(1024)
def _has_word(name: str, is_text: bool) -> bool:
    return len(name) > 64 or any(word in name for word in (_WORDS_OF_NAMES if is_text else _OF_DIGITS))


@cache
def _searches(emails: bool) -> tuple[Literals, dict[Literal, list[tuple[int, str, int]]]]:
    """Return which literals to search for, and the finders whose literals contain each: their ranks, and where."""
    finders = _EMAILS if emails else _FINDERS
    literals = {literal for literal, _ in finders} | {"@"}
    found: dict[str, list[tuple[int, str, int]]] = {}
    for rank, (literal, _) in enumerate(finders):
        root = min((one for one in literals if one in literal), key=len)
        found.setdefault(root, []).append((rank, literal, literal.index(root)))
    searches = {Literal(root): ranked for root, ranked in found.items()}
    return Literals(searches), searches


_BETWEEN = "\0"  # separates texts; no pattern names it, nor what replaces it in a text
_KEY_MARKS = ("PRIVATE KEY", "Private-Lines: ")


def find(text: str, emails: bool = False) -> tuple[Span, ...]:
    """Find the secrets in a text, ordered and disjoint."""
    return find_all([text], emails)[0]


def find_all(texts: Sequence[str], emails: bool = False) -> list[tuple[Span, ...]]:
    """Find the secrets in each of several texts, as if alone; searched together, short texts take a third of the time.

    What is quick is done for a block of texts at once, and the searches look only at those that have their literal.
    """
    return list(chain.from_iterable(_found(block, emails) for block in _blocks(texts)))


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    first = size = 0
    for place, text in enumerate(texts):
        if size and size + len(text) > 4 * SLICE:
            yield texts[first:place]
            first, size = place, 0
        size += len(text)
    if first < len(texts):
        yield texts[first:]


def _found(texts: Sequence[str], emails: bool) -> Iterator[tuple[Span, ...]]:
    """Yield the secrets of each of several texts."""
    joined = _BETWEEN.join(texts)
    has_keys = any(mark in joined for mark in _KEY_MARKS)
    spans = [list(private_keys(text)) if has_keys else [] for text in texts]
    blank = [_without(text, keys) for text, keys in zip(texts, spans, strict=True)] if has_keys else texts
    if joined.count(_BETWEEN) >= len(texts):
        blank = [text.replace(_BETWEEN, "\1") for text in blank]
    plain = Unescaped(without_inner_quotes(joined if blank is texts else _BETWEEN.join(blank)))
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    at = 0
    for block in [plain.text] if len(texts) > 1 else _slices(plain.text):
        for span in _found_plain(block, emails):
            found = plain.span(Span(span.start + at, span.end + at, span.kind))
            number = bisect_right(starts, found.start) - 1 if len(texts) > 1 else 0
            spans[number].append(Span(found.start - starts[number], found.end - starts[number], found.kind))
        at += len(block)
    yield from (tuple(merged(found)) if found else () for found in spans)


def _without(text: str, keys: Sequence[Span]) -> str:
    """Blank private keys: nothing else is found there, and nothing is joined across."""
    pieces, start = [], 0
    for key in merged(keys):
        pieces += [text[start : key.start], " " * (key.end - key.start)]
        start = key.end
    return "".join([*pieces, text[start:]])


def _slices(text: str) -> Iterator[str]:
    """Cut a text at line ends, so that no step holds the interpreter for long."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + SLICE) + 1 or len(text)
        yield text[start:end]
        start = end


def _found_plain(joined: str, emails: bool) -> Iterator[Span]:
    """Yield the secrets in texts without codes."""
    checkpoint()
    found = [*tokens(joined)]
    finders = _EMAILS if emails else _FINDERS
    for start, text, places in _with_literals(joined.split(_BETWEEN), emails):
        checkpoint()
        spans = chain.from_iterable(finders[rank][1](text, places[rank]) for rank in sorted(places))
        found += (Span(span.start + start, span.end + start, span.kind) for span in spans)
    yield from found
    yield from broken(joined, found)


def _with_literals(texts: Sequence[str], emails: bool) -> Iterator[tuple[int, str, dict[int, list[int]]]]:
    """Yield each text that has literals, where it begins, and where the literal of each finder is in it, by rank.

    Only the pieces of a text that have the words of a literal are searched for it.
    """
    literals, searches = _searches(emails)
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    pieces = [
        (number, *piece)
        for number, text in enumerate(texts)
        for piece in (_pieces(text) if len(text) > PIECE else ((0, text),))
    ]
    had = having([piece for *_, piece in pieces], literals)
    for number, of_text in groupby(had, key=lambda one: pieces[one[0]][0]):
        places: dict[int, list[int]] = {}
        for place, roots in of_text:
            _, start, piece = pieces[place]
            low = piece.replace("İ", "i").lower()  # the one character that is longer in lower case
            for root in roots:
                for at in occurrences(low, root.text):
                    for rank, literal, before in searches[root]:
                        if at >= before and low.startswith(literal, at - before):
                            places.setdefault(rank, []).append(start + at - before)
        if places:
            yield starts[number], texts[number], places


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text at line ends; yield each piece with where it begins."""
    start = 0
    while len(text) - start > PIECE and (end := text.find("\n", start + PIECE) + 1):
        yield start, text[start:end]
        start = end
    yield start, text[start:]
