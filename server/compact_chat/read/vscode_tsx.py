"""What tools of VS Code give back: texts, pictures, and trees of a prompt library, flattened as it would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from compact_chat.chat import Image, JsonObject, ResultPart, Text
from compact_chat.read.blocks import image_at
from compact_chat.read.lenient import fields, word

_EMPTY = "(empty)"  # what the model is told of a result without anything in it
_TO_THE_MODEL = 0  # of those a result can be meant for
_PICTURE = 3  # the constructor of a picture in a tree

_BARE = frozenset({"type", "text", "lineBreakBefore"})  # the members of a text that is nothing else

Leaf = tuple[str | Image, bool]  # a text or a picture of a tree, and whether it has to begin a line


def result_parts(content: object) -> tuple[ResultPart, ...]:
    """Flatten the content of a result; texts run on, since a model gets them as one."""
    parts: list[ResultPart] = []
    words: list[str] = []
    for leaf, begins_line in _leaves(content if isinstance(content, list) else []):
        if isinstance(leaf, Image):
            parts += [*_text(words), leaf]
            words = []
            continue
        if begins_line and words and words[-1][-1] != "\n":
            words.append("\n")
        if leaf:
            words.append(leaf)
    parts += _text(words)
    return tuple(parts) or (Text(_EMPTY),)


def picture_of(place: str, kind: str = "") -> Image:
    """A picture by its address, with its data inside or not, or by its data alone."""
    if place.startswith("data:"):
        return image_at(place)
    return Image(kind, url=place) if "://" in place[:20] else Image(kind, data=place)


def _leaves(content: list[object]) -> Iterator[Leaf]:
    """Walk through parts and their trees in order; a text behind another one in its element goes on in its line."""
    waiting: list[tuple[object, bool, bool]] = _children(content, follows_text=False)[::-1]
    while waiting:
        node, is_first, follows_text = waiting.pop()
        if not isinstance(node, dict) or not _is_meant(node):
            continue
        children = _inside(node)
        if children is None:
            leaf = _picture(node)
            begins_line = node.get("lineBreakBefore") is True or (is_first and not follows_text)
            yield (_words(node) if leaf is None else leaf), begins_line
        elif all(map(_is_bare, children)):
            yield _run(cast("list[JsonObject]", children), begins_line=bool(children) and not follows_text)
        else:
            waiting += _children(children, follows_text)[::-1]


def _run(texts: list[JsonObject], begins_line: bool) -> Leaf:
    """Join texts that follow each other; those before the first that says something decide how the run begins."""
    words: list[str] = []
    for text in texts:
        if text.get("lineBreakBefore") is True:
            if not words:
                begins_line = True
            elif words[-1][-1] != "\n":
                words.append("\n")
        if said := word(text.get("text")):
            words.append(said)
    return "".join(words), begins_line


def _children(nodes: list[object], follows_text: bool) -> list[tuple[object, bool, bool]]:
    """Each node with whether it is the first of its element, and whether a text stands right before it."""
    texts = [follows_text, *map(_is_text, nodes)]
    return [(node, place == 0, texts[place]) for place, node in enumerate(nodes)]


def _inside(node: JsonObject) -> list[object] | None:
    """What an element holds; None for a text or a picture."""
    tree = fields(node.get("value")).get("node")
    if tree is not None:
        return [tree]
    children = node.get("children")
    return children if isinstance(children, list) and node.get("ctor") != _PICTURE else None


def _is_bare(node: object) -> bool:
    """Whether a node is a text and nothing else, as nearly all are."""
    return isinstance(node, dict) and node.keys() <= _BARE


def _is_text(node: object) -> bool:
    return isinstance(node, dict) and (isinstance(node.get("text"), str) or isinstance(node.get("value"), str))


def _is_meant(part: JsonObject) -> bool:
    audience = part.get("audience")
    return not isinstance(audience, list) or not audience or _TO_THE_MODEL in audience


def _words(leaf: JsonObject) -> str:
    return word(leaf.get("text")) or word(leaf.get("value"))


def _picture(leaf: JsonObject) -> Image | None:
    kind = word(leaf.get("mimeType"))
    if kind.startswith("image/"):
        return Image(kind, data=word(leaf.get("data")))
    return picture_of(word(fields(leaf.get("props")).get("src"))) if leaf.get("ctor") == _PICTURE else None


def _text(words: list[str]) -> list[ResultPart]:
    joined = "".join(words)
    return [Text(joined)] if joined.strip() else []
