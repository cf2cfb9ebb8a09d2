"""What is left of a Codex session: compactions, and turns that were taken back."""

from __future__ import annotations

from typing import Any

from compact_chat.read.codex import Session
from compact_chat.read.codex_history import Entry, live_entries


def said(role: str, text: str) -> dict[str, Any]:
    """A message as an item."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def items(*pairs: str) -> list[tuple[str, dict[str, Any]]]:
    """Items of messages, `u:` by the user and `a:` by the assistant."""
    roles = {"u": "user", "a": "assistant", "d": "developer"}
    return [("response_item", said(roles[pair[0]], pair[2:])) for pair in pairs]


def rolled_back(turns: Any) -> tuple[str, dict[str, Any]]:
    """The event that takes turns back."""
    return "event_msg", {"type": "thread_rolled_back", "num_turns": turns}


def compacted(message: str = "", history: object = None) -> tuple[str, dict[str, Any]]:
    """A compaction, of the new kind where it has a history."""
    return "compacted", {"message": message} if history is None else {
        "message": message,
        "replacement_history": history,
    }


def replayed(*records: tuple[str, dict[str, Any]]) -> list[Entry]:
    """The live entries of these records."""
    taken = Session().whole({"type": kind, "payload": payload} for kind, payload in records)
    return [entry for entry in live_entries(taken) if isinstance(entry, Entry)]


def texts(*records: tuple[str, dict[str, Any]]) -> list[str]:
    """The live texts of these records."""
    return ["".join(entry.item.texts) for entry in replayed(*records)]


CONTEXT = "<environment_context>x</environment_context>"
PREFIX = "Another language model started to solve this problem and produced a summary of it:\n"


def test_a_replacement_takes_the_place_of_all_before() -> None:
    """Only the newest replacement and what follows it are live, under ids of their own."""
    entries = replayed(
        *items("u:a", "a:b"), compacted("", [said("user", "a"), "noise", said("user", "c")]), *items("u:d")
    )
    assert [entry.id for entry in entries] == ["r3.1", "r3.2", "r4"]
    assert [entry.item.texts for entry in entries] == [["a"], ["c"], ["d"]]


def test_the_summary_in_a_replacement_is_marked() -> None:
    """The summary opens with the words of Codex, or says what the record itself says."""
    known = replayed(compacted("x", [said("user", "x"), said("user", PREFIX + "done")]))
    assert [entry.is_summary for entry in known] == [False, True]
    same = replayed(compacted("x", [said("user", "x"), said("assistant", "x"), said("user", "x"), said("user", "y")]))
    assert [entry.is_summary for entry in same] == [False, False, True, False]


def test_an_old_compaction_keeps_what_the_user_said() -> None:
    """Without a replacement the user's own messages stay, with the summary behind them; a second one keeps them too."""
    first = (*items(f"u:{CONTEXT}", "u:a", "a:b"), compacted("S1"), *items("u:c", "a:d"))
    assert texts(*first) == ["a", "S1", "c", "d"]
    assert texts(*first, compacted("S2"), *items("u:e")) == ["a", "c", "S2", "e"]
    assert [entry.is_summary for entry in replayed(*first)] == [False, True, False, False]


def test_an_old_compaction_without_a_summary_leaves_none() -> None:
    """A blank message is no summary (G6)."""
    assert texts(*items("u:a", "a:b"), compacted(" \n")) == ["a"]


def test_an_old_compaction_keeps_the_newest_messages_only() -> None:
    """About 20,000 tokens of the user's messages stay, and the newest in any case."""
    long = "x" * 39_996
    assert texts(*items("u:first", f"u:{long}", f"u:{long}", "u:last"), compacted("S")) == [long, long, "last", "S"]
    assert texts(*items("u:first", "u:" + "x" * 200_000), compacted("S")) == ["x" * 200_000, "S"]


def test_turns_are_taken_back() -> None:
    """The newest turns go with all that was said in them; what came before the first turn stays."""
    chat = items(f"u:{CONTEXT}", "u:a", "a:b", "u:c", "a:d")
    assert texts(*chat, rolled_back(1)) == [CONTEXT, "a", "b"]
    assert texts(*chat, rolled_back(1), *items("u:e"), rolled_back(1)) == [CONTEXT, "a", "b"]
    assert texts(*chat, rolled_back(9)) == [CONTEXT]


def test_only_real_turns_count() -> None:
    """What Codex says in the user's name is no turn, and goes with the turn that it was told for."""
    chat = items("u:a", "a:b", "u:<turn_aborted>\nx\n</turn_aborted>", "d:<permissions instructions>", "u:c", "a:d")
    assert texts(*chat, rolled_back(1)) == ["a", "b"]
    assert texts(*items("u:a", "a:b", "d:Remember this.", "u:c"), rolled_back(1)) == ["a", "b", "Remember this."]


def test_turns_from_before_an_old_compaction_can_be_taken_back() -> None:
    """Where more turns go than there are since the compaction, what the user said before goes too."""
    chat = (*items("u:a", "a:b", "u:c"), compacted("S"), *items("u:d"))
    assert texts(*chat, rolled_back(2)) == ["a", "c"]
    assert texts(*chat, rolled_back(3)) == ["a"]
    assert texts(*chat, rolled_back(99)) == []


def test_a_roll_back_of_nothing_does_nothing() -> None:
    """Counts that are none, and a history without turns, change nothing."""
    for turns in (0, -1, True, None, "1", 1.5):
        assert texts(*items("u:a", "a:b"), rolled_back(turns)) == ["a", "b"]
    assert texts(*items(f"u:{CONTEXT}", "a:b"), rolled_back(1)) == [CONTEXT, "b"]


def test_words_of_other_agents_are_turns() -> None:
    """A message between agents is sent, and can be taken back."""
    message = {"author": "/root", "recipient": "/root/worker", "content": "go on", "trigger_turn": True}
    chat = (*items("u:a"), ("inter_agent_communication", message), *items("a:b"))
    assert texts(*chat) == ["a", "go on", "b"]
    assert texts(*chat, rolled_back(1)) == ["a"]


def test_what_is_never_sent_is_left_out() -> None:
    """Snapshots and controls are kept among the items, but no model gets them."""
    kinds = ("ghost_snapshot", "compaction_trigger", "additional_tools", "configuration_update")
    assert texts(*items("u:a"), *(("response_item", {"type": kind}) for kind in kinds)) == ["a"]
