"""A chat is planned, looked at, and compacted exactly as it was shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
REPLY = "<summary>\n1. Primary Request and Intent:\nCount the shelves.\n\n8. Current Work:\nShelf 8.\n</summary>"
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"


def test_what_is_carried_out_is_what_was_shown(ask: Ask, messages: Messages) -> None:
    """A plan's id alone carries it out, and the size comes out as foretold."""
    shown = ask("preview", chat={"messages": messages}, options={"minKeep": 6})

    done = ask("summarize", planId=shown["planId"])

    assert done["planId"] == shown["planId"]
    assert (done["before"], done["after"]) == (shown["before"], shown["after"])
    assert done["counts"]["summarized"] == [row["fate"] for row in shown["messages"]].count("summarize")


def test_what_no_compaction_changes_is_told(ask: Ask, messages: Messages) -> None:
    """Of the tokens before and after, as many are the tool's own as the meter says."""
    chat = {"messages": messages, "system": "You bake. " * 200}
    done = ask("summarize", chat=chat, options={"minKeep": 2}, provider="offline")

    assert done["counts"]["fixed"] == ask("countTokens", chat=chat)["parts"]["fixed"] > 400
    assert done["after"] > done["counts"]["fixed"]


def test_plans_have_the_same_id_everywhere(ask: Ask, messages: Messages) -> None:
    """Content and options make the id; another server, a null and an unknown member change nothing."""
    first = ask("preview", chat={"messages": messages}, options={"minKeep": 6})["planId"]
    same = ask("preview", chat={"messages": messages, "uri": None}, options={"minKeep": 6, "budget": None, "new": 1})
    other = ask("preview", chat={"messages": messages}, options={"minKeep": 5})["planId"]

    assert same["planId"] == first != other


def test_a_setting_stands_below_a_param(ask: Ask, client: ClientState, messages: Messages) -> None:
    """What the user set once counts until a request says otherwise."""
    client.configure({"minKeep": 9})

    splits = [ask("preview", chat={"messages": messages}, options=o)["split"] for o in ({}, {"minKeep": 2})]

    assert splits[0] < splits[1]


def test_a_plan_has_options_of_its_own(ask: Ask, messages: Messages) -> None:
    """Other options beside a known plan contradict it, and are refused instead of ignored."""
    plan = ask("preview", chat={"messages": messages}, options={"minKeep": 6})["planId"]

    assert ask("summarize", planId=plan, options={"minKeep": 6})["planId"] == plan
    with pytest.raises(InvalidParams) as caught:
        ask("summarize", planId=plan, options={"minKeep": 2})
    assert caught.value.data["problems"][0]["path"] == "$.options"


def test_wrong_continuation_options_are_found_first(ask: Ask, messages: Messages) -> None:
    """C3: a path that cannot be written is told by the preview, where it stands in the params."""
    with pytest.raises(InvalidParams) as caught:
        ask("preview", chat={"messages": messages}, options={"continuation": {"transcriptPath": "/a\nb"}})

    assert caught.value.data["problems"][0]["path"] == "$.options.continuation.transcriptPath"
    with pytest.raises(InvalidParams):
        ask("preview", chat={"messages": messages}, options=[])


def test_a_chat_that_changed_outdates_its_plan(ask: Ask, messages: Messages, tmp_path: Path) -> None:
    """A file that has grown, or another chat beside the plan, is not what was shown."""
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": messages}), "utf-8")
    plan = ask("preview", chat={"uri": file.as_uri()})["planId"]
    file.write_text(json.dumps({"messages": messages[:-1]}), "utf-8")

    for chat in (None, {"uri": file.as_uri()}, {"messages": messages[:-2]}):
        with pytest.raises(PlanOutdated) as caught:
            ask("summarize", planId=plan, chat=chat)
        assert caught.value.data == {"reason": "chatChanged"}


def test_an_unknown_plan_is_forgotten_unless_its_chat_makes_it_again(ask: Ask, messages: Messages) -> None:
    """With its chat and options a plan needs no memory; without, it is told that it is forgotten."""
    plan = ask("preview", chat={"messages": messages})["planId"]
    fresh = ClientState()

    assert perform_alone("summarize", {"chat": {"messages": messages}, "planId": plan}, Job(fresh))["planId"] == plan
    with pytest.raises(PlanOutdated) as caught:
        perform_alone("summarize", {"chat": {"messages": messages}, "planId": "none"}, Job(fresh))
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
    assert ask("summarize", chat={"messages": messages}, reply=REPLY)["summary"] == done["summary"]
    with pytest.raises(InvalidParams, match="no place for a reply"):
        ask("summarize", chat={"messages": messages}, reply=REPLY, options={"strategy": "keep", "keepRecent": 4})


def test_a_summary_that_wins_nothing_is_refused(ask: Ask, messages: Messages) -> None:
    """L8: where the result would not be smaller, nothing changes and the caller is told."""
    plan = ask("preview", chat={"messages": messages[:9]})["planId"]

    with pytest.raises(NoGain):
        ask("summarize", planId=plan, reply=f"<summary>{'a long story ' * 9000}</summary>")


@pytest.mark.parametrize("options", [{"minKeep": 0}, {"minKeep": 2, "summaryBudget": 0}])
def test_a_chat_is_never_replaced_by_nothing(ask: Ask, options: dict[str, int]) -> None:
    """F10: where nothing fits into the summary, the preview warns of it and nothing is changed."""
    chat = {"messages": [{"role": ("user", "assistant")[n % 2], "content": f"short words {n}"} for n in range(6)]}

    assert "noGain" in [warning["code"] for warning in ask("preview", chat=chat, options=options)["warnings"]]
    with pytest.raises(NoGain):
        ask("summarize", chat=chat, options=options)


@pytest.mark.parametrize("name", ["summarize", "prompt"])
def test_a_short_chat_has_nothing_to_compact(ask: Ask, name: str) -> None:
    """S1: a chat that stays whole is told so; its preview says `none`."""
    chat = {"messages": [{"role": "user", "content": "hello"}]}

    assert ask("preview", chat=chat)["action"] == "none"
    with pytest.raises(NothingToCompact):
        ask(name, chat=chat)


def test_pins_drops_and_scope_decide_fates(ask: Ask, messages: Messages) -> None:
    """Z1 and Z3: ids of the preview steer the next one; an unknown id is told."""
    rows = ask("preview", chat={"messages": messages})["messages"]
    options = {"pin": [rows[3]["id"]], "drop": [rows[4]["id"]], "scope": {"kind": "upTo", "message": rows[8]["id"]}}

    fates = [row["fate"] for row in ask("preview", chat={"messages": messages}, options=options)["messages"]]

    assert fates[3:5] == ["pin", "drop"]
    assert fates[8:] == ["summarize"] + ["keep"] * (len(rows) - 9)
    with pytest.raises(MessageNotFound) as caught:
        ask("preview", chat={"messages": messages}, options={"pin": ["nobody"]})
    assert caught.value.data == {"path": "$.options.pin[0]"}


@pytest.mark.parametrize("strategy", ["keep", "prune"])
def test_rules_need_no_summary(ask: Ask, messages: Messages, strategy: str) -> None:
    """Strategies keep and prune leave summary and continuation empty; a kind's text is all there is to say."""
    options = {
        "strategy": strategy,
        "keepRecent": 4,
        "keepToolResults": False,
        "prune": {"maxChars": 300, "head": 50, "tail": 50},
    }

    done = ask("summarize", chat={"messages": messages}, options=options)
    told = ask("summarize", chat={"messages": messages}, options=options | {"continuation": {"kind": "manual"}})

    assert (done["summary"], done["sections"], done["continuation"], done["attempts"]) == ("", None, "", ())
    assert done["after"] < done["before"]
    assert told["continuation"].startswith("[SYSTEM: ")


def test_the_result_can_be_sent_on(ask: Ask, messages: Messages) -> None:
    """V: messages come back in the caller's shape, alternate, and end with the user."""
    done = ask("summarize", chat={"messages": messages}, include=["messages", "prompt", "raw"])

    roles = [message["role"] for message in done["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    assert done["messages"][1:] == messages[-4:]
    assert done["prompt"]["messages"][0]["content"].startswith("<conversation>")
    assert done["raw"].startswith("<summary>")


def test_messages_can_be_asked_for_in_another_shape(ask: Ask, messages: Messages) -> None:
    """A chat of Anthropic's shape can go on with an API of OpenAI's."""
    done = ask(
        "summarize", chat={"messages": messages}, options={"minKeep": 8}, include=["messages"], messagesAs="openai-chat"
    )

    assert {"tool_calls", "tool_call_id"} <= {key for message in done["messages"] for key in message}


def test_secrets_leave_in_no_text(ask: Ask, messages: Messages) -> None:
    """A key in wish, call, result or focus is counted in the preview and stands in nothing that is written."""
    messages[0]["content"] += f" The key is {SECRET}."
    messages[1]["content"][1]["input"]["new_string"] = f"token = '{SECRET}'"
    messages[-1]["content"] += f" Use {SECRET}."
    asked = {"chat": {"messages": messages}, "options": {"instructions": f"keep {SECRET}"}}

    shown, prompt = ask("preview", **asked), ask("prompt", **asked)
    done = ask("summarize", **asked, include=["prompt", "raw"])

    assert shown["redactions"] == {"total": 1, "kinds": {"github-token": 1}}
    assert SECRET not in json.dumps([shown, prompt, done])
    assert SECRET in json.dumps(ask("prompt", chat=asked["chat"], options={"redact": False}))


def test_a_huge_chat_is_told_to_narrow_its_scope(ask: Ask, messages: Messages) -> None:
    """T8: a request that no shrinking makes fit is refused with a sentence, not sent."""
    options = {"summaryModel": "gpt-4", "maxOutputTokens": 5100}

    with pytest.raises(Exception, match="narrow the scope"):
        ask("prompt", chat={"messages": messages * 3}, options=options)


def test_mail_addresses_are_masked_where_wished(ask: Ask, client: ClientState, messages: Messages) -> None:
    """`redactEmails` is a setting, off at first."""
    messages[0]["content"] += " Ask mara@bakery.example."
    plain = ask("preview", chat={"messages": messages})["redactions"]["total"]

    client.configure({"redactEmails": True})

    assert (plain, ask("preview", chat={"messages": messages})["redactions"]["total"]) == (0, 1)


def test_the_numbers_tell_what_was_won(ask: Ask, messages: Messages) -> None:
    """K11 and K12: saved tokens are the difference, and a result over the budget says so."""
    done = ask("summarize", chat={"messages": messages}, options={"budget": 100})

    assert done["counts"]["tokensSaved"] == done["before"] - done["after"] > 0
    assert done["counts"]["overBudget"]
    assert "overBudget" in [warning["code"] for warning in done["warnings"]]
    assert not ask("summarize", chat={"messages": messages})["counts"]["overBudget"]


def test_the_forecast_spans_what_a_reply_may_be(ask: Ask, messages: Messages) -> None:
    """The range goes from next to no summary to one that fills its budget."""
    shown = ask("preview", chat={"messages": messages}, options={"summaryBudget": 700})

    assert shown["afterLow"] <= shown["after"] <= shown["afterHigh"]
    assert shown["afterHigh"] - shown["afterLow"] == 700


def test_the_summary_keeps_to_its_budget(ask: Ask, messages: Messages) -> None:
    """A summary written offline costs no more than it may: a tenth of the chat where nothing is said."""
    for options, budget in (({}, None), ({"summaryBudget": 400}, 400)):
        done = ask("summarize", chat={"messages": messages}, options=options)
        tokens = ask("countTokens", chat={"text": done["summary"], "format": "text"})["used"]
        assert tokens <= (done["before"] // 10 if budget is None else budget) + 8


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for Anthropic is in the environment, and nobody answers there."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")


def test_without_a_model_there_is_no_request(ask: Ask, messages: Messages) -> None:
    """Who has no key and no editor gets the offline summary, for which nobody is asked."""
    assert ask("preview", chat={"messages": messages})["request"] is None


@pytest.mark.usefixtures("key")
def test_the_first_model_of_the_ladder_is_named(ask: Ask, messages: Messages) -> None:
    """L9: with a key it is Anthropic's, the model that is wished for, in one call."""
    request = ask("preview", chat={"messages": messages}, options={"maxOutputTokens": 5000})["request"]

    assert (request["provider"], request["model"], request["calls"]) == ("anthropic", "claude-haiku-5-5", 1)
    assert request["maxOutputTokens"] == 5000


def test_a_setting_says_who_is_asked(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The setting `provider` counts in the preview as it does later."""
    client.configure({"provider": "anthropic"})
    chosen = ask("preview", chat={"messages": messages})["request"]
    client.configure({"provider": "offline"})

    assert chosen["provider"] == "anthropic"
    assert ask("preview", chat={"messages": messages})["request"] is None


def test_a_request_says_whose_is_foretold(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The param `provider` beats the setting, as in `summarize`; offline nobody is asked; the plan is the same."""
    client.configure({"provider": "offline"})
    client.host = FakeHost()
    names = ("anthropic", "editor", "auto", "offline")
    found = [ask("preview", chat={"messages": messages}, provider=name) for name in names]

    told = [one["request"] and one["request"]["provider"] for one in found]
    assert told == ["anthropic", "editor", "anthropic", None]
    assert len({one["planId"] for one in found}) == 1
    assert ask("preview", chat={"messages": messages})["request"] is None


def test_the_editors_model_is_named_where_it_was(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A client with models is asked where no key is known; which of them answers is not known before."""
    client.host = host = FakeHost()
    host.secrets = False
    unnamed = ask("preview", chat={"messages": messages})["request"]
    named = ask("preview", chat={"messages": messages}, options={"summaryModel": "editor:copilot/gpt-5"})["request"]

    assert (unnamed["provider"], unnamed["model"]) == ("editor", None)
    assert named["model"] == "copilot/gpt-5"


@pytest.mark.usefixtures("key")
def test_a_provider_none_of_whose_models_is_wished_for_is_not_foretold(
    ask: Ask, client: ClientState, messages: Messages
) -> None:
    """L9: with none but the editor's models, the editor is asked first, though there is a key."""
    client.host = FakeHost()
    editors = {"summaryModel": "editor:copilot/gpt-5", "fallbackModels": []}

    request = ask("preview", chat={"messages": messages}, options=editors)["request"]

    assert (request["provider"], request["model"]) == ("editor", "copilot/gpt-5")


def test_a_client_without_a_key_is_known_for_it(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A safe may hold a key until it was asked; when it had none, the editor's model is foretold."""
    client.host = FakeHost(secret={"value": None}, languageModels={"models": []})
    before = ask("preview", chat={"messages": messages})["request"]
    ask("summarize", chat={"messages": messages})
    after = ask("preview", chat={"messages": messages})["request"]

    assert (before["provider"], after["provider"]) == ("anthropic", "editor")


def test_the_estimate_is_near_what_is_sent(ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokens in are those of the request within a fifth and the prompt's own, and so are the calls."""
    for edit in messages[1::4]:
        edit["content"][1]["input"]["new_string"] *= 20  # of which a transcript shows the beginning
    long = messages * 20
    with serving() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        foretold = ask("preview", chat={"messages": long})["request"]
        sent = ask("prompt", chat={"messages": long})["tokens"]
        ask("summarize", chat={"messages": long}, provider="anthropic")

    assert abs(foretold["inputTokens"] - sent) < 0.2 * sent + 3000
    assert foretold["calls"] == len(api.requests)


def test_an_excerpt_is_what_was_typed() -> None:
    """What a tool wrote around the words is no part of it; what holds nothing else is shown as it is."""
    wrapped = {
        "<current_datetime>now</current_datetime>\n\nfix it": "fix it",
        "<context>\nNov 18\n</context>\n<userRequest>\nfix it\n</userRequest>\n": "fix it",
        "<task>\nfix it\n</task>": "fix it",
        "<system-reminder>mind</system-reminder>\nfix  it": "fix it",
        "<system-reminder>mind</system-reminder>": "<system-reminder>mind</system-reminder>",
    }
    read = NO_MASKS.messages(resolved(map(u, wrapped), "anthropic"))
    assert dict(zip(wrapped, map(excerpt, read), strict=True)) == wrapped


def test_what_the_host_wrote_is_shown_as_it_is() -> None:
    """Nobody typed it, so nothing is looked for in it; neither in a summary nor in what the assistant says."""
    text = "<task>\nfix it\n</task>"
    typed = replace(u(text), typed=("fix it",))
    for message in (replace(typed, by_host=True), replace(typed, is_summary=True), a(text)):
        assert excerpt(message) == "<task> fix it </task>"


def test_a_message_without_words_is_known_by_its_calls_and_results() -> None:
    """The first of either; and the excerpt is short."""
    assert excerpt(a(call("1", path="a.py"), call("2"))) == "look a.py"
    assert excerpt(u(res("1", "found\nit"))) == "found it"
    assert excerpt(u()) == ""
    assert len(excerpt(u("long " * 1000))) == EXCERPT
