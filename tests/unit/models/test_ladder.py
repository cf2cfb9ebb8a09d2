"""The ladder: who is asked, what follows when that fails, and what is told of it (rules L4 to L10)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, get_args

import pytest
from msgspec import to_builtins

from compact_chat.chat import Warning
from compact_chat.errors import Cancelled, NoGain, ProviderFailed
from compact_chat.models import Access, Candidate, Choice, Failure, Rejected, climb
from compact_chat.models.ladder import MOST_WAITED, Climbed
from compact_chat.models.provider import FailureKind
from compact_chat.wire import Provider
from tests.samples.styles import as_summary
from tests.servers.clock import run_in_jumps
from tests.servers.host import FakeHost, model

# What the rules say of each failure: whether another model of the same provider is asked.
NEXT_MODEL = {
    *("overloaded", "server", "rateLimit", "timeout", "network", "protocol"),
    *("modelNotFound", "tooLong", "refusal", "empty", "truncated"),
}
PROVIDER_ENDS = {"auth", "quota", "badRequest", "noModel", "noConsent", "blocked"}
FAULT = Warning("otherLanguage", "It is in another language.")

Ending = Candidate | BaseException


class Story:
    """Lets each ask end as a test writes, and notes whom it asked, when, and what was said meanwhile."""

    def __init__(self, *endings: Ending) -> None:
        self.endings = list(endings)
        self.asked: list[tuple[str, str | None]] = []
        self.times: list[float] = []
        self.said: list[str] = []

    async def ask(self, provider: str, choice: Choice) -> Candidate:
        """End as is written next."""
        self.asked.append((provider, choice.model))
        self.times.append(asyncio.get_running_loop().time())
        ending = self.endings.pop(0)
        if isinstance(ending, Candidate):
            return ending
        raise ending

    async def climb(
        self, wanted: Provider = "editor", models: tuple[str, ...] = ("a", "b"), wished: tuple[str, ...] = ()
    ) -> Climbed:
        """Climb, in an editor with these models and no key for Anthropic."""
        host = FakeHost(languageModels={"models": [model(name) for name in models]}, secret={"value": None})
        access = Access(host, 30, 300, user_initiated=True, off_loop=_here)
        return await climb(wanted, [f"editor:{name}" for name in wished], access, self.ask, self.said.append)


async def _here(call: Callable[[], Any]) -> Any:
    return call()


def written(summary: str = "fine", *faults: Warning) -> Candidate:
    """Give a summary that a model wrote."""
    return Candidate(as_summary(summary), summary, "m", None, faults)


def failed(kind: FailureKind = "server", sentence: str = "It failed.", retry_after: float | None = None) -> Failure:
    """Give a failure."""
    return Failure(kind, sentence, retry_after)


def climbed(story: Story, **wishes: Any) -> Climbed:
    """Let a story climb to its end; time passes only where all wait."""
    return run_in_jumps(story.climb(**wishes))


def refused(story: Story, **wishes: Any) -> ProviderFailed:
    """Let a story climb in vain, and give the error."""
    with pytest.raises(ProviderFailed) as caught:
        climbed(story, **wishes)
    return caught.value


def outcomes(attempts: Any) -> list[tuple[str, str | None, str]]:
    """Tell whom the attempts asked, and what came of it."""
    return [(one["provider"], one["model"], one["outcome"]) for one in map(to_builtins, attempts)]


def test_the_table_is_whole() -> None:
    """L4: it is said of each kind of failure what follows it."""
    assert set(get_args(FailureKind)) == NEXT_MODEL | PROVIDER_ENDS


@pytest.mark.parametrize("kind", sorted(NEXT_MODEL))
def test_the_fallback_is_asked(kind: FailureKind) -> None:
    """L4: where another model may do better, it is asked; two calls, and its summary is taken."""
    story = Story(failed(kind), written())

    done = climbed(story)

    assert story.asked == [("editor", "a"), ("editor", "b")]
    assert (done.provider, done.candidate.summary.text) == ("editor", "fine")
    assert outcomes(done.attempts) == [("editor", "a", "failed"), ("editor", "b", "ok")]


@pytest.mark.parametrize("kind", sorted(PROVIDER_ENDS))
def test_the_provider_ends(kind: FailureKind) -> None:
    """L4: where another model would be told the same, it is not asked: an error after one call."""
    story = Story(failed(kind, "Nobody paid."))

    problem = refused(story)

    assert story.asked == [("editor", "a")]
    assert outcomes(problem.data["attempts"]) == [("editor", "a", "failed")]
    assert problem.sentence == "Nobody paid. The chat is unchanged."


@pytest.mark.parametrize("kind", sorted(PROVIDER_ENDS))
def test_the_climb_goes_on_under_auto(kind: FailureKind) -> None:
    """L9: what ends a provider does not end the climb; `offline` is asked next."""
    story = Story(failed(kind), written())

    done = climbed(story, wanted="auto")

    assert story.asked == [("editor", "a"), ("offline", None)]
    assert outcomes(done.attempts) == [
        ("anthropic", None, "skipped"),
        ("editor", "a", "failed"),
        ("offline", None, "ok"),
    ]


def test_a_reply_that_is_no_summary_is_like_a_failure() -> None:
    """L5: a cut off or malformed reply is asked for once more on the fallback, and told as rejected."""
    story = Story(Rejected("It was cut off."), written())

    done = climbed(story)

    assert outcomes(done.attempts) == [("editor", "a", "rejected"), ("editor", "b", "ok")]
    assert [one.detail for one in done.attempts] == ["It was cut off.", None]


@pytest.mark.parametrize("stop", [asyncio.CancelledError(), Cancelled()])
@pytest.mark.parametrize("before", [[], [failed()]])
def test_a_cancellation_ends_all(stop: BaseException, before: list[Ending]) -> None:
    """L4: cancelled by the user or the client, at the first or the second model, nobody else is asked."""
    story = Story(*before, stop)

    with pytest.raises(type(stop)):
        climbed(story, wanted="auto")

    assert len(story.asked) == len(before) + 1


def test_two_tries_at_most() -> None:
    """L6: of three models that are wished for two are asked."""
    story = Story(failed(), failed())

    refused(story, models=("a", "b", "c"), wished=("c", "a", "b"))

    assert story.asked == [("editor", "c"), ("editor", "a")]


@pytest.mark.parametrize(("models", "wished"), [(("a",), ()), (("a", "b"), ("a",)), (("a", "b"), ("a", "a"))])
def test_the_same_model_is_not_asked_again(models: tuple[str, ...], wished: tuple[str, ...]) -> None:
    """L6: without another model the first error is the result, after one call; the skip is reported."""
    story = Story(failed(sentence="It broke."))

    problem = refused(story, models=models, wished=wished)

    assert story.asked == [("editor", "a")]
    assert outcomes(problem.data["attempts"]) == [("editor", "a", "failed"), ("editor", "a", "skipped")]
    assert problem.sentence == "It broke. The chat is unchanged."


def test_both_causes_are_told() -> None:
    """L7: the error carries both causes in their order, for programs and for people."""
    problem = refused(Story(failed(sentence="It is full."), Rejected("It was blank.")))

    assert problem.sentence == "It is full. It was blank. The chat is unchanged."
    assert [one["detail"] for one in problem.data["attempts"]] == ["It is full.", "It was blank."]
    assert all(one["seconds"] >= 0 for one in problem.data["attempts"])


def test_a_provider_that_cannot_be_asked_is_skipped() -> None:
    """L9: an explicitly chosen provider without a model is the answer, with the reason."""
    problem = refused(Story(), models=())

    assert outcomes(problem.data["attempts"]) == [("editor", None, "skipped")]
    assert problem.sentence == "The editor has no language model. The chat is unchanged."


@pytest.mark.parametrize(("asked_for", "waited"), [(0.0, 0), (7.5, 7.5), (MOST_WAITED, 20), (20.1, 0), (3600, 0)])
def test_what_a_provider_asks_to_wait(asked_for: float, waited: float) -> None:
    """L10: up to 20 s are waited for once, and said; then, or at once where it is longer, the fallback is asked."""
    story = Story(failed("rateLimit", retry_after=asked_for), failed("rateLimit", retry_after=asked_for))

    refused(story)

    assert story.asked == [("editor", "a"), ("editor", "b")]
    assert story.times[1] - story.times[0] == pytest.approx(waited, abs=0.1)
    assert len([words for words in story.said if "wait" in words]) == (asked_for <= MOST_WAITED)


def test_without_a_fallback_the_same_model_is_asked_after_the_wait() -> None:
    """L10: the wait is for the only model that there is."""
    story = Story(failed("overloaded", retry_after=5), written())

    done = climbed(story, models=("a",))

    assert story.asked == [("editor", "a"), ("editor", "a")]
    assert outcomes(done.attempts) == [("editor", "a", "failed"), ("editor", "a", "ok")]


def test_no_wait_for_what_no_wait_cures() -> None:
    """L4 and L10: spent money is not waited for, whatever the provider says."""
    story = Story(failed("quota", retry_after=5))

    refused(story)

    assert story.times == [0]
    assert not [words for words in story.said if "wait" in words]


def test_the_wait_can_be_cancelled() -> None:
    """L10: a cancellation ends the wait at once, and nobody is asked any more."""
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


def test_a_summary_with_faults_is_kept_for_want_of_a_better() -> None:
    """A fault has the fallback asked; where that has no summary, or none with fewer faults, the first is taken."""
    for second in (failed(), Rejected("It was blank."), written("worse", FAULT, FAULT), written("alike", FAULT)):
        done = climbed(Story(written("first", FAULT), second), wanted="auto")

        assert (done.provider, done.candidate.summary.text) == ("editor", "first")
        first, other = [one for one in done.attempts if one.provider == "editor"]
        assert (first.outcome, first.detail) == ("ok", FAULT.message)
        assert other.outcome in ("failed", "rejected")


def test_a_summary_with_fewer_faults_is_better() -> None:
    """Of two summaries the one with fewer faults is taken; the other is told as rejected, with its faults."""
    done = climbed(Story(written("first", FAULT), written("second")))

    assert done.candidate.summary.text == "second"
    assert outcomes(done.attempts) == [("editor", "a", "rejected"), ("editor", "b", "ok")]
    assert done.attempts[0].detail == FAULT.message


def test_a_summary_that_wins_nothing() -> None:
    """L8: where the last reply is only too long, the error is that nothing would be won."""
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
    """L9: nobody's model is asked behind his back."""
    story = Story(written())

    async def run() -> Climbed:
        host = FakeHost(languageModels={"models": [model("a", consent=consent)]}, secret=None)
        access = Access(host, 30, 300, user_initiated, _here)
        return await climb("auto", [], access, story.ask, story.said.append)

    assert run_in_jumps(run()).provider == provider


def test_what_is_said() -> None:
    """Whoever watches reads who is asked; the offline writer has no name of a model."""
    story = Story(failed(), failed(), written())

    climbed(story, wanted="auto")

    assert story.said == ["Asking a", "Asking b", "Asking the offline writer"]
