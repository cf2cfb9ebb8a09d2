"""What the pieces of messages are of."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from msgspec.structs import replace

from compact_chat.chat import Message, Text, ToolCall
from compact_chat.facts import find_pieces
from tests.samples.chats import PAPER, PICTURE, a, anything, call, conversations, res, talk, u


def whose(*messages: Message) -> list[tuple[str, tuple[str, ...]]]:
    """The tools and files of all pieces."""
    return [(piece.tool, piece.files) for message in find_pieces(talk(*messages)) for piece in message]


def test_a_result_belongs_to_the_tool_and_the_files_of_its_call() -> None:
    """Read, and its answer, are of the file that was read; a failure too."""
    read = ToolCall("1", "Read", {"file_path": "src/a.py"})

    assert whose(a("look", read), u(res("1", "text"))) == [("", ()), ("Read", ("src/a.py",)), ("Read", ("src/a.py",))]
    assert whose(a(read), u(res("1", "none", is_error=True)))[1] == ("Read", ("src/a.py",))


def test_a_patch_belongs_to_all_its_files() -> None:
    """A call that names several files is of each of them."""
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** End Patch"

    assert whose(a(ToolCall("1", "apply_patch", {"input": patch}))) == [("apply_patch", ("a.py", "b.py"))]


def test_one_file_has_one_path() -> None:
    """However a path is written, the file has that of its first mention."""
    paths = ["/w/a.py", "/w/./a.py", "file:///w/a.py", "/w/b/../a.py", "a.py", "C:\\w\\a.py", "c:/W/a.py", "/w/A.py"]
    messages = talk(*(a(ToolCall(str(number), "Read", {"path": path})) for number, path in enumerate(paths)))

    found = [piece.files for message in find_pieces(messages, "/w") for piece in message]

    assert found == [("/w/a.py",)] * 5 + [("C:\\w\\a.py",)] * 2 + [("/w/A.py",)]


def test_a_call_about_one_file_in_two_ways_is_of_one() -> None:
    """The same file twice among the arguments takes the whole call."""
    assert whose(a(ToolCall("1", "read_files", {"files": ["a.py", "./a.py", "b.py"]}))) == [
        ("read_files", ("a.py", "b.py"))
    ]


def test_what_a_shell_shows_belongs_to_the_file() -> None:
    """A command that shows one file reads it as a tool would."""
    run = ToolCall("1", "exec_command", {"cmd": "sed -n '1,9p' src/a.py", "workdir": "/w"})
    read = ToolCall("2", "Read", {"file_path": "/w/src/a.py"})

    assert whose(a(run), u(res("1", "text")), a(read))[1:] == [
        ("exec_command", ("/w/src/a.py",)),
        ("Read", ("/w/src/a.py",)),
    ]


def test_an_answer_that_is_given_again_belongs_to_its_call() -> None:
    """A second result to a call is of the call's tool and file, as the first is."""
    read = ToolCall("1", "Read", {"file_path": "a.py"})

    assert whose(a(read), u(res("1", "text")), u(res("1", "again"))) == [("Read", ("a.py",))] * 3


def test_tools_without_files_and_results_without_calls() -> None:
    """A command is of its tool alone; of a result without a call the tool is unknown."""
    run = ToolCall("1", "Bash", {"command": "ls src/a.py"})

    assert whose(a(run), u(res("1", "src/a.py"))) == [("Bash", ()), ("Bash", ())]
    assert whose(u(res("gone", "x"))) == [("unknown", ())]
    assert whose(a(ToolCall("1", "", {}))) == [("unknown", ())]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('<attachment filePath="/w/Chart.yaml">\nname: x\n</attachment>', [("/w/Chart.yaml",)]),
        ('<attachment id="file:Chart.yaml">\nname\n</attachment>\nfix it', [("Chart.yaml",), ()]),
        ('see <file_content path="a b.py">x</file_content> and <file path="c">y</file>', [(), ("a b.py",), (), ("c",)]),
        ('<file id="file:i.ts" path="a/i.ts">a</file><file path="b/i.ts" id="x">b</file>', [("a/i.ts",), ("b/i.ts",)]),
        ('<attachment id="prompt:review">do it</attachment>', [()]),
        ('<attachment id="microsoft/vscode">all of it</attachment>', [()]),
        (f'<attachment note="{"x" * 4_000}" filePath="a">x</attachment>', [("a",)]),
        ('<attachment filePath="a">never closed', [()]),
        ("<attachments>none</attachments>", [()]),
        ("", [()]),
    ],
)
def test_what_is_attached_belongs_to_its_file(text: str, files: list[tuple[str, ...]]) -> None:
    """Files inside a text are pieces of their own."""
    assert [found for _, found in whose(u(text))] == files


def test_a_note_of_the_host_belongs_to_the_file_that_it_shows() -> None:
    """A file that a tool attached by itself begins with its path; a person's words are never taken for one."""
    note = u("<system-reminder>\n/w/notes.md\nremember\n</system-reminder>")

    assert whose(replace(note, by_host=True)) == [("", ("/w/notes.md",))]
    assert whose(note) == [("", ())]


def test_documents_have_their_titles_and_pictures_none() -> None:
    """A document is a file, a picture is not."""
    assert whose(u(PAPER, PICTURE)) == [("", ("notes.pdf",)), ("", ())]


@given(anything() | conversations())
def test_pieces_make_up_their_messages(messages: tuple[Message, ...]) -> None:
    """Texts that are cut lose nothing, other parts are whole, and each message has its own."""
    found = list(find_pieces(messages))

    assert len(found) == len(messages)
    for message, parts in zip(messages, found, strict=True):
        assert "".join(p.part.text for p in parts if isinstance(p.part, Text)) == "".join(
            part.text for part in message.parts if isinstance(part, Text)
        )
        assert [p.part for p in parts if not isinstance(p.part, Text)] == [
            part for part in message.parts if not isinstance(part, Text)
        ]


@pytest.mark.parametrize("unit", ['<attachment id="file:a">', "<attachment ", "<", " ", '<file path="', "\n"])
def test_a_megabyte_of_anything_is_cut_in_time(unit: str) -> None:
    """Openings without an end are not looked for again and again."""
    message = u(unit * (1_000_000 // len(unit)))
    start = time.process_time()

    assert list(find_pieces([message]))
    assert time.process_time() - start < 2


def test_calls_of_one_message_keep_apart() -> None:
    """Two calls of one message, and their results, are told apart by their ids."""
    first, second = call("1", path="a"), replace(call("2"), name="Grep")

    assert [tool for tool, _ in whose(a(first, second), u(res("2", "x"), res("1", "y")))] == [
        "look",
        "Grep",
        "Grep",
        "look",
    ]
