"""What a person is told of each message."""

from __future__ import annotations

import pytest

from compact_chat.chat import Text, Thinking
from compact_chat.plan import Plan
from compact_chat.read import resolved
from compact_chat.wire import Options, Scope, Strategy
from tests.samples.chats import a, call, planned, res, s, talk, turns, u

LONG = "z" * 9000
LOOKS = talk(u("q"), a(call("1")), u(res("1", LONG)), a("x"), u("y"), a(call("2")), u(res("2", LONG)), a("z"))
OLD = u("[Previous conversation summary]\nold\n[End of summary]")


def fates(made: Plan) -> list[str]:
    """The fates of all messages in order."""
    return [fate.fate for fate in made.fates]


def test_reasons_tell_why_results_are_not_cut() -> None:
    """X4: of long results that stay whole the reason is that they are too new, and not that there is nothing to cut."""
    made = planned(LOOKS, Options(strategy="prune"))

    assert (made.fates[2].fate, made.fates[6].fate) == ("prune", "keep")
    assert made.fates[6].reason == "It is one of the newest messages, which are not cut."
    assert made.fates[7].reason == "There is nothing to cut in it."


def test_reasons_tell_why_messages_go_by_rule() -> None:
    """K4, K8: system messages and loose ends go whatever other rules say, and the reason says so."""
    messages = talk(s("fix"), u("fix"), u(res("gone", "fix")), a("x"))
    made = planned(messages, Options(strategy="keep", keep_system=False, keep_recent=0))

    assert [fate.reason for fate in made.fates if fate.fate == "drop"] == [
        "System messages are left out.",
        "It holds only calls without results, or results without calls.",
        "No rule keeps it.",
    ]


@pytest.mark.parametrize("strategy", ["summary", "prune", "keep"])
def test_fates_tell_what_is_left_of_messages_that_stay(strategy: Strategy) -> None:
    """V1, V3: thinking and blank texts go from kept messages, so that the sizes of a preview hold."""
    last = a(Thinking("hm"), "done", " ")
    messages = talk(u("q"), a(call("1")), u(res("1", LONG)), *[u("x")] * 4, a("y"), last)
    made = planned(messages, Options(strategy=strategy, min_keep=2, keep_recent=2))

    assert made.fates[-1].becomes is not None
    assert made.fates[-1].becomes.parts == (Text("done"),)
    assert messages[-1] in (*made.tail, *made.messages)


def test_an_earlier_summary_that_stays_is_told_of() -> None:
    """J6: the reason of its fate says what becomes of it."""
    messages = talk(OLD, *turns(5))
    made = planned(messages, Options(scope=Scope("from", "m3")))

    assert made.head[0] is messages[0]
    assert made.reason.endswith("; 3 stay as they are. An earlier summary among them becomes a part of the new one.")
    assert (made.fates[0].fate, made.fates[0].reason) == (
        "keep",
        "It holds an earlier summary, which becomes a part of the new one as it is.",
    )


def test_worded_results_belong_to_their_calls() -> None:
    """K8, S3: a split does not part them from their calls, and a pin takes them along."""
    told = u("[look for 'a.py'] Result:\nfine")
    messages = tuple(resolved(talk(u("q"), a(call("1")), told, a("x"), u("y")), "cline"))

    assert planned(messages, Options(min_keep=3)).split == 1
    assert fates(planned(messages, Options(min_keep=1, pin=("m2",))))[1:3] == ["pin", "pin"]
    assert fates(planned(messages, Options(strategy="keep", keep_recent=0)))[1:3] == ["keep", "keep"]
