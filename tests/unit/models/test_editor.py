"""The editor provider: which models are asked, how, for how long, and what becomes of each answer (rules L2 to L10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from compact_chat.errors import Cancelled, HostRefused
from compact_chat.models import Access, Answer, Assignment, Choice, Failure, Host
from compact_chat.models.editor import choices, write
from compact_chat.styles import Request
from compact_chat.wire import TokensSpent
from tests.servers.clock import run_in_jumps
from tests.servers.host import MODEL, MODELS, SILENCE, FakeHost, model, reply

ASSIGNMENT = Assignment("m", 900, Request("material", "text", "system"))
THREE = {"models": [model("a", consent=False), model("b", window=2000), model("c")]}


def access(host: Host | None, *, user: bool = True) -> Access:
    """Allow a second of silence, and ten in all."""
    return Access(host, 1.0, 10.0, user, asyncio.to_thread)


def chosen(result: Any, *wished: str, user: bool = True) -> tuple[Choice, ...]:
    """The choices among the models that an editor tells."""
    return run_in_jumps(choices(wished, access(FakeHost(languageModels=result), user=user)))


def written(host: FakeHost, assignment: Assignment = ASSIGNMENT) -> tuple[Answer, list[str]]:
    """The answer, and the pieces that were told."""
    told: list[str] = []
    return run_in_jumps(write(assignment, access(host), told.append)), told


def kind_of(host: FakeHost) -> str:
    """The kind of the failure that comes of asking a model."""
    with pytest.raises(Failure) as caught:
        written(host)
    assert "secret" not in caught.value.sentence
    return caught.value.kind


def test_the_first_models_are_asked_where_none_is_wished() -> None:
    """L9: where no wish names a model of the editor's, its first two are asked, by its own ids and with its windows."""
    assert chosen(THREE, "claude-haiku-5-5") == (Choice("a", 1000), Choice("b", 2000))


def test_wished_models_are_asked_in_their_order() -> None:
    """L9: of the wished models those that exist are asked, each once, and no other; two at most (rule L6)."""
    assert chosen(THREE, "editor:c", "claude", "editor:x", "editor:c") == (Choice("c", 1000),)
    assert chosen(THREE, "editor:c", "editor:b", "editor:a") == (Choice("c", 1000), Choice("b", 2000))


def test_without_a_person_only_models_with_consent_are_asked() -> None:
    """L9: what nobody started asks only models that the editor says were consented to."""
    assert chosen(THREE, user=False) == (Choice("b", 2000), Choice("c", 1000))
    assert chosen(THREE, "editor:a", "editor:c", user=False) == (Choice("c", 1000),)


@pytest.mark.parametrize(
    ("result", "wished", "kind"),
    [
        (THREE, ["editor:x", "claude"], "modelNotFound"),
        (THREE, ["editor:"], "modelNotFound"),
        (THREE, ["editor:a"], "noConsent"),
        ({"models": [model("a", consent=False)]}, [], "noConsent"),
        ({"models": [{**model("a"), "consent": "true"}]}, [], "noConsent"),
        ({"models": []}, [], "noModel"),
        ({"models": [{}, None, 1, {"id": 1}, {"id": ""}]}, [], "noModel"),
        ({"models": None}, [], "protocol"),
        ({"models": {"a": 1}}, [], "protocol"),
        ([model("a")], [], "protocol"),
        (None, [], "protocol"),
        (HostRefused(-32803, {"reason": "noModel"}), [], "noModel"),
        (SILENCE, [], "timeout"),
    ],
)
def test_who_cannot_be_asked_is_said_why(result: Any, wished: list[str], kind: str) -> None:
    """L9: where no model can be asked, the failure says whether there is none, no consent, or no answer to be read."""
    with pytest.raises(Failure) as caught:
        chosen(result, *wished, user=False)
    assert caught.value.kind == kind


@pytest.mark.parametrize("window", [None, 0, -1, True, 1.5, "1000"])
def test_a_window_that_is_none_is_not_known(window: Any) -> None:
    """A model whose window is no count of tokens can be asked all the same."""
    assert chosen({"models": [model("a", window=window), 5]}) == (Choice("a", None),)


def test_an_editor_that_declared_nothing_is_not_asked() -> None:
    """L9: without a host, or with one that declared no models, there is no model, and no question."""
    host = FakeHost()
    host.language_models = False
    for silent in (None, host):
        for story in (choices(["editor:a"], access(silent)), write(ASSIGNMENT, access(silent), print)):
            with pytest.raises(Failure) as caught:
                run_in_jumps(story)
            assert caught.value.kind == "noModel"
    assert host.asked == []


def test_the_models_are_asked_for_once() -> None:
    """One question for the models per call of `choices`, and none to a model."""
    host = FakeHost(languageModels=THREE)
    run_in_jumps(choices(["editor:a", "editor:b"], access(host)))
    assert host.asked == [(MODELS, {})]


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


def test_a_model_that_is_not_named_is_left_out() -> None:
    """Where no model is chosen the editor takes its own; the answer tells which, if it does."""
    host = FakeHost(languageModel=reply("fine"))
    nameless = Assignment(None, 900, ASSIGNMENT.request)
    assert written(host, nameless)[0].model == "m"
    assert "model" not in host.asked[0][1]


@pytest.mark.parametrize(
    ("stop", "told"),
    [
        ({}, None),
        ({"stopReason": None}, None),
        ({"stopReason": "unknown"}, None),
        ({"stopReason": "endTurn"}, "end_turn"),
        ({"stopReason": "stopSequence"}, "stop_sequence"),
    ],
)
def test_accepted_stop_reasons(stop: dict[str, Any], told: str | None) -> None:
    """L5: an end of the turn, a stop sequence and no reason at all are accepted."""
    answer, _ = written(FakeHost(languageModel=reply("fine", **stop)))
    assert answer == Answer("fine", "m", told, None)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply("half", stopReason="maxTokens"), "truncated"),
        (reply("half", stopReason="somethingNew"), "truncated"),
        (reply("I look it up", stopReason="toolUse"), "empty"),
        (reply("I would rather not", stopReason="refusal"), "refusal"),
        (reply(""), "empty"),
        (reply(" \n\t"), "empty"),
        (reply("secret", stopReason=1), "protocol"),
        (reply("secret", role="user"), "protocol"),
        (reply("secret", content="secret"), "protocol"),
        (reply("secret", content=[{"type": "text", "text": "secret"}]), "protocol"),
        (reply("secret", content={"type": "image", "text": "secret"}), "protocol"),
        (reply("secret", content={"type": "text", "text": None}), "protocol"),
        ({**reply("secret"), "\ud800": 1}, "protocol"),
        ({"text": "secret"}, "protocol"),
        ("secret", "protocol"),
        (None, "protocol"),
        ([], "protocol"),
        (HostRefused(-32803, {"reason": "noModel"}), "noModel"),
        (HostRefused(-32803, {"reason": "noConsent"}), "noConsent"),
        (HostRefused(-32803, {"reason": "blocked"}), "blocked"),
        (HostRefused(-32803, {"reason": "notFound"}), "modelNotFound"),
        (HostRefused(-32803, {"reason": "tooLong"}), "tooLong"),
        (HostRefused(-32803, {"reason": "failed", "secret": "secret"}), "server"),
        (HostRefused(-32803, {"reason": "secret"}), "server"),
        (HostRefused(-32803, {"reason": ["noModel"]}), "server"),
        (HostRefused(-32803, {}), "server"),
        (HostRefused(-32603, {"reason": "noModel"}), "server"),
        (HostRefused(1, {}), "server"),
        (HostRefused(-32601, {}), "protocol"),
        (HostRefused(-32602, {}), "protocol"),
        (HostRefused(0, {}), "protocol"),
    ],
)
def test_each_refusal_and_each_odd_answer_has_its_kind(answer: Any, kind: str) -> None:
    """L4: what is no reply is a failure of the kind that tells the ladder what to do, without a word of the answer."""
    assert kind_of(FakeHost(languageModel=answer)) == kind


def test_what_the_client_cancels_is_cancelled() -> None:
    """L4: a call that was cancelled in the client ends the operation, and no other model is asked."""
    with pytest.raises(Cancelled):
        written(FakeHost(languageModel=HostRefused(-32800, {})))


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        ({"inputTokens": 5, "outputTokens": 7}, TokensSpent(5, 7)),
        ({"inputTokens": 5}, None),
        ({"inputTokens": "many", "outputTokens": 7}, None),
        (None, None),
        (7, None),
    ],
)
def test_usage_is_told_where_it_is_whole(usage: Any, told: TokensSpent | None) -> None:
    """A model's cost is passed on; half of one is none, and hurts nothing."""
    answer, _ = written(FakeHost(languageModel=reply("fine", usage=usage)))
    assert answer.usage == told


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ([], ["one two"]),
        (["one ", "two"], ["one ", "two"]),
        (["one"], ["one", " two"]),
        (["", ""], ["", "", "one two"]),
        (["other"], ["other"]),
        (["one two three"], ["one two three"]),
    ],
)
def test_the_text_is_told_once(pieces: list[str], told: list[str]) -> None:
    """What the client streams is told as it comes, what it did not stream at the end, and nothing twice."""
    host = FakeHost(languageModel=reply("one two"))
    host.pieces = pieces
    answer, heard = written(host)
    assert (answer.text, heard) == ("one two", told)


def test_a_text_that_failed_is_not_told_at_the_end() -> None:
    """A reply that is cut off is not told where the client did not stream it."""
    told: list[str] = []
    host = FakeHost(languageModel=reply("half", stopReason="maxTokens"))
    with pytest.raises(Failure):
        run_in_jumps(write(ASSIGNMENT, access(host), told.append))
    assert told == []


def test_silence_is_a_failure_and_cancelled_in_the_client() -> None:
    """L10: a model that is silent for the idle time has failed, and the client is told to stop."""
    host = FakeHost(languageModel=SILENCE)
    host.late = "not heard any more"
    assert kind_of(host) == "timeout"
    assert host.cancelled == [MODEL]


def test_each_piece_of_text_begins_the_silence_anew() -> None:
    """L10: a slow model that writes on is waited for, also where it only says by an empty text that it is there."""
    host = FakeHost(languageModel=reply("fine"))
    host.pieces, host.pause = ["", "f", "", "i", "n", "e"], 0.9
    assert written(host)[0].text == "fine"


def test_a_call_ends_with_its_time() -> None:
    """L10: a model that writes on for longer than the whole time has failed; the client is told to stop."""

    async def story() -> float:
        with pytest.raises(Failure, match=r"took longer than 10 s"):
            await write(ASSIGNMENT, access(host), lambda _: None)
        return asyncio.get_running_loop().time()

    host = FakeHost(languageModel=SILENCE)
    host.pieces, host.pause = ["on "] * 100, 0.9
    assert run_in_jumps(story()) == pytest.approx(10, abs=0.01)
    assert host.cancelled == [MODEL]


def test_a_cancellation_goes_through_at_once() -> None:
    """L4: cancelling is no failure, and reaches the client."""

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


def test_halves_of_characters_come_through() -> None:
    """A reply with half a surrogate pair is a reply like another."""
    answer, told = written(FakeHost(languageModel=reply("a\ud800b")))
    assert (answer.text, told) == ("a\ud800b", ["a\ud800b"])
