"""Secrets are masked in whole messages, wherever in them they stand."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import Document, Image, Message, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.redact import Redactor
from compact_chat.redact.spans import Span

SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
MASK = "[REDACTED:github-token:1]"


def test_every_part_of_a_message_is_masked() -> None:
    """Words, thoughts, nested arguments and results lose their secrets; pictures stay."""
    call = ToolCall("c1", "run", {"command": f"login {SECRET}", "env": [{"PASS": SECRET}, 3, None]})
    result = ToolResult("c1", (Text(f"ok {SECRET}"), Image(data="x")))
    message = Message("m0", "assistant", (Text(SECRET), Thinking(SECRET), call, result), raw={"role": "assistant"})

    masked = Redactor().message(message)

    assert masked.parts == (
        Text(MASK),
        Thinking(MASK),
        ToolCall("c1", "run", {"command": f"login {MASK}", "env": [{"PASS": MASK}, 3, None]}),
        ToolResult("c1", (Text(f"ok {MASK}"), Image(data="x"))),
    )
    assert masked.raw is None
    assert call.input["command"] == f"login {SECRET}"


def test_a_message_without_secrets_is_itself() -> None:
    """Nothing is copied where nothing is masked."""
    message = Message("m0", "assistant", (Text("hello"), ToolCall("c1", "run", {"a": ["b"]})))

    assert Redactor().message(message) is message


def test_arguments_may_be_nested_to_any_depth() -> None:
    """A hundred thousand levels are masked as well as one."""
    given: dict[str, object] = {"a": SECRET}
    for _ in range(100_000):
        given = {"a": given}

    masked = Redactor().message(Message("m0", "assistant", (ToolCall("c", "t", given),)))

    inner: object = masked.calls[0].input
    while isinstance(inner, dict):
        inner = inner["a"]
    assert inner == MASK


@pytest.mark.parametrize(
    "given",
    [
        {"password": "hunter2Xyz9!", "api_key": "a8f7D6g5H4j3K2l1Q0w9"},
        {"headers": {"Cookie": "session=a8f7D6g5H4j3K2l1Q0w9"}},
        {"env": [{"name": "API_KEY", "value": "a8f7D6g5H4j3K2l1Q0w9"}]},
        {"env": [{"value": "a8f7D6g5H4j3K2l1Q0w9", "key": "API_KEY"}]},
        {"env": [{"value": "hunter2Xyz9!", "name": "PASSWORD"}]},
    ],
    ids=["assignment", "cookie", "pair", "key", "name"],
)
def test_a_name_tells_that_its_value_is_a_secret(given: dict[str, object]) -> None:
    """A value that is a secret only beside its name is masked in a call's arguments."""
    message = Message("m0", "assistant", (ToolCall("c", "http", given),))

    written = json.dumps(Redactor().message(message).calls[0].input)

    assert "hunter2Xyz9!" not in written
    assert "a8f7D6g5H4j3K2l1Q0w9" not in written


def test_a_number_is_judged_by_its_name() -> None:
    """A number of six digits or more is masked beside a name of passwords, and nowhere else."""
    given = {"rows": [{"password": 837492, "count": 837492, "pin_password": -83749, "ok": True}, 837492]}

    clean, message = Redactor(), Message("m0", "assistant", (ToolCall("c", "http", given),))
    clean.learn([message])
    masked = clean.message(message)

    assert masked == Redactor().message(message)
    row = {"password": "[REDACTED:password:1]", "count": 837492, "pin_password": -83749, "ok": True}
    assert masked.calls[0].input == {"rows": [row, 837492]}


def test_names_and_titles_are_masked() -> None:
    """A secret in a tool's name or a document's title leaves no more than one in a text."""
    parts = (ToolCall("c", f"run {SECRET}", {}), Document(SECRET, {}), ToolResult("c", (Document(SECRET, {}),)))

    masked = Redactor().message(Message("m0", "user", parts))

    assert masked.parts == (
        ToolCall("c", f"run {MASK}", {}),
        Document(MASK, {}),
        ToolResult("c", (Document(MASK, {}),)),
    )


@pytest.mark.parametrize("size", [1, 7, 20, 39])
def test_a_secret_that_was_cut_is_masked_where_it_begins(size: int) -> None:
    """A token streamed in pieces leaves none of them, in a message as in a result."""
    text = f"the key {SECRET} works"
    pieces = tuple(Text(text[at : at + size]) for at in range(0, len(text), size))

    masked = Redactor().message(Message("m0", "user", (*pieces, ToolResult("c", pieces))))

    assert "".join(part.text for part in masked.parts if isinstance(part, Text)) == f"the key {MASK} works"
    assert "".join(part.text for part in masked.results[0].content if isinstance(part, Text)) == f"the key {MASK} works"


def test_what_surrounds_a_cut_secret_stays_in_its_part() -> None:
    """The mask is where the secret begins, and the parts before and behind keep their own words."""
    parts = tuple(map(Text, ("x=", SECRET[:20], SECRET[20:] + ";", "y")))

    masked = Redactor().message(Message("m0", "user", parts))

    assert masked.texts == ["x=", MASK, ";", "y"]


def test_a_key_that_was_cut_between_its_lines_is_masked() -> None:
    """A private key streamed line by line is one secret."""
    lines = [
        "-----BEGIN RSA PRIVATE KEY-----\n",
        *[f"{'A1b2' * 15}{n:04}\n" for n in range(9)],
        "-----END RSA PRIVATE KEY-----\n",
    ]

    masked = Redactor().message(Message("m0", "user", (Text("my key:\n"), *map(Text, lines), Text("end"))))

    assert masked.text.replace("\n\n", "") == "my key:\n\n[REDACTED:private-key:1]\n\nend".replace("\n\n", "")


def test_texts_that_something_parts_are_not_read_as_one() -> None:
    """A blank, a picture or a call between two texts keeps them apart."""
    half, rest = SECRET[:20], SECRET[20:]

    for parts in ((Text(half + "\n"), Text(rest)), (Text(half), Image(data="x"), Text(rest))):
        message = Message("m0", "user", parts)
        assert Redactor().message(message) is message


def test_what_is_in_raw_blocks_is_masked() -> None:
    """Documents, unknown blocks with their type, and addresses of pictures lose secrets; a number may be one."""
    raw = {"type": "document", "source": {"type": "text", "data": f"take {SECRET}"}}
    parts = (
        Document("a", raw),
        Unknown(f"odd {SECRET}", {"x": [SECRET]}),
        Image(url=f"https://x.example/?{SECRET}"),
        ToolCall("c", "t", {"n": [83749201, 5, True]}),
    )
    clean = Redactor()
    clean.placeholder("83749201", Span(0, 8, "password"))
    clean.learn()

    masked = clean.message(Message("m0", "user", parts))

    assert masked.parts == (
        Document("a", {"type": "document", "source": {"type": "text", "data": f"take {MASK}"}}),
        Unknown(f"odd {MASK}", {"x": [MASK]}),
        Image(url=f"https://x.example/?{MASK}"),
        ToolCall("c", "t", {"n": ["[REDACTED:password:1]", 5, True]}),
    )


def test_ids_are_masked_alike() -> None:
    """A secret in an id goes from the call and from its result, which stay a pair."""
    parts = (ToolCall(SECRET, "run", {}), ToolResult(SECRET, (Text("ok"),)))

    masked = Redactor().message(Message("m0", "user", parts))

    assert masked.parts == (ToolCall(MASK, "run", {}), ToolResult(MASK, (Text("ok"),)))
