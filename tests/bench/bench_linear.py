"""Work is linear in the text: four times the text takes about four times as long, whatever it repeats.

python tests/bench/bench_linear.py [NAME ...]

Each row of DOORS is a way into a room with the stretches that once made it slow, or might. A stretch is repeated until
it fills 50,000 and 200,000 characters; the best of three runs counts, so that a busy machine fails nothing. Readers get
files of about these lengths in which one thing happens many times (`reader_storms`): storms, long lists, long texts.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.cli.terminal import piped, shown, wrapped
from compact_chat.errors import CompactChatError
from compact_chat.measure import Counter
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.prompt import cut_portions
from compact_chat.read import Source, earlier, folder_named, heading_of, read_chat
from compact_chat.redact import Redactor, Stream
from compact_chat.styles import STYLES, RecordedTurns, Task
from compact_chat.text import TAGS, escape_labels, escape_tags, find_tags, strip_summary_wrappers
from tests.oracles.reader_checks import Files, check
from tests.samples.facts import collect
from tests.samples.reader_seeds import SEEDS, name_of
from tests.strategies.reader_storms import FILLERS, STORMS, filled, lists_of, repeated

SHORT, LONG = 50_000, 200_000  # characters
MOST = 8.0  # times as long for four times the text
SLACK = 0.1  # seconds; shorter runs cannot be timed
MOST_ITEMS = 3000  # of a list, or of what happens in a storm

KEY = f"-----BEGIN PRIVATE KEY-----\n{'A' * 20}\n-----END PRIVATE KEY-----\n"
SECRETS = (
    *(" ", "a", "=", "\n", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "token=", "token=a1", "password:"),
    *("secret: a1b2c3", "PASSWORD=abcd<>", "PASSWORD=abcd,<>", "eyJ.", "sk-ant-", "AKIA", "://a:b", "a@", "a.@a."),
    *("cookie: a=b1", "bearer ", "_key=", "İ", "\\n", "-", "hvs.", "SK", ":AA", "@tcp(", "mysql ", "pass: ", "-u a:"),
    *(
        "|token|\n|---|\n",
        "password,",
        "key: |\n ",
        "\x1b[0m",
        "%22token%22",
        "&quot;",
        "kind: Secret\ndata:\n a: b\n",
        " -p",
    ),
    *("key=", "token:", "://", "phrase: ", 'mnemonic="abc ', f"é{KEY}", "é\nPrivate-Lines: 1\nAAAA"),
    *(
        "insert into a (password) values ('",
        f"insert into a (password) values ({chr(39) * 300}",
        'auth("a", ',
        "login: a / ",
    ),
    *(
        " is the password",
        "password</td><td>",
        "password from to ",
        "a:b1c2d3e4@",
        "auth: a:",
        "password = f(",
        "<<< a1b2 ",
    ),
    *("passwordInput, { target: { value: ", 'credentials: ["a", ', "AUTH a ", "key we use is ", "password - a-b-1\n"),
    'def token_of(user: User) -> str:\n    return self.tokens.get(user.key, "")  # the password is elsewhere\n',
)
DOCUMENTS = (
    *("[", "{", '{"a":', "[[", '"', "\\", "\n", "```\n", "### User\n", "> ", "<a>", "</"),
    *('{"role":"user"}\n', "\x00", '\\"', '{"\\"', "{}", "{}\n", "[[],", "]", '[{"a":"', "\r\n", "\0\n", "x\n"),
    *("#", "*", "⎿", "⏺ ", "User:\n", "m: x\n\n", "> x\n\n", "⏺ x\n", "## User\nx\n## Assistant\ny\n"),
    *("m: x\n\nClaude: y\n\n", "> x\n\n⏺ y\n\n", "```a\n", "~~~x\n```y\n"),
)
ENDS = ('"summary":1,', '"customTitle":"', "{", '{"$set":\n', '"cwd":"', '"source": {', "\\", '",', '"\\')
SAID = (
    *(" ", "<", "\n", ":\n<task>", "</task>", "[read_file for '", "[read_file for 'x'] Result:\ny\n"),
    *("<environment_details>", "<tagged_files>", "<system_reminder>x</system_reminder>", "<scratchpad>"),
    *("</scratchpad> ", "<session_context>", "<userRequest>", "<system-reminder>x</system-reminder>"),
    *("The user\n", "User steering update:\n<user_input>", "<image ", "<bash-input>"),
)
ANSWERS = (
    *("", "User has answered your questions: ", "User has provided the following answers:", '{"answers":{"a":"'),
    "The user doesn't want to proceed, the user said:\nThe user wants to clarify these questions.",
    *("The user rejected this tool call. User feedback: ", '{"status":"denied",', "The user approved this operation"),
)
ANSWERED = (
    *(" ", "\n", '"', '"a"="b", ', '"="', '" selected preview:\n', '" notes: ', "<answer>", "</answer>", "Answer: "),
    *("**a**: b\n", "**", "user feedback", '{"answers":'),
)
AROUND = (
    *(" ", "\n", "\r", "<a>\n", "</a>", "<reminder>", "</reminder>", "<a-reminder><b-reminder>", "1→x\n", "1/2\n"),
    *("\x1b[", "\n \n", "<system-reminder>x</system-reminder>", "class ", "const a = (", "export ", "- x\n", "go"),
    *("<<<<<<< SEARCH\n", "*** Begin Patch\n-a\n", "## Compact Instructions\nx\n"),
)
HANDED = (
    *("cat > a <<E\n", "cat >a<<E1\nb\n", "<<a b\n", '--body "', "diff --git a/x b/x\n", "@@ -1 +1 @@ a\n"),
    *("(1/2) a]? ", "1. x\n", "- **a**: b\n", "| a | b |\n", "```\n", "# a\n", "a_b.c/d ", "x = 1\n", "> a\n"),
    *("must not ", "password: a ", "never a1.py\n", "Error: a\n", "because ", "/a/b.py ", "12345678 "),
    *("a.py:1:b\n", "a-1-", "1→def a\n"),
)
SPOKEN = ("x", "The summary. ")
MARKUP = ("<", "<summary ", "</summary", "<\u200b", " ", "\n", "<a>", "[user]:\n", "<context-summary> ", "\u200b")
REPLIES = (
    " ",
    "\t",
    "\n",
    " \n",
    "`",
    "```\n",
    "# ",
    "## a\n",
    "1. ",
    "*",
    "<a>",
    "</goal>",
    "</goal> ",
    "- a\n",
    "a ",
)
PRINTED = (*"\x1b\u202e\u200d\n ש", "é\u200d", "\ufe0f", "\U0001f3f4\U000e0067", "  ש\n", "a ש ")
TEXTS = (" ", "a", "\n", "=", "a ", "😀", "\u0301", "中", "1", "\t\n")


def stream(text: str) -> None:
    """Mask a text that arrives in pieces."""
    masking = Stream(Redactor(), lambda _: None)
    for at in range(0, len(text), 12):
        masking.add(text[at : at + 12])
    masking.end()


def read(text: str) -> None:
    """Read a file of any format, or refuse it."""
    try:
        read_chat(Source.of_bytes(text.encode()))
    except CompactChatError:
        return


def read_message(text: str) -> None:
    """Read what a person said, without the wrappers of any tool."""
    read_chat(Source.of_document({"messages": [{"role": "user", "content": text}]}))


def read_answers(text: str) -> None:
    """Read the results of calls that ask a person something."""
    given = {"questions": [{"question": "a"}]}
    calls = [{"type": "tool_use", "id": str(n), "name": "ask_user", "input": given} for n in range(len(ANSWERS))]
    results = [
        {"type": "tool_result", "tool_use_id": str(n), "content": frame + text[: len(text) // len(ANSWERS)]}
        for n, frame in enumerate(ANSWERS)
    ]
    turns = [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    read_chat(Source.of_document({"messages": turns}))


def read_replaced(text: str) -> None:
    """Read what many compactions replaced, of tools that keep or repeat what the user said."""
    words = [text[at : at + 100] for at in range(0, len(text), 100)]
    codex: list[dict[str, object]] = [{"type": "session_meta", "payload": {"id": "s"}}]
    copilot: list[dict[str, object]] = [{"type": "session.start", "id": "s", "data": {"selectedModel": "gpt"}}]
    claude: list[dict[str, object]] = []
    for n, said in enumerate(words):
        content = [{"type": "input_text", "text": said}]
        codex.append({"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}})
        copilot.append({"type": "user.message", "id": "u", "data": {"content": said}})
        parent = f"u{n - 1}" if n % 10 else f"b{n}"
        message = {"role": "user", "content": said}
        if n % 10 == 0:
            codex.append({"type": "compacted", "payload": {"message": "so far"}})
            done = {"success": True, "summaryContent": "so far"}
            copilot.append({"type": "session.compaction_complete", "id": f"c{n}", "data": done})
            claude.append({"type": "system", "subtype": "compact_boundary", "uuid": parent, "parentUuid": None})
        claude.append({"type": "user", "sessionId": "s", "uuid": f"u{n}", "parentUuid": parent, "message": message})
    for records in (codex, copilot, claude):
        source = Source.of_text("".join(json.dumps(record) + "\n" for record in records))
        earlier(source, read_chat(source))


def keep_turns(text: str) -> None:
    """Put many kept turns into the record of a hand-over."""
    turns = [(number, "> a") for number in range(len(text) // 20)]
    RecordedTurns(f"## Record\n{text}").with_kept(turns, first=False)


def collect_state(text: str) -> None:
    """Collect facts of many commands: one that goes on and is polled, and commits and changes in many folders."""
    ran = [("run", "running in background with ID: p1")]
    for n in range(len(text) // 100):
        status = f"[main {n:07x}] change {n}\nYour branch is up to date with 'origin/main'.\n"
        ran.append((f"git commit -m 'change {n}' && git status", status))
        ran.append((f"cd /w/{n} && git status --short", f" M shared.py\n M own{n}.py"))
    calls: list[dict[str, object]] = []
    for n, (command, output) in enumerate(ran):
        calls.append({"id": f"c{n}", "name": "bash", "input": {"command": command}, "output": output})
        calls.append({"id": f"p{n}", "name": "bash_output", "input": {"bash_id": "p1"}, "output": text[:1000]})
    turns: list[dict[str, object]] = []
    for call in calls:
        use = {"type": "tool_use", **{key: call[key] for key in ("id", "name", "input")}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": call["output"]}
        turns += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    collect(read_chat(Source.of_document({"messages": turns})).messages)


def shown_to_model(text: str) -> None:
    """Write the transcript of a prompt: what a host wrote around words and into a result, and an edit."""
    edit = {"type": "tool_use", "id": "e", "name": "edit", "input": {"path": "a", "old_string": text, "diff": text}}
    answer = {"type": "tool_result", "tool_use_id": "e", "content": text}
    parts = [{"type": "text", "text": text[at : at + 100]} for at in range(0, len(text), 100)]
    typed = [{"type": "text", "text": f"<context>{text}</context><userRequest>go</userRequest>"}, *parts]
    turns = [("user", typed), ("assistant", [edit]), ("user", [answer, {"type": "text", "text": text}])]
    chat = read_chat(Source.of_document({"messages": [{"role": role, "content": content} for role, content in turns]}))
    cut_portions(Task(Redactor(enabled=False).messages(chat.messages), "detailed", "all"), 10_000_000)


def hand_over(text: str) -> None:
    """Write a hand-over of a chat that holds a text everywhere: said, thought, given to calls and returned."""
    calls: list[dict[str, object]] = [
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": f"git commit {text}"}},
        {"type": "tool_use", "id": "b", "name": "edit", "input": {"path": "a", "old_string": "x", "new_string": text}},
        {"type": "tool_use", "id": "c", "name": "task", "input": {"prompt": text}},
        {"type": "tool_use", "id": "d", "name": "read", "input": {"path": "a.md"}},
        {"type": "tool_use", "id": "e", "name": "read", "input": {"path": "a.py"}},
        {"type": "tool_use", "id": "f", "name": "grep", "input": {"pattern": text}},
    ]
    results: list[dict[str, object]] = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": text} for call in calls
    ]
    said: list[dict[str, object]] = [{"type": "text", "text": text}]
    turns: list[tuple[str, list[dict[str, object]]]] = [("user", said), ("assistant", calls), ("user", results)]
    turns += [("assistant", said), ("user", [{"type": "text", "text": "go on"}]), ("assistant", said)]
    thought: list[dict[str, object]] = [{"type": "thinking", "thinking": text, "signature": ""}]
    looks = [call | {"id": f"{call['id']}2"} for call in calls[-2:]]
    found = [result | {"tool_use_id": f"{result['tool_use_id']}2"} for result in results[-2:]]
    turns += [("user", said), ("assistant", [*thought, *looks]), ("user", found)]  # a turn without an answer
    messages = [{"role": role, "content": content} for role, content in turns]
    options = {"style": "handoff", "minKeep": 0, "summaryBudget": 2000}
    given = {"chat": {"messages": messages}, "provider": "offline", "options": options}
    client = ClientState()
    client.configure({"archive": "off"})
    run_alone("summarize", given, Job(client))


def listed(text: str) -> None:
    """Read both ends of a file, as a listing does."""
    data = f'{{"sessionId": "s", "projectHash": "h", "messages": [1, 2], {text}'.encode()
    heading_of(data, data, "gemini")
    folder_named(data)


def mend_replies(text: str) -> None:
    """Read replies of a model in another form than was asked for, each with a long stretch in one place."""
    body = "\n".join(f"## {title}\nIt cools. {title}.\n" for title in ("Goal", "Next", "Files", "Decisions"))
    elements = "".join(f"<{name}>It cools. </{name}>\n" for name in ("goal", "plan", "files"))
    for reply in (
        f"```{text}x\n{body}\n```{text}x\n",
        f"{text}\n{body}\n### a{text}b\n{text}",
        f"{elements}<state>{text}x\n{text}</state>{text}x\n",
        f"Analysis:\n{text}x\nSummary:{text}x\n1. **Goal**{text}x\n{body}",
    ):
        with suppress(CompactChatError):
            STYLES["handoff"].mend(reply)


def mark(text: str) -> None:
    """Find and escape tags and labels, and strip wrappers."""
    list(find_tags(text, TAGS))
    escape_tags(text)
    escape_labels(text, re.compile(r"\[user\]:"))
    strip_summary_wrappers(f"{text}{text.replace('<', '</')}")


TEXT_DOORS: dict[str, tuple[Callable[[str], object], Iterable[str]]] = {
    "mask": (Redactor(emails=True), SECRETS),
    "mask a stream": (stream, ("plain words ", "token=", "a", "-----BEGIN", "password is ")),
    "count": (lambda text: Counter().count(text), TEXTS),
    "read": (read, DOCUMENTS),
    "read a message": (read_message, SAID),
    "read answers": (read_answers, ANSWERED),
    "read replaced": (read_replaced, SPOKEN),
    "keep turns": (keep_turns, ("### Turn 9\n> a\n",)),
    "collect state": (collect_state, SPOKEN),
    "show to a model": (shown_to_model, AROUND),
    "hand over": (hand_over, HANDED),
    "list": (listed, ENDS),
    "mend": (mend_replies, REPLIES),
    "mark": (mark, MARKUP),
    "print": (lambda text: shown(text) + piped(text), PRINTED),
    "show": (lambda text: list(wrapped(text, 100)), TEXTS),
}


Builds = Mapping[str, Callable[[int], Any]]  # what a door gets, of a length, by a name


def texts(units: Iterable[str]) -> Builds:
    """Repeat each stretch."""
    return {unit: lambda size, unit=unit: unit * (size // len(unit)) for unit in units}  # type: ignore[misc]  # a lambda with a default


def files() -> Builds:
    """Build files of every format in which one thing happens many times."""

    def listed(seed: Any, number: int, length: int, own_ids: bool, size: int) -> tuple[Files, str]:
        return repeated(seed, number, max(1, min(MOST_ITEMS * size // LONG, size // length)), own_ids), ""

    def stormed(build: Callable[[int], Files], size: int) -> tuple[Files, str]:
        return build(MOST_ITEMS * size // LONG), ""

    def stuffed(seed: Any, filler: str, size: int) -> tuple[Files, str]:
        return filled(seed, filler, size), name_of(seed.format)

    found: dict[str, Callable[[int], Any]] = {name: partial(stormed, build) for name, build in STORMS.items()}
    for seed in SEEDS:
        for number, (place, length) in enumerate(lists_of(seed)):
            for own_ids in (True, False)[: 2 if number == 0 else 1]:
                found[f"{seed.format} {place} {own_ids}"] = partial(listed, seed, number, length, own_ids)
        found |= {f"{seed.format} {filler!r}": partial(stuffed, seed, filler) for filler in FILLERS}
    return found


DOORS: dict[str, tuple[Callable[[Any], object], Builds]] = {
    **{name: (work, texts(units)) for name, (work, units) in TEXT_DOORS.items()},
    "read files": (lambda one: check(*one), files()),
}


def seconds(work: Callable[[Any], object], given: object) -> float:
    """Return the best of three times, without garbage collection, whose time grows with other objects."""
    best = float("inf")
    for _ in range(3):
        gc.disable()
        begin = time.process_time()
        work(given)
        best = min(best, time.process_time() - begin)
        gc.enable()
    return best


def main(*names: str) -> int:
    """Time each door with each stretch; return 1 if one is not linear."""
    broken = 0
    for name in names or DOORS:
        work, builds = DOORS[name]
        worst, its = 0.0, ""
        for what, build in builds.items():
            short, long = (seconds(work, build(size)) for size in (SHORT, LONG))
            worst, its = max((worst, its), (long / max(short, SLACK / MOST), what))
        broken += worst > MOST
        print(f"{name:16} at most {worst:4.1f} times as long for four times the text ({its[:40]!r})")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
