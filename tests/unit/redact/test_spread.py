"""A found value is masked wherever it occurs, in any encoding, unless it is a word, a path or an identifier."""

from __future__ import annotations

import html
import json
import random
import re
from base64 import b64encode
from collections.abc import Callable
from string import ascii_letters, digits
from urllib.parse import quote, quote_plus

import pytest

from compact_chat.chat import Message, Text, ToolCall, ToolResult
from compact_chat.redact import Redactor, Stream
from compact_chat.redact.spans import Span
from compact_chat.redact.spread import Values
from tests.unit.redact.test_ways import lines

NAMED, VALUE = "DB_PASSWORD=Q7rT2bX9mK4pLw", "Q7rT2bX9mK4pLw"
MASK = "[REDACTED:password:1]"


def masked(*said: str) -> list[str]:
    """What is left of a chat's messages."""
    messages = [Message(f"m{number}", "user", (Text(text),)) for number, text in enumerate(said)]
    clean = Redactor()
    clean.learn(messages)
    return [message.text for message in clean.messages(messages)]


@pytest.mark.parametrize(
    "text",
    [
        "connect with {}",
        "{} is what I meant",
        "x{}y",
        "psql postgres://shop:{}@db/x?y",
        '{{"a": "one\\n{}\\n"}}',
        "https://x.example/%3D{}%26",
        "ESC[31m{}ESC[0m",
        "密码是{}。",
    ],
)
@pytest.mark.parametrize("named_last", [False, True])
def test_a_value_is_masked_without_its_name(text: str, named_last: bool) -> None:
    """Before or behind the message that names it, whatever surrounds it."""
    said = [text.format(VALUE), NAMED] if named_last else [NAMED, text.format(VALUE)]

    assert masked(*said)[not named_last].replace("url-password", "password") == text.format(MASK)


@pytest.mark.parametrize("value", ["p\"a\\ss/W0rd&<7x>'9", 'pä s"s%W0rd+7x!9', "Kestrel/92&Vault!"])
@pytest.mark.parametrize(
    "encode",
    [
        str,
        lambda value: json.dumps(value)[1:-1],
        lambda value: json.dumps(json.dumps(value))[3:-3],
        lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
        quote,
        quote_plus,
        lambda value: quote(value, safe=""),
        lambda value: quote(quote(value, safe=""), safe=""),
        html.escape,
        lambda value: html.escape(value).replace("&#x27;", "&#39;"),
        lambda value: html.escape(value, quote=False),
        lambda value: re.sub("[<>&\"']", lambda sign: f"&#{ord(sign[0])};", value),
        lambda value: re.sub("[<>&'\"+]", lambda sign: f"\\u{ord(sign[0]):04X}", value.replace("\\", "\\\\")),
    ],
    ids=[
        "same",
        "json",
        "twice",
        "typed",
        "url",
        "form",
        "all",
        "again",
        "html",
        "decimal",
        "markup",
        "numbers",
        "codes",
    ],
)
def test_every_encoding_is_masked(value: str, encode: Callable[[str], str]) -> None:
    """Found as it is, a value is masked in any encoding; found in an encoding, as it is."""
    for found, other in ((value, encode(value)), (encode(value), value)):
        clean = Redactor()
        clean.placeholder(found, Span(0, len(found), "password"))
        clean.learn()
        assert clean(f"take {other} now") == f"take {MASK} now"


def test_parts_of_a_secret_are_masked_too() -> None:
    """The password of a header, a value among cookies and a line of a key are secrets by themselves."""
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7Q7rT2bX9mK4p"
    key = f"-----BEGIN PRIVATE KEY-----\n{line}\n{line[::-1]}\n-----END PRIVATE KEY-----"
    header = b64encode(f"shop:{VALUE}".encode()).decode()

    left = masked(
        f"Authorization: Basic {header}", f"Cookie: a=b; sid={line[:30]}", key, f"{VALUE} {line[::-1]} {line[:30]}"
    )

    assert left[3] == "[REDACTED:basic-auth:1] [REDACTED:private-key:1] [REDACTED:cookie:1]"


@pytest.mark.parametrize("line", lines("words.txt"))
def test_words_paths_and_identifiers_stay(line: str) -> None:
    """What was a password once is still a word elsewhere, and a commit is no secret for having been one."""
    given, text = line.split(" / ")
    alone, among = Redactor()(text), masked(given, text)[1]

    assert among == alone == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('password = "Kestrel-92-Vault"', "I typed {} twice."),
        ("api_key = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "curl x?appid={}"),
        ("api_key = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "open /v1/{}/x"),
        ('password = "Kestrel$92"', "open /v1/{}/x"),
    ],
)
def test_what_looks_like_a_name_is_masked_where_nothing_says_so(given: str, text: str) -> None:
    """A password that a person chose and a hexadecimal key are masked between other words."""
    value = given.split("=")[1].strip(' "')
    said = masked(given, text.format(value))

    assert value not in "".join(said)
    assert masked(given, f"x{value} y")[1] == f"x{value} y"
    assert masked(given, f"x {value}y")[1] == f"x {value}y"


def test_places_where_nothing_names_a_value_are_counted() -> None:
    """Each place counts once, whatever is masked how often."""
    messages = [
        Message("m0", "user", (Text(f"{NAMED}\n"), Text(f"{VALUE} {VALUE}")), typed=(f"{NAMED}\n", f"{VALUE} {VALUE}")),
        Message("m1", "assistant", (ToolCall("c", "run", {"command": f"login {VALUE}", VALUE: [VALUE]}),)),
        Message("m2", "user", (ToolResult("c", (Text(VALUE[:5]), Text(VALUE[5:]))),)),
    ]
    clean = Redactor()
    clean.learn(messages)
    clean.learn(messages)

    left = clean.messages(messages)

    assert VALUE not in repr([message.parts for message in left])
    assert VALUE[5:] not in repr(left[2])
    assert left[0].typed == (f"DB_PASSWORD={MASK}\n", f"{MASK} {MASK}")
    assert clean.repeats == 6
    assert clean.tally == {"password": 1}


@pytest.mark.parametrize("size", [1, 3, 9])
def test_a_stream_holds_back_the_beginning_of_a_value(size: int) -> None:
    """A model that repeats a value letter by letter is not passed on with a part of it."""
    clean, heard = Redactor(), list[str]()
    phrase = "correct horse battery staple"
    clean.learn((), ['password = "Kestrel-92-Vault"', NAMED, f'passphrase = "{phrase}"'])
    stream, text = (
        Stream(clean, heard.append),
        f"It is Kestrel-92-Vault, or {VALUE}. Kestrels fly. A {phrase}s. A {phrase}",
    )
    for at in range(0, len(text), size):
        stream.add(text[at : at + size])
    stream.end()

    words = "[REDACTED:passphrase:1]"
    assert "".join(heard) == f"It is {MASK}, or [REDACTED:password:2]. Kestrels fly. A {words}s. A {words}"


def test_a_value_that_begins_another_leaves_nothing_of_it() -> None:
    """Of values that begin each other the longest is masked, however many there are."""
    source = random.Random(0)
    whole = "".join(source.choices(ascii_letters + digits, k=600))
    values = Values(dict.fromkeys((whole[:size] for size in range(8, 500)), "x"))
    text = " ".join(whole[:size] for size in range(8, 600, 7))

    left = text
    for span in reversed(list(values.search(text))):
        left = left[: span.start] + left[span.end :]

    assert left.split() == [whole[499:size] for size in range(8, 600, 7) if size > 499]


def test_json_is_learned_and_masked() -> None:
    """What one string names is masked in all of them, and what is no string stays."""
    given = {"said": [NAMED, 1, None, {"again": VALUE}]}

    assert Redactor().json(given) == {"said": [f"DB_PASSWORD={MASK}", 1, None, {"again": MASK}]}


def test_a_longer_value_keeps_its_own_kind() -> None:
    """Of two values that begin alike each has its kind, wherever it stands."""
    values = Values({"Kestrel-92": "password", "Kestrel-92-Vault": "token"})

    found = [(span.start, span.end, span.kind) for span in values.search("x Kestrel-92-Vault, Kestrel-92")]

    assert found == [(2, 18, "token"), (20, 30, "password")]


def test_only_what_a_title_may_repeat_is_learned() -> None:
    """For a title only the messages are read that say one of its unusual words."""
    said = [Message("m0", "user", (Text(NAMED),)), Message("m1", "user", (Text("password: kX9#mPq2vL5nR8"),))]
    clean = Redactor()
    clean.learn_about(f"use {VALUE}", said)

    assert clean(f"use {VALUE}, not kX9#mPq2vL5nR8") == f"use {MASK}, not kX9#mPq2vL5nR8"


def test_thousands_of_values_are_found_wherever_they_begin() -> None:
    """Of values of all lengths each is found at any offset."""
    source = random.Random(1)
    signs = ascii_letters + digits + "-_!é→"
    values = {"".join(source.choices(signs, k=source.randrange(8, 40))): "x" for _ in range(2000)}
    text, places = "", list[tuple[int, int]]()
    for value in values:
        text += " " * source.randrange(1, 9)
        places.append((len(text), len(text) + len(value)))
        text += value

    assert [span[:2] for span in Values(values).search(text)] == places


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\xad", "\ufeff", "\u202e", "\x01", "\ud800"], ids=ascii)
def test_a_value_is_found_through_signs_that_nobody_sees(sign: str) -> None:
    """Whether they are in it where it has its name or where it has none; it keeps its placeholder."""
    once, everywhere = f"Q7rT2{sign}bX9mK4pLw", sign.join(VALUE)
    for named, again in ((VALUE, once), (VALUE, everywhere), (once, VALUE)):
        assert masked(f"DB_PASSWORD={named}", f"connect with {again} now") == [
            f"DB_PASSWORD={MASK}",
            f"connect with {MASK} now",
        ]
