"""Which files a chat read, modified, removed and showed (rules T20 to T23)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Text, ToolCall, WordedResult
from compact_chat.facts import (
    file_records,
    find_pieces,
    find_steps,
    joined_records,
    record_blocks,
    recorded,
    removed_files,
    without_records,
)
from compact_chat.facts.files import same_path
from compact_chat.wire import Files
from tests.samples.chats import PAPER, PICTURE, a, anything, call, conversations, res, talk, u
from tests.samples.tools import ran, used


def test_control_characters_of_a_path_are_written_as_escapes() -> None:
    """T22, T10: those of any block; `work.txt` has line ends and tags."""
    written = "a\\u0000b\\u007fc\\u0080d\\u009fe\\u001f \xa0"
    assert file_records(used("write", "", path="a\x00b\x7fc\x80d\x9fe\x1f \xa0")).modified == (written,)


def test_a_result_belongs_to_the_newest_open_call() -> None:
    """T21, K8: if an id is reused, the result says nothing about the older call, which never got one."""
    chat = [
        u("go"),
        Message("1", "assistant", (ToolCall("1", "write", {"path": "a.py"}),)),
        u("rather"),
        Message("3", "assistant", (ToolCall("1", "read", {"path": "b.py"}),)),
        u(res("1", "text")),
    ]

    assert file_records(chat) == Files(read=("b.py",), modified=())


@given(
    st.lists(st.tuples(st.sampled_from(["read", "write", "edit"]), st.sampled_from("abc"), st.booleans()), max_size=12)
)
def test_the_lists_part_the_files(done: list[tuple[str, str, bool]]) -> None:
    """T22: a path with a successful write or edit is modified, one only read is read, all others are in neither."""
    chat = tuple(message for tool, path, fails in done for message in used(tool, "", is_error=fails, path=path))
    good = {(tool, path) for tool, path, fails in done if not fails}
    modified = {path for tool, path in good if tool != "read"}

    assert file_records(chat) == Files(tuple(sorted({path for _, path in good} - modified)), tuple(sorted(modified)))


PATHS = st.lists(st.text("abc/.é ", min_size=1).filter(lambda path: path == path.strip()), max_size=5).map(tuple)


@given(PATHS, PATHS)
def test_what_was_written_is_found_again(read: tuple[str, ...], modified: tuple[str, ...]) -> None:
    """T23: records are parsed back from the end of a summary, which stays as it was."""
    files = joined_records(Files(read, modified))
    summary = f"## Goal\nship\n\n{record_blocks(files)}"
    assert recorded(summary) == files
    assert without_records(summary) == "## Goal\nship"


def test_of_many_files_of_one_name_only_the_whole_path_counts() -> None:
    """G5: a removal does not compare a name with each of many paths that end with it."""
    written = tuple(part for n in range(101) for part in used("write", "ok", path=f"{n}/a"))

    assert removed_files(find_steps((*written, *ran("rm a 7/a z/a")))) == {"7/a", "z/a", "a"}


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_text_has_a_form_that_stays(path: str, folder: str) -> None:
    """Every text is accepted, and normalizing again changes nothing."""
    assert same_path(same_path(path, ""), "") == same_path(path, "") or path.lower().startswith("file:")
    assert same_path(path, folder)
    assert same_path(f"file://[{path}", "")


# The tools and files that pieces of messages belong to.


READ = ToolCall("1", "Read", {"file_path": "src/a.py"})
OF_READ = ("Read", ("src/a.py",))
FIRST, SECOND = call("1", path="a"), replace(call("2"), name="Grep")


def whose(*messages: Message) -> list[tuple[str, tuple[str, ...]]]:
    """Return the tools and files of all pieces."""
    return [(piece.tool, piece.files) for message in find_pieces(talk(*messages)) for piece in message]


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        pytest.param([a("look", READ), u(res("1", "text"))], [("", ()), OF_READ, OF_READ], id="a call and its result"),
        pytest.param([a(READ), u(res("1", "none", is_error=True)), u(res("1", "again"))], [OF_READ] * 3, id="repeated"),
        pytest.param([u(res("gone", "x"))], [("unknown", ())], id="a result without a call"),
        pytest.param([a(ToolCall("1", "", {}))], [("unknown", ())], id="a call without a name"),
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


def test_what_is_attached_belongs_to_its_file() -> None:
    """However long its tag is."""
    assert whose(u(f'<attachment note="{"x" * 4_000}" filePath="a">x</attachment>')) == [("", ("a",))]


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
