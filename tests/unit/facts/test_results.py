"""Values that calls returned and later turns used, and names that edits added."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.facts import find_steps, new_names, used_results
from tests.samples.chats import a, u
from tests.samples.tools import ran, used


def told(*chat: Message) -> list[tuple[str, tuple[str, ...]]]:
    """The lines of results that count, and their values."""
    named = [Message(f"m{place}", one.role, one.parts, typed=one.typed) for place, one in enumerate(chat)]
    return [(one.text, one.values) for one in used_results(named, find_steps(named))]


@pytest.mark.parametrize(
    ("output", "later", "found"),
    [
        ("made\nTask ENG-231 created\nbye", "ENG-231 is the task", [("Task ENG-231 created", ("ENG-231",))]),
        (
            "url: https://x.example/p/7",
            "See https://x.example/p/7.",
            [("url: https://x.example/p/7", ("https://x.example/p/7",))],
        ),
        ('{"id":"b2a12tqgj","n":1}', "run b2a12tqgj", [('{"id":"b2a12tqgj","n":1}', ("b2a12tqgj",))]),
        (
            f'{{"id":"b2a12tqgj","text":"{"word " * 60}","other":"x","number":48213}}',
            "run b2a12tqgj 48213",
            [("id: b2a12tqgj, number: 48213", ("b2a12tqgj", "48213"))],
        ),
        (
            "at https://x.example/new",
            "open https://x.example/new",
            [("at https://x.example/new", ("https://x.example/new",))],
        ),
        ("Created ENG-231!", "do ENG-231", [("Created ENG-231!", ("ENG-231",))]),
        ('{"log":"a\\nTask ENG-231\\nb"}', "do ENG-231", [("Task ENG-231", ("ENG-231",))]),
        (f"id b2a12tqgj{' z' * 200}", "run b2a12tqgj", [(f"id b2a12tqgj{' z' * 94}", ("b2a12tqgj",))]),
        (
            f"id b2a12tqgj{' z' * 200} c3b23urhk",
            "run b2a12tqgj c3b23urhk",
            [(f"id b2a12tqgj{' z' * 94}", ("b2a12tqgj",))],
        ),
        ("took 57.3% of it", "it takes 57.3%", [("took 57.3% of it", ("57.3%",))]),
        ("Task ENG-231 created", "fine", []),
        ("line 12 of 40", "see line 12", []),
    ],
)
def test_a_result_counts_that_a_later_turn_used(
    output: str, later: str, found: list[tuple[str, tuple[str, ...]]]
) -> None:
    """H5: the line that mattered; what nothing built on is no fact."""
    assert told(*ran("make it", output), a(later)) == found


def test_what_was_known_before_or_is_in_a_file_is_no_result() -> None:
    """What the user named first is the user's; files can be read again."""
    assert told(u("do ENG-231"), *ran("show", "ENG-231 is open"), a("ENG-231")) == []
    assert told(replace(u("ENG-231"), typed=()), *ran("show", "ENG-231 is open"), a("ENG-231"))
    assert told(*ran("make", "+ id b2a12tqgj"), a("b2a12tqgj")) == []
    assert told(*used("Read", "id = b2a12tqgj", path="a.py"), a("b2a12tqgj")) == []
    assert told(*ran("cat a.py", "id = b2a12tqgj"), a("b2a12tqgj")) == []
    assert told(*ran("cd x && rg -n id src", "a.py:3: id = b2a12tqgj"), a("b2a12tqgj")) == []


def test_a_line_of_json_is_cut_around_its_value() -> None:
    """A long line is told as far as it tells what the value is."""
    ((text, values),) = told(*ran("curl x", f"{'a ' * 5000}id b2a12tqgj{' z' * 5000}"), a("b2a12tqgj"))

    assert values == ("b2a12tqgj",)
    assert "id b2a12tqgj" in text
    assert len(text) <= 200


def test_names_that_an_edit_added() -> None:
    """New functions and types are told per file; what an edit only moved is none, nor what a later one removed."""
    chat = [
        *used(
            "Edit",
            "ok",
            path="a.py",
            old_string="def old(): 1",
            new_string="def old(): 1\nasync def fresh(): 2\nclass Box:",
        ),
        *used("Edit", "ok", path="a.py", old_string="class Box:", new_string="class Crate:"),
        *used("Write", "ok", path="b.ts", content="export const run = async (x) => 1\nexport interface Shape {}"),
        *used("Edit", "no", is_error=True, path="a.py", old_string="", new_string="def lost(): 1"),
        *used(
            "apply_patch",
            "ok",
            input="*** Begin Patch\n*** Update File: c.go\n-func Old() {\n+func New() {\n func Same() {\n"
            "+func Same() {\n*** End Patch",
        ),
    ]
    found = {one.path: one.names for one in new_names(find_steps(chat))}

    assert found == {"a.py": ("fresh", "Crate"), "b.ts": ("Shape", "run"), "c.go": ("New",)}
