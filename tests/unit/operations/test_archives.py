"""Compacting a compacted chat works from the original, so that nothing erodes (contract, section 4)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.disk import path_of
from compact_chat.errors import PlanOutdated
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations.archives import forget, original_of
from compact_chat.operations.chats import chat_of
from compact_chat.read import Source, read_chat
from compact_chat.resume import as_openai_chat
from compact_chat.text import SUMMARY_END, SUMMARY_START
from compact_chat.wire import Options, Scope
from tests.samples.archived import SUMMARY, compacted
from tests.unit.operations.conftest import CUTS, MORE, SECRET, Ask, Messages, claude_session, message

LATER: Messages = [{"role": "assistant", "content": "Shelf 9 is counted."}, {"role": "user", "content": "And ten?"}]
pytestmark = pytest.mark.usefixtures("state")


def chat(messages: Messages) -> Chat:
    """Read messages."""
    return chat_of(ChatRef(messages=messages))


def parts(found: Chat) -> list[Any]:
    """Return what a model would see of a chat."""
    return [(message.role, message.parts) for message in found.messages]


@pytest.mark.parametrize(
    "options", [Options(), Options(min_keep=0), Options(pin=("m0", "m6")), Options(scope=Scope("upTo", "m9"))]
)
def test_what_came_after_follows_the_original(client: ClientState, messages: Messages, options: Options) -> None:
    """The kept messages come once, in their old position, and the new ones behind them, even within a message."""
    one = compacted(ChatRef(messages=messages), client, options)
    ends_with_user = one.messages[-1]["role"] == "user"
    compact = one.messages if ends_with_user else [*one.messages, {"role": "user", "content": "on"}]
    whole = original_of(chat([*compact, *LATER]), client).chat

    expected = [*messages, *LATER] if ends_with_user else [*messages, compact[-1], *LATER]
    assert parts(whole) == parts(chat(expected))
    assert len({message.id for message in whole.messages}) == len(whole.messages)
    assert [message.usage for message in whole.messages[len(messages) :]] == [None] * (len(expected) - len(messages))
    if options == Options():
        texts = (compact[-1]["content"], "Quick!")
        more = {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
        whole = original_of(chat([*compact[:-1], more]), client).chat
        assert parts(whole) == parts(chat([*messages, {"role": "user", "content": "Quick!"}]))


def test_it_is_known_in_another_shape(client: ClientState, messages: Messages) -> None:
    """The compacted chat may come back in the OpenAI API's shape; nothing of another API's is sent then."""
    one = compacted(ChatRef(messages=messages), client)
    shaped = as_openai_chat(chat([*one.messages, *LATER]).messages, foreign=True)
    other = read_chat(Source.of_document({"messages": shaped}), "openai-chat")
    whole = original_of(other, client).chat

    assert other.format == whole.format == "openai-chat"
    assert len(whole.messages) == len(messages) + len(LATER)
    assert {message.raw for message in whole.messages[: len(messages)]} == {None}


@pytest.mark.parametrize("form", ["claude-code", "vscode-export"])
@pytest.mark.parametrize("secret", [False, True])
def test_an_export_is_known(ask: Ask, client: ClientState, messages: Messages, form: str, secret: bool) -> None:
    """Another tool that continued an export leads to the original too, even with masked secrets."""
    if secret:
        messages[-1]["content"] += f" The token is {SECRET}."
    one = compacted(ChatRef(messages=messages), client)
    exported = ask("export", compactionId=one.id, **{"as": form})
    text = Path(path_of(exported["uri"])).read_text("utf-8")

    assert SECRET not in text
    assert len(original_of(chat_of(ChatRef(uri=exported["uri"])), client).chat.messages) == len(messages)


@pytest.mark.parametrize(
    "frame", ["{}", "{}\n\nNow shelf ten.", "<context>x</context>\n<userRequest>\n{}\nNow shelf ten.\n</userRequest>\n"]
)
def test_a_continuation_is_known(client: ClientState, messages: Messages, frame: str) -> None:
    """C1: a new chat that began with the continuation leads back to the original; what was typed after it stays."""
    one = compacted(ChatRef(messages=messages), client)
    said = {"role": "user", "content": frame.format(one.done.continuation)}
    whole = original_of(chat([said, *LATER]), client).chat

    typed = [{"role": "user", "content": "Now shelf ten."}] if "ten" in frame else []
    assert parts(whole) == parts(chat([*messages, *typed, *LATER]))
    blocks = [{"type": "text", "text": text} for text in (said["content"], "And eleven.")]
    more = original_of(chat([{"role": "user", "content": blocks}, *LATER]), client).chat
    assert len(more.messages) == len(messages) + 1 + len(LATER)
    assert more.messages[len(messages)].text.endswith("And eleven.")


def test_what_an_editor_put_between_the_letters_of_a_continuation_is_passed_over(
    client: ClientState, messages: Messages
) -> None:
    """Word joiners keep a panel from taking `#name` for a reference; the chat's own do no harm."""
    for wish in ("See #todos.", "See #\u2060todos."):
        messages[0]["content"] += f" {wish}"
        one = compacted(ChatRef(messages=messages), client, summary=f"{SUMMARY}\n{wish}")
        sent = one.done.continuation if "\u2060" in wish else one.done.continuation.replace(" #", " #\u2060")
        assert "#\u2060todos" in sent
        whole = original_of(chat([{"role": "user", "content": sent}, *LATER]), client).chat
        assert parts(whole) == parts(chat([*messages, *LATER]))


@pytest.mark.parametrize("gone", ["", "\ufffd"], ids=["dropped", "replaced"])
def test_what_a_pipe_drops_of_a_continuation_is_passed_over(client: ClientState, messages: Messages, gone: str) -> None:
    """A pipe drops control and invisible characters, a text file holds no NUL; what was typed behind stays as it is."""
    one = compacted(ChatRef(messages=messages), client, summary=f"{SUMMARY}\n\x1b[31mred\0 a\u200db\ud800")
    sent = re.sub("[\x1b\0\u200d\ud800]", gone, one.done.continuation)
    typed = "Now the \U0001f469\u200d\U0001f4bb shelf."
    whole = original_of(chat([{"role": "user", "content": f"{sent}\n\n{typed}"}, *LATER]), client).chat

    assert parts(whole) == parts(chat([*messages, {"role": "user", "content": typed}, *LATER]))


def test_nothing_erodes_over_several_compactions(client: ClientState, messages: Messages) -> None:
    """The original of a chat that was compacted three times is the first one, with all that came since."""
    whole, compact = messages, messages
    for turn in range(3):
        one = compacted(ChatRef(messages=compact), client, summary=f"Summary:\nS{turn}")
        more = [{**LATER[0], "content": f"answer {turn} " * 300}, {**LATER[1], "content": f"wish {turn}"}]
        whole, compact = [*whole, *more], [*one.messages, *more]

    assert parts(original_of(chat(compact), client).chat) == parts(chat(whole))


def test_of_two_messages_the_longer_fits(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A compaction is found although the message of a newer one is the beginning of its own."""
    options = {"style": "handoff", "minKeep": 0}
    whole = ask("draft", chat={"messages": messages}, options=options)
    part = ask("draft", chat={"messages": messages[:-8]}, options=options)
    shorter = part["compaction"]["continuation"].partition("\n\n###")[0]
    ask("draft", draftId=whole["draftId"], text=f"{shorter}\n\nAnd more.")
    ask("draft", draftId=part["draftId"], text=shorter)

    for text, length in ((shorter, len(messages) - 8), (f"{shorter}\n\nAnd more.", len(messages))):
        opened = chat([{"role": "user", "content": text}, *LATER])
        assert len(original_of(opened, client).chat.messages) == length + len(LATER)


def test_of_two_tails_behind_one_summary_the_longer_fits(client: ClientState, messages: Messages) -> None:
    """A chat that was compacted twice with the same summary is identified by everything that was kept."""
    made = [compacted(ChatRef(messages=messages), client, Options(min_keep=number)) for number in (6, 0)]

    for one in made:
        assert len(original_of(chat([*one.messages, *LATER]), client).chat.messages) == len(messages) + len(LATER)


def test_a_summary_alone_opens_nothing(client: ClientState, messages: Messages) -> None:
    """Copying the text of a summary reveals no other chat: the whole compacted chat has to match."""
    one = compacted(ChatRef(messages=messages), client)
    summary = f"{SUMMARY_START}\n{one.done.summary}\n{SUMMARY_END}"
    forged = [
        chat([{"role": "user", "content": summary}, *LATER]),
        chat([{"role": "user", "content": f"{SUMMARY_START}\nSummary:\nother\n{SUMMARY_END}"}, *one.messages[1:]]),
        chat([*one.messages[:1], *one.messages[2:]]),
        chat([{"role": "user", "content": one.done.continuation[:-1]}, *LATER]),
    ]

    assert [original_of(one, client).chat is one for one in forged] == [True] * len(forged)


def test_another_workspace_contradicts(client: ClientState, bakery: Path, tmp_path: Path) -> None:
    """A chat from another folder than the original is not its continuation."""
    from msgspec.structs import replace

    one = compacted(ChatRef(uri=bakery.as_uri()), client)
    same = chat(one.messages)

    assert original_of(replace(same, workspace=str(tmp_path)), client).chat.workspace == str(tmp_path)
    assert len(original_of(replace(same, workspace=str(tmp_path)), client).chat.messages) == len(same.messages)
    assert len(original_of(same, client).chat.messages) > len(same.messages)


def test_without_its_original_a_compacted_chat_is_like_any_other(
    client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the original is damaged or missing; for a chat that was never compacted the archive is not opened."""
    one = compacted(ChatRef(messages=messages), client)
    compact = chat(one.messages)
    Path(path_of(str(one.stored.archive))).write_bytes(b"[")
    assert original_of(compact, client).chat is compact

    forget(one.id, client)
    assert original_of(compact, client).chat is compact
    monkeypatch.setattr("compact_chat.operations.archives.entries", None)
    given = chat(messages)
    assert original_of(given, client).chat is given


def compact(ask: Ask, chat: dict[str, Any], **options: Any) -> Any:
    """Compact a chat offline, and return the result with the messages."""
    return ask("summarize", chat=chat, options=options, provider="offline", include=["messages"])


def test_compacting_the_same_export_again_and_again_changes_nothing(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """Compacting a compacted chat gives the same compaction; the original behind both stays the same."""
    made = compact(ask, {"uri": bakery.as_uri()})
    chat = {"uri": (tmp_path / "exported.jsonl").as_uri()}
    ask("export", **{"compactionId": made["compactionId"], "as": "claude-code", "uri": chat["uri"]})

    sizes = [(ask("preview", chat=chat)["before"], compact(ask, chat)["before"]) for _ in range(3)]

    assert sizes == [(made["before"], made["before"])] * 3


def test_an_exported_session_that_went_on(ask: Ask, messages: Messages) -> None:
    """What Claude Code wrote after our export follows the original, once."""
    done = compact(ask, {"messages": messages})
    path = Path(path_of(ask("export", compactionId=done["compactionId"], **{"as": "claude-code"})["uri"]))
    last = json.loads(path.read_text("utf-8").splitlines()[-1])
    with path.open("a", encoding="utf-8") as file:
        for number, said in enumerate(MORE[3:5]):
            last |= {"type": said["role"], "message": said, "uuid": f"u{number}", "parentUuid": last["uuid"]}
            file.write(json.dumps(last) + "\n")
    rows = ask("preview", chat={"uri": path.as_uri()})["messages"]

    assert [row["excerpt"] for row in rows[-3:]] == [one["content"] for one in (messages[-1], *MORE[3:5])]
    assert len(rows) == len(messages) + 2


@pytest.mark.parametrize("first", ["summary", "keep", "prune"])
def test_a_summary_is_made_of_the_original(ask: Ask, messages: Messages, first: str) -> None:
    """Whatever compacted the chat before, a new summary sees all of it, and the user is informed."""
    done = compact(ask, {"messages": messages}, strategy=first, **(CUTS if first != "summary" else {}))
    asked = {"chat": {"messages": [*done["messages"], *MORE]}}
    shown = ask("preview", **asked)
    again = ask("summarize", **asked, provider="offline")

    assert len(shown["messages"]) == len(messages) + len(MORE)
    assert [one["code"] for one in shown["warnings"]] == ["fromOriginal"]
    assert (again["before"], again["after"]) == (shown["before"], shown["after"])
    assert f"its {len(messages) + len(MORE)} messages" in again["warnings"][0]["message"]


@pytest.mark.parametrize("strategy", ["keep", "prune", "auto"])
def test_rules_take_the_chat_as_it_came(ask: Ask, messages: Messages, strategy: str) -> None:
    """A compacted chat is cut further: rules over its original would make it larger; X1: so is the advice for it.

    Z5: with `auto`, a chat that stays too large without its results gets a summary, made of the original.
    """
    done = compact(ask, {"messages": messages})
    chat = {"messages": [*done["messages"], *MORE]}
    asked = {"chat": chat, "options": {"strategy": strategy, **CUTS}}
    shown, again = ask("preview", **asked), ask("summarize", **asked, provider="offline")

    assert len(shown["messages"]) == len(chat["messages"])
    assert shown["action"] == ("keep" if strategy == "keep" else "prune")
    assert again["after"] == shown["after"] < shown["before"]
    if strategy == "auto":
        whole = ask("preview", chat=chat, options={"strategy": strategy, "budget": 300, **CUTS})
        assert (whole["action"], len(whole["messages"])) == ("compact", len(messages) + len(MORE))
        assert ask("summarize", planId=whole["planId"], provider="offline")["planId"] == whole["planId"]
    budget = {"budget": done["after"] * 3}
    assert ask("preview", chat={"messages": messages}, options=budget)["advice"] != "none"
    assert ask("preview", chat={"messages": done["messages"]}, options=budget)["advice"] == "none"


@pytest.mark.parametrize("strategy", ["summary", "keep", "prune"])
def test_what_was_dropped_stays_dropped(ask: Ask, messages: Messages, strategy: str) -> None:
    """Z3: the original comes back without the exchange that the user took out; an equal message elsewhere stays."""
    messages[3] = dict(messages[7])
    done = compact(ask, {"messages": messages}, strategy=strategy, drop=["m1", "m7"], **CUTS)
    rows = ask("preview", chat={"messages": [*done["messages"], *MORE]})["messages"]

    excerpts = [row["excerpt"] for row in rows]
    assert len(rows) == len(messages) - 3 + len(MORE)
    assert excerpts.count(messages[3]["content"]) == 1
    assert not any("Step 0: I count" in excerpt for excerpt in excerpts)


def test_a_wish_for_another_chat_drops_nothing(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Ids are counted anew where an older original is gone: only the very message that was dropped stays out."""
    first = compact(ask, {"messages": messages}, minKeep=12)
    chat = {"messages": [*first["messages"], *MORE]}
    rows = ask("preview", chat=chat)["messages"]
    second = compact(ask, chat, drop=[rows[3]["id"]])
    forget(first["compactionId"], client)
    again = ask("preview", chat={"messages": [*second["messages"], *MORE]})["messages"]

    assert len(again) == len(chat["messages"]) + len(MORE)


def test_instructions_that_changed_outdate_a_plan(ask: Ask, tmp_path: Path) -> None:
    """Contract: what the project's files say of summaries is a part of the plan."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("## Compact Instructions\nKeep the tests.\n")
    roles = ("user", "assistant") * 6
    records = [message(role, f"Shelf {n}. " * 50, cwd=str(tmp_path)) for n, role in enumerate(roles)]
    chat = {"text": claude_session(*records)}
    ids = [ask("preview", chat=chat)["planId"] for _ in range(2)]
    (tmp_path / "CLAUDE.md").write_text("## Compact Instructions\nKeep the errors.\n")

    assert ids[0] == ids[1] != ask("preview", chat=chat)["planId"]
    with pytest.raises(PlanOutdated, match="instructions") as caught:
        ask("summarize", planId=ids[0])
    assert caught.value.data == {"reason": "chatChanged"}
