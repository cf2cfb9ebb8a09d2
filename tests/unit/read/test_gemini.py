"""Sessions of Gemini CLI."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Document, Image, Text, ToolCall, ToolResult, Unknown, Usage
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Record = dict[str, Any]
ABOUT: Record = {"sessionId": "s", "projectHash": "p", "startTime": "t", "kind": "main"}
SNAPSHOT = "<state_snapshot>\n<overall_goal>mend</overall_goal>\n</state_snapshot>"


def user(name: str, content: object) -> Record:
    """A record of the user's."""
    return {"id": name, "type": "user", "content": content}


def gemini(name: str, content: object = "", **more: Any) -> Record:
    """A record of the model's."""
    return {"id": name, "type": "gemini", "content": content, "model": "gemini-x", **more}


def used(name: str, output: object = "ok", **more: Any) -> Record:
    """A call beside the words of a reply, with its result."""
    response = {"functionResponse": {"id": name, "name": "ls", "response": {"output": output}}}
    return {"id": name, "name": "ls", "args": {"path": "."}, "result": [response], "status": "success", **more}


def read(*records: object) -> Chat:
    """Read JSON lines."""
    return read_chat(Source.of_text("\n".join(map(json.dumps, records))))


def texts(chat: Chat) -> list[str]:
    """The texts of the messages."""
    return [message.text for message in chat.messages]


def test_one_object_and_lines_are_the_same() -> None:
    """The older form holds all in one object, the newer one a record a line."""
    records = [user("u1", "hi"), gemini("g1", "hello", tokens={"input": 90, "output": 5, "thoughts": 2, "cached": 80})]
    chat = read(ABOUT, *records)
    assert chat == read_chat(Source.of_text(json.dumps({**ABOUT, "messages": records}, indent=1)))
    assert (chat.format, chat.tool, chat.model, chat.title) == ("gemini", "gemini", "gemini-x", "hi")
    assert [(message.id, message.role, message.text) for message in chat.messages] == [
        ("u1", "user", "hi"),
        ("g1", "assistant", "hello"),
    ]
    assert chat.messages[1].usage == Usage(90, 7, "gemini-x", reasoning_tokens=2)


def test_the_same_id_replaces() -> None:
    """A record of a known id takes the place of the older one."""
    chat = read(ABOUT, user("u1", "hi"), gemini("g1", "he"), user("u2", "on"), gemini("g1", "hello"))
    assert texts(chat) == ["hi", "hello", "on"]


@pytest.mark.parametrize(("goal", "left"), [("g1", ["hi"]), ("u1", []), ("nowhere", [])])
def test_a_rewind_drops_a_message_and_all_behind_it(goal: str, left: list[str]) -> None:
    """A goal that is not there drops everything, as Gemini CLI does."""
    records = (user("u1", "hi"), gemini("g1", "a"), user("u2", "b"), {"$rewindTo": goal}, user("u3", "c"))
    assert texts(read(ABOUT, *records)) == [*left, "c"]


def test_a_set_of_messages_replaces_all_before_it() -> None:
    """Lines behind it still count; other settings change no message."""
    new = {"$set": {"messages": [user("n1", "new"), gemini("n2", "reply")]}}
    chat = read(ABOUT, user("u1", "old"), new, {"$set": {"summary": "A title"}}, user("u2", "later"))
    assert texts(chat) == ["new", "reply", "later"]
    assert chat.title == "A title"


def test_a_compaction_is_a_summary_and_takes_old_usage_away() -> None:
    """A list that brings a snapshot is a compaction: what its messages measured was before it."""
    kept = gemini("g1", "kept", tokens={"input": 180_000, "output": 5})
    new = {"$set": {"messages": [user("s1", [{"text": SNAPSHOT}]), gemini("s2", "Got it."), kept]}}
    chat = read(ABOUT, user("u1", "hi"), kept, new, gemini("g2", "on", tokens={"input": 9_000, "output": 1}))
    first = chat.messages[0]
    assert (first.is_summary, first.by_host) == (True, True)
    assert [message.usage and message.usage.prompt_tokens for message in chat.messages] == [None, None, None, 9_000]


def test_a_list_without_a_new_snapshot_keeps_its_usage() -> None:
    """A list that only masks results, or opens the file, says nothing against what was measured."""
    snapshot = user("s1", SNAPSHOT)
    measured = gemini("g1", "a", tokens={"input": 50, "output": 5})
    opened = read(ABOUT, {"$set": {"messages": [snapshot, measured]}})
    masked = read(ABOUT, snapshot, measured, {"$set": {"messages": [snapshot, measured]}})
    for chat in (opened, masked):
        assert chat.messages[1].usage == Usage(50, 5, "gemini-x")


def test_notes_on_the_screen_are_not_sent() -> None:
    """Infos, errors and warnings stay with Gemini CLI, and so do its own commands; unknown kinds are told."""
    notes = [{"id": kind, "type": kind, "content": "x"} for kind in ("info", "error", "warning", "model")]
    chat = read(ABOUT, *notes, user("u1", "/compress"), user("u2", "// a comment"), user("u3", ["/quit"]))
    assert texts(chat) == ["// a comment"]
    assert [warning.code for warning in chat.warnings] == ["skippedMessage"]


def test_a_reply_holds_its_calls_and_their_results() -> None:
    """The results make a message of their own behind the reply, which bears an id made of the reply's."""
    failed = used("c2", status="error")
    failed["result"][0]["functionResponse"]["response"] = {"error": "no such file"}
    chat = read(ABOUT, user("u1", "hi"), gemini("g1", "I look.", toolCalls=[used("c1"), failed]))
    assert [message.id for message in chat.messages] == ["u1", "g1", "g1.results"]
    assert chat.messages[1].parts == (
        Text("I look."),
        ToolCall("c1", "ls", {"path": "."}),
        ToolCall("c2", "ls", {"path": "."}),
    )
    assert chat.messages[2].parts == (
        ToolResult("c1", (Text("ok"),), as_text=True),
        ToolResult("c2", (Text("no such file"),), is_error=True, as_text=True),
    )


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        ("plain", (ToolResult("c1", (Text("plain"),), as_text=True),)),
        ([{"text": "words"}], (ToolResult("c1", (Text("words"),)),)),
        (None, ()),
        ({"functionResponse": {"response": {"a": [1]}}}, (ToolResult("c1", (Text('{"a":[1]}'),), as_text=True),)),
        ({"functionResponse": {"id": "c1"}}, (ToolResult("c1", (Text(""),), as_text=True),)),
        (
            [
                {"functionResponse": {"id": "c1", "response": {"output": "o"}}},
                {"inlineData": {"mimeType": "image/png"}},
            ],
            (ToolResult("c1", (Text("o"),), as_text=True), Image("image/png")),
        ),
    ],
)
def test_results_of_any_form(result: object, parts: tuple[object, ...]) -> None:
    """A result is a string, one part, or parts, with pictures beside it or not."""
    chat = read(ABOUT, gemini("g1", "a", toolCalls=[used("c1", result=result)]))
    assert tuple(part for message in chat.messages[1:] for part in message.parts) == parts


def test_what_is_written_twice_is_read_once() -> None:
    """Newer versions keep a call among the words too, and its result in a message of the user's as well."""
    both = [{"functionResponse": {"id": name, "response": {"output": name}}} for name in ("c1", "c2")]
    calls = [used("c1", result=both), used("c2", result=both)]
    content = [{"text": "a"}, {"functionCall": {"id": "c1", "name": "ls"}}, {"functionCall": {"name": "ls"}}]
    reply = gemini("g1", content, toolCalls=calls)
    alone, twice = read(ABOUT, reply), read(ABOUT, reply, user("u2", both))
    for chat in (alone, twice):
        assert [call.id for message in chat.messages for call in message.calls] == ["c1", "c2"]
        assert [result.call_id for message in chat.messages for result in message.results] == ["c1", "c2"]
        assert len(chat.messages) == 2


def test_calls_without_ids_get_some() -> None:
    """A saved checkpoint names no calls: results answer the oldest open call of their tool."""
    call = {"functionCall": {"name": "ls", "args": {}}}
    answer = {"functionResponse": {"name": "ls", "response": {"output": "x"}}}
    turns = [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [call, call]}]
    turns += [{"role": "user", "parts": [answer, answer, answer]}]
    for document in (turns, {"history": turns}):
        chat = read_chat(Source.of_text(json.dumps(document)))
        assert chat.format == "gemini"
        assert [call.id for call in chat.messages[1].calls] == ["m1.0", "m1.1"]
        assert [result.call_id for result in chat.messages[2].results] == ["m1.0", "m1.1", ""]


def test_parts_of_every_kind() -> None:
    """Thoughts are never sent again; what we do not know is kept as it is."""
    content = [
        "words",
        {"text": "secret", "thought": True},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"inlineData": {"mimeType": "application/pdf", "displayName": "a.pdf"}},
        {"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}},
        {"fileData": {"fileUri": "gs://b"}},
        {"executableCode": {"code": "1"}},
    ]
    (message,) = read(ABOUT, user("u1", content)).messages
    assert message.parts == (
        Text("words"),
        Image("image/png", "aGk="),
        Document("a.pdf", content[3]),  # type: ignore[arg-type]  # the list is of strings and objects
        Image("image/png", url="gs://a"),
        Document("gs://b", content[5]),  # type: ignore[arg-type]  # the same
        Unknown("executableCode", content[6]),  # type: ignore[arg-type]  # the same
    )


def test_what_gemini_cli_says_in_the_users_name() -> None:
    """Its own context is the host's, and tells the folder; files referred to are no typed words."""
    context = "<session_context>\nGemini CLI.\n- **Workspace Directories:**\n  - /home/me/shop\n</session_context>"
    older = "This is the Gemini CLI. We are setting up the context\nI'm currently working in the directory: C:\\shop\n"
    files = ["mend @a.py", "--- Content from referenced files ---", "code"]
    for first, folder in ((context, "/home/me/shop"), (older, "C:\\shop")):
        chat = read(ABOUT, user("u0", first), user("u1", files))
        assert [message.by_host for message in chat.messages] == [True, False]
        assert (chat.workspace, chat.title) == (folder, "mend @a.py")


@pytest.mark.parametrize("tokens", [None, 5, {}, {"input": 0, "output": 9}, {"input": "9"}, {"input": True}])
def test_placeholders_are_no_usage(tokens: object) -> None:
    """What records no prompt records nothing."""
    assert read(ABOUT, gemini("g1", "a", tokens=tokens)).messages[0].usage is None


def test_damaged_lines_cost_themselves() -> None:
    """A missing first line, noise, glued and cut records: what can be read is read, the rest is told."""
    lines = f"noise\n{json.dumps(user('u1', 'hi'))}{json.dumps(gemini('g1', 'a'))}\n" + '{"id":"g2","type":"gem'
    chat = read_chat(Source.of_bytes(b"\xef\xbb\xbf" + lines.encode()))
    assert texts(chat) == ["hi", "a"]
    assert [warning.line for warning in chat.warnings] == [1, 3]


@pytest.mark.parametrize(
    "document",
    [{"history": [{"role": "gemini", "parts": []}]}, {"history": []}, [], {"$set": 5}, {"type": "gemini"}],
)
def test_what_is_not_ours(document: object) -> None:
    """Nothing of this is a session."""
    with suppress(ChatUnreadable):
        assert read_chat(Source.of_text(json.dumps(document))).format != "gemini"


VALUES = st.sampled_from([None, True, 3, "x", [], {}, [None, 3, {"text": 3}], {"text": "t"}, [{"functionResponse": 3}]])
ODD = VALUES | st.just([{"functionCall": {"name": []}}, {"functionResponse": {"parts": [3], "response": []}}])


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "type", "content", "toolCalls", "tokens", "model", "$set", "$rewindTo", "messages"]),
            ODD | st.sampled_from(["gemini", "user"]) | st.fixed_dictionaries({"messages": ODD, "summary": ODD}),
        )
        | st.fixed_dictionaries({"id": ODD, "type": st.sampled_from(["gemini", "user"]), "content": ODD})
        | st.fixed_dictionaries(
            {
                "id": st.just("g"),
                "type": st.just("gemini"),
                "toolCalls": st.lists(
                    st.fixed_dictionaries({"id": ODD, "name": ODD, "args": ODD, "result": ODD, "status": ODD}),
                    max_size=2,
                ),
            }
        ),
        max_size=8,
    )
)
def test_any_records_are_read_or_refused(records: list[Record]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    turns = [{"role": record.get("type"), "parts": record.get("content")} for record in records]
    for document in ((ABOUT, *records), ({**ABOUT, "messages": records},), (turns,), ({"history": turns},)):
        try:
            read(*document)
        except ChatUnreadable:
            continue
