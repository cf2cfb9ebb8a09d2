"""What Codex says in the user's name."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.read.codex_history import Item, item_of, typed_texts


def user(*texts: str, **more: Any) -> Item:
    """A message of the user's."""
    content = [{"type": "input_text", "text": text} for text in texts]
    return item_of({"type": "message", "role": "user", "content": content, **more})


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        " <USER_INSTRUCTIONS>be kind</user_instructions>\n",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<skill>\n<name>x</name></skill>",
        '<hook_prompt hook_run_id="1">x</hook_prompt>',
        "<external_notes>x</external_notes>",
        "Warning: apply_patch was requested via exec_command.",
    ],
)
def test_wrappers_are_context(text: str) -> None:
    """A text that is a wrapper of Codex from its first to its last character was typed by nobody."""
    assert user(text).is_context
    assert user("hi", text).is_context
    assert not user(text).is_turn


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What does <environment_context> mean?",
        "<environment_context> is what?",
        "<environment_context>a</environment_context> and now?",
        "<environment_contexts>a</environment_contexts>",
        "# AGENTS.md instructions are wrong",
        "<b>bold</b>",
    ],
)
def test_a_person_may_write_of_wrappers(text: str) -> None:
    """G7: a mention of a wrapper, or one with words behind it, is the person's own."""
    assert not user(text).is_context
    assert user(text).is_typed


def test_newer_versions_note_the_kind_of_each_text() -> None:
    """Noted kinds decide, where there is one for each text."""
    wrapper = "<environment_context>x</environment_context>"
    for kinds, expected in (
        (["user.text"], False),
        (["unknown"], False),
        (["environments.environment_context"], True),
        ([], True),
        (["user.text", "user.text"], True),
        ("user.text", True),
        ([3], True),
    ):
        noted = {"content_item_kinds": kinds}
        assert user(wrapper, internal_chat_message_metadata_passthrough=noted).is_context is expected
    noted = {"content_item_kinds": ["x", "hooks.y"]}
    assert user("a", "b", internal_chat_message_metadata_passthrough=noted).is_context


def test_summaries_are_known_by_their_first_words() -> None:
    """A summary opens with what Codex puts in front of each; it begins a turn, but nobody typed it."""
    words = "Another language model started to solve this problem and produced a summary of its thinking process. …"
    assert user(words).is_summary
    assert user(words).is_turn
    assert not user(words).is_typed
    assert not user("I read: " + words).is_summary
    assert not user(words, role="assistant").is_summary


def test_the_request_is_found_behind_the_context_of_an_editor() -> None:
    """An editor puts its own context in front of the words; without the mark between them all is the person's."""
    context = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n"
    texts = [context + "## My request for Codex:\nfix it\n", context, "What is ## My request for Codex: for?"]
    assert typed_texts(texts) == ["fix it", *texts[1:]]


@pytest.mark.parametrize("content", [None, 3, {}, [3, None], [{"text": 3}], [{"type": "input_image"}], "words"])
def test_content_of_any_type_has_texts(content: object) -> None:
    """Content of a wrong type says nothing, and never fails."""
    item = user(content=content)
    assert all(isinstance(text, str) for text in item.texts)
    assert not item.is_context
