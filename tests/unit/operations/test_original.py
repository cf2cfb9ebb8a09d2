"""Compacting a compacted chat works from the original, so that nothing erodes (contract, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations import history as past
from compact_chat.operations.archives import forget
from compact_chat.operations.chats import chat_of
from compact_chat.operations.originals import original_of
from compact_chat.read import Source, read_chat
from compact_chat.resume import as_openai_chat
from compact_chat.text import SUMMARY_END, SUMMARY_START
from compact_chat.wire import Options, Scope
from tests.samples.archived import SUMMARY, Archived, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
LATER: Messages = [{"role": "assistant", "content": "Shelf 9 is counted."}, {"role": "user", "content": "And ten?"}]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of this test's own."""
    for module in (archive_places, past):
        monkeypatch.setattr(module, "state_folder", lambda: tmp_path / "state")


def chat(messages: Messages) -> Chat:
    """Read messages."""
    return chat_of(ChatRef(messages=messages))


def parts(found: Chat) -> list[Any]:
    """What a model would get of a chat."""
    return [(message.role, message.parts) for message in found.messages]


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(min_keep=0),
        Options(min_keep=3),
        Options(pin=("m0", "m6")),
        Options(scope=Scope("from", "m9")),
        Options(scope=Scope("upTo", "m9")),
    ],
)
def test_what_came_after_follows_the_original(client: ClientState, messages: Messages, options: Options) -> None:
    """The kept messages come once, in their old place, and the new ones behind them."""
    one = compacted(ChatRef(messages=messages), client, options)
    compact = one.messages if one.messages[-1]["role"] == "user" else [*one.messages, {"role": "user", "content": "on"}]
    whole = original_of(chat([*compact, *LATER]), client)

    expected = [*messages, *LATER] if compact is one.messages else [*messages, compact[-1], *LATER]
    assert parts(whole) == parts(chat(expected))
    assert len({message.id for message in whole.messages}) == len(whole.messages)
    assert [message.usage for message in whole.messages[len(messages) :]] == [None] * (len(expected) - len(messages))


def test_the_user_may_go_on_in_the_last_message(client: ClientState, messages: Messages) -> None:
    """Where the kept messages end with the user's and more is said in it, only that is new."""
    one = compacted(ChatRef(messages=messages), client)
    last = one.messages[-1]
    said = {"role": "user", "content": [{"type": "text", "text": last["content"]}, {"type": "text", "text": "Quick!"}]}
    whole = original_of(chat([*one.messages[:-1], said]), client)

    assert parts(whole) == parts(chat([*messages, {"role": "user", "content": "Quick!"}]))


def test_it_is_known_in_another_shape(client: ClientState, messages: Messages) -> None:
    """The compacted chat may come back as the OpenAI API has it; nothing of another API's is sent to that then."""
    one = compacted(ChatRef(messages=messages), client)
    shaped = as_openai_chat(chat([*one.messages, *LATER]).messages)
    other = read_chat(Source.of_document({"messages": shaped}), "openai-chat")
    whole = original_of(other, client)

    assert other.format == whole.format == "openai-chat"
    assert len(whole.messages) == len(messages) + len(LATER)
    assert {message.raw for message in whole.messages[: len(messages)]} == {None}


@pytest.mark.parametrize("form", ["claude-code", "vscode-export"])
@pytest.mark.parametrize("secret", [False, True])
def test_an_export_is_known(ask: Ask, client: ClientState, messages: Messages, form: str, secret: bool) -> None:
    """Another tool that went on with an export gives the original too, though secrets were masked in that."""
    if secret:
        messages[-1]["content"] += f" The token is {SECRET}."
    one = compacted(ChatRef(messages=messages), client)
    exported = ask("export", compactionId=one.id, **{"as": form})
    text = Path(path_of(exported["uri"])).read_text("utf-8")

    assert SECRET not in text
    assert len(original_of(chat_of(ChatRef(uri=exported["uri"])), client).messages) == len(messages)


def test_an_export_without_a_secret_that_was_cut_in_two_is_known(
    ask: Ask, client: ClientState, messages: Messages
) -> None:
    """A mask takes the place of both halves, so that the export has a text less than the chat."""
    halves = [f"The token is {SECRET[:20]}", SECRET[20:]]
    messages[-1]["content"] = [{"type": "text", "text": half} for half in halves]
    one = compacted(ChatRef(messages=messages), client)
    exported = ask("export", compactionId=one.id, **{"as": "claude-code"})

    assert len(original_of(chat_of(ChatRef(uri=exported["uri"])), client).messages) == len(messages)


@pytest.mark.parametrize(
    "frame", ["{}", "{}\n\nNow shelf ten.", "<context>x</context>\n<userRequest>\n{}\nNow shelf ten.\n</userRequest>\n"]
)
def test_a_continuation_is_known(client: ClientState, messages: Messages, frame: str) -> None:
    """C1: a new chat that began with the continuation goes back to the original; what was typed behind it stays."""
    one = compacted(ChatRef(messages=messages), client)
    said = {"role": "user", "content": frame.format(one.done.continuation)}
    whole = original_of(chat([said, *LATER]), client)

    typed = [{"role": "user", "content": "Now shelf ten."}] if "ten" in frame else []
    assert parts(whole) == parts(chat([*messages, *typed, *LATER]))


def test_what_an_editor_put_between_the_letters_of_a_continuation_is_passed_over(
    client: ClientState, messages: Messages
) -> None:
    """Word joiners keep a panel from taking `#name` for a reference; the chat's own are no hindrance."""
    for wish in ("See #todos.", "See #\u2060todos."):
        messages[0]["content"] += f" {wish}"
        one = compacted(ChatRef(messages=messages), client, summary=f"{SUMMARY}\n{wish}")
        sent = one.done.continuation if "\u2060" in wish else one.done.continuation.replace(" #", " #\u2060")
        assert "#\u2060todos" in sent
        whole = original_of(chat([{"role": "user", "content": sent}, *LATER]), client)
        assert parts(whole) == parts(chat([*messages, *LATER]))


def test_nothing_erodes_over_several_compactions(client: ClientState, messages: Messages) -> None:
    """The original of a chat that was compacted three times is the first one, with all that came since."""
    whole, compact = messages, messages
    for turn in range(3):
        one = compacted(ChatRef(messages=compact), client, summary=f"Summary:\nS{turn}")
        more: Messages = [
            {"role": "assistant", "content": f"answer {turn} " * 300},
            {"role": "user", "content": f"wish {turn}"},
        ]
        whole, compact = [*whole, *more], [*one.messages, *more]

    assert parts(original_of(chat(compact), client)) == parts(chat(whole))


def test_of_two_tails_behind_one_summary_the_longer_fits(client: ClientState, messages: Messages) -> None:
    """A chat that was compacted twice in the same words is known by all that was kept, whichever came last."""
    made = [compacted(ChatRef(messages=messages), client, Options(min_keep=number)) for number in (6, 0)]

    for one in made:
        assert len(original_of(chat([*one.messages, *LATER]), client).messages) == len(messages) + len(LATER)


def test_a_summary_alone_opens_nothing(client: ClientState, messages: Messages) -> None:
    """Whoever writes the text of a summary gets nobody's chat: the whole compacted chat has to be there."""
    one = compacted(ChatRef(messages=messages), client)
    summary = f"{SUMMARY_START}\n{one.done.summary}\n{SUMMARY_END}"
    forged = [
        chat([{"role": "user", "content": summary}, *LATER]),
        chat([{"role": "user", "content": f"{SUMMARY_START}\nSummary:\nother\n{SUMMARY_END}"}, *one.messages[1:]]),
        chat([*one.messages[:1], *one.messages[2:]]),
        chat([{"role": "user", "content": one.done.continuation[:-1]}, *LATER]),
    ]

    assert [original_of(one, client) is one for one in forged] == [True] * len(forged)


def test_another_workspace_contradicts(client: ClientState, bakery: Path, tmp_path: Path) -> None:
    """A chat that tells of another folder than the original is not its continuation."""
    from msgspec.structs import replace

    one = compacted(ChatRef(uri=bakery.as_uri()), client)
    same = chat(one.messages)

    assert original_of(replace(same, workspace=str(tmp_path)), client).workspace == str(tmp_path)
    assert len(original_of(replace(same, workspace=str(tmp_path)), client).messages) == len(same.messages)
    assert len(original_of(same, client).messages) > len(same.messages)


def test_what_is_gone_is_not_missed(client: ClientState, messages: Messages) -> None:
    """Without its original, or with a damaged one, a compacted chat is a chat like any other."""
    one = compacted(ChatRef(messages=messages), client)
    compact = chat(one.messages)
    Path(path_of(str(one.stored.archive))).write_bytes(b"[")
    assert original_of(compact, client) is compact

    forget(one.id, client)
    assert original_of(compact, client) is compact


def test_a_chat_that_was_never_compacted_is_not_looked_up(
    client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive is opened only for chats that look compacted."""
    monkeypatch.setattr("compact_chat.operations.originals.entries", None)
    given = chat(messages)

    assert original_of(given, client) is given


def known(one: Archived, client: ClientState) -> bool:
    """Whether the result of a compaction is known again."""
    given = chat(one.messages)
    return original_of(given, client) is not given


def test_it_is_known_with_archives_off(client: ClientState, messages: Messages) -> None:
    """What only this server remembers is as good, as long as it lives."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)

    assert known(one, client)
    assert not known(one, ClientState())
