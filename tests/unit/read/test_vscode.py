"""Sessions of VS Code: what of their requests is live, what tools gave back, and what is known beside the messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat, Image, Message, Text, ToolCall, ToolResult, result_text
from compact_chat.read import Source, read_chat
from compact_chat.read.vscode import picture_of, replay, result_parts


def session_chat(state: dict[str, Any]) -> Chat:
    """Read the chat of a session with this state."""
    session = {"sessionId": "s", "responderUsername": "GitHub Copilot", "requests": [], **state}
    return read_chat(Source.of_text(json.dumps(session)))


def replayed(log: str) -> tuple[Any, int | None]:
    """Return the state that a log leads to, and the line at which it stops."""
    return replay(Source.of_text(log))


def request(name: str | None, *rounds: str, **more: Any) -> dict[str, Any]:
    """A request that ended, with a round for each letter; the first of several has a call that was answered."""
    call = {"id": "c", "name": "look", "arguments": '{"at": 1}'}
    known = {
        "renderedUserMessage": [{"type": 1, "text": f"asked {name}"}],
        "toolCallRounds": [
            {"id": one, "response": f"said {one}", "toolCalls": [call] * (one == "a" and len(rounds) > 1)}
            for one in rounds
        ],
        "toolCallResults": {"c": {"$mid": 20, "content": [{"$mid": 21, "value": "got"}]}},
        **more.pop("metadata", {}),
    }
    return {"requestId": name, "modelId": "copilot/claude-x", "result": {"metadata": known}, **more}


def chat_of(*requests: Any, **state: Any) -> Chat:
    """The chat of a session."""
    return session_chat({"requests": list(requests), **state})


def test_ids_stay_while_requests_are_added() -> None:
    """What was there before keeps its ids, and no two messages have one, though rounds may."""
    requests = [request("1", "a", "b"), request("2", "b"), request(None, "")]
    ids = [[message.id for message in chat_of(*requests[:number]).messages] for number in (1, 2, 3)]
    assert ids[0] == ["1", "a", "a:0", "b"]
    assert ids[1][:4] == ids[2][:4] == ids[0]
    assert ids[2][:6] == ids[1]
    assert len(set(ids[2])) == len(ids[2]) == 8


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/me/my%20bread", "/home/me/my bread"),
        ("file:///c%3A/bread", "c:/bread"),
        ("file:///home/me/a,file:///home/me/b", "/home/me/a"),
        ("vscode-remote://wsl/home/me", None),
        ("", None),
    ],
)
def test_the_workspace_is_the_first_folder(uri: str, folder: str | None) -> None:
    """Copilot Chat writes down the folders for which the global context was made."""
    assert chat_of(request("1", metadata={"cacheKey": uri})).workspace == folder
    assert chat_of(request("1"), workingDirectory=uri.partition(",")[0]).workspace == folder


# What tools give back.


def text(words: str, breaks: bool = False) -> dict[str, Any]:
    """A text of a tree."""
    return {"type": 2, "text": words, "lineBreakBefore": breaks}


def element(*children: dict[str, Any]) -> dict[str, Any]:
    """An element of a tree."""
    return {"type": 1, "ctor": 2, "children": list(children), "props": {}}


def tree(*children: dict[str, Any]) -> dict[str, Any]:
    """A part of a result that is a tree."""
    return {"$mid": 23, "value": {"node": element(*children)}}


def plain(words: str, **more: Any) -> dict[str, Any]:
    """A part of a result that is a text."""
    return {"$mid": 21, "value": words, **more}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([plain("a"), plain("b")], "ab"),
        ([tree(element(text("a", True)), element(text("b", True)))], "a\nb"),
        ([tree(text("a\n", True), text("b", True))], "a\nb"),
        ([tree(element(text("a")), element(text("b")))], "a\nb"),
        ([tree(text("a"), element(text("b")), text("c"))], "abc"),
        ([plain("a"), tree(text("b", True))], "a\nb"),
        ([tree(element(element(element(text("deep")))))], "deep"),
        ([plain("mine", audience=[1]), plain("ours", audience=[0, 1]), plain(" all", audience=[])], "ours all"),
        ([], "(empty)"),
        ([None, 1, []], "(empty)"),
        ([plain(" \n")], "(empty)"),
        ([{"$mid": 24, "data": "x"}], "(empty)"),
    ],
)
def test_trees_are_flattened_as_the_host_does(content: list[Any], words: str) -> None:
    """A text that asks for it begins a line, as does the first of an element that follows no text; audiences count."""
    assert result_parts(content) == (Text(words),)


def test_pictures_part_the_texts() -> None:
    """A picture is a part of its own, from a tree or beside it."""
    shot = {"$mid": 24, "mimeType": "image/png", "data": "QUJD"}
    drawn = {"type": 1, "ctor": 3, "props": {"src": "data:image/gif;base64,R0lG"}, "children": []}
    assert result_parts([plain("a"), shot, tree(text("b"), drawn)]) == (
        Text("a"),
        Image("image/png", data="QUJD"),
        Text("b"),
        Image("image/gif", data="R0lG"),
    )


@pytest.mark.parametrize(
    ("place", "picture"),
    [
        ("https://pictures.example/a.png", Image(url="https://pictures.example/a.png")),
        ("data:image/png;base64,QUJD", Image("image/png", data="QUJD")),
        ("QUJD", Image(data="QUJD")),
    ],
)
def test_a_picture_is_an_address_or_data(place: str, picture: Image) -> None:
    """Data is found in an address, or alone."""
    assert picture_of(place) == picture


# The operation log of VS Code.


STATE = {"title": "a", "parts": ["a", "b", "c"], "in": {"deep": [{"x": 1}]}}
FIRST = {"kind": 0, "v": STATE}


CHANGES = [
    line.partition(" gives ") for line in Path(__file__).with_name("changes.txt").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("entry", "changed"), [(entry, changed) for entry, gives, changed in CHANGES if gives])
def test_a_change_sets_appends_or_takes_away(entry: str, changed: str) -> None:
    """Kind 1 sets what is at a path, 2 cuts a list there to `i` and appends, 3 deletes; items keep their places."""
    assert replayed(f"{json.dumps(FIRST)}\n{entry}\n") == ({**STATE, **json.loads(changed)}, None)


@pytest.mark.parametrize("bad", [line.removesuffix(" stops") for line, gives, _ in CHANGES if not gives])
def test_a_bad_line_stops_the_replay(bad: str) -> None:
    """What was replayed before it stays; neither it nor what is behind it counts."""
    before, behind = (json.dumps({"kind": 1, "k": ["title"], "v": title}) for title in ("before", "behind"))
    assert replayed("\n".join([json.dumps(FIRST), before, bad, behind])) == ({**STATE, "title": "before"}, 3)


def test_what_is_no_change_stops_the_replay() -> None:
    """A number behind a change on its line is none."""
    assert replayed(f"{json.dumps(FIRST)}\n" + '{"kind":1,"k":["title"],"v":"x"}5\n')[1] == 2


def test_lines_may_be_blank_glued_or_end_in_crlf() -> None:
    """What an editor or a hasty write does to line ends costs nothing, and a rewritten log sets the state again."""
    first, second = json.dumps(FIRST), json.dumps({"kind": 0, "v": {"title": "b"}})
    for text in (f"{first}\r\n\r\n{second}\r\n", f"\n{first}{second}\n", f"{first}\n \n{second}"):
        assert replayed(text) == ({"title": "b"}, None)


@pytest.mark.parametrize("text", ["", "\n", '{"kind":1,"k":["a"],"v":1}\n', '{"kind":0,"v":{"cu', "[]", "\0\0"])
def test_without_a_state_there_is_nothing(text: str) -> None:
    """Changes of nothing give nothing."""
    assert replayed(text)[0] is None


# What was rebuilt from sessions of a real workbench is what its model really got, message for message.


SESSIONS = (
    "workbench-agent-long.jsonl",
    "workbench-agent-auto-compaction.jsonl",
    "workbench-agent-file-context.jsonl",
)
# Of these the file does not hold the notes around what was typed: a request that failed, and one under way.
KNOWN_BY_WORDS = ("FAIL: please", "fill 5 SAY:2500 [#23]")
ROLES = {1: "user", 2: "assistant", 3: "system"}

Said = tuple[str, list[Any]]  # a role, and what was said in it


@pytest.fixture(scope="module")
def recorded(shared_chats: Path) -> list[list[Said]]:
    """All prompts in their order, without the system's message, which no file holds."""
    lines = (shared_chats / "vscode" / "workbench-agent-requests.jsonl").read_text().splitlines()
    return [
        [said_in_record(message) for message in json.loads(line)["messages"] if message["role"] != 3] for line in lines
    ]


def said_in_record(message: dict[str, Any]) -> Said:
    """A message as the model got it."""
    parts: list[Any] = []
    for part in message["content"]:
        if "name" in part:
            parts.append(("call", part["callId"], part["name"], part["input"]))
        elif "callId" in part:
            parts.append(("result", part["callId"], "".join(one["value"] for one in part["content"])))
        else:
            parts.append(("text", part["value"]))
    return ROLES[message["role"]], parts


def said(message: Message) -> Said:
    """A message of ours in the same form."""
    parts: list[Any] = []
    for part in message.parts:
        match part:
            case Text(text):
                parts.append(("text", text))
            case ToolCall(name, tool, given):
                parts.append(("call", name, tool, given))
            case ToolResult(name):
                parts.append(("result", name, result_text(part)))
    return message.role, parts


def moments(state: dict[str, Any]) -> Iterator[list[Said]]:
    """What we rebuild for each call that a session made: the file as it was, had it been written at once."""
    for place, request in enumerate(state["requests"]):
        metadata = request.get("result", {}).get("metadata", {})
        rounds = metadata.get("toolCallRounds") or []
        for number in range(max(1, len(rounds))) if "summary" not in metadata else ():
            then = {**state, "requests": deepcopy(state["requests"][: place + 1])}
            last = then["requests"][-1]
            last["response"] = []
            last.setdefault("result", {}).setdefault("metadata", {})["toolCallRounds"] = rounds[:number]
            yield [said(message) for message in session_chat(then).messages]


def without_notes(prompt: list[Said]) -> list[Said]:
    """The prompt without the notes before a message of which the file holds only the words."""
    return [(role, [shortened(part) for part in parts]) for role, parts in prompt]


def shortened(part: Any) -> Any:
    """A text without what Copilot Chat set before the frame of the user's words, if the file lacks that."""
    frame = "<userRequest>\n"
    typed = part[1].partition(frame)[2] if part[0] == "text" else ""
    return ("text", frame + typed) if typed.startswith(KNOWN_BY_WORDS) else part


@pytest.mark.parametrize("name", SESSIONS)
def test_each_prompt_is_rebuilt(shared_chats: Path, recorded: list[list[Said]], name: str) -> None:
    """For the moment of every call, the conversation of the file equals the prompt that was recorded."""
    state, stopped = replayed((shared_chats / "vscode" / name).read_text())
    assert state
    assert stopped is None
    prompts = [without_notes(prompt) for prompt in recorded]
    rebuilt = list(moments(state))
    assert [prompt for prompt in rebuilt if prompt not in prompts] == []
    assert len(rebuilt) == {"workbench-agent-long.jsonl": 21, "workbench-agent-auto-compaction.jsonl": 6}.get(name, 1)


def test_every_recorded_prompt_is_accounted_for(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """What we do not rebuild are the host's own questions: for titles, summaries, and what a subagent was told."""
    states = [replayed((shared_chats / "vscode" / name).read_text())[0] or {} for name in SESSIONS]
    rebuilt = [prompt for state in states for prompt in moments(state)]
    others = [place for place, prompt in enumerate(recorded) if without_notes(prompt) not in rebuilt]
    assert others == [0, 1, 2, 18, 24, 26, 27, 28, 29, 31, 35]


def test_the_compaction_was_asked_of_what_we_hold(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """The prompt for a summary is the conversation of that moment, without the global context, and the order."""
    state = replayed((shared_chats / "vscode" / "workbench-agent-long.jsonl").read_text())[0] or {}
    before = session_chat({**state, "requests": state["requests"][:13]}).messages
    assert [said(message) for message in before[1:]] == without_notes(recorded[24][:-1])


def test_a_participant_is_told_what_was_typed(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """What another participant sends is its own affair; the words are ours without its name."""
    state = replayed((shared_chats / "vscode" / "workbench-participant.jsonl").read_text())[0] or {}
    asked = [said(message) for message in session_chat(state).messages if message.role == "user"]
    assert [[one] for one in asked] == [recorded[26], recorded[28]]
