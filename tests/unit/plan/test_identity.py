"""The id of a plan."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from msgspec.structs import replace

from compact_chat.chat import Chat, Thinking, Usage, Warning
from compact_chat.plan import digest, plan_id
from compact_chat.wire import Options, Scope
from tests.samples.chats import ODD, PAPER, PICTURE, a, call, chat, res, talk, u

CHAT = chat(talk(u("q", PICTURE, PAPER), a(call("1", b=1, a=[2.5, None])), u(res("1", "r")), a(ODD)))
FIRST, SECOND, *REST = CHAT.messages


def test_the_id_is_the_same_on_every_machine() -> None:
    """Contract: an id is 32 hexadecimal digits that depend only on the chat and the options."""
    messages = [["m0", "user", [["Text", {"text": "q\u2028é"}]]]]
    content = hashed([messages, "rules", [{"a": 1, "b": 2}], None])
    same = Chat("anthropic", "unknown", talk(u("q\u2028é")), system="rules", tools=({"b": 2, "a": 1},))

    assert plan_id(digest(same), Options()) == hashed([content, msgspec.to_builtins(Options())])[:32]


def hashed(facts: object) -> str:
    """Hash facts as compact JSON with sorted keys."""
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        replace(CHAT, title="A title", workspace="/home", warnings=(Warning("cut", "The file is cut."),)),
        replace(CHAT, format="claude-code", tool="claude-code"),
        replace(CHAT, messages=tuple(replace(message, raw=None) for message in CHAT.messages)),
        replace(CHAT, messages=tuple(replace(message, usage=Usage(9, 9, "m")) for message in CHAT.messages)),
        chat([FIRST, replace(SECOND, parts=(call("1", a=[2.5, None], b=1),)), *REST]),
    ],
    ids=["title, place, warnings", "format", "raw", "usage", "order of keys"],
)
def test_what_no_model_sees_is_no_part_of_it(other: Chat) -> None:
    """Contract: the same messages have the same id, wherever they are stored and whatever they cost."""
    assert plan_id(digest(other), Options()) == plan_id(digest(CHAT), Options())


@pytest.mark.parametrize(
    "other",
    [
        replace(CHAT, system="rules"),
        replace(CHAT, tools=({"name": "look"},)),
        replace(CHAT, model="m"),
        replace(CHAT, messages=CHAT.messages[:-1]),
        chat([replace(FIRST, id="other"), SECOND, *REST]),
        chat([replace(FIRST, role="assistant"), SECOND, *REST]),
        chat([replace(FIRST, parts=(Thinking("q"), PICTURE, PAPER)), SECOND, *REST]),
    ],
    ids=["system", "tools", "model", "message", "id", "role", "kind of part"],
)
def test_what_a_model_sees_changes_it(other: Chat) -> None:
    """The contract: another chat has another id."""
    assert plan_id(digest(other), Options()) != plan_id(digest(CHAT), Options())


def test_options_and_instructions_change_it() -> None:
    """The contract: other options, or other instructions of the project, make another plan."""
    options = (Options(), Options(min_keep=5), Options(scope=Scope("from", "m1")))

    assert len({*(plan_id("digest", one) for one in options), plan_id("digest", Options(), ["keep prices"])}) == 4


def test_any_text_can_be_in_a_chat() -> None:
    """G2: lone surrogates are no obstacle, and no two of them are the same chat."""
    texts = ["\ud800", "\udfff", "?", "\\ud800", "\x00\u2028"]

    assert len({plan_id(digest(chat([u(text)])), Options()) for text in texts}) == len(texts)
    assert plan_id(digest(chat([u("\ud800")])), Options()) == plan_id(
        digest(chat([u(json.loads('"\\ud800"'))])), Options()
    )
