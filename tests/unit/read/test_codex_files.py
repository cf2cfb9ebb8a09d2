"""Real and made Codex sessions give their ground truth, and any JSON in their shape is read or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Text, Unknown
from compact_chat.read import Source, codex

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)
REFUSED = "codex/openai-oss-story-not-a-session.jsonl"
OURS = [name for name in FILES if "codex" in name and name != REFUSED] or ["(absent)"]

# Where our reading is another one than the collection's, with the reason.
OTHERWISE: dict[str, dict[str, object]] = {
    # The only count left whole is that of the turn that was taken back; the one before it is of what is live.
    "broken/broken-codex-cut-last-line.jsonl": {"prompt": 5000, "output": 20},
    # Codex's own estimate of the whole is a prompt of that size, without an output.
    "broken/broken-codex-null-info.jsonl": {"prompt": 2300, "output": 0},
    # There is no message that a size could belong to.
    "codex/jazzyalex-codex_053_rate_limit.jsonl": {"prompt": None, "output": None},
    # Words of another agent are a message of ours; a count of zeros is none.
    "codex/jazzyalex-small.jsonl": {"live_messages": 13, "prompt": None, "output": None, "context_window": 258_400},
}


def read(folder: Path, name: str) -> Chat:
    """Read a file of the collection."""
    source = Source.of_bytes((folder / name).read_bytes(), name)
    assert codex.sniff(source)
    return codex.read(source)


def counted(chat: Chat) -> dict[str, object]:
    """What the collection counts: items, where replies and outputs of ours are several items."""
    words = [part for message in chat.messages for part in message.parts if message.role == "assistant"]
    own = [message for message in chat.messages if message.role != "assistant" and not message.results]
    readable = [message for message in own if not any(isinstance(part, Unknown) for part in message.parts)]
    usages = [message.usage for message in chat.messages if message.usage]
    return {
        "live_messages": len(readable) + sum(isinstance(part, Text) for part in words),
        "live_tool_calls": sum(len(message.calls) for message in chat.messages),
        "live_tool_results": sum(len(message.results) for message in chat.messages),
        "live_compaction_items": len(own) - len(readable),
        "prompt": usages[-1].prompt_tokens if usages else None,
        "output": usages[-1].output_tokens if usages else None,
        "model": chat.model,
        "context_window": chat.window,
    }


@pytest.mark.parametrize("name", OURS)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Items, calls, results, sizes, model and window are those that were counted by other means."""
    truth = FILES[name]["truth"]
    last = truth["last_context_tokens"] or {"prompt": None, "output": None}
    wanted = {**truth, **last, **OTHERWISE.get(name, {})}
    got = counted(read(shared_chats, name))
    assert got == {key: wanted[key] for key in got}


@pytest.mark.parametrize("name", OURS)
def test_damage_is_told(shared_chats: Path, name: str) -> None:
    """Each line of which something is lost has its warning."""
    warnings = [warning for warning in read(shared_chats, name).warnings if warning.code == "damagedLine"]
    assert len(warnings) == FILES[name]["truth"]["unreadable_lines"]


def test_what_is_no_session_is_not_ours(shared_chats: Path) -> None:
    """A log of the terminal is not taken for a session, and no other tool's file is."""
    others = [name for name in FILES if "codex" not in name] + [REFUSED]
    claimed = [name for name in others if codex.sniff(Source.of_bytes((shared_chats / name).read_bytes(), name))]
    assert claimed == []


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "user", "message", "\ud800", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "content"]), inner),
    max_leaves=6,
)
KEYS = "type role content id call_id name arguments output summary tools action num_turns message info model cwd"
MORE = "replacement_history last_token_usage total_token_usage model_context_window thread_name history_base author"
KINDS = "message reasoning function_call function_call_output compaction agent_message token_count thread_rolled_back"
PAYLOADS = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS.split()) | ANY},
    optional={
        key: ANY | st.sampled_from(["user", "a", 3, 10**400]) for key in f"{KEYS} {MORE}".split() if key != "type"
    },
)
ENVELOPES = st.sampled_from(
    ["session_meta", "turn_context", "response_item", "event_msg", "compacted", "inter_agent_communication", "message"]
)
RECORDS = st.lists(
    st.fixed_dictionaries({"type": ENVELOPES | ANY, "payload": PAYLOADS | ANY}) | PAYLOADS | ANY, max_size=12
)


@given(RECORDS)
def test_any_json_in_our_shape_is_read(records: list[Any]) -> None:
    """G4: wrong types anywhere cost what is wrong, and never fail; ids are there once, and sizes can be."""
    chat = codex.read(Source.of_text("\n".join(json.dumps(record) for record in records)))
    ids = [message.id for message in chat.messages]
    assert len(ids) == len(set(ids))
    assert all(0 < message.usage.prompt_tokens <= 10**9 for message in chat.messages if message.usage)


@given(ANY, ANY)
def test_any_document_in_the_oldest_shape_is_read(session: object, items: object) -> None:
    """G4: the form of one object is no exception."""
    source = Source.of_text(json.dumps({"session": session, "items": items}))
    codex.sniff(source)
    codex.read(source)
