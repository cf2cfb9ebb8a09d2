"""The gate: what is never accepted, and what is wrong with a summary, told from the chat itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.errors import CompactChatError
from compact_chat.offline import OfflineRequest, write_summary
from compact_chat.read import Source, read_chat
from compact_chat.styles import Summary, judge
from compact_chat.styles.detailed import TITLES
from compact_chat.styles.gate import language_of
from tests.oracles.snapshots import check_parts
from tests.samples.chats import NO_MASKS
from tests.samples.scenes import played
from tests.samples.styles import as_summary
from tests.samples.tools import used

ENGLISH = (
    "The user is working on the bakery and the work was done for the oven, which should not be too hot. It is from the "
    "recipe that this was taken, and there were not many changes, but they have been tested with the new timer."
)
GERMAN = (
    "Bitte mach die Brötchen nicht zu dunkel. Ich möchte, dass der Ofen auch noch für das Brot reicht, und zwar mit"
    " Dampf."
)


def user(text: str) -> Message:
    """Let the user say something."""
    return Message("u", "user", (Text(text),))


def detailed(work: str = "baking", said: str = "") -> Summary:
    """Write a detailed summary."""
    texts = ["buns", "", "", "", "", said, "", work, "none"]
    return as_summary("Summary:\n" + "\n\n".join(f"{n}. {TITLES[n - 1]}:\n{text}" for n, text in enumerate(texts, 1)))


def codes(summary: Summary, *messages: Message) -> list[str]:
    """Judge a summary and give the codes of its faults."""
    verdict = judge(summary, messages)
    assert verdict.fatal is None
    return [fault.code for fault in verdict.faults]


def judged(line: str, messages: Sequence[Message]) -> Iterator[str]:
    """Yield a line of a kind and a text with what is wrong with it: a section of a detailed summary, or a summary."""
    kind, _, text = line.partition(": ")
    yield line.replace("\n", "↵")
    match kind:
        case "said":
            summaries = [detailed(said=text)]
        case "work":  # which counts in any style
            summaries = [detailed(text), as_summary(text, "brief")]
        case _:
            summaries = [as_summary(text, kind)]
    for verdict in dict.fromkeys(judge(summary, messages) for summary in summaries):
        yield f"  {verdict.fatal or ' '.join(f'{fault.code}: {fault.message}' for fault in verdict.faults) or 'sound'}"


def test_what_the_gate_says_of_summaries(accept: bool) -> None:
    """F10, L4, Z2, G8, T21: refusals, missing sections, quotes of the user, and files that no tool has changed."""

    def rows(_: str, lines: list[str]) -> Iterator[str]:
        messages, summaries = played(lines)
        return (row for summary in summaries for row in judged(summary, messages))

    check_parts(Path(__file__).with_name("gate.txt"), rows, accept=accept)


@pytest.mark.parametrize(
    ("said", "reported", "faults"),
    [
        (GERMAN, ENGLISH, ["otherLanguage"]),
        (ENGLISH, GERMAN * 3, ["otherLanguage"]),
        ("Сделай булочки не слишком темными, пожалуйста", ENGLISH, ["otherLanguage"]),
        ("パンをもっと明るく焼いてください", ENGLISH, ["otherLanguage"]),
        (ENGLISH, "用户希望把面包烤得更亮一些并且不要太硬", ["otherLanguage"]),
        (GERMAN, GERMAN * 3, []),
        ("ok", ENGLISH, []),
        ("fix `die das und ist nicht ein` pls", ENGLISH, []),
        (GERMAN, "`bun.py`: oven = Oven(180)\n" * 20, []),
        (f"{GERMAN} {ENGLISH}", ENGLISH, []),
        (GERMAN * 5 + "|" + ENGLISH, ENGLISH, []),
        (GERMAN, f"```\n{ENGLISH}\n```", []),
        (GERMAN, f'The tool answered "{ENGLISH}"', []),
    ],
)
def test_another_language_is_noticed(said: str, reported: str, faults: list[str]) -> None:
    """The chat's own language is kept: a fault only where both languages are beyond doubt, code and quotes apart."""
    assert codes(detailed(reported), *map(user, said.split("|"))) == faults
    assert codes(detailed(reported, said="\n".join(said.split("|"))), *map(user, said.split("|"))) == faults


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("приветмирм abcdefghij", "Cyrillic"),
        ("приветмирм abcdefghijk", None),
        ("мир", None),
        ("面包要烤得", "Chinese"),
        ("面包要烤", None),
        ("パンを焼く", "Japanese"),
        ("面包要烤得更亮一些并且の", "Chinese"),
        ("안녕하세요", "Hangul"),
        ("서버 모듈을 refactor 하고 endpoint handler 에 limiter 를 추가해 주세요", "Hangul"),
        ("请把 server module 重构一下, 并给 endpoint 加上限流和文档说明", "Chinese"),
        ("ひらがなだけ", "Japanese"),
        ("ﾊﾝｶｸｶﾅ", "Japanese"),
        ("𝐀𝐁" * 20, None),
        ("ａｂｃ" * 20, None),
        ("привет", None),
        ("the and is are was", "English"),
        ("the and is are", None),
        ("the and is are was that this with for ist nicht ich", "English"),
        ("the and is are was that this with for ist nicht ich wir", None),
        ("the and is are was " + "bun " * 36, "English"),
        ("the and is are was " + "bun " * 37, None),
        ("the `and is are was` the", None),
    ],
)
def test_a_language_is_told_by_its_script_or_its_frequent_words(text: str, language: str | None) -> None:
    """Half of the letters in its script and ten of them, or five words, a third of the next language's at most.

    Letters that stand for syllables or words count twice.
    """
    assert language_of(text, 5) == language


WORKED = (
    user('Rename the "day old" flag, pelase, and don\'t touch <b>shop.toml</b>; see [the plan](https://a.b/plan)'),
    Message("a", "assistant", (Text("I found three ovens. Shall I also clean the second oven before the buns?"),)),
    user("could you pelase start anyway"),
    user("please clean up"),
    replace(user("queued: then commit after each step"), typed=("commit after each step",)),
    *used("ask_user", 'User answered: "the small oven, since the big one is broken"'),
    replace(user("x"), typed=("the small oven, since the big one is broken",)),
    *used("read", "The limit of the oven is 230 degrees in summer", path="oven.md"),
    replace(user("<command-name>/bake</command-name><command-args>forty buns</command-args>"), by_host=True),
)


@pytest.mark.parametrize(
    ("said", "faults"),
    [
        ("- \"Rename the 'day old' flag, please, and don’t touch `shop.toml`…\"", []),
        ("- “Rename the ‘day old’ flag, pelase” … “don’t touch &lt;b>shop.toml&lt;/b>”", []),
        ('- **Start**: "see the plan" (link)', []),
        ('- "commit after each step" (typed while the assistant worked)', []),
        ('> commit after each step (typed during "the second oven")', []),
        ('- In answer to "Shall I also clean the second oven before the buns?": "the small oven, since the big …"', []),
        ('- "the small oven […] is broken", after reading "The limit of the oven is 230 degrees in summer"', []),
        ('- "/bake forty buns"', []),
        ('- "could you please start anyway"', []),
        ('- "could you pelase start any way"', []),
        ("- Another picture without words from yesterday evening", []),
        ('- "could start pelase you anyway"', ["unknownQuote"]),
        ('- "coud you pelase start anyway"', []),
        ('- "coud you pelase strat anyway"', ["unknownQuote"]),
        ('- "Rename the days old flog, please, and don’t touch it"', ["unknownQuote"]),
        ('- "queued: then commit after each step, and then push it all"', ["unknownQuote"]),
        ('- "please clear"', ["unknownQuote"]),
        ('- "pleas"', []),
        ('- "commit before each step"', ["unknownQuote"]),
        ('- "Rename the day old flag, and do touch shop.toml"', ["unknownQuote"]),
        ('- "Shall I also clean the second oven before the buns?"', ["unknownQuote"]),
        ('- "The limit of the oven is 230 degrees in summer"', ["unknownQuote"]),
        ('- "commit after each step" and then "push it all to the main branch"', ["unknownQuote"]),
    ],
)
def test_quotes_as_models_write_them(said: str, faults: list[str]) -> None:
    """G8: other marks, gaps, mended spelling and asides are no fault, nor what somebody else wrote behind the words."""
    assert codes(detailed(said=said), *WORKED) == faults


def test_offline_summaries_of_real_chats_pass(shared_chats: Path) -> None:
    """What the offline writer takes from a chat is in it: no fault but that it cannot write in the user's language."""
    judged = 0
    for path in sorted(shared_chats.rglob("*.json*")):
        if path.stat().st_size > 300_000:
            continue
        try:
            messages = NO_MASKS.messages(read_chat(Source.of_bytes(path.read_bytes())).messages)
            written = write_summary(OfflineRequest(messages, "detailed", "all", 3000, lambda text: 1 + len(text) // 4))
        except CompactChatError:
            continue
        if written is None:
            continue
        verdict = judge(written, messages)
        judged += 1
        assert verdict.fatal is None, path.name
        assert {fault.code for fault in verdict.faults} <= {"otherLanguage"}, path.name
    assert judged > 20
