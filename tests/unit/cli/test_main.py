"""The shell returns what the wire returns, and its exit codes say how it went."""

from __future__ import annotations

import argparse
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from compact_chat import __version__
from compact_chat.cli import FAILED, WRONG_USAGE, main
from compact_chat.cli.command import add_flags, given_flags
from compact_chat.operations import ClientState, Job
from compact_chat.operations.table import typed
from compact_chat.wire import ContinuationOptions, Options, Session
from tests.samples.alone import perform_alone
from tests.samples.session_files import WRITERS, claude_records, lines, put


class Stdin:
    """Standard input that holds bytes."""

    def __init__(self, data: bytes, *, is_terminal: bool = False) -> None:
        self.buffer, self._is_terminal = io.BytesIO(data), is_terminal

    def isatty(self) -> bool:
        """Whether a person types it."""
        return self._is_terminal


def test_json_is_the_result_of_the_wire(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints exactly what the operation answers."""
    wire = perform_alone("countTokens", {"chat": {"uri": bakery.as_uri()}, "perMessage": True}, Job(ClientState()))

    assert main(["count", str(bakery), "--per-message", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(wire))


def test_a_chat_comes_as_path_uri_or_standard_input(
    bakery: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three name the same chat."""
    monkeypatch.setattr(sys, "stdin", Stdin(bakery.read_bytes()))

    codes = [main(["count", chat, "--json"]) for chat in (str(bakery), bakery.as_uri(), "-")]

    assert codes == [0, 0, 0]
    assert len(set(capsys.readouterr().out.splitlines())) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["count", "absent.jsonl"], 1, "no such file"),
        (["count", "CHAT", "--window", "-1"], 2, "--window"),
        (["count", "CHAT", "--biggest", "0"], 2, "--biggest"),
        (["preview", "CHAT", "--options", '{"minkeep": 5}'], 2, "minKeep"),
        (["preview", "CHAT", "--options", "[1]"], 2, "--options"),
        (["preview", "CHAT", "--pin", "unknown"], 1, "--pin is not the id"),
        (["format"], 2, "compact-chat format TEXT"),
        (["7"], 2, "CHAT: there is no chat 7"),
        (["0"], 2, "CHAT: there is no chat 0; the list has 1"),
        (["./absent.jsonl"], 1, "no such file"),
        (["absent.jsonl", "--length", "brief"], 1, "no such file"),
        (["FOLDER"], 2, "is a folder"),
        (["count", "FOLDER"], 2, "is a folder"),
        (["draft", "CHAT", "--draft-id", "0123abcd"], 2, "draft CHAT"),
        (["preview", "CHAT", "--length", "500", "--summary-budget", "9000"], 2, "--length or --summary-budget"),
        (["compact", "CHAT", "--length", "full", "--summary-budget", "9000"], 2, "--length or --summary-budget"),
        (["compact", "CHAT", "--length", "full", "--options", '{"summaryBudget": 900}'], 2, "not both"),
        (["format", "CHAT"], 2, "compact-chat compact"),
        (["continuation", "CHAT"], 2, "compact-chat compact"),
        (["summarize", "CHAT", "--reply", "CHAT"], 2, "this is a chat"),
        (["install", "vscode"], 2, "code --install-extension"),
        (["draft", "CHAT", "--version", "99"], 2, "--version: only a draft has versions"),
        (["check", "CHAT"], 1, "--summary FILE"),
        (["export", "0123abcd"], 2, "--as FORMAT is needed, one of markdown, "),
        (["count", "/nowhere/a b"], 1, "/nowhere/a b"),
        (["open", "BINARY", "--no-browser"], 1, "not a chat"),
    ],
)
def test_exit_codes_tell_how_it_went(
    arguments: list[str],
    code: int,
    said: str,
    bakery: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1 is a failure, 2 wrong usage; one sentence on standard error, no traceback."""
    (binary := tmp_path / "binary").write_bytes(b"\x7fELF\0\1\2")
    chats = (Session(bakery.as_uri(), "claude-code", "claude-code", None, "2026-01-01T00:00:00Z", 1),)
    monkeypatch.setattr("compact_chat.cli.command._newest", lambda *_: (chats, False))
    places = {"CHAT": str(bakery), "BINARY": str(binary), "FOLDER": str(tmp_path)}
    assert main([places.get(word, word) for word in arguments]) == code

    reported = capsys.readouterr().err
    assert said in reported
    assert reported.count("\n") <= 1
    assert "Traceback" not in reported


def test_a_dash_alone_compacts_standard_input(
    bakery: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a path alone does."""
    monkeypatch.setattr(sys, "stdin", Stdin(bakery.read_bytes()))

    assert main(["-", "--only", "summary", "--provider", "offline"]) == 0
    assert "discount" in capsys.readouterr().out


def test_what_keeps_too_many_messages_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the flag that a person can give."""
    texts = ["Hi.", "Hi.", *["The line of a log. " * 99] * 4]
    said = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    (chat := tmp_path / "chat.json").write_text(json.dumps(said), "utf-8")

    assert main([str(chat), "--provider", "offline"]) == 1
    assert "set --min-keep below 4." in capsys.readouterr().err
    for flags in (["--length", "10"], ["--length", "10", "--min-keep", "0"]):
        assert main([str(chat), "--provider", "offline", *flags]) == 1
        reported = capsys.readouterr().err
        assert "10 tokens" in reported
        assert "longer" in reported
        assert "--min-keep" not in reported


def test_nothing_is_advised_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A chat too small for a summary, with no message kept word for word, has no flag that helps."""
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Ho."}]
    (chat := tmp_path / "chat.json").write_text(json.dumps(said), "utf-8")

    assert main([str(chat), "--provider", "offline", "--min-keep", "0"]) == 1
    reported = capsys.readouterr().err
    assert "too small to compact" in reported
    assert "--min-keep" not in reported


@pytest.mark.parametrize("flags", [[], ["--min-keep", "2"], ["--length", "10"]])
def test_a_small_chat_is_refused_alike(flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is asked for, there is one sentence, and no flag that would not help either."""
    said = [{"role": ("user", "assistant")[place % 2], "content": f"Line {place} of six."} for place in range(6)]
    (chat := tmp_path / "chat.json").write_text(json.dumps(said), "utf-8")

    assert main(["compact", str(chat), "--provider", "offline", *flags]) == 1
    shown = capsys.readouterr()
    assert "too small to compact" in shown.err
    assert (shown.out, "--" in shown.err) == ("", False)


def test_without_a_chat_it_is_the_newest_of_this_folder(
    bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command that reads a chat takes it, and says which it is."""
    put(tmp_path / "bread.jsonl", bakery.read_text("utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    for command in ("compact", "count", "preview", "summarize", "draft", "prompt", "transcript", "watch"):
        assert main([command]) == 0
        assert f"the newest chat is {tmp_path / 'bread.jsonl'}\n" in capsys.readouterr().err
    assert main(["check"]) == 1  # that no tool has compacted
    assert "bread.jsonl" in capsys.readouterr().err


def test_a_listed_number_is_taken_where_no_chat_is_of_this_folder(
    bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script may name a chat of the list, the first too; unnamed, it gets none of another folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", Stdin(b""))
    put(tmp_path / ".claude/projects/bread/bread.jsonl", bakery.read_text("utf-8"))
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)

    assert main(["count", "1"]) == 0
    assert capsys.readouterr().out
    assert main(["count"]) == 1
    assert "none was found for this folder" in capsys.readouterr().err


def test_a_folders_list_is_the_same_in_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chats whose files are in it are among those of `sessions --workspace` too."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    put(tmp_path / "bread.jsonl", lines(*claude_records("Bake bread.", "/elsewhere")))
    monkeypatch.chdir(tmp_path)

    assert main(["sessions", "--workspace", "."]) == 0
    assert str(tmp_path / "bread.jsonl") in capsys.readouterr().out


def test_the_doctor_names_folders_and_no_text(
    bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where chats are, how many, and what is kept of compactions."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    projects = tmp_path / ".claude/projects"
    chat = put(projects / "bread/bread.jsonl", bakery.read_text("utf-8"))
    assert main(["compact", str(chat), "--provider", "offline"]) == 0
    capsys.readouterr()

    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert re.search(rf"^ +1  Claude Code: {re.escape(str(projects))}$", shown, re.MULTILINE)
    assert re.search(rf"^compactions: 1\n +\d+ kB  {re.escape(str(tmp_path))}", shown, re.MULTILINE)
    assert __version__ in shown
    assert "discount" not in shown


@pytest.mark.parametrize("word", ["--version", "-V", "version"])
def test_the_version_has_the_usual_names(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As a flag, in short, and as a command."""
    with pytest.raises(SystemExit) as left:
        main([word])
    assert (left.value.code, capsys.readouterr().out) == (0, f"compact-chat {__version__}\n")


NEAREST = [
    (["compct", "chat"], "compact-chat compact"),
    (["count", "chat", "--bigest", "3"], "--biggest"),
    (["export"], "export ID"),
    (["--hepl"], "--help"),
    (["install", "claude"], "install claude-code"),
    (["compact", "chat", "--style", "detaled"], "--style detailed"),
    (["list"], "compact-chat sessions`"),
    (["sessions", "--tools", "clade"], "--tools claude-code"),
    (["count", "chat", "--window", "10x"], "--window: expected a whole number, not 10x"),
    (["compact", "chat", "--style", "it's"], "`compact --style it's` is not known"),
]


@pytest.mark.parametrize(("arguments", "nearest"), NEAREST, ids=[one[0][-1] for one in NEAREST])
def test_wrong_usage_names_the_nearest_right_one(
    arguments: list[str], nearest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, with the command or flag that was probably meant."""
    with pytest.raises(SystemExit) as left:
        main(arguments)

    said = capsys.readouterr().err
    assert (left.value.code, said.count("\n")) == (WRONG_USAGE, 1)
    assert nearest in said


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    """`help` is the help of the program, which fits eighty columns, and `help draft` that of a command."""
    pages = []
    for arguments in (["help"], ["--help"], ["help", "draft"], ["draft", "--help"]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 0
        pages.append(capsys.readouterr().out)

    assert pages[0] == pages[1] != pages[2] == pages[3]
    assert max(map(len, pages[0].splitlines())) <= 80


def test_the_chats_of_a_folder_have_numbers(
    bakery: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a command they are listed, the newest first; a number stands for its chat, and none for the first."""
    chat = Session(bakery.as_uri(), "claude-code", "claude-code", "Baking", "2026-01-01T00:00:00Z", 1)
    gone = Session("file:///gone.jsonl", "codex", "codex", None, "2026-01-01T00:00:00Z", 1)
    monkeypatch.setattr("compact_chat.cli.command._newest", lambda *_: ((gone, chat), False))

    assert main([]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert (first[:2], second[:2]) == (" 1", " 2")
    assert re.search(r"Claude Code +█+░+ +\d+% +Baking", second)
    assert main(["2", "--json"]) == main(["compact", "2", "--json"]) == 0
    one, other = (json.loads(line)["preview"]["planId"] for line in capsys.readouterr().out.splitlines())
    assert one == other
    assert main(["compact"]) == main(["check"]) == main(["history", "3"]) - 1 == 1  # the file of the first is gone
    assert main(["history", "2", "--json"]) == 0
    capsys.readouterr()
    assert main([str(bakery), "--json"]) == 0  # a path alone
    assert json.loads(capsys.readouterr().out)["preview"]["planId"] == one


def test_a_folder_stands_for_the_chat_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the folder of a Cline task, whose chat has several files; one with several chats names none."""
    task = WRITERS["cline"](tmp_path, 1, "Count the trays.", "/demo").parent
    codes = [main(["count", str(place), "--json"]) for place in (task, task / "api_conversation_history.json")]
    one, other = capsys.readouterr().out.splitlines()
    assert (codes, one) == ([0, 0], other)

    for number in (1, 2):
        put(tmp_path / "several" / f"{number}.jsonl", lines(*claude_records(f"Bake {number}.", "/demo", number)))
    assert main(["count", str(tmp_path / "several")]) == WRONG_USAGE
    assert "is a folder with several chats" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
@pytest.mark.parametrize("arguments", [[], ["count", "."], ["watch"]], ids=" ".join)
def test_a_folder_that_was_removed_is_named(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell may still be in it."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    assert main(arguments) == FAILED
    assert "folder was removed" in capsys.readouterr().err


def test_chats_that_lie_in_this_folder_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they were held, but not those in folders below."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    here = tmp_path / "here"
    put(here / "package.json", '{"name": "bread"}')
    put(here / "bread.jsonl", lines(*claude_records("Bake bread.", "/elsewhere")))
    put(here / "below/cake.jsonl", lines(*claude_records("Bake a cake.", "/elsewhere")))
    monkeypatch.chdir(here)

    assert main([]) == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert "Bake bread." in row
    assert main(["watch"]) == 0  # a pipe gets one line
    assert "%" in capsys.readouterr().out


def test_a_draft_is_changed_from_a_shell(bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that a screen does: another length, facts added back, own words, and an older version."""

    def ask(*arguments: str) -> Any:
        assert main(["draft", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    first = ask(str(bakery), "--summary-budget", "1500")
    lost = [fact["id"] for one in first["compaction"]["survival"]["classes"] for fact in one["lost"]]
    added = ask(first["draftId"], "--add-back", lost[0])
    (tmp_path / "mine.md").write_text(f"{added['compaction']['continuation']}\nMine.", "utf-8")
    own = ask("--draft-id", first["draftId"], "--version", "2", "--text", str(tmp_path / "mine.md"))
    back = ask(first["draftId"][:12], "--version", "1")
    assert main(["draft", first["draftId"], "--only", "continuation"]) == 0

    assert (first["options"]["style"], added["addBack"], own["edited"]) == ("handoff", lost[:1], True)
    assert [one["by"] for one in back["versions"]] == ["offline", "offline", "edit", "offline"]
    assert capsys.readouterr().out == f"{first['compaction']['continuation']}\n"
    assert main(["draft", first["draftId"], "--version", "2", "--add-back", lost[0]]) == 1


@pytest.mark.parametrize("flags", [[], ["--full"], ["--only", "continuation"]], ids=" ".join)
def test_a_new_draft_tells_of_the_one_that_was_changed(
    flags: list[str],
    bakery: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the message alone is printed, into a file or the clipboard."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["draft", str(bakery), "--json"]) == 0
    changed = json.loads(capsys.readouterr().out)["draftId"]
    assert main(["draft", changed, "--length", "brief", *flags]) == 0
    assert f"draft {changed[:8]}` goes on" not in "".join(capsys.readouterr())
    assert main(["draft", str(bakery), "--length", "full", *flags]) == 0
    assert f"draft {changed[:8]}` goes on" in " ".join("".join(capsys.readouterr()).split())


def test_a_changed_draft_of_a_chat_is_gone_on_with(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No other is begun, and what is added back joins what was; the screen says how to go back."""

    def ask(*arguments: str) -> Any:
        assert main(["draft", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    first = ask(str(bakery))
    one, other = [fact["id"] for one in first["compaction"]["survival"]["classes"] for fact in one["lost"]][:2]
    ask(str(bakery), "--add-back", one)
    again = ask(str(bakery), "--add-back", other)
    assert (again["draftId"], again["version"], again["addBack"]) == (first["draftId"], 3, [one, other])
    assert main(["draft", str(bakery)]) == 0
    assert f"draft {first['draftId'][:8]} --version 1` goes back" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("number", "change"), [(1231, ("--length", "brief")), (1232, ("--options", '{"length": "brief"}'))]
)
def test_a_named_length_replaces_a_number(
    number: int, change: tuple[str, str], bakery: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number that the draft had gives way to a name, however that is given."""
    assert main(["draft", str(bakery), "--length", str(number), "--min-keep", "3", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["draft", first["draftId"], *change, "--json"]) == 0
    options = json.loads(capsys.readouterr().out)["options"]

    assert first["options"]["summaryBudget"] == number
    assert (options["summaryBudget"], options["length"]) == (None, "brief")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("Bake more bread.", 0),
        ("Read notes/plan.md\nand bake.md", 0),
        ("my notes/reply file.txt", 1),
        ("the reply.md", 1),
        ("reply", 1),
    ],
)
def test_a_mistyped_path_is_no_text(given: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Several words are a text, unless they look like the name of a file that is not there."""
    assert main(["continuation", given]) == code
    assert capsys.readouterr()[code].count("no such file") == code


def test_what_is_added_in_a_shell_is_added(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each `--add-back`, `--pin` and `--drop` adds to those before; ids may be short, and unknown ones are refused."""

    def ask(*arguments: str) -> Any:
        assert main(["draft", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    first = ask(str(bakery), "--length", "1200")
    lost = [fact["id"] for one in first["compaction"]["survival"]["classes"] for fact in one["lost"]]
    some, other = (id.partition(":")[2][:6] for id in lost[:2])
    ask(first["draftId"], "--add-back", some)
    added = ask(first["draftId"], "--add-back", other, "--pin", "d6e7bdf0")
    ask(first["draftId"], "--pin", "7c24a577", "--drop", "bc693303")
    pinned = ask(first["draftId"], "--pin", "bc693303", "--drop", "d6e7bdf0")

    assert pinned["addBack"] == added["addBack"] == lost[:2]
    assert (pinned["options"]["pin"], pinned["options"]["drop"]) == (["7c24a577", "bc693303"], ["d6e7bdf0"])
    assert main(["draft", first["draftId"], "--add-back", "unknown"]) == 2
    assert "--add-back" in capsys.readouterr().err
    begun = ask(str(bakery), "--length", "1200", "--add-back", some)
    assert (begun["draftId"] == first["draftId"], begun["addBack"]) == (False, lost[:1])


def test_a_person_is_told_that_input_is_awaited(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading from a terminal says so, and what agents run is not left waiting there."""
    monkeypatch.setattr(sys, "stdin", Stdin(b"User: Hello", is_terminal=True))

    assert main(["count", "-", "--json"]) == 0
    assert "paste" in capsys.readouterr().err
    for command in ("statusline", "hook"):
        assert main([command]) == 2
        assert "watch" in capsys.readouterr().err


@pytest.mark.parametrize("length", ["brief", "full", "300"])
def test_a_length_is_a_name_or_a_number(length: str, bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """H18: a number of tokens is the budget."""
    assert main(["preview", str(bakery), "--length", length, "--lengths", "300", "--json"]) == 0

    shown = json.loads(capsys.readouterr().out)
    assert shown["lengths"][0]["budget"] == 300
    assert (shown["after"] - shown["afterLow"] < 500) == (length == "300")


def test_an_interrupt_is_code_130(monkeypatch: pytest.MonkeyPatch, bakery: Path) -> None:
    """Ctrl-C ends quietly."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("compact_chat.cli.command.results", interrupt)

    assert main(["count", str(bakery)]) == 130


def test_compact_gives_programs_all_three_results(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`compact --json` holds the report, the preview, and the compaction that carried out its plan."""
    assert main(["compact", str(bakery), "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["preview"]["planId"] == found["compaction"]["planId"]
    assert found["report"]["used"] == found["preview"]["before"] == found["compaction"]["before"]
    assert found["preview"]["after"] == found["compaction"]["after"]


def test_format_and_continuation_read_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reply and a summary come from a file; the result can be piped on."""
    reply = tmp_path / "reply.txt"
    reply.write_text("Sure.<summary>## Next\nBake.</summary>", "utf-8")

    assert main(["format", str(reply)]) == 0
    assert capsys.readouterr().out == "## Next\nBake.\n"
    assert main(["continuation", str(reply), "--kind", "manual"]) == 0
    assert "[SYSTEM: " in capsys.readouterr().out


def test_the_module_is_the_program(bakery: Path) -> None:
    """`python -m compact_chat` is the same program, and counting never loads the editor's side or a model's API."""
    script = (
        "import sys; from compact_chat.cli import main; main();"
        "print(sorted({'pygls', 'anthropic', 'requests'} & set(sys.modules)))"
    )
    same = [sys.executable, "-m", "compact_chat"]
    looked = [sys.executable, "-c", script]
    outputs = [
        subprocess.run([*program, "count", str(bakery)], capture_output=True, text=True, check=True).stdout
        for program in (same, looked)
    ]

    assert outputs[1] == outputs[0] + "[]\n"


def test_the_process_ends_with_its_exit_code_and_all_that_it_printed() -> None:
    """Ending without freeing what was loaded loses neither the code nor output that was still buffered."""
    program = [sys.executable, "-m", "compact_chat"]
    help_, wrong = (
        subprocess.run([*program, word], capture_output=True, text=True, check=False) for word in ("--help", "nonsense")
    )

    assert (help_.returncode, wrong.returncode) == (0, WRONG_USAGE)
    assert "serve" in help_.stdout
    assert wrong.stderr.count("\n") == 1


def test_a_chat_that_stays_whole_is_still_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If there is nothing to compact, the whole page shows how full it is; the screen leaves it at why."""
    chat = tmp_path / "chat.md"
    chat.write_text("Hello.", "utf-8")

    assert main(["compact", str(chat)]) == 1
    reported = capsys.readouterr()
    assert (reported.out, reported.err.count("\n")) == ("", 1)
    assert main(["compact", str(chat), "--full"]) == 1
    reported = capsys.readouterr()
    assert "Context ──" in reported.out
    assert "Plan ──" in reported.out
    assert reported.err.count("\n") == 1
    assert reported.err.split(": ", 1)[1].strip() not in reported.out


def test_one_text_can_be_had_alone(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--only` prints the summary or the continuation as it is."""
    assert main(["summarize", str(bakery), "--only", "continuation"]) == 0

    assert capsys.readouterr().out.startswith("# Bakery shop: discount codes at the checkout (continued)\n")


def test_a_models_reply_comes_from_a_file(bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`prompt` names the plan beside its text, and `summarize` takes the reply to it."""
    reply = tmp_path / "reply.txt"
    reply.write_text("## Where we are\nThe codes have ten characters.", "utf-8")

    assert main(["prompt", str(bakery)]) == 0
    plan = capsys.readouterr().err.split("--plan-id ")[1].split()[0]
    assert main(["summarize", str(bakery), "--plan-id", plan, "--reply", str(reply), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sections"]["whereWeAre"].count("The codes have ten characters.") == 1


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x00", b""], ids=["binary", "nothing"])
def test_what_is_piped_in_must_be_text(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A binary, or nothing at all, is no chat."""
    monkeypatch.setattr(sys, "stdin", Stdin(data))

    assert main(["count", "-"]) == 1


def parsed(*arguments: str, kind: type = Options) -> dict[str, Any]:
    """Read flags as the shell does."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_flags(parser, kind, without=frozenset())
    return given_flags(parser.parse_args(arguments), kind)


@pytest.mark.parametrize("kind", [Options, ContinuationOptions])
def test_each_field_has_a_flag_with_a_sentence(kind: type) -> None:
    """Help names each field in kebab-case, with its sentence."""
    parser = argparse.ArgumentParser()
    add_flags(parser, kind, without=frozenset())

    flags = {action.dest: action for action in parser._actions}
    assert {field.encode_name for field in structs.fields(kind)} <= flags.keys()
    assert all(action.help for action in flags.values())


def test_values_have_the_types_of_the_wire() -> None:
    """Numbers, switches, lists and JSON arrive as an editor would send them, and fit their type."""
    given = parsed(
        *("--min-keep", "6", "--prune-at", "0.5", "--no-redact", "--pin", "m1", "--pin", "m2"),
        *("--strategy", "keep", "--scope", '{"kind": "from", "message": "m3"}'),
    )

    assert given == {
        "minKeep": 6,
        "pruneAt": 0.5,
        "redact": False,
        "pin": ["m1", "m2"],
        "strategy": "keep",
        "scope": {"kind": "from", "message": "m3"},
    }
    assert isinstance(typed(Options, given), Options)


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--scope", "{from}"), ("--scope", "[" * 100_000), ("--strategy", "guess"), ("--length", "-1")],
    ids=["no JSON", "deep JSON", "no choice", "no length"],
)
def test_a_wrong_value_is_wrong_usage(flag: str, value: str) -> None:
    """A flag that takes JSON, or one of some words, takes nothing else."""
    with pytest.raises(argparse.ArgumentError):
        parsed(flag, value)
