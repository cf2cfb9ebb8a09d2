"""The editor provider: which models are asked, how, for how long, and what becomes of each answer (rules L2 to L10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from compact_chat.errors import Cancelled, HostRefused
from compact_chat.models import Access, Answer, Assignment, Choice, Failure, Host
from compact_chat.models.editor import choices, write
from compact_chat.styles import MaskedRequest
from compact_chat.wire import TokensSpent
from tests.servers.clock import run_in_jumps
from tests.servers.host import MODEL, MODELS, SILENCE, FakeHost, model, reply

ASSIGNMENT = Assignment("m", 900, MaskedRequest("material", "text", "system"))
THREE = {"models": [model("a", consent=False), model("b", window=2000), model("c")]}


def access(host: Host | None, *, user: bool = True) -> Access:
    """Allow a second of silence, and ten in all."""
    return Access(host, 1.0, 10.0, user)


def chosen(result: Any, *wished: str, user: bool = True) -> tuple[Choice, ...]:
    """Return the choices among an editor's models."""
    return run_in_jumps(choices(wished, access(FakeHost(languageModels=result), user=user)))


def written(host: FakeHost, assignment: Assignment = ASSIGNMENT) -> tuple[Answer, list[str]]:
    """Return the answer, and the streamed pieces."""
    reported: list[str] = []
    return run_in_jumps(write(assignment, access(host), reported.append)), reported


def kind_of(host: FakeHost) -> str:
    """Return the kind of the failure of a call; none of its answer is streamed."""
    with pytest.raises(Failure) as caught:
        run_in_jumps(write(ASSIGNMENT, access(host), pytest.fail))
    assert "secret" not in caught.value.sentence
    return caught.value.kind


@pytest.mark.parametrize(
    ("wished", "user", "models"),
    [
        (["claude-haiku-5-5"], True, ["a", "b"]),
        (["editor:c", "claude", "editor:x", "editor:c"], True, ["c"]),
        (["editor:c", "editor:b", "editor:a"], True, ["c", "b"]),
        ([], False, ["b", "c"]),
        (["editor:a", "editor:c"], False, ["c"]),
    ],
)
def test_the_models_to_ask(wished: list[str], user: bool, models: list[str]) -> None:
    """L6, L9: requested models that exist, else the first ones, at most two; without a person only with consent."""
    windows = {"a": 1000, "b": 2000, "c": 1000}
    assert chosen(THREE, *wished, user=user) == tuple(Choice(name, windows[name]) for name in models)


@pytest.mark.parametrize("window", [None, 0, -1, True, 1.5, "1000"])
def test_a_window_that_is_none_is_unknown(window: Any) -> None:
    """A model without a valid token count as its window can still be called; the models are requested once."""
    host = FakeHost(languageModels={"models": [model("a", window=window), 5]})
    assert run_in_jumps(choices([], access(host))) == (Choice("a", None),)
    assert host.asked == [(MODELS, {})]


@pytest.mark.parametrize(
    ("result", "wished", "kind"),
    [
        (THREE, ["editor:x", "claude"], "modelNotFound"),
        (THREE, ["editor:"], "modelNotFound"),
        (THREE, ["editor:a"], "noConsent"),
        ({"models": [{**model("a"), "consent": "true"}]}, [], "noConsent"),
        ({"models": []}, [], "noModel"),
        ({"models": [{}, None, 1, {"id": 1}, {"id": ""}]}, [], "noModel"),
        ({"models": None}, [], "protocol"),
        ([model("a")], [], "protocol"),
        (None, [], "protocol"),
        (HostRefused(-32803, {"reason": "noModel"}), [], "noModel"),
        (SILENCE, [], "timeout"),
    ],
)
def test_who_cannot_be_asked_is_said_why(result: Any, wished: list[str], kind: str) -> None:
    """L9: the failure says whether there is no model, no consent, or no readable answer."""
    with pytest.raises(Failure) as caught:
        chosen(result, *wished, user=False)
    assert caught.value.kind == kind


def test_an_editor_that_declared_nothing_is_not_asked() -> None:
    """L9: without a host, or with one that declared no models, there is no model, and no request."""
    host = FakeHost()
    host.language_models = False
    for silent in (None, host):
        for story in (choices(["editor:a"], access(silent)), write(ASSIGNMENT, access(silent), print)):
            with pytest.raises(Failure) as caught:
                run_in_jumps(story)
            assert caught.value.kind == "noModel"
    assert host.asked == []


def test_the_request_is_one_user_message() -> None:
    """L2: one user message, the style's own system text beside it, and no tools."""
    host = FakeHost(languageModel=reply("fine"))
    written(host)
    [(method, params)] = host.asked
    assert method == MODEL
    assert params.pop("justification").startswith("Compact Chat ")
    assert params == {
        "model": "m",
        "messages": [{"role": "user", "content": {"type": "text", "text": "material\n\ntext"}}],
        "systemPrompt": "system",
        "maxTokens": 900,
        "userInitiated": True,
    }


@pytest.mark.parametrize(
    ("more", "stop", "usage"),
    [
        ({}, None, None),
        ({"stopReason": None, "usage": None}, None, None),
        ({"stopReason": "unknown", "usage": 7}, None, None),
        ({"stopReason": "endTurn", "usage": {"inputTokens": 5, "outputTokens": 7}}, "end_turn", TokensSpent(5, 7)),
        ({"stopReason": "stopSequence", "usage": {"inputTokens": 5}}, "stop_sequence", None),
        ({"usage": {"inputTokens": "many", "outputTokens": 7}}, None, None),
    ],
)
def test_accepted_replies(more: dict[str, Any], stop: str | None, usage: TokensSpent | None) -> None:
    """L5: end of turn, a stop sequence and no reason at all are accepted; half of a usage counts as none.

    Without a chosen model the editor takes its own, and names it; half a surrogate pair is a text like another.
    """
    host = FakeHost(languageModel=reply("fine\ud800", **more))
    assert written(host, Assignment(None, 900, ASSIGNMENT.request)) == (
        Answer("fine\ud800", "m", stop, usage),
        ["fine\ud800"],
    )
    assert "model" not in host.asked[0][1]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply("half", stopReason="maxTokens"), "truncated"),
        (reply("half", stopReason="somethingNew"), "truncated"),
        (reply("I look it up", stopReason="toolUse"), "empty"),
        (reply("I would rather not", stopReason="refusal"), "refusal"),
        (reply(" \n\t"), "empty"),
        (reply("secret", stopReason=1), "protocol"),
        (reply("secret", role="user"), "protocol"),
        (reply("secret", content=[{"type": "text", "text": "secret"}]), "protocol"),
        (reply("secret", content={"type": "image", "text": "secret"}), "protocol"),
        ({**reply("secret"), "\ud800": 1}, "protocol"),
        ("secret", "protocol"),
        (None, "protocol"),
        (HostRefused(-32803, {"reason": "noModel"}), "noModel"),
        (HostRefused(-32803, {"reason": "noConsent"}), "noConsent"),
        (HostRefused(-32803, {"reason": "blocked"}), "blocked"),
        (HostRefused(-32803, {"reason": "notFound"}), "modelNotFound"),
        (HostRefused(-32803, {"reason": "tooLong"}), "tooLong"),
        (HostRefused(-32803, {"reason": "failed", "secret": "secret"}), "server"),
        (HostRefused(-32803, {"reason": "secret"}), "server"),
        (HostRefused(-32803, {"reason": ["noModel"]}), "server"),
        (HostRefused(-32603, {"reason": "noModel"}), "server"),
        (HostRefused(-32601, {}), "protocol"),
        (HostRefused(0, {}), "protocol"),
    ],
)
def test_each_refusal_and_each_odd_answer_has_its_kind(answer: Any, kind: str) -> None:
    """L4: anything but a reply is a failure of the kind that guides the ladder, without a word of the answer."""
    assert kind_of(FakeHost(languageModel=answer)) == kind


@pytest.mark.parametrize(
    ("pieces", "reported"),
    [
        ([], ["one two"]),
        (["one ", "two"], ["one ", "two"]),
        (["one"], ["one", " two"]),
        (["", ""], ["", "", "one two"]),
        (["other"], ["other"]),
        (["one two three"], ["one two three"]),
    ],
)
def test_the_text_is_told_once(pieces: list[str], reported: list[str]) -> None:
    """What the client streams is passed on as it comes, the rest at the end, and nothing twice."""
    host = FakeHost(languageModel=reply("one two"))
    host.pieces = pieces
    answer, heard = written(host)
    assert (answer.text, heard) == ("one two", reported)


def test_silence_is_a_failure_and_cancelled_in_the_client() -> None:
    """L10: a model that is silent for the idle time has failed, and the client is told to stop."""
    host = FakeHost(languageModel=SILENCE)
    host.late = "not heard any more"
    assert kind_of(host) == "timeout"
    assert host.cancelled == [MODEL]


def test_each_piece_of_text_begins_the_silence_anew() -> None:
    """L10: a slow model that keeps writing is waited for, even if an empty text only signals that it is alive."""
    host = FakeHost(languageModel=reply("fine"))
    host.pieces, host.pause = ["", "f", "", "i", "n", "e"], 0.9
    assert written(host)[0].text == "fine"


def test_a_call_ends_with_its_time() -> None:
    """L10: a model that writes beyond the total time has failed; the client is told to stop."""

    async def story() -> float:
        with pytest.raises(Failure, match=r"took longer than 10 s"):
            await write(ASSIGNMENT, access(host), lambda _: None)
        return asyncio.get_running_loop().time()

    host = FakeHost(languageModel=SILENCE)
    host.pieces, host.pause = ["on "] * 100, 0.9
    assert run_in_jumps(story()) == pytest.approx(10, abs=0.01)
    assert host.cancelled == [MODEL]


def test_a_cancellation_goes_through_at_once() -> None:
    """L4: a cancellation is no failure, and reaches the client; one that begins in the client ends the operation."""
    with pytest.raises(Cancelled):
        written(FakeHost(languageModel=HostRefused(-32800, {})))

    async def story() -> None:
        task = asyncio.get_running_loop().create_task(write(ASSIGNMENT, access(host), lambda _: None))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.get_running_loop().time() == pytest.approx(0.5, abs=0.01)

    host = FakeHost(languageModel=SILENCE)
    run_in_jumps(story())
    assert host.cancelled == [MODEL]
