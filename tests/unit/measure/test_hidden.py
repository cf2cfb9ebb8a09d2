"""X13: what a tool adds unseen, as a chat showed it, as others did, or as its row says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Opening, OwnCompaction, Usage
from compact_chat.measure import NOTHING, Shown, folder_marks, hidden_by, is_unknown, shown_by
from compact_chat.measure.families import CLAUDE, LONGEST
from compact_chat.measure.tool import ALONE, CLOSE, DEEPEST, MOST_LIMITS
from compact_chat.measure.weights import SEALED_SUMMARY
from compact_chat.tools import Hidden, tool_named
from tests.samples.chats import a, s, u

CLAUDE_CODE, CODEX = tool_named("claude-code"), tool_named("codex")
SUMMARY = replace(u("so far"), is_summary=True, by_host=True)
OURS = replace(u("<context-summary>\nso far\n</context-summary>"), is_summary=True, by_host=True)
CONTEXT = replace(u("c" * 4_000), by_host=True)
ATTACHED = replace(u("<system-reminder>a.py</system-reminder>"), by_host=True)
CALLED = Usage(40_000, 9, "claude-opus-4-5")
OPENING = Opening((u("x" * 1_000),), CALLED)
HERE, BELOW, ELSEWHERE = "/home/ada/shop", "/home/ada/shop/till", "/srv/other"
ONE = Shown("claude-code", "2.1.7", "claude-opus-4-5", folder_marks(HERE), own=40_000)
OTHER = replace(ONE, own=42_000)


def session(*messages: Message, tool: str = "claude-code", workspace: str = HERE) -> Chat:
    """A chat with a tool in a folder."""
    return Chat("", tool, messages, model="claude-opus-4-5", version="2.1.7", workspace=workspace)


def shown(held: Chat, fixed: float = 0) -> Shown:
    """What a chat shows whose tokens are its characters."""
    return shown_by(held, lambda message: len(message.text), fixed, CLAUDE)


@pytest.mark.parametrize(
    ("held", "hidden"),
    [
        (session(SUMMARY, a("on")), CLAUDE_CODE.hidden_resumed),
        (session(OURS, a("on")), CLAUDE_CODE.hidden),
        (replace(session(u("hi")), is_sub_agent=True), CLAUDE_CODE.hidden_in_agent),
        (replace(session(u("hi"), tool="codex"), is_sub_agent=True), CODEX.hidden),
        (replace(session(u("hi")), system="Be short."), Hidden()),
        (replace(session(), tools=({"name": "look"},)), Hidden()),
        (replace(session(tool="codex"), system="Be short."), CODEX.hidden_with_system),
        (replace(session(tool="codex"), system="Be short.", tools=({"name": "look"},)), Hidden()),
    ],
)
def test_what_a_tool_hides_depends_on_the_chat(held: Chat, hidden: Hidden) -> None:
    """What came with the chat is not hidden; sub-agents and chats that their tool compacted differ."""
    assert hidden_by(held) == hidden
    if not hidden.tokens:
        assert hidden_by(held, ONE, [ONE]) == hidden


@pytest.mark.parametrize(
    ("held", "known"),
    [
        (session(u("x" * 1_000), replace(a("y"), usage=CALLED)), replace(ONE, own=39_000)),
        (session(CONTEXT, u("x" * 1_000), replace(a("y"), usage=CALLED)), replace(ONE, own=35_000, context=4_000)),
        (replace(session(SUMMARY), opening=OPENING), replace(ONE, own=39_000)),
        (session(u("hi"), a("nothing recorded")), replace(ONE, own=0)),
        (replace(session(replace(a("y"), usage=CALLED)), tools=({"name": "look"},)), replace(ONE, own=0)),
        (session(SUMMARY, replace(a("y"), usage=CALLED)), replace(ONE, own=34_994)),  # without what is usually attached
        (session(OURS, replace(a("y"), usage=CALLED)), replace(ONE, own=40_000 - len(OURS.text))),
        (replace(session(SUMMARY), opening=Opening((u("x"),), Usage(148_000, 9, ""))), replace(ONE, own=0)),
        (replace(session(SUMMARY), opening=Opening((), Usage(2_000, 9, ""))), replace(ONE, own=0)),
        (session(u("x" * 90_000), replace(a("y"), usage=Usage(130_000, 9, ""))), replace(ONE, own=0)),  # too much said
    ],
)
def test_a_chat_shows_what_its_first_calls_had_beyond_what_was_said(held: Chat, known: Shown) -> None:
    """An opening that makes no sense, or that a count cannot tell from what was said, shows nothing."""
    assert shown(held) == known


def test_what_a_chat_shows_is_small() -> None:
    """However often the tool compacted the chat; and names can be written into a file."""
    compactions = tuple(OwnCompaction(automatic=True, before=n) for n in range(1, 1_001))
    shows = shown(replace(session(u("hi")), model="\ud800" * 1_000, version="2\ud800", compactions=compactions))

    assert (shows.model, shows.version) == ("?" * LONGEST, "2?")
    assert shows.limits == tuple(range(1, 1_001))[-MOST_LIMITS:]


def test_what_came_with_the_chat_is_not_the_tools_own() -> None:
    """A system prompt in the file is counted with what was said."""
    held = replace(session(u("x" * 1_000), replace(a("y"), usage=CALLED), tool="codex"), system="Be short.")

    assert shown(held, 9_000).own == 30_000


OTHERS = [ONE, OTHER]


@pytest.mark.parametrize(
    ("held", "own", "others", "expected"),
    [
        (session(u("hi")), NOTHING, [ONE], (40_000, 40_000 * (1 - ALONE), 40_000 * (1 + ALONE))),
        (session(u("hi")), NOTHING, OTHERS, (42_000, 40_000 * (1 - CLOSE), 42_000 * (1 + CLOSE))),
        (session(u("hi")), replace(ONE, own=30_000), OTHERS, (30_000, 30_000, 30_000)),  # it knows better itself
        (session(u("hi"), workspace=BELOW), NOTHING, [ONE], (38_500, 15_000, 44_000)),  # between that and the usual
        (session(u("hi")), NOTHING, [replace(ONE, model="claude-haiku-4-5", own=16_000)], (26_500, 15_000, 44_000)),
        (
            replace(session(u("hi")), model=None),
            NOTHING,
            [ONE, replace(ONE, model="claude-haiku-4-5", own=16_000)],
            (40_000, 16_000 * (1 - CLOSE), 40_000 * (1 + CLOSE)),
        ),
        (session(u("hi")), NOTHING, [replace(ONE, tool="codex")], (37_000, 15_000, 44_000)),
        (session(u("hi")), NOTHING, [replace(ONE, own=0)], (37_000, 15_000, 44_000)),
        (session(SUMMARY), replace(ONE, own=39_000), [], (44_000, 39_000, 64_000)),
        (session(SUMMARY), replace(ONE, own=39_000, context=2_000), [], (46_000, 41_000, 66_000)),
        (session(SUMMARY, CONTEXT), replace(ONE, own=39_000, context=2_000), [], (44_000, 39_000, 64_000)),
        (session(SUMMARY, ATTACHED), replace(ONE, own=39_000), [], (39_000, 39_000, 64_000)),
        (session(OURS), replace(ONE, own=39_000), [], (39_000, 39_000, 39_000)),
    ],
)
def test_what_is_known_beats_what_is_usual(
    held: Chat, own: Shown, others: Sequence[Shown], expected: tuple[float, float, float]
) -> None:
    """The chat's own first call, then chats of the same folder and line of models, then others drawn to the usual."""
    hidden = hidden_by(held, own, others)

    assert (hidden.tokens, hidden.low, hidden.high) == pytest.approx(expected)
    assert (hidden.share, hidden.note) == (CLAUDE_CODE.hidden.share, CLAUDE_CODE.hidden.note)


def test_the_closest_chats_count() -> None:
    """The same folder counts more than the same model, that more than the version; of equal ones the newest three."""
    far, later = replace(ONE, folders=folder_marks(ELSEWHERE), own=20_000), replace(ONE, version="2.1.8", own=50_000)
    newest = [replace(ONE, own=own) for own in (41_000, 43_000, 42_000, 10_000)]

    assert hidden_by(session(u("hi")), NOTHING, [far, later, *newest]).tokens == 42_000
    assert hidden_by(session(u("hi")), NOTHING, [far, replace(ONE, model="gpt-5")]).tokens == (40_000 + 37_000) // 2


@pytest.mark.parametrize(("version", "own"), [("2.1.7", 40_000), ("2.1.9", 27_000), ("", 27_000)])
def test_a_chat_without_a_reply_takes_after_the_closest(version: str, own: int) -> None:
    """Its model is not known yet: chats of the same version tell, else the newest, and of their line alone."""
    haiku = [replace(ONE, model="claude-haiku-4-5", version="2.1.17", own=27_000)] * 2
    new = replace(session(u("hi")), model=None, version=version)

    assert hidden_by(new, NOTHING, [*haiku, ONE]).tokens == own


def test_a_summary_that_was_not_written_down_is_reckoned() -> None:
    """After a compaction without any summary in the file, one is sent all the same."""
    held = replace(session(u("hi"), tool="codex"), opening=OPENING)

    assert (
        hidden_by(held, replace(ONE, tool="codex", own=9_000)).tokens == 9_000 + SEALED_SUMMARY + CODEX.attached.tokens
    )


@pytest.mark.parametrize(
    ("messages", "unknown"),
    [
        ((), True),
        ((u("hi"), a("yes")), True),
        ((u("hi"), replace(a("yes"), usage=CALLED)), False),
        ((s("Be short."), u("hi"), replace(a("yes"), usage=replace(CALLED, whole=True))), True),
    ],
)
def test_others_are_asked_only_where_no_call_was_recorded(messages: tuple[Message, ...], unknown: bool) -> None:
    """A tool that adds nothing needs no others either."""
    assert is_unknown(session(*messages)) is unknown
    assert not is_unknown(session(*messages, tool="sharegpt"))


def test_folders_are_compared_part_by_part() -> None:
    """A folder below another shares its marks, by either separator; the end of a long path does not count."""
    assert folder_marks(BELOW)[:3] == folder_marks(HERE) == folder_marks("\\home\\ada\\shop\\")
    assert folder_marks(None) == ()
    assert len(folder_marks("/a" * 100_000)) == DEEPEST
