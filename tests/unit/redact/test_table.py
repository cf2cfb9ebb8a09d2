"""What is masked where: values of many kinds in many places, and whole secrets."""

from __future__ import annotations

import re
from pathlib import Path

from compact_chat.redact import Redactor, SpanCache
from tests.oracles.snapshots import check_snapshot
from tests.strategies.secrets_places import planted
from tests.unit.redact.test_redact import BODY, HEX

PLACES = (
    """password={} | PASSWORD={} | password: {} | Password: {}, please | "password": "{}" | password = "{}" | ok={}
export TOKEN={} | - token: {} | token = {} | token={}, | f(token={}) | "token": "{}" | ?token={}&x=1 | token: {} # note
[db]↵password = {} # old | [db]↵secret = {} | mysql --password {} | deploy --token={} | the pass is {} | pass: {}
pw={} | userpass={} | USERPASS={} | userPass={} | DB_PWD="{}" | secret={} | aws secret access key: {} | kennwort: {}
api_key: {} | apiKey: "{}" | API_KEY={} | BOX_KEY={} | box_key = "{}" | key={} | public_key={} | cache_key: "{}"
https://me:{}@host/x | me:{}@tcp(db:1)/x | me:{}@host | Bearer {} | Authorization: Basic {} | Cookie: {}
<password>{}</password> | define("DB_PASSWORD", "{}") | name="password" value="{}" | passphrase: {} | curl -u me:{} x
password "{}" | password `{}` | --password "{}" | PASSWORD "{}" | pass "{}" | token {} now | ENV TOKEN {}
use the password {} now | ↵- password {}↵ | a password {} here | пароль {} тут | the password for the db is {}.
f("password", "{}") | f("password", "{}", 1) | f(a, "password", "{}") | [["token", "{}"]] | ["password", "{}"]
token,{},x
a.setPassword("{}") | get_password("{}") | password{"{}"} | <a name="password">{}</a> | x password>{}<
<password a="b">{}<
password: |↵  {} | password: |↵  "{}" | the password:↵{}↵ | a b c d e password:↵{} | password:↵"{}"
let password: &str = {} | secret : str = "{}"
db:password:{} | x::token: {} | //token={} | token -> {} | token — {} | token → "{}" | password =↵{} | password =↵"{}"
password => {} | "password: {}" | 'x-token: "{}" | PASSWORD := {} | password := {} | PASSWORD == {} | PASSWORD != {}
&password={},
;password={}; x, y | pass={} | f(a, password={}) | {password={}} | password={}) | password={}. | password={}/x
password={}:x | token={}, b
[db]↵token = {} x | token = {} | --token {} x | -password {} | a-token={} | password="{} | password={}#x | password={},x
token={},b=c | PASSWORD={}&a=b | PASSWORD={} x y | password: {} x | password: {}$ | token: {} #x | passwordHash={}
password_min={}
csrf_secret={} | public_password={} | tokens={} | token_prod_id={} | tokens1={} | TOKEN_PROD={} | keyOfX={}
token_zebra="{}"
author={} | TOKEN2={}
password_of_the_very_long_things={}
PASS={} | Pass={} | DB_PASS={} | dbPass={} | pass "{}", | x.pass = "{}" | the pw was {} | rootpw={} | pwd="{}"
"password":"{} x y" | password <- {} | password：{} | the password: {}, x
my password now is "{}"
access key = {} | access.key: {} | encKey = {} | Key={} | hmac.key: "{}" | hmac-key={} | my key={} | KEY={}
apiKey({}) | recovery phrase: {}
if ("{}" == password) | "{}" != user.token | x = {} == password | password,user↵{},ann | a,token,b↵x,{},y
a¦b↵password,x↵{},y
ann;password↵x;{} | Password¦x↵--¦--↵{}¦x
Bearer%20{} | basic {} | {"auth": "{}"} | ?x&sig={}& | //me:{}@x/@y | //{}@x.org | mysql -p{} | docker login -p {} x
curl -u "me:{}" x | tool -u me:{} x | echo {} | echo {}¦sudo -S ls | echo "me:{}"¦chpasswd | login me password {}
db:5432:a:b:{}
kind: Secret↵data:↵  a: {}↵ | kind: ConfigMap↵data:↵  a: {}↵ | auth_x={} | my_pat={} | creds={} | mnemonic="{}"
password%3D{}%26x
arn:x:token:{} | a::token:{} | x:secret={} | ¦ api key ¦↵¦---¦↵¦ {} ¦ | 'token' => {} | token => {}
my key is {} | the key: {} | mon jeton: {} | 密码{} | пароль админа {}
user ann pw {} | pw {} x | pin: {} | the pin is {} | psk={} | password = [[{}]] | token: !vault {} | jwt: { key: "{}" }
ID/PW: ann/{} | id/pass ann/{} | client_secret = "{}" | auth_token: {} | x_secret: {} | X-Api-Key: {} | the token is {}
password={}&x=1 | pwd: {} | password: '{} | 12: token={} | +token={} | {} password | let password: string = "{}"
""".replace("\n", " | ")
    .replace("↵", "\n")
    .replace("¦", "|")
    .split(" | ")[:-1]
)
# Of lengths around the limits, and of the kinds that are judged apart.
VALUES = (
    *("a1b2c3d4e5f6g7h8i9j0k1l2"[:length] for length in (5, 6, 7, 8, 9, 11, 12, 15, 16, 19, 20)),
    *((HEX * 3)[:length] for length in (12, 31, 32, 63, 64, 65)),
    *(BODY[:length] for length in (7, 8, 10, 16, 24)),
    *(sign + (BODY * 2)[:length] for sign in "/~.@*-" for length in (8, 18, 19, 20, 30, 31, 32)),
    *"""hunter2 | Hunter22 | hunter2! | correct | correcth | correcthorse | CORRECTHORSE | CorrectHorse | cOrReCtHo
user.name | user_name1 | self.token2 | get_1() | 1234567 | xxxxxxxx | aaaaaab1 | ${A1b2c3} | changeme1 | a.b@e.co1
Tr0ub4dor&3xKq | p#ss:w0rd | dXNlcjpwYXNzd29yZA== | abcd efgh ijkl mnop | one two three four five
deploy2day | p4ss-w0rd | Kestrel92Vault | kestrel-vault | 0123456789012345 | abc_def1 | v1.2.3 | Q(x]y)z1 | tok%2Fa1B2
!Ref Name1
<tag1x> | xxA1xxxx | ab12cd,ef34;gh | HunterTwo | x7Kq!9#mP@2v | 3f2b9c1e-7a64-4f0c-9b1e-2d3c4b5a6f70 | 83749201 | zq7
self.key2) | changeme1!@ | test%pass | aB3$ | [None] | sea-cat | sea-gull | Violetsky | VioletskY | AKIAxxxx1
$a1B2c3D4e | my.pa$$.w0rd | xkqz vbjw tqpl wqxz | Sommer2019 | Sommer2019! | 740291 | 7402
""".replace("\n", " | ").split(" | ")[:-1],
)


def outcome(place: str, value: str, cache: SpanCache) -> str:
    """Return `#` if a value is masked, `+` if what is behind it is too, `.` if it stays, else the masked text."""
    start, end = place.split("{}")
    masked = Redactor(cache=cache)(f"{start}{value}{end}")
    if masked == f"{start}{value}{end}":
        return "."
    found = re.fullmatch(rf"{re.escape(start)}\[REDACTED:[a-z-]+:1\](.*)", masked, re.DOTALL)
    if found and end.endswith(found[1]):
        return "#" if found[1] == end else "+"
    return f" {masked!r} "


def test_each_value_in_each_place(accept: bool) -> None:
    """A row for each place: a sign for each value that is masked or stays, words for anything else."""
    cache = SpanCache()
    rows = []
    for place in PLACES:
        cache.find_all((place.replace("{}", value) for value in VALUES), emails=False)
        rows.append(f"{place!r}\n  {''.join(outcome(place, value, cache) for value in VALUES)}")
    check_snapshot("\n".join(rows) + "\n", Path(__file__).with_name("places.txt"), accept=accept)


def test_whole_secrets_of_each_kind(accept: bool) -> None:
    """One redactor for all of them, so that the numbers of placeholders are told too."""
    redactor = Redactor(emails=True)
    check_snapshot(
        "".join(redactor(one.text) + "\n" for one in planted(400, seed=3)),
        Path(__file__).with_name("planted.txt"),
        accept=accept,
    )
