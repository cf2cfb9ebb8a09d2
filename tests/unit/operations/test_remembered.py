"""What earlier chats taught, where the user wants that remembered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import state as ratios
from compact_chat.operations import ClientState, Job
from tests.samples.alone import perform_alone

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is written to."""
    monkeypatch.setattr(ratios, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


def session(sizes: list[int], tail: str) -> dict[str, str]:
    """A recorded chat: what the user says again and again, each answer with the prompt that it took, and a tail."""
    said, lines, parent = "count the trays in the shop " * 60, [], None
    for number, size in enumerate(sizes):
        head = {"sessionId": "s", "isSidechain": False}
        user = {
            "type": "user",
            "uuid": f"u{number}",
            "parentUuid": parent,
            "message": {"role": "user", "content": said},
        }
        usage = {"input_tokens": size, "output_tokens": 2}
        answer = {"id": f"a{number}", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
        parent = f"r{number}"
        lines += [
            head | user,
            head
            | {"type": "assistant", "uuid": parent, "parentUuid": f"u{number}"}
            | {"message": answer | {"content": [{"type": "text", "text": "ok"}]}},
        ]
    lines.append(
        {"sessionId": "s", "isSidechain": False, "type": "user", "uuid": "t", "parentUuid": parent}
        | {"message": {"role": "user", "content": tail}}
    )
    return {"text": "\n".join(map(json.dumps, lines))}


def counted_anew(chat: dict[str, str]) -> Any:
    """Count for a client that has just come."""
    client = ClientState()
    client.configure({"rememberRatio": True})
    return perform_alone("countTokens", {"chat": chat}, Job(client))


TEACHER = session([1_000 + 480 * number for number in range(12)], "done")
PUPIL = session([1_000], "count the trays in the shop " * 200)


def test_nothing_is_kept_unless_the_user_wants_it(ask: Ask, folder: Path) -> None:
    """Off, the same chat always gives the same report, and no file is made."""
    before = ask("countTokens", chat=PUPIL)
    ask("countTokens", chat=TEACHER)

    assert ask("countTokens", chat=PUPIL) == before
    assert not folder.exists()


def test_a_chat_teaches_the_next_one(ask: Ask, client: Any, folder: Path) -> None:
    """On, a model that makes more tokens of a word than its family usually does is met with that at once."""
    cold = ask("countTokens", chat=PUPIL)["used"]
    client.configure({"rememberRatio": True})
    ask("countTokens", chat=TEACHER)

    assert counted_anew(PUPIL)["used"] > cold
    client.configure({"rememberRatio": False})
    assert ask("countTokens", chat=PUPIL)["used"] == cold
    assert [path.name for path in folder.iterdir()] == ["ratios.json"]


def test_one_client_always_gets_the_same_numbers(ask: Ask, client: Any) -> None:
    """What is learned while a client is connected is for the next one: a plan stays what it was when it was shown."""
    client.configure({"rememberRatio": True})
    before = ask("countTokens", chat=PUPIL), ask("preview", chat=PUPIL)
    ask("countTokens", chat=TEACHER)

    assert (ask("countTokens", chat=PUPIL), ask("preview", chat=PUPIL)) == before


def test_only_numbers_are_kept(ask: Ask, client: Any, folder: Path) -> None:
    """Nothing of the chat is in the file: the names of families, and two numbers for each."""
    client.configure({"rememberRatio": True})
    ask("countTokens", chat=TEACHER)

    for family, sums in json.loads((folder / "ratios.json").read_text("utf-8")).items():
        assert family in ("claude", "claude-new", "gpt")
        assert [type(number) for number in sums] == [float, float]


def test_counting_a_chat_again_does_not_run_away(folder: Path) -> None:
    """However often one chat is counted, what it taught stays bounded."""
    reports = [counted_anew(TEACHER)["used"] for _ in range(20)]

    (sums,) = json.loads((folder / "ratios.json").read_text("utf-8")).values()
    assert sums[0] <= 50_000
    assert reports[-1] == reports[-2]


def test_a_damaged_memory_is_none(ask: Ask, client: Any, folder: Path) -> None:
    """A file of nonsense changes no count and stops none."""
    cold = ask("countTokens", chat=PUPIL)
    folder.mkdir()
    (folder / "ratios.json").write_bytes(b'{"claude": "much"}')
    client.configure({"rememberRatio": True})

    assert ask("countTokens", chat=PUPIL) == cold
