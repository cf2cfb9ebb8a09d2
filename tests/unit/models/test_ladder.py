"""The ladder: which model is called, what follows a failure, and what is reported (rules L4 to L10)."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest
from msgspec import to_builtins

from compact_chat.chat import Warning
from compact_chat.errors import Cancelled, NoGain, ProviderFailed
from compact_chat.models import Access, Candidate, Choice, Failure, Rejected, climb
from compact_chat.models.ladder import MOST_WAITED, Climbed, FailureKind
from compact_chat.wire import Provider
from tests.samples.styles import as_summary
from tests.servers.clock import run_in_jumps
from tests.servers.host import FakeHost, model

# Failures after which no other model of the same provider is called.
PROVIDER_ENDS = {"auth", "proxy", "quota", "badRequest", "noModel", "noConsent", "blocked"}
FAULT = Warning("otherLanguage", "It is in another language.")

Ending = Candidate | BaseException


class Story:
    """Ends each call as a test specifies, and records calls, times and messages."""

    def __init__(self, *endings: Ending) -> None:
        self.endings = list(endings)
        self.asked: list[tuple[str, str | None]] = []
        self.times: list[float] = []
        self.said: list[str] = []

    async def ask(self, provider: str, choice: Choice) -> Candidate:
        """End as specified next."""
        self.asked.append((provider, choice.model))
        self.times.append(asyncio.get_running_loop().time())
        ending = self.endings.pop(0)
        if isinstance(ending, Candidate):
            return ending
        raise ending

    async def climb(
        self, wanted: Provider = "editor", models: tuple[str, ...] = ("a", "b"), wished: tuple[str, ...] = ()
    ) -> Climbed:
        """Climb, in an editor with these models and without a key for Anthropic."""
        host = FakeHost(languageModels={"models": [model(name) for name in models]}, secret={"value": None})
        access = Access(host, 30, 300, user_initiated=True)
        return await climb(wanted, [f"editor:{name}" for name in wished], access, self.ask, self.said.append)


def written(summary: str = "fine", *faults: Warning) -> Candidate:
    """Return a model's summary."""
    return Candidate(as_summary(summary), summary, "m", None, faults)


def failed(kind: FailureKind = "server", sentence: str = "It failed.", retry_after: float | None = None) -> Failure:
    """Return a failure."""
    return Failure(kind, sentence, retry_after)


def climbed(story: Story, **wishes: Any) -> Climbed:
    """Run a ladder to its end in simulated time."""
    return run_in_jumps(story.climb(**wishes))


def refused(story: Story, **wishes: Any) -> ProviderFailed:
    """Run a ladder that fails, and return the error."""
    with pytest.raises(ProviderFailed) as caught:
        climbed(story, **wishes)
    return caught.value


def outcomes(attempts: Any) -> list[tuple[str, str | None, str]]:
    """Return the model and outcome of each attempt."""
    return [(one["provider"], one["model"], one["outcome"]) for one in map(to_builtins, attempts)]


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_each_failure_ends_the_provider_or_not(kind: FailureKind) -> None:
    """L4, L9: the fallback is tried if it may do better, else the next provider; a spent quota is not waited for."""
    ends = kind in PROVIDER_ENDS
    story = Story(failed(kind, "It failed.", retry_after=5 if ends else None), written())

    done = climbed(story, wanted="auto")

    asked = ("offline", None) if ends else ("editor", "b")
    assert story.asked == [("editor", "a"), asked]
    assert story.times == [0, 0]
    assert (done.provider, done.candidate.summary.text) == (asked[0], "fine")
    assert outcomes(done.attempts) == [("anthropic", None, "skipped"), ("editor", "a", "failed"), (*asked, "ok")]
    assert done.attempts[1].detail == "It failed."
    assert story.said == ["Asking a", f"Asking {asked[1] or 'the offline writer'}"]


@pytest.mark.parametrize(
    ("models", "wished", "endings", "asked", "attempts", "sentence"),
    [
        (("a", "b"), (), [failed("quota", "Unpaid.")], "a", ["failed"], "Unpaid."),
        (("a", "b"), (), [failed(), Rejected("Cut off.")], "ab", ["failed", "rejected"], "It failed. Cut off."),
        (("a", "b"), (), [failed(), failed()], "ab", ["failed", "failed"], "It failed."),
        (("a", "b", "c"), ("c", "a", "b"), [failed(), failed()], "ca", ["failed", "failed"], "It failed."),
        (("a",), (), [failed()], "a", ["failed", "skipped"], "It failed."),
        (("a", "b"), ("a", "a"), [failed()], "a", ["failed", "skipped"], "It failed."),
        ((), (), [], "", ["skipped"], "The editor has no language model."),
    ],
)
def test_a_climb_in_vain(
    models: tuple[str, ...],
    wished: tuple[str, ...],
    endings: list[Ending],
    asked: str,
    attempts: list[str],
    sentence: str,
) -> None:
    """L5 to L7, L9: at most two tries, never the same model; the error lists the causes in order."""
    story = Story(*endings)

    problem = refused(story, models=models, wished=wished)

    assert story.asked == [("editor", name) for name in asked]
    assert [one["outcome"] for one in problem.data["attempts"]] == attempts
    assert problem.sentence == f"{sentence} The chat is unchanged."
    assert all(one["seconds"] >= 0 for one in problem.data["attempts"])


@pytest.mark.parametrize("stop", [asyncio.CancelledError(), Cancelled()])
@pytest.mark.parametrize("before", [[], [failed()]])
def test_a_cancellation_ends_all(stop: BaseException, before: list[Ending]) -> None:
    """L4: after a cancellation by the user or the client, at either model, no other model is called."""
    story = Story(*before, stop)

    with pytest.raises(type(stop)):
        climbed(story, wanted="auto")

    assert len(story.asked) == len(before) + 1


@pytest.mark.parametrize(("asked_for", "waited"), [(0.0, 0), (7.5, 7.5), (MOST_WAITED, 20), (20.1, 0), (3600, 0)])
def test_what_a_provider_asks_to_wait(asked_for: float, waited: float) -> None:
    """L10: a wait of up to 20 s happens once, announced; then, or instead of a longer one, comes the fallback."""
    story = Story(failed("rateLimit", retry_after=asked_for), failed("rateLimit", retry_after=asked_for))

    refused(story)

    assert story.asked == [("editor", "a"), ("editor", "b")]
    assert story.times[1] - story.times[0] == pytest.approx(waited, abs=0.1)
    assert len([words for words in story.said if "wait" in words]) == (asked_for <= MOST_WAITED)


def test_without_a_fallback_the_same_model_is_asked_after_the_wait() -> None:
    """L10: without a fallback, the only model is retried after the wait."""
    story = Story(failed("overloaded", retry_after=5), written())

    done = climbed(story, models=("a",))

    assert story.asked == [("editor", "a"), ("editor", "a")]
    assert outcomes(done.attempts) == [("editor", "a", "failed"), ("editor", "a", "ok")]


def test_the_wait_can_be_cancelled() -> None:
    """L10: a cancellation ends the wait at once, and no further model is called."""
    story = Story(failed("rateLimit", retry_after=15), written())

    async def cancel_while_it_waits() -> float:
        task = asyncio.ensure_future(story.climb())
        await asyncio.sleep(3)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        return asyncio.get_running_loop().time()

    assert run_in_jumps(cancel_while_it_waits()) == pytest.approx(3, abs=0.1)
    assert story.asked == [("editor", "a")]


@pytest.mark.parametrize(
    ("second", "best", "results"),
    [
        (failed(), "first", ["ok", "failed"]),
        (Rejected("It was blank."), "first", ["ok", "rejected"]),
        (written("worse", FAULT, FAULT), "first", ["ok", "rejected"]),
        (written("alike", FAULT), "first", ["ok", "rejected"]),
        (written("second"), "second", ["rejected", "ok"]),
    ],
)
def test_the_summary_with_the_fewest_faults_is_taken(second: Ending, best: str, results: list[str]) -> None:
    """After a fault the fallback is tried; the other summary is reported as rejected, with its faults."""
    done = climbed(Story(written("first", FAULT), second))

    assert (done.provider, done.candidate.summary.text) == ("editor", best)
    assert [one.outcome for one in done.attempts] == results
    assert done.attempts[0].detail == FAULT.message


def without_form(text: str, *faults: Warning) -> Rejected:
    """A reply without form, of which the text can be used."""
    problem, candidate = Rejected("It had no form.", text=text), written(text, *faults)
    assert isinstance(candidate, Candidate)
    problem.mended = candidate
    return problem


def test_a_reply_without_form_is_taken_if_there_is_nothing_else() -> None:
    """L7: a chosen provider gives the mended text with the fewest faults; `auto` has the offline summary."""
    done = climbed(Story(without_form("worse", FAULT), without_form("better")))
    assert (done.candidate.summary.text, [one.outcome for one in done.attempts]) == ("better", ["rejected", "ok"])
    done = climbed(Story(without_form("usable"), failed()))
    assert (done.candidate.summary.text, [one.outcome for one in done.attempts]) == ("usable", ["ok", "failed"])
    assert climbed(Story(without_form("a"), written("fine"))).candidate.summary.text == "fine"
    assert climbed(Story(without_form("a"), without_form("b"), written()), wanted="auto").provider == "offline"


def test_a_summary_that_wins_nothing() -> None:
    """L8: if the last reply is only too long, the error is that nothing would be gained."""
    too_long = Rejected("It would not be smaller.", no_gain=True)

    with pytest.raises(NoGain, match=r"It would not be smaller. Nothing was changed."):
        climbed(Story(failed(), too_long))
    assert refused(Story(too_long, failed(sentence="It broke."))).sentence.startswith(
        "It would not be smaller. It broke."
    )
    assert climbed(Story(too_long, too_long, written()), wanted="auto").provider == "offline"
    with pytest.raises(NoGain):
        climbed(Story(failed(), failed(), NoGain("Offline too.")), wanted="auto")


@pytest.mark.parametrize(
    ("consent", "user_initiated", "provider"),
    [(False, False, "offline"), (True, False, "editor"), (False, True, "editor")],
)
def test_the_editor_is_asked_with_consent_or_on_demand(consent: bool, user_initiated: bool, provider: str) -> None:
    """L9: no model is called without consent or an explicit request."""
    story = Story(written())

    async def run() -> Climbed:
        host = FakeHost(languageModels={"models": [model("a", consent=consent)]}, secret=None)
        access = Access(host, 30, 300, user_initiated)
        return await climb("auto", [], access, story.ask, story.said.append)

    assert run_in_jumps(run()).provider == provider
