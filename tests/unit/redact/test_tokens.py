"""Tokens are found wherever they may begin, whatever stands around them."""

from __future__ import annotations

import random
import re

import pytest

from compact_chat.redact import Redactor
from compact_chat.redact.finders import find
from compact_chat.redact.tokens import CENTERED, KINDS, may_begin
from tests.strategies.secrets_places import drawn

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
HEADS = [head for kind in KINDS for head in kind.heads if re.fullmatch(r"[\w-]+", head)]
SAMPLES = [
    *((kind.name, head + kind.sample) for kind in KINDS for head in kind.heads),
    *((kind.name, kind.sample) for kind in CENTERED),
]
GREP, END = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"
AROUND = (
    *(
        "{}",
        " {} ",
        "'{}'",
        '"{}"',
        "`{}`",
        "({})",
        "[{}]",
        "={}",
        ": {}",
        ",{},",
        ";{};",
        "| a | {} |",
        "/{}",
        "**{}**",
    ),
    *("\n-{}\n+x", "\n+{}\n", "- {}", "\\n{}\\n", '\\"{}\\"', "\\u003d{}", "\\u0022{}\\u0022", "\\x3d{}", "%3D{}"),
    *(
        "%22{}%22",
        "%253D{}",
        "%2522{}",
        "&quot;{}&quot;",
        "&#34;{}&#34;",
        "&lt;{}&gt;",
        "\x1b[32m{}\x1b[0m",
        "[31m{}[0m",
    ),
    *(f"{GREP}{{}}{END}", "\\x1b[31m{}\\x1b[0m", "a.py:12:{}", "é{}", "中{}", "\u200b{}", "12→{}", "{}.\n", "{}\0"),
)


@pytest.mark.parametrize(("kind", "sample"), SAMPLES, ids=[sample for _, sample in SAMPLES])
def test_each_sample_is_found_in_each_surrounding(kind: str, sample: str) -> None:
    """Signs, diffs, escapes, entities, percent codes and colors around a token do not hide it, and stay."""
    token = drawn(sample, random.Random(sample))

    masked = [Redactor()(place.replace("{}", token)) for place in AROUND]

    kinds = [re.sub(r"\[REDACTED:([a-z0-9-]+):1\]", "{}", text) for text in masked]
    assert kinds == list(AROUND)
    assert f"[REDACTED:{kind}:1]" in masked[0] or kind in ("openai-key", "square-token", "vault-token")


@pytest.mark.parametrize("head", [*HEADS, "0123456789abcdef" * 2 + "-us12"])
def test_no_head_is_passed_over(head: str) -> None:
    """The quick look that most places in a text are dismissed by lets every head through."""
    assert may_begin(head, 0)


@pytest.mark.parametrize(
    "before", ["", "call_", "a-b_c-", "é", "\U0001f600 ", "\ud800", "İİİ", "x" * 20 + " ", "\\n", "=%3D"]
)
@pytest.mark.parametrize("behind", ["", " ", "é", "\U0001f600", "\n" + "y" * 20])
def test_a_token_is_found_between_any_signs(before: str, behind: str) -> None:
    """Signs that take more than a byte, are half of one or get longer in lower case move nothing."""
    (span,) = find(f"{before}{TOKEN}{behind}")

    assert (span.start, span.end, span.kind) == (len(before), len(before + TOKEN), "github-token")


def test_each_stretch_is_searched() -> None:
    """A token is found in each of two stretches, one of them behind a short word, the other at its start."""
    assert Redactor()(f"a-{TOKEN} {TOKEN[::-1]} {TOKEN}x").count("[REDACTED:") == 2


@pytest.mark.parametrize("before", ["token", "the", "a", "x_", "x-", "%41"])
def test_a_token_is_found_behind_letters(before: str) -> None:
    """A word that ends where a token begins is not part of it."""
    jwt = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

    assert Redactor()(f"{before}{TOKEN} {before}{jwt}") == f"{before}[REDACTED:github-token:1] {before}[REDACTED:jwt:1]"


@pytest.mark.parametrize("token", [f"hf_{TOKEN[4:]}", f"pa-{TOKEN[4:]}aB3dE5g", f"sk-{TOKEN[4:]}"])
def test_a_percent_code_is_no_part_of_a_token(token: str) -> None:
    """Short heads, which a word may end in, begin a token behind the code of any sign."""
    assert Redactor()(f"?q=a%0A{token}").startswith("?q=a%0A[REDACTED:")
    assert Redactor()(f"?q=a0A{token}") == f"?q=a0A{token}"


@pytest.mark.parametrize("before", ["", "x_", "%41", "/"])
def test_a_token_of_few_signs_is_one(before: str) -> None:
    """Behind a sign a token need not look random, unless it is written with fewer than five signs."""
    few, fewer = "ghp_" + "latest" * 6, "ghp_" + "tests" * 8

    assert Redactor()(f"{before}{few} x") == f"{before}[REDACTED:github-token:1] x"
    assert Redactor()(f"{before}{fewer} 0123") == f"{before}{fewer} 0123"
    assert Redactor()(f"{'1' * 9}:AA{'A' * 33} bcde") == f"{'1' * 9}:AA{'A' * 33} bcde"


@pytest.mark.parametrize("word", [TOKEN, f"toolu_{TOKEN}", "toolu_01ABCdefGHIjklMNOpqr", "password_hunter22", "x" * 50])
def test_a_word_alone_is_judged_as_between_others(word: str) -> None:
    """What is found in a text of one word is what is found of the word in a line."""
    alone, among = find(word), find(f"a {word} b")

    assert [span._replace(start=span.start + 2, end=span.end + 2) for span in alone] == list(among)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\\n"])
def test_a_token_wrapped_over_lines_is_masked(line_end: str) -> None:
    """Each line of a wrapped token is masked, but no list of tokens continues with the line below it."""
    key = drawn("sk-ant-api03-<A95>", random.Random(1))
    lines = [key[:40], key[40:80], key[80:]]
    wrapped = [f"[REDACTED:anthropic-key:{number}]" for number in (1, 2, 3)]

    assert Redactor()(line_end.join([*lines, "and more"])) == line_end.join([*wrapped, "and more"])
    assert [span.kind for span in find(line_end.join([key, TOKEN, "k9Xv3mQ7=pL2wR8"]))] == [
        "anthropic-key",
        "github-token",
    ]
