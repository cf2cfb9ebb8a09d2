"""The tools and files that pieces of messages belong to."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from compact_chat.chat import Message, Text, ToolCall, WordedResult
from compact_chat.facts import find_pieces
from tests.samples.chats import PAPER, PICTURE, a, anything, call, conversations, res, talk, u

READ = ToolCall("1", "Read", {"file_path": "src/a.py"})
OF_READ = ("Read", ("src/a.py",))
LIST = ToolCall("1", "Bash", {"command": "ls src/a.py"})
SHOW = ToolCall("1", "exec_command", {"cmd": "sed -n '1,9p' src/a.py", "workdir": "/w"})
PATCH = "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** End Patch"
FIRST, SECOND = call("1", path="a"), replace(call("2"), name="Grep")
NOTE = u("<system-reminder>\n/w/notes.md\nremember\n</system-reminder>")


def whose(*messages: Message) -> list[tuple[str, tuple[str, ...]]]:
    """Return the tools and files of all pieces."""
    return [(piece.tool, piece.files) for message in find_pieces(talk(*messages)) for piece in message]


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        pytest.param([a("look", READ), u(res("1", "text"))], [("", ()), OF_READ, OF_READ], id="a call and its result"),
        pytest.param([a(READ), u(res("1", "none", is_error=True)), u(res("1", "again"))], [OF_READ] * 3, id="repeated"),
        pytest.param([a(LIST), u(res("1", "src/a.py"))], [("Bash", ())] * 2, id="a tool without files"),
        pytest.param([u(res("gone", "x"))], [("unknown", ())], id="a result without a call"),
        pytest.param([a(ToolCall("1", "", {}))], [("unknown", ())], id="a call without a name"),
        pytest.param(
            [a(ToolCall("1", "apply_patch", {"input": PATCH}))], [("apply_patch", ("a.py", "b.py"))], id="several files"
        ),
        pytest.param(
            [a(ToolCall("1", "read_files", {"files": ["a.py", "./a.py", "b.py"]}))],
            [("read_files", ("a.py", "b.py"))],
            id="one file named twice",
        ),
        pytest.param([a(SHOW), u(res("1", "text"))], [("exec_command", ("/w/src/a.py",))] * 2, id="shown by a shell"),
        pytest.param(
            [a(FIRST, SECOND), u(res("2", "x"), res("1", "y"))],
            [("look", ()), ("Grep", ()), ("Grep", ()), ("look", ())],
            id="calls of one message",
        ),
        pytest.param([u(PAPER, PICTURE)], [("", ("notes.pdf",)), ("", ())], id="a document and a picture"),
        pytest.param(
            [a(READ), u(WordedResult("1", (Text('<file path="b">x</file>'), PICTURE)))],
            [OF_READ, ("", ("b",)), ("", ())],
            id="a result in words",
        ),
        pytest.param([replace(NOTE, by_host=True)], [("", ("/w/notes.md",))], id="a note of the host"),
        pytest.param([NOTE], [("", ())], id="the same of a person"),
    ],
)
def test_pieces_belong_to_tools_and_files(messages: list[Message], found: list[tuple[str, tuple[str, ...]]]) -> None:
    """A call and its results have the same tool and files; documents and attachments have names."""
    assert whose(*messages) == found


def test_one_file_has_one_path() -> None:
    """However a path is written, the file has the path of its first mention."""
    paths = ["/w/a.py", "/w/./a.py", "file:///w/a.py", "/w/b/../a.py", "a.py", "C:\\w\\a.py", "c:/W/a.py", "/w/A.py"]
    messages = talk(*(a(ToolCall(str(number), "Read", {"path": path})) for number, path in enumerate(paths)))

    found = [piece.files for message in find_pieces(messages, "/w") for piece in message]

    assert found == [("/w/a.py",)] * 5 + [("C:\\w\\a.py",)] * 2 + [("/w/A.py",)]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('<attachment filePath="/w/Chart.yaml">\nname: x\n</attachment>', [("/w/Chart.yaml",)]),
        ('<attachment id="file:Chart.yaml">\nname\n</attachment>\nfix it', [("Chart.yaml",), ()]),
        ('see <file_content path="a b.py">x</file_content> and <file path="c">y</file>', [(), ("a b.py",), (), ("c",)]),
        ('<file id="file:i.ts" path="a/i.ts">a</file><file path="b/i.ts" id="x">b</file>', [("a/i.ts",), ("b/i.ts",)]),
        ('<attachment id="prompt:review">do it</attachment>', [()]),
        (f'<attachment note="{"x" * 4_000}" filePath="a">x</attachment>', [("a",)]),
        ('<attachment filePath="a">never closed', [()]),
        ("<attachments>none</attachments>", [()]),
        ("", [()]),
    ],
)
def test_what_is_attached_belongs_to_its_file(text: str, files: list[tuple[str, ...]]) -> None:
    """Files inside a text are pieces of their own."""
    assert [found for _, found in whose(u(text))] == files


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
