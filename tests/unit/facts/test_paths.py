"""Paths in one form."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.facts.files import joined_paths, same_path, without_scheme


@pytest.mark.parametrize(
    ("one", "other", "folder"),
    [
        ("/w/a.py", "/w/./a.py", ""),
        ("/w/a.py", "/w/b/../a.py", ""),
        ("/w/a.py", "file:///w/a.py", ""),
        ("/w/a b.py", "file:///w/a%20b.py", ""),
        ("/w/a.py", "FILE://localhost/w/a.py", ""),
        ("a.py", "./a.py", ""),
        ("a.py", "/w/a.py", "/w"),
        ("src/a.py", "/w/src/a.py", "file:///w/"),
        ("C:\\w\\a.py", "c:/w/a.py", ""),
        ("C:\\w\\a.py", "file:///c%3A/w/a.py", ""),
        ("C:\\w\\a.py", "C:\\W\\A.py", ""),
        ("src\\a.py", "C:/w/src/a.py", "C:\\w"),
        ("\\\\host\\share\\a.py", "file://host/share/a.py", ""),
        (" /w/a.py\n", "/w/a.py", ""),
    ],
)
def test_one_file_is_one_path(one: str, other: str, folder: str) -> None:
    """URIs, dots, slashes, drives and the folder that a path starts from make no difference."""
    assert same_path(one, folder) == same_path(other, folder)


@pytest.mark.parametrize(
    ("one", "other", "folder"),
    [
        ("/w/a.py", "/w/A.py", ""),
        ("/w/a.py", "a.py", ""),
        ("/w/a.py", "a.py", "/v"),
        ("~/a.py", "/w/~/a.py", "/w"),
        ("/w/a\\b", "/w/a/b", ""),
        ("/w/a%20b", "/w/a b", ""),
        ("vscode-remote://ssh/w/a.py", "/w/a.py", ""),
    ],
)
def test_two_files_are_two_paths(one: str, other: str, folder: str) -> None:
    """What may be another file stays one; only Windows takes large and small letters for the same."""
    assert same_path(one, folder) != same_path(other, folder)


@pytest.mark.parametrize(
    ("folder", "path", "whole"),
    [
        ("", "a.py", "a.py"),
        ("/w/", "a.py", "/w/a.py"),
        ("/w", "/v/a.py", "/v/a.py"),
        ("/w", "~/a.py", "~/a.py"),
        ("C:\\w", "a.py", "C:\\w\\a.py"),
        ("C:/w", "a.py", "C:/w/a.py"),
        ("/", "a.py", "/a.py"),
    ],
)
def test_a_path_is_told_from_outside_its_folder(folder: str, path: str, whole: str) -> None:
    """Paths that are whole stay; the others get the folder in front, with its own slash."""
    assert joined_paths(folder, path) == whole


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_text_has_a_form_that_stays(path: str, folder: str) -> None:
    """Nothing is refused, and one form has no other."""
    assert same_path(same_path(path)) == same_path(path) or path.lower().startswith("file:")
    assert same_path(path, folder)
    assert without_scheme(f"file://[{path}") is not None


def test_a_megabyte_of_path_is_quick() -> None:
    """However long a path is, it is gone through once."""
    start = time.perf_counter()
    for unit in ("a/", "../", "./", "%20", "\\"):
        same_path("file:///" + unit * (1_000_000 // len(unit)), "/w")
    assert time.perf_counter() - start < 5
