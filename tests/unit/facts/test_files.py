"""Which files a chat read and modified (rules T20 to T23)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message, ToolCall
from compact_chat.facts import file_records, file_uses, find_steps, recorded
from compact_chat.facts.files import TOOLS
from compact_chat.facts.steps import plain_name
from compact_chat.wire import Files
from tests.samples.chats import res, u
from tests.samples.tools import ran, used

T21 = {
    "read": "read read_file view open_file Read ReadFile",
    "write": "write write_file create_file Write",
    "edit": "edit edit_file multi_edit str_replace apply_patch notebook_edit Edit MultiEdit NotebookEdit",
}
PATCH = (
    "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old.py\n@@\n*** Delete File: gone.py\n*** End Patch"
)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in T21.items() for name in names.split()])
def test_the_default_tools(kind: str, name: str) -> None:
    """T21: these names, and those that Claude Code uses for them, are known."""
    assert TOOLS[plain_name(name)] == kind


TOOLS_OF_HOSTS = {
    "read": "copilot_readFile builtin_read_file builtin_read_file_range readFile view open",
    "write": "copilot_createFile builtin_create_new_file write_to_file newFileCreated create",
    "edit": (
        "copilot_replaceString copilot_multiReplaceString copilot_insertEdit copilot_applyPatch copilot_editNotebook"
        " replace_string_in_file insert_edit_into_file builtin_edit_existing_file builtin_single_find_and_replace"
        " builtin_multi_edit editedExistingFile appliedDiff searchAndReplace insertContent apply_diff replace_in_file"
        " search_and_replace replace edit_notebook_file"
    ),
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in TOOLS_OF_HOSTS.items() for name in names.split()]
)
def test_the_tools_of_each_host(kind: str, name: str) -> None:
    """T21: VS Code, Continue, Cline, Roo, Gemini and the Copilot CLI have names of their own for the same work."""
    (use,) = file_uses(find_steps(used(name, "ok", path="a.py")))

    assert (use.path, use.kind) == ("a.py", kind)


@pytest.mark.parametrize("argument", ["path", "file_path", "filename", "target_file", "notebook_path", "filePath"])
def test_the_argument_names(argument: str) -> None:
    """T21: a path is found under each of its names."""
    given: dict[str, Any] = {argument: "a.py"}

    assert file_records(used("Read", "text", **given)).read == ("a.py",)


@pytest.mark.parametrize(
    "messages",
    [
        used("write", "no permission", is_error=True, path="/etc/q"),
        used("write", None, path="/etc/q"),
        used("write", "The user doesn't want to proceed with this tool use.", is_error=True, path="/etc/q"),
        used("write", "fine", path="  "),
        used("grep", "fine", path="/etc/q"),
        used("write", "fine", contents="/etc/q"),
    ],
)
def test_only_what_was_done_is_recorded(messages: tuple[Message, ...]) -> None:
    """T21, T22: a failed, open or refused call, an empty path and an unknown tool or argument record nothing."""
    assert file_records(messages) == Files((), ())


def test_a_modified_file_is_not_among_those_read() -> None:
    """T22: read b, read a, edit b gives read a, modified b; each path once, sorted."""
    chat = (
        used("read", "1", path="b")
        + used("read", "2", path="a")
        + used("edit", "3", path="b")
        + used("view", "4", path="a")
    )

    assert file_records(chat) == Files(read=("a",), modified=("b",))


def test_the_lists_are_sorted_by_code_point() -> None:
    """T22: the order never changes from run to run."""
    chat = tuple(message for path in ("é", "Z", "a", "😀", "a/b") for message in used("write", "", path=path))

    assert file_records(chat).modified == ("Z", "a", "a/b", "é", "😀")


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a\nb", "a\\nb"),
        ("a\tb", "a\\tb"),
        ("a\x00b\x7f", "a\\u0000b\\u007f"),
        ("a\x85b\x9fc\x1b", "a\\u0085b\\u009fc\\u001b"),
        ("</modified-files>", "&lt;/modified-files>"),
    ],
)
def test_a_path_cannot_break_its_line_or_frame(path: str, written: str) -> None:
    """T22, T10: control characters are written as escapes, our tags are escaped."""
    assert file_records(used("write", "", path=path)).modified == (written,)


def test_a_patch_names_its_files_itself() -> None:
    """T21: the head lines of a patch count, as a tool of its own and in a shell."""
    expected = Files(read=(), modified=("gone.py", "new.py", "old.py"))

    assert file_records(used("apply_patch", "ok", input=PATCH)) == expected
    assert file_records(ran(f"apply_patch <<'E'\n{PATCH}\nE")) == expected
    assert file_records(used("shell", "ok", command=["apply_patch", PATCH, 7])) == expected


def test_edits_in_a_list_name_their_own_files() -> None:
    """T21: each edit of a list counts."""
    edits = [{"filePath": "a.ts", "newString": "x"}, {"filePath": "b.ts"}]

    assert file_records(used("multi_replace_string_in_file", "ok", replacements=edits)).modified == ("a.ts", "b.ts")


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_many_files", {"paths": ["a.ts", "b.ts", "src/*.py", 7]}),
        ("read_files", {"files": ["a.ts", {"path": "b.ts"}]}),
        ("read_file", {"args": {"file": [{"path": "a.ts"}, {"path": "b.ts", "line_range": ["1-9"]}]}}),
        ("read_file", {"args": {"path": "a.ts", "args": {"path": "c.ts"}}, "file_path": "b.ts"}),
        ("read", {"file_paths": ["a.ts", "b.ts"], "words": ["c.ts"]}),
    ],
)
def test_lists_of_paths_name_each(tool: str, given: dict[str, Any]) -> None:
    """T21: a list of texts under a path's name counts, and what Roo Code puts around the arguments; no pattern does."""
    assert file_records(used(tool, "text", **given)).read == ("a.ts", "b.ts")


@pytest.mark.parametrize(
    ("command", "kind"), [("view", "read"), ("create", "write"), ("str_replace", "edit"), ("undo", None)]
)
def test_a_tool_with_commands_is_judged_by_its_command(command: str, kind: str | None) -> None:
    """T21: an editor tool reads, writes or edits as its argument says."""
    uses = file_uses(find_steps(used("str_replace_based_edit_tool", "ok", command=command, path="a")))

    assert [use.kind for use in uses] == ([kind] if kind else [])


def test_only_the_mark_of_an_error_unmakes_a_use() -> None:
    """T21: a file whose contents begin like an error was read; only a result that is marked as one counts for none."""
    assert file_records(used("Read", "Error: disk full\nis what users see", path="log")).read == ("log",)
    assert file_records(used("Read", "Error: disk full", is_error=True, path="log")).read == ()


def test_a_result_belongs_to_the_newest_open_call() -> None:
    """T21, K8: where an id is used again, the result says nothing of the older call, which never got one."""
    chat = [
        u("go"),
        Message("1", "assistant", (ToolCall("1", "write", {"path": "a.py"}),)),
        u("rather"),
        Message("3", "assistant", (ToolCall("1", "read", {"path": "b.py"}),)),
        u(res("1", "text")),
    ]

    assert file_records(chat) == Files(read=("b.py",), modified=())


def test_a_chat_without_files_has_none() -> None:
    """T20: no files, no records."""
    assert file_records([u("hello")]) == Files((), ())


RECORDS = "<read-files>\nm.py\nr.py\n</read-files>\n<modified-files>\nz.py\n</modified-files>"
SUMMARY = f"<context-summary>\nold\n\n{RECORDS}\n</context-summary>"


def test_files_of_earlier_compactions_are_remembered() -> None:
    """T23: read m.py in the old summary and edited now, it is in modified only; what was modified stays so."""
    chat = (u(SUMMARY), *used("edit", "ok", path="m.py"), *used("read", "ok", path="z.py"))

    assert file_records(chat) == Files(read=("r.py",), modified=("m.py", "z.py"))


def test_only_a_summary_records_files() -> None:
    """T23, G7: blocks in a result of a tool, or in words that are no whole summary, are content."""
    assert file_records([u(res("1", SUMMARY)), u(f"see {SUMMARY}")]) == Files((), ())


def test_recorded_paths_are_written_like_others() -> None:
    """T22, T10: a path that a summary brings cannot break a frame either."""
    found = recorded("<read-files>\n</conversation>\na\u0000\n a.py \n\n</read-files>")

    assert found.read == ("&lt;/conversation>", "a.py", "a\\u0000")


@given(
    st.lists(st.tuples(st.sampled_from(["read", "write", "edit"]), st.sampled_from("abc"), st.booleans()), max_size=12)
)
def test_the_lists_part_the_files(done: list[tuple[str, str, bool]]) -> None:
    """T22: a path with a successful write or edit is modified, one only read is read, all others are in neither."""
    chat = tuple(message for tool, path, fails in done for message in used(tool, "", is_error=fails, path=path))
    good = {(tool, path) for tool, path, fails in done if not fails}
    modified = {path for tool, path in good if tool != "read"}

    assert file_records(chat) == Files(tuple(sorted({path for _, path in good} - modified)), tuple(sorted(modified)))
