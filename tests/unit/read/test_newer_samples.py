"""Files of Qwen Code and of Cline's SDK from the tools' own and other people's tests, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.chat import Chat, Usage
from compact_chat.read import Source, read_chat

OLD_FOLDER = "/tmp/as-qwen-fixture/old-project"


@pytest.fixture
def samples(shared_chats: Path) -> Path:
    """The folder of these files."""
    folder = shared_chats.parent / "samples"
    if not folder.is_dir():
        pytest.skip("the samples are not at hand")
    return folder


def read(path: Path) -> Chat:
    """Read a file as it is."""
    return read_chat(Source.of_bytes(path.read_bytes(), path.name))


def test_the_live_branch_of_qwen_code_is_read(samples: Path) -> None:
    """A rewind leaves a branch and its title behind, fragments are one reply, and an artifact ends nothing."""
    chat = read(samples / "qwen" / "jazzyalex-019f0000-0000-7000-8000-000000000004.jsonl")

    assert (chat.format, chat.title, chat.model) == ("qwen-code", "Active branch title", "synthetic-active-model")
    assert [message.role for message in chat.messages] == ["user", "assistant"]
    assert chat.messages[0].typed_text == "Begin the active-chain fixture.\nContinue from the rewound branch."
    assert chat.messages[1].usage == Usage(12, 4, "synthetic-active-model")
    assert chat.workspace == OLD_FOLDER


def test_words_of_a_hook_are_not_typed(samples: Path) -> None:
    """The record tells what the person typed; a notification is the tool's."""
    chat = read(samples / "qwen" / "jazzyalex-019f0000-0000-7000-8000-000000000001.jsonl")

    assert chat.messages[0].typed_text == "Inspect the synthetic fixture."
    assert [message.by_host for message in chat.messages] == [False, False, False, False, True]


def test_a_session_of_clines_sdk_is_read(samples: Path) -> None:
    """Sizes are those of the calls, results are linked, and the system prompt tells the folder."""
    chat = read(samples / "cline-sdk" / "session.messages.json")
    sizes = [message.usage.prompt_tokens for message in chat.messages if message.usage]

    assert (chat.format, chat.tool, chat.workspace) == ("cline-sdk", "cline", "/Users/example/dev/cline")
    assert sizes[:3] == [34_334, 35_912, 36_673]
    assert not chat.links.orphans
    assert not chat.links.unanswered


def test_the_total_of_a_run_is_no_size_of_a_prompt(samples: Path) -> None:
    """Where only the last reply of several has metrics, they are of all calls."""
    chat = read(samples / "cline-sdk" / "success.messages.json")

    assert [message.usage for message in chat.messages] == [None] * 4
