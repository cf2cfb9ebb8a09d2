"""The gate: what is never accepted, and what is wrong with a summary, told from the chat itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.errors import CompactChatError
from compact_chat.offline import OfflineRequest, write_summary
from compact_chat.read import Source, read_chat
from compact_chat.styles import Summary, judge
from compact_chat.styles.detailed import TITLES
from compact_chat.styles.gate import Verdict, language_of
from compact_chat.wire import Style
from tests.samples.chats import NO_MASKS
from tests.samples.styles import as_summary, read
from tests.samples.tools import ran, used

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


def tool(name: str, path: str, *, failed: bool = False, answer: str = "done") -> Sequence[Message]:
    """Call a tool on a file."""
    return used(name, answer, is_error=failed, file_path=path, content="x")


def detailed(work: str = "baking", said: str = "", files: str = "", steps: str = "none") -> Summary:
    """Write a detailed summary."""
    texts = ["buns", "", files, "", "", said, "", work, steps]
    return as_summary("Summary:\n" + "\n\n".join(f"{n}. {TITLES[n - 1]}:\n{text}" for n, text in enumerate(texts, 1)))


def codes(summary: Summary, *messages: Message) -> list[str]:
    """Judge a summary and give the codes of its faults."""
    verdict = judge(summary, messages)
    assert verdict.fatal is None
    return [fault.code for fault in verdict.faults]


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("Summary:\nI'm sorry, but I can't help with that.", "detailed"),
        ("Summary:\nI cannot summarize this conversation, as it holds harmful material.", "detailed"),
        ("I would rather not.", "brief"),
        ("I don't see any messages. Please provide the transcript.", "brief"),
        ("Es tut mir leid, das kann ich nicht.", "brief"),
        ("There is no conversation to summarize.", "brief"),
        ("## Goal\nI am unable to assist with this.\n## Next Steps\n", "checkpoint"),
        ("# Conversation Summary\n\n## User Intent\nI won't continue.\n\n## Current State\n", "structured"),
        ("", "brief"),
    ],
)
def test_blank_replies_and_refusals_are_never_accepted(text: str, style: Style) -> None:
    """F10 and L4: what only says why there is no summary is none, whatever headings are around it."""
    fatal = judge(as_summary(text, style), (user("hi"),)).fatal
    assert fatal == ("The reply only says why there is no summary." if text else "The summary is blank.")


@pytest.mark.parametrize(
    "text",
    [
        "I can't reproduce the bug was the first message; the fix is in bun.py and it was tested.",
        "The assistant said: I'm sorry, I can't help with that. Then it baked.",
        "No conversation partner was named, and buns were baked.",
    ],
)
def test_words_of_refusals_are_no_refusal(text: str) -> None:
    """A summary that tells of a refusal, or begins like one, is a summary."""
    assert judge(as_summary(text, "brief"), (user("hi"),)) == Verdict(None)


def test_languages_are_named() -> None:
    """The fault says which is whose."""
    (fault,) = judge(detailed(ENGLISH), (user(GERMAN),)).faults

    assert fault.message == "The summary is in another language than the user's messages: English, not German."


def test_sections_are_missed() -> None:
    """Z2: next to no title is a fault; either title of section 9 will do, and an empty section is an answer."""
    assert codes(as_summary("Summary:\nAll is baked."), user("bake")) == ["missingSections"]
    assert codes(as_summary(detailed().text.replace(TITLES[8], TITLES[9])), user("bake")) == []
    empty = read("## Key Decisions\n- hot", "structured")
    assert codes(empty, user("bake")) == ["missingSections"]


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


@pytest.mark.parametrize(
    ("said", "faults"),
    [
        ('- "Bake the buns… with seeds"', []),
        ("- “BAKE  the\n  *buns*”", []),
        ('1. First: "bake the buns [...] then stop." (and a photo)', []),
        ("- Bake the buns for tomorrow, with seeds on top, then stop.", []),
        ("- The user asked for more sugar and less butter in everything", []),
        ('- "the key is [REDACTED:github-token:1]"', []),
        ('- "yes"', []),
        ('- The user confirmed the plan "Migration of everything" and went on', []),
        ("(none)", []),
        ('- "Words of the host are no wish"', []),
        ('- "burn the buns"', ["unknownQuote"]),
        ("- „Verbrenn alle Brötchen“", ["unknownQuote"]),
        ("- 「面包要烤得更亮一些」", ["unknownQuote"]),
        ("- 「面包要烤亮」", []),
        ('- **"burn the buns"**', ["unknownQuote"]),
        ('- Then – ("burn the buns")', ["unknownQuote"]),
        ('- Then - "burn the buns"', ["unknownQuote"]),
        ('- Then they said "burn the buns"', []),
        ('- "Bake the buns … and rewrite it in Rust"', ["unknownQuote"]),
        ("> delete the whole database", ["unknownQuote"]),
    ],
)
def test_quotes_of_the_user_have_to_be_said(said: str, faults: list[str]) -> None:
    """Every line quoted as the user's occurs in a message of the user, but for white space, case, marks and gaps."""
    chat = (
        user("Bake the buns for tomorrow, with seeds on top, then stop."),
        user("the key is [REDACTED:github-token:1]"),
        replace(user("Words of the host are no wish."), by_host=True),
    )
    assert codes(detailed(said=said), *chat) == faults


@pytest.mark.parametrize(
    ("work", "faults"),
    [
        ('The user said: "bake the buns".', []),
        ('User feedback: "way too dark and hard"', ["unknownQuote"]),
        ('The user then asked "make them all black", so they are.', ["unknownQuote"]),
        ("Der Nutzer schrieb: „mach sie alle schwarz“", ["unknownQuote"]),
        ('The tool printed "way too dark and hard".', []),
        ('The assistant told the user: "way too dark and hard".', []),
        ("Der Assistent sagte dem Nutzer: „mach sie alle schwarz“", []),
        ("L'assistant a dit à l'utilisateur : « trop noir et dur »", []),
        ("Ассистент ответил пользователю: «слишком тёмные булочки»", []),
        ('The user message shown in the UI: "way too dark and hard".', []),
        ('User table: "way too dark and hard".', []),
        ('The assistant asked the user: "Should they be as dark as the bread?"', []),
        ('The user table has a column "way too dark and hard".', []),
    ],
)
def test_quotes_elsewhere_count_where_they_are_ascribed_to_the_user(work: str, faults: list[str]) -> None:
    """A quote in any section and style that is introduced as the user's has to be the user's."""
    assert codes(detailed(work), user("bake the buns")) == faults
    assert codes(as_summary(work, "brief"), user("bake the buns")) == faults


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


@pytest.mark.parametrize(
    "quote",
    [
        "Please never delete the production database",
        "Set the timeout to 300 seconds in the config",
        "never run the timeout in the config",
        "delete the config before you run it",
        "Set the production database before you run",
        "Use spaces and not tabs in the Makefile",
        "You can't push it to the main branch",
        "Then decrypt the backups with our key",
        "The tests shouldn't write to the disk",
        "Wait 15 seconds between two of the tries",
    ],
)
def test_made_up_words_are_no_misspelling(quote: str) -> None:
    """G8: reversed, counted anew or put together from elsewhere, a quote is wrong, however near the words are."""
    chat = user(
        "Please always delete the production database before you run it. Set the timeout to 30 seconds in the config. "
        "Use tabs and not spaces in the Makefile. You can push it to the main branch. Then encrypt the backups with "
        "our key. The tests should write to the disk. Wait 1.5 seconds between two of the tries."
    )
    assert codes(detailed(said=f'- "{quote}"'), chat) == ["unknownQuote"]
    assert codes(detailed(f'The user said: "{quote}"'), chat) == ["unknownQuote"]


def test_misspelled_words_and_articles_are_mended() -> None:
    """G8: of six words one, wherever a beginning of the quote is elsewhere too."""
    chat = user("fix the oven door. fix the oven door of the shpo and paint an old sign")
    assert codes(detailed(said='- "Fix an oven door of the shop and paint the old sign"'), chat) == []


def test_a_tool_does_not_speak_for_the_user() -> None:
    """What only a tool said is no quote of the user; at most three quotes are named, each shortened."""
    said = "\n".join(f'- "delete branch number {number} {"now " * 50}"' for number in range(5))
    chat = (user("go"), *tool("read", "a.md", answer=said))
    (fault,) = judge(detailed(said=said), chat).faults
    assert fault.code == "unknownQuote"
    assert fault.message.count("delete branch") == 3
    assert fault.message.endswith(" and 2 more.")
    assert len(fault.message) < 400
    three = "\n".join(said.split("\n")[:3])
    assert judge(detailed(said=three), chat).faults[0].message.endswith("….")


@pytest.mark.parametrize(
    ("work", "faults"),
    [
        ("Wrote `/etc/q.conf` with the new limit.", ["unprovenDone"]),
        ("- src/new.py: created with the timer", ["unprovenDone"]),
        ("Fixed the timer in bun.py.", []),
        ("Updated bakery/bun.py and tested it.", []),
        ("Could not write `/etc/q.conf`; the edit failed.", []),
        ("`/etc/q.conf` still has to be updated.", []),
        ("The user created `notes.md`.", []),
        ("Only the oven was repaired; nothing was added to src/new.py.", []),
        ("Read menu.md and fixed its title in menu.md.", []),
        ("Updated the Node.js version, see https://a.b/c.html for what was added.", []),
        ("Fixed version .py and ./.py and file.qqq of it.", []),
        ("Updated src/new.py. It is not tested. Fixed bun.py.", ["unprovenDone"]),
        ("```\ncreated x.py\n```", []),
    ],
)
def test_deeds_need_a_tool_that_did_them(work: str, faults: list[str]) -> None:
    """T21: a file told as changed was changed by a tool, or at least some tool was near it without failing."""
    chat = (
        user("go"),
        *tool("write_file", "/etc/q.conf", failed=True, answer="permission denied"),
        *tool("edit_file", "/home/bakery/bun.py"),
        *tool("read_file", "menu.md"),
    )
    assert codes(detailed(work), *chat) == faults
    assert codes(as_summary(work, "brief"), *chat) == faults


def test_deeds_are_judged_in_every_style() -> None:
    """T21: entries of code changes are claims too; plans and wishes are none."""
    chat = (user("go"), *tool("write_file", "a.py", failed=True))
    structured = read(
        "## User Intent\nx\n## Current State\ny\n## Code Changes\n### File: a.py\nnew timer", "structured"
    )
    checkpoint = read(
        "## Goal\nupdated a.py\n### Done\n- [x] Created a.py\n## Next Steps\n1. updated a.py", "checkpoint"
    )
    assert codes(structured, *chat) == codes(checkpoint, *chat) == ["unprovenDone"]
    planned = as_summary(checkpoint.text.replace("- [x] Created a.py", ""), "checkpoint")
    assert codes(planned, *chat) == []


def test_looking_and_planning_changes_nothing() -> None:
    """T21: a change that failed stays unproven, though the file was planned, searched and listed."""
    around = (*used("todo_write", "ok", todos="edit a.py"), *ran("ls a.py", "a.py"))
    assert codes(detailed("Updated a.py."), user("go"), *around, *tool("edit", "a.py", failed=True)) == ["unprovenDone"]


def test_deeds_of_unseen_hands_are_believed() -> None:
    """Nothing is said of a chat without tools, nor of what a command, a helper or the host may have done."""
    claim, host = detailed("Created new.py with the timer."), replace(user("new.py was changed"), by_host=True)
    made = ran("make new.py", "ok")
    again = (*tool("write", "new.py", failed=True), *made)
    for chat in ((), made, again, tool("run_agent", "x"), (*tool("read", "x"), host)):
        assert codes(claim, user("go"), *chat) == []


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
