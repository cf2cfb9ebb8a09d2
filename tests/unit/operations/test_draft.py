"""Drafts: versions of a compaction that a person changes, kept in the archive and safe from other clients."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import CompactionNotFound, DraftOutdated, InvalidParams, NoGain, NothingToCompact
from compact_chat.operations import ClientState, Job, draft, keep_original
from compact_chat.operations.draft import merge
from tests.samples.alone import perform_alone
from tests.unit.operations.conftest import SECRET, Ask, Messages, claude_session, message

pytestmark = pytest.mark.usefixtures("state")
STYLE = {"style": "handoff", "minKeep": 0}
BAKERY = (Path(__file__).parents[3] / "examples/bakery.jsonl").as_uri()


@pytest.fixture
def drafted(ask: Ask, messages: Messages) -> Any:
    """A draft of the chat, too short for all facts."""
    return ask("draft", chat={"messages": messages}, options={**STYLE, "summaryBudget": 120})


def text_of(shown: Any) -> str:
    """The message of a draft."""
    found: str = shown["compaction"]["continuation"]
    return found


def missing(shown: Any) -> list[str]:
    """The ids of the facts that the message lacks."""
    classes = shown["compaction"]["survival"]["classes"]
    return [fact["id"] for one in classes if one["name"] != "omissions" for fact in one["lost"]]


def again(shown: Any, **change: object) -> Any:
    """The params of a change."""
    return {"draftId": shown["draftId"], "version": shown["version"], **change}


def test_a_draft_has_all_that_a_screen_shows(ask: Ask, drafted: Any) -> None:
    """Report, plan with lengths, message, facts with places, and the parts of both bars."""
    lengths, done = drafted["preview"]["lengths"], drafted["compaction"]
    parts = done["nextChat"]["continuation"]["parts"]

    assert [(one["version"], one["by"], one["model"]) for one in drafted["versions"]] == [(1, "offline", None)]
    assert [one["budget"] for one in lengths] == sorted({one["budget"] for one in lengths})
    assert sum(parts.values()) == done["nextChat"]["continuation"]["tokens"] == done["after"]
    assert sum(drafted["report"]["parts"].values()) == drafted["report"]["used"] == done["before"]
    assert {fact["id"] for fact in done["survival"]["facts"] if not fact["at"]} == {*missing(drafted)}
    assert [one["compactionId"] for one in ask("history")["compactions"]] == [drafted["draftId"]]


def test_a_text_that_was_there_before_brings_its_version_back(ask: Ask, drafted: Any) -> None:
    """As after an undo: its options too, and blanks at the ends of lines do not count."""
    short = ask("draft", **again(drafted, options={"style": "brief"}))
    back = ask("draft", **again(short, text=text_of(drafted).replace("\n", " \n") + "\n"))

    assert text_of(short) != text_of(drafted)
    assert (back["version"], back["edited"], back["options"]) == (3, False, drafted["options"])
    assert text_of(back) == text_of(drafted)
    assert ask("draft", **again(back, text=text_of(back)))["version"] == 3


def test_undo_goes_back_step_by_step(ask: Ask, drafted: Any) -> None:
    """Also from a version that was brought back, by its number or its text; a change begins a new step."""
    full = ask("draft", **again(drafted, options={"length": "full"}))
    brief = ask("draft", **again(full, options={"style": "brief"}))
    back = ask("draft", draftId=drafted["draftId"], version=brief["undo"])
    first = ask("draft", draftId=drafted["draftId"], version=back["undo"])
    typed = ask("draft", **again(first, text=text_of(brief)))
    changed = ask("draft", **again(typed, options={"window": 150_000}))

    shown = (drafted, full, brief, back, first, typed, changed)
    assert [one["undo"] for one in shown] == [None, 1, 2, 1, None, 2, 6]
    assert (back["options"], first["options"]) == (full["options"], drafted["options"])


def test_a_text_is_taken_on_a_newer_version_with_the_same_message(ask: Ask, drafted: Any) -> None:
    """Only options changed meanwhile, which stay; after another message it is refused."""
    ask("draft", **again(drafted, options={"window": 150_000}))
    mine = ask("draft", **again(drafted, text=f"{text_of(drafted)}\nMine."))

    assert (mine["version"], mine["options"]["window"], mine["edited"]) == (3, 150_000, True)
    with pytest.raises(DraftOutdated):
        ask("draft", **again(drafted, text=f"{text_of(drafted)}\nLate."))


def test_a_draft_counts_turns_by_what_the_user_said(ask: Ask) -> None:
    """Each message of the user begins one; a summary before them goes on with the turn before it."""
    shown = ask("draft", chat={"uri": BAKERY}, options=STYLE)
    turns = [shown["turns"][one["id"]] for one in shown["preview"]["messages"]]
    facts = shown["compaction"]["survival"]["facts"]
    said = [shown["turns"][fact["message"]] for fact in facts if fact["class"] == "userMessages"]

    assert turns == sorted(turns)
    assert said == [*range(1, len(said) + 1)]
    assert {*turns} == {0, *said}


def test_a_draft_has_the_chat_in_turns(ask: Ask) -> None:
    """Each message is in one turn; the turns add up to the conversation, and rules and errors count where stated."""
    shown = ask("draft", chat={"uri": BAKERY}, options=STYLE)
    strip, messages, survival = shown["strip"], shown["preview"]["messages"], shown["compaction"]["survival"]
    used, parts = shown["report"]["used"], shown["report"]["parts"]
    stated = Counter(fact["class"] for fact in survival["facts"])
    first = next(one for one in messages if shown["turns"][one["id"]] == 1)
    cut = next(one["lost"] for one in survival["classes"] if one["name"] == "userMessages")

    assert [one["number"] for one in strip] == [*range(len(strip))]
    assert [one["continued"] for one in strip] == [True, *[False] * (len(strip) - 1)]
    assert [message for one in strip for message in one["messages"]] == [one["id"] for one in messages]
    assert sum(one["tokens"] for one in strip) == used - parts["fixed"] - parts["attached"]
    assert strip[1]["excerpt"] == first["excerpt"]
    assert sum(one["rules"] for one in strip) == stated["constraints"] + stated["preferences"]
    assert sum(one["errors"] for one in strip) == stated["errors"]
    assert {one["number"] for one in strip if one["shortened"]} == {shown["turns"][one["message"]] for one in cut}


def test_a_kept_turn_is_shown_as_shortened_where_the_message_has_not_all_of_it(ask: Ask, messages: Messages) -> None:
    """H14: a file that was read or changed is one line, and a long result is cut, also of pinned messages."""
    call = {"type": "tool_use", "id": "r", "name": "Read", "input": {"file_path": "src/oven.py"}}
    ran = {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "bake"}}
    rounds: Messages = []
    for one, output in ((call, "heat = 3\n" * 225), (ran, "hot\n" * 20), (ran | {"id": "c"}, "hot\n" * 900)):
        result = {"type": "tool_result", "tool_use_id": one["id"], "content": output}
        rounds += [{"role": "user", "content": "Look."}, {"role": "assistant", "content": [one]}]
        rounds.append({"role": "user", "content": [result]})
    given = [*rounds, *messages]
    first = ask("draft", chat={"messages": given}, options=STYLE)
    ids = [one["id"] for one in first["preview"]["messages"]][: len(rounds)]
    shown = ask("draft", **again(first, options={"pin": ids}))

    assert [one["shortened"] for one in first["strip"]][:4] == [False] * 4
    assert [one["shortened"] for one in shown["strip"]][:4] == [True, False, True, False]
    cut = next(one for one in shown["compaction"]["survival"]["classes"] if one["name"] == "omissions")
    assert [one["message"] for one in cut["lost"]] == [ids[8]]


def test_a_new_draft_names_the_one_that_was_changed(ask: Ask, drafted: Any, messages: Messages) -> None:
    """Only drafts of the same chat count, and only changed ones."""
    chat = {"messages": messages}
    ask("draft", **again(drafted, options={"length": "brief", "summaryBudget": None}))
    changed = ask("draft", **again(drafted, text=f"{text_of(drafted)}\nMine.", version=2))
    new = ask("draft", chat=chat, options=STYLE)
    other = ask("draft", chat={"messages": messages[:-1]}, options=STYLE)

    assert new["draftId"] != changed["draftId"]
    assert (new["changed"]["draftId"], new["changed"]["version"]) == (changed["draftId"], 3)
    assert [one["changed"] for one in (drafted, changed, other)] == [None] * 3
    assert ask("draft", draftId=new["draftId"])["changed"] is None


def test_the_draft_that_was_changed_last_is_reopened(
    ask: Ask, messages: Messages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one begun last, and no other is begun; of a chat that has grown a new one is."""
    records = [message(one["role"], one["content"]) for one in messages]
    file, times = tmp_path / "chat.jsonl", iter(f"2999-01-01T00:00:0{number}.000Z" for number in range(9))
    file.write_text(claude_session(*records))
    chat = {"uri": file.as_uri()}
    first = ask("draft", chat=chat, options={**STYLE, "summaryBudget": 120}, reopen=True)
    other = ask("draft", chat=chat, options=STYLE)
    monkeypatch.setattr(draft, "wire_time", lambda: next(times))
    ask("draft", **again(other, options={"length": "full"}))
    last = ask("draft", **again(first, options={"length": "brief", "summaryBudget": None}))
    known = ask("history")

    assert ask("draft", chat=chat, options=STYLE, reopen=True) == last
    assert ask("history") == known
    file.write_text(claude_session(*records, message("user", "And now?")))
    grown = ask("draft", chat=chat, options=STYLE, reopen=True)
    assert (grown["version"], grown["changed"]["draftId"]) == (1, first["draftId"])


def test_a_command_of_the_host_is_shown_as_it_was_typed(ask: Ask, tmp_path: Path) -> None:
    """By its name and the person's words, before the first turn too."""
    named = "<command-message>plan</command-message>\n<command-name>/plan</command-name>"
    other = "<command-name>/bake</command-name>\n  <command-message>bake</command-message>\n  <command-args>"
    said = [named, "Count the shelves.", f"{other}forty\nbuns</command-args>", "And ten?"]
    answered = [message("assistant", f"Done with {n}. " * 99) for n in range(len(said))]
    chat = tmp_path / "chat.jsonl"
    chat.write_text(
        claude_session(*(one for n, text in enumerate(said) for one in (message("user", text), answered[n])))
    )

    shown = ask("draft", chat={"uri": chat.as_uri()}, options=STYLE)

    assert [one["excerpt"] for one in shown["strip"]] == ["/plan", "Count the shelves.", "/bake forty buns", "And ten?"]


def test_the_usual_length_is_in_the_middle_of_the_slider(ask: Ask, messages: Messages) -> None:
    """As many stops are shorter as are longer, each with its own budget; the middle one is what is written unasked."""
    usual = ask("draft", chat={"messages": messages}, options=STYLE)
    budgets = [one["budget"] for one in usual["preview"]["lengths"]]
    chosen = ask("draft", **again(usual, options={"summaryBudget": budgets[len(budgets) // 2]}))

    short = ask("draft", **again(chosen, options={"summaryBudget": budgets[0]}))

    assert short["versions"][-1]["tokens"] == usual["preview"]["lengths"][0]["message"]
    assert budgets == sorted({*budgets})
    assert len(budgets) % 2 == 1
    assert text_of(chosen) == text_of(usual)
    assert chosen["preview"]["lengths"] == usual["preview"]["lengths"]


def test_a_stop_has_the_size_of_the_message_there(ask: Ask) -> None:
    """With what is added back and pinned, at each of the named lengths, which therefore ascend."""
    shown = ask("draft", chat={"uri": BAKERY}, options={"style": "handoff", "length": "brief"})
    pin = [one["id"] for one in shown["preview"]["messages"] if one["fate"] == "summarize"][9:10]
    shown = ask("draft", **again(shown, addBack=missing(shown), options={"pin": pin}))
    named = [one for one in shown["preview"]["lengths"] if one["name"]]

    found = [ask("draft", **again(shown, options={"summaryBudget": named[0]["budget"]}))]
    for one in named[1:]:
        found.append(ask("draft", **again(found[-1], options={"summaryBudget": one["budget"]})))

    sizes = [one["versions"][-1]["tokens"] for one in found]
    assert [one["message"] for one in named] == sizes == sorted({*sizes})
    assert [one["missing"] for one in named] == [tuple(missing(one)) for one in found] == [()] * 3
    assert all(one["preview"]["lengths"] == shown["preview"]["lengths"] for one in found)


def test_null_resets_an_option(ask: Ask, drafted: Any) -> None:
    """A number of tokens gives way to a named length, and what is not named stays."""
    reset = ask("draft", **again(drafted, options={"summaryBudget": None, "length": "full"}))

    assert reset["options"] == {**drafted["options"], "summaryBudget": None, "length": "full"}


def test_null_resets_to_the_users_setting(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Where the user has set the option; for a chat, null is as good as nothing."""
    client.configure({"minKeep": 3})
    begun = ask("draft", chat={"messages": messages}, options={**STYLE, "minKeep": None})
    changed = ask("draft", **again(begun, options={"minKeep": 1, "keepRecentTokens": 50}))
    reset = ask("draft", **again(changed, options={"minKeep": None, "keepRecentTokens": None}))

    assert [one["options"]["minKeep"] for one in (begun, changed, reset)] == [3, 1, 3]
    assert reset["options"] == begun["options"] != changed["options"]


def test_only_named_options_change(ask: Ask, drafted: Any) -> None:
    """A longer message keeps the other options, and another plan keeps the length."""
    longer = ask("draft", **again(drafted, options={"summaryBudget": 2000}))
    pinned = ask("draft", **again(longer, options={"pin": ["m4"]}))

    assert longer["options"] == {**drafted["options"], "summaryBudget": 2000}
    assert pinned["options"] == {**longer["options"], "pin": ("m4",)}
    assert len(text_of(longer)) > len(text_of(drafted))
    assert [one["fate"] for one in pinned["preview"]["messages"] if one["id"] == "m4"] == ["pin"]
    assert [one["version"] for one in pinned["versions"]] == [1, 2, 3]


def test_what_is_added_back_stays(ask: Ask, drafted: Any) -> None:
    """Whatever changes later: length, plan, and what a person wrote."""
    wanted = missing(drafted)[:3]
    shown = ask("draft", **again(drafted, addBack=wanted))
    shown = ask("draft", **again(shown, options={"summaryBudget": 200}))
    shown = ask("draft", **again(shown, options={"pin": ["m2"]}))
    shown = ask("draft", **again(shown, text=f"{text_of(shown)}\nMy own words."))
    shown = ask("draft", **again(shown, options={"summaryBudget": 160}))

    assert shown["addBack"] == tuple(wanted)
    assert not {*wanted} & {*missing(shown)}
    assert "My own words." in text_of(shown)


def test_an_edit_beside_a_pinned_message_is_of_the_summary(ask: Ask, drafted: Any) -> None:
    """H14: the message stands in its turn, and the summary without it has what the person changed."""
    shown = ask("draft", **again(drafted, options={"pin": ["m4"], "summaryBudget": 900}))
    whole = text_of(shown)
    shown = ask("draft", **again(shown, text=whole.replace("## Record", "- Mine.\n\n## Record", 1)))

    assert whole.count(", word for word\n") == 1
    assert not whole.partition(", word for word\n")[2].startswith("For details")
    assert "- Mine." in text_of(shown)
    assert "- Mine." in shown["compaction"]["summary"]
    assert ", word for word\n" not in shown["compaction"]["summary"]


def test_a_person_s_text_is_measured_as_it_is(ask: Ask, drafted: Any) -> None:
    """What it lacks is missing, whatever the options say; secrets in it are masked."""
    shown = ask("draft", **again(drafted, text=f"# Mine\nOnly this, with {SECRET}."))

    assert (shown["edited"], shown["versions"][-1]["by"]) == (True, "edit")
    assert text_of(shown).startswith("# Mine\nOnly this, with [REDACTED:github-token:")
    assert shown["compaction"]["summary"] == text_of(shown)
    assert len(missing(shown)) > len(missing(drafted))


def test_a_text_that_cannot_be_merged_comes_back(ask: Ask, drafted: Any) -> None:
    """The new message is the server's, the person's own is next to it until it fits again."""
    own = ask("draft", **again(drafted, text="# Mine\nOnly this."))
    conflict = ask("draft", **again(own, options={"summaryBudget": 2000}))
    back = ask("draft", **again(conflict, options={"summaryBudget": 120}))

    assert (conflict["edited"], conflict["conflict"]) == (False, {"text": "# Mine\nOnly this."})
    assert "Only this" not in text_of(conflict)
    assert (back["edited"], back["conflict"], text_of(back)) == (True, None, "# Mine\nOnly this.")


@pytest.mark.parametrize("style", ["handoff", "brief", "detailed", "checkpoint", "structured"])
@pytest.mark.parametrize("own", ["# Mine\nOnly this.", "Mine \n\n```\n## Rules\n```\n\n"])
def test_facts_join_what_a_person_wrote(ask: Ask, messages: Messages, style: str, own: str) -> None:
    """At its end; the rest stays to the letter, and what is not wanted any more goes again."""
    drafted = ask("draft", chat={"messages": messages}, options={**STYLE, "style": style})
    shown = ask("draft", **again(drafted, text=own))
    wanted = missing(shown)[:3]
    added = ask("draft", **again(shown, addBack=wanted))
    more = ask("draft", **again(added, addBack=missing(shown)))
    bare = ask("draft", **again(more, addBack=[]))

    assert (added["edited"], added["conflict"]) == (True, None)
    assert text_of(added).startswith(own.rstrip("\n"))
    assert not {*wanted} & {*missing(added)}
    assert text_of(added).count("## Also in the chat") == text_of(more).count("## Also in the chat") == 1
    assert missing(more) == []
    assert (bare["conflict"], text_of(bare).rstrip()) == (None, text_of(shown).rstrip())


def test_a_fact_joins_its_section_of_a_person_s_text(ask: Ask, drafted: Any) -> None:
    """Below its heading and in its turn, before the words that close the message."""
    own = "# Mine\n\n## Rules\nBe kind.\n\n## Record\n\n### Turn 2\n- My line.\n\n### Turn 9, word for word\n- End."
    closing = "\n\nThe earlier session ends here; what follows is new."
    shown = ask("draft", **again(drafted, text=f"{own}{closing}"))
    facts = {one["id"]: one for one in shown["compaction"]["survival"]["facts"] if not one["at"]}
    rule = next(one for one in facts if facts[one]["class"] == "constraints")
    said = [one for one in facts if facts[one]["class"] == "userMessages"]
    found = text_of(ask("draft", **again(shown, addBack=[rule, *said])))
    lines = found.split("\n")

    assert [line for line in own.split("\n") if line not in lines] == []
    assert found.endswith(f"- End.{closing}")
    assert lines[lines.index("Be kind.") + 1].startswith("- ")
    assert [line for line in lines if line.startswith("#")] == [
        "# Mine",
        "## Rules",
        "## Record",
        *(f"### Turn {n}" for n in range(1, 10)),
        "### Turn 9, word for word",
    ]


def test_a_fact_that_a_person_took_out_comes_back(ask: Ask, messages: Messages) -> None:
    """Where the text without a model has it, and the person's does not; also with other words in the same change."""
    drafted = ask("draft", chat={"messages": messages}, options={**STYLE, "summaryBudget": 300})
    shown = ask("draft", **again(drafted, text="Only this."))
    wanted = next(one for one in missing(shown) if one not in missing(drafted))
    added = ask("draft", **again(shown, addBack=[wanted]))
    cut = ask("draft", **again(added, text="Only that."))
    back = ask("draft", **again(cut, addBack=[wanted]))
    both = ask("draft", **again(back, text="Only those.", addBack=[wanted]))

    assert wanted not in missing(added)
    assert wanted in missing(cut)
    assert [text_of(one).partition("\n")[0] for one in (back, both)] == ["Only that.", "Only those."]
    assert wanted not in {*missing(back), *missing(both)}


def test_facts_added_to_an_edit_do_not_hinder_its_merge(ask: Ask, drafted: Any) -> None:
    """They stand in another order than the server's: the person's own line goes on, and they do, too."""
    shown = ask("draft", **again(drafted, text=text_of(drafted).replace("\n## ", "\nMy own line.\n\n## ", 1)))
    wanted = missing(shown)[::-1]
    for number in range(1, len(wanted) + 1):
        shown = ask("draft", **again(shown, addBack=wanted[:number]))
    longer = ask("draft", **again(shown, options={"summaryBudget": 2000}))

    assert (longer["edited"], longer["conflict"]) == (True, None)
    assert "My own line." in text_of(longer)
    assert not {*wanted} & {*missing(longer)}


def test_an_older_version_comes_back_as_a_new_one(ask: Ask, drafted: Any) -> None:
    """With its options and its text."""
    own = ask("draft", **again(drafted, text=f"{text_of(drafted)}\nMine."))
    ask("draft", **again(own, options={"summaryBudget": 2000}))
    back = ask("draft", draftId=drafted["draftId"], version=2)

    assert (back["version"], text_of(back), back["options"]) == (4, text_of(own), own["options"])
    for other in (0, 9):
        with pytest.raises(InvalidParams):
            ask("draft", draftId=drafted["draftId"], version=other)


@pytest.mark.parametrize("version", [0, 1, 99])
def test_a_chat_has_no_versions(version: int, ask: Ask, bakery: Path) -> None:
    """A draft that begins, or the one that is there already, is not taken for the version that was asked for."""
    with pytest.raises(InvalidParams, match=r"\$\.version"):
        ask("draft", chat={"uri": bakery.as_uri()}, version=version)


def test_a_change_of_an_older_version_is_refused(ask: Ask, drafted: Any) -> None:
    """The refusal has the draft as it is."""
    newer = ask("draft", **again(drafted, options={"summaryBudget": 2000}))
    with pytest.raises(DraftOutdated) as refused:
        ask("draft", **again(drafted, addBack=missing(drafted)))

    assert refused.value.payload() == {"kind": "draftOutdated", "draft": newer}


def test_two_servers_do_not_overwrite_each_other(ask: Ask, drafted: Any) -> None:
    """On one archive, the second change of one version is refused, and both see the first."""
    other = Job(ClientState())
    seen = perform_alone("draft", {"draftId": drafted["draftId"]}, other)
    ours = ask("draft", **again(drafted, text=f"{text_of(drafted)}\nOurs."))
    with pytest.raises(DraftOutdated) as refused:
        perform_alone("draft", again(drafted, text="Theirs."), other)

    assert text_of(seen) == text_of(drafted)
    assert text_of(refused.value.data["draft"]) == text_of(ours)
    assert text_of(perform_alone("draft", {"draftId": drafted["draftId"]}, other)) == text_of(ours)


def test_a_refused_change_changes_nothing(ask: Ask, drafted: Any) -> None:
    """A plan that would gain nothing, and one that is none, leave the draft as it was."""
    ids = [one["id"] for one in drafted["preview"]["messages"]]
    for options in ({"pin": ids}, {"minKeep": 1000}):
        with pytest.raises((NoGain, NothingToCompact)):
            ask("draft", **again(drafted, options=options))

    assert ask("draft", draftId=drafted["draftId"]) == drafted


def test_nothing_secret_is_stored(ask: Ask, messages: Messages, state: Path) -> None:
    """Versions and the chat that they produce are masked in the archive."""
    messages[1]["content"][0]["text"] = f"The token is {SECRET}."
    shown = ask("draft", chat={"messages": messages}, options=STYLE)
    ask("draft", **again(shown, text=f"{text_of(shown)}\nIt is {SECRET}."))

    records = [path.read_text() for path in state.rglob("*.json")]
    assert len(records) == 1
    assert SECRET not in records[0]


def test_a_draft_goes_with_its_compaction(drafted: Any, state: Path) -> None:
    """Without its record there is no draft, in no process."""
    for path in state.rglob("*.json"):
        path.unlink()
    with pytest.raises(CompactionNotFound):
        perform_alone("draft", {"draftId": drafted["draftId"]}, Job(ClientState()))


def test_without_an_archive_it_lives_in_memory(messages: Messages, state: Path) -> None:
    """The draft can be changed by its own server, and nothing is written."""
    client = ClientState()
    client.configure({"archive": "off"})
    shown = perform_alone("draft", {"chat": {"messages": messages}, "options": STYLE}, Job(client))
    shown = perform_alone("draft", again(shown, addBack=missing(shown)[:1]), Job(client))

    assert (shown["version"], state.exists()) == (2, False)
    with pytest.raises(CompactionNotFound):
        perform_alone("draft", {"draftId": shown["draftId"]}, Job(ClientState()))


def test_a_chat_that_any_version_opened_is_recognized(ask: Ask, messages: Messages, drafted: Any) -> None:
    """Compacting a chat that was continued with an older version begins with the original, as with the newest."""
    ask("draft", **again(drafted, text=f"{text_of(drafted)}\nMine."))
    opened = [{"role": "user", "content": text_of(drafted)}, *messages[-4:], {"role": "user", "content": "On."}]
    preview = ask("preview", chat={"messages": opened})

    assert "fromOriginal" in [one["code"] for one in preview["warnings"]]
    assert len(preview["messages"]) > len(messages)


def test_a_compaction_can_be_drafted_on(ask: Ask, messages: Messages) -> None:
    """What `summarize` made is a draft with its own message."""
    done = ask("summarize", chat={"messages": messages}, provider="offline", options=STYLE)
    shown = ask("draft", draftId=done["compactionId"])
    changed = ask("draft", **again(shown, options={"minKeep": 0, "summaryBudget": 200}))

    assert (text_of(shown), shown["edited"]) == (done["continuation"], False)
    assert shown["compaction"]["archive"] == changed["compaction"]["archive"] == done["archive"]
    assert (shown["version"], changed["version"], changed["edited"]) == (1, 2, False)
    assert len(text_of(changed)) < len(text_of(shown))
    assert len(ask("history")["compactions"]) == 1


def test_blanks_that_an_editor_saves_are_no_edit(ask: Ask, drafted: Any) -> None:
    """At the ends of lines and of the text, of the server's message and of a person's."""
    same = ask("draft", **again(drafted, text=text_of(drafted).replace("\n", " \n") + "\n"))
    own = ask("draft", **again(same, text=f"{text_of(same)}\nMine."))
    saved = ask("draft", **again(own, text=f"{text_of(own)} \n"))

    assert (same["edited"], text_of(same)) == (False, text_of(drafted))
    assert (saved["edited"], text_of(saved)) == (True, text_of(own))


def test_a_discarded_conflict_does_not_come_back(ask: Ask, drafted: Any) -> None:
    """Who takes the new message has it at every length, also at the one that the own text was written for."""
    own = ask("draft", **again(drafted, text="# Mine\nOnly this."))
    conflict = ask("draft", **again(own, options={"summaryBudget": 2000}))
    taken = ask("draft", **again(conflict, text=text_of(conflict)))
    back = ask("draft", **again(taken, options={"summaryBudget": 120}))

    assert (taken["edited"], taken["conflict"], text_of(taken)) == (False, None, text_of(conflict))
    assert (back["edited"], back["conflict"], text_of(back)) == (False, None, text_of(drafted))


def test_a_compaction_by_the_chat_s_own_tool_is_no_draft(ask: Ask, client: ClientState, tmp_path: Path) -> None:
    """It has no message of ours, which the refusal says."""
    chat = tmp_path / "chat.jsonl"
    chat.write_text(claude_session(message("user", "Count."), message("assistant", "Counted.")))
    keep_original(chat.as_uri(), chat.stat().st_size, None, Job(client))
    (known,) = ask("history")["compactions"]

    with pytest.raises(NothingToCompact):
        ask("draft", draftId=known["compactionId"])


# What a person changed is carried over to a new text, or nothing is.

BASE = "# Next\n1. Count.\n2. Bake.\n\n# Rules\n- No salt.\n- No sugar."
CASES = {
    "nothing was changed": (BASE, "# Next\n1. Sell.", "# Next\n1. Sell."),
    "nothing is new": (BASE.replace("Bake", "Knead"), BASE, BASE.replace("Bake", "Knead")),
    "an added line goes behind its neighbor": (
        BASE.replace("2. Bake.", "2. Bake.\n3. Sell."),
        BASE.replace("- No sugar.", "- No sugar.\n- No nuts."),
        BASE.replace("2. Bake.", "2. Bake.\n3. Sell.").replace("- No sugar.", "- No sugar.\n- No nuts."),
    ),
    "or before the other one": (
        BASE.replace("1. Count.", "0. Wait.\n1. Count.").replace("# Next", "# Next"),
        BASE.replace("# Next", "# What comes next"),
        BASE.replace("# Next", "# What comes next").replace("1. Count.", "0. Wait.\n1. Count."),
    ),
    "or to the end of its section": (
        BASE.replace("1. Count.", "1. Count.\n1b. Twice."),
        "# Next\n1. Knead.\n\n# Rules\n- No eggs.",
        "# Next\n1. Knead.\n1b. Twice.\n\n# Rules\n- No eggs.",
    ),
    "a changed line is replaced where it still is": (
        BASE.replace("- No salt.", "- Little salt."),
        BASE.replace("2. Bake.", "2. Rest.\n3. Bake."),
        BASE.replace("2. Bake.", "2. Rest.\n3. Bake.").replace("- No salt.", "- Little salt."),
    ),
    "a changed line that is gone cannot be merged": (
        BASE.replace("1. Count.", "1. Count twice."),
        BASE.replace("1. Count.", "1. Knead."),
        None,
    ),
    "a line deleted in both is gone": (
        BASE.replace("2. Bake.\n", ""),
        BASE.replace("2. Bake.\n", "").replace("No salt", "No eggs"),
        BASE.replace("2. Bake.\n", "").replace("No salt", "No eggs"),
    ),
    "of another text nothing can be merged": ("My own words.\nAll of them.", "# Next\n1. Sell.", None),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_changed_is_carried_over(case: str) -> None:
    """Lines that were added, changed and deleted are so in the new text, too."""
    mine, theirs, merged = CASES[case]

    assert merge(BASE, mine, theirs) == merged


LINES = st.lists(st.sampled_from(["# A", "# B", "a", "b", "c", ""]), max_size=12).map("\n".join)


@given(base=LINES, mine=LINES, theirs=LINES)
def test_no_added_line_is_lost(base: str, mine: str, theirs: str) -> None:
    """A merged text has as many of each line as a person added, and all that nobody changed."""
    merged = merge(base, mine, theirs)

    assert merge(base, base, theirs) == theirs
    assert merge(base, mine, base) == mine
    if merged is not None:
        for line in {*mine.split("\n")} - {*base.split("\n")}:
            assert merged.split("\n").count(line) >= mine.split("\n").count(line)


def test_long_texts_are_merged_where_little_differs() -> None:
    """Only the lines that differ are matched, and too many of them are not."""
    base = "\n".join(f"line {number}" for number in range(20_000))

    assert merge(base, f"first\n{base}", f"{base}\nlast") == f"first\n{base}\nlast"
    assert merge(base, f"first\n{base}", base.replace("line", "row")) is None


def test_blank_lines_between_changed_ones_take_no_time() -> None:
    """Every second line is blank, nearly all others changed: the time grows with the text alone."""
    base, theirs = ("\n\n".join(f"{word} {n}" for n in range(100_000)) for word in ("line", "row"))
    own = base.replace("line 7\n", "line 7\nmine\n")

    assert merge(base, own, f"# Top\n{theirs}\n\nline 7\n\nend") == f"# Top\n{theirs}\n\nline 7\nmine\n\nend"
