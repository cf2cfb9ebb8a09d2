"""A chat is planned, previewed, and compacted exactly as shown."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from msgspec.structs import replace

from compact_chat.errors import InvalidParams, MessageNotFound, NoGain, NoSummary, NothingToCompact, PlanOutdated
from compact_chat.operations import ClientState, Job
from compact_chat.operations.preview import EXCERPT, excerpt
from compact_chat.read import resolved
from tests.samples.alone import perform_alone
from tests.samples.chats import NO_MASKS, a, call, res, u
from tests.servers.host import FakeHost
from tests.servers.messages_api import serving
from tests.unit.operations.conftest import CUTS, SECRET, Ask, Messages

REPLY = "<summary>\n1. Primary Request and Intent:\nCount the shelves.\n\n8. Current Work:\nShelf 8.\n</summary>"


def test_what_is_carried_out_is_what_was_shown(ask: Ask, messages: Messages) -> None:
    """A plan's id suffices to carry it out, with the forecast size: from no summary to one that fills its budget."""
    shown = ask("preview", chat={"messages": messages}, options={"minKeep": 6, "summaryBudget": 700})

    done = ask("summarize", planId=shown["planId"])

    assert done["planId"] == shown["planId"]
    assert (done["before"], done["after"]) == (shown["before"], shown["after"])
    assert done["counts"]["summarized"] == [row["fate"] for row in shown["messages"]].count("summarize")
    assert shown["afterLow"] <= shown["after"] <= shown["afterHigh"] == shown["afterLow"] + 700


def test_plans_have_the_same_id_everywhere(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Content and options make the id; another server, a null and an unknown member change nothing."""
    first = ask("preview", chat={"messages": messages}, options={"minKeep": 6})["planId"]
    same = ask("preview", chat={"messages": messages, "uri": None}, options={"minKeep": 6, "budget": None, "new": 1})
    other = ask("preview", chat={"messages": messages}, options={"minKeep": 5})["planId"]

    assert same["planId"] == first != other
    client.configure({"minKeep": 6})
    assert [ask("preview", chat={"messages": messages}, options=o)["planId"] for o in ({}, {"minKeep": 5})] == [
        first,
        other,
    ]


def test_a_plan_has_options_of_its_own(ask: Ask, messages: Messages) -> None:
    """Other options contradict a known plan; C3: a path that cannot be written is refused in the preview already."""
    plan = ask("preview", chat={"messages": messages}, options={"minKeep": 6})["planId"]

    assert ask("summarize", planId=plan, options={"minKeep": 6})["planId"] == plan
    for name, params, path in (
        ("summarize", {"planId": plan, "options": {"minKeep": 2}}, ""),
        ("preview", {"options": {"continuation": {"transcriptPath": "/a\nb"}}}, ".continuation.transcriptPath"),
    ):
        with pytest.raises(InvalidParams) as caught:
            ask(name, **{"chat": {"messages": messages}, **params})
        assert caught.value.data["problems"][0]["path"] == f"$.options{path}"


def test_a_plan_is_of_one_chat(ask: Ask, messages: Messages, tmp_path: Path) -> None:
    """A changed file, or another chat given with the plan, makes it outdated.

    With its chat and options a plan needs no memory; without them, it is forgotten.
    """
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": messages}), "utf-8")
    chat, fresh = {"messages": messages}, ClientState()
    plan, of_file = ask("preview", chat=chat)["planId"], ask("preview", chat={"uri": file.as_uri()})["planId"]
    file.write_text(json.dumps({"messages": messages[:-1]}), "utf-8")

    for other in (None, {"uri": file.as_uri()}, {"messages": messages[:-2]}):
        with pytest.raises(PlanOutdated) as caught:
            ask("summarize", planId=of_file, chat=other)
        assert caught.value.data == {"reason": "chatChanged"}
    assert perform_alone("summarize", {"chat": chat, "planId": plan}, Job(fresh))["planId"] == plan
    for params in ({"planId": "none"}, {"planId": "none", "chat": chat}):
        with pytest.raises(PlanOutdated) as caught:
            perform_alone("summarize", params, Job(fresh))
        assert caught.value.data == {"reason": "forgotten"}


def test_a_reply_goes_through_the_same_checks(ask: Ask, messages: Messages) -> None:
    """The text of a host's own model is formatted, spliced and measured; without a summary it is refused."""
    plan = ask("prompt", chat={"messages": messages})["planId"]

    done = ask("summarize", planId=plan, reply=REPLY)

    assert done["provider"] == "host"
    assert done["sections"] == {"primaryRequestAndIntent": "Count the shelves.", "currentWork": "Shelf 8."}
    assert "Count the shelves." in done["continuation"]
    with pytest.raises(NoSummary):
        ask("summarize", planId=plan, reply="Sorry, no.")
    mended = ask("summarize", planId=plan, reply="Counted the shelves up to the eighth. " * 9)
    assert "mended" in [warning["code"] for warning in mended["warnings"]]
    assert ask("summarize", chat={"messages": messages}, reply=REPLY)["summary"] == done["summary"]
    with pytest.raises(InvalidParams, match="no place for a reply"):
        ask("summarize", chat={"messages": messages}, reply=REPLY, options={"strategy": "keep", "keepRecent": 4})


@pytest.mark.parametrize("options", [{"minKeep": 0, "summaryBudget": 5}, {"minKeep": 2, "summaryBudget": 0}])
def test_a_chat_is_never_replaced_by_nothing(ask: Ask, messages: Messages, options: dict[str, int]) -> None:
    """F10 and L8: if nothing fits into the summary, the preview warns; without a gain nothing is changed."""
    chat = {"messages": [{"role": ("user", "assistant")[n % 2], "content": f"short words {n}"} for n in range(6)]}

    assert "noGain" in [warning["code"] for warning in ask("preview", chat=chat, options=options)["warnings"]]
    for params in (
        {"chat": chat, "options": options},
        {"chat": {"messages": messages[:9]}, "reply": f"<summary>{'a long story ' * 9000}</summary>"},
    ):
        with pytest.raises(NoGain):
            ask("summarize", **params)


@pytest.mark.parametrize("name", ["summarize", "prompt"])
def test_a_short_chat_has_nothing_to_compact(ask: Ask, name: str) -> None:
    """S1: a chat that would stay whole is refused; its preview says `none`."""
    chat = {"messages": [{"role": "user", "content": "hello"}]}

    assert ask("preview", chat=chat)["action"] == "none"
    with pytest.raises(NothingToCompact):
        ask(name, chat=chat)


def test_pins_drops_and_scope_decide_fates(ask: Ask, messages: Messages) -> None:
    """Z1 and Z3: ids from the preview steer the next one; an unknown id is reported."""
    rows = ask("preview", chat={"messages": messages})["messages"]
    options = {"pin": [rows[3]["id"]], "drop": [rows[4]["id"]], "scope": {"kind": "upTo", "message": rows[8]["id"]}}

    fates = [row["fate"] for row in ask("preview", chat={"messages": messages}, options=options)["messages"]]

    assert fates[3:5] == ["pin", "drop"]
    assert fates[8:] == ["summarize"] + ["keep"] * (len(rows) - 9)
    with pytest.raises(MessageNotFound) as caught:
        ask("preview", chat={"messages": messages}, options={"pin": ["unknown"]})
    assert caught.value.data == {"path": "$.options.pin[0]"}


@pytest.mark.parametrize("strategy", ["keep", "prune"])
def test_rules_need_no_summary(ask: Ask, messages: Messages, strategy: str) -> None:
    """Strategies keep and prune leave summary and continuation empty; the kind text is all there is to say."""
    chat, options = {"messages": messages}, {"strategy": strategy, **CUTS}

    done = ask("summarize", chat=chat, options=options)
    manual = ask("summarize", chat=chat, options=options | {"continuation": {"kind": "manual"}})

    assert (done["summary"], done["sections"], done["continuation"], done["attempts"]) == ("", None, "", ())
    assert done["after"] < done["before"]
    assert manual["continuation"].startswith("[SYSTEM: ")


def test_the_result_can_be_sent_on(ask: Ask, messages: Messages) -> None:
    """V: messages come back in the caller's shape or another, alternate, and end with the user."""
    chat = {"messages": messages}
    done = ask("summarize", chat=chat, include=["messages", "prompt", "raw"])
    other = ask("summarize", chat=chat, options={"minKeep": 8}, include=["messages"], messagesAs="openai-chat")

    roles = [message["role"] for message in done["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    assert done["messages"][1:] == messages[-4:]
    assert done["prompt"]["messages"][0]["content"].startswith("<conversation>")
    assert messages[-2]["content"] not in done["prompt"]["messages"][0]["content"], "it stays, and is not summarized"
    assert done["raw"].startswith("<summary>")
    assert {"tool_calls", "tool_call_id"} <= {key for message in other["messages"] for key in message}


def test_secrets_leave_in_no_text(ask: Ask, messages: Messages) -> None:
    """A key in a request, call, result or focus is counted in the preview and appears in nothing that is written."""
    messages[0]["content"] += f" The key is {SECRET}."
    messages[1]["content"][1]["input"]["new_string"] = f"token = '{SECRET}'"
    messages[-1]["content"] += f" Use {SECRET}."
    asked = {"chat": {"messages": messages}, "options": {"instructions": f"keep {SECRET}"}}

    shown, prompt = ask("preview", **asked), ask("prompt", **asked)
    done = ask("summarize", **asked, include=["prompt", "raw"])

    assert shown["redactions"] == {"total": 1, "kinds": {"github-token": 1}, "repeats": 0}
    assert SECRET not in json.dumps([shown, prompt, done])
    assert SECRET in json.dumps(ask("prompt", chat=asked["chat"], options={"redact": False}))


def test_what_the_system_prompt_names_is_masked(ask: Ask, messages: Messages) -> None:
    """M2: a value that only the system prompt names is masked in the messages, and counted as often as it occurs."""
    value = "Q7rT2bX9mK4pLw"
    messages[0]["content"] += f" Connect with {value}."
    messages[-1]["content"] += f" Use {value}."
    chat = {"messages": messages, "system": f"DB_PASSWORD={value}"}

    shown = ask("preview", chat=chat)

    assert shown["redactions"] == {"total": 1, "kinds": {"password": 1}, "repeats": 2}
    assert value not in json.dumps([shown, ask("summarize", chat=chat), ask("transcript", chat=chat)])


def test_rules_cut_no_secret_in_half(ask: Ask, state: Path) -> None:
    """X5: wherever a result is cut, its export and the facts that are missing hold no part of a value."""
    value, options = "Q7rT2bX9mK4pLw", {"strategy": "prune", "prune": {"maxChars": 200, "head": 50, "tail": 50}}
    messages: Messages = []
    for size in range(30, 60):
        call = {"type": "tool_use", "id": f"c{size}", "name": "r", "input": {}}
        said = f"{'x' * size} {value} {'y ' * 100}{value}{'z' * size}"
        result = {"type": "tool_result", "tool_use_id": f"c{size}", "content": said}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    messages += [{"role": "assistant", "content": f"DB_PASSWORD={value}"}, {"role": "user", "content": "Go on."}]

    done = ask("summarize", chat={"messages": messages}, options=options, include=["facts"])

    written = [json.dumps(done)]
    for shape in ("markdown", "json", "claude-code"):
        uri = ask("export", compactionId=done["compactionId"], **{"as": shape})["uri"]
        written.append(Path(unquote(urlsplit(uri).path)).read_text("utf-8"))
    assert done["counts"]["pruned"] >= 20
    assert not any(part in text for text in written for part in (value[:4], value[-4:]))


def test_a_huge_chat_is_told_to_narrow_its_scope(ask: Ask, messages: Messages) -> None:
    """T8: a request that cannot be made to fit is refused with a sentence, not sent."""
    options = {"summaryModel": "gpt-4", "maxOutputTokens": 5100}

    with pytest.raises(Exception, match="narrow the scope"):
        ask("prompt", chat={"messages": messages * 3}, options=options)


def test_the_numbers_add_up(ask: Ask, messages: Messages) -> None:
    """K11 and K12: saved tokens are the difference, a result over budget says so, the tool's own tokens stay."""
    chat = {"messages": messages, "system": "You bake. " * 200}
    done = ask("summarize", chat=chat, options={"budget": 100})

    assert done["counts"]["tokensSaved"] == done["before"] - done["after"] > 0
    assert done["counts"]["overBudget"]
    assert "overBudget" in [warning["code"] for warning in done["warnings"]]
    assert not ask("summarize", chat=chat)["counts"]["overBudget"]
    assert done["after"] > done["counts"]["fixed"] == ask("countTokens", chat=chat)["parts"]["fixed"] > 400


def test_one_huge_message_among_the_newest_does_not_stop_it(ask: Ask) -> None:
    """S9: fewer stay than wanted, with a warning; the user's last message does."""
    said = ["Look at a.py.", "I read it.", "line of a log " * 3000, "It prints a number.", "Which is larger?", "2 is."]
    talk = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    done = ask("summarize", chat={"messages": talk}, options={"budget": 4000})

    assert "keptFewer" in [warning["code"] for warning in done["warnings"]]
    assert (done["counts"]["summarized"], done["counts"]["overBudget"]) == (4, False)
    assert "Which is larger?" in done["continuation"]


def test_the_first_model_of_the_ladder_is_named(
    ask: Ask, client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L9: with a key it is Anthropic's, in one call, unless only the editor's models are wanted."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    client.host = FakeHost()
    editors = {"summaryModel": "editor:copilot/gpt-5", "fallbackModels": []}
    for options, asked in (
        ({"maxOutputTokens": 5000}, ("anthropic", "claude-haiku-5-5", 1, 5000)),
        ({"maxOutputTokens": 5000, **editors}, ("editor", "copilot/gpt-5", 1, 5000)),
    ):
        request = ask("preview", chat={"messages": messages}, options=options)["request"]
        assert (request["provider"], request["model"], request["calls"], request["maxOutputTokens"]) == asked


def test_the_provider_of_the_forecast_can_be_chosen(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The param beats the setting; offline, and without any model, there is no request; the plan is the same."""
    chat = {"messages": messages}
    assert ask("preview", chat=chat)["request"] is None
    client.configure({"provider": "anthropic"})
    assert ask("preview", chat=chat)["request"]["provider"] == "anthropic"
    client.configure({"provider": "offline"})
    client.host = FakeHost()
    found = [ask("preview", chat=chat, provider=name) for name in ("anthropic", "editor", "auto", "offline", None)]

    asked = [one["request"] and one["request"]["provider"] for one in found]
    assert asked == ["anthropic", "editor", "anthropic", None, None]
    assert len({one["planId"] for one in found}) == 1


def test_the_editors_model_is_named_where_there_is_no_key(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A safe may hold a key until it was asked; which of the editor's models answers is known if one is named."""
    chat = {"messages": messages}
    client.host = FakeHost(secret={"value": None}, languageModels={"models": []})
    before = ask("preview", chat=chat)["request"]
    ask("summarize", chat=chat)
    unnamed = ask("preview", chat=chat)["request"]
    named = ask("preview", chat=chat, options={"summaryModel": "editor:copilot/gpt-5"})["request"]

    assert (before["provider"], unnamed["provider"], unnamed["model"]) == ("anthropic", "editor", None)
    assert named["model"] == "copilot/gpt-5"


def test_the_estimate_is_near_what_is_sent(ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokens in are those of the request within a fifth and the prompt's own, and so are the calls."""
    for edit in messages[1::4]:
        edit["content"][1]["input"]["new_string"] *= 20  # of which a transcript shows the beginning
    long = messages * 8
    with serving() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        foretold = ask("preview", chat={"messages": long})["request"]
        sent = ask("prompt", chat={"messages": long})["tokens"]
        ask("summarize", chat={"messages": long}, provider="anthropic")

    assert abs(foretold["inputTokens"] - sent) < 0.2 * sent + 3000
    assert foretold["calls"] == len(api.requests)


def test_an_excerpt_is_what_was_typed() -> None:
    """Without a tool's frame; what holds nothing else, a host, a summary or the assistant wrote is shown as it is.

    A host's command is shown as a person types it.
    """
    wrapped = {
        "<context>\nNov 18\n</context>\n<userRequest>\nfix it\n</userRequest>\n": "fix it",
        "<task>\nfix it\n</task>": "fix it",
        "<system-reminder>mind</system-reminder>\nfix  it": "fix it",
        "<system-reminder>mind</system-reminder>": "<system-reminder>mind</system-reminder>",
    }
    read = NO_MASKS.messages(resolved(map(u, wrapped), "anthropic"))
    assert dict(zip(wrapped, map(excerpt, read), strict=True)) == wrapped
    text = "<task>\nfix it\n</task>"
    typed = replace(u(text), typed=("fix it",))
    for message in (replace(typed, by_host=True), replace(typed, is_summary=True), a(text)):
        assert excerpt(message) == "<task> fix it </task>"
    command = u("<command-name>/bake</command-name><command-args></command-args>")
    assert excerpt(replace(command, by_host=True)) == "/bake"
    assert excerpt(a(call("1", path="a.py"), call("2"))) == "look a.py"
    assert excerpt(u(res("1", "found\nit"))) == "found it"
    assert (excerpt(u()), len(excerpt(u("long " * 1000)))) == ("", EXCERPT)
