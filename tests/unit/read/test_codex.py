"""Sessions of Codex, in each form that they have had."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from compact_chat.chat import Chat, Text, Thinking, ToolCall
from compact_chat.read import Source, codex

Record = dict[str, Any]
META: Record = {"type": "session_meta", "payload": {"id": "s", "cwd": "/home/me/project", "cli_version": "0.142.0"}}
CONTEXT: Record = {"type": "turn_context", "payload": {"cwd": "/home/me/project", "model": "gpt-5.5"}}


def said(role: str, *texts: str, **more: Any) -> Record:
    """A message as an item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts], **more}


def item(payload: Record) -> Record:
    """An item in its envelope."""
    return {"timestamp": "2026-05-01T10:00:00Z", "type": "response_item", "payload": payload}


def event(kind: str, **more: Any) -> Record:
    """An event in its envelope."""
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def counted(prompt: int, output: int, total: int) -> Record:
    """The event that tells of a call's size."""
    last = {"input_tokens": prompt, "output_tokens": output, "total_tokens": prompt + output}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last, "model_context_window": 258_400}
    return event("token_count", info=info)


def of_lines(*records: Record) -> Source:
    """A session file of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: Record) -> Chat:
    """The chat of a session that must be recognised as ours."""
    source = of_lines(*records)
    assert codex.sniff(source)
    return codex.read(source)


def test_a_session_is_read_whole() -> None:
    """Model, window, title and folder are the file's, and events that repeat the items are not messages."""
    chat = read(META, CONTEXT, item(said("user", "hi\nthere")), event("user_message", message="hi"), counted(9, 1, 10))
    assert (chat.format, chat.tool) == ("codex", "codex")
    assert (chat.model, chat.window, chat.title, chat.workspace) == ("gpt-5.5", 258_400, "hi", "/home/me/project")
    assert [(message.id, message.role, message.text) for message in chat.messages] == [("r3", "user", "hi\nthere")]


def test_the_items_of_a_call_are_one_message() -> None:
    """Thoughts, words and calls of one reply are one message, and so are the outputs; ids are the tool's own."""
    call = {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command":["ls"]}'}
    chat = read(
        META,
        item({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}),
        item(said("assistant", "I look.", id="msg_1")),
        item(call),
        item({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** Begin Patch"}),
        item({"type": "function_call_output", "call_id": "c1", "output": "a.py"}),
        item({"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "done"}]}),
        item(said("assistant", "Two files.")),
    )
    assert [message.id for message in chat.messages] == ["rs_1", "r6", "r8"]
    reply, outputs, _ = chat.messages
    assert reply.parts == (
        Thinking("hm"),
        Text("I look."),
        ToolCall("c1", "shell", {"command": ["ls"]}),
        ToolCall("c2", "apply_patch", {"input": "*** Begin Patch"}),
    )
    assert [(result.call_id, result.content) for result in outputs.results] == [
        ("c1", (Text("a.py"),)),
        ("c2", (Text("done"),)),
    ]


def test_sizes_stand_beside_their_calls() -> None:
    """The count that follows the outputs of a call is that of the reply which made the call."""
    chat = read(
        META,
        CONTEXT,
        item(said("user", "hi")),
        item({"type": "function_call", "name": "f", "call_id": "c", "arguments": "{}"}),
        item({"type": "function_call_output", "call_id": "c", "output": ""}),
        counted(100, 7, 107),
        item(said("assistant", "done")),
        counted(120, 3, 230),
    )
    found = [message.usage and (message.usage.prompt_tokens, message.usage.output_tokens) for message in chat.messages]
    assert found == [None, (100, 7), None, (120, 3)]
    assert {message.usage.model for message in chat.messages if message.usage} == {"gpt-5.5"}


def test_the_oldest_lines_have_no_envelope() -> None:
    """Bare items behind a header without a type are read like the items of today."""
    header = {"id": "s", "timestamp": "2025-06-01T10:00:00Z", "instructions": None}
    chat = read(header, {"record_type": "state"}, said("user", "hi"), said("assistant", "hello"))
    assert [(message.id, message.text) for message in chat.messages] == [("r3", "hi"), ("r4", "hello")]


def test_bare_lines_are_known_without_their_header() -> None:
    """The marks between bare items tell whose they are where the first line is lost."""
    assert codex.sniff(of_lines(said("user", "hi"), {"record_type": "state"}))
    assert not codex.sniff(of_lines(said("user", "hi"), said("assistant", "hello")))


def test_the_first_form_was_one_object() -> None:
    """A header and a list of items in one document are a session too."""
    session = {"id": "s", "timestamp": "2025-04-20T10:00:00Z", "instructions": ""}
    document = json.dumps({"session": session, "items": [said("user", "hi"), 3, said("assistant", "hello")]}, indent=1)
    source = Source.of_text(document)
    assert codex.sniff(source)
    chat = codex.read(source)
    assert (chat.title, [message.text for message in chat.messages]) == ("hi", ["hi", "hello"])


def test_a_session_is_known_without_its_first_line() -> None:
    """Any line in an envelope of Codex tells whose file it is."""
    assert codex.sniff(of_lines(item(said("user", "hi"))))
    assert not codex.sniff(of_lines({"type": "response_item", "payload": "x"}, {"type": "other", "payload": {}}))
    assert not codex.sniff(Source.of_document({"messages": [], "session": {"id": "s", "timestamp": "t"}, "items": []}))


def test_a_log_of_the_screen_is_no_session() -> None:
    """What the terminal of Codex writes for itself is none of ours."""
    assert not codex.sniff(of_lines({"ts": "2025", "dir": "to_tui", "kind": "codex_event", "payload": {"id": "0"}}))


def test_damage_costs_the_damaged_line_only() -> None:
    """A cut last line and glued records are read around, with the number of the line."""
    whole = json.dumps(META) + "\n" + json.dumps(item(said("user", "a"))) + json.dumps(item(said("assistant", "b")))
    chat = codex.read(Source.of_text("\ufeff" + whole + "\n" + '{"type":"event_msg","pay'))
    assert [message.text for message in chat.messages] == ["a", "b"]
    assert [(warning.code, warning.line) for warning in chat.warnings] == [("damagedLine", 3)]


def test_a_file_that_goes_on_elsewhere_is_told() -> None:
    """A thread whose beginning stands in another file is not taken for whole."""
    meta = {"type": "session_meta", "payload": {"id": "s", "history_base": {"end_ordinal_exclusive": 9}}}
    assert [warning.code for warning in read(meta, item(said("user", "hi"))).warnings] == ["historyElsewhere"]


def test_a_name_beats_the_first_words_as_title() -> None:
    """The newest name of a thread is its title; else it is what the person typed first, without what Codex put in."""
    context = item(said("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"))
    asked = item(said("user", "# Context from my IDE setup:\n- a.py\n## My request for Codex:\nFix it\nnow"))
    assert read(META, context, asked).title == "Fix it"
    assert read(META, asked, event("thread_name_updated", thread_name="Repair")).title == "Repair"


def test_a_growing_file_keeps_its_ids() -> None:
    """Each message has the same id in every longer version of the file."""
    lines = [META, item(said("user", "a")), item(said("assistant", "b")), item(said("user", "c", id="u")), CONTEXT]
    ids = [[message.id for message in read(*lines[:end]).messages] for end in range(1, len(lines) + 1)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ids))
