"""What tools of VS Code give back."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import Image, Text
from compact_chat.read.vscode import picture_of, result_parts


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
        ([plain("a")], "a"),
        ([plain("a"), plain("b")], "ab"),
        ([tree(element(text("a", True)), element(text("b", True)))], "a\nb"),
        ([tree(text("a\n", True), text("b", True))], "a\nb"),
        ([tree(text("a"), text(":"), text("b"))], "a:b"),
        ([tree(element(text("a")), element(text("b")))], "a\nb"),
        ([tree(text("a"), element(text("b")), text("c"))], "abc"),
        ([tree(element(text("a")), text("b"))], "ab"),
        ([plain("a"), tree(text("b", True))], "a\nb"),
        ([tree(element(element(element(text("deep")))))], "deep"),
    ],
)
def test_trees_are_flattened_as_the_host_does(content: list[Any], words: str) -> None:
    """A text that asks for it begins a line, and so does the first of an element that follows no text."""
    assert result_parts(content) == (Text(words),)


@pytest.mark.parametrize("content", [[], [None, 1, []], [plain(" \n")], [{"$mid": 24, "data": "x"}]])
def test_an_empty_result_says_so(content: list[Any]) -> None:
    """The model is told that nothing came back."""
    assert result_parts(content) == (Text("(empty)"),)


def test_what_is_only_for_the_person_is_not_sent() -> None:
    """A part says whom it is for; without a word it is for the model."""
    content = [plain("mine", audience=[1]), plain("ours", audience=[0, 1]), plain(" all", audience=[])]
    assert result_parts(content) == (Text("ours all"),)


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
        ("https://pictures.example/a.png", Image("image/x", url="https://pictures.example/a.png")),
        ("data:image/png;base64,QUJD", Image("image/png", data="QUJD")),
        ("QUJD", Image("image/x", data="QUJD")),
    ],
)
def test_a_picture_is_an_address_or_data(place: str, picture: Image) -> None:
    """Data is found in an address, or alone."""
    assert picture_of(place, "image/x") == picture
