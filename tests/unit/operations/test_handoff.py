"""Hand-overs: complete with a model, kept facts in every version, and a title and a path for whoever goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from compact_chat.measure import Counter
from compact_chat.text import HANDED_WORDS
from compact_chat.wire import Style
from tests.unit.operations.conftest import Ask, Messages, claude_session, message

pytestmark = pytest.mark.usefixtures("state")
COUNT = Counter().count
POOR = """## Where we are
The shelves are counted.

## Next
1. Count the till.

## Record
### Turn 2
- Tray 0 is full."""
DETAILED = "1. Primary Request and Intent:\nCount.\n8. Current Work:\nTrays.\n9. Optional Next Step:\nTill."
REPLIES: dict[str, str] = {
    "detailed": f"<summary>\n{DETAILED}\n</summary>",
    "checkpoint": "## Goal\nCount.\n\n## Next Steps\n1. Count the till.",
    "structured": "# Conversation Summary\n\n## User Intent\nCount.\n\n## Current State\nTrays.",
    "brief": "The shelves are being counted, and the till comes next.",
    "handoff": POOR,
}


def lost(done: Any) -> dict[str, set[str]]:
    """The ids of what is missing, by class."""
    return {one["name"]: {fact["id"] for fact in one["lost"]} for one in done["survival"]["classes"]}


def test_a_model_s_hand_over_has_what_it_left_out(ask: Ask, messages: Messages) -> None:
    """H17: rules, words and files are added where they belong, next to what the model wrote."""
    done = ask("summarize", chat={"messages": messages}, reply=POOR, options={"style": "handoff"})

    sections = done["sections"]
    assert {name for name, ids in lost(done).items() if ids} == set()
    assert "Always use British spelling, never touch till.py." in sections["rules"]
    assert "src/shelf_6.py" in sections["files"]
    assert [turn.partition("\n")[0] for turn in sections["record"]] == [f"Turn {number}" for number in range(1, 9)]
    assert "- Tray 0 is full." in sections["record"][1]
    assert sections["next"] == "1. Count the till."


VAGUE = "The work went well, and what was asked for was looked at. Some points were left for later. " * 8
FORMS = {
    "headings": f"## Where we are\n{VAGUE}\n\n## Next\n1. Go on.",
    "titles in German": f"## Aktueller Stand\n{VAGUE}\n\n## Entscheidungen\n- {VAGUE}\n\n## Weiter\n- {VAGUE}",
    "bold titles": f"**Overview**\n{VAGUE}\n\n**Decisions**\n- none\n\n**Next steps**\n- go on",
    "elements": f"<snapshot>\n<overall_goal>\n{VAGUE}\n</overall_goal>\n<next>\ngo on\n</next>\n</snapshot>",
    "points behind a preface": f"Here is the summary:\n\n- {VAGUE}\n- {VAGUE}",
    "in a fence": f"```markdown\n# Zusammenfassung\n\n{VAGUE}\n```",
    "in a fence between words": f"Here it is:\n\n```\n{VAGUE}\n```\nx = 1\n```\n```\n\nDo you need more?",
    "prose": VAGUE,
}


@pytest.mark.parametrize("budget", [450, 900])
@pytest.mark.parametrize("form", FORMS)
def test_a_poor_reply_loses_nothing_that_no_model_keeps(ask: Ask, messages: Messages, form: str, budget: int) -> None:
    """H17: whatever a model writes in whatever form, the text has all that it would have without one."""
    chat, options = {"messages": messages}, {"style": "handoff", "summaryBudget": budget, "minKeep": 0}
    alone = lost(ask("summarize", chat=chat, provider="offline", options=options))
    done = ask("summarize", chat=chat, reply=FORMS[form], options=options)

    assert {name: ids - alone[name] for name, ids in lost(done).items() if ids - alone[name]} == {}
    assert VAGUE[:90] in done["summary"]
    assert COUNT(done["summary"]) <= budget + COUNT(FORMS[form])


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize("writer", ["offline", "reply"])
def test_what_was_added_back_is_in_every_version(ask: Ask, messages: Messages, style: str, writer: str) -> None:
    """H17: whoever writes the next version in whatever style, and however short, it holds these facts."""
    written: dict[str, Any] = {"provider": "offline"} if writer == "offline" else {"reply": REPLIES[style]}
    options = {"style": style, "summaryBudget": 60, "minKeep": 0}
    chat = {"messages": messages}
    poor = ask("summarize", chat=chat, reply=REPLIES["brief"], options={"style": "brief", "minKeep": 0})
    wanted = [min(ids) for name, ids in lost(poor).items() if ids and name != "omissions"]

    done = ask("summarize", chat=chat, **written, options=options | {"addBack": wanted})

    assert len(wanted) > 3
    assert {*wanted} & {fact for ids in lost(done).values() for fact in ids} == set()


def test_as_much_of_an_id_as_is_unique_adds_a_fact_back(ask: Ask, messages: Messages) -> None:
    """H17: with its kind or without; several facts that begin alike are none."""
    options = {"style": "brief", "summaryBudget": 60, "minKeep": 0}
    chat = {"messages": messages}
    poor = ask("summarize", chat=chat, provider="offline", options=options)
    wanted = next(min(ids) for name, ids in lost(poor).items() if ids and name != "omissions")
    kind, _, name = wanted.partition(":")
    done, begun, bare, several = (
        ask("summarize", chat=chat, provider="offline", options=options | {"addBack": [one]})
        for one in (wanted, wanted[:-2], name[:-2], "")
    )

    assert kind
    assert done["summary"] == begun["summary"] == bare["summary"] != poor["summary"] == several["summary"]
    assert ["unknownFact" in [one["code"] for one in each["warnings"]] for each in (done, bare, several)] == [
        False,
        False,
        True,
    ]


def test_what_was_added_back_is_in_the_next_round(ask: Ask, messages: Messages) -> None:
    """H17: a chat that goes on from a compaction has its added facts in the next one too, unless others are named."""
    options = {"style": "handoff", "summaryBudget": 60, "minKeep": 0}
    poor = ask("summarize", chat={"messages": messages}, provider="offline", options=options)
    wanted = [min(ids) for name, ids in lost(poor).items() if ids and name != "omissions"]
    done = ask("summarize", chat={"messages": messages}, provider="offline", options=options | {"addBack": wanted})
    later: Messages = [{"role": "assistant", "content": "I see. " * 900}, {"role": "user", "content": "Go on."}]
    for _ in range(2):
        chat = {"messages": [{"role": "user", "content": done["continuation"]}, *later]}
        done = ask("summarize", chat=chat, provider="offline", options=options)
        other = ask("summarize", chat=chat, provider="offline", options=options | {"addBack": wanted[:1]})

        assert {*wanted} & {fact for ids in lost(done).values() for fact in ids} == set()
        assert {*wanted[1:]} & {fact for ids in lost(other).values() for fact in ids}


def test_a_hand_over_names_its_chat_and_where_it_is(ask: Ask, messages: Messages, tmp_path: Path) -> None:
    """H13 and H15: the title is the heading, and turns can be looked up in the file."""
    file = tmp_path / "chat.json"
    file.write_text(claude_session(*(message(one["role"], one["content"]) for one in messages)))
    done = ask("summarize", chat={"uri": file.as_uri()}, provider="offline", options={"style": "handoff"})

    title, words, *_, path, _ = done["continuation"].split("\n\n")
    assert title == f"# {done['title']} (continued)"
    assert words == HANDED_WORDS
    assert str(file) in path


def test_a_longer_summary_keeps_more(ask: Ask, messages: Messages) -> None:
    """Each length is shown as it would turn out: what it has, and what it lacks."""
    chat, options = {"messages": messages}, {"style": "handoff"}
    shown = ask("preview", chat=chat, options=options, lengths=[100, 300, 900])["lengths"]
    done = ask("summarize", chat=chat, provider="offline", options=options | {"summaryBudget": 300})

    kept = [one["kept"] for one in shown]
    assert [one["budget"] for one in shown] == [100, 300, 900]
    assert kept == sorted(kept)
    assert kept[0] < kept[2]
    assert all(one["kept"] + len(one["missing"]) == one["total"] for one in shown)
    assert {*shown[1]["missing"]} == {fact for name, ids in lost(done).items() if name != "omissions" for fact in ids}


@pytest.mark.parametrize("style", ["handoff", "detailed"])
def test_the_named_lengths_are_stops(ask: Ask, messages: Messages, style: str) -> None:
    """H18: each is shown as it turns out, and a number of tokens beats it."""
    chat, options = {"messages": messages * 6}, {"style": style, "minKeep": 0}
    shown = ask("preview", chat=chat, options=options, lengths=[])["lengths"]
    texts = [
        ask("summarize", chat=chat, provider="offline", options={**options, **own})["summary"]
        for own in ({"length": "brief"}, {}, {"length": "full"}, {"length": "full", "summaryBudget": 300})
    ]

    assert [one["name"] for one in shown if one["name"]] in (["brief", "standard", "full"], ["brief", "standard"])
    assert [one["budget"] for one in shown] == sorted(one["budget"] for one in shown)
    assert len(texts[0]) <= len(texts[1]) <= len(texts[2])
    assert len(texts[3]) < len(texts[2])
    assert not ask("preview", chat=chat, options=options)["lengths"]


NOTES: dict[str, str] = {  # 5,500 characters each, of very different lengths in tokens
    "prose": "".join(f"{n}. Shelf {n} of the east wall holds {7 * n} loaves, counted twice.\n\n" for n in range(99)),
    "numbers": "\n".join(f"{n % 89} {n % 83}" for n in range(1500)),
    "letters": "x\n" * 2750,
    "signs": "🥐🍞🥨" * 1834,
    "one word": "x" * 5500,
    "tags": "<summary>x</summary>\n" * 275,
}


@pytest.mark.parametrize("kind", NOTES)
def test_a_long_request_leaves_room_for_rules(ask: Ask, kind: str) -> None:
    """H10: the rules stand at each length, and the longer the text, the more it has of the request."""
    chat = {
        "messages": [
            {"role": "user", "content": "Never change `till.py` without asking me first. Always use tabs."},
            {"role": "assistant", "content": "The shelves are sorted by weight in `shelves.py`."},
            {"role": "user", "content": "Now label the trays."},
            {"role": "assistant", "content": "The trays are labeled."},
            {"role": "user", "content": f"Go on with these notes:\n\n{NOTES[kind][:5500]}"},
        ]
    }
    written = [
        ask("summarize", chat=chat, provider="offline", options={"style": "handoff", "minKeep": 0, "length": length})
        for length in ("brief", "standard", "full")
    ]
    quoted = [sum(len(line) for line in one["summary"].split("\n") if line.startswith(">")) for one in written]

    assert all(
        rule in one["summary"] for one in written for rule in ("change `till.py` without asking", "Always use tabs.")
    )
    assert all("characters omitted" in one["summary"] for one in written[1:])
    assert quoted == sorted({*quoted})


def test_codes_of_a_terminal_are_nowhere(ask: Ask, messages: Messages) -> None:
    """Values behind them are found, in what stays as well as in what is replaced."""
    output = "\x1b[K\x1b[31merror:\x1b[m\x1b[K port 8443 is taken\x1b[K"
    rounds: Messages = []
    for name in ("first", "last"):
        call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "make deploy"}}
        result = {"type": "tool_result", "tool_use_id": name, "content": f"Exit code 3\n{output}", "is_error": True}
        rounds += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        rounds += [{"role": "assistant", "content": f"The {name} one failed."}, {"role": "user", "content": "Again."}]
    options = {"style": "handoff", "minKeep": 4}
    done = ask("summarize", chat={"messages": [*messages, *rounds]}, provider="offline", options=options)

    assert "error: port 8443 is taken" in done["summary"]
    assert done["continuation"].count("error: port 8443 is taken") > done["summary"].count("error: port 8443 is taken")
    assert "\x1b" not in done["continuation"]
    assert "[K" not in done["continuation"]
    assert "[31m" not in done["continuation"]


def recorded_small(messages: Messages) -> str:
    """A long session whose calls record a fifth of what their messages are, above a hidden prompt."""
    records, prompt = list[dict[str, Any]](), 20_000
    for turn in range(4):
        for number, one in enumerate(json.loads(json.dumps(messages).replace("call_", f"call_{turn}_"))):
            record = message(one["role"], one["content"])
            if one["role"] == "assistant":
                usage = {"input_tokens": prompt, "output_tokens": 2}
                record["message"] |= {"id": f"r{turn}-{number}", "model": "claude-sonnet-4-5", "usage": usage}
            records.append(record)
            prompt += COUNT(json.dumps(one)) // 5
    return claude_session(*records)


@pytest.mark.parametrize("style", get_args(Style))
def test_a_summary_keeps_its_budget(ask: Ask, messages: Messages, style: str) -> None:
    """H10: by its own tokens, whatever the chat's provider said of the messages; and as the stops foretell."""
    chat = {"text": recorded_small(messages)}
    options = {"style": style, "minKeep": 0}
    said = [json.dumps(one["message"]["content"]) for one in map(json.loads, chat["text"].splitlines())]
    report = ask("preview", chat=chat, options=options)["messages"]
    shown = ask("preview", chat=chat, options=options, lengths=[150, 400, 1200])["lengths"]
    texts = [
        ask("summarize", chat=chat, provider="offline", options=options | {"summaryBudget": one["budget"]})["summary"]
        for one in shown
    ]

    assert sum(one["tokens"] for one in report) < 2 * sum(map(COUNT, said)) / 3
    assert [one["tokens"] for one in shown] == [COUNT(text) for text in texts]
    assert all(one["tokens"] <= one["budget"] for one in shown)


def test_named_lengths_are_what_is_written(ask: Ask, messages: Messages) -> None:
    """H18: each stop has the size that a summary of that length then has."""
    chat, options = {"text": recorded_small(messages)}, {"style": "handoff", "minKeep": 0}
    shown = ask("preview", chat=chat, options=options, lengths=[])["lengths"]
    written = {
        one["name"]: ask("summarize", chat=chat, provider="offline", options=options | {"length": one["name"]})
        for one in shown
        if one["name"]
    }

    assert {name: COUNT(done["summary"]) for name, done in written.items()} == {
        one["name"]: one["tokens"] for one in shown if one["name"]
    }
