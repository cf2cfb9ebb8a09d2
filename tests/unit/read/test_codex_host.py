"""What Codex says in the user's name."""

from __future__ import annotations

from compact_chat.read.codex_history import typed_texts


def test_the_request_is_found_behind_the_context_of_an_editor() -> None:
    """An editor puts its own context in front of the words; without the mark between them all is the person's."""
    context = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n"
    texts = [context + "## My request for Codex:\nfix it\n", context, "What is ## My request for Codex: for?"]
    assert typed_texts(texts) == ["fix it", *texts[1:]]
